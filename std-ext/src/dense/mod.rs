//! Eigenvalues and eigenvectors: all of a symmetric matrix, or the leading ones of a Gram matrix that is
//! never written out.

pub(crate) mod cholesky;
pub(crate) mod matrix;
mod symmetric_eigen;
pub(crate) mod vector;

pub use symmetric_eigen::{symmetric, symmetric_values};

use crate::Matrix;

/// Eigenvalues in descending order and their eigenvectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigen {
    /// The eigenvalues, largest first.
    pub values: Vec<f64>,
    /// A row of unit length for each eigenvalue; its number of largest size is positive.
    pub vectors: Matrix<f64>,
}

/// The vector or its negative: the one whose number of largest size, the first of equals, is positive.
pub(crate) fn with_sign(vector: &[f64]) -> impl Iterator<Item = f64> + '_ {
    let largest =
        vector.iter().fold(0.0_f64, |most, x| if x.abs() > most.abs() { *x } else { most });
    let sign = if largest < 0.0 { -1.0 } else { 1.0 };
    vector.iter().map(move |x| sign * x)
}
