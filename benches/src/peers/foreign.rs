//! Peers that are shared libraries, opened at run time: Intel MKL, OpenBLAS, oneDNN.

use std::env;
use std::path::Path;

use super::raw::{self, Cblas, DnnlInt8, Factor, MklInt8};
use super::{BAND, Dense, Int8, LoadError, Peers, Solver, bands};

/// Adds the libraries that the environment names.
pub(super) fn add_to(peers: &mut Peers) -> Result<(), LoadError> {
    match env::var_os("MKL_RT") {
        Some(file) => {
            let (calls, int8) = raw::open_mkl(Path::new(&file))?;
            peers.dense.push(Box::new(Blas { name: "mkl", calls }));
            peers.solvers.push(Box::new(Blas { name: "mkl", calls }));
            // Which bands are faster depends on the sizes and on the CPU.
            peers.int8.push(Box::new(MklBands { int8, name: "mkl", rows: BAND }));
            peers.int8.push(Box::new(MklBands { int8, name: "mkl-narrow", rows: BAND / 2 }));
        }
        None => peers.absent.push("mkl: set MKL_RT to libmkl_rt.so (PyPI mkl)".to_owned()),
    }
    match env::var_os("OPENBLAS") {
        Some(file) => {
            let calls = raw::open_openblas(Path::new(&file))?;
            peers.dense.push(Box::new(Blas { name: "openblas", calls }));
            peers.solvers.push(Box::new(Blas { name: "openblas", calls }));
        }
        None => peers
            .absent
            .push("openblas: set OPENBLAS to libopenblas.so.0 (Debian libopenblas0)".to_owned()),
    }
    match env::var_os("ONEDNN") {
        Some(file) => peers.int8.push(Box::new(raw::open_onednn(Path::new(&file))?)),
        None => peers.absent.push("onednn: set ONEDNN to libdnnl.so (Debian libdnnl2)".to_owned()),
    }
    Ok(())
}

struct Blas {
    name: &'static str,
    calls: Cblas,
}

impl Dense for Blas {
    fn name(&self) -> &'static str {
        self.name
    }

    fn gemm(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        self.calls.sgemm([m, n, k], Factor::Rows(a), b, c);
    }

    fn gemm_transposed(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        self.calls.sgemm([m, n, k], Factor::Columns(a), b, c);
    }

    fn gemv(&self, m: usize, k: usize, a: &[f32], x: &[f32], y: &mut [f32]) {
        self.calls.sgemv(m, k, a, x, y);
    }

    fn syrk(&self, n: usize, k: usize, a: &[f32], c: &mut [f32]) {
        self.calls.ssyrk(n, k, a, c);
    }

    fn dot(&self, a: &[f32], b: &[f32]) -> f32 {
        self.calls.vectors.dot(a, b)
    }

    fn axpy(&self, factor: f32, x: &[f32], y: &mut [f32]) {
        self.calls.vectors.axpy(factor, x, y);
    }
}

impl Solver for Blas {
    fn name(&self) -> &'static str {
        self.name
    }

    fn gemm(&self, m: usize, n: usize, k: usize, a: &[f32], b: &[f32], c: &mut [f32]) {
        self.calls.sgemm([m, n, k], Factor::Rows(a), b, c);
    }

    fn syrk_columns(&self, n: usize, k: usize, a: &[f32], c: &mut [f32]) {
        self.calls.lapack.ssyrk_columns(n, k, a, c);
    }

    fn solve(&self, n: usize, a: &mut [f32], b: &mut [f32]) {
        self.calls.lapack.solve(n, a, b);
    }
}

/// MKL's int8 GEMM over bands of so many rows.
struct MklBands {
    int8: MklInt8,
    name: &'static str,
    rows: usize,
}

impl Int8 for MklBands {
    fn name(&self) -> &'static str {
        self.name
    }

    fn syrk(&self, n: usize, k: usize, a: &[i8], shifted: &[u8], c: &mut [i32]) {
        bands(n, self.rows, |first, count| {
            let (rest, shifted) = (&a[first * k..], &shifted[first * k..]);
            self.int8.gemm(count, n - first, k, shifted, rest, &mut c[first * n + first..], n);
        });
    }
}

impl Int8 for DnnlInt8 {
    fn name(&self) -> &'static str {
        "onednn"
    }

    fn syrk(&self, n: usize, k: usize, a: &[i8], _: &[u8], c: &mut [i32]) {
        bands(n, BAND, |first, count| {
            let rest = &a[first * k..];
            self.gemm(count, n - first, k, rest, rest, &mut c[first * n + first..], n);
        });
    }
}
