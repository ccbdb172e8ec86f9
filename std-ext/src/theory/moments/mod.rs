//! Generalised Gaussian moments: all that a kernel machine sees of an activation.
//!
//! For samples of p numbers with ‖x‖² near τ, and z ~ N(0,1), the centred kernel of random features
//! σ(wᵀx) depends on σ through three numbers only (derivatives in the weak sense):
//!
//! - d0 = Var σ(√τz) − τ·d1, what ends up on the diagonal,
//! - d1 = E[σ′(√τz)]², the weight of the linear part,
//! - d2 = ¼·E[σ″(√τz)]², the weight of the quadratic part.
//!
//! By Stein's identity E σ′(√τz) = E[zσ(√τz)]/√τ and E σ″(√τz) = E[(z²−1)σ(√τz)]/τ, so jumps and
//! kinks are no obstacle. Two functions with the same d1 and d2 have the same kernel up to a
//! multiple of the identity, which a ridge parameter absorbs: that is what [`solve`](crate::theory::solve())
//! builds on.
//!
//! A [`Target`] is what to imitate: a named activation or kernel, a closure, or plain numbers.

mod closed;
mod names;
mod quadrature;
pub(crate) mod target;

pub(crate) use target::Target;

/// The three numbers d0, d1, d2 of an activation or kernel at some τ.
///
/// ```
/// use ternion::Target;
///
/// let moments = Target::relu().moments(1.0)?;
/// assert_eq!(moments.d1, 0.25);
/// assert!((moments.rho(1.0) - (2.0 / std::f64::consts::PI).sqrt()).abs() < 1e-15);
/// # Ok::<(), ternion::theory::SolveError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Var σ − τ·d1.
    pub d0: f64,
    /// E[σ′]².
    pub d1: f64,
    /// ¼·E[σ″]².
    pub d2: f64,
}

impl Moments {
    /// b1 = √(τ·d1) = |E zσ|, the scale-free size of the linear part.
    #[must_use]
    pub fn b1(&self, tau: f64) -> f64 {
        tau.sqrt() * self.d1.sqrt()
    }

    /// b2 = 2τ√d2 = |E(z²−1)σ|, the scale-free size of the quadratic part.
    #[must_use]
    pub fn b2(&self, tau: f64) -> f64 {
        2.0 * tau * self.d2.sqrt()
    }

    /// ρ = b2/b1, which decides the shape of the ternary function. +∞ for an even target; NaN where
    /// both parts vanish.
    #[must_use]
    pub fn rho(&self, tau: f64) -> f64 {
        self.b2(tau) / self.b1(tau)
    }

    /// V = Var σ = d0 + τ·d1.
    #[must_use]
    pub fn variance(&self, tau: f64) -> f64 {
        self.d0 + tau * self.d1
    }

    /// The same moments of c·σ, or of c²·kernel.
    #[must_use]
    pub fn times(&self, c: f64) -> Self {
        let square = c * c;
        Self { d0: square * self.d0, d1: square * self.d1, d2: square * self.d2 }
    }
}
