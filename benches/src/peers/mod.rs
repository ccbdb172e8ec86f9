//! The dense libraries Ternion is compared with, each behind one small trait, one thread each.

pub(crate) mod blas1;
mod foreign;
mod lapack;
#[cfg(feature = "numkong")]
mod numkong;
mod raw;
mod rust;
pub(crate) mod strided;

use std::fmt;
use std::path::PathBuf;

pub use raw::add_and_cos;

/// Rows of the output computed at once where a library has no symmetric product: small enough that
/// little below the diagonal is computed, large enough for the library's full speed.
const BAND: usize = 512;

/// A dense f32 library. All matrices are row-major.
pub trait Dense {
    /// Its name in tables and JSON.
    fn name(&self) -> &'static str;

    /// The instruction set it was held to; `auto` where it chooses by itself.
    fn isa(&self) -> &'static str {
        "auto"
    }

    /// C = A·B: A is m×k, B is k×n, C is m×n.
    fn gemm(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]);

    /// C = Aᵀ·B: A is k×m, B is k×n, C is m×n.
    fn gemm_transposed(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]);

    /// y = A·x: A is m×k.
    fn gemv(&self, m: usize, k: usize, a: &[f32], x: &[f32], y: &mut [f32]) {
        self.gemm(m, 1, k, a, x, y);
    }

    /// The upper triangle of C = A·Aᵀ: A is n×k, C is n×n; what lands below the diagonal is unspecified.
    fn syrk(&self, n: usize, k: usize, a: &[f32], c: &mut [f32]);

    /// Σ aᵢ·bᵢ; a loop where the library has none.
    fn dot(&self, a: &[f32], b: &[f32]) -> f32 {
        blas1::dot(a, b)
    }

    /// y ← y + factor·x; a loop where the library has none.
    fn axpy(&self, factor: f32, x: &[f32], y: &mut [f32]) {
        blas1::axpy(factor, x, y);
    }
}

/// A library with an int8 GEMM and i32 sums.
pub trait Int8 {
    /// Its name in tables and JSON.
    fn name(&self) -> &'static str;

    /// The upper triangle of C = A·Aᵀ: A is n×k, `shifted` holds each a + 1.
    ///
    /// Libraries want one factor signed and the other unsigned, or both signed: they get both.
    fn syrk(&self, n: usize, k: usize, a: &[i8], shifted: &[u8], c: &mut [i32]);
}

/// A library with Hamming distances of packed bits.
pub trait Bits {
    /// Its name in tables and JSON.
    fn name(&self) -> &'static str;

    /// The upper triangle of the distances between `n` rows of `words` words.
    fn hammings(&self, n: usize, words: usize, a: &[u64], c: &mut [u32]);
}

/// A dense library that can also solve: everything that ridge on random Fourier features takes.
pub trait Solver {
    /// Its name in tables and JSON.
    fn name(&self) -> &'static str;

    /// C = A·B: A is m×k, B is k×n, C is m×n.
    fn gemm(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]);

    /// The upper triangle of C = Aᵀ·A: A is k×n, C is n×n; what lands below the diagonal is unspecified.
    fn syrk_columns(&self, n: usize, k: usize, a: &[f32], c: &mut [f32]);

    /// Solves A·x = b in place for every row of `b`, given the upper triangle of A, a positive definite n×n matrix, which
    /// is overwritten.
    fn solve(&self, n: usize, a: &mut [f32], b: &mut [f32]);
}

/// Every peer of this process.
pub struct Peers {
    /// f32 libraries.
    pub dense: Vec<Box<dyn Dense>>,
    /// int8 libraries.
    pub int8: Vec<Box<dyn Int8>>,
    /// Libraries of packed bits.
    pub bits: Vec<Box<dyn Bits>>,
    /// f32 libraries that solve.
    pub solvers: Vec<Box<dyn Solver>>,
    /// Peers that are missing, and how to get them.
    pub absent: Vec<String>,
}

/// Gathers the crates built in and the libraries named by `MKL_RT`, `OPENBLAS` and `ONEDNN`.
///
/// # Errors
///
/// [`LoadError`] when a variable is set and its library cannot be used: a peer asked for by name is
/// never left out silently.
pub fn present() -> Result<Peers, LoadError> {
    let (int8, bits, absent) = (Vec::new(), Vec::new(), Vec::new());
    let mut peers = Peers { dense: rust::all(), int8, bits, solvers: rust::solvers(), absent };
    for (name, built) in [("faer", cfg!(feature = "faer")), ("numkong", cfg!(feature = "numkong"))]
    {
        if !built {
            peers.absent.push(format!("{name}: build with --features {name}"));
        }
    }
    #[cfg(feature = "numkong")]
    numkong::add_to(&mut peers);
    foreign::add_to(&mut peers)?;
    Ok(peers)
}

/// Why a library named by a variable cannot be used.
#[derive(Debug)]
pub enum LoadError {
    /// The file does not open as a shared library.
    Open {
        /// The file.
        path: PathBuf,
        /// What the loader says.
        source: libloading::Error,
    },
    /// The library lacks a function.
    Symbol {
        /// The function.
        name: &'static str,
        /// What the loader says.
        source: libloading::Error,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open { path, .. } => {
                write!(f, "cannot open {}: name another file or unset the variable", path.display())
            }
            Self::Symbol { name, .. } => {
                write!(
                    f,
                    "the library has no {name}: name another build of it or unset the variable"
                )
            }
        }
    }
}

impl core::error::Error for LoadError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Open { source, .. } | Self::Symbol { source, .. } => Some(source),
        }
    }
}

/// Calls `band(first, rows)` for every band of so many rows of the upper triangle of an n×n matrix.
fn bands(n: usize, rows: usize, mut band: impl FnMut(usize, usize)) {
    for first in (0..n).step_by(rows) {
        band(first, rows.min(n - first));
    }
}

#[cfg(test)]
mod tests {
    use super::present;

    /// Small integers: every order of summation gives the same f32.
    fn whole(len: usize, seed: usize) -> Vec<f32> {
        (0..len).map(|i| ((i * 7 + seed * 13 + i / 5) % 11) as f32 - 5.0).collect()
    }

    #[test]
    fn every_dense_peer_matches_the_definition() {
        let peers = present().expect("the libraries named in the environment open");
        for peer in &peers.dense {
            for (m, n, k) in [(1, 1, 1), (5, 7, 3), (33, 130, 17), (150, 9, 64), (1100, 3, 5)] {
                let (a, b) = (whole(m * k, 1), whole(k * n, 2));
                let mut c = vec![f32::NAN; m * n];
                peer.gemm(m, n, k, &a, &b, &mut c);
                for (at, found) in c.iter().enumerate() {
                    let (i, j) = (at / n, at % n);
                    let expected: f32 = (0..k).map(|l| a[i * k + l] * b[l * n + j]).sum();
                    assert_eq!(*found, expected, "{} gemm {m}×{n}×{k} at {i},{j}", peer.name());
                }
                let transposed = crate::data::transposed(&a, m, k);
                let mut same = vec![f32::NAN; m * n];
                peer.gemm_transposed(m, n, k, &transposed, &b, &mut same);
                assert_eq!(same, c, "{} transposed gemm {m}×{n}×{k}", peer.name());
                let mut y = b.clone();
                peer.axpy(2.0, &a[..k], &mut y[..k]);
                let expected = (0..k).map(|l| a[l] * (b[l] + 2.0 * a[l])).sum::<f32>();
                assert_eq!(peer.dot(&a[..k], &y[..k]), expected, "{} dot {k}", peer.name());
                let mut y = vec![f32::NAN; m];
                peer.gemv(m, k, &a, &b[..k], &mut y);
                for (i, found) in y.iter().enumerate() {
                    let expected: f32 = (0..k).map(|l| a[i * k + l] * b[l]).sum();
                    assert_eq!(*found, expected, "{} gemv {m}×{k} at {i}", peer.name());
                }
                let mut g = vec![f32::NAN; m * m];
                peer.syrk(m, k, &a, &mut g);
                for i in 0..m {
                    for j in i..m {
                        let expected: f32 = (0..k).map(|l| a[i * k + l] * a[j * k + l]).sum();
                        assert_eq!(
                            g[i * m + j],
                            expected,
                            "{} syrk {m}×{k} at {i},{j}",
                            peer.name()
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn every_solver_matches_the_definition() {
        let peers = present().expect("the libraries named in the environment open");
        for solver in &peers.solvers {
            for (n, k, outputs) in [(1, 1, 1), (7, 3, 2), (150, 64, 3), (300, 400, 10)] {
                let a = whole(k * n, 3);
                let mut upper = vec![f32::NAN; n * n];
                solver.syrk_columns(n, k, &a, &mut upper);
                let entry = |i: usize, j: usize| -> f32 {
                    (0..k).map(|l| a[l * n + i] * a[l * n + j]).sum()
                };
                for i in 0..n {
                    for j in i..n {
                        assert_eq!(upper[i * n + j], entry(i, j), "{} {i},{j}", solver.name());
                    }
                    upper[i * n + i] += 100.0;
                }
                let x = whole(outputs * n, 4);
                let mut solved: Vec<f32> = Vec::new();
                for x in x.chunks(n) {
                    let product = |i: usize| {
                        let all = (0..n).map(|j| f64::from(entry(i, j)) * f64::from(x[j]));
                        (all.sum::<f64>() + 100.0 * f64::from(x[i])) as f32
                    };
                    solved.extend((0..n).map(product));
                }
                solver.solve(n, &mut upper, &mut solved);
                for (x, solved) in x.iter().zip(solved) {
                    assert!((x - solved).abs() < 0.01, "{} {n}: {x} {solved}", solver.name());
                }
                let mut c = vec![f32::NAN; n * outputs];
                solver.gemm(n, outputs, k, &a, &whole(k * outputs, 2), &mut c);
                assert!(c.iter().all(|x| x.is_finite()), "{}", solver.name());
            }
        }
    }

    #[test]
    fn every_peer_of_bits_matches_the_definition() {
        let peers = present().expect("the libraries named in the environment open");
        for peer in &peers.bits {
            for (n, words) in [(1, 1), (7, 3), (150, 9)] {
                let word = |i: usize| (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                let a: Vec<u64> = (0..n * words).map(|i| word(i) ^ word(i) >> 29).collect();
                let mut c = vec![u32::MAX; n * n];
                peer.hammings(n, words, &a, &mut c);
                for i in 0..n {
                    for j in i..n {
                        let (a, b) = (&a[i * words..], &a[j * words..]);
                        let different = |k: usize| (a[k] ^ b[k]).count_ones();
                        let expected: u32 = (0..words).map(different).sum();
                        assert_eq!(c[i * n + j], expected, "{} {n}×{words} {i},{j}", peer.name());
                    }
                }
            }
        }
    }

    #[test]
    fn every_int8_peer_matches_the_definition() {
        let peers = present().expect("the libraries named in the environment open");
        for peer in &peers.int8 {
            for (n, k) in [(1, 1), (7, 65), (150, 33), (1100, 20)] {
                let a: Vec<i8> = (0..n * k).map(|i| ((i * 5 + i / 3) % 3) as i8 - 1).collect();
                let shifted: Vec<u8> = a.iter().map(|t| (t + 1) as u8).collect();
                let mut c = vec![i32::MIN; n * n];
                peer.syrk(n, k, &a, &shifted, &mut c);
                for i in 0..n {
                    for j in i..n {
                        let expected: i32 =
                            (0..k).map(|l| i32::from(a[i * k + l]) * i32::from(a[j * k + l])).sum();
                        assert_eq!(c[i * n + j], expected, "{} {n}×{k} at {i},{j}", peer.name());
                    }
                }
            }
        }
    }
}
