//! Trits in two bitplanes: `mask` says non-zero, `sign` says negative.
//!
//! A trit matrix is stored row by row, each row starting on a new 64-bit word: column `j` is bit
//! `j % 64` of word `j / 64`. Three invariants hold for every matrix that exists and are what the
//! kernels rely on: `sign ⊆ mask`, the bits beyond the last column are zero, and both planes have
//! exactly `rows × words_per_row(cols)` words.
//!
//! The same type holds the weights W (a row per feature) and packed features (a row per sample).

mod matrix;
mod row;

pub use matrix::{TritMatrix, plane_words, words_per_row};
pub use row::{TritIter, TritRow};

pub(crate) use matrix::tail_bits;

/// Sixty-four trits of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Bits of the negative trits.
    pub sign: u64,
    /// Bits of the non-zero trits.
    pub mask: u64,
}
