//! [`ClassLearner`] and [`TargetLearner`]: what the estimators of the whole job take.

use super::{Classifier, IterativeRidge, LinearModel, LinearSvm, Logistic, Ridge};
use crate::{Error, Features, Matrix};

/// A learner of classes: what [`TernaryClassifier`](super::TernaryClassifier) takes.
///
/// ```
/// use ternion::learn::{ClassLearner, Logistic, Ridge, TernaryClassifier};
/// use ternion::{Samples, TernaryFeatures};
///
/// # let x: Vec<f32> = (0..600 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// # let labels: Vec<bool> = x.chunks(8).map(|x| x[0] * x[1] > 0.0).collect();
/// let samples = Samples::new(&x, 8)?;
/// let learners: [&dyn ClassLearner; 2] = [&Ridge::default(), &Logistic::default()];
/// for learner in learners {
///     let model = TernaryClassifier::fit(TernaryFeatures::params(1024), learner, &samples, &labels)?;
///     assert!(model.score(&samples, &labels)? > 0.9);
/// }
/// # Ok::<(), ternion::Error>(())
/// ```
pub trait ClassLearner {
    /// Fits classes. Labels are class numbers from 0.
    ///
    /// # Errors
    ///
    /// Those of the learner: [`Error::LabelCount`], [`Error::TooFewClasses`] and [`Error::TooManyClasses`] at least.
    fn fit_classes(&self, features: &Features, labels: &[usize]) -> Result<Classifier, Error>;
}

/// A learner of targets that are numbers: what [`TernaryRegressor`](super::TernaryRegressor) takes.
///
/// ```
/// use ternion::learn::{LinearModel, TargetLearner, TernaryRegressor};
/// use ternion::{Error, Features, Matrix, Samples, TernaryFeatures};
///
/// /// Predicts the first target, whatever the features are.
/// struct First;
///
/// impl TargetLearner for First {
///     fn fit(&self, features: &Features, targets: &Matrix<f32>) -> Result<LinearModel, Error> {
///         let (rows, cols) = (features.features(), targets.cols());
///         LinearModel::new(Matrix::from_vec(rows, cols, vec![0.0; rows * cols])?, targets.as_slice()[..cols].to_vec())
///     }
/// }
///
/// let x: Vec<f32> = (0..60).map(|k| (k * k % 17) as f32).collect();
/// let (samples, y) = (Samples::new(&x, 6)?, Matrix::column((0..10).map(|k| 5.0 + k as f32).collect())?);
/// let model = TernaryRegressor::fit(TernaryFeatures::params(64), First, &samples, &y)?;
/// assert_eq!(model.predict(&samples)?.as_slice(), [5.0; 10]);
/// # Ok::<(), Error>(())
/// ```
pub trait TargetLearner {
    /// Fits targets, a row per sample and a column per output.
    ///
    /// # Errors
    ///
    /// Those of the learner: [`Error::LabelCount`] and [`Error::TargetNotFinite`] at least.
    fn fit(&self, features: &Features, targets: &Matrix<f32>) -> Result<LinearModel, Error>;
}

impl<L: ClassLearner + ?Sized> ClassLearner for &L {
    fn fit_classes(&self, features: &Features, labels: &[usize]) -> Result<Classifier, Error> {
        (**self).fit_classes(features, labels)
    }
}

impl<L: TargetLearner + ?Sized> TargetLearner for &L {
    fn fit(&self, features: &Features, targets: &Matrix<f32>) -> Result<LinearModel, Error> {
        (**self).fit(features, targets)
    }
}

/// Learners have these methods themselves, so that calling them takes no import.
macro_rules! of_classes {
    ($($learner:ty),*) => { $(
        impl ClassLearner for $learner {
            fn fit_classes(&self, features: &Features, labels: &[usize]) -> Result<Classifier, Error> {
                self.fit_classes(features, labels)
            }
        }
    )* };
}

macro_rules! of_targets {
    ($($learner:ty),*) => { $(
        impl TargetLearner for $learner {
            fn fit(&self, features: &Features, targets: &Matrix<f32>) -> Result<LinearModel, Error> {
                self.fit(features, targets)
            }
        }
    )* };
}

of_classes! { Ridge, IterativeRidge<'_>, Logistic<'_>, LinearSvm<'_> }
of_targets! { Ridge, IterativeRidge<'_> }
