//! [`Tuner`]: what to search, and the two entries.

use super::problem::{Answers, Problem};
use super::search::{Budget, Search};
use super::setting::{Setting, Trial};
use super::tuned::Tuned;
use crate::batch::{self, Batch};
use crate::fit::{Params, Preprocess};
use crate::learn::{Ridge, check_count, check_targets, classes_of};
use crate::{Error, Form, Matrix, Policy};
use core::fmt;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use ternion_core::{Grid, Sparsity};

/// The search for good parameters: what to try, and how much of it.
///
/// ```
/// use std::ops::ControlFlow;
/// use std::time::Duration;
/// use ternion::tune::{Progress, Tuner};
/// use ternion::{Grid, Samples, TernaryFeatures};
///
/// // Images of 8 × 8 pixels: noise, and a bar whose column is the class.
/// let pixel = |image: usize, k: usize| if k % 8 == image % 5 { 1.0 } else { 0.0 };
/// let x: Vec<f32> = (0..200 * 64).map(|k| pixel(k / 64, k % 64) + (k as f32 * k as f32 * 0.37).sin()).collect();
/// let labels: Vec<usize> = (0..200).map(|image| image % 5).collect();
/// let samples = Samples::new(&x, 64)?;
///
/// let show = |progress: &Progress<'_>| {
///     println!("{progress}");
///     ControlFlow::Continue(())
/// };
/// let tuned = Tuner::new(TernaryFeatures::params(256))
///     .grid(Grid::image(8, 8))              // boxes of the image, too
///     .trials(40)                           // the same result again
///     .time_limit(Duration::from_secs(60))  // whatever the machine
///     .progress(&show)
///     .tune_classes(&samples, &labels)?;
/// assert!(tuned.score() > 0.8);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Tuner<'a> {
    params: Params,
    forms: Vec<Form>,
    sparsities: Vec<f64>,
    policies: Option<Vec<Policy>>,
    widths: Option<Vec<f64>>,
    ridges: Vec<f64>,
    seed: u64,
    trials: usize,
    time: Option<Duration>,
    reach: Option<f64>,
    progress: Option<Listener<'a>>,
}

/// A function that is told about every trial, and whether to go on.
pub(super) type Listener<'a> = &'a (dyn Fn(&Progress<'_>) -> ControlFlow<()> + Sync);

impl fmt::Debug for Tuner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tuner")
            .field("params", &self.params)
            .field("forms", &self.forms)
            .field("sparsities", &self.sparsities)
            .field("policies", &self.policies)
            .field("widths", &self.widths)
            .field("ridges", &self.ridges)
            .field("seed", &self.seed)
            .field("trials", &self.trials)
            .field("time", &self.time)
            .field("reach", &self.reach)
            .finish_non_exhaustive()
    }
}

/// A trial that was just done, and how many there may be. The search usually ends before.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// Trials done.
    pub done: usize,
    /// The most trials.
    pub most: usize,
    /// The last one.
    pub trial: &'a Trial,
}

/// One line.
impl fmt::Display for Progress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Trial { setting, samples, validation } = self.trial;
        write!(f, "trial {} of at most {}: {setting}, {samples} samples: ", self.done, self.most)?;
        match validation {
            Ok(validation) => write!(f, "{:.4}", validation.score),
            Err(error) => write!(f, "refused: {error}"),
        }
    }
}

impl<'a> Tuner<'a> {
    /// Searches around parameters: they give the target whose width is varied, the number of features, the
    /// preprocessing and the seed of W.
    pub fn new(params: Params) -> Self {
        Self {
            params,
            forms: vec![Form::Stored, Form::Structured, Form::SUBSETS],
            sparsities: vec![2.0 / 3.0, 0.0, 0.9],
            policies: None,
            widths: None,
            ridges: vec![0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0],
            seed: 0,
            trials: 300,
            time: None,
            reach: None,
            progress: None,
        }
    }

    /// The forms of W to try. Default: [`Form::Stored`], [`Form::Structured`] and [`Form::SUBSETS`].
    pub fn forms(self, forms: impl IntoIterator<Item = Form>) -> Self {
        Self { forms: forms.into_iter().collect(), ..self }
    }

    /// Tries boxes of an image or a series as well: [`Form::Boxes`].
    pub fn grid(mut self, grid: Grid) -> Self {
        self.forms.push(Form::Boxes(grid));
        self
    }

    /// The sparsities to try of forms that have zeros. Default: 2/3, 0 and 0.9.
    pub fn sparsities(self, sparsities: impl IntoIterator<Item = f64>) -> Self {
        Self { sparsities: sparsities.into_iter().collect(), ..self }
    }

    /// The policies to try. Default: [`Policy::FourBand`] and [`Policy::MinVariance`], for Gaussian kernels after
    /// [`Policy::Periodic`].
    pub fn policies(self, policies: impl IntoIterator<Item = Policy>) -> Self {
        Self { policies: Some(policies.into_iter().collect()), ..self }
    }

    /// Tries every family at each of these widths on all samples, an exhaustive grid, instead of climbing from few
    /// samples to all: the plain way, which takes much longer.
    pub fn widths(self, widths: impl IntoIterator<Item = f64>) -> Self {
        Self { widths: Some(widths.into_iter().collect()), ..self }
    }

    /// The ridge parameters to try, as of [`Ridge::new`](crate::learn::Ridge::new). A trial climbs from the one that was
    /// best before. Default: 0.001, 0.003, … 30.
    pub fn ridges(self, ridges: impl IntoIterator<Item = f64>) -> Self {
        Self { ridges: ridges.into_iter().collect(), ..self }
    }

    /// The seed of subsets and folds of the samples. Default: 0.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The most trials. Default: 300, which a search hardly needs.
    pub fn trials(self, trials: usize) -> Self {
        Self { trials, ..self }
    }

    /// The time after which no other trial begins; one that has begun is finished. Default: none.
    pub fn time_limit(self, time: Duration) -> Self {
        Self { time: Some(time), ..self }
    }

    /// Asks for the smallest number of features, to within a tenth, that reaches a score; those of the parameters are
    /// the most. If they do not reach it, the result is the best setting with a [warning](Tuned::warnings).
    pub fn reach(self, score: f64) -> Self {
        Self { reach: Some(score), ..self }
    }

    /// Sets a function that is called after every trial. If it breaks, the search ends.
    pub fn progress(self, progress: &'a (dyn Fn(&Progress<'_>) -> ControlFlow<()> + Sync)) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Searches for the best accuracy of classes: a label per sample, of any type with an order.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] unless each sample has a label, [`Error::TooFewClasses`] for one class,
    /// [`Error::ClassCount`] for too many, [`Error::TooFewSamples`] if there are not at least two more than classes,
    /// [`Error::NothingToTry`] for an empty list or no trials, [`Error::Parameter`] for a width that is not positive, what
    /// [`Ridge::new`](crate::learn::Ridge::new) and
    /// [`Params::fit`] refuse, and what every setting refuses.
    pub fn tune_classes<L: Ord + Clone>(
        &self,
        samples: &dyn Batch,
        labels: &[L],
    ) -> Result<Tuned, Error> {
        check_count(samples, labels.len())?;
        let (known, classes) = classes_of(labels);
        self.tune_answers(samples, Answers::Classes(classes, known.len()))
    }

    /// Searches for the best R² of targets: a row per sample, a column per output.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] unless each sample has a row, [`Error::TargetNotFinite`] for NaN or infinity,
    /// [`Error::TooFewSamples`] for fewer than two samples, and as [`tune_classes`](Self::tune_classes).
    pub fn tune(&self, samples: &dyn Batch, targets: &Matrix<f32>) -> Result<Tuned, Error> {
        check_targets(samples.samples(), targets)?;
        self.tune_answers(samples, Answers::Targets(targets.clone()))
    }

    fn tune_answers(&self, samples: &dyn Batch, answers: Answers) -> Result<Tuned, Error> {
        batch::check_sizes(samples)?;
        let is_class = matches!(answers, Answers::Classes(..));
        let problem = Problem::new(samples, answers, self.seed);
        let (least, found) = (problem.least(), problem.len());
        if found < least {
            return Err(Error::TooFewSamples { least, found });
        }
        let preprocess = Preprocess::fit(samples, self.params.steps)?;
        let families = self.families(preprocess.tau())?;
        let mut ridges = self.ridges.clone();
        ridges.sort_by(f64::total_cmp);
        ridges.dedup();
        let mut search = Search {
            problem,
            params: self.params.clone(),
            preprocess,
            ridges,
            exhaustive: self.widths.is_some(),
            budget: Budget {
                trials: self.trials,
                time: self.time.map(|limit| (Instant::now(), limit)),
            },
            progress: self.progress,
            trials: Vec::new(),
        };
        let flow = search.run(families, self.widths.as_deref(), self.reach);
        Tuned::new(search, flow.is_break(), self.reach, is_class)
    }

    /// The first setting of each family, checked.
    fn families(&self, tau: f64) -> Result<Vec<Setting>, Error> {
        let gaussian = self.params.target.gaussian_gamma(tau).is_some();
        let default = [Policy::Periodic, Policy::FourBand, Policy::MinVariance];
        let default = &default[if gaussian { 0 } else { 1 }..];
        let policies = self.policies.as_deref().unwrap_or(default);
        for (what, is_empty) in [
            ("forms", self.forms.is_empty()),
            ("sparsities", self.sparsities.is_empty()),
            ("policies", policies.is_empty()),
            ("widths", self.widths.as_ref().is_some_and(Vec::is_empty)),
            ("ridge parameters", self.ridges.is_empty()),
            ("trials", self.trials == 0),
        ] {
            if is_empty {
                return Err(Error::NothingToTry { what });
            }
        }
        self.sparsities.iter().try_for_each(|&sparsity| Sparsity::new(sparsity).map(drop))?;
        self.ridges.iter().try_for_each(|&ridge| Ridge::new(ridge).map(drop))?;
        let bad = |width: &&f64| !(**width > 0.0 && width.is_finite());
        if let Some(&found) = self.widths.iter().flatten().find(bad) {
            let (name, expected) = ("width", "positive and finite");
            return Err(Error::Parameter { name, found, expected });
        }
        let mut families = Vec::new();
        for &policy in policies {
            for &form in &self.forms {
                let has_zeros = matches!(form, Form::Stored | Form::Seeded);
                let sparsities = if has_zeros { &self.sparsities[..] } else { &[0.0] };
                for &sparsity in sparsities {
                    let features = self.params.features;
                    families.push(Setting { form, sparsity, policy, width: 1.0, features });
                }
            }
        }
        Ok(families)
    }
}
