//! [`Loss`]: what logistic regression minimises, its derivatives, and its parameters as a model.

use crate::dense::exponential::{exp, exp_each, ln_1p};
use crate::learn::penalty::Penalty;
use crate::learn::training::Weights;
use crate::learn::{LinearModel, classes, feature_variance, mean_square};
use crate::packed::rows::Rows;
use crate::{Error, Features, Isa, dispatch, memory, parallel};
use ternion_core::Simd;

/// Samples whose losses are computed together.
const ROWS: usize = 64;

/// Samples whose losses are summed before they are added to those of others.
const CHUNK_SAMPLES: usize = 256;

/// The mean loss of samples with labels, and a penalty.
///
/// Parameters are a row per feature and a last one for the intercepts, each with a number per output. Two classes have one
/// output, the score of the second.
pub(super) struct Loss<'a> {
    features: &'a Features,
    labels: &'a [usize],
    pub(super) weights: Weights,
    /// Whether each class has samples with a weight. Others have a probability of zero.
    present: Vec<bool>,
    pub(super) outputs: usize,
    /// λ = m·γ/Σw, the factor of ½‖W‖².
    pub(super) lambda: f64,
}

impl<'a> Loss<'a> {
    pub(super) fn new(
        features: &'a Features,
        labels: &'a [usize],
        mut weights: Weights,
        penalty: Penalty,
    ) -> Self {
        let present = classes::present(labels, &weights.trained);
        // Held-out samples of other classes have an infinite loss, which no iteration lowers.
        for (weight, &label) in weights.held_out.iter_mut().zip(labels) {
            if !present[label] {
                *weight = 0.0;
            }
        }
        let m = features.features() as f64;
        let gamma = penalty.gamma(|| feature_variance(features, &weights).1);
        let lambda = m * gamma / weights.total;
        let outputs = if present.len() == 2 { 1 } else { present.len() };
        Self { features, labels, weights, present, outputs, lambda }
    }

    /// Refuses a fit for which there is no memory: so many vectors of parameters, and of scores.
    pub(super) fn check_memory(&self, [parameters, scores]: [usize; 2]) -> Result<(), Error> {
        let (rows, samples) = (self.features.features() + 1, self.features.len());
        memory::check_room::<f64>([
            (rows, self.outputs, parameters),
            (samples, self.outputs, scores),
        ])
    }

    /// The mean of ‖x‖² + 1, with the intercept as a feature.
    pub(super) fn square_norm(&self) -> f64 {
        mean_square(self.features, &self.weights) + 1.0
    }

    /// The instruction set of the features.
    pub(super) fn isa(&self) -> Isa {
        self.features.isa()
    }

    pub(super) fn classes(&self) -> usize {
        self.present.len()
    }

    /// Some of the samples.
    pub(super) fn some_rows(&self, order: &'a [usize]) -> Rows<'a> {
        Rows::some(self.features, order)
    }

    /// The parameters of a model, or zeros.
    pub(super) fn parameters(&self, model: Option<&LinearModel>) -> Vec<f64> {
        let Some(model) = model else {
            return vec![0.0; (self.features.features() + 1) * self.outputs];
        };
        let numbers = model.weights().as_slice().iter().chain(model.bias()).map(|&x| f64::from(x));
        match self.outputs {
            1 => numbers.collect::<Vec<_>>().chunks(2).map(|pair| pair[1] - pair[0]).collect(),
            _ => numbers.collect(),
        }
    }

    /// The weights and intercepts of a model with an output per class: of two, each has half of the score, so that their
    /// softmax has the same probabilities. The scores of classes without samples are below all others.
    pub(super) fn outputs_of(&self, parameters: Vec<f64>) -> (Vec<f64>, Vec<f64>) {
        let halves = |x: f64| [-0.5 * x, 0.5 * x];
        let mut weights = match self.outputs {
            1 => parameters.into_iter().flat_map(halves).collect(),
            _ => parameters,
        };
        let mut bias = weights.split_off(weights.len() - self.classes());
        classes::never_predict(&weights, &mut bias, &self.present);
        (weights, bias)
    }

    /// The scores of all samples, a row each.
    pub(super) fn all_scores(&self, parameters: &[f64]) -> Vec<f64> {
        self.scores(parameters, |w, outputs| Rows::all(self.features).times(w, outputs))
    }

    /// The scores of samples whose features are multiplied by `times`.
    pub(super) fn scores(
        &self,
        parameters: &[f64],
        times: impl FnOnce(&[f64], usize) -> Vec<f64>,
    ) -> Vec<f64> {
        let (weights, bias) = parameters.split_at(parameters.len() - self.outputs);
        let mut scores = times(weights, self.outputs);
        for row in scores.chunks_exact_mut(self.outputs) {
            row.iter_mut().zip(bias).for_each(|(score, bias)| *score += bias);
        }
        scores
    }

    /// The derivatives by the parameters, from those by the scores of samples whose features are multiplied by `times`.
    pub(super) fn back(
        &self,
        residuals: &[f64],
        times: impl FnOnce(&[f64], usize) -> Vec<f64>,
    ) -> Vec<f64> {
        let mut gradient = times(residuals, self.outputs);
        let mut totals = vec![0.0; self.outputs];
        for row in residuals.chunks_exact(self.outputs) {
            totals.iter_mut().zip(row).for_each(|(total, x)| *total += x);
        }
        gradient.extend(totals);
        gradient
    }

    /// The gradient of the objective, from the derivatives by the scores of all samples.
    pub(super) fn gradient(&self, residuals: &[f64], parameters: &[f64]) -> Vec<f64> {
        let rows = Rows::all(self.features);
        let mut gradient = self.back(residuals, |r, outputs| rows.transposed_times(r, outputs));
        let share = 1.0 / self.weights.total;
        gradient.iter_mut().for_each(|x| *x *= share);
        let penalised = self.penalised(parameters);
        gradient.iter_mut().zip(penalised).for_each(|(g, x)| *g += self.lambda * x);
        gradient
    }

    /// The parameters that are penalised: all but the intercepts.
    pub(super) fn penalised<'p>(&self, parameters: &'p [f64]) -> &'p [f64] {
        &parameters[..parameters.len() - self.outputs]
    }

    /// The sum of the losses at scores + step · change of all samples, and its derivative by the step.
    pub(super) fn along(&self, scores: &[f64], change: &[f64], step: f64) -> [f64; 2] {
        let chunk = CHUNK_SAMPLES * self.outputs;
        parallel::sum(scores.len().div_ceil(chunk), |index| {
            let range = index * chunk..scores.len().min((index + 1) * chunk);
            let (scores, change) = (&scores[range.clone()], &change[range]);
            let mut residuals: Vec<f64> =
                scores.iter().zip(change).map(|(score, change)| score + step * change).collect();
            let first = index * CHUNK_SAMPLES;
            let loss = self.to_residuals(&mut residuals, |row| first + row);
            let slope = residuals.iter().zip(change).map(|(residual, change)| residual * change);
            [loss, slope.sum()]
        })
    }

    /// Replaces the scores of all samples by the derivatives of their losses.
    pub(super) fn all_to_residuals(&self, scores: &mut [f64]) {
        parallel::for_each_chunk(scores, CHUNK_SAMPLES * self.outputs, |index, scores| {
            self.to_residuals(scores, |row| index * CHUNK_SAMPLES + row);
        });
    }

    /// Replaces the scores of some samples by the derivatives of their weighted losses, and returns the sum of these.
    pub(super) fn to_residuals(&self, scores: &mut [f64], sample: impl Fn(usize) -> usize) -> f64 {
        if self.outputs == 1 {
            let of = |row| (self.labels[sample(row)] == 1, self.weights.trained[sample(row)]);
            return dispatch!(self.features.isa(), simd => logistic_residuals(simd, scores, of));
        }
        let mut losses = 0.0;
        // Scores become −∞ or at most zero, then exponentials.
        for (row, scores) in scores.chunks_exact_mut(self.outputs).enumerate() {
            let (weight, label) = (self.weights.trained[sample(row)], self.labels[sample(row)]);
            let score = self.shift(scores, label);
            // That of a class whose samples all have the weight 0 is −∞.
            if weight > 0.0 {
                losses -= weight * score;
            }
        }
        dispatch!(self.features.isa(), simd => exponentials(simd, scores));
        for (row, scores) in scores.chunks_exact_mut(self.outputs).enumerate() {
            let (weight, label) = (self.weights.trained[sample(row)], self.labels[sample(row)]);
            let total: f64 = scores.iter().sum();
            losses += weight * libm::log(total);
            let share = weight / total;
            scores.iter_mut().for_each(|x| *x *= share);
            scores[label] -= weight;
        }
        losses
    }

    /// Subtracts the largest score of a class with samples from all, which makes no difference to probabilities, and
    /// returns the result for the label.
    fn shift(&self, scores: &mut [f64], label: usize) -> f64 {
        for (score, _) in scores.iter_mut().zip(&self.present).filter(|(_, present)| !**present) {
            *score = f64::NEG_INFINITY;
        }
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        scores.iter_mut().for_each(|score| *score -= largest);
        scores[label]
    }

    /// The loss of one sample.
    pub(super) fn of_sample(&self, sample: usize, scores: &[f64]) -> f64 {
        let label = self.labels[sample];
        if self.outputs == 1 {
            return logistic(scores[0], label == 1).0;
        }
        let mut scores = scores.to_vec();
        let own = self.shift(&mut scores, label);
        libm::log(scores.iter().map(|&score| exp(score)).sum()) - own
    }
}

/// The loss of a score for the first class or the second, and its derivative.
#[inline(always)]
fn logistic(score: f64, is_second: bool) -> (f64, f64) {
    let margin = if is_second { score } else { -score };
    let small = exp(-margin.abs());
    let loss = ln_1p(small) + (-margin).max(0.0);
    let wrong = if margin > 0.0 { small } else { 1.0 } / (1.0 + small);
    (loss, if is_second { -wrong } else { wrong })
}

/// Replaces scores by the derivatives of their weighted losses, and returns the sum of these. `of` gives the class of a
/// row, whether it is the second, and the weight.
fn logistic_residuals<S: Simd>(
    simd: S,
    scores: &mut [f64],
    of: impl Fn(usize) -> (bool, f64),
) -> f64 {
    let mut losses = 0.0;
    for (chunk, scores) in scores.chunks_mut(ROWS).enumerate() {
        let [mut second, mut weights, mut all] = [[0.0; ROWS]; 3];
        for (row, score) in scores.iter().enumerate() {
            let (is_second, weight) = of(chunk * ROWS + row);
            (second[row], weights[row], all[row]) = (f64::from(is_second), weight, *score);
        }
        losses += simd.vectorize(
            #[inline(always)]
            || {
                let mut losses = [0.0; ROWS];
                for row in 0..ROWS {
                    let (loss, wrong) = logistic(all[row], second[row] > 0.5);
                    losses[row] = weights[row] * loss;
                    all[row] = weights[row] * wrong;
                }
                losses.iter().sum::<f64>()
            },
        );
        scores.copy_from_slice(&all[..scores.len()]);
    }
    losses
}

fn exponentials<S: Simd>(simd: S, numbers: &mut [f64]) {
    simd.vectorize(
        #[inline(always)]
        || exp_each(numbers),
    );
}
