//! [`IterativeRidge`]: ridge by conjugate gradients, without the matrix of the system.

use super::convergence::{Convergence, largest};
use super::penalty::Penalty;
use super::training::{Training, Watch, Weights, check_at_least_one, check_positive};
use super::{Classifier, LinearModel, Ridge, check_targets, classes, feature_variance};
use crate::packed::rows::Rows;
use crate::{Error, Features, Matrix, memory};

/// The most numbers in memory at once, for each feature and for each sample of an output: θ, the best of them, the right
/// side, what is left of it, the direction and its product, and digits of one of them; targets, what is explained of them,
/// products, weighted products and their digits.
const VECTORS: (usize, usize) = (8, 6);

/// Ridge regression as [`Ridge`], by conjugate gradients: where m² numbers do not fit in memory, with weights, or where a
/// few digits are enough.
///
/// Minimises (1/Σw)·(Σ wᵢ‖yᵢ − f(xᵢ)‖² + m·γ‖θ‖²), with the weights w of [`Training`]; γ, the penalty of [`Ridge`], is in
/// units of the weighted variance of the features. In scikit-learn's `Ridge` on the same trits, alpha = m·γ. Memory is a few
/// vectors per output. The residual is that of the normal equations, relative to their right side, of the worst output.
///
/// ```
/// use ternion::learn::Ridge;
/// use ternion::{Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..900 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let labels: Vec<usize> = x.chunks(8).map(|x| (x[0] * x[1] > 0.0) as usize).collect();
/// let samples = Samples::new(&x, 8)?;
/// let features = TernaryFeatures::params(512).fit(&samples)?.transform(&samples)?;
///
/// let direct = Ridge::new(0.3)?.fit_classes(&features, &labels)?;
/// let iterative = Ridge::new(0.3)?.iterative().tolerance(1e-6)?.fit_classes(&features, &labels)?;
/// let (direct, iterative) = (direct.decision(&features)?, iterative.decision(&features)?);
/// let pairs = direct.as_slice().iter().zip(iterative.as_slice());
/// assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-3));
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct IterativeRidge<'a> {
    penalty: Penalty,
    tolerance: f64,
    limit: usize,
    training: Training<'a>,
}

impl Ridge {
    /// The same penalty for [conjugate gradients](IterativeRidge), up to a relative residual of 10⁻⁴ and at most 1,000
    /// iterations.
    pub fn iterative<'a>(self) -> IterativeRidge<'a> {
        let training = Training::new();
        IterativeRidge { penalty: self.penalty, tolerance: 1e-4, limit: 1000, training }
    }
}

impl<'a> IterativeRidge<'a> {
    /// Sets the relative residual to be reached. With several outputs, products are `f32` and nothing below 10⁻⁶ is.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless it is positive and finite.
    pub fn tolerance(self, tolerance: f64) -> Result<Self, Error> {
        Ok(Self { tolerance: check_positive("tolerance", tolerance)?, ..self })
    }

    /// Sets the most iterations.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] for none.
    pub fn limit(self, iterations: usize) -> Result<Self, Error> {
        Ok(Self { limit: check_at_least_one("limit", iterations)?, ..self })
    }

    /// Sets weights, a start, early stopping and progress.
    pub fn training(self, training: Training<'a>) -> Self {
        Self { training, ..self }
    }

    /// Fits targets, a row per sample and a column per output.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] or [`Error::TargetNotFinite`] for bad targets, [`Error::WeightCount`], [`Error::Weight`],
    /// [`Error::NoWeight`] or [`Error::ClassWeights`] for bad weights,
    /// [`SizeMismatch`](ternion_core::Error::SizeMismatch) for a start of another shape, [`Error::Diverged`] for a model that is
    /// not finite, [`SizeOverflow`](ternion_core::Error::SizeOverflow) if there is no memory.
    pub fn fit(&self, features: &Features, targets: &Matrix<f32>) -> Result<LinearModel, Error> {
        check_targets(features.len(), targets)?;
        self.solve(features, targets, &self.training.of_targets(features.len())?)
    }

    /// Fits classes by one-vs-rest targets of ±1. Labels are class numbers from 0.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewClasses`], [`Error::TooManyClasses`], and as [`fit`](Self::fit).
    pub fn fit_classes(&self, features: &Features, labels: &[usize]) -> Result<Classifier, Error> {
        classes::check_classes(labels)?;
        classes::check_count(features, labels)?;
        let weights = self.training.of_classes(labels)?;
        Ok(Classifier::fitted(self.solve(features, &classes::targets(labels)?, &weights)?))
    }

    fn solve(
        &self,
        features: &Features,
        targets: &Matrix<f32>,
        weights: &Weights,
    ) -> Result<LinearModel, Error> {
        let (m, outputs) = (features.features(), targets.cols());
        let (of_features, of_samples) = VECTORS;
        memory::check_room::<f64>([
            (m, outputs, of_features),
            (features.len(), outputs, of_samples),
        ])?;
        let system = System::new(features, weights, self.penalty, outputs);
        let (targets, means) = weighted_centre(targets, weights);
        let right = system.right(&targets);
        let start = self.training.started(m, outputs)?;
        let theta = start.map(|model| model.weights().as_slice().iter().map(|&x| x.into()));
        let mut theta: Vec<f64> = theta.map_or_else(|| vec![0.0; m * outputs], Iterator::collect);
        // What the weights explain, of every sample; what is left of the right side; the next direction.
        let (mut explained, product) = system.times(&theta);
        let mut left: Vec<f64> = right.iter().zip(product).map(|(b, a)| b - a).collect();
        let mut direction = left.clone();
        let whole = squares(&right, outputs);
        let mut before = squares(&left, outputs);
        let mut watch = Watch::new(self.training);
        let mut now = Convergence::start(self.tolerance, self.limit);
        loop {
            let loss = |sample: usize| -> f64 {
                let row = sample * outputs..(sample + 1) * outputs;
                let pairs = targets[row.clone()].iter().zip(&explained[row]);
                pairs.map(|(y, f)| (y - f).powi(2)).sum()
            };
            let losses = weights.trained.iter().enumerate().map(|(sample, w)| w * loss(sample));
            let norm: f64 = theta.iter().map(|x| x * x).sum();
            let sum = losses.sum::<f64>() + m as f64 * system.gamma * norm;
            now.objective = sum / weights.total;
            let share = |(left, whole): (&f64, &f64)| if *left == 0.0 { 0.0 } else { left / whole };
            now.residual = largest(before.iter().zip(&whole).map(share)).sqrt();
            now.held_out = weights.held_out_mean(loss);
            if watch.is_last(&mut now, &theta) {
                break;
            }
            let (forward, product) = system.times(&direction);
            let steps = ratios(&before, &products(&direction, &product, outputs));
            add(&mut theta, &direction, &steps);
            add(&mut explained, &forward, &steps);
            let back: Vec<f64> = steps.iter().map(|step| -step).collect();
            add(&mut left, &product, &back);
            let after = squares(&left, outputs);
            let shares = ratios(&after, &before);
            for (direction, left) in direction.chunks_exact_mut(outputs).zip(left.chunks(outputs)) {
                for k in 0..outputs {
                    direction[k] = left[k] + shares[k] * direction[k];
                }
            }
            before = after;
            now.iterations += 1;
        }
        let (convergence, theta) = watch.finish(now, theta);
        let mut bias = means;
        for (theta, mean) in theta.chunks_exact(outputs).zip(&system.means) {
            bias.iter_mut().zip(theta).for_each(|(bias, theta)| *bias -= mean * theta);
        }
        LinearModel::iterated(&theta, &bias, convergence)
    }
}

/// The normal equations (S + γI)·θ = (1/m) Σ P y with S = (1/m) Σ P Σᵀ, where P weighs samples and centres them.
struct System<'a> {
    rows: Rows<'a>,
    weights: &'a [f64],
    /// The weighted mean of each feature.
    means: Vec<f64>,
    gamma: f64,
    outputs: usize,
}

impl<'a> System<'a> {
    fn new(features: &'a Features, weights: &'a Weights, penalty: Penalty, outputs: usize) -> Self {
        let rows = Rows::all(features);
        let (means, variance) = feature_variance(features, weights);
        let gamma = penalty.gamma(|| variance);
        Self { rows, weights: &weights.trained, means, gamma, outputs }
    }

    /// (1/m) Σ P y for centred targets.
    fn right(&self, targets: &[f64]) -> Vec<f64> {
        let rows = targets.chunks_exact(self.outputs).zip(self.weights);
        let weighted: Vec<f64> = rows.flat_map(|(y, w)| y.iter().map(move |y| y * w)).collect();
        let mut right = self.rows.transposed_times(&weighted, self.outputs);
        let share = 1.0 / self.means.len() as f64;
        right.iter_mut().for_each(|entry| *entry *= share);
        right
    }

    /// The products of the centred features with some weights, a row per sample, and (S + γI) times these weights.
    fn times(&self, theta: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let mut offset = vec![0.0; self.outputs];
        for (theta, mean) in theta.chunks_exact(self.outputs).zip(&self.means) {
            offset.iter_mut().zip(theta).for_each(|(offset, theta)| *offset += mean * theta);
        }
        let mut forward = self.rows.times(theta, self.outputs);
        for row in forward.chunks_exact_mut(self.outputs) {
            row.iter_mut().zip(&offset).for_each(|(product, offset)| *product -= offset);
        }
        let mut product = self.right(&forward);
        add(&mut product, theta, &vec![self.gamma; self.outputs]);
        (forward, product)
    }
}

/// The centred targets, a row per sample, and their means, both weighted.
fn weighted_centre(targets: &Matrix<f32>, weights: &Weights) -> (Vec<f64>, Vec<f64>) {
    let mut means = vec![0.0; targets.cols()];
    for (row, weight) in targets.iter_rows().zip(&weights.trained) {
        means.iter_mut().zip(row).for_each(|(mean, y)| *mean += weight * f64::from(*y));
    }
    means.iter_mut().for_each(|mean| *mean /= weights.total);
    let targets = targets.as_slice().chunks_exact(means.len());
    let centred = targets.flat_map(|row| row.iter().zip(&means));
    let centred = centred.map(|(y, mean)| f64::from(*y) - mean).collect();
    (centred, means)
}

/// For each output the product of its column in one matrix with that in another.
fn products(a: &[f64], b: &[f64], outputs: usize) -> Vec<f64> {
    let mut sums = vec![0.0; outputs];
    for (a, b) in a.chunks_exact(outputs).zip(b.chunks_exact(outputs)) {
        for k in 0..outputs {
            sums[k] += a[k] * b[k];
        }
    }
    sums
}

fn squares(a: &[f64], outputs: usize) -> Vec<f64> {
    products(a, a, outputs)
}

/// The ratio of each pair; zero where nothing is left to be done.
fn ratios(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| if *a > 0.0 && *b > 0.0 { a / b } else { 0.0 }).collect()
}

/// a ← a + b with the columns of b multiplied by factors.
fn add(a: &mut [f64], b: &[f64], factors: &[f64]) {
    let rows = a.chunks_exact_mut(factors.len()).zip(b.chunks_exact(factors.len()));
    for (a, b) in rows {
        for k in 0..factors.len() {
            a[k] += factors[k] * b[k];
        }
    }
}
