//! The bundled handwritten digits, shared by the examples.

/// Pixels per image.
pub const PIXELS: usize = 64;

/// Every image: its pixels, from 0 to 16, then its class.
pub fn digits() -> Vec<Vec<u8>> {
    include_str!("digits.csv")
        .lines()
        .map(|line| line.split(',').filter_map(|number| number.parse().ok()).collect())
        .collect()
}
