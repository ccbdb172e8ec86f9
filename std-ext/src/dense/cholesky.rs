//! The blocked Cholesky factorisation, in place: the only one that the learners need.

use super::vector::dot;
use crate::Error;

/// Columns per panel. The panel's 64 rows are read again for every row below it, from L2 up to n ≈ 2,000.
const PANEL_COLUMNS: usize = 64;

/// The factor L of a symmetric positive definite matrix L·Lᵀ.
pub(crate) struct Cholesky {
    n: usize,
    /// L in the lower triangle, row-major. The rest is never read.
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factors a matrix, of which only the lower triangle is read: n³/3 multiply-adds, nearly all of them in [`dot`] over
    /// rows that are in cache.
    pub(crate) fn new(n: usize, mut a: Vec<f64>) -> Result<Self, Error> {
        for start in (0..n).step_by(PANEL_COLUMNS) {
            let end = n.min(start + PANEL_COLUMNS);
            // First the rows of the panel itself, then the rows below. Everything left of the panel is final, so each
            // entry takes one dot product.
            for i in start..n {
                let (above, below) = a.split_at_mut(i * n);
                let row = &mut below[..n];
                for j in start..end.min(i) {
                    let pivot = &above[j * n..j * n + j + 1];
                    row[j] = (row[j] - dot(&row[..j], &pivot[..j])) / pivot[j];
                }
                if i < end {
                    let left = row[i] - dot(&row[..i], &row[..i]);
                    if left.is_nan() || left <= 0.0 {
                        return Err(Error::NotPositiveDefinite { pivot: i });
                    }
                    row[i] = left.sqrt();
                }
            }
        }
        Ok(Self { n, lower: a })
    }

    /// Solves A·x = b in place.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        let n = self.n;
        for i in 0..n {
            let row = &self.lower[i * n..i * n + i + 1];
            b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
        }
        for i in (0..n).rev() {
            let row = &self.lower[i * n..i * n + i + 1];
            b[i] /= row[i];
            let (head, tail) = b.split_at_mut(i);
            for (b, l) in head.iter_mut().zip(row) {
                *b -= tail[0] * l;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_what_it_factors() {
        for n in [1, 2, 63, 64, 65, 150] {
            let noise =
                |i: usize, j: usize| ((i * 7919 + j * 104_729) % 1009) as f64 / 1009.0 - 0.5;
            let b: Vec<f64> = (0..n * n).map(|k| noise(k / n, k % n)).collect();
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    a[i * n + j] = dot(&b[i * n..][..n], &b[j * n..][..n]) + (i == j) as u8 as f64;
                }
            }
            let x: Vec<f64> = (0..n).map(|i| noise(i, 3)).collect();
            let mut solved: Vec<f64> = (0..n).map(|i| dot(&a[i * n..][..n], &x)).collect();
            Cholesky::new(n, a).unwrap().solve(&mut solved);
            for (x, solved) in x.iter().zip(solved) {
                assert!((x - solved).abs() < 1e-9, "{n}: {x} {solved}");
            }
        }
    }

    #[test]
    fn refuses_what_is_not_positive() {
        let indefinite = vec![1.0, 0.0, 2.0, 1.0];
        let error = Cholesky::new(2, indefinite).err();
        assert_eq!(error, Some(Error::NotPositiveDefinite { pivot: 1 }));
        assert!(Cholesky::new(1, vec![f64::NAN]).is_err());
    }
}
