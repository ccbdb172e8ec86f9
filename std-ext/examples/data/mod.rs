//! Data sets, shared by the examples: the bundled digits, and readers of those that `.ci/data` fetches.

#![allow(dead_code, reason = "each example uses a part of it")]

pub mod adult;
pub mod covtype;
pub mod idx;
mod split;

pub use split::{Random, Split};

/// Pixels per image.
pub const PIXELS: usize = 64;

/// Every image: its pixels, from 0 to 16, then its class.
pub fn digits() -> Vec<Vec<u8>> {
    include_str!("digits.csv")
        .lines()
        .map(|line| line.split(',').filter_map(|number| number.parse().ok()).collect())
        .collect()
}

/// The images in a random order, the last 500 for the test.
pub fn split_digits(seed: u64) -> Split {
    let digits = digits();
    let order = Random::new(seed).order(digits.len());
    let (mut x, mut labels) = (Vec::new(), Vec::new());
    for numbers in order.iter().map(|&image| &digits[image]) {
        x.extend(numbers[..PIXELS].iter().map(|&pixel| f32::from(pixel)));
        labels.push(numbers[PIXELS].into());
    }
    Split { inputs: PIXELS, x, labels, train: order.len() - 500 }
}
