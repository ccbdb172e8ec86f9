//! The fast Walsh–Hadamard transform: log₂P adds a feature instead of P.
//!
//! H is the matrix of ±1 with H[i][j] = (−1)^popcount(i ∧ j), P = 2ᵏ on a side. One stage replaces
//! a[i], a[i + h] by their sum and difference for one h = 1, 2, 4, …, P/2; the stages may come in
//! any order.
//!
//! In lanes the loop moves data, so a pass does several stages in registers:
//!
//! 1. Large strides first, three stages a pass over the whole array. The first pass reads the
//!    16-bit samples, applies their signs and widens them on the way.
//! 2. The last six stages are transforms of 64 neighbours, 8 KB that stay in L1: two passes of three
//!    stages, the second of which applies the signs of the rows.
//! 3. A half of the lanes is one register on AVX-512 and two on AVX2: eight rows at a time fit.
//!
//! What bounds it: stores. For P = 512 each 32-lane sum is stored three times and loaded twice and a
//! half, beside 18 adds, all of which overlap.

use crate::arch::{HALF, Lanes16, Lanes32, Simd};

/// Signs of `P` rows, as what [`Simd::flip16`] takes: −1 for a negative one, else 0.
pub(crate) fn expand(words: &[u64], flips: &mut [i16]) {
    for (flips, word) in flips.chunks_mut(64).zip(words) {
        for (bit, flip) in flips.iter_mut().enumerate() {
            *flip = -((word >> bit & 1) as i16);
        }
    }
}

/// H · (±input) for every lane, in place of `sums`; `±` on the way in by `before`, on the way out by
/// `after`, which may be empty. The arrays have the same power of two of elements.
pub(crate) fn lanes<S: Simd>(
    simd: S,
    input: &[Lanes16],
    before: &[i16],
    after: &[i16],
    sums: &mut [Lanes32],
) {
    simd.vectorize(
        #[inline(always)]
        || lanes_inside(simd, input, before, after, sums),
    );
}

/// [`lanes`], within the ISA.
#[inline(always)]
fn lanes_inside<S: Simd>(
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
            let (Some(lanes), Some(&flip)) = (input.get(index), before.get(index)) else { return };
            [low[k], high[k]] = simd.widen(simd.flip16(simd.load16(lanes), flip));
        }
        for (half, mut rows) in [low, high].into_iter().enumerate() {
            butterflies(simd, &mut rows);
            for (k, value) in rows.into_iter().enumerate() {
                let Some(sum) = sums.get_mut(row + k * stride) else { return };
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
                    let Some(sum) = sums.get(row + k * stride) else { return };
                    *slot = simd.load32(&sum.0[half]);
                }
                butterflies(simd, &mut rows);
                for (k, mut value) in rows.into_iter().enumerate() {
                    if let Some(&flip) = after.get(start + row + k * stride) {
                        value = simd.flip32(value, flip as i32);
                    }
                    let Some(sum) = sums.get_mut(row + k * stride) else { return };
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

/// H of a power of two of numbers, in place: for one sample, and for machines without lanes.
pub(crate) fn one<S: Simd>(simd: S, numbers: &mut [i32]) {
    simd.vectorize(
        #[inline(always)]
        || one_inside(simd, numbers),
    );
}

/// [`one`], within the ISA.
#[inline(always)]
fn one_inside<S: Simd>(simd: S, numbers: &mut [i32]) {
    let mut h = numbers.len() / 2;
    while h > 0 {
        for pair in numbers.chunks_exact_mut(2 * h) {
            let (low, high) = pair.split_at_mut(h);
            let (lows, low_rest) = low.as_chunks_mut::<HALF>();
            let (highs, high_rest) = high.as_chunks_mut::<HALF>();
            for (low, high) in lows.iter_mut().zip(highs) {
                let (a, b) = (simd.load32(low), simd.load32(high));
                simd.store32(low, simd.add32(a, b));
                simd.store32(high, simd.sub32(a, b));
            }
            for (low, high) in low_rest.iter_mut().zip(high_rest) {
                (*low, *high) = (low.wrapping_add(*high), low.wrapping_sub(*high));
            }
        }
        h /= 2;
    }
}
