//! [`IntegerFeatures`]: features on the desktop, in the arithmetic of a microcontroller.

use super::ExportError;
use crate::fit::weights::Weights;
use crate::{Error, Features, Isa, TernaryFeatures};
use ternion_core::{
    Cuts, Error as CoreError, SampleSigma, Samples, Thresholds, TritMatrix, plane_words,
};

/// [`TernaryFeatures`] for integer samples, in the arithmetic of
/// [`ternion_core::model`]: the features to train a readout for the device on.
///
/// A number x of input k becomes x·2^shift − meanₖ, in 16 bits. The shift keeps the fraction of the mean; up to 7,
/// every sample of 8-bit numbers fits.
///
/// ```
/// use ternion::export::IntegerFeatures;
/// use ternion::{Form, Samples, TernaryFeatures};
///
/// let x: Vec<u8> = (0..60).map(|k| (k * k % 17) as u8).collect();
/// let floats: Vec<f32> = x.iter().map(|&x| x as f32).collect();
/// let fitted = TernaryFeatures::params(512)
///     .form(Form::Structured)
///     .fit(&Samples::new(&floats, 6)?)?;
/// let integer = IntegerFeatures::new(&fitted, 4)?;
/// assert_eq!(integer.transform(&x)?.len(), 10);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct IntegerFeatures {
    pub(super) shift: u32,
    pub(super) mean: Vec<i16>,
    pub(super) weights: Weights,
    thresholds: Thresholds,
    features: usize,
    isa: Isa,
}

impl IntegerFeatures {
    /// Takes over the mean, W and σ of a fit. In the model, a structured W takes no bytes and the fewest instructions,
    /// a seeded one no bytes, and a stored one a quarter byte per weight.
    ///
    /// # Errors
    ///
    /// [`ExportError::Standardised`] and [`ExportError::PerNorm`] for preprocessing that a model cannot do,
    /// [`ExportError::LocalForm`] for a W of boxes or subsets, [`ExportError::Shift`] and [`ExportError::Mean`] for a
    /// shift that is too large.
    pub fn new(fitted: &TernaryFeatures, shift: u32) -> Result<Self, Error> {
        if fitted.preprocess().scale().is_some() {
            return Err(ExportError::Standardised.into());
        }
        if fitted.thresholds().is_per_norm() {
            return Err(ExportError::PerNorm.into());
        }
        if fitted.local().is_some() {
            return Err(ExportError::LocalForm.into());
        }
        if shift > 15 {
            return Err(ExportError::Shift { found: shift }.into());
        }
        let unit = (1_u32 << shift) as f32;
        let mut mean = vec![0; fitted.inputs()];
        let means = fitted.preprocess().mean().unwrap_or(&[]);
        for (input, (to, &mean)) in mean.iter_mut().zip(means).enumerate() {
            let shifted = (mean * unit).round();
            if shifted.abs() > i16::MAX as f32 {
                return Err(ExportError::Mean { input, mean, shift }.into());
            }
            *to = shifted as i16;
        }
        // A model holds whole cuts. The sums of a structured W are not whole, so its thresholds have to be; those
        // outside the range of 32-bit sums become infinite.
        let whole = fitted.structured().is_some();
        let scaled = |threshold: f32| match threshold * unit {
            threshold if threshold.abs() >= 2_147_483_648.0 => threshold * f32::INFINITY,
            threshold if whole => threshold.round(),
            threshold => threshold,
        };
        let sigma = fitted.thresholds();
        let thresholds = match (sigma.period(), sigma.phase_seed()) {
            (Some(period), Some(seed)) => Thresholds::periodic(period * unit, seed)?,
            _ => Thresholds::four(sigma.values().unwrap_or_default().map(scaled))?,
        };
        let (weights, features) = (fitted.weights().clone(), fitted.features());
        Ok(Self { shift, mean, weights, thresholds, features, isa: fitted.isa() })
    }

    /// Numbers per sample.
    pub fn inputs(&self) -> usize {
        self.mean.len()
    }

    /// Features per sample.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The features of contiguous samples of `i8`, `u8` or `i16` numbers.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for data that is not a whole number of samples, and for a number that does not fit in 16 bits
    /// once it is shifted and centred.
    pub fn transform<T: Copy + Into<i16>>(&self, data: &[T]) -> Result<Features, Error> {
        let mut numbers = Vec::with_capacity(data.len());
        for sample in data.chunks(self.inputs()) {
            for (input, (&number, &mean)) in sample.iter().zip(&self.mean).enumerate() {
                let found = number.into();
                let centred = ((found as i32) << self.shift) - mean as i32;
                let out_of_range = CoreError::OutOfRange { input, found };
                numbers.push(i16::try_from(centred).map_err(|_| out_of_range)?);
            }
        }
        let samples = Samples::new(&numbers, self.inputs())?;
        let (rows, cols) = (samples.len(), self.features());
        let words = plane_words(rows, cols)?;
        let mut out = TritMatrix::zeroed(rows, cols, vec![0; words], vec![0; words])?;
        self.weights.featurize(self.isa, &self.thresholds, &samples, &mut Vec::new(), &mut out)?;
        Ok(Features::with_isa(out, self.isa))
    }

    /// The four words of σ in the model format, and whether it is periodic.
    pub(super) fn sigma(&self) -> ([u32; 4], bool) {
        match self.thresholds.sigma(1.0, None) {
            SampleSigma::Bands(cuts) => {
                let Cuts { below_outer, above_inner, below_inner, above_outer, .. } = cuts;
                let cuts = [below_outer, above_inner, below_inner, above_outer];
                (cuts.map(|cut| cut as u32), false)
            }
            SampleSigma::Periodic { factor, .. } => {
                let seed = self.thresholds.phase_seed().unwrap_or_default();
                ([factor, seed as u32, (seed >> 32) as u32, 0], true)
            }
        }
    }
}
