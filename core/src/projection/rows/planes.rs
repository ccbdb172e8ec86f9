//! W as stored planes: the trit matrix itself.

use super::Rows;
use crate::trits::{TritMatrix, Word, words_per_row};

impl<O: AsRef<[u64]>> Rows for TritMatrix<O> {
    fn inputs(&self) -> usize {
        self.cols()
    }

    fn features(&self) -> usize {
        self.rows()
    }

    #[inline(always)]
    fn row_words(&self, row: usize) -> impl Iterator<Item = Word> {
        let words = words_per_row(self.cols());
        let span = row * words..(row + 1) * words;
        let sign = present!(self.sign().get(span.clone()), else &[]);
        let mask = present!(self.mask().get(span), else &[]);
        sign.iter().zip(mask).map(
            #[inline(always)]
            |(&sign, &mask)| Word { sign, mask },
        )
    }
}
