//! [`Model`]: a classifier or a regressor of the library, whatever its labels are.

use crate::labels::Kind as LabelKind;
use crate::{Error, Plan};
use datafusion::arrow::array::{ArrayRef, FixedSizeListArray, Float32Array, StringArray};
use datafusion::arrow::datatypes::{DataType, Field};
use std::sync::Arc;
use ternion::Error as TernionError;
use ternion::batch::Batch;
use ternion::learn::{Classifier, TernaryClassifier, TernaryRegressor};
use ternion::saved::{Kind, SavedError};

/// What `ternion_predict` takes as bytes: a [`TernaryClassifier`] with labels of any type, or a [`TernaryRegressor`].
///
/// ```
/// use ternion::learn::{Ridge, TernaryClassifier};
/// use ternion::{Samples, TernaryFeatures};
/// use ternion_cluster::Model;
///
/// let x: Vec<f32> = (0..400 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let labels: Vec<&str> = x.chunks(8).map(|x| if x[0] > x[1] { "left" } else { "right" }).collect();
/// let samples = Samples::new(&x, 8).map_err(ternion::Error::from)?;
/// let model = TernaryClassifier::fit(TernaryFeatures::params(512), Ridge::default(), &samples, &labels)?;
/// let read = Model::from_bytes(&model.to_bytes())?;
/// assert!(matches!(read, Model::Texts(_)));
/// assert_eq!(read.to_bytes(), model.to_bytes());
/// # Ok::<(), ternion_cluster::Error>(())
/// ```
#[derive(Clone, Debug)]
pub enum Model {
    /// A classifier whose labels are integers, or read like it.
    Integers(TernaryClassifier<i64>),
    /// A classifier with any other labels, as text.
    Texts(TernaryClassifier<String>),
    /// A regressor.
    Numbers(TernaryRegressor),
}

impl Model {
    /// The classifier of a plan.
    ///
    /// # Errors
    ///
    /// [`Error::NoLabels`] if the plan has none, and as [`TernaryClassifier::new`].
    pub fn classifier(plan: Plan, classifier: Classifier) -> Result<Self, Error> {
        let (ternary, labels) = plan.into_parts();
        Ok(match labels.ok_or(Error::NoLabels)?.into_kind() {
            LabelKind::Integers(labels) => {
                Self::Integers(TernaryClassifier::new(ternary, classifier, labels)?)
            }
            LabelKind::Texts(labels) => {
                Self::Texts(TernaryClassifier::new(ternary, classifier, labels)?)
            }
        })
    }

    /// Reads a model that was saved.
    ///
    /// # Errors
    ///
    /// As [`TernaryClassifier::from_bytes`] and [`TernaryRegressor::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        const REGRESSOR: u8 = Kind::TernaryRegressor as u8;
        match TernaryClassifier::from_bytes(bytes) {
            Ok(model) => Ok(Self::Integers(model)),
            Err(TernionError::Saved(SavedError::Label { .. })) => {
                Ok(Self::Texts(TernaryClassifier::from_bytes(bytes)?))
            }
            Err(TernionError::Saved(SavedError::Kind { found: REGRESSOR, .. })) => {
                Ok(Self::Numbers(TernaryRegressor::from_bytes(bytes)?))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The model as bytes, which the types of the library read.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Integers(model) => model.to_bytes(),
            Self::Texts(model) => model.to_bytes(),
            Self::Numbers(model) => model.to_bytes(),
        }
    }

    /// The type of its predictions: `Utf8` for labels, `Float32` for one number, a list of it for several.
    pub fn output_type(&self) -> DataType {
        match self {
            Self::Integers(_) | Self::Texts(_) => DataType::Utf8,
            Self::Numbers(model) => match model.model().bias().len() {
                1 => DataType::Float32,
                outputs => DataType::new_fixed_size_list(DataType::Float32, outputs as i32, false),
            },
        }
    }

    /// The prediction of each sample, in a column of the [output type](Self::output_type).
    ///
    /// # Errors
    ///
    /// As [`TernaryClassifier::predict`] and [`TernaryRegressor::predict`].
    pub fn predict(&self, samples: &dyn Batch) -> Result<ArrayRef, Error> {
        Ok(match self {
            Self::Integers(model) => Arc::new(StringArray::from_iter_values(
                model.predict(samples)?.iter().map(i64::to_string),
            )),
            Self::Texts(model) => Arc::new(StringArray::from_iter_values(model.predict(samples)?)),
            Self::Numbers(model) => {
                let outputs = model.predict(samples)?;
                let numbers = Float32Array::from(outputs.as_slice().to_vec());
                if outputs.cols() == 1 {
                    return Ok(Arc::new(numbers));
                }
                let field = Arc::new(Field::new_list_field(DataType::Float32, false));
                let size = outputs.cols() as i32;
                Arc::new(FixedSizeListArray::new(field, size, Arc::new(numbers), None))
            }
        })
    }
}
