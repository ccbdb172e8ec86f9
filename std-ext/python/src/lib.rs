//! The compiled module `ternion._ternion`: the numbers of the Python package, by the crate `ternion`.
//!
//! Everything that computes is here or in the crate. `package/ternion/estimators` holds what scikit-learn asks of its
//! estimators: parameters, validation, shapes. Long calls release the GIL and run on as many threads as they are told.
#![forbid(unsafe_code)]

mod arguments;
mod classifier;
mod error;
mod export;
mod features;
mod fitted;
mod input;
mod learner;
mod moments;
mod params;
mod regressor;
mod saved;
mod sparse;
mod statistics;
mod threads;

use pyo3::prelude::*;

/// Ternary random features: the compiled part of the package `ternion`.
#[pymodule]
mod _ternion {
    #[pymodule_export]
    use crate::classifier::FittedClassifier;
    #[pymodule_export]
    use crate::export::Export;
    #[pymodule_export]
    use crate::features::Features;
    #[pymodule_export]
    use crate::fitted::FittedFeatures;
    #[pymodule_export]
    use crate::moments::{Moments, TargetMoments};
    #[pymodule_export]
    use crate::params::{Params, targets};
    #[pymodule_export]
    use crate::regressor::FittedRegressor;
    #[pymodule_export]
    use crate::statistics::Statistics;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn version(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
