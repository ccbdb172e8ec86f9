//! W, in any of its forms: what every consumer takes.

mod rows;
mod seeded;

pub use seeded::Seeded;

use crate::arch::{Lanes16, Lanes32, Simd};

/// W·x in exact integers, for one sample or for a block of samples in lanes.
///
/// [`TritMatrix`](crate::TritMatrix) holds W as two planes; [`Seeded`] grows it again from a seed
/// whenever it is needed. All forms of the same W give the same sums. The methods trust the sizes
/// they are given: call [`project`](crate::project) and [`featurize`](crate::featurize), which check.
pub trait Projection: sealed::Sealed {
    /// Numbers in a sample: the columns of W.
    fn inputs(&self) -> usize;

    /// Sums per sample: the rows of W.
    fn features(&self) -> usize;

    /// Sums of the features `first ..` of one sample.
    #[doc(hidden)]
    fn project_one<S: Simd>(&self, simd: S, sample: &[i16], first: usize, sums: &mut [i32]);

    /// Sums of the features `first ..` of one sample of packed bits.
    #[doc(hidden)]
    fn project_bits<S: Simd>(&self, simd: S, sample: &[u64], first: usize, sums: &mut [i32]);

    /// Sums of the features `first ..` of a block of samples, input by input. Every aligned block
    /// of 64 inputs of every sample sums to at most 32,767 in absolute value.
    #[doc(hidden)]
    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        first: usize,
        sums: &mut [Lanes32],
    );
}

pub(crate) mod sealed {
    /// Keeps [`Projection`](super::Projection) to forms whose sizes were checked.
    pub trait Sealed {}
}
