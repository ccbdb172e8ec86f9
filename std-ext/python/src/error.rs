//! What is refused, as Python exceptions and in the words of Python.

use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyValueError};
use ternion::ternion_core::Error as CoreError;
use ternion::theory::SolveError;

/// Why a call failed: the crate refused its arguments, or Python raised.
pub(crate) enum Failure {
    Crate(ternion::Error),
    Python(PyErr),
}

/// What every function of the module returns.
pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl From<ternion::Error> for Failure {
    fn from(error: ternion::Error) -> Self {
        Self::Crate(error)
    }
}

impl From<CoreError> for Failure {
    fn from(error: CoreError) -> Self {
        Self::Crate(error.into())
    }
}

impl From<SolveError> for Failure {
    fn from(error: SolveError) -> Self {
        Self::Crate(error.into())
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Python(error) => error,
            Failure::Crate(error @ ternion::Error::Core(CoreError::SizeOverflow { .. })) => {
                PyMemoryError::new_err(in_python(&error.to_string()))
            }
            Failure::Crate(error) => PyValueError::new_err(in_python(&error.to_string())),
        }
    }
}

/// The Rust that messages and warnings advise, and what a Python program writes instead.
const WORDS: [(&str, &str); 12] = [
    ("Form::Structured", "form=\"structured\""),
    ("Form::Seeded", "form=\"seeded\""),
    ("Form::Stored", "form=\"stored\""),
    ("Policy::Automatic", "policy=\"automatic\""),
    ("Policy::FourBand", "policy=\"four-band\""),
    ("Policy::MinVariance", "policy=\"min-variance\""),
    ("Policy::Periodic", "policy=\"periodic\""),
    ("Scaling::Keep", "scaling=\"keep\""),
    ("Scaling::Row", "scaling=\"row\""),
    ("Scaling::Unit", "scaling=\"unit\""),
    (".standardise(false)", "standardise=False"),
    ("Target::named()", "ternion.targets()"),
];

/// A message of the crate with the names of parameters as Python has them.
pub(crate) fn in_python(message: &str) -> String {
    WORDS.iter().fold(message.to_owned(), |text, (rust, python)| text.replace(rust, python))
}
