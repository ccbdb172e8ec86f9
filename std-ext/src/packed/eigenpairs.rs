//! The leading eigenpairs of a symmetric matrix, a Gram matrix above all, from products with it alone: a thick-restarted block Krylov method.
//!
//! ```text
//! X: a few random vectors
//! repeat: orthonormalise X against the basis Q, twice; append X to Q, and G·X to GQ
//!         solve the Rayleigh–Ritz problem QᵀGQ; stop when the residuals of the leading pairs are small
//!         X = G·X
//!         if Q is full: orthonormalise X against it, then keep only the leading Ritz vectors of Q and GQ
//! ```
//!
//! Full reorthogonalisation avoids the ghost eigenvalues of a Lanczos recurrence. Blocks of several vectors find
//! eigenvalues that are repeated as often as a block is wide. The residuals of all Ritz vectors that are kept lie in the
//! span of X, so a restart loses nothing that was learned about them.
//!
//! Written out here because no library for it works from products alone and gives the same bits on any number of threads.

use crate::dense::vector::{axpy, dot};
use crate::dense::{Eigenpairs, symmetric_eigenpairs, with_sign};
use crate::{Error, Gram, Matrix, memory};
use ternion_core::{Error as CoreError, Size};

/// Vectors per block.
const BLOCK_VECTORS: usize = 4;

/// The largest residual that counts as converged, in units of the largest eigenvalue.
const TOLERANCE: f64 = 1e-9;

/// Restarts after which the basis may grow larger.
const RESTARTS_BEFORE_GROWTH: usize = 8;

/// A vector that keeps less than this share of its length when orthogonalised is in the span of the basis.
const NEGLIGIBLE: f64 = 1e-10;

impl Gram<'_> {
    /// The `count` leading eigenpairs of the centred matrix P·G·P, for kernel PCA and spectral clustering. The matrix is
    /// never stored: the work is one product with the packed features per vector of a growing basis (a block Krylov
    /// method).
    ///
    /// Memory is the basis and its products, at most 4·`count` + 132 vectors each, and a quarter more during a restart.
    /// If eigenvalues are so close that eight restarts are not enough, the limit grows by half after every eight, up to
    /// n vectors each.
    ///
    /// The same features give the same pairs on any number of threads. An eigenvalue that is repeated more than four
    /// times may be found only four times.
    ///
    /// ```
    /// use ternion::{Gram, Samples, TernaryFeatures};
    ///
    /// // Two clusters: the first eigenvector separates them.
    /// let x: Vec<f32> = (0..60 * 8)
    ///     .map(|k| (k as f32 * k as f32 * 0.37).sin() + if k / 8 % 2 == 0 { 1.5 } else { -1.5 })
    ///     .collect();
    /// let samples = Samples::new(&x, 8)?;
    /// let features = TernaryFeatures::params(1024).fit(&samples)?.transform(&samples)?;
    /// let leading = Gram::new(&features).leading_eigenpairs(2)?;
    /// let first = leading.vectors.row(0).unwrap();
    /// assert!(first.chunks(2).all(|pair| pair[0] * first[0] > 0.0 && pair[1] * first[0] < 0.0));
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CoreError::ZeroSize`] if `count` is 0, [`CoreError::SizeTooLarge`] if it exceeds the number of samples,
    /// [`CoreError::SizeOverflow`] if there is no memory for the basis, and as
    /// [`symmetric_eigenpairs`] for the Rayleigh–Ritz problems.
    pub fn leading_eigenpairs(&self, count: usize) -> Result<Eigenpairs, Error> {
        let product = |vector: &[f64]| self.centred_matvec(vector);
        let report = |done, total| self.report_progress(done, total);
        leading(self.features().len(), count, &product, &report)
    }
}

/// A product with a matrix.
type Product<'a> = &'a dyn Fn(&[f64]) -> Result<Vec<f64>, Error>;

/// The `count` leading eigenpairs of a symmetric matrix with `n` rows. `report` is called with the pairs that have
/// converged, and all of them.
///
/// # Errors
///
/// As [`Gram::leading_eigenpairs`], and those of the product.
pub(crate) fn leading(
    n: usize,
    count: usize,
    product: Product<'_>,
    report: &dyn Fn(u64, u64),
) -> Result<Eigenpairs, Error> {
    check_count(n, count)?;
    let mut capacity = count.saturating_mul(4).saturating_add(128);
    check_memory(n, capacity)?;
    let mut noise = Noise(0x9E37_79B9_7F4A_7C15);
    let mut basis = Basis::default();
    let mut next: Vec<Vec<f64>> = (0..BLOCK_VECTORS).map(|_| noise.vector(n)).collect();
    // The Rayleigh–Ritz problem is not free, so it is solved each time the basis has grown by a fifth.
    let mut check_at = 2 * count + BLOCK_VECTORS;
    let mut restarts = 0;
    loop {
        let before = basis.q.len();
        for vector in next {
            basis.add(product, &vector)?;
        }
        if basis.q.len() == before && before < n {
            // The Krylov space is exhausted: continue from a random vector.
            basis.add(product, &noise.vector(n))?;
        }
        let size = basis.q.len();
        next = basis.product[before.min(size - 1)..].to_vec();
        if size >= n.min(check_at) {
            let ritz = basis.rayleigh_ritz()?;
            let vectors = basis.converged(&ritz, count, size == n)?;
            report((vectors.len() / n) as u64, count as u64);
            if vectors.len() == count * n {
                let values = ritz.values[..count].to_vec();
                return Ok(Eigenpairs { values, vectors: Matrix::from_vec(count, n, vectors)? });
            }
            if size >= capacity {
                next = next.iter().filter_map(|vector| basis.new_part(vector)).collect();
                basis.keep(&ritz, capacity / 2);
                restarts += 1;
                if restarts % RESTARTS_BEFORE_GROWTH == 0 {
                    capacity += capacity / 2;
                    check_memory(n, capacity)?;
                }
            }
            let size = basis.q.len();
            check_at = capacity.min(size + (size / 5).max(BLOCK_VECTORS));
        }
    }
}

/// Refuses no eigenpairs, and more than a matrix with `n` rows has.
///
/// # Errors
///
/// [`CoreError::ZeroSize`] or [`CoreError::SizeTooLarge`].
pub(crate) fn check_count(n: usize, count: usize) -> Result<(), Error> {
    if count == 0 {
        return Err(CoreError::ZeroSize { size: Size::Pairs }.into());
    }
    if count > n {
        return Err(CoreError::SizeTooLarge { size: Size::Pairs, max: n, found: count }.into());
    }
    Ok(())
}

/// Refuses a basis of so many vectors if it may not fit in memory with its product, and a quarter more.
fn check_memory(n: usize, capacity: usize) -> Result<(), Error> {
    let vectors = capacity.saturating_add(BLOCK_VECTORS).min(n);
    memory::check_room::<f64>([(n, vectors, 2), (n, vectors.div_ceil(2), 1)])
}

/// An orthonormal basis and its product with the matrix.
#[derive(Default)]
struct Basis {
    q: Vec<Vec<f64>>,
    product: Vec<Vec<f64>>,
}

impl Basis {
    /// Appends the part of a vector that is orthogonal to the basis, if there is one.
    fn add(&mut self, product: Product<'_>, vector: &[f64]) -> Result<(), Error> {
        if self.q.len() < vector.len()
            && let Some(vector) = self.new_part(vector)
        {
            self.product.push(product(&vector)?);
            self.q.push(vector);
        }
        Ok(())
    }

    /// The part of a vector that is orthogonal to the basis, normalised; `None` if there is none.
    fn new_part(&self, vector: &[f64]) -> Option<Vec<f64>> {
        let whole = dot(vector, vector).sqrt();
        let mut vector = vector.to_vec();
        // Twice is enough (Kahan, Parlett). Once is not: next to a small remainder, rounding errors are large.
        for _ in 0..2 {
            for q in &self.q {
                axpy(-dot(q, &vector), q, &mut vector);
            }
        }
        let norm = dot(&vector, &vector).sqrt();
        if norm <= NEGLIGIBLE * whole || norm == 0.0 {
            return None;
        }
        vector.iter_mut().for_each(|x| *x /= norm);
        Some(vector)
    }

    /// Restarts with the leading Ritz vectors.
    fn keep(&mut self, ritz: &Eigenpairs, count: usize) {
        let leading = || ritz.vectors.iter_rows().take(count);
        self.q = leading().map(|weights| combined(weights, &self.q)).collect();
        self.product = leading().map(|weights| combined(weights, &self.product)).collect();
    }

    /// All eigenpairs of QᵀGQ.
    fn rayleigh_ritz(&self) -> Result<Eigenpairs, Error> {
        let size = self.q.len();
        let mut small = memory::zeros(size, size)?;
        for i in 0..size {
            for j in 0..=i {
                small[i * size + j] = dot(&self.q[i], &self.product[j]);
            }
        }
        symmetric_eigenpairs(&Matrix::from_vec(size, size, small)?)
    }

    /// The leading `count` Ritz vectors, up to the first that has not converged; all of them if the basis is `complete`.
    fn converged(
        &self,
        ritz: &Eigenpairs,
        count: usize,
        complete: bool,
    ) -> Result<Vec<f64>, Error> {
        let n = self.q[0].len();
        let largest = ritz.values[0].abs().max(f64::MIN_POSITIVE);
        let mut vectors = memory::collect([], count, n)?;
        for (value, weights) in ritz.values.iter().zip(ritz.vectors.iter_rows()).take(count) {
            let vector = combined(weights, &self.q);
            let mut residual = combined(weights, &self.product);
            axpy(-value, &vector, &mut residual);
            if !complete && dot(&residual, &residual).sqrt() > TOLERANCE * largest {
                break;
            }
            vectors.extend(with_sign(&vector));
        }
        Ok(vectors)
    }
}

/// A linear combination of vectors.
fn combined(weights: &[f64], vectors: &[Vec<f64>]) -> Vec<f64> {
    let mut sum = vec![0.0; vectors[0].len()];
    for (weight, vector) in weights.iter().zip(vectors) {
        axpy(*weight, vector, &mut sum);
    }
    sum
}

/// Start vectors by Marsaglia's xorshift: any vector that is not orthogonal to the eigenvectors will do, as long as it is
/// always the same.
struct Noise(u64);

impl Noise {
    fn vector(&mut self, n: usize) -> Vec<f64> {
        let number = |_| {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        (0..n).map(number).collect()
    }
}
