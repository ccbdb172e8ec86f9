//! Linear models made of weights from elsewhere, and their bytes.

use ternion::export::{Bits, ExportError, Readout};
use ternion::learn::{Classifier, LinearModel, MAX_CLASSES, Ridge};
use ternion::saved::{Kind, SavedError};
use ternion::{Error, Features, Matrix, TritMatrix};
use ternion_core::model::crc32;
use ternion_core::{Buffer, Error as CoreError};
use ternion_tests::data::{self, Random};

fn random_model(random: &mut Random, features: usize, outputs: usize) -> LinearModel {
    let mut numbers = |count| (0..count).map(|_| random.normal() as f32).collect::<Vec<_>>();
    let weights = Matrix::from_vec(features, outputs, numbers(features * outputs)).unwrap();
    LinearModel::new(weights, numbers(outputs)).unwrap()
}

#[test]
fn outputs_are_sums_of_the_given_weights_and_survive_bytes() {
    let mut random = Random::new(91);
    for (samples, features, outputs) in [(1, 1, 1), (7, 70, 3), (300, 65, 33)] {
        let model = random_model(&mut random, features, outputs);
        let trits = random.trits(samples * features, 0.4);
        let (sign, mask) = data::pack(&trits, features);
        let packed = Features::new(TritMatrix::new(samples, features, sign, mask).unwrap());
        let found = model.predict(&packed).unwrap();
        for (row, scores) in trits.chunks(features).zip(found.iter_rows()) {
            for (k, score) in scores.iter().enumerate() {
                let products = row.iter().zip(model.weights().iter_rows());
                let sum: f64 = products.map(|(&t, w)| f64::from(t) * f64::from(w[k])).sum();
                let expected = sum + f64::from(model.bias()[k]);
                assert!((f64::from(*score) - expected).abs() < 1e-4, "{score} {expected}");
            }
        }
        let bytes = model.to_bytes();
        assert_eq!(bytes.len(), 20 + 16 + 4 * (features + 1) * outputs);
        assert_eq!(LinearModel::from_bytes(&bytes).unwrap(), model);
        if outputs > 1 {
            let classes = Classifier::new(model).unwrap().predict(&packed).unwrap();
            for (class, scores) in classes.into_iter().zip(found.iter_rows()) {
                assert!(scores.iter().all(|score| *score <= scores[class]));
            }
        }
    }
}

#[test]
fn models_that_make_no_sense_are_refused() {
    let weights = |first| Matrix::from_vec(2, 1, vec![first, 1.0]).unwrap();
    let (buffer, expected, found) = (Buffer::Vector, 1, 2);
    let mismatch = CoreError::LengthMismatch { buffer, expected, found };
    assert_eq!(LinearModel::new(weights(0.0), vec![0.0; 2]).unwrap_err(), mismatch.into());
    for bad in [f32::NAN, f32::INFINITY] {
        let refused = Error::NotFinite { index: 0 };
        assert_eq!(LinearModel::new(weights(bad), vec![0.0]).unwrap_err(), refused);
        assert_eq!(LinearModel::new(weights(0.0), vec![bad]).unwrap_err(), refused);
    }
    let single = LinearModel::new(weights(0.0), vec![0.0]).unwrap();
    let refused = Classifier::new(single).unwrap_err();
    assert_eq!(refused, Error::ClassCount { found: 1, max: MAX_CLASSES });

    let model = random_model(&mut Random::new(92), 64, 2);
    let narrow = Features::new(TritMatrix::new(1, 63, vec![0], vec![1]).unwrap());
    let classifier = Classifier::new(model).unwrap();
    let refused = Readout::fit(&classifier, &narrow, Ridge::default(), Bits::Two).unwrap_err();
    assert_eq!(refused, ExportError::Features { features: 63, fitted: 64 }.into());
}

#[test]
fn bytes_that_are_not_a_model_are_refused() {
    let bytes = random_model(&mut Random::new(93), 5, 2).to_bytes();
    let refused = |bytes: &[u8]| LinearModel::from_bytes(bytes).unwrap_err();
    for length in 0..bytes.len() {
        let error = refused(&bytes[..length]);
        assert!(matches!(error, Error::Saved(SavedError::Truncated { .. })), "{length}: {error}");
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(matches!(refused(&changed), Error::Saved(_)), "byte {at}");
    }
    let with = |at: usize, number: &[u8]| {
        let mut bytes = bytes[..bytes.len() - 4].to_vec();
        bytes[at..at + number.len()].copy_from_slice(number);
        let checksum = crc32(&bytes);
        bytes.extend(checksum.to_le_bytes());
        refused(&bytes)
    };
    let kind = SavedError::Kind { expected: Kind::LinearModel, found: 2 };
    assert_eq!(with(5, &[2]), kind.into());
    for at in [16, 24] {
        let impossible = SavedError::Impossible { offset: at };
        assert_eq!(with(at, &0_u64.to_le_bytes()), impossible.into());
        for size in [1, 3, 1 << 40, u64::MAX >> 1] {
            let error = with(at, &size.to_le_bytes());
            assert!(matches!(error, Error::Saved(SavedError::Length { .. })), "{size}: {error}");
        }
    }
    assert_eq!(with(32, &f32::NAN.to_le_bytes()), Error::NotFinite { index: 0 });
}
