//! Bytes that were saved and then changed, with a checksum that is right.

use crate::model::crc32;

/// With a number of 64 bits replaced.
pub fn with_number(bytes: &[u8], at: usize, number: i64) -> Vec<u8> {
    replaced(bytes, at, &number.to_le_bytes())
}

/// With a sum of trits over few samples replaced, which has 32 bits.
pub fn with_sum(bytes: &[u8], at: usize, sum: i32) -> Vec<u8> {
    replaced(bytes, at, &sum.to_le_bytes())
}

fn replaced(bytes: &[u8], at: usize, by: &[u8]) -> Vec<u8> {
    let mut bytes = bytes[..bytes.len() - 4].to_vec();
    bytes[at..at + by.len()].copy_from_slice(by);
    let checksum = crc32(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}
