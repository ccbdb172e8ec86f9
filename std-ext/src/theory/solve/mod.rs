//! Thresholds that imitate a target.
//!
//! Ternary features imitate a target when their d1 and d2 match the target's. Two thresholds and an output scale α are
//! three numbers for two conditions, so a one-parameter family matches, and a [`Policy`] says which member to take. The
//! paper fixes α = 1, where many targets have no solution; with α free, every target with d1 > 0 has one. Even targets
//! have d1 = 0 and need [`Policy::FourBand`]. [`theory`](crate::theory) states the equations.
//!
//! | file | contents |
//! |---|---|
//! | `policy`, `problem` | which member to take; the target's moments and how each policy answers them |
//! | `bands` | the ternary function and its moments |
//! | `family`, `two` | two thresholds: the family in closed form, and its members by policy |
//! | `four` | four thresholds, by Newton's method |
//! | `periodic` | a cosine as a trit, for Gaussian kernels |
//! | `report`, `warning`, `error` | what was matched, what to expect less of, what is refused |
//! | `normal`, `root` | the normal distribution; bisection |

mod bands;
mod error;
mod family;
mod four;
mod normal;
mod periodic;
pub(crate) mod policy;
mod problem;
mod report;
mod root;
mod two;
mod warning;

pub use bands::Bands;
pub use error::SolveError;
pub(crate) use policy::Policy;
pub use report::Report;
pub use warning::{MAX_VARIATION, MIN_FIRINGS, MIN_TERMS, Setting, Warning};

use crate::theory::moments::Target;
use problem::Problem;

/// Thresholds that imitate `target` for samples whose squared norms average `tau`.
///
/// Takes some ten microseconds, plus the quadrature of a closure.
///
/// ```
/// use ternion::theory::{Bands, solve};
/// use ternion::{Policy, Target};
///
/// let report = solve(&Target::relu(), 1.0, Policy::MinVariance)?;
/// assert!(matches!(report.bands, Bands::Two { lower, upper } if lower < upper));
/// assert!((report.asked.d1 - report.achieved.d1).abs() < 1e-12);
/// # Ok::<(), ternion::theory::SolveError>(())
/// ```
///
/// # Errors
///
/// Everything [`Target::moments`] refuses; [`SolveError::NothingToMatch`] if d1 = d2 = 0; and, depending on the policy,
/// [`SolveError::EvenTarget`], [`SolveError::RatioTooLarge`],
/// [`SolveError::UnitInfeasible`], [`SolveError::NotGaussian`], [`SolveError::WidthOutOfRange`],
/// [`SolveError::BadThresholds`], [`SolveError::NeverFires`] and [`SolveError::NoCommonPart`].
pub fn solve(target: &Target, tau: f64, policy: Policy) -> Result<Report, SolveError> {
    let problem = || Problem::new(target, tau);
    match policy {
        Policy::Automatic => match periodic::solve(target, tau) {
            Err(SolveError::NotGaussian { .. } | SolveError::WidthOutOfRange { .. }) => {
                problem()?.four_band()
            }
            periodic => periodic,
        },
        Policy::MinVariance => problem()?.min_variance(),
        Policy::MatchD0 => problem()?.match_d0(),
        Policy::Unit => Ok(problem()?.unit()?.swap_remove(0)),
        Policy::FourBand => problem()?.four_band(),
        Policy::Periodic => periodic::solve(target, tau),
        Policy::Fixed { lower, upper } => problem()?.fixed(lower, upper),
    }
}

/// Every pair of thresholds with outputs of exactly ±1 that matches d1 and d2, the least noisy first. There is one
/// pair, or three where ρ < 0.2947 and b1 is between the folds.
///
/// ```
/// use ternion::theory::unit_solutions;
/// use ternion::Target;
///
/// // b1 = 0.45, ρ = 0.
/// let reports = unit_solutions(&Target::raw(1.0, 0.45 * 0.45, 0.0), 1.0)?;
/// assert_eq!(reports.len(), 3);
/// # Ok::<(), ternion::theory::SolveError>(())
/// ```
///
/// # Errors
///
/// As [`solve`] with [`Policy::Unit`].
pub fn unit_solutions(target: &Target, tau: f64) -> Result<Vec<Report>, SolveError> {
    Problem::new(target, tau)?.unit()
}
