//! [`Preprocess`]: what is done to samples before the projection, fitted from data.
//!
//! The theory needs ‖x‖² to concentrate around one τ of order 1. So: subtract the mean; divide each input by its
//! standard deviation if these differ widely (tables in mixed units, not images) or if asked; then either scale all
//! samples so that the mean of ‖x‖² is 1, or divide each sample by its own norm. Only the first two steps touch the
//! numbers. Scaling and normalising are folded into the thresholds: w·(cx) > s ⇔ w·x > s/c.

use super::statistics::{MIN_EVENNESS, Statistics, evenness, iter, refuse_prepared};
use crate::Error;
use crate::batch::{Batch, check_inputs, for_each_chunk};
use crate::dense::vector::dot;
use crate::error::check_finite;
use core::fmt;
use ternion_core::{Buffer, Error as CoreError, Samples, Size};

/// The steps to take. By default samples are centred, standardised if their inputs need it, and scaled to τ = 1.
///
/// ```
/// use ternion::Samples;
/// use ternion::fit::{Preprocess, Steps};
///
/// let x = [1.0, 10.0, 3.0, 30.0, 5.0, 20.0];
/// let steps = Steps { standardise: Some(true), ..Steps::default() };
/// let preprocess = Preprocess::fit(&Samples::new(&x, 2)?, steps)?;
/// assert_eq!(preprocess.mean().unwrap(), [3.0, 20.0]);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Steps {
    /// Subtract the mean of the training samples.
    pub centre: bool,
    /// Divide each input by its standard deviation: for tables in mixed units, not for images. `None` decides by the
    /// [evenness](Statistics::evenness) of the inputs: it standardises if that is below [`MIN_EVENNESS`], unless samples
    /// [keep their scale](Scaling::Keep) or a deviation is so small that its factor is not representable as `f32`.
    pub standardise: Option<bool>,
    /// How samples are scaled.
    pub scaling: Scaling,
}

impl Default for Steps {
    fn default() -> Self {
        Self { centre: true, standardise: None, scaling: Scaling::Unit }
    }
}

/// How samples are scaled before the target sees them.
///
/// ```
/// use ternion::{Samples, Scaling, Target, TernaryFeatures};
///
/// let x: Vec<f32> = (0..100 * 4).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// // exp(−0.5 ‖x − y‖²) in the units of x.
/// let params = TernaryFeatures::params(256).target(Target::gaussian(0.5)).scaling(Scaling::Keep);
/// let ternary = params.fit(&Samples::new(&x, 4)?)?;
/// assert_eq!(ternary.preprocess().magnification(), 1.0);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Scaling {
    /// One factor for all samples, so that the mean of ‖x‖² is 1.
    #[default]
    Unit,
    /// Each sample is divided by its norm: for data whose norms vary widely.
    Row,
    /// Samples keep their scale: the target sees them as they are.
    Keep,
}

/// Fitted preprocessing: the steps, with the numbers that they need.
///
/// ```
/// use ternion::Samples;
/// use ternion::fit::{Preprocess, Steps};
///
/// let x = [1.0, -1.0, 3.0, 1.0, 2.0, 0.0, 2.0, 0.0];
/// let preprocess = Preprocess::fit(&Samples::new(&x, 2)?, Steps::default())?;
/// assert_eq!(preprocess.mean().unwrap(), [2.0, 0.0]);
/// assert_eq!(preprocess.magnification(), 1.0); // the mean of ‖x‖² is 1 already
/// println!("{preprocess}"); // 2 inputs, centred, not standardised; samples scaled to a mean squared norm of 1
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Preprocess {
    pub(super) inputs: usize,
    pub(super) mean: Option<Vec<f32>>,
    pub(super) scale: Option<Vec<f32>>,
    pub(super) scaling: Scaling,
    /// The mean square of each input as the thresholds see it, up to a common factor: centred, standardised, and
    /// relative to the sample's own norm if that is the unit of the thresholds and the samples themselves were at hand.
    pub(super) mean_squares: Vec<f64>,
    /// The mean of ‖x‖² before scaling.
    pub(super) mean_square_norm: f64,
    /// The coefficient of variation of ‖x‖² before scaling; it takes a second pass over the samples.
    pub(super) variation: Option<f64>,
}

impl Preprocess {
    /// Fits the steps to samples, in one pass for the statistics and one for the norms.
    ///
    /// # Errors
    ///
    /// [`NotFinite`](CoreError::NotFinite) for numbers that are NaN or infinite, or become so when centred and
    /// standardised; [`Error::NoVariance`] if nothing remains after centring; and as [`Statistics::add`].
    pub fn fit(samples: &dyn Batch, steps: Steps) -> Result<Self, Error> {
        let mut statistics = Statistics::new(samples.inputs())?;
        statistics.add(samples)?;
        let mut fitted = Self::of_statistics(&statistics, steps)?;
        let inputs = fitted.inputs;
        let mut square_norms = Vec::with_capacity(samples.samples());
        let (mut shares, mut prepared) = (vec![0.0; inputs], vec![0.0; inputs]);
        for_each_chunk(samples, |first, samples| {
            for (sample, numbers) in iter(samples).enumerate() {
                fitted.prepare(numbers, &mut prepared);
                let square_norm = dot(&prepared, &prepared);
                // The sum of squares of finite `f32` numbers is finite.
                if !square_norm.is_finite()
                    && let Some(input) = fitted.first_not_finite(numbers)
                {
                    return Err(CoreError::NotFinite { sample: first + sample, input }.into());
                }
                square_norms.push(square_norm);
                if steps.scaling == Scaling::Row && square_norm > 0.0 {
                    let squares = shares.iter_mut().zip(&prepared);
                    squares.for_each(|(share, x)| *share += x * x / square_norm);
                }
            }
            Ok(())
        })?;
        if steps.scaling == Scaling::Row {
            fitted.mean_squares = shares;
        }
        let count = square_norms.len() as f64;
        let mean = square_norms.iter().sum::<f64>() / count;
        let spread: f64 = square_norms.iter().map(|norm| (norm - mean).powi(2)).sum();
        fitted.variation = Some((spread / count).sqrt() / fitted.mean_square_norm);
        Ok(fitted)
    }

    /// Fits the steps to the statistics of samples that came in chunks, in one pass. The mean, the factors and τ are
    /// those of [`fit`](Self::fit), bit for bit. How much the norms vary is unknown.
    ///
    /// ```
    /// use ternion::fit::Statistics;
    /// use ternion::{Samples, TernaryFeatures};
    ///
    /// let mut statistics = Statistics::new(4)?;
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
    /// [`ZeroSize`](CoreError::ZeroSize) for no samples, [`Error::NotFinite`] for an input whose standard
    /// deviation is so small that its factor is not representable as `f32`, [`Error::NoVariance`] if nothing remains
    /// after centring.
    pub fn from_statistics(statistics: &Statistics, steps: Steps) -> Result<Self, Error> {
        if statistics.samples() == 0 {
            return Err(CoreError::ZeroSize { size: Size::Samples }.into());
        }
        let fitted = Self::of_statistics(statistics, steps)?;
        check_finite(fitted.scale.as_deref().unwrap_or_default())?;
        Ok(fitted)
    }

    /// Preprocessing from numbers found elsewhere, for [`Params::fit_preprocess`](super::Params::fit_preprocess): the
    /// mean to subtract and the factor of each input, if any, and the mean square of each input after both.
    ///
    /// ```
    /// use ternion::fit::Preprocess;
    /// use ternion::{Samples, Scaling, TernaryFeatures};
    ///
    /// let (mean, scale) = (vec![0.5, -1.0, 3.0], vec![2.0, 1.0, 0.25]);
    /// let preprocess = Preprocess::new(Some(mean), Some(scale), vec![1.0; 3], Scaling::Unit)?;
    /// let ternary = TernaryFeatures::params(256).fit_preprocess(preprocess)?;
    /// assert_eq!(ternary.transform(&Samples::new(&[0.1, 0.2, 0.3], 3)?)?.len(), 1);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ZeroSize`](CoreError::ZeroSize) or [`SizeTooLarge`](CoreError::SizeTooLarge) for the number of inputs,
    /// [`LengthMismatch`](CoreError::LengthMismatch) for a mean or factors of another length than the mean squares,
    /// [`Error::NotFinite`] for NaN or infinity, [`Error::Negative`] for mean squares, [`Error::NoVariance`] if all of
    /// them are zero.
    pub fn new(
        mean: Option<Vec<f32>>,
        scale: Option<Vec<f32>>,
        mean_squares: Vec<f64>,
        scaling: Scaling,
    ) -> Result<Self, Error> {
        let inputs = mean_squares.len();
        check_inputs(inputs)?;
        for (buffer, numbers) in [(Buffer::Mean, &mean), (Buffer::Scale, &scale)] {
            let Some(numbers) = numbers else { continue };
            let (expected, found) = (inputs, numbers.len());
            if found != expected {
                return Err(CoreError::LengthMismatch { buffer, expected, found }.into());
            }
            check_finite(numbers)?;
        }
        check_finite(&mean_squares)?;
        if let Some(index) = mean_squares.iter().position(|&square| square < 0.0) {
            return Err(Error::Negative { index });
        }
        let mean_square_norm = mean_squares.iter().sum();
        if mean_square_norm == 0.0 {
            return Err(Error::NoVariance);
        }
        check_finite(&[mean_square_norm])?;
        let variation = None;
        Ok(Self { inputs, mean, scale, scaling, mean_squares, mean_square_norm, variation })
    }

    /// The mean, the factors and the mean squares, of sums that do not depend on the order of the samples.
    fn of_statistics(statistics: &Statistics, steps: Steps) -> Result<Self, Error> {
        let means = statistics.mean();
        let mean = steps.centre.then(|| means.iter().map(|&x| x as f32).collect());
        // An input that never varies carries no information: it becomes zero, not infinite.
        let inverse = |variance: f64| if variance > 0.0 { variance.sqrt().recip() } else { 0.0 };
        let variances = statistics.variance();
        let factors = || -> Vec<f32> { variances.iter().map(|&v| inverse(v) as f32).collect() };
        let scale = match steps.standardise {
            Some(standardise) => standardise.then(factors),
            None => {
                let wanted = steps.scaling != Scaling::Keep && statistics.evenness() < MIN_EVENNESS;
                wanted.then(factors).filter(|factors| factors.iter().all(|x| x.is_finite()))
            }
        };
        let mean_square = |(k, variance): (usize, f64)| {
            let offset = if steps.centre { 0.0 } else { means[k].powi(2) };
            (variance + offset) * scale.as_ref().map_or(1.0, |scale| f64::from(scale[k]).powi(2))
        };
        let mean_squares: Vec<f64> = variances.into_iter().enumerate().map(mean_square).collect();
        let mean_square_norm = mean_squares.iter().sum();
        if mean_square_norm == 0.0 {
            return Err(Error::NoVariance);
        }
        let (inputs, scaling, variation) = (statistics.inputs(), steps.scaling, None);
        Ok(Self { inputs, mean, scale, scaling, mean_squares, mean_square_norm, variation })
    }

    /// The mean square of each input, up to a common factor.
    pub(crate) fn mean_squares(&self) -> &[f64] {
        &self.mean_squares
    }

    /// The evenness of inputs that should have been standardised, but were not: below [`MIN_EVENNESS`]. `None` where
    /// that is fine or unknown, and where samples keep their scale, which is then what the target is meant for.
    pub(crate) fn mixed_units(&self) -> Option<f64> {
        if self.scale.is_some() || self.mean.is_none() || self.scaling == Scaling::Keep {
            return None;
        }
        Some(evenness(&self.mean_squares)).filter(|&evenness| evenness < MIN_EVENNESS)
    }

    /// One number of a sample, centred and standardised as the kernels do it.
    fn number(&self, sample: &[f32], k: usize) -> f64 {
        let centred = sample[k] - self.mean.as_ref().map_or(0.0, |mean| mean[k]);
        (centred * self.scale.as_ref().map_or(1.0, |scale| scale[k])) as f64
    }

    /// All numbers of a sample, centred and standardised as the kernels do it.
    fn prepare(&self, sample: &[f32], prepared: &mut [f64]) {
        let zero = || std::iter::repeat_n(&0.0, self.inputs);
        let one = || std::iter::repeat_n(&1.0, self.inputs);
        match (&self.mean, &self.scale) {
            (Some(mean), Some(scale)) => centre_and_scale(sample, mean, scale, prepared),
            (Some(mean), None) => centre_and_scale(sample, mean, one(), prepared),
            (None, Some(scale)) => centre_and_scale(sample, zero(), scale, prepared),
            (None, None) => centre_and_scale(sample, zero(), one(), prepared),
        }
    }

    /// The first number of a sample that is NaN or infinite, or becomes so when centred and standardised.
    fn first_not_finite(&self, sample: &[f32]) -> Option<usize> {
        (0..self.inputs).find(|&k| !self.number(sample, k).is_finite())
    }

    /// Attaches the mean and the scale to samples, for the kernels to apply.
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

    /// The mean that is subtracted, if samples are centred.
    pub fn mean(&self) -> Option<&[f32]> {
        self.mean.as_deref()
    }

    /// The factor of each input, if samples are standardised; 0 for one that never varied.
    pub fn scale(&self) -> Option<&[f32]> {
        self.scale.as_deref()
    }

    /// How samples are scaled.
    pub fn scaling(&self) -> Scaling {
        self.scaling
    }

    /// τ, the mean of ‖x‖² after all steps.
    pub fn tau(&self) -> f64 {
        match self.scaling {
            Scaling::Unit | Scaling::Row => 1.0,
            Scaling::Keep => self.mean_square_norm,
        }
    }

    /// The factor between the samples that the kernels see and those that the target sees. Scaling is folded into the
    /// thresholds, which are multiplied by it. For [`Scaling::Row`] it is 1: the unit of the thresholds is then each
    /// sample's own norm.
    pub fn magnification(&self) -> f64 {
        match self.scaling {
            Scaling::Unit => self.mean_square_norm.sqrt(),
            Scaling::Row | Scaling::Keep => 1.0,
        }
    }

    /// The coefficient of variation of ‖x‖² after all steps, which the theory needs to be small; `None` if fitted
    /// [from statistics](Self::from_statistics).
    pub fn variation(&self) -> Option<f64> {
        match self.scaling {
            Scaling::Row => Some(0.0),
            Scaling::Unit | Scaling::Keep => self.variation,
        }
    }
}

/// Centres and scales in `f32`, as the kernels do.
fn centre_and_scale<'a>(
    sample: &[f32],
    mean: impl IntoIterator<Item = &'a f32>,
    scale: impl IntoIterator<Item = &'a f32>,
    prepared: &mut [f64],
) {
    let factors = mean.into_iter().zip(scale);
    for (to, (x, (mean, scale))) in prepared.iter_mut().zip(sample.iter().zip(factors)) {
        *to = ((x - mean) * scale).into();
    }
}

/// What is done, in one line.
impl fmt::Display for Preprocess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let centred = if self.mean.is_some() { "centred" } else { "not centred" };
        let standardised = match &self.scale {
            Some(scale) => match scale.iter().filter(|&&factor| factor == 0.0).count() {
                0 => "standardised".to_owned(),
                constant => format!("standardised ({constant} that never vary are ignored)"),
            },
            None => "not standardised".to_owned(),
        };
        let scaled = match self.scaling {
            Scaling::Unit => "scaled to a mean squared norm of 1",
            Scaling::Row => "each divided by its norm",
            Scaling::Keep => "not scaled",
        };
        write!(f, "{} inputs, {centred}, {standardised}; samples {scaled}", self.inputs)
    }
}
