//! The types of number that samples consist of, and what each is as `f32`.

use crate::trits::{tail_bits, words_per_row};

/// A type of number that [`Samples`](crate::Samples) consist of: `f32`, `f64`, `i16`, `i8`, `u8`, or `u64` for 64 packed
/// bits. The kernels take those that are [`Element`](crate::Element)s; the others are converted first.
pub trait Number: Copy + Send + Sync + sealed::Sealed + 'static {
    /// Elements that hold `inputs` numbers.
    fn elements(inputs: usize) -> usize {
        inputs
    }

    /// Writes a sample as `f32`: integers and bits exactly, `f64` rounded to the nearest and infinite if it is beyond
    /// `f32`. What does not fit into `numbers` is left out.
    ///
    /// ```
    /// use ternion_core::Number;
    ///
    /// let mut numbers = [0.0; 3];
    /// Number::write_f32(&[1.5_f64, 1e300, -2.0], &mut numbers);
    /// assert_eq!(numbers, [1.5, f32::INFINITY, -2.0]);
    /// Number::write_f32(&[0b101_u64], &mut numbers); // packed bits
    /// assert_eq!(numbers, [1.0, 0.0, 1.0]);
    /// ```
    fn write_f32(sample: &[Self], numbers: &mut [f32]);

    /// Whether a sample of packed bits has some beyond its inputs.
    #[doc(hidden)]
    fn has_dirty_tail(_sample: &[Self], _inputs: usize) -> bool {
        false
    }

    /// The same numbers, if they are `f32`.
    #[doc(hidden)]
    fn as_f32(_numbers: &[Self]) -> Option<&[f32]> {
        None
    }
}

/// Implements [`Number`] for types with an element per number.
macro_rules! numbers {
    ($($number:ty: $convert:expr;)*) => { $(
        impl Number for $number {
            fn write_f32(sample: &[Self], numbers: &mut [f32]) {
                let convert: fn(Self) -> f32 = $convert;
                numbers.iter_mut().zip(sample).for_each(|(to, &number)| *to = convert(number));
            }
        }
    )* };
}

numbers! {
    f64: |number| number as f32;
    i16: f32::from;
    i8: f32::from;
    u8: f32::from;
}

impl Number for f32 {
    fn write_f32(sample: &[f32], numbers: &mut [f32]) {
        numbers.iter_mut().zip(sample).for_each(|(to, &number)| *to = number);
    }

    fn as_f32(numbers: &[f32]) -> Option<&[f32]> {
        Some(numbers)
    }
}

/// Packed bits: input `k` is bit `k % 64` of word `k / 64`.
impl Number for u64 {
    fn elements(inputs: usize) -> usize {
        words_per_row(inputs)
    }

    fn has_dirty_tail(sample: &[u64], inputs: usize) -> bool {
        sample.last().is_some_and(|last| last & !tail_bits(inputs) != 0)
    }

    fn write_f32(sample: &[u64], numbers: &mut [f32]) {
        for (numbers, word) in numbers.chunks_mut(64).zip(sample) {
            for (bit, number) in numbers.iter_mut().enumerate() {
                *number = (word >> bit & 1) as f32;
            }
        }
    }
}

mod sealed {
    /// Keeps [`Number`](super::Number) to types whose conversion is specified.
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for i16 {}
    impl Sealed for i8 {}
    impl Sealed for u8 {}
    impl Sealed for u64 {}
}
