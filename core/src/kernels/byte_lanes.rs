//! A byte lane for each of 64 rows: how bits of rows get there, what four of them count with four others,
//! and how sums come out again.

use crate::arch::{LANES, Lanes16, Simd, Table};

/// Rows in a block, one in each byte of a line.
pub(crate) const BLOCK: usize = 64;

/// The byte of a row's code in a line: even bytes, then odd ones, so that
/// [`split8`](Simd::split8) gives sums in the order of the rows.
#[inline(always)]
pub(crate) const fn byte_of(row: usize) -> usize {
    2 * (row % 32) + row / 32 % 2
}

/// Transposes the 8 × 8 bytes that eight rows have in each of eight words.
#[inline(always)]
pub(crate) fn transpose<S: Simd>(simd: S, rows: &mut [S::U64; 8]) {
    exchange::<S, 4>(simd, rows, 0x0000_0000_FFFF_FFFF);
    exchange::<S, 2>(simd, rows, 0x0000_FFFF_0000_FFFF);
    exchange::<S, 1>(simd, rows, 0x00FF_00FF_00FF_00FF);
}

/// The upper bytes of a row and the lower ones of the row at a distance change places.
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

/// The lower and the upper four bits of every byte, a byte each.
#[inline(always)]
pub(crate) fn halves<S: Simd>(simd: S, bytes: S::U64) -> [S::U64; 2] {
    let low = simd.splat64(0x0F0F_0F0F_0F0F_0F0F);
    [simd.and64(bytes, low), simd.and64(simd.shr64(bytes, 4), low)]
}

/// Sums of 64 rows in 16 bits, in the order of the rows.
pub(crate) type Wide = [Lanes16; 2];

/// No sums yet.
pub(crate) const NOTHING: Wide = [Lanes16([0; LANES]); 2];

/// Adds sums in bytes to sums in 16 bits.
#[inline(always)]
pub(crate) fn empty<S: Simd>(simd: S, bytes: S::U8, wide: &mut Wide) {
    let parts = simd.split8(bytes);
    for half in 0..2 {
        let sums = simd.add16(simd.load16(&wide[half]), parts[half]);
        simd.store16(&mut wide[half], sums);
    }
}

/// Four bits with four others: how many differ.
pub(crate) static OPPOSED: [Table; 16] = bits(true);

/// Four bits with four others: how many are set in both.
pub(crate) static COMMON: [Table; 16] = bits(false);

const fn bits(opposed: bool) -> [Table; 16] {
    let mut tables = [Table([0; 128]); 16];
    let mut at = 0;
    while at < 16 * 128 {
        let (a, b) = (at / 128, at % 16);
        let set = if opposed { a ^ b } else { a & b };
        tables[a].0[at % 128] = set.count_ones() as u8;
        at += 1;
    }
    tables
}
