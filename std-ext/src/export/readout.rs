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
use crate::error::check_finite;
use crate::learn::{Classifier, LinearModel, Ridge, accuracy, argmax, regularised_moments};
use crate::{Error, Features, Matrix};

/// Bits per readout weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bits {
    /// Levels ±1.
    One,
    /// Levels ±1, ±3.
    #[default]
    Two,
    /// Levels ±1, …, ±7.
    Three,
    /// Levels ±1, …, ±15.
    Four,
    /// Levels ±1, …, ±255.
    Eight,
}

impl Bits {
    /// The number of bits.
    pub const fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
            Self::Three => 3,
            Self::Four => 4,
            Self::Eight => 8,
        }
    }

    /// The largest level, 2^B − 1.
    const fn largest(self) -> i32 {
        (1 << self.count()) - 1
    }

    /// The level nearest to a number.
    pub(super) fn level(self, number: f64) -> i32 {
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
    /// A row per output, a column per feature: odd levels.
    pub(super) levels: Matrix<i32>,
    pub(super) scales: Vec<i32>,
    pub(super) biases: Vec<i32>,
    /// The bits of the fraction of each output, if scores are numbers.
    pub(super) fractions: Option<Vec<i8>>,
}

impl Readout {
    /// Quantises a classifier such that its weights compensate for each other's errors. Two classes take one output, the
    /// difference of their scores.
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
        let outputs: Vec<Vec<f64>> = (0..model.bias().len()).map(|k| output(model, k)).collect();
        match &outputs[..] {
            [no, yes] => {
                let difference = yes.iter().zip(no).map(|(yes, no)| yes - no).collect();
                Self::quantise(&[difference], features, ridge, bits, false)
            }
            _ => Self::quantise(&outputs, features, ridge, bits, false),
        }
    }

    /// Quantises a regression likewise: scores are its numbers in fixed point.
    ///
    /// # Errors
    ///
    /// As [`fit`](Self::fit).
    ///
    /// ```
    /// use ternion::export::{Bits, Export, IntegerFeatures, Readout};
    /// use ternion::learn::Ridge;
    /// use ternion::{Matrix, Samples, TernaryFeatures};
    ///
    /// let x: Vec<i8> = (0..600 * 4).map(|k| (k * k % 101) as i8 - 50).collect();
    /// let y: Vec<f32> = x.chunks(4).map(|x| x[0] as f32 / 25.0 - 1.5).collect();
    /// let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    /// let fitted = TernaryFeatures::params(512).fit(&Samples::new(&floats, 4)?)?;
    /// let integer = IntegerFeatures::new(&fitted, &x)?;
    /// let (features, ridge) = (integer.transform(&x)?, Ridge::new(0.03)?);
    /// let model = ridge.fit(&features, &Matrix::from_vec(600, 1, y.clone())?)?;
    /// let readout = Readout::fit_numbers(&model, &features, ridge, Bits::Four)?;
    /// let numbers = Export::new(&integer, &readout)?.predict_numbers(&x)?;
    /// assert!((numbers.as_slice()[7] - y[7]).abs() < 0.3);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    pub fn fit_numbers(
        model: &LinearModel,
        features: &Features,
        ridge: Ridge,
        bits: Bits,
    ) -> Result<Self, Error> {
        let outputs: Vec<Vec<f64>> = (0..model.bias().len()).map(|k| output(model, k)).collect();
        Self::quantise(&outputs, features, ridge, bits, true)
    }

    /// Quantises the weights of each output, behind which is its bias.
    fn quantise(
        outputs: &[Vec<f64>],
        features: &Features,
        ridge: Ridge,
        bits: Bits,
        numbers: bool,
    ) -> Result<Self, Error> {
        let (fitted, m) =
            (outputs.first().map_or(0, |output| output.len() - 1), features.features());
        if fitted != m {
            return Err(ExportError::Features { features: m, fitted }.into());
        }
        if let Some(output) = outputs.iter().position(|output| check_finite(output).is_err()) {
            return Err(ExportError::NotFinite { output }.into());
        }
        let (second, means) = regularised_moments(features, ridge.penalty, |number| number as f32)?;
        let (mut levels, mut scales, mut biases) = (Vec::new(), Vec::new(), Vec::new());
        for output in outputs {
            let (w, bias) = output.split_at(m);
            let (level, scale) = quantise(w, &second, bits);
            let moved = w.iter().zip(&level).zip(&means);
            let shift: f64 = moved.map(|((w, &q), mean)| (w - q as f64 * scale) * mean).sum();
            levels.extend(level);
            scales.push(scale);
            biases.push(bias[0] + shift);
        }
        Self::in_integers(m, levels, &scales, &biases, bits, numbers)
    }

    /// Brings scales and biases to integers, as large as the bound on the scores allows.
    pub(super) fn in_integers(
        features: usize,
        levels: Vec<i32>,
        scales: &[f64],
        biases: &[f64],
        bits: Bits,
        numbers: bool,
    ) -> Result<Self, Error> {
        let levels = Matrix::from_vec(scales.len(), features, levels)?;
        let dot = features as f64 * bits.largest() as f64;
        let units = scales.iter().zip(biases).map(|(scale, bias)| largest_unit(*scale, *bias, dot));
        // Classes are compared in one unit; numbers have one each, a power of two.
        let units: Vec<f64> = match numbers {
            true => units.map(|unit| 2.0_f64.powi(fraction(unit).into())).collect(),
            false => vec![units.fold(f64::INFINITY, f64::min); scales.len()],
        };
        // Rounded towards zero, so that the bound on the scores holds. Zeros times infinity become zeros.
        let integers = |numbers: &[f64]| {
            numbers.iter().zip(&units).map(|(number, unit)| (number * unit) as i32).collect()
        };
        Ok(Self {
            bits,
            levels,
            scales: integers(scales),
            biases: integers(biases),
            fractions: numbers.then(|| units.iter().map(|&unit| fraction(unit)).collect()),
        })
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
            let mut scores = scores.map(|(levels, (scale, bias))| scale * dot(levels) + bias);
            classes.push(match self.scales.len() {
                1 => (scores.next() > Some(0)) as usize,
                _ => argmax(scores),
            });
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

/// The weights of an output, and its bias behind them.
fn output(model: &LinearModel, output: usize) -> Vec<f64> {
    let weights = model.weights().iter_rows().map(|row| row[output].into());
    weights.chain([model.bias()[output].into()]).collect()
}

/// The levels and the scale of one output.
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
pub(super) fn nearest(w: &[f64], bits: Bits) -> (Vec<i32>, f64) {
    let deviation = (w.iter().map(|w| w * w).sum::<f64>() / w.len() as f64).sqrt();
    if deviation == 0.0 {
        return (vec![1; w.len()], 0.0);
    }
    let mut best = (f64::INFINITY, 0.0);
    // Try scales that put the largest level at 1/2 to 4 standard deviations.
    for step in 0..=28 {
        let scale = deviation * (0.5 + step as f64 / 8.0) / bits.largest() as f64;
        let error = |w: &f64| (bits.level(w / scale) as f64 * scale - w).powi(2);
        let error = w.iter().map(error).sum();
        if error < best.0 {
            best = (error, scale);
        }
    }
    (w.iter().map(|w| bits.level(w / best.1)).collect(), best.1)
}

/// The largest factor that keeps scale · (largest inner product) + |bias| within `i32`; infinite for zeros.
fn largest_unit(scale: f64, bias: f64, dot: f64) -> f64 {
    i32::MAX as f64 / (scale * dot + bias.abs())
}

/// The bits of the fraction of numbers that may be multiplied by a unit.
fn fraction(unit: f64) -> i8 {
    unit.log2().floor() as i8
}
