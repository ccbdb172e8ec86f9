//! [`Error`]: everything that the crate refuses, with the numbers that say why and what to do about it.

use crate::export::ExportError;
use crate::saved::SavedError;
use crate::theory::SolveError;
use ternion_core::model::ModelError;
use thiserror::Error as ThisError;

/// Why a fit, a transform or a learner refused its arguments. Messages name the numbers that are wrong, and what to do.
///
/// ```
/// use ternion::learn::Ridge;
/// use ternion::{Error, Features, TritMatrix};
///
/// let features = Features::new(TritMatrix::new(2, 3, vec![0b010, 0b110], vec![0b011, 0b111])?);
/// let refused = Ridge::default().fit_classes(&features, &[1, 1]).unwrap_err();
/// assert_eq!(refused, Error::TooFewClasses { found: 1 });
/// assert_eq!(refused.to_string(), "a classifier needs at least 2 classes, found 1");
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, ThisError)]
#[non_exhaustive]
pub enum Error {
    /// The kernels refused sizes, lengths or values.
    #[error("{0}")]
    Core(#[from] ternion_core::Error),
    /// No thresholds match the target.
    #[error("{0}")]
    Solve(#[from] SolveError),
    /// A fit cannot become a model for a microcontroller.
    #[error("{0}")]
    Export(#[from] ExportError),
    /// Bytes are not a model.
    #[error("{0}")]
    Model(#[from] ModelError),
    /// Bytes are not what was saved.
    #[error("{0}")]
    Saved(#[from] SavedError),
    /// No form of W has this name.
    #[error(
        "no form is called {name:?}; use stored, seeded, structured, boxes:WIDTHxHEIGHT, boxes:WIDTHxHEIGHTxCHANNELS, \
         subsets or subsets:LEAST-MOST"
    )]
    UnknownForm {
        /// The name.
        name: String,
    },
    /// No scaling has this name.
    #[error("no scaling is called {name:?}; use unit, row or keep")]
    UnknownScaling {
        /// The name.
        name: String,
    },
    /// All samples are equal, so there is no scale.
    #[error("all samples are equal: give samples that differ, or do not centre them")]
    NoVariance,
    /// The samples have a mean or a scale attached, which a fit would have to ignore.
    #[error(
        "the samples have a mean or a scale attached: give them without, the fit finds its own"
    )]
    AlreadyPrepared,
    /// The data is so large or so small that its thresholds are not representable as `f32`.
    #[error("the threshold {threshold:e} is not representable as f32: scale the data")]
    ThresholdOutOfRange {
        /// The solved threshold, in the unit of the data.
        threshold: f64,
    },
    /// The numbers of labels and samples differ.
    #[error(
        "each sample needs a label or a row of targets: found {samples} samples and {labels} labels"
    )]
    LabelCount {
        /// Samples given.
        samples: usize,
        /// Labels, or rows of targets, given.
        labels: usize,
    },
    /// A target value is NaN or infinite.
    #[error("the target of sample {sample} is NaN or infinite: leave the sample out")]
    TargetNotFinite {
        /// The sample.
        sample: usize,
    },
    /// Fewer than two classes.
    #[error("a classifier needs at least 2 classes, found {found}")]
    TooFewClasses {
        /// Classes found.
        found: usize,
    },
    /// A number of classes that no learner takes.
    #[error("the number of classes must be from 2 to {max}, found {found}")]
    ClassCount {
        /// The number found.
        found: usize,
        /// The largest number of classes.
        max: usize,
    },
    /// Fewer samples than a search or a learner needs.
    #[error("at least {least} samples are needed, found {found}")]
    TooFewSamples {
        /// The fewest samples.
        least: usize,
        /// Samples given.
        found: usize,
    },
    /// A search with nothing to try.
    #[error("there are no {what} to try: give at least one, or leave the default")]
    NothingToTry {
        /// What there is none of.
        what: &'static str,
    },
    /// More samples than integers that are exact as `f64`.
    #[error("at most {max} samples can be counted, found {found}")]
    TooManySamples {
        /// The samples there would be.
        found: u64,
        /// The most samples.
        max: u64,
    },
    /// Moments with another number of classes.
    #[error("moments of {expected} classes cannot take those of {found}: declare the same classes")]
    OtherClasses {
        /// Classes of the moments that others were merged into.
        expected: usize,
        /// Classes of the others.
        found: usize,
    },
    /// Features of another fit, or moments of them.
    #[error(
        "moments of the fit {expected:016x} cannot take features of the fit {found:016x}: \
         transform all samples with the same fit"
    )]
    OtherMap {
        /// The fingerprint of the fit that the moments belong to.
        expected: u64,
        /// The fingerprint of the other fit.
        found: u64,
    },
    /// A label is so large that it can hardly be a class number.
    #[error(
        "sample {sample} has label {label}, but labels count from 0 and stay below {max}: \
         renumber the classes, or declare more where their number is declared"
    )]
    TooManyClasses {
        /// The first sample with such a label.
        sample: usize,
        /// Its label.
        label: usize,
        /// The largest number of classes; labels must be below it.
        max: usize,
    },
    /// A regularisation is not positive and finite.
    #[error("the regularisation must be positive and finite, found {found}")]
    Regularisation {
        /// The value found.
        found: f64,
    },
    /// A parameter of a learner is out of range.
    #[error("the {name} must be {expected}, found {found}")]
    Parameter {
        /// What it is.
        name: &'static str,
        /// The value found.
        found: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// Targets so large that the weights fitted to them are not finite as `f32`.
    #[error("the targets are too large for weights of f32: divide them by a common factor")]
    TargetsTooLarge,
    /// Weights of another number than there are samples or classes.
    #[error("expected a weight for each of {expected} samples or classes, found {found}")]
    WeightCount {
        /// Samples or classes.
        expected: usize,
        /// Weights given.
        found: usize,
    },
    /// A weight that is negative, NaN or infinite, or one that makes the sum of all infinite.
    #[error("weight {index} is {found}, alone or summed: weights must be finite and not negative")]
    Weight {
        /// The sample or the class.
        index: usize,
        /// Its weight, or the sum.
        found: f64,
    },
    /// No sample that is trained on has a weight.
    #[error("all samples to be trained on have weight 0: give some of them a weight")]
    NoWeight,
    /// Weights of classes for targets that are numbers.
    #[error("targets that are numbers have no classes to weigh: weigh samples instead")]
    ClassWeights,
    /// An iteration led to numbers that are not finite.
    #[error(
        "the weights were no longer finite after {iterations} iterations: lower the rate or raise the penalty"
    )]
    Diverged {
        /// Iterations done.
        iterations: usize,
    },
    /// The square of an output scale α is zero, infinite or NaN as an `f32`.
    #[error("α² must be positive and finite as an f32, found α = {found:e}")]
    Alpha {
        /// The α found.
        found: f64,
    },
    /// A number of a vector or matrix is NaN or infinite.
    #[error("number {index} is NaN or infinite")]
    NotFinite {
        /// Its index, in row-major order for a matrix.
        index: usize,
    },
    /// A mean square is negative.
    #[error("number {index} is negative: a mean of squares is not")]
    Negative {
        /// Its index.
        index: usize,
    },
    /// A classifier with another number of labels than classes.
    #[error("a classifier of {classes} classes needs a label for each, found {labels}")]
    ClassLabels {
        /// Classes of the classifier.
        classes: usize,
        /// Labels given.
        labels: usize,
    },
    /// A label is not above the one before.
    #[error("label {class} is not above the one before: give different labels in ascending order")]
    LabelOrder {
        /// Its class.
        class: usize,
    },
    /// A sample whose affinities to all others sum to nothing.
    #[error(
        "the affinities of sample {sample} sum to {found}: use a wider kernel, more features, or leave it out"
    )]
    Affinity {
        /// The first such sample.
        sample: usize,
        /// The sum.
        found: f64,
    },
    /// A graph without as many directions as clusters are wanted.
    #[error(
        "affinities with {found} positive eigenvalues cannot have {clusters} clusters: ask for fewer"
    )]
    Connected {
        /// Clusters wanted.
        clusters: usize,
        /// Positive eigenvalues among as many leading ones.
        found: usize,
    },
    /// An eigenvalue of a matrix exceeds the range of `f64`.
    #[error(
        "an eigenvalue of a matrix with entries up to {largest:e} overflows: scale the matrix down"
    )]
    EigenvalueOverflow {
        /// The largest absolute value of an entry.
        largest: f64,
    },
    /// The iteration for an eigenvalue did not converge.
    #[error("an eigenvalue did not converge in {iterations} iterations: please report the matrix")]
    NotConverged {
        /// Iterations done for it.
        iterations: usize,
    },
    /// A kernel matrix is not symmetric.
    #[error("the entries ({row}, {col}) and ({col}, {row}) differ: a kernel matrix is symmetric")]
    NotSymmetric {
        /// The row of the first entry that differs from its transposed one.
        row: usize,
        /// Its column.
        col: usize,
    },
    /// A matrix to be inverted is not positive definite, even with its regularisation.
    #[error("the matrix is not positive definite (pivot {pivot}): raise the regularisation")]
    NotPositiveDefinite {
        /// The first pivot that is not positive.
        pivot: usize,
    },
}

/// The most samples that are counted: integers up to it are exact as `f64`.
pub(crate) const MAX_SAMPLES: u64 = 1 << 53;

/// The number of samples of two sets together, neither of which has more than [`MAX_SAMPLES`].
pub(crate) fn add_samples(a: u64, b: u64) -> Result<u64, Error> {
    let (found, max) = (a + b, MAX_SAMPLES);
    if found > max { Err(Error::TooManySamples { found, max }) } else { Ok(found) }
}

/// Refuses NaN and infinity.
pub(crate) fn check_finite<T: Copy + Into<f64>>(numbers: &[T]) -> Result<(), Error> {
    match numbers.iter().position(|&number| !number.into().is_finite()) {
        Some(index) => Err(Error::NotFinite { index }),
        None => Ok(()),
    }
}
