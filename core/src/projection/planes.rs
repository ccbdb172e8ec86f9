//! W as stored planes: masked adds straight on the rows.

use core::ops::Range;

use super::{Needs, Projection, sealed::Sealed};
use crate::arch::{Lanes16, Lanes32, Line, Simd};
use crate::kernels::masked;
use crate::trits::{TritMatrix, Word, words_per_row};

impl<O: AsRef<[u64]>> TritMatrix<O> {
    /// The words of a row; none beyond the last.
    #[inline(always)]
    pub(crate) fn words(&self, row: usize) -> impl Iterator<Item = Word> {
        let words = words_per_row(self.cols());
        let span = row * words..(row + 1) * words;
        let sign = self.sign().get(span.clone()).unwrap_or_default();
        let mask = self.mask().get(span).unwrap_or_default();
        sign.iter().zip(mask).map(|(&sign, &mask)| Word { sign, mask })
    }
}

impl<O> Sealed for TritMatrix<O> {}

impl<O: AsRef<[u64]>> Projection for TritMatrix<O> {
    fn inputs(&self) -> usize {
        self.cols()
    }

    fn features(&self) -> usize {
        self.rows()
    }

    fn needs(&self) -> Needs {
        Needs::least(self.cols())
    }

    const BITS: bool = true;

    fn project_bits<S: Simd>(
        &self,
        simd: S,
        sample: &[u64],
        features: Range<usize>,
        sums: &mut [i32],
    ) {
        masked::project_bits(simd, features.map(|row| self.words(row)), sample, sums);
    }

    fn project_one<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        features: Range<usize>,
        _: &mut [Line],
        sums: &mut [i32],
    ) {
        masked::project_one(simd, features.map(|row| self.words(row)), sample, sums);
    }

    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        features: Range<usize>,
        _: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        simd.vectorize(
            #[inline(always)]
            || {
                for (row, sum) in features.zip(sums) {
                    let halves = masked::sum_lanes(simd, self.words(row), block);
                    simd.store32(&mut sum.0[0], halves[0]);
                    simd.store32(&mut sum.0[1], halves[1]);
                }
            },
        );
    }
}
