//! [`Readout`]: a linear classifier quantised to a few bits per weight, by coordinate descent on its loss.
//!
//! A weight takes one of 2^B odd levels, ±1, ±3, …, times the scale of its class. Rounding each weight to the nearest
//! level is not the best choice: weights of correlated features can compensate for each other's errors. With S the
//! second moments of the features about their mean and w the ridge solution, the loss of any other v over the training
//! samples is, up to a constant,
//!
//! ```text
//! J(v) = (v − w)ᵀ (S + γI) (v − w)
//! ```
//!
//! From the nearest levels on, each weight in turn moves to its best level given all others, then the scale to its
//! optimum, until nothing moves. The bias is set last.

use super::ExportError;
use crate::dense::vector::dot;
use crate::learn::{Classifier, Ridge, accuracy, argmax, regularised_moments};
use crate::{Error, Features, Matrix};

/// Bits per readout weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bits {
    /// Levels ±1, ±3.
    #[default]
    Two,
    /// Levels ±1, …, ±15.
    Four,
    /// Levels ±1, …, ±255.
    Eight,
}

impl Bits {
    /// The number of bits.
    pub const fn count(self) -> u32 {
        match self {
            Self::Two => 2,
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// The largest level, 2^B − 1.
    const fn largest(self) -> i32 {
        (1 << self.count()) - 1
    }

    /// The level nearest to a number.
    fn level(self, number: f64) -> i32 {
        let largest = self.largest() as f64;
        // (number + largest) / 2 is the code.
        let code = ((number + largest) / 2.0).round().clamp(0.0, largest);
        2 * code as i32 - self.largest()
    }
}

/// Sweeps over the weights at most; few classes need more than ten.
const MAX_SWEEPS: usize = 30;

/// The readout of a classifier in integers.
#[derive(Clone, Debug, PartialEq)]
pub struct Readout {
    pub(super) bits: Bits,
    /// A row per class, a column per feature: odd levels.
    pub(super) levels: Matrix<i32>,
    pub(super) scales: Vec<i32>,
    pub(super) biases: Vec<i32>,
}

impl Readout {
    /// Quantises a classifier such that its weights compensate for each other's errors.
    ///
    /// `features` are those of training samples, best the ones it was fitted to, and `ridge` is what fitted it. It
    /// takes memory for m² numbers, where m is the number of features.
    ///
    /// # Errors
    ///
    /// [`ExportError::Features`] if the classifier has another number of features,
    /// [`ExportError::NotFinite`] if one of its weights is NaN or infinite, and as [`Features::second_moments`].
    pub fn fit(
        classifier: &Classifier,
        features: &Features,
        ridge: Ridge,
        bits: Bits,
    ) -> Result<Self, Error> {
        let model = classifier.model();
        let (fitted, m) = (model.weights().rows(), features.features());
        if fitted != m {
            return Err(ExportError::Features { features: m, fitted }.into());
        }
        let (second, means) = regularised_moments(features, ridge.penalty, |number| number as f32)?;
        let mut levels = Vec::with_capacity(m * model.bias().len());
        let mut scales = Vec::new();
        let mut biases = Vec::new();
        for (class, &bias) in model.bias().iter().enumerate() {
            let w: Vec<f64> = model.weights().iter_rows().map(|row| row[class] as f64).collect();
            if !w.iter().all(|w| w.is_finite()) || !bias.is_finite() {
                return Err(ExportError::NotFinite { class }.into());
            }
            let (level, scale) = quantise(&w, &second, bits);
            let moved = w.iter().zip(&level).zip(&means);
            let shift: f64 = moved.map(|((w, &q), mean)| (w - q as f64 * scale) * mean).sum();
            levels.extend(level);
            scales.push(scale);
            biases.push(bias as f64 + shift);
        }
        let levels = Matrix::from_vec(scales.len(), m, levels)?;
        let unit = largest_unit(&scales, &biases, m as f64 * bits.largest() as f64);
        // Rounded towards zero, so that the bound on the scores holds.
        let integers = |numbers: Vec<f64>| numbers.iter().map(|x| (x * unit) as i32).collect();
        Ok(Self { bits, levels, scales: integers(scales), biases: integers(biases) })
    }

    /// The class of each sample, as the device decides it.
    ///
    /// # Errors
    ///
    /// [`ExportError::Features`] if the number of features differs.
    pub fn predict(&self, features: &Features) -> Result<Vec<usize>, Error> {
        let (fitted, m) = (self.levels.cols(), features.features());
        if fitted != m {
            return Err(ExportError::Features { features: m, fitted }.into());
        }
        let mut trits = vec![0; m];
        let mut classes = Vec::with_capacity(features.len());
        for row in features.trits().iter_rows() {
            row.unpack(&mut trits)?;
            let dot = |levels: &[i32]| levels.iter().zip(&trits).map(|(w, f)| w * f).sum::<i32>();
            let heads = self.scales.iter().zip(&self.biases);
            let scores = self.levels.iter_rows().zip(heads);
            classes.push(argmax(scores.map(|(levels, (scale, bias))| scale * dot(levels) + bias)));
        }
        Ok(classes)
    }

    /// The accuracy on some samples before and after quantising.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] unless there is one label for each sample, and as
    /// [`predict`](Self::predict).
    pub fn cost(
        &self,
        classifier: &Classifier,
        features: &Features,
        labels: &[usize],
    ) -> Result<Cost, Error> {
        let samples = features.len();
        if labels.len() != samples {
            return Err(Error::LabelCount { samples, labels: labels.len() });
        }
        Ok(Cost {
            float: accuracy(&classifier.predict(features)?, labels),
            integer: accuracy(&self.predict(features)?, labels),
        })
    }
}

/// The accuracy of a readout before and after quantising.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Accuracy with the weights in `f32`.
    pub float: f64,
    /// Accuracy with the integer weights.
    pub integer: f64,
}

/// The levels and the scale of one class.
fn quantise(w: &[f64], second: &[f32], bits: Bits) -> (Vec<i32>, f64) {
    let (mut levels, mut scale) = nearest(w, bits);
    if scale == 0.0 {
        return (levels, scale);
    }
    let m = w.len();
    let rows: Vec<&[f32]> = second.chunks_exact(m).collect();
    for _ in 0..MAX_SWEEPS {
        // (S + γI)(v − w), kept up to date while weights move.
        let off: Vec<f32> =
            w.iter().zip(&levels).map(|(w, &q)| (q as f64 * scale - w) as f32).collect();
        let mut slope: Vec<f32> = rows.iter().map(|row| dot(row, &off)).collect();
        let mut moved = false;
        for j in 0..m {
            let curve = rows[j][j];
            if curve <= 0.0 {
                continue;
            }
            let best = levels[j] as f64 - (slope[j] / curve) as f64 / scale;
            let level = bits.level(best);
            if level != levels[j] {
                let step = ((level - levels[j]) as f64 * scale) as f32;
                slope.iter_mut().zip(rows[j]).for_each(|(slope, s)| *slope += s * step);
                levels[j] = level;
                moved = true;
            }
        }
        // The scale that minimises the loss for these levels.
        let q: Vec<f32> = levels.iter().map(|&q| q as f32).collect();
        let projected: Vec<f32> = rows.iter().map(|row| dot(row, &q)).collect();
        let with_w: f64 = projected.iter().zip(w).map(|(s, w)| *s as f64 * w).sum();
        let with_q: f64 = projected.iter().zip(&q).map(|(s, q)| *s as f64 * *q as f64).sum();
        if with_w > 0.0 && with_q > 0.0 {
            scale = with_w / with_q;
        }
        if !moved {
            break;
        }
    }
    (levels, scale)
}

/// The nearest levels at the scale with the smallest squared error.
fn nearest(w: &[f64], bits: Bits) -> (Vec<i32>, f64) {
    let deviation = (w.iter().map(|w| w * w).sum::<f64>() / w.len() as f64).sqrt();
    if deviation == 0.0 {
        return (vec![1; w.len()], 0.0);
    }
    let mut best = (f64::INFINITY, 0.0);
    // Try scales that put the largest level at 1 to 4 standard deviations.
    for step in 0..=24 {
        let scale = deviation * (1.0 + step as f64 / 8.0) / bits.largest() as f64;
        let error = |w: &f64| (bits.level(w / scale) as f64 * scale - w).powi(2);
        let error = w.iter().map(error).sum();
        if error < best.0 {
            best = (error, scale);
        }
    }
    (w.iter().map(|w| bits.level(w / best.1)).collect(), best.1)
}

/// The largest factor that keeps scale · (largest inner product) + |bias| of every class within `i32`.
fn largest_unit(scales: &[f64], biases: &[f64], dot: f64) -> f64 {
    let largest =
        scales.iter().zip(biases).map(|(scale, bias)| scale * dot + bias.abs()).fold(0.0, f64::max);
    if largest > 0.0 { i32::MAX as f64 / largest } else { 1.0 }
}
