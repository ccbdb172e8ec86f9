//! Packed features: what a transform gives.

use crate::{Error, Isa, Matrix};
use ternion_core::arch::Kernel;
use ternion_core::{Simd, TritMatrix, TritRow, dots, plane_words};

/// The ternary features of a batch of samples, two bits each: a row of trits per sample.
///
/// ```
/// # use ternion::{Samples, TernaryFeatures};
/// # let x: Vec<f32> = (0..60).map(|k| (k * k % 17) as f32).collect();
/// # let samples = Samples::new(&x, 6)?;
/// let features = TernaryFeatures::params(256).fit(&samples)?.transform(&samples)?;
/// assert_eq!((features.len(), features.features()), (10, 256));
/// let gram = features.gram()?; // (1/m) Σᵀ Σ
/// assert_eq!(gram.row(2).unwrap()[7], gram.row(7).unwrap()[2]);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Features {
    trits: TritMatrix<Vec<u64>>,
    isa: Isa,
}

/// Equal trits are equal features, whichever instruction set made them.
impl PartialEq for Features {
    fn eq(&self, other: &Self) -> bool {
        self.trits == other.trits
    }
}

impl Features {
    /// Takes trits that were made elsewhere.
    pub fn new(trits: TritMatrix<Vec<u64>>) -> Self {
        Self::with_isa(trits, Isa::detect())
    }

    pub(crate) fn with_isa(trits: TritMatrix<Vec<u64>>, isa: Isa) -> Self {
        Self { trits, isa }
    }

    /// Samples.
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

    /// The Gram matrix G = (1/m) ΣᵀΣ: every pair of samples, by AND, XOR and popcount.
    ///
    /// # Errors
    ///
    /// [`ternion_core::Error::SizeOverflow`] if n² numbers do not fit in memory.
    pub fn gram(&self) -> Result<Matrix<f32>, Error> {
        self.cross_gram(self)
    }

    /// The Gram matrix between these samples (rows) and others (columns).
    ///
    /// # Errors
    ///
    /// [`ternion_core::Error::SizeMismatch`] if the numbers of features differ, and as
    /// [`gram`](Self::gram).
    pub fn cross_gram(&self, other: &Self) -> Result<Matrix<f32>, Error> {
        let counts = self.dots(other)?;
        let share = 1.0 / self.features() as f64;
        let (rows, cols) = (counts.rows(), counts.cols());
        let scaled = counts.into_vec().into_iter().map(|count| (count as f64 * share) as f32);
        Matrix::from_vec(rows, cols, scaled.collect())
    }

    /// The exact inner products ΣᵀΣ between these samples (rows) and others (columns).
    ///
    /// # Errors
    ///
    /// As [`cross_gram`](Self::cross_gram).
    pub fn dots(&self, other: &Self) -> Result<Matrix<i32>, Error> {
        struct Dots<'a>(&'a Features, &'a Features, &'a mut [i32]);
        impl Kernel for Dots<'_> {
            type Output = Result<(), ternion_core::Error>;
            fn run<S: Simd>(self, simd: S) -> Self::Output {
                dots(simd, &self.0.trits, &self.1.trits, self.2)
            }
        }
        let (rows, cols) = (self.len(), other.len());
        let overflow = ternion_core::Error::SizeOverflow { rows, cols };
        let numbers = rows.checked_mul(cols).filter(|n| *n <= isize::MAX as usize / 8);
        let mut out = vec![0; numbers.ok_or(overflow)?];
        self.isa.dispatch(Dots(self, other, &mut out))?;
        Matrix::from_vec(rows, cols, out)
    }

    /// The mean of each feature over the samples.
    pub fn means(&self) -> Vec<f64> {
        let mut sums = vec![0_i64; self.features()];
        for row in self.trits.iter_rows() {
            for (sum, trit) in sums.iter_mut().zip(row) {
                *sum += trit as i64;
            }
        }
        let share = 1.0 / self.len() as f64;
        sums.into_iter().map(|sum| sum as f64 * share).collect()
    }

    /// The same trits with a row per feature and a column per sample.
    pub fn transposed(&self) -> Result<Self, Error> {
        let (rows, cols) = (self.features(), self.len());
        let words = plane_words(rows, cols)?;
        let stride = words / rows;
        let (mut sign, mut mask) = (vec![0; words], vec![0; words]);
        for (sample, row) in self.trits.iter_rows().enumerate() {
            let (word, bit) = (sample / 64, sample % 64);
            for (feature, trit) in row.iter().enumerate() {
                mask[feature * stride + word] |= ((trit != 0) as u64) << bit;
                sign[feature * stride + word] |= ((trit < 0) as u64) << bit;
            }
        }
        Ok(Self { trits: TritMatrix::new(rows, cols, sign, mask)?, isa: self.isa })
    }
}
