//! [`KernelEquations`]: ridge as a linear system of the samples, (PKP + γI)·a = P y with P = I − 11ᵀ/n.

use super::penalty::Penalty;
use super::{KernelModel, centred_targets};
use crate::dense::centre::centre_kernel;
use crate::dense::cholesky::Cholesky;
use crate::dense::vector::dot;
use crate::{Error, Features, Gram, Matrix, memory};

/// The system of some kernel matrix and targets.
pub(super) struct KernelEquations {
    n: usize,
    /// P·K·P, row by row.
    centred: Vec<f64>,
    /// The means of the rows of K.
    row_means: Vec<f64>,
    /// For each output the centred targets.
    right: Vec<Vec<f64>>,
    /// The mean of each output.
    means: Vec<f64>,
}

impl KernelEquations {
    /// Of a kernel matrix that is known to be square and symmetric.
    pub(super) fn of_kernel(kernel: &Matrix<f32>, targets: &Matrix<f32>) -> Result<Self, Error> {
        let n = kernel.rows();
        let (right, means) = centred_targets(n, targets)?;
        let numbers = kernel.as_slice().iter().map(|&k| k.into());
        let mut centred = memory::collect(numbers, n, n)?;
        let row_means = centre_kernel(&mut centred, n);
        Ok(Self { n, centred, row_means, right, means })
    }

    /// Of the Gram matrix (1/m) ΣᵀΣ of features. Counts are centred before they are divided by m: features that never
    /// vary leave zeros, not rounding errors that would be the unit of a [`Penalty`].
    pub(super) fn of_features(features: &Features, targets: &Matrix<f32>) -> Result<Self, Error> {
        let n = features.len();
        let (right, means) = centred_targets(n, targets)?;
        let counts = Gram::new(features).counts()?.into_vec();
        let mut centred = memory::collect(counts.into_iter().map(f64::from), n, n)?;
        let mut row_means = centre_kernel(&mut centred, n);
        let share = 1.0 / features.features() as f64;
        centred.iter_mut().chain(&mut row_means).for_each(|entry| *entry *= share);
        Ok(Self { n, centred, row_means, right, means })
    }

    /// The model for one penalty, without a copy of the matrix.
    pub(super) fn into_model(mut self, penalty: Penalty) -> Result<KernelModel, Error> {
        let gamma = penalty.gamma(|| self.mean_eigenvalue());
        let factor = factor(self.n, std::mem::take(&mut self.centred), gamma)?;
        let mut coefficients = self.right;
        factor.solve(&mut coefficients);
        // Σ aᵢ = 0, so of the centring only this constant remains.
        let bias = |(a, mean): (&Vec<f64>, &f64)| mean - dot(a, &self.row_means);
        let bias = coefficients.iter().zip(&self.means).map(bias).collect();
        KernelModel::fitted(coefficients, bias)
    }

    /// The mean eigenvalue of P·K·P: the unit of a [`Penalty`].
    pub(super) fn mean_eigenvalue(&self) -> f64 {
        self.centred.iter().step_by(self.n + 1).sum::<f64>() / self.n as f64
    }

    /// For each output the right side.
    pub(super) fn right(&self) -> &[Vec<f64>] {
        &self.right
    }

    /// The factor of P·K·P + γI.
    pub(super) fn factor(&self, gamma: f64) -> Result<Cholesky, Error> {
        let copy = memory::collect(self.centred.iter().copied(), self.n, self.n)?;
        factor(self.n, copy, gamma)
    }
}

/// The factor of a matrix with γ added to its diagonal.
fn factor(n: usize, mut matrix: Vec<f64>, gamma: f64) -> Result<Cholesky, Error> {
    matrix.iter_mut().step_by(n + 1).for_each(|diagonal| *diagonal += gamma);
    Cholesky::new(n, matrix)
}
