//! Byte lookups: the counts of four inputs are looked up for 64 rows at once, one row per byte lane.
//!
//! ```text
//! for every 128 rows of a tile, for two samples:
//!     for every 4 inputs:
//!         sum += table of the sample's bits [the rows' bits]      in kept, then in plus
//!     sum −= popcount(x)
//! ```
//!
//! 1. One lookup and one add serve 4 inputs of as many rows as a register has bytes. A popcount by the same lookups
//!    splits words for every sample, twice the operations; here the planes of a tile are split once for all samples.
//! 2. A table serves 128 rows and a line of codes two samples: the sums are eight registers of AVX2, tables and
//!    codes have the other eight.
//! 3. A byte holds the sums of a run of words; runs are added up in 16 bits, passes in 32.
//!
//! What bounds it: two lookups per cycle, 256 weights on AVX2. The innermost loop reaches 0.7 of that, because it has
//! more operations than a cycle can issue; at 512 inputs it is 60 % of the time, and 75 % with zeros. Splitting the
//! planes pays off from about a dozen samples on: a batch of 16 gains a tenth over popcounts, one of 8 loses up to a
//! fifth.

use super::SAMPLES;
use crate::arch::{HALF, Line, Simd};
use crate::lookup::{
    BLOCK_ROWS, COMMON_BITS, WideSums, ZERO_SUMS, add_bytes, byte_of_row, split_nibbles,
    transpose_bytes,
};
use core::ops::Range;

/// Codes in a word: one per four inputs.
const CODES_PER_WORD: usize = 16;

/// Values of a code.
const CODE_VALUES: usize = 16;

/// Whether this is faster than [`popcount`](super::popcount): where a register holds 16 entries, popcounts consist
/// of the same lookups.
pub(super) const fn is_faster<S: Simd>() -> bool {
    S::BYTE_LOOKUP_CODES == CODE_VALUES
}

/// Words per pass: their sums, at most 128 per word, fit in 16 bits, and they are a whole number of runs.
const PASS_WORDS: usize = 192;

/// Samples, and blocks of rows, whose sums are in registers together.
const TOGETHER: usize = 2;

/// A word of each of 64 rows, split: for every four inputs a byte per row.
type Codes = [[u8; BLOCK_ROWS]; CODES_PER_WORD];

/// Where the word of a row must lie for [`encode`] to leave its codes in the order of [`byte_of_row`].
pub(super) const fn place(row: usize) -> usize {
    let byte = byte_of_row(row);
    byte % 8 * 8 + byte / 8
}

/// Replaces the words of a plane by their codes. In each block of rows the words occupy the first half of the room,
/// and are overwritten from the last one on.
#[inline(always)]
pub(super) fn encode<S: Simd>(simd: S, plane: &mut [Line], stride: usize) {
    for block in plane.chunks_exact_mut((CODES_PER_WORD * stride).max(1)) {
        for word in (0..stride).rev() {
            let words = present!(block.get(CODES_PER_WORD / 2 * word..), else return);
            let words: &[Line; 8] = present!(words.first_chunk(), else return);
            let mut rows = [simd.splat64(0); 8];
            for (row, words) in rows.iter_mut().zip(words) {
                *row = simd.load64(&words.0);
            }
            transpose_bytes(simd, &mut rows);
            let codes = present!(block.get_mut(CODES_PER_WORD * word..), else return);
            for (codes, bytes) in codes.as_chunks_mut::<2>().0.iter_mut().zip(rows) {
                let [low, high] = split_nibbles(simd, bytes);
                simd.store64(&mut codes[0].0, low);
                simd.store64(&mut codes[1].0, high);
            }
        }
    }
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
    let lines: &[[u8; BLOCK_ROWS]] = bytemuck::cast_slice(planes);
    let (planes, _) = lines.as_chunks::<CODES_PER_WORD>();
    let (kept, plus) = planes.split_at(planes.len() / 2);
    let stride = samples[0].len();
    let step = (TOGETHER * stride).max(1);
    let quarter = sums.len() / SAMPLES;
    let steps = kept.chunks(step).zip(plus.chunks(step));
    for (step, (kept, plus)) in steps.enumerate() {
        let kept = present!(kept.split_at_checked(stride), else return);
        let plus = present!(plus.split_at_checked(stride), else return);
        let pairs = samples.as_chunks().0.iter().zip(totals.as_chunks().0);
        for (pair, (&samples, &totals)) in pairs.enumerate() {
            let from = TOGETHER * (pair * quarter + step * BLOCK_ROWS);
            let sums = present!(sums.get_mut(from..), else return);
            if kept.1.is_empty() {
                let planes = [[kept.0], [plus.0]];
                project_blocks::<S, 1, ZEROS>(simd, samples, totals, planes, sums, quarter);
            } else {
                let planes = [[kept.0, kept.1], [plus.0, plus.1]];
                project_blocks::<S, 2, ZEROS>(simd, samples, totals, planes, sums, quarter);
            }
        }
    }
}

/// Sums of `C` blocks of rows for two samples, the second's at a distance of `quarter`.
#[inline(always)]
fn project_blocks<S: Simd, const C: usize, const ZEROS: bool>(
    simd: S,
    samples: [&[u64]; TOGETHER],
    totals: [u64; TOGETHER],
    planes: [[&[Codes]; C]; 2],
    sums: &mut [i32],
    quarter: usize,
) {
    let words = samples[0].len();
    for (pass, start) in (0..words).step_by(PASS_WORDS).enumerate() {
        let mut wide = [[ZERO_SUMS; C]; TOGETHER];
        let end = words.min(start + PASS_WORDS);
        // Four inputs of a row add at most 4 per plane: 128 per word with zeros, 64 without.
        let run = if ZEROS { 1 } else { 3 };
        for start in (start..end).step_by(run) {
            add_run::<S, C, ZEROS>(simd, samples, planes, start..end.min(start + run), &mut wide);
        }
        for (sample, (wide, total)) in wide.iter().zip(totals).enumerate() {
            let sums = present!(sums.get_mut(sample * quarter..), else return);
            let (sums, _) = sums.as_chunks_mut::<HALF>();
            for (wide, sums) in wide.as_flattened().iter().zip(sums.as_chunks_mut::<2>().0) {
                for (part, sums) in simd.widen(simd.load16(wide)).into_iter().zip(sums) {
                    let before = match pass {
                        0 => simd.splat32(-(total as i32)),
                        _ => simd.load32(sums),
                    };
                    let part = if ZEROS { part } else { simd.add32(part, part) };
                    simd.store32(sums, simd.add32(before, part));
                }
            }
        }
    }
}

/// Adds the sums of a run of words to `wide`.
#[inline(always)]
fn add_run<S: Simd, const C: usize, const ZEROS: bool>(
    simd: S,
    samples: [&[u64]; TOGETHER],
    planes: [[&[Codes]; C]; 2],
    words: Range<usize>,
    wide: &mut [[WideSums; C]; TOGETHER],
) {
    let mut sums = [[simd.zero8(); C]; TOGETHER];
    'words: for word in words {
        let bits = [
            *present!(samples[0].get(word), else break),
            *present!(samples[1].get(word), else break),
        ];
        let mut codes = [[&[[0; BLOCK_ROWS]; CODES_PER_WORD]; C]; 2];
        for (codes, planes) in codes.as_flattened_mut().iter_mut().zip(planes.as_flattened()) {
            *codes = present!(planes.get(word), else break 'words);
        }
        let planes = if ZEROS { &codes[..] } else { &codes[..1] };
        for code in 0..CODES_PER_WORD {
            let table = |r: usize| &COMMON_BITS[(bits[r] >> (4 * code)) as usize % CODE_VALUES];
            let tables = [simd.table8(table(0)), simd.table8(table(1))];
            for codes in planes {
                for c in 0..C {
                    let line = simd.load8(&codes[c][code]);
                    for r in 0..TOGETHER {
                        sums[r][c] = simd.add8(sums[r][c], simd.lookup8(tables[r], line));
                    }
                }
            }
        }
    }
    for r in 0..TOGETHER {
        for c in 0..C {
            add_bytes(simd, sums[r][c], &mut wide[r][c]);
        }
    }
}
