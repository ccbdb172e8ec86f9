//! [`Params`]: what a fit is asked to do, checked before any work.

use super::preprocess::{Preprocess, Scaling, Steps};
use super::statistics::Statistics;
use super::weights::{Form, Weights};
use crate::batch::Batch;
use crate::theory::solve;
use crate::{Error, Isa, Policy, Target, TernaryFeatures};
use ternion_core::{Seeded, Sparsity};

/// The parameters of a fit: defaults that work, and a setter for each.
///
/// ```
/// use ternion::{Samples, Target, TernaryFeatures};
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[must_use]
pub struct Params {
    pub(crate) features: usize,
    pub(crate) target: Target,
    policy: Policy,
    sparsity: f64,
    seed: u64,
    pub(crate) steps: Steps,
    form: Form,
    /// Of this machine: not serialised.
    #[cfg_attr(feature = "serde", serde(skip))]
    isa: Option<Isa>,
}

impl Params {
    pub(crate) fn new(features: usize) -> Self {
        Self {
            features,
            target: Target::gaussian_scale(),
            policy: Policy::default(),
            sparsity: 2.0 / 3.0,
            seed: 0,
            steps: Steps::default(),
            form: Form::default(),
            isa: None,
        }
    }

    /// The number of features, if not that of [`TernaryFeatures::params`].
    pub fn features(self, features: usize) -> Self {
        Self { features, ..self }
    }

    /// The activation or kernel to imitate, applied to the preprocessed samples. Default: the Gaussian kernel with gamma
    /// "scale".
    pub fn target(self, target: Target) -> Self {
        Self { target, ..self }
    }

    /// Which of the ternary functions that match the target to take. Default: [`Policy::Automatic`], a periodic one for
    /// Gaussian kernels and the least noisy thresholds for other targets. With [`Form::Boxes`] it takes thresholds for
    /// all targets: boxes want a wider kernel than whole samples, and at the default width thresholds are more accurate.
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// The probability of a zero weight. Default: 2/3. Structured forms have no zeros and ignore it.
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

    /// Whether to divide each input by its standard deviation, as tables in mixed units need. Default: if the deviations
    /// differ [widely](Statistics::evenness), unless samples [keep their scale](Scaling::Keep). What was done is said by
    /// the [`Preprocess`] of the fit.
    pub fn standardise(self, standardise: bool) -> Self {
        Self { steps: Steps { standardise: Some(standardise), ..self.steps }, ..self }
    }

    /// How samples are scaled. Default: [`Scaling::Unit`], one factor that makes τ = 1.
    pub fn scaling(self, scaling: Scaling) -> Self {
        Self { steps: Steps { scaling, ..self.steps }, ..self }
    }

    /// What W is and how it is kept in memory. Default: [`Form::Stored`].
    pub fn form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// The instruction set to use. Default: [`Isa::detect`].
    pub fn isa(self, isa: Isa) -> Self {
        Self { isa: Some(isa), ..self }
    }

    /// Checks the sizes and the sparsity. The target and the policy are checked by the fit, where τ is known.
    ///
    /// # Errors
    ///
    /// [`SparsityOutOfRange`](ternion_core::Error::SparsityOutOfRange), [`ZeroSize`](ternion_core::Error::ZeroSize) for no
    /// features, [`SizeTooLarge`](ternion_core::Error::SizeTooLarge) for more than `i32::MAX`.
    pub fn check(self) -> Result<CheckedParams, Error> {
        let sparsity = Sparsity::new(self.sparsity)?;
        // One input stands for the real number, which only the fit knows.
        Seeded::new(self.seed, sparsity, 1, self.features)?;
        Ok(CheckedParams { params: self, sparsity })
    }

    /// Checks the parameters and fits.
    ///
    /// # Errors
    ///
    /// Those of [`check`](Self::check) and of [`CheckedParams::fit`].
    pub fn fit(self, samples: &dyn Batch) -> Result<TernaryFeatures, Error> {
        self.check()?.fit(samples)
    }

    /// Checks the parameters and fits to samples that came in chunks.
    ///
    /// # Errors
    ///
    /// Those of [`check`](Self::check) and of [`CheckedParams::fit_statistics`].
    pub fn fit_statistics(self, statistics: &Statistics) -> Result<TernaryFeatures, Error> {
        self.check()?.fit_statistics(statistics)
    }

    /// Checks the parameters and fits with preprocessing from elsewhere; [`centre`](Self::centre),
    /// [`standardise`](Self::standardise) and [`scaling`](Self::scaling) are its own. With [`Policy::Fixed`] the
    /// thresholds come from elsewhere, too.
    ///
    /// # Errors
    ///
    /// Those of [`check`](Self::check) and of [`CheckedParams::fit_preprocess`].
    pub fn fit_preprocess(self, preprocess: Preprocess) -> Result<TernaryFeatures, Error> {
        self.check()?.fit_preprocess(preprocess)
    }
}

/// Parameters that have been checked.
///
/// ```
/// use ternion::{Samples, TernaryFeatures};
///
/// assert!(TernaryFeatures::params(0).check().is_err()); // before any data is read
/// let checked = TernaryFeatures::params(256).check()?;
/// let x: Vec<f32> = (0..60).map(|k| (k * k % 17) as f32).collect();
/// assert_eq!(checked.fit(&Samples::new(&x, 6)?)?.inputs(), 6);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct CheckedParams {
    params: Params,
    sparsity: Sparsity,
}

impl CheckedParams {
    /// Computes the mean and τ of the samples, solves the thresholds, and generates W.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for NaN, infinity or `f64` beyond `f32`, for more inputs than the form of W takes, or for a W
    /// that does not fit in memory; [`Error::NoVariance`] if all samples are equal; [`Error::Solve`] if no thresholds match the target.
    pub fn fit(self, samples: &dyn Batch) -> Result<TernaryFeatures, Error> {
        let preprocess = Preprocess::fit(samples, self.params.steps)?;
        self.fit_preprocess(preprocess)
    }

    /// [`fit`](Self::fit) to samples that need not be in memory together. Their statistics suffice for everything but the
    /// warning that norms vary too much.
    ///
    /// # Errors
    ///
    /// As [`Preprocess::from_statistics`] and [`fit`](Self::fit).
    pub fn fit_statistics(self, statistics: &Statistics) -> Result<TernaryFeatures, Error> {
        let preprocess = Preprocess::from_statistics(statistics, self.params.steps)?;
        self.fit_preprocess(preprocess)
    }

    /// Solves the thresholds for preprocessing that is known, and generates W.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for more inputs than the form of W takes or for a W that does not fit in memory;
    /// [`Error::Solve`] if no thresholds match the target; [`Error::ThresholdOutOfRange`] if they are not representable.
    pub fn fit_preprocess(self, preprocess: Preprocess) -> Result<TernaryFeatures, Error> {
        let Self { params, sparsity } = self;
        let Params { form, seed, features, .. } = params;
        let policy = match (params.policy, form) {
            (Policy::Automatic, Form::Boxes(_)) => Policy::FourBand,
            (policy, _) => policy,
        };
        let report = solve(&params.target, preprocess.tau(), policy)?;
        let weights = Weights::new(form, seed, sparsity, preprocess.mean_squares(), features)?;
        TernaryFeatures::new(preprocess, report, weights, params.isa.unwrap_or_default())
    }
}
