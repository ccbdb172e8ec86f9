//! [`TernaryRegressor`]: from samples and targets to predicted targets.

use super::ternary_classifier::{check_count, check_features, warnings};
use super::{LinearModel, Predictor, TargetLearner};
use crate::batch::Batch;
use crate::fit::Params;
use crate::saved::{Kind, Reader, Writer};
use crate::{Error, Matrix, TernaryFeatures};

/// Ternary features and a regression on them.
///
/// ```
/// use ternion::learn::{Ridge, TernaryRegressor};
/// use ternion::{Matrix, Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..600 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let y = Matrix::column(x.chunks(8).map(|x| x[0] * x[1] + x[2]).collect())?;
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
    /// [`TernaryFeatures::transform`] and the learner.
    pub fn fit(
        params: Params,
        learner: impl TargetLearner,
        samples: &dyn Batch,
        targets: &Matrix<f32>,
    ) -> Result<Self, Error> {
        check_count(samples, targets.rows())?;
        let ternary = params.fit(samples)?;
        let model = learner.fit(&ternary.transform(samples)?, targets)?;
        Ok(Self { ternary, model })
    }

    /// A regressor from its parts, wherever they come from.
    ///
    /// # Errors
    ///
    /// [`SizeMismatch`](ternion_core::Error::SizeMismatch) if the model has another number of features than the map.
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

    /// R², as [`LinearModel::score`].
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] unless each sample has a row of targets, [`SizeMismatch`](ternion_core::Error::SizeMismatch) for another number of
    /// outputs, and as [`predict`](Self::predict).
    pub fn score(&self, samples: &dyn Batch, targets: &Matrix<f32>) -> Result<f64, Error> {
        check_count(samples, targets.rows())?;
        self.model.score(&self.ternary.transform(samples)?, targets)
    }

    /// What would help: the [warnings](TernaryFeatures::warnings) of the fit, and those of a learner that did not
    /// [converge](LinearModel::warnings).
    pub fn warnings(&self) -> Vec<String> {
        warnings(&self.ternary, &self.model)
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
