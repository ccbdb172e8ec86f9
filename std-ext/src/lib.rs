//! Ternary random features: kernel-machine accuracy from two bits per feature, without multiplications.
//!
//! A kernel machine is accurate but slow. Random features σ(W·x) approximate its kernel; here both W and σ take values
//! in {−1, 0, +1}, and the thresholds of σ are solved from the data such that the limiting kernel is the desired one.
//! The method is that of Tiomoko Ali, Liao and Couillet (ICLR 2022); [`theory`] states the mathematics and corrects the
//! paper.
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
//! let features = ternary.transform(&train)?; // 2 bits per feature
//! let model = Ridge::default().fit_classes(&features, &labels[..400])?;
//! let predicted = model.predict(&ternary.transform(&test)?)?;
//! let accuracy = ternion::learn::accuracy(&predicted, &labels[400..]);
//! assert!(accuracy > 0.9, "{accuracy}");
//! # Ok::<(), ternion::Error>(())
//! ```
//!
//! # Contents
//!
//! Every type has one path: what most programs name is at the root, the rest in its module.
//!
//! | item | purpose |
//! |---|---|
//! | [`TernaryFeatures`], [`Form`], [`Scaling`], [`fit`] | parameters → fit → transform |
//! | [`Samples`], [`batch`] | samples of any type and layout |
//! | [`Features`], [`Gram`], [`packed`] | packed features, their products, their Gram matrix |
//! | [`Target`], [`Policy`], [`theory`] | the kernel to imitate, and the thresholds that imitate it |
//! | [`Matrix`], [`dense`] | dense matrices and their eigenvalues |
//! | [`learn`] | regression, classification, clusters, components |
//! | [`tune`] | parameters chosen by validation |
//! | [`export`] | a classifier in bytes, for microcontrollers |
//! | [`saved`] | objects as bytes, to read them back |
//! | [`Isa`], [`dispatch!`] | the instruction set, detected or forced, and the way to its kernels |
//! | [`ternion_core`] | the kernels, for use without allocation |
//!
//! # Features
//!
//! | feature | purpose |
//! |---|---|
//! | `rayon` (default) | all threads; the results are the same on any number of them |
//! | `ndarray` | arrays and views of `ndarray` 0.17 as [samples](batch) |
//! | `serde` | parameters, reports and everything that is [saved], for serde |
#![deny(unsafe_code)]

pub mod batch;
mod checksum;
pub mod dense;
mod error;
pub mod export;
pub mod fit;
mod isa;
pub mod learn;
mod memory;
pub mod packed;
mod parallel;
mod random;
pub mod saved;
#[cfg(feature = "serde")]
mod serialised;
mod svg;
pub mod theory;
pub mod tune;
#[cfg(target_arch = "x86_64")]
mod tuning;

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
pub use ternion_core::{Grid, Samples, Sparsity, TritMatrix, TritRow};
pub use theory::moments::target::Target;
pub use theory::solve::policy::Policy;

/// The README's examples, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
