//! Most `unsafe` of this package: dlopen and feature dispatch.
//!
//! Every function here is safe to call: it asserts the sizes of what it is given and then makes one
//! foreign or pointer call.
#![allow(unsafe_code)]

use core::ffi::{c_char, c_int, c_void};
use std::path::Path;

use libloading::Library;

use super::LoadError;
use super::blas1::Blas1;
use super::lapack::Lapack;
use super::strided::assert_inside;
use crate::cos;

pub(super) const ROW_MAJOR: c_int = 101;
const NO_TRANS: c_int = 111;
pub(super) const TRANS: c_int = 112;
pub(super) const UPPER: c_int = 121;
/// MKL's "one offset for the whole of C".
const FIX_OFFSET: c_int = 173;

type Sgemm = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    f32,
    *const f32,
    c_int,
    *const f32,
    c_int,
    f32,
    *mut f32,
    c_int,
);
type Sgemv = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    f32,
    *const f32,
    c_int,
    *const f32,
    c_int,
    f32,
    *mut f32,
    c_int,
);
pub(super) type Ssyrk = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    f32,
    *const f32,
    c_int,
    f32,
    *mut f32,
    c_int,
);
type MklGemmS8 = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    c_int,
    f32,
    *const c_void,
    c_int,
    i8,
    *const c_void,
    c_int,
    i8,
    f32,
    *mut i32,
    c_int,
    *const i32,
);
type DnnlGemmS8 = unsafe extern "C" fn(
    c_char,
    c_char,
    c_char,
    i64,
    i64,
    i64,
    f32,
    *const i8,
    i64,
    i8,
    *const i8,
    i64,
    i8,
    f32,
    *mut i32,
    i64,
    *const i32,
) -> c_int;
type SetThreads = unsafe extern "C" fn(c_int);
type SetLayer = unsafe extern "C" fn(c_int) -> c_int;

pub(super) fn int(x: usize) -> c_int {
    c_int::try_from(x).expect("a BLAS size is a 32-bit integer")
}

/// Opens a shared library and keeps it open until the process ends.
fn open(path: &Path) -> Result<&'static Library, LoadError> {
    // SAFETY: the user names the library; its initialisers are those of MKL, OpenBLAS or oneDNN.
    let library = unsafe { Library::new(path) };
    match library {
        Ok(library) => Ok(Box::leak(Box::new(library))),
        Err(source) => Err(LoadError::Open { path: path.to_owned(), source }),
    }
}

/// One function of an opened library.
///
/// # Safety
///
/// `T` must be the function pointer type of the symbol.
pub(super) unsafe fn symbol<T: Copy>(
    library: &'static Library,
    name: &'static str,
) -> Result<T, LoadError> {
    // SAFETY: the caller guarantees the type.
    match unsafe { library.get::<T>(name.as_bytes()) } {
        Ok(found) => Ok(*found),
        Err(source) => Err(LoadError::Symbol { name, source }),
    }
}

/// A factor of a product, row-major: itself, or its transpose.
#[derive(Clone, Copy)]
pub enum Factor<'a> {
    /// The factor.
    Rows(&'a [f32]),
    /// Its transpose.
    Columns(&'a [f32]),
}

/// The CBLAS calls of one library, set to one thread.
#[derive(Clone, Copy)]
pub struct Cblas {
    sgemm: Sgemm,
    sgemv: Sgemv,
    ssyrk: Ssyrk,
    /// Its calls on vectors.
    pub vectors: Blas1,
    /// What the library solves with.
    pub lapack: Lapack,
}

impl Cblas {
    fn find(library: &'static Library) -> Result<Self, LoadError> {
        // SAFETY: the types above are those of the CBLAS interface with 32-bit integers.
        unsafe {
            Ok(Self {
                sgemm: symbol(library, "cblas_sgemm")?,
                sgemv: symbol(library, "cblas_sgemv")?,
                ssyrk: symbol(library, "cblas_ssyrk")?,
                vectors: Blas1::find(library)?,
                lapack: Lapack::find(library)?,
            })
        }
    }

    /// Row-major C = A·B: A is m×k, or given as its transpose, B is k×n.
    pub fn sgemm(&self, [m, n, k]: [usize; 3], a: Factor, b: &[f32], c: &mut [f32]) {
        let (trans, a, stride) = match a {
            Factor::Rows(a) => (NO_TRANS, a, k),
            Factor::Columns(a) => (TRANS, a, m),
        };
        assert!(a.len() >= m * k, "A has {} elements of {m}×{k}", a.len());
        assert_inside(b.len(), k, n, n, 1);
        assert_inside(c.len(), m, n, n, 1);
        let (im, in_, ik) = (int(m), int(n), int(k));
        // SAFETY: the three matrices lie inside their slices (asserted above).
        unsafe {
            (self.sgemm)(
                ROW_MAJOR,
                trans,
                NO_TRANS,
                im,
                in_,
                ik,
                1.0,
                a.as_ptr(),
                int(stride),
                b.as_ptr(),
                in_,
                0.0,
                c.as_mut_ptr(),
                in_,
            );
        }
    }

    /// Row-major y = A·x: A is m×k.
    pub fn sgemv(&self, m: usize, k: usize, a: &[f32], x: &[f32], y: &mut [f32]) {
        assert_inside(a.len(), m, k, k, 1);
        assert!(x.len() >= k && y.len() >= m);
        // SAFETY: A, x and y lie inside their slices (asserted above).
        unsafe {
            (self.sgemv)(
                ROW_MAJOR,
                NO_TRANS,
                int(m),
                int(k),
                1.0,
                a.as_ptr(),
                int(k),
                x.as_ptr(),
                1,
                0.0,
                y.as_mut_ptr(),
                1,
            );
        }
    }

    /// The upper triangle of row-major C = A·Aᵀ: A is n×k.
    pub fn ssyrk(&self, n: usize, k: usize, a: &[f32], c: &mut [f32]) {
        assert_inside(a.len(), n, k, k, 1);
        assert_inside(c.len(), n, n, n, 1);
        // SAFETY: both matrices lie inside their slices (asserted above).
        unsafe {
            (self.ssyrk)(
                ROW_MAJOR,
                UPPER,
                NO_TRANS,
                int(n),
                int(k),
                1.0,
                a.as_ptr(),
                int(k),
                0.0,
                c.as_mut_ptr(),
                int(n),
            );
        }
    }
}

/// Opens OpenBLAS and sets it to one thread.
pub fn open_openblas(path: &Path) -> Result<Cblas, LoadError> {
    let library = open(path)?;
    // SAFETY: `void openblas_set_num_threads(int)`.
    unsafe {
        let set: SetThreads = symbol(library, "openblas_set_num_threads")?;
        set(1);
    }
    Cblas::find(library)
}

/// MKL's int8 GEMM, `cblas_gemm_s8u8s32`.
#[derive(Clone, Copy)]
pub struct MklInt8 {
    call: MklGemmS8,
}

/// Opens Intel MKL with 32-bit integers and its sequential layer, set to one thread.
pub fn open_mkl(path: &Path) -> Result<(Cblas, MklInt8), LoadError> {
    let library = open(path)?;
    // SAFETY: `int MKL_Set_Interface_Layer(int)`, `int MKL_Set_Threading_Layer(int)` and
    // `void MKL_Set_Num_Threads(int)`; both layers must be chosen before any other call.
    unsafe {
        let interface: SetLayer = symbol(library, "MKL_Set_Interface_Layer")?;
        let threading: SetLayer = symbol(library, "MKL_Set_Threading_Layer")?;
        let set: SetThreads = symbol(library, "MKL_Set_Num_Threads")?;
        interface(0); // LP64
        threading(1); // sequential
        set(1);
        let call = symbol(library, "cblas_gemm_s8u8s32")?;
        Ok((Cblas::find(library)?, MklInt8 { call }))
    }
}

impl MklInt8 {
    /// Row-major C = A·Bᵀ, C's rows `ldc` apart: A is m×k with each a stored as a + 1, B is n×k.
    ///
    /// In row-major order it is the first factor that MKL reads as unsigned.
    #[allow(clippy::too_many_arguments)] // the sizes of one GEMM
    pub fn gemm(
        &self,
        m: usize,
        n: usize,
        k: usize,
        a: &[u8],
        b: &[i8],
        c: &mut [i32],
        ldc: usize,
    ) {
        assert_inside(a.len(), m, k, k, 1);
        assert_inside(b.len(), n, k, k, 1);
        assert_inside(c.len(), m, n, ldc, 1);
        // SAFETY: the three matrices lie inside their slices (asserted above); the offset of C is
        // read as one element.
        unsafe {
            (self.call)(
                ROW_MAJOR,
                NO_TRANS,
                TRANS,
                FIX_OFFSET,
                int(m),
                int(n),
                int(k),
                1.0,
                a.as_ptr().cast(),
                int(k),
                -1,
                b.as_ptr().cast(),
                int(k),
                0,
                0.0,
                c.as_mut_ptr(),
                int(ldc),
                &0,
            );
        }
    }
}

/// oneDNN's int8 GEMM, `dnnl_gemm_s8s8s32`.
pub struct DnnlInt8 {
    call: DnnlGemmS8,
}

/// Opens oneDNN (an OpenMP build) and sets it to one thread.
pub fn open_onednn(path: &Path) -> Result<DnnlInt8, LoadError> {
    let library = open(path)?;
    // SAFETY: `void omp_set_num_threads(int)`, found in the OpenMP runtime oneDNN is linked with,
    // and the type above for the GEMM.
    unsafe {
        let set: SetThreads = symbol(library, "omp_set_num_threads")?;
        set(1);
        Ok(DnnlInt8 { call: symbol(library, "dnnl_gemm_s8s8s32")? })
    }
}

impl DnnlInt8 {
    /// Row-major C = A·Bᵀ, C's rows `ldc` apart: A is m×k, B is n×k.
    #[allow(clippy::too_many_arguments)] // the sizes of one GEMM
    pub fn gemm(
        &self,
        m: usize,
        n: usize,
        k: usize,
        a: &[i8],
        b: &[i8],
        c: &mut [i32],
        ldc: usize,
    ) {
        assert_inside(a.len(), m, k, k, 1);
        assert_inside(b.len(), n, k, k, 1);
        assert_inside(c.len(), m, n, ldc, 1);
        // SAFETY: the three matrices lie inside their slices (asserted above); the offset of C is
        // read as one element.
        let status = unsafe {
            (self.call)(
                b'N' as c_char,
                b'T' as c_char,
                b'F' as c_char,
                m as i64,
                n as i64,
                k as i64,
                1.0,
                a.as_ptr(),
                k as i64,
                0,
                b.as_ptr(),
                k as i64,
                0,
                0.0,
                c.as_mut_ptr(),
                ldc as i64,
                &0,
            )
        };
        assert_eq!(status, 0, "dnnl_gemm_s8s8s32 refused the call");
    }
}

/// values\[i\] ← cos(values\[i\] + phase\[i mod phase.len()\]), on the widest vectors this CPU has.
pub fn add_and_cos(values: &mut [f32], phase: &[f32]) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("fma") {
            // SAFETY: the features were detected on the line above.
            return unsafe { cos_avx512(values, phase) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            // SAFETY: the features were detected on the line above.
            return unsafe { cos_avx2(values, phase) };
        }
    }
    cos::add_and_cos::<{ cfg!(target_feature = "fma") }>(values, phase);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,fma")]
fn cos_avx512(values: &mut [f32], phase: &[f32]) {
    cos::add_and_cos::<true>(values, phase);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn cos_avx2(values: &mut [f32], phase: &[f32]) {
    cos::add_and_cos::<true>(values, phase);
}
