//! Forward and backward substitution: L·Lᵀ·x = b for several b.
//!
//! ```text
//! downwards, for every 6 rows of L and every 8 right sides:     upwards, for every 24 rows of L and every 8 right sides:
//!     subtract the rows times what is solved above                 solve by the square on the diagonal, transposed
//!     solve by the square on the diagonal                          subtract the transposed rows times that from all above
//! ```
//!
//! Right sides are turned to lines of eight. Six lines of sums are in registers, so that a number that is loaded serves
//! six or eight products. The rows stay in L2 until all right sides had them: each way is bound by one read of L.
//!
//! Every number has its products subtracted in the same order on every instruction set, without fused multiply-adds.

use std::array::from_fn;
use ternion_core::Simd;

/// Lines that are summed together.
const TILE: usize = 6;

/// Rows of L that are read together on the way up: a multiple of the lines of a tile.
const PANEL: usize = 4 * TILE;

/// Right sides in a line.
const LINE: usize = 8;

/// The numbers of eight right sides in one row.
type Line = [f64; LINE];

/// Solves L·Lᵀ·x = b in place for several b of length n, with L in the lower triangle of n rows.
pub(super) fn substitute<S: Simd>(simd: S, lower: &[f64], n: usize, columns: &mut [Vec<f64>]) {
    let mut groups: Vec<Vec<Line>> = columns.chunks(LINE).map(|group| to_lines(group, n)).collect();
    for start in (0..n).step_by(TILE) {
        // Where there are no six rows left, the last one stands in for the others.
        let rows = from_fn(|k| &lower[(start + k).min(n - 1) * n..][..n]);
        for lines in &mut groups {
            let (above, lines) = lines.split_at_mut(start);
            forward(simd, rows, above, &mut lines[..TILE.min(n - start)]);
        }
    }
    for start in (0..n).step_by(PANEL).rev() {
        let rows = start..n.min(start + PANEL);
        let rows: Vec<&[f64]> = rows.map(|i| &lower[i * n..][..n]).collect();
        for lines in &mut groups {
            let (above, lines) = lines.split_at_mut(start);
            backward(simd, &rows, above, &mut lines[..rows.len()]);
        }
    }
    for (group, lines) in columns.chunks_mut(LINE).zip(&groups) {
        for (k, column) in group.iter_mut().enumerate() {
            column.iter_mut().zip(lines).for_each(|(x, line)| *x = line[k]);
        }
    }
}

/// Up to eight columns as lines, with zeros for those that are missing.
fn to_lines(columns: &[Vec<f64>], n: usize) -> Vec<Line> {
    let mut lines = vec![[0.0; LINE]; n];
    for (k, column) in columns.iter().enumerate() {
        lines.iter_mut().zip(column).for_each(|(line, x)| line[k] = *x);
    }
    lines
}

/// Solves L·y = b for up to six lines, given those above.
fn forward<S: Simd>(simd: S, rows: [&[f64]; TILE], above: &[Line], lines: &mut [Line]) {
    let sums = simd.vectorize(
        #[inline(always)]
        || {
            let [a, b, c, d, e, f] = rows;
            let six = a.iter().zip(b).zip(c).zip(d).zip(e).zip(f);
            sums(six.map(|(((((a, b), c), d), e), f)| [*a, *b, *c, *d, *e, *f]), above)
        },
    );
    for (i, (row, sum)) in rows.iter().zip(sums).enumerate().take(lines.len()) {
        let (solved, rest) = lines.split_at_mut(i);
        subtract(&mut rest[0], 1.0, &sum);
        for (x, l) in solved.iter().zip(&row[above.len()..]) {
            subtract(&mut rest[0], *l, x);
        }
        rest[0].iter_mut().for_each(|x| *x /= row[above.len() + i]);
    }
}

/// Solves Lᵀ·x = y for the lines of some rows, and subtracts their products from all above.
fn backward<S: Simd>(simd: S, rows: &[&[f64]], above: &mut [Line], lines: &mut [Line]) {
    for i in (0..lines.len()).rev() {
        let (rest, solved) = lines.split_at_mut(i + 1);
        for (x, row) in solved.iter().zip(&rows[i + 1..]) {
            subtract(&mut rest[i], row[above.len() + i], x);
        }
        rest[i].iter_mut().for_each(|x| *x /= rows[i][above.len() + i]);
    }
    simd.vectorize(
        #[inline(always)]
        || {
            for (tile, above) in above.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
                let six = |row: &&[f64]| row.as_chunks().0.get(tile).copied().unwrap_or_default();
                for (line, sum) in above.iter_mut().zip(sums(rows.iter().map(six), lines)) {
                    subtract(line, 1.0, &sum);
                }
            }
        },
    );
}

/// For each of six rows the sum of its entries times the lines.
#[inline(always)]
fn sums(entries: impl Iterator<Item = [f64; TILE]>, lines: &[Line]) -> [Line; TILE] {
    let mut sums = [[0.0; LINE]; TILE];
    for (entries, line) in entries.zip(lines) {
        for row in 0..TILE {
            for k in 0..LINE {
                sums[row][k] += entries[row] * line[k];
            }
        }
    }
    sums
}

#[inline(always)]
fn subtract(from: &mut Line, factor: f64, line: &Line) {
    for k in 0..LINE {
        from[k] -= factor * line[k];
    }
}
