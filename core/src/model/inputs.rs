//! From the numbers of a sample to those that W takes: shifted or scaled, centred, in 16 bits.

use super::format::{Model, u16_at};
use crate::error::{Buffer, Error};

impl Model<'_> {
    /// Refuses samples of another length, and numbers that leave 16 bits.
    pub(super) fn check_sample<T: Copy + Into<i16>>(&self, sample: &[T]) -> Result<(), Error> {
        if sample.len() != self.inputs {
            let (expected, found) = (self.inputs, sample.len());
            return Err(Error::LengthMismatch { buffer: Buffer::Samples, expected, found });
        }
        if size_of::<T>() == 1 && self.bytes_fit {
            return Ok(());
        }
        for (input, &number) in sample.iter().enumerate() {
            let found: i16 = number.into();
            let centred = self.centred(input, found);
            if centred != centred as i16 as i32 {
                return Err(Error::OutOfRange { input, found });
            }
        }
        Ok(())
    }

    /// The number that W takes for a number of an input, before it is known to fit.
    #[inline(always)]
    pub(super) const fn centred(&self, input: usize, number: i16) -> i32 {
        let number = number as i32;
        let shifted = match self.factors {
            [] => number << self.shift,
            // 16 bits times 16 bits without a sign: fits in 32.
            factors => (number * u16_at(factors, 2 * input) as i32) >> self.shift,
        };
        match self.mean {
            [] => shifted,
            mean => shifted - u16_at(mean, 2 * input) as i16 as i32,
        }
    }

    /// The number that W takes for an input of a sample that was checked.
    #[inline(always)]
    pub(super) fn number<T: Copy + Into<i16>>(&self, sample: &[T], input: usize) -> i16 {
        let number: i16 = (*present!(sample.get(input), else return 0)).into();
        self.centred(input, number) as i16
    }
}
