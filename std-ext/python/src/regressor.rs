//! [`FittedRegressor`]: from samples to numbers.

use crate::arguments::Unsigned;
use crate::error::Result;
use crate::export::{self, Export};
use crate::features::into_array;
use crate::fitted::FittedFeatures;
use crate::input::with_samples;
use crate::saved::{self, Reduced};
use crate::threads::run_on_samples;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use ternion::Features;
use ternion::export::Readout;
use ternion::learn::TernaryRegressor;

/// A map to features and a linear model of them.
///
/// What a ``TernaryRegressor`` holds as ``fitted_``; it needs no scikit-learn.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from ternion import Params
/// >>> x = np.sin(0.37 * np.arange(600 * 8) ** 2).reshape(600, 8)
/// >>> fitted = Params(2048).fit_targets(x, x[:, :1] * x[:, 1:2], regularisation=0.3)
/// >>> fitted.predict(x).shape
/// (600, 1)
#[pyclass(frozen, module = "ternion")]
pub(crate) struct FittedRegressor {
    regressor: TernaryRegressor,
}

impl FittedRegressor {
    pub(crate) fn new(regressor: TernaryRegressor) -> Self {
        Self { regressor }
    }
}

#[pymethods]
impl FittedRegressor {
    /// The outputs for each sample: float32, a row per sample and a column per output.
    #[pyo3(signature = (x, *, threads=None))]
    fn predict<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        threads: Option<Unsigned>,
    ) -> Result<Bound<'py, PyAny>> {
        let py = x.py();
        with_samples(x, |samples| {
            let predict = || self.regressor.predict(samples);
            into_array(py, run_on_samples(py, threads, samples.samples(), predict)?)
        })
    }

    /// The model for a microcontroller, in integers, with weights of 1, 2, 3, 4 or 8 bits.
    ///
    /// Parameters
    /// ----------
    /// x : array
    ///     Training samples in whole numbers, by which the weights are quantised.
    /// regularisation : float or None
    ///     That of the fit.
    /// bits : int
    ///     Bits per weight: 1, 2, 3, 4 or 8.
    #[pyo3(signature = (x, *, regularisation=None, bits=Unsigned(8), threads=None))]
    #[pyo3(text_signature = "($self, x, *, regularisation=None, bits=8, threads=None)")]
    fn export(
        &self,
        x: &Bound<'_, PyAny>,
        regularisation: Option<f64>,
        bits: Unsigned,
        threads: Option<Unsigned>,
    ) -> Result<Export> {
        let model = self.regressor.model();
        let quantise =
            |features: &Features, ridge, bits| Readout::fit_numbers(model, features, ridge, bits);
        export::export(self.regressor.ternary(), quantise, x, regularisation, bits, threads)
    }

    /// The map from samples to features.
    #[getter]
    fn ternary(&self) -> FittedFeatures {
        FittedFeatures::new(self.regressor.ternary().clone())
    }

    /// Reasons to expect less than the best, with what to do about them. Usually empty.
    fn warnings(&self) -> Vec<String> {
        self.ternary().warnings()
    }

    /// The number of outputs.
    #[getter]
    fn outputs(&self) -> usize {
        self.regressor.model().bias().len()
    }

    /// The regressor as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.regressor.to_bytes())
    }

    /// A regressor that was saved as bytes, here or by Rust.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, bytes: &[u8]) -> Result<Self> {
        Ok(Self::new(TernaryRegressor::from_bytes(bytes)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        saved::reduce(slf)
    }

    fn __repr__(&self) -> String {
        let (ternary, outputs) = (self.regressor.ternary(), self.outputs());
        let (inputs, features) = (ternary.inputs(), ternary.features());
        format!("FittedRegressor(inputs={inputs}, features={features}, outputs={outputs})")
    }
}
