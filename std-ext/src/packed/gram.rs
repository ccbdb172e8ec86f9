//! The Gram matrix of packed features: whole, between two sets, centred, by blocks of rows, or as an
//! operator that is never written out.

use super::matvec::check;
use crate::dense::centre::centre_vector;
use crate::{Error, Features, Matrix, dispatch, memory, parallel};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use ternion_core::{Error as CoreError, Size, dots, gram_upper, mirror};

/// Rows of a piece, at least: fewer do not pay for the rearranging of all the others.
const FEWEST_ROWS: usize = 256;

/// Rows of a piece, at most: its results stay in the last cache.
const MOST_ROWS: usize = 1024;

/// How far a long computation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Pairs that are done: of samples, or eigenpairs.
    pub done: u64,
    /// Pairs in all.
    pub total: u64,
}

/// G = (α²/m) ΣᵀΣ of packed features, nothing computed yet.
///
/// Entries come from exact integers, each pair of samples computed once; memory is the result and a
/// few hundred KB. All threads share the work (feature `rayon`), and any number of them gives the same
/// result.
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

    /// The output scale α of the activation, see [`Report`](crate::theory::Report): with it the matrix
    /// imitates the kernel of the target, not a multiple of it.
    ///
    /// # Errors
    ///
    /// [`Error::Alpha`] unless α² is positive and finite as an `f32`, which the entries are.
    pub fn alpha(self, alpha: f64) -> Result<Self, Error> {
        let square = (alpha * alpha) as f32;
        if square > 0.0 && square.is_finite() {
            Ok(Self { alpha, ..self })
        } else {
            Err(Error::Alpha { found: alpha })
        }
    }

    /// A function to be called as a long computation goes on, from any thread.
    ///
    /// | call | told after | pairs |
    /// |---|---|---|
    /// | [`matrix`](Self::matrix), [`centred`](Self::centred), [`counts`](Self::counts) | every piece, in any order | n(n + 1)/2 of samples |
    /// | [`cross`](Self::cross) | every piece, in any order | all of a row and a column |
    /// | [`blocks`](Self::blocks) | every block | n² of samples |
    /// | [`leading`](Self::leading) | every small problem | `count` eigenpairs, done if found; these may come late |
    ///
    /// A single product, [`matvec`](Self::matvec) or [`centred_matvec`](Self::centred_matvec), tells
    /// nothing.
    ///
    /// ```
    /// # use ternion::{Features, Gram, TritMatrix};
    /// # let features = Features::new(TritMatrix::new(2, 3, vec![0, 6], vec![3, 7])?);
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// let seen = AtomicU64::new(0);
    /// let tell = |progress: ternion::Progress| seen.store(progress.done, Ordering::Relaxed);
    /// Gram::new(&features).progress(&tell).matrix()?;
    /// assert_eq!(seen.into_inner(), 3); // pairs
    /// # Ok::<(), ternion::Error>(())
    /// ```
    pub fn progress(self, progress: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// What it is the matrix of.
    pub fn features(&self) -> &'a Features {
        self.features
    }

    /// Tells how far a computation is, if anyone listens.
    pub(crate) fn tell(&self, done: u64, total: u64) {
        if let Some(tell) = self.progress {
            tell(Progress { done, total });
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

    /// The whole matrix less its means: P·G·P with P = I − 11ᵀ/n.
    ///
    /// # Errors
    ///
    /// As [`matrix`](Self::matrix).
    pub fn centred(&self) -> Result<Matrix<f32>, Error> {
        let (scale, share) = (self.scale(), 1.0 / self.features.len() as f64);
        // The means of the rows need no matrix: Σᵀ(Σ·1). Whole numbers, so exact up to the division.
        let sums: Vec<f64> = self.features.sums().into_iter().map(|sum| sum as f64).collect();
        let mut means = self.features.matvec(&sums)?;
        means.iter_mut().for_each(|mean| *mean *= share);
        let mean = means.iter().sum::<f64>() * share;
        self.symmetric(|i, j, count| ((count as f64 - (means[i] + means[j]) + mean) * scale) as f32)
    }

    /// The exact inner products ΣᵀΣ, without any scale.
    ///
    /// # Errors
    ///
    /// As [`matrix`](Self::matrix).
    pub fn counts(&self) -> Result<Matrix<i32>, Error> {
        self.symmetric(|_, _, count| count)
    }

    /// The matrix between these samples (rows) and others (columns): train × test.
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeMismatch`] if the numbers of features differ, and as
    /// [`matrix`](Self::matrix).
    pub fn cross(&self, other: &Features) -> Result<Matrix<f32>, Error> {
        let scale = self.scale();
        self.rectangular(other, |count| (count as f64 * scale) as f32)
    }

    /// The matrix in blocks of whole rows, from the first to the last, for one that does not fit in
    /// memory. Each block is computed when it is asked for.
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
    /// [`CoreError::ZeroSize`] for blocks without rows, [`CoreError::SizeOverflow`] if a block does not
    /// fit in memory.
    pub fn blocks(&self, rows: usize) -> Result<Blocks<'a>, Error> {
        if rows == 0 {
            return Err(CoreError::ZeroSize { size: Size::Rows }.into());
        }
        let n = self.features.len();
        // Room for the first block, so that running out of memory is told here.
        let counts = memory::zeros(rows.min(n), n)?;
        Ok(Blocks { gram: *self, rows, next: 0, counts })
    }

    /// G·v without the matrix: Σᵀ(Σ·v)·α²/m.
    ///
    /// # Errors
    ///
    /// [`CoreError::LengthMismatch`] unless there is one number for each sample,
    /// [`Error::NotFinite`] for NaN or infinity, and for a sum over samples that overflows.
    pub fn matvec(&self, v: &[f64]) -> Result<Vec<f64>, Error> {
        let mut sums = self.features.transposed_matvec(v)?;
        sums.iter_mut().for_each(|sum| *sum *= self.scale());
        self.features.matvec(&sums)
    }

    /// P·G·P·v without the matrix.
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

    /// Every pair once, converted in place, then mirrored.
    fn symmetric<T: Number>(
        &self,
        convert: impl Fn(usize, usize, i32) -> T + Sync,
    ) -> Result<Matrix<T>, Error> {
        let (trits, n) = (self.features.trits(), self.features.len());
        let mut out = memory::zeros::<i32>(n, n)?;
        let rows = piece_rows(n);
        let meter = Meter::new(self, n as u64 * (n as u64 + 1) / 2);
        parallel::for_each_chunk(&mut out, rows * n, |piece, out| {
            let (first, count) = (piece * rows, out.len() / n);
            let range = first..first + count;
            let done = dispatch!(self.features.isa(), simd => gram_upper(simd, trits, range, out));
            debug_assert_eq!(done, Ok(()), "the sizes come from the matrix itself");
            for (i, row) in (first..).zip(out.chunks_exact_mut(n)) {
                for (j, slot) in row.iter_mut().enumerate().skip(i) {
                    *slot = convert(i, j, *slot).bits();
                }
            }
            meter.add((count * (n - first) - count * (count - 1) / 2) as u64);
        });
        mirror(&mut out, n)?;
        Matrix::from_vec(n, n, T::numbers(out))
    }

    /// Every pair of a row and a column.
    pub(crate) fn rectangular<T: Number>(
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
        let rows = piece_rows(n);
        let meter = Meter::new(self, n as u64 * cols as u64);
        parallel::for_each_chunk(&mut out, rows * cols, |piece, out| {
            self.rows(other, piece * rows, out);
            for slot in &mut *out {
                *slot = convert(*slot).bits();
            }
            meter.add(out.len() as u64);
        });
        Matrix::from_vec(n, cols, T::numbers(out))
    }

    /// The counts of some rows with all samples of `other`.
    fn rows(&self, other: &Features, first: usize, out: &mut [i32]) {
        let rows = first..first + out.len() / other.len();
        if let Some(rows) = self.features.trits().slice(rows) {
            let others = other.trits();
            let done = dispatch!(self.features.isa(), simd => dots(simd, &rows, others, out));
            debug_assert_eq!(done, Ok(()), "the sizes were checked");
        }
    }
}

/// The rows of a Gram matrix, block by block: see [`Gram::blocks`].
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
        let piece = count.div_ceil(parallel::threads()).next_multiple_of(64);
        let first = self.next;
        parallel::for_each_chunk(counts, piece * n, |number, out| {
            self.gram.rows(features, first + number * piece, out);
        });
        self.next += count;
        let scaled = counts.iter().map(|&count| (count as f64 * scale) as f32).collect();
        let block = Matrix::from_vec(count, n, scaled).ok()?;
        self.gram.tell(self.next as u64 * n as u64, n as u64 * n as u64);
        Some(block)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = (self.gram.features.len() - self.next).div_ceil(self.rows);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Blocks<'_> {}

/// Rows of a piece of a matrix with `n` rows: enough pieces for all threads.
fn piece_rows(n: usize) -> usize {
    let fair = n.div_ceil(4 * parallel::threads()).next_multiple_of(64);
    fair.clamp(FEWEST_ROWS, MOST_ROWS)
}

/// What a count becomes, in the place of the count.
pub(crate) trait Number: Copy {
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

/// Counts pairs and tells.
struct Meter<'a> {
    gram: &'a Gram<'a>,
    done: AtomicU64,
    total: u64,
}

impl<'a> Meter<'a> {
    fn new(gram: &'a Gram<'a>, total: u64) -> Self {
        Self { gram, done: AtomicU64::new(0), total }
    }

    fn add(&self, pairs: u64) {
        let done = self.done.fetch_add(pairs, Ordering::Relaxed) + pairs;
        self.gram.tell(done, self.total);
    }
}
