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

use crate::arch::{LANES, Lanes16, Simd};
use crate::projection::hadamard::{SignedWords, between_words, part_lanes, stages};

/// 64 neighbouring numbers.
type Word = [Lanes16; 2];

/// The most registers of a word.
const MAX_REGISTERS: usize = 8;

/// A sample, 64 numbers at a time, and a bit per sign.
struct SampleWords<'a> {
    numbers: &'a [Word],
    before: &'a [u64],
}

impl<'a, S: Simd> SignedWords<S> for SampleWords<'a> {
    type Word = (&'a Word, u64);

    #[inline(always)]
    fn word(&self, index: usize) -> Option<Self::Word> {
        Some((self.numbers.get(index)?, *self.before.get(index)?))
    }

    #[inline(always)]
    fn part(simd: S, (word, signs): Self::Word, line: usize, part: usize) -> S::Part16 {
        let bits = (signs >> (32 * line + part * part_lanes::<S>())) as u32;
        simd.not_part16_where(simd.load_part16(&word[line], part), bits)
    }
}

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
    let from = SampleWords { numbers: numbers.as_chunks().0, before };
    let (sums, _) = sums.as_chunks_mut::<2>();
    between_words(simd, &from, sums, 2);
    for (index, word) in sums.iter_mut().enumerate() {
        last_pass(simd, word);
        if index == 0 {
            // The halves of the numbers add up in the first sum only.
            let halves = (numbers.len() * LANES / 2) as i16;
            word[0].0[0] = word[0].0[0].wrapping_add(halves);
        }
        each(index, word);
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
    stages(simd, &mut rows, registers);
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
