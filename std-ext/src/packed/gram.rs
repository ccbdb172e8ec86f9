//! [`Gram`]: products of samples with samples. Its method `leading_eigenpairs` is in `eigenpairs`.

use super::matvec::check;
use crate::dense::centre::centre_vector;
use crate::{Error, Features, Matrix, dispatch, memory, parallel};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use ternion_core::{Error as CoreError, Size, copy_upper_to_lower, dots, gram_upper};

/// The smallest chunk of rows: with fewer, rearranging the other rows for the lookup kernel does not pay.
const MIN_CHUNK_ROWS: usize = 256;

/// The largest chunk of rows: the results of one stay in the last-level cache.
const MAX_CHUNK_ROWS: usize = 1024;

/// How far a long computation has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Pairs of samples, or eigenpairs, that are done.
    pub done: u64,
    /// All pairs.
    pub total: u64,
}

/// G = (α²/m) ΣᵀΣ of packed features: nothing is computed before a method asks for it.
///
/// Entries come from exact integers, and each pair of samples is computed once. Memory is the result and a few hundred
/// KB. All threads share the work (feature `rayon`), and any number of them gives the same result.
///
/// ```
/// use ternion::{Features, Gram, TritMatrix};
///
/// // (+1 −1 0) and (+1 −1 −1)
/// let features = Features::new(TritMatrix::new(2, 3, vec![0b010, 0b110], vec![0b011, 0b111])?);
/// let gram = Gram::new(&features).alpha(3.0)?;
/// assert_eq!(gram.matrix()?.as_slice(), [6.0, 6.0, 6.0, 9.0]);
/// assert_eq!(gram.matvec(&[1.0, -1.0])?, [0.0, -3.0]);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct Gram<'a> {
    features: &'a Features,
    alpha: f64,
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl fmt::Debug for Gram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (samples, features) = (self.features.len(), self.features.features());
        f.debug_struct("Gram")
            .field("samples", &samples)
            .field("features", &features)
            .field("alpha", &self.alpha)
            .finish_non_exhaustive()
    }
}

impl<'a> Gram<'a> {
    /// The Gram matrix of some features, with α = 1.
    pub fn new(features: &'a Features) -> Self {
        Self { features, alpha: 1.0, progress: None }
    }

    /// Sets the output scale α of the activation (see [`Report`](crate::theory::Report)), with which the matrix
    /// imitates the kernel of the target itself, not a multiple of it.
    ///
    /// # Errors
    ///
    /// [`Error::Alpha`] unless α² is positive and finite as an `f32`, the type of the entries.
    pub fn alpha(self, alpha: f64) -> Result<Self, Error> {
        let square = (alpha * alpha) as f32;
        if square > 0.0 && square.is_finite() {
            Ok(Self { alpha, ..self })
        } else {
            Err(Error::Alpha { found: alpha })
        }
    }

    /// Sets a function that is called from any thread during a long computation.
    ///
    /// | method | called after | total |
    /// |---|---|---|
    /// | [`matrix`](Self::matrix), [`centred`](Self::centred), [`counts`](Self::counts) | every chunk of rows, in any order | n(n + 1)/2 pairs of samples |
    /// | [`cross`](Self::cross), [`cross_counts`](Self::cross_counts) | every chunk of rows, in any order | all pairs of a row and a column |
    /// | [`blocks`](Self::blocks) | every block | n² pairs of samples |
    /// | [`leading_eigenpairs`](Self::leading_eigenpairs) | every check for convergence | `count` eigenpairs; most converge late |
    ///
    /// Single products, [`matvec`](Self::matvec) and [`centred_matvec`](Self::centred_matvec), report nothing.
    ///
    /// ```
    /// # use ternion::{Features, Gram, TritMatrix};
    /// # let features = Features::new(TritMatrix::new(2, 3, vec![0, 6], vec![3, 7])?);
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use ternion::packed::Progress;
    ///
    /// let seen = AtomicU64::new(0);
    /// let progress = |progress: Progress| seen.store(progress.done, Ordering::Relaxed);
    /// Gram::new(&features).progress(&progress).matrix()?;
    /// assert_eq!(seen.into_inner(), 3); // pairs
    /// # Ok::<(), ternion::Error>(())
    /// ```
    pub fn progress(self, progress: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// The features that the matrix is of.
    pub fn features(&self) -> &'a Features {
        self.features
    }

    /// Calls the progress function, if there is one.
    pub(super) fn report_progress(&self, done: u64, total: u64) {
        if let Some(progress) = self.progress {
            progress(Progress { done, total });
        }
    }

    /// α²/m.
    fn scale(&self) -> f64 {
        self.alpha * self.alpha / self.features.features() as f64
    }

    /// The whole matrix, n × n.
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeOverflow`] if n² numbers do not fit in memory.
    pub fn matrix(&self) -> Result<Matrix<f32>, Error> {
        let scale = self.scale();
        self.symmetric(|_, _, count| (count as f64 * scale) as f32)
    }

    /// The whole centred matrix P·G·P with P = I − 11ᵀ/n.
    ///
    /// # Errors
    ///
    /// As [`matrix`](Self::matrix).
    pub fn centred(&self) -> Result<Matrix<f32>, Error> {
        let (scale, share) = (self.scale(), 1.0 / self.features.len() as f64);
        // The row means of ΣᵀΣ need no matrix: they are Σᵀ(Σ·1)/n, exact up to the division.
        let sums: Vec<f64> = self.features.sums().into_iter().map(|sum| sum as f64).collect();
        let mut means = self.features.matvec(&sums)?;
        means.iter_mut().for_each(|mean| *mean *= share);
        let mean = means.iter().sum::<f64>() * share;
        self.symmetric(|i, j, count| ((count as f64 - (means[i] + means[j]) + mean) * scale) as f32)
    }

    /// The exact inner products ΣᵀΣ, unscaled.
    ///
    /// # Errors
    ///
    /// As [`matrix`](Self::matrix).
    pub fn counts(&self) -> Result<Matrix<i32>, Error> {
        self.symmetric(|_, _, count| count)
    }

    /// The matrix between these samples (rows) and others (columns).
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeMismatch`] if the numbers of features differ, and as
    /// [`matrix`](Self::matrix).
    pub fn cross(&self, other: &Features) -> Result<Matrix<f32>, Error> {
        let scale = self.scale();
        self.rectangular(other, |count| (count as f64 * scale) as f32)
    }

    /// The exact inner products between these samples (rows) and others (columns), unscaled.
    ///
    /// # Errors
    ///
    /// As [`cross`](Self::cross).
    pub fn cross_counts(&self, other: &Features) -> Result<Matrix<i32>, Error> {
        self.rectangular(other, |count| count)
    }

    /// The matrix in blocks of whole rows, from the first to the last, for a matrix that does not fit in memory. Each
    /// block is computed when the iterator reaches it.
    ///
    /// ```
    /// # use ternion::{Features, Gram, TritMatrix};
    /// # let features = Features::new(TritMatrix::new(3, 3, vec![0, 6, 0], vec![3, 7, 1])?);
    /// let gram = Gram::new(&features);
    /// let rows: Vec<f32> = gram.blocks(2)?.flat_map(|block| block.into_vec()).collect();
    /// assert_eq!(rows, gram.matrix()?.into_vec());
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CoreError::ZeroSize`] for blocks without rows, [`CoreError::SizeOverflow`] if a block does not fit in memory.
    pub fn blocks(&self, rows: usize) -> Result<Blocks<'a>, Error> {
        if rows == 0 {
            return Err(CoreError::ZeroSize { size: Size::Rows }.into());
        }
        let n = self.features.len();
        // Allocated here, so that running out of memory is an error of this call.
        let counts = memory::zeros(rows.min(n), n)?;
        Ok(Blocks { gram: *self, rows, next: 0, counts })
    }

    /// G·v = (α²/m)·Σᵀ(Σ·v), without the matrix.
    ///
    /// # Errors
    ///
    /// [`CoreError::LengthMismatch`] unless there is one number per sample, [`Error::NotFinite`] for NaN or infinity,
    /// and for a sum over samples that overflows.
    pub fn matvec(&self, v: &[f64]) -> Result<Vec<f64>, Error> {
        let mut sums = self.features.transposed_matvec(v)?;
        sums.iter_mut().for_each(|sum| *sum *= self.scale());
        self.features.matvec(&sums)
    }

    /// P·G·P·v, without the matrix.
    ///
    /// # Errors
    ///
    /// As [`matvec`](Self::matvec).
    pub fn centred_matvec(&self, v: &[f64]) -> Result<Vec<f64>, Error> {
        check(v, self.features.len())?;
        let mut centred = v.to_vec();
        centre_vector(&mut centred);
        let mut product = self.matvec(&centred)?;
        centre_vector(&mut product);
        Ok(product)
    }

    /// Computes the upper triangle, converts it in place, and copies it to the lower one.
    fn symmetric<T: Number>(
        &self,
        convert: impl Fn(usize, usize, i32) -> T + Sync,
    ) -> Result<Matrix<T>, Error> {
        let (trits, n) = (self.features.trits(), self.features.len());
        let mut out = memory::zeros::<i32>(n, n)?;
        let rows = chunk_rows(n);
        let counter = PairCounter::new(self, n as u64 * (n as u64 + 1) / 2);
        parallel::try_for_each_chunk(&mut out, rows * n, |chunk, out| {
            let (first, count) = (chunk * rows, out.len() / n);
            let range = first..first + count;
            dispatch!(self.features.isa(), simd => gram_upper(simd, trits, range, out))?;
            for (i, row) in (first..).zip(out.chunks_exact_mut(n)) {
                for (j, slot) in row.iter_mut().enumerate().skip(i) {
                    *slot = convert(i, j, *slot).bits();
                }
            }
            counter.add((count * (n - first) - count * (count - 1) / 2) as u64);
            Ok(())
        })?;
        dispatch!(self.features.isa(), simd => copy_upper_to_lower(simd, &mut out, n))?;
        Matrix::from_vec(n, n, T::numbers(out))
    }

    /// Computes every pair of a row and a column, and converts it in place.
    fn rectangular<T: Number>(
        &self,
        other: &Features,
        convert: impl Fn(i32) -> T + Sync,
    ) -> Result<Matrix<T>, Error> {
        let (expected, found) = (self.features.features(), other.features());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Features, expected, found }.into());
        }
        let (n, cols) = (self.features.len(), other.len());
        let mut out = memory::zeros::<i32>(n, cols)?;
        let rows = chunk_rows(n);
        let counter = PairCounter::new(self, n as u64 * cols as u64);
        parallel::try_for_each_chunk(&mut out, rows * cols, |chunk, out| {
            self.count_rows(other, chunk * rows, out)?;
            for slot in &mut *out {
                *slot = convert(*slot).bits();
            }
            counter.add(out.len() as u64);
            Ok(())
        })?;
        Matrix::from_vec(n, cols, T::numbers(out))
    }

    /// Counts the samples from `first` on, as many as `out` has room for, with all samples of `other`.
    fn count_rows(&self, other: &Features, first: usize, out: &mut [i32]) -> Result<(), Error> {
        let (max, found) = (self.features.len(), first + out.len() / other.len());
        let beyond = CoreError::SizeTooLarge { size: Size::Rows, max, found };
        let rows = self.features.trits().slice(first..found).ok_or(beyond)?;
        Ok(dispatch!(self.features.isa(), simd => dots(simd, &rows, other.trits(), out))?)
    }
}

/// The iterator of [`Gram::blocks`].
#[derive(Clone, Debug)]
pub struct Blocks<'a> {
    gram: Gram<'a>,
    rows: usize,
    next: usize,
    counts: Vec<i32>,
}

impl Iterator for Blocks<'_> {
    type Item = Matrix<f32>;

    fn next(&mut self) -> Option<Matrix<f32>> {
        let (features, scale) = (self.gram.features, self.gram.scale());
        let n = features.len();
        if self.next == n {
            return None;
        }
        let count = self.rows.min(n - self.next);
        let counts = &mut self.counts[..count * n];
        let chunk_rows = count.div_ceil(parallel::threads()).next_multiple_of(64);
        let first = self.next;
        let done = parallel::try_for_each_chunk(counts, chunk_rows * n, |chunk, out| {
            self.gram.count_rows(features, first + chunk * chunk_rows, out)
        });
        // `blocks` checked the sizes. An iterator that could return the error would burden every caller with it.
        debug_assert_eq!(done, Ok(()));
        done.ok()?;
        self.next += count;
        let scaled = counts.iter().map(|&count| (count as f64 * scale) as f32).collect();
        let block = Matrix::from_vec(count, n, scaled).ok()?;
        self.gram.report_progress(self.next as u64 * n as u64, n as u64 * n as u64);
        Some(block)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.gram.features.len() - self.next).div_ceil(self.rows);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Blocks<'_> {}

/// Rows per chunk of a matrix with `n` rows: four chunks per thread, to even out the work, within the bounds.
pub(super) fn chunk_rows(n: usize) -> usize {
    let fair = n.div_ceil(4 * parallel::threads()).next_multiple_of(64);
    fair.clamp(MIN_CHUNK_ROWS, MAX_CHUNK_ROWS)
}

/// A 32-bit number that replaces a count in place, so that a matrix needs no second allocation.
trait Number: Copy {
    fn bits(self) -> i32;
    fn numbers(bits: Vec<i32>) -> Vec<Self>;
}

impl Number for i32 {
    fn bits(self) -> i32 {
        self
    }

    fn numbers(bits: Vec<i32>) -> Vec<i32> {
        bits
    }
}

impl Number for f32 {
    fn bits(self) -> i32 {
        self.to_bits() as i32
    }

    fn numbers(bits: Vec<i32>) -> Vec<f32> {
        bytemuck::cast_vec(bits)
    }
}

/// Counts the pairs that are done on all threads, and reports them.
struct PairCounter<'a> {
    gram: &'a Gram<'a>,
    done: AtomicU64,
    total: u64,
}

impl<'a> PairCounter<'a> {
    fn new(gram: &'a Gram<'a>, total: u64) -> Self {
        Self { gram, done: AtomicU64::new(0), total }
    }

    fn add(&self, pairs: u64) {
        let done = self.done.fetch_add(pairs, Ordering::Relaxed) + pairs;
        self.gram.report_progress(done, self.total);
    }
}
