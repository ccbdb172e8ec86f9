//! [`TernaryFeatures`]: the result of a fit, and the transform.

use super::params::Params;
use super::preprocess::{Preprocess, Scaling};
use super::statistics::MIN_EVENNESS;
use super::weights::Weights;
use crate::batch::{self, Batch, CHUNK_SAMPLES};
use crate::theory::{Bands, Report, Setting, Warning};
use crate::{Error, Features, Isa, memory, parallel};
use core::fmt;
use ternion_core::{
    Buffer, Element, Error as CoreError, Line, Local, Samples, Seeded, Size, Structured,
    Thresholds, TritMatrix, plane_words, words_per_row,
};

/// Ternary random features fitted to data: σ(W·x) for any sample.
///
/// ```
/// use ternion::{Samples, TernaryFeatures};
///
/// # let x: Vec<f32> = (0..60).map(|k| (k * k % 17) as f32).collect();
/// let samples = Samples::new(&x, 6)?;
/// let fitted = TernaryFeatures::params(512).fit(&samples)?;
/// let features = fitted.transform(&samples)?;
/// assert_eq!(features.row(0).unwrap().len(), 512);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TernaryFeatures {
    preprocess: Preprocess,
    report: Report,
    thresholds: Thresholds,
    weights: Weights,
    isa: Isa,
}

impl TernaryFeatures {
    /// Parameters for a fit with this many features.
    pub fn params(features: usize) -> Params {
        Params::new(features)
    }

    pub(super) fn new(
        preprocess: Preprocess,
        report: Report,
        weights: Weights,
        isa: Isa,
    ) -> Result<Self, Error> {
        let thresholds = thresholds(&report, &preprocess, &weights)?;
        Ok(Self { preprocess, report, thresholds, weights, isa })
    }

    /// The same map with W kept in another way.
    pub(super) fn with_weights(self, weights: Weights) -> Self {
        Self { weights, ..self }
    }

    /// The features of samples. The same sample gives the same trits in any batch and on any number of threads.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for another number of inputs than in the fit, for NaN, infinity or `f64` beyond `f32`, and for
    /// features that do not fit in memory; and what a [`Batch`] refuses.
    pub fn transform(&self, samples: &dyn Batch) -> Result<Features, Error> {
        self.check_sizes(samples)?;
        let (rows, features) = (samples.samples(), self.features());
        let words = plane_words(rows, features)?;
        let plane = || memory::storage(words, 0, rows, features);
        let (mut sign, mut mask) = (plane()?, plane()?);
        self.transform_chunks(samples, &mut sign, &mut mask)?;
        let trits = TritMatrix::new(rows, features, sign, mask)?;
        Ok(Features::with_isa(trits, self.isa).made_by(self.fingerprint()))
    }

    /// [`transform`](Self::transform) into planes of the caller, a row of [`words_per_row`] words for each sample.
    ///
    /// ```
    /// use ternion::ternion_core::plane_words;
    /// use ternion::{Samples, TernaryFeatures};
    ///
    /// # let x: Vec<f32> = (0..60).map(|k| (k * k % 17) as f32).collect();
    /// let samples = Samples::new(&x, 6)?;
    /// let fitted = TernaryFeatures::params(512).fit(&samples)?;
    /// let words = plane_words(samples.len(), 512)?;
    /// let (mut sign, mut mask) = (vec![0; words], vec![0; words]);
    /// fitted.transform_into(&samples, &mut sign, &mut mask)?;
    /// assert_eq!(fitted.transform(&samples)?.trits().sign(), sign);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`transform`](Self::transform), and [`LengthMismatch`](CoreError::LengthMismatch) for planes of another
    /// length than [`plane_words`]. Nothing is written then.
    pub fn transform_into(
        &self,
        samples: &dyn Batch,
        sign: &mut [u64],
        mask: &mut [u64],
    ) -> Result<(), Error> {
        self.check_sizes(samples)?;
        let expected = plane_words(samples.samples(), self.features())?;
        for (buffer, found) in [(Buffer::Sign, sign.len()), (Buffer::Mask, mask.len())] {
            if found != expected {
                return Err(CoreError::LengthMismatch { buffer, expected, found }.into());
            }
        }
        batch::for_each_chunk(samples, |first, samples| {
            let checked = Element::check(&self.preprocess.apply(*samples)?);
            Ok(checked.map_err(|error| counted_from(first, error))?)
        })?;
        self.transform_chunks(samples, sign, mask)
    }

    fn check_sizes(&self, samples: &dyn Batch) -> Result<(), CoreError> {
        batch::check_sizes(samples)?;
        let (size, expected, found) = (Size::Inputs, self.inputs(), samples.inputs());
        if found == expected {
            return Ok(());
        }
        Err(CoreError::SizeMismatch { size, expected, found })
    }

    /// Transforms samples, chunks of them on all threads.
    fn transform_chunks(
        &self,
        samples: &dyn Batch,
        sign: &mut [u64],
        mask: &mut [u64],
    ) -> Result<(), Error> {
        let chunk_words = CHUNK_SAMPLES * words_per_row(self.features());
        let chunks = sign.chunks_mut(chunk_words).zip(mask.chunks_mut(chunk_words));
        let chunks = (0..).step_by(CHUNK_SAMPLES).zip(chunks);
        parallel::try_for_each(chunks, |scratch: &mut Scratch, (first, (sign, mask))| {
            let range = first..samples.samples().min(first + CHUNK_SAMPLES);
            let samples = batch::chunk(samples, range, &mut scratch.numbers)?;
            let done = self.transform_chunk(samples, sign, mask, &mut scratch.lines);
            done.map_err(|error| match error {
                Error::Core(error) => counted_from(first, error).into(),
                other => other,
            })
        })
    }

    /// The features of a few samples, into planes and with scratch of the caller.
    pub(crate) fn transform_chunk(
        &self,
        samples: Samples<'_, f32>,
        sign: &mut [u64],
        mask: &mut [u64],
        scratch: &mut Vec<Line>,
    ) -> Result<(), Error> {
        let samples = self.preprocess.apply(samples)?;
        let mut out = TritMatrix::zeroed(samples.len(), self.features(), sign, mask)?;
        self.weights.featurize(self.isa, &self.thresholds, &samples, scratch, &mut out)?;
        Ok(())
    }

    /// Features of each sample.
    pub fn features(&self) -> usize {
        self.weights.features()
    }

    /// Numbers in a sample.
    pub fn inputs(&self) -> usize {
        self.weights.inputs()
    }

    /// The solved thresholds, and how well they match the target. Printing the fit itself says what is done to samples
    /// as well.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Reasons to expect less than the report promises, with what to do about them: few non-zero weights, rare levels,
    /// uneven norms, mixed units. Usually empty.
    ///
    /// ```
    /// use ternion::{Samples, TernaryFeatures};
    ///
    /// // Four inputs: at a sparsity of 2/3 a feature sees one or two of them.
    /// let x: Vec<f32> = (0..400).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
    /// let fitted = TernaryFeatures::params(512).fit(&Samples::new(&x, 4)?)?;
    /// assert!(fitted.warnings()[0].to_string().contains("Form::Structured"));
    /// # Ok::<(), ternion::Error>(())
    /// ```
    pub fn warnings(&self) -> Vec<Warning> {
        let mixed_units = self.preprocess.mixed_units();
        let mut warnings = self.report.warnings(&Setting {
            inputs: self.inputs(),
            features: self.features(),
            sparsity: self.weights.sparsity(),
            norm_variation: self.preprocess.variation().unwrap_or(0.0),
            gamma: None,
        });
        warnings.retain(|warning| match warning {
            // Transforms mix the inputs they see, so that projections are nearly normal even if these are few.
            Warning::FewTerms { .. } => self.weights.seeded().is_some(),
            // Norms vary because a few inputs make them: standardising is the remedy.
            Warning::SpreadNorms { .. } => mixed_units.is_none(),
            _ => true,
        });
        let least = MIN_EVENNESS;
        warnings.extend(mixed_units.map(|evenness| Warning::MixedUnits { evenness, least }));
        warnings
    }

    /// The preprocessing of samples.
    pub fn preprocess(&self) -> &Preprocess {
        &self.preprocess
    }

    /// The thresholds of σ in the unit of the kernels.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// W as its seed and sizes; `None` if W is structured or local.
    pub fn seeded(&self) -> Option<&Seeded> {
        self.weights.seeded()
    }

    /// W as transforms of all inputs; `None` unless it has that form.
    pub fn structured(&self) -> Option<&Structured> {
        match &self.weights {
            Weights::Structured(structured) => Some(structured),
            _ => None,
        }
    }

    /// W as transforms of boxes or subsets; `None` unless it has one of these forms.
    pub fn local(&self) -> Option<&Local> {
        match &self.weights {
            Weights::Local { local, .. } => Some(local),
            _ => None,
        }
    }

    pub(crate) fn weights(&self) -> &Weights {
        &self.weights
    }

    pub(crate) fn isa(&self) -> Isa {
        self.isa
    }

    /// Bytes that W takes in memory.
    pub fn weight_bytes(&self) -> usize {
        self.weights.bytes()
    }
}

/// What the chunks of a thread share.
#[derive(Default)]
struct Scratch {
    numbers: Vec<f32>,
    lines: Vec<Line>,
}

/// An error of a chunk in the numbers of the batch: the kernels count samples from the start of a chunk.
fn counted_from(first: usize, error: CoreError) -> CoreError {
    match error {
        CoreError::NotFinite { sample, input } => {
            CoreError::NotFinite { sample: first + sample, input }
        }
        other => other,
    }
}

/// What is done to samples, what W is, and then the [`Report`].
///
/// ```
/// use ternion::{Samples, TernaryFeatures};
///
/// # let x: Vec<f32> = (0..60).map(|k| (k * k % 17) as f32).collect();
/// let fitted = TernaryFeatures::params(512).fit(&Samples::new(&x, 6)?)?;
/// assert!(fitted.to_string().contains("6 inputs, centred, not standardised"));
/// assert!(fitted.to_string().contains("512, W stored, 67 % zeros, seed 0"));
/// # Ok::<(), ternion::Error>(())
/// ```
impl fmt::Display for TernaryFeatures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "samples     {}", self.preprocess)?;
        writeln!(f, "features    {}, W {}", self.features(), self.weights)?;
        self.report.fmt(f)
    }
}

/// The solved thresholds in the unit of the kernels: for sums Σ±xₖ, not products with weights of unit variance, and
/// for samples that are not scaled.
fn thresholds(
    report: &Report,
    preprocess: &Preprocess,
    weights: &Weights,
) -> Result<Thresholds, Error> {
    let factor = weights.gain() * preprocess.magnification();
    let scaled = |threshold: f64| {
        let scaled = (threshold * factor) as f32;
        if scaled.is_normal() || threshold == 0.0 || threshold.is_infinite() {
            Ok(scaled)
        } else {
            Err(Error::ThresholdOutOfRange { threshold: threshold * factor })
        }
    };
    let thresholds = match report.bands {
        Bands::Two { lower, upper } => Thresholds::two(scaled(lower)?, scaled(upper)?)?,
        Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper } => Thresholds::four([
            scaled(outer_lower)?,
            scaled(inner_lower)?,
            scaled(inner_upper)?,
            scaled(outer_upper)?,
        ])?,
        Bands::Periodic { period } => Thresholds::periodic(scaled(period)?, weights.seed())?,
    };
    Ok(match preprocess.scaling() {
        Scaling::Row => thresholds.per_norm(),
        Scaling::Unit | Scaling::Keep => thresholds,
    })
}
