//! The standard normal density and tail, with small relative errors far out.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// φ(x), the standard normal density; 0 at ±∞.
pub(crate) fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// x·φ(x), with its limit 0 at ±∞ where the plain product would be NaN.
pub(crate) fn weighted_density(x: f64) -> f64 {
    if x.is_infinite() { 0.0 } else { x * density(x) }
}

/// Q(x) = P(z > x). `tail(-x)` is Φ(x) without the cancellation of 1 − Q(x).
pub(crate) fn tail(x: f64) -> f64 {
    0.5 * libm::erfc(x * FRAC_1_SQRT_2)
}
