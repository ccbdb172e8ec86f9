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
//! // Two noisy rings.
//! let ring = |k: usize| (1 + k % 2) as f32 + 0.1 * (k as f32 * 1.7).sin();
//! let x: Vec<f32> =
//!     (0..400).flat_map(|k| [ring(k) * (k as f32).sin(), ring(k) * (k as f32).cos()]).collect();
//! let labels: Vec<usize> = (0..400).map(|k| k % 2).collect();
//!
//! let train = Samples::new(&x, 2)?;
//! let ternary = TernaryFeatures::params(2048).sparsity(0.0).fit(&train)?;
//! let features = ternary.transform(&train)?; // 2 bits a feature
//! let model = Ridge::new(1e-3)?.fit_classes(&features, &labels)?;
//! assert!(ternion::learn::accuracy(&model.predict(&features)?, &labels) > 0.95);
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
//! | [`Features`] | packed features and their Gram matrix |
//! | [`learn`] | ridge regression and classification |
//! | [`Isa`] | the instruction set, detected or forced |
//! | [`core`] | the kernels, for use without allocation |
#![forbid(unsafe_code)]

mod error;
mod features;
mod isa;
pub mod learn;
mod linalg;
mod matrix;
pub mod moments;
pub mod preprocess;
pub mod solve;
mod ternary;

pub use error::Error;
pub use features::Features;
pub use isa::{Isa, UnknownIsa};
pub use matrix::Matrix;
pub use ternary::{CheckedParams, Params, Projection, TernaryFeatures};
pub use ternion_core as core;
pub use ternion_core::{Samples, Sparsity, TritMatrix, TritRow};
