//! [`OneClass`]: samples unlike those of the training, by their distance in feature space.

use super::training::parameter;
use super::{KernelPca, LinearModel};
use crate::{Error, Features, Matrix, memory};
use ternion_core::{Error as CoreError, Size};

/// Detection of samples unlike those it was fitted to: those whose squared distance (1/m)‖x − x̄‖² from the mean of the
/// training samples, in feature space, is larger than that of all but a share of them.
///
/// With [components](Self::components) it is the distance from the space through the mean that the leading principal
/// components span, the error with which they reconstruct a sample (Hoffmann's kernel PCA for novelty detection): what
/// varies within the class does not count then.
///
/// ```
/// use ternion::learn::OneClass;
/// use ternion::{Samples, TernaryFeatures};
///
/// let noise = |k: usize| (k as f32 * k as f32 * 0.37).sin();
/// let normal: Vec<f32> = (0..300 * 8).map(|k| 0.5 * noise(k) + if k % 8 < 4 { 1.0 } else { -1.0 }).collect();
/// let other: Vec<f32> = (0..20 * 8).map(|k| 0.5 * noise(k) + if k % 2 == 0 { 2.0 } else { -2.0 }).collect();
/// let (normal, other) = (Samples::new(&normal, 8)?, Samples::new(&other, 8)?);
/// let ternary = TernaryFeatures::params(1024).fit(&normal)?;
///
/// let features = ternary.transform(&normal)?;
/// let model = OneClass::new(0.05)?.fit(&features)?;
/// assert_eq!(model.predict(&features)?.iter().filter(|belongs| !**belongs).count(), 15); // of 300
/// assert!(model.predict(&ternary.transform(&other)?)?.iter().all(|belongs| !belongs));
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct OneClass {
    share: f64,
    components: usize,
}

impl OneClass {
    /// Detection with the threshold at which a share of the training samples would be refused.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless the share is at least 0 and below 1.
    pub fn new(share: f64) -> Result<Self, Error> {
        if (0.0..1.0).contains(&share) {
            Ok(Self { share, components: 0 })
        } else {
            Err(parameter("share of refused samples", share, "at least 0 and below 1"))
        }
    }

    /// Sets the number of principal components in which samples may vary. Default: 0.
    pub fn components(self, components: usize) -> Self {
        Self { components, ..self }
    }

    /// Fits the mean, the components and the threshold.
    ///
    /// # Errors
    ///
    /// As [`KernelPca::fit`].
    pub fn fit(&self, features: &Features) -> Result<OneClassModel, Error> {
        // First, because it refuses more components than samples.
        let components = match self.components {
            0 => None,
            components => Some(KernelPca::new(components)?.fit(features)?),
        };
        let (m, means) = (features.features(), features.means());
        let columns = 1 + self.components;
        let mut weights = memory::zeros(m, columns)?;
        // The first output is (‖x̄‖² − 2x̄·x)/m, of the mean as it is rounded.
        let share = 1.0 / m as f64;
        let rounded: Vec<f32> = means.iter().map(|mean| (-2.0 * mean * share) as f32).collect();
        for (to, &weight) in weights.iter_mut().step_by(columns).zip(&rounded) {
            *to = weight;
        }
        let square: f64 = means.iter().map(|mean| mean * mean).sum::<f64>() * share;
        let mut bias = vec![square as f32];
        if let Some(components) = components {
            let of_components = components.model().weights().iter_rows();
            for (to, from) in weights.chunks_exact_mut(columns).zip(of_components) {
                to[1..].copy_from_slice(from);
            }
            bias.extend(components.model().bias());
        }
        let outputs = LinearModel::fitted(Matrix::from_vec(m, columns, weights)?, bias)?;
        let mut model = OneClassModel { outputs, threshold: 0.0 };
        let mut distances = model.distances(features)?;
        distances.sort_by(f64::total_cmp);
        let refused = (self.share * distances.len() as f64) as usize;
        model.threshold = distances[distances.len() - 1 - refused];
        Ok(model)
    }
}

/// Detection of samples unlike others: see [`OneClass`].
#[derive(Clone, Debug, PartialEq)]
pub struct OneClassModel {
    /// What depends on the features of a squared distance but ‖x‖², and the coordinates.
    outputs: LinearModel,
    threshold: f64,
}

impl OneClassModel {
    /// The squared distance of each sample.
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeMismatch`] if the number of features differs from the fit's.
    pub fn distances(&self, features: &Features) -> Result<Vec<f64>, Error> {
        let (expected, found) = (self.outputs.weights().rows(), features.features());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Features, expected, found }.into());
        }
        let outputs = self.outputs.predict(features)?;
        let rows = outputs.iter_rows().zip(super::squares(features));
        let distance = |(row, square): (&[f32], f64)| {
            let along: f64 = row[1..].iter().map(|&x| f64::from(x) * f64::from(x)).sum();
            square / features.features() as f64 + f64::from(row[0]) - along
        };
        Ok(rows.map(distance).collect())
    }

    /// The largest squared distance of a sample that belongs to the others.
    pub fn threshold(&self) -> f64 {
        self.threshold
    }

    /// By how much the squared distance of each sample is below the threshold: negative for a sample unlike the others.
    ///
    /// # Errors
    ///
    /// As [`distances`](Self::distances).
    pub fn decision(&self, features: &Features) -> Result<Vec<f64>, Error> {
        Ok(self.distances(features)?.into_iter().map(|d| self.threshold - d).collect())
    }

    /// Whether each sample belongs to the others.
    ///
    /// # Errors
    ///
    /// As [`distances`](Self::distances).
    pub fn predict(&self, features: &Features) -> Result<Vec<bool>, Error> {
        Ok(self.decision(features)?.into_iter().map(|below| below >= 0.0).collect())
    }

    /// The share of samples that are rightly predicted to belong to the others, or not to.
    ///
    /// # Errors
    ///
    /// [`Error::LabelCount`] unless each sample has an answer, and as [`distances`](Self::distances).
    pub fn score(&self, features: &Features, belongs: &[bool]) -> Result<f64, Error> {
        let (samples, labels) = (features.len(), belongs.len());
        if labels != samples {
            return Err(Error::LabelCount { samples, labels });
        }
        let right = self.predict(features)?.into_iter().zip(belongs).filter(|(a, b)| a == *b);
        Ok(right.count() as f64 / samples as f64)
    }
}
