//! [`Predictor`]: a linear model on ternary features, one sample at a time and without allocation.

use super::score_tables::ScoreTables;
use super::{LinearModel, argmax};
use crate::{Error, TernaryFeatures};
use ternion_core::{Error as CoreError, Line, Size, words_per_row};

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
        let (expected, found) = (ternary.features(), model.weights().rows());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Features, expected, found }.into());
        }
        let plane = vec![0; words_per_row(expected)];
        let mut predictor = Self {
            tables: ScoreTables::new(model),
            sign: plane.clone(),
            mask: plane,
            scratch: Vec::new(),
            scores: vec![0.0; model.bias().len()],
            ternary,
        };
        // The scratch grows here, not when it matters.
        predictor.scores(&vec![0.0; predictor.ternary.inputs()])?;
        Ok(predictor)
    }

    /// The outputs for a sample.
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeMismatch`] for another number of inputs, [`CoreError::NotFinite`] for NaN or infinity.
    pub fn scores(&mut self, sample: &[f32]) -> Result<&[f32], Error> {
        let Self { ternary, tables, sign, mask, scratch, scores } = self;
        let (expected, found) = (ternary.inputs(), sample.len());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Inputs, expected, found }.into());
        }
        ternary.transform_one(sample, sign, mask, scratch)?;
        tables.scores_of_one(ternary.isa(), sign, mask, scores);
        Ok(scores)
    }

    /// The class of a sample: the output with the largest score.
    ///
    /// # Errors
    ///
    /// As [`scores`](Self::scores).
    pub fn class(&mut self, sample: &[f32]) -> Result<usize, Error> {
        Ok(argmax(self.scores(sample)?))
    }

    /// The map from samples to features.
    pub fn ternary(&self) -> &TernaryFeatures {
        &self.ternary
    }
}
