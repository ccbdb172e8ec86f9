//! [`LeaveOneOut`]: what ridge predicts for each sample from all others, without fitting n times.
//!
//! With D = (PKP + γI)⁻¹ and a = D·P y the residuals of a fit are γa, and ridge is linear in its targets: a change of yᵢ
//! moves its own prediction by 1 − (γDᵢᵢ − 1/n) of it. So without sample i its residual is
//!
//! ```text
//! yᵢ − f₋ᵢ(xᵢ) = γaᵢ / (γDᵢᵢ − 1/n)
//! ```
//!
//! exactly, the intercept included. γ is the same number in all n fits.

use super::Ridge;
use super::kernel_equations::KernelEquations;
use crate::error::check_finite;
use crate::{Error, Features, Matrix, memory};

/// Samples and targets, for any ridge parameter.
pub(crate) struct LeaveOneOut<'a> {
    equations: KernelEquations,
    targets: &'a Matrix<f32>,
}

impl<'a> LeaveOneOut<'a> {
    /// Of at least two samples.
    pub(crate) fn new(features: &Features, targets: &'a Matrix<f32>) -> Result<Self, Error> {
        let (least, found) = (2, features.len());
        if found < least {
            return Err(Error::TooFewSamples { least, found });
        }
        Ok(Self { equations: KernelEquations::of_features(features, targets)?, targets })
    }

    /// The predictions: a row per sample, a column per output. Takes n³/3 multiply-adds.
    pub(crate) fn predict(&self, ridge: &Ridge) -> Result<Matrix<f32>, Error> {
        let (n, outputs) = (self.targets.rows(), self.targets.cols());
        let gamma = ridge.penalty.gamma(|| self.equations.mean_eigenvalue());
        let factor = self.equations.factor(gamma)?;
        let mut coefficients = self.equations.right().to_vec();
        factor.solve(&mut coefficients);
        let inverse = factor.inverse_diagonal();
        let mut out = memory::zeros(n, outputs)?;
        let rows = out.chunks_exact_mut(outputs).zip(self.targets.iter_rows()).enumerate();
        for (sample, (out, targets)) in rows {
            let share = gamma / (gamma * inverse[sample] - 1.0 / n as f64);
            for ((out, &y), a) in out.iter_mut().zip(targets).zip(&coefficients) {
                *out = (f64::from(y) - share * a[sample]) as f32;
            }
        }
        check_finite(&out).map_err(|_| Error::TargetsTooLarge)?;
        Matrix::from_vec(n, outputs, out)
    }
}
