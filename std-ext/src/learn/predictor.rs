//! [`Predictor`]: a linear model on ternary features, one sample at a time and without allocation.

use super::score_tables::ScoreTables;
use super::ternary_classifier::check_features;
use super::{LinearModel, argmax};
use crate::{Error, TernaryFeatures};
use ternion_core::{Buffer, Error as CoreError, Line, Number, Samples, words_per_row};

/// Predictions for single samples, as a service or a control loop needs them. Everything is allocated by
/// [`new`](Self::new), which predicts a sample to make sure; the tables of the model take 256 bytes per feature for
/// every 16 outputs. The scores are those of [`LinearModel::predict`], bit for bit.
///
/// ```
/// use ternion::learn::{Predictor, Ridge};
/// use ternion::{Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..400 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let labels: Vec<usize> = x.chunks(8).map(|x| (x[0] > x[1]) as usize).collect();
/// let samples = Samples::new(&x, 8)?;
/// let ternary = TernaryFeatures::params(512).fit(&samples)?;
/// let classifier = Ridge::default().fit_classes(&ternary.transform(&samples)?, &labels)?;
///
/// let mut predictor = Predictor::new(ternary, classifier.model())?;
/// assert_eq!(predictor.class(&[0.9, -0.9, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])?, 1);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Predictor {
    ternary: TernaryFeatures,
    tables: ScoreTables,
    sign: Vec<u64>,
    mask: Vec<u64>,
    numbers: Vec<f32>,
    scratch: Vec<Line>,
    scores: Vec<f32>,
}

impl Predictor {
    /// A predictor from a fit and a model of its features.
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeMismatch`] if the model has another number of features.
    pub fn new(ternary: TernaryFeatures, model: &LinearModel) -> Result<Self, Error> {
        check_features(&ternary, model)?;
        let plane = vec![0; words_per_row(ternary.features())];
        let mut predictor = Self {
            tables: ScoreTables::new(model)?,
            sign: plane.clone(),
            mask: plane,
            numbers: vec![0.0; ternary.inputs()],
            scratch: Vec::new(),
            scores: vec![0.0; model.bias().len()],
            ternary,
        };
        // The scratch grows here, not when it matters; the mean is a sample that no preprocessing makes infinite.
        let inputs = predictor.ternary.inputs();
        let mean = predictor.ternary.preprocess().mean().map(<[f32]>::to_vec);
        predictor.scores(&mean.unwrap_or_else(|| vec![0.0; inputs]))?;
        Ok(predictor)
    }

    /// The outputs for a sample: a slice of `f32`, `f64`, `i16`, `i8` or `u8`, or of `u64` with 64 packed bits each. The
    /// same numbers give the same outputs in every type, as [everywhere](crate::batch).
    ///
    /// # Errors
    ///
    /// [`CoreError::LengthMismatch`] for another number of inputs, [`CoreError::NotFinite`] for NaN, infinity or `f64`
    /// beyond `f32`, [`CoreError::DirtyTail`] for packed bits beyond the last input.
    pub fn scores<T: Number>(&mut self, sample: &[T]) -> Result<&[f32], Error> {
        let Self { ternary, tables, sign, mask, numbers, scratch, scores } = self;
        let inputs = ternary.inputs();
        let (buffer, expected, found) = (Buffer::Samples, T::elements(inputs), sample.len());
        if found != expected {
            return Err(CoreError::LengthMismatch { buffer, expected, found }.into());
        }
        if T::has_dirty_tail(sample, inputs) {
            return Err(CoreError::DirtyTail { row: 0 }.into());
        }
        let numbers = match T::as_f32(sample) {
            Some(sample) => sample,
            None => {
                T::write_f32(sample, numbers);
                numbers
            }
        };
        ternary.transform_chunk(Samples::new(numbers, inputs)?, sign, mask, scratch)?;
        tables.scores_of_one(ternary.isa(), sign, mask, scores);
        Ok(scores)
    }

    /// The class of a sample: the output with the largest score.
    ///
    /// # Errors
    ///
    /// As [`scores`](Self::scores).
    pub fn class<T: Number>(&mut self, sample: &[T]) -> Result<usize, Error> {
        Ok(argmax(self.scores(sample)?))
    }

    /// The map from samples to features.
    pub fn ternary(&self) -> &TernaryFeatures {
        &self.ternary
    }
}
