//! The kernel that random features converge to on a Gaussian mixture, to compare with.
//!
//! For samples x of p numbers from a mixture of classes a with means μ_a and covariances C_a (so
//! that ‖x‖² is near τ = Σ_a share_a·tr C_a), the centred kernel PKP, K_ij = E_w σ(wᵀx_i)σ(wᵀx_j),
//! P = I − 11ᵀ/n, of features with moments d0, d1, d2 approaches PK̃P in spectral norm as p and n
//! grow together, where
//!
//! K̃_ij = d1·x_iᵀx_j + d2·(δ_i·δ_j + 2·tr(C_a·C_b) + κ₄·tr(diag C_a·diag C_b)) + d0·1{i=j}
//!
//! for sample i of class a and j of class b, with δ_i = ‖x_i−μ_a‖² − τ.
//!
//! The κ₄ term is the weights' own: E(wᵀx)²(wᵀy)² = ‖x‖²‖y‖² + 2(xᵀy)² + κ₄·Σx_k²y_k². Weights with
//! a share ε of zeros have κ₄ = 1/(1−ε) − 3, which vanishes at ε = 2/3 as for normal weights; at ε
//! = 0 it is −2 and on diagonal covariances takes away all that the quadratic part knows of them.

use crate::Matrix;
use crate::theory::moments::Moments;
use core::fmt;

/// κ₄ = 1/(1−ε) − 3, the excess kurtosis of weights that are 0 with probability `sparsity` = ε.
///
/// ```
/// use ternion::theory::excess_kurtosis;
///
/// assert_eq!(excess_kurtosis(0.0), -2.0);
/// assert!(excess_kurtosis(2.0 / 3.0).abs() < 1e-15);
/// ```
#[must_use]
pub fn excess_kurtosis(sparsity: f64) -> f64 {
    1.0 / (1.0 - sparsity) - 3.0
}

/// The covariance of a class, p×p.
#[derive(Clone, Debug, PartialEq)]
pub enum Covariance {
    /// The p variances of independent inputs.
    Diagonal(Vec<f64>),
    /// All p×p entries, row by row; assumed symmetric.
    Full(Vec<f64>),
}

impl Covariance {
    fn diagonal(&self, inputs: usize) -> impl Iterator<Item = f64> + '_ {
        let (entries, stride) = match self {
            Self::Diagonal(entries) => (entries, 1),
            Self::Full(entries) => (entries, inputs + 1),
        };
        entries.iter().step_by(stride).copied()
    }

    /// tr(A·B).
    fn trace_of_product(&self, other: &Self, inputs: usize) -> f64 {
        match (self, other) {
            (Self::Full(a), Self::Full(b)) => a.iter().zip(b).map(|(a, b)| a * b).sum(),
            _ => self.diagonal(inputs).zip(other.diagonal(inputs)).map(|(a, b)| a * b).sum(),
        }
    }
}

/// One class of a mixture.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// The share of samples in this class; shares are normalised to sum to 1.
    pub share: f64,
    /// μ_a.
    pub mean: Vec<f64>,
    /// C_a.
    pub covariance: Covariance,
}

/// A Gaussian mixture, checked.
///
/// ```
/// use ternion::theory::{Class, Covariance, Mixture, excess_kurtosis};
/// use ternion::Target;
///
/// let class = |mean: f64, spread: [f64; 2]| Class {
///     share: 0.5,
///     mean: vec![mean, 0.0],
///     covariance: Covariance::Diagonal(spread.to_vec()),
/// };
/// let mixture = Mixture::new(vec![class(-0.1, [0.3, 0.2]), class(0.1, [0.2, 0.3])])?;
/// let moments = Target::relu().moments(mixture.tau()).expect("positive tau");
/// let samples = [-0.5, 0.1, 0.3, -0.4, 0.2, 0.6];
/// let kernel = mixture.centred_kernel(&samples, &[0, 1, 1], &moments, excess_kurtosis(0.5))?;
/// for row in kernel.iter_rows() {
///     assert!(row.iter().sum::<f64>().abs() < 1e-15); // as in every centred kernel
/// }
/// # Ok::<(), ternion::theory::TheoryError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    classes: Vec<Class>,
    inputs: usize,
    tau: f64,
}

/// What is wrong with a mixture or the samples of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TheoryError {
    /// There is no class, no input or no sample.
    Empty,
    /// A mean or covariance of another size than the first mean asks for.
    WrongSize {
        /// The class that differs.
        class: usize,
        /// How many numbers were expected.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A share or variance that is negative or not finite, or shares that sum to 0.
    BadNumber {
        /// The class it belongs to.
        class: usize,
        /// The number.
        value: f64,
    },
    /// The number of values is not the number of labels times the inputs.
    WrongSamples {
        /// Labels times inputs.
        expected: usize,
        /// Values.
        found: usize,
    },
    /// A label without a class.
    UnknownLabel {
        /// The label.
        label: usize,
        /// How many classes there are.
        classes: usize,
    },
}

impl fmt::Display for TheoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                f.write_str("a mixture needs a class and an input, and its kernel a sample")
            }
            Self::WrongSize { class, expected, found } => {
                write!(
                    f,
                    "class {class} has a mean or covariance of {found} numbers where {expected} belong"
                )
            }
            Self::BadNumber { class, value } => {
                write!(
                    f,
                    "class {class} has a share or variance of {value}; use finite numbers, not negative or all 0"
                )
            }
            Self::WrongSamples { expected, found } => {
                write!(f, "{found} values were given for samples and labels that make {expected}")
            }
            Self::UnknownLabel { label, classes } => {
                write!(f, "label {label} is not below {classes}, the number of classes")
            }
        }
    }
}

impl core::error::Error for TheoryError {}

impl Mixture {
    /// A mixture of classes with as many inputs each.
    ///
    /// # Errors
    ///
    /// [`TheoryError::Empty`], [`TheoryError::WrongSize`] and [`TheoryError::BadNumber`].
    pub fn new(mut classes: Vec<Class>) -> Result<Self, TheoryError> {
        let inputs = classes.first().map_or(0, |class| class.mean.len());
        if inputs == 0 {
            return Err(TheoryError::Empty);
        }
        let total: f64 = classes.iter().map(|class| class.share).sum();
        for (index, class) in classes.iter().enumerate() {
            let (entries, expected) = match &class.covariance {
                Covariance::Diagonal(entries) => (entries.len(), inputs),
                Covariance::Full(entries) => (entries.len(), inputs * inputs),
            };
            for (found, expected) in [(class.mean.len(), inputs), (entries, expected)] {
                if found != expected {
                    return Err(TheoryError::WrongSize { class: index, expected, found });
                }
            }
            let bad = |value: &f64| !value.is_finite() || *value < 0.0;
            if let Some(value) =
                [class.share].into_iter().chain(class.covariance.diagonal(inputs)).find(bad)
            {
                return Err(TheoryError::BadNumber { class: index, value });
            }
        }
        if total <= 0.0 {
            return Err(TheoryError::BadNumber { class: 0, value: classes[0].share });
        }
        classes.iter_mut().for_each(|class| class.share /= total);
        let trace = |class: &Class| class.covariance.diagonal(inputs).sum::<f64>();
        let tau = classes.iter().map(|class| class.share * trace(class)).sum();
        Ok(Self { classes, inputs, tau })
    }

    /// τ = Σ_a share_a·tr C_a.
    #[must_use]
    pub fn tau(&self) -> f64 {
        self.tau
    }

    /// PK̃P, n×n, for samples of p values each and their classes; O(n²p).
    ///
    /// `kurtosis` is κ₄ of the weights: 0 for normal ones, else by [`excess_kurtosis`].
    ///
    /// # Errors
    ///
    /// [`TheoryError::WrongSamples`], [`TheoryError::Empty`] and [`TheoryError::UnknownLabel`].
    pub fn centred_kernel(
        &self,
        samples: &[f64],
        labels: &[usize],
        moments: &Moments,
        kurtosis: f64,
    ) -> Result<Matrix<f64>, TheoryError> {
        let (count, inputs) = (labels.len(), self.inputs);
        if samples.len() != count * inputs {
            return Err(TheoryError::WrongSamples {
                expected: count * inputs,
                found: samples.len(),
            });
        }
        if count == 0 {
            return Err(TheoryError::Empty);
        }
        let classes = self.classes.len();
        if let Some(&label) = labels.iter().find(|&&label| label >= classes) {
            return Err(TheoryError::UnknownLabel { label, classes });
        }
        let covariances: Vec<f64> = (0..classes * classes)
            .map(|k| self.between(k / classes, k % classes, kurtosis))
            .collect();
        let samples: Vec<&[f64]> = samples.chunks_exact(inputs).collect();
        let deviations: Vec<f64> =
            samples.iter().zip(labels).map(|(x, &label)| self.deviation(x, label)).collect();
        let mut kernel = vec![0.0; count * count];
        for i in 0..count {
            for j in 0..=i {
                let linear: f64 = samples[i].iter().zip(samples[j]).map(|(a, b)| a * b).sum();
                let quadratic =
                    deviations[i] * deviations[j] + covariances[labels[i] * classes + labels[j]];
                let value = moments.d1 * linear + moments.d2 * quadratic;
                kernel[i * count + j] = value;
                kernel[j * count + i] = value;
            }
            kernel[i * count + i] += moments.d0;
        }
        centre(&mut kernel, count);
        Matrix::from_vec(count, count, kernel).map_err(|_| TheoryError::Empty)
    }

    /// 2·tr(C_a·C_b) + κ₄·tr(diag C_a·diag C_b).
    fn between(&self, a: usize, b: usize, kurtosis: f64) -> f64 {
        let (a, b) = (&self.classes[a].covariance, &self.classes[b].covariance);
        let diagonals: f64 =
            a.diagonal(self.inputs).zip(b.diagonal(self.inputs)).map(|(a, b)| a * b).sum();
        2.0 * a.trace_of_product(b, self.inputs) + kurtosis * diagonals
    }

    /// δ = ‖x−μ_a‖² − τ.
    fn deviation(&self, x: &[f64], label: usize) -> f64 {
        let mean = &self.classes[label].mean;
        x.iter().zip(mean).map(|(x, mean)| (x - mean).powi(2)).sum::<f64>() - self.tau
    }
}

/// Replaces a symmetric n×n matrix K by PKP, P = I − 11ᵀ/n.
fn centre(kernel: &mut [f64], count: usize) {
    let means: Vec<f64> =
        kernel.chunks_exact(count).map(|row| row.iter().sum::<f64>() / count as f64).collect();
    let mean = means.iter().sum::<f64>() / count as f64;
    for (row, row_mean) in kernel.chunks_exact_mut(count).zip(&means) {
        for (value, column_mean) in row.iter_mut().zip(&means) {
            *value += mean - row_mean - column_mean;
        }
    }
}
