//! W in any of its forms, and the kernels that multiply with it.
//!
//! A form is how W lies in memory. Each has a folder with its layout and its kernels; the forms that can produce
//! their rows as words of trits share the kernels of `rows`. What each form does with each input:
//!
//! | form | W in memory | one sample | batches | packed bits, one | packed bits, batches |
//! |---|---|---|---|---|---|
//! | [`TritMatrix`](crate::TritMatrix) | two planes, 2 bits per weight | masked add | lookup tables | popcount | popcount or byte lookup |
//! | [`Seeded`] | nothing | masked add | lookup tables | popcount | popcount or byte lookup |
//! | [`RowLanes`] | 32 rows side by side, 1 or 2 bits per weight | lookup in registers | lookup tables | lookup in registers | popcount or byte lookup |
//! | [`IndexLists`] | one byte per non-zero weight | index lists | index lists | as integers 0, 1 | as integers 0, 1 |
//! | [`Local`] | nothing | short Walsh–Hadamard in 16 bits | short Walsh–Hadamard in 16 bits | as integers 0, 1 | as integers 0, 1 |
//! | [`Structured`] | nothing | Walsh–Hadamard in 16 bits | Walsh–Hadamard in 16 bits | as integers 0, 1 | as integers 0, 1 |
//!
//! - *Masked add* visits the non-zero weights of a row, or unpacks trits into lanes where that is faster.
//! - *Lookup tables* hold all sums of four to six weighted inputs, as many as L1 has room for: the method of the Four
//!   Russians.
//! - *Lookup in registers* does so for one sample, with the rows in the lanes.
//! - *Popcount or byte lookup* depends on whether the ISA has a vector popcount.
//!
//! The first four are forms of the same i.i.d. W and give the same sums; [`Local`] and [`Structured`] are others.

mod bits;
pub(crate) mod hadamard;
mod index_lists;
pub mod local;
mod row_lanes;
mod rows;
pub mod structured;

pub use index_lists::IndexLists;
pub use local::{Grid, Local, View};
pub use row_lanes::RowLanes;
#[doc(hidden)]
pub use row_lanes::add_coded;
pub use rows::Seeded;
pub use structured::{MAX_STRUCTURED_INPUTS, Structured};

pub(crate) use bits::SAMPLES as BITS_SAMPLES;

use core::ops::Range;

use crate::arch::{LANES, Lanes16, Lanes32, Line, Simd};
use crate::featurize::{BlockSigma, SampleSigma, pack_block, pack_sample};
use crate::trits::Word;

/// W·x in integers, for one sample or for blocks of 32 samples in lanes.
///
/// The [module page](self) compares the forms. The hidden methods trust the sizes they are given: call
/// [`project`](crate::project) and [`featurize`](crate::featurize), which check them.
///
/// ```
/// use ternion_core::{Projection, Seeded, Sparsity};
///
/// fn weights(w: &impl Projection) -> usize {
///     w.inputs() * w.features()
/// }
/// assert_eq!(weights(&Seeded::new(1, Sparsity::DENSE, 784, 10)?), 7840);
/// # Ok::<(), ternion_core::Error>(())
/// ```
pub trait Projection: sealed::Sealed {
    /// Numbers in a sample: the columns of W.
    fn inputs(&self) -> usize;

    /// Sums per sample: the rows of W.
    fn features(&self) -> usize;

    /// The scratch that the kernels of this form need.
    #[doc(hidden)]
    fn scratch_sizes(&self) -> ScratchSizes;

    /// For forms with sums in 16 bits: by how many bits the integers of a sample are shifted to the right before all
    /// else, rounding down; to the left if negative. Sums are shifted back, or thresholds with them.
    #[doc(hidden)]
    fn sample_shift<S: Simd>(&self, _: S, _sample: &[i16]) -> Option<i32> {
        None
    }

    /// Whether samples are rotated, and keep their size until then also for a periodic σ.
    #[doc(hidden)]
    const ROTATES: bool = false;

    // One sample of integers.

    /// Called once per sample, before its tiles. With the factor of a periodic σ, for forms that rotate.
    #[doc(hidden)]
    fn begin_sample<S: Simd>(
        &self,
        _: S,
        _sample: &[i16],
        _factor: Option<u32>,
        _work: &mut [Line],
    ) {
    }

    /// Sums of a tile of features of one sample. `sums` has room for a whole tile.
    #[doc(hidden)]
    fn project_sample<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [i32],
    );

    /// [`project_sample`](Self::project_sample), of which only the low 16 bits are wanted.
    #[doc(hidden)]
    #[inline(always)]
    fn project_sample_angles<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [i32],
    ) {
        self.project_sample(simd, sample, features, work, sums);
    }

    /// Trits of a tile of features of one sample: `write` takes a word of 64 features at a time.
    #[doc(hidden)]
    #[allow(
        clippy::too_many_arguments,
        reason = "those of `project_sample`, and what to do with the sums"
    )]
    #[inline(always)]
    fn featurize_sample<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        features: Range<usize>,
        work: &mut [Line],
        sigma: &SampleSigma,
        sums: &mut [i32],
        write: impl FnMut(Word),
    ) {
        match sigma {
            SampleSigma::Bands(_) => {
                self.project_sample(simd, sample, features.clone(), work, sums);
            }
            SampleSigma::Periodic { .. } => {
                self.project_sample_angles(simd, sample, features.clone(), work, sums);
            }
        }
        pack_sample(simd, features.start, &sums[..features.len()], sigma, write);
    }

    // A block of samples, one in each lane.

    /// Whether the kernels of blocks add within 64 inputs in 16 bits.
    #[doc(hidden)]
    const NEEDS_SMALL_SPAN_SUMS: bool = true;

    /// Called once per block of samples, before its tiles. The absolute values of every aligned span of 64 inputs of
    /// every sample sum to at most 32,767 if [`NEEDS_SMALL_SPAN_SUMS`](Self::NEEDS_SMALL_SPAN_SUMS), unless sums are
    /// angles, which may wrap; lines beyond the inputs are zero. With the factors of a periodic σ, for forms that
    /// rotate.
    #[doc(hidden)]
    fn begin_block<S: Simd>(
        &self,
        _: S,
        _block: &mut [Lanes16],
        _factors: Option<&Lanes32>,
        _work: &mut [Line],
    ) {
    }

    /// Called once per tile, before its blocks.
    #[doc(hidden)]
    fn begin_tile<S: Simd>(&self, _: S, _features: Range<usize>, _work: &mut [Line]) {}

    /// Sums of a tile of features of a block of samples. `sums` has room for a whole tile.
    #[doc(hidden)]
    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    );

    /// Trits of a tile of features of a block of samples: `write` takes the sign and the mask of 64 features at a time,
    /// a word per sample.
    #[doc(hidden)]
    #[allow(
        clippy::too_many_arguments,
        reason = "those of `project_block`, and what to do with the sums"
    )]
    #[inline(always)]
    fn featurize_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sigma: &BlockSigma<'_>,
        sums: &mut [Lanes32],
        write: impl FnMut(&[u64; LANES], &[u64; LANES]),
    ) {
        self.project_block(simd, block, features.clone(), work, sums);
        pack_block(simd, features.start, &sums[..features.len()], sigma, write);
    }

    // Samples of packed bits.

    /// Whether packed bits have kernels of their own; if not they are projected as the integers 0 and 1, and the
    /// methods below are never called.
    #[doc(hidden)]
    const PROJECTS_BITS: bool;

    /// Sums of a tile of features of one sample of packed bits. `sums` has room for a whole tile.
    #[doc(hidden)]
    fn project_sample_bits<S: Simd>(
        &self,
        _: S,
        _sample: &[u64],
        _features: Range<usize>,
        _sums: &mut [i32],
    ) {
    }

    /// Writes the planes of a tile of features in the order in which
    /// [`project_bits`](Self::project_bits) reads them.
    #[doc(hidden)]
    fn begin_bits_tile<S: Simd>(&self, _: S, _features: Range<usize>, _planes: &mut [Line]) {}

    /// Sums of the tile in `planes` for four samples of packed bits, each in its own quarter of `sums`.
    #[doc(hidden)]
    fn project_bits<S: Simd>(
        &self,
        simd: S,
        samples: [&[u64]; bits::SAMPLES],
        planes: &[Line],
        sums: &mut [i32],
    ) {
        bits::project(simd, samples, planes, sums);
    }
}

/// The scratch and the tile sizes that a form asks of the loop around it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ScratchSizes {
    /// Lines of a block of samples: at least one per input.
    pub block_lines: usize,
    /// Features in a tile of a block: a multiple of 64.
    pub tile_features: usize,
    /// Lines of `work` for blocks.
    pub work_lines: usize,
    /// Features in a tile of one sample: a multiple of 64.
    pub sample_tile_features: usize,
    /// Lines of `work` for one sample.
    pub sample_work_lines: usize,
    /// Features in a tile of four samples of packed bits: a multiple of 64.
    pub bits_tile_features: usize,
    /// Lines for the planes of such a tile; 0 if samples of packed bits are projected one by one.
    pub bits_plane_lines: usize,
}

impl ScratchSizes {
    /// For kernels that need no scratch but the sums of one word of features.
    pub(crate) const fn minimal(inputs: usize) -> Self {
        Self {
            block_lines: inputs,
            tile_features: 64,
            work_lines: 0,
            sample_tile_features: 64,
            sample_work_lines: 0,
            bits_tile_features: 64,
            bits_plane_lines: 0,
        }
    }
}

pub(crate) mod sealed {
    /// Keeps [`Projection`](super::Projection) to forms whose sizes were checked.
    pub trait Sealed {}
}
