//! Ternary random features without allocation: σ(W·x) with W and σ in {−1, 0, +1}.
//!
//! Random features approximate a kernel machine by a linear one. Here the random matrix W holds
//! trits, so that W·x needs no multiplication, and the activation σ gives trits, by thresholds,
//! so that features pack into two bits and their inner products are popcounts. This crate holds the
//! kernels: `no_std`, no allocation, no threads, no globals. The `ternion` crate solves thresholds,
//! fits, and trains.
//!
//! # The pieces
//!
//! | piece | what it is |
//! |---|---|
//! | [`TritMatrix`] | trits in two bitplanes over any storage: W, or packed features |
//! | [`RowLanes`], [`IndexLists`] | a stored W laid out for speed |
//! | [`Seeded`] | W as a seed, generated when needed ([`seed`] specifies it bit by bit) |
//! | [`Structured`] | W as signs and Walsh–Hadamard transforms of the whole sample |
//! | [`Local`] | the same transforms on boxes of an image, or on a few inputs |
//! | [`Samples`] | a borrowed batch of `f32` (quantised, see [`quantize`]), `i16`, `i8` or bits; others convert |
//! | [`Thresholds`] | σ |
//! | [`project`], [`featurize`] | W·x, and σ(W·x) packed |
//! | [`dots`], [`gram`], [`TritRow::dot`] | inner products of packed features |
//! | [`Model`](model::Model) | a whole classifier in bytes, for microcontrollers |
//! | [`Native`], [`Scalar`] | tokens of the instruction sets ([`arch`]) |
//!
//! Same seed, same trits; same sample, same features: on every ISA, in a batch or alone, with W
//! stored or generated, because all sums are integers of fixed width, computed alike everywhere.
//!
//! # On borrowed slices
//!
//! ```
//! use ternion_core::{Line, Native, Samples, Seeded, Sparsity, Thresholds, TritMatrix};
//! use ternion_core::{featurize, scratch_lines_for_one};
//!
//! const INPUTS: usize = 16;
//! const FEATURES: usize = 256;
//! let w = Seeded::new(1, Sparsity::TWO_THIRDS, INPUTS, FEATURES)?;
//! let (mut sign, mut mask) = ([0; FEATURES / 64], [0; FEATURES / 64]);
//! let mut features = TritMatrix::zeroed(1, FEATURES, &mut sign[..], &mut mask[..])?;
//! let mut scratch = [Line::ZERO; scratch_lines_for_one(INPUTS)];
//! let sample = Samples::new(&[3_i8; INPUTS], INPUTS)?;
//! featurize(Native, &w, &Thresholds::two(-4.0, 4.0)?, &sample, &mut scratch, &mut features)?;
//! # Ok::<(), ternion_core::Error>(())
//! ```
#![no_std]
#![deny(unsafe_code)]

#[macro_use]
mod invariant;

#[allow(unsafe_code, reason = "tokens, intrinsics and plain data: each block says why")]
pub mod arch;
mod error;
mod featurize;
mod input;
mod lookup;
pub mod model;
mod packed;
pub mod projection;
pub mod seed;
pub mod trits;

pub use arch::{Line, Native, Scalar, Simd};
pub use error::{Buffer, Error, Size};
pub use featurize::periodic;
#[doc(hidden)]
pub use featurize::{Cuts, SampleSigma};
pub use featurize::{Thresholds, featurize, project, scratch_lines, scratch_lines_for_one};
pub use input::{Element, MAX_INPUTS, Number, Samples, quantize};
pub use packed::{add_gram_upper, copy_upper_to_lower, dots, gram, gram_upper};
pub use projection::{
    Grid, IndexLists, Local, MAX_STRUCTURED_INPUTS, Projection, RowLanes, Seeded, Structured, View,
};
pub use seed::Sparsity;
pub use trits::{TritMatrix, TritRow, plane_words, words_per_row};
