//! The algorithms of the learners on unpacked features, in `f32`, with products by a dense library.

use std::collections::VecDeque;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{ITERATIONS, Learner};
use crate::peers::Dense;

/// Samples in a batch, and the rate in units of 1 over the largest eigenvalue of the first batch's second moments: the
/// defaults of [`ternion::learn::Sgd`].
const BATCH: usize = 250;
const RATE: f32 = 4.0;

/// Steps of the power method to that eigenvalue.
const POWERS: usize = 8;

/// Weights, a row per feature, and constants; or instead of weights the numbers of clusters.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) weights: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

impl Model {
    pub(super) fn of_labels(labels: Vec<usize>) -> Self {
        Self { weights: labels.into_iter().map(|label| label as f32).collect(), bias: Vec::new() }
    }
}

/// Unpacked features with labels.
pub(super) struct Problem<'a> {
    pub(super) peer: &'a dyn Dense,
    pub(super) x: &'a [f32],
    pub(super) features: usize,
    pub(super) outputs: usize,
    pub(super) labels: &'a [usize],
    pub(super) squares: &'a [f32],
    /// m·γ.
    pub(super) penalty: f32,
    /// Scores of centres, of which the largest is that of the nearest.
    pub(super) centres: &'a Model,
}

impl Problem<'_> {
    /// The model that a learner finds within its iterations.
    pub(super) fn fit(&self, learner: Learner) -> Model {
        match learner {
            Learner::LogisticTwo | Learner::LogisticSgd => self.sgd(),
            Learner::SvmDual => self.dual_descent(),
            Learner::LogisticLbfgs => self.lbfgs(),
            Learner::RidgeCg => self.conjugate_gradients(),
            Learner::KMeansAssign => self.nearest(),
        }
    }

    /// The result of a learner that does nothing.
    #[cfg(test)]
    pub(super) fn nothing(&self, learner: Learner) -> Model {
        match learner {
            Learner::KMeansAssign => Model::of_labels(vec![0; self.labels.len()]),
            _ => self.zeros(),
        }
    }

    pub(super) fn zeros(&self) -> Model {
        Model { weights: vec![0.0; self.features * self.outputs], bias: vec![0.0; self.outputs] }
    }

    fn samples(&self) -> f32 {
        self.labels.len() as f32
    }

    /// X·W of some samples.
    fn times(&self, x: &[f32], weights: &[f32], out: &mut [f32]) {
        let rows = out.len() / self.outputs;
        if self.outputs == 1 {
            return self.peer.gemv(rows, self.features, x, weights, out);
        }
        self.peer.gemm(rows, self.outputs, self.features, x, weights, out);
    }

    /// Xᵀ·R of some samples.
    fn transposed_times(&self, x: &[f32], residuals: &[f32], out: &mut [f32]) {
        if self.outputs == 1 {
            return self.transposed_times_vector(x, residuals, out);
        }
        let rows = residuals.len() / self.outputs;
        self.peer.gemm_transposed(self.features, self.outputs, rows, x, residuals, out);
    }

    /// Xᵀ·r of some samples.
    fn transposed_times_vector(&self, x: &[f32], residuals: &[f32], out: &mut [f32]) {
        out.fill(0.0);
        for (x, residual) in x.chunks(self.features).zip(residuals) {
            self.peer.axpy(*residual, x, out);
        }
    }

    /// The share of samples in the largest of the classes that are told apart.
    pub(super) fn largest_class(&self) -> f64 {
        let mut counts = vec![0; self.labels.iter().max().map_or(1, |most| most + 1)];
        self.labels.iter().for_each(|&label| counts[label] += 1);
        f64::from(counts.into_iter().max().unwrap_or(0)) / self.labels.len() as f64
    }

    /// What the learner minimises, and the share of samples whose class is right.
    pub(super) fn objective(&self, learner: Learner, model: &Model) -> (f64, f64) {
        if learner == Learner::KMeansAssign {
            return self.assigned(model);
        }
        let scores = self.all_scores(model);
        let right = |&(scores, &label): &(&[f32], &usize)| match scores {
            [score] => (*score > 0.0) == (label == 1),
            scores => (0..scores.len()).all(|k| k == label || scores[k] < scores[label]),
        };
        let rows = || scores.chunks(self.outputs).zip(self.labels);
        let right = rows().filter(right).count() as f64 / self.labels.len() as f64;
        let row = |(scores, &label): (&[f32], &usize)| -> f64 {
            let scores: Vec<f64> = scores.iter().map(|&score| f64::from(score)).collect();
            let sign = |class| if label == class { 1.0 } else { -1.0 };
            match learner {
                Learner::LogisticTwo => (-sign(1) * scores[0]).exp().ln_1p(),
                Learner::LogisticSgd | Learner::LogisticLbfgs => {
                    scores.iter().map(|s| s.exp()).sum::<f64>().ln() - scores[label]
                }
                Learner::SvmDual => (1.0 - sign(1) * scores[0]).max(0.0).powi(2),
                Learner::KMeansAssign => unreachable!("assigned above"),
                Learner::RidgeCg => {
                    scores.iter().enumerate().map(|(k, s)| (s - sign(k)).powi(2)).sum()
                }
            }
        };
        let losses: f64 = rows().map(row).sum();
        let square = |x: &[f32]| x.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
        let penalty = f64::from(self.penalty)
            * match learner {
                Learner::RidgeCg => square(&model.weights),
                Learner::SvmDual => 0.5 * (square(&model.weights) + square(&model.bias)),
                _ => 0.5 * square(&model.weights),
            };
        ((losses + penalty) / self.labels.len() as f64, right)
    }

    /// The scores of all samples.
    fn all_scores(&self, model: &Model) -> Vec<f32> {
        let mut scores = vec![0.0; self.labels.len() * self.outputs];
        self.times(self.x, &model.weights, &mut scores);
        add_rows(&mut scores, &model.bias);
        scores
    }

    /// The centre with the largest score, for each sample.
    fn nearest(&self) -> Model {
        let nearest = |scores: &[f32]| {
            let mut best = 0;
            for (k, score) in scores.iter().enumerate() {
                best = if *score > scores[best] { k } else { best };
            }
            best
        };
        let scores = self.all_scores(self.centres);
        Model::of_labels(scores.chunks(self.outputs).map(nearest).collect())
    }

    /// The mean squared distance from the centres that samples were assigned to, and the share of samples that were
    /// assigned to the nearest.
    fn assigned(&self, labels: &Model) -> (f64, f64) {
        let scores = self.all_scores(self.centres);
        let [mut squares, mut right] = [0.0, 0.0];
        let rows = scores.chunks(self.outputs).zip(&labels.weights);
        for ((scores, label), square) in rows.zip(self.squares) {
            let score = scores[*label as usize];
            squares += f64::from(square - 2.0 * score);
            right += f64::from(u8::from(scores.iter().all(|other| *other <= score)));
        }
        (squares / f64::from(self.samples()), right / f64::from(self.samples()))
    }

    /// The largest eigenvalue of the second moments of some samples with a one each, by the power method.
    fn largest_moment(&self, x: &[f32]) -> f32 {
        let count = x.len() / self.features;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut vector: Vec<f32> =
            (0..count).map(|_| if random.next_u64() & 1 == 0 { 1.0 } else { -1.0 }).collect();
        let mut back = vec![0.0; self.features];
        let mut length = (count as f32).sqrt();
        for _ in 0..POWERS {
            vector.iter_mut().for_each(|x| *x /= length);
            let intercept: f32 = vector.iter().sum();
            self.transposed_times_vector(x, &vector, &mut back);
            self.peer.gemv(count, self.features, x, &back, &mut vector);
            vector.iter_mut().for_each(|x| *x = (*x + intercept) / count as f32);
            length = dot(&vector, &vector).sqrt() as f32;
        }
        length
    }

    fn sgd(&self) -> Model {
        let Model { mut weights, mut bias } = self.zeros();
        let first = self.labels.len().min(BATCH);
        let rate = RATE / self.largest_moment(&self.x[..first * self.features]);
        let kept = 1.0 - rate * self.penalty / self.samples();
        let (mut all, mut gradient) = (vec![0.0; BATCH * self.outputs], weights.clone());
        let batches = self.x.chunks(BATCH * self.features).zip(self.labels.chunks(BATCH));
        for (x, labels) in batches {
            let scores = &mut all[..labels.len() * self.outputs];
            self.times(x, &weights, scores);
            add_rows(scores, &bias);
            for (scores, &label) in scores.chunks_mut(self.outputs).zip(labels) {
                to_residuals(scores, label);
            }
            self.transposed_times(x, scores, &mut gradient);
            let factor = rate / labels.len() as f32;
            for (weight, gradient) in weights.iter_mut().zip(&gradient) {
                *weight = kept * *weight - factor * gradient;
            }
            for scores in scores.chunks(self.outputs) {
                bias.iter_mut().zip(scores).for_each(|(bias, r)| *bias -= factor * r);
            }
        }
        Model { weights, bias }
    }

    /// The squared hinge, one pass in random order.
    fn dual_descent(&self) -> Model {
        let mut weights = vec![0.0; self.features];
        let (mut intercept, mut alpha) = (0.0, vec![0.0_f32; self.labels.len()]);
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for last in (1..order.len()).rev() {
            order.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
        }
        let diagonal = 0.5 * self.penalty;
        for sample in order {
            let x = &self.x[sample * self.features..][..self.features];
            let sign = if self.labels[sample] == 1 { 1.0 } else { -1.0 };
            let output = self.peer.dot(&weights, x) + intercept;
            let derivative = sign * output - 1.0 + diagonal * alpha[sample];
            let step = derivative / (self.squares[sample] + 1.0 + diagonal);
            let changed = (alpha[sample] - step).max(0.0);
            if changed != alpha[sample] {
                let step = sign * (changed - alpha[sample]);
                alpha[sample] = changed;
                self.peer.axpy(step, x, &mut weights);
                intercept += step;
            }
        }
        Model { weights, bias: vec![intercept] }
    }

    /// Scores of all samples for parameters: weights, then constants.
    fn scores(&self, parameters: &[f32]) -> Vec<f32> {
        let (weights, bias) = parameters.split_at(self.features * self.outputs);
        let mut scores = vec![0.0; self.labels.len() * self.outputs];
        self.times(self.x, weights, &mut scores);
        add_rows(&mut scores, bias);
        scores
    }

    fn gradient(&self, scores: &[f32], parameters: &[f32]) -> Vec<f32> {
        let mut residuals = scores.to_vec();
        for (scores, &label) in residuals.chunks_mut(self.outputs).zip(self.labels) {
            to_residuals(scores, label);
        }
        let penalised = self.features * self.outputs;
        let mut gradient = vec![0.0; parameters.len()];
        self.transposed_times(self.x, &residuals, &mut gradient[..penalised]);
        for row in residuals.chunks(self.outputs) {
            gradient[penalised..].iter_mut().zip(row).for_each(|(g, r)| *g += r);
        }
        for (g, w) in gradient[..penalised].iter_mut().zip(parameters) {
            *g += self.penalty * w;
        }
        gradient.iter_mut().for_each(|g| *g /= self.samples());
        gradient
    }

    /// The objective and its slope after a step along a direction, from scores alone.
    fn along(&self, scores: &[f32], change: &[f32], norms: [f64; 3], step: f32) -> [f64; 2] {
        let [mut value, mut slope] = [0.0_f64; 2];
        let rows = scores.chunks(self.outputs).zip(change.chunks(self.outputs)).zip(self.labels);
        let mut moved = vec![0.0; self.outputs];
        for ((scores, change), &label) in rows {
            for ((moved, score), change) in moved.iter_mut().zip(scores).zip(change) {
                *moved = score + step * change;
            }
            value += f64::from(to_residuals(&mut moved, label));
            slope += f64::from(moved.iter().zip(change).map(|(r, c)| r * c).sum::<f32>());
        }
        let ([square, product, change], step) = (norms, f64::from(step));
        let (penalty, samples) = (f64::from(self.penalty), self.labels.len() as f64);
        value += 0.5 * penalty * (square + step * (2.0 * product + step * change));
        slope += penalty * (product + step * change);
        [value / samples, slope / samples]
    }

    fn lbfgs(&self) -> Model {
        let penalised = self.features * self.outputs;
        let mut parameters = vec![0.0; penalised + self.outputs];
        let mut scores = self.scores(&parameters);
        let mut gradient = self.gradient(&scores, &parameters);
        let mut history: VecDeque<(Vec<f32>, Vec<f32>, f64)> = VecDeque::new();
        let mean_square = self.squares.iter().sum::<f32>() / self.samples();
        for _ in 0..ITERATIONS {
            let mut direction: Vec<f32> = gradient.iter().map(|g| -g).collect();
            let mut factors = Vec::new();
            for (moved, turned, product) in &history {
                let factor = dot(moved, &direction) / product;
                add(&mut direction, -factor as f32, turned);
                factors.push(factor);
            }
            let scale = match history.front() {
                Some((_, turned, product)) => (product / dot(turned, turned)) as f32,
                None => 1.0 / (0.25 * mean_square + self.penalty / self.samples()),
            };
            direction.iter_mut().for_each(|d| *d *= scale);
            for ((moved, turned, product), factor) in history.iter().zip(factors).rev() {
                let factor = factor - dot(turned, &direction) / product;
                add(&mut direction, factor as f32, moved);
            }
            let change = self.scores(&direction);
            let (w, d) = (&parameters[..penalised], &direction[..penalised]);
            let norms = [dot(w, w), dot(w, d), dot(d, d)];
            let [start, slope] = self.along(&scores, &change, norms, 0.0);
            // The weak Wolfe conditions, by bisection.
            let (mut low, mut high, mut step) = (0.0, f32::INFINITY, 1.0);
            for _ in 0..20 {
                let [value, slope_here] = self.along(&scores, &change, norms, step);
                if value <= start + 1e-4 * f64::from(step) * slope {
                    low = step;
                    if slope_here >= 0.9 * slope {
                        break;
                    }
                } else {
                    high = step;
                }
                step = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * step };
            }
            add(&mut parameters, low, &direction);
            add(&mut scores, low, &change);
            let before = gradient;
            gradient = self.gradient(&scores, &parameters);
            let turned: Vec<f32> = gradient.iter().zip(&before).map(|(a, b)| a - b).collect();
            direction.iter_mut().for_each(|d| *d *= low);
            let product = dot(&direction, &turned);
            history.push_front((direction, turned, product));
        }
        let bias = parameters.split_off(penalised);
        Model { weights: parameters, bias }
    }

    /// (XᶜᵀXᶜ + m·γ)·θ = Xᶜᵀ·y with centred features, for ±1 in the column of each class.
    fn conjugate_gradients(&self) -> Model {
        let (samples, k) = (self.labels.len(), self.outputs);
        let mut means = vec![0.0; self.features];
        self.peer.gemm_transposed(
            self.features,
            1,
            samples,
            self.x,
            &vec![1.0; samples],
            &mut means,
        );
        means.iter_mut().for_each(|mean| *mean /= self.samples());
        let mut targets = vec![-1.0; samples * k];
        for (row, &label) in targets.chunks_mut(k).zip(self.labels) {
            row[label] = 1.0;
        }
        let mut target_means = vec![0.0; k];
        for row in targets.chunks(k) {
            target_means.iter_mut().zip(row).for_each(|(mean, y)| *mean += y / self.samples());
        }
        add_rows(&mut targets, &target_means.iter().map(|mean| -mean).collect::<Vec<_>>());
        let mut weights = vec![0.0; self.features * k];
        let mut left = weights.clone();
        self.transposed_times(self.x, &targets, &mut left);
        let (mut direction, mut product) = (left.clone(), left.clone());
        let mut forward = targets;
        let mut before = products(&left, &left, k);
        for _ in 0..ITERATIONS {
            let mut offset = vec![0.0; k];
            for (direction, mean) in direction.chunks(k).zip(&means) {
                offset.iter_mut().zip(direction).for_each(|(offset, d)| *offset -= mean * d);
            }
            self.times(self.x, &direction, &mut forward);
            add_rows(&mut forward, &offset);
            self.transposed_times(self.x, &forward, &mut product);
            add(&mut product, self.penalty, &direction);
            let steps: Vec<f64> = ratios(&before, &products(&direction, &product, k));
            add_columns(&mut weights, &direction, &steps);
            add_columns(&mut left, &product, &steps.iter().map(|step| -step).collect::<Vec<_>>());
            let after = products(&left, &left, k);
            let shares = ratios(&after, &before);
            for (direction, left) in direction.chunks_mut(k).zip(left.chunks(k)) {
                for output in 0..k {
                    direction[output] = left[output] + shares[output] as f32 * direction[output];
                }
            }
            before = after;
        }
        let mut bias = target_means;
        for (weights, mean) in weights.chunks(k).zip(&means) {
            bias.iter_mut().zip(weights).for_each(|(bias, weight)| *bias -= mean * weight);
        }
        Model { weights, bias }
    }
}

/// Replaces the scores of a sample by the derivatives of its loss, which is returned.
fn to_residuals(scores: &mut [f32], label: usize) -> f32 {
    if let [score] = scores {
        let sign = if label == 1 { 1.0 } else { -1.0 };
        let small = (-(sign * *score).abs()).exp();
        let (margin, wrong) = (sign * *score, if sign * *score > 0.0 { small } else { 1.0 });
        *score = -sign * wrong / (1.0 + small);
        return small.ln_1p() + (-margin).max(0.0);
    }
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let own = scores[label] - largest;
    let mut sum = 0.0;
    for score in scores.iter_mut() {
        *score = (*score - largest).exp();
        sum += *score;
    }
    scores.iter_mut().for_each(|score| *score /= sum);
    scores[label] -= 1.0;
    sum.ln() - own
}

/// Adds a row to every row.
fn add_rows(matrix: &mut [f32], row: &[f32]) {
    for to in matrix.chunks_mut(row.len()) {
        to.iter_mut().zip(row).for_each(|(to, from)| *to += from);
    }
}

/// Adds columns times a factor each.
fn add_columns(a: &mut [f32], b: &[f32], factors: &[f64]) {
    for (a, b) in a.chunks_mut(factors.len()).zip(b.chunks(factors.len())) {
        for ((a, b), factor) in a.iter_mut().zip(b).zip(factors) {
            *a += *factor as f32 * b;
        }
    }
}

fn add(a: &mut [f32], factor: f32, b: &[f32]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += factor * b);
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

/// For each column the product of two matrices' columns.
fn products(a: &[f32], b: &[f32], columns: usize) -> Vec<f64> {
    let mut sums = vec![0.0; columns];
    for (a, b) in a.chunks(columns).zip(b.chunks(columns)) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += f64::from(a * b);
        }
    }
    sums
}

fn ratios(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| if *b > 0.0 { a / b } else { 0.0 }).collect()
}
