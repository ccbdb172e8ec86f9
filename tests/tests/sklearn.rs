//! Ridge and kernel ridge against scikit-learn, in values that tests/data/sklearn_ridge.py made.

use serde_json::Value;
use ternion::learn::{KernelRidge, Ridge};
use ternion::{Features, Matrix, TritMatrix};
use ternion_tests::data;

/// The largest difference, relative to the largest value.
const TOLERANCE: f64 = 1e-4;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../data/sklearn_ridge.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn integers(value: &Value) -> Vec<usize> {
    numbers(value).into_iter().map(|x| x as usize).collect()
}

/// Numbers as a matrix with this many rows.
fn matrix(value: &Value, rows: usize) -> Matrix<f32> {
    let numbers: Vec<f32> = numbers(value).into_iter().map(|x| x as f32).collect();
    Matrix::from_vec(rows, numbers.len() / rows, numbers).unwrap()
}

fn features(value: &Value, features: usize) -> Features {
    let trits: Vec<i8> = numbers(value).into_iter().map(|x| x as i8).collect();
    let (sign, mask) = data::pack(&trits, features);
    Features::new(TritMatrix::new(trits.len() / features, features, sign, mask).unwrap())
}

#[track_caller]
fn assert_close(found: &[f32], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let size = expected.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    for (found, expected) in found.iter().zip(expected) {
        let off = (f64::from(*found) - expected).abs();
        assert!(off < TOLERANCE * size, "{what}: {found} for {expected}");
    }
}

#[test]
fn ridge_agrees_with_scikit_learn() {
    let vectors = vectors();
    let cases = vectors["ridge"].as_array().unwrap();
    assert_eq!(cases.len(), 9);
    for case in cases {
        let size = |name: &str| case[name].as_u64().unwrap() as usize;
        let (samples, m) = (size("samples"), size("features"));
        let (train, test) = (features(&case["train"], m), features(&case["test"], m));
        let (share, gamma) = (case["share"].as_f64().unwrap(), case["gamma"].as_f64().unwrap());
        let what = format!("{samples} × {m}, share {share}");
        let targets = matrix(&case["targets"], samples);
        let labels = integers(&case["labels"]);
        let two: Vec<usize> = labels.iter().map(|&label| (label > 0) as usize).collect();
        // alpha in both units.
        for ridge in [Ridge::new(share).unwrap(), Ridge::absolute(gamma).unwrap()] {
            let model = ridge.fit(&train, &targets).unwrap();
            let predicted = model.predict(&test).unwrap();
            assert_close(predicted.as_slice(), &numbers(&case["predicted"]), &what);

            let three = ridge.fit_classes(&train, &labels).unwrap();
            let decision = three.model().predict(&test).unwrap();
            assert_close(decision.as_slice(), &numbers(&case["decision_of_three"]), &what);
            assert_eq!(three.predict(&test).unwrap(), integers(&case["classes_of_three"]));

            // Of two classes scikit-learn scores the second only.
            let two = ridge.fit_classes(&train, &two).unwrap();
            let decision = two.model().predict(&test).unwrap();
            let second: Vec<f32> = decision.iter_rows().map(|row| row[1]).collect();
            assert_close(&second, &numbers(&case["decision_of_two"]), &what);
        }
    }
}

#[test]
fn kernel_ridge_agrees_with_scikit_learn() {
    let vectors = vectors();
    let cases = vectors["kernel_ridge"].as_array().unwrap();
    assert_eq!(cases.len(), 6);
    for case in cases {
        let samples = case["samples"].as_u64().unwrap() as usize;
        let gamma = case["gamma"].as_f64().unwrap();
        let gram = matrix(&case["gram"], samples);
        let cross = matrix(&case["cross"], numbers(&case["cross"]).len() / samples);
        let ridge = KernelRidge::absolute(gamma).unwrap();
        let model = ridge.fit(&gram, &matrix(&case["targets"], samples)).unwrap();
        let predicted = model.predict(&cross).unwrap();
        let what = format!("{samples} samples, γ = {gamma}");
        assert_close(predicted.as_slice(), &numbers(&case["predicted"]), &what);
    }
}
