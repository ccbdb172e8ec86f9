//! [`LinearModel`]: outputs that are linear in trits, predicted by adding and subtracting.

use crate::{Error, Features, Matrix};
use ternion_core::{Error as CoreError, Size};

/// A model whose outputs are linear in the features.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearModel {
    /// A row per feature and a column per output, so that a trit adds or subtracts a whole row.
    weights: Matrix<f32>,
    bias: Vec<f32>,
}

impl LinearModel {
    pub(super) fn new(weights: Matrix<f32>, bias: Vec<f32>) -> Self {
        Self { weights, bias }
    }

    /// The outputs of each sample: a row per sample, a column per output.
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeMismatch`] if the number of features differs from the fit's.
    pub fn predict(&self, features: &Features) -> Result<Matrix<f32>, Error> {
        let (expected, found) = (self.weights.rows(), features.features());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Features, expected, found }.into());
        }
        let mut out = Vec::with_capacity(features.len() * self.bias.len());
        for row in features.trits().iter_rows() {
            let start = out.len();
            out.extend_from_slice(&self.bias);
            let scores = &mut out[start..];
            for (weights, trit) in self.weights.iter_rows().zip(row) {
                match trit {
                    1 => scores.iter_mut().zip(weights).for_each(|(score, w)| *score += w),
                    -1 => scores.iter_mut().zip(weights).for_each(|(score, w)| *score -= w),
                    _ => {}
                }
            }
        }
        Matrix::from_vec(features.len(), self.bias.len(), out)
    }

    /// The weights: a row per feature, a column per output.
    pub fn weights(&self) -> &Matrix<f32> {
        &self.weights
    }

    /// The constant of each output.
    pub fn bias(&self) -> &[f32] {
        &self.bias
    }
}
