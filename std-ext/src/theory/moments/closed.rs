//! Closed forms of the moments, arranged so that nothing cancels for small or large τ.
//!
//! [`theory`](crate::theory) tabulates them. The paper prints the row of exp(−t²/2), [`bump`], under exp(t).

use super::Moments;
use std::f64::consts::{FRAC_2_PI, PI};

/// a₊·max(0,t) + a₋·max(0,−t): linear, |t|, ReLU and leaky ReLU are members.
pub(super) fn hinge(above: f64, below: f64, tau: f64) -> Moments {
    let (sum, difference) = (above + below, above - below);
    Moments {
        d0: tau * sum * sum * (PI - 2.0) / (4.0 * PI),
        d1: 0.25 * difference * difference,
        d2: sum * sum / (8.0 * PI * tau),
    }
}

/// a₂t² + a₁t + a₀.
pub(super) fn quadratic(a2: f64, a1: f64, tau: f64) -> Moments {
    Moments { d0: 2.0 * tau * tau * a2 * a2, d1: a1 * a1, d2: a2 * a2 }
}

pub(super) fn sign(tau: f64) -> Moments {
    Moments { d0: 1.0 - FRAC_2_PI, d1: FRAC_2_PI / tau, d2: 0.0 }
}

pub(super) fn relu_squared(tau: f64) -> Moments {
    Moments { d0: tau * tau * (1.25 - FRAC_2_PI), d1: FRAC_2_PI * tau, d2: 0.25 }
}

pub(super) fn cos(tau: f64) -> Moments {
    Moments { d0: 0.5 * (-tau).exp_m1().powi(2), d1: 0.0, d2: 0.25 * (-tau).exp() }
}

pub(super) fn sin(tau: f64) -> Moments {
    // e^{−τ}(sinh τ − τ): the difference by its series where it is small.
    let d0 = if tau < 1.0 {
        let square = tau * tau;
        let mut term = tau;
        let mut sum = 0.0;
        for k in 1..12 {
            term *= square / f64::from(2 * k * (2 * k + 1));
            sum += term;
        }
        (-tau).exp() * sum
    } else {
        -0.5 * (-2.0 * tau).exp_m1() - tau * (-tau).exp()
    };
    Moments { d0, d1: (-tau).exp(), d2: 0.0 }
}

pub(super) fn exp(tau: f64) -> Moments {
    Moments {
        d0: (2.0 * tau).exp() * exponential_rest(2, tau),
        d1: tau.exp(),
        d2: 0.25 * tau.exp(),
    }
}

/// exp(−t²/2).
pub(super) fn bump(tau: f64) -> Moments {
    let root = (1.0 + 2.0 * tau).sqrt();
    let excess = 2.0 * tau / (1.0 + root);
    Moments {
        d0: excess * excess / (root * (1.0 + root * root)),
        d1: 0.0,
        d2: 0.25 * (1.0 + tau).powi(-3),
    }
}

pub(super) fn erf(tau: f64) -> Moments {
    let x = 2.0 * tau / (1.0 + 2.0 * tau);
    let d0 = if x < 0.3 {
        // (2/π)(asin x − x) by the series of asin.
        let mut coefficient = 1.0;
        let mut power = x;
        let mut sum = 0.0;
        for k in 1..20 {
            let k = f64::from(k);
            coefficient *= (2.0 * k - 1.0) / (2.0 * k);
            power *= x * x;
            sum += coefficient * power / (2.0 * k + 1.0);
        }
        FRAC_2_PI * sum
    } else {
        FRAC_2_PI * ((2.0 * tau).atan2((1.0 + 4.0 * tau).sqrt()) - x)
    };
    Moments { d0, d1: 4.0 / (PI * (1.0 + 2.0 * tau)), d2: 0.0 }
}

/// t·Φ(t).
pub(super) fn gelu(tau: f64) -> Moments {
    let root = (1.0 + 2.0 * tau).sqrt();
    let angle = tau.atan2(root);
    let share = tau / (1.0 + tau);
    Moments {
        d0: tau / (2.0 * PI) * (angle + 2.0 * share / root - share),
        d1: 0.25,
        d2: (2.0 + tau).powi(2) / (8.0 * PI * (1.0 + tau).powi(3)),
    }
}

/// exp(−γ‖x−y‖²); the random Fourier features [cos t, sin t] are γ = ½.
pub(super) fn gaussian(gamma: f64, tau: f64) -> Moments {
    let a = 2.0 * gamma * tau;
    Moments {
        d0: exponential_rest(2, a),
        d1: 2.0 * gamma * (-a).exp(),
        d2: gamma * gamma * (-a).exp(),
    }
}

/// exp(−γ‖x−y‖).
pub(super) fn laplacian(gamma: f64, tau: f64) -> Moments {
    let g = gamma * (2.0 * tau).sqrt();
    let decay = (-g).exp();
    Moments {
        d0: -(-g).exp_m1() - 0.5 * g * decay,
        d1: 0.5 * g / tau * decay,
        d2: g * (1.0 + g) * decay / (16.0 * tau * tau),
    }
}

/// (1+g)e^{−g} with g = √3·‖x−y‖/ℓ.
pub(super) fn matern_three_halves(length: f64, tau: f64) -> Moments {
    let rate = 3.0 / (length * length);
    let g = (2.0 * tau * rate).sqrt();
    Moments {
        d0: exponential_rest(3, g),
        d1: rate * (-g).exp(),
        d2: 0.25 * rate * rate / g * (-g).exp(),
    }
}

/// (1+g+g²/3)e^{−g} with g = √5·‖x−y‖/ℓ.
pub(super) fn matern_five_halves(length: f64, tau: f64) -> Moments {
    let rate = 5.0 / (length * length);
    let g = (2.0 * tau * rate).sqrt();
    Moments {
        d0: exponential_rest(4, g),
        d1: rate / 3.0 * (1.0 + g) * (-g).exp(),
        d2: rate * rate / 12.0 * (-g).exp(),
    }
}

/// 1 − e^{−x}·Σ_{j<k} x^j/j!, by the tail of the series where the difference would cancel.
fn exponential_rest(k: u32, x: f64) -> f64 {
    let mut term = 1.0;
    let mut head = 0.0;
    for j in 0..k {
        head += term;
        term *= x / f64::from(j + 1);
    }
    if x > f64::from(k + 1) {
        // e^{−x} wins over any head, also where the product would be 0·∞.
        let decay = (-x).exp();
        return if decay == 0.0 { 1.0 } else { 1.0 - decay * head };
    }
    let mut rest = 0.0;
    for j in k..k + 60 {
        rest += term;
        term *= x / f64::from(j + 1);
    }
    (-x).exp() * rest
}
