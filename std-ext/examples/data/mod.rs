//! Data sets, shared by the examples: the bundled ones, and readers of those that `.ci/data` fetches.

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

/// 178 wines by 13 measurements in units of their own, from three cultivars.
pub const WINE: &str = include_str!("wine.csv");

/// 569 tumours by 30 measurements of their cells, malignant (0) or benign (1).
pub const BREAST_CANCER: &str = include_str!("breast_cancer.csv");

/// The rows of a bundled table in a random order, the last three tenths for the test. A row is its inputs and then its
/// class; the first line is a header.
pub fn split_table(text: &str, seed: u64) -> Split {
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let order = Random::new(seed).order(lines.len());
    let (mut x, mut labels, mut inputs) = (Vec::new(), Vec::new(), 0);
    for line in order.iter().map(|&row| lines[row]) {
        let mut numbers: Vec<f32> = line.split(',').filter_map(|x| x.parse().ok()).collect();
        labels.extend(numbers.pop().map(|class| class as usize));
        inputs = numbers.len();
        x.append(&mut numbers);
    }
    Split { inputs, x, labels, train: order.len() - order.len() * 3 / 10 }
}
