//! [`FittedFeatures`]: the map from samples to features.

use crate::arguments::Unsigned;
use crate::error::{Result, in_python};
use crate::features::Features;
use crate::input::with_samples;
use crate::saved::{self, Reduced};
use crate::threads::run_on_samples;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::sync::Arc;
use ternion::TernaryFeatures;

/// The map from samples to ternary features that a fit found. Printing it shows what it does and how well it matches.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from ternion import FittedFeatures, Params
/// >>> x = np.sin(0.37 * np.arange(600 * 8) ** 2).reshape(600, 8)
/// >>> fitted = Params(1024).fit(x)
/// >>> print(fitted)  # doctest: +ELLIPSIS
/// samples     8 inputs, centred, not standardised; samples scaled to a mean squared norm of 1
/// policy      periodic
/// ...
/// >>> loaded = FittedFeatures.from_bytes(fitted.to_bytes())
/// >>> bool((loaded.transform(x).sign == fitted.transform(x).sign).all())
/// True
#[pyclass(frozen, module = "ternion")]
pub(crate) struct FittedFeatures {
    pub(crate) ternary: Arc<TernaryFeatures>,
}

impl FittedFeatures {
    pub(crate) fn new(ternary: TernaryFeatures) -> Self {
        Self { ternary: Arc::new(ternary) }
    }
}

#[pymethods]
impl FittedFeatures {
    /// The packed features of samples.
    #[pyo3(signature = (x, *, threads=None))]
    fn transform(&self, x: &Bound<'_, PyAny>, threads: Option<Unsigned>) -> Result<Features> {
        let py = x.py();
        with_samples(x, |samples| {
            let transform = || self.ternary.transform(samples);
            Ok(Features::new(run_on_samples(py, threads, samples.samples(), transform)?))
        })
    }

    /// Numbers in a sample.
    #[getter]
    fn inputs(&self) -> usize {
        self.ternary.inputs()
    }

    /// Features of each sample.
    #[getter]
    fn features(&self) -> usize {
        self.ternary.features()
    }

    /// α, the scale at which the Gram matrix of the features imitates the kernel of the target.
    #[getter]
    fn alpha(&self) -> f64 {
        self.ternary.report().alpha
    }

    /// A hash of all that decides the features: two fits with the same one give the same features.
    #[getter]
    fn fingerprint(&self) -> u64 {
        self.ternary.fingerprint()
    }

    /// Reasons to expect less than the report promises, with what to do about them. Usually empty.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.ternary.warnings().iter().map(|warning| in_python(&warning.to_string())).collect()
    }

    /// The map as bytes, some kilobytes: W is its seed.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.ternary.to_bytes())
    }

    /// A map that was saved as bytes, here or by Rust.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, bytes: &[u8]) -> Result<Self> {
        Ok(Self::new(TernaryFeatures::from_bytes(bytes)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        saved::reduce(slf)
    }

    fn __str__(&self) -> String {
        self.ternary.to_string()
    }

    fn __repr__(&self) -> String {
        format!("FittedFeatures(inputs={}, features={})", self.inputs(), self.features())
    }
}
