//! Learners: from samples to predictions in one step, on packed features, and on any kernel matrix to compare with.
//!
//! | item | purpose |
//! |---|---|
//! | [`TernaryClassifier`], [`TernaryRegressor`] | from samples: features and a learner in one |
//! | [`Ridge`] | on packed features, by solving a linear system |
//! | [`IterativeRidge`] | the same where the system does not fit in memory, or with weights |
//! | [`Logistic`] | logistic regression, by L-BFGS or [stochastic gradient descent](Sgd) |
//! | [`LinearSvm`] | support vector machines, by dual coordinate descent |
//! | [`Training`], [`Convergence`], [`Warning`] | what learners that iterate have in common |
//! | [`ClassLearner`], [`TargetLearner`] | learners of your own |
//! | [`Classifier`], [`LinearModel`] | what learners give: `predict`, `decision`, `score` |
//! | [`Moments`], [`TargetMoments`] | ridge on samples that came in chunks or from several machines |
//! | [`Predictor`] | one sample at a time, without allocation |
//! | [`KernelPca`], [`PrincipalComponents`] | the directions in which features vary most |
//! | [`KMeans`], [`Clusters`] | clusters around centres |
//! | [`SpectralClustering`], [`SpectralClusters`] | clusters of a graph whose edges are the kernel |
//! | [`OneClass`], [`OneClassModel`] | samples unlike others |
//! | [`KernelRidge`], [`KernelModel`] | on kernel matrices |

mod classes;
mod convergence;
mod iterative_ridge;
mod kernel_equations;
mod kernel_pca;
mod kernel_ridge;
mod kmeans;
mod learner;
mod leave_one_out;
mod linear;
mod linear_svm;
mod logistic;
mod moments;
mod normal_equations;
mod one_class;
pub(crate) mod penalty;
mod predictor;
mod products;
mod ridge;
mod ridge_path;
mod score_tables;
mod spectral;
mod target_moments;
mod ternary_classifier;
mod ternary_regressor;
mod training;

pub use classes::{Classifier, MAX_CLASSES, accuracy};
pub(crate) use classes::{argmax, class_count, classes_of, targets as class_targets};
pub use convergence::{Convergence, End, Warning};
pub use iterative_ridge::IterativeRidge;
pub use kernel_pca::{KernelPca, PrincipalComponents};
pub use kernel_ridge::{KernelModel, KernelRidge};
pub use kmeans::{Clusters, KMeans};
pub use learner::{ClassLearner, TargetLearner};
pub(crate) use leave_one_out::LeaveOneOut;
pub use linear::LinearModel;
pub use linear_svm::{Hinge, LinearSvm};
pub use logistic::{Logistic, Sgd};
pub use moments::Moments;
pub use one_class::{OneClass, OneClassModel};
pub use predictor::Predictor;
pub use ridge::Ridge;
pub use spectral::{SpectralClustering, SpectralClusters};
pub use target_moments::TargetMoments;
pub use ternary_classifier::TernaryClassifier;
pub(crate) use ternary_classifier::check_count;
pub use ternary_regressor::TernaryRegressor;
pub use training::Training;

use crate::dense::centre::centre_vector;
use crate::packed::row_sums;
use crate::packed::rows::Rows;
use crate::{Error, Features, Matrix, dispatch, memory};
use penalty::Penalty;
use training::Weights;

/// S + γI in row-major order, with S = (1/m) Σ P Σᵀ the second moments of the features about their means; and the
/// means. `convert` turns each entry into the element type of the result, so that there is only one copy.
pub(crate) fn regularised_moments<T>(
    features: &Features,
    penalty: Penalty,
    convert: impl Fn(f64) -> T,
) -> Result<(Vec<T>, Vec<f64>), Error> {
    let (n, m) = (features.len() as f64, features.features());
    let (means, counts) = (features.means(), features.second_moments()?);
    let share = 1.0 / m as f64;
    let squares = counts.as_slice().iter().step_by(m + 1).map(|&count| count as f64).sum::<f64>();
    let variance = (squares / n - means.iter().map(|mean| mean * mean).sum::<f64>()) * share;
    let gamma = penalty.gamma(|| variance);
    let rows = counts.iter_rows().zip(&means).enumerate();
    let second = rows.flat_map(|(i, (row, mean))| {
        let (means, convert) = (&means, &convert);
        row.iter().zip(means).enumerate().map(move |(j, (&count, other))| {
            let ridge = if i == j { gamma } else { 0.0 };
            convert((count as f64 - mean * other * n) * share + ridge)
        })
    });
    Ok((memory::collect(second, m, m)?, means))
}

/// The weighted means of the features, and the mean variance of a feature.
fn feature_variance(features: &Features, weights: &Weights) -> (Vec<f64>, f64) {
    let mut means = Rows::all(features).transposed_times(&weights.trained, 1);
    means.iter_mut().for_each(|mean| *mean /= weights.total);
    let square = means.iter().map(|mean| mean * mean).sum::<f64>();
    let variance = (mean_square(features, weights) - square) / means.len() as f64;
    (means, variance)
}

/// The weighted mean of ‖x‖².
fn mean_square(features: &Features, weights: &Weights) -> f64 {
    let weighted = squares(features).zip(&weights.trained).map(|(square, weight)| square * weight);
    weighted.sum::<f64>() / weights.total
}

/// ‖x‖² of each sample.
fn squares(features: &Features) -> impl Iterator<Item = f64> + '_ {
    (0..features.len()).map(|sample| square(features, sample))
}

/// ‖x‖² of a sample.
fn square(features: &Features, sample: usize) -> f64 {
    dispatch!(features.isa(), simd => row_sums::square(simd, features, sample)).into()
}

/// Refuses targets of another number than there are samples, and NaN or infinity among them.
pub(crate) fn check_targets(samples: usize, targets: &Matrix<f32>) -> Result<(), Error> {
    if targets.rows() != samples {
        return Err(Error::LabelCount { samples, labels: targets.rows() });
    }
    match targets.iter_rows().position(|row| row.iter().any(|y| !y.is_finite())) {
        Some(sample) => Err(Error::TargetNotFinite { sample }),
        None => Ok(()),
    }
}

/// The centred targets, one vector per output, and their means.
fn centred_targets(
    samples: usize,
    targets: &Matrix<f32>,
) -> Result<(Vec<Vec<f64>>, Vec<f64>), Error> {
    check_targets(samples, targets)?;
    let (outputs, mut means) = (targets.cols(), Vec::new());
    let mut right = Vec::new();
    for k in 0..outputs {
        let mut values = memory::collect(targets.iter_rows().map(|row| row[k] as f64), samples, 1)?;
        means.push(centre_vector(&mut values));
        right.push(values);
    }
    Ok((right, means))
}
