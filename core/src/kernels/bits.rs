//! Samples of packed bits: AND and popcount, eight rows side by side.
//!
//! ```text
//! for every 8 rows of a tile:
//!     for every word of 64 inputs, for each of 4 samples:
//!         minus += popcount(sign ∧ x);  set += popcount(mask ∧ x)
//!     sum = set − 2·minus
//! ```
//!
//! 1. Words of eight rows lie side by side and a sample's word is repeated, so that every row's
//!    count stays in its own lane and nothing is added across lanes. The planes of a tile are put
//!    into that order once for all samples of a stack.
//! 2. In a tile without zeros `set` is the popcount of the sample: half the planes, half the counts.
//! 3. Four samples at a time share each load of the planes.
//!
//! What bounds it: with VPOPCNTDQ the three operations for 512 weights and a sample (AND, popcount,
//! add), twice that with zeros, 60 % of the time seen at 512 inputs, where packing the trits takes a
//! fifth; elsewhere the nibble lookups of the popcount, 7 operations for 256 weights on AVX2.

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

/// Lines of the planes of a tile, and one before them.
pub(crate) const fn lines(inputs: usize, features: usize) -> usize {
    1 + 2 * tile(features) / ROWS * words_per_row(inputs)
}

/// Puts the planes of a tile into order: whether there are zeros, the sign plane, the mask plane.
pub(crate) fn begin<S: Simd, W: Iterator<Item = Word>>(
    simd: S,
    rows: impl Iterator<Item = W>,
    inputs: usize,
    work: &mut [Line],
) {
    simd.vectorize(
        #[inline(always)]
        || begin_inside(rows, inputs, work),
    );
}

/// [`begin`], within the ISA.
#[inline(always)]
fn begin_inside<W: Iterator<Item = Word>>(
    rows: impl Iterator<Item = W>,
    inputs: usize,
    work: &mut [Line],
) {
    let Some((head, planes)) = work.split_first_mut() else { return };
    let planes: &mut [[u64; ROWS]] = bytemuck::cast_slice_mut(planes);
    planes.fill([0; ROWS]);
    let (sign, mask) = planes.split_at_mut(planes.len() / 2);
    let stride = words_per_row(inputs);
    let last = u64::MAX << ((inputs + 63) % 64) << 1;
    let mut zeros = 0;
    for (row, words) in rows.enumerate() {
        let first = row / ROWS * stride;
        let (Some(sign), Some(mask)) = (sign.get_mut(first..), mask.get_mut(first..)) else {
            break;
        };
        let places = sign.iter_mut().zip(mask).take(stride).zip(words);
        for (index, ((sign, mask), word)) in places.enumerate() {
            sign[row % ROWS] = word.sign;
            mask[row % ROWS] = word.mask;
            let beyond = if index + 1 == stride { last } else { 0 };
            zeros |= !(word.mask | beyond);
        }
    }
    *head = Line::of(zeros);
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
    let planes: &[[u64; ROWS]] = bytemuck::cast_slice(planes);
    let (sign, mask) = planes.split_at(planes.len() / 2);
    match head.word() {
        0 => rows_of::<S, false>(simd, samples, sign, mask, sums),
        _ => rows_of::<S, true>(simd, samples, sign, mask, sums),
    }
}

#[inline(always)]
fn rows_of<S: Simd, const ZEROS: bool>(
    simd: S,
    samples: [&[u64]; SAMPLES],
    sign: &[[u64; ROWS]],
    mask: &[[u64; ROWS]],
    sums: &mut [i32],
) {
    let [a, b, c, d] = samples;
    let stride = a.len().max(1);
    let mut totals = [0; SAMPLES];
    for (total, sample) in totals.iter_mut().zip(samples) {
        for word in sample {
            *total += word.count_ones() as u64;
        }
    }
    let quarter = sums.len() / SAMPLES;
    let groups = sign.chunks_exact(stride).zip(mask.chunks_exact(stride));
    for (group, (sign, mask)) in groups.enumerate() {
        let zero = simd.splat64(0);
        let mut minus = [zero; SAMPLES];
        let mut set = [zero; SAMPLES];
        if !ZEROS {
            for (set, total) in set.iter_mut().zip(totals) {
                *set = simd.splat64(total);
            }
        }
        let planes = sign.chunks(COUNTS).zip(mask.chunks(COUNTS));
        let words =
            a.chunks(COUNTS).zip(b.chunks(COUNTS)).zip(c.chunks(COUNTS).zip(d.chunks(COUNTS)));
        for ((sign, mask), ((a, b), (c, d))) in planes.zip(words) {
            let mut counts = [[zero; 2]; SAMPLES];
            let words = a.iter().zip(b).zip(c.iter().zip(d));
            for ((sign, mask), ((&a, &b), (&c, &d))) in sign.iter().zip(mask).zip(words) {
                let (sign, mask) = (simd.load64(sign), simd.load64(mask));
                for (counts, word) in counts.iter_mut().zip([a, b, c, d]) {
                    let word = simd.splat64(word);
                    counts[0] = simd.count64(counts[0], simd.and64(sign, word));
                    if ZEROS {
                        counts[1] = simd.count64(counts[1], simd.and64(mask, word));
                    }
                }
            }
            for (counts, (minus, set)) in counts.into_iter().zip(minus.iter_mut().zip(&mut set)) {
                *minus = simd.add64(*minus, simd.counted64(counts[0]));
                if ZEROS {
                    *set = simd.add64(*set, simd.counted64(counts[1]));
                }
            }
        }
        for (sample, (minus, set)) in minus.into_iter().zip(set).enumerate() {
            let sum = simd.sub64(set, simd.add64(minus, minus));
            let place = sums.get_mut(sample * quarter + group * ROWS..);
            let Some(place) = place.and_then(|place| place.first_chunk_mut()) else { return };
            simd.store64_as32(place, sum);
        }
    }
}
