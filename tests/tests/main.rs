//! Every test in one program, so that the libraries are linked once.
//!
//! ```text
//! cargo test                                            all of them
//! cargo test -p ternion-tests --test all featurize::    those of one file
//! ```

mod batch;
mod coverage;
mod defaults;
mod dense;
mod dots;
mod eigen;
mod estimators;
mod export;
#[cfg(unix)]
mod export_c;
mod featurize;
mod gram;
mod linear;
mod model;
mod moments;
#[cfg(feature = "ndarray")]
mod ndarray;
mod packed;
mod parts;
mod periodic;
mod predictor;
mod refusals;
mod refusals_std;
mod ridge;
mod ridge_path;
mod sampling;
mod saved;
#[cfg(feature = "serde")]
mod serialised;
mod shards;
mod sizes;
mod sklearn;
mod sklearn_learners;
mod sklearn_unsupervised;
mod structured;
mod target_shards;
mod ternary;
mod theory;
mod thresholds_reference;
mod thresholds_refusals;
mod thresholds_sweep;
mod ties;
mod training;
mod tune;
mod unsupervised;
