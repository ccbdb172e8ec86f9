//! Bit-matrix transpose, 64 × 64 bits at a time.

use crate::parallel;

/// Transposes 64 × 64 bits: bit `j` of word `i` becomes bit `i` of word `j`.
///
/// Warren's recursive transpose (*Hacker's Delight*, §7-3): each of six rounds swaps the off-diagonal quarters of every
/// square and halves its side. Between the third and the fourth the words are put into another order, as are the columns
/// of an 8 × 8 matrix and its rows, so that all rounds swap between neighbours of eight words, which are a register.
#[inline(always)]
pub(crate) fn transpose64(words: &mut [u64; 64]) {
    swap_quarters(words, 32, 32);
    swap_quarters(words, 16, 16);
    swap_quarters(words, 8, 8);
    exchange_order(words);
    swap_quarters(words, 32, 4);
    swap_quarters(words, 16, 2);
    swap_quarters(words, 8, 1);
    exchange_order(words);
}

/// Swaps the quarters of squares with sides of 2 · `half` bits, whose rows are `distance` words apart.
#[inline(always)]
fn swap_quarters(words: &mut [u64; 64], distance: usize, half: u32) {
    // The low bits of every 2 · half.
    let mask = u64::MAX / ((1_u64 << half) + 1);
    for squares in words.chunks_exact_mut(2 * distance) {
        let (top, bottom) = squares.split_at_mut(distance);
        for (top, bottom) in top.iter_mut().zip(bottom) {
            let swap = (*top >> half ^ *bottom) & mask;
            *top ^= swap << half;
            *bottom ^= swap;
        }
    }
}

/// Puts word 8 · i + j where word 8 · j + i was.
#[inline(always)]
fn exchange_order(words: &mut [u64; 64]) {
    for i in 0..8 {
        for j in 0..i {
            words.swap(8 * i + j, 8 * j + i);
        }
    }
}

/// One word of each of the 64 rows from `first` on, transposed: bit `i` of word `j` is column `j` of row `first + i`. Rows
/// beyond the last read as zeros.
pub(crate) fn column_words(plane: &[u64], stride: usize, first: usize, word: usize) -> [u64; 64] {
    let mut words = [0; 64];
    for (to, from) in words.iter_mut().zip(plane[first * stride + word..].iter().step_by(stride)) {
        *to = *from;
    }
    transpose64(&mut words);
    words
}

/// Words of a cache line: as many of a row are read before the next 512 rows, and as many are written at once.
const LINE_WORDS: usize = 8;

/// Writes the transpose of a plane with rows of `stride` words, a row of `out_stride` words for each of its columns.
pub(crate) fn transpose_plane(plane: &[u64], stride: usize, out_stride: usize, out: &mut [u64]) {
    parallel::for_each_chunk(out, 64 * LINE_WORDS * out_stride, |line, out| {
        for first in (0..out_stride).step_by(LINE_WORDS) {
            let blocks = first..out_stride.min(first + LINE_WORDS);
            for (word, out) in (line * LINE_WORDS..).zip(out.chunks_mut(64 * out_stride)) {
                let mut columns = [[0; 64]; LINE_WORDS];
                for (columns, block) in columns.iter_mut().zip(blocks.clone()) {
                    *columns = column_words(plane, stride, 64 * block, word);
                }
                for (column, row) in out.chunks_exact_mut(out_stride).enumerate() {
                    for (to, columns) in row[blocks.clone()].iter_mut().zip(&columns) {
                        *to = columns[column];
                    }
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_moves_to_its_transposed_place() {
        let mut words = [0; 64];
        let mut state = 1_u64;
        for word in &mut words {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *word = state ^ state >> 29;
        }
        let mut transposed = words;
        transpose64(&mut transposed);
        for (i, word) in words.iter().enumerate() {
            for (j, transposed) in transposed.iter().enumerate() {
                assert_eq!(transposed >> i & 1, word >> j & 1, "{i} {j}");
            }
        }
    }
}
