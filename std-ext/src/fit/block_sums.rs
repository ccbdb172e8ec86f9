//! [`add_block`]: exact sums of many samples at vector speed.
//!
//! ```text
//! for every 256 samples, for each input side by side:
//!     find the largest and the smallest |x|, zeros aside
//!     add up x, and x² in two parts: a multiple of some U, and the rest
//!     if the largest and the smallest are at most 21 powers of two apart: the three sums are exact, so add them
//!     otherwise: add the numbers one by one
//! ```
//!
//! Let 2^a be the last bit of the smallest |x|, and Δ ≤ 21 the powers of two from there to the largest. All x are below
//! 2^(a + Δ + 24), so their sum is below 2^(a + 53) and a multiple of 2^a: an `f64` holds it in any order. A square is exact
//! as an `f64` and below 2^(2a + 2Δ + 48). With U = 2^(2a + 2Δ + 4) the multiples of U sum to less than 2⁵³·U; the rests, at
//! most U/2 each, sum to at most 2^(2a + 53), in multiples of 2^(2a).

use super::exact_sums::ExactSums;
use crate::{Isa, dispatch};
use ternion_core::Simd;

/// Samples of a block.
pub(super) const BLOCK_SAMPLES: usize = 256;

/// The most powers of two between the numbers of an input.
const MAX_POWERS: u32 = 21;

/// What is known of an input in a block.
#[derive(Clone, Copy)]
struct Column {
    /// 1.5·2⁵²·U: adding and subtracting it rounds to multiples of U.
    rounder: f64,
    sum: f64,
    multiples: f64,
    rest: f64,
}

/// Adds up to [`BLOCK_SAMPLES`] samples, of finite numbers, to the sums of their inputs from `first` on.
pub(super) fn add_block(rows: &[&[f32]], first: usize, sums: &mut [ExactSums]) {
    let inputs = first..first + sums.len();
    let mut ranges = vec![(0, u32::MAX); sums.len()];
    let zero = Column { rounder: 0.0, sum: 0.0, multiples: 0.0, rest: 0.0 };
    let mut columns = vec![zero; sums.len()];
    dispatch!(Isa::detect(), simd => add_columns(simd, rows, first, &mut ranges, &mut columns));
    for (((sums, input), &range), column) in sums.iter_mut().zip(inputs).zip(&ranges).zip(&columns)
    {
        let (largest, smallest) = positions(range);
        if largest - smallest <= MAX_POWERS {
            let sum = column.sum * power_of_two(149 - smallest as i32);
            let multiples = column.multiples * power_of_two(294 - 2 * largest as i32);
            let rest = column.rest * power_of_two(298 - 2 * smallest as i32);
            sums.add_sum(smallest, sum as i64);
            sums.add_square(2 * largest + 4, multiples as i64);
            sums.add_square(2 * smallest, rest as i64);
        } else {
            rows.iter().for_each(|row| sums.add(row[input]));
        }
    }
}

fn add_columns<S: Simd>(
    simd: S,
    rows: &[&[f32]],
    first: usize,
    ranges: &mut [(u32, u32)],
    columns: &mut [Column],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            for row in rows {
                for ((largest, smallest), x) in
                    ranges.iter_mut().zip(row.get(first..).unwrap_or_default())
                {
                    let size = x.to_bits() & (u32::MAX >> 1);
                    *largest = size.max(*largest);
                    // Zero becomes the largest number.
                    *smallest = size.wrapping_sub(1).min(*smallest);
                }
            }
            for (column, &range) in columns.iter_mut().zip(&*ranges) {
                let unit = 2 * positions(range).0 as i32 - 294;
                column.rounder = 1.5 * power_of_two(52 + unit);
            }
            for row in rows {
                for (column, &x) in columns.iter_mut().zip(row.get(first..).unwrap_or_default()) {
                    let x = f64::from(x);
                    let square = x * x;
                    let multiple = (square + column.rounder) - column.rounder;
                    column.sum += x;
                    column.multiples += multiple;
                    column.rest += square - multiple;
                }
            }
        },
    );
}

/// The positions of the last bits of the largest and of the smallest number but zero, in units of 2⁻¹⁴⁹.
#[inline(always)]
fn positions((largest, smallest): (u32, u32)) -> (u32, u32) {
    let position = |size: u32| (size >> 23).max(1) - 1;
    let largest = position(largest);
    (largest, position(smallest.wrapping_add(1)).min(largest))
}

/// 2^k, for a k in the range of normal numbers.
#[inline(always)]
fn power_of_two(k: i32) -> f64 {
    f64::from_bits(((1023 + k) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_as_exact_as_single_numbers() {
        let mut state = 7_u64;
        let mut random = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as u32
        };
        // Columns of whole numbers, of all bits, of zeros, of subnormal numbers, and of one, a few and all exponents.
        let spans = [0_u32, 1, 8, 21, 22, 40, 254];
        let inputs = 4 + spans.len();
        for samples in [1, 3, 255, 256] {
            let mut x = Vec::new();
            for _ in 0..samples {
                x.push((random() % 256) as f32);
                x.push(-0.0);
                x.push(f32::from_bits(random() % (1 << 23)));
                x.push(if random() % 2 == 0 { f32::MAX } else { -f32::MAX });
                for span in spans {
                    let exponent = (100 + random() % (span + 1)).min(254);
                    x.push(f32::from_bits(
                        random() << 31 | exponent << 23 | (random() % (1 << 23)),
                    ));
                }
            }
            let rows: Vec<&[f32]> = x.chunks(inputs).collect();
            for first in [0, 2] {
                let mut found = vec![ExactSums::ZERO; inputs - first];
                add_block(&rows, first, &mut found);
                let mut expected = vec![ExactSums::ZERO; inputs - first];
                for row in &rows {
                    expected.iter_mut().zip(&row[first..]).for_each(|(sums, &x)| sums.add(x));
                }
                found.iter_mut().chain(&mut expected).for_each(ExactSums::normalise);
                assert_eq!(found, expected, "{samples} {first}");
            }
        }
    }
}
