//! A fast vectorised cosine, so that random Fourier features are a fair peer.
//!
//! cos(x) = (−1)^q · cos(r) with q = round(x/π) and r = x − qπ ∈ [−π/2, π/2].
//!
//! 1. q comes from adding and subtracting 1.5·2²³: the sum's low mantissa bit is the parity of q, so
//!    the sign needs no integer conversion, and no rounding instruction is needed on old CPUs.
//! 2. π is split in three parts; the first two have so few bits that q·part is exact up to |q| = 2¹³.
//! 3. cos(r) is an even polynomial of degree 8, minimax on [−π/2, π/2]: error 5.3e−8.
//!
//! The loop is plain Rust: inside a `#[target_feature]` function it compiles to full-width code.

/// Largest |x| for which the stated accuracy holds.
pub const RANGE: f32 = 8192.0 * core::f32::consts::PI;

const ROUND: f32 = 12_582_912.0; // 1.5 · 2^23
const PI_1: f32 = 3.140_625; // 9 bits of π
const PI_2: f32 = 9.675_026e-4; // the next 11 bits
const PI_3: f32 = 1.509_958e-7; // the rest
const C1: f32 = -4.999_993e-1;
const C2: f32 = 4.166_399e-2;
const C3: f32 = -1.385_592_7e-3;
const C4: f32 = 2.319_438_5e-5;

/// a·b + c, fused where the CPU can do it in one instruction.
#[inline(always)]
fn mul_add<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// cos(x) to about 1e−6 for |x| ≤ [`RANGE`].
///
/// ```
/// let x = 2.5f32;
/// assert!((ternion_benches::cos::cos::<false>(x) - x.cos()).abs() < 1e-6);
/// ```
#[inline(always)]
pub fn cos<const FMA: bool>(x: f32) -> f32 {
    let shifted = mul_add::<FMA>(x, core::f32::consts::FRAC_1_PI, ROUND);
    let q = shifted - ROUND;
    let r = mul_add::<FMA>(q, -PI_1, x);
    let r = mul_add::<FMA>(q, -PI_2, r);
    let r = mul_add::<FMA>(q, -PI_3, r);
    let u = r * r;
    let p = mul_add::<FMA>(C4, u, C3);
    let p = mul_add::<FMA>(p, u, C2);
    let p = mul_add::<FMA>(p, u, C1);
    let p = mul_add::<FMA>(p, u, 1.0);
    f32::from_bits(p.to_bits() ^ (shifted.to_bits() << 31))
}

/// values\[i\] ← cos(values\[i\] + phase\[i mod phase.len()\]), row by row of `phase.len()`.
#[inline(always)]
pub fn add_and_cos<const FMA: bool>(values: &mut [f32], phase: &[f32]) {
    for row in values.chunks_mut(phase.len()) {
        for (v, b) in row.iter_mut().zip(phase) {
            *v = cos::<FMA>(*v + *b);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::peers::add_and_cos;

    fn worst(f: impl Fn(f32) -> f32, limit: f32, steps: i32) -> f64 {
        (-steps..=steps)
            .map(|i| limit * (i as f32 / steps as f32))
            .map(|x| (f64::from(f(x)) - f64::from(x).cos()).abs())
            .fold(0.0, f64::max)
    }

    #[test]
    fn cos_is_accurate_near_zero_and_far_from_it() {
        for limit in [4.0, 100.0, super::RANGE] {
            let plain = worst(super::cos::<false>, limit, 200_000);
            let fused = worst(super::cos::<true>, limit, 200_000);
            assert!(plain < 1e-6, "limit {limit}: error {plain:e}");
            assert!(fused < 1e-6, "limit {limit}: error {fused:e}");
        }
    }

    #[test]
    fn cos_is_right_where_the_parity_changes() {
        for k in -50..=50 {
            let x = (f64::from(k) + 0.5) * core::f64::consts::PI;
            for x in [(x as f32).next_down(), x as f32, (x as f32).next_up()] {
                let error = (f64::from(super::cos::<false>(x)) - f64::from(x).cos()).abs();
                assert!(error < 1e-6, "x {x}: error {error:e}");
            }
        }
    }

    #[test]
    fn dispatched_rows_take_each_its_phase() {
        // Odd lengths, so that every vector tail is used.
        let (rows, columns) = (3, 37);
        let mut values: Vec<f32> = (0..rows * columns).map(|i| i as f32 * 0.71 - 30.0).collect();
        let phase: Vec<f32> = (0..columns).map(|j| j as f32 * 0.17).collect();
        let expected: Vec<f64> = values
            .iter()
            .enumerate()
            .map(|(i, v)| f64::from(v + phase[i % columns]).cos())
            .collect();
        add_and_cos(&mut values, &phase);
        for (found, expected) in values.iter().zip(expected) {
            assert!((f64::from(*found) - expected).abs() < 1e-6);
        }
    }
}
