//! CRC-32 as in zip and Ethernet: reflected, polynomial 0xEDB88320.

/// What a nibble does to the remainder: 64 bytes of flash instead of 1 KB for whole bytes.
const NIBBLES: [u32; 16] = {
    let mut table = [0; 16];
    let mut index = 0;
    while index < 16 {
        let mut rest = index as u32;
        let mut bit = 0;
        while bit < 4 {
            rest = if rest & 1 == 1 { rest >> 1 ^ 0xEDB8_8320 } else { rest >> 1 };
            bit += 1;
        }
        table[index] = rest;
        index += 1;
    }
    table
};

/// The CRC-32 of bytes, as the end of a model holds it.
///
/// ```
/// assert_eq!(ternion_core::model::crc32(b"123456789"), 0xCBF4_3926);
/// ```
pub const fn crc32(mut bytes: &[u8]) -> u32 {
    let mut rest = u32::MAX;
    while let Some((&byte, tail)) = bytes.split_first() {
        rest ^= byte as u32;
        rest = rest >> 4 ^ NIBBLES[(rest & 15) as usize];
        rest = rest >> 4 ^ NIBBLES[(rest & 15) as usize];
        bytes = tail;
    }
    !rest
}
