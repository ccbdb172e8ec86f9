//! The planes of a tile in scratch, behind the lookup tables: for forms that do not store them row by
//! row.

use super::Needs;
use crate::arch::{Lanes16, Lanes32, Line, Simd};
use crate::kernels::tables;
use crate::trits::{TritMatrix, Word, tail_bits, words_per_row};

/// Words of each plane of a full tile.
const fn plane(inputs: usize, features: usize) -> usize {
    tables::tile(features) * words_per_row(inputs)
}

/// What a form needs that puts its planes together a tile at a time.
pub(super) const fn needs(inputs: usize, features: usize) -> Needs {
    let work = tables::LINES + (2 * plane(inputs, features)).div_ceil(8);
    let least = Needs::least(inputs).with_bits(inputs, features);
    Needs { tile: tables::tile(features), work, ..least }
}

/// Writes the rows of a tile, cut to the inputs.
pub(super) fn write<S: Simd, W: Iterator<Item = Word>>(
    simd: S,
    rows: impl Iterator<Item = W>,
    inputs: usize,
    features: usize,
    work: &mut [Line],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let stride = words_per_row(inputs).max(1);
            let planes: &mut [u64] =
                bytemuck::cast_slice_mut(work.get_mut(tables::LINES..).unwrap_or_default());
            let Some((sign, mask)) = planes.split_at_mut_checked(plane(inputs, features)) else {
                return;
            };
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

/// Projects the `rows` of the tile that was written.
pub(super) fn project<S: Simd>(
    simd: S,
    block: &[Lanes16],
    inputs: usize,
    features: usize,
    rows: usize,
    work: &mut [Line],
    sums: &mut [Lanes32],
) {
    let (table, planes) = work.split_at_mut(tables::LINES);
    let (sign, mask) = bytemuck::cast_slice(planes).split_at(plane(inputs, features));
    let words = rows * words_per_row(inputs);
    let tile = TritMatrix::trusted(rows, inputs, &sign[..words], &mask[..words]);
    tables::project(simd, tile, 0..rows, block, table, sums);
}
