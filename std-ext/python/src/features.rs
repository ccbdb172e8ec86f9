//! [`Features`]: packed features, and their planes as arrays of NumPy that share their memory.

use crate::arguments::Unsigned;
use crate::error::Result;
use crate::threads::run;
use numpy::{
    Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods,
    get_array_module,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};
use ternion::ternion_core::words_per_row;
use ternion::{Gram, Matrix, TritMatrix};

/// The ternary features of a batch of samples, two bits each.
///
/// They are in two planes of bits: the mask of a feature says whether it is non-zero, and its sign whether it is
/// negative. Feature ``k`` of a sample is bit ``k % 64`` of word ``k // 64``.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from ternion import Features
/// >>> sign = np.array([[0b010], [0b110]], dtype=np.uint64)
/// >>> mask = np.array([[0b011], [0b111]], dtype=np.uint64)
/// >>> features = Features.from_planes(sign, mask, 3)
/// >>> features.unpack()
/// array([[ 1, -1,  0],
///        [ 1, -1, -1]], dtype=int8)
/// >>> features.counts()
/// array([[2, 2],
///        [2, 3]], dtype=int32)
#[pyclass(frozen, module = "ternion")]
pub(crate) struct Features {
    features: ternion::Features,
}

impl Features {
    pub(crate) fn new(features: ternion::Features) -> Self {
        Self { features }
    }

    /// The features as numbers of one type, in memory that NumPy allocates: in huge pages, where there are any, which
    /// takes a fifth of the time of the usual ones.
    fn unpack_as<'py, T: Element + From<i8>>(
        &self,
        py: Python<'py>,
        dtype: &str,
        threads: Option<Unsigned>,
    ) -> Result<Bound<'py, PyAny>> {
        let array = get_array_module(py)?.call_method1("empty", (self.shape(), dtype))?;
        let typed = array.cast::<PyArray2<T>>().map_err(PyErr::from)?;
        let mut numbers = typed.try_readwrite().map_err(PyErr::from)?;
        let numbers = numbers.as_slice_mut().map_err(PyErr::from)?;
        run(py, threads, || self.features.unpack_into(numbers))?;
        Ok(array)
    }
}

#[pymethods]
impl Features {
    /// Features from their planes, arrays of uint64 with a row per sample, which are copied.
    #[classmethod]
    fn from_planes(
        _class: &Bound<'_, PyType>,
        sign: PyReadonlyArray2<'_, u64>,
        mask: PyReadonlyArray2<'_, u64>,
        features: Unsigned,
    ) -> Result<Self> {
        let (rows, cols) = (sign.shape()[0], features.size()?);
        let words = words_per_row(cols);
        for plane in [&sign, &mask] {
            if plane.shape() != [rows, words] {
                let message =
                    format!("{rows} samples of {cols} features take {rows} × {words} words");
                let message = format!("{message} in each plane, found {:?}", plane.shape());
                return Err(PyValueError::new_err(message).into());
            }
        }
        let [sign, mask] = [sign, mask].map(|plane| plane.as_array().iter().copied().collect());
        Ok(Self::new(ternion::Features::new(TritMatrix::new(rows, cols, sign, mask)?)))
    }

    /// The number of samples and of features.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.features.len(), self.features.features())
    }

    /// Bytes in memory.
    #[getter]
    fn nbytes(&self) -> usize {
        size_of_val(self.features.trits().sign()) + size_of_val(self.features.trits().mask())
    }

    /// The plane of signs: uint64, a row per sample, read-only, without a copy.
    #[getter]
    fn sign<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Plane::array(slf, Which::Sign)
    }

    /// The plane of masks: uint64, a row per sample, read-only, without a copy.
    #[getter]
    fn mask<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Plane::array(slf, Which::Mask)
    }

    /// The features as numbers: an array of int8, float32 or float64 with a row per sample.
    #[pyo3(signature = (dtype="int8", *, threads=None))]
    fn unpack<'py>(
        &self,
        py: Python<'py>,
        dtype: &str,
        threads: Option<Unsigned>,
    ) -> Result<Bound<'py, PyAny>> {
        match dtype {
            "int8" => self.unpack_as::<i8>(py, dtype, threads),
            "float32" => self.unpack_as::<f32>(py, dtype, threads),
            "float64" => self.unpack_as::<f64>(py, dtype, threads),
            other => {
                let message = format!("dtype must be int8, float32 or float64, found {other}");
                Err(PyValueError::new_err(message).into())
            }
        }
    }

    /// The features as NumPy sees them: int8.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> Result<Bound<'py, PyAny>> {
        if copy == Some(false) {
            let message = "features are packed: as numbers they are a copy";
            return Err(PyValueError::new_err(message).into());
        }
        let array = self.unpack(py, "int8", None)?;
        match dtype {
            Some(dtype) => Ok(array.call_method1("astype", (dtype,))?),
            None => Ok(array),
        }
    }

    /// (α²/m) ΣᵀΣ, the inner products of all pairs of samples, or of these samples with others.
    ///
    /// With ``alpha`` of the fit it imitates the kernel of the target. ``centred`` is for the samples with themselves.
    #[pyo3(signature = (other=None, *, alpha=1.0, centred=false, threads=None))]
    fn gram<'py>(
        &self,
        py: Python<'py>,
        other: Option<&Self>,
        alpha: f64,
        centred: bool,
        threads: Option<Unsigned>,
    ) -> Result<Bound<'py, PyAny>> {
        let gram = Gram::new(&self.features).alpha(alpha)?;
        let matrix = match (other, centred) {
            (None, false) => run(py, threads, || gram.matrix()),
            (None, true) => run(py, threads, || gram.centred()),
            (Some(other), false) => run(py, threads, || gram.cross(&other.features)),
            (Some(_), true) => {
                let message = "only the matrix of samples with themselves can be centred";
                Err(PyValueError::new_err(message).into())
            }
        };
        into_array(py, matrix?)
    }

    /// ΣᵀΣ, the exact inner products of all pairs of samples, or of these samples with others: int32.
    #[pyo3(signature = (other=None, *, threads=None))]
    fn counts<'py>(
        &self,
        py: Python<'py>,
        other: Option<&Self>,
        threads: Option<Unsigned>,
    ) -> Result<Bound<'py, PyAny>> {
        let gram = Gram::new(&self.features);
        let counts = match other {
            None => run(py, threads, || gram.counts()),
            Some(other) => run(py, threads, || gram.cross_counts(&other.features)),
        };
        into_array(py, counts?)
    }

    fn __len__(&self) -> usize {
        self.features.len()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Planes<'py>)> {
        let (sign, mask) = (Self::sign(slf)?, Self::mask(slf)?);
        let from_planes = slf.get_type().getattr("from_planes")?;
        Ok((from_planes, (sign, mask, slf.get().features.features())))
    }

    fn __repr__(&self) -> String {
        let (samples, features) = self.shape();
        format!("Features(samples={samples}, features={features})")
    }
}

/// The arguments of `from_planes`.
type Planes<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, usize);

#[derive(Clone, Copy)]
enum Which {
    Sign,
    Mask,
}

/// The owner of an array that shows a plane of features.
///
/// NumPy reads the memory of any object with `__array_interface__`, and keeps the object as long as the array. This one
/// keeps the features, which never change or move: the array is read-only, and valid as long as it is there.
#[pyclass(frozen, module = "ternion._ternion")]
struct Plane {
    features: Py<Features>,
    which: Which,
}

impl Plane {
    fn array<'py>(features: &Bound<'py, Features>, which: Which) -> PyResult<Bound<'py, PyAny>> {
        let py = features.py();
        let plane = Self { features: features.clone().unbind(), which };
        get_array_module(py)?.call_method1("asarray", (Bound::new(py, plane)?,))
    }
}

#[pymethods]
impl Plane {
    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let trits = self.features.get().features.trits();
        let words = match self.which {
            Which::Sign => trits.sign(),
            Which::Mask => trits.mask(),
        };
        let interface = PyDict::new(py);
        let order = if cfg!(target_endian = "little") { "<u8" } else { ">u8" };
        interface.set_item("typestr", order)?;
        interface.set_item("shape", (trits.rows(), words.len() / trits.rows()))?;
        interface.set_item("data", (words.as_ptr().addr(), true))?;
        interface.set_item("version", 3)?;
        Ok(interface)
    }
}

/// A matrix as an array that takes over its memory.
pub(crate) fn into_array<T: Element>(
    py: Python<'_>,
    matrix: Matrix<T>,
) -> Result<Bound<'_, PyAny>> {
    let shape = [matrix.rows(), matrix.cols()];
    let array: Bound<'_, PyArray2<T>> = PyArray1::from_vec(py, matrix.into_vec()).reshape(shape)?;
    Ok(array.into_any())
}
