//! Learners that solve a system, what is fitted, and the tuner.

use super::{BAD, EXTREME, SIZES, different, fitted, noise, packed, refused};
use ternion::learn::{
    Classifier, KernelModel, KernelRidge, LinearModel, LinearSvm, Logistic, MAX_CLASSES, Moments,
    Predictor, Ridge, TargetMoments, TernaryClassifier, TernaryRegressor, accuracy,
};
use ternion::tune::Tuner;
use ternion::{Matrix, Samples, TernaryFeatures};

pub fn penalties() {
    for bad in BAD.into_iter().chain([0.0]) {
        refused(Ridge::new(bad));
        refused(Ridge::absolute(bad));
        refused(KernelRidge::new(bad));
        refused(Logistic::new(bad).map(|_| ()));
        refused(LinearSvm::new(bad).map(|_| ()));
    }
}

/// A label of 65,535: as many outputs, of which two are used.
pub fn large_label() {
    let features = packed(5000, 4096);
    let mut labels = vec![0; 5000];
    labels[1] = 65_535;
    refused(Ridge::default().fit_classes(&features, &labels).map(|_| ()));
}

/// The same for few features, whose model may fit in memory.
pub fn large_label_of_few() {
    let features = packed(200, 64);
    let mut labels = vec![0; 200];
    labels[1] = 65_535;
    if let Ok(classifier) = Ridge::default().fit_classes(&features, &labels) {
        let _ = classifier.predict(&features).map(|classes| classes.len());
    }
    let _ = Logistic::default().fit_classes(&features, &labels).map(|_| ());
    let _ = LinearSvm::default().fit_classes(&features, &labels).map(|_| ());
}

pub fn dual_ridge() {
    let features = packed(12_000, 12_000);
    let targets = Matrix::from_vec(12_000, 1, noise(12_000)).unwrap();
    refused(Ridge::default().fit(&features, &targets).map(|_| ()));
    refused(Ridge::default().leave_one_out(&features, &targets).map(|_| ()));
}

pub fn kernel_ridge() {
    let n = 11_000;
    let mut gram = vec![0.0_f32; n * n];
    gram.iter_mut().step_by(n + 1).for_each(|diagonal| *diagonal = 1.0);
    let gram = Matrix::from_vec(n, n, gram).unwrap();
    let targets = Matrix::from_vec(n, 1, noise(n)).unwrap();
    let fitted = KernelRidge::new(1.0).unwrap().fit(&gram, &targets);
    refused(fitted.map(|_| ()));
}

/// Scores of 65,536 classes for 10,000 samples: 2.6 GB.
pub fn many_outputs() {
    let classes = 65_536;
    let model = LinearModel::new(
        Matrix::from_vec(64, classes, vec![0.5; 64 * classes]).unwrap(),
        vec![0.0; classes],
    );
    let classifier = Classifier::new(model.unwrap()).unwrap();
    refused(classifier.decision(&packed(10_000, 64)).map(|_| ()));
    refused(classifier.predict(&packed(10_000, 64)).map(|_| ()));
    refused(classifier.probabilities(&packed(10_000, 64)).map(|_| ()));
}

pub fn moments() {
    let ternary = fitted(16_384);
    for count in SIZES.into_iter().chain([65_536]) {
        refused(Moments::new(&ternary, count).map(|_| ()));
        let _ = TargetMoments::new(&ternary, count);
    }
}

pub fn targets() {
    let features = packed(10, 2);
    for bad in [f32::NAN, f32::INFINITY] {
        let targets = Matrix::from_vec(10, 1, vec![bad; 10]).unwrap();
        refused(Ridge::default().fit(&features, &targets));
    }
    let extreme: Vec<f32> = (0..10).map(|k| if k % 2 == 0 { f32::MAX } else { f32::MIN }).collect();
    let targets = Matrix::from_vec(10, 1, extreme).unwrap();
    for gamma in EXTREME {
        if let Ok(model) = Ridge::absolute(gamma).and_then(|ridge| ridge.fit(&features, &targets)) {
            assert!(model.weights().as_slice().iter().all(|weight| weight.is_finite()));
        }
    }
}

pub fn tuner() {
    let data = noise(80);
    let samples = Samples::new(&data, 8).unwrap();
    let labels: Vec<usize> = (0..10).map(|sample| sample % 2).collect();
    let tuner = || Tuner::new(TernaryFeatures::params(64)).trials(3);
    refused(tuner().widths([]).tune_classes(&samples, &labels).map(|_| ()));
    refused(tuner().ridges([]).tune_classes(&samples, &labels).map(|_| ()));
    for bad in BAD {
        refused(tuner().widths([bad]).tune_classes(&samples, &labels).map(|_| ()));
        refused(tuner().ridges([bad]).tune_classes(&samples, &labels).map(|_| ()));
        refused(tuner().sparsities([bad]).tune_classes(&samples, &labels).map(|_| ()));
    }
    for features in SIZES {
        let tuner = Tuner::new(TernaryFeatures::params(features)).trials(1);
        if features != 1 {
            refused(tuner.tune_classes(&samples, &labels).map(|_| ()));
        }
    }
}

fn column(numbers: Vec<f32>) -> Matrix<f32> {
    Matrix::column(numbers).unwrap()
}

/// Models from parts, and features, samples, labels and targets that do not belong to them.
pub fn parts() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        refused(LinearModel::new(column(vec![bad; 3]), vec![0.0]));
        refused(LinearModel::new(column(vec![0.0; 3]), vec![bad]));
        let wide = Matrix::from_vec(1, 3, vec![f64::from(bad); 3]).unwrap();
        refused(KernelModel::new(&wide, vec![0.0; 3]));
    }
    refused(LinearModel::new(column(vec![0.0; 3]), vec![]));
    let one = LinearModel::new(column(vec![f32::MAX; 70]), vec![f32::MAX]).unwrap();
    refused(Classifier::new(one.clone()));
    let wide = Matrix::from_vec(1, MAX_CLASSES + 1, vec![0.0; MAX_CLASSES + 1]).unwrap();
    refused(Classifier::new(LinearModel::new(wide, vec![0.0; MAX_CLASSES + 1]).unwrap()));
    let two = Matrix::from_vec(70, 2, vec![f32::MAX; 140]).unwrap();
    let two = Classifier::new(LinearModel::new(two, vec![f32::MIN; 2]).unwrap()).unwrap();
    let (features, others) = (different(9, 70), different(9, 71));
    // Sums that overflow are numbers, too: they are not refused, and do no harm.
    let _ = (one.predict(&features), two.predict(&features), two.probabilities(&features));
    refused(one.predict(&others));
    refused(two.predict(&others));
    refused(one.score(&features, &column(vec![0.0; 8])));
    refused(two.score(&features, &[0; 8]));
    let _ = two.score(&features, &[usize::MAX; 9]);
    assert_eq!(accuracy(&[], &[]), 0.0);

    let ternary = fitted(64);
    refused(TernaryRegressor::new(ternary.clone(), one));
    refused(TernaryClassifier::new(ternary.clone(), two.clone(), vec![1, 2]));
    refused(TernaryClassifier::new(ternary, two, vec![1]));
    let data = noise(80);
    let samples = Samples::new(&data, 8).unwrap();
    let params = || TernaryFeatures::params(64);
    for labels in [vec![], vec![0; 10], vec![0, 1]] {
        refused(TernaryClassifier::fit(params(), Ridge::default(), &samples, &labels));
    }
    refused(TernaryRegressor::fit(params(), Ridge::default(), &samples, &column(vec![0.0; 9])));
    let bad = column(vec![f32::NAN; 10]);
    refused(TernaryRegressor::fit(params(), Ridge::default(), &samples, &bad));
}

/// Samples of another size and with bad numbers, and a model of other features.
pub fn predictor() {
    let ternary = fitted(64);
    let model = |features: usize| {
        LinearModel::new(column(vec![f32::MAX; features]), vec![f32::MAX]).unwrap()
    };
    refused(Predictor::new(ternary.clone(), &model(63)).map(|_| ()));
    let mut predictor: Predictor = Predictor::new(ternary, &model(64)).unwrap();
    for length in [0, 1, 7, 9] {
        refused(predictor.scores(&vec![0.0_f32; length]).map(<[f32]>::len));
        refused(predictor.class(&vec![0_i8; length]));
    }
    refused(predictor.class(&[u64::MAX]));
    for number in BAD.into_iter().chain(EXTREME) {
        let _ = predictor.class(&[number; 8]);
        let found = predictor.class(&[number as f32; 8]);
        assert!(number.is_finite() && (number as f32).is_finite() || found.is_err());
    }
}
