//! [`Export`]: a classifier or a regression as a model for a microcontroller.

use crate::arguments::Unsigned;
use crate::error::Result;
use crate::features::into_array;
use crate::input::{whole_numbers, with_samples};
use crate::learner::ridge;
use crate::saved::{self, Reduced};
use crate::threads::run;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyType};
use ternion::export::{Bits, IntegerFeatures, Readout};
use ternion::learn::Ridge;
use ternion::ternion_core::{Error as CoreError, Size};
use ternion::{Features, TernaryFeatures};

/// A model for a microcontroller: integers only, a few kilobytes, the same predictions on every machine.
///
/// Made by ``export`` of a ``TernaryClassifier`` or a ``TernaryRegressor``, or without scikit-learn by that of a
/// ``FittedClassifier`` or a ``FittedRegressor``.
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
/// Export(bytes=148)
#[pyclass(frozen, module = "ternion")]
pub(crate) struct Export {
    export: ternion::export::Export,
}

/// The model of a map and the readout that `quantise` makes, by training samples in whole numbers.
pub(crate) fn export(
    ternary: &TernaryFeatures,
    quantise: impl FnOnce(&Features, Ridge, Bits) -> core::result::Result<Readout, ternion::Error>
    + Send,
    samples: &Bound<'_, PyAny>,
    regularisation: Option<f64>,
    bits: Unsigned,
    threads: Option<Unsigned>,
) -> Result<Export> {
    let py = samples.py();
    let ridge = ridge(regularisation)?;
    let bits = match bits.0 {
        1 => Bits::One,
        2 => Bits::Two,
        3 => Bits::Three,
        4 => Bits::Four,
        8 => Bits::Eight,
        other => {
            let message = format!("bits must be 1, 2, 3, 4 or 8, found {other}");
            return Err(PyValueError::new_err(message).into());
        }
    };
    let samples = with_samples(samples, whole_numbers)?;
    check_inputs(ternary.inputs(), samples.cols())?;
    let export = run(py, threads, || {
        let integer = IntegerFeatures::new(ternary, samples.as_slice())?;
        let features = integer.transform(samples.as_slice())?;
        ternion::export::Export::new(&integer, &quantise(&features, ridge, bits)?)
    });
    Ok(Export { export: export? })
}

fn check_inputs(expected: usize, found: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(CoreError::SizeMismatch { size: Size::Inputs, expected, found }.into())
}

/// Samples in a smaller type, whose name is for the message.
fn narrow<T: TryFrom<i16>>(samples: &[i16], name: &str) -> Result<Vec<T>> {
    let convert = |&number: &i16| {
        let message = || format!("a test has the number {number}, which is no {name}");
        T::try_from(number).map_err(|_| PyValueError::new_err(message()).into())
    };
    samples.iter().map(convert).collect()
}

impl Export {
    fn inputs(&self) -> Result<usize> {
        Ok(self.export.model().map_err(ternion::Error::from)?.inputs())
    }
}

#[pymethods]
impl Export {
    /// The class number of each sample by the model itself, as a device decides it: int64.
    fn predict<'py>(&self, x: &Bound<'py, PyAny>) -> Result<Bound<'py, PyArray1<i64>>> {
        let samples = with_samples(x, whole_numbers)?;
        check_inputs(self.inputs()?, samples.cols())?;
        let classes = x.py().detach(|| self.export.predict(samples.as_slice()))?;
        let classes = classes.into_iter().map(|class| class as i64);
        Ok(PyArray1::from_vec(x.py(), classes.collect()))
    }

    /// The numbers that a regression predicts for each sample, as a device computes them: float32, a column per output.
    fn predict_numbers<'py>(&self, x: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
        let samples = with_samples(x, whole_numbers)?;
        check_inputs(self.inputs()?, samples.cols())?;
        into_array(x.py(), x.py().detach(|| self.export.predict_numbers(samples.as_slice()))?)
    }

    /// Source that defines the model as a Rust static of this name.
    fn to_rust(&self, name: &str) -> Result<String> {
        Ok(self.export.to_rust(name)?)
    }

    /// A predictor in C99 that needs no library: the texts of ``NAME.h`` and of ``NAME.c``.
    ///
    /// Parameters
    /// ----------
    /// name : str
    ///     What all names in the source begin with.
    /// tests : array or None
    ///     Samples that ``NAME_self_test`` tries, which is there if ``NAME_SELF_TEST`` is defined.
    /// numbers : {"int16", "int8", "uint8"}
    ///     The type of the numbers of samples.
    #[pyo3(signature = (name, tests=None, *, numbers="int16"))]
    fn to_c(
        &self,
        name: &str,
        tests: Option<&Bound<'_, PyAny>>,
        numbers: &str,
    ) -> Result<(String, String)> {
        let samples = tests.map(|tests| with_samples(tests, whole_numbers)).transpose()?;
        if let Some(samples) = &samples {
            check_inputs(self.inputs()?, samples.cols())?;
        }
        let samples = samples.as_ref().map_or(&[][..], |samples| samples.as_slice());
        let c = match numbers {
            "int16" => self.export.to_c(name, samples)?,
            "int8" => self.export.to_c(name, &narrow::<i8>(samples, numbers)?)?,
            "uint8" => self.export.to_c(name, &narrow::<u8>(samples, numbers)?)?,
            other => {
                let message = format!("numbers must be int16, int8 or uint8, found {other}");
                return Err(PyValueError::new_err(message).into());
            }
        };
        Ok((c.header, c.source))
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
