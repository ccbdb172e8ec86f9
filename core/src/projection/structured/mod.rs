//! W as random signs and Walsh–Hadamard transforms, as in Fastfood: nothing stored, log₂P adds per feature.
//!
//! # What it is, bit by bit
//!
//! Inputs are padded with zeros to P = 2ᵏ, the next power of two. H is the P × P Walsh–Hadamard
//! matrix, H[i][j] = (−1)^popcount(i ∧ j). Diagonal matrices of random signs come from the dense
//! rows of [`seed`](crate::seed) with the same seed and ε = 0, a set bit meaning −1:
//! D₀ is row 0; for block b of P features, D_b is row 2b+1 and D′_b is row 2b+2.
//!
//! ```text
//! y  = H · D₀ · x                                    the sample is rotated once,
//! y′ = ⌊(y + 2^(s−1)) / 2^s⌋,  s = max(⌊k/2⌋, k−6)    brought back to its size (y′ = y if s = 0),
//! z  = D′_b · H · D_b · y′                           and transformed for every block of features
//! ```
//!
//! Feature b·P + i is z[i]. All of it is exact in 32 bits: y is a signed sum of the sample; for
//! samples whose aligned blocks of 64 sum to at most 32,767, |y′| ≤ 32,767 as well; and by
//! Cauchy–Schwarz |z| ≤ P·(‖x‖/2^s + 1/2), below 2³¹ for every sample of 16-bit numbers and
//! [`MAX_STRUCTURED_INPUTS`].
//!
//! # Why
//!
//! Each row of H·D is a row of independent signs, so the expected kernel is that of a dense ±1 W.
//! D′ keeps the constant column of H from adding up; the rotation spreads every input over all of
//! y, which removes the effect of the weights' kurtosis on data with few active inputs. √P/2^s is 1
//! or √2 up to P = 4096: thresholds for the sums of a dense ±1 W must be multiplied by
//! [`gain`](Structured::gain).

mod hadamard;

use core::ops::Range;

use super::{Projection, ScratchSizes, sealed::Sealed};
use crate::arch::{HALF, LANES, Lanes16, Lanes32, Line, Simd};
use crate::error::{Error, Size, nonzero};
use crate::input::check_inputs;
use crate::seed::{RowStream, Sparsity};

/// The most inputs of a [`Structured`] projection.
pub const MAX_STRUCTURED_INPUTS: usize = 1 << 15;

/// A structured W: random signs and Walsh–Hadamard transforms, nothing stored.
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
        if let Err(refused) = nonzero(Size::Features, features) {
            return Err(refused);
        }
        if inputs > MAX_STRUCTURED_INPUTS {
            let (size, max) = (Size::Inputs, MAX_STRUCTURED_INPUTS);
            return Err(Error::SizeTooLarge { size, max, found: inputs });
        }
        if features > i32::MAX as usize {
            let (size, max) = (Size::Features, i32::MAX as usize);
            return Err(Error::SizeTooLarge { size, max, found: features });
        }
        Ok(Self { seed, inputs, features })
    }

    /// The seed.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// P, the inputs padded to a power of two.
    pub const fn padded(&self) -> usize {
        self.inputs.next_power_of_two()
    }

    /// s, the bits by which a rotated sample is shifted back.
    pub const fn shift(&self) -> u32 {
        let k = self.padded().trailing_zeros();
        let (half, least) = (k / 2, k.saturating_sub(6));
        if half > least { half } else { least }
    }

    /// √P / 2^s: how many times larger the sums are than those of a dense ±1 W.
    pub fn gain(&self) -> f64 {
        libm::sqrt(self.padded() as f64) / (1_u64 << self.shift()) as f64
    }

    /// Words that hold P signs.
    const fn sign_words(&self) -> usize {
        self.padded().div_ceil(64)
    }

    /// P features, or as many blocks of P as make a word of features.
    const fn tile_features(&self) -> usize {
        let padded = self.padded();
        if padded < 64 { 64 } else { padded }
    }

    /// Lines for the signs of a tile before and after its transforms.
    const fn flip_lines(&self) -> usize {
        (2 * self.tile_features()).div_ceil(LANES)
    }

    /// Writes the signs of one dense row of the seed in the form that the block transforms take.
    fn flips(&self, row: usize, flips: &mut [i16]) {
        let mut stream = RowStream::new(self.seed, Sparsity::DENSE, row as u64);
        for flips in flips.chunks_mut(64) {
            hadamard::expand_signs(&[stream.next_word().sign], flips);
        }
    }

    /// Writes the signs of one dense row of the seed.
    #[inline(always)]
    fn signs(&self, row: usize, words: &mut [u64]) {
        let mut stream = RowStream::new(self.seed, Sparsity::DENSE, row as u64);
        for word in words {
            *word = stream.next_word().sign;
        }
    }

    /// The signs of a tile before and after its transforms.
    fn tile_flips<'a>(&self, work: &'a mut [Line]) -> (&'a mut [i16], &'a mut [i16]) {
        let flips: &mut [i16] = bytemuck::cast_slice_mut(work);
        flips[..2 * self.tile_features()].split_at_mut(self.tile_features())
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
        let sign_lines = (2 * self.sign_words()).div_ceil(8);
        ScratchSizes {
            block_lines: self.padded(),
            tile_features: self.tile_features(),
            work_lines: self.flip_lines() + 2 * self.padded(),
            sample_tile_features: self.tile_features(),
            sample_work_lines: self.padded().div_ceil(HALF) + sign_lines,
            ..ScratchSizes::minimal(self.inputs)
        }
    }

    const PROJECTS_BITS: bool = false;

    /// Writes y′ to the start of `work`.
    fn begin_sample<S: Simd>(&self, simd: S, sample: &[i16], work: &mut [Line]) {
        let (rotated, signs) = work.split_at_mut(self.padded().div_ceil(HALF));
        let rotated: &mut [i32] = &mut bytemuck::cast_slice_mut(rotated)[..self.padded()];
        let signs: &mut [u64] = &mut bytemuck::cast_slice_mut(signs)[..self.sign_words()];
        self.signs(0, signs);
        rotated.fill(0);
        for (y, &x) in rotated.iter_mut().zip(sample) {
            *y = x as i32;
        }
        hadamard::transform_sample(simd, signs, &[], rotated);
        let shift = self.shift();
        simd.vectorize(
            #[inline(always)]
            || {
                for y in rotated {
                    *y = shift_back(*y, shift);
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
        let (rotated, signs) = work.split_at_mut(self.padded().div_ceil(HALF));
        let rotated: &[i32] = &bytemuck::cast_slice(rotated)[..self.padded()];
        let signs: &mut [u64] = &mut bytemuck::cast_slice_mut(signs)[..2 * self.sign_words()];
        let (before, after) = signs.split_at_mut(self.sign_words());
        let first = features.start / self.padded();
        for (block, sums) in (first..).zip(sums.chunks_exact_mut(self.padded())) {
            sums.copy_from_slice(rotated);
            self.signs(2 * block + 1, before);
            self.signs(2 * block + 2, after);
            hadamard::transform_sample(simd, before, after, sums);
        }
    }

    /// Rotates the block in place. The 16 bits of y′ are enough by the bound above.
    fn begin_block<S: Simd>(&self, simd: S, block: &mut [Lanes16], work: &mut [Line]) {
        let (flips, rotated) = work.split_at_mut(self.flip_lines());
        let flips: &mut [i16] = &mut bytemuck::cast_slice_mut(flips)[..self.padded()];
        self.flips(0, flips);
        let rotated = bytemuck::cast_slice_mut(&mut rotated[..2 * self.padded()]);
        hadamard::transform_block(simd, block, flips, &[], rotated);
        let shift = self.shift();
        simd.vectorize(
            #[inline(always)]
            || {
                for (to, from) in block.iter_mut().zip(&*rotated) {
                    for (to, &from) in to.0.iter_mut().zip(from.0.as_flattened()) {
                        *to = shift_back(from, shift) as i16;
                    }
                }
            },
        );
    }

    /// Writes the signs of the tile's blocks to `work`: all D, then all D′.
    fn begin_tile<S: Simd>(&self, _: S, features: Range<usize>, work: &mut [Line]) {
        let first = features.start / self.padded();
        let (before, after) = self.tile_flips(work);
        let pairs = before.chunks_mut(self.padded()).zip(after.chunks_mut(self.padded()));
        for (block, (before, after)) in (first..).zip(pairs) {
            self.flips(2 * block + 1, before);
            self.flips(2 * block + 2, after);
        }
    }

    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        _: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        let (before, after) = self.tile_flips(work);
        let pairs = before.chunks(self.padded()).zip(after.chunks(self.padded()));
        for ((before, after), sums) in pairs.zip(sums.chunks_exact_mut(self.padded())) {
            hadamard::transform_block(simd, block, before, after, sums);
        }
    }
}

/// y′ of y: a rounding shift.
#[inline(always)]
fn shift_back(y: i32, shift: u32) -> i32 {
    let half = (1 << shift) >> 1;
    y.wrapping_add(half) >> shift
}
