//! Thresholds for any target.
//!
//! Ternary features imitate a target when their d1 and d2 match the target's (see
//! [`moments`](crate::theory)). Two thresholds and an output scale α are three numbers for two
//! conditions, so a one-parameter family matches; a [`Policy`] says which member to take. [`solve`]
//! finds it exactly, for every target with d1 > 0, and says in a [`Report`] what was matched and at
//! what price. Even targets have d1 = 0 and need [`Policy::FourBand`].
//!
//! ```
//! use ternion::theory::solve;
//! use ternion::{Policy, Target};
//!
//! let report = solve(&Target::gaussian_scale(), 1.0, Policy::default())?;
//! assert!((report.achieved.d2 / report.asked.d2 - 1.0).abs() < 1e-12);
//! # Ok::<(), ternion::theory::SolveError>(())
//! ```

mod bands;
mod error;
mod family;
mod four;
mod normal;
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
pub use warning::{FEWEST_FIRINGS, FEWEST_TERMS, LARGEST_VARIATION, Setting, Warning};

use crate::theory::moments::Target;
use problem::Problem;

/// Thresholds that imitate `target` for samples whose squared norms average `tau`.
///
/// Costs some ten microseconds, plus the quadrature of a closure.
///
/// # Errors
///
/// Everything [`Target::moments`] refuses; [`SolveError::NothingToMatch`] where d1 = d2 = 0, and by
/// policy [`SolveError::EvenTarget`], [`SolveError::RatioTooLarge`],
/// [`SolveError::UnitInfeasible`], [`SolveError::BadThresholds`], [`SolveError::NeverFires`] and
/// [`SolveError::NoCommonPart`].
pub fn solve(target: &Target, tau: f64, policy: Policy) -> Result<Report, SolveError> {
    let problem = Problem::new(target, tau)?;
    match policy {
        Policy::MinVariance => problem.min_variance(),
        Policy::MatchD0 => problem.match_d0(),
        Policy::Unit => Ok(problem.unit()?.swap_remove(0)),
        Policy::FourBand => problem.four_band(),
        Policy::Fixed { lower, upper } => problem.fixed(lower, upper),
    }
}

/// Every pair of thresholds with outputs of exactly ±1 that matches d1 and d2, quietest first: one,
/// or three where ρ < 0.2947 and b1 is between the folds.
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
