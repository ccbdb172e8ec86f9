//! [`Bands`]: where a feature is −1, 0 or +1, and the moments of that function.
//!
//! The moments are those of Corollary 1 of the paper with its misprints corrected: see [`theory`](crate::theory).

use core::f64::consts::{PI, TAU};

use super::normal::{density, tail, weighted_density};
use crate::theory::moments::Moments;

/// The thresholds of a ternary activation, in the unit of wᵀx with w of unit variance.
///
/// Comparisons are strict: a projection equal to a threshold gives 0.
///
/// ```
/// use ternion::theory::Bands;
///
/// // With both thresholds at zero the feature is the sign, of variance 1 and d1 = 2/(πτ).
/// let moments = Bands::Two { lower: 0.0, upper: 0.0 }.moments(1.0);
/// assert!((moments.d1 - 2.0 / std::f64::consts::PI).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Bands {
    /// −1 below `lower`, +1 above `upper`, 0 between.
    Two {
        /// s₋. −∞ is allowed: the level −1 then never occurs.
        lower: f64,
        /// s₊ ≥ s₋. +∞ is allowed: the level +1 then never occurs.
        upper: f64,
    },
    /// +1 below `outer_lower` and above `outer_upper`, −1 between `inner_lower` and `inner_upper`,
    /// else 0.
    Four {
        /// The lowest threshold.
        outer_lower: f64,
        /// Where the −1 band begins.
        inner_lower: f64,
        /// Where the −1 band ends.
        inner_upper: f64,
        /// The highest threshold.
        outer_upper: f64,
    },
    /// A cosine as a trit: +1 where it is above ½, −1 where it is below −½, with a random phase for each feature.
    Periodic {
        /// The period of the cosine.
        period: f64,
    },
}

impl Bands {
    /// The ternary function itself: −1, 0 or +1. For a periodic one, that of a feature which is +1 at 0.
    ///
    /// ```
    /// use ternion::theory::Bands;
    ///
    /// let bands = Bands::Two { lower: -0.5, upper: 1.0 };
    /// assert_eq!([-2.0, -0.5, 0.0, 1.0, 1.5].map(|t| bands.value(t)), [-1, 0, 0, 0, 1]);
    /// ```
    #[must_use]
    pub fn value(&self, t: f64) -> i8 {
        match *self {
            Self::Two { lower, upper } => i8::from(t > upper) - i8::from(t < lower),
            Self::Four { outer_lower, inner_lower, inner_upper, outer_upper } => {
                i8::from(t < outer_lower || t > outer_upper)
                    - i8::from(t > inner_lower && t < inner_upper)
            }
            Self::Periodic { period } => {
                let turns = t / period;
                let from_whole = (turns - turns.round()).abs();
                i8::from(from_whole < 1.0 / 6.0) - i8::from(from_whole > 1.0 / 3.0)
            }
        }
    }

    /// d0, d1 and d2 of the ternary function at τ = `tau`, unscaled (outputs ±1).
    ///
    /// With u = s/√τ, P = P(+1), M = P(−1) and two bands:
    /// d0 = P + M − (P−M)² − (φ₊+φ₋)², d1 = (φ₊+φ₋)²/τ, d2 = (u₊φ₊+u₋φ₋)²/(4τ²). For periodic features, those of the
    /// expected kernel.
    #[must_use]
    pub fn moments(&self, tau: f64) -> Moments {
        self.profile(tau).moments(1.0, tau)
    }

    /// The probabilities of −1 and +1 when wᵀx is normal with variance `tau`.
    #[must_use]
    pub fn probabilities(&self, tau: f64) -> (f64, f64) {
        let profile = self.profile(tau);
        (profile.p_minus, profile.p_plus)
    }

    /// The statistics that the solver needs, with thresholds in units of √τ.
    pub(crate) fn profile(&self, tau: f64) -> Profile {
        let scale = tau.sqrt();
        match *self {
            Self::Two { lower, upper } => Profile::two(lower / scale, upper / scale),
            Self::Four { outer_lower, inner_lower, inner_upper, outer_upper } => Profile::four(
                [outer_lower, inner_lower, inner_upper, outer_upper].map(|s| s / scale),
            ),
            Self::Periodic { period } => Profile::periodic(TAU * scale / period),
        }
    }
}

/// The power of a periodic function in its first harmonic, 6/π², of 2/3 in all.
pub(super) const POWER: f64 = 6.0 / (PI * PI);

/// Harmonics of a periodic function that count.
const LAST_HARMONIC: u32 = 3000;

/// The scale-free statistics of a ternary function of z ~ N(0,1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    pub(crate) p_minus: f64,
    pub(crate) p_plus: f64,
    /// Var σ.
    pub(crate) variance: f64,
    /// f1 = E zσ.
    pub(crate) first: f64,
    /// f2 = E(z²−1)σ.
    pub(crate) second: f64,
}

impl Profile {
    pub(crate) fn two(lower: f64, upper: f64) -> Self {
        let (p_minus, p_plus) = (tail(-lower), tail(upper));
        let variance = if lower > 0.0 {
            // σ + 1 has the same variance and is mostly 0 here, so nothing cancels however high the thresholds are.
            let not_minus = tail(lower);
            not_minus + 3.0 * p_plus - (not_minus + p_plus).powi(2)
        } else if upper < 0.0 {
            let not_plus = tail(-upper);
            not_plus + 3.0 * p_minus - (not_plus + p_minus).powi(2)
        } else {
            p_plus + p_minus - (p_plus - p_minus).powi(2)
        };
        Self {
            p_minus,
            p_plus,
            variance,
            first: density(upper) + density(lower),
            second: weighted_density(upper) + weighted_density(lower),
        }
    }

    pub(crate) fn four([outer_lower, inner_lower, inner_upper, outer_upper]: [f64; 4]) -> Self {
        let p_plus = tail(outer_upper) + tail(-outer_lower);
        let p_minus = tail(-inner_upper) - tail(-inner_lower);
        Self {
            p_minus,
            p_plus,
            variance: p_plus + p_minus - (p_plus - p_minus).powi(2),
            first: density(outer_upper) - density(outer_lower) + density(inner_upper)
                - density(inner_lower),
            second: weighted_density(outer_upper) - weighted_density(outer_lower)
                + weighted_density(inner_upper)
                - weighted_density(inner_lower),
        }
    }

    /// The periodic function of frequency `f` in units of 1/√τ: the statistics of its kernel Σ wₖ·exp(−k²f²‖x−y‖²/2),
    /// of which only the harmonics k = 1, 5, 7, 11, … have a weight, wₖ = 6/(πk)².
    pub(crate) fn periodic(f: f64) -> Self {
        let (mut constant, mut first, mut second) = (0.0, 0.0, 0.0);
        // Harmonics beyond the last are as if absent: their weights are below 10⁻⁷, and where γτ is in the range of the
        // solver they have decayed long before.
        for k in (1..LAST_HARMONIC).step_by(6).flat_map(|k| [f64::from(k), f64::from(k + 4)]) {
            let square = (k * f).powi(2);
            let weight = POWER / (k * k) * (-square).exp();
            constant += weight;
            first += weight * square;
            second += weight * square * square;
            if square > 40.0 {
                break;
            }
        }
        let third = 1.0 / 3.0;
        Self {
            p_minus: third,
            p_plus: third,
            variance: 2.0 * third - constant,
            first: first.sqrt(),
            second: second.sqrt(),
        }
    }

    /// μ = Eσ.
    pub(crate) fn mean(&self) -> f64 {
        self.p_plus - self.p_minus
    }

    /// R = V/f1², the noise of a Gram entry for a given linear part; +∞ if the linear part vanishes.
    pub(crate) fn variance_ratio(&self) -> f64 {
        let ratio = self.variance / self.first / self.first;
        if ratio.is_nan() { f64::INFINITY } else { ratio }
    }

    /// V/(f1² + f2²/2).
    pub(crate) fn excess(&self) -> f64 {
        let deviation = self.variance.sqrt();
        ((self.first / deviation).powi(2) + 0.5 * (self.second / deviation).powi(2)).recip()
    }

    /// The moments of `alpha`·σ. α multiplies before anything is squared: the squares of rare bands underflow.
    pub(crate) fn moments(&self, alpha: f64, tau: f64) -> Moments {
        let first = alpha * self.first;
        Moments {
            d0: alpha * self.variance * alpha - first * first,
            d1: first * first / tau,
            d2: (0.5 * alpha * self.second / tau).powi(2),
        }
    }
}
