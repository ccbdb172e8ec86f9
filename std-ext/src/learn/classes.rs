//! Classification by regression: one output per class, of which the largest decides.

use super::LinearModel;
use super::convergence::{Convergence, Warning};
use crate::dense::exponential::exp;
use crate::saved::Kind;
use crate::{Error, Features, Matrix, memory};

/// The largest number of classes of a learner. A label beyond it is rather an identifier than a class number, and a
/// column of targets for every smaller number would exhaust memory.
///
/// ```
/// use ternion::learn::{MAX_CLASSES, Ridge};
/// use ternion::{Features, TritMatrix};
///
/// let features = Features::new(TritMatrix::new(2, 3, vec![0b010, 0b110], vec![0b011, 0b111])?);
/// assert!(Ridge::default().fit_classes(&features, &[0, MAX_CLASSES]).is_err());
/// # Ok::<(), ternion::Error>(())
/// ```
pub const MAX_CLASSES: usize = 1 << 16;

/// Refuses labels from `max` on.
pub(super) fn check_labels(labels: &[usize], max: usize) -> Result<(), Error> {
    match labels.iter().position(|&label| label >= max) {
        Some(sample) => Err(Error::TooManyClasses { sample, label: labels[sample], max }),
        None => Ok(()),
    }
}

/// Refuses labels that are no class numbers, or all the same.
pub(super) fn check_classes(labels: &[usize]) -> Result<(), Error> {
    check_labels(labels, MAX_CLASSES)?;
    if labels.iter().all(|label| Some(label) == labels.first()) {
        return Err(Error::TooFewClasses { found: labels.len().min(1) });
    }
    Ok(())
}

/// Refuses labels of another number than there are samples.
pub(super) fn check_count(features: &Features, labels: &[usize]) -> Result<(), Error> {
    let (samples, labels) = (features.len(), labels.len());
    if labels == samples { Ok(()) } else { Err(Error::LabelCount { samples, labels }) }
}

/// Whether each class has samples with a weight.
pub(super) fn present(labels: &[usize], weights: &[f64]) -> Vec<bool> {
    let mut present = vec![false; labels.iter().max().map_or(0, |label| label + 1)];
    for (&label, weight) in labels.iter().zip(weights) {
        present[label] |= *weight > 0.0;
    }
    present
}

/// Sets the constants of classes without samples such that their scores are below all others. Weights have a row per
/// feature.
pub(super) fn never_predict(weights: &[f64], bias: &mut [f64], present: &[bool]) {
    let mut bounds: Vec<f64> = bias.iter().map(|x| x.abs()).collect();
    for row in weights.chunks_exact(bias.len()) {
        bounds.iter_mut().zip(row).for_each(|(bound, x)| *bound += x.abs());
    }
    let bound = bounds.iter().copied().fold(1.0, f64::max);
    for (bias, _) in bias.iter_mut().zip(present).filter(|(_, present)| !**present) {
        *bias = -2.0 * bound;
    }
}

/// The labels in use, ascending, and for each sample the index of its label.
pub(crate) fn classes_of<L: Ord + Clone>(labels: &[L]) -> (Vec<L>, Vec<usize>) {
    let mut known = labels.to_vec();
    known.sort_unstable();
    known.dedup();
    let class = |label| known.partition_point(|known| known < label);
    let classes = labels.iter().map(class).collect();
    (known, classes)
}

/// The number of classes of labels that are class numbers.
pub(crate) fn class_count(labels: &[usize]) -> Result<usize, Error> {
    check_classes(labels)?;
    Ok(labels.iter().max().map_or(0, |label| label + 1))
}

/// One-vs-rest targets: +1 in the column of the label, −1 elsewhere.
pub(crate) fn targets(labels: &[usize]) -> Result<Matrix<f32>, Error> {
    let classes = class_count(labels)?;
    let row = |label: usize| (0..classes).map(move |k| if k == label { 1.0 } else { -1.0 });
    let (samples, targets) = (labels.len(), labels.iter().flat_map(|&label| row(label)));
    Matrix::from_vec(samples, classes, memory::collect(targets, samples, classes)?)
}

/// The index of the largest score, the first of equals; 0 if there is none.
pub(crate) fn argmax<T: PartialOrd>(scores: impl IntoIterator<Item = T>) -> usize {
    let scores = scores.into_iter().enumerate();
    let larger = |best: (usize, T), next: (usize, T)| if next.1 > best.1 { next } else { best };
    scores.reduce(larger).map_or(0, |(class, _)| class)
}

/// The class of each row of scores.
pub(super) fn predicted(scores: &Matrix<f32>) -> Vec<usize> {
    scores.iter_rows().map(argmax).collect()
}

/// The share of samples whose predicted class is their label. A prediction without a label, or a label without a
/// prediction, counts as a mistake.
///
/// ```
/// assert_eq!(ternion::learn::accuracy(&[0, 1, 2, 2], &[0, 1, 2, 0]), 0.75);
/// ```
pub fn accuracy(predicted: &[usize], labels: &[usize]) -> f64 {
    let correct = predicted.iter().zip(labels).filter(|(predicted, label)| predicted == label);
    correct.count() as f64 / predicted.len().max(labels.len()).max(1) as f64
}

/// A linear model with an output per class.
///
/// ```
/// use ternion::learn::{Classifier, LinearModel};
/// use ternion::{Features, Matrix, TritMatrix};
///
/// // Weights solved elsewhere: two features, two classes.
/// let weights = Matrix::from_vec(2, 2, vec![1.0, -1.0, 0.5, 2.0])?;
/// let model = Classifier::new(LinearModel::new(weights, vec![0.0, 0.25])?)?;
/// let features = Features::new(TritMatrix::new(2, 2, vec![0b10, 0b01], vec![0b11, 0b11])?); // (+1 −1), (−1 +1)
/// assert_eq!(model.decision(&features)?.as_slice(), [0.5, -2.75, -0.5, 3.25]);
/// assert_eq!(model.predict(&features)?, [0, 1]);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Classifier {
    model: LinearModel,
}

impl Classifier {
    /// A classifier from a model with an output per class.
    ///
    /// ```
    /// use ternion::Matrix;
    /// use ternion::learn::{Classifier, LinearModel};
    ///
    /// let weights = Matrix::from_vec(3, 2, vec![0.5, -0.5, 1.0, -1.0, 0.0, 0.25])?;
    /// let classifier = Classifier::new(LinearModel::new(weights, vec![0.0, 0.1])?)?;
    /// assert_eq!(classifier.model().bias().len(), 2);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ClassCount`] for fewer than 2 outputs or more than [`MAX_CLASSES`].
    pub fn new(model: LinearModel) -> Result<Self, Error> {
        let (found, max) = (model.bias().len(), MAX_CLASSES);
        if !(2..=max).contains(&found) {
            return Err(Error::ClassCount { found, max });
        }
        Ok(Self { model })
    }

    /// A classifier from a fit.
    pub(super) fn fitted(model: LinearModel) -> Self {
        Self { model }
    }

    /// The class of each sample.
    ///
    /// # Errors
    ///
    /// [`ternion_core::Error::SizeMismatch`] if the number of features differs from the fit's.
    pub fn predict(&self, features: &Features) -> Result<Vec<usize>, Error> {
        Ok(predicted(&self.model.predict(features)?))
    }

    /// The scores of each sample: a row per sample and a column per class, of which the largest decides.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict).
    pub fn decision(&self, features: &Features) -> Result<Matrix<f32>, Error> {
        self.model.predict(features)
    }

    /// The softmax of the scores of each sample: its probabilities of each class, if the classifier is one of
    /// [`Logistic`](super::Logistic).
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict).
    pub fn probabilities(&self, features: &Features) -> Result<Matrix<f32>, Error> {
        let scores = self.decision(features)?;
        let (rows, cols) = (scores.rows(), scores.cols());
        let mut scores = scores.into_vec();
        for row in scores.chunks_exact_mut(cols) {
            let largest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let powers = row.iter().map(|&score| exp(f64::from(score) - f64::from(largest)));
            let powers: Vec<f64> = powers.collect();
            let total: f64 = powers.iter().sum();
            row.iter_mut().zip(powers).for_each(|(score, power)| *score = (power / total) as f32);
        }
        Matrix::from_vec(rows, cols, scores)
    }

    /// The share of samples whose predicted class is their label.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] unless each sample has a label, and as [`predict`](Self::predict).
    pub fn score(&self, features: &Features, labels: &[usize]) -> Result<f64, Error> {
        check_count(features, labels)?;
        Ok(accuracy(&self.predict(features)?, labels))
    }

    /// How the fit of a learner that iterates ended; `None` for other classifiers and for those that were loaded.
    pub fn convergence(&self) -> Option<&Convergence> {
        self.model.convergence()
    }

    /// What is wrong with how the fit ended.
    pub fn warnings(&self) -> Vec<Warning> {
        self.model.warnings()
    }

    /// The classifier as bytes, like those of its [model](LinearModel::to_bytes) but for their kind.
    ///
    /// ```
    /// use ternion::Matrix;
    /// use ternion::learn::{Classifier, LinearModel};
    ///
    /// let weights = Matrix::from_vec(3, 2, vec![0.5, -0.5, 1.0, -1.0, 0.0, 0.25])?;
    /// let classifier = Classifier::new(LinearModel::new(weights, vec![0.0, 0.1])?)?;
    /// assert_eq!(Classifier::from_bytes(&classifier.to_bytes())?, classifier);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        self.model.to_bytes_of(Kind::Classifier)
    }

    /// Reads a classifier that was saved.
    ///
    /// # Errors
    ///
    /// As [`LinearModel::from_bytes`] and [`new`](Self::new).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::new(LinearModel::from_bytes_of(Kind::Classifier, bytes)?)
    }

    /// The linear model that gives the scores.
    pub fn model(&self) -> &LinearModel {
        &self.model
    }
}
