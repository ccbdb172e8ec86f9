//! The four types of number that the kernels take, and how each becomes 16-bit integers.

use super::number::Number;
use super::quantize;
use super::samples::Samples;
use crate::error::Error;

/// How a sample was turned into 16-bit integers.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Quantised {
    /// The integers are this many times the real numbers.
    pub unit: f32,
    /// Whether the absolute values of every aligned span of 64 inputs sum to at most 32,767, so
    /// that a kernel may add within a block in 16 bits.
    pub span_sums_fit: bool,
}

/// A type of number that the kernels take: `f32`, `i16`, `i8`, or `u64` for 64 packed bits.
pub trait Element: Number {
    /// What a projection of such samples gives: `f32` for `f32`, exact `i32` for the others.
    type Value: Copy + Default + Send + Sync + core::fmt::Debug + 'static;

    /// Refuses meaningless values before anything is written.
    #[doc(hidden)]
    fn check(samples: &Samples<'_, Self>) -> Result<(), Error>;

    /// Writes a sample as 16-bit integers.
    #[doc(hidden)]
    fn quantize(samples: &Samples<'_, Self>, sample: usize, row: &mut [i16]) -> Quantised;

    /// The words of a sample of packed bits.
    #[doc(hidden)]
    fn bits(_sample: &[Self]) -> Option<&[u64]> {
        None
    }

    /// A sum of the integers of a sample, shifted to the right by some bits, in the caller's unit.
    #[doc(hidden)]
    fn value(sum: i32, unit: f32, shift: i32) -> Self::Value;
}

impl Element for f32 {
    type Value = f32;

    #[inline(always)]
    fn check(samples: &Samples<'_, f32>) -> Result<(), Error> {
        for sample in 0..samples.len() {
            let raw = samples.raw(sample);
            if !raw.is_finite() {
                let input = raw.first_not_finite();
                return Err(Error::NotFinite { sample, input });
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn quantize(samples: &Samples<'_, f32>, sample: usize, row: &mut [i16]) -> Quantised {
        Quantised { unit: samples.raw(sample).quantize(row), span_sums_fit: true }
    }

    #[inline(always)]
    fn value(sum: i32, unit: f32, shift: i32) -> f32 {
        libm::ldexpf(sum as f32, shift) / unit
    }
}

impl Element for i16 {
    type Value = i32;

    fn check(_: &Samples<'_, i16>) -> Result<(), Error> {
        Ok(())
    }

    #[inline(always)]
    fn quantize(samples: &Samples<'_, i16>, sample: usize, row: &mut [i16]) -> Quantised {
        let mut widest = 0;
        let blocks = samples.at(sample).chunks(quantize::SPAN_INPUTS);
        for (block, row) in blocks.zip(row.chunks_mut(quantize::SPAN_INPUTS)) {
            let mut sum = 0_u32;
            for (to, &number) in row.iter_mut().zip(block) {
                *to = number;
                sum += number.unsigned_abs() as u32;
            }
            widest = widest.max(sum);
        }
        Quantised { unit: 1.0, span_sums_fit: widest <= i16::MAX as u32 }
    }

    #[inline(always)]
    fn value(sum: i32, _: f32, shift: i32) -> i32 {
        shift_left(sum, shift)
    }
}

impl Element for i8 {
    type Value = i32;

    fn check(_: &Samples<'_, i8>) -> Result<(), Error> {
        Ok(())
    }

    #[inline(always)]
    fn quantize(samples: &Samples<'_, i8>, sample: usize, row: &mut [i16]) -> Quantised {
        for (wide, &number) in row.iter_mut().zip(samples.at(sample)) {
            *wide = number as i16;
        }
        Quantised { unit: 1.0, span_sums_fit: true }
    }

    #[inline(always)]
    fn value(sum: i32, _: f32, shift: i32) -> i32 {
        shift_left(sum, shift)
    }
}

impl Element for u64 {
    type Value = i32;

    fn check(samples: &Samples<'_, u64>) -> Result<(), Error> {
        for sample in 0..samples.len() {
            if Self::has_dirty_tail(samples.at(sample), samples.inputs()) {
                return Err(Error::DirtyTail { row: sample });
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn quantize(samples: &Samples<'_, u64>, sample: usize, row: &mut [i16]) -> Quantised {
        for (block, word) in row.chunks_mut(64).zip(samples.at(sample)) {
            for (bit, number) in block.iter_mut().enumerate() {
                *number = (word >> bit & 1) as i16;
            }
        }
        Quantised { unit: 1.0, span_sums_fit: true }
    }

    fn bits(sample: &[u64]) -> Option<&[u64]> {
        Some(sample)
    }

    #[inline(always)]
    fn value(sum: i32, _: f32, shift: i32) -> i32 {
        shift_left(sum, shift)
    }
}

/// The sum before it was shifted to the right by some bits; rounded to the nearest, halves up, if they are negative.
#[inline(always)]
fn shift_left(sum: i32, shift: i32) -> i32 {
    if shift >= 0 { sum << shift } else { (sum + (1 << (-shift - 1))) >> -shift }
}
