//! [`LinearSvm`]: linear support vector machines on packed features.

mod dual;

use super::convergence::{Convergence, largest};
use super::penalty::Penalty;
use super::training::{Training, Watch, check_at_least_one, check_positive};
use super::{Classifier, LinearModel, classes, feature_variance};
use crate::{Error, Features, memory, parallel};
use dual::{Machine, Problem};

/// A linear support vector machine, by dual coordinate descent with shrinking (Hsieh, Chang, Lin, Keerthi and
/// Sundararajan 2008), as in LIBLINEAR; more than two classes by one machine each against the rest.
///
/// Minimises (1/Σw)·(Σ wᵢ·lossᵢ + ½·m·γ‖θ‖²), with the [hinge](Hinge) of 1 − y·f(x) as loss, the weights w of [`Training`],
/// and a γ in the units of [`Ridge`](super::Ridge). The intercept is the weight of one more feature, which is always 1,
/// and is penalised like the others. In scikit-learn's `LinearSVC` on the same trits, C = 1/(m·γ).
///
/// An iteration is a pass over the samples. The objective is that of the dual problem, summed over the machines, which
/// approaches the one above from below; the residual is by how much margins still violate its conditions.
///
/// ```
/// use ternion::learn::{Hinge, LinearSvm};
/// use ternion::{Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..900 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let labels: Vec<usize> = x.chunks(8).map(|x| (x[0] * x[1] > 0.0) as usize).collect();
/// let samples = Samples::new(&x, 8)?;
/// let features = TernaryFeatures::params(1024).fit(&samples)?.transform(&samples)?;
///
/// let model = LinearSvm::default().hinge(Hinge::Plain).fit_classes(&features, &labels)?;
/// assert!(model.score(&features, &labels)? > 0.95);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct LinearSvm<'a> {
    penalty: Penalty,
    hinge: Hinge,
    tolerance: f64,
    limit: usize,
    seed: u64,
    training: Training<'a>,
}

/// The loss of a support vector machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Hinge {
    /// max(0, 1 − y·f)².
    #[default]
    Squared,
    /// max(0, 1 − y·f).
    Plain,
}

impl Hinge {
    /// The loss at a margin y·f.
    fn loss(self, margin: f64) -> f64 {
        let short = (1.0 - margin).max(0.0);
        match self {
            Self::Squared => short * short,
            Self::Plain => short,
        }
    }
}

/// What suits most data.
const DEFAULT_SHARE: f64 = 0.3;

impl Default for LinearSvm<'_> {
    fn default() -> Self {
        Self::with(Penalty::Relative(DEFAULT_SHARE))
    }
}

impl<'a> LinearSvm<'a> {
    /// A machine with a penalty of `share` times the mean variance of a feature: one unit for all sizes of data.
    /// [`Default`] is 0.3.
    ///
    /// # Errors
    ///
    /// [`Error::Regularisation`] unless the share is positive and finite.
    pub fn new(share: f64) -> Result<Self, Error> {
        Ok(Self::with(Penalty::Relative(share).check()?))
    }

    /// A machine with γ itself as penalty.
    ///
    /// # Errors
    ///
    /// [`Error::Regularisation`] unless γ is positive and finite.
    pub fn absolute(gamma: f64) -> Result<Self, Error> {
        Ok(Self::with(Penalty::Absolute(gamma).check()?))
    }

    fn with(penalty: Penalty) -> Self {
        let (hinge, training) = (Hinge::default(), Training::new());
        Self { penalty, hinge, tolerance: 1e-2, limit: 1000, seed: 0, training }
    }

    /// Sets the loss.
    pub fn hinge(self, hinge: Hinge) -> Self {
        Self { hinge, ..self }
    }

    /// Sets what the order of the samples depends on.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
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

    /// Sets weights, a start, early stopping and progress. A start becomes the dual variables that it would have if it
    /// were the end, which the plain hinge tells only of samples off the margin.
    pub fn training(self, training: Training<'a>) -> Self {
        Self { training, ..self }
    }

    /// Fits classes. Labels are class numbers from 0; a class without samples is never predicted.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`], [`Error::TooFewClasses`] or [`Error::TooManyClasses`] for bad labels,
    /// [`Error::WeightCount`], [`Error::Weight`] or [`Error::NoWeight`] for bad weights,
    /// [`SizeMismatch`](ternion_core::Error::SizeMismatch) for a start of another shape, [`Error::Diverged`] for a model that is
    /// not finite, [`SizeOverflow`](ternion_core::Error::SizeOverflow) if there is no memory.
    pub fn fit_classes(&self, features: &Features, labels: &[usize]) -> Result<Classifier, Error> {
        classes::check_classes(labels)?;
        classes::check_count(features, labels)?;
        let weights = self.training.of_classes(labels)?;
        let present = classes::present(labels, &weights.trained);
        let (m, classes) = (features.features(), present.len());
        let start = self.training.started(m, classes)?;
        let gamma = self.penalty.gamma(|| feature_variance(features, &weights).1);
        let cost = 1.0 / (m as f64 * gamma);
        let problem = Problem::new(features, labels, &weights, self.hinge, cost);
        // Of two classes one machine is enough.
        let machines = (if classes == 2 { 1 } else { 0 }..classes).filter(|&class| present[class]);
        // An α and a place in the order for each sample, and the weights; twice, where the best are kept.
        let count = present.iter().filter(|present| **present).count();
        let each = 2 * features.len() + m.div_ceil(2) + 64;
        memory::check_room::<f64>([(count, each, 2), (m, classes, 2)])?;
        let mut machines: Vec<Machine> =
            machines.map(|class| Machine::new(&problem, class, self.seed, start)).collect();
        let mut watch = Watch::new(self.training);
        let mut now = Convergence::start(self.tolerance, self.limit);
        loop {
            let unfinished =
                machines.iter_mut().filter(|machine| machine.residual > self.tolerance);
            parallel::try_for_each(unfinished, |(): &mut (), machine| {
                machine.pass(&problem, self.tolerance);
                Ok(())
            })?;
            now.iterations += 1;
            now.residual = largest(machines.iter().map(|machine| machine.residual));
            let objective: f64 = machines.iter().map(|machine| machine.objective(&problem)).sum();
            now.objective = objective / (cost * weights.total);
            now.held_out = weights.held_out_mean(|sample| {
                machines.iter().map(|machine| machine.loss(&problem, sample)).sum()
            });
            if watch.is_last(&mut now, &machines) {
                break;
            }
        }
        let (convergence, machines) = watch.finish(now, machines);
        let (mut theta, mut bias) = (memory::zeros(m, classes)?, vec![0.0; classes]);
        for machine in &machines {
            let (weights, intercept) = machine.solution();
            let outputs: &[(usize, f64)] = &match classes {
                2 => vec![(0, -1.0), (1, 1.0)],
                _ => vec![(machine.class(), 1.0)],
            };
            for &(output, sign) in outputs {
                let theta = theta[output..].iter_mut().step_by(classes);
                theta.zip(weights).for_each(|(theta, weight)| *theta = sign * f64::from(*weight));
                bias[output] = sign * intercept;
            }
        }
        classes::never_predict(&theta, &mut bias, &present);
        Ok(Classifier::fitted(LinearModel::iterated(&theta, &bias, convergence)?))
    }
}
