//! Learners that iterate: weights, starts, tolerances, and more outputs than there is memory for.

use super::{BAD, EXTREME, different, noise, packed, refused};
use ternion::learn::{
    Classifier, Convergence, Hinge, IterativeRidge, LinearModel, LinearSvm, Logistic, Ridge, Sgd,
    Training,
};
use ternion::{Error, Features, Matrix};

/// Every learner that iterates, by its fit to classes.
fn each(
    training: Training<'_>,
    features: &Features,
    labels: &[usize],
) -> Vec<Result<Classifier, Error>> {
    let iterative: IterativeRidge<'_> = Ridge::default().iterative();
    let sgd = Logistic::default().sgd(Sgd::default()).unwrap();
    let svm = |hinge| LinearSvm::default().hinge(hinge).limit(30).unwrap().training(training);
    vec![
        iterative.limit(30).unwrap().training(training).fit_classes(features, labels),
        Logistic::default().limit(30).unwrap().training(training).fit_classes(features, labels),
        sgd.limit(30).unwrap().training(training).fit_classes(features, labels),
        svm(Hinge::Squared).fit_classes(features, labels),
        svm(Hinge::Plain).fit_classes(features, labels),
    ]
}

/// A model is finite, and a training that has converged has numbers to show for it.
fn is_sound(fitted: &Result<Classifier, Error>) {
    let Ok(classifier) = fitted else { return };
    let model = classifier.model();
    assert!(model.weights().as_slice().iter().chain(model.bias()).all(|x| x.is_finite()));
    let convergence: &Convergence = classifier.convergence().unwrap();
    assert!(convergence.objective.is_finite() && convergence.residual.is_finite(), "{convergence}");
}

/// A label of 65,535: as many outputs, of which two are used.
pub fn large_label() {
    let features = packed(5000, 4096);
    let mut labels = vec![0; 5000];
    labels[1] = 65_535;
    for fitted in each(Training::new(), &features, &labels) {
        refused(fitted.map(|_| ()));
    }
    let targets = Matrix::from_vec(200, 65_536, vec![1.0; 200 * 65_536]).unwrap();
    let few = packed(200, 4096);
    refused(Ridge::default().iterative().fit(&few, &targets).map(|_| ()));
}

/// As many classes as samples.
pub fn many_classes() {
    let features = different(20_000, 64);
    let labels: Vec<usize> = (0..20_000).collect();
    for fitted in each(Training::new().balanced(), &features, &labels) {
        refused(fitted.map(|_| ()));
    }
}

pub fn numbers() {
    let features = different(40, 70);
    let labels: Vec<usize> = (0..40).map(|sample| sample % 3).collect();
    for bad in BAD.into_iter().chain([0.0]) {
        refused(Ridge::default().iterative().tolerance(bad).map(|_| ()));
        refused(Logistic::absolute(bad).map(|_| ()));
        refused(Logistic::default().tolerance(bad).map(|_| ()));
        refused(Logistic::default().sgd(Sgd { rate: bad, ..Sgd::default() }).map(|_| ()));
        refused(LinearSvm::absolute(bad).map(|_| ()));
        refused(LinearSvm::default().tolerance(bad).map(|_| ()));
    }
    refused(Ridge::default().iterative().limit(0).map(|_| ()));
    refused(Logistic::default().limit(0).map(|_| ()));
    refused(LinearSvm::default().limit(0).map(|_| ()));
    refused(Logistic::default().sgd(Sgd { batch: 0, ..Sgd::default() }).map(|_| ()));
    for extreme in EXTREME.into_iter().filter(|x| *x > 0.0) {
        let ridge = Ridge::absolute(extreme).unwrap().iterative().limit(30).unwrap();
        is_sound(&ridge.fit_classes(&features, &labels));
        is_sound(&ridge.tolerance(extreme).unwrap().fit_classes(&features, &labels));
        let logistic = Logistic::absolute(extreme).unwrap().limit(30).unwrap();
        is_sound(&logistic.fit_classes(&features, &labels));
        is_sound(&logistic.tolerance(extreme).unwrap().fit_classes(&features, &labels));
        for batch in [1, usize::MAX] {
            let sgd = logistic.sgd(Sgd { batch, rate: extreme, seed: u64::MAX }).unwrap();
            is_sound(&sgd.limit(10).unwrap().fit_classes(&features, &labels));
        }
        for hinge in [Hinge::Squared, Hinge::Plain] {
            let svm = LinearSvm::absolute(extreme).unwrap().hinge(hinge).limit(30).unwrap();
            is_sound(&svm.fit_classes(&features, &labels));
        }
    }
    // Nothing to learn from: one sample, one class, no feature that varies.
    for (samples, labels) in [(1, vec![0]), (2, vec![5, 5]), (2, vec![0, 1]), (1, vec![usize::MAX])]
    {
        each(Training::new(), &different(samples, 1), &labels).iter().for_each(is_sound);
    }
    let extreme = noise(40).iter().map(|x| x.signum() * f32::MAX).collect();
    let targets = Matrix::from_vec(40, 1, extreme).unwrap();
    let fitted = Ridge::default().iterative().fit(&features, &targets);
    let _ = fitted.map(|model| assert!(model.weights().as_slice().iter().all(|x| x.is_finite())));
}

/// Weights and starts of every size and with every number.
pub fn weights() {
    let features = different(40, 70);
    let labels: Vec<usize> = (0..40).map(|sample| sample % 3).collect();
    for number in BAD.into_iter().chain(EXTREME).chain([5e-324]) {
        for count in [0, 2, 3, 39, 40, 41] {
            let weights = vec![number; count];
            each(Training::new().class_weights(&weights), &features, &labels)
                .iter()
                .for_each(is_sound);
            let some = Training::new().sample_weights(&weights);
            each(some, &features, &labels).iter().for_each(is_sound);
            each(some.balanced(), &features, &labels).iter().for_each(is_sound);
        }
        // One sample has all the weight.
        let mut weights = vec![1.0; 40];
        weights[7] = number;
        let some = Training::new().sample_weights(&weights);
        each(some, &features, &labels).iter().for_each(is_sound);
        let _ = some.hold_out(0.5, 1).map(|some| {
            each(some, &features, &labels).iter().for_each(is_sound);
        });
        for patience in [0, 1, usize::MAX] {
            if let Ok(held) = Training::new().hold_out(number, patience) {
                each(held, &features, &labels).iter().for_each(is_sound);
            }
        }
    }
    for extreme in [f32::MAX, f32::MIN, 1e-45] {
        for (rows, cols) in [(70, 3), (69, 3), (70, 2), (1, 1)] {
            let weights = Matrix::from_vec(rows, cols, vec![extreme; rows * cols]).unwrap();
            let start = LinearModel::new(weights, vec![extreme; cols]).unwrap();
            each(Training::new().start(&start), &features, &labels).iter().for_each(is_sound);
        }
    }
}
