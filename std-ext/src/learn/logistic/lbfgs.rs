//! Limited-memory BFGS for logistic regression (Nocedal and Wright, *Numerical Optimization*, algorithms 7.4 and 7.5).
//!
//! ```text
//! repeat: direction = −H·gradient, with H from the last changes of the parameters and of the gradient
//!         change = features × direction
//!         step: by the loss at scores + step · change, without the features
//!         gradient = featuresᵀ × derivatives of the losses
//! ```
//!
//! Scores are linear in the parameters, so the features are read twice per iteration however often a step is tried.

use super::loss::Loss;
use crate::dense::vector::{axpy, dot};
use crate::learn::convergence::{Convergence, End, largest};
use crate::learn::training::{Training, Watch};
use std::collections::VecDeque;

/// Changes that are remembered.
const HISTORY: usize = 10;

/// Vectors of parameters, and of scores, that a fit holds at most.
pub(super) const VECTORS: [usize; 2] = [2 * HISTORY + 8, 6];

/// Steps that are tried.
const TRIALS: usize = 40;

/// A change of the parameters, of the gradient, and their product.
type Change = (Vec<f64>, Vec<f64>, f64);

/// The parameters that minimise the objective, and how they were reached.
pub(super) fn minimise(
    loss: &Loss<'_>,
    mut parameters: Vec<f64>,
    tolerance: f64,
    limit: usize,
    training: Training<'_>,
) -> (Convergence, Vec<f64>) {
    let mut scores = loss.all_scores(&parameters);
    let mut gradient = gradient(loss, &scores, &parameters);
    let mut history: VecDeque<Change> = VecDeque::new();
    let mut watch = Watch::new(training);
    let mut now = Convergence::start(tolerance, limit);
    now.objective = Line::new(loss, &parameters, &parameters, &scores, &scores).at(0.0)[0];
    loop {
        now.residual = largest(gradient.iter().map(|x| x.abs()));
        let row = |sample: usize| &scores[sample * loss.outputs..(sample + 1) * loss.outputs];
        now.held_out = loss.weights.held_out_mean(|sample| loss.of_sample(sample, row(sample)));
        if watch.is_last(&mut now, &parameters) {
            break;
        }
        let direction = direction(loss, &history, &gradient);
        let change = loss.all_scores(&direction);
        let line = Line::new(loss, &parameters, &direction, &scores, &change);
        let Some((step, objective)) = line.search() else {
            if history.is_empty() {
                now.end = Some(End::Stalled);
                break;
            }
            // Down the gradient itself.
            history.clear();
            continue;
        };
        axpy(step, &direction, &mut parameters);
        axpy(step, &change, &mut scores);
        let before = std::mem::replace(&mut gradient, self::gradient(loss, &scores, &parameters));
        let moved: Vec<f64> = direction.iter().map(|x| step * x).collect();
        let turned: Vec<f64> = gradient.iter().zip(before).map(|(new, old)| new - old).collect();
        let product = dot(&moved, &turned);
        // The objective is convex: only rounding makes the product negative.
        if product > 0.0 {
            history.truncate(HISTORY - 1);
            history.push_front((moved, turned, product));
        }
        now.objective = objective;
        now.iterations += 1;
    }
    watch.finish(now, parameters)
}

fn gradient(loss: &Loss<'_>, scores: &[f64], parameters: &[f64]) -> Vec<f64> {
    let mut residuals = scores.to_vec();
    loss.all_to_residuals(&mut residuals);
    loss.gradient(&residuals, parameters)
}

/// −H·gradient, by the two loops over the history, which starts with the last change.
fn direction(loss: &Loss<'_>, history: &VecDeque<Change>, gradient: &[f64]) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|x| -x).collect();
    let mut factors = Vec::with_capacity(history.len());
    for (moved, turned, product) in history {
        let factor = dot(moved, &direction) / product;
        axpy(-factor, turned, &mut direction);
        factors.push(factor);
    }
    // Before the first step: the curvature if all samples were alike, and in doubt.
    let scale = match history.front() {
        Some((_, turned, product)) => product / dot(turned, turned),
        None => 1.0 / (0.25 * loss.square_norm() + loss.lambda),
    };
    direction.iter_mut().for_each(|x| *x *= scale);
    for ((moved, turned, product), factor) in history.iter().zip(factors).rev() {
        axpy(factor - dot(turned, &direction) / product, moved, &mut direction);
    }
    direction
}

/// The objective along a direction.
struct Line<'a> {
    loss: &'a Loss<'a>,
    scores: &'a [f64],
    change: &'a [f64],
    /// ‖W‖², W·D and ‖D‖² of the penalised parameters and the direction.
    penalties: [f64; 3],
}

impl<'a> Line<'a> {
    fn new(
        loss: &'a Loss<'a>,
        parameters: &[f64],
        direction: &[f64],
        scores: &'a [f64],
        change: &'a [f64],
    ) -> Self {
        let (w, d) = (loss.penalised(parameters), loss.penalised(direction));
        Self { loss, scores, change, penalties: [dot(w, w), dot(w, d), dot(d, d)] }
    }

    /// The objective after a step, and its derivative by the step.
    fn at(&self, step: f64) -> [f64; 2] {
        let [loss, slope] = self.loss.along(self.scores, self.change, step);
        let ([square, product, change], lambda) = (self.penalties, self.loss.lambda);
        let (share, norm) =
            (1.0 / self.loss.weights.total, square + step * (2.0 * product + step * change));
        [loss * share + 0.5 * lambda * norm, slope * share + lambda * (product + step * change)]
    }

    /// A step that lowers the objective and its slope enough (the weak Wolfe conditions), by bisection, and the objective
    /// after it. `None` if rounding leaves no such step.
    fn search(&self) -> Option<(f64, f64)> {
        let [start, slope] = self.at(0.0);
        let (mut low, mut high, mut step) = ((0.0, start), f64::INFINITY, 1.0);
        for _ in 0..TRIALS {
            let [value, slope_here] = self.at(step);
            if value <= start + 1e-4 * step * slope {
                low = (step, value);
                if slope_here >= 0.9 * slope {
                    break;
                }
            } else {
                high = step;
            }
            step = if high.is_finite() { 0.5 * (low.0 + high) } else { 2.0 * step };
        }
        (low.0 > 0.0 && slope < 0.0).then_some(low)
    }
}
