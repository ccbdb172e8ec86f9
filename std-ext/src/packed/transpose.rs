//! Bits turned on their side, 64 × 64 at a time.

use crate::{Error, memory, parallel};

/// Transposes 64 × 64 bits: bit `j` of word `i` becomes bit `i` of word `j`.
///
/// Six rounds, each of which exchanges two quarters of every square and halves its side.
pub(crate) fn transpose64(words: &mut [u64; 64]) {
    let (mut half, mut mask) = (32, u64::MAX >> 32);
    while half > 0 {
        for top in 0..64 {
            if top & half == 0 {
                let swap = (words[top] >> half ^ words[top + half]) & mask;
                words[top] ^= swap << half;
                words[top + half] ^= swap;
            }
        }
        half /= 2;
        mask ^= mask << half;
    }
}

/// One word of each of the 64 rows from `first` of a plane, transposed: bit `i` of word `j` is column `j`
/// of row `first + i`. Rows beyond the last read as zeros.
pub(crate) fn column_words(plane: &[u64], stride: usize, first: usize, word: usize) -> [u64; 64] {
    let mut words = [0; 64];
    for (to, from) in words.iter_mut().zip(plane[first * stride + word..].iter().step_by(stride)) {
        *to = *from;
    }
    transpose64(&mut words);
    words
}

/// Words of a row that are turned before the next rows: a cache line, which is then read once.
const LINE: usize = 8;

/// A plane of `cols` columns and rows of `stride` words, turned on its side into rows of `other` words.
pub(crate) fn plane(
    plane: &[u64],
    stride: usize,
    cols: usize,
    other: usize,
) -> Result<Vec<u64>, Error> {
    let mut turned = memory::zeros(cols, other)?;
    parallel::for_each_chunk(&mut turned, 64 * LINE * other, |line, turned| {
        for block in 0..other {
            for (word, turned) in (line * LINE..).zip(turned.chunks_mut(64 * other)) {
                let column = column_words(plane, stride, 64 * block, word);
                for (row, column) in turned.chunks_exact_mut(other).zip(column) {
                    row[block] = column;
                }
            }
        }
    });
    Ok(turned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_finds_its_place() {
        let mut words = [0; 64];
        let mut state = 1_u64;
        for word in &mut words {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *word = state ^ state >> 29;
        }
        let mut turned = words;
        transpose64(&mut turned);
        for (i, word) in words.iter().enumerate() {
            for (j, turned) in turned.iter().enumerate() {
                assert_eq!(turned >> i & 1, word >> j & 1, "{i} {j}");
            }
        }
    }
}
