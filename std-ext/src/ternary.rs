//! `TernaryFeatures`: parameters, fit, transform.

use crate::moments::Target;
use crate::preprocess::{Preprocess, Scaling, Steps};
use crate::solve::{Bands, Policy, Report, solve};
use crate::{Error, Features, Isa};
use ternion_core::arch::Kernel;
use ternion_core::{
    Line, Samples, Seeded, Simd, Sparsity, Tabled, Thresholds, TritMatrix, featurize, plane_words,
    scratch_lines,
};

/// How W is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Projection {
    /// As two bitplanes: a quarter byte a weight, the fastest to use.
    #[default]
    Stored,
    /// As its seed: no memory, grown again whenever it is needed.
    Regrown,
}

/// What a fit is to do: defaults that work, and a setter for each.
///
/// ```
/// use ternion::{Samples, TernaryFeatures, moments::Target};
///
/// # let x: Vec<f32> = (0..60).map(|k| (k * k % 17) as f32).collect();
/// let samples = Samples::new(&x, 6)?;
/// let fitted = TernaryFeatures::params(1024)
///     .target(Target::relu())
///     .sparsity(0.5)
///     .seed(7)
///     .fit(&samples)?;
/// println!("{}", fitted.report());
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Params {
    features: usize,
    target: Target,
    policy: Policy,
    sparsity: f64,
    seed: u64,
    steps: Steps,
    projection: Projection,
    isa: Option<Isa>,
}

impl Params {
    fn new(features: usize) -> Self {
        Self {
            features,
            target: Target::gaussian_scale(),
            policy: Policy::default(),
            sparsity: 2.0 / 3.0,
            seed: 0,
            steps: Steps::default(),
            projection: Projection::default(),
            isa: None,
        }
    }

    /// The activation or kernel to imitate, as seen by the preprocessed samples. Default: the
    /// Gaussian kernel with gamma "scale".
    pub fn target(self, target: Target) -> Self {
        Self { target, ..self }
    }

    /// Which of the thresholds that match the target to take. Default: the least noisy.
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// The probability of a zero weight. Default: 2/3.
    pub fn sparsity(self, sparsity: f64) -> Self {
        Self { sparsity, ..self }
    }

    /// The seed of W. Default: 0.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Whether to subtract the mean of the training samples. Default: yes.
    pub fn centre(self, centre: bool) -> Self {
        Self { steps: Steps { centre, ..self.steps }, ..self }
    }

    /// Whether to divide each input by its deviation: for tabular data. Default: no.
    pub fn standardise(self, standardise: bool) -> Self {
        Self { steps: Steps { standardise, ..self.steps }, ..self }
    }

    /// How the size of the samples is settled. Default: τ = 1.
    pub fn scaling(self, scaling: Scaling) -> Self {
        Self { steps: Steps { scaling, ..self.steps }, ..self }
    }

    /// How W is kept. Default: stored.
    pub fn projection(self, projection: Projection) -> Self {
        Self { projection, ..self }
    }

    /// The instruction set to use. Default: the fastest present.
    pub fn isa(self, isa: Isa) -> Self {
        Self { isa: Some(isa), ..self }
    }

    /// Checks everything that can be checked without data.
    ///
    /// # Errors
    ///
    /// [`SparsityOutOfRange`](ternion_core::Error::SparsityOutOfRange), or
    /// [`ZeroSize`](ternion_core::Error::ZeroSize) for no features.
    pub fn check(self) -> Result<CheckedParams, Error> {
        let sparsity = Sparsity::new(self.sparsity)?;
        // Any number of inputs will do here; the fit knows the real one.
        Seeded::new(self.seed, sparsity, 1, self.features)?;
        Ok(CheckedParams { params: self, sparsity })
    }

    /// Checks the parameters and fits.
    ///
    /// # Errors
    ///
    /// Those of [`check`](Self::check) and of [`CheckedParams::fit`].
    pub fn fit(self, samples: &Samples<'_, f32>) -> Result<TernaryFeatures, Error> {
        self.check()?.fit(samples)
    }
}

/// Parameters that make sense.
#[derive(Clone, Debug)]
#[must_use]
pub struct CheckedParams {
    params: Params,
    sparsity: Sparsity,
}

impl CheckedParams {
    /// Finds the mean and τ of the samples, solves the thresholds, and makes W.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for NaN or infinity, [`Error::NoVariance`] if all samples are equal,
    /// [`Error::Solve`] if no thresholds match the target.
    pub fn fit(self, samples: &Samples<'_, f32>) -> Result<TernaryFeatures, Error> {
        let Self { params, sparsity } = self;
        let preprocess = Preprocess::fit(samples, params.steps)?;
        let report = solve(&params.target, preprocess.tau(), params.policy)?;
        let thresholds = thresholds(&report, &preprocess, sparsity)?;
        let seeded = Seeded::new(params.seed, sparsity, samples.inputs(), params.features)?;
        let w = match params.projection {
            Projection::Stored => Form::Stored(store(&seeded)?),
            Projection::Regrown => Form::Regrown,
        };
        let isa = params.isa.unwrap_or_default();
        Ok(TernaryFeatures { preprocess, report, thresholds, seeded, w, isa })
    }
}

/// σ in the unit of the kernels: trits instead of weights of unit variance, samples as they come.
fn thresholds(
    report: &Report,
    preprocess: &Preprocess,
    sparsity: Sparsity,
) -> Result<Thresholds, Error> {
    let factor = (1.0 - sparsity.probability()).sqrt() * preprocess.magnification();
    let cut = |threshold: f64| (threshold * factor) as f32;
    let thresholds = match report.bands {
        Bands::Two { lower, upper } => Thresholds::two(cut(lower), cut(upper))?,
        Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper } => {
            Thresholds::four([outer_lower, inner_lower, inner_upper, outer_upper].map(cut))?
        }
    };
    Ok(match preprocess.scaling() {
        Scaling::Row => thresholds.per_norm(),
        Scaling::Unit | Scaling::Keep => thresholds,
    })
}

/// W as planes.
fn store(seeded: &Seeded) -> Result<TritMatrix<Vec<u64>>, Error> {
    use ternion_core::Projection as _;
    let (rows, cols) = (seeded.features(), seeded.inputs());
    let words = plane_words(rows, cols)?;
    let mut w = TritMatrix::zeroed(rows, cols, vec![0; words], vec![0; words])?;
    seeded.fill(&mut w)?;
    Ok(w)
}

/// W in the form asked for.
#[derive(Clone, Debug, PartialEq)]
enum Form {
    Stored(TritMatrix<Vec<u64>>),
    Regrown,
}

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
    seeded: Seeded,
    w: Form,
    isa: Isa,
}

impl TernaryFeatures {
    /// Parameters for a fit with this many features.
    pub fn params(features: usize) -> Params {
        Params::new(features)
    }

    /// The features of samples. The same sample gives the same trits in any batch.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for another number of inputs than in the fit, NaN or infinity.
    pub fn transform(&self, samples: &Samples<'_, f32>) -> Result<Features, Error> {
        let samples = self.preprocess.apply(*samples)?;
        let features = ternion_core::Projection::features(&self.seeded);
        let words = plane_words(samples.len(), features)?;
        let mut trits =
            TritMatrix::zeroed(samples.len(), features, vec![0; words], vec![0; words])?;
        let mut scratch = vec![Line::ZERO; self.scratch_lines(samples.len())];
        let (fitted, scratch, out) = (self, &mut scratch[..], &mut trits);
        self.isa.dispatch(Transform { fitted, samples, scratch, out })?;
        Ok(Features::with_isa(trits, self.isa))
    }

    /// Lines of scratch for a batch.
    fn scratch_lines(&self, samples: usize) -> usize {
        match &self.w {
            Form::Stored(w) => scratch_lines(&Tabled::new(w), samples),
            Form::Regrown => scratch_lines(&self.seeded, samples),
        }
    }

    /// The thresholds with all that is known of them.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What is done to samples first.
    pub fn preprocess(&self) -> &Preprocess {
        &self.preprocess
    }

    /// σ in the unit of the kernels.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// W as a seed.
    pub fn seeded(&self) -> &Seeded {
        &self.seeded
    }

    /// Bytes that W takes in memory.
    pub fn weight_bytes(&self) -> usize {
        match &self.w {
            Form::Stored(w) => size_of_val(w.sign()) + size_of_val(w.mask()),
            Form::Regrown => 0,
        }
    }
}

/// A transform, as one piece of work for an ISA.
struct Transform<'a> {
    fitted: &'a TernaryFeatures,
    samples: Samples<'a, f32>,
    scratch: &'a mut [Line],
    out: &'a mut TritMatrix<Vec<u64>>,
}

impl Kernel for Transform<'_> {
    type Output = Result<(), ternion_core::Error>;

    fn run<S: Simd>(self, simd: S) -> Self::Output {
        let Self { fitted, samples, scratch, out } = self;
        match &fitted.w {
            Form::Stored(w) => {
                featurize(simd, &Tabled::new(w), &fitted.thresholds, &samples, scratch, out)
            }
            Form::Regrown => {
                featurize(simd, &fitted.seeded, &fitted.thresholds, &samples, scratch, out)
            }
        }
    }
}
