//! `TernaryFeatures`: what a fit gives, and the transform.

use super::params::Params;
use super::preprocess::{Preprocess, Scaling};
use super::weights::{Use, Weights};
use crate::theory::{Bands, Report, Setting, Warning};
use crate::{Error, Features, Isa, parallel};
use ternion_core::arch::Kernel;
use ternion_core::{
    Error as CoreError, Line, Projection, Samples, Seeded, Simd, Structured, Thresholds,
    TritMatrix, featurize, plane_words, scratch_lines, words_per_row,
};

/// Samples that a thread transforms at a time: as many as the kernels share a tile of W among.
const CHUNK: usize = 256;

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

    pub(crate) fn new(
        preprocess: Preprocess,
        report: Report,
        weights: Weights,
        isa: Isa,
    ) -> Result<Self, Error> {
        let thresholds = thresholds(&report, &preprocess, weights.gain())?;
        Ok(Self { preprocess, report, thresholds, weights, isa })
    }

    /// The features of samples. The same sample gives the same trits in any batch, on any number of
    /// threads.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for another number of inputs than in the fit, NaN or infinity, or features that do not
    /// fit in memory.
    pub fn transform(&self, samples: &Samples<'_, f32>) -> Result<Features, Error> {
        let samples = self.preprocess.apply(*samples)?;
        let features = self.features();
        let words = plane_words(samples.len(), features)?;
        let plane = || parallel::storage(words, 0, samples.len(), features);
        let (mut sign, mut mask) = (plane()?, plane()?);
        let stride = CHUNK * words_per_row(features);
        let chunks = sign.chunks_mut(stride).zip(mask.chunks_mut(stride)).enumerate();
        let chunks = chunks.map(|(chunk, (sign, mask))| Chunk {
            fitted: self,
            samples,
            first: chunk * CHUNK,
            sign,
            mask,
        });
        transform_all(chunks)?;
        Ok(Features::with_isa(TritMatrix::new(samples.len(), features, sign, mask)?, self.isa))
    }

    /// Features of each sample.
    pub fn features(&self) -> usize {
        struct Count;
        impl Use for Count {
            type Output = usize;
            fn with<P: Projection>(self, projection: &P) -> usize {
                projection.features()
            }
        }
        self.weights.hand(Count)
    }

    /// Numbers in a sample.
    pub fn inputs(&self) -> usize {
        struct Count;
        impl Use for Count {
            type Output = usize;
            fn with<P: Projection>(self, projection: &P) -> usize {
                projection.inputs()
            }
        }
        self.weights.hand(Count)
    }

    /// The thresholds with all that is known of them.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What to mind: few non-zero weights, rare levels, uneven norms. Empty where all is well.
    pub fn warnings(&self) -> Vec<Warning> {
        self.report.warnings(&Setting {
            inputs: self.inputs(),
            features: self.features(),
            sparsity: self.weights.sparsity(),
            norm_variation: self.preprocess.variation().unwrap_or(0.0),
            gamma: None,
        })
    }

    /// What is done to samples first.
    pub fn preprocess(&self) -> &Preprocess {
        &self.preprocess
    }

    /// σ in the unit of the kernels.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// W as a seed, unless it is structured.
    pub fn seeded(&self) -> Option<&Seeded> {
        self.weights.seeded()
    }

    /// W as transforms, if it is structured.
    pub fn structured(&self) -> Option<&Structured> {
        match &self.weights {
            Weights::Structured(structured) => Some(structured),
            _ => None,
        }
    }

    /// W, whatever its form.
    pub(crate) fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The instruction set it runs on.
    pub(crate) fn isa(&self) -> Isa {
        self.isa
    }

    /// Bytes that W takes in memory.
    pub fn weight_bytes(&self) -> usize {
        self.weights.bytes()
    }
}

/// σ in the unit of the kernels: sums of ±xₖ instead of products with weights of unit variance,
/// samples as they come.
fn thresholds(report: &Report, preprocess: &Preprocess, gain: f64) -> Result<Thresholds, Error> {
    let factor = gain * preprocess.magnification();
    let cut = |threshold: f64| {
        let cut = (threshold * factor) as f32;
        let survives = cut.is_normal() || threshold == 0.0 || threshold.is_infinite();
        if survives {
            Ok(cut)
        } else {
            Err(Error::ThresholdOutOfRange { threshold: threshold * factor })
        }
    };
    let thresholds = match report.bands {
        Bands::Two { lower, upper } => Thresholds::two(cut(lower)?, cut(upper)?)?,
        Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper } => Thresholds::four([
            cut(outer_lower)?,
            cut(inner_lower)?,
            cut(inner_upper)?,
            cut(outer_upper)?,
        ])?,
    };
    Ok(match preprocess.scaling() {
        Scaling::Row => thresholds.per_norm(),
        Scaling::Unit | Scaling::Keep => thresholds,
    })
}

/// Up to [`CHUNK`] samples and where their features go.
struct Chunk<'a> {
    fitted: &'a TernaryFeatures,
    samples: Samples<'a, f32>,
    first: usize,
    sign: &'a mut [u64],
    mask: &'a mut [u64],
}

/// Every chunk, on all threads; the first error in the order of the samples.
#[cfg(feature = "rayon")]
fn transform_all<'a>(chunks: impl Iterator<Item = Chunk<'a>>) -> Result<(), Error> {
    use rayon::prelude::*;
    let chunks: Vec<_> = chunks.collect();
    let results: Vec<_> = chunks
        .into_par_iter()
        .map_init(Vec::new, |scratch, chunk| chunk.transform(scratch))
        .collect();
    results.into_iter().collect()
}

/// Every chunk in turn.
#[cfg(not(feature = "rayon"))]
fn transform_all<'a>(chunks: impl Iterator<Item = Chunk<'a>>) -> Result<(), Error> {
    let mut scratch = Vec::new();
    chunks.into_iter().try_for_each(|chunk| chunk.transform(&mut scratch))
}

impl Chunk<'_> {
    fn transform(self, scratch: &mut Vec<Line>) -> Result<(), Error> {
        let Self { fitted, samples, first, sign, mask } = self;
        let range = first..samples.len().min(first + CHUNK);
        let samples = samples.slice(range.clone()).unwrap_or(samples);
        let mut out = TritMatrix::zeroed(range.len(), fitted.features(), sign, mask)?;
        let thresholds = &fitted.thresholds;
        let work = Featurize { isa: fitted.isa, thresholds, samples, scratch, out: &mut out };
        fitted.weights.hand(work).map_err(|error| match error {
            // The kernels count from the start of the chunk.
            CoreError::NotFinite { sample, input } => {
                CoreError::NotFinite { sample: first + sample, input }.into()
            }
            other => other.into(),
        })
    }
}

/// The featurizing of a chunk: first W's form is settled, then the ISA.
struct Featurize<'a, 'b> {
    isa: Isa,
    thresholds: &'a Thresholds,
    samples: Samples<'a, f32>,
    scratch: &'a mut Vec<Line>,
    out: &'a mut TritMatrix<&'b mut [u64]>,
}

impl Use for Featurize<'_, '_> {
    type Output = Result<(), CoreError>;

    fn with<P: Projection>(self, projection: &P) -> Self::Output {
        self.scratch.resize(scratch_lines(projection, self.samples.len()), Line::ZERO);
        self.isa.dispatch(OnIsa { projection, work: self })
    }
}

/// The same, with W's form settled.
struct OnIsa<'p, P, W> {
    projection: &'p P,
    work: W,
}

impl<P: Projection> Kernel for OnIsa<'_, P, Featurize<'_, '_>> {
    type Output = Result<(), CoreError>;

    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Featurize { thresholds, samples, scratch, out, .. } = self.work;
        featurize(simd, self.projection, thresholds, &samples, scratch, out)
    }
}
