//! All eigenvalues of a symmetric matrix: Householder reduction to tridiagonal form, then implicit QL.
//!
//! The algorithms of EISPACK's `tred2` and `imtql2`. What is added is the scaling: squares must neither overflow nor
//! vanish, whatever the size of the entries.

use super::vector::{axpy, dot};
use super::{Eigenpairs, with_sign};
use crate::error::check_finite;
use crate::{Error, Matrix, memory};
use ternion_core::{Error as CoreError, Size};

/// QL iterations that one eigenvalue may take. Two or three are usual.
const MAX_ITERATIONS: usize = 60;

/// Entries below this, where the largest is about 1, count as zero: they are far below rounding, and so near the end of
/// the range of `f64` that their own digits are lost.
const NEGLIGIBLE: f64 = 1e-290;

/// Every eigenvalue and eigenvector of a symmetric matrix, of which only the lower triangle is read. About 6n³
/// multiply-adds.
///
/// ```
/// use ternion::{Matrix, dense};
///
/// let matrix = Matrix::from_vec(2, 2, vec![2.0, 1.0, 1.0, 2.0])?;
/// let all = dense::symmetric_eigenpairs(&matrix)?;
/// assert!((all.values[0] - 3.0).abs() < 1e-15 && (all.values[1] - 1.0).abs() < 1e-15);
/// let first = all.vectors.row(0).unwrap();
/// assert!((first[0] - first[1]).abs() < 1e-15);
/// # Ok::<(), ternion::Error>(())
/// ```
///
/// # Errors
///
/// [`CoreError::SizeMismatch`] if the matrix is not square, [`Error::NotFinite`] for NaN or infinity,
/// [`Error::EigenvalueOverflow`] if an eigenvalue exceeds the range of `f64`, [`Error::NotConverged`] if an eigenvalue
/// takes more than 60 iterations, where two or three are usual.
pub fn symmetric_eigenpairs(matrix: &Matrix<f64>) -> Result<Eigenpairs, Error> {
    let n = square(matrix)?;
    let (mut work, scale) = scaled(matrix, n)?;
    let (mut diagonal, mut off_diagonal, sizes) = tridiagonal(&mut work, n);
    let mut vectors = reflections(work, &sizes, n)?;
    implicit_ql(&mut diagonal, &mut off_diagonal, |i, cos, sin| {
        let (left, right) = vectors.split_at_mut((i + 1) * n);
        for (a, b) in left[i * n..].iter_mut().zip(&mut right[..n]) {
            (*a, *b) = (cos * *a - sin * *b, sin * *a + cos * *b);
        }
    })?;
    scale.restore(&mut diagonal)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| diagonal[j].total_cmp(&diagonal[i]));
    let sorted = order.iter().flat_map(|&i| with_sign(&vectors[i * n..(i + 1) * n]));
    let sorted = memory::collect(sorted, n, n)?;
    let values = order.iter().map(|&i| diagonal[i]).collect();
    Ok(Eigenpairs { values, vectors: Matrix::from_vec(n, n, sorted)? })
}

/// Every eigenvalue of a symmetric matrix, largest first; only the lower triangle is read. About 4n³/3 multiply-adds.
///
/// ```
/// use ternion::{Matrix, dense};
///
/// let matrix = Matrix::from_vec(2, 2, vec![0.0, 1.0, 1.0, 0.0])?;
/// let values = dense::symmetric_eigenvalues(&matrix)?;
/// assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] + 1.0).abs() < 1e-15);
/// # Ok::<(), ternion::Error>(())
/// ```
///
/// # Errors
///
/// As [`symmetric_eigenpairs`].
pub fn symmetric_eigenvalues(matrix: &Matrix<f64>) -> Result<Vec<f64>, Error> {
    let n = square(matrix)?;
    let (mut work, scale) = scaled(matrix, n)?;
    let (mut diagonal, mut off_diagonal, _) = tridiagonal(&mut work, n);
    implicit_ql(&mut diagonal, &mut off_diagonal, |_, _, _| ())?;
    scale.restore(&mut diagonal)?;
    diagonal.sort_by(|a, b| b.total_cmp(a));
    Ok(diagonal)
}

fn square(matrix: &Matrix<f64>) -> Result<usize, Error> {
    let (expected, found) = (matrix.rows(), matrix.cols());
    if found != expected {
        return Err(CoreError::SizeMismatch { size: Size::Cols, expected, found }.into());
    }
    check_finite(matrix.as_slice())?;
    Ok(expected)
}

/// The largest absolute value in the lower triangle of a matrix, to divide by and to multiply back.
struct Scale {
    largest: f64,
}

/// The matrix in units of about its largest entry, so that squares neither overflow nor vanish.
fn scaled(matrix: &Matrix<f64>, n: usize) -> Result<(Vec<f64>, Scale), Error> {
    let lower = matrix.iter_rows().enumerate().flat_map(|(i, row)| &row[..=i]);
    let scale = Scale { largest: lower.fold(0.0, |most, x| x.abs().max(most)) };
    let unit = unit(scale.largest);
    let mut work = memory::zeros(n, n)?;
    for (i, (to, from)) in work.chunks_exact_mut(n).zip(matrix.iter_rows()).enumerate() {
        for (to, from) in to.iter_mut().zip(&from[..=i]) {
            *to = from / unit;
        }
    }
    Ok((work, scale))
}

impl Scale {
    /// Returns the eigenvalues to their own unit.
    fn restore(&self, values: &mut [f64]) -> Result<(), Error> {
        let unit = unit(self.largest);
        values.iter_mut().for_each(|value| *value *= unit);
        if values.iter().all(|value| value.is_finite()) {
            Ok(())
        } else {
            Err(Error::EigenvalueOverflow { largest: self.largest })
        }
    }
}

/// The power of two at or below a size, so that dividing by it is exact; at least the smallest normal number.
fn unit(size: f64) -> f64 {
    f64::from_bits(size.max(f64::MIN_POSITIVE).to_bits() & 0x7FF << 52)
}

/// Householder reduction of the lower triangle, whose largest entry is about 1, to tridiagonal form, from the last row up.
/// Returns the diagonal, the one below it (`off_diagonal[k]` in row `k`) and h = ‖u‖²/2 of each reflection I − uuᵀ/h; u
/// itself is left in the row.
fn tridiagonal(a: &mut [f64], n: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let (mut off_diagonal, mut sizes) = (vec![0.0; n], vec![0.0; n]);
    let mut p = vec![0.0; n];
    for k in (1..n).rev() {
        let (above, row) = a.split_at_mut(k * n);
        let u = &mut row[..k];
        off_diagonal[k] = u[k - 1];
        // A row that is already zero left of the diagonal below needs no reflection.
        let left = u[..k - 1].iter().fold(0.0_f64, |most, x| x.abs().max(most));
        if left < NEGLIGIBLE {
            continue;
        }
        // The reflection does not depend on the length of u. In units of its largest entry the squares keep their
        // digits, even in a row that is tiny next to others.
        let unit = unit(left.max(u[k - 1].abs()));
        u.iter_mut().for_each(|u| *u /= unit);
        let norm = dot(u, u).sqrt();
        let to = if u[k - 1] > 0.0 { -norm } else { norm };
        let h = norm * norm - u[k - 1] * to;
        u[k - 1] -= to;
        off_diagonal[k] = to * unit;
        sizes[k] = h;
        // p = A·u/h by the lower triangle, then A ← A − u·qᵀ − q·uᵀ with q = p − u·(uᵀp)/2h.
        let p = &mut p[..k];
        p.fill(0.0);
        for i in 0..k {
            let row = &above[i * n..i * n + i];
            p[i] += dot(row, &u[..i]) + above[i * n + i] * u[i];
            axpy(u[i], row, &mut p[..i]);
        }
        p.iter_mut().for_each(|p| *p /= h);
        let half = dot(u, p) / (h + h);
        axpy(-half, u, p);
        for i in 0..k {
            let row = &mut above[i * n..=i * n + i];
            axpy(-u[i], &p[..=i], row);
            axpy(-p[i], &u[..=i], row);
        }
    }
    ((0..n).map(|k| a[k * n + k]).collect(), off_diagonal, sizes)
}

/// The product of the reflections, with a row for each column of the tridiagonal matrix.
fn reflections(a: Vec<f64>, sizes: &[f64], n: usize) -> Result<Vec<f64>, Error> {
    let mut q = memory::zeros(n, n)?;
    for i in 0..n {
        q[i * n + i] = 1.0;
    }
    // Row i is eᵢᵀ·H with the reflections in order of growing size: the k-th touches only the first k entries of the
    // first k rows.
    for k in (1..n).filter(|&k| sizes[k] > 0.0) {
        let u = &a[k * n..k * n + k];
        for row in q.chunks_exact_mut(n).take(k) {
            axpy(-dot(&row[..k], u) / sizes[k], u, &mut row[..k]);
        }
    }
    Ok(q)
}

/// Implicit QL iterations with Wilkinson shifts, from tridiagonal to diagonal. `rotate(i, cos, sin)` is called for every
/// rotation of rows `i` and `i + 1`.
fn implicit_ql(
    d: &mut [f64],
    off_diagonal: &mut [f64],
    mut rotate: impl FnMut(usize, f64, f64),
) -> Result<(), Error> {
    let n = d.len();
    // e[i] between i and i + 1.
    off_diagonal.rotate_left(1);
    let e = off_diagonal;
    e[n - 1] = 0.0;
    for low in 0..n {
        for iteration in 0_usize.. {
            let small = |m: usize| {
                e[m].abs() <= NEGLIGIBLE.max(f64::EPSILON * (d[m].abs() + d[m + 1].abs()))
            };
            let split = (low..n - 1).find(|&m| small(m)).unwrap_or(n - 1);
            if split == low {
                break;
            }
            if iteration == MAX_ITERATIONS {
                return Err(Error::NotConverged { iterations: iteration });
            }
            // The eigenvalue of the upper left 2 × 2 that is nearer to d[low].
            let g = (d[low + 1] - d[low]) / (2.0 * e[low]);
            let r = g.hypot(1.0);
            let mut g = d[split] - d[low] + e[low] / (g + r.copysign(g));
            let (mut sin, mut cos, mut p) = (1.0, 1.0, 0.0);
            let mut deflated = false;
            for i in (low..split).rev() {
                let (f, b) = (sin * e[i], cos * e[i]);
                let r = f.hypot(g);
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= p;
                    e[split] = 0.0;
                    deflated = true;
                    break;
                }
                (sin, cos) = (f / r, g / r);
                g = d[i + 1] - p;
                let r = (d[i] - g) * sin + 2.0 * cos * b;
                p = sin * r;
                d[i + 1] = g + p;
                g = cos * r - b;
                rotate(i, cos, sin);
            }
            if !deflated {
                d[low] -= p;
                e[low] = g;
                e[split] = 0.0;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(i: usize, j: usize) -> f64 {
        let (i, j) = (i.max(j), i.min(j));
        ((i * 7919 + j * 104_729 + i * j * 31) % 1009) as f64 / 1009.0 - 0.5
    }

    #[test]
    fn vectors_are_orthonormal_and_belong_to_their_values() {
        for n in [1, 2, 3, 10, 65] {
            let a: Vec<f64> = (0..n * n).map(|k| noise(k / n, k % n)).collect();
            let matrix = Matrix::from_vec(n, n, a.clone()).unwrap();
            let Eigenpairs { values, vectors } = symmetric_eigenpairs(&matrix).unwrap();
            assert!(values.is_sorted_by(|a, b| a >= b));
            for (i, v) in vectors.iter_rows().enumerate() {
                for (j, w) in vectors.iter_rows().enumerate() {
                    let expected = (i == j) as u8 as f64;
                    assert!((dot(v, w) - expected).abs() < 1e-12, "{n}: {i} {j}");
                }
                for (k, row) in a.chunks(n).enumerate() {
                    assert!((dot(row, v) - values[i] * v[k]).abs() < 1e-12, "{n}: {i} {k}");
                }
            }
            for (a, b) in symmetric_eigenvalues(&matrix).unwrap().iter().zip(&values) {
                assert!((a - b).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn diagonal_matrices_and_repeated_eigenvalues_need_no_iterations() {
        let n = 5;
        let mut a = vec![0.0; n * n];
        for (i, value) in [3.0, -1.0, 3.0, 0.0, 3.0].into_iter().enumerate() {
            a[i * n + i] = value;
        }
        let matrix = Matrix::from_vec(n, n, a).unwrap();
        assert_eq!(symmetric_eigenpairs(&matrix).unwrap().values, [3.0, 3.0, 3.0, 0.0, -1.0]);
    }
}
