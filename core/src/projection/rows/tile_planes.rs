//! The planes of a tile in scratch, for forms that do not store them row by row.

use crate::arch::{Line, Simd};
use crate::trits::{TritMatrix, Word, tail_bits, words_per_row};

use super::tables;

/// Words of each plane of a full tile.
const fn plane_words(inputs: usize, features: usize) -> usize {
    tables::tile_features(features) * words_per_row(inputs)
}

/// Lines that both planes of a tile take.
pub(super) const fn lines(inputs: usize, features: usize) -> usize {
    (2 * plane_words(inputs, features)).div_ceil(8)
}

/// Writes the rows of a tile, cut to the inputs.
pub(super) fn write<S: Simd, W: Iterator<Item = Word>>(
    simd: S,
    rows: impl Iterator<Item = W>,
    inputs: usize,
    features: usize,
    planes: &mut [Line],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let stride = words_per_row(inputs).max(1);
            let planes: &mut [u64] = bytemuck::cast_slice_mut(planes);
            let plane = plane_words(inputs, features);
            let (sign, mask) = present!(planes.split_at_mut_checked(plane), else return);
            let tail = tail_bits(inputs);
            let places = sign.chunks_exact_mut(stride).zip(mask.chunks_exact_mut(stride));
            for (words, (sign, mask)) in rows.zip(places) {
                for ((sign, mask), word) in sign.iter_mut().zip(&mut *mask).zip(words) {
                    (*sign, *mask) = (word.sign, word.mask);
                }
                if let (Some(sign), Some(mask)) = (sign.last_mut(), mask.last_mut()) {
                    *sign &= tail;
                    *mask &= tail;
                }
            }
        },
    );
}

/// The first `rows` rows that were written.
pub(super) fn read(
    inputs: usize,
    features: usize,
    rows: usize,
    planes: &[Line],
) -> TritMatrix<&[u64]> {
    let (sign, mask) = bytemuck::cast_slice(planes).split_at(plane_words(inputs, features));
    let words = rows * words_per_row(inputs);
    TritMatrix::trusted(rows, inputs, &sign[..words], &mask[..words])
}
