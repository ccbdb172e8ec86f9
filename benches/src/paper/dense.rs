//! Dense products on all threads and the Cholesky factorisation, all on the GEMM of crate `gemm`. Matrices are row-major.

use rayon::prelude::*;
use ternion::Error;

use crate::peers::strided::{columns, gemm, gemm_add, rows};

/// Rows of the output that a thread computes at a time.
const BAND: usize = 256;

/// Columns that the factorisation finishes at a time.
const PANEL: usize = 128;

/// A·B: A has rows of `inner` numbers, B of `cols`.
pub fn product(a: &[f32], b: &[f32], inner: usize, cols: usize, out: &mut [f32]) {
    let bands = out.par_chunks_mut(BAND * cols).zip(a.par_chunks(BAND * inner));
    bands.for_each(|(out, a)| {
        gemm(a.len() / inner, cols, inner, rows(a, inner), rows(b, cols), out, cols);
    });
}

/// A·Bᵀ: both have rows of `inner` numbers.
pub fn product_of_rows(a: &[f32], b: &[f32], inner: usize) -> Vec<f32> {
    let cols = b.len() / inner;
    let mut out = vec![0.0; a.len() / inner * cols];
    let bands = out.par_chunks_mut(BAND * cols).zip(a.par_chunks(BAND * inner));
    bands.for_each(|(out, a)| {
        gemm(a.len() / inner, cols, inner, rows(a, inner), columns(b, inner), out, cols);
    });
    out
}

/// Adds Aᵀ·A to the lower triangle of a `cols` × `cols` matrix. Products of a call are summed in `f32`, calls in `f64`.
pub fn add_products_of_columns(a: &[f32], cols: usize, sums: &mut [f64]) {
    let count = a.len() / cols;
    sums.par_chunks_mut(BAND * cols).enumerate().for_each(|(band, sums)| {
        let (first, height) = (band * BAND, sums.len() / cols);
        let width = first + height;
        let mut found = vec![0.0f32; height * width];
        gemm(height, width, count, columns(&a[first..], cols), rows(a, cols), &mut found, width);
        for (sums, found) in sums.chunks_mut(cols).zip(found.chunks(width)) {
            sums.iter_mut().zip(found).for_each(|(sum, &x)| *sum += f64::from(x));
        }
    });
}

/// Replaces the lower triangle of a symmetric n×n matrix by L with L·Lᵀ = A. What is above the diagonal is neither read nor
/// specified afterwards.
///
/// # Errors
///
/// [`Error::NotPositiveDefinite`] with the first pivot that is not positive.
pub fn cholesky(n: usize, a: &mut [f64]) -> Result<(), Error> {
    for first in (0..n).step_by(PANEL) {
        let width = PANEL.min(n - first);
        let (done, rest) = a.split_at_mut((first + width) * n);
        let corner = &mut done[first * n..];
        small_cholesky(corner, n, first, width)?;
        // The rows below: X·Lᵀ = A, by the inverse of L, because products are fast.
        let inverse = inverse(width, &done[first * n + first..], n);
        let mut panel = vec![0.0; rest.len() / n * width];
        let bands = panel.par_chunks_mut(BAND * width).zip(rest.par_chunks_mut(BAND * n));
        bands.for_each(|(panel, rest)| {
            let height = rest.len() / n;
            let left = rows(&rest[first..], n);
            gemm(height, width, width, left, columns(&inverse, width), panel, width);
            for (row, x) in rest.chunks_mut(n).zip(panel.chunks(width)) {
                row[first..first + width].copy_from_slice(x);
            }
        });
        let next = first + width;
        rest.par_chunks_mut(BAND * n).enumerate().for_each(|(band, out)| {
            let (below, height) = (band * BAND, out.len() / n);
            let left = rows(&panel[below * width..], width);
            let sizes = [height, below + height, width];
            gemm_add(sizes, -1.0, left, columns(&panel, width), &mut out[next..], n);
        });
    }
    Ok(())
}

/// The factor of a small block on the diagonal, in rows `n` apart that begin at column `first`.
fn small_cholesky(a: &mut [f64], n: usize, first: usize, width: usize) -> Result<(), Error> {
    for i in 0..width {
        for j in 0..=i {
            let (row, other) = (&a[i * n + first..][..j], &a[j * n + first..][..j]);
            let known: f64 = row.iter().zip(other).map(|(x, y)| x * y).sum();
            let left = a[i * n + first + j] - known;
            if i > j {
                a[i * n + first + j] = left / a[j * n + first + j];
            } else if left > 0.0 {
                a[i * n + first + i] = left.sqrt();
            } else {
                return Err(Error::NotPositiveDefinite { pivot: first + i }); // NaN too
            }
        }
    }
    Ok(())
}

/// Solves L·Lᵀ·x = b in place, for `b` of n rows of `count` right-hand sides.
pub fn substitute(n: usize, l: &[f64], b: &mut [f64]) {
    let count = b.len() / n;
    for i in 0..n {
        let (known, rest) = b.split_at_mut(i * count);
        let x = &mut rest[..count];
        for (&l, y) in l[i * n..][..i].iter().zip(known.chunks(count)) {
            x.iter_mut().zip(y).for_each(|(x, y)| *x -= l * y);
        }
        x.iter_mut().for_each(|x| *x /= l[i * n + i]);
    }
    for i in (0..n).rev() {
        let (unknown, rest) = b.split_at_mut(i * count);
        let x = &mut rest[..count];
        x.iter_mut().for_each(|x| *x /= l[i * n + i]);
        for (&l, y) in l[i * n..][..i].iter().zip(unknown.chunks_mut(count)) {
            y.iter_mut().zip(&*x).for_each(|(y, x)| *y -= l * x);
        }
    }
}

/// L⁻¹ of a lower triangle, in rows `stride` apart, by its halves: of [A 0; B C] it is [A⁻¹ 0; −C⁻¹·B·A⁻¹ C⁻¹].
pub fn inverse(n: usize, l: &[f64], stride: usize) -> Vec<f64> {
    let mut out = vec![0.0; n * n];
    if n <= 16 {
        for j in 0..n {
            out[j * n + j] = l[j * stride + j].recip();
            for i in j + 1..n {
                let known: f64 = (j..i).map(|k| l[i * stride + k] * out[k * n + j]).sum();
                out[i * n + j] = -known / l[i * stride + i];
            }
        }
        return out;
    }
    let half = n / 2;
    let rest = n - half;
    let (below, corner) = (&l[half * stride..], &l[half * stride + half..]);
    let (top, bottom) = match n > PANEL {
        true => rayon::join(|| inverse(half, l, stride), || inverse(rest, corner, stride)),
        false => (inverse(half, l, stride), inverse(rest, corner, stride)),
    };
    let mut product = vec![0.0; rest * half];
    product.par_chunks_mut(BAND * half).enumerate().for_each(|(band, out)| {
        let left = rows(&below[band * BAND * stride..], stride);
        gemm(out.len() / half, half, half, left, rows(&top, half), out, half);
    });
    let (upper, lower) = out.split_at_mut(half * n);
    for (row, x) in upper.chunks_mut(n).zip(top.chunks(half)) {
        row[..half].copy_from_slice(x);
    }
    lower.par_chunks_mut(BAND * n).enumerate().for_each(|(band, out)| {
        let left = &bottom[band * BAND * rest..];
        let sizes = [out.len() / n, half, rest];
        gemm_add(sizes, -1.0, rows(left, rest), rows(&product, half), out, n);
        for (row, x) in out.chunks_mut(n).zip(left.chunks(rest)) {
            row[half..].copy_from_slice(x);
        }
    });
    out
}

/// L⁻ᵀ of a lower triangle, as `f32`.
pub fn inverse_transposed(n: usize, l: &[f64]) -> Vec<f32> {
    let inverse = inverse(n, l, n);
    let mut out = vec![0.0f32; n * n];
    out.par_chunks_mut(n).enumerate().for_each(|(j, row)| {
        row.iter_mut().enumerate().for_each(|(i, x)| *x = inverse[i * n + j] as f32);
    });
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::transposed;

    fn wave(len: usize) -> Vec<f32> {
        (0..len).map(|i| ((i * i) as f32 * 0.37).sin()).collect()
    }

    #[test]
    fn products_match_their_definition() {
        let (n, inner, cols) = (519, 7, 5);
        let (a, b) = (wave(n * inner), wave(inner * cols + 3)[3..].to_vec());
        let mut found = vec![0.0; n * cols];
        product(&a, &b, inner, cols, &mut found);
        let same = product_of_rows(&a, &transposed(&b, inner, cols), inner);
        for (at, found) in found.iter().enumerate() {
            let (i, j) = (at / cols, at % cols);
            let expected: f32 = (0..inner).map(|k| a[i * inner + k] * b[k * cols + j]).sum();
            assert!((found - expected).abs() < 1e-5 && (same[at] - expected).abs() < 1e-5);
        }
    }

    #[test]
    fn factors_solve_and_invert() {
        // Sizes around those of panels and bands.
        for n in [1, 2, 127, 128, 129, 300, 515] {
            let x = wave((n + 9) * n);
            let mut a = vec![0.0; n * n];
            add_products_of_columns(&x[..4 * n], n, &mut a);
            add_products_of_columns(&x[4 * n..], n, &mut a);
            a.iter_mut().step_by(n + 1).for_each(|diagonal| *diagonal += 1.0);
            let entry = |i: usize, j: usize| a[i.max(j) * n + i.min(j)];
            for (i, j) in [(0, 0), (n - 1, 0), (n - 1, n / 2), (n - 1, n - 1)] {
                let terms = (0..n + 9).map(|k| f64::from(x[k * n + i]) * f64::from(x[k * n + j]));
                let expected = terms.sum::<f64>() + f64::from(i == j);
                assert!((entry(i, j) - expected).abs() < 1e-3, "{n}: {i}, {j}");
            }
            let known: Vec<f64> = (0..2 * n).map(|k| (k as f64).cos()).collect();
            let mut b = vec![0.0; 2 * n];
            for (at, b) in b.iter_mut().enumerate() {
                *b = (0..n).map(|j| entry(at / 2, j) * known[2 * j + at % 2]).sum();
            }
            let mut l = a.clone();
            cholesky(n, &mut l).unwrap();
            substitute(n, &l, &mut b);
            b.iter().zip(&known).for_each(|(b, x)| assert!((b - x).abs() < 1e-7, "{n}: {b} {x}"));

            let inverse = inverse_transposed(n, &l);
            for (i, j) in [(0, 0), (0, n - 1), (n - 1, 0), (n / 2, n - 1)] {
                // (L⁻¹·L)ᵢⱼ
                let terms = (j..n).map(|k| f64::from(inverse[k * n + i]) * l[k * n + j]);
                assert!((terms.sum::<f64>() - f64::from(i == j)).abs() < 1e-4, "{n}: {i}, {j}");
            }
        }
        assert!(matches!(
            cholesky(2, &mut [1.0, 0.0, 2.0, 1.0]),
            Err(Error::NotPositiveDefinite { pivot: 1 })
        ));
    }
}
