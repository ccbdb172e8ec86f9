//! [`Digits`]: a matrix of floats as one or two 16-bit integers each, so that products with packed features are exact.
//!
//! ```text
//! x ≈ unit · (high + low/1000);  high = round(x/unit), low = round(1000 · (x/unit − high))
//! ```
//!
//! Each column has a unit, the smallest with which neither a span of 64 numbers nor the whole column overflows. With numbers
//! of about the same size it is a five hundredth of them: one digit has an error of about 10⁻³ of a number, which is nothing
//! beside the noise of a random batch, and two have 10⁻⁶, about that of `f32` sums. Sums of integers are the same in any
//! order, so every instruction set and number of threads gives the same bits.

use super::integer_products::{IntegerMatrix, MAX_SPAN_SUM, MAX_SUM, SPAN, Sums};
use crate::{Isa, dispatch};
use ternion_core::Simd;

/// Low digits in a high one: 64 of half of it fit in 16 bits.
const LOW: f64 = 1000.0;

/// Added to a small number, it leaves an integer in the low bits: 1.5 · 2⁵².
const ROUND: f64 = 6_755_399_441_055_744.0;

/// Rows whose numbers are summed side by side.
const ROWS: usize = 8;

/// How many digits a number has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Precision {
    /// High ones only.
    One,
    /// Both.
    Two,
}

/// The digits of a matrix.
pub(super) struct Digits {
    /// The columns' high digits, then their low ones.
    matrix: IntegerMatrix,
    /// Of each column.
    units: Vec<f64>,
}

impl Digits {
    /// The digits of a matrix with so many columns, row by row. A column with NaN or infinity has products that are NaN.
    pub(super) fn new(isa: Isa, matrix: &[f64], columns: usize, precision: Precision) -> Self {
        let length = (matrix.len() / columns).next_multiple_of(SPAN);
        let digits = if precision == Precision::Two { 2 } else { 1 };
        let units = units(isa, matrix, columns);
        let mut scales: Vec<f64> = units.iter().map(|unit| 1.0 / unit).collect();
        // Zeros for what is zero, or not finite.
        scales.iter_mut().filter(|scale| !scale.is_finite()).for_each(|scale| *scale = 0.0);
        let scales = scales.repeat(ROWS);
        let mut numbers = vec![0; digits * columns * length];
        let mut rounded = vec![[0; 2]; SPAN * columns];
        for (span, matrix) in matrix.chunks(SPAN * columns).enumerate() {
            dispatch!(isa, simd => round(simd, matrix, &scales, &mut rounded));
            for (column, to) in numbers.chunks_exact_mut(length).enumerate() {
                let (digit, column) = (column / columns, column % columns);
                let from = rounded[column..matrix.len()].iter().step_by(columns);
                let to = to[span * SPAN..].iter_mut();
                to.zip(from).for_each(|(to, digits)| *to = digits[digit]);
            }
        }
        Self { matrix: IntegerMatrix::new(numbers, digits * columns), units }
    }

    /// The integers.
    pub(super) fn matrix(&self) -> &IntegerMatrix {
        &self.matrix
    }

    /// Writes the products of the matrix, row by row, from those of the integers.
    pub(super) fn read(&self, sums: &Sums, out: &mut [f64]) {
        let columns = self.units.len();
        for (k, unit) in self.units.iter().enumerate() {
            let digit = |digit: usize| sums.columns().nth(digit * columns + k);
            let out = out[k..].iter_mut().step_by(columns);
            match (digit(0), digit(1)) {
                (Some(high), Some(low)) => out.zip(high).zip(low).for_each(|((out, high), low)| {
                    *out = unit * (f64::from(*high) + f64::from(*low) / LOW);
                }),
                (high, _) => out.zip(high.unwrap_or_default()).for_each(|(out, high)| {
                    *out = unit * f64::from(*high);
                }),
            }
        }
    }
}

/// The unit of each column.
fn units(isa: Isa, matrix: &[f64], columns: usize) -> Vec<f64> {
    let rows = matrix.len() / columns;
    let [mut largest, mut whole] = [vec![0.0; columns], vec![0.0; columns]];
    let mut sums = vec![0.0; ROWS * columns];
    for span in matrix.chunks(SPAN * columns) {
        sums.fill(0.0);
        dispatch!(isa, simd => add_absolute(simd, span, &mut sums));
        for k in 0..columns {
            let sum = sums[k..].iter().step_by(columns).sum::<f64>();
            largest[k] = f64::max(largest[k], sum);
            whole[k] += sum;
        }
    }
    // Rounding adds at most 1/2 for each number.
    let most_span = f64::from(MAX_SPAN_SUM) - 0.5 * SPAN as f64;
    let most = MAX_SUM as f64 - 0.5 * rows as f64;
    let unit = |(largest, whole): (f64, f64)| match whole.is_finite() {
        true => f64::max(largest / most_span, whole / most),
        false => f64::NAN,
    };
    largest.into_iter().zip(whole).map(unit).collect()
}

/// Adds the absolute values of up to eight rows at a time.
fn add_absolute<S: Simd>(simd: S, matrix: &[f64], sums: &mut [f64]) {
    simd.vectorize(
        #[inline(always)]
        || {
            for rows in matrix.chunks(sums.len().max(1)) {
                for (sum, number) in sums.iter_mut().zip(rows) {
                    *sum += number.abs();
                }
            }
        },
    );
}

/// Rounds numbers to their high and low digits, with the scales of eight rows.
fn round<S: Simd>(simd: S, matrix: &[f64], scales: &[f64], rounded: &mut [[i16; 2]]) {
    simd.vectorize(
        #[inline(always)]
        || {
            let rows = matrix.chunks(scales.len().max(1));
            for (rows, rounded) in rows.zip(rounded.chunks_mut(scales.len().max(1))) {
                for ((number, scale), rounded) in rows.iter().zip(scales).zip(rounded) {
                    let scaled = number * scale;
                    let high = scaled + ROUND;
                    let low = (scaled - (high - ROUND)) * LOW + ROUND;
                    *rounded = [high.to_bits() as i16, low.to_bits() as i16];
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows that end within eight and within a span, columns of different sizes, one of zeros, and one that is not finite.
    #[test]
    fn digits_are_close_and_their_sums_fit() {
        for rows in [1, 7, 8, 63, 64, 65, 300] {
            let number = |at: usize| match at % 5 {
                0 => (at * at % 97) as f64 / 97.0 - 0.5,
                1 => 1e-300 * (at % 11) as f64,
                2 => 0.0,
                3 => {
                    if at % 100 == 3 {
                        f64::NAN
                    } else {
                        1.0
                    }
                }
                _ => 1e9 * (1.0 - (at % 2) as f64),
            };
            let matrix: Vec<f64> = (0..5 * rows).map(number).collect();
            for (precision, close) in [(Precision::One, 1e-3), (Precision::Two, 2e-6)] {
                let expected = Digits::new(Isa::SCALAR, &matrix, 5, precision);
                for isa in Isa::present() {
                    let digits = Digits::new(isa, &matrix, 5, precision);
                    assert!(digits.matrix.columns().eq(expected.matrix.columns()), "{isa}");
                    // Sums of one row each: the digits themselves.
                    let lanes = rows.next_multiple_of(SPAN);
                    let mut sums = digits.matrix.zeros(lanes);
                    for (sums, digits) in sums.columns_mut().zip(digits.matrix.columns()) {
                        assert_eq!(sums.len(), digits.len());
                        sums.iter_mut().zip(digits).for_each(|(sum, &x)| *sum = x.into());
                    }
                    let mut read = vec![0.0; matrix.len()];
                    digits.read(&sums, &mut read);
                    for (at, (read, number)) in read.iter().zip(&matrix).enumerate() {
                        let largest = [0.5, 1e-299, 0.0, f64::NAN, 1e9][at % 5];
                        let right = (read - number).abs() <= close * largest;
                        assert!(right || at % 5 == 3 && read.is_nan(), "{at} {read} {number}");
                    }
                }
            }
        }
    }
}
