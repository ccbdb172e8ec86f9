//! [`Ridge`]: ridge regression and classification on packed features.

use super::kernel_equations::KernelEquations;
use super::leave_one_out::LeaveOneOut;
use super::normal_equations::{NormalEquations, set_output};
use super::penalty::Penalty;
use super::ridge_path::solve_each;
use super::{Classifier, KernelModel, LinearModel, Moments, TargetMoments, classes};
use crate::{Error, Features, Matrix, memory};
use ternion_core::{Error as CoreError, Size};

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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// [`Error::NotPositiveDefinite`] if γ is lost in rounding, [`Error::TargetsTooLarge`] if a weight is not finite,
    /// [`SizeOverflow`](CoreError::SizeOverflow) if the square of the smaller of n and m does not fit in memory.
    pub fn fit(&self, features: &Features, targets: &Matrix<f32>) -> Result<LinearModel, Error> {
        if features.len() <= features.features() {
            let dual = KernelEquations::of_features(features, targets)?.into_model(self.penalty)?;
            linear(features, &dual)
        } else {
            self.fit_target_moments(&TargetMoments::of(features, targets)?)
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
    /// samples that need not have been in memory together. For several ridge parameters see
    /// [`fit_moments_each`](Self::fit_moments_each). A class without samples is never predicted.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewClasses`] if fewer than two classes have samples, [`Error::NotPositiveDefinite`] if γ is lost in
    /// rounding, [`SizeOverflow`](ternion_core::Error::SizeOverflow) if m² numbers do not fit in memory.
    pub fn fit_moments(&self, moments: &Moments) -> Result<Classifier, Error> {
        Ok(Classifier::fitted(equations(moments)?.solve(self.penalty)?))
    }

    /// Fits targets as [`fit`](Self::fit) does with more samples than features, bit for bit, from samples that need not
    /// have been in memory together.
    ///
    /// # Errors
    ///
    /// [`ZeroSize`](CoreError::ZeroSize) before the first sample, [`Error::NotPositiveDefinite`] if γ is lost in
    /// rounding, [`Error::TargetsTooLarge`] if a weight is not finite, [`SizeOverflow`](CoreError::SizeOverflow) if m²
    /// numbers do not fit in memory.
    pub fn fit_target_moments(&self, moments: &TargetMoments) -> Result<LinearModel, Error> {
        target_equations(moments)?.solve(self.penalty)
    }

    /// [`fit_moments`](Self::fit_moments) with several ridge parameters by one factorisation. Ten of them take the time of
    /// two fits if they span a factor of 100 (1.9 with 4,096 features and ten classes, on an AMD EPYC, Zen 4), of five if
    /// they span 20,000. The weights are those of single fits up to the rounding of `f32`.
    ///
    /// ```
    /// use ternion::learn::{Moments, Ridge};
    /// use ternion::{Samples, TernaryFeatures};
    ///
    /// let x: Vec<f32> = (0..900 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
    /// let labels: Vec<usize> = x.chunks(8).map(|x| (x[0] > x[1]) as usize).collect();
    /// let samples = Samples::new(&x, 8)?;
    /// let ternary = TernaryFeatures::params(256).fit(&samples)?;
    /// let mut moments = Moments::new(&ternary, 2)?;
    /// moments.add(&ternary.transform(&samples)?, &labels)?;
    ///
    /// let ridges = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0].map(Ridge::new).into_iter().collect::<Result<Vec<_>, _>>()?;
    /// let models = Ridge::fit_moments_each(&ridges, &moments)?; // choose among them on held-out samples
    /// assert_eq!(models.len(), 6);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`fit_moments`](Self::fit_moments).
    pub fn fit_moments_each(ridges: &[Self], moments: &Moments) -> Result<Vec<Classifier>, Error> {
        let models = solve_each(&equations(moments)?, &penalties(ridges))?;
        Ok(models.into_iter().map(Classifier::fitted).collect())
    }

    /// [`fit_target_moments`](Self::fit_target_moments) with several ridge parameters, as
    /// [`fit_moments_each`](Self::fit_moments_each).
    ///
    /// ```
    /// use ternion::learn::{Ridge, TargetMoments};
    /// use ternion::{Matrix, Samples, TernaryFeatures};
    ///
    /// let x: Vec<f32> = (0..900 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
    /// let y = Matrix::from_vec(900, 1, x.chunks(8).map(|x| x[0] * x[1]).collect())?;
    /// let samples = Samples::new(&x, 8)?;
    /// let ternary = TernaryFeatures::params(256).fit(&samples)?;
    /// let mut moments = TargetMoments::new(&ternary, 1)?;
    /// moments.add(&ternary.transform(&samples)?, &y)?;
    ///
    /// let ridges = [Ridge::new(0.03)?, Ridge::new(0.3)?, Ridge::new(3.0)?];
    /// assert_eq!(Ridge::fit_target_moments_each(&ridges, &moments)?.len(), 3);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`fit_target_moments`](Self::fit_target_moments).
    pub fn fit_target_moments_each(
        ridges: &[Self],
        moments: &TargetMoments,
    ) -> Result<Vec<LinearModel>, Error> {
        solve_each(&target_equations(moments)?, &penalties(ridges))
    }

    /// What the model of all other samples predicts for each sample: the exact leave-one-out predictions of
    /// [`fit`](Self::fit), without fitting n times. γ is that of a fit to all samples. It takes 20·n² bytes and about n³
    /// multiply-adds, however many features there are: for some thousands of samples, hold some out beyond.
    ///
    /// ```
    /// use ternion::learn::Ridge;
    /// use ternion::{Matrix, Samples, TernaryFeatures};
    ///
    /// let x: Vec<f32> = (0..200 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
    /// let y = Matrix::from_vec(200, 1, x.chunks(8).map(|x| x[0] + x[1]).collect())?;
    /// let samples = Samples::new(&x, 8)?;
    /// let features = TernaryFeatures::params(1024).fit(&samples)?.transform(&samples)?;
    /// let predicted = Ridge::default().leave_one_out(&features, &y)?;
    /// let square = |(a, b): (&f32, &f32)| (a - b).powi(2);
    /// let error: f32 = predicted.as_slice().iter().zip(y.as_slice()).map(square).sum();
    /// assert!(error / 200.0 < 0.3); // an honest one: no sample took part in its own prediction
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::TooFewSamples`] for a single sample, [`SizeOverflow`](CoreError::SizeOverflow) if n² numbers do not fit
    /// in memory, and as [`fit`](Self::fit).
    pub fn leave_one_out(
        &self,
        features: &Features,
        targets: &Matrix<f32>,
    ) -> Result<Matrix<f32>, Error> {
        LeaveOneOut::new(features, targets)?.predict(self)
    }
}

/// The linear model of coefficients a of the samples: θ = (1/m) Σ a.
fn linear(features: &Features, dual: &KernelModel) -> Result<LinearModel, Error> {
    let (share, outputs) = (1.0 / features.features() as f64, dual.bias.len());
    let mut weights = memory::zeros(features.features(), outputs)?;
    for (k, a) in dual.coefficients.iter().enumerate() {
        let theta = features.transposed_matvec(a)?;
        set_output(&mut weights, outputs, k, theta.iter().map(|sum| sum * share));
    }
    let weights = Matrix::from_vec(features.features(), outputs, weights)?;
    LinearModel::fitted(weights, dual.bias.iter().map(|&b| b as f32).collect())
}

/// The normal equations of classes, of which two at least must have samples.
fn equations(moments: &Moments) -> Result<NormalEquations<'_>, Error> {
    let found = moments.counts().iter().filter(|&&count| count > 0).count();
    if found < 2 {
        return Err(Error::TooFewClasses { found });
    }
    NormalEquations::of_classes(moments)
}

/// The normal equations of targets.
fn target_equations(moments: &TargetMoments) -> Result<NormalEquations<'_>, Error> {
    if moments.samples() == 0 {
        return Err(CoreError::ZeroSize { size: Size::Samples }.into());
    }
    NormalEquations::of_targets(moments)
}

fn penalties(ridges: &[Ridge]) -> Vec<Penalty> {
    ridges.iter().map(|ridge| ridge.penalty).collect()
}
