//! AND and popcount, eight rows side by side.
//!
//! 1. Words of eight rows lie side by side and a sample's word is repeated, so that every row's count stays in its
//!    own lane and nothing is added across lanes.
//! 2. Four samples at a time share each load of the planes.
//!
//! What bounds it: with VPOPCNTDQ the three operations for 512 weights and a sample (AND, popcount, add), twice that
//! with zeros, 60 % of the time seen at 512 inputs, where packing the trits takes a fifth.

use super::SAMPLES;
use crate::arch::{Line, MAX_COUNTS, Simd};

/// Rows side by side.
pub(super) const ROWS: usize = 8;

/// The lane of a row.
pub(super) const fn place(row: usize) -> usize {
    row % ROWS
}

/// Sums of the rows of a tile for four samples, each in its own quarter of `sums`.
#[inline(always)]
pub(super) fn project<S: Simd, const ZEROS: bool>(
    simd: S,
    samples: [&[u64]; SAMPLES],
    totals: [u64; SAMPLES],
    planes: &[Line],
    sums: &mut [i32],
) {
    // Words take half the room of codes.
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
        // Two counts per word.
        const RUN: usize = MAX_COUNTS / 2;
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
            let place = present!(sums.get_mut(sample * quarter + group * ROWS..), else return);
            let place = present!(place.first_chunk_mut(), else return);
            simd.store64_as32(place, simd.sub64(sum, simd.splat64(total)));
        }
    }
}
