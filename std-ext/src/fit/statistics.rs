//! [`Statistics`]: the mean and the variance of each input, from samples that may come in chunks.

use crate::Error;
use ternion_core::{Error as CoreError, Samples, Size};

/// The mean and the variance of each input, from which τ follows. Samples may come in chunks.
///
/// ```
/// use ternion::Samples;
/// use ternion::fit::Statistics;
///
/// let mut statistics = Statistics::new(2);
/// statistics.add(&Samples::new(&[1.0, 10.0, 3.0, 10.0], 2)?)?;
/// statistics.add(&Samples::new(&[5.0, 10.0], 2)?)?;
/// assert_eq!(statistics.mean(), [3.0, 10.0]);
/// assert_eq!(statistics.variance(), [8.0 / 3.0, 0.0]);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Statistics {
    samples: usize,
    mean: Vec<f64>,
    /// Σ (x − mean)², per input.
    squares: Vec<f64>,
}

impl Statistics {
    /// No samples yet.
    pub fn new(inputs: usize) -> Self {
        Self { samples: 0, mean: vec![0.0; inputs], squares: vec![0.0; inputs] }
    }

    /// Adds samples, by Welford's update, which is accurate for any offset of the data.
    ///
    /// # Errors
    ///
    /// [`SizeMismatch`](CoreError::SizeMismatch) if they have another number of inputs,
    /// [`NotFinite`](CoreError::NotFinite) for NaN or infinity. Nothing is added then.
    pub fn add(&mut self, samples: &Samples<'_, f32>) -> Result<(), Error> {
        refuse_prepared(samples)?;
        let (expected, found) = (self.mean.len(), samples.inputs());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Inputs, expected, found }.into());
        }
        for (sample, numbers) in iter(samples).enumerate() {
            if let Some(input) = numbers.iter().position(|x| !x.is_finite()) {
                return Err(CoreError::NotFinite { sample, input }.into());
            }
        }
        for numbers in iter(samples) {
            self.samples += 1;
            let share = 1.0 / self.samples as f64;
            let sums = self.mean.iter_mut().zip(&mut self.squares);
            for ((mean, squares), &x) in sums.zip(numbers) {
                let deviation = x as f64 - *mean;
                *mean += deviation * share;
                *squares += deviation * (x as f64 - *mean);
            }
        }
        Ok(())
    }

    /// Samples added so far.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The mean of each input.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The variance of each input.
    pub fn variance(&self) -> Vec<f64> {
        let share = 1.0 / self.samples.max(1) as f64;
        self.squares.iter().map(|squares| squares * share).collect()
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
