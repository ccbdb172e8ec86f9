//! Thresholds for any target.
//!
//! Ternary features imitate a target when their d1 and d2 match the target's (see [`moments`](crate::moments)). Two
//! thresholds and an output scale α are three numbers for two conditions, so a one-parameter family matches; a
//! [`Policy`] says which member to take. [`solve`] finds it exactly, for every target with d1 > 0, and says in a
//! [`Report`] what was matched and at what price. Even targets have d1 = 0 and need [`Policy::FourBand`].
//!
//! ```
//! use ternion::moments::Target;
//! use ternion::solve::{Policy, solve};
//!
//! let report = solve(&Target::gaussian_scale(), 1.0, Policy::default())?;
//! assert!((report.achieved.d2 / report.asked.d2 - 1.0).abs() < 1e-12);
//! # Ok::<(), ternion::solve::SolveError>(())
//! ```

mod bands;
mod error;
mod family;
mod four;
mod normal;
mod policy;
mod report;
mod root;
mod two;
mod warning;

pub use bands::Bands;
pub use error::SolveError;
pub use policy::Policy;
pub use report::Report;
pub use warning::{FEWEST_FIRINGS, FEWEST_TERMS, LARGEST_VARIATION, Setting, Warning};

use crate::moments::{Moments, Target};
use family::{Family, Member};

/// The largest ρ for which two bands are representable: φ(ρ) and what is divided by it stay inside f64.
const LARGEST_RHO: f64 = 36.0;

/// Thresholds that imitate `target` for samples whose squared norms average `tau`.
///
/// Costs some ten microseconds, plus the quadrature of a closure.
///
/// # Errors
///
/// Everything [`Target::moments`] refuses; [`SolveError::NothingToMatch`] where d1 = d2 = 0, and by policy
/// [`SolveError::EvenTarget`], [`SolveError::RatioTooLarge`], [`SolveError::UnitInfeasible`],
/// [`SolveError::BadThresholds`], [`SolveError::NeverFires`] and [`SolveError::NoCommonPart`].
pub fn solve(target: &Target, tau: f64, policy: Policy) -> Result<Report, SolveError> {
    let asked = target.moments(tau)?;
    if let Policy::Fixed { lower, upper } = policy {
        return fixed(lower, upper, tau, asked);
    }
    if policy == Policy::FourBand {
        check_substance(&asked, tau)?;
        // The comparison is also true for the infinite ρ of an even target.
        if asked.rho(tau) >= four::SMALLEST_RHO {
            return Ok(four_band(tau, asked));
        }
    }
    let family = family(&asked, tau)?;
    let b1 = asked.b1(tau);
    let (member, policy) = match policy {
        Policy::Unit => return Ok(unit_reports(&family, &asked, tau)?.swap_remove(0)),
        Policy::MatchD0 => match two::match_variance(&family, 1.0 + asked.d0 / b1 / b1) {
            Some(member) => (member, policy),
            None => (two::min_variance(&family), Policy::MinVariance),
        },
        _ => (two::min_variance(&family), Policy::MinVariance),
    };
    Ok(report(&member, b1 / member.profile.first, tau, policy, asked))
}

/// Every pair of thresholds with outputs of exactly ±1 that matches d1 and d2, quietest first: one, or three where
/// ρ < 0.2947 and b1 is between the folds.
///
/// ```
/// use ternion::moments::Target;
/// use ternion::solve::unit_solutions;
///
/// // b1 = 0.45, ρ = 0.
/// let reports = unit_solutions(&Target::raw(1.0, 0.45 * 0.45, 0.0), 1.0)?;
/// assert_eq!(reports.len(), 3);
/// # Ok::<(), ternion::solve::SolveError>(())
/// ```
///
/// # Errors
///
/// As [`solve`] with [`Policy::Unit`].
pub fn unit_solutions(target: &Target, tau: f64) -> Result<Vec<Report>, SolveError> {
    let asked = target.moments(tau)?;
    unit_reports(&family(&asked, tau)?, &asked, tau)
}

fn unit_reports(family: &Family, asked: &Moments, tau: f64) -> Result<Vec<Report>, SolveError> {
    let b1 = asked.b1(tau);
    let members = two::unit(family, b1);
    if members.is_empty() {
        let bound = family.sign().profile.first;
        return Err(SolveError::UnitInfeasible { b1, bound, rho: asked.rho(tau) });
    }
    Ok(members.iter().map(|member| report(member, 1.0, tau, Policy::Unit, *asked)).collect())
}

/// The two-band family of these moments, where there is one.
fn family(asked: &Moments, tau: f64) -> Result<Family, SolveError> {
    check_substance(asked, tau)?;
    if asked.d1 < f64::MIN_POSITIVE {
        return Err(SolveError::EvenTarget { d2: asked.d2 });
    }
    let rho = asked.rho(tau);
    if rho > LARGEST_RHO {
        return Err(SolveError::RatioTooLarge { rho, largest: LARGEST_RHO });
    }
    Ok(Family::new(rho))
}

/// Subnormal moments have lost their digits: they count as zero.
fn check_substance(asked: &Moments, tau: f64) -> Result<(), SolveError> {
    if asked.d1 < f64::MIN_POSITIVE && asked.d2 < f64::MIN_POSITIVE {
        return Err(SolveError::NothingToMatch { d0: asked.d0, tau });
    }
    Ok(())
}

fn report(member: &Member, alpha: f64, tau: f64, policy: Policy, asked: Moments) -> Report {
    let scale = tau.sqrt();
    let bands = Bands::Two { lower: scale * member.lower, upper: scale * member.upper };
    Report::new(bands, alpha, tau, policy, asked)
}

fn four_band(tau: f64, asked: Moments) -> Report {
    let (b1, b2) = (asked.b1(tau), asked.b2(tau));
    let u = four::thresholds(b1, b2);
    let [outer_lower, inner_lower, inner_upper, outer_upper] = u.map(|u| tau.sqrt() * u);
    let bands = Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper };
    let alpha = b2 / bands.profile(tau).second;
    Report::new(bands, alpha, tau, Policy::FourBand, asked)
}

fn fixed(lower: f64, upper: f64, tau: f64, asked: Moments) -> Result<Report, SolveError> {
    if lower.is_nan() || upper.is_nan() || lower > upper {
        return Err(SolveError::BadThresholds { lower, upper });
    }
    check_substance(&asked, tau)?;
    let bands = Bands::Two { lower, upper };
    let profile = bands.profile(tau);
    if profile.first < f64::MIN_POSITIVE {
        return Err(SolveError::NeverFires { lower, upper, tau });
    }
    let alpha = if asked.d1 >= f64::MIN_POSITIVE {
        asked.b1(tau) / profile.first
    } else if profile.second != 0.0 {
        asked.b2(tau) / profile.second.abs()
    } else {
        return Err(SolveError::NoCommonPart { d2: asked.d2 });
    };
    Ok(Report::new(bands, alpha, tau, Policy::Fixed { lower, upper }, asked))
}
