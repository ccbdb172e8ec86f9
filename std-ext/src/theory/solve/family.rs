//! The one-parameter family of two-band functions that share one ratio ρ = E(z²−1)σ / E zσ.
//!
//! With u₊ = ρ+v and u₋ = ρ−w the ratio is ρ if and only if vφ(u₊) = wφ(u₋). In terms of S = v+w, L = ln(v/w) and
//! T = tanh(L/2) that reads L = Sρ + (S²/2)T, a quadratic in S for a given L, so every member has a closed form. L > 0 (the [`Branch::Central`]) runs from sign(t−ρ) to −1{t<ρ}; L < 0
//! (the [`Branch::TwoTailed`]) from 1{t>ρ} to two ever rarer tails.

use super::bands::Profile;

/// Below this ρ the family is symmetric to the last bit, so ρ = 0 needs no formulas of its own.
const SMALLEST_RHO: f64 = 1e-140;

/// |L| beyond which the probability of the rarer level underflows.
const LARGEST_LOG_RATIO: f64 = 800.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Branch {
    /// L > 0.
    Central,
    /// L < 0.
    TwoTailed,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Family {
    rho: f64,
}

/// One member: its thresholds in units of √τ and their statistics.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    pub(crate) profile: Profile,
}

impl Member {
    fn new(lower: f64, upper: f64) -> Self {
        Self { lower, upper, profile: Profile::two(lower, upper) }
    }
}

impl Family {
    pub(crate) fn new(rho: f64) -> Self {
        Self { rho: rho.max(SMALLEST_RHO) }
    }

    /// ρ, never quite zero.
    pub(crate) fn rho(&self) -> f64 {
        self.rho
    }

    /// The member with |L| = e^`log_l`. The logarithm keeps the resolution, however small ρ is.
    pub(crate) fn member(&self, branch: Branch, log_l: f64) -> Member {
        let magnitude = log_l.exp();
        let t = (0.5 * magnitude).tanh();
        let root = self.rho + (self.rho * self.rho + 2.0 * t * magnitude).sqrt();
        let (l, gap) = match branch {
            Branch::Central => (magnitude, 2.0 * magnitude / root),
            Branch::TwoTailed => (-magnitude, root / t),
        };
        Member::new(self.rho - gap / (1.0 + l.exp()), self.rho + gap / (1.0 + (-l).exp()))
    }

    /// sign(t−ρ), where the central branch begins.
    pub(crate) fn sign(&self) -> Member {
        Member::new(self.rho, self.rho)
    }

    /// ln|L| of the one-sided limit of either branch.
    pub(crate) fn one_sided(&self) -> f64 {
        LARGEST_LOG_RATIO.ln()
    }

    /// ln|L| where the gap S of the central branch is about `gap` ≤ 1.5 (never less).
    pub(crate) fn gap(&self, gap: f64) -> f64 {
        // L = Sρ + (S²/2)T with T ≤ min(1, L/2).
        let by_slope = gap * self.rho / (1.0 - 0.25 * gap * gap);
        by_slope.min(gap * self.rho + 0.5 * gap * gap).ln()
    }

    /// ln|L| where the probabilities of both tails of the two-tailed branch underflow.
    pub(crate) fn rarest(&self) -> f64 {
        // S ≈ 4ρ/|L| there; u₊ > S/2 = 60 is past the underflow of φ.
        (4.0 * self.rho / 120.0).ln()
    }

    /// The slope of ln R along the family, up to a positive factor: away from sign(t−ρ) on the central branch, inwards from
    /// the rare tails on the other.
    pub(crate) fn noise_slope(&self, member: &Member) -> f64 {
        let Member { lower, upper, profile } = *member;
        let tangent = |u: f64| 1.0 - u * u + self.rho * u;
        let doubled_mean = 2.0 * profile.mean();
        let by_upper = 2.0 * upper / profile.first - (1.0 - doubled_mean) / profile.variance;
        let by_lower = 2.0 * lower / profile.first + (1.0 + doubled_mean) / profile.variance;
        by_upper * tangent(lower) - by_lower * tangent(upper)
    }
}
