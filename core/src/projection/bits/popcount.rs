//! AND and popcount, eight rows side by side.
//!
//! 1. Words of eight rows lie side by side and a sample's word is repeated, so that every row's count stays in its
//!    own lane and nothing is added across lanes.
//! 2. Four samples at a time share each load of the planes, and two times eight rows each repeated word: the more counts
//!    are under way, the less weigh the totals and the loop itself, which for 512 inputs has only eight rounds.
//!
//! What bounds it: with VPOPCNTDQ the three operations for 512 weights and a sample (AND, popcount, add), twice that
//! with zeros.

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
    // Two counts per word.
    const RUN: usize = MAX_COUNTS / 2;
    // Not zero, as the compiler should know.
    let both = (2 * stride).max(1);
    let pairs = kept.chunks_exact(both).zip(plus.chunks_exact(both));
    for (pair, (kept, plus)) in pairs.enumerate() {
        let zero = simd.splat64(0);
        let mut sums_of = [[zero; SAMPLES]; 2];
        let kept = present!(kept.split_at_checked(stride), else return);
        let plus = present!(plus.split_at_checked(stride), else return);
        let planes = kept.0.chunks(RUN).zip(kept.1.chunks(RUN));
        let planes = planes.zip(plus.0.chunks(RUN).zip(plus.1.chunks(RUN)));
        let words = a.chunks(RUN).zip(b.chunks(RUN)).zip(c.chunks(RUN).zip(d.chunks(RUN)));
        for (planes, words) in planes.zip(words) {
            let ((kept, other_kept), (plus, other_plus)) = planes;
            let ((a, b), (c, d)) = words;
            let mut counts = [[zero; SAMPLES]; 2];
            let kept = kept.iter().zip(other_kept);
            let plus = plus.iter().zip(other_plus);
            let words = a.iter().zip(b).zip(c.iter().zip(d));
            for ((kept, plus), ((&a, &b), (&c, &d))) in kept.zip(plus).zip(words) {
                let kept = [simd.load64(kept.0), simd.load64(kept.1)];
                let plus = [simd.load64(plus.0), simd.load64(plus.1)];
                let words = [a, b, c, d];
                for sample in 0..SAMPLES {
                    let word = simd.splat64(words[sample]);
                    for group in 0..2 {
                        let count = &mut counts[group][sample];
                        *count = simd.count64(*count, simd.and64(kept[group], word));
                        if ZEROS {
                            *count = simd.count64(*count, simd.and64(plus[group], word));
                        }
                    }
                }
            }
            for group in 0..2 {
                for sample in 0..SAMPLES {
                    let counted = simd.counted64(counts[group][sample]);
                    sums_of[group][sample] = simd.add64(sums_of[group][sample], counted);
                }
            }
        }
        for (group, sums_of) in sums_of.into_iter().enumerate() {
            for (sample, (sum, total)) in sums_of.into_iter().zip(totals).enumerate() {
                let sum = if ZEROS { sum } else { simd.add64(sum, sum) };
                let first = sample * quarter + (2 * pair + group) * ROWS;
                let place = present!(sums.get_mut(first..), else return);
                let place = present!(place.first_chunk_mut(), else return);
                simd.store64_as32(place, simd.sub64(sum, simd.splat64(total)));
            }
        }
    }
}
