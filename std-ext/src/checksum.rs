//! The CRC-32 of [`ternion_core::model::crc32`], eight bytes at a time: moments have many megabytes.

/// What a byte does to the remainder if 0 to 7 bytes follow it.
static TABLES: [[u32; 256]; 8] = {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            rest = if rest & 1 == 1 { rest >> 1 ^ 0xEDB8_8320 } else { rest >> 1 };
            bit += 1;
        }
        tables[0][byte] = rest;
        byte += 1;
    }
    let mut following = 1;
    while following < 8 {
        let mut byte = 0;
        while byte < 256 {
            let rest: u32 = tables[following - 1][byte];
            tables[following][byte] = rest >> 8 ^ tables[0][(rest & 255) as usize];
            byte += 1;
        }
        following += 1;
    }
    tables
};

/// The CRC-32 of bytes. The remainder after eight bytes is the sum of what each of them does to it, so that their table
/// lookups do not wait for one another (Kounavis and Berry's slicing by 8).
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let (eights, tail) = bytes.as_chunks::<8>();
    let rest = eights.iter().fold(u32::MAX, |rest, &[a, b, c, d, e, f, g, h]| {
        let [i, j, k, l] = (rest ^ u32::from_le_bytes([a, b, c, d])).to_le_bytes();
        let eight = [h, g, f, e, l, k, j, i];
        TABLES.iter().zip(eight).fold(0, |sum, (table, byte)| sum ^ table[usize::from(byte)])
    });
    let next = |rest: u32, &byte: &u8| rest >> 8 ^ TABLES[0][(rest as u8 ^ byte) as usize];
    !tail.iter().fold(rest, next)
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn all_lengths_have_the_checksum_of_core() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        let bytes: Vec<u8> = (0..100_u32).map(|k| ((k * k * 37) >> 3) as u8).collect();
        for length in 0..bytes.len() {
            let bytes = &bytes[length / 3..length];
            assert_eq!(crc32(bytes), ternion_core::model::crc32(bytes), "{length}");
        }
    }
}
