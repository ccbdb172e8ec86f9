//! [`Export`]: a classifier as a model for a microcontroller.

use crate::arguments::Unsigned;
use crate::error::Result;
use crate::input::{whole_numbers, with_samples};
use crate::learner::ridge;
use crate::saved::{self, Reduced};
use crate::threads::run;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use ternion::export::{Bits, IntegerFeatures, Readout};
use ternion::learn::TernaryClassifier;
use ternion::ternion_core::{Error as CoreError, Size};

/// A model for a microcontroller: integers only, a few kilobytes, the same classes on every machine.
///
/// Made by ``TernaryClassifier.export``, or without scikit-learn by ``FittedClassifier.export``.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from ternion import Export, Params
/// >>> x = (100 * np.sin(0.37 * np.arange(600 * 8) ** 2)).round().reshape(600, 8).astype(np.int8)
/// >>> labels = (x[:, 0] > x[:, 1]).astype(np.int64)
/// >>> model = Params(256).fit_classes(x, labels, regularisation=0.3).export(x, regularisation=0.3)
/// >>> bool((model.predict(x) == labels).mean() > 0.9)
/// True
/// >>> Export.from_bytes(model.to_bytes())
/// Export(bytes=212)
#[pyclass(frozen, module = "ternion")]
pub(crate) struct Export {
    export: ternion::export::Export,
}

/// Quantises a classifier by training samples in whole numbers.
pub(crate) fn export(
    classifier: &TernaryClassifier<usize>,
    samples: &Bound<'_, PyAny>,
    regularisation: Option<f64>,
    bits: Unsigned,
    shift: Unsigned,
    threads: Option<Unsigned>,
) -> Result<Export> {
    let py = samples.py();
    let ridge = ridge(regularisation)?;
    let bits = match bits.0 {
        2 => Bits::Two,
        4 => Bits::Four,
        8 => Bits::Eight,
        other => {
            let message = format!("bits must be 2, 4 or 8, found {other}");
            return Err(PyValueError::new_err(message).into());
        }
    };
    let shift = u32::try_from(shift.0).unwrap_or(u32::MAX);
    let integer = IntegerFeatures::new(classifier.ternary(), shift)?;
    let samples = with_samples(samples, whole_numbers)?;
    check_inputs(integer.inputs(), samples.cols())?;
    let export = run(py, threads, || {
        let features = integer.transform(samples.as_slice())?;
        let readout = Readout::fit(classifier.classifier(), &features, ridge, bits)?;
        ternion::export::Export::new(&integer, &readout)
    });
    Ok(Export { export: export? })
}

fn check_inputs(expected: usize, found: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(CoreError::SizeMismatch { size: Size::Inputs, expected, found }.into())
}

#[pymethods]
impl Export {
    /// The class number of each sample by the model itself, as a device decides it: int64.
    fn predict<'py>(&self, x: &Bound<'py, PyAny>) -> Result<Bound<'py, PyArray1<i64>>> {
        let samples = with_samples(x, whole_numbers)?;
        let inputs = self.export.model().map_err(ternion::Error::from)?.inputs();
        check_inputs(inputs, samples.cols())?;
        let classes = x.py().detach(|| self.export.predict(samples.as_slice()))?;
        let classes = classes.into_iter().map(|class| class as i64);
        Ok(PyArray1::from_vec(x.py(), classes.collect()))
    }

    /// Source that defines the model as a Rust static of this name.
    fn to_rust(&self, name: &str) -> Result<String> {
        Ok(self.export.to_rust(name)?)
    }

    /// A C header that defines the model as an array of this name.
    fn to_c(&self, name: &str) -> Result<String> {
        Ok(self.export.to_c(name)?)
    }

    /// The model, to be flashed.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.export.bytes())
    }

    /// A model from its bytes.
    #[classmethod]
    fn from_bytes(_class: &Bound<'_, PyType>, bytes: &[u8]) -> Result<Self> {
        Ok(Self { export: ternion::export::Export::from_bytes(bytes.to_vec())? })
    }

    fn __len__(&self) -> usize {
        self.export.bytes().len()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        saved::reduce(slf)
    }

    fn __repr__(&self) -> String {
        format!("Export(bytes={})", self.export.bytes().len())
    }
}
