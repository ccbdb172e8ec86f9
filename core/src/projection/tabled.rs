//! Borrowed planes, projected by lookup tables.

use core::ops::Range;

use super::{Needs, Projection, sealed::Sealed};
use crate::arch::{Lanes16, Lanes32, Line, Simd};
use crate::kernels::{bits, tables};
use crate::trits::TritMatrix;

/// A stored W that is projected by lookup tables of partial sums, in batches.
///
/// The fastest form for batches of dense or moderately sparse W: one add for five weights without
/// zeros, for two and a half otherwise. Needs 26 KB of tables and a tile of running sums as
/// scratch, and no copy of W. Few features or little memory: use the matrix itself.
///
/// ```
/// use ternion_core::{Projection, Tabled, TritMatrix};
///
/// let planes = TritMatrix::new(1, 3, [0b010], [0b011])?;
/// let w = Tabled::new(&planes);
/// assert_eq!((w.features(), w.inputs()), (1, 3));
/// # Ok::<(), ternion_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tabled<'a>(TritMatrix<&'a [u64]>);

impl<'a> Tabled<'a> {
    /// Borrows the planes.
    pub fn new<O: AsRef<[u64]>>(planes: &'a TritMatrix<O>) -> Self {
        Self(planes.view())
    }
}

impl Sealed for Tabled<'_> {}

impl Projection for Tabled<'_> {
    fn inputs(&self) -> usize {
        self.0.cols()
    }

    fn features(&self) -> usize {
        self.0.rows()
    }

    fn needs(&self) -> Needs {
        let least = Needs::least(self.inputs()).with_bits(self.inputs(), self.features());
        Needs { tile: tables::tile(self.features()), work: tables::LINES, ..least }
    }

    const BITS: bool = true;

    fn project_bits<S: Simd>(
        &self,
        simd: S,
        sample: &[u64],
        features: Range<usize>,
        sums: &mut [i32],
    ) {
        self.0.project_bits(simd, sample, features, sums);
    }

    fn begin_bits<S: Simd>(&self, simd: S, features: Range<usize>, planes: &mut [Line]) {
        bits::begin(simd, features.map(|row| self.0.words(row)), self.inputs(), planes);
    }

    fn project_one<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [i32],
    ) {
        self.0.project_one(simd, sample, features, work, sums);
    }

    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        tables::project(simd, self.0, features, block, work, sums);
    }
}
