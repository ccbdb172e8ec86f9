//! [`Batch`]: samples of any type and layout, as every fit, transform and estimator takes them.
//!
//! | samples | are given as |
//! |---|---|
//! | `f32`, `f64`, `i16`, `i8` or `u8` in rows, contiguous or with a stride | [`Samples`] |
//! | packed bits, 64 to a word | [`Samples`] of `u64` |
//! | the same numbers in columns | [`Columns`] |
//! | a [`Matrix`] of such numbers | itself |
//! | arrays and views of `ndarray`, with any strides (feature `ndarray`) | themselves |
//! | anything else | your own implementation: four short methods |
//!
//! # The same numbers, the same features
//!
//! Everything is converted to `f32`, a chunk of samples at a time, and then centred, scaled and quantised by the one rule
//! of [`ternion_core::quantize`]. Integers and bits are exact as `f32`. So a sample gets the same fit and the same features,
//! bit for bit, whichever type it comes in. `f64` is rounded to the nearest `f32`, and refused if it is beyond that range;
//! subtract a large common offset, as that of time stamps, before. `f32` in rows is not copied.
//!
//! The integer kernels of [`ternion_core`] take `i16`, `i8` and bits without conversion. They cannot subtract a mean that
//! is not whole, and use thresholds of another unit: see [`export::IntegerFeatures`](crate::export::IntegerFeatures).
//!
//! # From other libraries
//!
//! nalgebra, faer and polars keep columns together:
//!
//! | library | samples |
//! |---|---|
//! | ndarray | `&array`, or `&array.slice(s![.., 1..])` (feature `ndarray`) |
//! | nalgebra | `Columns::new(matrix.as_slice().chunks(matrix.nrows()))?` |
//! | faer | `Columns::new((0..mat.ncols()).map(\|k\| mat.col_as_slice(k)))?` |
//! | polars | `Columns::new(slices)?`, a slice `frame.column(name)?.f64()?.cont_slice()?` for each name, in one chunk (`frame.rechunk_mut()`) and without nulls |
//!
//! ```
//! use ternion::TernaryFeatures;
//! use ternion::batch::Columns;
//!
//! // A DMatrix<f64> of nalgebra with 50 rows is this, as_slice(), and its nrows().
//! let (slice, rows): (Vec<f64>, usize) = ((0..300).map(|k| f64::from(k * k % 17)).collect(), 50);
//! let samples = Columns::new(slice.chunks(rows))?;
//! let ternary = TernaryFeatures::params(256).fit(&samples)?;
//! assert_eq!((ternary.inputs(), ternary.transform(&samples)?.len()), (6, 50));
//! # Ok::<(), ternion::Error>(())
//! ```

mod columns;
#[cfg(feature = "ndarray")]
mod ndarray;

pub use columns::Columns;

use crate::{Error, Matrix};
use std::ops::Range;
use ternion_core::{Error as CoreError, MAX_INPUTS, Number, Samples, Size};

/// Samples that are converted at a time: as many as the kernels read a tile of W for.
pub(crate) const CHUNK_SAMPLES: usize = 256;

/// A batch of samples of any type and layout.
///
/// ```
/// use ternion::batch::Batch;
/// use ternion::{Error, TernaryFeatures};
///
/// /// Samples that are computed when they are read.
/// struct Waves;
///
/// impl Batch for Waves {
///     fn samples(&self) -> usize {
///         100
///     }
///
///     fn inputs(&self) -> usize {
///         16
///     }
///
///     fn read(&self, sample: usize, numbers: &mut [f32]) -> Result<(), Error> {
///         let wave = |k: usize| ((k * (sample + 1)) as f32 * 0.1).sin();
///         numbers.iter_mut().enumerate().for_each(|(k, number)| *number = wave(k));
///         Ok(())
///     }
/// }
///
/// let ternary = TernaryFeatures::params(256).fit(&Waves)?;
/// assert_eq!(ternary.transform(&Waves)?.len(), 100);
/// # Ok::<(), Error>(())
/// ```
pub trait Batch: Sync {
    /// Samples in the batch.
    fn samples(&self) -> usize;

    /// Numbers in a sample.
    fn inputs(&self) -> usize;

    /// Writes the numbers of a sample, of which `numbers` has the length. A sample may be read more than once, and by
    /// several threads.
    ///
    /// # Errors
    ///
    /// Whatever the implementation refuses; [`DirtyTail`](CoreError::DirtyTail) for packed bits beyond the last input.
    /// NaN and infinity need not be refused here.
    fn read(&self, sample: usize, numbers: &mut [f32]) -> Result<(), Error>;

    /// The samples where they are, if they are `f32` in rows: nothing is copied then.
    fn as_samples(&self) -> Option<Samples<'_, f32>> {
        None
    }
}

impl<T: Number> Batch for Samples<'_, T> {
    fn samples(&self) -> usize {
        self.len()
    }

    fn inputs(&self) -> usize {
        Samples::inputs(self)
    }

    fn read(&self, sample: usize, numbers: &mut [f32]) -> Result<(), Error> {
        let elements = self.get(sample).unwrap_or_default();
        if T::has_dirty_tail(elements, Samples::inputs(self)) {
            return Err(CoreError::DirtyTail { row: sample }.into());
        }
        T::write_f32(elements, numbers);
        Ok(())
    }

    fn as_samples(&self) -> Option<Samples<'_, f32>> {
        self.as_f32()
    }
}

/// A row per sample.
impl<T: Number + Into<f64>> Batch for Matrix<T> {
    fn samples(&self) -> usize {
        self.rows()
    }

    fn inputs(&self) -> usize {
        self.cols()
    }

    fn read(&self, sample: usize, numbers: &mut [f32]) -> Result<(), Error> {
        T::write_f32(self.row(sample).unwrap_or_default(), numbers);
        Ok(())
    }

    fn as_samples(&self) -> Option<Samples<'_, f32>> {
        Samples::new(T::as_f32(self.as_slice())?, self.cols()).ok()
    }
}

/// Refuses a batch without samples or inputs, or with too many inputs.
pub(crate) fn check_sizes(batch: &dyn Batch) -> Result<(), CoreError> {
    if batch.samples() == 0 {
        return Err(CoreError::ZeroSize { size: Size::Samples });
    }
    check_inputs(batch.inputs())
}

/// Refuses samples without inputs, or with too many.
pub(crate) fn check_inputs(found: usize) -> Result<(), CoreError> {
    let (size, max) = (Size::Inputs, MAX_INPUTS);
    match found {
        0 => Err(CoreError::ZeroSize { size }),
        1..=MAX_INPUTS => Ok(()),
        _ => Err(CoreError::SizeTooLarge { size, max, found }),
    }
}

/// Some samples of a batch whose sizes are [checked](check_sizes): where they are, or converted into `numbers`.
pub(crate) fn chunk<'a>(
    batch: &'a dyn Batch,
    range: Range<usize>,
    numbers: &'a mut Vec<f32>,
) -> Result<Samples<'a, f32>, Error> {
    if let Some(samples) = batch.as_samples() {
        let (size, expected, found) = (Size::Inputs, batch.inputs(), samples.inputs());
        if found != expected {
            return Err(CoreError::SizeMismatch { size, expected, found }.into());
        }
        let (size, expected, found) = (Size::Samples, batch.samples(), samples.len());
        let mismatch = CoreError::SizeMismatch { size, expected, found };
        return Ok(samples.slice(range).ok_or(mismatch)?);
    }
    let inputs = batch.inputs();
    numbers.resize(range.len() * inputs, 0.0);
    for (sample, numbers) in range.zip(numbers.chunks_exact_mut(inputs)) {
        batch.read(sample, numbers)?;
    }
    Ok(Samples::new(numbers, inputs)?)
}

/// Calls `work` with all samples of a batch as `f32`, in order: the index of the first sample of a chunk, and the chunk.
pub(crate) fn for_each_chunk(
    batch: &dyn Batch,
    mut work: impl FnMut(usize, &Samples<'_, f32>) -> Result<(), Error>,
) -> Result<(), Error> {
    check_sizes(batch)?;
    let samples = batch.samples();
    // Nothing is converted, so there is nothing to keep small.
    let size = if batch.as_samples().is_some() { samples } else { CHUNK_SAMPLES };
    let mut numbers = Vec::new();
    for first in (0..samples).step_by(size) {
        work(first, &chunk(batch, first..samples.min(first + size), &mut numbers)?)?;
    }
    Ok(())
}
