//! The leading eigenpairs of a centred Gram matrix, by products with it alone.
//!
//! ```text
//! X: a few random vectors
//! repeat: orthonormalise X against the basis Q, twice; add it to Q, and G·X to GQ
//!         solve the small problem QᵀGQ; stop when the residuals of the leading pairs are small
//!         X = G·X
//!         if Q is full: orthonormalise X against it, then keep of Q and GQ the leading vectors only
//! ```
//!
//! Q is orthogonalised against in full: no ghosts. Blocks of a few vectors find eigenvalues that are
//! repeated as often as a block is wide. The residuals of all vectors that are kept lie in the span of X,
//! so nothing that was learned about them is lost with the rest of Q.

use crate::dense::vector::{axpy, dot};
use crate::dense::{Eigenpairs, symmetric_eigenpairs, with_sign};
use crate::{Error, Gram, Matrix};
use ternion_core::{Error as CoreError, Size};

/// Vectors in a block.
const BLOCK: usize = 4;

/// Residuals in units of the largest eigenvalue that are small enough.
const TOLERANCE: f64 = 1e-9;

/// How often the basis is renewed before it is given more room.
const PATIENCE: usize = 8;

/// A new vector that keeps less than this of its length after orthogonalising has nothing new.
const NOTHING: f64 = 1e-10;

impl Gram<'_> {
    /// The `count` leading eigenpairs of the centred matrix P·G·P, for kernel PCA and spectral
    /// clustering. The matrix is never written out: the work is products with packed features, one for
    /// each vector of a growing basis.
    ///
    /// Memory is that basis and its products, at most 4·`count` + 132 vectors each, and a quarter more
    /// while the basis is renewed from its leading vectors. For eigenvalues so near each other that
    /// renewing it eight times is not enough, there is half as much again after each eight times, until at
    /// worst n vectors of either are all there can be.
    ///
    /// The same features give the same pairs, on any number of threads. An eigenvalue that is repeated
    /// more than four times may be found four times only.
    ///
    /// ```
    /// use ternion::{Gram, Samples, TernaryFeatures};
    ///
    /// // Two clusters: the first eigenvector tells them apart.
    /// let x: Vec<f32> = (0..60 * 8)
    ///     .map(|k| (k as f32 * k as f32 * 0.37).sin() + if k / 8 % 2 == 0 { 1.5 } else { -1.5 })
    ///     .collect();
    /// let samples = Samples::new(&x, 8)?;
    /// let features = TernaryFeatures::params(1024).fit(&samples)?.transform(&samples)?;
    /// let leading = Gram::new(&features).leading(2)?;
    /// let first = leading.vectors.row(0).unwrap();
    /// assert!(first.chunks(2).all(|pair| pair[0] * first[0] > 0.0 && pair[1] * first[0] < 0.0));
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CoreError::ZeroSize`] for none, [`CoreError::SizeTooLarge`] for more than there are samples,
    /// and as [`symmetric_eigenpairs`] for the small problems that it is reduced to.
    pub fn leading(&self, count: usize) -> Result<Eigenpairs, Error> {
        let n = self.features().len();
        if count == 0 {
            return Err(CoreError::ZeroSize { size: Size::Pairs }.into());
        }
        if count > n {
            return Err(CoreError::SizeTooLarge { size: Size::Pairs, max: n, found: count }.into());
        }
        let mut noise = Noise(0x9E37_79B9_7F4A_7C15);
        let mut basis = Basis::default();
        let mut next: Vec<Vec<f64>> = (0..BLOCK).map(|_| noise.vector(n)).collect();
        // Solving the small problem is not free: its size grows by a fifth from time to time.
        let mut check_at = 2 * count + BLOCK;
        let (mut room, mut renewed) = (4 * count + 128, 0);
        loop {
            let before = basis.q.len();
            for vector in next {
                basis.add(self, &vector)?;
            }
            if basis.q.len() == before && before < n {
                // The basis holds all that it can reach: go on from elsewhere.
                basis.add(self, &noise.vector(n))?;
            }
            let size = basis.q.len();
            next = basis.product[before.min(size - 1)..].to_vec();
            if size >= n.min(check_at) {
                let inside = basis.inside()?;
                let vectors = basis.found(&inside, count, size == n);
                self.tell((vectors.len() / n) as u64, count as u64);
                if vectors.len() == count * n {
                    let values = inside.values[..count].to_vec();
                    return Ok(Eigenpairs {
                        values,
                        vectors: Matrix::from_vec(count, n, vectors)?,
                    });
                }
                if size >= room {
                    next = next.iter().filter_map(|vector| basis.new_part(vector)).collect();
                    basis.keep(&inside, room / 2);
                    renewed += 1;
                    if renewed % PATIENCE == 0 {
                        room += room / 2;
                    }
                }
                let size = basis.q.len();
                check_at = room.min(size + (size / 5).max(BLOCK));
            }
        }
    }
}

/// An orthonormal basis and its product with the matrix.
#[derive(Default)]
struct Basis {
    q: Vec<Vec<f64>>,
    product: Vec<Vec<f64>>,
}

impl Basis {
    /// Adds what is new in a vector, if anything is.
    fn add(&mut self, gram: &Gram<'_>, vector: &[f64]) -> Result<(), Error> {
        if self.q.len() < vector.len()
            && let Some(vector) = self.new_part(vector)
        {
            self.product.push(gram.centred_matvec(&vector)?);
            self.q.push(vector);
        }
        Ok(())
    }

    /// The part of a vector that is orthogonal to the basis, of unit length.
    fn new_part(&self, vector: &[f64]) -> Option<Vec<f64>> {
        let whole = dot(vector, vector).sqrt();
        let mut vector = vector.to_vec();
        // Once is not enough: what rounding left of the old is large beside a small new part.
        for _ in 0..2 {
            for q in &self.q {
                axpy(-dot(q, &vector), q, &mut vector);
            }
        }
        let norm = dot(&vector, &vector).sqrt();
        if norm <= NOTHING * whole || norm == 0.0 {
            return None;
        }
        vector.iter_mut().for_each(|x| *x /= norm);
        Some(vector)
    }

    /// Shrinks the basis to the leading vectors of the small problem.
    fn keep(&mut self, inside: &Eigenpairs, count: usize) {
        let leading = || inside.vectors.iter_rows().take(count);
        self.q = leading().map(|weights| combined(weights, &self.q)).collect();
        self.product = leading().map(|weights| combined(weights, &self.product)).collect();
    }

    /// All pairs of the small problem QᵀGQ.
    fn inside(&self) -> Result<Eigenpairs, Error> {
        let size = self.q.len();
        let mut small = vec![0.0; size * size];
        for i in 0..size {
            for j in 0..=i {
                small[i * size + j] = dot(&self.q[i], &self.product[j]);
            }
        }
        symmetric_eigenpairs(&Matrix::from_vec(size, size, small)?)
    }

    /// The leading `count` vectors, up to the first that is not good enough unless it `must` do.
    fn found(&self, inside: &Eigenpairs, count: usize, must: bool) -> Vec<f64> {
        let n = self.q[0].len();
        let largest = inside.values[0].abs().max(f64::MIN_POSITIVE);
        let mut vectors = Vec::with_capacity(count * n);
        for (value, weights) in inside.values.iter().zip(inside.vectors.iter_rows()).take(count) {
            let vector = combined(weights, &self.q);
            let mut residual = combined(weights, &self.product);
            axpy(-value, &vector, &mut residual);
            if !must && dot(&residual, &residual).sqrt() > TOLERANCE * largest {
                break;
            }
            vectors.extend(with_sign(&vector));
        }
        vectors
    }
}

/// The sum of weighted vectors.
fn combined(weights: &[f64], vectors: &[Vec<f64>]) -> Vec<f64> {
    let mut sum = vec![0.0; vectors[0].len()];
    for (weight, vector) in weights.iter().zip(vectors) {
        axpy(*weight, vector, &mut sum);
    }
    sum
}

/// A xorshift generator: any vector that is not orthogonal to what is sought will do, as long as it is
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
