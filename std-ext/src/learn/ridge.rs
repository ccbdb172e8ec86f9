//! [`Ridge`]: ridge regression and classification on packed features.

use super::penalty::Penalty;
use super::{
    Classifier, KernelRidge, LinearModel, Moments, centred_targets, classes, regularised_moments,
};
use crate::dense::cholesky::Cholesky;
use crate::dense::vector::dot;
use crate::{Error, Features, Gram, Matrix, memory};

/// Ridge regression with an intercept on packed features, the kernel ridge of their Gram matrix
/// G = (1/m) ΣᵀΣ with γ added to the eigenvalues.
///
/// In scikit-learn's `Ridge` and `RidgeClassifier` on the same trits, alpha = m·γ for m features.
///
/// The smaller system is solved: the n × n Gram matrix of the samples or the m × m second moments of the features. Both
/// come from popcounts and give the same model.
///
/// ```
/// use ternion::learn::Ridge;
/// use ternion::{Samples, TernaryFeatures};
///
/// // Two classes that differ in the sign of a product, which no linear model separates.
/// let x: Vec<f32> = (0..400 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let labels: Vec<usize> = x.chunks(8).map(|x| (x[0] * x[1] > 0.0) as usize).collect();
/// let samples = Samples::new(&x, 8)?;
/// let features = TernaryFeatures::params(2048).fit(&samples)?.transform(&samples)?;
/// let model = Ridge::default().fit_classes(&features, &labels)?;
/// let right = ternion::learn::accuracy(&model.predict(&features)?, &labels);
/// assert!(right > 0.9, "{right}");
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ridge {
    pub(crate) penalty: Penalty,
}

impl Default for Ridge {
    fn default() -> Self {
        Self { penalty: Penalty::DEFAULT }
    }
}

impl Ridge {
    /// Ridge with `share` times the mean eigenvalue of the centred Gram matrix added to every eigenvalue.
    /// That mean is the mean variance of a feature: one
    /// unit for all sizes of data. [`Default`] is 0.3, which suits most data; 0.03 and 3 are worth a try.
    ///
    /// # Errors
    ///
    /// [`Error::Regularisation`] unless the share is positive and finite.
    pub fn new(share: f64) -> Result<Self, Error> {
        Ok(Self { penalty: Penalty::Relative(share).check()? })
    }

    /// Ridge with γ itself added to every eigenvalue of the centred Gram matrix. To translate a γ meant for the
    /// target kernel, see [`Report::ridge`](crate::theory::Report::ridge).
    ///
    /// # Errors
    ///
    /// [`Error::Regularisation`] unless γ is positive and finite.
    pub fn absolute(gamma: f64) -> Result<Self, Error> {
        Ok(Self { penalty: Penalty::Absolute(gamma).check()? })
    }

    /// Fits targets, a row per sample and a column per output.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] or [`Error::TargetNotFinite`] for bad targets,
    /// [`Error::NotPositiveDefinite`] if γ is lost in rounding.
    pub fn fit(&self, features: &Features, targets: &Matrix<f32>) -> Result<LinearModel, Error> {
        if features.len() <= features.features() {
            self.fit_dual(features, targets)
        } else {
            self.fit_primal(features, targets)
        }
    }

    /// Fits classes by one-vs-rest targets of ±1. Labels are class numbers from 0.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewClasses`], [`Error::TooManyClasses`], and as [`fit`](Self::fit).
    pub fn fit_classes(&self, features: &Features, labels: &[usize]) -> Result<Classifier, Error> {
        classes::check_classes(labels)?;
        if labels.len() == features.len() && features.len() > features.features() {
            self.fit_moments(&Moments::of(features, labels)?)
        } else {
            Ok(Classifier::fitted(self.fit(features, &classes::targets(labels)?)?))
        }
    }

    /// Fits classes as [`fit_classes`](Self::fit_classes) does with more samples than features, bit for bit, from
    /// samples that need not have been in memory together. Several ridge parameters can be tried on the same moments;
    /// each takes a factorisation. A class without samples is never predicted.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewClasses`] if fewer than two classes have samples, [`Error::NotPositiveDefinite`] if γ is lost in
    /// rounding, [`SizeOverflow`](ternion_core::Error::SizeOverflow) if m² numbers do not fit in memory.
    pub fn fit_moments(&self, moments: &Moments) -> Result<Classifier, Error> {
        let found = moments.counts().iter().filter(|&&count| count > 0).count();
        if found < 2 {
            return Err(Error::TooFewClasses { found });
        }
        let (n, m) = (moments.samples() as f64, moments.features());
        let share = 1.0 / m as f64;
        let totals: Vec<f64> = moments.totals().into_iter().map(|sum| sum as f64).collect();
        // S = (1/m) Σ P Σᵀ, of which the lower triangle is needed.
        let mut second = memory::zeros(m, m)?;
        for (i, (row, products)) in
            second.chunks_exact_mut(m).zip(moments.product_rows()).enumerate()
        {
            for (entry, (&product, total)) in row.iter_mut().zip(products.iter().zip(&totals)) {
                *entry = (product as f64 - totals[i] * total / n) * share;
            }
        }
        let variance = second.iter().step_by(m + 1).sum::<f64>() / n;
        let gamma = self.penalty.gamma(variance);
        second.iter_mut().step_by(m + 1).for_each(|diagonal| *diagonal += gamma);
        // Σ P y with y = +1 for the class and −1 for the rest is twice what the class has beyond its share of the
        // totals.
        let beyond = |(sums, &count): (&[i64], &i64)| {
            let part = count as f64 / n;
            let sums = sums.iter().zip(&totals);
            sums.map(|(&sum, total)| 2.0 * (sum as f64 - total * part) * share).collect()
        };
        let mut thetas: Vec<Vec<f64>> =
            moments.class_sums().zip(moments.counts()).map(beyond).collect();
        Cholesky::new(m, second)?.solve(&mut thetas);
        let bias = |(theta, &count): (&Vec<f64>, &i64)| {
            let mean = 2.0 * count as f64 / n - 1.0;
            (mean - dot(theta, &totals) / n) as f32
        };
        let bias: Vec<f32> = thetas.iter().zip(moments.counts()).map(bias).collect();
        let mut weights = vec![0.0; m * thetas.len()];
        for (k, theta) in thetas.iter().enumerate() {
            set_output(&mut weights, thetas.len(), k, theta.iter().copied());
        }
        Ok(Classifier::fitted(LinearModel::fitted(
            Matrix::from_vec(m, thetas.len(), weights)?,
            bias,
        )))
    }

    /// Solves for the samples: θ = (1/m) Σ a, with a the coefficients of kernel ridge.
    fn fit_dual(&self, features: &Features, targets: &Matrix<f32>) -> Result<LinearModel, Error> {
        let n = features.len();
        let share = 1.0 / features.features() as f64;
        let counts = Gram::new(features).counts()?.into_vec();
        let gram = counts.into_iter().map(|count| count as f64 * share).collect();
        let dual = KernelRidge { penalty: self.penalty }.fit_dual(n, gram, targets)?;
        let outputs = dual.coefficients.len();
        let mut weights = vec![0.0; features.features() * outputs];
        for (k, a) in dual.coefficients.iter().enumerate() {
            let theta = features.transposed_matvec(a)?;
            set_output(&mut weights, outputs, k, theta.iter().map(|sum| sum * share));
        }
        let weights = Matrix::from_vec(features.features(), dual.bias.len(), weights)?;
        Ok(LinearModel::fitted(weights, dual.bias.into_iter().map(|b| b as f32).collect()))
    }

    /// Solves for the features: θ = (1/m) (S + γI)⁻¹ Σ P y with S = (1/m) Σ P Σᵀ.
    fn fit_primal(&self, features: &Features, targets: &Matrix<f32>) -> Result<LinearModel, Error> {
        let (n, m) = (features.len(), features.features());
        let (targets, means) = centred_targets(n, targets)?;
        let share = 1.0 / m as f64;
        let (second, feature_means) = regularised_moments(features, self.penalty, |number| number)?;
        let factor = Cholesky::new(m, second)?;
        let outputs = targets.len();
        let mut weights = vec![0.0; m * outputs];
        let mut bias = Vec::new();
        let product = |targets: &Vec<f64>| features.transposed_matvec(targets);
        let mut thetas = targets.iter().map(product).collect::<Result<Vec<_>, _>>()?;
        thetas.iter_mut().flatten().for_each(|theta| *theta *= share);
        factor.solve(&mut thetas);
        for (k, (theta, mean)) in thetas.into_iter().zip(means).enumerate() {
            let shift: f64 = theta.iter().zip(&feature_means).map(|(w, mean)| w * mean).sum();
            bias.push((mean - shift) as f32);
            set_output(&mut weights, outputs, k, theta);
        }
        Ok(LinearModel::fitted(Matrix::from_vec(m, outputs, weights)?, bias))
    }
}

/// Writes the weights of one output.
fn set_output(
    weights: &mut [f32],
    outputs: usize,
    output: usize,
    theta: impl IntoIterator<Item = f64>,
) {
    for (weights, theta) in weights.chunks_exact_mut(outputs).zip(theta) {
        weights[output] = theta as f32;
    }
}
