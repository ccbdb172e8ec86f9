//! [`Rows`]: the samples of a batch, or some of them in any order.

use super::transpose::transpose64;
use crate::Features;
use ternion_core::words_per_row;

/// The samples of a batch, or some of them in any order. Products with vectors are in `matvec`, with matrices of several
/// columns in `matmul`.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    features: &'a Features,
    order: Option<&'a [usize]>,
}

impl<'a> Rows<'a> {
    /// All samples in order.
    pub(crate) fn all(features: &'a Features) -> Self {
        Self { features, order: None }
    }

    /// The samples with these indices.
    pub(crate) fn some(features: &'a Features, order: &'a [usize]) -> Self {
        debug_assert!(order.iter().all(|&sample| sample < features.len()));
        Self { features, order: Some(order) }
    }

    pub(crate) fn features(&self) -> &'a Features {
        self.features
    }

    pub(crate) fn len(&self) -> usize {
        self.order.map_or(self.features.len(), <[usize]>::len)
    }

    /// Where the words of a row start in the planes.
    #[inline(always)]
    pub(super) fn start(&self, row: usize) -> usize {
        let sample = self.order.map_or(row, |order| order[row]);
        sample * words_per_row(self.features.features())
    }

    /// One word of each of the 64 rows from `first` on, transposed: bit `i` of word `j` says whether column `j` of row
    /// `first + i` is +1, or −1. Rows beyond the last read as zeros.
    #[inline(always)]
    pub(super) fn column_words(&self, first: usize, word: usize) -> [[u64; 64]; 2] {
        let (sign, mask) = (self.features.trits().sign(), self.features.trits().mask());
        let [mut plus, mut minus] = [[0; 64]; 2];
        for row in 0..64.min(self.len() - first) {
            let at = self.start(first + row) + word;
            (plus[row], minus[row]) = (mask[at] & !sign[at], sign[at]);
        }
        transpose64(&mut plus);
        transpose64(&mut minus);
        [plus, minus]
    }
}
