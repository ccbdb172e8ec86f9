//! Exact kernels, and the support vector machine on them.

use rayon::prelude::*;

use super::dense::product_of_rows;

/// exp(−γ‖x − y‖²) of every x with every y, a row per x.
pub fn gaussian(gamma: f64, x: &[f32], y: &[f32], inputs: usize) -> Vec<f32> {
    let gamma = gamma as f32;
    of_products(x, y, inputs, move |product, xx, yy| {
        (-gamma * (xx + yy - 2.0 * product).max(0.0)).exp()
    })
}

/// The arc-cosine kernel of order 0 or 1 (Cho and Saul 2009): 2·E[f(w·x)·f(w·y)] for normal w, with f the step or ReLU.
pub fn arc_cosine(order: u8, x: &[f32], y: &[f32], inputs: usize) -> Vec<f32> {
    use core::f32::consts::{FRAC_1_PI, PI};
    of_products(x, y, inputs, move |product, xx, yy| {
        let norms = (xx * yy).sqrt();
        let cos = (product / norms.max(f32::MIN_POSITIVE)).clamp(-1.0, 1.0);
        let angle = cos.acos();
        match order {
            0 => 1.0 - FRAC_1_PI * angle,
            _ => FRAC_1_PI * norms * ((1.0 - cos * cos).sqrt() + (PI - angle) * cos),
        }
    })
}

/// f(x·y, ‖x‖², ‖y‖²) of every x with every y.
fn of_products(
    x: &[f32],
    y: &[f32],
    inputs: usize,
    f: impl Fn(f32, f32, f32) -> f32 + Sync,
) -> Vec<f32> {
    let norms = |x: &[f32]| -> Vec<f32> {
        x.chunks(inputs).map(|x| x.iter().map(|x| x * x).sum()).collect()
    };
    let (xx, yy) = (norms(x), norms(y));
    let mut out = product_of_rows(x, y, inputs);
    out.par_chunks_mut(yy.len()).zip(xx).for_each(|(row, xx)| {
        row.iter_mut().zip(&yy).for_each(|(k, &yy)| *k = f(*k, xx, yy));
    });
    out
}

/// A support vector machine on a kernel matrix: its coefficients yᵢ·αᵢ. The constant is part of the kernel, as k + 1.
///
/// Maximises Σα − ½ΣΣ αᵢαⱼyᵢyⱼ(Kᵢⱼ + 1) over 0 ≤ α ≤ `cost`, one α after another in passes, until none of them would change
/// its margin by more than a thousandth.
pub fn support_vectors(gram: &[f32], is_positive: &[bool], cost: f32) -> Vec<f32> {
    let n = is_positive.len();
    let mut coefficients = vec![0.0f32; n];
    let mut outputs = vec![0.0f32; n];
    for _ in 0..500 {
        let mut worst = 0.0f32;
        for i in 0..n {
            let sign = if is_positive[i] { 1.0 } else { -1.0 };
            let alpha = sign * coefficients[i];
            let slope = 1.0 - sign * outputs[i];
            let changed = (alpha + slope / (gram[i * n + i] + 1.0)).clamp(0.0, cost);
            let step = sign * (changed - alpha);
            if step != 0.0 {
                worst = worst.max(step.abs() * (gram[i * n + i] + 1.0));
                coefficients[i] = sign * changed;
                let row = &gram[i * n..][..n];
                outputs.iter_mut().zip(row).for_each(|(out, k)| *out += step * (k + 1.0));
            }
        }
        if worst < 1e-3 {
            break;
        }
    }
    coefficients
}

/// The scores of new samples from their kernel with the training samples.
pub fn scores(cross: &[f32], coefficients: &[f32]) -> Vec<f32> {
    let score = |row: &[f32]| row.iter().zip(coefficients).map(|(k, a)| (k + 1.0) * a).sum();
    cross.chunks(coefficients.len()).map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_have_their_known_values() {
        let (x, y) = ([1.0, 0.0, 0.0, 2.0], [1.0, 0.0, -3.0, 0.0]);
        let expected = [1.0, (-0.5f32 * 16.0).exp(), (-0.5f32 * 5.0).exp(), (-0.5f32 * 13.0).exp()];
        for (found, expected) in gaussian(0.5, &x, &y, 2).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6);
        }
        // Equal, opposite and orthogonal directions.
        assert_eq!(arc_cosine(0, &x[..2], &y, 2), [1.0, 0.0]);
        assert!((arc_cosine(0, &x[2..], &y, 2)[0] - 0.5).abs() < 1e-6);
        let first = arc_cosine(1, &x, &y, 2);
        let right = 2.0 / core::f32::consts::PI; // ‖x‖‖y‖/π
        for (found, expected) in first.iter().zip([1.0, 0.0, right, 3.0 * right]) {
            assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        }
    }

    #[test]
    fn support_vectors_satisfy_the_conditions_of_the_optimum() {
        let n = 60;
        let x: Vec<f32> = (0..2 * n).map(|i| (i as f32 * i as f32 * 0.11).sin()).collect();
        let positive: Vec<bool> = x.chunks(2).map(|x| x[0] * x[1] > 0.05).collect();
        let gram = gaussian(2.0, &x, &x, 2);
        let cost = 3.0;
        let coefficients = support_vectors(&gram, &positive, cost);
        let scores = scores(&gram, &coefficients);
        let mut inside = 0;
        for i in 0..n {
            let sign = if positive[i] { 1.0 } else { -1.0 };
            let (alpha, margin) = (sign * coefficients[i], sign * scores[i]);
            assert!((0.0..=cost).contains(&alpha));
            inside += usize::from(alpha > 0.0 && alpha < cost);
            match alpha {
                0.0 => assert!(margin > 0.99, "{margin}"),
                a if a == cost => assert!(margin < 1.01, "{margin}"),
                _ => assert!((margin - 1.0).abs() < 0.01, "{margin}"),
            }
        }
        assert!(inside > 0);
    }
}
