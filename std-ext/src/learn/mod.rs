//! Learners on packed features, and on any kernel matrix for comparison.

mod classes;
mod kernel_ridge;
mod linear;
mod ridge;

pub use classes::{Classifier, MAX_CLASSES, accuracy};
pub use kernel_ridge::{KernelModel, KernelRidge};
pub use linear::LinearModel;
pub use ridge::Ridge;

use crate::{Error, Matrix};

/// A regularisation that is positive and finite.
pub(crate) fn check_gamma(gamma: f64) -> Result<f64, Error> {
    if gamma > 0.0 && gamma.is_finite() {
        Ok(gamma)
    } else {
        Err(Error::Regularisation { found: gamma })
    }
}

/// The targets, one vector per output, each less its mean; and the means.
fn centred_targets(
    samples: usize,
    targets: &Matrix<f32>,
) -> Result<(Vec<Vec<f64>>, Vec<f64>), Error> {
    if targets.rows() != samples {
        return Err(Error::LabelCount { samples, labels: targets.rows() });
    }
    if let Some(sample) = targets.iter_rows().position(|row| row.iter().any(|y| !y.is_finite())) {
        return Err(Error::TargetNotFinite { sample });
    }
    let output = |k: usize| {
        let mut values: Vec<f64> = targets.iter_rows().map(|row| row[k] as f64).collect();
        let mean = values.iter().sum::<f64>() / samples as f64;
        values.iter_mut().for_each(|y| *y -= mean);
        (values, mean)
    };
    Ok((0..targets.cols()).map(output).unzip())
}
