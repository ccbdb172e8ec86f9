//! GEMM of strided matrices by the crates `gemm` and `matrixmultiply`: safe functions around one pointer call each.
#![allow(unsafe_code)]

/// A matrix in a slice: element (i, j) is `data[i * row + j * col]`.
#[derive(Clone, Copy)]
pub struct Strided<'a, T = f32> {
    /// The elements.
    pub data: &'a [T],
    /// Distance between rows.
    pub row: usize,
    /// Distance between columns.
    pub col: usize,
}

/// A matrix whose rows follow each other.
pub fn rows<T>(data: &[T], width: usize) -> Strided<'_, T> {
    Strided { data, row: width, col: 1 }
}

/// A matrix whose columns follow each other.
pub fn columns<T>(data: &[T], width: usize) -> Strided<'_, T> {
    Strided { data, row: 1, col: width }
}

/// Asserts that an `m`×`n` matrix with these strides lies inside `len` elements.
pub(super) fn assert_inside(len: usize, m: usize, n: usize, row: usize, col: usize) {
    assert!(m > 0 && n > 0, "empty matrix");
    let last = (m - 1) * row + (n - 1) * col;
    assert!(last < len, "a {m}×{n} matrix needs {} elements, the slice has {len}", last + 1);
}

/// Asserts that all matrices of C = A·B lie inside their slices.
fn assert_product<T>([m, n, k]: [usize; 3], a: Strided<T>, b: Strided<T>, c: &[T], ldc: usize) {
    assert_inside(a.data.len(), m, k, a.row, a.col);
    assert_inside(b.data.len(), k, n, b.row, b.col);
    assert_inside(c.len(), m, n, ldc, 1);
}

/// C = A·B through crate `matrixmultiply`; C has `m` rows, `ldc` apart, of `n` elements.
pub fn matrixmultiply(
    m: usize,
    n: usize,
    k: usize,
    a: Strided,
    b: Strided,
    c: &mut [f32],
    ldc: usize,
) {
    assert_product([m, n, k], a, b, c, ldc);
    // SAFETY: the three matrices lie inside their slices (asserted above), C is borrowed mutably.
    unsafe {
        matrixmultiply::sgemm(
            m,
            k,
            n,
            1.0,
            a.data.as_ptr(),
            a.row as isize,
            a.col as isize,
            b.data.as_ptr(),
            b.row as isize,
            b.col as isize,
            0.0,
            c.as_mut_ptr(),
            ldc as isize,
            1,
        );
    }
}

/// `f32` and `f64`.
pub trait Float: Copy + From<bool> + 'static {}

impl Float for f32 {}
impl Float for f64 {}

/// C = A·B through crate `gemm`; C has `m` rows, `ldc` apart, of `n` elements.
pub fn gemm<T: Float>(
    m: usize,
    n: usize,
    k: usize,
    a: Strided<T>,
    b: Strided<T>,
    c: &mut [T],
    ldc: usize,
) {
    multiply([m, n, k], a, b, c, ldc, None, true.into());
}

/// C ← C + factor·A·B, as [`gemm`].
pub fn gemm_add<T: Float>(
    sizes: [usize; 3],
    factor: T,
    a: Strided<T>,
    b: Strided<T>,
    c: &mut [T],
    ldc: usize,
) {
    multiply(sizes, a, b, c, ldc, Some(true.into()), factor);
}

/// C ← kept·C + factor·A·B.
fn multiply<T: Float>(
    [m, n, k]: [usize; 3],
    a: Strided<T>,
    b: Strided<T>,
    c: &mut [T],
    ldc: usize,
    kept: Option<T>,
    factor: T,
) {
    assert_product([m, n, k], a, b, c, ldc);
    // SAFETY: the three matrices lie inside their slices (asserted above), C is borrowed mutably.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            c.as_mut_ptr(),
            1,
            ldc as isize,
            kept.is_some(),
            a.data.as_ptr(),
            a.col as isize,
            a.row as isize,
            b.data.as_ptr(),
            b.col as isize,
            b.row as isize,
            kept.unwrap_or(false.into()),
            factor,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}
