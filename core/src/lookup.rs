//! What the byte-lookup kernels share: 64 rows in the 64 bytes of a line, tables of 4-bit counts, and sums of bytes
//! widened to 16 bits.

use crate::arch::{LANES, Lanes16, Simd, Table};

/// Rows in a block, one in each byte of a line.
pub(crate) const BLOCK_ROWS: usize = 64;

/// The byte of a row's code in a line: even bytes, then odd ones, so that
/// [`split8`](Simd::split8) gives sums in the order of the rows.
#[inline(always)]
pub(crate) const fn byte_of_row(row: usize) -> usize {
    2 * (row % 32) + row / 32 % 2
}

/// Transposes the 8 × 8 bytes of each word: byte `i` of row `j` and byte `j` of row `i` change places.
#[inline(always)]
pub(crate) fn transpose_bytes<S: Simd>(simd: S, rows: &mut [S::U64; 8]) {
    exchange::<S, 4>(simd, rows, 0x0000_0000_FFFF_FFFF);
    exchange::<S, 2>(simd, rows, 0x0000_FFFF_0000_FFFF);
    exchange::<S, 1>(simd, rows, 0x00FF_00FF_00FF_00FF);
}

/// Exchanges the upper bytes of a row with the lower bytes of the row at a distance.
#[inline(always)]
fn exchange<S: Simd, const DISTANCE: usize>(simd: S, rows: &mut [S::U64; 8], mask: u64) {
    for low in 0..8 {
        if low & DISTANCE == 0 {
            let (a, b, shift) = (rows[low], rows[low + DISTANCE], 8 * DISTANCE as u32);
            let swap = simd.and64(simd.xor64(simd.shr64(a, shift), b), simd.splat64(mask));
            rows[low] = simd.xor64(a, simd.shl64(swap, shift));
            rows[low + DISTANCE] = simd.xor64(b, swap);
        }
    }
}

/// The lower and the upper four bits of every byte, as bytes.
#[inline(always)]
pub(crate) fn split_nibbles<S: Simd>(simd: S, bytes: S::U64) -> [S::U64; 2] {
    let low = simd.splat64(0x0F0F_0F0F_0F0F_0F0F);
    [simd.and64(bytes, low), simd.and64(simd.shr64(bytes, 4), low)]
}

/// Sums of 64 rows in 16 bits, in the order of the rows.
pub(crate) type WideSums = [Lanes16; 2];

/// All sums zero.
pub(crate) const ZERO_SUMS: WideSums = [Lanes16([0; LANES]); 2];

/// Adds 64 sums in bytes to 64 sums in 16 bits.
#[inline(always)]
pub(crate) fn add_bytes<S: Simd>(simd: S, bytes: S::U8, wide: &mut WideSums) {
    let parts = simd.split8(bytes);
    for half in 0..2 {
        let sums = simd.add16(simd.load16(&wide[half]), parts[half]);
        simd.store16(&mut wide[half], sums);
    }
}

/// For two codes of four bits, how many bits differ.
pub(crate) static DIFFERENT_BITS: [Table; 16] = bit_counts(true);

/// For two codes of four bits, how many bits are set in both.
pub(crate) static COMMON_BITS: [Table; 16] = bit_counts(false);

const fn bit_counts(different: bool) -> [Table; 16] {
    let mut tables = [Table([0; 128]); 16];
    let mut at = 0;
    while at < 16 * 128 {
        let (a, b) = (at / 128, at % 16);
        let set = if different { a ^ b } else { a & b };
        tables[a].0[at % 128] = set.count_ones() as u8;
        at += 1;
    }
    tables
}
