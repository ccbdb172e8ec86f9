//! The lower triangle of a symmetric matrix from the upper one.

use crate::error::{Buffer, Error};

/// Rows and columns of a tile: a cache line of 32-bit numbers each way, so that every line is read
/// once and written once whatever the distance between rows.
const SIDE: usize = 16;

/// Rows copied together: four tiles side by side, so that few pages are in use at a time.
const BAND_ROWS: usize = 4 * SIDE;

/// Copies every number above the diagonal of an `n × n` matrix to its place below it: completes
/// what [`gram_upper`](crate::gram_upper) writes.
///
/// # Errors
///
/// [`Error::SizeOverflow`] if n² overflows, [`Error::LengthMismatch`] unless there are n² numbers.
///
/// ```
/// let mut matrix = [1, 2, 0, 3];
/// ternion_core::copy_upper_to_lower(&mut matrix, 2)?;
/// assert_eq!(matrix, [1, 2, 2, 3]);
/// # Ok::<(), ternion_core::Error>(())
/// ```
pub fn copy_upper_to_lower<T: Copy + Default>(matrix: &mut [T], n: usize) -> Result<(), Error> {
    let (expected, found) = (super::product_len(n, n)?, matrix.len());
    if found != expected {
        return Err(Error::LengthMismatch { buffer: Buffer::Output, expected, found });
    }
    copy_bands(matrix, n);
    Ok(())
}

fn copy_bands<T: Copy + Default>(matrix: &mut [T], n: usize) {
    for top in (0..n).step_by(BAND_ROWS) {
        let (above, below) = matrix.split_at_mut(n.min(top + BAND_ROWS) * n);
        let band = &mut above[top * n..];
        let rows = band.len() / n;
        for i in 0..rows {
            for j in 0..i {
                band[i * n + top + j] = band[j * n + top + i];
            }
        }
        for (k, target) in below.chunks_mut(SIDE * n).enumerate() {
            let from = top + rows + k * SIDE;
            for (part, band) in band.chunks(SIDE * n).enumerate() {
                copy_tile(band, from, target, top + part * SIDE, n);
            }
        }
    }
}

/// One tile: number `from + j` of row `i` becomes number `to + i` of row `j` of the target.
fn copy_tile<T: Copy + Default>(rows: &[T], from: usize, target: &mut [T], to: usize, n: usize) {
    let (height, width) = (rows.len() / n, target.len() / n);
    if (height, width) != (SIDE, SIDE) {
        for (j, target) in target.chunks_exact_mut(n).enumerate() {
            for (i, target) in target[to..to + height].iter_mut().enumerate() {
                *target = rows[i * n + from + j];
            }
        }
        return;
    }
    let mut tile = [[T::default(); SIDE]; SIDE];
    for (tile, row) in tile.iter_mut().zip(rows.chunks_exact(n)) {
        tile.copy_from_slice(&row[from..from + SIDE]);
    }
    for (j, target) in target.chunks_exact_mut(n).enumerate() {
        let mut line = [T::default(); SIDE];
        for i in 0..SIDE {
            line[i] = tile[i][j % SIDE];
        }
        target[to..to + SIDE].copy_from_slice(&line);
    }
}
