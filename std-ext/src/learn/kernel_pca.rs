//! [`KernelPca`]: the directions in which features vary most.

use super::LinearModel;
use super::training::check_at_least_one;
use crate::packed::Progress;
use crate::packed::eigenpairs::check_count;
use crate::{Error, Features, Gram, Matrix, memory};
use std::fmt;

/// Eigenvalues below this share of the largest are rounding errors.
const NEGLIGIBLE: f64 = 1e-9;

/// Kernel principal component analysis: the leading eigenpairs of the centred Gram matrix P·G·P with G = (1/m) ΣᵀΣ, without
/// the matrix ([`Gram::leading_eigenpairs`]).
///
/// The coordinates of a sample are linear in its features, so new samples need neither the training samples nor their
/// kernel: the result is a [`LinearModel`], as fast and as small.
///
/// ```
/// use ternion::learn::KernelPca;
/// use ternion::{Samples, TernaryFeatures};
///
/// // Two shells around the same centre: no direction of the samples separates them, one of the kernel does.
/// let shell = |k: usize| if k / 4 % 2 == 0 { 1.0 } else { 3.0 };
/// let x: Vec<f32> = (0..400 * 4).map(|k| shell(k) * (k as f32 * k as f32 * 0.37).sin().signum()).collect();
/// # let x: Vec<f32> = x.iter().enumerate().map(|(k, x)| x + 0.3 * (k as f32 * 1.7).sin()).collect();
/// let samples = Samples::new(&x, 4)?;
/// let features = TernaryFeatures::params(2048).fit(&samples)?.transform(&samples)?;
///
/// let components = KernelPca::new(3)?.fit(&features)?;
/// let coordinates = components.transform(&features)?;
/// assert_eq!((coordinates.rows(), coordinates.cols()), (400, 3));
/// println!("{:.0} % of the variance", 100.0 * components.explained().iter().sum::<f64>());
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct KernelPca<'a> {
    components: usize,
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl fmt::Debug for KernelPca<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelPca")
            .field("components", &self.components)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

impl<'a> KernelPca<'a> {
    /// The analysis with so many components.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] for 0.
    pub fn new(components: usize) -> Result<Self, Error> {
        let components = check_at_least_one("number of components", components)?;
        Ok(Self { components, progress: None })
    }

    /// Sets a function that is told how many components have converged, as [`Gram::progress`].
    pub fn progress(self, progress: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Finds the components.
    ///
    /// # Errors
    ///
    /// [`SizeTooLarge`](ternion_core::Error::SizeTooLarge) for more components than samples, and as
    /// [`Gram::leading_eigenpairs`].
    pub fn fit(&self, features: &Features) -> Result<PrincipalComponents, Error> {
        let mut gram = Gram::new(features);
        if let Some(progress) = self.progress {
            gram = gram.progress(progress);
        }
        let (m, count) = (features.features(), self.components);
        // Whether there is memory for the result comes before the work.
        check_count(features.len(), count)?;
        let (mut weights, mut bias) = (memory::zeros(m, count)?, Vec::new());
        let pairs = gram.leading_eigenpairs(count)?;
        let means = features.means();
        let largest = pairs.values[0];
        for (k, (value, vector)) in pairs.values.iter().zip(pairs.vectors.iter_rows()).enumerate() {
            // A component without variance has no direction: all coordinates are zero.
            let is_present = *value > NEGLIGIBLE * largest;
            let factor = if is_present { 1.0 / (m as f64 * value.sqrt()) } else { 0.0 };
            let mut at_mean = 0.0;
            let sums = features.transposed_matvec(vector)?;
            for ((to, sum), mean) in weights.iter_mut().skip(k).step_by(count).zip(sums).zip(&means)
            {
                *to = (factor * sum) as f32;
                at_mean += f64::from(*to) * mean;
            }
            bias.push(-at_mean as f32);
        }
        let squares = super::squares(features).sum::<f64>() / m as f64;
        let mean: f64 = means.iter().map(|mean| mean * mean).sum::<f64>() / m as f64;
        Ok(PrincipalComponents {
            model: LinearModel::fitted(Matrix::from_vec(m, count, weights)?, bias)?,
            values: pairs.values,
            total: squares - mean * features.len() as f64,
        })
    }
}

/// Directions in which features vary most: see [`KernelPca`].
#[derive(Clone, Debug, PartialEq)]
pub struct PrincipalComponents {
    model: LinearModel,
    values: Vec<f64>,
    /// The sum of all eigenvalues.
    total: f64,
}

impl PrincipalComponents {
    /// The coordinates of samples: a row per sample, a column per component. Those of the training samples are the
    /// eigenvectors times the roots of their [eigenvalues](Self::values).
    ///
    /// # Errors
    ///
    /// [`SizeMismatch`](ternion_core::Error::SizeMismatch) if the number of features differs from the fit's.
    pub fn transform(&self, features: &Features) -> Result<Matrix<f32>, Error> {
        self.model.predict(features)
    }

    /// The leading eigenvalues of the centred Gram matrix, largest first.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The share of the variance that each component explains.
    pub fn explained(&self) -> Vec<f64> {
        let share = |value: &f64| if self.total > 0.0 { value / self.total } else { 0.0 };
        self.values.iter().map(share).collect()
    }

    /// The coordinates as outputs of a linear model, to be saved or [predicted](super::Predictor) one sample at a time.
    pub fn model(&self) -> &LinearModel {
        &self.model
    }
}
