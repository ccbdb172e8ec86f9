//! What ridge takes beyond a product, from shared libraries: ssyrk of columns, spotrf and spotrs.
#![allow(unsafe_code)]

use core::ffi::{c_char, c_int};

use libloading::Library;

use super::LoadError;
use super::raw::{ROW_MAJOR, Ssyrk, TRANS, UPPER, int, symbol};
use super::strided::assert_inside;

type Potrf = unsafe extern "C" fn(*const c_char, *const c_int, *mut f32, *const c_int, *mut c_int);
type Potrs = unsafe extern "C" fn(
    *const c_char,
    *const c_int,
    *const c_int,
    *const f32,
    *const c_int,
    *mut f32,
    *const c_int,
    *mut c_int,
);

/// The upper triangle in row-major order is the lower one in LAPACK's.
const LOWER: c_char = b'L' as c_char;

/// The calls of one library.
#[derive(Clone, Copy)]
pub struct Lapack {
    ssyrk: Ssyrk,
    spotrf: Potrf,
    spotrs: Potrs,
}

impl Lapack {
    pub(super) fn find(library: &'static Library) -> Result<Self, LoadError> {
        // SAFETY: the types above are those of CBLAS and LAPACK with 32-bit integers.
        unsafe {
            Ok(Self {
                ssyrk: symbol(library, "cblas_ssyrk")?,
                spotrf: symbol(library, "spotrf_")?,
                spotrs: symbol(library, "spotrs_")?,
            })
        }
    }

    /// The upper triangle of row-major C = Aᵀ·A: A is k×n.
    pub fn ssyrk_columns(&self, n: usize, k: usize, a: &[f32], c: &mut [f32]) {
        assert_inside(a.len(), k, n, n, 1);
        assert_inside(c.len(), n, n, n, 1);
        let (order, size) = (int(n), int(k));
        // SAFETY: both matrices lie inside their slices (asserted above).
        unsafe {
            (self.ssyrk)(
                ROW_MAJOR,
                UPPER,
                TRANS,
                order,
                size,
                1.0,
                a.as_ptr(),
                order,
                0.0,
                c.as_mut_ptr(),
                order,
            );
        }
    }

    /// Solves A·x = b in place for every row of `b`, given the upper triangle of A, which its factor replaces.
    pub fn solve(&self, n: usize, a: &mut [f32], b: &mut [f32]) {
        assert_inside(a.len(), n, n, n, 1);
        assert_inside(b.len(), b.len() / n, n, n, 1);
        let (order, outputs) = (int(n), int(b.len() / n));
        let mut info = [0; 2];
        // SAFETY: A and the rows of b lie inside their slices (asserted above); LAPACK reads the other arguments once.
        unsafe {
            (self.spotrf)(&LOWER, &order, a.as_mut_ptr(), &order, &mut info[0]);
            (self.spotrs)(
                &LOWER,
                &order,
                &outputs,
                a.as_ptr(),
                &order,
                b.as_mut_ptr(),
                &order,
                &mut info[1],
            );
        }
        assert_eq!(info, [0; 2], "the matrix is not positive definite");
    }
}
