//! One sample, rows in lanes: lookups in registers, 32 rows at a time.
//!
//! ```text
//! for every block of 64 inputs:
//!     for every chunk of 16 of them: prepare the sums of all its subsets
//!     for every 32 rows:
//!         part = Σ over the chunks of subsets[chunk][code of +1] − subsets[chunk][code of −1]
//!         sum += part
//! ```
//!
//! A code is 16 bits, a bit for each input of the chunk; the 32 rows' codes are one line.
//!
//! 1. Without zeros in W the +1 are whatever is not −1: part = Σ x + Σ subsets of (−2x)[code of −1],
//!    half the lookups and half the memory.
//! 2. Parts fit in i16, whatever wraps on the way: the quantiser bounds every block's absolute sum by 32,767. Sums
//!    are kept in 32 bits. A block of larger integers is added in two steps, as x = 256·high + low; but not angles,
//!    of which only the low 16 bits count.
//! 3. The prepared sums of a block stay in registers on AVX-512 for all rows of a tile; codes are read
//!    once, in the order they lie in memory.
//!
//! What bounds it: on AVX-512 the vector operations, 8 for 16 inputs of 32 rows (lookups of 6 + 5 + 5
//! bits, two shifts, three adds) and 2 for the widening of a block's part (4 without VNNI). A core
//! that executes two per cycle takes 17 cycles for 32 rows and 64 inputs; 19.8 are seen, the same whether the
//! codes come from L1 or L2. Two lookups of 6 bits per word would take 6 % less time and a third more
//! memory. Bytes looked up 128 at a time and added by `vpdpbusd` would take 18 % more: lookups and dot
//! products share a pipe. On AVX2 it is 38 operations for 16 inputs of 32 rows, of which 22 are shuffles
//! and shifts that only two pipes do: 11 cycles; 13 are seen. Elsewhere it is the loads, one for 8
//! inputs of a row.

use crate::arch::{HALF, Lanes16, Simd};

/// Inputs of a block.
pub(super) const SPAN_INPUTS: usize = 64;

/// Rows side by side in the lanes of a line.
pub(super) const LANE_ROWS: usize = 2 * HALF;

/// Lines of codes of a block of inputs and 32 rows, in one plane.
pub(super) const CODE_LINES: usize = SPAN_INPUTS / 16;

/// The lane of one of 32 rows: the first sixteen in the even lanes, the others in the odd ones, as
/// [`add_widened`](crate::arch::Operations::add_widened) separates them.
#[inline(always)]
pub(super) const fn lane_of_row(row: usize) -> usize {
    row % HALF * 2 + row / HALF
}

/// Adds a block's part to the sums of as many rows as there are codes, or starts them if it is the `first`. With
/// `zeros` the codes of +1 follow those of −1. If only the low bits of the sums are wanted, 16 of them are right.
#[inline(always)]
pub(super) fn add_block<S: Simd>(
    simd: S,
    numbers: &[i16; SPAN_INPUTS],
    low_bits: bool,
    codes: &[Lanes16],
    zeros: bool,
    first: bool,
    sums: &mut [i32],
) {
    let mut absolute_sum = 0_u32;
    for number in numbers {
        absolute_sum += number.unsigned_abs() as u32;
    }
    if low_bits || absolute_sum <= i16::MAX as u32 {
        return add_scaled::<S, 1>(simd, numbers, codes, zeros, first, sums);
    }
    add_scaled::<S, 1>(simd, &numbers.map(|number| number & 0xFF), codes, zeros, first, sums);
    add_scaled::<S, 256>(simd, &numbers.map(|number| number >> 8), codes, zeros, false, sums);
}

/// Adds 64 numbers with signs from the trits of rows to the sums of these, for numbers whose absolute sum fits in 16 bits.
///
/// Every 32 rows have eight lines of codes, as [`codes64`](crate::arch::Operations::codes64) cuts them from words: four of
/// their −1, then four of their +1.
#[doc(hidden)]
#[inline(always)]
pub fn add_coded<S: Simd>(
    simd: S,
    numbers: &[i16; SPAN_INPUTS],
    codes: &[Lanes16],
    sums: &mut [i32],
) {
    add_scaled::<S, 1>(simd, numbers, codes, true, false, sums);
}

/// [`add_block`] for numbers whose absolute sum fits in 16 bits, times `TIMES`.
#[inline(always)]
fn add_scaled<S: Simd, const TIMES: i16>(
    simd: S,
    numbers: &[i16; SPAN_INPUTS],
    codes: &[Lanes16],
    zeros: bool,
    first: bool,
    sums: &mut [i32],
) {
    let mut numbers = *numbers;
    let mut total = 0_i16;
    if !zeros {
        for number in &mut numbers {
            total = total.wrapping_add(*number);
            *number = number.wrapping_mul(-2);
        }
    }
    let [a, b, c, d]: [[i16; 16]; CODE_LINES] = bytemuck::cast(numbers);
    let subsets = [simd.subsets(&a), simd.subsets(&b), simd.subsets(&c), simd.subsets(&d)];
    let total = simd.splat16(total);
    let rows = sums.as_chunks_mut::<HALF>().0.as_chunks_mut::<2>().0;
    if zeros {
        let (codes, _) = codes.as_chunks::<{ 2 * CODE_LINES }>();
        for (codes, sums) in codes.iter().zip(rows) {
            let [minus, plus]: &[[Lanes16; CODE_LINES]; 2] = bytemuck::cast_ref(codes);
            let part = simd.sub16(lookup(simd, &subsets, plus), lookup(simd, &subsets, minus));
            add_part::<S, TIMES>(simd, part, first, sums);
        }
    } else {
        let (codes, _) = codes.as_chunks::<CODE_LINES>();
        for (codes, sums) in codes.iter().zip(rows) {
            let part = simd.add16(total, lookup(simd, &subsets, codes));
            add_part::<S, TIMES>(simd, part, first, sums);
        }
    }
}

/// The sums of the numbers at the set bits of 32 rows' codes.
#[inline(always)]
fn lookup<S: Simd>(
    simd: S,
    [a, b, c, d]: &[S::Subsets; CODE_LINES],
    codes: &[Lanes16; CODE_LINES],
) -> S::I16 {
    let first = simd.add16(simd.subset_sums(a, &codes[0]), simd.subset_sums(b, &codes[1]));
    let last = simd.add16(simd.subset_sums(c, &codes[2]), simd.subset_sums(d, &codes[3]));
    simd.add16(first, last)
}

/// Adds a part, times `TIMES`, to the sums of 32 rows.
#[inline(always)]
fn add_part<S: Simd, const TIMES: i16>(
    simd: S,
    part: S::I16,
    first: bool,
    [even, odd]: &mut [[i32; HALF]; 2],
) {
    let zero = simd.splat32(0);
    let sums = if first { [zero; 2] } else { [simd.load32(even), simd.load32(odd)] };
    let sums = simd.add_widened(sums, part, TIMES);
    simd.store32(even, sums[0]);
    simd.store32(odd, sums[1]);
}
