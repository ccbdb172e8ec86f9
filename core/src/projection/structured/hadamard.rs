//! The fast Walsh–Hadamard transform: log₂P adds per feature instead of P.
//!
//! H is the matrix of ±1 with H[i][j] = (−1)^popcount(i ∧ j), P = 2ᵏ on a side. One stage replaces
//! a[i], a[i + h] by their sum and difference for one h = 1, 2, 4, …, P/2; the stages may come in
//! any order.
//!
//! For a block of samples the loop is bound by moving data, so a pass performs several stages in registers:
//!
//! 1. Large strides first, three stages per pass over the whole array. The first pass reads the
//!    16-bit samples, applies their signs and widens them on the way.
//! 2. The last six stages are transforms of 64 neighbours, 8 KB that stay in L1: two passes of three
//!    stages, the second of which applies the signs of the rows.
//! 3. A half of the lanes is one register on AVX-512 and two on AVX2: eight rows at a time fit.
//!
//! What bounds it: stores. For P = 512 each 32-lane sum is stored three times and loaded two and a
//! half times, beside 18 adds, all of which overlap.

use crate::arch::{HALF, Lanes16, Lanes32, Simd};

/// Signs of `P` rows, as what [`Simd::flip16`] takes: −1 for a negative one, else 0.
pub(super) fn expand_signs(words: &[u64], flips: &mut [i16]) {
    for (flips, word) in flips.chunks_mut(64).zip(words) {
        for (bit, flip) in flips.iter_mut().enumerate() {
            *flip = -((word >> bit & 1) as i16);
        }
    }
}

/// H · (±input) for every lane, in place of `sums`; `±` on the way in by `before`, on the way out by
/// `after`, which may be empty. The arrays have the same power of two of elements.
pub(super) fn transform_block<S: Simd>(
    simd: S,
    input: &[Lanes16],
    before: &[i16],
    after: &[i16],
    sums: &mut [Lanes32],
) {
    simd.vectorize(
        #[inline(always)]
        || transform_lanes(simd, input, before, after, sums),
    );
}

/// [`transform_block`], inside the ISA.
#[inline(always)]
fn transform_lanes<S: Simd>(
    simd: S,
    input: &[Lanes16],
    before: &[i16],
    after: &[i16],
    sums: &mut [Lanes32],
) {
    let size = sums.len();
    // The stride below which 64 neighbours are finished together.
    let near = size.clamp(1, 64);
    let mut stride = size;
    match size / near {
        1 => load::<S, 1>(simd, input, before, sums),
        2 => load::<S, 2>(simd, input, before, sums),
        4 => load::<S, 4>(simd, input, before, sums),
        _ => load::<S, 8>(simd, input, before, sums),
    }
    stride /= (size / near).clamp(1, 8);
    while stride > near {
        let radix = (stride / near).clamp(1, 8);
        stride /= radix;
        match radix {
            2 => pass::<S, 2>(simd, sums, stride, &[]),
            4 => pass::<S, 4>(simd, sums, stride, &[]),
            _ => pass::<S, 8>(simd, sums, stride, &[]),
        }
    }
    for (start, sums) in (0..size).step_by(near).zip(sums.chunks_exact_mut(near)) {
        let after = after.get(start..start + near).unwrap_or_default();
        match near {
            64 => {
                pass::<S, 8>(simd, sums, 8, &[]);
                pass::<S, 8>(simd, sums, 1, after);
            }
            32 => {
                pass::<S, 8>(simd, sums, 4, &[]);
                pass::<S, 4>(simd, sums, 1, after);
            }
            16 => {
                pass::<S, 4>(simd, sums, 4, &[]);
                pass::<S, 4>(simd, sums, 1, after);
            }
            8 => pass::<S, 8>(simd, sums, 1, after),
            4 => pass::<S, 4>(simd, sums, 1, after),
            2 => pass::<S, 2>(simd, sums, 1, after),
            _ => pass::<S, 1>(simd, sums, 1, after),
        }
    }
}

/// The stages of the `R` largest strides, from signed 16-bit input.
#[inline(always)]
fn load<S: Simd, const R: usize>(simd: S, input: &[Lanes16], before: &[i16], sums: &mut [Lanes32]) {
    let stride = sums.len() / R;
    for row in 0..stride {
        let mut low = [simd.load32(&[0; HALF]); R];
        let mut high = low;
        for k in 0..R {
            let index = row + k * stride;
            let lanes = present!(input.get(index), else return);
            let flip = *present!(before.get(index), else return);
            [low[k], high[k]] = simd.widen(simd.flip16(simd.load16(lanes), flip));
        }
        for (half, mut rows) in [low, high].into_iter().enumerate() {
            butterflies(simd, &mut rows);
            for (k, value) in rows.into_iter().enumerate() {
                let sum = present!(sums.get_mut(row + k * stride), else return);
                simd.store32(&mut sum.0[half], value);
            }
        }
    }
}

/// The stages `stride`, …, `stride · R / 2`, in place; then the rows change sign by `after`, unless
/// that is empty.
#[inline(always)]
fn pass<S: Simd, const R: usize>(simd: S, sums: &mut [Lanes32], stride: usize, after: &[i16]) {
    for (start, sums) in (0..).step_by(stride * R).zip(sums.chunks_exact_mut(stride * R)) {
        for row in 0..stride {
            for half in 0..2 {
                let mut rows = [simd.load32(&[0; HALF]); R];
                for (k, slot) in rows.iter_mut().enumerate() {
                    let sum = present!(sums.get(row + k * stride), else return);
                    *slot = simd.load32(&sum.0[half]);
                }
                butterflies(simd, &mut rows);
                for (k, mut value) in rows.into_iter().enumerate() {
                    if let Some(&flip) = after.get(start + row + k * stride) {
                        value = simd.flip32(value, flip as i32);
                    }
                    let sum = present!(sums.get_mut(row + k * stride), else return);
                    simd.store32(&mut sum.0[half], value);
                }
            }
        }
    }
}

/// H of `R` rows in registers.
#[inline(always)]
fn butterflies<S: Simd, const R: usize>(simd: S, rows: &mut [S::I32; R]) {
    let mut h = 1;
    while h < R {
        for k in 0..R {
            if k & h == 0 {
                let (a, b) = (rows[k], rows[k + h]);
                rows[k] = simd.add32(a, b);
                rows[k + h] = simd.sub32(a, b);
            }
        }
        h *= 2;
    }
}

/// H · (±numbers) of one sample, in place; `±` on the way in by the bits of `before`, on the way out
/// by those of `after`.
///
/// Sixteen neighbours are a register: strides of 16 and more are butterflies between registers, up to
/// three stages per pass, and the last pass does the four smaller strides within its registers.
pub(super) fn transform_sample<S: Simd>(
    simd: S,
    before: &[u64],
    after: &[u64],
    numbers: &mut [i32],
) {
    simd.vectorize(
        #[inline(always)]
        || match numbers.len() {
            0..HALF => transform_small(before, after, numbers),
            _ => transform_registers(simd, before, after, numbers.as_chunks_mut().0),
        },
    );
}

/// Bits `16 · row ..` of words.
#[inline(always)]
fn sixteen_bits(words: &[u64], row: usize) -> u32 {
    words.get(row / 4).map_or(0, |word| (word >> (16 * (row % 4))) as u32 & 0xFFFF)
}

/// [`transform_sample`] for whole registers, inside the ISA.
#[inline(always)]
fn transform_registers<S: Simd>(simd: S, before: &[u64], after: &[u64], rows: &mut [[i32; HALF]]) {
    for (index, row) in rows.iter_mut().enumerate() {
        let value = simd.negate32_where(simd.load32(row), sixteen_bits(before, index));
        simd.store32(row, value);
    }
    let mut stride = rows.len();
    while stride > 8 {
        stride /= 8;
        pass_sample::<S, 8>(simd, rows, stride, None);
    }
    match stride {
        8 => pass_sample::<S, 8>(simd, rows, 1, Some(after)),
        4 => pass_sample::<S, 4>(simd, rows, 1, Some(after)),
        2 => pass_sample::<S, 2>(simd, rows, 1, Some(after)),
        _ => pass_sample::<S, 1>(simd, rows, 1, Some(after)),
    }
}

/// The stages `stride`, …, `stride · R / 2` between registers; if `last` gives the signs, also those
/// within them.
#[inline(always)]
fn pass_sample<S: Simd, const R: usize>(
    simd: S,
    numbers: &mut [[i32; HALF]],
    stride: usize,
    last: Option<&[u64]>,
) {
    for (start, numbers) in (0..).step_by(stride * R).zip(numbers.chunks_exact_mut(stride * R)) {
        for row in 0..stride {
            let mut rows = [simd.splat32(0); R];
            for (k, slot) in rows.iter_mut().enumerate() {
                let row = present!(numbers.get(row + k * stride), else return);
                *slot = simd.load32(row);
            }
            butterflies(simd, &mut rows);
            for (k, mut value) in rows.into_iter().enumerate() {
                let index = row + k * stride;
                if let Some(after) = last {
                    let signs = sixteen_bits(after, start + index);
                    value = simd.negate32_where(simd.hadamard32(value), signs);
                }
                let row = present!(numbers.get_mut(index), else return);
                simd.store32(row, value);
            }
        }
    }
}

/// [`transform_sample`] for less than a register.
#[inline(always)]
fn transform_small(before: &[u64], after: &[u64], numbers: &mut [i32]) {
    negate(numbers, before);
    let mut h = 1;
    while h < numbers.len() {
        for pair in numbers.chunks_exact_mut(2 * h) {
            let (low, high) = pair.split_at_mut(h);
            for (low, high) in low.iter_mut().zip(high) {
                (*low, *high) = (low.wrapping_add(*high), low.wrapping_sub(*high));
            }
        }
        h *= 2;
    }
    negate(numbers, after);
}

/// Changes the sign of the numbers at the set bits of the first word.
#[inline(always)]
fn negate(numbers: &mut [i32], signs: &[u64]) {
    let signs = signs.first().copied().unwrap_or_default();
    for (bit, number) in numbers.iter_mut().enumerate() {
        if signs >> bit & 1 == 1 {
            *number = number.wrapping_neg();
        }
    }
}
