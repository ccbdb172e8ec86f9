//! The passes of a Walsh–Hadamard transform: up to three stages for one load and one store of every register.
//!
//! A transform works on words of lines. Stages between words come first, of which the first reads numbers with their
//! signs; then those between the lines of a word.

use super::{Finish, WORD_LINES};
use crate::arch::{Lanes16, Simd};

/// The stages of `R` registers whose strides are below `limit`.
#[inline(always)]
pub(in crate::projection) fn stages<S: Simd, const R: usize>(
    simd: S,
    rows: &mut [S::Part16; R],
    limit: usize,
) {
    let mut stride = 1;
    while stride < limit {
        for k in 0..R {
            if k & stride == 0 && k + stride < R {
                let (a, b) = (rows[k], rows[k + stride]);
                rows[k] = simd.add_part16(a, b);
                rows[k + stride] = simd.sub_part16(a, b);
            }
        }
        stride *= 2;
    }
}

/// Words of numbers that change sign on the way into a transform.
pub(in crate::projection) trait SignedWords<S: Simd> {
    /// A word and its signs.
    type Word: Copy;

    /// The word at an index.
    fn word(&self, index: usize) -> Option<Self::Word>;

    /// A part of a line of a word.
    fn part(simd: S, word: Self::Word, line: usize, part: usize) -> S::Part16;
}

/// All stages between words, from `from` to `words`, each of which has `lines` lines.
#[inline(always)]
pub(in crate::projection) fn between_words<S: Simd, F: SignedWords<S>, const N: usize>(
    simd: S,
    from: &F,
    words: &mut [[Lanes16; N]],
    lines: usize,
) {
    let mut stride = words.len();
    let radix = radix_of(stride);
    stride /= radix;
    match radix {
        8 => first_pass::<S, F, 8, N>(simd, from, words, lines, stride),
        4 => first_pass::<S, F, 4, N>(simd, from, words, lines, stride),
        2 => first_pass::<S, F, 2, N>(simd, from, words, lines, stride),
        _ => first_pass::<S, F, 1, N>(simd, from, words, lines, stride),
    }
    while stride > 1 {
        let radix = radix_of(stride);
        stride /= radix;
        match radix {
            8 => far_pass::<S, 8, N>(simd, words, lines, stride),
            4 => far_pass::<S, 4, N>(simd, words, lines, stride),
            _ => far_pass::<S, 2, N>(simd, words, lines, stride),
        }
    }
}

/// The strides of a pass: three stages where possible.
#[inline(always)]
fn radix_of(stride: usize) -> usize {
    if stride.is_multiple_of(8) { 8 } else { stride.min(4) }
}

/// The stages of the `R` largest strides, with signs on the way in.
#[inline(always)]
fn first_pass<S: Simd, F: SignedWords<S>, const R: usize, const N: usize>(
    simd: S,
    from: &F,
    words: &mut [[Lanes16; N]],
    lines: usize,
    stride: usize,
) {
    for index in 0..stride {
        let mut indices = [index; R];
        let mut read = [present!(from.word(index), else return); R];
        for k in 1..R {
            indices[k] = index + k * stride;
            read[k] = present!(from.word(indices[k]), else return);
        }
        let words = present!(words.get_disjoint_mut(indices).ok(), else return);
        for line in 0..lines {
            for part in 0..S::LINE_PARTS {
                let mut rows = [simd.splat_part16(0); R];
                for k in 0..R {
                    rows[k] = F::part(simd, read[k], line, part);
                }
                stages(simd, &mut rows, R);
                for k in 0..R {
                    simd.store_part16(&mut words[k][line], part, rows[k]);
                }
            }
        }
    }
}

/// The stages of `R` strides, the smallest of which is `stride` words, in place.
#[inline(always)]
fn far_pass<S: Simd, const R: usize, const N: usize>(
    simd: S,
    words: &mut [[Lanes16; N]],
    lines: usize,
    stride: usize,
) {
    for first in (0..words.len()).step_by(stride * R) {
        for index in first..first + stride {
            let mut indices = [index; R];
            for k in 1..R {
                indices[k] = index + k * stride;
            }
            let words = present!(words.get_disjoint_mut(indices).ok(), else return);
            for line in 0..lines {
                for part in 0..S::LINE_PARTS {
                    let mut rows = [simd.splat_part16(0); R];
                    for k in 0..R {
                        rows[k] = simd.load_part16(&words[k][line], part);
                    }
                    stages(simd, &mut rows, R);
                    for k in 0..R {
                        simd.store_part16(&mut words[k][line], part, rows[k]);
                    }
                }
            }
        }
    }
}

/// The strides 8, 16 and 32 of a word of 64 lines that are below `size`. `read` gives a part of a line: from the work,
/// or from where the numbers come from; `more` is added to it.
#[inline(always)]
pub(in crate::projection) fn middle_pass<S: Simd, const N: usize>(
    simd: S,
    work: &mut [Lanes16; N],
    size: usize,
    more: Option<[i16; WORD_LINES]>,
    read: impl Fn(&[Lanes16; N], usize, usize) -> S::Part16,
) {
    for start in 0..8 {
        for part in 0..S::LINE_PARTS {
            let mut rows = [simd.splat_part16(0); 8];
            for k in 0..8 {
                rows[k] = read(work, start + 8 * k, part);
            }
            // Only the lines of a transform at 0, 1, 2, 4, … have more.
            if let Some(more) = &more
                && (size < 8 || start & start.wrapping_sub(1) == 0)
            {
                rows[0] = simd.add_part16(rows[0], simd.splat_part16(more[start]));
                if size < WORD_LINES || start == 0 {
                    for k in 1..8 {
                        let more = simd.splat_part16(more[start + 8 * k]);
                        rows[k] = simd.add_part16(rows[k], more);
                    }
                }
            }
            match size {
                ..16 => {}
                16 => stages(simd, &mut rows, 2),
                32 => stages(simd, &mut rows, 4),
                _ => stages(simd, &mut rows, 8),
            }
            for k in 0..8 {
                simd.store_part16(&mut work[start + 8 * k], part, rows[k]);
            }
        }
    }
}

/// The strides 1, 2 and 4 of a word that are below `size`; the sums go to the finish. The halves of the numbers add up
/// in the first sum of each transform.
#[inline(always)]
pub(in crate::projection) fn last_pass<S: Simd, const N: usize>(
    simd: S,
    work: &[Lanes16; N],
    word: usize,
    size: usize,
    finish: &mut impl Finish,
) {
    let halves = simd.splat_part16((size / 2) as i16);
    for octet in 0..8 {
        for part in 0..S::LINE_PARTS {
            let mut rows = [simd.splat_part16(0); 8];
            for k in 0..8 {
                rows[k] = simd.load_part16(&work[8 * octet + k], part);
            }
            match size {
                2 => stages(simd, &mut rows, 2),
                4 => stages(simd, &mut rows, 4),
                _ => stages(simd, &mut rows, 8),
            }
            if (WORD_LINES * word + 8 * octet).is_multiple_of(size) {
                rows[0] = simd.add_part16(rows[0], halves);
            }
            if size < 8 {
                for k in 1..8_usize {
                    if k.is_multiple_of(size) {
                        rows[k] = simd.add_part16(rows[k], halves);
                    }
                }
            }
            finish.octet(simd, word, octet, part, rows);
        }
    }
    finish.end_word(simd, word);
}
