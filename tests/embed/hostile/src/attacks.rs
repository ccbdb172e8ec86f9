//! The attacks, by name.

use std::fmt::Debug;
use ternion::dense::{symmetric_eigenpairs, symmetric_eigenvalues};
use ternion::export::{Export, IntegerFeatures};
use ternion::fit::{Preprocess, Statistics, Steps};
use ternion::learn::{
    Classifier, KernelModel, KernelRidge, LinearModel, LinearSvm, Logistic, Moments, Ridge,
    TargetMoments, TernaryClassifier, TernaryRegressor,
};
use ternion::theory::{Class, Covariance, Mixture, solve};
use ternion::tune::Tuner;
use ternion::{
    Error, Features, Form, Gram, Grid, Matrix, Policy, Samples, Scaling, Target, TernaryFeatures,
    TritMatrix,
};

/// Numbers that are no use as a parameter.
const BAD: [f64; 5] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, f64::MIN];
/// Numbers that may or may not be, at the ends of what there is.
const EXTREME: [f64; 6] = [0.0, f64::MIN_POSITIVE, 1e-300, 1e300, f64::MAX, f64::EPSILON];
const SIZES: [usize; 6] = [0, 1, 1 << 31, 1 << 40, usize::MAX / 8, usize::MAX];

pub const ATTACKS: &[(&str, fn())] = &[
    ("samples", samples),
    ("statistics", statistics),
    ("sizes-of-features", sizes_of_features),
    ("parameters", parameters),
    ("numbers", numbers),
    ("matrices", matrices),
    ("theory", theory),
    ("penalties", penalties),
    ("large-label", large_label),
    ("large-label-of-few", large_label_of_few),
    ("dual-ridge", dual_ridge),
    ("kernel-ridge", kernel_ridge),
    ("large-gram", large_gram),
    ("many-outputs", many_outputs),
    ("moments", moments),
    ("targets", targets),
    ("bytes", bytes),
    ("export", export),
    ("tuner", tuner),
];

#[track_caller]
fn refused<T: Debug>(result: Result<T, Error>) {
    let error = result.expect_err("an error");
    assert!(!error.to_string().is_empty());
}

fn noise(count: usize) -> Vec<f32> {
    (0..count).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect()
}

/// A fit to noise of 8 inputs.
fn fitted(features: usize) -> TernaryFeatures {
    TernaryFeatures::params(features).fit(&Samples::new(&noise(80), 8).unwrap()).unwrap()
}

/// Packed features of as many samples, all equal to 1 or 0 by turns.
fn packed(samples: usize, features: usize) -> Features {
    let words = features.div_ceil(64);
    let last = u64::MAX >> (words * 64 - features);
    let word = |k: usize| if k % words == words - 1 { last } else { u64::MAX };
    let mask: Vec<u64> = (0..samples * words)
        .map(|k| word(k) & (0x5555_5555_5555_5555 << (k / words % 2)))
        .collect();
    Features::new(TritMatrix::new(samples, features, vec![0; samples * words], mask).unwrap())
}

fn samples() {
    let data = noise(8);
    for inputs in SIZES {
        if let Ok(samples) = Samples::new(&data, inputs) {
            for at in SIZES {
                let _ = (
                    samples.get(at),
                    samples.slice(at..at),
                    samples.slice(0..at),
                    samples.slice(at..usize::MAX),
                );
            }
        }
    }
}

fn statistics() {
    for inputs in SIZES {
        if let Ok(statistics) = Statistics::new(inputs) {
            let _ = (statistics.mean(), statistics.variance(), statistics.evenness());
            refused(Preprocess::from_statistics(&statistics, Steps::default()));
        }
    }
}

fn sizes_of_features() {
    let data = noise(80);
    let samples = Samples::new(&data, 8).unwrap();
    let forms = [
        Form::Stored,
        Form::Seeded,
        Form::Structured,
        Form::Boxes(Grid::series(8)),
        Form::Subsets { least: 2, most: 4 },
    ];
    for features in SIZES {
        for form in forms {
            let params = TernaryFeatures::params(features).form(form);
            if let Ok(fitted) = params.fit(&samples) {
                if let Ok(transformed) = fitted.transform(&samples) {
                    assert_eq!(transformed.features(), features);
                }
            }
        }
    }
}

fn parameters() {
    let data = noise(80);
    let samples = Samples::new(&data, 8).unwrap();
    for number in BAD.into_iter().chain(EXTREME) {
        let params = || TernaryFeatures::params(64);
        for policy in [Policy::Automatic, Policy::MinVariance, Policy::FourBand, Policy::Periodic] {
            for scaling in [Scaling::Unit, Scaling::Row, Scaling::Keep] {
                for target in [
                    Target::gaussian(number),
                    Target::laplacian(number),
                    Target::relu().scaled(number),
                ] {
                    let params = params().target(target).policy(policy).scaling(scaling);
                    let _ = params.fit(&samples).and_then(|fitted| fitted.transform(&samples));
                }
            }
        }
        let _ = params().sparsity(number).fit(&samples);
    }
    for inputs in SIZES {
        let _ = TernaryFeatures::params(64)
            .form(Form::Subsets { least: inputs, most: inputs })
            .fit(&samples);
        let _ = TernaryFeatures::params(64)
            .form(Form::Boxes(Grid::image(inputs, inputs)))
            .fit(&samples);
    }
}

fn numbers() {
    let ternary = fitted(64);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut data = noise(80);
        data[79] = bad;
        let samples = Samples::new(&data, 8).unwrap();
        refused(TernaryFeatures::params(64).fit(&samples));
        refused(ternary.transform(&samples));
        refused(Statistics::new(8).unwrap().add(&samples));
    }
    for extreme in [f32::MAX, f32::MIN_POSITIVE, 1e-45, 0.0] {
        let data: Vec<f32> =
            noise(80).iter().map(|x| if *x > 0.0 { extreme } else { -extreme }).collect();
        let samples = Samples::new(&data, 8).unwrap();
        let _ =
            TernaryFeatures::params(64).fit(&samples).and_then(|fitted| fitted.transform(&samples));
        let _ = ternary.transform(&samples);
    }
}

fn matrices() {
    for rows in SIZES {
        for cols in SIZES {
            refused(Matrix::from_vec(rows, cols, vec![0.0_f64; 7]));
        }
    }
    for bad in [f64::NAN, f64::INFINITY, f64::MAX] {
        let matrix = Matrix::from_vec(2, 2, vec![bad, 1.0, 1.0, bad]).unwrap();
        let _ = (symmetric_eigenpairs(&matrix), symmetric_eigenvalues(&matrix));
    }
}

fn theory() {
    for number in BAD.into_iter().chain(EXTREME) {
        for policy in [Policy::MinVariance, Policy::FourBand, Policy::Periodic] {
            for tau in BAD.into_iter().chain(EXTREME) {
                if let Ok(report) = solve(&Target::gaussian(number), tau, policy) {
                    assert!(report.alpha.is_finite());
                    assert!(BAD.iter().all(|&gamma| report.ridge(gamma).is_err()));
                }
            }
        }
        let covariance = Covariance::Diagonal(vec![number]);
        let class = Class { share: 1.0, mean: vec![number], covariance };
        if let Ok(mixture) = Mixture::new(vec![class]) {
            assert!(mixture.tau().is_finite());
        }
    }
}

fn penalties() {
    for bad in BAD.into_iter().chain([0.0]) {
        refused(Ridge::new(bad));
        refused(Ridge::absolute(bad));
        refused(KernelRidge::new(bad));
        refused(Logistic::new(bad).map(|_| ()));
        refused(LinearSvm::new(bad).map(|_| ()));
    }
}

/// A label of 65,535: as many outputs, of which two are used.
fn large_label() {
    let features = packed(5000, 4096);
    let mut labels = vec![0; 5000];
    labels[1] = 65_535;
    refused(Ridge::default().fit_classes(&features, &labels).map(|_| ()));
}

/// The same for few features, whose model may fit in memory.
fn large_label_of_few() {
    let features = packed(200, 64);
    let mut labels = vec![0; 200];
    labels[1] = 65_535;
    if let Ok(classifier) = Ridge::default().fit_classes(&features, &labels) {
        let _ = classifier.predict(&features).map(|classes| classes.len());
    }
    let _ = Logistic::default().fit_classes(&features, &labels).map(|_| ());
    let _ = LinearSvm::default().fit_classes(&features, &labels).map(|_| ());
}

fn dual_ridge() {
    let features = packed(12_000, 12_000);
    let targets = Matrix::from_vec(12_000, 1, noise(12_000)).unwrap();
    refused(Ridge::default().fit(&features, &targets).map(|_| ()));
    refused(Ridge::default().leave_one_out(&features, &targets).map(|_| ()));
}

fn kernel_ridge() {
    let n = 11_000;
    let mut gram = vec![0.0_f32; n * n];
    gram.iter_mut().step_by(n + 1).for_each(|diagonal| *diagonal = 1.0);
    let gram = Matrix::from_vec(n, n, gram).unwrap();
    let targets = Matrix::from_vec(n, 1, noise(n)).unwrap();
    let fitted = KernelRidge::new(1.0).unwrap().fit(&gram, &targets);
    refused(fitted.map(|_| ()));
}

fn large_gram() {
    let features = packed(100_000, 64);
    let gram = Gram::new(&features);
    refused(gram.matrix().map(|_| ()));
    refused(gram.counts().map(|_| ()));
    refused(gram.cross(&features).map(|_| ()));
    refused(gram.centred().map(|_| ()));
    refused(gram.leading_eigenpairs(usize::MAX).map(|_| ()));
    refused(gram.blocks(usize::MAX).map(|_| ()));
    for alpha in BAD.into_iter().chain([0.0]) {
        if alpha >= 0.0 || !alpha.is_finite() {
            refused(Gram::new(&features).alpha(alpha).map(|_| ()));
        }
    }
}

/// Scores of 65,536 classes for 10,000 samples: 2.6 GB.
fn many_outputs() {
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

fn moments() {
    let ternary = fitted(16_384);
    for count in SIZES.into_iter().chain([65_536]) {
        refused(Moments::new(&ternary, count).map(|_| ()));
        let _ = TargetMoments::new(&ternary, count);
    }
}

fn targets() {
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

/// Everything that reads bytes, on whatever is saved with a change in any byte, and on its beginnings.
fn bytes() {
    let ternary = fitted(64);
    let data = noise(80);
    let samples = Samples::new(&data, 8).unwrap();
    let labels: Vec<u32> = (0..10).map(|sample| sample % 2).collect();
    let classifier =
        TernaryClassifier::fit(TernaryFeatures::params(64), &Ridge::default(), &samples, &labels)
            .unwrap();
    let mut moments = Moments::new(&ternary, 2).unwrap();
    let classes: Vec<usize> = (0..10).map(|sample| sample % 2).collect();
    moments.add(&ternary.transform(&samples).unwrap(), &classes).unwrap();
    for saved in [ternary.to_bytes(), classifier.to_bytes(), moments.to_bytes()] {
        for at in 0..saved.len().min(400) {
            for change in [1, 0x80, 0xff] {
                let mut changed = saved.clone();
                changed[at] ^= change;
                read(&changed);
            }
            read(&saved[..at]);
        }
        read(&[saved.as_slice(), &[0]].concat());
    }
}

/// Every reader refuses bytes that were changed, or of another kind.
fn read(bytes: &[u8]) {
    assert!(TernaryFeatures::from_bytes(bytes).is_err());
    assert!(TernaryClassifier::<u32>::from_bytes(bytes).is_err());
    assert!(TernaryRegressor::from_bytes(bytes).is_err());
    assert!(Statistics::from_bytes(bytes).is_err());
    assert!(Moments::from_bytes(bytes).is_err());
    assert!(TargetMoments::from_bytes(bytes).is_err());
    assert!(LinearModel::from_bytes(bytes).is_err());
    assert!(Classifier::from_bytes(bytes).is_err());
    assert!(KernelModel::from_bytes(bytes).is_err());
    assert!(Export::from_bytes(bytes.to_vec()).is_err());
}

fn export() {
    let ternary = fitted(64);
    let sample: &[i16] = &[i16::MIN; 80];
    for seen in [&[], sample, &[i16::MAX; 80], &[0; 80], &[i16::MIN, i16::MAX], &[1; 81]] {
        let Ok(features) = IntegerFeatures::new(&ternary, seen) else { continue };
        for words in [&[][..], &[0], &[1], &[0, 0], &[u16::MAX]] {
            let _ = features.clone().with_words(words).map(|features| features.transform(sample));
        }
        let _ = features.transform(sample).map(|_| ());
        let _ = features.without_mean().map(|features| features.transform(sample));
    }
}

fn tuner() {
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
