//! Exported models, quantised readouts and budgets.

use super::{BAD, EXTREME, SIZES, different, fitted, noise, packed, refused};
use ternion::export::{Bits, Budget, Core, Export, IntegerFeatures, Margin, Readout};
use ternion::learn::{Classifier, LinearModel, Ridge};
use ternion::{Matrix, Samples, TernaryFeatures};

pub fn export() {
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

const BITS: [Bits; 5] = [Bits::One, Bits::Two, Bits::Three, Bits::Four, Bits::Eight];

pub fn readouts() {
    let (features, others) = (different(40, 64), different(40, 65));
    let labels: Vec<usize> = (0..40).map(|sample| sample % 3).collect();
    let ridge = Ridge::default();
    let classifier = ridge.fit_classes(&features, &labels).unwrap();
    for bits in BITS {
        refused(Readout::fit(&classifier, &others, ridge, bits));
        refused(Readout::fit_numbers(classifier.model(), &others, ridge, bits));
        let readout = Readout::fit(&classifier, &features, ridge, bits).unwrap();
        refused(readout.predict(&others));
        refused(readout.cost(&classifier, &features, &labels[1..]));
        refused(readout.cost(&classifier, &others, &labels));
        for extreme in [0.0, 1e-45, f32::MIN_POSITIVE, f32::MAX, f32::MIN] {
            let weights = Matrix::from_vec(64, 3, vec![extreme; 192]).unwrap();
            let model = LinearModel::new(weights, vec![-extreme; 3]).unwrap();
            for gamma in EXTREME.into_iter().filter(|x| *x > 0.0) {
                let ridge = Ridge::absolute(gamma).unwrap();
                let numbers = Readout::fit_numbers(&model, &features, ridge, bits);
                let classes = Classifier::new(model.clone()).unwrap();
                let classes = Readout::fit(&classes, &features, ridge, bits);
                for readout in [numbers, classes].into_iter().flatten() {
                    let _ = readout.predict(&features);
                    // Whether it is exported or refused: its scores fit, or it is no model.
                    let integer = IntegerFeatures::new(&fitted(64), &[1_i16; 80]).unwrap();
                    let _ = Export::new(&integer, &readout).map(|export| {
                        let _ = (export.predict(&[i16::MIN; 8]), export.predict(&[0_i8; 7]));
                        let _ = export.predict_numbers(&[i16::MAX; 8]);
                        let _ = (export.cost(Core::default()), export.to_c("a", &[1_i16; 7]));
                        let _ = (export.to_rust(""), export.to_c_bytes("é"));
                    });
                }
            }
        }
        for share in BAD.into_iter().chain(EXTREME) {
            let Ok(margin) = Margin::new(share) else { continue };
            let _ = margin.fit(&features, &labels, bits).map(|readout| readout.predict(&features));
            if let Ok(model) = margin.fit_floats(&features, &labels) {
                assert!(model.weights().as_slice().iter().all(|weight| weight.is_finite()));
            }
            refused(margin.fit(&features, &labels[1..], bits));
            refused(margin.fit(&features, &[0; 40], bits));
            refused(margin.fit(&features, &[usize::MAX; 40], bits));
        }
    }
}

/// A label of 65,535: as many outputs, of which two are used.
pub fn many_outputs() {
    let features = packed(2000, 16_384);
    let mut labels = vec![0; 2000];
    labels[1] = 65_535;
    refused(Margin::default().fit(&features, &labels, Bits::Two).map(|_| ()));
    refused(Margin::default().fit_floats(&features, &labels).map(|_| ()));
}

pub fn budget() {
    let data = noise(80);
    let samples = Samples::new(&data, 8).unwrap();
    let numbers: Vec<i8> = data.iter().map(|x| (100.0 * x) as i8).collect();
    let labels: Vec<usize> = (0..10).map(|sample| sample % 2).collect();
    let fit = |features: usize| TernaryFeatures::params(features).fit(&samples);
    for size in SIZES.into_iter().chain([2000]) {
        for budget in [
            Budget::new(Core::default()).flash(size).ram(10_000),
            Budget::new(Core::default()).ram(size).flash(10_000),
            Budget::new(Core::default()).instructions(size).flash(10_000),
        ] {
            for accuracy in BAD.into_iter().chain(EXTREME) {
                let _ = budget.accuracy(accuracy).search(fit, &numbers, &labels, |_| ());
            }
        }
    }
    let budget = Budget::new(Core::default()).flash(10_000);
    refused(budget.search(fit, &numbers, &labels[1..], |_| ()));
    refused(budget.search(fit, &numbers[1..], &labels, |_| ()));
    refused(budget.search(fit, &numbers[..8], &labels[..1], |_| ()));
    refused(budget.search(fit, &numbers[..16], &labels[..2], |_| ()));
    refused(budget.search(fit, &[0_i8; 0], &[], |_| ()));
    let mut labels = labels;
    labels[0] = 65_535;
    refused(Budget::new(Core::default()).search(fit, &numbers, &labels, |_| ()));
}
