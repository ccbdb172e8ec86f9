//! [`Training`]: what concerns one training of a learner that iterates, whichever learner it is.

use super::convergence::{Convergence, End};
use super::{LinearModel, MAX_CLASSES};
use crate::Error;
use crate::random::hash;
use std::fmt;
use std::ops::ControlFlow;
use ternion_core::{Error as CoreError, Size};

/// A function that is told how far a learner has come, and whether to go on.
pub(super) type Progress<'a> = &'a (dyn Fn(&Convergence) -> ControlFlow<()> + Sync);

/// Weights of samples and classes, where to start, when to stop, and whom to tell: what a learner that iterates is given
/// by its method `training`.
///
/// ```
/// use std::ops::ControlFlow;
/// use ternion::learn::{Convergence, End, Ridge, Training};
/// use ternion::{Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..900 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let labels: Vec<usize> = x.chunks(8).map(|x| (x[0] + x[1] > 0.5) as usize).collect();
/// let samples = Samples::new(&x, 8)?;
/// let features = TernaryFeatures::params(256).fit(&samples)?.transform(&samples)?;
///
/// let show = |now: &Convergence| {
///     println!("{now}");
///     if now.iterations < 4 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// };
/// let training = Training::new().balanced().progress(&show);
/// let model = Ridge::default().iterative().training(training).fit_classes(&features, &labels)?;
/// assert_eq!(model.convergence().unwrap().end, Some(End::Asked));
///
/// let training = Training::new().balanced().start(model.model()); // takes up where it ended
/// let model = Ridge::default().iterative().training(training).fit_classes(&features, &labels)?;
/// assert_eq!(model.convergence().unwrap().end, Some(End::Converged));
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
#[must_use]
pub struct Training<'a> {
    class_weights: ClassWeights<'a>,
    sample_weights: Option<&'a [f64]>,
    start: Option<&'a LinearModel>,
    progress: Option<Progress<'a>>,
    held_out: Option<HeldOut>,
}

#[derive(Clone, Copy, Debug, Default)]
enum ClassWeights<'a> {
    #[default]
    Equal,
    Balanced,
    Given(&'a [f64]),
}

#[derive(Clone, Copy, Debug)]
struct HeldOut {
    share: f64,
    patience: usize,
}

impl fmt::Debug for Training<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Training")
            .field("class_weights", &self.class_weights)
            .field("sample_weights", &self.sample_weights.map(<[f64]>::len))
            .field("start", &self.start.is_some())
            .field("progress", &self.progress.is_some())
            .field("held_out", &self.held_out)
            .finish()
    }
}

impl<'a> Training<'a> {
    /// Equal weights, from the start, to the end, in silence.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a weight for each class, by which the losses of its samples are multiplied.
    pub fn class_weights(self, weights: &'a [f64]) -> Self {
        Self { class_weights: ClassWeights::Given(weights), ..self }
    }

    /// Weighs classes such that all of them have the same weight in total, and all samples the same as without weights.
    pub fn balanced(self) -> Self {
        Self { class_weights: ClassWeights::Balanced, ..self }
    }

    /// Sets a weight for each sample, by which its loss is multiplied: 2 is the same sample twice, 0 is no sample.
    pub fn sample_weights(self, weights: &'a [f64]) -> Self {
        Self { sample_weights: Some(weights), ..self }
    }

    /// Starts from a model of the same features and outputs instead of from zero.
    pub fn start(self, model: &'a LinearModel) -> Self {
        Self { start: Some(model), ..self }
    }

    /// Sets a function that is called after every iteration, from one thread at a time. If it breaks, the model is what
    /// the iteration has led to.
    pub fn progress(self, progress: Progress<'a>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Stops early: a share of the samples is not trained on, and when the mean loss of these samples has not fallen for
    /// `patience` iterations, the model is the one for which it was least. Which samples they are depends only on how
    /// many there are.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless the share is above 0 and below 1, and the patience at least 1.
    pub fn hold_out(self, share: f64, patience: usize) -> Result<Self, Error> {
        if !(share > 0.0 && share < 1.0) {
            return Err(parameter("held-out share", share, "above 0 and below 1"));
        }
        check_at_least_one("patience", patience)?;
        Ok(Self { held_out: Some(HeldOut { share, patience }), ..self })
    }

    /// The weights of samples with class numbers.
    ///
    /// # Errors
    ///
    /// As [`of_targets`](Self::of_targets), and [`Error::WeightCount`] or [`Error::Weight`] for weights of classes,
    /// [`Error::TooFewClasses`] if fewer than two have samples with a weight.
    pub(super) fn of_classes(&self, labels: &[usize]) -> Result<Weights, Error> {
        let classes = labels.iter().max().map_or(0, |label| label + 1);
        debug_assert!(classes <= MAX_CLASSES, "labels are checked");
        let mut weights = self.of_samples(labels.len())?;
        let mut totals = vec![0.0; classes];
        labels.iter().zip(&weights).for_each(|(&label, weight)| totals[label] += weight);
        match self.class_weights {
            ClassWeights::Equal => {}
            ClassWeights::Given(factors) => {
                check_weights(factors, classes)?;
                totals.iter_mut().zip(factors).for_each(|(total, factor)| *total *= factor);
                labels.iter().zip(&mut weights).for_each(|(&label, w)| *w *= factors[label]);
            }
            ClassWeights::Balanced => {
                let present = totals.iter().filter(|&&total| total > 0.0).count() as f64;
                let share = totals.iter().sum::<f64>() / present;
                let factor = |total: f64| if total > 0.0 { share / total } else { 0.0 };
                labels.iter().zip(&mut weights).for_each(|(&label, w)| *w *= factor(totals[label]));
            }
        }
        let found = totals.iter().filter(|&&total| total > 0.0).count();
        if found < 2 {
            return Err(Error::TooFewClasses { found });
        }
        self.split(weights)
    }

    /// The weights of samples with targets that are numbers.
    ///
    /// # Errors
    ///
    /// [`Error::WeightCount`] or [`Error::Weight`] for weights of samples, [`Error::NoWeight`] if all are zero,
    /// [`Error::ClassWeights`] if there are weights of classes.
    pub(super) fn of_targets(&self, samples: usize) -> Result<Weights, Error> {
        if !matches!(self.class_weights, ClassWeights::Equal) {
            return Err(Error::ClassWeights);
        }
        self.split(self.of_samples(samples)?)
    }

    fn of_samples(&self, samples: usize) -> Result<Vec<f64>, Error> {
        let Some(weights) = self.sample_weights else { return Ok(vec![1.0; samples]) };
        check_weights(weights, samples)?;
        Ok(weights.to_vec())
    }

    /// Splits the held-out samples off: those with the smallest hashes of their index.
    ///
    /// # Errors
    ///
    /// [`Error::Weight`] for the sample with which the sum of the weights overflows, [`Error::NoWeight`] if all that are
    /// trained on are zero.
    fn split(&self, mut trained: Vec<f64>) -> Result<Weights, Error> {
        let mut sum = 0.0;
        for (index, weight) in trained.iter().enumerate() {
            sum += weight;
            if sum == f64::INFINITY {
                return Err(Error::Weight { index, found: sum });
            }
        }
        let mut held_out = Vec::new();
        if let Some(HeldOut { share, .. }) = self.held_out {
            let count = (share * trained.len() as f64).ceil() as usize;
            let mut order: Vec<usize> = (0..trained.len()).collect();
            order.sort_unstable_by_key(|&sample| (hash(sample as u64), sample));
            held_out = vec![0.0; trained.len()];
            for &sample in &order[..count] {
                held_out[sample] = std::mem::take(&mut trained[sample]);
            }
        }
        let total = trained.iter().sum();
        if total > 0.0 { Ok(Weights { trained, total, held_out }) } else { Err(Error::NoWeight) }
    }

    /// The model to start from, if there is one.
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeMismatch`] if it has another number of features or outputs.
    pub(super) fn started(
        &self,
        features: usize,
        outputs: usize,
    ) -> Result<Option<&'a LinearModel>, Error> {
        let Some(model) = self.start else { return Ok(None) };
        let sizes = [
            (Size::Features, features, model.weights().rows()),
            (Size::Cols, outputs, model.weights().cols()),
        ];
        for (size, expected, found) in sizes {
            if found != expected {
                return Err(CoreError::SizeMismatch { size, expected, found }.into());
            }
        }
        Ok(Some(model))
    }
}

/// What a sample counts in the training and among held-out samples: zero in one of them.
pub(super) struct Weights {
    pub(super) trained: Vec<f64>,
    /// The sum of `trained`, positive.
    pub(super) total: f64,
    /// Empty if no samples are held out.
    pub(super) held_out: Vec<f64>,
}

impl Weights {
    /// The weighted mean of a loss over the held-out samples, if there are any.
    pub(super) fn held_out_mean(&self, loss: impl Fn(usize) -> f64) -> Option<f64> {
        let total: f64 = self.held_out.iter().sum();
        let held_out = self.held_out.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        let losses = held_out.map(|(sample, weight)| weight * loss(sample));
        (total > 0.0).then(|| losses.sum::<f64>() / total)
    }
}

/// Watches a training: tells about progress, decides when it ends, and keeps the best model where samples are held out.
pub(super) struct Watch<'a, M> {
    training: Training<'a>,
    best: Option<(f64, Convergence, M)>,
    /// Iterations since the best.
    since: usize,
}

impl<'a, M: Clone> Watch<'a, M> {
    pub(super) fn new(training: Training<'a>) -> Self {
        Self { training, best: None, since: 0 }
    }

    /// Whether this iteration, which led to `model`, was the last.
    pub(super) fn is_last(&mut self, now: &mut Convergence, model: &M) -> bool {
        let mut end = None;
        if let (Some(loss), Some(HeldOut { patience, .. })) = (now.held_out, self.training.held_out)
        {
            if self.best.as_ref().is_none_or(|(least, ..)| loss < *least) {
                (self.best, self.since) = (Some((loss, *now, model.clone())), 0);
            } else {
                self.since += 1;
            }
            end = (self.since >= patience).then_some(End::HeldOut);
        }
        if now.residual <= now.tolerance {
            end = Some(End::Converged);
        } else if now.iterations >= now.limit {
            end = end.or(Some(End::Limit));
        } else if now.residual.is_nan() {
            // Nothing becomes a number again: the model is refused for it.
            end = Some(End::Stalled);
        }
        now.end = end;
        if let Some(progress) = self.training.progress
            && progress(now).is_break()
        {
            now.end = end.or(Some(End::Asked));
        }
        now.end.is_some()
    }

    /// The model that the training led to, and how it was reached: the best one where samples are held out.
    pub(super) fn finish(self, last: Convergence, model: M) -> (Convergence, M) {
        match self.best {
            Some((_, best, model)) => (Convergence { end: last.end, ..best }, model),
            None => (last, model),
        }
    }
}

/// A parameter of a learner that makes no sense.
pub(super) fn parameter(name: &'static str, found: f64, expected: &'static str) -> Error {
    Error::Parameter { name, found, expected }
}

pub(super) fn check_positive(name: &'static str, number: f64) -> Result<f64, Error> {
    let is_positive = number > 0.0 && number.is_finite();
    if is_positive { Ok(number) } else { Err(parameter(name, number, "positive and finite")) }
}

pub(super) fn check_at_least_one(name: &'static str, count: usize) -> Result<usize, Error> {
    if count > 0 { Ok(count) } else { Err(parameter(name, 0.0, "at least 1")) }
}

/// Refuses weights of another number, and those that are negative, NaN or infinite.
fn check_weights(weights: &[f64], expected: usize) -> Result<(), Error> {
    let found = weights.len();
    if found != expected {
        return Err(Error::WeightCount { expected, found });
    }
    match weights.iter().position(|weight| !(*weight >= 0.0 && weight.is_finite())) {
        Some(index) => Err(Error::Weight { index, found: weights[index] }),
        None => Ok(()),
    }
}
