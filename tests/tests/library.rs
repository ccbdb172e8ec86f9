//! What the library makes of the kernels: fits, learners, theory, files. One program, so that it is linked once.

mod batch;
mod coverage;
mod defaults;
mod dense;
mod eigen;
mod estimators;
mod export;
mod integer;
mod linear;
mod lists;
mod moments;
#[cfg(feature = "ndarray")]
mod ndarray;
mod parts;
mod periodic;
mod predictor;
mod refusals_std;
mod ridge;
mod ridge_path;
mod saved;
#[cfg(feature = "serde")]
mod serialised;
mod shards;
mod sklearn;
mod sklearn_learners;
mod sklearn_unsupervised;
mod target_shards;
mod theory;
mod thresholds_reference;
mod thresholds_refusals;
mod thresholds_sweep;
mod ties;
mod training;
mod tune;
mod unsupervised;
