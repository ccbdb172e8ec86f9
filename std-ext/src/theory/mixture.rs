//! The kernel that random features converge to on a Gaussian mixture, to compare measurements with.
//!
//! This is Theorem 1 of the paper with its d2 term corrected: the κ₄ term, which depends on the weights' fourth moment, is
//! missing there. [`theory`](crate::theory) states the equation and the correction.

use crate::dense::centre::centre_kernel;
use crate::theory::moments::Moments;
use crate::{Matrix, memory};

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

/// The covariance of a class, p × p.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Covariance {
    /// The p variances of independent inputs.
    Diagonal(Vec<f64>),
    /// All p × p entries, row by row; assumed to be symmetric.
    Full(Vec<f64>),
}

impl Covariance {
    fn entries(&self) -> &[f64] {
        let (Self::Diagonal(entries) | Self::Full(entries)) = self;
        entries
    }

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
///     assert!(row.iter().sum::<f64>().abs() < 1e-15); // the rows of a centred kernel sum to 0
/// }
/// # Ok::<(), ternion::theory::MixtureError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    classes: Vec<Class>,
    inputs: usize,
    tau: f64,
}

/// Why a mixture or its samples were refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MixtureError {
    /// There is no class, no input or no sample.
    #[error("a mixture needs at least one class and one input, and its kernel at least one sample")]
    Empty,
    /// A mean or a covariance does not have the size that the first mean implies.
    #[error(
        "class {class} has a mean or a covariance of {found} numbers where {expected} are needed"
    )]
    WrongSize {
        /// The class.
        class: usize,
        /// Numbers expected.
        expected: usize,
        /// Numbers found.
        found: usize,
    },
    /// A share or a variance is negative, a number of a class is not finite, or the shares sum to 0.
    #[error(
        "class {class} has a share, a mean or a variance of {value}; use finite numbers, and shares and variances that \
         are not negative and not all 0"
    )]
    BadNumber {
        /// The class.
        class: usize,
        /// The number.
        value: f64,
    },
    /// The number of values is not the number of labels times the inputs.
    #[error("found {found} values where the labels and the inputs call for {expected}")]
    WrongSamples {
        /// Labels times inputs.
        expected: usize,
        /// Values found.
        found: usize,
    },
    /// There is no memory for the kernel.
    #[error("the kernel of {samples} samples does not fit in memory")]
    TooManySamples {
        /// Samples.
        samples: usize,
    },
    /// The kernel is not finite.
    #[error(
        "the kernel of samples {row} and {col} is {value}; use finite samples, moments and kurtosis of moderate size"
    )]
    NotFinite {
        /// The first sample.
        row: usize,
        /// The second one.
        col: usize,
        /// Their kernel.
        value: f64,
    },
    /// A label has no class.
    #[error("label {label} is not below {classes}, the number of classes")]
    UnknownLabel {
        /// The label.
        label: usize,
        /// Classes of the mixture.
        classes: usize,
    },
}

impl Mixture {
    /// A mixture of classes that all have the same number of inputs.
    ///
    /// # Errors
    ///
    /// [`MixtureError::Empty`], [`MixtureError::WrongSize`] and [`MixtureError::BadNumber`].
    pub fn new(mut classes: Vec<Class>) -> Result<Self, MixtureError> {
        let inputs = classes.first().map_or(0, |class| class.mean.len());
        if inputs == 0 {
            return Err(MixtureError::Empty);
        }
        let total: f64 = classes.iter().map(|class| class.share).sum();
        for (index, class) in classes.iter().enumerate() {
            let expected = match &class.covariance {
                Covariance::Diagonal(_) => inputs,
                Covariance::Full(_) => inputs.saturating_mul(inputs),
            };
            let entries = class.covariance.entries().len();
            for (found, expected) in [(class.mean.len(), inputs), (entries, expected)] {
                if found != expected {
                    return Err(MixtureError::WrongSize { class: index, expected, found });
                }
            }
            let shares = || [class.share].into_iter().chain(class.covariance.diagonal(inputs));
            let numbers = class.mean.iter().chain(class.covariance.entries()).copied();
            let bad = shares().find(|share| *share < 0.0);
            let bad = bad.or_else(|| shares().chain(numbers).find(|number| !number.is_finite()));
            if let Some(value) = bad {
                return Err(MixtureError::BadNumber { class: index, value });
            }
        }
        if !(total > 0.0 && total.is_finite()) {
            return Err(MixtureError::BadNumber { class: 0, value: classes[0].share });
        }
        classes.iter_mut().for_each(|class| class.share /= total);
        let trace = |class: &Class| class.covariance.diagonal(inputs).sum::<f64>();
        let tau = classes.iter().map(|class| class.share * trace(class)).sum::<f64>();
        if !tau.is_finite() {
            let large = |class: &Class| !(class.share * trace(class)).is_finite();
            let class = classes.iter().position(large).unwrap_or_default();
            return Err(MixtureError::BadNumber { class, value: tau });
        }
        Ok(Self { classes, inputs, tau })
    }

    /// τ = Σ_a share_a·tr C_a.
    #[must_use]
    pub fn tau(&self) -> f64 {
        self.tau
    }

    /// P·K̃·P, n × n, for samples of p values each and their classes; O(n²p).
    ///
    /// `kurtosis` is κ₄ of the weights: 0 for normal weights, [`excess_kurtosis`] for ternary ones.
    ///
    /// # Errors
    ///
    /// [`MixtureError::WrongSamples`], [`MixtureError::Empty`], [`MixtureError::UnknownLabel`],
    /// [`MixtureError::TooManySamples`] and [`MixtureError::NotFinite`].
    pub fn centred_kernel(
        &self,
        samples: &[f64],
        labels: &[usize],
        moments: &Moments,
        kurtosis: f64,
    ) -> Result<Matrix<f64>, MixtureError> {
        let (count, inputs) = (labels.len(), self.inputs);
        let (expected, found) = (count.saturating_mul(inputs), samples.len());
        if found != expected {
            return Err(MixtureError::WrongSamples { expected, found });
        }
        if count == 0 {
            return Err(MixtureError::Empty);
        }
        let classes = self.classes.len();
        if let Some(&label) = labels.iter().find(|&&label| label >= classes) {
            return Err(MixtureError::UnknownLabel { label, classes });
        }
        // Of the classes that there are samples of: no more pairs than the kernel has entries.
        let mut known = labels.to_vec();
        known.sort_unstable();
        known.dedup();
        let place = |label: &usize| known.partition_point(|known| known < label);
        let places: Vec<usize> = labels.iter().map(place).collect();
        let too_many = |_| MixtureError::TooManySamples { samples: count };
        let pairs = known.iter().flat_map(|&a| known.iter().map(move |&b| (a, b)));
        let covariances = pairs.map(|(a, b)| self.between(a, b, kurtosis));
        let covariances =
            memory::collect(covariances, known.len(), known.len()).map_err(too_many)?;
        let samples: Vec<&[f64]> = samples.chunks_exact(inputs).collect();
        let deviations: Vec<f64> =
            samples.iter().zip(labels).map(|(x, &label)| self.deviation(x, label)).collect();
        let mut kernel = memory::zeros(count, count).map_err(too_many)?;
        for i in 0..count {
            for j in 0..=i {
                let linear: f64 = samples[i].iter().zip(samples[j]).map(|(a, b)| a * b).sum();
                let quadratic = deviations[i] * deviations[j]
                    + covariances[places[i] * known.len() + places[j]];
                let diagonal = if i == j { moments.d0 } else { 0.0 };
                let value = moments.d1 * linear + moments.d2 * quadratic + diagonal;
                if !value.is_finite() {
                    return Err(MixtureError::NotFinite { row: i, col: j, value });
                }
                kernel[i * count + j] = value;
                kernel[j * count + i] = value;
            }
        }
        centre_kernel(&mut kernel, count);
        // Sums of finite numbers may not be.
        if let Some(at) = kernel.iter().position(|value| !value.is_finite()) {
            let (row, col, value) = (at / count, at % count, kernel[at]);
            return Err(MixtureError::NotFinite { row, col, value });
        }
        Matrix::from_vec(count, count, kernel).map_err(|_| MixtureError::Empty)
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
