//! Projections whose rows can be read word by word: the masked kernels serve them all.

use super::{Projection, sealed::Sealed};
use crate::arch::{Lanes16, Lanes32, Simd};
use crate::kernels::masked;
use crate::trits::{TritMatrix, Word, words_per_row};

/// W as rows of words.
pub(crate) trait Rows {
    /// Numbers in a sample.
    fn inputs(&self) -> usize;

    /// Rows of W.
    fn features(&self) -> usize;

    /// The words of one row; may go on beyond the last input.
    fn words(&self, row: usize) -> impl Iterator<Item = Word>;
}

impl<S: AsRef<[u64]>> Rows for TritMatrix<S> {
    fn inputs(&self) -> usize {
        self.cols()
    }

    fn features(&self) -> usize {
        self.rows()
    }

    #[inline(always)]
    fn words(&self, row: usize) -> impl Iterator<Item = Word> {
        let words = words_per_row(self.cols());
        let span = row * words..(row + 1) * words;
        let (sign, mask) = (&self.sign()[span.clone()], &self.mask()[span]);
        sign.iter().zip(mask).map(|(&sign, &mask)| Word { sign, mask })
    }
}

impl<R: Rows> Sealed for R {}

impl<R: Rows> Projection for R {
    fn inputs(&self) -> usize {
        Rows::inputs(self)
    }

    fn features(&self) -> usize {
        Rows::features(self)
    }

    #[inline(always)]
    fn project_one<S: Simd>(&self, _: S, sample: &[i16], first: usize, sums: &mut [i32]) {
        for (row, sum) in (first..).zip(sums) {
            *sum = masked::sum(self.words(row), sample);
        }
    }

    #[inline(always)]
    fn project_bits<S: Simd>(&self, _: S, sample: &[u64], first: usize, sums: &mut [i32]) {
        for (row, sum) in (first..).zip(sums) {
            *sum = masked::sum_bits(self.words(row), sample);
        }
    }

    #[inline(always)]
    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        first: usize,
        sums: &mut [Lanes32],
    ) {
        for (row, sum) in (first..).zip(sums) {
            *sum = masked::sum_lanes(simd, self.words(row), block);
        }
    }
}
