//! Arrow columns as samples: one column of vectors, or a column per input.

use crate::Error;
use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, FixedSizeListArray, Float32Array, GenericListArray, OffsetSizeTrait,
};
use datafusion::arrow::datatypes::{DataType, Field, Float32Type};
use std::sync::Arc;
use ternion::Samples;
use ternion::batch::{Batch, Columns};

/// The types to which the engine casts the columns of samples: `Float32`, or lists of it.
///
/// Integers and `Float64` are rounded to the nearest `Float32`; what is beyond its range becomes infinite, and is refused
/// with its row.
///
/// # Errors
///
/// [`Error::SampleType`] for anything but one column of lists of numbers, or columns of numbers.
pub(crate) fn coerce(types: &[DataType]) -> Result<Vec<DataType>, Error> {
    let element = |field: &Field| {
        let found = DataType::Float32;
        number(field.data_type()).map(|_| Arc::new(Field::new(field.name(), found, true)))
    };
    if let [list] = types {
        return match list {
            DataType::FixedSizeList(field, length) => {
                element(field).map(|field| DataType::FixedSizeList(field, *length))
            }
            DataType::List(field) => element(field).map(DataType::List),
            DataType::LargeList(field) => element(field).map(DataType::LargeList),
            other => number(other),
        }
        .map(|list| vec![list]);
    }
    types.iter().map(number).collect()
}

/// Whether a column of the type is a sample on its own.
pub(crate) fn is_vector(kind: &DataType) -> bool {
    matches!(kind, DataType::FixedSizeList(..) | DataType::List(_) | DataType::LargeList(_))
}

/// Whether a column of the type can be an input.
pub(crate) fn is_number(kind: &DataType) -> bool {
    kind.is_numeric() || *kind == DataType::Boolean
}

fn number(kind: &DataType) -> Result<DataType, Error> {
    if is_number(kind) {
        return Ok(DataType::Float32);
    }
    Err(Error::SampleType { found: kind.to_string() })
}

/// Samples of one batch of the engine, in columns of the [coerced](coerce) types.
#[derive(Debug)]
pub(crate) enum Inputs {
    /// All samples one after another, and the numbers in each.
    Rows(Float32Array, usize),
    /// A column per input.
    Columns(Vec<Float32Array>),
}

impl Inputs {
    /// Checks the columns. Nothing is copied.
    ///
    /// # Errors
    ///
    /// [`Error::Null`] for a vector or a number that is null, [`Error::UnevenLength`] unless all vectors are of one
    /// length.
    pub(crate) fn new(columns: &[ArrayRef]) -> Result<Self, Error> {
        if let [vectors] = columns {
            if let Some(lists) = vectors.as_fixed_size_list_opt() {
                return fixed(lists);
            }
            if let Some(lists) = vectors.as_list_opt::<i32>() {
                return listed(lists);
            }
            if let Some(lists) = vectors.as_list_opt::<i64>() {
                return listed(lists);
            }
        }
        let columns = columns.iter().map(|column| {
            refuse_nulls(column, "number")?;
            floats(column).cloned()
        });
        Ok(Self::Columns(columns.collect::<Result<_, _>>()?))
    }

    /// Calls `work` with the samples.
    ///
    /// # Errors
    ///
    /// Those of `work`, and what the library refuses in the sizes.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&dyn Batch) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self {
            Self::Rows(numbers, inputs) => {
                work(&Samples::new(numbers.values(), *inputs).map_err(ternion::Error::from)?)
            }
            Self::Columns(columns) => {
                work(&Columns::new(columns.iter().map(|column| &column.values()[..]))?)
            }
        }
    }
}

fn fixed(lists: &FixedSizeListArray) -> Result<Inputs, Error> {
    refuse_nulls(lists, "vector")?;
    let inputs = lists.value_length() as usize;
    let values = lists.values().slice(lists.offset() * inputs, lists.len() * inputs);
    rows(&values, inputs)
}

fn listed<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> Result<Inputs, Error> {
    refuse_nulls(lists, "vector")?;
    let offsets = lists.value_offsets();
    let mut lengths = offsets.windows(2).map(|pair| (pair[1] - pair[0]).as_usize());
    let expected = lengths.clone().next().unwrap_or(0);
    if let Some(row) = lengths.position(|length| length != expected) {
        let found = (offsets[row + 1] - offsets[row]).as_usize();
        return Err(Error::UnevenLength { row, expected, found });
    }
    let first = offsets.first().map_or(0, |offset| offset.as_usize());
    rows(&lists.values().slice(first, lists.len() * expected), expected)
}

fn rows(values: &ArrayRef, inputs: usize) -> Result<Inputs, Error> {
    if let Some(at) = first_null(values) {
        return Err(Error::Null { row: at / inputs, what: "number" });
    }
    Ok(Inputs::Rows(floats(values)?.clone(), inputs))
}

pub(crate) fn floats(column: &ArrayRef) -> Result<&Float32Array, Error> {
    let floats = column.as_primitive_opt::<Float32Type>();
    floats.ok_or_else(|| Error::SampleType { found: column.data_type().to_string() })
}

/// Refuses a column with nulls; `what` says what each of its rows holds.
pub(crate) fn refuse_nulls(column: &dyn Array, what: &'static str) -> Result<(), Error> {
    match first_null(column) {
        Some(row) => Err(Error::Null { row, what }),
        None => Ok(()),
    }
}

fn first_null(column: &dyn Array) -> Option<usize> {
    let nulls = column.logical_nulls().filter(|nulls| nulls.null_count() > 0)?;
    nulls.iter().position(|valid| !valid)
}
