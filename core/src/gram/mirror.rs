//! The lower triangle of a symmetric matrix from the upper one.

/// Rows and columns copied at once: a cache line of 32-bit numbers each way, so that every line is
/// read once and written once whatever the distance between rows.
const SIDE: usize = 16;

/// Copies every number above the diagonal of an `n × n` matrix to its place below.
pub(super) fn mirror(matrix: &mut [i32], n: usize) {
    for top in (0..n).step_by(SIDE) {
        let (above, below) = matrix.split_at_mut(n.min(top + SIDE) * n);
        let band = &mut above[top * n..];
        let rows = band.len() / n;
        for i in 0..rows {
            for j in 0..i {
                band[i * n + top + j] = band[j * n + top + i];
            }
        }
        let left = top + rows;
        for (k, target) in below.chunks_mut(SIDE * n).enumerate() {
            copy(band, target, n, top, left + k * SIDE);
        }
    }
}

/// One tile: column `first + j` of a band of rows becomes row `j` of the target, from column `top` on.
fn copy(band: &[i32], target: &mut [i32], n: usize, top: usize, first: usize) {
    let (rows, cols) = (band.len() / n, target.len() / n);
    if rows == SIDE && cols == SIDE {
        let mut tile = [[0; SIDE]; SIDE];
        for (tile, row) in tile.iter_mut().zip(band.chunks_exact(n)) {
            tile.copy_from_slice(&row[first..first + SIDE]);
        }
        for (j, row) in target.chunks_exact_mut(n).enumerate() {
            let mut line = [0; SIDE];
            for i in 0..SIDE {
                line[i] = tile[i][j % SIDE];
            }
            row[top..top + SIDE].copy_from_slice(&line);
        }
    } else {
        for (j, row) in target.chunks_exact_mut(n).enumerate() {
            for (i, to) in row[top..top + rows].iter_mut().enumerate() {
                *to = band[i * n + first + j];
            }
        }
    }
}
