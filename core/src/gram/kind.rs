//! What the planes of two matrices have in common: it decides how many of them must be read.

use crate::trits::{TritMatrix, tail_bits};

/// How to multiply the rows of two matrices, by their own content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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

impl Kind {
    /// Looks through both matrices, no further than needed: trits show in the first words.
    pub(super) fn of(a: &TritMatrix<&[u64]>, b: &TritMatrix<&[u64]>) -> Self {
        if full(a) && full(b) {
            return Self::Signs;
        }
        match (sign_of(a), sign_of(b)) {
            (Some(a), Some(b)) => Self::Masks { negative: a != b },
            _ => Self::Trits,
        }
    }
}

/// Whether no trit is zero.
fn full(matrix: &TritMatrix<&[u64]>) -> bool {
    let tail = tail_bits(matrix.cols());
    matrix.iter_rows().all(|row| match row.mask().split_last() {
        Some((last, rest)) => *last == tail && rest.iter().all(|&word| word == u64::MAX),
        None => true,
    })
}

/// Whether all non-zero trits are negative, if they have the same sign.
fn sign_of(matrix: &TritMatrix<&[u64]>) -> Option<bool> {
    if matrix.sign().iter().all(|&word| word == 0) {
        Some(false)
    } else {
        (matrix.sign() == matrix.mask()).then_some(true)
    }
}
