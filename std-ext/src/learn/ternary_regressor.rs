//! [`TernaryRegressor`]: from samples and targets to predicted targets.

use super::ternary_classifier::{check_count, check_features};
use super::{LinearModel, Predictor, Ridge};
use crate::batch::Batch;
use crate::fit::Params;
use crate::saved::{Kind, Reader, Writer};
use crate::{Error, Matrix, TernaryFeatures};
use ternion_core::{Error as CoreError, Size};

/// Ternary features and ridge regression on them.
///
/// ```
/// use ternion::learn::{Ridge, TernaryRegressor};
/// use ternion::{Matrix, Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..600 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let y = Matrix::from_vec(600, 1, x.chunks(8).map(|x| x[0] * x[1] + x[2]).collect())?;
/// let samples = Samples::new(&x, 8)?;
///
/// let params = TernaryFeatures::params(2048);
/// let model = TernaryRegressor::fit(params, Ridge::default(), &samples, &y)?;
/// assert!(model.score(&samples, &y)? > 0.9); // R²
/// let loaded = TernaryRegressor::from_bytes(&model.to_bytes())?; // elsewhere
/// assert_eq!(loaded.predict(&samples)?, model.predict(&samples)?);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TernaryRegressor {
    ternary: TernaryFeatures,
    model: LinearModel,
}

impl TernaryRegressor {
    /// Fits the features to the samples, and the regression to their targets: a row per sample, a column per output.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] unless each sample has a row of targets, and as [`Params::fit`],
    /// [`TernaryFeatures::transform`] and [`Ridge::fit`].
    pub fn fit(
        params: Params,
        ridge: Ridge,
        samples: &dyn Batch,
        targets: &Matrix<f32>,
    ) -> Result<Self, Error> {
        check_count(samples, targets.rows())?;
        let ternary = params.fit(samples)?;
        let model = ridge.fit(&ternary.transform(samples)?, targets)?;
        Ok(Self { ternary, model })
    }

    /// A regressor from its parts, wherever they come from.
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeMismatch`] if the model has another number of features than the map.
    pub fn new(ternary: TernaryFeatures, model: LinearModel) -> Result<Self, Error> {
        check_features(&ternary, &model)?;
        Ok(Self { ternary, model })
    }

    /// The regressor as bytes: in the [frame](crate::saved) of everything that is saved the bytes of the
    /// [fit](TernaryFeatures::to_bytes) and those of the [model](LinearModel::to_bytes). A 64-bit length is before each
    /// of them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(Kind::TernaryRegressor);
        writer.block(&self.ternary.to_bytes());
        writer.block(&self.model.to_bytes());
        writer.finish()
    }

    /// Reads a regressor that was saved.
    ///
    /// # Errors
    ///
    /// [`Error::Saved`] for bytes that are truncated, changed, or of another kind or version; as
    /// [`TernaryFeatures::from_bytes`], [`LinearModel::from_bytes`] and [`new`](Self::new).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes, Kind::TernaryRegressor)?;
        let (ternary, model) = (reader.block()?, reader.block()?);
        reader.end()?;
        let model = LinearModel::from_bytes(model)?;
        Self::new(TernaryFeatures::from_bytes(ternary)?, model)
    }

    /// The outputs for each sample: a row per sample, a column per output.
    ///
    /// # Errors
    ///
    /// As [`TernaryFeatures::transform`].
    pub fn predict(&self, samples: &dyn Batch) -> Result<Matrix<f32>, Error> {
        self.model.predict(&self.ternary.transform(samples)?)
    }

    /// R², the share of the variance of the targets that the predictions explain: 1 − Σ(y − f)²/Σ(y − ȳ)², in the mean
    /// over the outputs. For targets that never vary it is 1 if all predictions are right, and 0 otherwise.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] unless each sample has a row of targets, [`CoreError::SizeMismatch`] for another number of
    /// outputs, and as [`predict`](Self::predict).
    pub fn score(&self, samples: &dyn Batch, targets: &Matrix<f32>) -> Result<f64, Error> {
        check_count(samples, targets.rows())?;
        let (expected, found) = (self.model.bias().len(), targets.cols());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Cols, expected, found }.into());
        }
        let predicted = self.predict(samples)?;
        let explained = |output: usize| {
            let column = |matrix: &Matrix<f32>| -> Vec<f64> {
                matrix.iter_rows().map(|row| row[output].into()).collect()
            };
            let (targets, predicted) = (column(targets), column(&predicted));
            let mean = targets.iter().sum::<f64>() / targets.len() as f64;
            let total: f64 = targets.iter().map(|y| (y - mean).powi(2)).sum();
            let left: f64 = targets.iter().zip(predicted).map(|(y, f)| (y - f).powi(2)).sum();
            if total > 0.0 {
                1.0 - left / total
            } else if left == 0.0 {
                1.0
            } else {
                0.0
            }
        };
        Ok((0..expected).map(explained).sum::<f64>() / expected as f64)
    }

    /// The map from samples to features.
    pub fn ternary(&self) -> &TernaryFeatures {
        &self.ternary
    }

    /// The linear model of features.
    pub fn model(&self) -> &LinearModel {
        &self.model
    }

    /// The same for single samples, without allocation.
    ///
    /// # Errors
    ///
    /// As [`Predictor::new`].
    pub fn predictor(&self) -> Result<Predictor, Error> {
        Predictor::new(self.ternary.clone(), &self.model)
    }
}
