//! Numbers among the arguments: refused with the usual exceptions, not only with what Rust's types can say.

use crate::error::{Failure, Result};
use numpy::{PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::{Borrowed, FromPyObject};

/// A size or a seed: an integer from 0 on that fits in 64 bits. NumPy's integers are welcome.
#[derive(Clone, Copy)]
pub(crate) struct Unsigned(pub(crate) u64);

impl<'a, 'py> FromPyObject<'a, 'py> for Unsigned {
    type Error = PyErr;

    fn extract(number: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        number.extract().map(Self).map_err(|error: PyErr| {
            // A negative integer is a wrong value, not an overflow.
            if !error.is_instance_of::<PyOverflowError>(number.py()) {
                return error;
            }
            PyValueError::new_err(format!(
                "expected an integer from 0 to 2⁶⁴ − 1, found {}",
                &*number
            ))
        })
    }
}

impl Unsigned {
    /// The number as a size in memory.
    pub(crate) fn size(self) -> Result<usize> {
        let too_large = |_| PyValueError::new_err(format!("a size of {} is too large", self.0));
        usize::try_from(self.0).map_err(|error| Failure::Python(too_large(error)))
    }
}

/// The class number of each of so many samples.
pub(crate) fn labels(labels: &PyReadonlyArray1<'_, i64>, samples: usize) -> Result<Vec<usize>> {
    // Before memory is asked for: NumPy repeats numbers without copies.
    if labels.len() != samples {
        return Err(ternion::Error::LabelCount { samples, labels: labels.len() }.into());
    }
    let class = |(sample, &label): (usize, &i64)| {
        let message = || format!("sample {sample} has label {label}: classes count from 0");
        usize::try_from(label).map_err(|_| PyValueError::new_err(message()).into())
    };
    labels.as_array().iter().enumerate().map(class).collect()
}
