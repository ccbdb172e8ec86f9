//! W grown again from a seed whenever it is needed: nothing stored.

use core::ops::Range;

use super::{Needs, Projection, grown, sealed::Sealed};
use crate::arch::{Lanes16, Lanes32, Line, Simd};
use crate::error::{Error, Size, nonzero, same};
use crate::kernels::{bits, masked};
use crate::samples::check_inputs;
use crate::sampling::{RowWords, Sparsity};
use crate::trits::{TritMatrix, Word, plane_words, words_per_row};

/// An i.i.d. W that is nothing but its seed, sparsity and sizes.
///
/// What a seed means is specified bit by bit in [`sampling`](crate::sampling).
///
/// ```
/// use ternion_core::{Seeded, Sparsity};
///
/// let w = Seeded::new(42, Sparsity::TWO_THIRDS, 784, 10_000)?;
/// assert!(size_of_val(&w) <= 32); // against 2 MB for its planes
/// # Ok::<(), ternion_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seeded {
    seed: u64,
    sparsity: Sparsity,
    inputs: usize,
    features: usize,
}

impl Seeded {
    /// The W that `seed` and `sparsity` mean, cut to `features` rows of `inputs` trits.
    ///
    /// # Errors
    ///
    /// [`Error::ZeroSize`] for no inputs or no features, [`Error::SizeTooLarge`] beyond
    /// [`MAX_INPUTS`](crate::MAX_INPUTS), [`Error::SizeOverflow`] if the planes of such a W would not fit in memory.
    pub const fn new(
        seed: u64,
        sparsity: Sparsity,
        inputs: usize,
        features: usize,
    ) -> Result<Self, Error> {
        if let Err(refused) = check_inputs(inputs) {
            return Err(refused);
        }
        if let Err(refused) = nonzero(Size::Features, features) {
            return Err(refused);
        }
        match plane_words(features, inputs) {
            Ok(_) => Ok(Self { seed, sparsity, inputs, features }),
            Err(refused) => Err(refused),
        }
    }

    /// The seed.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// The probability of a zero.
    pub const fn sparsity(&self) -> Sparsity {
        self.sparsity
    }

    /// Writes W into planes, to be kept.
    ///
    /// # Errors
    ///
    /// [`Error::SizeMismatch`] if `out` has other sizes.
    pub fn fill<S: AsRef<[u64]> + AsMut<[u64]>>(
        &self,
        out: &mut TritMatrix<S>,
    ) -> Result<(), Error> {
        same(Size::Rows, self.features, out.rows())?;
        same(Size::Cols, self.inputs, out.cols())?;
        for row in 0..self.features {
            let mut words = RowWords::new(self.seed, self.sparsity, row as u64);
            for word in 0..words_per_row(self.inputs) {
                out.set_word(row, word, words.next_word());
            }
        }
        Ok(())
    }
}

impl Sealed for Seeded {}

impl Seeded {
    /// The words of one row, without end.
    #[inline(always)]
    fn words(&self, row: usize) -> impl Iterator<Item = Word> {
        let mut words = RowWords::new(self.seed, self.sparsity, row as u64);
        core::iter::from_fn(move || Some(words.next_word()))
    }
}

impl Projection for Seeded {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn features(&self) -> usize {
        self.features
    }

    fn needs(&self) -> Needs {
        grown::needs(self.inputs, self.features)
    }

    const BITS: bool = true;

    fn project_bits<S: Simd>(
        &self,
        simd: S,
        sample: &[u64],
        features: Range<usize>,
        sums: &mut [i32],
    ) {
        masked::project_bits(simd, features.map(|row| self.words(row)), sample, sums);
    }

    fn begin_bits<S: Simd>(&self, simd: S, features: Range<usize>, planes: &mut [Line]) {
        bits::begin(simd, features.map(|row| self.words(row)), self.inputs, planes);
    }

    fn project_one<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        features: Range<usize>,
        _: &mut [Line],
        sums: &mut [i32],
    ) {
        masked::project_one(simd, features.map(|row| self.words(row)), sample, sums);
    }

    /// Grows the planes of the tile behind the tables, once for all blocks of samples.
    fn begin_tile<S: Simd>(&self, simd: S, features: Range<usize>, work: &mut [Line]) {
        grown::write(simd, features.map(|row| self.words(row)), self.inputs, self.features, work);
    }

    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        grown::project(simd, block, self.inputs, self.features, features.len(), work, sums);
    }
}
