//! Dense matrices: eigenvalues of symmetric ones here, [`Matrix`] at the root of the crate.
//!
//! The solvers are written out rather than taken from a linear-algebra library: they are short, they give the same bits
//! on every instruction set and number of threads, and the crate's dependencies stay few. The Cholesky factorisation is
//! about as fast as that of the crate faer in `f64`, which would take the build of this crate from 36 to 95 seconds: a
//! whole ridge with 4,096 features takes 0.69 s where faer only factors in 0.65 s, with 8,192 features 5.8 s and 5.3 s
//! (one thread of an AMD EPYC, Zen 4).

pub(crate) mod centre;
pub(crate) mod cholesky;
pub(crate) mod exponential;
pub(crate) mod matrix;
mod substitution;
mod symmetric_eigen;
pub(crate) mod vector;

pub use symmetric_eigen::{symmetric_eigenpairs, symmetric_eigenvalues};

use crate::Matrix;

/// Eigenvalues in descending order, and their eigenvectors.
///
/// ```
/// use ternion::Matrix;
/// use ternion::dense::symmetric_eigenpairs;
///
/// let pairs = symmetric_eigenpairs(&Matrix::from_vec(2, 2, vec![2.0, 0.0, 0.0, 3.0])?)?;
/// assert_eq!(pairs.values, [3.0, 2.0]);
/// assert_eq!(pairs.vectors.row(0).unwrap(), [0.0, 1.0]);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Eigenpairs {
    /// The eigenvalues, largest first.
    pub values: Vec<f64>,
    /// A row of unit length for each eigenvalue. Its entry of largest absolute value is positive.
    pub vectors: Matrix<f64>,
}

/// The vector or its negative: whichever makes the entry of largest absolute value, the first of equals, positive.
pub(crate) fn with_sign(vector: &[f64]) -> impl Iterator<Item = f64> + '_ {
    let largest =
        vector.iter().fold(0.0_f64, |most, x| if x.abs() > most.abs() { *x } else { most });
    let sign = if largest < 0.0 { -1.0 } else { 1.0 };
    vector.iter().map(move |x| sign * x)
}
