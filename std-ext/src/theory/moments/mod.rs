//! Generalised Gaussian moments (Tiomoko Ali, Liao and Couillet, ICLR 2022): all that a kernel machine sees of an
//! activation.
//!
//! [`theory`](crate::theory) states the equations. For the ternary function the paper prints
//! e^(−s²/τ) and 1/π² where e^(−s²/(2τ)) and 1/(2πτ) are right, and its row for exp(t) is that of exp(−t²/2); the code uses
//! the corrected equations.
//!
//! | file | contents |
//! |---|---|
//! | `target` | [`Target`]: a named activation or kernel, a closure, or plain numbers |
//! | `names` | how targets parse and print |
//! | `closed` | closed forms |
//! | `quadrature` | the moments of everything else |

mod closed;
mod names;
mod quadrature;
pub(crate) mod target;

pub(crate) use target::Target;

/// The moments d0, d1 and d2 of an activation or kernel at some τ: all that the centred kernel of random features σ(wᵀx)
/// depends on.
///
/// With z ~ N(0,1) and derivatives in the weak sense: d0 = Var σ(√τz) − τ·d1, d1 = E[σ′(√τz)]², d2 = ¼·E[σ″(√τz)]². Two
/// functions with the same d1 and d2 have the same kernel up to a multiple of the identity, which a ridge parameter
/// absorbs: [`solve`](crate::theory::solve()) is built on that.
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Moments {
    /// Var σ − τ·d1, which ends up on the diagonal.
    pub d0: f64,
    /// E[σ′]², the weight of the linear part.
    pub d1: f64,
    /// ¼·E[σ″]², the weight of the quadratic part.
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

    /// ρ = b2/b1, which decides the shape of the ternary function. +∞ for an even target; NaN if both parts vanish.
    #[must_use]
    pub fn rho(&self, tau: f64) -> f64 {
        self.b2(tau) / self.b1(tau)
    }

    /// V = Var σ = d0 + τ·d1.
    #[must_use]
    pub fn variance(&self, tau: f64) -> f64 {
        self.d0 + tau * self.d1
    }

    /// The moments of c·σ, or of c² times the kernel.
    #[must_use]
    pub fn times(&self, c: f64) -> Self {
        let square = c * c;
        Self { d0: square * self.d0, d1: square * self.d1, d2: square * self.d2 }
    }
}
