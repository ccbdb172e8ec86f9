//! The structured W for a block of 32 samples, one in each 16-bit lane: transforms fused with what follows them.
//!
//! ```text
//! first passes   strides of 64 lines and more, up to three stages each; the first reads the samples with their signs
//! middle pass    strides 8, 16, 32 of 64 neighbours, which stay in L1
//! last pass      strides 1, 2, 4 of eight neighbours; their sums go straight from registers to the finish
//! ```
//!
//! 1. Eight lines of a part are eight registers, so every pass does three stages for one load and one store per line.
//! 2. The finish of features is a comparison: sums are never stored. D′ does not touch them either; where its sign is
//!    −1 they are compared with the mirrored thresholds, which lie beside the others in L1.
//! 3. Words of 64 lines are 65 lines apart, so that the lines of a pass do not fall into the same sets of the cache.
//!
//! What bounds it: for P = 512 a line, a feature of 32 samples, takes 9 stages, one sign and two comparisons. On AVX2 that is 18
//! additions, 2 XORs and 12 operations to compare and collect, 32 operations on three ports, 11 cycles. On AVX-512 it
//! is 12 operations on two ports (a comparison into a mask takes one of them on Intel, either on Zen 4), 6 cycles; the
//! first pass reads its lines from L2 where 64 · P bytes exceed L1.
#![allow(
    clippy::needless_range_loop,
    reason = "the index is that of several arrays, and of registers"
)]

use crate::arch::{LANES, Lanes16, Simd};
use crate::projection::hadamard::{Finish, WORD_LINES, butterflies};

/// Distance between words in the work buffer.
const WORD_DISTANCE: usize = WORD_LINES + 1;

/// Lines of work for a transform of `size` lines.
pub(super) const fn work_lines(size: usize) -> usize {
    size / WORD_LINES * WORD_DISTANCE
}

/// A word of neighbours, and a line of distance to the next.
type WorkWord = [Lanes16; WORD_DISTANCE];

/// H · (±(lines + ½)), the signs from `flips` (−1 or 0 per line), for the first `words` words of 64 sums. As many
/// lines as `flips`, a power of two and at least 64.
#[inline(always)]
pub(super) fn transform<S: Simd>(
    simd: S,
    lines: &[Lanes16],
    flips: &[i16],
    work: &mut [Lanes16],
    words: usize,
    finish: &mut impl Finish,
) {
    let (lines, _) = lines.as_chunks::<WORD_LINES>();
    let (all_flips, _) = flips.as_chunks::<WORD_LINES>();
    let (work, _) = work.as_chunks_mut::<WORD_DISTANCE>();
    let work = present!(work.get_mut(..all_flips.len()), else return);
    let mut stride = all_flips.len();
    if stride > 1 {
        let radix = radix_of(stride);
        stride /= radix;
        match radix {
            8 => first_pass::<S, 8>(simd, lines, all_flips, work, stride),
            4 => first_pass::<S, 4>(simd, lines, all_flips, work, stride),
            _ => first_pass::<S, 2>(simd, lines, all_flips, work, stride),
        }
    } else {
        let (lines, flips) =
            (present!(lines.first(), else return), present!(all_flips.first(), else return));
        middle_pass_from(simd, lines, flips, present!(work.first_mut(), else return));
    }
    while stride > 1 {
        let radix = radix_of(stride);
        stride /= radix;
        match radix {
            8 => far_pass::<S, 8>(simd, work, stride),
            4 => far_pass::<S, 4>(simd, work, stride),
            _ => far_pass::<S, 2>(simd, work, stride),
        }
    }
    for (word, work) in work.iter_mut().enumerate().take(words) {
        if all_flips.len() > 1 {
            middle_pass(simd, work);
        }
        // The halves of the numbers add up in the first sum only.
        let extra = if word == 0 { (flips.len() / 2) as i16 } else { 0 };
        last_pass(simd, work, word, extra, finish);
    }
}

/// The strides of a pass: three stages where possible.
#[inline(always)]
pub(super) fn radix_of(stride: usize) -> usize {
    if stride.is_multiple_of(8) { 8 } else { stride.min(4) }
}

/// The stages of the `R` largest strides, which are `stride` words and more, with signs on the way in.
#[inline(always)]
fn first_pass<S: Simd, const R: usize>(
    simd: S,
    lines: &[[Lanes16; WORD_LINES]],
    flips: &[[i16; WORD_LINES]],
    work: &mut [WorkWord],
    stride: usize,
) {
    for word in 0..stride {
        let mut indices = [0; R];
        let (mut from, mut signs) =
            ([&[Lanes16([0; LANES]); WORD_LINES]; R], [&[0; WORD_LINES]; R]);
        for k in 0..R {
            indices[k] = word + k * stride;
            from[k] = present!(lines.get(indices[k]), else return);
            signs[k] = present!(flips.get(indices[k]), else return);
        }
        let to = present!(work.get_disjoint_mut(indices).ok(), else return);
        for line in 0..WORD_LINES {
            for part in 0..S::LINE_PARTS {
                let mut rows = [simd.splat_part16(0); R];
                for k in 0..R {
                    let sign = simd.splat_part16(signs[k][line]);
                    rows[k] = simd.xor_part16(sign, simd.load_part16(&from[k][line], part));
                }
                butterflies(simd, &mut rows);
                for k in 0..R {
                    simd.store_part16(&mut to[k][line], part, rows[k]);
                }
            }
        }
    }
}

/// The stages of `R` strides, the smallest of which is `stride` words, in place.
#[inline(always)]
fn far_pass<S: Simd, const R: usize>(simd: S, work: &mut [WorkWord], stride: usize) {
    for first in (0..work.len()).step_by(stride * R) {
        for word in first..first + stride {
            let mut indices = [0; R];
            for k in 0..R {
                indices[k] = word + k * stride;
            }
            let words = present!(work.get_disjoint_mut(indices).ok(), else return);
            for line in 0..WORD_LINES {
                for part in 0..S::LINE_PARTS {
                    let mut rows = [simd.splat_part16(0); R];
                    for k in 0..R {
                        rows[k] = simd.load_part16(&words[k][line], part);
                    }
                    butterflies(simd, &mut rows);
                    for k in 0..R {
                        simd.store_part16(&mut words[k][line], part, rows[k]);
                    }
                }
            }
        }
    }
}

/// The strides 8, 16 and 32 of 64 neighbours, in place.
#[inline(always)]
fn middle_pass<S: Simd>(simd: S, work: &mut WorkWord) {
    for line in 0..8 {
        for part in 0..S::LINE_PARTS {
            let mut rows = [simd.splat_part16(0); 8];
            for k in 0..8 {
                rows[k] = simd.load_part16(&work[line + 8 * k], part);
            }
            butterflies(simd, &mut rows);
            for k in 0..8 {
                simd.store_part16(&mut work[line + 8 * k], part, rows[k]);
            }
        }
    }
}

/// [`middle_pass`] from the samples, with signs on the way in.
#[inline(always)]
fn middle_pass_from<S: Simd>(
    simd: S,
    lines: &[Lanes16; WORD_LINES],
    flips: &[i16; WORD_LINES],
    work: &mut WorkWord,
) {
    for line in 0..8 {
        for part in 0..S::LINE_PARTS {
            let mut rows = [simd.splat_part16(0); 8];
            for k in 0..8 {
                let index = line + 8 * k;
                let sign = simd.splat_part16(flips[index]);
                rows[k] = simd.xor_part16(sign, simd.load_part16(&lines[index], part));
            }
            butterflies(simd, &mut rows);
            for k in 0..8 {
                simd.store_part16(&mut work[line + 8 * k], part, rows[k]);
            }
        }
    }
}

/// The strides 1, 2 and 4; the sums go to the finish. `extra` is added to the first.
#[inline(always)]
fn last_pass<S: Simd>(simd: S, work: &WorkWord, word: usize, extra: i16, finish: &mut impl Finish) {
    for octet in 0..8 {
        for part in 0..S::LINE_PARTS {
            let mut rows = [simd.splat_part16(0); 8];
            for k in 0..8 {
                rows[k] = simd.load_part16(&work[8 * octet + k], part);
            }
            butterflies(simd, &mut rows);
            if octet == 0 {
                rows[0] = simd.add_part16(rows[0], simd.splat_part16(extra));
            }
            finish.octet(simd, word, octet, part, rows);
        }
    }
    finish.end_word(simd, word);
}

/// The finish of a rotation: sums, shifted back to the size of the sample.
pub(super) struct Rotated<'a> {
    pub(super) lines: &'a mut [Lanes16],
    pub(super) shift: u32,
}

impl Finish for Rotated<'_> {
    #[inline(always)]
    fn octet<S: Simd>(
        &mut self,
        simd: S,
        word: usize,
        octet: usize,
        part: usize,
        sums: [S::Part16; 8],
    ) {
        let start = WORD_LINES * word + 8 * octet;
        let lines = present!(self.lines.get_mut(start..start + 8), else return);
        for (line, sum) in lines.iter_mut().zip(sums) {
            simd.store_part16(line, part, simd.shift_part16(sum, self.shift));
        }
    }

    #[inline(always)]
    fn end_word<S: Simd>(&mut self, _: S, _: usize) {}
}
