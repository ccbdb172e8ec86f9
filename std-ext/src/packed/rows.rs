//! [`Rows`]: the samples of a batch, or some of them in any order, and [`Block`]: their words side by side.

use super::transpose::transpose_bits;
use crate::{Features, Isa, dispatch};
use std::array::from_fn;
use std::ops::Range;
use ternion_core::{Line, Simd, words_per_row};

/// The samples of a batch, or some of them in any order. Their products with matrices are in `matmul`.
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

    /// Words of a row of the planes.
    pub(super) fn words(&self) -> usize {
        words_per_row(self.features.features())
    }

    /// Some words of a row in both planes, sign and mask; nothing from row `end` on.
    fn planes(&self, row: usize, end: usize, words: Range<usize>) -> [&'a [u64]; 2] {
        if row >= end {
            return [&[]; 2];
        }
        let sample = match self.order {
            Some(order) => order[row],
            None => row,
        };
        let (trits, from) = (self.features.trits(), sample * self.words());
        let range = from + words.start..from + words.end;
        [&trits.sign()[range.clone()], &trits.mask()[range]]
    }
}

/// Rows whose bits become columns together.
pub(super) const COLUMN_ROWS: usize = 64;

/// Words of some rows, those of the same columns side by side: what is read again and again, in the order in which it is
/// read. Rows are often a power of two apart, where a cache holds few of them; here words are not.
#[derive(Default)]
pub(crate) struct Block {
    /// For each word, the bits of the trits that are +1, in eights of rows, with an odd number of lines for each.
    plus: Vec<Line>,
    /// The same of those that are −1.
    minus: Vec<Line>,
    /// Eights of rows.
    eights: usize,
    isa: Isa,
}

impl Block {
    /// Copies some words of some rows. Rows beyond the last read as zeros, up to a multiple of [`COLUMN_ROWS`].
    ///
    /// 8 × 8 words are transposed in registers, while the next eight rows are on their way from memory.
    pub(super) fn gather(&mut self, from: Rows<'_>, rows: Range<usize>, words: Range<usize>) {
        self.eights = rows.len().next_multiple_of(COLUMN_ROWS) / 8;
        for plane in [&mut self.plus, &mut self.minus] {
            plane.resize((self.eights + 1) * words.len().next_multiple_of(8), Line::ZERO);
        }
        self.isa = from.features.isa();
        for eight in 0..self.eights {
            let planes = |k| from.planes(rows.start + k, rows.end, words.clone());
            let here: [_; 8] = from_fn(|k| planes(8 * eight + k));
            let next: [_; 8] = from_fn(|k| planes(8 * eight + k + 8));
            dispatch!(self.isa, simd => self.copy(simd, eight, words.len(), here, next));
        }
    }

    /// Copies the words of eight rows, and asks for those of the next eight.
    fn copy<S: Simd>(
        &mut self,
        simd: S,
        eight: usize,
        words: usize,
        here: [[&[u64]; 2]; 8],
        next: [[&[u64]; 2]; 8],
    ) {
        let stride = self.eights + 1;
        let plus: &mut [[u64; 8]] = bytemuck::cast_slice_mut(&mut self.plus);
        let minus: &mut [[u64; 8]] = bytemuck::cast_slice_mut(&mut self.minus);
        simd.vectorize(
            #[inline(always)]
            || {
                for word in (0..words).step_by(8) {
                    let mut signs = [simd.splat64(0); 8];
                    let mut pluses = signs;
                    for k in 0..8 {
                        let [sign, mask] =
                            here[k].map(|plane| plane.get(word..).unwrap_or_default());
                        signs[k] = simd.load64_padded(sign);
                        pluses[k] = simd.xor64(signs[k], simd.load64_padded(mask));
                        for plane in next[k] {
                            simd.prefetch64_to_l2(plane.as_ptr().wrapping_add(word).cast());
                        }
                    }
                    let (signs, pluses) = (simd.transpose64(signs), simd.transpose64(pluses));
                    for k in 0..8 {
                        let at = (word + k) * stride + eight;
                        if let (Some(plus), Some(minus)) = (plus.get_mut(at), minus.get_mut(at)) {
                            simd.store64(plus, pluses[k]);
                            simd.store64(minus, signs[k]);
                        }
                    }
                }
            },
        );
    }

    /// Eights of rows.
    pub(super) fn eights(&self) -> usize {
        self.eights
    }

    /// The instruction set that computes with the words.
    pub(super) fn isa(&self) -> Isa {
        self.isa
    }

    /// One word of some eights of rows: where they are +1, and where they are −1.
    pub(super) fn word(&self, word: usize, eights: Range<usize>) -> [&[[u64; 8]]; 2] {
        let first = word * (self.eights + 1);
        [&self.plus, &self.minus]
            .map(|plane| bytemuck::cast_slice(&plane[first + eights.start..first + eights.end]))
    }

    /// Copies one word of the 64 rows from an eight on, transposed: bit `i` of word `j` says whether column `j` of row `i`
    /// is +1, or −1.
    pub(super) fn transpose<S: Simd>(
        &self,
        simd: S,
        eight: usize,
        word: usize,
        columns: &mut [[u64; 64]; 2],
    ) {
        let eights = eight..eight + COLUMN_ROWS / 8;
        for (columns, eights) in columns.iter_mut().zip(self.word(word, eights)) {
            columns.copy_from_slice(eights.as_flattened());
            transpose_bits(simd, columns);
        }
    }
}
