//! [`Moments`] and [`TargetMoments`]: what ridge needs to know of samples that come in chunks.

use crate::arguments::{self, Unsigned};
use crate::classifier::FittedClassifier;
use crate::error::Result;
use crate::fitted::FittedFeatures;
use crate::input::{self, with_samples};
use crate::learner::ridge;
use crate::regressor::FittedRegressor;
use crate::threads::run;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use std::sync::Arc;
use ternion::TernaryFeatures;
use ternion::learn::{TernaryClassifier, TernaryRegressor};

/// What pickle calls to make moments again, and with what.
type Reduced<'py> = (Bound<'py, PyAny>, (FittedFeatures, Bound<'py, PyBytes>));

/// Exact sums over the features of samples with classes, from which a classifier is fitted.
///
/// Any split and order of the samples, on any number of machines, gives the same classifier, bit for bit.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from ternion import Moments, Params
/// >>> x = np.sin(0.37 * np.arange(900 * 8) ** 2).reshape(900, 8)
/// >>> labels = (x[:, 0] > x[:, 1]).astype(np.int64)
/// >>> fitted = Params(256).fit(x)
/// >>> moments = Moments(fitted, classes=2)
/// >>> for chunk in range(0, 900, 300):
/// ...     shard = Moments(fitted, classes=2)  # on another machine
/// ...     shard.add(x[chunk:chunk + 300], labels[chunk:chunk + 300])
/// ...     moments.merge(shard)
/// >>> moments.solve(regularisation=0.3)
/// FittedClassifier(inputs=8, features=256, classes=2)
#[pyclass(module = "ternion")]
pub(crate) struct Moments {
    ternary: Arc<TernaryFeatures>,
    moments: ternion::learn::Moments,
}

#[pymethods]
impl Moments {
    #[new]
    fn new(fitted: &FittedFeatures, classes: Unsigned) -> Result<Self> {
        let moments = ternion::learn::Moments::new(&fitted.ternary, classes.size()?)?;
        Ok(Self { ternary: fitted.ternary.clone(), moments })
    }

    /// Adds samples with their class numbers, an array of int64.
    #[pyo3(signature = (x, labels, *, threads=None))]
    fn add(
        &mut self,
        x: &Bound<'_, PyAny>,
        labels: PyReadonlyArray1<'_, i64>,
        threads: Option<Unsigned>,
    ) -> Result<()> {
        let py = x.py();
        with_samples(x, |samples| {
            let labels = arguments::labels(&labels, samples.samples())?;
            run(py, threads, || self.moments.add(&self.ternary.transform(samples)?, &labels))
        })
    }

    /// Adds the samples of other moments, of the same fit and the same classes.
    fn merge(&mut self, other: &Self) -> Result<()> {
        Ok(self.moments.merge(&other.moments)?)
    }

    /// The classifier of all samples so far.
    #[pyo3(signature = (*, regularisation=None, threads=None))]
    fn solve(
        &self,
        py: Python<'_>,
        regularisation: Option<f64>,
        threads: Option<Unsigned>,
    ) -> Result<FittedClassifier> {
        let ridge = ridge(regularisation)?;
        let classes = (0..self.moments.classes()).collect();
        let solve = || {
            let classifier = ridge.fit_moments(&self.moments)?;
            TernaryClassifier::new(self.ternary.as_ref().clone(), classifier, classes)
        };
        Ok(FittedClassifier::new(run(py, threads, solve)?))
    }

    /// Samples added so far.
    #[getter]
    fn samples(&self) -> u64 {
        self.moments.samples()
    }

    /// The fit whose features are summed.
    #[getter]
    fn fitted(&self) -> FittedFeatures {
        FittedFeatures { ternary: self.ternary.clone() }
    }

    /// The sums as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.moments.to_bytes())
    }

    /// Sums that were saved as bytes, with the fit whose features they are of.
    #[classmethod]
    fn from_bytes(
        _class: &Bound<'_, PyType>,
        fitted: &FittedFeatures,
        bytes: &[u8],
    ) -> Result<Self> {
        let saved = ternion::learn::Moments::from_bytes(bytes)?;
        // Refuses sums of another fit.
        let mut moments = ternion::learn::Moments::new(&fitted.ternary, saved.classes())?;
        moments.merge(&saved)?;
        Ok(Self { ternary: fitted.ternary.clone(), moments })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let moments = slf.try_borrow()?;
        let arguments = (moments.fitted(), moments.to_bytes(slf.py()));
        Ok((slf.get_type().getattr("from_bytes")?, arguments))
    }
}

/// Exact sums over the features of samples with targets, from which a regressor is fitted, as `Moments`.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from ternion import Params, TargetMoments
/// >>> x = np.sin(0.37 * np.arange(900 * 8) ** 2).reshape(900, 8)
/// >>> fitted = Params(256).fit(x)
/// >>> moments = TargetMoments(fitted, outputs=1)
/// >>> for chunk in range(0, 900, 300):
/// ...     part = x[chunk:chunk + 300]
/// ...     moments.add(part, part[:, :1] * part[:, 1:2])
/// >>> moments.solve(regularisation=0.3)
/// FittedRegressor(inputs=8, features=256, outputs=1)
#[pyclass(module = "ternion")]
pub(crate) struct TargetMoments {
    ternary: Arc<TernaryFeatures>,
    moments: ternion::learn::TargetMoments,
}

#[pymethods]
impl TargetMoments {
    #[new]
    fn new(fitted: &FittedFeatures, outputs: Unsigned) -> Result<Self> {
        let moments = ternion::learn::TargetMoments::new(&fitted.ternary, outputs.size()?)?;
        Ok(Self { ternary: fitted.ternary.clone(), moments })
    }

    /// Adds samples with their targets, a row per sample and a column per output.
    #[pyo3(signature = (x, y, *, threads=None))]
    fn add(
        &mut self,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        threads: Option<Unsigned>,
    ) -> Result<()> {
        let (py, targets) = (x.py(), input::targets(y)?);
        with_samples(x, |samples| {
            run(py, threads, || self.moments.add(&self.ternary.transform(samples)?, &targets))
        })
    }

    /// Adds the samples of other moments, of the same fit and as many outputs.
    fn merge(&mut self, other: &Self) -> Result<()> {
        Ok(self.moments.merge(&other.moments)?)
    }

    /// The regressor of all samples so far.
    #[pyo3(signature = (*, regularisation=None, threads=None))]
    fn solve(
        &self,
        py: Python<'_>,
        regularisation: Option<f64>,
        threads: Option<Unsigned>,
    ) -> Result<FittedRegressor> {
        let ridge = ridge(regularisation)?;
        let solve = || {
            let model = ridge.fit_target_moments(&self.moments)?;
            TernaryRegressor::new(self.ternary.as_ref().clone(), model)
        };
        Ok(FittedRegressor::new(run(py, threads, solve)?))
    }

    /// Samples added so far.
    #[getter]
    fn samples(&self) -> u64 {
        self.moments.samples()
    }

    /// The fit whose features are summed.
    #[getter]
    fn fitted(&self) -> FittedFeatures {
        FittedFeatures { ternary: self.ternary.clone() }
    }

    /// The sums as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.moments.to_bytes())
    }

    /// Sums that were saved as bytes, with the fit whose features they are of.
    #[classmethod]
    fn from_bytes(
        _class: &Bound<'_, PyType>,
        fitted: &FittedFeatures,
        bytes: &[u8],
    ) -> Result<Self> {
        let saved = ternion::learn::TargetMoments::from_bytes(bytes)?;
        // Refuses sums of another fit.
        let mut moments = ternion::learn::TargetMoments::new(&fitted.ternary, saved.outputs())?;
        moments.merge(&saved)?;
        Ok(Self { ternary: fitted.ternary.clone(), moments })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let moments = slf.try_borrow()?;
        let arguments = (moments.fitted(), moments.to_bytes(slf.py()));
        Ok((slf.get_type().getattr("from_bytes")?, arguments))
    }
}
