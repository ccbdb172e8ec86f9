//! [`Search`]: the sequence of trials. See the module for it in words.

use super::problem::Problem;
use super::setting::{Setting, Trial, best};
use super::tuner::{Listener, Progress};
use crate::fit::{Params, Preprocess};
use std::f64::consts::SQRT_2;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// ⁴√2: a step of √2 in γ.
const FOURTH_ROOT: f64 = 1.189_207_115_002_721;

/// A part of the search: samples and families at most, and the factor between neighbouring widths.
struct Rung {
    samples: usize,
    families: usize,
    step: f64,
}

const RUNGS: [Rung; 4] = [
    Rung { samples: 512, families: usize::MAX, step: 2.0 },
    Rung { samples: 2048, families: 6, step: 2.0 },
    Rung { samples: 8192, families: 3, step: SQRT_2 },
    Rung { samples: usize::MAX, families: 2, step: FOURTH_ROOT },
];

/// The widest and the narrowest target, relative to the given one.
const WIDTHS: [f64; 2] = [1.0 / 32.0, 32.0];

/// Halvings of the number of features that the result is tried with.
const HALVINGS: u32 = 3;

/// Numbers of features are multiples of this, the bits of a word; and the fewest.
const WORD_FEATURES: usize = 64;

/// The search for the smallest number of features ends when the largest that fails is this share of it.
const CLOSE: f64 = 0.9;

/// What may be spent.
pub(super) struct Budget {
    pub(super) trials: usize,
    pub(super) time: Option<(Instant, Duration)>,
}

/// Trials done so far, and what the next ones need.
pub(super) struct Search<'a> {
    pub(super) problem: Problem<'a>,
    pub(super) params: Params,
    pub(super) preprocess: Preprocess,
    pub(super) ridges: Vec<f64>,
    /// Whether every ridge parameter is tried.
    pub(super) exhaustive: bool,
    pub(super) budget: Budget,
    pub(super) progress: Option<Listener<'a>>,
    pub(super) trials: Vec<Trial>,
}

/// Broken off when the budget is spent.
type Flow<T> = ControlFlow<(), T>;

impl Search<'_> {
    /// Tries the families, at the given widths or climbing; then the best setting with fewer features: a few numbers of
    /// them, or down to the smallest that reaches a score.
    pub(super) fn run(
        &mut self,
        families: Vec<Setting>,
        widths: Option<&[f64]>,
        reach: Option<f64>,
    ) -> Flow<()> {
        let best = match widths {
            None => self.climb_rungs(families)?,
            Some(widths) => self.try_all(families, widths)?,
        };
        match reach {
            None => self.halve(best),
            Some(score) => self.shrink(best, score),
        }
    }

    fn try_all(&mut self, families: Vec<Setting>, widths: &[f64]) -> Flow<Setting> {
        let at = |family: Setting| widths.iter().map(move |&width| Setting { width, ..family });
        let mut settings: Vec<Setting> = families.into_iter().flat_map(at).collect();
        for setting in &settings {
            self.trial(*setting, self.problem.len())?;
        }
        self.sort(&mut settings, self.problem.len());
        Flow::Continue(settings[0])
    }

    fn climb_rungs(&mut self, mut families: Vec<Setting>) -> Flow<Setting> {
        for rung in RUNGS {
            let samples = self.problem.len().min(rung.samples.max(self.problem.least()));
            families.truncate(rung.families);
            for setting in &families {
                self.trial(*setting, samples)?;
            }
            self.sort(&mut families, samples);
            for setting in &mut families {
                *setting = self.climb(*setting, samples, rung.step)?;
            }
            self.sort(&mut families, samples);
        }
        Flow::Continue(families[0])
    }

    /// Goes on to wider and to narrower targets for as long as they are better.
    fn climb(&mut self, mut best: Setting, samples: usize, step: f64) -> Flow<Setting> {
        let mut score = self.trial(best, samples)?;
        for factor in [step, step.recip()] {
            loop {
                let width = power_of_fourth_root(best.width * factor);
                if !(WIDTHS[0]..=WIDTHS[1]).contains(&width) {
                    break;
                }
                let next = Setting { width, ..best };
                let trial = self.trial(next, samples)?;
                if !trial.is_better(&score) {
                    break;
                }
                (best, score) = (next, trial);
            }
        }
        Flow::Continue(best)
    }

    /// Sorts settings that have been tried, best first.
    fn sort(&self, settings: &mut [Setting], samples: usize) {
        for first in 0..settings.len() {
            let left = settings[first..].iter().filter_map(|s| self.known(s, samples));
            let best = best(left).map(|trial| trial.setting);
            if let Some(place) = settings[first..].iter().position(|s| Some(*s) == best) {
                settings[first..=first + place].rotate_right(1);
            }
        }
    }

    /// Tries the best setting with a half, a fourth, … of its features.
    fn halve(&mut self, best: Setting) -> Flow<()> {
        for halvings in 1..=HALVINGS {
            let features = best.features >> halvings;
            if features >= WORD_FEATURES {
                self.trial(Setting { features, ..best }, self.problem.len())?;
            }
        }
        Flow::Continue(())
    }

    /// Halves the features while the score is reached, then bisects between success and failure.
    fn shrink(&mut self, best: Setting, score: f64) -> Flow<()> {
        let (mut enough, mut few) = (best.features, 0_usize);
        loop {
            let middle = if few == 0 { enough / 2 } else { few.midpoint(enough) };
            let features = middle.next_multiple_of(WORD_FEATURES);
            let is_close = few as f64 >= CLOSE * enough as f64;
            if is_close || features >= enough || features <= few {
                return Flow::Continue(());
            }
            let trial = self.trial(Setting { features, ..best }, self.problem.len())?;
            match reaches(&trial, score) {
                true => enough = features,
                false => few = features,
            }
        }
    }

    fn known(&self, setting: &Setting, samples: usize) -> Option<&Trial> {
        self.trials.iter().find(|trial| trial.samples == samples && trial.setting == *setting)
    }

    /// Tries a setting, unless it is known.
    fn trial(&mut self, setting: Setting, samples: usize) -> Flow<Trial> {
        if let Some(known) = self.known(&setting, samples) {
            return Flow::Continue(known.clone());
        }
        let is_late = self.budget.time.is_some_and(|(start, limit)| start.elapsed() >= limit);
        // Without a first trial there is no result at all.
        if self.trials.len() >= self.budget.trials || is_late && !self.trials.is_empty() {
            return Flow::Break(());
        }
        let ternary = self.params(&setting).fit_preprocess(self.preprocess.clone());
        let start = (!self.exhaustive).then(|| self.ridge_to_start_from(&setting));
        let validate = |ternary| self.problem.validate(&ternary, samples, &self.ridges, start);
        let validation = ternary.and_then(validate);
        let trial = Trial { setting, samples, validation };
        self.trials.push(trial.clone());
        if let Some(progress) = self.progress {
            let (done, most) = (self.trials.len(), self.budget.trials);
            progress(&Progress { done, most, trial: &trial })?;
        }
        Flow::Continue(trial)
    }

    /// The ridge parameter that did best in the last trial of the family, or else of all; the middle one before the
    /// first trial.
    fn ridge_to_start_from(&self, setting: &Setting) -> usize {
        let last = |is_near: &dyn Fn(&Trial) -> bool| {
            let near = self.trials.iter().rev().filter(|trial| is_near(trial));
            near.filter_map(|trial| trial.validation.as_ref().ok()).map(|v| v.ridge).next()
        };
        let of_family = last(&|trial| trial.setting.is_of_family(setting));
        let known = of_family.or_else(|| last(&|_| true));
        let index = |ridge| self.ridges.iter().position(|&other| other == ridge);
        known.and_then(index).unwrap_or(self.ridges.len() / 2)
    }

    /// The parameters of a setting.
    pub(super) fn params(&self, setting: &Setting) -> Params {
        let Setting { form, sparsity, policy, features, .. } = *setting;
        let target = setting.target(&self.params.target, self.preprocess.tau());
        let params = self.params.clone().features(features).target(target);
        params.form(form).policy(policy).sparsity(sparsity)
    }
}

/// Whether a trial has at least this score.
pub(super) fn reaches(trial: &Trial, score: f64) -> bool {
    trial.validation.as_ref().is_ok_and(|validation| validation.score >= score)
}

/// The nearest power of ⁴√2: what the same steps lead to in any order.
fn power_of_fourth_root(width: f64) -> f64 {
    let steps = (4.0 * width.log2()).round() as i32;
    let rest = [1.0, FOURTH_ROOT, SQRT_2, SQRT_2 * FOURTH_ROOT][steps.rem_euclid(4) as usize];
    2_f64.powi(steps.div_euclid(4)) * rest
}
