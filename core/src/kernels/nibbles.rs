//! Samples of packed bits where a popcount is made of lookups: counts of four inputs are looked up for
//! 64 rows at once, a byte lane for each.
//!
//! ```text
//! for every 128 rows of a tile, for two samples:
//!     for every 4 inputs:
//!         sum += table of the sample's bits [the rows' bits]      in kept, then in plus
//!     sum −= popcount(x)
//! ```
//!
//! 1. One lookup and one add serve 4 inputs of as many rows as a register has bytes. A popcount by the
//!    same lookups takes words apart for every sample, twice the operations; here the planes of a tile
//!    are taken apart once for all samples of a stack.
//! 2. A table serves 128 rows and a line of codes two samples: the sums are eight registers of AVX2,
//!    tables and codes have the other eight.
//! 3. A byte holds the sums of a run of words; runs are added up in 16 bits, passes in 32.
//!
//! What bounds it: two lookups a cycle, 256 weights on AVX2. The innermost loop reaches 0.7 of that, for
//! it has more operations than a cycle can begin; at 512 inputs it is 60 % of the time, and 75 % with
//! zeros. Taking the planes apart pays from about a dozen samples on: a batch of 16 gains a tenth over
//! popcounts, one of 8 loses up to a fifth.

use super::bits::SAMPLES;
use super::byte_lanes::{self, BLOCK, COMMON, NOTHING, Wide, byte_of, transpose};
use crate::arch::{HALF, Line, Simd};
use core::array::from_fn;
use core::ops::Range;

/// Codes in a word.
const CODES: usize = 16;

/// Values of a code.
const VALUES: usize = 16;

/// Whether an ISA takes this way: it looks up codes of four bits, and so it counts bits by them.
pub(super) const fn serves<S: Simd>() -> bool {
    S::CODES == VALUES
}

/// Words whose sums fit in 16 bits, at no more than 128 a word, and whole runs of them.
const PASS: usize = 192;

/// Samples, and blocks of rows, that go through the registers together.
const TOGETHER: usize = 2;

/// A word of each of 64 rows taken apart: a byte of each row for every four inputs.
type Codes = [[u8; BLOCK]; CODES];

/// Where the word of a row must lie for [`take_apart`] to leave its codes in the order of
/// [`byte_of`].
pub(super) const fn place(row: usize) -> usize {
    let byte = byte_of(row);
    byte % 8 * 8 + byte / 8
}

/// Makes codes of the words of a plane. In each block of rows the words take the first half of the room,
/// close together, and give way to their codes from the last on.
#[inline(always)]
pub(super) fn take_apart<S: Simd>(simd: S, plane: &mut [Line], stride: usize) {
    for block in plane.chunks_exact_mut((CODES * stride).max(1)) {
        for word in (0..stride).rev() {
            let words = block.get(CODES / 2 * word..).and_then(|words| words.first_chunk());
            let Some(words): Option<&[Line; 8]> = words else { return };
            let mut rows: [S::U64; 8] = from_fn(|k| simd.load64(&words[k].0));
            transpose(simd, &mut rows);
            let codes = block.get_mut(CODES * word..).unwrap_or_default();
            for (codes, bytes) in codes.as_chunks_mut::<2>().0.iter_mut().zip(rows) {
                let [low, high] = byte_lanes::halves(simd, bytes);
                simd.store64(&mut codes[0].0, low);
                simd.store64(&mut codes[1].0, high);
            }
        }
    }
}

/// Sums of the rows of a tile for four samples, each into its own quarter of `sums`.
#[inline(always)]
pub(super) fn project<S: Simd, const ZEROS: bool>(
    simd: S,
    samples: [&[u64]; SAMPLES],
    totals: [u64; SAMPLES],
    planes: &[Line],
    sums: &mut [i32],
) {
    let lines: &[[u8; BLOCK]] = bytemuck::cast_slice(planes);
    let (planes, _) = lines.as_chunks::<CODES>();
    let (kept, plus) = planes.split_at(planes.len() / 2);
    let stride = samples[0].len();
    let step = (TOGETHER * stride).max(1);
    let quarter = sums.len() / SAMPLES;
    let steps = kept.chunks(step).zip(plus.chunks(step));
    for (step, (kept, plus)) in steps.enumerate() {
        let (Some(kept), Some(plus)) =
            (kept.split_at_checked(stride), plus.split_at_checked(stride))
        else {
            return;
        };
        let pairs = samples.as_chunks().0.iter().zip(totals.as_chunks().0);
        for (pair, (&samples, &totals)) in pairs.enumerate() {
            let from = TOGETHER * (pair * quarter + step * BLOCK);
            let Some(sums) = sums.get_mut(from..) else { return };
            if kept.1.is_empty() {
                let planes = [[kept.0], [plus.0]];
                rows_of::<S, 1, ZEROS>(simd, samples, totals, planes, sums, quarter);
            } else {
                let planes = [[kept.0, kept.1], [plus.0, plus.1]];
                rows_of::<S, 2, ZEROS>(simd, samples, totals, planes, sums, quarter);
            }
        }
    }
}

/// Sums of `C` blocks of rows for two samples, the second's at a distance of `quarter`.
#[inline(always)]
fn rows_of<S: Simd, const C: usize, const ZEROS: bool>(
    simd: S,
    samples: [&[u64]; TOGETHER],
    totals: [u64; TOGETHER],
    planes: [[&[Codes]; C]; 2],
    sums: &mut [i32],
    quarter: usize,
) {
    let words = samples[0].len();
    for (pass, start) in (0..words).step_by(PASS).enumerate() {
        let mut wide = [[NOTHING; C]; TOGETHER];
        let end = words.min(start + PASS);
        // Four inputs of a row add at most 4 for each plane: 128 a word with zeros, 64 without.
        let run = if ZEROS { 1 } else { 3 };
        for start in (start..end).step_by(run) {
            look_up::<S, C, ZEROS>(simd, samples, planes, start..end.min(start + run), &mut wide);
        }
        for (sample, (wide, total)) in wide.iter().zip(totals).enumerate() {
            let Some(sums) = sums.get_mut(sample * quarter..) else { return };
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

/// The sums of a run of words, added to `wide`.
#[inline(always)]
fn look_up<S: Simd, const C: usize, const ZEROS: bool>(
    simd: S,
    samples: [&[u64]; TOGETHER],
    planes: [[&[Codes]; C]; 2],
    words: Range<usize>,
    wide: &mut [[Wide; C]; TOGETHER],
) {
    let mut sums = [[simd.zero8(); C]; TOGETHER];
    // Nothing here is ever out of range; a `break` costs less than to convince the compiler.
    'words: for word in words {
        let (Some(&a), Some(&b)) = (samples[0].get(word), samples[1].get(word)) else { break };
        let mut codes = [[&[[0; BLOCK]; CODES]; C]; 2];
        for (codes, planes) in codes.as_flattened_mut().iter_mut().zip(planes.as_flattened()) {
            let Some(planes) = planes.get(word) else { break 'words };
            *codes = planes;
        }
        let planes = if ZEROS { &codes[..] } else { &codes[..1] };
        for code in 0..CODES {
            let tables: [S::Table; TOGETHER] =
                from_fn(|r| simd.table8(&COMMON[([a, b][r] >> (4 * code)) as usize % VALUES]));
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
            byte_lanes::empty(simd, sums[r][c], &mut wide[r][c]);
        }
    }
}
