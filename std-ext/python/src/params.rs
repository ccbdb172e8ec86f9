//! [`Params`]: what a fit is asked to do.

use crate::arguments::{self, Unsigned};
use crate::classifier::FittedClassifier;
use crate::error::Result;
use crate::fitted::FittedFeatures;
use crate::input::{self, with_samples};
use crate::learner::{Learner, ridge};
use crate::regressor::FittedRegressor;
use crate::statistics::Statistics;
use crate::threads::run;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use ternion::learn::TernaryRegressor;
use ternion::{Form, Policy, Scaling, Target, TernaryFeatures};

/// The parameters of a fit, for programs without scikit-learn; the estimators have the same ones.
///
/// Parameters
/// ----------
/// features : int
///     Features of each sample.
/// target : str
///     The kernel or activation to imitate: one of ``targets()``, or one with a number, such as ``gaussian_gamma2``.
/// policy : str
///     How thresholds are chosen: ``automatic``, ``periodic``, ``four-band``, ``min-variance``, ``match-d0``, ``unit``
///     or ``fixed:-0.5,1``.
/// form : str
///     What W is: ``structured``, ``stored``, ``seeded``, ``boxes:28x28`` or ``subsets``.
/// sparsity : float
///     The probability of a zero weight; structured forms have none.
/// seed : int
///     The seed of W. The same seed gives the same W on every machine and in every version.
/// centre : bool
///     Whether to subtract the mean.
/// standardise : bool or None
///     Whether to divide each input by its standard deviation; ``None`` does so if the deviations differ widely.
/// scaling : str
///     ``unit`` scales all samples such that the mean of their squared norms is 1, ``row`` divides each by its norm,
///     ``keep`` leaves them.
///
/// Examples
/// --------
/// >>> import numpy as np
/// >>> from ternion import Params
/// >>> x = np.sin(0.37 * np.arange(600 * 8) ** 2).reshape(600, 8).astype(np.float32)
/// >>> fitted = Params(1024, seed=7).fit(x)
/// >>> fitted.transform(x)
/// Features(samples=600, features=1024)
#[pyclass(frozen, module = "ternion")]
pub(crate) struct Params {
    params: ternion::fit::Params,
}

#[pymethods]
impl Params {
    #[new]
    #[pyo3(signature = (
        features, *, target="gaussian_scale", policy="automatic", form="structured", sparsity=2.0 / 3.0,
        seed=Unsigned(0), centre=true, standardise=None, scaling="unit"
    ))]
    #[pyo3(
        text_signature = "(features, *, target='gaussian_scale', policy='automatic', form='structured', \
        sparsity=2/3, seed=0, centre=True, standardise=None, scaling='unit')"
    )]
    #[allow(clippy::too_many_arguments, reason = "they are keywords")]
    fn new(
        features: Unsigned,
        target: &str,
        policy: &str,
        form: &str,
        sparsity: f64,
        seed: Unsigned,
        centre: bool,
        standardise: Option<bool>,
        scaling: &str,
    ) -> Result<Self> {
        let params = TernaryFeatures::params(features.size()?)
            .target(target.parse::<Target>()?)
            .policy(policy.parse::<Policy>()?)
            .form(form.parse::<Form>()?)
            .sparsity(sparsity)
            .seed(seed.0)
            .centre(centre)
            .scaling(scaling.parse::<Scaling>()?);
        let params = match standardise {
            Some(standardise) => params.standardise(standardise),
            None => params,
        };
        let _ = params.clone().check()?;
        Ok(Self { params })
    }

    /// Fits the map from samples to features.
    #[pyo3(signature = (x, *, threads=None))]
    fn fit(&self, x: &Bound<'_, PyAny>, threads: Option<Unsigned>) -> Result<FittedFeatures> {
        let py = x.py();
        let fit = |samples: &dyn ternion::batch::Batch| {
            run(py, threads, || self.params.clone().fit(samples))
        };
        Ok(FittedFeatures::new(with_samples(x, fit)?))
    }

    /// Fits the map to samples that came in chunks.
    fn fit_statistics(&self, statistics: &Statistics) -> Result<FittedFeatures> {
        let fitted = self.params.clone().fit_statistics(&statistics.statistics)?;
        Ok(FittedFeatures::new(fitted))
    }

    /// Fits a classifier, by ``ridge``, ``logistic`` or ``svm``: `labels` are class numbers from 0, an array of int64.
    #[pyo3(signature = (x, labels, *, learner="ridge", regularisation=None, threads=None))]
    fn fit_classes(
        &self,
        x: &Bound<'_, PyAny>,
        labels: PyReadonlyArray1<'_, i64>,
        learner: &str,
        regularisation: Option<f64>,
        threads: Option<Unsigned>,
    ) -> Result<FittedClassifier> {
        let (py, learner) = (x.py(), Learner::named(learner)?);
        with_samples(x, |samples| {
            let labels = arguments::labels(&labels, samples.samples())?;
            let fit = || learner.fit(self.params.clone(), regularisation, samples, &labels);
            Ok(FittedClassifier::new(run(py, threads, fit)?))
        })
    }

    /// Fits a regressor: `y` has a row per sample and a column per output.
    #[pyo3(signature = (x, y, *, regularisation=None, threads=None))]
    fn fit_targets(
        &self,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        regularisation: Option<f64>,
        threads: Option<Unsigned>,
    ) -> Result<FittedRegressor> {
        let (py, ridge, targets) = (x.py(), ridge(regularisation)?, input::targets(y)?);
        with_samples(x, |samples| {
            let fit = || TernaryRegressor::fit(self.params.clone(), ridge, samples, &targets);
            Ok(FittedRegressor::new(run(py, threads, fit)?))
        })
    }
}

/// The names of all targets without a parameter.
///
/// Examples
/// --------
/// >>> import ternion
/// >>> "relu" in ternion.targets()
/// True
#[pyfunction]
pub(crate) fn targets() -> Vec<&'static str> {
    Target::named().map(|(name, _)| name).collect()
}
