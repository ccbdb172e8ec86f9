//! [`SpectralClustering`]: clusters of the graph whose edges are the kernel.
//!
//! With the affinities A = (1/m) ΣᵀΣ without its diagonal, the degrees d = A·1 and the leading eigenvectors v of
//! N = D^−½·A·D^−½, a sample has the coordinates uₖ = vₖ/√d, in which k-means finds the clusters (Ng, Jordan and Weiss; Shi
//! and Malik). Neither A nor N is stored: products with them are products with packed features.
//!
//! For another sample with the features x the same equations give uₖ(x) = (1/λₖ) Σᵢ a(x, xᵢ) uₖᵢ / d(x), where the
//! affinities a and the degree d are linear in x. The centre c with the least ‖u − c‖² has the largest 2c·u − ‖c‖², and
//! multiplied by d(x) that is linear in x: clusters of other samples are those of a linear classifier.

use super::convergence::{Convergence, Warning};
use super::kmeans::DensePoints;
use super::{Classifier, KMeans, LinearModel};
use crate::packed::Progress;
use crate::packed::eigenpairs::leading;
use crate::{Error, Features, Matrix, memory};
use std::fmt;

/// Normalised spectral clustering of packed features: groups of samples with large affinities within and small ones between
/// them, also where they differ in size and are not round.
///
/// The features must imitate a positive kernel, as that of the default target. An affinity has an error of about 1/√m,
/// which is harmless in the sum over many samples but not beside affinities that are smaller still: clusters that are held
/// together by near neighbours alone, such as rings, take an exact kernel.
///
/// ```
/// use ternion::learn::SpectralClustering;
/// use ternion::{Samples, TernaryFeatures};
///
/// // Three groups around different centres.
/// let x: Vec<f32> = (0..300 * 8)
///     .map(|k| (k as f32 * k as f32 * 0.37).sin() + if k % 8 == k / 8 % 3 { 4.0 } else { 0.0 })
///     .collect();
/// let samples = Samples::new(&x, 8)?;
/// let features = TernaryFeatures::params(2048).fit(&samples)?.transform(&samples)?;
///
/// let clusters = SpectralClustering::new(3)?.fit(&features)?;
/// let labels = clusters.labels();
/// assert!(labels.iter().enumerate().all(|(sample, &label)| label == labels[sample % 3]));
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct SpectralClustering<'a> {
    clusters: usize,
    kmeans: KMeans<'a>,
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

impl fmt::Debug for SpectralClustering<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpectralClustering")
            .field("clusters", &self.clusters)
            .field("kmeans", &self.kmeans)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

/// Starts of k-means unless told: coordinates are few, so that they cost little.
const STARTS: usize = 10;

impl<'a> SpectralClustering<'a> {
    /// Spectral clustering with so many clusters.
    ///
    /// # Errors
    ///
    /// As [`KMeans::new`].
    pub fn new(clusters: usize) -> Result<Self, Error> {
        Ok(Self { clusters, kmeans: KMeans::new(clusters)?.starts(STARTS)?, progress: None })
    }

    /// Sets the seed of k-means. Default: 0.
    pub fn seed(self, seed: u64) -> Self {
        Self { kmeans: self.kmeans.seed(seed), ..self }
    }

    /// Sets how often k-means starts from other first centres; the best clusters are kept. Default: 10.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] for 0.
    pub fn starts(self, starts: usize) -> Result<Self, Error> {
        Ok(Self { kmeans: self.kmeans.starts(starts)?, ..self })
    }

    /// Sets a function that is told how many eigenvectors, one for each cluster, have converged.
    pub fn progress(self, progress: &'a (dyn Fn(Progress) + Sync)) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Finds the clusters.
    ///
    /// # Errors
    ///
    /// [`Error::Affinity`] for a sample whose affinities sum to zero or less, [`Error::Connected`] if fewer eigenvalues than
    /// clusters are positive, [`Error::TooFewSamples`] for fewer different samples than clusters, and as
    /// [`Gram::leading_eigenpairs`](crate::Gram::leading_eigenpairs).
    pub fn fit(&self, features: &Features) -> Result<SpectralClusters, Error> {
        let (n, m, k) = (features.len(), features.features(), self.clusters);
        let share = 1.0 / m as f64;
        let sums: Vec<f64> = features.sums().into_iter().map(|sum| sum as f64).collect();
        let own: Vec<f64> = super::squares(features).collect();
        let degrees = features.matvec(&sums)?;
        let degrees: Vec<f64> = degrees.iter().zip(&own).map(|(all, own)| all - own).collect();
        if let Some(sample) = degrees.iter().position(|degree| *degree <= 0.0) {
            return Err(Error::Affinity { sample, found: degrees[sample] * share });
        }
        let total: f64 = degrees.iter().sum();
        let roots: Vec<f64> = degrees.iter().map(|degree| degree.sqrt()).collect();
        let product = |v: &[f64]| {
            let scaled: Vec<f64> = v.iter().zip(&roots).map(|(v, root)| v / root).collect();
            let mut product = features.matvec(&features.transposed_matvec(&scaled)?)?;
            let others = scaled.iter().zip(&own).zip(&roots);
            for (product, ((x, own), root)) in product.iter_mut().zip(others) {
                *product = (*product - own * x) / root;
            }
            Ok(product)
        };
        let report = |done, total| {
            if let Some(progress) = self.progress {
                progress(Progress { done, total });
            }
        };
        let pairs = leading(n, k, &product, &report)?;
        let found = pairs.values.iter().filter(|value| **value > 0.0).count();
        if found < k {
            return Err(Error::Connected { clusters: k, found });
        }
        // In this unit the first coordinate, which is the same for all samples, is 1.
        let unit = total.sqrt();
        let mut points = memory::zeros(n, k)?;
        for (axis, vector) in pairs.vectors.iter_rows().enumerate() {
            let to = points.iter_mut().skip(axis).step_by(k);
            for (to, (v, root)) in to.zip(vector.iter().zip(&roots)) {
                *to = unit * v / root;
            }
        }
        let points = DensePoints { points, numbers: k };
        let (centres, convergence) = self.kmeans.run(&points, None)?;
        let labels = self.kmeans.labels(&points, &centres);
        let mut weights: Vec<f64> = memory::zeros(m, k)?;
        for (axis, value) in pairs.values.iter().enumerate() {
            let axis_of: Vec<f64> = points.points.iter().skip(axis).step_by(k).copied().collect();
            let along = features.transposed_matvec(&axis_of)?;
            for (row, x) in weights.chunks_exact_mut(k).zip(along) {
                for (weight, centre) in row.iter_mut().zip(centres.chunks_exact(k)) {
                    *weight += 2.0 * centre[axis] * x / value;
                }
            }
        }
        let squares = centres.chunks_exact(k).map(|c| c.iter().map(|x| x * x).sum::<f64>());
        let squares: Vec<f64> = squares.collect();
        for (row, sum) in weights.chunks_exact_mut(k).zip(&sums) {
            row.iter_mut().zip(&squares).for_each(|(weight, square)| *weight -= square * sum);
        }
        // Scores in units of the mean degree: those of two clusters differ by something like 1.
        let unit = n as f64 / total;
        let weights = weights.into_iter().map(|weight| (weight * unit) as f32);
        let weights = memory::collect(weights, m, k)?;
        let model = LinearModel::fitted(Matrix::from_vec(m, k, weights)?, vec![0.0; k])?;
        let classifier = Classifier::fitted(model);
        Ok(SpectralClusters { classifier, values: pairs.values, labels, convergence })
    }
}

/// Clusters of a graph: see [`SpectralClustering`].
#[derive(Clone, Debug, PartialEq)]
pub struct SpectralClusters {
    classifier: Classifier,
    values: Vec<f64>,
    labels: Vec<usize>,
    convergence: Convergence,
}

impl SpectralClusters {
    /// The cluster of each sample of the fit.
    pub fn labels(&self) -> &[usize] {
        &self.labels
    }

    /// The cluster of each sample. One of the fit counts as a copy of itself here, an edge more, and may rarely change sides.
    ///
    /// # Errors
    ///
    /// [`SizeMismatch`](ternion_core::Error::SizeMismatch) if the number of features differs from the fit's.
    pub fn predict(&self, features: &Features) -> Result<Vec<usize>, Error> {
        self.classifier.predict(features)
    }

    /// The scores of each sample: a row per sample and a column per cluster, of which the largest decides.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict).
    pub fn decision(&self, features: &Features) -> Result<Matrix<f32>, Error> {
        self.classifier.decision(features)
    }

    /// The leading eigenvalues of the normalised affinities, largest first: the first is 1, and clusters with hardly an
    /// edge between them have others near 1.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How k-means ended. The objective is the mean squared distance of coordinates, in a unit in which that of a coordinate
    /// from zero, weighted by degrees, is 1.
    pub fn convergence(&self) -> Convergence {
        self.convergence
    }

    /// What is wrong with where k-means ended, if anything is.
    pub fn warnings(&self) -> Vec<Warning> {
        self.convergence.warning().into_iter().collect()
    }

    /// A classifier whose classes are the clusters, to be saved, exported, or put into a
    /// [`TernaryClassifier`](super::TernaryClassifier).
    pub fn classifier(&self) -> &Classifier {
        &self.classifier
    }
}
