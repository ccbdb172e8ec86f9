//! [`Policy`]: which of the matching ternary functions to take, and its name.

use super::SolveError;
use core::fmt;
use core::str::FromStr;

/// Which of the matching ternary functions to take.
///
/// Policies print as they parse: `automatic`, `min-variance`, `match-d0`, `unit`, `four-band`, `periodic` and
/// `fixed:-0.5,1`.
///
/// ```
/// use ternion::Policy;
///
/// assert_eq!("match-d0".parse(), Ok(Policy::MatchD0));
/// assert_eq!(Policy::Fixed { lower: -0.5, upper: 1.0 }.to_string(), "fixed:-0.5,1");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Policy {
    /// [`Periodic`](Self::Periodic) for Gaussian kernels, unless they are too wide or too narrow for it, and
    /// [`FourBand`](Self::FourBand) for all other targets. The report names the policy that was taken.
    #[default]
    Automatic,
    /// The two thresholds with the least noise in the Gram matrix, the smallest R = V/b1². Feasible for every d1 > 0.
    MinVariance,
    /// Two thresholds with λ = 0, so that even the diagonal matches. If R cannot be as small as the target's, the
    /// report is that of [`MinVariance`](Self::MinVariance) and says so in its `policy` and λ.
    MatchD0,
    /// Two thresholds with α = 1, outputs of exactly ±1. Feasible for b1 ≤ 2φ(ρ).
    Unit,
    /// Four thresholds, +1 outside and −1 in the middle, with the least variance of all ternary functions that match.
    /// Feasible for every target, even ones included. From ρ = 1 on much less noisy than two thresholds, for two more
    /// comparisons per feature. For ρ < 0.25 the outer bands are empty and the report is that of
    /// [`MinVariance`](Self::MinVariance).
    FourBand,
    /// A cosine as a trit, with a random phase for each feature: the limit is the Gaussian kernel itself, not one with
    /// the same moments, plus a multiple of the identity. For Gaussian kernels only.
    Periodic,
    /// These two thresholds, in the unit of wᵀx. α matches d1, or d2 for an even target; the rest is reported as it
    /// comes out.
    Fixed {
        /// s₋.
        lower: f64,
        /// s₊ ≥ s₋.
        upper: f64,
    },
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Automatic => f.write_str("automatic"),
            Self::MinVariance => f.write_str("min-variance"),
            Self::MatchD0 => f.write_str("match-d0"),
            Self::Unit => f.write_str("unit"),
            Self::FourBand => f.write_str("four-band"),
            Self::Periodic => f.write_str("periodic"),
            Self::Fixed { lower, upper } => write!(f, "fixed:{lower},{upper}"),
        }
    }
}

impl FromStr for Policy {
    type Err = SolveError;

    fn from_str(name: &str) -> Result<Self, SolveError> {
        let fixed = || {
            let (lower, upper) = name.strip_prefix("fixed:")?.split_once(',')?;
            Some(Self::Fixed { lower: lower.parse().ok()?, upper: upper.parse().ok()? })
        };
        let plain = [
            Self::Automatic,
            Self::MinVariance,
            Self::MatchD0,
            Self::Unit,
            Self::FourBand,
            Self::Periodic,
        ];
        plain
            .into_iter()
            .find(|policy| policy.to_string() == name)
            .or_else(fixed)
            .ok_or_else(|| SolveError::UnknownPolicy { name: name.to_owned() })
    }
}
