//! [`Statistics`]: the mean and the variance of each input, from samples that may come in chunks.

use super::block_sums::{BLOCK_SAMPLES, add_block};
use super::exact_sums::{DIGITS, ExactSums, MAX_ADDITIONS};
use crate::batch::{Batch, check_inputs, for_each_chunk};
use crate::error::{MAX_SAMPLES, add_samples};
use crate::saved::{Kind, Reader, Writer};
use crate::{Error, parallel};
use ternion_core::{Error as CoreError, MAX_INPUTS, Samples, Size};

/// The least [`evenness`](Statistics::evenness) of inputs that are not standardised unless asked. Images are at 0.48
/// (MNIST), 0.64 (digits) and 0.78 (Fashion-MNIST), binary columns at 0.42 (Adult); tables in mixed units at 0.03 (breast
/// cancer), 0.02 (Cov-Type) and 0.0004 (wine).
///
/// ```
/// use ternion::Samples;
/// use ternion::fit::{MIN_EVENNESS, Statistics};
///
/// let mut statistics = Statistics::new(3)?;
/// statistics.add(&Samples::new(&[30_000.0, 1.7, 20.0, 50_000.0, 1.6, 50.0], 3)?)?; // income, height, age
/// assert!(statistics.evenness() < MIN_EVENNESS);
/// # Ok::<(), ternion::Error>(())
/// ```
pub const MIN_EVENNESS: f64 = 0.25;

/// The mean and the variance of each input, from which τ follows.
///
/// The sums behind them are exact, 232 bytes for each input: samples may come in chunks of any size and order, on any
/// number of machines whose statistics are [merged](Self::merge), and the fit is the same bit for bit.
///
/// ```
/// use ternion::Samples;
/// use ternion::fit::Statistics;
///
/// let mut statistics = Statistics::new(2)?;
/// statistics.add(&Samples::new(&[1.0, 10.0, 3.0, 10.0], 2)?)?;
/// let mut other = Statistics::new(2)?; // on another machine
/// other.add(&Samples::new(&[5.0, 10.0], 2)?)?;
/// statistics.merge(&Statistics::from_bytes(&other.to_bytes())?)?;
/// assert_eq!(statistics.mean(), [3.0, 10.0]);
/// assert_eq!(statistics.variance(), [8.0 / 3.0, 0.0]);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statistics {
    samples: u64,
    /// Normalised.
    sums: Vec<ExactSums>,
}

impl Statistics {
    /// No samples yet.
    ///
    /// # Errors
    ///
    /// [`ZeroSize`](CoreError::ZeroSize) for no inputs, [`SizeTooLarge`](CoreError::SizeTooLarge) for more than
    /// [`MAX_INPUTS`].
    pub fn new(inputs: usize) -> Result<Self, Error> {
        check_inputs(inputs)?;
        Ok(Self { samples: 0, sums: vec![ExactSums::ZERO; inputs] })
    }

    /// Adds samples.
    ///
    /// # Errors
    ///
    /// [`SizeMismatch`](CoreError::SizeMismatch) if they have another number of inputs,
    /// [`NotFinite`](CoreError::NotFinite) for NaN, infinity or `f64` beyond `f32`, [`ZeroSize`](CoreError::ZeroSize) for
    /// no samples, [`Error::TooManySamples`] beyond 2⁵³ samples, and what a [`Batch`] refuses. Nothing is added then.
    pub fn add(&mut self, samples: &dyn Batch) -> Result<(), Error> {
        self.check_inputs(samples.inputs())?;
        let together = add_samples(self.samples, samples.samples() as u64)?;
        let mut sums = self.sums.clone();
        for_each_chunk(samples, |first, samples| {
            refuse_prepared(samples)?;
            for (sample, numbers) in iter(samples).enumerate() {
                if let Some(input) = first_not_finite(numbers) {
                    return Err(CoreError::NotFinite { sample: first + sample, input }.into());
                }
            }
            add_chunk(&mut sums, samples);
            Ok(())
        })?;
        (self.sums, self.samples) = (sums, together);
        Ok(())
    }

    /// Adds all samples of other statistics.
    ///
    /// # Errors
    ///
    /// [`SizeMismatch`](CoreError::SizeMismatch) if they have another number of inputs, [`Error::TooManySamples`]
    /// beyond 2⁵³ samples. Nothing is added then.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.check_inputs(other.inputs())?;
        let together = add_samples(self.samples, other.samples)?;
        for (sums, other) in self.sums.iter_mut().zip(&other.sums) {
            sums.merge(other);
            sums.normalise();
        }
        self.samples = together;
        Ok(())
    }

    fn check_inputs(&self, found: usize) -> Result<(), Error> {
        let expected = self.inputs();
        if found == expected {
            return Ok(());
        }
        Err(CoreError::SizeMismatch { size: Size::Inputs, expected, found }.into())
    }

    /// Numbers in a sample.
    pub fn inputs(&self) -> usize {
        self.sums.len()
    }

    /// Samples added so far.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The mean of each input; zero before the first sample.
    pub fn mean(&self) -> Vec<f64> {
        self.sums.iter().map(|sums| sums.mean(self.samples.max(1))).collect()
    }

    /// The variance of each input; zero before the first sample.
    pub fn variance(&self) -> Vec<f64> {
        self.sums.iter().map(|sums| sums.variance(self.samples.max(1))).collect()
    }

    /// How evenly the variance is spread over the inputs: from 0, if one of them has it all, to 1, if all have the same.
    ///
    /// It is (q − 1)/(p − 1), with p the number of inputs that vary at all and q = (Σv)²/Σv² that of equal variances v with
    /// the same effect. Inputs in different units differ so widely that a few have nearly all the variance, and the
    /// others no say in any distance; pixels may be dark and hardly vary, but then many others do. Below
    /// [`MIN_EVENNESS`] a fit therefore standardises, unless it is told otherwise. If fewer than two inputs vary it is
    /// 1.
    ///
    /// ```
    /// use ternion::Samples;
    /// use ternion::fit::{MIN_EVENNESS, Statistics};
    ///
    /// // The height in metres, the weight in kilograms, the income in euros.
    /// let people = [1.75, 70.0, 41e3, 1.62, 55.0, 38e3, 1.88, 91e0, 64e3];
    /// let mut statistics = Statistics::new(3)?;
    /// statistics.add(&Samples::new(&people, 3)?)?;
    /// assert!(statistics.evenness() < MIN_EVENNESS);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    pub fn evenness(&self) -> f64 {
        evenness(&self.variance())
    }

    /// The statistics as bytes: in the [frame](crate::saved) of everything that is saved the number of inputs, the
    /// number of samples, and for each input the digits of Σx (10, the first in units of 2⁻¹⁴⁹) and of Σx² (19, the
    /// first in units of 2⁻²⁹⁸), from the lowest, each 2³² times the one before. The last digit of each has the sign.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(Kind::Statistics);
        writer.u64(self.inputs() as u64);
        writer.u64(self.samples);
        self.sums.iter().for_each(|sums| writer.i64s(sums.digits()));
        writer.finish()
    }

    /// Reads statistics that were saved.
    ///
    /// # Errors
    ///
    /// [`Error::Saved`] for bytes that are truncated, changed, of another kind or version, or with sums that no samples
    /// have.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes, Kind::Statistics)?;
        let inputs = reader.size(1, MAX_INPUTS)?;
        let samples = reader.u64_up_to(MAX_SAMPLES)?;
        reader.expect::<8>(inputs.checked_mul(DIGITS))?;
        let sums = (0..inputs).map(|_| {
            let digits = reader.i64s(DIGITS);
            let sums = digits.first_chunk().and_then(|d| ExactSums::from_digits(d, samples));
            sums.ok_or_else(|| reader.impossible())
        });
        let sums = sums.collect::<Result<_, _>>()?;
        Ok(Self { samples, sums })
    }
}

/// Adds finite numbers to the sums of their inputs.
fn add_chunk(sums: &mut [ExactSums], samples: &Samples<'_, f32>) {
    let chunk = samples.inputs().div_ceil(parallel::threads());
    parallel::for_each_chunk(sums, chunk, |index, sums| {
        let rows: Vec<&[f32]> = iter(samples).collect();
        for (block, rows) in rows.chunks(BLOCK_SAMPLES).enumerate() {
            add_block(rows, index * chunk, sums);
            if block % MAX_BLOCKS == MAX_BLOCKS - 1 {
                sums.iter_mut().for_each(ExactSums::normalise);
            }
        }
        sums.iter_mut().for_each(ExactSums::normalise);
    });
}

/// Blocks that may be added before carries must be resolved.
const MAX_BLOCKS: usize = MAX_ADDITIONS / BLOCK_SAMPLES;

/// The first number that is NaN or infinite. Blocks without one are passed at vector speed.
fn first_not_finite(numbers: &[f32]) -> Option<usize> {
    let (blocks, _) = numbers.as_chunks::<16>();
    let is_finite = |block: &[f32; 16]| block.iter().fold(true, |all, x| all & x.is_finite());
    let block = blocks.iter().position(|block| !is_finite(block)).unwrap_or(blocks.len());
    let within = numbers[16 * block..].iter().position(|x| !x.is_finite());
    within.map(|within| 16 * block + within)
}

/// The [evenness](Statistics::evenness) of inputs with these variances.
pub(super) fn evenness(variances: &[f64]) -> f64 {
    let largest = variances.iter().copied().fold(0.0, f64::max);
    // Relative to the largest, no square overflows.
    let varying = || variances.iter().filter(|&&v| v > 0.0).map(|v| v / largest);
    let (sum, squares) = (varying().sum::<f64>(), varying().map(|v| v * v).sum::<f64>());
    match varying().count() {
        0 | 1 => 1.0,
        count => (sum * sum / squares - 1.0) / (count - 1) as f64,
    }
}

/// Every sample in order.
pub(super) fn iter<'a>(samples: &Samples<'a, f32>) -> impl Iterator<Item = &'a [f32]> {
    let samples = *samples;
    (0..samples.len()).map_while(move |sample| samples.get(sample))
}

/// Refuses samples with a mean or a scale attached.
pub(super) fn refuse_prepared(samples: &Samples<'_, f32>) -> Result<(), Error> {
    if samples.is_prepared() { Err(Error::AlreadyPrepared) } else { Ok(()) }
}
