//! What is done to samples before the projection, fitted from data.
//!
//! The theory wants ‖x‖² to concentrate around one number τ of order one. So: subtract the mean;
//! divide each input by its deviation if asked (tabular data, not images); then either scale all
//! samples so that the mean of ‖x‖² is 1, or divide each sample by its own norm. Only the first two
//! touch the numbers; scaling and normalising move into the thresholds, w·(cx) > s ⇔ w·x > s/c.

use super::statistics::{Statistics, iter, refuse_prepared};
use crate::Error;
use crate::error::check_finite;
use ternion_core::{Error as CoreError, Samples, Size};

/// Which of the steps are wanted. The default centres and scales to τ = 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Subtract the mean of the training samples.
    pub centre: bool,
    /// Divide each input by its deviation: for tabular data in mixed units, not for images.
    pub standardise: bool,
    /// How the size of the samples is settled.
    pub scaling: Scaling,
}

impl Default for Steps {
    fn default() -> Self {
        Self { centre: true, standardise: false, scaling: Scaling::Unit }
    }
}

/// How the size of the samples is settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scaling {
    /// One factor for all samples, so that the mean of ‖x‖² is 1.
    #[default]
    Unit,
    /// Each sample is divided by its norm: for data whose norms vary widely.
    Row,
    /// None: the target sees the samples as they are.
    Keep,
}

/// The steps with their numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Preprocess {
    inputs: usize,
    mean: Option<Vec<f32>>,
    scale: Option<Vec<f32>>,
    scaling: Scaling,
    /// Mean of ‖x‖² before scaling.
    energy: f64,
    /// Coefficient of variation of ‖x‖², before scaling, where the samples were seen twice.
    variation: Option<f64>,
}

impl Preprocess {
    /// Finds the numbers from samples: one pass for the statistics, one for the norms.
    ///
    /// # Errors
    ///
    /// [`NotFinite`](CoreError::NotFinite) for numbers that are NaN or infinite, or become so when
    /// centred and standardised; [`Error::NoVariance`] if nothing is left after centring.
    pub fn fit(samples: &Samples<'_, f32>, steps: Steps) -> Result<Self, Error> {
        let mut statistics = Statistics::new(samples.inputs());
        statistics.add(samples)?;
        let mut fitted = Self::new(&statistics, steps);
        let inputs = fitted.inputs;
        let mut energies = Vec::with_capacity(samples.len());
        for (sample, numbers) in iter(samples).enumerate() {
            if let Some(input) = (0..inputs).find(|&k| !fitted.number(numbers, k).is_finite()) {
                return Err(CoreError::NotFinite { sample, input }.into());
            }
            energies.push((0..inputs).map(|k| fitted.number(numbers, k).powi(2)).sum::<f64>());
        }
        let count = energies.len() as f64;
        fitted.energy = energies.iter().sum::<f64>() / count;
        if fitted.energy == 0.0 {
            return Err(Error::NoVariance);
        }
        let spread = energies.iter().map(|energy| (energy - fitted.energy).powi(2)).sum::<f64>();
        fitted.variation = Some((spread / count).sqrt() / fitted.energy);
        Ok(fitted)
    }

    /// Finds the numbers from the statistics of samples that came in chunks, seen once. The mean and the
    /// factors are those of [`fit`](Self::fit), τ is the same but for rounding; how much the norms vary is
    /// not known.
    ///
    /// ```
    /// use ternion::fit::Statistics;
    /// use ternion::{Samples, TernaryFeatures};
    ///
    /// let mut statistics = Statistics::new(4);
    /// for chunk in 0..10 {
    ///     let x: Vec<f32> = (0..400).map(|k| ((chunk * 400 + k) as f32).sin()).collect();
    ///     statistics.add(&Samples::new(&x, 4)?)?;
    /// }
    /// let ternary = TernaryFeatures::params(256).fit_statistics(&statistics)?;
    /// assert_eq!(ternary.inputs(), 4);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ZeroSize`](CoreError::ZeroSize) for no inputs or no samples, [`Error::NotFinite`] for an input whose
    /// deviation is so small that its factor is no `f32`, [`Error::NoVariance`] if nothing is left after
    /// centring.
    pub fn from_statistics(statistics: &Statistics, steps: Steps) -> Result<Self, Error> {
        for (size, found) in
            [(Size::Inputs, statistics.mean().len()), (Size::Samples, statistics.samples())]
        {
            if found == 0 {
                return Err(CoreError::ZeroSize { size }.into());
            }
        }
        let mut fitted = Self::new(statistics, steps);
        let scale = fitted.scale.as_deref();
        check_finite(scale.unwrap_or_default())?;
        let energy = |(k, variance): (usize, f64)| {
            let offset = if steps.centre { 0.0 } else { statistics.mean()[k].powi(2) };
            (variance + offset) * scale.map_or(1.0, |scale| f64::from(scale[k]).powi(2))
        };
        fitted.energy = statistics.variance().into_iter().enumerate().map(energy).sum();
        if fitted.energy == 0.0 {
            return Err(Error::NoVariance);
        }
        Ok(fitted)
    }

    /// The mean and the factors.
    fn new(statistics: &Statistics, steps: Steps) -> Self {
        let mean = steps.centre.then(|| statistics.mean().iter().map(|&x| x as f32).collect());
        // An input that never varies has nothing to say: it becomes zero, not infinite.
        let inverse = |variance: f64| if variance > 0.0 { variance.sqrt().recip() } else { 0.0 };
        let scale = steps
            .standardise
            .then(|| statistics.variance().into_iter().map(|v| inverse(v) as f32).collect());
        let (inputs, scaling) = (statistics.mean().len(), steps.scaling);
        Self { inputs, mean, scale, scaling, energy: 0.0, variation: None }
    }

    /// One number of a sample, centred and standardised as the kernels do it.
    fn number(&self, sample: &[f32], k: usize) -> f64 {
        let centred = sample[k] - self.mean.as_ref().map_or(0.0, |mean| mean[k]);
        (centred * self.scale.as_ref().map_or(1.0, |scale| scale[k])) as f64
    }

    /// The samples with the mean and the scale attached, for the kernels.
    ///
    /// # Errors
    ///
    /// [`SizeMismatch`](CoreError::SizeMismatch) if they have another number of inputs.
    pub fn apply<'a>(&'a self, mut samples: Samples<'a, f32>) -> Result<Samples<'a, f32>, Error> {
        refuse_prepared(&samples)?;
        let (expected, found) = (self.inputs, samples.inputs());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Inputs, expected, found }.into());
        }
        if let Some(mean) = &self.mean {
            samples = samples.centred(mean)?;
        }
        if let Some(scale) = &self.scale {
            samples = samples.scaled(scale)?;
        }
        Ok(samples)
    }

    /// The mean that is subtracted, if one is.
    pub fn mean(&self) -> Option<&[f32]> {
        self.mean.as_deref()
    }

    /// The factor of each input, if there is one.
    pub fn scale(&self) -> Option<&[f32]> {
        self.scale.as_deref()
    }

    /// How the size of the samples is settled.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// τ as the target sees it: the mean of ‖x‖² after all steps.
    pub fn tau(&self) -> f64 {
        match self.scaling {
            Scaling::Unit | Scaling::Row => 1.0,
            Scaling::Keep => self.energy,
        }
    }

    /// How many times larger the samples are, for the kernels, than the target sees them; the unit
    /// of row-scaled samples is their own norm.
    pub fn magnification(&self) -> f64 {
        match self.scaling {
            Scaling::Unit => self.energy.sqrt(),
            Scaling::Row | Scaling::Keep => 1.0,
        }
    }

    /// Coefficient of variation of ‖x‖² as the target sees it, which the theory wants small; `None` if
    /// fitted [from statistics](Self::from_statistics).
    pub fn variation(&self) -> Option<f64> {
        match self.scaling {
            Scaling::Row => Some(0.0),
            Scaling::Unit | Scaling::Keep => self.variation,
        }
    }
}
