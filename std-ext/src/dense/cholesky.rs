//! The blocked Cholesky factorisation, in place: the only one that the learners need.
//!
//! ```text
//! for every panel of 256 columns:
//!     for every strip of 32 columns in it:
//!         factor the 32 × 32 entries on the diagonal
//!         divide the rows below by them
//!         subtract the products of the strip's columns from the rest of the panel
//!     subtract the products of the panel's columns from all columns to its right
//! ```
//!
//! 1. Nearly all work is the last line: C −= A·Aᵀ. Tiles of C are summed in registers, as many entries as fit, so that
//!    an operand that is loaded serves several sums.
//! 2. Both operands are copied first, in the order in which the tiles read them: rows are often a power of two apart,
//!    where a cache holds few of them.
//! 3. The copied rows of a task (192 KB) stay in L2, those of a tile's columns in L1.
//!
//! Every entry has its products subtracted in the same order on every instruction set and number of threads, without
//! fused multiply-adds, which some lack: the same matrix gives the same bits everywhere. Bound by multiplications, of
//! which the loop issues one for each addition.

use super::substitution::substitute;
use super::vector::dot;
use crate::{Error, Isa, dispatch, parallel};
use std::ops::Range;
use ternion_core::Simd;

/// Columns whose products are subtracted from the rest of the matrix together.
const PANEL_COLUMNS: usize = 256;

/// Columns that are eliminated one by one.
const STRIP_COLUMNS: usize = 32;

/// Rows that are divided together: one alone waits for its divisions.
const DIVIDED_ROWS: usize = 4;

/// Rows per task: a multiple of the rows of every tile.
const TASK_ROWS: usize = 96;

/// Columns of an inverse that are computed together: a row of L is read once for all of them.
const INVERSE_COLUMNS: usize = 8;

/// The factor L of a symmetric positive definite matrix L·Lᵀ.
pub(crate) struct Cholesky {
    n: usize,
    /// L in the lower triangle, row-major. The rest is never read.
    lower: Vec<f64>,
}

impl Cholesky {
    /// Factors a matrix, of which only the lower triangle is read: n³/6 multiply-adds.
    pub(crate) fn new(n: usize, mut a: Vec<f64>) -> Result<Self, Error> {
        dispatch!(Isa::detect(), simd => factor(simd, &mut a, n))?;
        Ok(Self { n, lower: a })
    }

    /// Solves A·x = b in place for several b: n² multiply-adds each.
    pub(crate) fn solve(&self, columns: &mut [Vec<f64>]) {
        dispatch!(Isa::detect(), simd => substitute(simd, &self.lower, self.n, columns));
    }

    /// The diagonal of A⁻¹ = L⁻ᵀL⁻¹, the squared norms of the columns of L⁻¹: n³/6 multiply-adds.
    pub(crate) fn inverse_diagonal(&self) -> Vec<f64> {
        let mut diagonal = vec![0.0; self.n];
        parallel::for_each_chunk(&mut diagonal, INVERSE_COLUMNS, |chunk, diagonal| {
            let first = chunk * INVERSE_COLUMNS;
            dispatch!(Isa::detect(), simd => self.invert_columns(simd, first, diagonal));
        });
        diagonal
    }

    /// The squared norms of the columns of L⁻¹ from `first` on.
    fn invert_columns<S: Simd>(&self, simd: S, first: usize, norms: &mut [f64]) {
        // A column of L⁻¹ is zero above the diagonal: only what is below `first` is kept.
        let mut columns = vec![vec![0.0; self.n - first]; norms.len()];
        for (i, row) in self.lower.chunks_exact(self.n).enumerate().skip(first) {
            let (left, pivot) = (&row[first..i], row[i]);
            for (k, (column, norm)) in columns.iter_mut().zip(&mut *norms).enumerate() {
                let (known, rest) = column.split_at_mut(i - first);
                let one = if i == first + k { 1.0 } else { 0.0 };
                let sum = simd.vectorize(
                    #[inline(always)]
                    || dot(left, known),
                );
                rest[0] = (one - sum) / pivot;
                *norm += rest[0] * rest[0];
            }
        }
    }
}

/// Replaces the lower triangle of a matrix by its factor.
fn factor<S: Simd>(simd: S, a: &mut [f64], n: usize) -> Result<(), Error> {
    for panel in parts(0..n, PANEL_COLUMNS) {
        for strip in parts(panel.clone(), STRIP_COLUMNS) {
            factor_diagonal(a, n, strip.clone())?;
            divide_below(simd, a, n, strip.clone());
            subtract_products(simd, a, n, strip.clone(), strip.end..panel.end);
        }
        subtract_products(simd, a, n, panel.clone(), panel.end..n);
    }
    Ok(())
}

/// A range in parts of a size; the last one may be smaller.
fn parts(range: Range<usize>, size: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(size).map(move |start| start..end.min(start + size))
}

/// Factors the square on the diagonal that a strip of columns has.
fn factor_diagonal(a: &mut [f64], n: usize, strip: Range<usize>) -> Result<(), Error> {
    for i in strip.clone() {
        let (above, below) = a.split_at_mut(i * n);
        let row = &mut below[strip.start..=i];
        for j in 0..row.len() - 1 {
            let pivot = &above[(strip.start + j) * n + strip.start..][..=j];
            row[j] = (row[j] - dot(&row[..j], &pivot[..j])) / pivot[j];
        }
        let (left, last) = row.split_at_mut(i - strip.start);
        let square = last[0] - dot(left, left);
        if square.is_nan() || square <= 0.0 {
            return Err(Error::NotPositiveDefinite { pivot: i });
        }
        last[0] = square.sqrt();
    }
    Ok(())
}

/// A row of a strip, or a column of its factor; padded with zeros.
type Strip = [f64; STRIP_COLUMNS];

/// Multiplies the part of each row below a factored square by the inverse of its transposed factor.
fn divide_below<S: Simd>(simd: S, a: &mut [f64], n: usize, strip: Range<usize>) {
    // By columns, so that the inner loop runs along a row; ones in the diagonal of what is padded.
    let mut factor = [[0.0; STRIP_COLUMNS]; STRIP_COLUMNS];
    for (j, column) in factor.iter_mut().enumerate() {
        column[j] = 1.0;
    }
    for (j, row) in a[strip.start * n..strip.end * n].chunks_exact(n).enumerate() {
        for (column, l) in factor.iter_mut().zip(&row[strip.start..=strip.start + j]) {
            column[j] = *l;
        }
    }
    parallel::for_each_chunk(&mut a[strip.end * n..], TASK_ROWS * n, |_, rows| {
        for rows in rows.chunks_mut(DIVIDED_ROWS * n) {
            let mut padded = [[0.0; STRIP_COLUMNS]; DIVIDED_ROWS];
            for (padded, row) in padded.iter_mut().zip(rows.chunks_exact(n)) {
                padded[..strip.len()].copy_from_slice(&row[strip.clone()]);
            }
            divide(simd, &mut padded, &factor);
            for (padded, row) in padded.iter().zip(rows.chunks_exact_mut(n)) {
                row[strip.clone()].copy_from_slice(&padded[..strip.len()]);
            }
        }
    });
}

/// Solves x·Lᵀ = row in place for a few rows.
fn divide<S: Simd>(simd: S, rows: &mut [Strip; DIVIDED_ROWS], factor: &[Strip; STRIP_COLUMNS]) {
    simd.vectorize(
        #[inline(always)]
        || {
            for k in 0..STRIP_COLUMNS {
                for row in &mut *rows {
                    let x = row[k] / factor[k][k];
                    row[k] = x;
                    for j in k + 1..STRIP_COLUMNS {
                        row[j] -= x * factor[k][j];
                    }
                }
            }
        },
    );
}

/// Subtracts Σₖ aᵢₖ·aⱼₖ over some columns k from every entry (i, j) of some columns j with i ≥ j.
fn subtract_products<S: Simd>(
    simd: S,
    a: &mut [f64],
    n: usize,
    products: Range<usize>,
    columns: Range<usize>,
) {
    // Three quarters of the registers of AVX2 hold sums, half of the portable ones.
    if S::REGISTER_LINES >= 8 {
        Tiles::<6, 8>::subtract(simd, a, n, products, columns);
    } else {
        Tiles::<4, 4>::subtract(simd, a, n, products, columns);
    }
}

/// The sizes of a tile of sums.
struct Tiles<const ROWS: usize, const COLUMNS: usize>;

impl<const ROWS: usize, const COLUMNS: usize> Tiles<ROWS, COLUMNS> {
    fn subtract<S: Simd>(
        simd: S,
        a: &mut [f64],
        n: usize,
        products: Range<usize>,
        columns: Range<usize>,
    ) {
        let mut right: Vec<[f64; COLUMNS]> = Vec::new();
        pack(&a[columns.start * n..columns.end * n], n, &products, &mut right);
        let count = products.len();
        let tasks = a[columns.start * n..].chunks_mut(TASK_ROWS * n).enumerate();
        let done = parallel::try_for_each(tasks, |left: &mut Vec<[f64; ROWS]>, (task, rows)| {
            pack(rows, n, &products, left);
            let first = columns.start + task * TASK_ROWS;
            // Tiles above the diagonal are left out.
            let last = columns.end.min(first + rows.len() / n);
            let tiles = parts(columns.start..last, COLUMNS).zip(right.chunks_exact(count));
            for (tile, right) in tiles {
                let tiles = rows.chunks_mut(ROWS * n).zip(left.chunks_exact(count));
                for (index, (rows, left)) in tiles.enumerate() {
                    if tile.start < first + (index + 1) * ROWS {
                        let sums = Self::sums(simd, left, right);
                        for (row, sums) in rows.chunks_exact_mut(n).zip(&sums) {
                            let entries = row[tile.clone()].iter_mut().zip(sums);
                            entries.for_each(|(entry, sum)| *entry -= sum);
                        }
                    }
                }
            }
            Ok(())
        });
        debug_assert_eq!(done, Ok(()), "the tasks cannot fail");
    }

    /// The sums of products of a tile.
    fn sums<S: Simd>(
        simd: S,
        left: &[[f64; ROWS]],
        right: &[[f64; COLUMNS]],
    ) -> [[f64; COLUMNS]; ROWS] {
        simd.vectorize(
            #[inline(always)]
            || {
                let mut sums = [[0.0; COLUMNS]; ROWS];
                for (left, right) in left.iter().zip(right) {
                    for row in 0..ROWS {
                        for column in 0..COLUMNS {
                            sums[row][column] += left[row] * right[column];
                        }
                    }
                }
                sums
            },
        )
    }
}

/// Copies the given columns of some rows, `SIDE` rows at a time, so that a tile reads one number of each row after
/// another. Missing rows are zero.
fn pack<const SIDE: usize>(
    rows: &[f64],
    n: usize,
    columns: &Range<usize>,
    packed: &mut Vec<[f64; SIDE]>,
) {
    packed.clear();
    packed.resize(rows.len().div_ceil(SIDE * n) * columns.len(), [0.0; SIDE]);
    for (rows, packed) in rows.chunks(SIDE * n).zip(packed.chunks_exact_mut(columns.len())) {
        for (side, row) in rows.chunks_exact(n).enumerate() {
            for (to, from) in packed.iter_mut().zip(&row[columns.clone()]) {
                to[side] = *from;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(i: usize, j: usize) -> f64 {
        ((i * 7919 + j * 104_729) % 1009) as f64 / 1009.0 - 0.5
    }

    /// B·Bᵀ + I, with a B of few columns so that large ones are quick to make.
    fn positive_definite(n: usize) -> Vec<f64> {
        let b: Vec<f64> = (0..n * 9).map(|k| noise(k / 9, k % 9)).collect();
        let entry = |i: usize, j: usize| dot(&b[i * 9..][..9], &b[j * 9..][..9]);
        let ones = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 };
        (0..n * n).map(|k| entry(k / n, k % n) + ones(k / n, k % n)).collect()
    }

    /// Sizes around those of lines, strips, panels and tasks.
    const SIZES: [usize; 13] = [1, 2, 6, 7, 11, 31, 32, 33, 95, 97, 150, 256, 300];

    #[test]
    fn solves_what_it_factors() {
        for n in SIZES {
            let a = positive_definite(n);
            let x: Vec<Vec<f64>> = (0..11).map(|k| (0..n).map(|i| noise(i, k)).collect()).collect();
            let product = |x: &Vec<f64>| a.chunks(n).map(|row| dot(row, x)).collect();
            let mut solved: Vec<Vec<f64>> = x.iter().map(product).collect();
            Cholesky::new(n, a).unwrap().solve(&mut solved);
            for (x, solved) in x.iter().flatten().zip(solved.iter().flatten()) {
                assert!((x - solved).abs() < 1e-9, "{n}: {x} {solved}");
            }
        }
    }

    #[test]
    fn the_inverse_has_the_diagonal_of_its_columns() {
        for n in SIZES {
            let factor = Cholesky::new(n, positive_definite(n)).unwrap();
            let diagonal = factor.inverse_diagonal();
            let mut columns = vec![vec![0.0; n]; n];
            columns.iter_mut().enumerate().for_each(|(i, column)| column[i] = 1.0);
            factor.solve(&mut columns);
            for (i, (column, found)) in columns.iter().zip(&diagonal).enumerate() {
                assert!((column[i] - found).abs() < 1e-12, "{n}: {} {found}", column[i]);
            }
        }
    }

    #[test]
    fn every_isa_gives_the_same_bits() {
        for n in SIZES {
            let lower = |isa| {
                let mut a = positive_definite(n);
                dispatch!(isa, simd => factor(simd, &mut a, n)).unwrap();
                let mut solved: Vec<Vec<f64>> =
                    (0..9).map(|k| (0..n).map(|i| noise(i, k)).collect()).collect();
                dispatch!(isa, simd => substitute(simd, &a, n, &mut solved));
                let rows = a.chunks(n).enumerate().flat_map(|(i, row)| &row[..=i]);
                rows.chain(solved.iter().flatten()).map(|x| x.to_bits()).collect::<Vec<_>>()
            };
            let expected = lower(Isa::SCALAR);
            for isa in Isa::present() {
                assert!(lower(isa) == expected, "{isa} {n}");
            }
        }
    }

    #[test]
    fn refuses_what_is_not_positive() {
        let indefinite = vec![1.0, 0.0, 2.0, 1.0];
        let error = Cholesky::new(2, indefinite).err();
        assert_eq!(error, Some(Error::NotPositiveDefinite { pivot: 1 }));
        assert!(Cholesky::new(1, vec![f64::NAN]).is_err());
        for pivot in [40, 299] {
            let mut a = positive_definite(300);
            a[pivot * 301] = -1.0;
            let error = Cholesky::new(300, a).err();
            assert_eq!(error, Some(Error::NotPositiveDefinite { pivot }));
        }
    }
}
