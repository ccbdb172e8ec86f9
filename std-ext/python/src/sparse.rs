//! Sparse matrices as samples: a row is filled with its numbers when it is read, and no dense matrix is made.

use crate::error::Result;
use crate::input::{check_shape, numbers, with_type};
use numpy::ndarray::ArrayView1;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use ternion::Error;
use ternion::batch::Batch;

/// Calls `work` with the rows of a matrix of SciPy, in any of its formats.
pub(crate) fn with_rows<T>(
    matrix: &Bound<'_, PyAny>,
    work: impl FnOnce(&dyn Batch) -> Result<T>,
) -> Result<T> {
    let mut rows = matrix.call_method0("tocsr")?;
    if !rows.getattr("has_canonical_format")?.extract::<bool>()? {
        rows = rows.call_method0("copy")?;
        rows.call_method0("sum_duplicates")?;
    }
    let shape: Vec<usize> = rows.getattr("shape")?.extract()?;
    let &[samples, inputs] = shape.as_slice() else {
        let message = format!("samples must have 2 dimensions, found {}", shape.len());
        return Err(PyValueError::new_err(message).into());
    };
    check_shape(samples, inputs)?;
    let starts = integers(&rows.getattr("indptr")?)?;
    let columns = integers(&rows.getattr("indices")?)?;
    let (starts, columns) = (starts.as_array(), columns.as_array());
    with_type!(numbers(&rows.getattr("data")?)?, PyArray1, typed => {
        let numbers = typed.as_array();
        check(starts, columns, samples, inputs, numbers.len())?;
        work(&Rows { inputs, starts, columns, numbers })
    })
}

/// Positions in a matrix, of 64 bits.
fn integers<'py>(array: &Bound<'py, PyAny>) -> Result<PyReadonlyArray1<'py, i64>> {
    let array = array.call_method1("astype", ("int64",))?;
    let array = array.cast::<PyArray1<i64>>().map_err(|_| {
        PyTypeError::new_err("the positions of a sparse matrix must be in arrays of one dimension")
    })?;
    Ok(array.try_readonly().map_err(PyErr::from)?)
}

/// Refuses positions outside the matrix: SciPy does not check them.
fn check(
    starts: ArrayView1<'_, i64>,
    columns: ArrayView1<'_, i64>,
    samples: usize,
    inputs: usize,
    numbers: usize,
) -> Result<()> {
    let ascend = starts.windows(2).into_iter().all(|pair| pair[0] <= pair[1]);
    let first = starts.first() == Some(&0);
    let last = starts.last().is_some_and(|&last| last >= 0 && last as u64 <= numbers as u64);
    let within = columns.iter().all(|&column| column >= 0 && (column as u64) < inputs as u64);
    if starts.len() == samples + 1 && columns.len() == numbers && ascend && first && last && within
    {
        return Ok(());
    }
    let message = format!(
        "the sparse matrix of {samples} rows and {inputs} columns has numbers outside of it"
    );
    Err(PyValueError::new_err(message).into())
}

/// Compressed sparse rows whose positions are checked.
struct Rows<'a, T> {
    inputs: usize,
    /// Where each row starts among the numbers, and where the last one ends.
    starts: ArrayView1<'a, i64>,
    /// The column of each number.
    columns: ArrayView1<'a, i64>,
    numbers: ArrayView1<'a, T>,
}

impl<T: Copy + Into<f64> + Sync> Batch for Rows<'_, T> {
    fn samples(&self) -> usize {
        self.starts.len() - 1
    }

    fn inputs(&self) -> usize {
        self.inputs
    }

    fn read(&self, sample: usize, numbers: &mut [f32]) -> std::result::Result<(), Error> {
        numbers.fill(0.0);
        for at in self.starts[sample] as usize..self.starts[sample + 1] as usize {
            numbers[self.columns[at] as usize] = self.numbers[at].into() as f32;
        }
        Ok(())
    }
}
