//! Logistic regression of two classes by stochastic gradients on mini-batches, on features of any precision: the algorithm
//! of `Logistic::sgd`, whose numbers are its defaults.

use super::ridge::Model;
use crate::paper::data::Random;
use crate::peers::blas1::{axpy, dot};

/// Samples in a batch, as in the paper.
pub const BATCH: usize = 250;

/// The first rate, in units of 1 over the largest eigenvalue of the first batch's second moments.
const RATE: f32 = 4.0;

/// Steps of the power method to that eigenvalue.
const POWERS: usize = 8;

/// An epoch that lowers the loss by a smaller share halves the rate.
const GAIN: f64 = 1e-3;

/// Fits for so many epochs. `features` are asked for again in every epoch, for batches of samples in an order of the seed.
pub fn fit(
    features: &mut dyn FnMut(&[usize]) -> Vec<f32>,
    is_positive: &[bool],
    epochs: usize,
    seed: u64,
) -> Model {
    let mut random = Random::new(seed);
    let (mut weights, mut bias) = (Vec::new(), 0.0f32);
    let (mut rate, mut least) = (None, f64::INFINITY);
    for _ in 0..epochs {
        let mut loss = 0.0;
        for batch in random.order(is_positive.len()).chunks(BATCH) {
            let rows = features(batch);
            let m = rows.len() / batch.len();
            weights.resize(m, 0.0f32);
            let rate = *rate.get_or_insert_with(|| RATE / largest_moment(&rows, m));
            let factor = rate / batch.len() as f32;
            let mut steps = Vec::with_capacity(batch.len());
            for (row, &sample) in rows.chunks(m).zip(batch) {
                let score = bias + dot(row, &weights);
                let margin = if is_positive[sample] { score } else { -score };
                loss += f64::from((-margin.abs()).exp().ln_1p() - margin.min(0.0));
                let wrong = 1.0 / (1.0 + margin.exp());
                steps.push(factor * if is_positive[sample] { wrong } else { -wrong });
            }
            for (row, step) in rows.chunks(m).zip(&steps) {
                axpy(*step, row, &mut weights);
            }
            bias += steps.iter().sum::<f32>();
        }
        if loss > least * (1.0 - GAIN) {
            rate = rate.map(|rate| 0.5 * rate);
        }
        least = least.min(loss);
    }
    Model { weights, bias: vec![bias] }
}

/// The largest eigenvalue of the mean φφᵀ of some samples, each with a one for the constant, by the power method.
fn largest_moment(rows: &[f32], m: usize) -> f32 {
    let count = (rows.len() / m) as f32;
    let mut vector: Vec<f32> = rows.chunks(m).map(|row| 1.0 + row[0]).collect();
    let mut length = dot(&vector, &vector).sqrt();
    for _ in 0..POWERS {
        vector.iter_mut().for_each(|x| *x /= length);
        let constant: f32 = vector.iter().sum();
        let mut back = vec![0.0; m];
        rows.chunks(m).zip(&vector).for_each(|(row, x)| axpy(*x, row, &mut back));
        let products = rows.chunks(m).map(|row| (dot(row, &back) + constant) / count);
        vector = products.collect();
        length = dot(&vector, &vector).sqrt();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;
    use ternion::learn::{Logistic, Sgd};
    use ternion::{Samples, TernaryFeatures};

    #[test]
    fn the_largest_moment_of_two_directions_is_that_of_the_longer() {
        // Signs without a mean, 3 and 1 long: moments 9, 1, and 1 of the constant.
        let rows = [3.0, 1.0, 3.0, -1.0, -3.0, 1.0, -3.0, -1.0];
        assert!((largest_moment(&rows, 2) - 9.0).abs() < 1e-3, "{}", largest_moment(&rows, 2));
    }

    #[test]
    fn the_optimum_of_a_constant_feature_is_the_log_odds() {
        let positive: Vec<bool> = (0..1000).map(|i| i % 4 != 0).collect();
        let model = fit(&mut |batch| vec![0.0; batch.len()], &positive, 60, 1);
        assert!((model.bias[0] - 3.0f32.ln()).abs() < 0.05, "{}", model.bias[0]);
    }

    #[test]
    fn separable_classes_are_separated() {
        let x: Vec<f32> = (0..2000).map(|i| (i as f32 * i as f32 * 0.3).sin()).collect();
        let positive: Vec<bool> = x.chunks(2).map(|x| x[0] > x[1]).collect();
        let mut rows =
            |batch: &[usize]| batch.iter().flat_map(|&i| &x[2 * i..][..2]).copied().collect();
        let model = fit(&mut rows, &positive, 50, 1);
        let scores = model.outputs(&x);
        let right = scores.iter().zip(&positive).filter(|(s, p)| (**s > 0.0) == **p).count();
        assert!(right > 980, "{right}");
    }

    /// On trits both minimise the same loss in the same way, in another order of the samples.
    #[test]
    fn the_descent_is_that_of_ternion() {
        let x: Vec<f32> = (0..2000 * 6).map(|i| (i as f32 * i as f32 * 0.3).sin()).collect();
        let labels: Vec<usize> =
            x.chunks(6).map(|x| usize::from(x[0] + 0.5 * x[1] > 0.3 * x[2])).collect();
        let samples = Samples::new(&x, 6).unwrap();
        let features = TernaryFeatures::params(64).fit(&samples).unwrap().transform(&samples);
        let features = features.unwrap();
        let rows = features.unpack::<f32>().unwrap().into_vec();
        let positive: Vec<bool> = labels.iter().map(|&label| label == 1).collect();
        let mut batches = |batch: &[usize]| -> Vec<f32> {
            batch.iter().flat_map(|&i| &rows[64 * i..][..64]).copied().collect()
        };
        let found = fit(&mut batches, &positive, 40, 3).outputs(&rows);
        let sgd = Sgd { batch: BATCH, ..Sgd::default() };
        let learner = Logistic::new(1e-6).unwrap().sgd(sgd).unwrap().limit(40).unwrap();
        let model = learner.fit_classes(&features, &labels).unwrap();
        let scores = model.decision(&features).unwrap();
        let (mut difference, mut size) = (0.0, 0.0);
        for (found, scores) in found.iter().zip(scores.as_slice().chunks(2)) {
            // The log-odds of class 1.
            let expected = scores[1] - scores[0];
            difference += (found - expected).powi(2);
            size += expected.powi(2);
        }
        let share = (difference / size).sqrt();
        assert!(share < 0.05, "{share}");
    }
}
