//! [`KMeans`]: clusters of packed features, each sample in that of the nearest centre.
//!
//! | file | contents |
//! |---|---|
//! | `clusters` | what a fit gives |
//! | `lloyd` | the first centres and the iteration, for points of any kind |
//! | `packed_points`, `dense_points` | packed features, and rows of a few numbers |
//! | `rounded_centres` | centres as integers, for products with packed features |

mod clusters;
mod dense_points;
mod lloyd;
mod packed_points;
mod rounded_centres;

pub use clusters::Clusters;
pub(super) use dense_points::DensePoints;

use super::MAX_CLASSES;
use super::convergence::Convergence;
use super::training::{Progress, Training, check_at_least_one, parameter};
use crate::error::check_finite;
use crate::{Error, Features, Matrix, memory};
use lloyd::{Lloyd, Points};
use packed_points::PackedPoints;
use std::fmt;
use ternion_core::{Error as CoreError, Size};

/// The share of samples that may change their cluster in the last iteration, unless told.
const TOLERANCE: f64 = 0.0;

/// The most iterations, unless told.
const LIMIT: usize = 300;

/// k-means on packed features: centres that minimise the mean of (1/m)‖x − c‖² over the samples, with c the centre nearest
/// to x. With features of a kernel this is kernel k-means.
///
/// The first centres are samples, far from each other with a high probability (greedy k-means++), then Lloyd's iteration
/// moves every centre to the mean of its samples until none of them changes its cluster. A sample is multiplied with the
/// centres without being unpacked: centres are rounded to integers for it, to about a thousandth of a trit. The sums of
/// samples are integers, too, so the same seed gives the same clusters on any instruction set and number of threads.
///
/// ```
/// use ternion::learn::KMeans;
/// use ternion::{Samples, TernaryFeatures};
///
/// // Three groups around different centres.
/// let x: Vec<f32> = (0..300 * 8)
///     .map(|k| (k as f32 * k as f32 * 0.37).sin() + if k % 8 == k / 8 % 3 { 4.0 } else { 0.0 })
///     .collect();
/// let samples = Samples::new(&x, 8)?;
/// let features = TernaryFeatures::params(1024).fit(&samples)?.transform(&samples)?;
///
/// let clusters = KMeans::new(3)?.fit(&features)?;
/// let labels = clusters.labels();
/// assert!(labels.iter().enumerate().all(|(sample, &label)| label == labels[sample % 3]));
/// assert_eq!(clusters.predict(&features)?, labels);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy)]
#[must_use]
pub struct KMeans<'a> {
    clusters: usize,
    seed: u64,
    starts: usize,
    limit: usize,
    tolerance: f64,
    centres: Option<&'a Matrix<f32>>,
    progress: Option<Progress<'a>>,
}

impl fmt::Debug for KMeans<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KMeans")
            .field("clusters", &self.clusters)
            .field("seed", &self.seed)
            .field("starts", &self.starts)
            .field("limit", &self.limit)
            .field("tolerance", &self.tolerance)
            .field("centres", &self.centres.is_some())
            .field("progress", &self.progress.is_some())
            .finish()
    }
}

impl<'a> KMeans<'a> {
    /// k-means with so many clusters.
    ///
    /// # Errors
    ///
    /// [`Error::ClassCount`] for fewer than 2 clusters or more than [`MAX_CLASSES`].
    pub fn new(clusters: usize) -> Result<Self, Error> {
        let (found, max) = (clusters, MAX_CLASSES);
        if !(2..=max).contains(&found) {
            return Err(Error::ClassCount { found, max });
        }
        let (limit, tolerance) = (LIMIT, TOLERANCE);
        Ok(Self { clusters, seed: 0, starts: 1, limit, tolerance, centres: None, progress: None })
    }

    /// Sets the seed of the first centres. Default: 0.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Sets how often to start from other first centres; the clusters with the least objective are kept. Default: 1.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] for 0.
    pub fn starts(self, starts: usize) -> Result<Self, Error> {
        Ok(Self { starts: check_at_least_one("number of starts", starts)?, ..self })
    }

    /// Sets the most iterations. Default: 300.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] for 0.
    pub fn limit(self, iterations: usize) -> Result<Self, Error> {
        Ok(Self { limit: check_at_least_one("limit of iterations", iterations)?, ..self })
    }

    /// Sets the share of samples that may change their cluster in the last iteration. Default: 0, not one of them.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless the share is at least 0 and below 1.
    pub fn tolerance(self, share: f64) -> Result<Self, Error> {
        if (0.0..1.0).contains(&share) {
            Ok(Self { tolerance: share, ..self })
        } else {
            Err(parameter("share of samples", share, "at least 0 and below 1"))
        }
    }

    /// Sets the first centres, a row per cluster and a column per feature: those of an earlier fit, say. There is one
    /// start then.
    pub fn centres(self, centres: &'a Matrix<f32>) -> Self {
        Self { centres: Some(centres), ..self }
    }

    /// Sets a function that is called after every iteration, from one thread at a time. The objective is the mean squared
    /// distance and the residual the share of samples that changed their cluster. If it breaks, the clusters are what the
    /// iteration has led to.
    pub fn progress(self, progress: Progress<'a>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// Finds the clusters.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewSamples`] for fewer different samples than clusters, [`CoreError::SizeMismatch`] or
    /// [`Error::NotFinite`] for bad first centres, [`CoreError::SizeOverflow`] if there is no memory.
    pub fn fit(&self, features: &Features) -> Result<Clusters, Error> {
        let given = match self.centres {
            None => None,
            Some(centres) => {
                let sizes = [
                    (Size::Rows, self.clusters, centres.rows()),
                    (Size::Features, features.features(), centres.cols()),
                ];
                for (size, expected, found) in sizes {
                    if found != expected {
                        return Err(CoreError::SizeMismatch { size, expected, found }.into());
                    }
                }
                check_finite(centres.as_slice())?;
                // Means of trits are in this range; others would only be harder to round.
                let clamped = centres.as_slice().iter().map(|&c| f64::from(c).clamp(-1.0, 1.0));
                Some(memory::collect(clamped, centres.rows(), centres.cols())?)
            }
        };
        let (centres, convergence) = self.run(&PackedPoints::new(features), given)?;
        Clusters::new(features, &centres, self.clusters, convergence)
    }

    /// The nearest of some centres for each of some points.
    pub(super) fn labels<P: Points>(&self, points: &P, centres: &[f64]) -> Vec<usize> {
        points.nearest(centres, self.clusters).into_iter().map(|(label, _)| label).collect()
    }

    /// The centres of points, one after another.
    pub(super) fn run<P: Points>(
        &self,
        points: &P,
        given: Option<Vec<f64>>,
    ) -> Result<(Vec<f64>, Convergence), Error> {
        let (found, least) = (points.samples(), self.clusters);
        if found < least {
            return Err(Error::TooFewSamples { least, found });
        }
        // The centres, the best of them, their sums, and what they are rounded to.
        memory::check_room::<f64>([(least, points.numbers(), 5)])?;
        let training = self.progress.map_or(Training::new(), |p| Training::new().progress(p));
        let lloyd = Lloyd {
            points,
            clusters: self.clusters,
            limit: self.limit,
            tolerance: self.tolerance,
            training,
        };
        match given {
            Some(centres) => lloyd.run(centres),
            None => lloyd.best_of(self.seed, self.starts),
        }
    }
}
