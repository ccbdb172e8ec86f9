//! W, in any of its forms: what every consumer takes.

mod grown;
mod listed;
mod planes;
mod row_lanes;
mod seeded;
mod structured;
mod tabled;

pub use listed::Listed;
pub use row_lanes::RowLanes;
pub use seeded::Seeded;
pub use structured::{MAX_STRUCTURED_INPUTS, Structured};
pub use tabled::Tabled;

use core::ops::Range;

use crate::arch::{Lanes16, Lanes32, Line, Simd};
use crate::kernels::bits;

/// W·x in exact integers, for one sample or for blocks of samples in lanes.
///
/// | form | W in memory | fastest for |
/// |---|---|---|
/// | [`TritMatrix`](crate::TritMatrix) | two planes, 2 bits a weight | few features, little scratch: masked adds |
/// | [`Tabled`] | the same planes, borrowed | batches, below six tenths of zeros: lookup tables |
/// | [`RowLanes`] | rows side by side, 1 or 2 bits a weight | one sample, and batches like `Tabled` |
/// | [`Listed`] | a byte a non-zero weight | batches, from six tenths of zeros on |
/// | [`Seeded`] | nothing | no memory for W: grown a tile at a time, then as `Tabled` |
/// | [`Structured`] | nothing | speed above all: Walsh–Hadamard transforms, another W |
///
/// All but the last are forms of the same W and give the same sums. The hidden methods trust the
/// sizes they are given: call [`project`](crate::project) and [`featurize`](crate::featurize), which
/// check.
pub trait Projection: sealed::Sealed {
    /// Numbers in a sample: the columns of W.
    fn inputs(&self) -> usize;

    /// Sums per sample: the rows of W.
    fn features(&self) -> usize;

    /// What the kernels of this form need.
    #[doc(hidden)]
    fn needs(&self) -> Needs;

    /// Whether packed bits go to `project_bits`; otherwise they come as integers 0 and 1.
    #[doc(hidden)]
    const BITS: bool;

    /// Sums of a tile of features of one sample of packed bits into the first of `sums`, which has
    /// room for a tile.
    #[doc(hidden)]
    fn project_bits<S: Simd>(
        &self,
        _: S,
        _sample: &[u64],
        _features: Range<usize>,
        _sums: &mut [i32],
    ) {
    }

    /// Puts the planes of a tile of features into the order in which several samples of packed bits
    /// are taken, if [`Needs::bits`] asks for it.
    #[doc(hidden)]
    fn begin_bits<S: Simd>(&self, _: S, _features: Range<usize>, _planes: &mut [Line]) {}

    /// Called with each sample that comes alone, before its tiles.
    #[doc(hidden)]
    fn begin_one<S: Simd>(&self, _: S, _sample: &[i16], _work: &mut [Line]) {}

    /// Sums of the features `first .. first + count` of one sample into the first of `sums`, which
    /// has room for a tile.
    #[doc(hidden)]
    fn project_one<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [i32],
    );

    /// Called with each block of samples, before its tiles. Every aligned block of 64 inputs of
    /// every sample sums to at most 32,767 in absolute value; the lanes beyond the inputs are zero.
    #[doc(hidden)]
    fn begin_block<S: Simd>(&self, _: S, _block: &mut [Lanes16], _work: &mut [Line]) {}

    /// Called before the blocks of a tile.
    #[doc(hidden)]
    fn begin_tile<S: Simd>(&self, _: S, _features: Range<usize>, _work: &mut [Line]) {}

    /// Sums of a tile of features of a block of samples into the first of `sums`, which has room
    /// for a tile.
    #[doc(hidden)]
    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    );
}

/// The sizes that a form of W asks of the loop around it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Lines of a block of samples: at least one per input.
    pub block: usize,
    /// Features in a tile of a block: a multiple of 64.
    pub tile: usize,
    /// Lines of `work` for blocks.
    pub work: usize,
    /// Features in a tile of one sample: a multiple of 64.
    pub one_tile: usize,
    /// Lines of `work` for one sample.
    pub one_work: usize,
    /// Features in a tile of several samples of packed bits: a multiple of 64.
    pub bits_tile: usize,
    /// Lines for the planes of such a tile; none if samples of bits go one by one.
    pub bits: usize,
}

impl Needs {
    /// Of kernels that need nothing but room for one word of features.
    pub(crate) const fn least(inputs: usize) -> Self {
        let (tile, one_tile, bits_tile) = (64, 64, 64);
        Self { block: inputs, tile, work: 0, one_tile, one_work: 0, bits_tile, bits: 0 }
    }

    /// The same, for a form that takes several samples of packed bits together.
    pub(crate) const fn with_bits(self, inputs: usize, features: usize) -> Self {
        let (bits_tile, bits) = (bits::tile(features), bits::lines(inputs, features));
        Self { bits_tile, bits, ..self }
    }
}

pub(crate) mod sealed {
    /// Keeps [`Projection`](super::Projection) to forms whose sizes were checked.
    pub trait Sealed {}
}
