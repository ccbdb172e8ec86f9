//! Stochastic gradient descent for logistic regression, with mini-batches and a rate that is halved when it stops helping.

use super::Sgd;
use super::loss::Loss;
use crate::dense::vector::dot;
use crate::learn::convergence::Convergence;
use crate::learn::training::{Training, Watch};
use crate::packed::matmul::SideBySide;
use crate::random::Random;
use crate::{Error, dispatch};
use ternion_core::Simd;

/// An epoch should lower the objective, or the loss of held-out samples, by this share.
const LEAST_GAIN: f64 = 1e-3;

/// Steps of the power method.
const POWERS: usize = 8;

/// Vectors of parameters, and of scores, that a fit holds at most.
pub(super) const VECTORS: [usize; 2] = [6, 1];

/// Parameters of a small objective, and how they were reached.
///
/// # Errors
///
/// [`Error::Diverged`] if the objective is not finite after an epoch.
pub(super) fn minimise(
    loss: &Loss<'_>,
    mut parameters: Vec<f64>,
    sgd: Sgd,
    tolerance: f64,
    limit: usize,
    training: Training<'_>,
) -> Result<(Convergence, Vec<f64>), Error> {
    let with_weight = |weights: &[f64]| -> Vec<usize> {
        (0..weights.len()).filter(|&sample| weights[sample] > 0.0).collect()
    };
    let mut order = with_weight(&loss.weights.trained);
    let held_out = with_weight(&loss.weights.held_out);
    let mean_weight = loss.weights.total / order.len() as f64;
    let mut random = Random::stream(sgd.seed, 0);
    let mut watch = Watch::new(training);
    let mut now = Convergence::start(tolerance, limit);
    let (mut share, mut least) = (1.0, f64::INFINITY);
    let mut rows = SideBySide::default();
    random.shuffle(&mut order);
    let first = &order[..order.len().min(sgd.batch)];
    rows.set(loss.some_rows(first));
    let share_of = |&sample: &usize| loss.weights.trained[sample] / mean_weight;
    let unit = 1.0 / largest_moment(&rows, first.iter().map(share_of).collect(), sgd.seed);
    loop {
        let rate = share * sgd.rate * unit;
        let mut losses = 0.0;
        for batch in order.chunks(sgd.batch) {
            rows.set(loss.some_rows(batch));
            losses += step(loss, &mut parameters, batch, &rows, rate, mean_weight);
        }
        let penalised = loss.penalised(&parameters);
        now.objective = losses / loss.weights.total + 0.5 * loss.lambda * dot(penalised, penalised);
        now.iterations += 1;
        if !now.objective.is_finite() {
            return Err(Error::Diverged { iterations: now.iterations });
        }
        now.held_out = held_out_loss(loss, &held_out, &parameters);
        let found = now.held_out.unwrap_or(now.objective);
        if found > least * (1.0 - LEAST_GAIN) {
            share *= 0.5;
        }
        least = least.min(found);
        now.residual = share;
        if watch.is_last(&mut now, &parameters) {
            return Ok(watch.finish(now, parameters));
        }
        random.shuffle(&mut order);
    }
}

/// Roughly the largest eigenvalue of the mean of w·x·xᵀ over samples x with weights w, each with a one for the intercept:
/// the steepest curvature of squares. The cross entropy has at most half of it, the logistic loss a quarter.
///
/// By the power method on the products of the samples, from random signs: below the eigenvalue by a few hundredths where
/// others are close to it, which is as good for a rate.
fn largest_moment(rows: &SideBySide, weights: Vec<f64>, seed: u64) -> f64 {
    let mut random = Random::stream(seed, 1);
    let count = weights.len() as f64;
    let roots: Vec<f64> = weights.into_iter().map(|weight| (weight / count).sqrt()).collect();
    let mut vector: Vec<f64> =
        roots.iter().map(|_| if random.bits() & 1 == 0 { 1.0 } else { -1.0 }).collect();
    let mut length = dot(&vector, &vector).sqrt();
    for _ in 0..POWERS {
        vector.iter_mut().zip(&roots).for_each(|(x, root)| *x *= root / length);
        let intercept: f64 = vector.iter().sum();
        vector = rows.times(&rows.transposed_times(&vector, 1), 1);
        vector.iter_mut().zip(&roots).for_each(|(x, root)| *x = root * (*x + intercept));
        length = dot(&vector, &vector).sqrt();
    }
    length
}

/// Changes the parameters by the mean gradient of a batch times a rate, and returns the sum of its losses before.
fn step(
    loss: &Loss<'_>,
    parameters: &mut [f64],
    batch: &[usize],
    rows: &SideBySide,
    rate: f64,
    mean_weight: f64,
) -> f64 {
    let mut residuals = loss.scores(parameters, |w, outputs| rows.times(w, outputs));
    let losses = loss.to_residuals(&mut residuals, |row| batch[row]);
    let gradient = loss.back(&residuals, |r, outputs| rows.transposed_times(r, outputs));
    let factor = rate / (batch.len() as f64 * mean_weight);
    let penalised = loss.penalised(parameters).len();
    let [weights, intercepts] = [0..penalised, penalised..parameters.len()];
    for (range, kept) in [(weights, 1.0 - rate * loss.lambda), (intercepts, 1.0)] {
        let (parameters, gradient) = (&mut parameters[range.clone()], &gradient[range]);
        dispatch!(loss.isa(), simd => shrink_and_subtract(simd, parameters, kept, factor, gradient));
    }
    losses
}

/// x ← kept · x − factor · g.
fn shrink_and_subtract<S: Simd>(simd: S, x: &mut [f64], kept: f64, factor: f64, g: &[f64]) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (x, g) in x.iter_mut().zip(g) {
                *x = kept * *x - factor * g;
            }
        },
    );
}

/// The mean loss of held-out samples, if there are any.
fn held_out_loss(loss: &Loss<'_>, samples: &[usize], parameters: &[f64]) -> Option<f64> {
    if samples.is_empty() {
        return None;
    }
    let rows = loss.some_rows(samples);
    let scores = loss.scores(parameters, |w, outputs| rows.times(w, outputs));
    let rows = samples.iter().zip(scores.chunks_exact(loss.outputs));
    let weighted = rows.map(|(&sample, scores)| {
        let weight = loss.weights.held_out[sample];
        [weight, weight * loss.of_sample(sample, scores)]
    });
    let [total, losses] = weighted.fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d]);
    Some(losses / total)
}
