//! W as its seed: generated whenever it is needed, nothing stored.

use super::Rows;
use crate::error::{Error, Size, check_features, same};
use crate::input::check_inputs;
use crate::seed::{RowStream, Sparsity};
use crate::trits::{TritMatrix, Word, plane_words, words_per_row};

/// An i.i.d. W that is nothing but its seed, sparsity and sizes.
///
/// What a seed means is specified bit by bit in [`seed`](crate::seed).
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
    /// The first `features` rows of `inputs` trits of the W that `seed` and `sparsity` mean.
    ///
    /// # Errors
    ///
    /// [`Error::ZeroSize`] for no inputs or no features, [`Error::SizeTooLarge`] beyond
    /// [`MAX_INPUTS`](crate::MAX_INPUTS) inputs or `i32::MAX` features, [`Error::SizeOverflow`] if the planes of such a W would not fit in memory.
    pub const fn new(
        seed: u64,
        sparsity: Sparsity,
        inputs: usize,
        features: usize,
    ) -> Result<Self, Error> {
        if let Err(refused) = check_inputs(inputs) {
            return Err(refused);
        }
        if let Err(refused) = check_features(features) {
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

    /// Writes W into planes that the caller keeps.
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
            let mut words = RowStream::new(self.seed, self.sparsity, row as u64);
            for word in 0..words_per_row(self.inputs) {
                out.set_word(row, word, words.next_word());
            }
        }
        Ok(())
    }
}

impl Rows for Seeded {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn features(&self) -> usize {
        self.features
    }

    #[inline(always)]
    fn row_words(&self, row: usize) -> impl Iterator<Item = Word> {
        let mut stream = RowStream::new(self.seed, self.sparsity, row as u64);
        core::iter::from_fn(
            #[inline(always)]
            move || Some(stream.next_word()),
        )
    }
}
