//! [`FittedClassifier`]: from samples to class numbers.

use crate::arguments::Unsigned;
use crate::error::{Result, in_python};
use crate::export::{self, Export};
use crate::features::into_array;
use crate::fitted::FittedFeatures;
use crate::input::with_samples;
use crate::saved::{self, Reduced};
use crate::threads::run_on_samples;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use ternion::Features;
use ternion::export::Readout;
use ternion::learn::TernaryClassifier;

/// A map to features and a linear classifier of them. Classes are numbers from 0.
///
/// What a ``TernaryClassifier`` holds as ``fitted_``; it needs no scikit-learn.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from ternion import FittedClassifier, Params
/// >>> x = np.sin(0.37 * np.arange(600 * 8) ** 2).reshape(600, 8)
/// >>> labels = (x[:, 0] * x[:, 1] > 0).astype(np.int64)
/// >>> fitted = Params(2048).fit_classes(x, labels, regularisation=0.3)
/// >>> bool((fitted.predict(x) == labels).mean() > 0.9)
/// True
/// >>> FittedClassifier.from_bytes(fitted.to_bytes())
/// FittedClassifier(inputs=8, features=2048, classes=2)
#[pyclass(frozen, module = "ternion")]
pub(crate) struct FittedClassifier {
    classifier: TernaryClassifier<usize>,
}

impl FittedClassifier {
    pub(crate) fn new(classifier: TernaryClassifier<usize>) -> Self {
        Self { classifier }
    }
}

#[pymethods]
impl FittedClassifier {
    /// The class number of each sample: int64.
    #[pyo3(signature = (x, *, threads=None))]
    fn predict<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        threads: Option<Unsigned>,
    ) -> Result<Bound<'py, PyArray1<i64>>> {
        let py = x.py();
        with_samples(x, |samples| {
            let predict = || self.classifier.predict(samples);
            let classes = run_on_samples(py, threads, samples.samples(), predict)?;
            let classes = classes.into_iter().map(|class| class as i64);
            Ok(PyArray1::from_vec(py, classes.collect()))
        })
    }

    /// The scores of each sample, of which the largest decides: float32, a row per sample and a column per class.
    #[pyo3(signature = (x, *, threads=None))]
    fn decision<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        threads: Option<Unsigned>,
    ) -> Result<Bound<'py, PyAny>> {
        let py = x.py();
        with_samples(x, |samples| {
            let decision = || self.classifier.decision(samples);
            into_array(py, run_on_samples(py, threads, samples.samples(), decision)?)
        })
    }

    /// The probabilities of the classes of each sample, if the learner was logistic regression: float32, a row per sample
    /// and a column per class.
    #[pyo3(signature = (x, *, threads=None))]
    fn probabilities<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        threads: Option<Unsigned>,
    ) -> Result<Bound<'py, PyAny>> {
        let (py, classifier) = (x.py(), &self.classifier);
        with_samples(x, |samples| {
            let probabilities =
                || classifier.classifier().probabilities(&classifier.ternary().transform(samples)?);
            into_array(py, run_on_samples(py, threads, samples.samples(), probabilities)?)
        })
    }

    /// The model for a microcontroller, in integers, with weights of 1, 2, 3, 4 or 8 bits.
    ///
    /// Parameters
    /// ----------
    /// x : array
    ///     Training samples in whole numbers, by which the weights are quantised.
    /// regularisation : float or None
    ///     That of the fit, if it was by ridge.
    /// bits : int
    ///     Bits per weight: 1, 2, 3, 4 or 8.
    #[pyo3(signature = (x, *, regularisation=None, bits=Unsigned(2), threads=None))]
    #[pyo3(text_signature = "($self, x, *, regularisation=None, bits=2, threads=None)")]
    fn export(
        &self,
        x: &Bound<'_, PyAny>,
        regularisation: Option<f64>,
        bits: Unsigned,
        threads: Option<Unsigned>,
    ) -> Result<Export> {
        let classifier = self.classifier.classifier();
        let quantise =
            |features: &Features, ridge, bits| Readout::fit(classifier, features, ridge, bits);
        export::export(self.classifier.ternary(), quantise, x, regularisation, bits, threads)
    }

    /// The map from samples to features.
    #[getter]
    fn ternary(&self) -> FittedFeatures {
        FittedFeatures::new(self.classifier.ternary().clone())
    }

    /// Reasons to expect less than the best, with what to do about them: those of the map, and of a learner that did not
    /// converge. Usually empty.
    fn warnings(&self) -> Vec<String> {
        let of_learner = self.classifier.classifier().warnings();
        let of_learner = of_learner.iter().map(|warning| in_python(&warning.to_string()));
        self.ternary().warnings().into_iter().chain(of_learner).collect()
    }

    /// The number of classes.
    #[getter]
    fn classes(&self) -> usize {
        self.classifier.labels().len()
    }

    /// The classifier as bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.classifier.to_bytes())
    }

    /// A classifier that was saved as bytes, here or by Rust, with classes that are numbers.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, bytes: &[u8]) -> Result<Self> {
        Ok(Self::new(TernaryClassifier::from_bytes(bytes)?))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        saved::reduce(slf)
    }

    fn __repr__(&self) -> String {
        let (ternary, classes) = (self.classifier.ternary(), self.classes());
        let (inputs, features) = (ternary.inputs(), ternary.features());
        format!("FittedClassifier(inputs={inputs}, features={features}, classes={classes})")
    }
}
