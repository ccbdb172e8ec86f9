//! Samples of packed bits: AND and popcount, eight rows side by side.
//!
//! ```text
//! for every 8 rows of a tile:
//!     for every word of 64 inputs, for each of 4 samples:
//!         sum += popcount(kept ∧ x) + popcount(plus ∧ x)
//!     sum −= popcount(x)
//! ```
//!
//! where `plus` is the plane of +1 and `kept` that of +1 and 0.
//!
//! 1. Words of eight rows lie side by side and a sample's word is repeated, so that every row's
//!    count stays in its own lane and nothing is added across lanes. The planes of a tile are put
//!    into that order once for all samples of a stack.
//! 2. In a tile without zeros both planes are the same as far as there are inputs, and samples have no bits
//!    set beyond: one of the planes is counted, twice.
//! 3. Four samples at a time share each load of the planes.
//!
//! What bounds it: with VPOPCNTDQ the three operations for 512 weights and a sample (AND, popcount,
//! add), twice that with zeros, 60 % of the time seen at 512 inputs, where packing the trits takes a
//! fifth. Where popcounts are made of lookups in registers, [`nibbles`] takes fewer of them.

use super::byte_lanes::BLOCK;
use super::nibbles;
use crate::arch::{COUNTS, Line, Simd};
use crate::trits::{Word, words_per_row};

/// Samples that go through a tile together.
pub(crate) const SAMPLES: usize = 4;

/// Rows side by side.
const ROWS: usize = 8;

/// Rows in a tile, if there are as many.
pub(crate) const fn tile(features: usize) -> usize {
    let all = features.next_multiple_of(64);
    if all < 256 { all } else { 256 }
}

/// Lines of the planes of a tile, and one before them. Words taken apart need twice the room.
pub(crate) const fn lines(inputs: usize, features: usize) -> usize {
    1 + 2 * 2 * tile(features) / ROWS * words_per_row(inputs)
}

/// Puts the planes of a tile into order: whether there are zeros, the plane of +1 and 0 (`kept`), the
/// plane of +1 (`plus`).
pub(crate) fn begin<S: Simd, W: Iterator<Item = Word>>(
    simd: S,
    rows: impl Iterator<Item = W>,
    inputs: usize,
    work: &mut [Line],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let Some((head, planes)) = work.split_first_mut() else { return };
            // What lies in the place of rows beyond the last goes into sums that nobody reads.
            let zeros = if nibbles::serves::<S>() {
                let words: &mut [u64] = bytemuck::cast_slice_mut(planes);
                let (words, _) = words.as_chunks_mut::<BLOCK>();
                let stride = words_per_row(inputs);
                let zeros = set(rows, inputs, words, 2 * stride, nibbles::place);
                let (kept, plus) = planes.split_at_mut(planes.len() / 2);
                nibbles::take_apart(simd, kept, stride);
                if zeros != 0 {
                    nibbles::take_apart(simd, plus, stride);
                }
                zeros
            } else {
                let (planes, _) = planes.split_at_mut(planes.len() / 2);
                let words: &mut [[u64; ROWS]] = bytemuck::cast_slice_mut(planes);
                set(rows, inputs, words, words_per_row(inputs), place)
            };
            *head = Line::of(zeros);
        },
    );
}

/// Where the word of a row lies among those side by side.
const fn place(row: usize) -> usize {
    row % ROWS
}

/// Sets the words of both planes: `N` rows in each array, the next rows at a distance of `step`. Gives
/// the bits that are zeros in a row.
#[inline(always)]
fn set<W: Iterator<Item = Word>, const N: usize>(
    rows: impl Iterator<Item = W>,
    inputs: usize,
    planes: &mut [[u64; N]],
    step: usize,
    place: fn(usize) -> usize,
) -> u64 {
    let (kept, plus) = planes.split_at_mut(planes.len() / 2);
    let stride = words_per_row(inputs);
    let last = u64::MAX << ((inputs + 63) % 64) << 1;
    let mut zeros = 0;
    for (row, words) in rows.enumerate() {
        let (first, place) = (row / N * step, place(row) % N);
        let (Some(kept), Some(plus)) = (kept.get_mut(first..), plus.get_mut(first..)) else {
            break;
        };
        let places = kept.iter_mut().zip(plus).take(stride).zip(words);
        for (index, ((kept, plus), word)) in places.enumerate() {
            kept[place] = !word.sign;
            plus[place] = word.mask & !word.sign;
            let beyond = if index + 1 == stride { last } else { 0 };
            zeros |= !(word.mask | beyond);
        }
    }
    zeros
}

/// Sums of the rows of a tile for four samples, each into its own quarter of `sums`.
#[inline(always)]
pub(crate) fn project<S: Simd>(
    simd: S,
    samples: [&[u64]; SAMPLES],
    work: &[Line],
    sums: &mut [i32],
) {
    let Some((head, planes)) = work.split_first() else { return };
    let mut totals = [0; SAMPLES];
    for (total, sample) in totals.iter_mut().zip(samples) {
        for word in sample {
            *total += word.count_ones() as u64;
        }
    }
    match (nibbles::serves::<S>(), head.word() != 0) {
        (true, false) => nibbles::project::<S, false>(simd, samples, totals, planes, sums),
        (true, true) => nibbles::project::<S, true>(simd, samples, totals, planes, sums),
        (false, false) => rows_of::<S, false>(simd, samples, totals, planes, sums),
        (false, true) => rows_of::<S, true>(simd, samples, totals, planes, sums),
    }
}

#[inline(always)]
fn rows_of<S: Simd, const ZEROS: bool>(
    simd: S,
    samples: [&[u64]; SAMPLES],
    totals: [u64; SAMPLES],
    planes: &[Line],
    sums: &mut [i32],
) {
    // Half the room, for words are not taken apart.
    let (planes, _) = planes.split_at(planes.len() / 2);
    let planes: &[[u64; ROWS]] = bytemuck::cast_slice(planes);
    let (kept, plus) = planes.split_at(planes.len() / 2);
    let [a, b, c, d] = samples;
    let stride = a.len().max(1);
    let quarter = sums.len() / SAMPLES;
    let groups = kept.chunks_exact(stride).zip(plus.chunks_exact(stride));
    for (group, (kept, plus)) in groups.enumerate() {
        let zero = simd.splat64(0);
        let mut sums_of = [zero; SAMPLES];
        // Two counts for a word.
        const RUN: usize = COUNTS / 2;
        let planes = kept.chunks(RUN).zip(plus.chunks(RUN));
        let words = a.chunks(RUN).zip(b.chunks(RUN)).zip(c.chunks(RUN).zip(d.chunks(RUN)));
        for ((kept, plus), ((a, b), (c, d))) in planes.zip(words) {
            let mut counts = [zero; SAMPLES];
            let words = a.iter().zip(b).zip(c.iter().zip(d));
            for ((kept, plus), ((&a, &b), (&c, &d))) in kept.iter().zip(plus).zip(words) {
                let (kept, plus) = (simd.load64(kept), simd.load64(plus));
                for (count, word) in counts.iter_mut().zip([a, b, c, d]) {
                    let word = simd.splat64(word);
                    *count = simd.count64(*count, simd.and64(kept, word));
                    if ZEROS {
                        *count = simd.count64(*count, simd.and64(plus, word));
                    }
                }
            }
            for (sum, count) in sums_of.iter_mut().zip(counts) {
                *sum = simd.add64(*sum, simd.counted64(count));
            }
        }
        for (sample, (sum, total)) in sums_of.into_iter().zip(totals).enumerate() {
            let sum = if ZEROS { sum } else { simd.add64(sum, sum) };
            let place = sums.get_mut(sample * quarter + group * ROWS..);
            let Some(place) = place.and_then(|place| place.first_chunk_mut()) else { return };
            simd.store64_as32(place, simd.sub64(sum, simd.splat64(total)));
        }
    }
}
