//! [`RoundedCentres`]: centres as integers, so that distances of packed features come from exact products.
//!
//! With a scale S and q = round(S·c) the nearest centre is the one with the largest score
//!
//! ```text
//! q·x − b,  b = round(‖q‖²/2S);  ‖x − c‖² ≈ ‖x‖² − 2(q·x − b)/S
//! ```
//!
//! Squared distances are given in the unit of the Gram matrix, (1/m)‖x − c‖².
//!
//! All of it are integers, the same everywhere. With many features S is 127, so that q fits in a byte, which is multiplied
//! fastest: x·c is then right to a few thousandths of √m, where distances are tenths of m. With few it is as large as 16 bits
//! allow.

use super::super::square;
use crate::packed::integer_products::{IntegerMatrix, MAX_SPAN_SUM, MAX_SUM, SPAN};
use crate::{Error, Features, Matrix, memory};

/// Features from which on numbers of a centre are bytes: rounding changes distances by about 2·10⁻⁴ of them.
const BYTE_FEATURES: usize = 1024;

/// Centres, times a scale.
#[derive(Clone, Debug)]
pub(super) struct RoundedCentres {
    /// A row per feature, a column per centre.
    matrix: IntegerMatrix,
    features: usize,
    biases: Vec<i32>,
    scale: f64,
}

impl RoundedCentres {
    /// Rounds centres with numbers from −1 to 1, one centre after another.
    pub(super) fn new(centres: &[f64], clusters: usize) -> Self {
        let features = centres.len() / clusters;
        let sum = |numbers: &[f64]| numbers.iter().map(|c| c.abs()).sum::<f64>();
        let largest = |sums: &mut dyn Iterator<Item = f64>| sums.fold(1.0, f64::max);
        let of_centres = || centres.chunks_exact(features);
        let whole = largest(&mut of_centres().map(sum));
        // Rounding adds at most 1/2 for each feature.
        let by_whole = (MAX_SUM as f64 - 0.5 * features as f64) / whole;
        let by_number = if features >= BYTE_FEATURES {
            f64::from(i8::MAX)
        } else {
            let span = largest(&mut of_centres().flat_map(|centre| centre.chunks(SPAN)).map(sum));
            f64::from(MAX_SPAN_SUM - 32) / span
        };
        let scale = by_number.min(by_whole).floor().max(1.0);
        let length = features.next_multiple_of(SPAN);
        let mut numbers = vec![0; length * clusters];
        let mut biases = Vec::with_capacity(clusters);
        for (to, centre) in numbers.chunks_exact_mut(length).zip(of_centres()) {
            let mut square = 0.0;
            for (to, c) in to.iter_mut().zip(centre) {
                let rounded = (scale * c).round();
                *to = rounded as i16;
                square += rounded * rounded;
            }
            biases.push((square / (2.0 * scale)).round() as i32);
        }
        Self { matrix: IntegerMatrix::new(numbers, clusters), features, biases, scale }
    }

    /// The weights of linear scores, a row per feature, and their constants.
    pub(super) fn weights(&self) -> (Vec<f32>, Vec<f32>) {
        let row = |feature: usize| self.matrix.columns().map(move |column| column[feature].into());
        let weights = (0..self.features).flat_map(row).collect();
        (weights, self.biases.iter().map(|&b| -b as f32).collect())
    }

    /// The nearest centre of each sample, the first of equals, and its squared distance.
    pub(super) fn nearest(&self, features: &Features) -> Vec<(usize, f64)> {
        let mut nearest = vec![(0, 0.0); features.len()];
        self.matrix.for_each_product(features, &mut nearest, |sample, products, nearest| {
            let scores = products.iter().zip(&self.biases).map(|(product, bias)| product - bias);
            let (mut label, mut best) = (0, i32::MIN);
            for (k, score) in scores.enumerate() {
                if score > best {
                    (label, best) = (k, score);
                }
            }
            *nearest = (label, self.distance(square(features, sample), best));
        });
        nearest
    }

    /// The squared distances of each sample to every centre: a row per sample.
    ///
    /// # Errors
    ///
    /// [`SizeOverflow`](ternion_core::Error::SizeOverflow) if there is no memory for them.
    pub(super) fn distances(&self, features: &Features) -> Result<Matrix<f32>, Error> {
        let (samples, clusters) = (features.len(), self.biases.len());
        let mut distances = memory::zeros(samples, clusters)?;
        let mut rows: Vec<&mut [f32]> = distances.chunks_exact_mut(clusters).collect();
        self.matrix.for_each_product(features, &mut rows, |sample, products, row| {
            let square = square(features, sample);
            let scores = products.iter().zip(&self.biases).map(|(product, bias)| product - bias);
            for (to, score) in row.iter_mut().zip(scores) {
                *to = self.distance(square, score) as f32;
            }
        });
        Matrix::from_vec(samples, clusters, distances)
    }

    /// The squared distance of a sample with ‖x‖² and a score.
    fn distance(&self, square: f64, score: i32) -> f64 {
        // A sample at its centre would be below it by what was rounded.
        (square - 2.0 * f64::from(score) / self.scale).max(0.0) / self.features as f64
    }
}
