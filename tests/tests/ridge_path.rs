//! Several ridge parameters by one factorisation, and leave-one-out predictions, against single fits.

use ternion::learn::{LinearModel, Moments, Ridge, TargetMoments};
use ternion::{Error, Features, Matrix, Samples, TernaryFeatures, TritMatrix};
use ternion_tests::data::{self, Random};

const INPUTS: usize = 10;

fn features(random: &mut Random, samples: usize, features: usize) -> (Features, TernaryFeatures) {
    let x: Vec<f32> = (0..samples * INPUTS).map(|_| random.normal() as f32).collect();
    let samples = Samples::new(&x, INPUTS).unwrap();
    let ternary = TernaryFeatures::params(features).fit(&samples).unwrap();
    (ternary.transform(&samples).unwrap(), ternary)
}

fn ridges(shares: &[f64]) -> Vec<Ridge> {
    shares.iter().map(|&share| Ridge::new(share).unwrap()).collect()
}

/// Compares weights by the norm of each output's, of which `f32` rounds 6e−8.
fn assert_close(found: &LinearModel, expected: &LinearModel, what: &str) {
    let outputs = expected.bias().len();
    for output in 0..outputs {
        let column = |model: &LinearModel| -> Vec<f64> {
            model.weights().iter_rows().map(|row| row[output].into()).collect()
        };
        let (found, expected) = (column(found), column(expected));
        let norm: f64 = expected.iter().map(|w| w * w).sum::<f64>().sqrt();
        let error = found.iter().zip(&expected).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        assert!(error <= 1.2e-7 * norm, "{what}, output {output}: {error:e} of {norm:e}");
    }
    for (found, expected) in found.bias().iter().zip(expected.bias()) {
        assert!((found - expected).abs() < 1e-5, "{what}: {found} {expected}");
    }
}

/// Ranges of a few, of a thousand and of 10¹² times, the last of which no common factor serves; and a single one.
#[test]
fn several_ridges_are_as_exact_as_single_ones() {
    let mut random = Random::new(91);
    let ten: Vec<f64> = (0..10).map(|k| 0.01 * 10_f64.powf(f64::from(k) / 3.0)).collect();
    for (samples, m, classes) in [(400, 60, 2), (900, 200, 10)] {
        let (features, ternary) = features(&mut random, samples, m);
        let labels: Vec<usize> = (0..samples).map(|_| random.below(classes)).collect();
        let mut moments = Moments::new(&ternary, classes).unwrap();
        moments.add(&features, &labels).unwrap();
        for shares in [&[0.3][..], &[0.1, 0.2, 0.3, 0.1], &ten, &[1e-6, 1.0, 1e6], &[2.0, 2.0]] {
            let ridges = ridges(shares);
            let models = Ridge::fit_moments_each(&ridges, &moments).unwrap();
            assert_eq!(models.len(), ridges.len());
            for ((ridge, model), share) in ridges.iter().zip(&models).zip(shares) {
                let expected = ridge.fit_moments(&moments).unwrap();
                let what = format!("{samples} × {m}, {share}");
                assert_close(model.model(), expected.model(), &what);
            }
            assert_eq!(models, Ridge::fit_moments_each(&ridges, &moments).unwrap());
        }
        assert_eq!(Ridge::fit_moments_each(&[], &moments), Ok(vec![]));
    }
}

#[test]
fn several_ridges_of_targets_are_as_exact_as_single_ones() {
    let mut random = Random::new(92);
    let (features, ternary) = features(&mut random, 500, 120);
    // The second output never varies, the third is twice the first.
    let row = |y: f32| [y, 3.0, 2.0 * y];
    let y: Vec<f32> = (0..500).flat_map(|_| row(random.normal() as f32)).collect();
    let mut moments = TargetMoments::new(&ternary, 3).unwrap();
    moments.add(&features, &Matrix::from_vec(500, 3, y).unwrap()).unwrap();
    let ridges = ridges(&[0.01, 0.1, 0.3, 1.0, 10.0]);
    let models = Ridge::fit_target_moments_each(&ridges, &moments).unwrap();
    for (ridge, model) in ridges.iter().zip(&models) {
        let expected = ridge.fit_target_moments(&moments).unwrap();
        assert_close(model, &expected, &format!("{ridge:?}"));
    }

    let mut constant = TargetMoments::new(&ternary, 1).unwrap();
    constant.add(&features, &Matrix::from_vec(500, 1, vec![7.0; 500]).unwrap()).unwrap();
    for model in Ridge::fit_target_moments_each(&ridges, &constant).unwrap() {
        assert!(model.weights().as_slice().iter().all(|&w| w == 0.0));
        assert_eq!(model.bias(), [7.0]);
    }
}

/// Each sample left out in turn, by a fit of its own with the same γ.
#[test]
fn leave_one_out_predictions_are_those_of_fits_without_the_sample() {
    let mut random = Random::new(95);
    for (samples, m) in [(2, 5), (3, 1), (20, 50), (50, 20)] {
        let trits = random.trits(samples * m, 0.4);
        let pack = |rows: &[&[i8]]| {
            let (sign, mask) = data::pack(&rows.concat(), m);
            Features::new(TritMatrix::new(rows.len(), m, sign, mask).unwrap())
        };
        let rows: Vec<&[i8]> = trits.chunks(m).collect();
        let targets: Vec<[f32; 2]> =
            (0..samples).map(|_| [random.normal() as f32, 3.0 + random.normal() as f32]).collect();
        let matrix = |rows: &[[f32; 2]]| Matrix::from_vec(rows.len(), 2, rows.concat()).unwrap();
        for gamma in [0.01, 1.0] {
            let ridge = Ridge::absolute(gamma).unwrap();
            let found = ridge.leave_one_out(&pack(&rows), &matrix(&targets)).unwrap();
            for (sample, found) in found.iter_rows().enumerate() {
                let (mut others, mut their_targets) = (rows.clone(), targets.clone());
                let row = others.remove(sample);
                their_targets.remove(sample);
                let model = ridge.fit(&pack(&others), &matrix(&their_targets)).unwrap();
                let expected = model.predict(&pack(&[row])).unwrap();
                for (found, expected) in found.iter().zip(expected.as_slice()) {
                    assert!(
                        (found - expected).abs() < 1e-4 * expected.abs().max(1.0),
                        "{samples} × {m}, γ = {gamma}, sample {sample}: {found} {expected}"
                    );
                }
            }
        }
    }
    let alone = Features::new(TritMatrix::new(1, 3, vec![0], vec![1]).unwrap());
    let target = Matrix::from_vec(1, 1, vec![1.0]).unwrap();
    let refused = Ridge::default().leave_one_out(&alone, &target);
    assert_eq!(refused, Err(Error::TooFewSamples { least: 2, found: 1 }));
}

#[test]
fn moments_of_nothing_are_refused() {
    let (_, ternary) = features(&mut Random::new(93), 20, 8);
    let ridges = ridges(&[0.1, 0.3, 1.0]);
    let refused = Ridge::fit_moments_each(&ridges, &Moments::new(&ternary, 3).unwrap());
    assert_eq!(refused, Err(Error::TooFewClasses { found: 0 }));
    let refused =
        Ridge::fit_target_moments_each(&ridges, &TargetMoments::new(&ternary, 3).unwrap());
    assert!(matches!(refused, Err(Error::Core(_))));
}
