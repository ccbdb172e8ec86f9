//! W, in any of its forms: what every consumer takes.

mod planes;
mod seeded;
mod tabled;

pub use seeded::Seeded;
pub use tabled::Tabled;

use crate::arch::{Lanes16, Lanes32, Line, Simd};

/// W·x in exact integers, for one sample or for blocks of samples in lanes.
///
/// | form | W in memory | kernel |
/// |---|---|---|
/// | [`TritMatrix`](crate::TritMatrix) | two planes | masked adds: no scratch to speak of |
/// | [`Tabled`] | borrowed planes | lookup tables: the fastest for batches |
/// | [`Seeded`] | nothing | planes grown a tile at a time, then lookup tables |
///
/// All forms of the same W give the same sums. The hidden methods trust the sizes they are given:
/// call [`project`](crate::project) and [`featurize`](crate::featurize), which check.
pub trait Projection: sealed::Sealed {
    /// Numbers in a sample: the columns of W.
    fn inputs(&self) -> usize;

    /// Sums per sample: the rows of W.
    fn features(&self) -> usize;

    /// What the kernels of this form need.
    #[doc(hidden)]
    fn needs(&self) -> Needs;

    /// Sums of the features `first ..` of one sample.
    #[doc(hidden)]
    fn project_one<S: Simd>(&self, simd: S, sample: &[i16], first: usize, sums: &mut [i32]);

    /// Sums of the features `first ..` of one sample of packed bits.
    #[doc(hidden)]
    fn project_bits<S: Simd>(&self, simd: S, sample: &[u64], first: usize, sums: &mut [i32]);

    /// Called before the blocks of the features `first .. first + count`.
    #[doc(hidden)]
    fn begin_tile<S: Simd>(&self, _: S, _first: usize, _count: usize, _work: &mut [Line]) {}

    /// Sums of the features `first ..` of a block of samples, input by input. Every aligned block
    /// of 64 inputs of every sample sums to at most 32,767 in absolute value.
    #[doc(hidden)]
    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        first: usize,
        work: &mut [Line],
        sums: &mut [Lanes32],
    );
}

/// The sizes that a form of W asks of the loop around it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// Features per call of `project_block`: a multiple of 64.
    pub tile: usize,
    /// Lines of `work`.
    pub work: usize,
}

pub(crate) mod sealed {
    /// Keeps [`Projection`](super::Projection) to forms whose sizes were checked.
    pub trait Sealed {}
}
