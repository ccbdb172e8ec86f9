//! Objects from parts that were found elsewhere, features from batches that were, and forms from their names.

use ternion::fit::{Preprocess, Statistics, Steps};
use ternion::learn::{
    Classifier, KernelModel, LinearModel, Ridge, TernaryClassifier, TernaryRegressor,
};
use ternion::{Error, Features, Form, Grid, Matrix, Policy, Samples, Scaling, TernaryFeatures};
use ternion_core::{Buffer, Error as CoreError, MAX_INPUTS, Size};
use ternion_tests::data::Random;

const INPUTS: usize = 6;

fn data(seed: u64, samples: usize) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..samples * INPUTS).map(|k| (random.normal() * (1 + k % 3) as f64) as f32 - 0.5).collect()
}

#[test]
fn preprocessing_from_elsewhere_makes_the_same_fit() {
    let x = data(111, 40);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let mut statistics = Statistics::new(INPUTS).unwrap();
    statistics.add(&samples).unwrap();
    let (mean, variance) = (statistics.mean(), statistics.variance());
    let mean: Vec<f32> = mean.iter().map(|&mean| mean as f32).collect();
    let scale: Vec<f32> = variance.iter().map(|variance| variance.sqrt().recip() as f32).collect();
    let scaled = |(variance, &scale): (&f64, &f32)| variance * f64::from(scale).powi(2);
    let squares: Vec<f64> = variance.iter().zip(&scale).map(scaled).collect();
    for scaling in [Scaling::Unit, Scaling::Row, Scaling::Keep] {
        for standardise in [false, true] {
            let steps = Steps { standardise: Some(standardise), scaling, ..Steps::default() };
            let expected = Preprocess::from_statistics(&statistics, steps).unwrap();
            let scale = standardise.then(|| scale.clone());
            let squares = if standardise { &squares } else { &variance };
            let given = Preprocess::new(Some(mean.clone()), scale, squares.clone(), scaling);
            let given = given.unwrap();
            assert_eq!(given, expected);
            let params = TernaryFeatures::params(100).standardise(standardise).scaling(scaling);
            let fitted = params.clone().fit_statistics(&statistics).unwrap();
            let other = TernaryFeatures::params(100).check().unwrap().fit_preprocess(given.clone());
            assert_eq!(other.unwrap().fingerprint(), fitted.fingerprint());

            // Thresholds from elsewhere, too.
            let fixed = Policy::Fixed { lower: -0.7, upper: 0.2 };
            let fixed = TernaryFeatures::params(100).policy(fixed).fit_preprocess(given).unwrap();
            let [_, _, lower, upper] = fixed.thresholds().values().unwrap();
            let factor = (1.0 / 3.0_f64).sqrt() * fixed.preprocess().magnification();
            let near = |found: f32, s: f64| (f64::from(found) / factor - s).abs() < 1e-6;
            assert!(near(lower, -0.7) && near(upper, 0.2));
        }
    }
    let plain = Preprocess::new(None, None, vec![1.0; INPUTS], Scaling::Keep).unwrap();
    assert_eq!((plain.mean(), plain.scale(), plain.tau()), (None, None, INPUTS as f64));
}

#[test]
fn preprocessing_without_sense_is_refused() {
    let new = |mean, scale, squares| Preprocess::new(mean, scale, squares, Scaling::Unit);
    let refused = |mean, scale, squares| new(mean, scale, squares).unwrap_err();
    let size = Size::Inputs;
    assert_eq!(refused(None, None, vec![]), CoreError::ZeroSize { size }.into());
    let (max, found) = (MAX_INPUTS, MAX_INPUTS + 1);
    let too_large = CoreError::SizeTooLarge { size, max, found };
    assert_eq!(refused(None, None, vec![1.0; found]), too_large.into());
    let wrong =
        |buffer, found| Error::from(CoreError::LengthMismatch { buffer, expected: 2, found });
    assert_eq!(refused(Some(vec![0.0; 3]), None, vec![1.0; 2]), wrong(Buffer::Mean, 3));
    assert_eq!(refused(None, Some(vec![0.0]), vec![1.0; 2]), wrong(Buffer::Scale, 1));
    let infinite = Error::NotFinite { index: 1 };
    assert_eq!(refused(Some(vec![0.0, f32::NAN]), None, vec![1.0; 2]), infinite);
    assert_eq!(refused(None, Some(vec![0.0, f32::INFINITY]), vec![1.0; 2]), infinite);
    assert_eq!(refused(None, None, vec![1.0, f64::NAN]), infinite);
    let negative = refused(None, None, vec![1.0, -1.0]);
    assert_eq!(negative, Error::Negative { index: 1 });
    assert_eq!(negative.to_string(), "number 1 is negative: a mean of squares is not");
    assert_eq!(refused(None, None, vec![0.0; 2]), Error::NoVariance);
    assert_eq!(refused(None, None, vec![f64::MAX; 2]), Error::NotFinite { index: 0 });
    // So small that thresholds are not representable.
    let tiny = new(None, None, vec![1e-90]).unwrap();
    let refused = TernaryFeatures::params(64).fit_preprocess(tiny).unwrap_err();
    assert!(matches!(refused, Error::ThresholdOutOfRange { .. }));
}

#[test]
fn estimators_from_parts_are_those_of_a_fit() {
    let x = data(112, 60);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let labels: Vec<char> = x.chunks(INPUTS).map(|x| if x[0] > 0.0 { 'b' } else { 'a' }).collect();
    let params = || TernaryFeatures::params(90);
    let expected = TernaryClassifier::fit(params(), Ridge::default(), &samples, &labels).unwrap();
    let (ternary, classifier) = (expected.ternary().clone(), expected.classifier().clone());
    let new = |labels: &[char]| {
        TernaryClassifier::new(ternary.clone(), classifier.clone(), labels.to_vec())
    };
    let found = new(&['a', 'b']).unwrap();
    assert_eq!(found.predict(&samples).unwrap(), expected.predict(&samples).unwrap());
    let error = new(&['a']).unwrap_err();
    assert_eq!(error, Error::ClassLabels { classes: 2, labels: 1 });
    let message = "a classifier of 2 classes needs a label for each, found 1";
    assert_eq!(error.to_string(), message);
    for labels in [['a', 'a'], ['b', 'a']] {
        let error = new(&labels).unwrap_err();
        assert_eq!(error, Error::LabelOrder { class: 1 });
        assert!(error.to_string().starts_with("label 1 is not above"));
    }

    // Weights solved elsewhere, of the right and of a wrong size.
    let model = |features| {
        let weights = Matrix::from_vec(features, 2, vec![0.5; 2 * features]).unwrap();
        LinearModel::new(weights, vec![0.0, 1.0]).unwrap()
    };
    let (size, expected, found) = (Size::Features, 90, 91);
    let mismatch = Error::from(CoreError::SizeMismatch { size, expected, found });
    let wrong = Classifier::new(model(91)).unwrap();
    let error = TernaryClassifier::new(ternary.clone(), wrong, vec![1, 2]).unwrap_err();
    assert_eq!(error, mismatch);
    assert_eq!(TernaryRegressor::new(ternary.clone(), model(91)).unwrap_err(), mismatch);
    let regressor = TernaryRegressor::new(ternary.clone(), model(90)).unwrap();
    let features = ternary.transform(&samples).unwrap();
    assert_eq!(regressor.predict(&samples).unwrap(), model(90).predict(&features).unwrap());

    let coefficients = Matrix::from_vec(1, 2, vec![0.5, f64::NAN]).unwrap();
    let error = KernelModel::new(&coefficients, vec![0.0]).unwrap_err();
    assert_eq!(error, Error::NotFinite { index: 1 });
    let coefficients = Matrix::from_vec(1, 2, vec![0.5, 1.0]).unwrap();
    let (buffer, expected, found) = (Buffer::Vector, 1, 2);
    let error = KernelModel::new(&coefficients, vec![0.0; 2]).unwrap_err();
    assert_eq!(error, CoreError::LengthMismatch { buffer, expected, found }.into());
}

#[test]
fn joined_batches_are_one_batch() {
    let x = data(113, 50);
    let all = Samples::new(&x, INPUTS).unwrap();
    for features in [1, 64, 130] {
        let ternary = TernaryFeatures::params(features).fit(&all).unwrap();
        let part = |range| ternary.transform(&all.slice(range).unwrap()).unwrap();
        let parts = [part(0..1), part(1..33), part(33..50)];
        let joined = Features::concat(&parts).unwrap();
        assert_eq!(joined, ternary.transform(&all).unwrap());
        assert_eq!(Features::concat([&parts[1]]).unwrap(), parts[1]);
    }
    let none: [&Features; 0] = [];
    let zero = CoreError::ZeroSize { size: Size::Samples };
    assert_eq!(Features::concat(none).unwrap_err(), zero.into());
    let of =
        |features| TernaryFeatures::params(features).fit(&all).unwrap().transform(&all).unwrap();
    let (size, expected, found) = (Size::Features, 64, 65);
    let mismatch = CoreError::SizeMismatch { size, expected, found };
    assert_eq!(Features::concat([&of(64), &of(64), &of(65)]).unwrap_err(), mismatch.into());
}

#[test]
fn forms_and_scalings_print_as_they_parse() {
    let colours = Form::Boxes(Grid { width: 32, height: 24, channels: 3 });
    for (name, form) in [
        ("stored", Form::Stored),
        ("seeded", Form::Seeded),
        ("structured", Form::Structured),
        ("boxes:28x20", Form::Boxes(Grid::image(28, 20))),
        ("boxes:32x24x3", colours),
        ("subsets:3-16", Form::Subsets { least: 3, most: 16 }),
    ] {
        assert_eq!((name.parse(), form.to_string().as_str()), (Ok(form), name));
    }
    assert_eq!("subsets".parse(), Ok(Form::SUBSETS));
    for name in [
        "",
        "Stored",
        "boxes",
        "boxes:",
        "boxes:28",
        "boxes:1x2x3x4",
        "boxes:28x-1",
        "subsets:2",
        "stored:1",
    ] {
        let refused = name.parse::<Form>().unwrap_err();
        assert_eq!(refused, Error::UnknownForm { name: name.into() });
        let message = refused.to_string();
        assert!(
            message.contains(&format!("{name:?}")) && message.contains("boxes:WIDTHxHEIGHT"),
            "{message}"
        );
    }
    for (name, scaling) in [("unit", Scaling::Unit), ("row", Scaling::Row), ("keep", Scaling::Keep)]
    {
        assert_eq!((name.parse(), scaling.to_string().as_str()), (Ok(scaling), name));
    }
    let refused = "none".parse::<Scaling>().unwrap_err();
    assert_eq!(refused, Error::UnknownScaling { name: "none".into() });
    assert!(refused.to_string().contains("unit, row or keep"));
}
