//! The structured W for one sample: registers hold neighbouring numbers.
//!
//! Stages between registers come first, up to three per pass; the last pass adds the stages within each register. The sums
//! lie in order, so that their comparisons are the packed words.
//!
//! What bounds it: the shuffles. A register takes three operations for each stage within it (shuffle, sign, add) and one
//! for each stage between registers.
#![allow(
    clippy::needless_range_loop,
    reason = "the index is that of several arrays, and of registers"
)]

use super::lanes::radix_of;
use crate::arch::{LANES, Lanes16, Simd};
use crate::projection::hadamard::{butterflies, load, part_lanes};

/// Writes register `index` of some lines.
#[inline(always)]
fn store<S: Simd>(simd: S, lines: &mut [Lanes16], index: usize, value: S::Part16) {
    let line = present!(lines.get_mut(index / S::LINE_PARTS), else return);
    simd.store_part16(line, index % S::LINE_PARTS, value);
}

/// The bits of register `index`.
#[inline(always)]
fn bits_of<S: Simd>(words: &[u64], index: usize) -> u32 {
    let first = index * part_lanes::<S>();
    let word = *present!(words.get(first / 64), else return 0);
    (word >> (first % 64)) as u32
}

/// H · (±(numbers + ½)), the signs from the bits of `before`, from `numbers` to `sums`.
#[inline(always)]
pub(super) fn transform<S: Simd>(
    simd: S,
    numbers: &[Lanes16],
    before: &[u64],
    sums: &mut [Lanes16],
) {
    let registers = numbers.len() * S::LINE_PARTS;
    let mut stride = registers;
    let radix = radix_of(stride);
    stride /= radix;
    match radix {
        8 => first_pass::<S, 8>(simd, numbers, before, sums, stride),
        4 => first_pass::<S, 4>(simd, numbers, before, sums, stride),
        _ => first_pass::<S, 2>(simd, numbers, before, sums, stride),
    }
    while stride > 1 {
        let radix = radix_of(stride);
        stride /= radix;
        match radix {
            8 => pass::<S, 8>(simd, sums, registers, stride),
            4 => pass::<S, 4>(simd, sums, registers, stride),
            _ => pass::<S, 2>(simd, sums, registers, stride),
        }
    }
    for index in 0..registers {
        let sum = simd.hadamard_part16(load(simd, sums, index));
        store(simd, sums, index, sum);
    }
    // The halves of the numbers add up in the first sum only.
    if let Some(first) = sums.first_mut() {
        first.0[0] = first.0[0].wrapping_add((numbers.len() * LANES / 2) as i16);
    }
}

/// The stages of the `R` largest strides, with signs on the way in.
#[inline(always)]
fn first_pass<S: Simd, const R: usize>(
    simd: S,
    numbers: &[Lanes16],
    before: &[u64],
    sums: &mut [Lanes16],
    stride: usize,
) {
    for index in 0..stride {
        let mut rows = [simd.splat_part16(0); R];
        for k in 0..R {
            let (number, bits) =
                (load(simd, numbers, index + k * stride), bits_of::<S>(before, index + k * stride));
            rows[k] = simd.not_part16_where(number, bits);
        }
        butterflies(simd, &mut rows);
        for k in 0..R {
            store(simd, sums, index + k * stride, rows[k]);
        }
    }
}

/// The stages of `R` strides from `stride` registers, in place.
#[inline(always)]
fn pass<S: Simd, const R: usize>(simd: S, sums: &mut [Lanes16], registers: usize, stride: usize) {
    for first in (0..registers).step_by(stride * R) {
        for index in first..first + stride {
            let mut rows = [simd.splat_part16(0); R];
            for k in 0..R {
                rows[k] = load(simd, sums, index + k * stride);
            }
            butterflies(simd, &mut rows);
            for k in 0..R {
                store(simd, sums, index + k * stride, rows[k]);
            }
        }
    }
}

/// Shifts every number to the right.
#[inline(always)]
pub(super) fn shift<S: Simd>(simd: S, numbers: &mut [Lanes16], by: u32) {
    for index in 0..numbers.len() * S::LINE_PARTS {
        let number = simd.shift_part16(load(simd, numbers, index), by);
        store(simd, numbers, index, number);
    }
}
