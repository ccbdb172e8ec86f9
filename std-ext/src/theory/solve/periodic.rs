//! The periodic ternary function: a Gaussian kernel is imitated by its own Fourier features.
//!
//! With f² = 2γ and a uniform phase b, E cos(f·wᵀx + b)·cos(f·wᵀy + b) = ½·exp(−γ‖x−y‖²) for normal w. A trit that is
//! +1 where the cosine is above ½ and −1 where it is below −½ has the Fourier coefficients a₁ = 2√3/π and aₖ = ±a₁/k
//! for k = 5, 7, 11, …, and none else, so its kernel is Σ aₖ²/2·exp(−k²γ‖x−y‖²): the Gaussian, and kernels at least 25
//! times as narrow, which only matter on the diagonal.

use core::f64::consts::TAU;

use super::bands::POWER;
use super::{Bands, Policy, Report, SolveError};
use crate::theory::moments::Target;

/// The least and the largest γτ. Below, sums hardly leave one place of a period; above, they span so many periods that
/// 16 bits are too few. Kernels of such widths are useless long before.
const GAMMA_TAU: (f64, f64) = (1.0 / 8192.0, 256.0);

/// The period that makes the kernel of the first harmonic the target, and the α that gives it its size.
pub(super) fn solve(target: &Target, tau: f64) -> Result<Report, SolveError> {
    let asked = target.moments(tau)?;
    let gamma = target.gaussian_gamma(tau);
    let gamma = gamma.ok_or_else(|| SolveError::NotGaussian { target: target.to_string() })?;
    let (least, most) = GAMMA_TAU;
    if !(least..=most).contains(&(gamma * tau)) {
        return Err(SolveError::WidthOutOfRange { gamma, tau, least, most });
    }
    let bands = Bands::Periodic { period: TAU / (2.0 * gamma).sqrt() };
    Ok(Report::new(bands, POWER.sqrt().recip(), tau, Policy::Periodic, asked))
}
