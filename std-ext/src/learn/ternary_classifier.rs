//! [`TernaryClassifier`]: from samples and labels to predicted labels.

use super::{Classifier, Predictor, Ridge};
use crate::fit::Params;
use crate::{Error, Matrix, TernaryFeatures};
use ternion_core::Samples;

/// Ternary features and a ridge classifier on them. Labels are of any type with an order: numbers, strings, enums.
///
/// ```
/// use ternion::learn::{Ridge, TernaryClassifier};
/// use ternion::{Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..600 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let labels: Vec<&str> = x.chunks(8).map(|x| if x[0] * x[1] > 0.0 { "same" } else { "other" }).collect();
/// let samples = Samples::new(&x, 8)?;
///
/// let params = TernaryFeatures::params(2048);
/// let model = TernaryClassifier::fit(params, Ridge::default(), &samples, &labels)?;
/// assert_eq!(model.labels(), ["other", "same"]);
/// assert!(model.score(&samples, &labels)? > 0.9);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TernaryClassifier<L> {
    ternary: TernaryFeatures,
    classifier: Classifier,
    /// The label of each class, ascending.
    labels: Vec<L>,
}

impl<L: Ord + Clone> TernaryClassifier<L> {
    /// Fits the features to the samples, and the classifier to their labels.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] unless each sample has a label, and as [`Params::fit`],
    /// [`TernaryFeatures::transform`] and [`Ridge::fit_classes`].
    pub fn fit(
        params: Params,
        ridge: Ridge,
        samples: &Samples<'_, f32>,
        labels: &[L],
    ) -> Result<Self, Error> {
        check_count(samples, labels.len())?;
        let mut known = labels.to_vec();
        known.sort_unstable();
        known.dedup();
        let class = |label| known.partition_point(|known| known < label);
        let classes: Vec<usize> = labels.iter().map(class).collect();
        let ternary = params.fit(samples)?;
        let classifier = ridge.fit_classes(&ternary.transform(samples)?, &classes)?;
        Ok(Self { ternary, classifier, labels: known })
    }

    /// The label of each sample.
    ///
    /// # Errors
    ///
    /// As [`TernaryFeatures::transform`].
    pub fn predict(&self, samples: &Samples<'_, f32>) -> Result<Vec<L>, Error> {
        let classes = self.classifier.predict(&self.ternary.transform(samples)?)?;
        Ok(classes.into_iter().map(|class| self.labels[class].clone()).collect())
    }

    /// The scores of each sample: a row per sample and a column per [label](Self::labels), of which the largest
    /// decides.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict).
    pub fn decision(&self, samples: &Samples<'_, f32>) -> Result<Matrix<f32>, Error> {
        self.classifier.model().predict(&self.ternary.transform(samples)?)
    }

    /// The share of samples whose predicted label is the given one.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] unless each sample has a label, and as [`predict`](Self::predict).
    pub fn score(&self, samples: &Samples<'_, f32>, labels: &[L]) -> Result<f64, Error> {
        check_count(samples, labels.len())?;
        let predicted = self.predict(samples)?;
        let right = predicted.iter().zip(labels).filter(|(predicted, label)| predicted == label);
        Ok(right.count() as f64 / labels.len() as f64)
    }

    /// The label of each class, ascending.
    pub fn labels(&self) -> &[L] {
        &self.labels
    }

    /// The map from samples to features.
    pub fn ternary(&self) -> &TernaryFeatures {
        &self.ternary
    }

    /// The classifier of features, whose classes are indices of [labels](Self::labels).
    pub fn classifier(&self) -> &Classifier {
        &self.classifier
    }

    /// The same for single samples, without allocation; its classes are indices of [labels](Self::labels).
    ///
    /// # Errors
    ///
    /// As [`Predictor::new`].
    pub fn predictor(&self) -> Result<Predictor, Error> {
        Predictor::new(self.ternary.clone(), self.classifier.model())
    }
}

/// Refuses targets of another number than there are samples.
pub(super) fn check_count(samples: &Samples<'_, f32>, labels: usize) -> Result<(), Error> {
    let samples = samples.len();
    if labels == samples { Ok(()) } else { Err(Error::LabelCount { samples, labels }) }
}
