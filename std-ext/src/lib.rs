//! Ternary random features: kernel-machine accuracy from two bits a feature, without
//! multiplications.
//!
//! A kernel machine is accurate but heavy. Random features σ(W·x) stand in for its kernel; here
//! both W and σ live in {−1, 0, +1}, and the two thresholds of σ are solved from the data so that
//! the limiting kernel is the one asked for.
//!
//! ```
//! use ternion::learn::Ridge;
//! use ternion::{Samples, TernaryFeatures};
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
//! | [`TernaryFeatures`], [`fit`] | parameters → fit → transform |
//! | [`Features`], [`Gram`], [`packed`] | packed features, their products, their Gram matrix |
//! | [`Target`], [`Policy`], [`theory`] | the kernel to imitate, and the thresholds that imitate it |
//! | [`Matrix`], [`dense`] | dense matrices and their eigenvalues |
//! | [`learn`] | ridge regression and classification |
//! | [`export`] | a classifier in bytes, for microcontrollers |
//! | [`Isa`] | the instruction set, detected or forced |
//! | [`ternion_core`] | the kernels, for use without allocation |
#![deny(unsafe_code)]

pub mod dense;
mod error;
pub mod export;
pub mod fit;
mod isa;
pub mod learn;
mod memory;
pub mod packed;
mod parallel;
pub mod theory;

pub use dense::matrix::Matrix;
pub use error::Error;
pub use fit::fitted::TernaryFeatures;
pub use fit::preprocess::Scaling;
pub use fit::weights::Form;
#[doc(hidden)]
pub use isa::Token;
pub use isa::{Isa, UnknownIsa};
pub use packed::features::Features;
pub use packed::gram::Gram;
pub use ternion_core;
pub use ternion_core::{Samples, Sparsity, TritMatrix, TritRow};
pub use theory::moments::target::Target;
pub use theory::solve::policy::Policy;

/// The examples of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
