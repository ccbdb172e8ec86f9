//! Products and sums of two vectors: those of a BLAS, and loops in Rust on the widest vectors this CPU has.
#![allow(unsafe_code)]

use core::ffi::c_int;

use libloading::Library;

use super::LoadError;
use super::raw::{int, symbol};

type Sdot = unsafe extern "C" fn(c_int, *const f32, c_int, *const f32, c_int) -> f32;
type Saxpy = unsafe extern "C" fn(c_int, f32, *const f32, c_int, *mut f32, c_int);

/// The calls of one library.
#[derive(Clone, Copy)]
pub struct Blas1 {
    sdot: Sdot,
    saxpy: Saxpy,
}

impl Blas1 {
    pub(super) fn find(library: &'static Library) -> Result<Self, LoadError> {
        // SAFETY: the types above are those of the CBLAS interface with 32-bit integers.
        unsafe {
            Ok(Self {
                sdot: symbol(library, "cblas_sdot")?,
                saxpy: symbol(library, "cblas_saxpy")?,
            })
        }
    }

    /// Σ aᵢ·bᵢ.
    pub fn dot(&self, a: &[f32], b: &[f32]) -> f32 {
        assert_eq!(a.len(), b.len());
        // SAFETY: both vectors have so many elements (asserted above).
        unsafe { (self.sdot)(int(a.len()), a.as_ptr(), 1, b.as_ptr(), 1) }
    }

    /// y ← y + factor·x.
    pub fn axpy(&self, factor: f32, x: &[f32], y: &mut [f32]) {
        assert_eq!(x.len(), y.len());
        // SAFETY: both vectors have so many elements (asserted above).
        unsafe { (self.saxpy)(int(x.len()), factor, x.as_ptr(), 1, y.as_mut_ptr(), 1) }
    }
}

/// Numbers that are summed side by side.
const LANES: usize = 64;

#[inline(always)]
fn dot_loop(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.iter().zip(b) {
        for k in 0..LANES {
            sums[k] = a[k].mul_add(b[k], sums[k]);
        }
    }
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f32>();
    sums.iter().sum::<f32>() + rest
}

#[inline(always)]
fn axpy_loop(factor: f32, x: &[f32], y: &mut [f32]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = x.mul_add(factor, *y);
    }
}

/// Functions that are the loops compiled for an instruction set.
macro_rules! for_features {
    ($features:literal, $dot:ident, $axpy:ident) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        fn $dot(a: &[f32], b: &[f32]) -> f32 {
            dot_loop(a, b)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        fn $axpy(factor: f32, x: &[f32], y: &mut [f32]) {
            axpy_loop(factor, x, y);
        }
    };
}

for_features!("avx512f,fma", dot_avx512, axpy_avx512);
for_features!("avx2,fma", dot_avx2, axpy_avx2);

/// Σ aᵢ·bᵢ.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("fma") {
            // SAFETY: the features were detected on the line above.
            return unsafe { dot_avx512(a, b) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the features were detected on the line above.
            return unsafe { dot_avx2(a, b) };
        }
    }
    dot_loop(a, b)
}

/// y ← y + factor·x.
pub fn axpy(factor: f32, x: &[f32], y: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("fma") {
            // SAFETY: the features were detected on the line above.
            return unsafe { axpy_avx512(factor, x, y) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the features were detected on the line above.
            return unsafe { axpy_avx2(factor, x, y) };
        }
    }
    axpy_loop(factor, x, y);
}
