//! [`SolveError`]: everything that can be wrong with a target, a τ or a policy.

/// Why no thresholds could be found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// τ, the mean of ‖x‖², is zero, negative or not finite.
    #[error("tau, the mean squared norm of the samples, is {tau}; it must be positive and finite")]
    BadTau {
        /// The τ that was given.
        tau: f64,
    },
    /// A parameter of the target is out of range.
    #[error("{name} is {value}; it must be {expected}")]
    BadParameter {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What it must be.
        expected: &'static str,
    },
    /// No target has this name.
    #[error(
        "no target is called {name:?}; Target::named() lists the names, relu and rff among them"
    )]
    UnknownTarget {
        /// The name that was given.
        name: String,
    },
    /// No policy has this name.
    #[error(
        "no policy is called {name:?}; use automatic, min-variance, match-d0, unit, four-band, periodic or fixed:lower,upper"
    )]
    UnknownPolicy {
        /// The name that was given.
        name: String,
    },
    /// A periodic σ was asked to imitate something else than a Gaussian kernel.
    #[error(
        "a periodic σ has a Gaussian kernel, and cannot imitate {target}; use min-variance or four-band for it"
    )]
    NotGaussian {
        /// The target.
        target: String,
    },
    /// The Gaussian kernel is too wide or too narrow for a periodic σ in 16 bits.
    #[error(
        "gamma times tau is {}; for a periodic σ it must be between {least} and {most}: at tau = {tau}, use a gamma \
         between {} and {}", gamma * tau, least / tau, most / tau
    )]
    WidthOutOfRange {
        /// γ of exp(−γ‖x−y‖²).
        gamma: f64,
        /// τ, the mean of ‖x‖².
        tau: f64,
        /// The least γτ.
        least: f64,
        /// The largest γτ.
        most: f64,
    },
    /// A closure returned NaN or an infinity.
    #[error(
        "the target function returned {value} at {at}; it must be finite wherever wᵀx can fall"
    )]
    NotFinite {
        /// The argument it was called with.
        at: f64,
        /// What it returned.
        value: f64,
    },
    /// The moments of a closure do not settle under refinement: it oscillates or jumps too often for quadrature.
    #[error(
        "the moments of the target function are uncertain by a relative {error:.1e} after all refinement; \
         smooth it, or give its moments with Target::raw"
    )]
    NotIntegrable {
        /// The relative error that was reached.
        error: f64,
    },
    /// The derivatives given for a radial kernel are not those of its function.
    #[error(
        "the radial kernel's d0 is {by_values} by its values and {by_curvature} by its second derivative; \
         check the derivatives, taken with respect to the squared distance"
    )]
    DerivativesDisagree {
        /// f(0) − f(2τ) + 2τf′(2τ).
        by_values: f64,
        /// ∫₀^{2τ} s·f″(s) ds, which must be the same.
        by_curvature: f64,
    },
    /// A moment, or the output scale that matches it, overflows `f64`.
    #[error("the target's moments overflow at tau = {tau}; scale the samples or the target down")]
    Overflow {
        /// The τ at which it does.
        tau: f64,
    },
    /// A moment is negative or NaN, which no function or positive definite kernel has.
    #[error("{name} is {value}; moments are never negative or NaN")]
    BadMoment {
        /// `"d0"`, `"d1"` or `"d2"`.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// d0 < 2τ²d2: no function has these moments, since its quadratic part alone contributes 2τ²d2 to d0.
    #[error(
        "d0 is {d0} but no function with this d2 has d0 below 2·tau²·d2 = {bound}; raise d0 or lower d2"
    )]
    ImpossibleMoments {
        /// d0.
        d0: f64,
        /// 2τ²d2, the smallest possible d0.
        bound: f64,
    },
    /// d1 and d2 vanish in `f64`: the target is constant, or its kernel is a multiple of the identity at this τ.
    #[error(
        "d1 and d2 vanish at tau = {tau} (d0 = {d0}): the kernel is a multiple of the identity; \
         scale the samples down or choose a wider kernel"
    )]
    NothingToMatch {
        /// d0, which is all there is.
        d0: f64,
        /// The τ at which the rest vanishes.
        tau: f64,
    },
    /// d1 = 0: an even target has no linear part, and two thresholds always have one.
    #[error("d1 = 0 (d2 = {d2}): two thresholds cannot match an even target; use Policy::FourBand")]
    EvenTarget {
        /// The d2 that four bands would match.
        d2: f64,
    },
    /// ρ is so large that two thresholds would never fire.
    #[error(
        "rho = {rho} is above {largest}, where two thresholds would never fire; use Policy::FourBand"
    )]
    RatioTooLarge {
        /// ρ = 2√(τ·d2/d1).
        rho: f64,
        /// The largest ρ that two bands can represent in `f64`.
        largest: f64,
    },
    /// Outputs of exactly ±1 cannot have a linear part this large.
    #[error(
        "outputs of exactly ±1 reach b1 = sqrt(tau·d1) ≤ 2φ(rho) = {bound} at rho = {rho}, but the target has \
         b1 = {b1}; use Policy::MinVariance, which scales the outputs"
    )]
    UnitInfeasible {
        /// b1 = √(τ·d1).
        b1: f64,
        /// 2φ(ρ), the largest b1 that unit outputs reach.
        bound: f64,
        /// ρ = 2√(τ·d2/d1).
        rho: f64,
    },
    /// Fixed thresholds are NaN or in the wrong order.
    #[error("lower is {lower} and upper is {upper}; they must be numbers with lower ≤ upper")]
    BadThresholds {
        /// s₋ as given.
        lower: f64,
        /// s₊ as given.
        upper: f64,
    },
    /// Fixed thresholds are so far out that every feature would always be the same.
    #[error(
        "thresholds {lower} and {upper} are out of reach at tau = {tau}; bring one nearer to 0"
    )]
    NeverFires {
        /// s₋ as given.
        lower: f64,
        /// s₊ as given.
        upper: f64,
        /// The τ at which they are out of reach.
        tau: f64,
    },
    /// Fixed thresholds have no quadratic part, and the target has nothing else.
    #[error(
        "thresholds symmetric about 0 have no quadratic part, and the target (d2 = {d2}) has nothing else; \
         use Policy::FourBand"
    )]
    NoCommonPart {
        /// The target's d2.
        d2: f64,
    },
    /// The L1 Laplacian kernel needs Cauchy weights, whose variance is infinite: no τ describes them.
    #[error(
        "the L1 Laplacian kernel needs Cauchy weights, whose variance is infinite; \
         use Target::laplacian, the L2 form, or a Matérn kernel"
    )]
    L1Laplacian,
    /// γ + λ is not positive, so that the ternary features by themselves regularise more than the ridge parameter γ
    /// would, or not finite.
    #[error("gamma + lambda = {gamma} + {lambda} must be positive and finite; use a finite gamma above {}", -lambda)]
    RidgeNotPositive {
        /// The ridge parameter γ asked for.
        gamma: f64,
        /// The report's λ.
        lambda: f64,
    },
}
