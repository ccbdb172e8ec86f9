//! [`Margin`]: readouts that separate the classes by a margin, trained in the few levels that their weights may take.
//!
//! Ridge regression spends its weights on bringing every score to ±1. Samples far on the right side of the boundary need
//! no attention; with few features, and few bits per weight, leaving them alone is worth more than anything else. With
//! y = ±1 for the samples of a class and the others, and scores s = Σ f·w + b, the loss of an output is
//!
//! ```text
//! J(w, b) = ½ Σ max(0, 1 − y·s)² + ½ λ ‖w‖²
//! ```
//!
//! Coordinate descent: each weight in turn moves to the minimum of J's parabola in it, given all others; first as a
//! number, then as one of its levels, with the scale of the levels moving likewise after every sweep.
//!
//! 1. Only samples within the margin, y·s < 1, have a slope. A round scores all samples once, by lookups, and sweeps
//!    over the features of those within the margin or near it: a tenth of them or fewer when it matters.
//! 2. Before the first round nearly all samples are within the margin, so rounds start on a part of the samples.
//! 3. Outputs do not depend on each other: each is a task of its own, with the same result on any number of threads.

use super::readout::{Bits, Readout, nearest};
use crate::learn::{LinearModel, class_count};
use crate::{Error, Features, Matrix, dispatch, memory, parallel};
use ternion_core::{Simd, TritMatrix, TritRow};

/// Rounds on a part of the samples, one in so many, as long as they are at least [`FEWEST`].
const PARTS: [usize; 3] = [32, 8, 2];
/// The fewest samples of a part.
const FEWEST: usize = 1000;
/// Rounds on all samples with weights that are numbers.
const ROUNDS: usize = 3;
/// Rounds on all samples with weights that are levels.
const LEVEL_ROUNDS: usize = 6;
/// Sweeps over the weights in each round.
const SWEEPS: usize = 2;
/// Samples this far beyond the margin take part in a round, because they may come back.
const NEAR: f32 = 0.1;

/// Training by the margin: the squared hinge loss, one class against the rest.
///
/// ```
/// use ternion::export::{Bits, Margin};
/// use ternion::learn::accuracy;
/// use ternion::{Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..600 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let labels: Vec<usize> = x.chunks(8).map(|x| (x[0] * x[1] > 0.0) as usize).collect();
/// let samples = Samples::new(&x, 8)?;
/// let features = TernaryFeatures::params(512).fit(&samples)?.transform(&samples)?;
/// let readout = Margin::default().fit(&features, &labels, Bits::One)?;
/// assert!(accuracy(&readout.predict(&features)?, &labels) > 0.95);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    share: f64,
}

impl Default for Margin {
    fn default() -> Self {
        Self { share: 0.01 }
    }
}

impl Margin {
    /// Training with λ = `share` times the number of samples. [`Default`] is 0.01; 0.003 and 0.03 are worth a try.
    ///
    /// # Errors
    ///
    /// [`Error::Regularisation`] unless the share is positive and finite.
    pub fn new(share: f64) -> Result<Self, Error> {
        match share > 0.0 && share.is_finite() {
            true => Ok(Self { share }),
            false => Err(Error::Regularisation { found: share }),
        }
    }

    /// Trains a readout with a few bits per weight. Labels are class numbers from 0; two classes take one output.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`], [`Error::TooFewClasses`] and [`Error::TooManyClasses`] for bad labels,
    /// [`SizeOverflow`](ternion_core::Error::SizeOverflow) if there is no memory.
    pub fn fit(&self, features: &Features, labels: &[usize], bits: Bits) -> Result<Readout, Error> {
        let mut training = self.float(features, labels)?;
        for output in &mut training.outputs {
            output.quantise(bits);
        }
        for _ in 0..LEVEL_ROUNDS {
            training.round(features, labels, 1)?;
        }
        let outputs = &training.outputs;
        let level = |output: &Output| -> Vec<i32> {
            let level =
                |w: &f32| if output.scale > 0.0 { (w / output.scale).round() as i32 } else { 1 };
            output.weights.iter().map(level).collect()
        };
        let levels = outputs.iter().flat_map(level).collect();
        let scales: Vec<f64> = outputs.iter().map(|output| output.scale.into()).collect();
        let biases: Vec<f64> = outputs.iter().map(|output| output.bias.into()).collect();
        Readout::in_integers(features.features(), levels, &scales, &biases, bits, false)
    }

    /// Trains the same readout with weights that are numbers: what [`fit`](Self::fit) starts from, to compare with. One
    /// output per class, or one for two classes.
    ///
    /// # Errors
    ///
    /// As [`fit`](Self::fit).
    pub fn fit_floats(&self, features: &Features, labels: &[usize]) -> Result<LinearModel, Error> {
        self.float(features, labels)?.model()
    }

    fn float(&self, features: &Features, labels: &[usize]) -> Result<Training, Error> {
        let samples = features.len();
        if labels.len() != samples {
            return Err(Error::LabelCount { samples, labels: labels.len() });
        }
        let outputs = match class_count(labels)? {
            2 => 1,
            classes => classes,
        };
        // Weights of each output, the model that scores, and levels.
        memory::check_room::<f32>([(outputs, features.features(), 4)])?;
        let output = Output::new(features.features());
        let mut training = Training { share: self.share, outputs: vec![output; outputs] };
        for part in PARTS {
            if samples / part >= FEWEST {
                training.round(features, labels, part)?;
            }
        }
        for _ in 0..ROUNDS {
            training.round(features, labels, 1)?;
        }
        Ok(training)
    }
}

/// The state of a training.
struct Training {
    share: f64,
    outputs: Vec<Output>,
}

impl Training {
    fn model(&self) -> Result<LinearModel, Error> {
        let (outputs, features) = (&self.outputs, self.outputs[0].weights.len());
        let row = |feature: usize| outputs.iter().map(move |output| output.weights[feature]);
        let weights = (0..features).flat_map(row).collect();
        let weights = Matrix::from_vec(features, outputs.len(), weights)?;
        LinearModel::new(weights, outputs.iter().map(|output| output.bias).collect())
    }

    /// Scores every `part`-th sample, then sweeps over the weights of each output.
    fn round(&mut self, features: &Features, labels: &[usize], part: usize) -> Result<(), Error> {
        let chosen: Vec<usize> = (0..features.len()).step_by(part).collect();
        let subset;
        let features = match part {
            1 => features,
            _ => {
                subset = select(features, &chosen)?;
                &subset
            }
        };
        let scores = self.model()?.predict(features)?;
        let lambda = (self.share * chosen.len() as f64) as f32;
        let classes = self.outputs.len();
        // The class of an output; a single one is for class 1.
        let class = |output: usize| if classes == 1 { 1 } else { output };
        parallel::try_for_each_chunk(&mut self.outputs, 1, |index, output| {
            let within = |&(row, score): &(usize, f32)| {
                let y = if labels[chosen[row]] == class(index) { 1.0 } else { -1.0 };
                1.0 - y * score > -NEAR
            };
            let rows = scores.iter_rows().map(|row| row[index]).enumerate().filter(within);
            let (inside, outside): (Vec<_>, Vec<_>) =
                rows.partition(|&(row, _)| labels[chosen[row]] == class(index));
            if inside.is_empty() && outside.is_empty() {
                return Ok(());
            }
            let rows: Vec<usize> = inside.iter().chain(&outside).map(|&(row, _)| row).collect();
            let columns = select(features, &rows)?.transposed()?;
            let errors = inside.iter().map(|&(_, score)| 1.0 - score);
            let errors = errors.chain(outside.iter().map(|&(_, score)| -1.0 - score)).collect();
            let mut errors = Errors { errors, inside: inside.len() };
            for output in output {
                for _ in 0..SWEEPS {
                    output.sweep(&columns, &mut errors, lambda);
                }
            }
            Ok(())
        })
    }
}

/// Some of the samples.
fn select(features: &Features, rows: &[usize]) -> Result<Features, Error> {
    let words = features.features().div_ceil(64);
    let chosen = |plane: &[u64]| -> Vec<u64> {
        rows.iter().flat_map(|row| &plane[row * words..][..words]).copied().collect()
    };
    let trits = features.trits();
    let (sign, mask) = (chosen(trits.sign()), chosen(trits.mask()));
    let trits = TritMatrix::new(rows.len(), features.features(), sign, mask)?;
    Ok(Features::with_isa(trits, features.isa()))
}

/// y − s of some samples: those of the class first, whose errors count if they are positive, then the others, whose
/// errors count if they are negative.
struct Errors {
    errors: Vec<f32>,
    /// Samples of the class.
    inside: usize,
}

/// The weights of one output.
#[derive(Clone, Debug)]
struct Output {
    weights: Vec<f32>,
    bias: f32,
    /// The bits of the levels that weights are limited to, if they are.
    bits: Option<Bits>,
    /// The unit of the levels.
    scale: f32,
}

impl Output {
    fn new(features: usize) -> Self {
        Self { weights: vec![0.0; features], bias: 0.0, bits: None, scale: 0.0 }
    }

    /// Limits the weights to levels, the nearest ones for now.
    fn quantise(&mut self, bits: Bits) {
        let weights: Vec<f64> = self.weights.iter().map(|&w| w.into()).collect();
        let (levels, scale) = nearest(&weights, bits);
        (self.bits, self.scale) = (Some(bits), scale as f32);
        self.weights = levels.iter().map(|&level| level as f32 * self.scale).collect();
    }

    /// Moves every weight, the bias and the scale once.
    fn sweep(&mut self, columns: &Features, errors: &mut Errors, lambda: f32) {
        if self.bits.is_some() && self.scale == 0.0 {
            return;
        }
        dispatch!(columns.isa(), simd => simd.vectorize(
            #[inline(always)]
            || self.sweep_weights(columns, errors, lambda),
        ));
        self.move_bias(errors);
        if self.bits.is_some() {
            self.move_scale(errors, lambda);
        }
    }

    #[inline(always)]
    fn sweep_weights(&mut self, columns: &Features, errors: &mut Errors, lambda: f32) {
        let (bits, scale) = (self.bits, self.scale);
        let mut column = vec![0.0; errors.errors.len()];
        for (weight, row) in self.weights.iter_mut().zip(columns.trits().iter_rows()) {
            unpack(row, &mut column);
            let (inside, outside) = column.split_at(errors.inside);
            let (positive, negative) = errors.errors.split_at(errors.inside);
            let (slope, curve) = slope(inside, positive, 1.0);
            let (other_slope, other_curve) = self::slope(outside, negative, -1.0);
            let (slope, curve) = (slope + other_slope, curve + other_curve);
            // A feature that is zero in all samples has no say.
            let best = *weight + (slope - lambda * *weight) / (curve + lambda);
            let best = match bits {
                None => best,
                Some(bits) => bits.level(f64::from(best / scale)) as f32 * scale,
            };
            let step = best - *weight;
            if step != 0.0 {
                *weight = best;
                for (error, f) in errors.errors.iter_mut().zip(&column) {
                    *error -= step * f;
                }
            }
        }
    }

    /// Moves the bias to the minimum, by a few of Newton's steps.
    fn move_bias(&mut self, errors: &mut Errors) {
        for _ in 0..3 {
            let (mut slope, mut curve) = (0.0_f64, 0.0_f64);
            for (k, &error) in errors.errors.iter().enumerate() {
                let counts = if k < errors.inside { error > 0.0 } else { error < 0.0 };
                if counts {
                    slope += f64::from(error);
                    curve += 1.0;
                }
            }
            if curve == 0.0 {
                return;
            }
            let step = (slope / curve) as f32;
            self.bias += step;
            errors.errors.iter_mut().for_each(|error| *error -= step);
        }
    }

    /// Moves the scale to the minimum of the parabola in it.
    fn move_scale(&mut self, errors: &mut Errors, lambda: f32) {
        let squares: f64 = self.weights.iter().map(|&w| f64::from(w).powi(2)).sum();
        let squares = squares * f64::from(lambda);
        let (mut slope, mut curve) = (-squares, squares);
        let (bias, inside) = (self.bias, errors.inside);
        // Σ f·w of a sample.
        let sum = |k: usize, error: f32| if k < inside { 1.0 } else { -1.0 } - error - bias;
        for (k, &error) in errors.errors.iter().enumerate() {
            let counts = if k < inside { error > 0.0 } else { error < 0.0 };
            if counts {
                let sum = f64::from(sum(k, error));
                slope += sum * f64::from(error);
                curve += sum * sum;
            }
        }
        // Not too far at once: the parabola is that of the samples within the margin now.
        let step = ((slope / curve) as f32).clamp(-0.25, 0.25);
        if step.is_finite() {
            for (k, error) in errors.errors.iter_mut().enumerate() {
                *error -= step * sum(k, *error);
            }
            self.scale *= 1.0 + step;
            self.weights.iter_mut().for_each(|w| *w *= 1.0 + step);
        }
    }
}

/// A bit of each of eight neighbours, as numbers.
static EIGHTS: [[f32; 8]; 256] = {
    let mut eights = [[0.0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            eights[byte][bit] = (byte >> bit & 1) as f32;
            bit += 1;
        }
        byte += 1;
    }
    eights
};

/// The trits of a row as numbers.
#[inline(always)]
fn unpack(row: TritRow<'_>, numbers: &mut [f32]) {
    let words = row.sign().iter().zip(row.mask());
    for ((sign, mask), numbers) in words.zip(numbers.chunks_mut(64)) {
        let (plus, minus) = ((mask & !sign).to_le_bytes(), sign.to_le_bytes());
        for (eight, numbers) in numbers.chunks_mut(8).enumerate() {
            let (plus, minus) =
                (&EIGHTS[usize::from(plus[eight])], &EIGHTS[usize::from(minus[eight])]);
            for (k, number) in numbers.iter_mut().enumerate() {
                *number = plus[k] - minus[k];
            }
        }
    }
}

/// Σ f·e and Σ f² over the samples whose error e has the given sign, with sixteen partial sums each.
#[inline(always)]
fn slope(column: &[f32], errors: &[f32], sign: f32) -> (f32, f32) {
    let ((columns, rest), (errors, errors_rest)) =
        (column.as_chunks::<16>(), errors.as_chunks::<16>());
    let (mut slopes, mut curves) = ([0.0_f32; 16], [0.0_f32; 16]);
    for (column, errors) in columns.iter().zip(errors) {
        for k in 0..16 {
            let counts = if errors[k] * sign > 0.0 { column[k] } else { 0.0 };
            slopes[k] += counts * errors[k];
            curves[k] += counts * counts;
        }
    }
    let (mut slope, mut curve) = (slopes.iter().sum::<f32>(), curves.iter().sum::<f32>());
    for (&f, &error) in rest.iter().zip(errors_rest) {
        let counts = if error * sign > 0.0 { f } else { 0.0 };
        slope += counts * error;
        curve += counts * counts;
    }
    (slope, curve)
}
