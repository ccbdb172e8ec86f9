//! Pickling: an object is the bytes that the crate saves it as.

use pyo3::prelude::*;

/// What pickle calls to make an object again, and with what: its own `from_bytes` and `to_bytes`.
pub(crate) type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyAny>,));

/// How an object with `to_bytes` and `from_bytes` is pickled.
pub(crate) fn reduce<'py, T>(object: &Bound<'py, T>) -> PyResult<Reduced<'py>> {
    let object = object.as_any();
    Ok((object.get_type().getattr("from_bytes")?, (object.call_method0("to_bytes")?,)))
}
