//! W as random signs and Walsh–Hadamard transforms, as in Fastfood: nothing stored, log₂P adds per feature, 16 bits.
//!
//! # What it is, bit by bit
//!
//! x is a sample of p integers. P = 2ᵏ is the least power of two that is at least p and at least 64. H is the P × P
//! Walsh–Hadamard matrix, H\[i]\[j] = (−1)^popcount(i ∧ j). Diagonal matrices of random signs come from the dense rows
//! of [`seed`](crate::seed) with the same seed and ε = 0, a set bit meaning −1: D₀ is row 0; for transform b of P
//! features, D_b is row 2b+1 and D′_b is row 2b+2.
//!
//! ```text
//! N = Σ xⱼ²,  s = ⌈(bits of N − 24) / 2⌉        the bits of N are ⌊log₂N⌋ + 1, and 0 for N = 0
//! aⱼ = ⌊xⱼ / 2^s⌋ + ½                            brought to a norm between 2048 and 4096, also for s < 0;
//!                                                +½ for even j ≥ p, −½ for odd j ≥ p
//! y = H · D₀ · a          modulo 2¹⁶             rotated once
//! vᵢ = ⌊yᵢ / 2^⌈k/2⌉⌋ + ½                         back to its size
//! z = H · D_b · v         modulo 2¹⁶             for every P features
//! t = D′_b · z · 2^s                             feature b·P + i is tᵢ
//! ```
//!
//! "Modulo 2¹⁶" leaves a number in −32768 ..= 32767. Numbers that end in ½ can change sign by a single NOT: −(n + ½) is
//! (¬n) + ½. The transform of n + ½ is that of n, plus P/2 in row 0, so y and z are whole numbers.
//!
//! For samples whose integers are u times their numbers, a threshold r is compared with t as r·u, and so with D′·z as c
//! = r·u / 2^s: t < r is D′·z < ⌈c⌉, t > r is D′·z > ⌊c⌋. These cuts are saturated to ±32,767, except that nothing is
//! below a threshold of −∞ or above one of +∞. What [`project`](crate::project) returns is t / u; for integer samples t
//! is rounded to the nearest integer where s is negative, halves up.
//!
//! # Why sums may wrap
//!
//! z is a sum of P numbers vᵢ with independent random signs and ‖v‖ below 4096 or nearly so. By Hoeffding's inequality
//! |z| > 8·‖v‖ has a probability of at most 2·e^(−32) = 2.5·10⁻¹⁴, for any sample; the same holds for y. So sums in 16 bits
//! wrap once in 4·10¹³ features, and when they do, they do so on every target alike, in whatever order they are added.
//!
//! # What it costs in accuracy
//!
//! Rounding vᵢ moves a sum by some 0.3·√P, against a spread of 2048 to 4096: of the trits of Gaussian samples 0.05 %
//! differ from those of exact arithmetic at P = 64, 0.2 % at P = 512, 0.3 % at P = 1024, growing with √P to 1 % at
//! P = 32,768. The noise of random features themselves is far larger.
//!
//! # Why a rotation, and D′
//!
//! Each row of H·D is a row of independent signs, so the expected kernel is that of a dense ±1 W. D′ keeps the constant
//! column of H from adding up; the rotation spreads every input over all of v, which removes the effect of the weights'
//! kurtosis on data with few active inputs. Thresholds for the sums of a dense ±1 W must be multiplied by
//! [`gain`](Structured::gain), √P / 2^⌈k/2⌉: 1 or √½.

mod lanes;
mod sample;

use core::ops::Range;

use super::hadamard::{
    Finish, Limits, PeriodicWords, SampleCuts, Sums, Words, activate_word, padding,
    shift_of_sample, sign_lines, sign_sample,
};
use super::{Projection, ScratchSizes, sealed::Sealed};
use crate::arch::{Comparisons, LANES, Lanes16, Lanes32, Line, Simd};
use crate::error::{Error, Size, check_features};
use crate::featurize::{BlockSigma, SampleSigma, periodic};
use crate::input::check_inputs;
use crate::seed::{RowStream, Sparsity};
use crate::trits::Word;

/// The most inputs of a [`Structured`] projection.
pub const MAX_STRUCTURED_INPUTS: usize = 1 << 15;

/// The least number of rows of a transform.
const MIN_SIZE: usize = 64;

/// Fewest features in a tile of a block.
const MIN_TILE_FEATURES: usize = 512;

/// A structured W: random signs and Walsh–Hadamard transforms, nothing stored. [`structured`](self) specifies it bit by
/// bit.
///
/// ```
/// use ternion_core::{Projection, Structured};
///
/// let w = Structured::new(42, 784, 10_000)?;
/// assert_eq!(w.padded(), 1024);
/// assert_eq!(w.gain(), 1.0);
/// # Ok::<(), ternion_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Structured {
    seed: u64,
    inputs: usize,
    features: usize,
}

impl Structured {
    /// The structured W that a seed means.
    ///
    /// # Errors
    ///
    /// [`Error::ZeroSize`] for no inputs or no features, [`Error::SizeTooLarge`] beyond
    /// [`MAX_STRUCTURED_INPUTS`] or for more than `i32::MAX` features.
    pub const fn new(seed: u64, inputs: usize, features: usize) -> Result<Self, Error> {
        if let Err(refused) = check_inputs(inputs) {
            return Err(refused);
        }
        if let Err(refused) = check_features(features) {
            return Err(refused);
        }
        if inputs > MAX_STRUCTURED_INPUTS {
            let (size, max) = (Size::Inputs, MAX_STRUCTURED_INPUTS);
            return Err(Error::SizeTooLarge { size, max, found: inputs });
        }
        Ok(Self { seed, inputs, features })
    }

    /// The seed.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// P, the inputs padded to a power of two.
    pub const fn padded(&self) -> usize {
        let padded = self.inputs.next_power_of_two();
        if padded < MIN_SIZE { MIN_SIZE } else { padded }
    }

    /// ⌈log₂P / 2⌉, the bits by which a rotated sample is shifted back.
    pub const fn rotation_shift(&self) -> u32 {
        self.padded().trailing_zeros().div_ceil(2)
    }

    /// √P / 2^[`rotation_shift`](Self::rotation_shift): how many times larger the sums are than those of a dense ±1 W.
    pub fn gain(&self) -> f64 {
        libm::sqrt(self.padded() as f64) / (1_u64 << self.rotation_shift()) as f64
    }

    /// Words that hold P signs.
    const fn sign_words(&self) -> usize {
        self.padded() / 64
    }

    /// Features in a tile of a block: whole transforms.
    const fn tile_features(&self) -> usize {
        let (all, padded) = (self.features.next_multiple_of(self.padded()), self.padded());
        let tile = if padded < MIN_TILE_FEATURES { MIN_TILE_FEATURES } else { padded };
        if all < tile { all } else { tile }
    }

    /// Lines for the signs of a tile: D as 16-bit numbers, D′ as bits.
    const fn sign_lines(&self) -> usize {
        self.tile_features().div_ceil(LANES) + self.tile_features().div_ceil(512)
    }

    /// Writes the signs of one dense row of the seed, a bit each.
    #[inline(always)]
    fn signs(&self, row: usize, words: &mut [u64]) {
        let mut stream = RowStream::new(self.seed, Sparsity::DENSE, row as u64);
        for word in words {
            *word = stream.next_word().sign;
        }
    }

    /// Writes D and D′ of a transform, a bit each.
    fn transform_signs(&self, transform: usize, before: &mut [u64], after: &mut [u64]) {
        self.signs(2 * transform + 1, before);
        self.signs(2 * transform + 2, after);
    }

    /// Writes the signs of one dense row of the seed as numbers, −1 or 0.
    fn flips(&self, row: usize, flips: &mut [i16]) {
        let mut stream = RowStream::new(self.seed, Sparsity::DENSE, row as u64);
        for flips in flips.chunks_mut(64) {
            let signs = stream.next_word().sign;
            for (bit, flip) in flips.iter_mut().enumerate() {
                *flip = -((signs >> bit & 1) as i16);
            }
        }
    }

    /// The signs of a tile, D and D′, and the lines of work behind them.
    fn tile_signs<'a>(
        &self,
        work: &'a mut [Line],
    ) -> (&'a mut [i16], &'a mut [u64], &'a mut [Lanes16]) {
        let features = self.tile_features();
        let (before, rest) = work.split_at_mut(features.div_ceil(LANES));
        let (after, work) = rest.split_at_mut(features.div_ceil(512));
        let before = &mut bytemuck::cast_slice_mut(before)[..features];
        let after = &mut bytemuck::cast_slice_mut(after)[..features / 64];
        (before, after, bytemuck::cast_slice_mut(work))
    }

    /// The transforms of a tile, for the first `words` words of its sums.
    fn transform_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        before: &[i16],
        work: &mut [Lanes16],
        words: usize,
        finish: &mut impl Finish,
    ) {
        let starts = (0..words).step_by(self.sign_words());
        for (start, before) in starts.zip(before.chunks(self.padded())) {
            let wanted = start..words.min(start + self.sign_words());
            simd.vectorize(
                #[inline(always)]
                || lanes::transform(simd, block, before, work, wanted.clone(), finish),
            );
        }
    }

    /// The parts of the work of one sample: v, then z, then D and D′.
    fn sample_work<'a>(
        &self,
        work: &'a mut [Line],
    ) -> (&'a mut [Lanes16], &'a mut [Lanes16], [&'a mut [u64]; 2]) {
        let lines = self.padded() / LANES;
        let (rotated, rest) = work.split_at_mut(lines);
        let (sums, signs) = rest.split_at_mut(lines);
        let signs: &mut [u64] = bytemuck::cast_slice_mut(signs);
        let (before, after) = signs.split_at_mut(self.sign_words());
        (
            bytemuck::cast_slice_mut(rotated),
            bytemuck::cast_slice_mut(sums),
            [before, &mut after[..self.sign_words()]],
        )
    }
}

impl Sealed for Structured {}

impl Projection for Structured {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn features(&self) -> usize {
        self.features
    }

    fn scratch_sizes(&self) -> ScratchSizes {
        ScratchSizes {
            block_lines: self.padded(),
            tile_features: self.tile_features(),
            // The sums of a transform follow the work of its transform where they are asked for.
            work_lines: self.sign_lines() + lanes::work_lines(self.padded()) + self.padded(),
            sample_tile_features: self.padded(),
            sample_work_lines: 2 * self.padded() / LANES + (2 * self.sign_words()).div_ceil(8),
            ..ScratchSizes::minimal(self.inputs)
        }
    }

    const PROJECTS_BITS: bool = false;

    const NEEDS_SMALL_SPAN_SUMS: bool = false;

    const ROTATES: bool = true;

    fn sample_shift<S: Simd>(&self, simd: S, sample: &[i16]) -> Option<i32> {
        Some(shift_of_sample(simd, sample))
    }

    /// Writes v, or v′, to the start of `work`.
    fn begin_sample<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        factor: Option<u32>,
        work: &mut [Line],
    ) {
        let (rotated, sums, [signs, _]) = self.sample_work(work);
        let numbers: &mut [i16] = bytemuck::cast_slice_mut(sums);
        numbers[..sample.len()].copy_from_slice(sample);
        for (index, number) in numbers.iter_mut().enumerate().skip(sample.len()) {
            *number = padding(index);
        }
        self.signs(0, signs);
        let by = self.rotation_shift();
        simd.vectorize(
            #[inline(always)]
            || {
                sample::transform(
                    simd,
                    sums,
                    signs,
                    rotated,
                    #[inline(always)]
                    |_, word| sample::shift(simd, word, by),
                );
                if let Some(factor) = factor {
                    periodic::rotated_sample_in_turns(bytemuck::cast_slice_mut(rotated), factor);
                }
            },
        );
    }

    fn project_sample<S: Simd>(
        &self,
        simd: S,
        _: &[i16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [i32],
    ) {
        let (rotated, found, [before, after]) = self.sample_work(work);
        self.transform_signs(features.start / self.padded(), before, after);
        simd.vectorize(
            #[inline(always)]
            || {
                sample::transform(
                    simd,
                    rotated,
                    before,
                    found,
                    #[inline(always)]
                    |_, _| {},
                );
            },
        );
        sign_sample(bytemuck::cast_slice(found), after, sums);
    }

    fn featurize_sample<S: Simd>(
        &self,
        simd: S,
        _: &[i16],
        features: Range<usize>,
        work: &mut [Line],
        sigma: &SampleSigma,
        _: &mut [i32],
        mut write: impl FnMut(Word),
    ) {
        let (rotated, sums, [before, after]) = self.sample_work(work);
        let (transform, words) = (features.start / self.padded(), features.len().div_ceil(64));
        match sigma {
            SampleSigma::Bands(cuts) => {
                self.transform_signs(transform, before, after);
                let wanted = &after[..words];
                simd.vectorize(
                    #[inline(always)]
                    || {
                        let cuts = SampleCuts::new(simd, cuts);
                        sample::transform(
                            simd,
                            rotated,
                            before,
                            sums,
                            #[inline(always)]
                            |word, sums| {
                                if let Some(&after) = wanted.get(word) {
                                    write(activate_word(simd, sums, after, &cuts));
                                }
                            },
                        );
                    },
                );
            }
            SampleSigma::Periodic { phases, .. } => {
                // Drawing signs takes as long as two stages of the transform, and D′ is left out.
                self.signs(2 * transform + 1, before);
                simd.vectorize(
                    #[inline(always)]
                    || {
                        sample::transform(
                            simd,
                            rotated,
                            before,
                            sums,
                            #[inline(always)]
                            |word, sums| {
                                if word < words {
                                    let phases = phases.of_word(simd, features.start / 64 + word);
                                    write(periodic::word(simd, sums, &phases));
                                }
                            },
                        );
                    },
                );
            }
        }
    }

    /// Rotates the block in place.
    fn begin_block<S: Simd>(
        &self,
        simd: S,
        block: &mut [Lanes16],
        factors: Option<&Lanes32>,
        work: &mut [Line],
    ) {
        for (index, line) in block.iter_mut().enumerate().skip(self.inputs) {
            *line = Lanes16([padding(index); LANES]);
        }
        let work: &mut [Lanes16] = bytemuck::cast_slice_mut(work);
        let (rotated, rest) = work.split_at_mut(self.padded());
        let (flips, work) = rest.split_at_mut(self.padded() / LANES);
        let flips: &mut [i16] = bytemuck::cast_slice_mut(flips);
        self.flips(0, flips);
        let (words, shift) = (0..self.sign_words(), self.rotation_shift());
        simd.vectorize(
            #[inline(always)]
            || {
                let mut finish = Sums { lines: rotated, shift };
                lanes::transform(simd, block, flips, work, words, &mut finish);
                if let Some(factors) = factors {
                    periodic::rotated_block_in_turns(rotated, factors);
                }
            },
        );
        block.copy_from_slice(rotated);
    }

    /// Writes the signs of the transforms of the tile to `work`: all D, then all D′.
    fn begin_tile<S: Simd>(&self, _: S, features: Range<usize>, work: &mut [Line]) {
        let first = features.start / self.padded();
        let (before, after, _) = self.tile_signs(work);
        let pairs = before.chunks_mut(self.padded()).zip(after.chunks_mut(self.sign_words()));
        let last = features.end.div_ceil(self.padded());
        for (transform, (before, after)) in (first..last).zip(pairs) {
            self.flips(2 * transform + 1, before);
            self.signs(2 * transform + 2, after);
        }
    }

    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        let (before, after, work) = self.tile_signs(work);
        let (work, found) = work.split_at_mut(lanes::work_lines(self.padded()));
        let found = &mut found[..self.padded()];
        let signs = before.chunks(self.padded()).zip(after.chunks(self.sign_words()));
        let all = sums[..features.len()].chunks_mut(self.padded());
        for ((before, after), sums) in signs.zip(all) {
            simd.vectorize(
                #[inline(always)]
                || {
                    let words = 0..self.sign_words();
                    lanes::transform(
                        simd,
                        block,
                        before,
                        work,
                        words,
                        &mut Sums { lines: found, shift: 0 },
                    );
                },
            );
            sign_lines(found, after, sums);
        }
    }

    fn featurize_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sigma: &BlockSigma<'_>,
        _: &mut [Lanes32],
        mut write: impl FnMut(&[u64; LANES], &[u64; LANES]),
    ) {
        let (before, after, work) = self.tile_signs(work);
        let (words, write) = (features.len().div_ceil(64), &mut write);
        match *sigma {
            BlockSigma::Bands { cuts, four } => {
                let (limits, bits) = (&Limits::new(cuts, four), [[Comparisons::ZERO; 2]; 2]);
                let mut finish = Words { limits, four, after, bits, write };
                self.transform_block(simd, block, before, work, words, &mut finish);
            }
            BlockSigma::Periodic(phases) => {
                let (first_word, bits) = (features.start / 64, [Comparisons::ZERO; 2]);
                let mut finish = PeriodicWords { phases, first_word, bits, write };
                self.transform_block(simd, block, before, work, words, &mut finish);
            }
        }
    }
}
