//! Ridge on packed features against its normal equations, and against kernel ridge on their Gram.

use ternion::learn::{KernelRidge, Ridge, accuracy};
use ternion::{Features, Gram, Matrix, Samples, TernaryFeatures, TritMatrix};
use ternion_tests::data::{self, Random};
use ternion_tests::dense;

/// Random features and targets, as the crate and as the oracle see them.
struct Problem {
    features: Features,
    rows: Vec<Vec<f64>>,
    targets: Matrix<f32>,
}

impl Problem {
    fn new(random: &mut Random, samples: usize, features: usize, outputs: usize) -> Self {
        let trits = random.trits(samples * features, 0.4);
        let (sign, mask) = data::pack(&trits, features);
        let targets = (0..samples * outputs).map(|_| (3.0 + random.normal()) as f32).collect();
        Self {
            features: Features::new(TritMatrix::new(samples, features, sign, mask).unwrap()),
            rows: trits
                .chunks(features)
                .map(|row| row.iter().map(|&t| f64::from(t)).collect())
                .collect(),
            targets: Matrix::from_vec(samples, outputs, targets).unwrap(),
        }
    }

    /// The targets of one output.
    fn output(&self, k: usize) -> Vec<f64> {
        self.targets.iter_rows().map(|row| f64::from(row[k])).collect()
    }
}

#[track_caller]
fn assert_close(found: &[f32], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len());
    let size = expected.iter().fold(1e-3, |size: f64, x| size.max(x.abs()));
    for (found, expected) in found.iter().zip(expected) {
        let off = (f64::from(*found) - expected).abs();
        assert!(off < 1e-5 * size, "{what}: {found} for {expected}");
    }
}

/// More classes than are summed together, and more samples than are transposed together: the sums of classes are those of
/// their targets.
#[test]
fn many_classes_and_many_samples_are_all_counted() {
    let mut random = Random::new(47);
    for (samples, classes) in [(500, 150), (40_000, 3)] {
        let problem = Problem::new(&mut random, samples, 20, 1);
        // Later samples and later classes differ from the first.
        let labels: Vec<usize> =
            (0..samples).map(|sample| (sample * sample / 7 + sample / 9000) % classes).collect();
        let target = |label: usize| (0..classes).map(move |k| if k == label { 1.0 } else { -1.0 });
        let targets: Vec<f32> = labels.iter().flat_map(|&label| target(label)).collect();
        let targets = Matrix::from_vec(samples, classes, targets).unwrap();
        let model = Ridge::default().fit(&problem.features, &targets).unwrap();
        let classifier = Ridge::default().fit_classes(&problem.features, &labels).unwrap();
        let doubles = |numbers: &[f32]| numbers.iter().map(|&x| x.into()).collect::<Vec<f64>>();
        let (found, expected) = (classifier.model().weights(), doubles(model.weights().as_slice()));
        assert_close(found.as_slice(), &expected, "weights");
        assert_close(classifier.model().bias(), &doubles(model.bias()), "bias");
    }
}

/// More samples than the products with targets are summed over together, the last of which differ from the first.
#[test]
fn more_targets_than_are_summed_together_are_all_counted() {
    let samples = (1 << 20) + 9000;
    let x = |sample: usize| [1.0, -1.0, 0.0][sample * sample / 7 % 3];
    let y =
        |sample: usize| (sample % 5) as f64 + if sample < 1 << 20 { 0.0 } else { 90.0 * x(sample) };
    let sign: Vec<u64> = (0..samples).map(|sample| (x(sample) < 0.0).into()).collect();
    let mask: Vec<u64> = (0..samples).map(|sample| (x(sample) != 0.0).into()).collect();
    let features = Features::new(TritMatrix::new(samples, 1, sign, mask).unwrap());
    let targets = (0..samples).map(|sample| y(sample) as f32).collect();
    let targets = Matrix::from_vec(samples, 1, targets).unwrap();
    let model = Ridge::absolute(7.0).unwrap().fit(&features, &targets).unwrap();
    let mean = |of: &dyn Fn(usize) -> f64| (0..samples).map(of).sum::<f64>() / samples as f64;
    let (mean_x, mean_y) = (mean(&x), mean(&y));
    let covariance = mean(&|sample| (x(sample) - mean_x) * (y(sample) - mean_y));
    let variance = mean(&|sample| (x(sample) - mean_x).powi(2));
    let weight = covariance / (variance + 7.0 / samples as f64);
    assert_close(model.weights().as_slice(), &[weight], "weight");
    assert_close(model.bias(), &[mean_y - weight * mean_x], "bias");
}

/// Fewer samples than features are solved by the samples, more by the features.
#[test]
fn both_ways_are_the_normal_equations_and_kernel_ridge() {
    let mut random = Random::new(41);
    let shapes =
        [(1, 1), (2, 1), (1, 2), (30, 70), (70, 30), (64, 64), (65, 64), (3, 129), (129, 3)];
    for (samples, features) in shapes {
        for gamma in [1e-2, 1.0, 100.0] {
            let label = format!("{samples} × {features}, γ = {gamma}");
            let problem = Problem::new(&mut random, samples, features, 2);
            let model =
                Ridge::absolute(gamma).unwrap().fit(&problem.features, &problem.targets).unwrap();
            let predicted = model.predict(&problem.features).unwrap();
            for k in 0..2 {
                let (theta, bias) = dense::ridge(&problem.rows, &problem.output(k), gamma);
                let weights: Vec<f32> = model.weights().iter_rows().map(|row| row[k]).collect();
                assert_close(&weights, &theta, &format!("weights {label}"));
                assert_close(&[model.bias()[k]], &[bias], &format!("bias {label}"));
                let expected: Vec<f64> = problem
                    .rows
                    .iter()
                    .map(|row| bias + row.iter().zip(&theta).map(|(f, w)| f * w).sum::<f64>())
                    .collect();
                let found: Vec<f32> = predicted.iter_rows().map(|row| row[k]).collect();
                assert_close(&found, &expected, &format!("predictions {label}"));
            }
            let gram = Gram::new(&problem.features).matrix().unwrap();
            let kernel =
                KernelRidge::absolute(gamma).unwrap().fit(&gram, &problem.targets).unwrap();
            let expected: Vec<f64> = predicted.as_slice().iter().map(|&y| f64::from(y)).collect();
            assert_close(kernel.predict(&gram).unwrap().as_slice(), &expected, &label);
        }
    }
}

#[test]
fn the_intercept_takes_what_is_constant() {
    let mut random = Random::new(42);
    for (samples, features) in [(20, 50), (50, 20)] {
        let problem = Problem::new(&mut random, samples, features, 1);
        let ridge = Ridge::new(0.3).unwrap();
        let model = ridge.fit(&problem.features, &problem.targets).unwrap();
        let raised = problem.targets.as_slice().iter().map(|y| y + 8.0).collect();
        let raised = Matrix::from_vec(samples, 1, raised).unwrap();
        let raised = ridge.fit(&problem.features, &raised).unwrap();
        let weights: Vec<f64> = model.weights().as_slice().iter().map(|&w| f64::from(w)).collect();
        assert_close(raised.weights().as_slice(), &weights, "weights");
        assert!((raised.bias()[0] - model.bias()[0] - 8.0).abs() < 1e-5);

        let constant = Matrix::from_vec(samples, 1, vec![-2.5; samples]).unwrap();
        let constant = ridge.fit(&problem.features, &constant).unwrap();
        assert!(constant.weights().as_slice().iter().all(|w| w.abs() < 1e-7));
        assert!((constant.bias()[0] + 2.5).abs() < 1e-6);
    }
}

/// The unit is the mean eigenvalue of the centred Gram matrix, whichever system is solved.
#[test]
fn shares_are_of_the_mean_eigenvalue() {
    let mut random = Random::new(45);
    for (samples, features) in [(20, 50), (50, 20)] {
        let problem = Problem::new(&mut random, samples, features, 1);
        let centred = Gram::new(&problem.features).centred().unwrap();
        let trace: f64 = (0..samples).map(|i| f64::from(centred.row(i).unwrap()[i])).sum();
        let fit = |ridge: Ridge| ridge.fit(&problem.features, &problem.targets).unwrap();
        for (share, ridge) in [(0.3, Ridge::default()), (2.0, Ridge::new(2.0).unwrap())] {
            let gamma = share * trace / samples as f64;
            let expected = fit(Ridge::absolute(gamma).unwrap());
            let expected: Vec<f64> =
                expected.weights().as_slice().iter().map(|&w| f64::from(w)).collect();
            assert_close(fit(ridge).weights().as_slice(), &expected, "weights");
        }
        let gram = Gram::new(&problem.features).matrix().unwrap();
        let kernel = KernelRidge::default().fit(&gram, &problem.targets).unwrap();
        let model = fit(Ridge::default());
        let expected = model.predict(&problem.features).unwrap().into_vec();
        let expected: Vec<f64> = expected.into_iter().map(f64::from).collect();
        assert_close(kernel.predict(&gram).unwrap().as_slice(), &expected, "kernel ridge");
    }
}

/// Features that never vary: only the mean remains.
#[test]
fn constant_features_leave_the_mean() {
    let trits = TritMatrix::new(4, 3, vec![0b010; 4], vec![0b011; 4]).unwrap();
    let targets = Matrix::from_vec(4, 1, vec![1.0, 2.0, 3.0, 6.0]).unwrap();
    let features = Features::new(trits);
    let model = Ridge::default().fit(&features, &targets).unwrap();
    assert_close(model.predict(&features).unwrap().as_slice(), &[3.0; 4], "mean");

    // With fewer samples than features, by the other system: sizes at which products with 1/n and 1/m are rounded.
    for (samples, features) in [(44, 1000), (49, 300), (57, 300), (58, 129), (93, 128)] {
        let trits: Vec<i8> =
            (0..samples * features).map(|k| (k % features % 3) as i8 - 1).collect();
        let (sign, mask) = data::pack(&trits, features);
        let features = Features::new(TritMatrix::new(samples, features, sign, mask).unwrap());
        let targets = (0..samples).map(|sample| (sample as f32 * 0.7).sin()).collect();
        let targets = Matrix::from_vec(samples, 1, targets).unwrap();
        let mean = targets.as_slice().iter().map(|&y| f64::from(y)).sum::<f64>() / samples as f64;
        let model = Ridge::default().fit(&features, &targets).unwrap();
        let predicted = model.predict(&features).unwrap();
        assert_close(predicted.as_slice(), &vec![mean; samples], "mean of fewer samples");
    }
}

/// A γ beyond all eigenvalues leaves the mean, one below them all leaves the targets.
#[test]
fn gamma_goes_from_the_targets_to_their_mean() {
    let problem = Problem::new(&mut Random::new(43), 20, 200, 1);
    let predicted = |gamma: f64| {
        let model =
            Ridge::absolute(gamma).unwrap().fit(&problem.features, &problem.targets).unwrap();
        model.predict(&problem.features).unwrap().into_vec()
    };
    let targets = problem.output(0);
    assert_close(&predicted(1e-8), &targets, "targets");
    let mean = targets.iter().sum::<f64>() / 20.0;
    assert_close(&predicted(1e8), &[mean; 20], "mean");
}

/// Classes that no linear model of the inputs can tell apart: shells of three sizes.
#[test]
fn classes_are_learnt_by_either_model() {
    let mut random = Random::new(44);
    let (samples, inputs, train) = (450, 6, 300);
    let labels: Vec<usize> = (0..samples).map(|_| random.below(3)).collect();
    let x: Vec<f32> = labels
        .iter()
        .flat_map(|&label| {
            let v: Vec<f64> = (0..inputs).map(|_| random.normal()).collect();
            let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
            v.into_iter().map(move |v| (v / norm * (1.0 + label as f64)) as f32)
        })
        .collect();
    let all = Samples::new(&x, inputs).unwrap();
    let (seen, new) = (all.slice(0..train).unwrap(), all.slice(train..samples).unwrap());
    let fitted = TernaryFeatures::params(1024).fit(&seen).unwrap();
    let (seen, new) = (fitted.transform(&seen).unwrap(), fitted.transform(&new).unwrap());
    let model = Ridge::new(0.1).unwrap().fit_classes(&seen, &labels[..train]).unwrap();
    let predicted = model.predict(&new).unwrap();
    let right = accuracy(&predicted, &labels[train..]);
    assert!(right > 0.8, "{right}, where chance and linear models have 0.33");

    let gram = Gram::new(&seen).matrix().unwrap();
    let kernel = KernelRidge::new(0.1).unwrap().fit_classes(&gram, &labels[..train]).unwrap();
    let cross = Gram::new(&new).cross(&seen).unwrap();
    assert_eq!(kernel.predict_classes(&cross).unwrap(), predicted);

    let scores = model.model().predict(&new).unwrap();
    for (row, class) in scores.iter_rows().zip(predicted) {
        assert!(row.iter().all(|score| *score <= row[class]));
    }
}
