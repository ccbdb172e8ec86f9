//! [`Clusters`]: what k-means on packed features gives.

use super::super::convergence::{Convergence, Warning};
use super::super::{Classifier, LinearModel, squares};
use super::rounded_centres::RoundedCentres;
use crate::{Error, Features, Matrix};
use ternion_core::{Error as CoreError, Size};

/// Clusters of packed features: see [`KMeans`](super::KMeans).
#[derive(Clone, Debug)]
pub struct Clusters {
    centres: Matrix<f32>,
    rounded: RoundedCentres,
    labels: Vec<usize>,
    convergence: Convergence,
}

/// Equal centres and labels are equal clusters, however they were reached.
impl PartialEq for Clusters {
    fn eq(&self, other: &Self) -> bool {
        self.centres == other.centres && self.labels == other.labels
    }
}

impl Clusters {
    /// Clusters from centres, one after another.
    pub(super) fn new(
        features: &Features,
        centres: &[f64],
        clusters: usize,
        convergence: Convergence,
    ) -> Result<Self, Error> {
        let centres: Vec<f32> = centres.iter().map(|&c| c as f32).collect();
        let as_given: Vec<f64> = centres.iter().map(|&c| c.into()).collect();
        let rounded = RoundedCentres::new(&as_given, clusters);
        let labels = rounded.nearest(features).into_iter().map(|(label, _)| label).collect();
        let centres = Matrix::from_vec(clusters, features.features(), centres)?;
        Ok(Self { centres, rounded, labels, convergence })
    }

    /// The centres: a row per cluster, a column per feature.
    pub fn centres(&self) -> &Matrix<f32> {
        &self.centres
    }

    /// The cluster of each sample of the fit.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The cluster of each sample: that of the nearest centre.
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeMismatch`] if the number of features differs from the fit's.
    pub fn predict(&self, features: &Features) -> Result<Vec<usize>, Error> {
        self.check(features)?;
        Ok(self.rounded.nearest(features).into_iter().map(|(label, _)| label).collect())
    }

    /// Minus the squared distance (1/m)‖x − c‖² of each sample to every centre: a row per sample and a column per
    /// cluster, of which the largest decides.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict), and [`CoreError::SizeOverflow`] if there is no memory for them.
    pub fn decision(&self, features: &Features) -> Result<Matrix<f32>, Error> {
        self.check(features)?;
        let mut distances = self.rounded.distances(features)?.into_vec();
        distances.iter_mut().for_each(|distance| *distance = -*distance);
        Matrix::from_vec(features.len(), self.centres.rows(), distances)
    }

    /// The share of the variance of the features that the centres explain: 1 − Σ‖x − c‖²/Σ‖x − x̄‖². For samples that are
    /// all the same it is 1 if a centre is right, and 0 otherwise.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict).
    pub fn score(&self, features: &Features) -> Result<f64, Error> {
        self.check(features)?;
        let left: f64 = self.rounded.nearest(features).iter().map(|(_, distance)| distance).sum();
        // Divided, not multiplied by 1/n: features that are the same in all samples leave exactly 0.
        let n = features.len() as f64;
        let of_means: f64 = features.sums().iter().map(|&sum| sum as f64 * (sum as f64 / n)).sum();
        let total = squares(features).sum::<f64>() - of_means;
        let total = total / features.features() as f64;
        Ok(match total > 0.0 {
            true => 1.0 - left / total,
            false if left <= 0.0 => 1.0,
            false => 0.0,
        })
    }

    /// How the centres were reached. The objective is the mean of (1/m)‖x − c‖².
    pub fn convergence(&self) -> Convergence {
        self.convergence
    }

    /// What is wrong with where the iteration ended, if anything is.
    pub fn warnings(&self) -> Vec<Warning> {
        self.convergence.warning().into_iter().collect()
    }

    /// A classifier whose classes are the clusters, to be saved, exported, or put into a
    /// [`TernaryClassifier`](super::super::TernaryClassifier): the nearest centre has the largest score, which is linear in
    /// the features. Up to 16,384 features it gives the clusters of [`predict`](Self::predict) exactly.
    ///
    /// ```
    /// use ternion::learn::{KMeans, TernaryClassifier};
    /// use ternion::{Samples, TernaryFeatures};
    ///
    /// # let x: Vec<f32> = (0..300 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
    /// let samples = Samples::new(&x, 8)?;
    /// let ternary = TernaryFeatures::params(512).fit(&samples)?;
    /// let clusters = KMeans::new(2)?.fit(&ternary.transform(&samples)?)?;
    /// let model = TernaryClassifier::new(ternary, clusters.classifier()?, vec!["first", "second"])?;
    /// assert_eq!(model.predict(&samples)?.len(), 300); // from samples, not from features
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeOverflow`] if its weights do not fit in memory.
    pub fn classifier(&self) -> Result<Classifier, Error> {
        let (weights, bias) = self.rounded.weights();
        let weights = Matrix::from_vec(self.centres.cols(), self.centres.rows(), weights)?;
        Classifier::new(LinearModel::new(weights, bias)?)
    }

    fn check(&self, features: &Features) -> Result<(), Error> {
        let (expected, found) = (self.centres.cols(), features.features());
        if found == expected {
            return Ok(());
        }
        Err(CoreError::SizeMismatch { size: Size::Features, expected, found }.into())
    }
}
