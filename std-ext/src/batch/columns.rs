//! [`Columns`]: samples whose inputs are in columns.

use super::{Batch, check_inputs};
use crate::Error;
use ternion_core::{Buffer, Error as CoreError, MAX_INPUTS, Number, Size};

/// A table as its columns: a slice per input, with a number for each sample.
///
/// ```
/// use ternion::TernaryFeatures;
/// use ternion::batch::Columns;
///
/// let (age, income) = ([31_i16, 45, 27, 60], [1800_i16, 3100, 2250, 2900]);
/// let samples = Columns::new([&age[..], &income[..]])?;
/// let ternary = TernaryFeatures::params(256).standardise(true).fit(&samples)?;
/// assert_eq!(ternary.transform(&samples)?.len(), 4);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Columns<'a, T> {
    columns: Vec<&'a [T]>,
    samples: usize,
}

impl<'a, T: Number + Into<f64>> Columns<'a, T> {
    /// A table from its columns. A matrix in column-major order is its
    /// [chunks](slice::chunks) of as many numbers as it has rows.
    ///
    /// # Errors
    ///
    /// [`ZeroSize`](CoreError::ZeroSize) for no columns or no samples, [`SizeTooLarge`](CoreError::SizeTooLarge) for more
    /// than [`MAX_INPUTS`] columns, [`LengthMismatch`](CoreError::LengthMismatch) for columns of different lengths.
    pub fn new(columns: impl IntoIterator<Item = &'a [T]>) -> Result<Self, Error> {
        let columns: Vec<&[T]> = columns.into_iter().take(MAX_INPUTS + 1).collect();
        let samples = columns.first().map_or(0, |column| column.len());
        check_inputs(columns.len())?;
        if samples == 0 {
            return Err(CoreError::ZeroSize { size: Size::Samples }.into());
        }
        if let Some(column) = columns.iter().find(|column| column.len() != samples) {
            let (buffer, found) = (Buffer::Samples, column.len());
            return Err(CoreError::LengthMismatch { buffer, expected: samples, found }.into());
        }
        Ok(Self { columns, samples })
    }
}

impl<T: Number + Into<f64>> Batch for Columns<'_, T> {
    fn samples(&self) -> usize {
        self.samples
    }

    fn inputs(&self) -> usize {
        self.columns.len()
    }

    fn read(&self, sample: usize, numbers: &mut [f32]) -> Result<(), Error> {
        for (number, column) in numbers.iter_mut().zip(&self.columns) {
            *number = column[sample].into() as f32;
        }
        Ok(())
    }
}
