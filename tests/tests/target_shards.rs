//! Moments of targets from any split and order of the samples give the same model, bit for bit; and what they refuse.

use ternion::learn::{LinearModel, Ridge, TargetMoments};
use ternion::saved::{Kind, SavedError};
use ternion::{Error, Features, Matrix, Samples, TernaryFeatures};
use ternion_core::{Error as CoreError, Size};
use ternion_tests::data::{Random, even_parts};
use ternion_tests::dense;
use ternion_tests::saved::{with_number, with_sum};

const INPUTS: usize = 12;
const OUTPUTS: usize = 2;

struct Problem {
    x: Vec<f32>,
    y: Vec<f32>,
    ternary: TernaryFeatures,
}

impl Problem {
    /// Targets of all sizes, so that any float sum would depend on the order.
    fn new(random: &mut Random, samples: usize, features: usize, powers: usize) -> Self {
        let x: Vec<f32> = (0..samples * INPUTS).map(|_| random.normal() as f32).collect();
        let mut target = || {
            let power = random.below(2 * powers + 1) as i32 - powers as i32;
            (random.normal() * 10_f64.powi(power)) as f32
        };
        let y = (0..samples * OUTPUTS).map(|_| target()).collect();
        let params = TernaryFeatures::params(features);
        let ternary = params.fit(&Samples::new(&x, INPUTS).unwrap()).unwrap();
        Self { x, y, ternary }
    }

    /// The features of the given samples, and their targets.
    fn part(&self, samples: &[usize]) -> (Features, Matrix<f32>) {
        let rows = samples.iter().flat_map(|&i| &self.x[i * INPUTS..(i + 1) * INPUTS]);
        let x: Vec<f32> = rows.copied().collect();
        let features = self.ternary.transform(&Samples::new(&x, INPUTS).unwrap()).unwrap();
        let rows = samples.iter().flat_map(|&i| &self.y[i * OUTPUTS..(i + 1) * OUTPUTS]);
        let y = rows.copied().collect();
        (features, Matrix::from_vec(samples.len(), OUTPUTS, y).unwrap())
    }

    fn moments(&self) -> TargetMoments {
        TargetMoments::new(&self.ternary, OUTPUTS).unwrap()
    }
}

fn shuffled(random: &mut Random, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        order.swap(i, random.below(i + 1));
    }
    order
}

fn bits(model: &LinearModel) -> Vec<u32> {
    model.weights().as_slice().iter().chain(model.bias()).map(|w| w.to_bits()).collect()
}

#[test]
fn any_split_and_order_gives_the_same_bytes_and_the_same_model() {
    let mut random = Random::new(81);
    for (samples, features, powers) in [(200, 70, 0), (331, 130, 3), (64, 65, 37)] {
        let problem = Problem::new(&mut random, samples, features, powers);
        let all: Vec<usize> = (0..samples).collect();
        let (batch, targets) = problem.part(&all);
        let mut whole = problem.moments();
        whole.add(&batch, &targets).unwrap();
        let model = Ridge::default().fit_target_moments(&whole).unwrap();
        if samples > features {
            let fitted = Ridge::default().fit(&batch, &targets).unwrap();
            assert_eq!(bits(&model), bits(&fitted));
        }
        for shards in [1, 2, 7, 64] {
            let order = shuffled(&mut random, samples);
            let mut parts: Vec<TargetMoments> = even_parts(&order, shards)
                .map(|samples| {
                    let mut shard = problem.moments();
                    // A shard may itself come in chunks.
                    for samples in samples.chunks(1 + random.below(samples.len().max(1))) {
                        let (features, targets) = problem.part(samples);
                        shard.add(&features, &targets).unwrap();
                    }
                    TargetMoments::from_bytes(&shard.to_bytes()).unwrap()
                })
                .collect();
            // Merged in pairs at random, as the machines of a cluster would.
            while parts.len() > 1 {
                let part = parts.swap_remove(random.below(parts.len()));
                let into = random.below(parts.len());
                parts[into].merge(&part).unwrap();
            }
            let merged = parts.pop().unwrap();
            assert_eq!(merged.to_bytes(), whole.to_bytes(), "{shards} shards");
            let again = Ridge::default().fit_target_moments(&merged).unwrap();
            assert_eq!(bits(&again), bits(&model), "{shards} shards");
            assert_eq!(again.to_bytes(), model.to_bytes(), "{shards} shards");
        }
    }
}

#[test]
fn models_from_moments_are_the_normal_equations() {
    let mut random = Random::new(82);
    let mut problem = Problem::new(&mut random, 150, 40, 0);
    // An offset that a difference of rounded sums would feel.
    problem.y.iter_mut().step_by(2).for_each(|y| *y += 1000.0);
    let (features, targets) = problem.part(&(0..150).collect::<Vec<_>>());
    let mut moments = problem.moments();
    moments.add(&features, &targets).unwrap();
    assert_eq!((moments.samples(), moments.features(), moments.outputs()), (150, 40, OUTPUTS));
    let rows: Vec<Vec<f64>> =
        features.trits().iter_rows().map(|row| row.iter().map(f64::from).collect()).collect();
    for gamma in [0.01, 1.0, 30.0] {
        let model = Ridge::absolute(gamma).unwrap().fit_target_moments(&moments).unwrap();
        for output in 0..OUTPUTS {
            let y: Vec<f64> = targets.iter_rows().map(|row| row[output].into()).collect();
            let (theta, bias) = dense::ridge(&rows, &y, gamma);
            for (row, theta) in model.weights().iter_rows().zip(theta) {
                assert!((f64::from(row[output]) - theta).abs() < 1e-5, "γ = {gamma}");
            }
            assert!((f64::from(model.bias()[output]) - bias).abs() < 1e-4, "γ = {gamma}");
        }
    }
}

#[test]
fn bad_targets_and_other_moments_are_refused_and_change_nothing() {
    let mut random = Random::new(83);
    let problem = Problem::new(&mut random, 30, 20, 2);
    let (features, targets) = problem.part(&(0..30).collect::<Vec<_>>());
    let mut moments = problem.moments();
    assert_eq!(
        Ridge::default().fit_target_moments(&moments).unwrap_err(),
        CoreError::ZeroSize { size: Size::Samples }.into()
    );
    moments.add(&features, &targets).unwrap();
    let before = moments.clone();

    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut numbers = targets.as_slice().to_vec();
        numbers[17 * OUTPUTS + 1] = bad;
        let numbers = Matrix::from_vec(30, OUTPUTS, numbers).unwrap();
        let refused = moments.add(&features, &numbers).unwrap_err();
        assert_eq!(refused, Error::TargetNotFinite { sample: 17 });
    }
    let fewer = Matrix::from_vec(29, OUTPUTS, targets.as_slice()[OUTPUTS..].to_vec()).unwrap();
    let refused = moments.add(&features, &fewer).unwrap_err();
    assert_eq!(refused, Error::LabelCount { samples: 30, labels: 29 });
    let wider = Matrix::from_vec(30, 3, vec![0.0; 90]).unwrap();
    let outputs = CoreError::SizeMismatch { size: Size::Cols, expected: 2, found: 3 };
    assert_eq!(moments.add(&features, &wider).unwrap_err(), outputs.into());
    let three = TargetMoments::new(&problem.ternary, 3).unwrap();
    assert_eq!(moments.merge(&three).unwrap_err(), outputs.into());
    let other = Problem::new(&mut random, 30, 21, 0);
    let (more, _) = other.part(&(0..30).collect::<Vec<_>>());
    let mismatch = CoreError::SizeMismatch { size: Size::Features, expected: 20, found: 21 };
    assert_eq!(moments.add(&more, &targets).unwrap_err(), mismatch.into());
    assert_eq!(moments.merge(&other.moments()).unwrap_err(), mismatch.into());
    let seeded = TernaryFeatures::params(20).seed(1);
    let other = seeded.fit(&Samples::new(&problem.x, INPUTS).unwrap()).unwrap();
    let refused = moments.merge(&TargetMoments::new(&other, OUTPUTS).unwrap()).unwrap_err();
    let (expected, found) = (problem.ternary.fingerprint(), other.fingerprint());
    assert_eq!(refused, Error::OtherMap { expected, found });
    assert_eq!(moments, before);
    assert_eq!(
        TargetMoments::new(&problem.ternary, 0).unwrap_err(),
        CoreError::ZeroSize { size: Size::Cols }.into()
    );
}

#[test]
fn bytes_that_are_not_moments_are_refused() {
    let problem = Problem::new(&mut Random::new(84), 9, 3, 0);
    let (features, targets) = problem.part(&(0..9).collect::<Vec<_>>());
    let mut moments = problem.moments();
    moments.add(&features, &targets).unwrap();
    let bytes = moments.to_bytes();
    // Frame, four numbers, the sums of three features, their six products, and eight sums of targets.
    assert_eq!(bytes.len(), 20 + 8 * (4 + 8 * 10) + 4 * (3 + 6));
    let refused = |bytes: &[u8]| match TargetMoments::from_bytes(bytes) {
        Err(Error::Saved(error)) => error,
        other => panic!("{other:?}"),
    };
    let found = bytes.len() as u64 - 1;
    let truncated = SavedError::Truncated { needed: bytes.len() as u64, found };
    assert_eq!(refused(&bytes[..bytes.len() - 1]), truncated);
    let mut kind = bytes.clone();
    kind[5] = 1;
    assert_eq!(refused(&kind), SavedError::Kind { expected: Kind::TargetMoments, found: 1 });
    let mut changed = bytes.clone();
    changed[60] ^= 1;
    assert!(matches!(refused(&changed), SavedError::Checksum { .. }));

    let impossible = |offset| SavedError::Impossible { offset };
    for (at, number) in [(24, 0), (32, 0), (40, -1), (40, 1 << 54)] {
        assert_eq!(refused(&with_number(&bytes, at, number)), impossible(at));
    }
    for (at, number) in [(24, 4), (32, 3), (24, i64::MAX), (32, i64::MAX), (40, 1 << 31)] {
        let error = refused(&with_number(&bytes, at, number));
        assert!(matches!(error, SavedError::Length { .. }), "{error:?}");
    }
    // Sums and products beyond the number of samples.
    assert_eq!(refused(&with_sum(&bytes, 48 + 4, 10)), impossible(60 + 20));
    assert_eq!(refused(&with_sum(&bytes, 60 + 4, -10)), impossible(60 + 20));
    // A feature whose product with itself is negative, or less than its sum.
    assert_eq!(refused(&with_sum(&bytes, 60, -1)), impossible(60 + 20));
    let sum = i32::from_le_bytes(bytes[48..52].try_into().unwrap());
    assert_ne!(sum, 0);
    assert_eq!(refused(&with_sum(&bytes, 60, sum.abs() - 1)), impossible(60 + 20));
    // Digits that are not normalised, or of sums that are too large.
    let sums = 84;
    for (digit, number) in [(0, -1), (3, 1 << 32), (9, 1 << 54)] {
        let error = refused(&with_number(&bytes, sums + 8 * digit, number));
        assert_eq!(error, impossible(sums + 72));
    }
    // Sums without samples.
    let empty = problem.moments().to_bytes();
    assert!(TargetMoments::from_bytes(&empty).is_ok());
    assert_eq!(refused(&with_number(&empty, sums, 1)), impossible(sums + 72));
}
