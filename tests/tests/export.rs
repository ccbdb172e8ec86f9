//! Exported models: the desktop's features and classes, bit for bit, and what cannot be exported.

use ternion::export::{Bits, Export, ExportError, IntegerFeatures, Readout};
use ternion::learn::{Ridge, accuracy};
use ternion::{Error, Features, Form, Policy, Samples, Scaling, TernaryFeatures};
use ternion_core::Error as CoreError;
use ternion_tests::data::Random;

const INPUTS: usize = 64;

/// The digits that the examples use, in a fixed order: 1,297 to train and 500 to test.
fn digits() -> (Vec<u8>, Vec<usize>) {
    let mut rows: Vec<Vec<u8>> = include_str!("../../std-ext/examples/data/digits.csv")
        .lines()
        .map(|line| line.split(',').map(|number| number.parse().unwrap()).collect())
        .collect();
    let mut random = Random::new(3);
    for i in (1..rows.len()).rev() {
        rows.swap(i, random.below(i + 1));
    }
    let labels = rows.iter().map(|row| row[INPUTS] as usize).collect();
    (rows.into_iter().flat_map(|row| row[..INPUTS].to_vec()).collect(), labels)
}

fn fit(x: &[u8], form: Form, features: usize, policy: Policy) -> TernaryFeatures {
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    let samples = Samples::new(&floats, INPUTS).unwrap();
    let params = TernaryFeatures::params(features).form(form).policy(policy);
    params.fit(&samples).unwrap()
}

/// The model's own features, as rows of trits.
fn rows(export: &Export, x: &[u8]) -> Vec<Vec<i8>> {
    let model = export.model().unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let row = |sample: &[u8]| {
        let mut trits = Vec::new();
        let visit = |sign: u32, mask: u32| {
            trits.extend((0..32).map(|bit| (mask >> bit & 1) as i8 - 2 * (sign >> bit & 1) as i8));
        };
        model.featurize(sample, &mut scratch, visit).unwrap();
        trits.truncate(model.features());
        trits
    };
    x.chunks(INPUTS).map(row).collect()
}

fn same_features(features: &Features, rows: &[Vec<i8>]) -> bool {
    features.trits().iter_rows().zip(rows).all(|(a, b)| a.iter().eq(b.iter().copied()))
}

#[test]
fn the_model_gives_the_features_and_classes_of_the_desktop() {
    let (x, labels) = digits();
    let (x, labels) = (&x[..300 * INPUTS], &labels[..300]);
    for form in [Form::Stored, Form::Seeded, Form::Structured] {
        for (features, policy) in
            [(100, Policy::MinVariance), (65, Policy::FourBand), (140, Policy::Periodic)]
        {
            let fitted = fit(x, form, features, policy);
            for (shift, bits) in [(0, Bits::Eight), (4, Bits::Four), (7, Bits::Two)] {
                let integer = IntegerFeatures::new(&fitted, shift).unwrap();
                let features = integer.transform(x).unwrap();
                let classifier =
                    Ridge::absolute(0.1).unwrap().fit_classes(&features, labels).unwrap();
                let readout =
                    Readout::fit(&classifier, &features, Ridge::absolute(0.1).unwrap(), bits)
                        .unwrap();
                let export = Export::new(&integer, &readout).unwrap();
                assert!(same_features(&features, &rows(&export, x)), "{form:?} {shift}");
                assert_eq!(export.predict(x).unwrap(), readout.predict(&features).unwrap());
                let model = export.model().unwrap();
                assert_eq!((model.bits(), model.shift()), (bits.count(), shift));
                assert_eq!(Export::from_bytes(export.bytes().to_vec()).unwrap(), export);
            }
        }
    }
}

/// The integer path rounds the mean, the float path rounds the sample: nearly all features agree.
#[test]
fn integer_features_are_those_of_the_fit() {
    let (x, _) = digits();
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    for form in [Form::Stored, Form::Structured] {
        let fitted = fit(&x, form, 256, Policy::MinVariance);
        let exact = fitted.transform(&Samples::new(&floats, INPUTS).unwrap()).unwrap();
        for (shift, most) in [(0, 0.05), (4, 0.01), (9, 0.002)] {
            let integer = IntegerFeatures::new(&fitted, shift).unwrap().transform(&x).unwrap();
            let pairs = exact.trits().iter_rows().zip(integer.trits().iter_rows());
            let differ: usize =
                pairs.map(|(a, b)| a.iter().zip(b).filter(|(a, b)| a != b).count()).sum();
            let share = differ as f64 / (integer.len() * 256) as f64;
            assert!(share < most, "{form:?} shift {shift}: {share}");
        }
    }
}

/// The bar of the smallest device: 0.96 on held-out digits from less than 2 KB of model.
#[test]
fn two_bits_a_weight_classify_digits() {
    let (x, labels) = digits();
    let (train, test) = x.split_at(1297 * INPUTS);
    let (labels, test_labels) = labels.split_at(1297);
    let integer =
        IntegerFeatures::new(&fit(train, Form::Structured, 512, Policy::FourBand), 4).unwrap();
    let (features, held) = (integer.transform(train).unwrap(), integer.transform(test).unwrap());
    let classifier = Ridge::absolute(0.1).unwrap().fit_classes(&features, labels).unwrap();
    for (bits, most) in [(Bits::Two, 0.015), (Bits::Four, 0.008), (Bits::Eight, 0.004)] {
        let readout =
            Readout::fit(&classifier, &features, Ridge::absolute(0.1).unwrap(), bits).unwrap();
        let cost = readout.cost(&classifier, &held, test_labels).unwrap();
        assert!(cost.integer > cost.float - most, "{bits:?} {cost:?}");
        let export = Export::new(&integer, &readout).unwrap();
        let right = accuracy(&export.predict(test).unwrap(), test_labels);
        assert_eq!(right, cost.integer);
        assert!(right >= 0.96, "{bits:?} {right}");
        if bits == Bits::Two {
            assert!(export.bytes().len() < 2048);
        }
    }
}

/// Weights that make up for each other's errors do better than each rounded on its own: with few
/// inputs and many features, rounding errors add up along the directions that the features share.
#[test]
fn a_fitted_readout_beats_rounding() {
    let mut random = Random::new(5);
    let x: Vec<i8> = (0..2000 * 3).map(|_| random.bits() as i8).collect();
    let labels: Vec<usize> =
        x.chunks(3).map(|x| (x[0] as i32 * x[1] as i32 > 0) as usize).collect();
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    let params = TernaryFeatures::params(512).policy(Policy::FourBand);
    let fitted = params.fit(&Samples::new(&floats, 3).unwrap()).unwrap();
    let features = IntegerFeatures::new(&fitted, 4).unwrap().transform(&x).unwrap();
    let classifier = Ridge::absolute(0.01).unwrap().fit_classes(&features, &labels).unwrap();
    // An enormous ridge parameter leaves nothing of the second moments: plain rounding.
    let rounded =
        Readout::fit(&classifier, &features, Ridge::absolute(1e9).unwrap(), Bits::Two).unwrap();
    let fitted =
        Readout::fit(&classifier, &features, Ridge::absolute(0.01).unwrap(), Bits::Two).unwrap();
    let rounded = rounded.cost(&classifier, &features, &labels).unwrap();
    let fitted = fitted.cost(&classifier, &features, &labels).unwrap();
    assert!(fitted.integer > rounded.integer + 0.01, "{fitted:?} {rounded:?}");
}

#[test]
fn sources_hold_the_bytes() {
    let (x, labels) = digits();
    let integer =
        IntegerFeatures::new(&fit(&x, Form::Structured, 40, Policy::MinVariance), 4).unwrap();
    let features = integer.transform(&x).unwrap();
    let classifier = Ridge::absolute(0.1).unwrap().fit_classes(&features, &labels).unwrap();
    let readout =
        Readout::fit(&classifier, &features, Ridge::absolute(0.1).unwrap(), Bits::Two).unwrap();
    let export = Export::new(&integer, &readout).unwrap();
    let length = export.bytes().len();
    let (rust, c) = (export.to_rust("DIGITS").unwrap(), export.to_c("digits").unwrap());
    assert!(rust.contains(&format!("pub static DIGITS: [u8; {length}] = [")));
    assert!(c.contains(&format!("static const uint8_t digits[{length}] = {{")));
    for source in [rust, c] {
        let bytes =
            source.split("0x").skip(1).map(|rest| u8::from_str_radix(&rest[..2], 16).unwrap());
        assert!(bytes.eq(export.bytes().iter().copied()));
    }
    for name in ["a", "_9", "__", "Model_2"] {
        assert!(export.to_rust(name).unwrap().contains(&format!("static {name}:")));
        assert!(export.to_c(name).unwrap().contains(&format!("uint8_t {name}[")));
    }
    for name in ["", "_", "9a", "a b", "a-b", "größe", "x: u8 = 0; static Y", "a\n"] {
        let refused = Error::from(ExportError::Name { name: name.into() });
        assert_eq!(export.to_rust(name).unwrap_err(), refused);
        assert_eq!(export.to_c(name).unwrap_err(), refused);
        assert!(refused.to_string().contains(&format!("{name:?}")));
    }
}

#[test]
fn what_a_device_cannot_do_is_refused() {
    let (x, labels) = digits();
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    let samples = Samples::new(&floats, INPUTS).unwrap();
    let params = || TernaryFeatures::params(64);
    let refused =
        |fitted: TernaryFeatures, shift| IntegerFeatures::new(&fitted, shift).unwrap_err();
    let standardised = params().standardise(true).fit(&samples).unwrap();
    assert_eq!(refused(standardised, 0), ExportError::Standardised.into());
    let per_norm = params().scaling(Scaling::Row).fit(&samples).unwrap();
    assert_eq!(refused(per_norm, 0), ExportError::PerNorm.into());
    let local = params().form(Form::SUBSETS).fit(&samples).unwrap();
    assert_eq!(refused(local, 0), ExportError::LocalForm.into());
    let fitted = params().fit(&samples).unwrap();
    assert_eq!(refused(fitted.clone(), 16), ExportError::Shift { found: 16 }.into());
    let mean = refused(fitted.clone(), 15);
    assert!(matches!(mean, Error::Export(ExportError::Mean { shift: 15, .. })), "{mean:?}");

    let integer = IntegerFeatures::new(&fitted, 11).unwrap();
    let out = integer.transform(&[16_i16; INPUTS]).map(|_| ());
    assert!(matches!(out, Err(Error::Core(CoreError::OutOfRange { .. }))), "{out:?}");
    let uneven = integer.transform(&[1_i16; INPUTS + 1]).map(|_| ());
    assert!(matches!(uneven, Err(Error::Core(CoreError::PartialSample { .. }))), "{uneven:?}");

    let integer = IntegerFeatures::new(&fitted, 0).unwrap();
    let features = integer.transform(&x).unwrap();
    let classifier = Ridge::absolute(0.1).unwrap().fit_classes(&features, &labels).unwrap();
    let readout =
        Readout::fit(&classifier, &features, Ridge::absolute(0.1).unwrap(), Bits::Two).unwrap();
    let other =
        IntegerFeatures::new(&TernaryFeatures::params(63).fit(&samples).unwrap(), 0).unwrap();
    let mismatch = Error::from(ExportError::Features { features: 63, fitted: 64 });
    assert_eq!(Export::new(&other, &readout).unwrap_err(), mismatch);
    let other = other.transform(&x).unwrap();
    assert_eq!(readout.predict(&other).unwrap_err(), mismatch);
    assert_eq!(
        Readout::fit(&classifier, &other, Ridge::absolute(0.1).unwrap(), Bits::Two).unwrap_err(),
        mismatch
    );
    // A class for every label up to the last.
    let two = integer.transform(&x[..2 * INPUTS]).unwrap();
    let many = Ridge::absolute(0.1).unwrap().fit_classes(&two, &[0, 65_535]).unwrap();
    let many = Readout::fit(&many, &two, Ridge::absolute(0.1).unwrap(), Bits::Two).unwrap();
    let refused = Error::from(ExportError::Classes { found: 65_536 });
    assert_eq!(Export::new(&integer, &many).unwrap_err(), refused);
    let few = readout.cost(&classifier, &features, &labels[1..]).unwrap_err();
    let samples = labels.len();
    assert_eq!(few, Error::LabelCount { samples, labels: samples - 1 });
    assert!(matches!(Export::from_bytes(vec![0; 99]), Err(Error::Model(_))));
    for error in [mismatch.to_string(), Export::from_bytes(vec![]).unwrap_err().to_string()] {
        assert!(error.contains(char::is_numeric), "{error}");
    }
}
