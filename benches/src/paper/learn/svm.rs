//! The linear support vector machine on features of any precision: dual coordinate descent on the squared hinge, one
//! machine per class against the rest, with the objective of Ternion's `LinearSvm`.

use rayon::prelude::*;

use super::ridge::Model;
use crate::paper::data::Random;
use crate::peers::blas1::{axpy, dot};

/// Passes over the samples, unless the last one changed no margin by more than [`TOLERANCE`].
pub const PASSES: usize = 50;
/// In units of a margin; also of Ternion's machines.
pub const TOLERANCE: f32 = 0.05;

/// Minimises Σ max(0, 1 − y·f)² + ½·m·γ‖θ‖², with γ = `share` times the mean variance of a feature.
pub fn fit(features: &[f32], m: usize, labels: &[usize], classes: usize, share: f64) -> Model {
    fit_until(features, m, labels, classes, share, (PASSES, TOLERANCE))
}

fn fit_until(
    features: &[f32],
    m: usize,
    labels: &[usize],
    classes: usize,
    share: f64,
    (passes, tolerance): (usize, f32),
) -> Model {
    let n = labels.len();
    let penalty = (share * m as f64 * mean_variance(features, m)) as f32;
    let squares: Vec<f32> = features.chunks(m).map(|row| dot(row, row)).collect();
    let outputs = if classes == 2 { 1..2 } else { 0..classes };
    let machines: Vec<(Vec<f32>, f32)> = outputs
        .into_par_iter()
        .map(|class| {
            let (mut weights, mut bias, mut alpha) = (vec![0.0f32; m], 0.0f32, vec![0.0f32; n]);
            let mut random = Random::new(class as u64);
            for _ in 0..passes {
                let mut worst = 0.0f32;
                for sample in random.order(n) {
                    let row = &features[sample * m..][..m];
                    let sign = if labels[sample] == class { 1.0 } else { -1.0 };
                    let slope =
                        sign * (dot(row, &weights) + bias) - 1.0 + 0.5 * penalty * alpha[sample];
                    let curvature = squares[sample] + 1.0 + 0.5 * penalty;
                    let changed = (alpha[sample] - slope / curvature).max(0.0);
                    let step = sign * (changed - alpha[sample]);
                    if step != 0.0 {
                        worst = worst.max(step.abs() * curvature);
                        alpha[sample] = changed;
                        axpy(step, row, &mut weights);
                        bias += step;
                    }
                }
                if worst < tolerance {
                    break;
                }
            }
            (weights, bias)
        })
        .collect();
    let k = machines.len();
    let mut weights = vec![0.0; m * k];
    for (output, (column, _)) in machines.iter().enumerate() {
        weights[output..].iter_mut().step_by(k).zip(column).for_each(|(to, w)| *to = *w);
    }
    Model { weights, bias: machines.iter().map(|(_, bias)| *bias).collect() }
}

fn mean_variance(features: &[f32], m: usize) -> f64 {
    let n = (features.len() / m) as f64;
    let (mut sums, mut square) = (vec![0.0f64; m], 0.0);
    for row in features.chunks(m) {
        sums.iter_mut().zip(row).for_each(|(sum, &x)| *sum += f64::from(x));
        square += f64::from(dot(row, row));
    }
    (square / n - sums.iter().map(|sum| (sum / n).powi(2)).sum::<f64>()) / m as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use ternion::learn::LinearSvm;
    use ternion::{Samples, TernaryFeatures};

    /// On trits both machines solve the same problem.
    #[test]
    fn the_machine_is_that_of_ternion() {
        let x: Vec<f32> = (0..400 * 6).map(|i| (i as f32 * i as f32 * 0.3).sin()).collect();
        let labels: Vec<usize> =
            x.chunks(6).map(|x| usize::from(x[0] > x[1]) + usize::from(x[2] > 0.5)).collect();
        let samples = Samples::new(&x, 6).unwrap();
        let features = TernaryFeatures::params(64).fit(&samples).unwrap().transform(&samples);
        let features = features.unwrap();
        let rows = features.unpack::<f32>().unwrap().into_vec();
        let found = fit_until(&rows, 64, &labels, 3, 0.1, (1000, 1e-3)).outputs(&rows);
        let model = LinearSvm::new(0.1).unwrap().tolerance(1e-3).unwrap();
        let model = model.limit(1000).unwrap().fit_classes(&features, &labels).unwrap();
        let expected = model.decision(&features).unwrap();
        for (found, expected) in found.iter().zip(expected.as_slice()) {
            assert!((found - expected).abs() < 0.05, "{found} {expected}");
        }
    }
}
