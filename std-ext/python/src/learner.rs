//! Learners of classes by their names.

use crate::error::Result;
use pyo3::exceptions::PyValueError;
use ternion::batch::Batch;
use ternion::fit::Params;
use ternion::learn::{LinearSvm, Logistic, Ridge, TernaryClassifier};

/// A learner of classes.
#[derive(Clone, Copy)]
pub(crate) enum Learner {
    Ridge,
    Logistic,
    Svm,
}

impl Learner {
    pub(crate) fn named(name: &str) -> Result<Self> {
        match name {
            "ridge" => Ok(Self::Ridge),
            "logistic" => Ok(Self::Logistic),
            "svm" => Ok(Self::Svm),
            _ => {
                let message = format!("no learner is called {name:?}; use ridge, logistic or svm");
                Err(PyValueError::new_err(message).into())
            }
        }
    }

    /// Fits a classifier; without a regularisation with that of the learner.
    pub(crate) fn fit(
        self,
        params: Params,
        regularisation: Option<f64>,
        samples: &dyn Batch,
        labels: &[usize],
    ) -> std::result::Result<TernaryClassifier<usize>, ternion::Error> {
        match self {
            Self::Ridge => TernaryClassifier::fit(params, ridge(regularisation)?, samples, labels),
            Self::Logistic => {
                let logistic = regularisation.map_or(Ok(Logistic::default()), Logistic::new)?;
                TernaryClassifier::fit(params, logistic, samples, labels)
            }
            Self::Svm => {
                let svm = regularisation.map_or(Ok(LinearSvm::default()), LinearSvm::new)?;
                TernaryClassifier::fit(params, svm, samples, labels)
            }
        }
    }
}

/// Ridge with this regularisation, or its own.
pub(crate) fn ridge(regularisation: Option<f64>) -> std::result::Result<Ridge, ternion::Error> {
    regularisation.map_or(Ok(Ridge::default()), Ridge::new)
}
