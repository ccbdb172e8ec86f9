//! Estimators against the pieces they are made of.

use ternion::learn::{Logistic, Ridge, TernaryClassifier, TernaryRegressor};
use ternion::{Error, Form, Matrix, Samples, TernaryFeatures};
use ternion_core::{Error as CoreError, Size};
use ternion_tests::data::Random;

const INPUTS: usize = 6;

fn cloud(random: &mut Random, samples: usize) -> Vec<f32> {
    (0..samples * INPUTS).map(|_| random.normal() as f32).collect()
}

#[test]
fn a_classifier_is_its_pieces_with_labels_of_any_type() {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    enum Side {
        Left,
        Right,
    }
    let mut random = Random::new(81);
    let x = cloud(&mut random, 200);
    let all = Samples::new(&x, INPUTS).unwrap();
    let (train, test) = (all.slice(0..150).unwrap(), all.slice(150..200).unwrap());
    let classes: Vec<usize> = x.chunks(INPUTS).map(|x| (x[0] > 0.0) as usize).collect();
    for form in [Form::Stored, Form::Structured] {
        let params = || TernaryFeatures::params(256).form(form).seed(3);
        let ternary = params().fit(&train).unwrap();
        let ridge = Ridge::new(0.5).unwrap();
        let features = ternary.transform(&train).unwrap();
        let pieces = ridge.fit_classes(&features, &classes[..150]).unwrap();
        let expected = pieces.predict(&ternary.transform(&test).unwrap()).unwrap();

        // Labels whose order is that of the classes, with gaps, below zero, as text and as an enum.
        let numbers: Vec<i64> = classes.iter().map(|&class| [-7, 1 << 40][class]).collect();
        let model = TernaryClassifier::fit(params(), ridge, &train, &numbers[..150]).unwrap();
        assert_eq!(model.labels(), [-7, 1 << 40]);
        let predicted = model.predict(&test).unwrap();
        assert!(
            predicted.iter().zip(&expected).all(|(label, &class)| *label == [-7, 1 << 40][class])
        );
        assert_eq!(model.classifier(), &pieces);
        assert_eq!(model.ternary().fingerprint(), ternary.fingerprint());
        let right = predicted.iter().zip(&numbers[150..]).filter(|(a, b)| a == b).count();
        assert_eq!(model.score(&test, &numbers[150..]).unwrap(), right as f64 / 50.0);
        assert!(right > 40, "{right}");

        let text: Vec<String> =
            classes.iter().map(|&class| ["no", "yes"][class].to_string()).collect();
        let model = TernaryClassifier::fit(params(), ridge, &train, &text[..150]).unwrap();
        let predicted = model.predict(&test).unwrap();
        assert!(
            predicted.iter().zip(&expected).all(|(label, &class)| label == ["no", "yes"][class])
        );
        let scores = model.decision(&test).unwrap();
        assert_eq!((scores.rows(), scores.cols()), (50, 2));
        let mut predictor = model.predictor().unwrap();
        for ((x, scores), label) in
            x[150 * INPUTS..].chunks(INPUTS).zip(scores.iter_rows()).zip(predicted)
        {
            assert_eq!(predictor.scores(x).unwrap(), scores);
            assert_eq!(model.labels()[predictor.class(x).unwrap()], label);
        }

        let sides: Vec<Side> =
            classes.iter().map(|&class| [Side::Left, Side::Right][class]).collect();
        let model = TernaryClassifier::fit(params(), ridge, &train, &sides[..150]).unwrap();
        assert_eq!(model.labels(), [Side::Left, Side::Right]);
    }
}

#[test]
fn a_regressor_is_its_pieces() {
    let mut random = Random::new(82);
    let x = cloud(&mut random, 120);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let y = x.chunks(INPUTS).flat_map(|x| [x[0] * x[1], x[2].abs() + 4.0]).collect();
    let y = Matrix::from_vec(120, 2, y).unwrap();
    let params = || TernaryFeatures::params(300);
    let model = TernaryRegressor::fit(params(), Ridge::default(), &samples, &y).unwrap();
    let ternary = params().fit(&samples).unwrap();
    let features = ternary.transform(&samples).unwrap();
    let pieces = Ridge::default().fit(&features, &y).unwrap();
    let predicted = pieces.predict(&features).unwrap();
    assert_eq!(model.model(), &pieces);
    assert_eq!(model.ternary().fingerprint(), ternary.fingerprint());
    assert_eq!(model.predict(&samples).unwrap(), predicted);
    let mut predictor = model.predictor().unwrap();
    assert_eq!(predictor.scores(&x[..INPUTS]).unwrap(), predicted.row(0).unwrap());

    let explained = |k: usize| {
        let of = |matrix: &Matrix<f32>| -> Vec<f64> {
            matrix.iter_rows().map(|row| f64::from(row[k])).collect()
        };
        let (y, f) = (of(&y), of(&predicted));
        let mean = y.iter().sum::<f64>() / 120.0;
        let left: f64 = y.iter().zip(f).map(|(y, f)| (y - f) * (y - f)).sum();
        1.0 - left / y.iter().map(|y| (y - mean) * (y - mean)).sum::<f64>()
    };
    let expected = (explained(0) + explained(1)) / 2.0;
    let found = model.score(&samples, &y).unwrap();
    assert!((found - expected).abs() < 1e-12 && found > 0.5, "{found} {expected}");

    let constant = Matrix::from_vec(120, 1, vec![2.0; 120]).unwrap();
    let flat = TernaryRegressor::fit(params(), Ridge::default(), &samples, &constant).unwrap();
    assert_eq!(flat.score(&samples, &constant).unwrap(), 1.0);
    let other = Matrix::from_vec(120, 1, vec![3.0; 120]).unwrap();
    assert_eq!(flat.score(&samples, &other).unwrap(), 0.0);
}

#[test]
fn estimators_refuse_what_their_pieces_refuse() {
    let x = cloud(&mut Random::new(83), 20);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let params = || TernaryFeatures::params(64);
    let ridge = Ridge::default();
    let count = |labels| Error::LabelCount { samples: 20, labels };
    let classify = |labels: &[u8]| TernaryClassifier::fit(params(), ridge, &samples, labels);
    assert_eq!(classify(&[1; 19]).unwrap_err(), count(19));
    assert_eq!(classify(&[7; 20]).unwrap_err(), Error::TooFewClasses { found: 1 });
    let mut labels = [1; 20];
    labels[3] = 9;
    let model = classify(&labels).unwrap();
    assert_eq!(model.score(&samples, &labels[1..]).unwrap_err(), count(19));
    let narrow = Samples::new(&x, 3).unwrap();
    let mismatch = CoreError::SizeMismatch { size: Size::Inputs, expected: 6, found: 3 };
    assert_eq!(model.predict(&narrow).unwrap_err(), mismatch.into());
    assert_eq!(model.decision(&narrow).unwrap_err(), mismatch.into());

    let targets = |rows, y| Matrix::from_vec(rows, 1, vec![y; rows]).unwrap();
    let regress = |y: &Matrix<f32>| TernaryRegressor::fit(params(), ridge, &samples, y);
    assert_eq!(regress(&targets(21, 1.0)).unwrap_err(), count(21));
    assert_eq!(regress(&targets(20, f32::NAN)).unwrap_err(), Error::TargetNotFinite { sample: 0 });
    let model = regress(&targets(20, 1.0)).unwrap();
    assert_eq!(model.predict(&narrow).unwrap_err(), mismatch.into());
    assert_eq!(model.score(&samples, &targets(19, 1.0)).unwrap_err(), count(19));
    let two = Matrix::from_vec(20, 2, vec![1.0; 40]).unwrap();
    let mismatch = CoreError::SizeMismatch { size: Size::Cols, expected: 1, found: 2 };
    assert_eq!(model.score(&samples, &two).unwrap_err(), mismatch.into());
    for bad in [f32::NAN, f32::INFINITY] {
        let refused = model.score(&samples, &targets(20, bad)).unwrap_err();
        assert_eq!(refused, Error::TargetNotFinite { sample: 0 });
    }
}

/// What the pieces warn of, in one list.
#[test]
fn estimators_warn_of_the_fit_and_of_the_learner() {
    let x = cloud(&mut Random::new(84), 60);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let labels: Vec<bool> = x.chunks(INPUTS).map(|x| x[0] > 0.0).collect();
    let hasty = Logistic::default().limit(1).unwrap();
    let params = TernaryFeatures::params(256); // of six inputs only
    let model = TernaryClassifier::fit(params.clone(), hasty, &samples, &labels).unwrap();
    let of_fit: Vec<String> = model.ternary().warnings().iter().map(|w| w.to_string()).collect();
    let of_learner: Vec<String> =
        model.classifier().warnings().iter().map(|w| w.to_string()).collect();
    assert!(of_fit.len() == 1 && of_learner.len() == 1, "{of_fit:?} {of_learner:?}");
    assert_eq!(model.warnings(), [&of_fit[..], &of_learner].concat());
    let features = model.ternary().transform(&samples).unwrap();
    let expected = model.classifier().probabilities(&features).unwrap();
    assert_eq!(model.probabilities(&samples).unwrap(), expected);

    let y = Matrix::column(x.chunks(INPUTS).map(|x| x[0]).collect()).unwrap();
    let model = TernaryRegressor::fit(params, Ridge::default(), &samples, &y).unwrap();
    assert_eq!(model.warnings(), of_fit);
}
