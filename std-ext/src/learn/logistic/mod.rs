//! [`Logistic`]: logistic regression of two or more classes on packed features.

mod lbfgs;
mod loss;
mod sgd;

use super::penalty::Penalty;
use super::training::{Training, check_at_least_one, check_positive};
use super::{Classifier, LinearModel, classes};
use crate::{Error, Features};
use loss::Loss;

/// Multinomial logistic regression, whose [probabilities](Classifier::probabilities) are those of the classes.
///
/// Minimises (1/Σw)·(Σ wᵢ·lossᵢ + ½·m·γ‖W‖²) by L-BFGS, with the cross entropy of the softmax of the scores as loss, the
/// weights w of [`Training`], and a γ in the units of [`Ridge`](super::Ridge). Two classes have one vector of weights and
/// the logistic loss; intercepts are not penalised. In scikit-learn's `LogisticRegression` on the same trits,
/// C = 1/(m·γ). The residual is the largest derivative by a weight.
///
/// ```
/// use ternion::learn::Logistic;
/// use ternion::{Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..900 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let labels: Vec<usize> = x.chunks(8).map(|x| (x[0] * x[1] > 0.0) as usize).collect();
/// let samples = Samples::new(&x, 8)?;
/// let features = TernaryFeatures::params(1024).fit(&samples)?.transform(&samples)?;
///
/// let model = Logistic::default().fit_classes(&features, &labels)?;
/// assert!(model.score(&features, &labels)? > 0.95);
/// let first = model.probabilities(&features)?.row(0).unwrap().to_vec();
/// assert!((first[0] + first[1] - 1.0).abs() < 1e-6 && first[labels[0]] > 0.5);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Logistic<'a> {
    penalty: Penalty,
    solver: Solver,
    tolerance: f64,
    limit: usize,
    training: Training<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Solver {
    Lbfgs,
    Sgd(Sgd),
}

/// The parameters of stochastic gradient descent.
///
/// Samples are taken in random order, `batch` at a time, and each batch changes the weights by its mean gradient times the
/// rate. An epoch that lowers the objective, or the loss of held-out samples, by less than a thousandth halves the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sgd {
    /// Samples in a batch.
    pub batch: usize,
    /// The first rate, in units of 1/λ, where λ is the largest eigenvalue of the mean of x·xᵀ over the first batch: one unit
    /// for all features, however their variance is spread. The cross entropy of a batch curves by at most λ/2, so that up to
    /// 4 no step overshoots on a batch like the first.
    pub rate: f64,
    /// What the order of the samples depends on.
    pub seed: u64,
}

/// Batches of 250, as in the paper of the method; a rate of 4; seed 0.
impl Default for Sgd {
    fn default() -> Self {
        Self { batch: 250, rate: 4.0, seed: 0 }
    }
}

impl Default for Logistic<'_> {
    fn default() -> Self {
        Self::with(Penalty::Relative(DEFAULT_SHARE))
    }
}

/// What suits most data.
const DEFAULT_SHARE: f64 = 0.01;

impl<'a> Logistic<'a> {
    /// Logistic regression with a penalty of `share` times the mean variance of a feature: one unit for all sizes of
    /// data. [`Default`] is 0.01.
    ///
    /// # Errors
    ///
    /// [`Error::Regularisation`] unless the share is positive and finite.
    pub fn new(share: f64) -> Result<Self, Error> {
        Ok(Self::with(Penalty::Relative(share).check()?))
    }

    /// Logistic regression with γ itself as penalty.
    ///
    /// # Errors
    ///
    /// [`Error::Regularisation`] unless γ is positive and finite.
    pub fn absolute(gamma: f64) -> Result<Self, Error> {
        Ok(Self::with(Penalty::Absolute(gamma).check()?))
    }

    fn with(penalty: Penalty) -> Self {
        let (solver, training) = (Solver::Lbfgs, Training::new());
        Self { penalty, solver, tolerance: 1e-4, limit: 1000, training }
    }

    /// Replaces L-BFGS by stochastic gradient descent: a good model after a few passes over many samples. An iteration is
    /// a pass, and the residual is the share of the first rate that is left. Sets the tolerance to 10⁻³, ten halvings, and
    /// the limit to 100.
    ///
    /// ```
    /// use ternion::learn::{Logistic, Sgd};
    /// # use ternion::{Samples, TernaryFeatures};
    /// # let x: Vec<f32> = (0..900 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
    /// # let labels: Vec<usize> = x.chunks(8).map(|x| (x[0] * x[1] > 0.0) as usize).collect();
    /// # let samples = Samples::new(&x, 8)?;
    /// # let features = TernaryFeatures::params(1024).fit(&samples)?.transform(&samples)?;
    ///
    /// let few = Sgd { batch: 25, ..Sgd::default() }; // of 900 samples
    /// let learner = Logistic::default().sgd(few)?.limit(50)?;
    /// let model = learner.fit_classes(&features, &labels)?;
    /// assert!(model.score(&features, &labels)? > 0.9);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless a batch has samples and the rate is positive and finite.
    pub fn sgd(self, sgd: Sgd) -> Result<Self, Error> {
        check_at_least_one("batch", sgd.batch)?;
        check_positive("rate", sgd.rate)?;
        Ok(Self { solver: Solver::Sgd(sgd), tolerance: 1e-3, limit: 100, ..self })
    }

    /// Sets the residual to be reached.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless it is positive and finite.
    pub fn tolerance(self, tolerance: f64) -> Result<Self, Error> {
        Ok(Self { tolerance: check_positive("tolerance", tolerance)?, ..self })
    }

    /// Sets the most iterations.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] for none.
    pub fn limit(self, iterations: usize) -> Result<Self, Error> {
        Ok(Self { limit: check_at_least_one("limit", iterations)?, ..self })
    }

    /// Sets weights, a start, early stopping and progress.
    pub fn training(self, training: Training<'a>) -> Self {
        Self { training, ..self }
    }

    /// Fits classes. Labels are class numbers from 0; a class without samples is never predicted.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`], [`Error::TooFewClasses`] or [`Error::TooManyClasses`] for bad labels,
    /// [`Error::WeightCount`], [`Error::Weight`] or [`Error::NoWeight`] for bad weights,
    /// [`SizeMismatch`](ternion_core::Error::SizeMismatch) for a start of another shape, [`Error::Diverged`] if the rate is
    /// too high, [`SizeOverflow`](ternion_core::Error::SizeOverflow) if there is no memory.
    pub fn fit_classes(&self, features: &Features, labels: &[usize]) -> Result<Classifier, Error> {
        classes::check_classes(labels)?;
        classes::check_count(features, labels)?;
        let weights = self.training.of_classes(labels)?;
        let loss = Loss::new(features, labels, weights, self.penalty);
        loss.check_memory(match self.solver {
            Solver::Lbfgs => lbfgs::VECTORS,
            Solver::Sgd(_) => sgd::VECTORS,
        })?;
        let start = self.training.started(features.features(), loss.classes())?;
        let start = loss.parameters(start);
        let (convergence, parameters) = match self.solver {
            Solver::Lbfgs => {
                lbfgs::minimise(&loss, start, self.tolerance, self.limit, self.training)
            }
            Solver::Sgd(sgd) => {
                sgd::minimise(&loss, start, sgd, self.tolerance, self.limit, self.training)?
            }
        };
        let (weights, bias) = loss.outputs_of(parameters);
        Ok(Classifier::fitted(LinearModel::iterated(&weights, &bias, convergence)?))
    }
}
