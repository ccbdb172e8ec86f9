//! Adaptive Gauss–Kronrod quadrature, and the moments of any function by it.
//!
//! Panels with the 15-point Kronrod rule are halved where they disagree with the 7-point Gauss rule on a subset of their
//! nodes. A kink or a jump anywhere costs some forty halvings and no accuracy, and a function that is merely steep (tanh at
//! τ = 1000) needs no help from its author.
//!
//! Written out here rather than taken from a library: all moments share the function values, each integral has a tolerance
//! of its own, and the tail must not be evaluated where no sample ever falls.

use super::Moments;
use crate::theory::SolveError;

/// Nodes of the 15-point Kronrod rule on [−1, 1], without the negative half. Every second one is a Gauss node.
const NODES: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
    0.0,
];
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_224,
    0.063_092_092_629_978_56,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_89,
    0.209_482_141_084_727_82,
];
const GAUSS: [f64; 4] = [
    0.129_484_966_168_869_7,
    0.279_705_391_489_276_64,
    0.381_830_050_505_118_9,
    0.417_959_183_673_469_4,
];

/// The target accuracy of every integral, relative to its natural size.
const TOLERANCE: f64 = 1e-14;

/// Panels after which a function is declared not integrable.
const MAX_PANELS: usize = 20_000;

/// Standard deviations beyond which the normal density alone makes almost every integrand negligible.
const TAIL: f64 = 8.0;

/// The share of an integral that counts as zero.
const NEGLIGIBLE: f64 = 1e-22;

/// One panel, with its integrals and their estimated errors.
struct Panel<const N: usize> {
    from: f64,
    to: f64,
    integral: [f64; N],
    /// ∫|f|.
    size: [f64; N],
    error: [f64; N],
}

impl<const N: usize> Panel<N> {
    fn new(
        from: f64,
        to: f64,
        f: &impl Fn(f64) -> Result<[f64; N], SolveError>,
    ) -> Result<Self, SolveError> {
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let (mut integral, mut coarse, mut size) = ([0.0; N], [0.0; N], [0.0; N]);
        for (i, (node, weight)) in NODES.into_iter().zip(KRONROD).enumerate() {
            let gauss = if i % 2 == 1 { GAUSS[i / 2] } else { 0.0 };
            let sides: &[f64] = if node == 0.0 { &[0.0] } else { &[-node, node] };
            for side in sides {
                let value = f(middle + half * side)?;
                for k in 0..N {
                    integral[k] += half * weight * value[k];
                    coarse[k] += half * gauss * value[k];
                    size[k] += half * weight * value[k].abs();
                }
            }
        }
        let error = std::array::from_fn(|k| {
            let difference = (integral[k] - coarse[k]).abs();
            let noise = 50.0 * f64::EPSILON * size[k];
            // The usual estimate: far smaller than the difference once the rule has begun to
            // converge.
            if difference <= noise {
                0.0
            } else {
                size[k] * (200.0 * difference / size[k]).powf(1.5).min(1.0)
            }
        });
        Ok(Self { from, to, integral, size, error })
    }

    /// The panel's largest share of any of the integrals.
    fn share(&self, sizes: [f64; N]) -> f64 {
        (0..N).map(|k| self.size[k] / sizes[k]).fold(0.0, f64::max)
    }
}

/// The result of an integration.
struct Integrals<const N: usize> {
    total: [f64; N],
    /// First estimates of ∫|f|.
    size: [f64; N],
    /// The ends of the final panels, for another function with the same kinks.
    breaks: Vec<f64>,
}

/// The integrals of `f` over consecutive panels between `breaks`, each to the tolerance that `tolerances` derives from the
/// sizes ∫|f|. Beyond [`TAIL`], panels after the first negligible one are left out, so that a function is not asked for
/// values that may overflow where no sample ever falls. If even the last panel is not negligible, the integral may not
/// exist and is refused.
fn integrate<const N: usize>(
    breaks: &[f64],
    f: impl Fn(f64) -> Result<[f64; N], SolveError>,
    tolerances: impl Fn([f64; N]) -> [f64; N],
) -> Result<Integrals<N>, SolveError> {
    let mut sizes = [0.0; N];
    let mut pending = Vec::with_capacity(2 * breaks.len());
    for ends in breaks.windows(2) {
        let panel = Panel::new(ends[0], ends[1], &f)?;
        let negligible =
            panel.from >= TAIL && (0..N).all(|k| panel.size[k] <= NEGLIGIBLE * sizes[k]);
        for (total, size) in sizes.iter_mut().zip(panel.size) {
            *total += size;
        }
        pending.push(panel);
        if negligible {
            break;
        }
    }
    let allowed = tolerances(sizes);
    let beyond =
        |panel: &&Panel<N>| panel.from >= TAIL && (0..N).any(|k| panel.size[k] > allowed[k]);
    if let Some(last) = pending.last().filter(beyond) {
        return Err(SolveError::NotIntegrable { error: last.share(sizes) });
    }
    let mut total = [0.0; N];
    let mut panels = pending.len();
    // Panels are finished from right to left.
    let mut ends: Vec<f64> = pending.last().map(|panel| panel.to).into_iter().collect();
    while let Some(panel) = pending.pop() {
        let middle = 0.5 * (panel.from + panel.to);
        let indivisible =
            panel.to - panel.from <= 4.0 * f64::EPSILON * panel.to.abs().max(f64::MIN_POSITIVE);
        if indivisible || (0..N).all(|k| panel.error[k] <= allowed[k]) {
            for (sum, part) in total.iter_mut().zip(panel.integral) {
                *sum += part;
            }
            ends.push(panel.from);
            continue;
        }
        panels += 2;
        if panels > MAX_PANELS || !panel.error.iter().all(|error| error.is_finite()) {
            return Err(SolveError::NotIntegrable { error: panel.share(sizes) });
        }
        pending.push(Panel::new(panel.from, middle, &f)?);
        pending.push(Panel::new(middle, panel.to, &f)?);
    }
    ends.reverse();
    Ok(Integrals { total, size: sizes, breaks: ends })
}

/// The first panels of the half line z ≥ 0: finer where the normal density is large, and up to where even the square of eᵗ
/// is negligible unless it overflows.
const SPLITS: [f64; 14] =
    [0.0, 0.5, 1.0, 2.0, 3.0, 4.5, 6.0, TAIL, 10.5, 14.0, 20.0, 28.0, 38.0, 46.0];

/// The moments at `tau` of the function whose odd and even part at t ≥ 0 are `parts(t)`.
pub(super) fn moments_by_parts(
    parts: impl Fn(f64) -> (f64, f64),
    tau: f64,
) -> Result<Moments, SolveError> {
    moments_by_fallible_parts(|t| Ok(parts(t)), tau)
}

/// The moments at `tau` of any function.
pub(super) fn moments_of(function: impl Fn(f64) -> f64, tau: f64) -> Result<Moments, SolveError> {
    let finite = |at: f64| {
        let value = function(at);
        if value.is_finite() { Ok(value) } else { Err(SolveError::NotFinite { at, value }) }
    };
    moments_by_fallible_parts(
        |t| {
            let (above, below) = (finite(t)?, finite(-t)?);
            // Halved first: the sum of two large values may exceed f64.
            Ok((0.5 * above - 0.5 * below, 0.5 * above + 0.5 * below))
        },
        tau,
    )
}

/// The moments from the odd and even part. d0 is the variance of the function without its constant and linear part, and is
/// integrated as such: the difference Var σ − τ·d1 would lose all its digits where σ is almost linear.
fn moments_by_fallible_parts(
    parts: impl Fn(f64) -> Result<(f64, f64), SolveError>,
    tau: f64,
) -> Result<Moments, SolveError> {
    let scale = tau.sqrt();
    // √(2φ(z)): the density of |z| is split evenly between two factors so that σ² may exceed f64.
    let at = |z: f64| {
        let root = (2.0 / std::f64::consts::PI).sqrt().sqrt() * (-0.25 * z * z).exp();
        parts(scale * z).map(|(odd, even)| (odd, even, root))
    };
    let square = |value: f64| {
        let square = value * value;
        if square.is_finite() { Ok(square) } else { Err(SolveError::Overflow { tau }) }
    };

    // The last two components serve only for their sizes: they bound what rounding of σ can do to the others.
    let first = integrate(
        &SPLITS,
        |z| {
            let (odd, even, root) = at(z)?;
            let magnitude = odd.abs() + even.abs();
            let squares = square(root * odd)? + square(root * even)?;
            Ok([
                squares,
                even * root * root,
                z * odd * root * root,
                magnitude * root * root,
                z * magnitude * root * root,
            ])
        },
        |[squares, _, _, magnitude, leverage]| {
            [
                TOLERANCE * squares,
                TOLERANCE * magnitude,
                TOLERANCE * leverage,
                f64::INFINITY,
                f64::INFINITY,
            ]
        },
    )?;
    let [mean_square, mean, slope, ..] = first.total;
    let slope = unless_rounding(slope, first.size[4]);

    // The remainder of an almost linear function may reach further out than the function itself.
    let mut breaks = first.breaks;
    let reached = breaks.last().copied().unwrap_or(0.0);
    breaks.extend(SPLITS.into_iter().filter(|&split| split > reached));
    let deviation = mean_square.sqrt();
    let second = integrate(
        &breaks,
        |z| {
            let (odd, even, root) = at(z)?;
            let weight = (z * z - 1.0) * root * root;
            let (odd_rest, even_rest) = (odd - slope * z, even - mean);
            let magnitude = odd.abs() + even.abs();
            Ok([
                square(root * odd_rest)?,
                square(root * even_rest)?,
                weight * even_rest,
                weight * magnitude,
            ])
        },
        |[odd, even, curvature, leverage]| {
            [
                TOLERANCE * deviation * odd.sqrt(),
                TOLERANCE * deviation * even.sqrt(),
                TOLERANCE * curvature + ROUNDING * leverage,
                f64::INFINITY,
            ]
        },
    )?;
    let [odd_rest, even_rest, curvature, _] = second.total;
    let curvature = unless_rounding(curvature, second.size[3]);
    Ok(Moments {
        d0: odd_rest + even_rest,
        d1: (slope / scale).powi(2),
        d2: (0.5 * curvature / tau).powi(2),
    })
}

/// The largest value that rounding alone can give an integral, relative to the integral of the magnitudes that cancel in
/// it.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// Replaces what may be only rounding by an exact zero, so that an even closure is recognised as even.
fn unless_rounding(integral: f64, magnitude: f64) -> f64 {
    if integral.abs() <= ROUNDING * magnitude { 0.0 } else { integral }
}

/// ∫₀^`to` s·f″(s) ds, where f″ may grow towards 0 as fast as s^(−2+δ).
pub(super) fn curvature_integral(second: impl Fn(f64) -> f64, to: f64) -> Result<f64, SolveError> {
    // s = to·v⁴ turns the s^(−1/2) of the Laplacian kernel, and most others, into a polynomial.
    let integrals = integrate(
        &[0.0, 0.25, 0.5, 1.0],
        |v| {
            let s = to * v.powi(4);
            let value = second(s);
            if value.is_finite() {
                Ok([4.0 * to * to * v.powi(7) * value])
            } else {
                Err(SolveError::NotFinite { at: s, value })
            }
        },
        |[size]| [TOLERANCE * size],
    )?;
    Ok(integrals.total[0])
}
