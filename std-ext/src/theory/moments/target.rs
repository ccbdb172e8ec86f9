//! [`Target`]: the activation or kernel that ternary features imitate.

use super::{Moments, closed, quadrature};
use crate::theory::{Bands, SolveError};
use core::fmt;
use std::sync::Arc;

/// A name and the constructor of its target.
pub(super) type Plain = (&'static str, fn() -> Target);

/// A function of one number that threads may share.
pub(super) type Function = Arc<dyn Fn(f64) -> f64 + Send + Sync>;

/// An activation or kernel to imitate: named, a closure, or its moments.
///
/// Activations σ stand for the kernel E_w[σ(wᵀx)σ(wᵀy)] of their random features. Targets parse
/// from the names that [`Target::named`] lists, and print with their parameters.
///
/// ```
/// use ternion::Target;
///
/// let by_name: Target = "gelu".parse()?;
/// let by_closure = Target::function(|t| 0.5 * t * libm::erfc(-t * std::f64::consts::FRAC_1_SQRT_2));
/// let (one, other) = (by_name.moments(0.7)?, by_closure.moments(0.7)?);
/// assert!((one.d0 - other.d0).abs() < 1e-13);
/// # Ok::<(), ternion::theory::SolveError>(())
/// ```
#[derive(Clone)]
pub struct Target {
    pub(super) shape: Shape,
    /// c of σ(ct).
    pub(super) scale: f64,
}

/// What a target is before its input is scaled.
#[derive(Clone)]
pub(super) enum Shape {
    Hinge { above: f64, below: f64 },
    Quadratic { a2: f64, a1: f64, a0: f64 },
    Sign,
    Step,
    ReluSquared,
    Cos,
    Sin,
    Exp,
    Bump,
    Erf,
    Tanh,
    Sigmoid,
    Silu,
    Gelu,
    Softplus,
    Ternary { lower: f64, upper: f64 },
    Gaussian { gamma: f64 },
    GaussianScale,
    ArcCosine { order: u8 },
    Laplacian { gamma: f64 },
    L1Laplacian { gamma: f64 },
    MaternThreeHalves { length: f64 },
    MaternFiveHalves { length: f64 },
    Radial { value: Function, first: Function, second: Function },
    Function(Function),
    Raw(Moments),
}

/// Constructors of targets without parameters, which parse from their names: name, meaning.
macro_rules! plain {
    ($($(#[$doc:meta])* $name:ident => $shape:expr;)*) => {
        /// Every constructor below with its name.
        pub(super) const PLAIN: &'static [Plain] = &[$((stringify!($name), Self::$name)),*];

        $($(#[$doc])*
        #[must_use]
        pub fn $name() -> Self {
            Self::new($shape)
        })*
    };
}

impl Target {
    plain! {
        /// t itself: a random projection.
        linear => Shape::Hinge { above: 1.0, below: -1.0 };
        /// |t|. Even: needs four bands.
        abs => Shape::Hinge { above: 1.0, below: 1.0 };
        /// max(0, t).
        relu => Shape::Hinge { above: 1.0, below: 0.0 };
        /// max(0, t)².
        relu_squared => Shape::ReluSquared;
        /// −1 below 0 and +1 above.
        sign => Shape::Sign;
        /// 0 below 0 and 1 above.
        step => Shape::Step;
        /// cos t. Even: needs four bands.
        cos => Shape::Cos;
        /// sin t.
        sin => Shape::Sin;
        /// eᵗ.
        exp => Shape::Exp;
        /// exp(−t²/2). Even: needs four bands.
        bump => Shape::Bump;
        /// erf t.
        erf => Shape::Erf;
        /// tanh t.
        tanh => Shape::Tanh;
        /// 1/(1+e⁻ᵗ).
        sigmoid => Shape::Sigmoid;
        /// t/(1+e⁻ᵗ), also called swish.
        silu => Shape::Silu;
        /// t·Φ(t) with the normal distribution function Φ.
        gelu => Shape::Gelu;
        /// ln(1+eᵗ).
        softplus => Shape::Softplus;
        /// The Gaussian kernel exp(−‖x−y‖²/τ): scikit-learn's gamma="scale" for centred data.
        gaussian_scale => Shape::GaussianScale;
        /// The Gaussian kernel exp(−‖x−y‖²/2) of the random Fourier features [cos t, sin t].
        rff => Shape::Gaussian { gamma: 0.5 };
    }

    fn new(shape: Shape) -> Self {
        Self { shape, scale: 1.0 }
    }

    /// max(0,t) + `slope`·min(0,t).
    #[must_use]
    pub fn leaky_relu(slope: f64) -> Self {
        Self::new(Shape::Hinge { above: 1.0, below: -slope })
    }

    /// `a2`·t² + `a1`·t + `a0`.
    #[must_use]
    pub fn quadratic(a2: f64, a1: f64, a0: f64) -> Self {
        Self::new(Shape::Quadratic { a2, a1, a0 })
    }

    /// −1 below `lower`, +1 above `upper`, 0 between: one ternary function imitates another.
    #[must_use]
    pub fn ternary(lower: f64, upper: f64) -> Self {
        Self::new(Shape::Ternary { lower, upper })
    }

    /// The Gaussian kernel exp(−`gamma`·‖x−y‖²).
    #[must_use]
    pub fn gaussian(gamma: f64) -> Self {
        Self::new(Shape::Gaussian { gamma })
    }

    /// The arc-cosine kernel of Cho and Saul, `order` 0, 1 or 2: twice the kernel of the step, ReLU
    /// or its square.
    #[must_use]
    pub fn arc_cosine(order: u8) -> Self {
        Self::new(Shape::ArcCosine { order })
    }

    /// The Laplacian kernel exp(−`gamma`·‖x−y‖) of the Euclidean distance.
    #[must_use]
    pub fn laplacian(gamma: f64) -> Self {
        Self::new(Shape::Laplacian { gamma })
    }

    /// The Laplacian kernel exp(−`gamma`·Σ|x_k−y_k|). Its weights are Cauchy, of infinite variance, so
    /// [`moments`](Self::moments) always refuses it. It exists so that the error can say what to use instead.
    #[must_use]
    pub fn l1_laplacian(gamma: f64) -> Self {
        Self::new(Shape::L1Laplacian { gamma })
    }

    /// The Matérn 3/2 kernel (1+g)e⁻ᵍ with g = √3·‖x−y‖/`length`.
    #[must_use]
    pub fn matern_three_halves(length: f64) -> Self {
        Self::new(Shape::MaternThreeHalves { length })
    }

    /// The Matérn 5/2 kernel (1+g+g²/3)e⁻ᵍ with g = √5·‖x−y‖/`length`.
    #[must_use]
    pub fn matern_five_halves(length: f64) -> Self {
        Self::new(Shape::MaternFiveHalves { length })
    }

    /// γ at τ = `tau`, if this is a Gaussian kernel exp(−γ‖x−y‖²).
    pub(crate) fn gaussian_gamma(&self, tau: f64) -> Option<f64> {
        let square = self.scale * self.scale;
        match self.shape {
            Shape::Gaussian { gamma } => Some(gamma * square),
            Shape::GaussianScale => Some(tau.recip()),
            _ => None,
        }
    }

    /// Any kernel f(r) of the squared distance r = ‖x−y‖², with f′ and f″.
    ///
    /// d0 = f(0) − f(2τ) + 2τf′(2τ), d1 = −2f′(2τ), d2 = f″(2τ). d0 is computed as ∫₀^{2τ} s·f″(s) ds, which loses no
    /// digits for small τ, and compared with the first form, which reveals a wrong derivative.
    ///
    /// ```
    /// use ternion::Target;
    ///
    /// // The rational quadratic kernel 1/(1+r).
    /// let kernel = Target::radial(|r| 1.0 / (1.0 + r), |r| -(1.0 + r).powi(-2), |r| 2.0 * (1.0 + r).powi(-3));
    /// assert!((kernel.moments(0.5)?.d1 - 0.5).abs() < 1e-15);
    /// # Ok::<(), ternion::theory::SolveError>(())
    /// ```
    #[must_use]
    pub fn radial(
        value: impl Fn(f64) -> f64 + Send + Sync + 'static,
        first: impl Fn(f64) -> f64 + Send + Sync + 'static,
        second: impl Fn(f64) -> f64 + Send + Sync + 'static,
    ) -> Self {
        Self::new(Shape::Radial {
            value: Arc::new(value),
            first: Arc::new(first),
            second: Arc::new(second),
        })
    }

    /// Any activation. Adaptive quadrature finds kinks and jumps; the closure is called hundreds to thousands of times.
    #[must_use]
    pub fn function(function: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Self {
        Self::new(Shape::Function(Arc::new(function)))
    }

    /// The moments themselves, whatever τ is.
    #[must_use]
    pub fn raw(d0: f64, d1: f64, d2: f64) -> Self {
        Self::new(Shape::Raw(Moments { d0, d1, d2 }))
    }

    /// The target of `c` times the input: σ(ct), or the kernel of the samples c·x.
    #[must_use]
    pub fn scaled(mut self, c: f64) -> Self {
        self.scale *= c;
        self
    }

    /// d0, d1 and d2 at τ = `tau`, the mean of ‖x‖², accurate to about 1e−13 of their size.
    ///
    /// # Errors
    ///
    /// [`SolveError::BadTau`], [`SolveError::BadParameter`] and [`SolveError::L1Laplacian`] for bad arguments;
    /// [`SolveError::NotFinite`], [`SolveError::NotIntegrable`] and
    /// [`SolveError::DerivativesDisagree`] for closures; [`SolveError::Overflow`],
    /// [`SolveError::BadMoment`] and [`SolveError::ImpossibleMoments`] for the result.
    pub fn moments(&self, tau: f64) -> Result<Moments, SolveError> {
        if !(tau > 0.0 && tau.is_finite()) {
            return Err(SolveError::BadTau { tau });
        }
        if !(self.scale != 0.0 && self.scale.is_finite()) {
            return Err(SolveError::BadParameter {
                name: "scale",
                value: self.scale,
                expected: "finite and not zero",
            });
        }
        let square = self.scale * self.scale;
        let scaled_tau = square * tau;
        if !(scaled_tau > 0.0 && scaled_tau.is_finite()) {
            return Err(SolveError::BadTau { tau: scaled_tau });
        }
        let inner = self.shape.moments(scaled_tau)?;
        let moments =
            Moments { d0: inner.d0, d1: square * inner.d1, d2: square * square * inner.d2 };
        check(moments, tau)
    }

    /// σ(t), for targets that are activations; `None` for kernels and plain moments.
    ///
    /// ```
    /// use ternion::Target;
    ///
    /// assert_eq!(Target::relu().scaled(2.0).value(1.5), Some(3.0));
    /// assert_eq!(Target::gaussian(1.0).value(1.5), None);
    /// ```
    #[must_use]
    pub fn value(&self, t: f64) -> Option<f64> {
        self.shape.value(self.scale * t)
    }
}

/// Refuses moments that are not finite numbers or that no function has.
fn check(moments: Moments, tau: f64) -> Result<Moments, SolveError> {
    for (name, value) in [("d0", moments.d0), ("d1", moments.d1), ("d2", moments.d2)] {
        if value == f64::INFINITY {
            return Err(SolveError::Overflow { tau });
        }
        if value.is_nan() || value < 0.0 {
            return Err(SolveError::BadMoment { name, value });
        }
    }
    let bound = 2.0 * tau * tau * moments.d2;
    // A quadratic reaches the bound, so allow for rounding, also that of moments typed in by hand.
    if moments.d0 < bound * (1.0 - 1e-9) {
        return Err(SolveError::ImpossibleMoments { d0: moments.d0, bound });
    }
    Ok(moments)
}

impl Shape {
    fn moments(&self, tau: f64) -> Result<Moments, SolveError> {
        self.check_parameters()?;
        Ok(match *self {
            Self::Hinge { above, below } => closed::hinge(above, below, tau),
            Self::Quadratic { a2, a1, .. } => closed::quadratic(a2, a1, tau),
            Self::Sign => closed::sign(tau),
            Self::Step => closed::sign(tau).times(0.5),
            Self::ReluSquared => closed::relu_squared(tau),
            Self::Cos => closed::cos(tau),
            Self::Sin => closed::sin(tau),
            Self::Exp => closed::exp(tau),
            Self::Bump => closed::bump(tau),
            Self::Erf => closed::erf(tau),
            Self::Gelu => closed::gelu(tau),
            Self::Tanh => quadrature::moments_by_parts(|t| (t.tanh(), 0.0), tau)?,
            Self::Sigmoid => quadrature::moments_by_parts(|t| (0.5 * (0.5 * t).tanh(), 0.0), tau)?,
            Self::Silu => {
                quadrature::moments_by_parts(|t| (0.5 * t, 0.5 * t * (0.5 * t).tanh()), tau)?
            }
            Self::Softplus => quadrature::moments_by_parts(|t| (0.5 * t, ln_cosh(0.5 * t)), tau)?,
            Self::Ternary { lower, upper } => Bands::Two { lower, upper }.moments(tau),
            Self::Gaussian { gamma } => closed::gaussian(gamma, tau),
            Self::GaussianScale => closed::gaussian(1.0 / tau, tau),
            Self::ArcCosine { order } => {
                let half = match order {
                    0 => closed::sign(tau).times(0.5),
                    1 => closed::hinge(1.0, 0.0, tau),
                    _ => closed::relu_squared(tau),
                };
                half.times(std::f64::consts::SQRT_2)
            }
            Self::Laplacian { gamma } => closed::laplacian(gamma, tau),
            Self::L1Laplacian { .. } => return Err(SolveError::L1Laplacian),
            Self::MaternThreeHalves { length } => closed::matern_three_halves(length, tau),
            Self::MaternFiveHalves { length } => closed::matern_five_halves(length, tau),
            Self::Radial { ref value, ref first, ref second } => radial(value, first, second, tau)?,
            Self::Function(ref function) => quadrature::moments_of(&**function, tau)?,
            Self::Raw(moments) => moments,
        })
    }

    /// Parameters are checked here and not by the constructors, so that these need no `Result`.
    fn check_parameters(&self) -> Result<(), SolveError> {
        const FINITE: &str = "finite";
        const POSITIVE: &str = "positive and finite";
        let parameters: &[(&'static str, f64, &'static str)] = match *self {
            Self::Hinge { below, .. } => &[("slope", -below, FINITE)],
            Self::Quadratic { a2, a1, a0 } => {
                &[("a2", a2, FINITE), ("a1", a1, FINITE), ("a0", a0, FINITE)]
            }
            Self::Gaussian { gamma } | Self::Laplacian { gamma } => &[("gamma", gamma, POSITIVE)],
            Self::MaternThreeHalves { length } | Self::MaternFiveHalves { length } => {
                &[("length", length, POSITIVE)]
            }
            Self::ArcCosine { order } if order > 2 => {
                let value = f64::from(order);
                return Err(SolveError::BadParameter {
                    name: "order",
                    value,
                    expected: "0, 1 or 2",
                });
            }
            Self::Ternary { lower, upper } if lower.is_nan() || upper.is_nan() || lower > upper => {
                return Err(SolveError::BadThresholds { lower, upper });
            }
            _ => &[],
        };
        for &(name, value, expected) in parameters {
            if !value.is_finite() || (expected == POSITIVE && value <= 0.0) {
                return Err(SolveError::BadParameter { name, value, expected });
            }
        }
        Ok(())
    }

    fn value(&self, t: f64) -> Option<f64> {
        Some(match *self {
            Self::Hinge { above, below } => {
                if t > 0.0 {
                    above * t
                } else {
                    -below * t
                }
            }
            Self::Quadratic { a2, a1, a0 } => (a2 * t + a1) * t + a0,
            Self::Sign => f64::from(Bands::Two { lower: 0.0, upper: 0.0 }.value(t)),
            Self::Step => f64::from(u8::from(t > 0.0)),
            Self::ReluSquared => t.max(0.0).powi(2),
            Self::Cos => t.cos(),
            Self::Sin => t.sin(),
            Self::Exp => t.exp(),
            Self::Bump => (-0.5 * t * t).exp(),
            Self::Erf => libm::erf(t),
            Self::Tanh => t.tanh(),
            Self::Sigmoid => 1.0 / (1.0 + (-t).exp()),
            Self::Silu => t / (1.0 + (-t).exp()),
            Self::Gelu => 0.5 * t * libm::erfc(-t * std::f64::consts::FRAC_1_SQRT_2),
            Self::Softplus => t.max(0.0) + (-t.abs()).exp().ln_1p(),
            Self::Ternary { lower, upper } => f64::from(Bands::Two { lower, upper }.value(t)),
            Self::Function(ref function) => function(t),
            Self::Gaussian { .. }
            | Self::GaussianScale
            | Self::ArcCosine { .. }
            | Self::Laplacian { .. }
            | Self::L1Laplacian { .. }
            | Self::MaternThreeHalves { .. }
            | Self::MaternFiveHalves { .. }
            | Self::Radial { .. }
            | Self::Raw(_) => return None,
        })
    }
}

/// ln cosh t, the even part of softplus(2t) without its constant: accurate near 0, finite far out.
fn ln_cosh(t: f64) -> f64 {
    if t.abs() < 1.0 {
        (2.0 * (0.5 * t).sinh().powi(2)).ln_1p()
    } else {
        t.abs() + (-2.0 * t.abs()).exp().ln_1p() - std::f64::consts::LN_2
    }
}

/// The moments of a radial kernel, from its derivatives at 2τ and its second derivative up to there.
fn radial(
    value: &Function,
    first: &Function,
    second: &Function,
    tau: f64,
) -> Result<Moments, SolveError> {
    let r = 2.0 * tau;
    let d0 = quadrature::curvature_integral(&**second, r)?;
    let slope = first(r);
    let by_values = value(0.0) - value(r) + r * slope;
    // Only a mistake is this large: by_values itself may have lost half its digits.
    if (by_values - d0).abs() > 1e-6 * (value(0.0).abs() + value(r).abs() + (r * slope).abs())
        || by_values.is_nan()
    {
        return Err(SolveError::DerivativesDisagree { by_values, by_curvature: d0 });
    }
    Ok(Moments { d0, d1: -2.0 * slope, d2: second(r) })
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({self})")
    }
}
