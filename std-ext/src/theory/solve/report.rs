//! [`Report`]: the solved thresholds, and how well they match.

use super::{Bands, Policy, SolveError};
use crate::theory::moments::Moments;
use core::fmt;

/// Thresholds that imitate a target, and how well they match it.
///
/// The features σ(wᵀx) ∈ {−1, 0, +1} never see `alpha` or `lambda`: α²·(1/m)ΣᵀΣ + λI imitates the
/// target's centred kernel, so both fold into the ridge parameter by [`ridge`](Self::ridge).
///
/// ```
/// use ternion::theory::{Bands, solve};
/// use ternion::{Policy, Target};
///
/// let report = solve(&Target::relu(), 1.0, Policy::MinVariance)?;
/// let Bands::Two { lower, upper } = report.bands else { unreachable!() };
/// assert!((lower - 0.534750477591).abs() < 1e-11);
/// assert!((upper - 1.460917238342).abs() < 1e-11);
/// println!("{report}");
/// # Ok::<(), ternion::theory::SolveError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Report {
    /// The thresholds.
    pub bands: Bands,
    /// α, the output scale at which d1 and d2 match.
    pub alpha: f64,
    /// λ = d0 asked − d0 achieved: the multiple of the identity that is missing from the ternary kernel.
    pub lambda: f64,
    /// τ, the mean of ‖x‖².
    pub tau: f64,
    /// The policy that chose the thresholds: never [`Policy::Automatic`], and [`Policy::MinVariance`] where
    /// [`Policy::MatchD0`] is out of reach.
    pub policy: Policy,
    /// The target's moments.
    pub asked: Moments,
    /// The moments of α·σ.
    pub achieved: Moments,
    /// ρ = b2/b1 of the target; +∞ for an even one.
    pub rho: f64,
    /// R = V/b1² of the ternary function, to which the noise of Gram entries is proportional. +∞ for an even function.
    pub variance_ratio: f64,
    /// V/(b1² + b2²/2) of the ternary function, at least 1: the variance relative to that of the matched parts.
    pub excess: f64,
    /// P(+1).
    pub p_plus: f64,
    /// P(−1).
    pub p_minus: f64,
}

impl Report {
    /// The report of `bands` at output scale `alpha`.
    pub(crate) fn new(bands: Bands, alpha: f64, tau: f64, policy: Policy, asked: Moments) -> Self {
        let profile = bands.profile(tau);
        let achieved = profile.moments(alpha, tau);
        Self {
            bands,
            alpha,
            lambda: asked.d0 - achieved.d0,
            tau,
            policy,
            asked,
            achieved,
            rho: asked.rho(tau),
            variance_ratio: profile.variance_ratio(),
            excess: profile.excess(),
            p_plus: profile.p_plus,
            p_minus: profile.p_minus,
        }
    }

    /// The ridge parameter (γ+λ)/α² that gives the unscaled ternary Gram (1/m)ΣᵀΣ the effect that
    /// `gamma` = γ has on the target's.
    ///
    /// ```
    /// use ternion::theory::solve;
    /// use ternion::{Policy, Target};
    ///
    /// let report = solve(&Target::relu(), 1.0, Policy::MinVariance)?;
    /// let gamma = report.ridge(0.1)?;
    /// assert!((gamma - (0.1 + report.lambda) / report.alpha.powi(2)).abs() < 1e-15);
    /// # Ok::<(), ternion::theory::SolveError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`SolveError::RidgeNotPositive`] unless γ+λ is positive and finite. If it is not positive, the features by themselves
    /// regularise more than γ would.
    pub fn ridge(&self, gamma: f64) -> Result<f64, SolveError> {
        let sum = gamma + self.lambda;
        if sum > 0.0 && sum.is_finite() {
            Ok(sum / self.alpha / self.alpha)
        } else {
            Err(SolveError::RidgeNotPositive { gamma, lambda: self.lambda })
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "policy      {}", self.policy)?;
        writeln!(f, "tau         {:.6}   mean squared norm of a sample", self.tau)?;
        match self.bands {
            Bands::Two { lower, upper } => {
                writeln!(f, "-1 below    {lower:.6}   P = {:.4}", self.p_minus)?;
                writeln!(f, "+1 above    {upper:.6}   P = {:.4}", self.p_plus)?;
            }
            Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper } => {
                writeln!(
                    f,
                    "-1 between  {inner_lower:.6} and {inner_upper:.6}   P = {:.4}",
                    self.p_minus
                )?;
                writeln!(
                    f,
                    "+1 outside  {outer_lower:.6} and {outer_upper:.6}   P = {:.4}",
                    self.p_plus
                )?;
            }
            Bands::Periodic { period } => writeln!(f, "period      {period:.6}   P = 1/3 each")?,
        }
        writeln!(f, "alpha       {:.6}   factor of the features", self.alpha)?;
        writeln!(f, "lambda      {:.6}   ridge that the target's kernel has beyond", self.lambda)?;
        writeln!(f, "rho         {:.6}   curvature of the target by its slope", self.rho)?;
        let (ratio, excess) = (self.variance_ratio, self.excess);
        writeln!(f, "R           {ratio:.6}   noise of Gram entries; {excess:.4} by variance")?;
        writeln!(f, "moments     asked          achieved")?;
        let pairs = [
            ("d0", self.asked.d0, self.achieved.d0),
            ("d1", self.asked.d1, self.achieved.d1),
            ("d2", self.asked.d2, self.achieved.d2),
        ];
        for (i, (name, asked, achieved)) in pairs.into_iter().enumerate() {
            write!(
                f,
                "{}{name}          {asked:<14.6e} {achieved:.6e}",
                if i == 0 { "" } else { "\n" }
            )?;
        }
        Ok(())
    }
}
