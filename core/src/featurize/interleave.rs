//! Samples in rows to samples in lanes: an 8 × 8 transpose of 16-bit numbers at a time.
//!
//! Eight loads, 24 unpacks and eight stores for 64 numbers: negligible beside a projection, whereas
//! moving one number at a time would cost as much as a structured one.

use crate::arch::{LANES, Lanes16, Simd};
use wide::i16x8;

/// Numbers in a side of a square.
pub(super) const SIDE: usize = 8;

/// Writes `rows`, [`LANES`] samples of `stride` numbers each, into the lanes of `block`, one line per
/// input. `stride` is a multiple of [`SIDE`]; the numbers beyond the block are dropped.
pub(super) fn interleave<S: Simd>(simd: S, rows: &[i16], stride: usize, block: &mut [Lanes16]) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (column, lines) in (0..stride).step_by(SIDE).zip(block.chunks_mut(SIDE)) {
                for lane in (0..LANES).step_by(SIDE) {
                    square(rows, stride, column, lane, lines);
                }
            }
        },
    );
}

/// Eight columns of eight samples.
#[inline(always)]
fn square(rows: &[i16], stride: usize, column: usize, lane: usize, lines: &mut [Lanes16]) {
    let mut square = [i16x8::ZERO; SIDE];
    for (k, slot) in square.iter_mut().enumerate() {
        let row = present!(rows.get((lane + k) * stride + column..), else return);
        let eight = present!(row.first_chunk::<SIDE>(), else return);
        *slot = i16x8::new(*eight);
    }
    for (line, numbers) in lines.iter_mut().zip(i16x8::transpose(square)) {
        let lanes = present!(line.0.get_mut(lane..lane + SIDE), else return);
        lanes.copy_from_slice(numbers.as_array());
    }
}
