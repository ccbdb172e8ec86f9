//! [`LinearModel`]: outputs that are linear in trits.

use super::check_targets;
use super::convergence::{Convergence, Warning};
use super::score_tables::ScoreTables;
use crate::error::check_finite;
use crate::saved::{Kind, Reader, Writer};
use crate::{Error, Features, Matrix};
use ternion_core::{Buffer, Error as CoreError, Size};

/// A model whose outputs are linear in the features.
///
/// ```
/// use ternion::learn::LinearModel;
/// use ternion::{Features, Matrix, TritMatrix};
///
/// // Weights solved elsewhere: two features, one output.
/// let model = LinearModel::new(Matrix::from_vec(2, 1, vec![0.5, 2.0])?, vec![10.0])?;
/// let features = Features::new(TritMatrix::new(1, 2, vec![0b10], vec![0b11])?); // (+1 −1)
/// assert_eq!(model.predict(&features)?.as_slice(), [8.5]);
/// assert_eq!(LinearModel::from_bytes(&model.to_bytes())?, model);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LinearModel {
    /// A row per feature, a column per output.
    weights: Matrix<f32>,
    bias: Vec<f32>,
    /// Of a learner that iterates.
    convergence: Option<Convergence>,
}

/// Equal outputs are equal models, however they were reached.
impl PartialEq for LinearModel {
    fn eq(&self, other: &Self) -> bool {
        self.weights == other.weights && self.bias == other.bias
    }
}

impl LinearModel {
    /// A model from its weights, a row per feature and a column per output, and the constant of each output.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`](CoreError::LengthMismatch) unless there is a constant per output, [`Error::NotFinite`] for
    /// NaN or infinity among the weights or the constants.
    pub fn new(weights: Matrix<f32>, bias: Vec<f32>) -> Result<Self, Error> {
        let (buffer, expected, found) = (Buffer::Vector, weights.cols(), bias.len());
        if found != expected {
            return Err(CoreError::LengthMismatch { buffer, expected, found }.into());
        }
        check_finite(weights.as_slice())?;
        check_finite(&bias)?;
        Ok(Self { weights, bias, convergence: None })
    }

    /// A model from a fit.
    ///
    /// # Errors
    ///
    /// [`Error::TargetsTooLarge`] if a number is not finite as `f32`.
    pub(super) fn fitted(weights: Matrix<f32>, bias: Vec<f32>) -> Result<Self, Error> {
        let finite = check_finite(weights.as_slice()).and_then(|()| check_finite(&bias));
        finite.map_err(|_| Error::TargetsTooLarge)?;
        Ok(Self { weights, bias, convergence: None })
    }

    /// A model from a learner that iterates, with the weights of each feature after another.
    ///
    /// # Errors
    ///
    /// [`Error::Diverged`] if a number is not finite as `f32`, or if those that say how the fit ended are not.
    pub(super) fn iterated(
        weights: &[f64],
        bias: &[f64],
        convergence: Convergence,
    ) -> Result<Self, Error> {
        let floats = |numbers: &[f64]| numbers.iter().map(|&x| x as f32).collect::<Vec<f32>>();
        let (weights, bias) = (floats(weights), floats(bias));
        let Convergence { iterations, objective, residual, .. } = convergence;
        let finite = check_finite(&weights).and_then(|()| check_finite(&bias));
        let finite = finite.and_then(|()| check_finite(&[objective, residual]));
        finite.map_err(|_| Error::Diverged { iterations })?;
        let weights = Matrix::from_vec(weights.len() / bias.len(), bias.len(), weights)?;
        Ok(Self { weights, bias, convergence: Some(convergence) })
    }

    /// The model as bytes: in the [frame](crate::saved) of everything that is saved the number of features, the number
    /// of outputs, and then as `f32` the constants and the weights, row by row.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_of(Kind::LinearModel)
    }

    /// The same bytes for an object of another kind.
    pub(super) fn to_bytes_of(&self, kind: Kind) -> Vec<u8> {
        let mut writer = Writer::new(kind);
        writer.u64(self.weights.rows() as u64);
        writer.u64(self.weights.cols() as u64);
        writer.f32s(&self.bias);
        writer.f32s(self.weights.as_slice());
        writer.finish()
    }

    /// Reads a model that was saved.
    ///
    /// # Errors
    ///
    /// [`Error::Saved`] for bytes that are truncated, changed, or of another kind or version, and as
    /// [`new`](Self::new).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_bytes_of(Kind::LinearModel, bytes)
    }

    /// Reads an object of another kind from the same bytes.
    pub(super) fn from_bytes_of(kind: Kind, bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes, kind)?;
        let (features, outputs) = (reader.size(1, usize::MAX)?, reader.size(1, usize::MAX)?);
        let numbers = |features: usize| features.checked_add(1)?.checked_mul(outputs);
        reader.expect::<4>(numbers(features))?;
        let bias = reader.f32s(outputs);
        Self::new(Matrix::from_vec(features, outputs, reader.f32s(features * outputs))?, bias)
    }

    /// The outputs of each sample: a row per sample, a column per output.
    ///
    /// # Errors
    ///
    /// [`SizeMismatch`](CoreError::SizeMismatch) if the number of features differs from the fit's.
    pub fn predict(&self, features: &Features) -> Result<Matrix<f32>, Error> {
        ScoreTables::new(self)?.predict(features)
    }

    /// R², the share of the variance of the targets that the outputs explain: 1 − Σ(y − f)²/Σ(y − ȳ)², in the mean over
    /// the outputs. For targets that never vary it is 1 if all outputs are right, and 0 otherwise.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] unless each sample has a row of targets, [`Error::TargetNotFinite`] for NaN and infinity,
    /// [`SizeMismatch`](CoreError::SizeMismatch) for another number of outputs or of features.
    pub fn score(&self, features: &Features, targets: &Matrix<f32>) -> Result<f64, Error> {
        check_targets(features.len(), targets)?;
        let (expected, found) = (self.bias.len(), targets.cols());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Cols, expected, found }.into());
        }
        let predicted = self.predict(features)?;
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

    /// How the fit of a learner that iterates ended; `None` for other models and for those that were loaded.
    pub fn convergence(&self) -> Option<&Convergence> {
        self.convergence.as_ref()
    }

    /// What is wrong with how the fit ended.
    pub fn warnings(&self) -> Vec<Warning> {
        self.convergence.iter().filter_map(Convergence::warning).collect()
    }

    /// The weights: a row per feature, a column per output.
    pub fn weights(&self) -> &Matrix<f32> {
        &self.weights
    }

    /// The constant of each output.
    pub fn bias(&self) -> &[f32] {
        &self.bias
    }
}
