//! The Gram matrix: its entries by the oracle, and what it is for, the kernel, by its formula.

use ternion::theory::Bands;
use ternion::{Features, Gram, Policy, Samples, Scaling, Target, TernaryFeatures, TritMatrix};
use ternion_tests::data::{self, Random};
use ternion_tests::{dense, isa, oracle};

fn packed(trits: &[i8], cols: usize) -> Features {
    let (sign, mask) = data::pack(trits, cols);
    Features::new(TritMatrix::new(trits.len() / cols, cols, sign, mask).unwrap())
}

#[test]
fn every_entry_mean_and_transpose_is_the_oracles() {
    let mut random = Random::new(21);
    for cols in data::LENGTHS {
        let (rows, others) = (1 + random.below(70), 1 + random.below(9));
        let a = random.trits(rows * cols, 0.5);
        let b = random.trits(others * cols, 0.3);
        let (left, right) = (packed(&a, cols), packed(&b, cols));
        let expected = oracle::dots(&a, &b, cols);

        let dots = Gram::new(&left).cross_counts(&right).unwrap();
        assert_eq!((dots.rows(), dots.cols()), (rows, others));
        assert!(dots.as_slice().iter().map(|&dot| i64::from(dot)).eq(expected.iter().copied()));
        let gram = Gram::new(&left).cross(&right).unwrap();
        for (found, dot) in gram.as_slice().iter().zip(&expected) {
            assert_eq!(*found, (*dot as f64 / cols as f64) as f32);
        }

        let transposed = left.transposed().unwrap();
        assert_eq!((transposed.len(), transposed.features()), (cols, rows));
        let columns = (0..cols).flat_map(|col| a.iter().skip(col).step_by(cols));
        assert!(transposed.trits().iter_rows().flatten().eq(columns.copied()));
        assert_eq!(transposed.transposed().unwrap(), left);

        let means = left.means();
        for (col, mean) in means.iter().enumerate() {
            let sum: i64 = a.iter().skip(col).step_by(cols).map(|&trit| i64::from(trit)).sum();
            assert!((mean - sum as f64 / rows as f64).abs() < 1e-15);
        }
        assert_eq!(means.len(), cols);
    }
}

/// More samples than features, so that the Gram matrix is singular: the edge of what is allowed.
#[test]
fn the_gram_matrix_is_symmetric_and_never_negative() {
    let mut random = Random::new(22);
    let (samples, inputs, features) = (60, 20, 24);
    let x: Vec<f32> = (0..samples * inputs).map(|_| random.normal() as f32).collect();
    let all = Samples::new(&x, inputs).unwrap();
    for isa in isa::isas() {
        let fitted = TernaryFeatures::params(features).isa(isa).fit(&all).unwrap();
        let gram = Gram::new(&fitted.transform(&all).unwrap()).matrix().unwrap();
        let at = |i: usize, j: usize| gram.row(i).unwrap()[j];
        let mut raised = Vec::new();
        for i in 0..samples {
            for j in 0..samples {
                assert_eq!(at(i, j), at(j, i));
                raised.push(f64::from(at(i, j)) + if i == j { 1e-5 } else { 0.0 });
            }
        }
        // Entries are rounded to 6e-8, and 60 of them weigh less than the 1e-5 added.
        assert!(dense::pivots(&raised, samples).iter().all(|&pivot| pivot > 0.0), "on {isa}");
        assert!(gram.row(samples).is_none());
    }
}

/// Inner products at which the kernels are compared.
const ANGLES: [f64; 6] = [-0.3, -0.2, -0.1, 0.1, 0.2, 0.3];

const INPUTS: usize = 200;
const PAIRS: usize = 60;

/// Unit vectors in groups: the first of each, then one at each inner product with it.
fn constellation() -> Vec<f32> {
    let mut random = Random::new(23);
    let mut unit = |against: Option<&[f64]>| {
        let mut v: Vec<f64> = (0..INPUTS).map(|_| random.normal()).collect();
        if let Some(u) = against {
            let along: f64 = v.iter().zip(u).map(|(v, u)| v * u).sum();
            v.iter_mut().zip(u).for_each(|(v, u)| *v -= along * u);
        }
        let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
        v.iter_mut().for_each(|v| *v /= norm);
        v
    };
    let mut x = Vec::new();
    for _ in 0..PAIRS {
        let first = unit(None);
        x.extend(first.iter().map(|&x| x as f32));
        for c in ANGLES {
            let across = unit(Some(&first));
            let at_angle = first.iter().zip(across).map(|(x, z)| c * x + (1.0 - c * c).sqrt() * z);
            x.extend(at_angle.map(|x| x as f32));
        }
    }
    x
}

/// How far α²·Gram + λ·1 is from the kernel: the largest difference over the angles, and the one on
/// the diagonal. Both are relative to the value at a right angle, which centring removes.
///
/// The thresholds are `stretch` times those of the report, to imitate a mistake.
fn off(target: &Target, kernel: fn(f64) -> f64, stretch: f64) -> (f64, f64) {
    let x = constellation();
    let samples = Samples::new(&x, INPUTS).unwrap();
    let fit = |policy| {
        let params = TernaryFeatures::params(8192).target(target.clone()).policy(policy);
        params.centre(false).scaling(Scaling::Row).fit(&samples).unwrap()
    };
    let report = fit(Policy::MinVariance).report().clone();
    let Bands::Two { lower, upper } = report.bands else { panic!("two thresholds") };
    let fitted = fit(Policy::Fixed { lower: lower * stretch, upper: upper * stretch });
    let gram = Gram::new(&fitted.transform(&samples).unwrap()).matrix().unwrap();
    let at = |i: usize, j: usize| f64::from(gram.row(i).unwrap()[j]);

    let group = ANGLES.len() + 1;
    let firsts = || (0..PAIRS).map(|pair| pair * group);
    let apart: Vec<f64> = firsts()
        .flat_map(|i| (0..gram.cols()).filter(move |j| j / group != i / group).map(move |j| (i, j)))
        .map(|(i, j)| at(i, j))
        .collect();
    let apart = apart.iter().sum::<f64>() / apart.len() as f64;
    let ternary = |j: usize| {
        let near = firsts().map(|i| at(i, i + j)).sum::<f64>() / PAIRS as f64;
        report.alpha.powi(2) * (near - apart)
    };
    let differences = ANGLES.into_iter().enumerate().map(|(j, c)| {
        let exact = kernel(c) - kernel(0.0);
        (ternary(j + 1) - exact).abs()
    });
    let diagonal = ternary(0) + report.lambda - (kernel(1.0) - kernel(0.0));
    (differences.fold(0.0, f64::max), diagonal.abs())
}

/// Right thresholds stay below the bounds, wrong ones do not.
fn check(target: Target, kernel: fn(f64) -> f64, angles: f64, diagonal: f64) {
    let right = off(&target, kernel, 1.0);
    assert!(right.0 < angles && right.1 < diagonal, "{right:?}");
    // A little too small or large, and with √(1−ε) forgotten.
    for stretch in [0.95, 1.05, 3.0_f64.sqrt()] {
        let wrong = off(&target, kernel, stretch);
        assert!(wrong.0 > angles && wrong.1 > diagonal, "{stretch}: {wrong:?}");
    }
}

/// exp(−‖x−y‖²), which goes from 0.07 to 0.25 over these angles. The ternary kernel is right to
/// second order in the angle.
#[test]
fn the_gram_matrix_is_the_gaussian_kernel() {
    check(Target::gaussian_scale(), dense::gaussian_kernel, 0.006, 0.02);
}

/// E max(0, w·x) max(0, w·y), which goes from 0.09 to 0.24 over these angles.
#[test]
fn the_gram_matrix_is_the_arc_cosine_kernel() {
    check(Target::relu(), dense::relu_kernel, 0.003, 0.01);
}
