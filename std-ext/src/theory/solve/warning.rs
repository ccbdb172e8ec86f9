//! [`Warning`]: where the data or the sizes leave the range in which the theory is accurate.

use super::{Bands, Report};
use core::fmt;

/// The expected number of non-zero weights per row that makes a projection nearly normal: with fewer, structured weights
/// were more accurate on most tables, with more they were not.
pub const MIN_TERMS: f64 = 5.0;

/// The expected number of features per sample that each level should have.
pub const MIN_FIRINGS: f64 = 10.0;

/// The largest coefficient of variation of ‖x‖² that still counts as concentrated.
pub const MAX_VARIATION: f64 = 0.5;

/// The setting in which thresholds will be used.
///
/// ```
/// use ternion::theory::{Setting, Warning, solve};
/// use ternion::{Policy, Target};
///
/// let report = solve(&Target::gaussian_scale(), 1.0, Policy::MinVariance)?;
/// let mut setting = Setting { inputs: 784, features: 2048, sparsity: 2.0 / 3.0, norm_variation: 0.2, gamma: None };
/// assert!(report.warnings(&setting).is_empty());
///
/// setting.inputs = 12;
/// let warnings = report.warnings(&setting);
/// assert!(matches!(warnings[..], [Warning::FewTerms { .. }]));
/// println!("{}", warnings[0]);
/// # Ok::<(), ternion::theory::SolveError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Setting {
    /// p, the numbers per sample.
    pub inputs: usize,
    /// m, the features per sample.
    pub features: usize,
    /// ε, the probability of a zero weight.
    pub sparsity: f64,
    /// The standard deviation of ‖x‖² divided by its mean τ.
    pub norm_variation: f64,
    /// The ridge parameter γ meant for the target's kernel, if there is one.
    pub gamma: Option<f64>,
}

/// A reason to expect less from the features than the report promises.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Warning {
    /// (1−ε)p is small: projections are far from normal, and some rows may be empty. Rows that see all inputs, those of
    /// [`Form::Structured`](crate::Form::Structured), do better; a lower sparsity does not.
    FewTerms {
        /// (1−ε)p.
        terms: f64,
        /// [`MIN_TERMS`].
        least: f64,
        /// m·ε^p, the number of rows expected to have no weight at all.
        empty_rows: f64,
        /// p, which bounds (1−ε)p.
        inputs: usize,
    },
    /// m·P(level) is small: hardly any feature of a sample has this level. [`Policy::Automatic`](crate::Policy::Automatic)
    /// takes a function whose levels are more frequent.
    RareLevel {
        /// −1 or +1.
        level: i8,
        /// m·P(level).
        firings: f64,
        /// [`MIN_FIRINGS`].
        least: f64,
    },
    /// ‖x‖² varies so much between samples that one τ does not describe them. A periodic function, for Gaussian kernels,
    /// does not need that.
    SpreadNorms {
        /// Its coefficient of variation.
        variation: f64,
        /// [`MAX_VARIATION`].
        most: f64,
    },
    /// A few inputs have nearly all the variance, and samples are not standardised.
    MixedUnits {
        /// The [evenness](crate::fit::Statistics::evenness) of the inputs.
        evenness: f64,
        /// [`MIN_EVENNESS`](crate::fit::MIN_EVENNESS).
        least: f64,
    },
    /// γ + λ ≤ 0: no ridge parameter gives the ternary kernel the effect of γ.
    RidgeNotPositive {
        /// γ.
        gamma: f64,
        /// λ.
        lambda: f64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FewTerms { terms, least, empty_rows, inputs } => write!(
                f,
                "a feature sees {terms:.1} of {inputs} inputs on average, and {empty_rows:.0} features see none; \
                 sums of fewer than {least} are far from normal: use Form::Structured, where every feature sees all \
                 inputs"
            ),
            Self::RareLevel { level, firings, least } => write!(
                f,
                "only {firings:.1} features of a sample are expected to be {level:+}, fewer than {least}: \
                 use more features or Policy::Automatic"
            ),
            Self::SpreadNorms { variation, most } => write!(
                f,
                "squared norms vary by {variation:.2} of their mean, more than {most}, and thresholds suit samples \
                 of one norm: use Policy::Periodic if the target is a Gaussian kernel, Scaling::Row if not"
            ),
            Self::MixedUnits { evenness, least } => write!(
                f,
                "a few inputs have nearly all the variance (evenness {evenness:.4}, below {least}), so that the \
                 others hardly count: leave out .standardise(false)"
            ),
            Self::RidgeNotPositive { gamma, lambda } => {
                write!(
                    f,
                    "gamma + lambda = {gamma} + {lambda} is not positive: use a gamma above {}",
                    -lambda
                )
            }
        }
    }
}

impl Report {
    /// Reasons to expect less from these thresholds in `setting`; usually none.
    #[must_use]
    pub fn warnings(&self, setting: &Setting) -> Vec<Warning> {
        let Setting { inputs, features, sparsity, norm_variation, gamma } = *setting;
        let features = features as f64;
        let mut warnings = Vec::new();
        let terms = (1.0 - sparsity) * inputs as f64;
        if terms.is_nan() || terms < MIN_TERMS {
            let empty_rows = features * sparsity.powf(inputs as f64);
            warnings.push(Warning::FewTerms { terms, least: MIN_TERMS, empty_rows, inputs });
        }
        for (level, firings) in [(-1, features * self.p_minus), (1, features * self.p_plus)] {
            if firings < MIN_FIRINGS && !self.is_one_sided(level) {
                warnings.push(Warning::RareLevel { level, firings, least: MIN_FIRINGS });
            }
        }
        // The kernel of a periodic function depends on the distance of samples only.
        let needs_even_norms = !matches!(self.bands, Bands::Periodic { .. });
        if needs_even_norms && (norm_variation.is_nan() || norm_variation > MAX_VARIATION) {
            warnings.push(Warning::SpreadNorms { variation: norm_variation, most: MAX_VARIATION });
        }
        if let Some(gamma) = gamma
            && self.ridge(gamma).is_err()
        {
            warnings.push(Warning::RidgeNotPositive { gamma, lambda: self.lambda });
        }
        warnings
    }

    /// Whether an infinite threshold excludes `level`.
    fn is_one_sided(&self, level: i8) -> bool {
        match self.bands {
            Bands::Two { lower, upper } => (if level < 0 { lower } else { upper }).is_infinite(),
            Bands::Four { .. } | Bands::Periodic { .. } => false,
        }
    }
}
