//! The transpose of a plane, 64 × 64 bits at a time.

use crate::{Isa, dispatch, parallel};
use ternion_core::Simd;

/// One word of each of the 64 rows from `first` on, transposed: bit `i` of word `j` is column `j` of row `first + i`. Rows
/// beyond the last read as zeros.
fn column_words(isa: Isa, plane: &[u64], stride: usize, first: usize, word: usize) -> [u64; 64] {
    let mut words = [0; 64];
    for (to, from) in words.iter_mut().zip(plane[first * stride + word..].iter().step_by(stride)) {
        *to = *from;
    }
    dispatch!(isa, simd => transpose_bits(simd, &mut words));
    words
}

/// Transposes 64 × 64 bits.
pub(super) fn transpose_bits<S: Simd>(simd: S, words: &mut [u64; 64]) {
    simd.vectorize(
        #[inline(always)]
        || simd.transpose_bits(words),
    );
}

/// Words of a cache line: as many of a row are read before the next 512 rows, and as many are written at once.
const LINE_WORDS: usize = 8;

/// Writes the transpose of a plane with rows of `stride` words, a row of `out_stride` words for each of its columns.
pub(crate) fn transpose_plane(
    isa: Isa,
    plane: &[u64],
    stride: usize,
    out_stride: usize,
    out: &mut [u64],
) {
    parallel::for_each_chunk(out, 64 * LINE_WORDS * out_stride, |line, out| {
        for first in (0..out_stride).step_by(LINE_WORDS) {
            let blocks = first..out_stride.min(first + LINE_WORDS);
            for (word, out) in (line * LINE_WORDS..).zip(out.chunks_mut(64 * out_stride)) {
                let mut columns = [[0; 64]; LINE_WORDS];
                for (columns, block) in columns.iter_mut().zip(blocks.clone()) {
                    *columns = column_words(isa, plane, stride, 64 * block, word);
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

    fn words<const N: usize>() -> [u64; N] {
        let mut state = 1_u64;
        [(); N].map(|()| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state ^ state >> 29
        })
    }

    #[test]
    fn every_bit_moves_to_its_transposed_place() {
        let words: [u64; 64] = words();
        for isa in Isa::present() {
            let mut transposed = words;
            dispatch!(isa, simd => transpose_bits(simd, &mut transposed));
            for (i, word) in words.iter().enumerate() {
                for (j, transposed) in transposed.iter().enumerate() {
                    assert_eq!(transposed >> i & 1, word >> j & 1, "{isa} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn every_word_moves_to_its_transposed_place() {
        fn transposed<S: Simd>(simd: S, words: [u64; 64]) -> [u64; 64] {
            let mut vectors = [simd.splat64(0); 8];
            for (vector, words) in vectors.iter_mut().zip(words.as_chunks().0) {
                *vector = simd.load64(words);
            }
            let mut words = [0; 64];
            for (words, vector) in words.as_chunks_mut().0.iter_mut().zip(simd.transpose64(vectors))
            {
                simd.store64(words, vector);
            }
            words
        }
        let words: [u64; 64] = words();
        for isa in Isa::present() {
            let transposed = dispatch!(isa, simd => transposed(simd, words));
            for (at, word) in transposed.into_iter().enumerate() {
                assert_eq!(word, words[at % 8 * 8 + at / 8], "{isa} {at}");
            }
        }
    }
}
