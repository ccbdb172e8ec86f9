//! What can go wrong between data and features.

use crate::export::ExportError;
use crate::theory::SolveError;
use std::fmt;
use ternion_core::model::ModelError;

/// Why a fit, a transform or a learner refused its arguments.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The kernels refused: sizes, lengths, values.
    Core(ternion_core::Error),
    /// No thresholds match the target.
    Solve(SolveError),
    /// A fit cannot become a model for a microcontroller.
    Export(ExportError),
    /// Bytes are not a model.
    Model(ModelError),
    /// All samples are equal: there is nothing to scale.
    NoVariance,
    /// The samples come with a mean or a scale attached, which a fit would have to ignore.
    AlreadyPrepared,
    /// The data is so large or small that thresholds for it are no `f32`.
    ThresholdOutOfRange {
        /// The threshold that was solved, in the unit of the data.
        threshold: f64,
    },
    /// Labels and samples differ in number.
    LabelCount {
        /// Samples given.
        samples: usize,
        /// Labels, or targets, given.
        labels: usize,
    },
    /// A target value is NaN or infinite.
    TargetNotFinite {
        /// Of which sample.
        sample: usize,
    },
    /// Fewer than two classes.
    TooFewClasses {
        /// Classes found.
        found: usize,
    },
    /// A class number is so large that it can hardly be one.
    TooManyClasses {
        /// The first sample with such a label.
        sample: usize,
        /// Its label.
        label: usize,
        /// The most classes there may be, so that labels are below it.
        max: usize,
    },
    /// A regularisation is not positive and finite.
    Regularisation {
        /// The value found.
        found: f64,
    },
    /// The square of an output scale α is zero, infinite or NaN as an `f32`.
    Alpha {
        /// The α found.
        found: f64,
    },
    /// A number of a vector or matrix is NaN or infinite.
    NotFinite {
        /// Which number.
        index: usize,
    },
    /// An eigenvalue of a matrix is larger than an `f64` can be.
    EigenvalueOverflow {
        /// The largest size of an entry.
        largest: f64,
    },
    /// An eigenvalue of a matrix was not found.
    NotConverged {
        /// Rounds done for it.
        rounds: usize,
    },
    /// A kernel matrix is not symmetric.
    NotSymmetric {
        /// The row of the first number that differs from its mirror image.
        row: usize,
        /// Its column.
        col: usize,
    },
    /// A matrix to be inverted is not positive definite, even with its regularisation.
    NotPositiveDefinite {
        /// The first pivot that is not positive.
        pivot: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Core(error) => error.fmt(f),
            Self::Solve(error) => error.fmt(f),
            Self::Export(error) => error.fmt(f),
            Self::Model(error) => error.fmt(f),
            Self::NoVariance => {
                f.write_str("all samples are equal: give samples that differ, or do not centre")
            }
            Self::AlreadyPrepared => f.write_str(
                "the samples have a mean or a scale attached: give them plain, the fit finds its own",
            ),
            Self::ThresholdOutOfRange { threshold } => write!(
                f,
                "the threshold {threshold:e} is out of the range of f32: scale the data"
            ),
            Self::LabelCount { samples, labels } => {
                write!(f, "one label per sample is needed: {samples} samples, {labels} labels")
            }
            Self::TargetNotFinite { sample } => {
                write!(f, "the target of sample {sample} is NaN or infinite")
            }
            Self::TooFewClasses { found } => {
                write!(f, "a classifier needs at least 2 classes, found {found}")
            }
            Self::TooManyClasses { sample, label, max } => write!(
                f,
                "sample {sample} has label {label}, but labels count from 0 and stay below {max}: \
                 number the classes anew"
            ),
            Self::Regularisation { found } => {
                write!(f, "the regularisation must be positive and finite, found {found}")
            }
            Self::Alpha { found } => {
                write!(f, "α² must be positive and finite as an f32, found α = {found:e}")
            }
            Self::NotFinite { index } => write!(f, "number {index} is NaN or infinite"),
            Self::EigenvalueOverflow { largest } => write!(
                f,
                "an eigenvalue of a matrix with entries up to {largest:e} overflows: scale it down"
            ),
            Self::NotConverged { rounds } => {
                write!(f, "an eigenvalue was not found in {rounds} rounds: please report the matrix")
            }
            Self::NotSymmetric { row, col } => write!(
                f,
                "the numbers at ({row}, {col}) and ({col}, {row}) differ: a kernel matrix is symmetric"
            ),
            Self::NotPositiveDefinite { pivot } => write!(
                f,
                "the matrix is not positive definite (pivot {pivot}): raise the regularisation"
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Core(error) => Some(error),
            Self::Solve(error) => Some(error),
            Self::Export(error) => Some(error),
            Self::Model(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ternion_core::Error> for Error {
    fn from(error: ternion_core::Error) -> Self {
        Self::Core(error)
    }
}

impl From<SolveError> for Error {
    fn from(error: SolveError) -> Self {
        Self::Solve(error)
    }
}

impl From<ExportError> for Error {
    fn from(error: ExportError) -> Self {
        Self::Export(error)
    }
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

/// Refuses NaN and infinity.
pub(crate) fn check_finite<T: Copy + Into<f64>>(numbers: &[T]) -> Result<(), Error> {
    match numbers.iter().position(|&number| !number.into().is_finite()) {
        Some(index) => Err(Error::NotFinite { index }),
        None => Ok(()),
    }
}
