//! The periodic σ: the cosine of a sum as a trit, with a phase of its own for every feature.
//!
//! # Why
//!
//! Thresholds make a kernel that resembles the one that is wanted. A cosine with a random phase has the Gaussian kernel
//! itself as its limit, and one of three levels keeps 91 % of its power in the first harmonic. It costs next to
//! nothing: with 2¹⁶ for a period, a sum that wraps in 16 bits *is* the angle.
//!
//! # What it is, bit by bit
//!
//! x is a sample of integers that are u times its numbers, as every σ sees it (see [`quantize`](crate::quantize)), and
//! T is the period in the unit of the numbers; if T is [per norm](crate::Thresholds::per_norm), u is ‖x‖. All samples
//! are brought to one unit, in which 2¹⁶ is a period:
//!
//! ```text
//! F = 2³² / (T·u)                                rounded to the nearest integer, at most 2³² − 1; 0 if u = 0
//! qⱼ = ⌊(xⱼ · F + 2¹⁵) / 2¹⁶⌋     modulo 2¹⁶     takes the place of xⱼ
//! ```
//!
//! Sums of [`Local`](crate::Local) are those of its definition for a = q + ½. [`Structured`](crate::Structured) needs
//! true sizes for its rotation, so its numbers change their unit after it: s and v = n + ½ are those of its definition,
//! and
//!
//! ```text
//! G = ⌊F · 2^(s−1) + ½⌋           modulo 2³²
//! v′ = ⌊(2n+1) · G / 2¹⁶⌋ + ½     modulo 2¹⁶     takes the place of v
//! ```
//!
//! D′ of these two forms is left out: a phase does what it is for.
//!
//! Features come in words of 64. The phases of word w are made of seven numbers of 16 bits. With a and b the two
//! outputs of row 2⁶² + w of the [seed](crate::seed) of the phases, β₀ … β₃ are the quarters of a, the lowest first,
//! and β₄ … β₆ the lower three of b:
//!
//! ```text
//! φᵢ = β₀ ± β₁ ± β₂ ± β₃ ± β₄ ± β₅ ± β₆  modulo 2¹⁶     − for β₁₊ₖ where bit k of i is set
//! ```
//!
//! With z the sum of feature 64·w + i modulo 2¹⁶, as a number in −32768 ..= 32767,
//!
//! ```text
//! n + ½ = |z + φᵢ + ½|            modulo 2¹⁶     distance to the middle of the period
//! trit = −1 if n < 10,923, +1 if n > 21,844, else 0
//! ```
//!
//! which is −1 where the cosine of the angle is below −½ and +1 where it is above ½, for an angle that starts at π.
//!
//! # Why so few random numbers
//!
//! The noise of a Gram matrix depends on pairs of features only. Any two phases of a word are independent but for their
//! parity, and a transform of 64 adds them for the price of seven additions: β₀ goes into its first number, β₁ … β₆
//! into those at 1, 2, 4, 8, 16 and 32.
#![allow(
    clippy::needless_range_loop,
    reason = "the index is that of several arrays, and of registers"
)]

use crate::arch::{Bounds, Comparisons, HALF, LANES, Lanes16, Lanes32, Simd};
use crate::seed;
use crate::trits::Word;

/// The row of the seed whose outputs are the phases of word 0: no W has as many rows.
const FIRST_ROW: u64 = 1 << 62;

/// n below it is −1.
const BELOW: i16 = 10_923;

/// n above it is +1.
const ABOVE: i16 = 21_844;

/// Added to every phase by the kernels, to save the absolute value: y = z + φ − 21,845 is
///
/// ```text
/// below −10,922                      where n < 10,923
/// in 0 ..= 21,845, without a sign    where n > 21,844
/// ```
pub(crate) const TURNED: i16 = -(ABOVE + 1);

/// What the y of +1 is below, without its sign.
pub(crate) const TURNED_BEYOND: i16 = ABOVE + 2;

/// What the y of +1 is above, if all its bits but the sign are inverted.
const INVERTED_ABOVE: i16 = i16::MAX - TURNED_BEYOND;

/// The cuts of a block of samples: y, inverted, above the first is +1; y below the second, −1.
static BOUNDS: Bounds = [[Lanes16([INVERTED_ABOVE; LANES]), Lanes16([TURNED_BELOW; LANES])]; 2];

/// What the y of −1 is below.
pub(crate) const TURNED_BELOW: i16 = BELOW + TURNED;

/// Line k: −1 where bit k of the lane is set.
static SIGNS: [Lanes16; 5] = {
    let mut signs = [Lanes16([0; LANES]); 5];
    let mut k = 0;
    while k < 5 {
        let mut lane = 0;
        while lane < LANES {
            signs[k].0[lane] = -((lane >> k & 1) as i16);
            lane += 1;
        }
        k += 1;
    }
    signs
};

/// Line k: −1 where bit k of the lane is set, else 1.
static HIGH_SIGNS: [[i32; HALF]; 4] = {
    let mut signs = [[1; HALF]; 4];
    let mut k = 0;
    while k < 4 {
        let mut lane = 0;
        while lane < HALF {
            signs[k][lane] = 1 - 2 * (lane >> k & 1) as i32;
            lane += 1;
        }
        k += 1;
    }
    signs
};

/// The phases of all features: a seed.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Phases {
    seed: u64,
}

impl Phases {
    pub(crate) const fn new(seed: u64) -> Self {
        Self { seed }
    }

    pub(super) const fn seed(&self) -> u64 {
        self.seed
    }

    /// β₀ … β₆ of a word.
    #[inline(always)]
    pub(crate) fn steps(&self, word: usize) -> [i16; 7] {
        let [a, b] = seed::state(self.seed, FIRST_ROW + word as u64);
        let quarter = |word: u64, k: u32| (word >> (16 * k)) as i16;
        [
            quarter(a, 0),
            quarter(a, 1),
            quarter(a, 2),
            quarter(a, 3),
            quarter(b, 0),
            quarter(b, 1),
            quarter(b, 2),
        ]
    }

    /// The phases of a word, for [`word`] or [`compare`].
    #[inline(always)]
    pub(crate) fn of_word<S: Simd>(&self, simd: S, word: usize) -> [Lanes16; 2] {
        let [first, steps @ ..] = self.steps(word);
        let lane_bits = (LANES / S::LINE_PARTS).trailing_zeros() as usize;
        // Those of the lanes of a register, and the difference from register to register.
        let mut lanes = simd.splat_part16(first.wrapping_add(TURNED));
        for k in 0..5 {
            if k < lane_bits {
                let sign = simd.load_part16(&SIGNS[k], 0);
                let signed = simd.xor_part16(simd.splat_part16(steps[k]), sign);
                lanes = simd.add_part16(lanes, simd.sub_part16(signed, sign));
            }
        }
        let mut phases = [Lanes16([0; LANES]); 2];
        for register in 0..2 * S::LINE_PARTS {
            let mut difference = 0_i16;
            for k in 0..6 {
                if k >= lane_bits {
                    let minus = register >> (k - lane_bits) & 1 == 1;
                    let signed = if minus { steps[k].wrapping_neg() } else { steps[k] };
                    difference = difference.wrapping_add(signed);
                }
            }
            let sums = simd.add_part16(lanes, simd.splat_part16(difference));
            let (line, part) = (register / S::LINE_PARTS, register % S::LINE_PARTS);
            simd.store_part16(&mut phases[line], part, sums);
        }
        phases
    }

    /// The phases of a word, for [`word_of_high_halves`].
    #[inline(always)]
    pub(super) fn high_halves<S: Simd>(&self, simd: S, word: usize) -> HighPhases {
        let [first, steps @ ..] = self.steps(word);
        let high = |number: i16| i32::from(number) << 16;
        let mut lanes = simd.splat32(high(first.wrapping_add(TURNED)));
        for k in 0..4 {
            let sign = simd.load32(&HIGH_SIGNS[k]);
            lanes = simd.add32(lanes, simd.mul32(simd.splat32(high(steps[k])), sign));
        }
        let mut phases = [[0; HALF]; 64 / HALF];
        let (a, b) = (high(steps[4]), high(steps[5]));
        let sums = [a.wrapping_add(b), b.wrapping_sub(a), a.wrapping_sub(b)];
        let sums = [sums[0], sums[1], sums[2], sums[0].wrapping_neg()];
        for (phases, sum) in phases.iter_mut().zip(sums) {
            simd.store32(phases, simd.add32(lanes, simd.splat32(sum)));
        }
        phases
    }

    /// What to add to the 64 numbers of a word before transforms of `size`, a power of two up to 64, for its phases to
    /// be in the sums, as [`compare`] wants them.
    #[inline(always)]
    pub(crate) fn before_transforms(&self, word: usize, size: usize) -> [i16; 64] {
        let [first, steps @ ..] = self.steps(word);
        let first = first.wrapping_add(TURNED);
        let mut numbers = [0_i16; 64];
        // A constant, where it usually is one.
        if size == 64 {
            numbers[0] = first;
            for k in 0..6 {
                numbers[1 << k] = steps[k];
            }
            return numbers;
        }
        // The first number of a transform takes β₀ and what the larger strides add to all of its sums.
        // Plain loops over all numbers, which become a few vector operations each.
        let within = (size as i16).wrapping_sub(1);
        for index in 0..64_i16 {
            numbers[index as usize] = if index & within == 0 { first } else { 0 };
        }
        for k in 0..6 {
            let (stride, step) = (1_i16 << k, steps[k]);
            for index in 0..64_i16 {
                let number = &mut numbers[index as usize];
                if stride > within {
                    let signed = if index & stride == 0 { step } else { step.wrapping_neg() };
                    *number = number.wrapping_add(if index & within == 0 { signed } else { 0 });
                } else if index & within == stride {
                    *number = step;
                }
            }
        }
        numbers
    }
}

/// Whether the sums of eight features, with their phases, are trits +1 or −1, for the samples in a part.
#[inline(always)]
pub(crate) fn compare<S: Simd>(
    simd: S,
    bits: &mut [Comparisons; 2],
    octet: usize,
    part: usize,
    sums: [S::Part16; 8],
) {
    let mut inverted = sums;
    for k in 0..8 {
        inverted[k] = invert(simd, sums[k]);
    }
    simd.compare_part16(bits, octet, part, [inverted, sums], &BOUNDS, 0);
}

/// The sign and the mask of 64 features that were compared, a word per sample.
#[inline(always)]
pub(crate) fn words<S: Simd>(simd: S, bits: &[Comparisons; 2]) -> [[u64; LANES]; 2] {
    let (mut mask, minus) = (simd.words(&bits[0]), simd.words(&bits[1]));
    for lane in 0..LANES {
        mask[lane] |= minus[lane];
    }
    [minus, mask]
}

/// The trits of 64 sums of one sample.
#[inline(always)]
pub(crate) fn word<S: Simd>(simd: S, sums: &[Lanes16; 2], phases: &[Lanes16; 2]) -> Word {
    let (below, above) = (simd.splat_part16(TURNED_BELOW), simd.splat_part16(INVERTED_ABOVE));
    let (mut plus, mut minus) = (0, 0);
    for register in 0..2 * S::LINE_PARTS {
        let (line, part) = (register / S::LINE_PARTS, register % S::LINE_PARTS);
        let (sums, phases) =
            (simd.load_part16(&sums[line], part), simd.load_part16(&phases[line], part));
        let y = simd.add_part16(sums, phases);
        let place = register * (LANES / S::LINE_PARTS);
        plus |= (simd.greater_part16(invert(simd, y), above) as u64) << place;
        minus |= (simd.greater_part16(below, y) as u64) << place;
    }
    Word { sign: minus, mask: plus | minus }
}

/// The phases of 64 features in the high halves of 32 bits, for [`word_of_high_halves`].
pub(super) type HighPhases = [[i32; HALF]; 64 / HALF];

/// The trits of 64 sums of one sample, each multiplied by the high half of `times`, whose low half is zero: the low half of
/// an angle is zero, and nothing has to be narrowed.
#[inline(always)]
pub(super) fn word_of_high_halves<S: Simd>(
    simd: S,
    sums: &[i32; 64],
    times: S::I32,
    phases: &HighPhases,
) -> Word {
    let below = simd.splat32(i32::from(TURNED_BELOW) << 16);
    let beyond = simd.splat32(i32::from(TURNED_BEYOND) << 16);
    let (sums, _) = sums.as_chunks::<HALF>();
    let (mut plus, mut minus) = (0, 0);
    for (part, (sums, phases)) in sums.iter().zip(phases).enumerate() {
        let y = simd.add32(simd.load32(phases), simd.mul32(simd.load32(sums), times));
        plus |= (simd.greater32_unsigned(beyond, y) as u64) << (HALF * part);
        minus |= (simd.greater32(below, y) as u64) << (HALF * part);
    }
    Word { sign: minus, mask: plus | minus }
}

/// All bits but the sign.
#[inline(always)]
fn invert<S: Simd>(simd: S, sums: S::Part16) -> S::Part16 {
    simd.xor_part16(sums, simd.splat_part16(i16::MAX))
}

/// F from T·u.
pub(super) fn factor(period: f64) -> u32 {
    // The cast saturates.
    if period == 0.0 { 0 } else { libm::round(4_294_967_296.0 / period) as u32 }
}

/// G for numbers that were shifted to the right by some bits.
pub(crate) const fn rotated_factor(factor: u32, shift: i32) -> u32 {
    if shift >= 1 {
        factor << (shift - 1)
    } else {
        ((factor as u64 + (1 << -shift)) >> (1 - shift)) as u32
    }
}

/// What a bit of packed bits becomes: q of 1.
#[inline(always)]
pub(super) const fn of_one(factor: u32) -> i16 {
    number_in_turns(1, factor)
}

/// q of a number.
#[inline(always)]
pub(crate) const fn number_in_turns(number: i16, factor: u32) -> i16 {
    ((number as i32).wrapping_mul(factor as i32).wrapping_add(1 << 15) >> 16) as i16
}

/// q of every number of a sample.
#[inline(always)]
pub(super) fn in_turns(row: &mut [i16], factor: u32) {
    for number in row {
        *number = number_in_turns(*number, factor);
    }
}

/// v′ of a number v, both without the ½.
#[inline(always)]
const fn rotated_in_turns(number: i16, factor: u32) -> i16 {
    ((2 * number as i32 + 1).wrapping_mul(factor as i32) >> 16) as i16
}

/// v′ of every number of a rotated sample.
#[inline(always)]
pub(crate) fn rotated_sample_in_turns(numbers: &mut [i16], factor: u32) {
    for number in numbers {
        *number = rotated_in_turns(*number, factor);
    }
}

/// v′ of every number of a rotated block of samples.
#[inline(always)]
pub(crate) fn rotated_block_in_turns(block: &mut [Lanes16], factors: &Lanes32) {
    let factors = factors.0.as_flattened();
    for line in block {
        for lane in 0..LANES {
            line.0[lane] = rotated_in_turns(line.0[lane], factors[lane] as u32);
        }
    }
}
