//! The lower triangle of a symmetric matrix from the upper one.

use crate::arch::{HALF, Simd};
use crate::error::{Buffer, Error};

/// Rows and columns of a tile: a cache line each way, so that every line is read once and written once whatever the
/// distance between rows.
const SIDE: usize = HALF;

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
/// use ternion_core::{Native, copy_upper_to_lower};
///
/// let mut matrix = [1, 2, 0, 3];
/// copy_upper_to_lower(Native, &mut matrix, 2)?;
/// assert_eq!(matrix, [1, 2, 2, 3]);
/// # Ok::<(), ternion_core::Error>(())
/// ```
pub fn copy_upper_to_lower<S: Simd>(simd: S, matrix: &mut [i32], n: usize) -> Result<(), Error> {
    let (expected, found) = (super::product_len(n, n)?, matrix.len());
    if found != expected {
        return Err(Error::LengthMismatch { buffer: Buffer::Output, expected, found });
    }
    for top in (0..n).step_by(BAND_ROWS) {
        let (band, below) = matrix[top * n..].split_at_mut(BAND_ROWS.min(n - top) * n);
        let (mut rest, mut left) = (&mut *band, top);
        while !rest.is_empty() {
            let (strip, lower) = rest.split_at_mut(rest.len().min(SIDE * n));
            copy_corner(strip, left, n);
            copy_below(simd, strip, left, lower, left + SIDE, n);
            (rest, left) = (lower, left + SIDE);
        }
        copy_below(simd, band, top, below, top + BAND_ROWS, n);
    }
    Ok(())
}

/// The square of a strip on the diagonal, number by number.
fn copy_corner(strip: &mut [i32], left: usize, n: usize) {
    for i in 1..strip.len() / n {
        for j in 0..i {
            strip[i * n + left + j] = strip[j * n + left + i];
        }
    }
}

/// Copies what rows, the first of which is `top`, have above other rows, the first of which is `first`, tile by tile.
fn copy_below<S: Simd>(
    simd: S,
    rows: &[i32],
    top: usize,
    others: &mut [i32],
    first: usize,
    n: usize,
) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (tile, others) in others.chunks_mut((SIDE * n).max(1)).enumerate() {
                for (strip, rows) in rows.chunks((SIDE * n).max(1)).enumerate() {
                    let from = present!(rows.get(first + tile * SIDE..), else return);
                    let to = present!(others.get_mut(top + strip * SIDE..), else return);
                    copy_tile(simd, from, to, n);
                }
            }
        },
    );
}

/// One tile: number `j` of row `i` becomes number `i` of row `j`. Rows with others below them are 16; of the others
/// there may be fewer, and then as many columns.
#[inline(always)]
fn copy_tile<S: Simd>(simd: S, from: &[i32], to: &mut [i32], n: usize) {
    if to.len() > (SIDE - 1) * n {
        simd.transpose32(from, to, n);
        return;
    }
    for (j, to) in to.chunks_mut(n.max(1)).enumerate() {
        for (to, from) in to.iter_mut().zip(from.chunks(n.max(1))) {
            *to = *present!(from.get(j), else return);
        }
    }
}
