//! Shared by the Walsh–Hadamard forms: the passes of a transform, and what becomes of its sums.
#![allow(
    clippy::needless_range_loop,
    reason = "the index is that of several arrays, and of registers"
)]

mod passes;

pub(super) use passes::{SignedWords, between_words, last_pass, middle_pass, stages};

use crate::arch::{Bounds, Comparisons, LANES, Lanes16, Lanes32, Simd};
use crate::featurize::periodic::{self, Phases};
use crate::featurize::{Cuts, LaneCuts};
use crate::trits::Word;

/// Lines that are finished together: a word of features.
pub(super) const WORD_LINES: usize = 64;

/// Where the sums of a transform go.
pub(super) trait Finish {
    /// What to add to the lines of a word before transforms of `size` lines within it, if anything.
    #[inline(always)]
    fn before_transforms(&self, _word: usize, _size: usize) -> Option<[i16; WORD_LINES]> {
        None
    }

    /// Takes the lines `64 · word + 8 · octet ..` of a part.
    fn octet<S: Simd>(
        &mut self,
        simd: S,
        word: usize,
        octet: usize,
        part: usize,
        sums: [S::Part16; 8],
    );

    /// Ends a word of 64 lines.
    fn end_word<S: Simd>(&mut self, simd: S, word: usize);
}

/// The finish that keeps the sums, shifted to the right: by nothing for a projection, back to the size of the sample
/// for a rotation.
pub(super) struct Sums<'a> {
    pub(super) lines: &'a mut [Lanes16],
    pub(super) shift: u32,
}

impl Finish for Sums<'_> {
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

/// D′ · z of some features of a block of samples.
pub(super) fn sign_lines(found: &[Lanes16], after: &[u64], sums: &mut [Lanes32]) {
    for (feature, (sums, found)) in sums.iter_mut().zip(found).enumerate() {
        for (sum, &z) in sums.0.as_flattened_mut().iter_mut().zip(&found.0) {
            *sum = signed(z, after, feature);
        }
    }
}

/// D′ · z of some features of one sample.
pub(super) fn sign_sample(found: &[i16], after: &[u64], sums: &mut [i32]) {
    for (feature, (sum, &z)) in sums.iter_mut().zip(found).enumerate() {
        *sum = signed(z, after, feature);
    }
}

/// z with the sign of its feature.
fn signed(z: i16, after: &[u64], feature: usize) -> i32 {
    let minus = after[feature / 64] >> (feature % 64) & 1 == 1;
    if minus { -(z as i32) } else { z as i32 }
}

/// The cuts of the samples of a block in 16 bits, each with its mirror image: a sum z whose sign D′ changes is beyond
/// a cut where z itself is beyond the mirrored one.
pub(super) struct Limits {
    /// `above_outer` and `below_inner`, of two thresholds and of four: above, +1; below, −1.
    upper: Bounds,
    /// `above_inner` and `below_outer`, of four only: −1 only above, and +1 below.
    lower: Bounds,
}

impl Limits {
    /// Takes cuts that fit in 16 bits.
    #[inline(always)]
    pub(super) fn new(cuts: &LaneCuts, four: bool) -> Self {
        let [below_outer, above_inner, below_inner, above_outer] = cuts;
        let mirrored = match four {
            true => [below_outer, above_inner],
            // Above the mirror image of the lower threshold the trit is −1, and below that of the upper one +1.
            false => [below_inner, above_outer],
        };
        Self {
            upper: bounds([above_outer, below_inner], mirrored),
            lower: bounds([above_inner, below_outer], [below_inner, above_outer]),
        }
    }
}

/// Bounds as they are, and the negatives of others.
#[inline(always)]
fn bounds(cuts: [&Lanes32; 2], mirrored: [&Lanes32; 2]) -> Bounds {
    let mut bounds = [[Lanes16([0; LANES]); 2]; 2];
    for side in 0..2 {
        let (cuts, mirrored) = (cuts[side].0.as_flattened(), mirrored[side].0.as_flattened());
        for lane in 0..LANES {
            bounds[0][side].0[lane] = narrow(cuts[lane]);
            bounds[1][side].0[lane] = narrow(mirrored[lane].saturating_neg());
        }
    }
    bounds
}

/// A cut that is known to fit, or an infinite one: nothing is below −32,768, and nothing above 32,767.
#[inline(always)]
fn narrow(cut: i32) -> i16 {
    cut.clamp(i16::MIN as i32, i16::MAX as i32) as i16
}

/// The finish of features: comparisons become words, 64 features at a time.
pub(super) struct Words<'a, W> {
    pub(super) limits: &'a Limits,
    /// Whether there are four thresholds.
    pub(super) four: bool,
    /// D′, a bit per feature.
    pub(super) after: &'a [u64],
    pub(super) bits: [[Comparisons; 2]; 2],
    pub(super) write: &'a mut W,
}

impl<W: FnMut(&[u64; LANES], &[u64; LANES])> Finish for Words<'_, W> {
    #[inline(always)]
    fn octet<S: Simd>(
        &mut self,
        simd: S,
        word: usize,
        octet: usize,
        part: usize,
        sums: [S::Part16; 8],
    ) {
        let mirrored = (*present!(self.after.get(word), else return) >> (8 * octet)) as u8;
        let [upper, lower] = &mut self.bits;
        simd.compare_part16(upper, octet, part, [sums; 2], &self.limits.upper, mirrored);
        if self.four {
            simd.compare_part16(lower, octet, part, [sums; 2], &self.limits.lower, mirrored);
        }
    }

    #[inline(always)]
    fn end_word<S: Simd>(&mut self, simd: S, word: usize) {
        let [upper, lower] = &self.bits;
        let (above, below) = (simd.words(&upper[0]), simd.words(&upper[1]));
        let (mut sign, mut mask) = ([0; LANES], [0; LANES]);
        if self.four {
            let (above_inner, below_outer) = (simd.words(&lower[0]), simd.words(&lower[1]));
            for lane in 0..LANES {
                sign[lane] = below[lane] & above_inner[lane];
                mask[lane] = sign[lane] | above[lane] | below_outer[lane];
            }
        } else {
            let mirrored = *present!(self.after.get(word), else return);
            for lane in 0..LANES {
                mask[lane] = above[lane] | below[lane];
                sign[lane] = below[lane] ^ (mirrored & mask[lane]);
            }
        }
        (self.write)(&sign, &mask);
    }
}

/// The finish of features of a periodic σ.
pub(super) struct PeriodicWords<'a, W> {
    pub(super) phases: Phases,
    /// The word of features that word 0 of the transform is.
    pub(super) first_word: usize,
    pub(super) bits: [Comparisons; 2],
    pub(super) write: &'a mut W,
}

impl<W: FnMut(&[u64; LANES], &[u64; LANES])> Finish for PeriodicWords<'_, W> {
    #[inline(always)]
    fn before_transforms(&self, word: usize, size: usize) -> Option<[i16; WORD_LINES]> {
        Some(self.phases.before_transforms(self.first_word + word, size))
    }

    #[inline(always)]
    fn octet<S: Simd>(
        &mut self,
        simd: S,
        _: usize,
        octet: usize,
        part: usize,
        sums: [S::Part16; 8],
    ) {
        periodic::compare(simd, &mut self.bits, octet, part, sums);
    }

    #[inline(always)]
    fn end_word<S: Simd>(&mut self, simd: S, _: usize) {
        let [sign, mask] = periodic::words(simd, &self.bits);
        (self.write)(&sign, &mask);
    }
}

/// Lanes of a part.
pub(super) const fn part_lanes<S: Simd>() -> usize {
    LANES / S::LINE_PARTS
}

/// The cuts of one sample in 16 bits and their mirror images, in registers.
pub(super) struct SampleCuts<S: Simd> {
    below_outer: Between<S>,
    above_inner: Between<S>,
    below_inner: Between<S>,
    above_outer: Between<S>,
    four: bool,
}

/// Sums are beyond it above the one or below the other.
struct Between<S: Simd> {
    upper: S::Part16,
    lower: S::Part16,
}

impl<S: Simd> SampleCuts<S> {
    /// Takes cuts that fit in 16 bits.
    #[inline(always)]
    pub(super) fn new(simd: S, cuts: &Cuts) -> Self {
        Self {
            below_outer: Between::new(simd, cuts.below_outer.saturating_neg()),
            above_inner: Between::new(simd, cuts.above_inner),
            below_inner: Between::new(simd, cuts.below_inner.saturating_neg()),
            above_outer: Between::new(simd, cuts.above_outer),
            four: cuts.four,
        }
    }
}

impl<S: Simd> Between<S> {
    /// A number and its mirror image.
    #[inline(always)]
    fn new(simd: S, upper: i32) -> Self {
        let lower = simd.splat_part16(narrow(upper.saturating_neg()));
        Self { upper: simd.splat_part16(narrow(upper)), lower }
    }
}

/// The trits of 64 sums, whose signs change at the bits of `after`: a sum whose sign changes is above a cut where it is
/// itself below the mirror image.
#[inline(always)]
pub(super) fn activate_word<S: Simd>(
    simd: S,
    sums: &[Lanes16; 2],
    after: u64,
    cuts: &SampleCuts<S>,
) -> Word {
    let mut plus = beyond(simd, sums, &cuts.above_outer, after);
    let mut minus = beyond(simd, sums, &cuts.below_inner, !after);
    if cuts.four {
        plus |= beyond(simd, sums, &cuts.below_outer, !after);
        minus &= beyond(simd, sums, &cuts.above_inner, after);
    }
    Word { sign: minus, mask: plus | minus }
}

/// Which of 64 sums are above the upper number; where a bit is set, below the lower one.
#[inline(always)]
fn beyond<S: Simd>(simd: S, sums: &[Lanes16; 2], between: &Between<S>, lower: u64) -> u64 {
    let (mut above, mut below) = (0, 0);
    for line in 0..2 {
        for part in 0..S::LINE_PARTS {
            let (sums, place) =
                (simd.load_part16(&sums[line], part), 32 * line + part * part_lanes::<S>());
            above |= (simd.greater_part16(sums, between.upper) as u64) << place;
            below |= (simd.greater_part16(between.lower, sums) as u64) << place;
        }
    }
    above ^ ((above ^ below) & lower)
}

/// s of a sample.
pub(super) fn shift_of_sample<S: Simd>(simd: S, sample: &[i16]) -> i32 {
    let squares = simd.vectorize(
        #[inline(always)]
        || {
            // Halves of squares add up in 32 bits for as many inputs as there may be.
            let (mut low, mut high) = (0_u32, 0_u32);
            for &number in sample {
                let square = (number as i32 * number as i32) as u32;
                low += square & 0xFFFF;
                high += square >> 16;
            }
            ((high as u64) << 16) + low as u64
        },
    );
    shift_of(squares)
}

/// s of N.
pub(crate) const fn shift_of(squares: u64) -> i32 {
    let bits = (u64::BITS - squares.leading_zeros()) as i32;
    (bits - 24 + 1) >> 1
}

/// ⌊x / 2^s⌋; s is between −12 and 11.
#[inline(always)]
pub(crate) const fn shift_number(number: i16, shift: i32) -> i16 {
    if shift >= 0 { number >> shift } else { number << -shift }
}

/// ⌊x / 2^s⌋ of every number, by one instruction per vector: the direction is the same for all.
#[inline(always)]
pub(crate) fn shift_numbers(numbers: &mut [i16], shift: i32) {
    if shift >= 0 {
        numbers.iter_mut().for_each(|number| *number >>= shift);
    } else {
        numbers.iter_mut().for_each(|number| *number <<= -shift);
    }
}

/// The numbers beyond the inputs, alternating +½ and −½, without the ½.
pub(crate) const fn padding(index: usize) -> i16 {
    -((index % 2) as i16)
}
