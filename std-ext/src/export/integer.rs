//! [`IntegerFeatures`]: features on the desktop, in the arithmetic of a microcontroller.

use super::ExportError;
use super::inputs::Inputs;
use crate::fit::weights::Weights;
use crate::{Error, Features, Isa, TernaryFeatures, memory};
use ternion_core::{Cuts, Local, SampleSigma, Samples, Thresholds, TritMatrix, plane_words};

/// [`TernaryFeatures`] for integer samples, in the arithmetic of
/// [`ternion_core::model`]: the features to train a readout for the device on.
///
/// A number of an input is shifted or, if the fit standardises, multiplied by a factor of that input, and centred, such
/// that it fits in 16 bits. Training samples tell how large numbers are: twice their range fits, if 16 bits allow it.
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
/// let integer = IntegerFeatures::new(&fitted, &x)?;
/// assert_eq!(integer.transform(&x)?.len(), 10);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct IntegerFeatures {
    pub(super) inputs: Inputs,
    pub(super) weights: Weights,
    /// Which words of a local W are features; all of them if there are none.
    pub(super) words: Vec<u16>,
    thresholds: Thresholds,
    features: usize,
    isa: Isa,
}

impl IntegerFeatures {
    /// Takes over the mean, the scale, W and σ of a fit, for samples like the contiguous ones given. In the model,
    /// boxes and subsets take the fewest bytes and instructions; a structured W takes no bytes either, but more
    /// instructions and memory; a seeded one many instructions; and a stored one a quarter byte per weight.
    ///
    /// # Errors
    ///
    /// [`ExportError::PerNorm`] for [`Scaling::Row`](crate::Scaling::Row), which a model cannot do,
    /// [`ExportError::Range`] for numbers that do not fit in 16 bits once they are centred, and [`Error::Core`] for data
    /// that is not a whole number of samples.
    pub fn new<T: Copy + Into<i16>>(fitted: &TernaryFeatures, x: &[T]) -> Result<Self, Error> {
        if fitted.thresholds().is_per_norm() {
            return Err(ExportError::PerNorm.into());
        }
        let inputs = Inputs::new(fitted.preprocess(), fitted.inputs(), x)?;
        // A model holds whole cuts. The sums of transforms are not whole, so their thresholds have to be; those outside
        // the range of 32-bit sums become infinite.
        let whole = matches!(fitted.weights(), Weights::Structured(_) | Weights::Local { .. });
        let scaled = |threshold: f32| match threshold * inputs.unit {
            threshold if threshold.abs() >= 2_147_483_648.0 => threshold * f32::INFINITY,
            threshold if whole => threshold.round(),
            threshold => threshold,
        };
        let sigma = fitted.thresholds();
        let thresholds = match (sigma.period(), sigma.phase_seed()) {
            (Some(period), Some(seed)) => Thresholds::periodic(period * inputs.unit, seed)?,
            _ => Thresholds::four(sigma.values().unwrap_or_default().map(scaled))?,
        };
        let (weights, features) = (fitted.weights().clone(), fitted.features());
        let words = Vec::new();
        Ok(Self { inputs, weights, words, thresholds, features, isa: fitted.isa() })
    }

    /// The same without a mean, which saves two bytes per input. The mean only turns the phases of a periodic σ, which
    /// are random anyway: these features are as good, but not those of the fit. Train on them.
    ///
    /// # Errors
    ///
    /// [`ExportError::MeanNeeded`] unless σ is periodic.
    pub fn without_mean(mut self) -> Result<Self, Error> {
        let (Some(period), Some(seed)) = (self.thresholds.period(), self.thresholds.phase_seed())
        else {
            return Err(ExportError::MeanNeeded.into());
        };
        let shrunk = self.inputs.drop_mean();
        self.thresholds = Thresholds::periodic(period / shrunk, seed)?;
        Ok(self)
    }

    /// Some of the words of 64 features of a W of boxes or subsets, by their numbers, which must ascend: those that are
    /// worth their weights. A number takes two bytes in the model.
    ///
    /// # Errors
    ///
    /// [`ExportError::Words`] for another form of W, for no words, words beyond the features, and numbers that do not
    /// ascend.
    pub fn with_words(mut self, words: &[u16]) -> Result<Self, Error> {
        let count = self.features.div_ceil(64);
        let last = words.last().map_or(0, |&last| usize::from(last));
        let ascend = words.is_sorted_by(|a, b| a < b);
        let (Weights::Local { local, .. }, true, true) =
            (&mut self.weights, ascend && !words.is_empty(), self.words.is_empty() && last < count)
        else {
            return Err(ExportError::Words { found: words.to_vec(), words: count }.into());
        };
        // The features of all words up to the last one.
        let features = self.features.min(64 * (last + 1));
        *local = Local::new(local.seed(), local.view(), self.inputs.count, features)?;
        self.features = features - 64 * (last + 1 - words.len());
        self.words = words.to_vec();
        Ok(self)
    }

    /// Numbers per sample.
    pub fn inputs(&self) -> usize {
        self.inputs.count
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
    /// once it is centred.
    pub fn transform<T: Copy + Into<i16>>(&self, data: &[T]) -> Result<Features, Error> {
        let numbers = self.inputs.centre(data)?;
        let samples = Samples::new(&numbers, self.inputs())?;
        let (rows, cols) = (samples.len(), self.weights.features());
        let words = plane_words(rows, cols)?;
        let plane = || memory::storage(words, 0_u64, rows, cols);
        let mut out = TritMatrix::zeroed(rows, cols, plane()?, plane()?)?;
        self.weights.featurize(self.isa, &self.thresholds, &samples, &mut Vec::new(), &mut out)?;
        if !self.words.is_empty() {
            let chosen = |plane: &[u64]| -> Vec<u64> {
                let rows = plane.chunks(cols.div_ceil(64));
                rows.flat_map(|row| self.words.iter().map(|&word| row[usize::from(word)])).collect()
            };
            out = TritMatrix::new(rows, self.features, chosen(out.sign()), chosen(out.mask()))?;
        }
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
