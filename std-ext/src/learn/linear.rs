//! [`LinearModel`]: outputs that are linear in trits.

use super::score_tables::ScoreTables;
use crate::{Error, Features, Matrix};

/// A model whose outputs are linear in the features.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearModel {
    /// A row per feature, a column per output.
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
    /// [`SizeMismatch`](ternion_core::Error::SizeMismatch) if the number of features differs from the fit's.
    pub fn predict(&self, features: &Features) -> Result<Matrix<f32>, Error> {
        ScoreTables::new(self).predict(features)
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
