//! Samples of packed bits, four at a time through a tile of W.
//!
//! ```text
//! W·x = Σ over the words of 64 inputs:  |kept ∧ x| + |plus ∧ x|  −  |x|
//! ```
//!
//! where `plus` is the plane of the weights +1 and `kept` the plane of the weights +1 and 0. A tile's planes are
//! reordered once for all samples; in a tile without zeros both planes are the same as far as there are inputs, and
//! samples have no bits set beyond, so one of them is counted twice.
//!
//! Two ways to count, the faster of which depends on the ISA: [`popcount`] where there is a vector popcount (and
//! where there are no byte lookups), [`lookup`] where popcounts consist of byte lookups anyway.

mod lookup;
mod popcount;

use crate::arch::{Line, Simd};
use crate::lookup::BLOCK_ROWS;
use crate::trits::{Word, tail_bits, words_per_row};

/// Samples that are projected together.
pub(crate) const SAMPLES: usize = 4;

/// Rows in a tile, if there are as many. The more, the less weighs what is done once per tile and four samples; planes of
/// so many are read from L2, in order.
pub(super) const fn tile_features(features: usize) -> usize {
    let all = features.next_multiple_of(64);
    if all < 1024 { all } else { 1024 }
}

/// Lines of the planes of a tile, and one before them. Codes of four bits need twice the room of words.
pub(super) const fn plane_lines(inputs: usize, features: usize) -> usize {
    1 + 2 * 2 * tile_features(features) / popcount::ROWS * words_per_row(inputs)
}

/// Writes the planes of a tile: whether there are zeros, then `kept`, then `plus`.
pub(super) fn begin_tile<S: Simd, W: Iterator<Item = Word>>(
    simd: S,
    rows: impl Iterator<Item = W>,
    inputs: usize,
    work: &mut [Line],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let (head, planes) = present!(work.split_first_mut(), else return);
            let stride = words_per_row(inputs);
            // Places of rows beyond the last keep old contents; their sums are never read.
            let zeros = if lookup::is_faster::<S>() {
                let words: &mut [u64] = bytemuck::cast_slice_mut(planes);
                let (words, _) = words.as_chunks_mut::<BLOCK_ROWS>();
                let zeros = write_planes(rows, inputs, words, 2 * stride, lookup::place);
                let (kept, plus) = planes.split_at_mut(planes.len() / 2);
                lookup::encode(simd, kept, stride);
                if zeros != 0 {
                    lookup::encode(simd, plus, stride);
                }
                zeros
            } else {
                let (planes, _) = planes.split_at_mut(planes.len() / 2);
                let words: &mut [[u64; popcount::ROWS]] = bytemuck::cast_slice_mut(planes);
                write_planes(rows, inputs, words, stride, popcount::place)
            };
            *head = Line::with_first_word(zeros);
        },
    );
}

/// Writes the words of both planes: `N` rows in each array, the next `N` rows at a distance of `step` arrays.
/// Returns a word that is zero unless some weight is.
#[inline(always)]
fn write_planes<W: Iterator<Item = Word>, const N: usize>(
    rows: impl Iterator<Item = W>,
    inputs: usize,
    planes: &mut [[u64; N]],
    step: usize,
    place: fn(usize) -> usize,
) -> u64 {
    let (kept, plus) = planes.split_at_mut(planes.len() / 2);
    let stride = words_per_row(inputs);
    let beyond_inputs = !tail_bits(inputs);
    let mut zeros = 0;
    for (row, words) in rows.enumerate() {
        let (first, place) = (row / N * step, place(row) % N);
        let kept = present!(kept.get_mut(first..), else break);
        let plus = present!(plus.get_mut(first..), else break);
        let places = kept.iter_mut().zip(plus).take(stride).zip(words);
        for (index, ((kept, plus), word)) in places.enumerate() {
            kept[place] = !word.sign;
            plus[place] = word.mask & !word.sign;
            let beyond = if index + 1 == stride { beyond_inputs } else { 0 };
            zeros |= !(word.mask | beyond);
        }
    }
    zeros
}

/// Sums of the rows of a tile for four samples, each in its own quarter of `sums`.
pub(super) fn project<S: Simd>(
    simd: S,
    samples: [&[u64]; SAMPLES],
    work: &[Line],
    sums: &mut [i32],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let (head, planes) = present!(work.split_first(), else return);
            let mut totals = [0; SAMPLES];
            for (total, sample) in totals.iter_mut().zip(samples) {
                for word in sample {
                    *total += word.count_ones() as u64;
                }
            }
            match (lookup::is_faster::<S>(), head.first_word() != 0) {
                (true, false) => lookup::project::<S, false>(simd, samples, totals, planes, sums),
                (true, true) => lookup::project::<S, true>(simd, samples, totals, planes, sums),
                (false, false) => {
                    popcount::project::<S, false>(simd, samples, totals, planes, sums)
                }
                (false, true) => popcount::project::<S, true>(simd, samples, totals, planes, sums),
            }
        },
    );
}
