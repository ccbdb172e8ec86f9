//! [`Features`]: the packed features of a batch. Their products with vectors are in `matvec`.

use super::second_moments::second_moments;
use super::transpose::transpose_plane;
use crate::{Error, Isa, Matrix, memory, parallel};
use ternion_core::{
    Buffer, Error as CoreError, Size, TritMatrix, TritRow, plane_words, words_per_row,
};

/// The ternary features of a batch of samples, two bits each: a row of trits per sample.
///
/// Products of samples with samples are computed by [`Gram`](crate::Gram).
///
/// ```
/// # use ternion::{Gram, Samples, TernaryFeatures};
/// # let x: Vec<f32> = (0..60).map(|k| (k * k % 17) as f32).collect();
/// # let samples = Samples::new(&x, 6)?;
/// let features = TernaryFeatures::params(256).fit(&samples)?.transform(&samples)?;
/// assert_eq!((features.len(), features.features()), (10, 256));
/// let gram = Gram::new(&features).matrix()?; // (1/m) ΣᵀΣ
/// assert_eq!(gram.row(2).unwrap()[7], gram.row(7).unwrap()[2]);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Features {
    trits: TritMatrix<Vec<u64>>,
    isa: Isa,
    /// The [fingerprint](crate::TernaryFeatures::fingerprint) of the fit that made all of them, if one did.
    map: Option<u64>,
}

/// Equal trits are equal features, whichever instruction set they came from.
impl PartialEq for Features {
    fn eq(&self, other: &Self) -> bool {
        self.trits == other.trits
    }
}

impl Features {
    /// Wraps trits that come from elsewhere.
    pub fn new(trits: TritMatrix<Vec<u64>>) -> Self {
        Self::with_isa(trits, Isa::detect())
    }

    pub(crate) fn with_isa(trits: TritMatrix<Vec<u64>>, isa: Isa) -> Self {
        Self { trits, isa, map: None }
    }

    /// The same features, made by a fit with this fingerprint.
    pub(crate) fn made_by(self, fingerprint: u64) -> Self {
        Self { map: Some(fingerprint), ..self }
    }

    /// The samples of several batches in one, in order.
    ///
    /// ```
    /// # use ternion::{Features, TritMatrix};
    /// let a = Features::new(TritMatrix::new(1, 3, vec![0], vec![0b011])?); // (+1 +1 0)
    /// let b = Features::new(TritMatrix::new(1, 3, vec![0], vec![0b110])?); // (0 +1 +1)
    /// let both = Features::concat([&a, &b])?;
    /// assert_eq!((both.len(), both.row(1)), (2, b.row(0)));
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CoreError::ZeroSize`] for no batches, [`CoreError::SizeMismatch`] if they have different numbers of features,
    /// [`CoreError::SizeOverflow`] if their samples do not fit in memory together.
    pub fn concat<'a>(batches: impl IntoIterator<Item = &'a Self>) -> Result<Self, Error> {
        let batches: Vec<&Self> = batches.into_iter().collect();
        let first = batches.first().ok_or(CoreError::ZeroSize { size: Size::Samples })?;
        let (size, cols) = (Size::Features, first.features());
        if let Some(other) = batches.iter().find(|batch| batch.features() != cols) {
            let (expected, found) = (cols, other.features());
            return Err(CoreError::SizeMismatch { size, expected, found }.into());
        }
        let rows = batches.iter().map(|batch| batch.len());
        let rows = rows.fold(0, usize::saturating_add);
        let words = plane_words(rows, cols)?;
        let joined = |plane: fn(&Self) -> &[u64]| -> Result<Vec<u64>, Error> {
            let mut joined = Vec::new();
            let overflow = CoreError::SizeOverflow { rows, cols };
            joined.try_reserve_exact(words).map_err(|_| overflow)?;
            batches.iter().for_each(|batch| joined.extend(plane(batch)));
            Ok(joined)
        };
        let sign = joined(|batch| batch.trits.sign())?;
        let mask = joined(|batch| batch.trits.mask())?;
        let map = first.map.filter(|_| batches.iter().all(|batch| batch.map == first.map));
        Ok(Self { trits: TritMatrix::new(rows, cols, sign, mask)?, isa: first.isa, map })
    }

    /// The number of samples.
    #[allow(clippy::len_without_is_empty, reason = "a batch is never empty")]
    pub fn len(&self) -> usize {
        self.trits.rows()
    }

    /// Features of each sample.
    pub fn features(&self) -> usize {
        self.trits.cols()
    }

    /// The features of one sample, or `None` beyond the last.
    pub fn row(&self, sample: usize) -> Option<TritRow<'_>> {
        self.trits.row(sample)
    }

    /// The trits, a row per sample.
    pub fn trits(&self) -> &TritMatrix<Vec<u64>> {
        &self.trits
    }

    /// The features as numbers, a row per sample: for code that takes nothing else. `i8` takes four times the memory of
    /// packed features, `f32` sixteen times.
    ///
    /// ```
    /// # use ternion::{Features, TritMatrix};
    /// let features = Features::new(TritMatrix::new(2, 3, vec![0b010, 0b110], vec![0b011, 0b111])?);
    /// assert_eq!(features.unpack::<f32>()?.as_slice(), [1.0, -1.0, 0.0, 1.0, -1.0, -1.0]);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeOverflow`] if the numbers do not fit in memory.
    pub fn unpack<T: From<i8> + Copy + Default + Send>(&self) -> Result<Matrix<T>, Error> {
        let (rows, cols) = (self.len(), self.features());
        let mut numbers = memory::zeros(rows, cols)?;
        self.unpack_into(&mut numbers)?;
        Matrix::from_vec(rows, cols, numbers)
    }

    /// [`unpack`](Self::unpack) into memory of the caller.
    ///
    /// # Errors
    ///
    /// [`CoreError::LengthMismatch`] unless there is a number for each feature of each sample. Nothing is written then.
    pub fn unpack_into<T: From<i8> + Send>(&self, numbers: &mut [T]) -> Result<(), Error> {
        let (rows, cols) = (self.len(), self.features());
        let (buffer, expected) = (Buffer::Output, rows.saturating_mul(cols));
        let found = numbers.len();
        if found != expected {
            return Err(CoreError::LengthMismatch { buffer, expected, found }.into());
        }
        let chunk_rows = rows.div_ceil(parallel::threads());
        parallel::try_for_each_chunk(numbers, chunk_rows * cols, |chunk, numbers| {
            let trits = self.trits.iter_rows().skip(chunk * chunk_rows);
            let mut pairs = trits.zip(numbers.chunks_mut(cols));
            pairs.try_for_each(|(trits, numbers)| Ok(trits.unpack(numbers)?))
        })
    }

    /// The fingerprint of the fit that made them, if one did.
    pub(crate) fn map(&self) -> Option<u64> {
        self.map
    }

    /// The words of a sample in both planes, sign and mask.
    #[inline]
    pub(crate) fn planes(&self, sample: usize) -> [&[u64]; 2] {
        let words = words_per_row(self.features());
        let range = sample * words..(sample + 1) * words;
        [&self.trits.sign()[range.clone()], &self.trits.mask()[range]]
    }

    /// The instruction set that computes with them.
    pub(crate) fn isa(&self) -> Isa {
        self.isa
    }

    /// The second moments ΣΣᵀ of the features, m × m: for each pair of features the exact sum of their products over
    /// the samples.
    ///
    /// ```
    /// # use ternion::{Features, TritMatrix};
    /// // (+1 −1 0) and (+1 −1 −1)
    /// let features = Features::new(TritMatrix::new(2, 3, vec![0b010, 0b110], vec![0b011, 0b111])?);
    /// assert_eq!(features.second_moments()?.as_slice(), [2, -2, -1, -2, 2, 1, -1, 1, 1]);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ternion_core::Error::SizeOverflow`] if m² numbers do not fit in memory, [`Error::TooManySamples`] beyond 2³¹ − 1
    /// samples.
    pub fn second_moments(&self) -> Result<Matrix<i32>, Error> {
        second_moments(self, |_, _| Ok(()))
    }

    /// The same trits with a row per feature and a column per sample.
    ///
    /// # Errors
    ///
    /// [`ternion_core::Error::SizeOverflow`] if they do not fit in memory.
    pub fn transposed(&self) -> Result<Self, Error> {
        let (rows, cols) = (self.features(), self.len());
        let stride = plane_words(rows, cols)? / rows;
        let transposed = |plane| -> Result<Vec<u64>, Error> {
            let mut out = memory::zeros(rows, stride)?;
            transpose_plane(self.isa, plane, words_per_row(rows), stride, &mut out);
            Ok(out)
        };
        let (sign, mask) = (transposed(self.trits.sign())?, transposed(self.trits.mask())?);
        Ok(Self::with_isa(TritMatrix::new(rows, cols, sign, mask)?, self.isa))
    }
}
