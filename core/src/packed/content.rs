//! Which values two matrices hold: decides how many of their planes a product has to read.

use crate::trits::{TritMatrix, tail_bits};

/// The values of two matrices, and the formula for the dot product of their rows that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Any trits: dot = |mask ∧ mask′| − 2·|mask ∧ mask′ ∧ (sign ⊕ sign′)|.
    Trits,
    /// No zeros anywhere: dot = cols − 2·|sign ⊕ sign′|.
    Signs,
    /// Each matrix has one sign only: dot = ±|mask ∧ mask′|.
    Masks {
        /// Whether the two signs differ.
        negative: bool,
    },
}

impl Content {
    /// Scans both matrices, no further than needed: general trits show in the first words.
    pub(super) fn of(a: &TritMatrix<&[u64]>, b: &TritMatrix<&[u64]>) -> Self {
        if has_no_zeros(a) && has_no_zeros(b) {
            return Self::Signs;
        }
        match (common_sign(a), common_sign(b)) {
            (Some(a), Some(b)) => Self::Masks { negative: a != b },
            _ => Self::Trits,
        }
    }
}

/// Whether no trit is zero.
fn has_no_zeros(matrix: &TritMatrix<&[u64]>) -> bool {
    let tail = tail_bits(matrix.cols());
    matrix.iter_rows().all(|row| match row.mask().split_last() {
        Some((last, rest)) => *last == tail && rest.iter().all(|&word| word == u64::MAX),
        None => true,
    })
}

/// Whether the non-zero trits are negative, if all of them have the same sign.
fn common_sign(matrix: &TritMatrix<&[u64]>) -> Option<bool> {
    if matrix.sign().iter().all(|&word| word == 0) {
        Some(false)
    } else {
        (matrix.sign() == matrix.mask()).then_some(true)
    }
}
