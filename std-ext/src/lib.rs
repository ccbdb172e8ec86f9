//! Ternary random features: kernel-machine accuracy from two bits a feature, without
//! multiplications.
//!
//! A kernel machine is accurate but heavy. Random features σ(W·x) stand in for its kernel; here
//! both W and σ live in {−1, 0, +1}, and the two thresholds of σ are solved from the data so that
//! the limiting kernel is the one asked for.
//!
//! ```
//! use ternion::{Samples, TernaryFeatures, learn::Ridge};
//!
//! // Two shells around the same centre, in eight dimensions.
//! let shell = |k: usize| (1 + k / 8 % 2) as f32;
//! let x: Vec<f32> = (0..600 * 8).map(|k| shell(k) * (k as f32 * k as f32 * 0.37).sin()).collect();
//! let labels: Vec<usize> = (0..600).map(|sample| sample % 2).collect();
//!
//! let (train, test) = (Samples::new(&x[..400 * 8], 8)?, Samples::new(&x[400 * 8..], 8)?);
//! let ternary = TernaryFeatures::params(2048).fit(&train)?;
//! let features = ternary.transform(&train)?; // 2 bits a feature
//! let model = Ridge::new(1e-1)?.fit_classes(&features, &labels[..400])?;
//! let predicted = model.predict(&ternary.transform(&test)?)?;
//! let right = ternion::learn::accuracy(&predicted, &labels[400..]);
//! assert!(right > 0.9, "{right}");
//! # Ok::<(), ternion::Error>(())
//! ```
//!
//! # The pieces
//!
//! | piece | what it does |
//! |---|---|
//! | [`TernaryFeatures`] | parameters → fit → transform |
//! | [`moments`], [`solve`] | the target kernel or activation, and the thresholds that imitate it |
//! | [`preprocess`] | centring, scaling, normalising |
//! | [`Features`], [`Gram`] | packed features, their products, their Gram matrix |
//! | [`eigen`] | leading eigenpairs: kernel PCA, spectral clustering |
//! | [`learn`] | ridge regression and classification |
//! | [`export`] | a classifier in bytes, for microcontrollers |
//! | [`Isa`] | the instruction set, detected or forced |
//! | [`core`] | the kernels, for use without allocation |
#![deny(unsafe_code)]

pub mod eigen;
mod error;
pub mod export;
mod features;
mod gram;
mod isa;
pub mod learn;
mod linalg;
mod matrix;
mod matvec;
pub mod moments;
mod parallel;
mod params;
pub mod preprocess;
pub mod solve;
mod subset_sums;
mod ternary;
pub mod theory;
mod transpose;
mod weights;

pub use error::Error;
pub use features::Features;
pub use gram::{Blocks, Gram, Progress};
pub use isa::{Isa, UnknownIsa};
pub use matrix::Matrix;
pub use params::{CheckedParams, Params};
pub use ternary::TernaryFeatures;
pub use ternion_core as core;
pub use ternion_core::{Samples, Sparsity, TritMatrix, TritRow};
pub use weights::Projection;

/// The examples of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
