//! A data set split into samples for training, choosing parameters, and testing.

use std::f32::consts::TAU;
use std::ops::Range;
use ternion::{Error, Samples};

/// Samples and their classes, training samples first.
pub struct Split {
    /// Numbers in a sample.
    pub inputs: usize,
    /// The samples, one after another.
    pub x: Vec<f32>,
    /// The class of each sample.
    pub labels: Vec<usize>,
    /// Training samples; the rest are for the test.
    pub train: usize,
}

impl Split {
    /// The training samples without those held out.
    pub fn kept(&self) -> Range<usize> {
        0..self.train * 4 / 5
    }

    /// The last fifth of the training samples, on which the ridge parameter is chosen.
    pub fn held(&self) -> Range<usize> {
        self.kept().end..self.train
    }

    /// The test samples.
    pub fn test(&self) -> Range<usize> {
        self.train..self.labels.len()
    }

    /// Some of the samples.
    pub fn samples(&self, range: Range<usize>) -> Result<Samples<'_, f32>, Error> {
        let numbers = &self.x[range.start * self.inputs..range.end * self.inputs];
        Ok(Samples::new(numbers, self.inputs)?)
    }
}

/// A small generator for splits and frequencies.
pub struct Random(u64);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed + 1)
    }

    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 ^ self.0 >> 29) >> 16
    }

    /// A normal number.
    pub fn normal(&mut self) -> f32 {
        let mut unit = || (self.next() % (1 << 24)) as f32 / (1 << 24) as f32;
        (-2.0 * (1.0 - unit()).ln()).sqrt() * (TAU * unit()).cos()
    }

    /// The numbers below `count` in a random order.
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for i in (1..count).rev() {
            order.swap(i, self.next() as usize % (i + 1));
        }
        order
    }
}
