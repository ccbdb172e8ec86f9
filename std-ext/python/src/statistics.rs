//! [`Statistics`]: the mean and the variance of samples that come in chunks.

use crate::arguments::Unsigned;
use crate::error::Result;
use crate::input::with_samples;
use crate::saved::{self, Reduced};
use crate::threads::run;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};

/// Exact sums over samples that come in chunks, from which a map is fitted.
///
/// Any split and order of the samples gives the same fit, bit for bit.
///
/// Parameters
/// ----------
/// inputs : int
///     Numbers in a sample.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from ternion import Params, Statistics
/// >>> statistics = Statistics(8)
/// >>> for chunk in range(3):
/// ...     statistics.add(np.sin(np.arange(800.0) + chunk).reshape(100, 8))
/// >>> statistics.samples
/// 300
/// >>> Params(512).fit_statistics(statistics)
/// FittedFeatures(inputs=8, features=512)
#[pyclass(module = "ternion")]
pub(crate) struct Statistics {
    pub(crate) statistics: ternion::fit::Statistics,
}

#[pymethods]
impl Statistics {
    #[new]
    fn new(inputs: Unsigned) -> Result<Self> {
        Ok(Self { statistics: ternion::fit::Statistics::new(inputs.size()?)? })
    }

    /// Adds samples.
    #[pyo3(signature = (x, *, threads=None))]
    fn add(&mut self, x: &Bound<'_, PyAny>, threads: Option<Unsigned>) -> Result<()> {
        let py = x.py();
        with_samples(x, |samples| run(py, threads, || self.statistics.add(samples)))
    }

    /// Adds the samples of other statistics.
    fn merge(&mut self, other: &Self) -> Result<()> {
        Ok(self.statistics.merge(&other.statistics)?)
    }

    /// Samples added so far.
    #[getter]
    fn samples(&self) -> u64 {
        self.statistics.samples()
    }

    /// Numbers in a sample.
    #[getter]
    fn inputs(&self) -> usize {
        self.statistics.inputs()
    }

    /// The statistics as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.statistics.to_bytes())
    }

    /// Statistics that were saved as bytes.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, bytes: &[u8]) -> Result<Self> {
        Ok(Self { statistics: ternion::fit::Statistics::from_bytes(bytes)? })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        saved::reduce(slf)
    }

    fn __repr__(&self) -> String {
        format!("Statistics(inputs={}, samples={})", self.inputs(), self.samples())
    }
}
