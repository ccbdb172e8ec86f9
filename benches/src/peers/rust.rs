//! Dense peers that are Rust crates: `gemm`, `matrixmultiply` and, behind a feature, `faer`.

use super::strided::{self, columns, rows};
use super::{BAND, Dense, Solver, bands};

/// The crates of this build.
pub(super) fn all() -> Vec<Box<dyn Dense>> {
    vec![
        #[cfg(feature = "faer")]
        Box::new(Faer),
        Box::new(Gemm),
        Box::new(MatrixMultiply),
    ]
}

/// Those that solve.
pub(super) fn solvers() -> Vec<Box<dyn Solver>> {
    vec![
        #[cfg(feature = "faer")]
        Box::new(Faer),
    ]
}

struct Gemm;

impl Dense for Gemm {
    fn name(&self) -> &'static str {
        "gemm"
    }

    fn gemm(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        strided::gemm(m, n, k, rows(a, k), rows(b, n), c, n);
    }

    fn gemm_transposed(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        strided::gemm(m, n, k, columns(a, m), rows(b, n), c, n);
    }

    fn syrk(&self, n: usize, k: usize, a: &[f32], c: &mut [f32]) {
        bands(n, BAND, |first, count| {
            let rest = &a[first * k..];
            let band = &mut c[first * n + first..];
            strided::gemm(count, n - first, k, rows(rest, k), columns(rest, k), band, n);
        });
    }
}

struct MatrixMultiply;

impl Dense for MatrixMultiply {
    fn name(&self) -> &'static str {
        "matrixmultiply"
    }

    /// The crate reads this variable when it is compiled, and then detects nothing else.
    fn isa(&self) -> &'static str {
        match option_env!("MMTEST_FEATURE") {
            None | Some("") => "auto",
            Some(only) => only,
        }
    }

    fn gemm(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        strided::matrixmultiply(m, n, k, rows(a, k), rows(b, n), c, n);
    }

    fn gemm_transposed(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        strided::matrixmultiply(m, n, k, columns(a, m), rows(b, n), c, n);
    }

    fn syrk(&self, n: usize, k: usize, a: &[f32], c: &mut [f32]) {
        bands(n, BAND, |first, count| {
            let rest = &a[first * k..];
            let band = &mut c[first * n + first..];
            strided::matrixmultiply(count, n - first, k, rows(rest, k), columns(rest, k), band, n);
        });
    }
}

#[cfg(feature = "faer")]
struct Faer;

#[cfg(feature = "faer")]
impl Dense for Faer {
    fn name(&self) -> &'static str {
        "faer"
    }

    fn gemm(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        use faer::{Accum, MatMut, MatRef, Par};
        faer::linalg::matmul::matmul(
            MatMut::from_row_major_slice_mut(c, m, n),
            Accum::Replace,
            MatRef::from_row_major_slice(a, m, k),
            MatRef::from_row_major_slice(b, k, n),
            1.0,
            Par::Seq,
        );
    }

    fn gemm_transposed(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        use faer::{Accum, MatMut, MatRef, Par};
        faer::linalg::matmul::matmul(
            MatMut::from_row_major_slice_mut(c, m, n),
            Accum::Replace,
            MatRef::from_row_major_slice(a, k, m).transpose(),
            MatRef::from_row_major_slice(b, k, n),
            1.0,
            Par::Seq,
        );
    }

    fn syrk(&self, n: usize, k: usize, a: &[f32], c: &mut [f32]) {
        use faer::linalg::matmul::triangular::{BlockStructure, matmul};
        use faer::{Accum, MatMut, MatRef, Par};
        let a = MatRef::from_row_major_slice(a, n, k);
        matmul(
            MatMut::from_row_major_slice_mut(c, n, n),
            BlockStructure::TriangularUpper,
            Accum::Replace,
            a,
            BlockStructure::Rectangular,
            a.transpose(),
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
    }
}

/// The products are those of the crate gemm, which faer calls too.
#[cfg(feature = "faer")]
impl Solver for Faer {
    fn name(&self) -> &'static str {
        "faer"
    }

    fn gemm(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        strided::gemm(m, n, k, rows(a, k), rows(b, n), c, n);
    }

    fn syrk_columns(&self, n: usize, k: usize, a: &[f32], c: &mut [f32]) {
        bands(n, BAND, |first, count| {
            let (left, band) = (columns(&a[first..], n), &mut c[first * n + first..]);
            strided::gemm(count, n - first, k, left, rows(&a[first..], n), band, n);
        });
    }

    fn solve(&self, n: usize, a: &mut [f32], b: &mut [f32]) {
        use faer::linalg::solvers::{Llt, Solve};
        use faer::{MatMut, MatRef, Side};
        // The upper triangle by rows is the lower one by columns.
        let lower = MatRef::from_column_major_slice(a, n, n);
        let factor = Llt::new(lower, Side::Lower).expect("the matrix is positive definite");
        factor.solve_in_place(MatMut::from_column_major_slice_mut(b, n, b.len() / n));
    }
}
