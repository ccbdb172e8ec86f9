//! The four-band function of least variance with a given ratio of quadratic to linear part.
//!
//! Among all ternary functions with E zσ : E(z²−1)σ = b1 : b2, the one of least variance has bands that are level sets of a
//! parabola ℓ1·u + ℓ2(u²−1): it is 1−2μ at the outer two thresholds
//! and −(1+2μ) at the inner two (μ = Eσ), and ℓ1·f1 + ℓ2·f2 = 2V. All four thresholds are thus
//! symmetric about one centre c = −ℓ1/(2ℓ2), at distances h < H, and eliminating ℓ leaves three
//! equations in (u₃, u₄, c):
//!
//! - H² + h² − 2c² − 2 + 2μ(H²−h²) = 0,
//! - f2 − 2c·f1 = V(H²−h²),
//! - f2·b1 = f1·b2.

use super::bands::Profile;
use super::normal::density;

/// Below this ρ the two leftmost thresholds are so far out (8.4 standard deviations) that the four-band function equals the
/// two-band one of least variance to the last bit.
pub(super) const SMALLEST_RHO: f64 = 0.25;

/// (u₃, u₄, c) for an even target.
const EVEN: [f64; 3] = [1.259_758_633_095_677, 1.993_249_987_235_990_8, 0.0];

/// Newton steps per stage at most; three to six are usual.
const MAX_STEPS: usize = 50;

/// The four thresholds in units of √τ for `b2`/`b1` ≥ [`SMALLEST_RHO`], both not negative.
pub(super) fn thresholds(b1: f64, b2: f64) -> [f64; 4] {
    let inverse = b1 / b2;
    // Continuation from the even solution to the wanted ratio, in stages short enough for Newton's method.
    let stages = (2.0 * inverse).ceil().max(1.0);
    let mut unknowns = EVEN;
    let mut stage = 1.0;
    while stage < stages {
        unknowns = newton(unknowns, inverse * stage / stages, 1e-4);
        stage += 1.0;
    }
    let [inner, outer, centre] = newton(unknowns, inverse, 0.0);
    [2.0 * centre - outer, 2.0 * centre - inner, inner, outer]
}

/// Newton's method for b1/b2 = `inverse`, until a step is at most `enough` or no longer shrinks.
fn newton(mut unknowns: [f64; 3], inverse: f64, enough: f64) -> [f64; 3] {
    let mut last = f64::INFINITY;
    for _ in 0..MAX_STEPS {
        let step = step(unknowns, inverse);
        let size = step.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
        // Small steps that no longer shrink are rounding.
        if size.is_nan() || (size < 1e-9 && size >= last) {
            break;
        }
        for (unknown, part) in unknowns.iter_mut().zip(step) {
            *unknown -= part;
        }
        if size <= enough {
            break;
        }
        last = size;
    }
    unknowns
}

/// One Newton step: the residuals divided by their Jacobian.
fn step([inner, outer, centre]: [f64; 3], inverse: f64) -> [f64; 3] {
    let u = [2.0 * centre - outer, 2.0 * centre - inner, inner, outer];
    // What σ gains where u_k is crossed upwards, times the density there: −1, −1, +1, +1.
    let jump: [f64; 4] =
        std::array::from_fn(|k| if k < 2 { -density(u[k]) } else { density(u[k]) });
    // du_k by d(u₃, u₄, c).
    let motion = [[0.0, -1.0, 2.0], [-1.0, 0.0, 2.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    // d/du_k of the integral of g(z)σ is −jump·g(u_k), so with g = 1, z and z²−1:
    let gradient = |g: fn(f64) -> f64| -> [f64; 3] {
        std::array::from_fn(|j| (0..4).map(|k| -jump[k] * g(u[k]) * motion[k][j]).sum())
    };
    let mean_by = gradient(|_| 1.0);
    let first_by = gradient(|z| z);
    let second_by = gradient(|z| z * z - 1.0);
    // E σ² falls at u₁ and u₃ and rises at u₂ and u₄ as they are crossed downwards.
    let square_by: [f64; 3] = std::array::from_fn(|j| {
        let at = |k: usize| density(u[k]) * motion[k][j];
        at(0) - at(1) + at(2) - at(3)
    });

    let profile = Profile::four(u);
    let Profile { variance, first, second, .. } = profile;
    let mean = profile.mean();
    let variance_by: [f64; 3] = std::array::from_fn(|j| square_by[j] - 2.0 * mean * mean_by[j]);

    let (near, far) = (inner - centre, outer - centre);
    let width = far * far - near * near;
    let width_by = [-2.0 * near, 2.0 * far, 2.0 * (near - far)];
    let level_by = [2.0 * near, 2.0 * far, -2.0 * (near + far) - 4.0 * centre];

    let residual = [
        far * far + near * near - 2.0 * centre * centre - 2.0 + 2.0 * mean * width,
        second - 2.0 * centre * first - variance * width,
        second * inverse - first,
    ];
    let jacobian = [
        std::array::from_fn(|j| level_by[j] + 2.0 * (mean_by[j] * width + mean * width_by[j])),
        std::array::from_fn(|j| {
            let by_centre = if j == 2 { 2.0 * first } else { 0.0 };
            second_by[j]
                - 2.0 * centre * first_by[j]
                - by_centre
                - variance_by[j] * width
                - variance * width_by[j]
        }),
        std::array::from_fn(|j| second_by[j] * inverse - first_by[j]),
    ];
    divide(residual, jacobian)
}

/// x with `matrix`·x = `vector`, by Cramer's rule.
fn divide(vector: [f64; 3], matrix: [[f64; 3]; 3]) -> [f64; 3] {
    let determinant = |m: [[f64; 3]; 3]| {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
            - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    };
    let whole = determinant(matrix);
    std::array::from_fn(|j| {
        let mut replaced = matrix;
        for (row, value) in replaced.iter_mut().zip(vector) {
            row[j] = value;
        }
        determinant(replaced) / whole
    })
}
