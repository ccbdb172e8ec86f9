//! The structured W for one sample: registers hold neighbouring numbers.
//!
//! ```text
//! first passes   strides of 64 numbers and more, up to three stages each; the first reads the sample with its signs
//! last pass      the stages within a word of 64 numbers, between registers and within them; the word is finished at once
//! ```
//!
//! The sums of a word lie in order, so that their comparisons are the packed word.
//!
//! What bounds it: the shuffles. A register takes three operations for each stage within it (shuffle, sign, add), one for
//! each stage between registers, four for its signs, and four for each of its comparisons on AVX2.
#![allow(
    clippy::needless_range_loop,
    reason = "the index is that of several arrays, and of registers"
)]

use super::lanes::radix_of;
use crate::arch::{Lanes16, Simd};
use crate::projection::hadamard::{WORD_LINES, butterflies, part_lanes};

/// 64 neighbouring numbers.
type Word = [Lanes16; 2];

/// The most registers of a word.
const MAX_REGISTERS: usize = 8;

/// H · (±(numbers + ½)), the signs from the bits of `before`, from `numbers` to `sums`. Passes every word of sums to `each`
/// when it is ready.
#[inline(always)]
pub(super) fn transform<S: Simd>(
    simd: S,
    numbers: &[Lanes16],
    before: &[u64],
    sums: &mut [Lanes16],
    mut each: impl FnMut(usize, &mut Word),
) {
    let (numbers, _) = numbers.as_chunks::<2>();
    let (sums, _) = sums.as_chunks_mut::<2>();
    let mut stride = sums.len();
    let radix = radix_of(stride);
    stride /= radix;
    match radix {
        8 => first_pass::<S, 8>(simd, numbers, before, sums, stride),
        4 => first_pass::<S, 4>(simd, numbers, before, sums, stride),
        2 => first_pass::<S, 2>(simd, numbers, before, sums, stride),
        _ => first_pass::<S, 1>(simd, numbers, before, sums, stride),
    }
    while stride > 1 {
        let radix = radix_of(stride);
        stride /= radix;
        match radix {
            8 => pass::<S, 8>(simd, sums, stride),
            4 => pass::<S, 4>(simd, sums, stride),
            _ => pass::<S, 2>(simd, sums, stride),
        }
    }
    for (index, word) in sums.iter_mut().enumerate() {
        last_pass(simd, word);
        if index == 0 {
            // The halves of the numbers add up in the first sum only.
            let halves = (numbers.len() * WORD_LINES / 2) as i16;
            word[0].0[0] = word[0].0[0].wrapping_add(halves);
        }
        each(index, word);
    }
}

/// The stages of the `R` largest strides, with signs on the way in.
#[inline(always)]
fn first_pass<S: Simd, const R: usize>(
    simd: S,
    numbers: &[Word],
    before: &[u64],
    sums: &mut [Word],
    stride: usize,
) {
    for index in 0..stride {
        let (mut words, mut signs) = ([&[Lanes16([0; 32]); 2]; R], [0; R]);
        let mut indices = [0; R];
        for k in 0..R {
            indices[k] = index + k * stride;
            words[k] = present!(numbers.get(indices[k]), else return);
            signs[k] = *present!(before.get(indices[k]), else return);
        }
        let sums = present!(sums.get_disjoint_mut(indices).ok(), else return);
        for line in 0..2 {
            for part in 0..S::LINE_PARTS {
                let mut rows = [simd.splat_part16(0); R];
                for k in 0..R {
                    let bits = (signs[k] >> (32 * line + part * part_lanes::<S>())) as u32;
                    rows[k] = simd.not_part16_where(simd.load_part16(&words[k][line], part), bits);
                }
                butterflies(simd, &mut rows);
                for k in 0..R {
                    simd.store_part16(&mut sums[k][line], part, rows[k]);
                }
            }
        }
    }
}

/// The stages of `R` strides from `stride` words, in place.
#[inline(always)]
fn pass<S: Simd, const R: usize>(simd: S, sums: &mut [Word], stride: usize) {
    for sums in sums.chunks_exact_mut((stride * R).max(1)) {
        for index in 0..stride {
            let mut indices = [0; R];
            for k in 0..R {
                indices[k] = index + k * stride;
            }
            let words = present!(sums.get_disjoint_mut(indices).ok(), else return);
            for line in 0..2 {
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

/// The stages within a word.
#[inline(always)]
fn last_pass<S: Simd>(simd: S, word: &mut Word) {
    let registers = 2 * S::LINE_PARTS;
    let mut rows = [simd.splat_part16(0); MAX_REGISTERS];
    for k in 0..registers {
        let line = &word[k / S::LINE_PARTS];
        rows[k] = simd.hadamard_part16(simd.load_part16(line, k % S::LINE_PARTS));
    }
    let mut stride = 1;
    while stride < registers {
        for k in 0..registers {
            if k & stride == 0 {
                let (a, b) = (rows[k], rows[k + stride]);
                rows[k] = simd.add_part16(a, b);
                rows[k + stride] = simd.sub_part16(a, b);
            }
        }
        stride *= 2;
    }
    for k in 0..registers {
        simd.store_part16(&mut word[k / S::LINE_PARTS], k % S::LINE_PARTS, rows[k]);
    }
}

/// Shifts every number of a word to the right.
#[inline(always)]
pub(super) fn shift<S: Simd>(simd: S, word: &mut Word, by: u32) {
    for line in word {
        for part in 0..S::LINE_PARTS {
            let number = simd.shift_part16(simd.load_part16(line, part), by);
            simd.store_part16(line, part, number);
        }
    }
}
