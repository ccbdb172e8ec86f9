//! A whole classifier or regressor in bytes, for a microcontroller's flash: integers only, nothing copied.
//!
//! A [`Model`] is a view over bytes that the `ternion` crate writes (`ternion::export`). It takes a sample of `i8`,
//! `u8` or `i16` numbers where it lies, centres it, projects it, and adds up the scores of the outputs, in memory that
//! the caller lends it; features are used up as they are made, 32 at a time. There is no allocation, no float and no
//! panic. The projection multiplies nothing: products are left to scale inputs that have factors, to finish a popcount,
//! to scale a score, to measure the norm of a sample (transforms with thresholds), to bring it to the unit of angles
//! (periodic σ), and to start a random stream, which is nearly all of the 64-bit arithmetic.
//!
//! [`Model::from_bytes`] is a `const fn`: bytes that are there when the firmware is compiled are
//! validated by the compiler, and the memory that `predict` needs is a constant.
//!
//! ```
//! use ternion_core::model::Model;
//!
//! const MODEL: Model = match Model::from_bytes(include_bytes!("xor.trnm")) {
//!     Ok(model) => model,
//!     Err(_) => panic!("not a model"),
//! };
//!
//! let mut scratch = [0; MODEL.scratch_words()];
//! assert_eq!(MODEL.predict(&[10_i8, -10], &mut scratch)?, 1);
//! assert_eq!(MODEL.predict(&[10_i8, 10], &mut scratch)?, 0);
//! # Ok::<(), ternion_core::Error>(())
//! ```
//!
//! # What is computed
//!
//! With x the sample, and all else from the model:
//!
//! ```text
//! q[k] = x[k] · 2^shift − mean[k]                  refused unless it fits in 16 bits
//!        ⌊x[k] · factor[k] / 2^shift⌋ − mean[k]    likewise, if the model has factors
//! t[j] = (W·q)[j]                                  as for samples of i16
//! f[j] = +1 if t < cut₀ or t > cut₃
//!        −1 if cut₁ < t < cut₂
//!         0 otherwise
//! score[c] = scale[c] · Σ f[j] · w[c][j] + bias[c]
//! ```
//!
//! Without means, mean\[k] is 0. If σ is periodic, f is that of [`periodic`](crate::periodic) for the F and the seed of
//! phases in the model. For a W of transforms the comparison is that of
//! [`structured`](crate::projection::structured), with cut₀ … cut₃ as thresholds and those at the ends of 32 bits
//! infinite; where bands overlap after the division by 2^s, +1 wins. Features are those of
//! [`featurize`](crate::featurize), bit for bit. Those of boxes and subsets come in words of 64; if the model has word
//! numbers, its word i is word n\[i] of [`Local`](crate::projection::local), with the phases of that word.
//!
//! The class is the one with the largest score, the first of equals; of a single score, class 1 if it is positive and
//! class 0 if not. If scores are numbers, that of output c is score\[c] / 2^fraction\[c].
//!
//! # The format, version 2
//!
//! All numbers are little-endian; signed ones are two's complement. Offsets and lengths are in
//! bytes. With `I` inputs, `M` features, `C` outputs and `B` bits per weight:
//!
//! | offset | length | meaning |
//! |---|---|---|
//! | 0 | 4 | magic, the bytes `TRNM` |
//! | 4 | 1 | version, 2 |
//! | 5 | 1 | form of W: 0 stored, 1 seeded, 2 structured, 3 boxes, 4 subsets |
//! | 6 | 1 | σ: 0 thresholds, 1 periodic |
//! | 7 | 1 | B: 1 to 8 |
//! | 8 | 4 | length of the whole model, checksum included |
//! | 12 | 2 | I: 1 to 65,535 (structured: to 32,768) |
//! | 14 | 2 | C: 1 to 65,535 |
//! | 16 | 4 | M: 1 to 2³¹ − 1 |
//! | 20 | 1 | shift: 0 to 15 |
//! | 21 | 1 | optional sections, a sum: 1 means, 2 factors, 4 word numbers (boxes and subsets only) |
//! | 22 | 1 | task, what scores are for: 0 classes, 1 numbers |
//! | 23 | 1 | 0 |
//! | 24 | 8 | seed of W; 0 if stored |
//! | 32 | 8 | geometry, see below |
//! | 40 | 16 | cut₀, cut₁, cut₂, cut₃, signed 32-bit; if σ is periodic: F (4 bytes), the seed of phases (8), zeros (4) |
//! | 56 | 2·I | if there: mean, signed 16-bit each; then two zero bytes if I is odd |
//! | | 2·I | if there: factors, unsigned 16-bit each; then two zero bytes if I is odd |
//! | | 2·⌈M/64⌉ | if there: the number of each word, unsigned 16-bit, ascending; then two zero bytes if they are odd in number |
//! | | 8·M·⌈I/32⌉ | if stored: W, row by row; for each group of 32 inputs the sign word, then the mask word |
//! | | 4·⌈M/32⌉·C·B | weights, see below |
//! | | 8·C | for each output its scale (0 or more) and its bias, signed 32-bit |
//! | | C | if scores are numbers: the fraction of each output, signed 8-bit; then zero bytes up to a multiple of four |
//! | length − 4 | 4 | CRC-32 of all bytes before it (reflected, 0xEDB88320, as in zip) |
//!
//! The geometry, of which the rest is zero:
//!
//! | form | bytes | meaning |
//! |---|---|---|
//! | seeded | 4 | T of the [sparsity](crate::seed) |
//! | boxes | 2 + 2 + 2 | width, height and channels of the grid; their product is I |
//! | subsets | 2 + 2 | the least and the most inputs of a subset: 1 ≤ least ≤ most ≤ 64 |
//!
//! Bit `i` of a 32-bit word belongs to input or feature 32·g + i of its group g; bits beyond the
//! last input or feature are zero. Where sums must be above or below a cut, two thresholds leave
//! cut₀ and cut₁ at −2³¹. The bands of +1 and −1 do not overlap: cut₀ − 1 ≤ cut₁ ≤ cut₂ and
//! cut₁ ≤ cut₃, cut₂ − 1 ≤ cut₃.
//!
//! A weight is an odd number, w = 2·code − (2^B − 1), with a code of B bits: ±1 for one bit, ±1 and ±3 for two.
//! Codes are stored as bit planes: for each group of 32 features, for each output, B words, the one
//! with the highest bits of the codes first. So a score takes a few popcounts per word, whatever
//! the number of bits:
//!
//! ```text
//! Σ f·w = 2 · Σ_b 2^b · (|plus ∧ plane_b| − |minus ∧ plane_b|) − (2^B − 1) · (|plus| − |minus|)
//! ```
//!
//! For every output, scale · M · (2^B − 1) + |bias| ≤ 2³¹ − 1, so that no score overflows.
//!
//! A reader refuses every other version, and every model with a value or a bit outside these rules:
//! nothing in version 2 is reserved, and a later version may mean something else by any byte but
//! the first five.

mod activation;
mod crc;
mod error;
mod format;
mod hadamard;
mod inputs;
mod predict;
mod rules;
mod scores;

pub use crc::crc32;
pub use error::{Field, ModelError};
pub use format::{Model, ModelForm, ModelSigma, ModelTask, VERSION};
pub use predict::Predictor;
