//! [`TernaryClassifier`]: from samples and labels to predicted labels.

use super::classes::classes_of;
use super::{ClassLearner, Classifier, LinearModel, Predictor};
use crate::batch::Batch;
use crate::fit::Params;
use crate::saved::{Kind, Reader, SavedError, Writer};
use crate::{Error, Matrix, TernaryFeatures};
use std::fmt::Display;
use std::str::FromStr;
use ternion_core::{Error as CoreError, Size};

/// Ternary features and a classifier on them. Labels are of any type with an order: numbers, strings, enums.
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
    /// [`TernaryFeatures::transform`] and the learner.
    pub fn fit(
        params: Params,
        learner: impl ClassLearner,
        samples: &dyn Batch,
        labels: &[L],
    ) -> Result<Self, Error> {
        check_count(samples, labels.len())?;
        let (known, classes) = classes_of(labels);
        let ternary = params.fit(samples)?;
        let classifier = learner.fit_classes(&ternary.transform(samples)?, &classes)?;
        Ok(Self { ternary, classifier, labels: known })
    }

    /// A classifier from its parts, wherever they come from: the label of each class must be above the one before.
    ///
    /// ```
    /// use ternion::learn::{Moments, Ridge, TernaryClassifier};
    /// use ternion::{Samples, TernaryFeatures};
    ///
    /// # let x: Vec<f32> = (0..400 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
    /// # let classes: Vec<usize> = x.chunks(8).map(|x| (x[0] > x[1]) as usize).collect();
    /// let samples = Samples::new(&x, 8)?;
    /// let ternary = TernaryFeatures::params(512).fit(&samples)?;
    /// let mut moments = Moments::new(&ternary, 2)?;
    /// moments.add(&ternary.transform(&samples)?, &classes)?;
    /// let classifier = Ridge::default().fit_moments(&moments)?;
    /// let model = TernaryClassifier::new(ternary, classifier, vec!["left", "right"])?;
    /// assert_eq!(model.predict(&samples)?.len(), 400);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SizeMismatch`](ternion_core::Error::SizeMismatch) if the classifier has another number of features than the
    /// map, [`Error::ClassLabels`] unless each class has a label, [`Error::LabelOrder`] unless they ascend.
    pub fn new(
        ternary: TernaryFeatures,
        classifier: Classifier,
        labels: Vec<L>,
    ) -> Result<Self, Error> {
        check_features(&ternary, classifier.model())?;
        let (classes, found) = (classifier.model().bias().len(), labels.len());
        if found != classes {
            return Err(Error::ClassLabels { classes, labels: found });
        }
        if let Some(class) = labels.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Err(Error::LabelOrder { class: class + 1 });
        }
        Ok(Self { ternary, classifier, labels })
    }

    /// The label of each sample.
    ///
    /// # Errors
    ///
    /// As [`TernaryFeatures::transform`].
    pub fn predict(&self, samples: &dyn Batch) -> Result<Vec<L>, Error> {
        let classes = self.classifier.predict(&self.ternary.transform(samples)?)?;
        Ok(classes.into_iter().map(|class| self.labels[class].clone()).collect())
    }

    /// The scores of each sample: a row per sample and a column per [label](Self::labels), of which the largest
    /// decides.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict).
    pub fn decision(&self, samples: &dyn Batch) -> Result<Matrix<f32>, Error> {
        self.classifier.decision(&self.ternary.transform(samples)?)
    }

    /// The probability of each [label](Self::labels), a row per sample, if the learner was
    /// [`Logistic`](super::Logistic): the softmax of the scores.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict).
    pub fn probabilities(&self, samples: &dyn Batch) -> Result<Matrix<f32>, Error> {
        self.classifier.probabilities(&self.ternary.transform(samples)?)
    }

    /// The share of samples whose predicted label is the given one.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] unless each sample has a label, and as [`predict`](Self::predict).
    pub fn score(&self, samples: &dyn Batch, labels: &[L]) -> Result<f64, Error> {
        check_count(samples, labels.len())?;
        let predicted = self.predict(samples)?;
        let right = predicted.iter().zip(labels).filter(|(predicted, label)| predicted == label);
        Ok(right.count() as f64 / labels.len() as f64)
    }

    /// The label of each class, ascending.
    pub fn labels(&self) -> &[L] {
        &self.labels
    }

    /// What would help: the [warnings](TernaryFeatures::warnings) of the fit, and those of a learner that did not
    /// [converge](LinearModel::warnings).
    pub fn warnings(&self) -> Vec<String> {
        warnings(&self.ternary, self.classifier.model())
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

/// Labels are saved as text: numbers, strings, and every type whose `FromStr` reads what its `Display` writes.
impl<L: Ord + Clone + Display> TernaryClassifier<L> {
    /// The classifier as bytes: in the [frame](crate::saved) of everything that is saved the bytes of the
    /// [fit](TernaryFeatures::to_bytes), those of the [classifier](Classifier::to_bytes), and the label of each class as
    /// text in UTF-8. A 64-bit length is before each of them.
    ///
    /// ```
    /// use ternion::learn::{Ridge, TernaryClassifier};
    /// use ternion::{Samples, TernaryFeatures};
    ///
    /// # let x: Vec<f32> = (0..400 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
    /// # let labels: Vec<&str> = x.chunks(8).map(|x| if x[0] > x[1] { "left" } else { "right" }).collect();
    /// let samples = Samples::new(&x, 8)?;
    /// let model = TernaryClassifier::fit(TernaryFeatures::params(512), Ridge::default(), &samples, &labels)?;
    /// let loaded = TernaryClassifier::<String>::from_bytes(&model.to_bytes())?;
    /// assert_eq!(loaded.predict(&samples)?, model.predict(&samples)?);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(Kind::TernaryClassifier);
        writer.block(&self.ternary.to_bytes());
        writer.block(&self.classifier.to_bytes());
        self.labels.iter().for_each(|label| writer.block(label.to_string().as_bytes()));
        writer.finish()
    }
}

impl<L: Ord + Clone + FromStr> TernaryClassifier<L> {
    /// Reads a classifier that was saved, with labels of a type that reads them: `TernaryClassifier::<String>` reads
    /// those that were strings or string slices.
    ///
    /// # Errors
    ///
    /// [`Error::Saved`] for bytes that are truncated, changed, or of another kind or version, and for labels that are
    /// not of this type; as [`TernaryFeatures::from_bytes`], [`Classifier::from_bytes`] and [`new`](Self::new).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes, Kind::TernaryClassifier)?;
        let (ternary, classifier) = (reader.block()?, reader.block()?);
        let classifier = Classifier::from_bytes(classifier)?;
        let mut labels: Vec<L> = Vec::new();
        for class in 0..classifier.model().bias().len() {
            let bytes = reader.block()?;
            let label = std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok());
            let label = label.filter(|label| labels.last().is_none_or(|last| last < label));
            let text = || String::from_utf8_lossy(bytes).into_owned();
            labels.push(label.ok_or_else(|| SavedError::Label { class, label: text() })?);
        }
        reader.end()?;
        Self::new(TernaryFeatures::from_bytes(ternary)?, classifier, labels)
    }
}

/// The warnings of a fit and of the model of its features, in words.
pub(super) fn warnings(ternary: &TernaryFeatures, model: &LinearModel) -> Vec<String> {
    let of_fit = ternary.warnings().into_iter().map(|warning| warning.to_string());
    of_fit.chain(model.warnings().into_iter().map(|warning| warning.to_string())).collect()
}

/// Refuses a model of another number of features than the map has.
pub(super) fn check_features(ternary: &TernaryFeatures, model: &LinearModel) -> Result<(), Error> {
    let (size, expected, found) = (Size::Features, ternary.features(), model.weights().rows());
    if found == expected {
        return Ok(());
    }
    Err(CoreError::SizeMismatch { size, expected, found }.into())
}

/// Refuses targets of another number than there are samples.
pub(crate) fn check_count(samples: &dyn Batch, labels: usize) -> Result<(), Error> {
    let samples = samples.samples();
    if labels == samples { Ok(()) } else { Err(Error::LabelCount { samples, labels }) }
}
