//! [`Setting`] and [`Trial`]: what is tried, and what came of it.

use crate::{Error, Form, Policy, Target};
use core::fmt;

/// Everything that is searched but the ridge parameter, of which every trial finds the best.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Setting {
    /// What W is.
    pub form: Form,
    /// The probability of a zero weight; 0 for forms without zeros.
    pub sparsity: f64,
    /// Which ternary function imitates the target.
    pub policy: Policy,
    /// How many times wider than the given target the one that is imitated is: samples are divided by it. γ of a
    /// Gaussian kernel is divided by its square.
    pub width: f64,
    /// The number of features.
    pub features: usize,
}

impl Setting {
    /// Whether two settings differ in nothing but width and features.
    pub(super) fn is_of_family(&self, other: &Self) -> bool {
        let family = |s: &Self| (s.form, s.sparsity.to_bits(), s.policy);
        family(self) == family(other)
    }

    /// Form, sparsity and policy in words.
    pub(super) fn family(&self) -> String {
        let form = match self.form {
            Form::Stored | Form::Seeded => format!("independent {:.2}", self.sparsity),
            Form::Structured => "all inputs".into(),
            Form::Boxes(_) => "boxes".into(),
            Form::Subsets { least, most } => format!("subsets {least}..{most}"),
        };
        format!("{form}, {}", self.policy)
    }

    /// The target of this width: a given one, for samples with the given mean of ‖x‖².
    pub(super) fn target(&self, given: &Target, tau: f64) -> Target {
        match given.gaussian_gamma(tau) {
            // Gamma "scale" has no width of its own: it follows the samples.
            Some(gamma) => Target::gaussian(gamma / square(self.width)),
            None => given.clone().scaled(self.width.recip()),
        }
    }
}

/// The square of a width. That of a power of √2 is a power of 2, which γ should not miss by rounding.
fn square(width: f64) -> f64 {
    let (square, power) = (width * width, 2.0 * width.log2());
    if (power - power.round()).abs() < 1e-12 { 2_f64.powi(power.round() as i32) } else { square }
}

/// Family, width and number of features.
impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, width {:.3}, {} features", self.family(), self.width, self.features)
    }
}

/// A setting that was tried on some samples.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Trial {
    /// What was tried.
    pub setting: Setting,
    /// Samples that it was tried on.
    pub samples: usize,
    /// How it did; an error if a fit refused the setting, as one for a kernel too narrow to be imitated.
    pub validation: Result<Validation, Error>,
}

/// How a setting did with its best ridge parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Validation {
    /// The ridge parameter, as of [`Ridge::new`](crate::learn::Ridge::new).
    pub ridge: f64,
    /// The accuracy of classes, or R² of targets.
    pub score: f64,
    /// The mean squared error of a predicted target; of classes, of targets of ±1.
    pub square_error: f64,
    /// Samples that were predicted by models which had not seen them.
    pub predicted: usize,
    /// The standard error of an accuracy; zero for R².
    pub standard_error: f64,
}

impl Validation {
    /// Whether this one is better than another: a higher score or, where scores differ by less than half a standard
    /// error, a smaller squared error, which varies less from sample to sample.
    pub(super) fn is_better(&self, other: &Self) -> bool {
        let margin = 0.5 * self.standard_error.max(other.standard_error);
        let difference = self.score - other.score;
        match difference.abs() > margin {
            true => difference > 0.0,
            false => self.square_error < other.square_error,
        }
    }
}

impl Trial {
    /// Whether this trial is better than another. One that was refused is worse than any other.
    pub(super) fn is_better(&self, other: &Self) -> bool {
        match (&self.validation, &other.validation) {
            (Ok(one), Ok(other)) => one.is_better(other),
            (one, other) => one.is_ok() && other.is_err(),
        }
    }

    /// The score to sort by; that of a refused trial is below all others.
    pub(super) fn score(&self) -> f64 {
        self.validation.as_ref().map_or(f64::NEG_INFINITY, |validation| validation.score)
    }
}

/// The best of some trials: the one with the smallest squared error of those that the highest score does not beat, the
/// first of equals.
pub(super) fn best<'a>(trials: impl Iterator<Item = &'a Trial> + Clone) -> Option<&'a Trial> {
    let highest = trials.clone().reduce(|a, b| if b.score() > a.score() { b } else { a })?;
    let near = trials.filter(|trial| !highest.is_better(trial));
    let error = |trial: &Trial| trial.validation.as_ref().map_or(f64::MAX, |v| v.square_error);
    near.reduce(|a, b| if error(b) < error(a) { b } else { a })
}
