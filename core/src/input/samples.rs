//! A batch of samples borrowed from the caller, with any stride.

use super::number::Number;
use super::quantize;
use crate::error::{Buffer, Error, Size, nonzero, reach};

/// The most inputs a sample may have: 65,535 numbers of 16 bits still sum within an `i32`.
pub const MAX_INPUTS: usize = 65_535;

/// Checks that there are inputs, and that their sums fit in an `i32`.
pub(crate) const fn check_inputs(inputs: usize) -> Result<(), Error> {
    if inputs > MAX_INPUTS {
        return Err(Error::SizeTooLarge { size: Size::Inputs, max: MAX_INPUTS, found: inputs });
    }
    nonzero(Size::Inputs, inputs)
}

/// A batch of samples, row-major with a stride, in the caller's memory.
///
/// `T` is `f32` (quantised by the rule of [`quantize`](crate::quantize)), `i16` or `i8` (used as
/// they are), or `u64` (64 packed bits: input `k` is bit `k % 64` of word `k / 64`, worth 0 or 1).
/// Samples of `f64` and `u8` are for code that [converts](Number::write_f32) them, as every fit and transform of the crate
/// `ternion` does; no kernel of this crate takes them.
/// Samples of `i16` with an aligned span of 64 inputs whose absolute values sum to more than 32,767
/// are projected one by one, which is also exact but slower than in a batch.
///
/// ```
/// use ternion_core::Samples;
///
/// // Two samples of three inputs inside rows of four.
/// let data = [1.0, 2.0, 3.0, 99.0, 4.0, 5.0, 6.0, 99.0];
/// let samples = Samples::with_stride(&data, 2, 3, 4)?;
/// assert_eq!(samples.get(1), Some(&[4.0, 5.0, 6.0_f32][..]));
/// # Ok::<(), ternion_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a, T> {
    data: &'a [T],
    samples: usize,
    inputs: usize,
    stride: usize,
    mean: Option<&'a [f32]>,
    scale: Option<&'a [f32]>,
}

impl<'a, T: Number> Samples<'a, T> {
    /// Samples that follow each other without gaps; the length of the data determines their number.
    ///
    /// # Errors
    ///
    /// [`Error::ZeroSize`] for no inputs or no data, [`Error::SizeTooLarge`] beyond
    /// [`MAX_INPUTS`], [`Error::PartialSample`] if the data is not a whole number of samples.
    ///
    /// ```
    /// use ternion_core::Samples;
    ///
    /// assert_eq!(Samples::new(&[0_i8; 12], 4)?.len(), 3);
    /// # Ok::<(), ternion_core::Error>(())
    /// ```
    pub fn new(data: &'a [T], inputs: usize) -> Result<Self, Error> {
        check_inputs(inputs)?;
        let stride = T::elements(inputs);
        let (samples, rest) = (data.len() / stride, data.len() % stride);
        if rest != 0 {
            return Err(Error::PartialSample { elements: stride, found: data.len() });
        }
        Self::with_stride(data, samples, inputs, stride)
    }

    /// Samples whose first elements are `stride` elements apart.
    ///
    /// # Errors
    ///
    /// [`Error::ZeroSize`] for no inputs or no samples, [`Error::SizeTooLarge`] beyond
    /// [`MAX_INPUTS`], [`Error::StrideTooSmall`] if samples would overlap, [`Error::SizeOverflow`]
    /// and [`Error::TooShort`] if the data cannot hold them.
    pub fn with_stride(
        data: &'a [T],
        samples: usize,
        inputs: usize,
        stride: usize,
    ) -> Result<Self, Error> {
        check_inputs(inputs)?;
        nonzero(Size::Samples, samples)?;
        let elements = T::elements(inputs);
        if stride < elements {
            return Err(Error::StrideTooSmall { needed: elements, found: stride });
        }
        let overflow = Error::SizeOverflow { rows: samples, cols: stride };
        let skipped = (samples - 1).checked_mul(stride).ok_or(overflow)?;
        let needed = skipped.checked_add(elements).ok_or(overflow)?;
        reach(Buffer::Samples, needed, data.len())?;
        Ok(Self { data, samples, inputs, stride, mean: None, scale: None })
    }

    /// Samples in the batch.
    #[allow(clippy::len_without_is_empty, reason = "a batch is never empty")]
    pub fn len(&self) -> usize {
        self.samples
    }

    /// Numbers in one sample.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The elements of one sample, or `None` beyond the last.
    pub fn get(&self, sample: usize) -> Option<&'a [T]> {
        let start = (sample < self.samples).then(|| sample * self.stride)?;
        self.data.get(start..start + T::elements(self.inputs))
    }

    /// The samples `range.start .. range.end`, or `None` if that is empty or beyond the last.
    pub fn slice(&self, range: core::ops::Range<usize>) -> Option<Self> {
        if range.start >= range.end || range.end > self.samples {
            return None;
        }
        let data = &self.data[range.start * self.stride..];
        Some(Self { data, samples: range.len(), ..*self })
    }

    /// The same samples, if they are `f32`.
    #[doc(hidden)]
    pub fn as_f32(&self) -> Option<Samples<'a, f32>> {
        let Self { samples, inputs, stride, mean, scale, .. } = *self;
        Some(Samples { data: T::as_f32(self.data)?, samples, inputs, stride, mean, scale })
    }

    /// The elements of a sample that exists.
    #[inline]
    pub(crate) fn at(&self, sample: usize) -> &'a [T] {
        let start = sample * self.stride;
        present!(self.data.get(start..start + T::elements(self.inputs)), else &[])
    }
}

impl<'a> Samples<'a, f32> {
    /// The same samples, with `mean` to be subtracted from each before it is quantised.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] unless `mean` has one number per input.
    pub fn centred(self, mean: &'a [f32]) -> Result<Self, Error> {
        self.per_input(Buffer::Mean, mean)?;
        Ok(Self { mean: Some(mean), ..self })
    }

    /// The same samples, each input to be multiplied by its factor after centring.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] unless `scale` has one number per input.
    pub fn scaled(self, scale: &'a [f32]) -> Result<Self, Error> {
        self.per_input(Buffer::Scale, scale)?;
        Ok(Self { scale: Some(scale), ..self })
    }

    /// Whether a mean or a scale is attached.
    pub fn is_prepared(&self) -> bool {
        self.mean.is_some() || self.scale.is_some()
    }

    fn per_input(&self, buffer: Buffer, numbers: &[f32]) -> Result<(), Error> {
        let (expected, found) = (self.inputs, numbers.len());
        if found == expected {
            Ok(())
        } else {
            Err(Error::LengthMismatch { buffer, expected, found })
        }
    }

    /// One sample, not yet centred and scaled.
    #[inline]
    pub(crate) fn raw(&self, sample: usize) -> quantize::RawSample<'a> {
        quantize::RawSample { numbers: self.at(sample), mean: self.mean, scale: self.scale }
    }
}
