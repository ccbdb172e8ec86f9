//! [`Tuned`]: the parameters that were chosen, and what was tried.

use super::picture;
use super::search::{Search, reaches};
use super::setting::{Setting, Trial, Validation, best};
use crate::fit::Params;
use crate::learn::Ridge;
use crate::{Error, Target};
use core::fmt;

/// The result of a search: [parameters](Self::params) and a [ridge](Self::ridge) to fit an estimator with.
///
/// Printing it shows what was chosen, every trial on the most samples, and the best trial of each family on fewer; with
/// `{:#}`, every trial in order.
///
/// ```
/// use ternion::learn::TernaryRegressor;
/// use ternion::tune::Tuner;
/// use ternion::{Matrix, Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..200 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let y = Matrix::from_vec(200, 1, x.chunks(8).map(|x| x[0] * x[1] + x[2]).collect())?;
/// let samples = Samples::new(&x, 8)?;
///
/// let tuned = Tuner::new(TernaryFeatures::params(256)).trials(20).tune(&samples, &y)?;
/// println!("{tuned}");
/// let picture: String = tuned.svg(); // std::fs::write("tuned.svg", picture)
/// let model = TernaryRegressor::fit(tuned.params(), tuned.ridge(), &samples, &y)?;
/// # assert!(picture.ends_with("</svg>\n") && model.score(&samples, &y)? > tuned.score());
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tuned {
    params: Params,
    ridge: Ridge,
    target: Target,
    trials: Vec<Trial>,
    best: Trial,
    validation: Validation,
    warnings: Vec<Warning>,
    pub(super) reach: Option<f64>,
    pub(super) is_class: bool,
}

/// A reason to search on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// The budget was spent before the search was over.
    Ended {
        /// Trials done.
        trials: usize,
    },
    /// The most features do not reach the score that was asked for.
    NotReached {
        /// The score asked for.
        wanted: f64,
        /// The best score.
        found: f64,
        /// The most features.
        features: usize,
    },
    /// The best ridge parameter is the smallest or the largest that was tried.
    RidgeAtEdge {
        /// It.
        ridge: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended { trials } => write!(
                f,
                "the budget ended the search after {trials} trials: raise it to try what is left"
            ),
            Self::NotReached { wanted, found, features } => write!(
                f,
                "{features} features reach {found:.4}, not {wanted}: give more features, or ask for less"
            ),
            Self::RidgeAtEdge { ridge } => {
                write!(
                    f,
                    "the best ridge parameter, {ridge}, is at the edge of those tried: try beyond it"
                )
            }
        }
    }
}

impl Tuned {
    /// Chooses among the trials of a search.
    pub(super) fn new(
        search: Search<'_>,
        ended: bool,
        reach: Option<f64>,
        is_class: bool,
    ) -> Result<Self, Error> {
        // More samples first; then all features, so that fewer win only by reaching the score.
        let most = search.params.features;
        let rank = |trial: &Trial| (trial.samples, trial.setting.features == most);
        let valid = search.trials.iter().filter(|trial| trial.validation.is_ok());
        let highest = valid.clone().map(rank).max();
        let Some(best) = best(valid.filter(|trial| Some(rank(trial)) == highest)) else {
            let refused = search.trials.into_iter().find_map(|trial| trial.validation.err());
            return Err(refused.unwrap_or(Error::NothingToTry { what: "trials" }));
        };
        let enough = |trial: &&Trial| {
            trial.samples == best.samples && reach.is_some_and(|score| reaches(trial, score))
        };
        let fewest = search.trials.iter().filter(enough).min_by_key(|trial| trial.setting.features);
        let best = fewest.unwrap_or(best).clone();
        let validation = best.validation.clone()?;
        let mut warnings = Vec::new();
        if ended {
            warnings.push(Warning::Ended { trials: search.trials.len() });
        }
        if let Some(wanted) = reach.filter(|&wanted| validation.score < wanted) {
            let (found, features) = (validation.score, best.setting.features);
            warnings.push(Warning::NotReached { wanted, found, features });
        }
        let ridge = validation.ridge;
        let is_least = search.ridges.iter().all(|&other| other >= ridge);
        let is_most = search.ridges.iter().all(|&other| other <= ridge);
        if is_least != is_most {
            warnings.push(Warning::RidgeAtEdge { ridge });
        }
        let params = search.params(&best.setting);
        Ok(Self {
            target: params.target.clone(),
            params,
            ridge: Ridge::new(ridge)?,
            trials: search.trials,
            best,
            validation,
            warnings,
            reach,
            is_class,
        })
    }

    /// Parameters for a fit: those that were given, with what was found.
    pub fn params(&self) -> Params {
        self.params.clone()
    }

    /// The ridge that goes with them.
    pub fn ridge(&self) -> Ridge {
        self.ridge
    }

    /// The setting that was chosen.
    pub fn setting(&self) -> &Setting {
        &self.best.setting
    }

    /// How the setting did.
    pub fn validation(&self) -> &Validation {
        &self.validation
    }

    /// Its score: the accuracy of classes, or R² of targets, on samples that its models had not seen.
    pub fn score(&self) -> f64 {
        self.validation.score
    }

    /// Everything that was tried, in order.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// Reasons to search on: a budget that was too small, a score that was not reached, a ridge parameter at the edge.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// A picture of the scores: against the width, for each family, and against the number of features.
    pub fn svg(&self) -> String {
        picture::draw(self)
    }

    /// The name of the score.
    pub(super) fn measure(&self) -> &'static str {
        if self.is_class { "accuracy" } else { "R²" }
    }

    /// The trials that are printed, unless all are: those on the most samples, and the best of each family on fewer.
    fn leading(&self) -> Vec<&Trial> {
        let most = self.best.samples;
        let is_leading = |trial: &&Trial| {
            let rivals = self.trials.iter().filter(|other| {
                other.samples == trial.samples && other.setting.is_of_family(&trial.setting)
            });
            trial.samples >= most || best(rivals) == Some(trial)
        };
        let mut leading: Vec<&Trial> = self.trials.iter().filter(is_leading).collect();
        leading.sort_by(|a, b| b.samples.cmp(&a.samples).then(b.score().total_cmp(&a.score())));
        leading
    }
}

impl fmt::Display for Tuned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (setting, validation) = (self.setting(), &self.validation);
        write!(f, "{} {:.4}", self.measure(), validation.score)?;
        if self.is_class {
            write!(f, " ± {:.4}", validation.standard_error)?;
        }
        writeln!(f, " on {} samples that its models had not seen", validation.predicted)?;
        writeln!(f, "chosen      {}", setting.family())?;
        writeln!(f, "target      {}, width {:.3}", self.target, setting.width)?;
        writeln!(f, "features    {}", setting.features)?;
        writeln!(f, "ridge       {}", validation.ridge)?;
        for warning in &self.warnings {
            writeln!(f, "warning     {warning}")?;
        }
        let shown = if f.alternate() { self.trials.iter().collect() } else { self.leading() };
        writeln!(f, "\n{} of {} trials:", shown.len(), self.trials.len())?;
        let (measure, error) = (self.measure(), "error");
        writeln!(
            f,
            "samples  features  form, sparsity, policy           width   ridge  {measure:>8}  {error:>8}"
        )?;
        for Trial { setting, samples, validation } in shown {
            let (family, features, width) = (setting.family(), setting.features, setting.width);
            write!(f, "{samples:>7}  {features:>8}  {family:<30} {width:>7.3} ")?;
            match validation {
                Ok(Validation { ridge, score, square_error, .. }) => {
                    let error = square_error.sqrt();
                    writeln!(f, "{ridge:>7}  {score:>8.4}  {error:>8.4}")?;
                }
                Err(error) => writeln!(f, "  refused: {error}")?,
            }
        }
        write!(f, "error is the root mean square of predicted targets")?;
        if self.is_class { write!(f, ", which are ±1 for classes") } else { Ok(()) }
    }
}
