//! Arrays of samples, of any type and layout, as the crate takes them.

use crate::error::Result;
use crate::sparse;
use numpy::{
    Element, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods, dtype,
    get_array_module,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use ternion::Matrix;
use ternion::batch::Batch;
use ternion::ternion_core::Error as CoreError;

/// Evaluates an expression with an array of [`numbers`], borrowed as one of its type: `PyArray1` or `PyArray2`.
macro_rules! with_type {
    ($array:expr, $class:ident, $typed:ident => $work:expr) => {{
        let array = $array;
        if let Ok(typed) = array.cast::<$class<f32>>() {
            let $typed = typed.try_readonly().map_err(PyErr::from)?;
            $work
        } else if let Ok(typed) = array.cast::<$class<f64>>() {
            let $typed = typed.try_readonly().map_err(PyErr::from)?;
            $work
        } else if let Ok(typed) = array.cast::<$class<i16>>() {
            let $typed = typed.try_readonly().map_err(PyErr::from)?;
            $work
        } else if let Ok(typed) = array.cast::<$class<i8>>() {
            let $typed = typed.try_readonly().map_err(PyErr::from)?;
            $work
        } else {
            let typed = array.cast::<$class<u8>>().map_err(PyErr::from)?;
            let $typed = typed.try_readonly().map_err(PyErr::from)?;
            $work
        }
    }};
}
pub(crate) use with_type;

/// Calls `work` with samples: an array with a row for each, in C or Fortran order or with any strides, or a sparse
/// matrix. Numbers of `float32`, `float64`, `int16`, `int8`, `uint8` and `bool` are read where they are.
pub(crate) fn with_samples<T>(
    samples: &Bound<'_, PyAny>,
    work: impl FnOnce(&dyn Batch) -> Result<T>,
) -> Result<T> {
    use numpy::PyArray2;
    if samples.hasattr("tocsr")? {
        return sparse::with_rows(samples, work);
    }
    let array = numbers(samples)?;
    if array.ndim() != 2 {
        let message = "samples must have 2 dimensions, with a row for each sample";
        let message = format!("{message}, found {}: reshape(1, -1) for one sample", array.ndim());
        return Err(PyValueError::new_err(message).into());
    }
    check_shape(array.shape()[0], array.shape()[1])?;
    with_type!(array, PyArray2, typed => work(&typed.as_array()))
}

/// Refuses a batch without samples or inputs.
pub(crate) fn check_shape(samples: usize, inputs: usize) -> Result<()> {
    if samples == 0 || inputs == 0 {
        let message = format!("there are no numbers in {samples} samples of {inputs} inputs");
        return Err(PyValueError::new_err(message).into());
    }
    Ok(())
}

/// An array of numbers that can be read in place as one of the types of [`with_type!`]: the array itself if possible.
pub(crate) fn numbers<'py>(array: &Bound<'py, PyAny>) -> Result<Bound<'py, PyUntypedArray>> {
    let py = array.py();
    let array = match array.cast::<PyUntypedArray>() {
        Ok(array) => array.clone(),
        Err(_) => into_array(get_array_module(py)?.call_method1("asarray", (array,))?)?,
    };
    let found = array.dtype();
    fn is<T: Element>(found: &Bound<'_, numpy::PyArrayDescr>) -> bool {
        found.is_equiv_to(&dtype::<T>(found.py()))
    }
    let array = if is::<bool>(&found) {
        into_array(array.call_method1("view", (dtype::<u8>(py),))?)?
    } else if [is::<f32>, is::<f64>, is::<i16>, is::<i8>, is::<u8>].iter().any(|is| is(&found)) {
        array
    } else if matches!(found.kind(), b'i' | b'u' | b'f') {
        into_array(array.call_method1("astype", (dtype::<f32>(py),))?)?
    } else {
        let message = format!("an array of numbers is needed, found one of dtype {found}");
        let message = format!("{message}: convert it, as with astype(numpy.float32)");
        return Err(PyTypeError::new_err(message).into());
    };
    let size = array.dtype().itemsize() as isize;
    let whole = array.strides().iter().all(|stride| stride % size == 0);
    if whole && array.getattr("flags")?.getattr("aligned")?.extract()? {
        return Ok(array);
    }
    // Fields of records may lie anywhere.
    into_array(array.call_method0("copy")?)
}

fn into_array(array: Bound<'_, PyAny>) -> Result<Bound<'_, PyUntypedArray>> {
    Ok(array.cast_into().map_err(PyErr::from)?)
}

/// All samples as whole numbers of 16 bits, which models for microcontrollers take.
pub(crate) fn whole_numbers(samples: &dyn Batch) -> Result<Matrix<i16>> {
    collect(samples, |sample, input, number| {
        if number.fract() == 0.0 && (-32768.0..=32767.0).contains(&number) {
            return Ok(number as i16);
        }
        let message = "a model takes whole numbers from -32768 to 32767";
        let message = format!("{message}, found {number} in sample {sample}, input {input}: ");
        let message = message + "scale and round the samples, before the fit as well";
        Err(PyValueError::new_err(message).into())
    })
}

/// Targets, a row per sample and a column per output.
pub(crate) fn targets(targets: &Bound<'_, PyAny>) -> Result<Matrix<f32>> {
    with_samples(targets, |targets| collect(targets, |_, _, number| Ok(number)))
}

/// All numbers of a batch, converted from their sample and input.
fn collect<T>(
    samples: &dyn Batch,
    convert: impl Fn(usize, usize, f32) -> Result<T>,
) -> Result<Matrix<T>> {
    let (rows, cols) = (samples.samples(), samples.inputs());
    // Arrays may claim more numbers than there are: NumPy repeats rows without copies.
    let overflow = CoreError::SizeOverflow { rows, cols };
    let mut converted = Vec::new();
    converted.try_reserve_exact(rows.checked_mul(cols).ok_or(overflow)?).map_err(|_| overflow)?;
    let mut numbers = vec![0.0; cols];
    for sample in 0..rows {
        samples.read(sample, &mut numbers)?;
        for (input, &number) in numbers.iter().enumerate() {
            converted.push(convert(sample, input, number)?);
        }
    }
    Ok(Matrix::from_vec(rows, cols, converted)?)
}
