//! Eigenpairs: against their definition, and the leading ones of a Gram matrix against all of it.

use ternion::dense::{symmetric_eigenpairs, symmetric_eigenvalues};
use ternion::{Features, Gram, Matrix, TritMatrix};
use ternion_tests::data::{self, Random};

fn features(random: &mut Random, samples: usize, cols: usize, sparsity: f64) -> Features {
    let (sign, mask) = data::pack(&random.trits(samples * cols, sparsity), cols);
    Features::new(TritMatrix::new(samples, cols, sign, mask).unwrap())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn all_pairs_solve_the_equation_and_are_orthonormal() {
    let mut random = Random::new(61);
    for n in [1, 2, 5, 33, 120] {
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                a[i * n + j] = random.normal();
                a[j * n + i] = a[i * n + j];
            }
        }
        let matrix = Matrix::from_vec(n, n, a.clone()).unwrap();
        let all = symmetric_eigenpairs(&matrix).unwrap();
        let trace: f64 = (0..n).map(|i| a[i * n + i]).sum();
        assert!((all.values.iter().sum::<f64>() - trace).abs() < 1e-11);
        for (i, v) in all.vectors.iter_rows().enumerate() {
            for (row, x) in a.chunks(n).zip(v) {
                assert!((dot(row, v) - all.values[i] * x).abs() < 1e-11, "{n}, {i}");
            }
            for (j, w) in all.vectors.iter_rows().enumerate() {
                assert!((dot(v, w) - f64::from(i == j)).abs() < 1e-12, "{n}, {i} {j}");
            }
        }
        for (a, b) in symmetric_eigenvalues(&matrix).unwrap().iter().zip(&all.values) {
            assert!((a - b).abs() < 1e-11);
        }
    }
}

/// Scaling by a power of two changes no digit of the values and vectors; other factors change the last ones.
#[test]
fn tiny_and_huge_entries_give_the_same_pairs() {
    let a = [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0];
    let times = |by: f64| Matrix::from_vec(3, 3, a.map(|x| x * by).to_vec()).unwrap();
    let plain = symmetric_eigenpairs(&times(1.0)).unwrap();
    // The roots of x³ − 14x − 12.
    for (value, expected) in plain.values.iter().zip([4.113, -0.911, -3.202]) {
        assert!((value - expected).abs() < 1e-3, "{value} {expected}");
        assert!((value.powi(3) - 14.0 * value - 12.0).abs() < 1e-13);
    }
    for by in [1e-307, 1e-200, 1e-165, 1e-160, 1e160, 1e200, 1e307, 2_f64.powi(-1000)] {
        let all = symmetric_eigenpairs(&times(by)).unwrap();
        assert_eq!(all.values, symmetric_eigenvalues(&times(by)).unwrap());
        for (k, value) in all.values.iter().enumerate() {
            assert!((value / by - plain.values[k]).abs() < 1e-14, "{by:e}: {value:e}");
            for (x, y) in all.vectors.row(k).unwrap().iter().zip(plain.vectors.row(k).unwrap()) {
                assert!((x - y).abs() < 1e-14, "{by:e}: {x} {y}");
            }
        }
    }
    assert_eq!(symmetric_eigenpairs(&times(2_f64.powi(900))).unwrap().vectors, plain.vectors);
    let zero = symmetric_eigenpairs(&times(0.0)).unwrap();
    assert_eq!(zero.values, [0.0; 3]);
    assert!(zero.vectors.iter_rows().all(|v| dot(v, v) == 1.0));
}

/// Rows that are tiny beside others, down to subnormal numbers: the vectors stay orthonormal, the equation holds, and
/// a block that is coupled to no other keeps its own digits.
#[test]
fn rows_of_very_different_sizes_do_not_matter() {
    let a = [0.0, 1.0, 2.0, 1.0, 0.0, 3.0, 2.0, 3.0, 0.0];
    let plain = symmetric_eigenvalues(&Matrix::from_vec(3, 3, a.to_vec()).unwrap()).unwrap();
    for by in [1e-100, 1e-155, 1e-161, 1e-165, 1e-200, 1e-300, 1e-320] {
        for coupled in [false, true] {
            // The small block first and last; the large ones are 7 and 5.
            for first in [0, 2] {
                let (n, mut b) = (5, vec![0.0; 25]);
                for i in 0..9 {
                    b[(first + i / 3) * n + first + i % 3] = a[i] * by;
                }
                let large = if first == 0 { [3, 4] } else { [0, 1] };
                b[large[0] * n + large[0]] = 7.0;
                b[large[1] * n + large[1]] = 5.0;
                if coupled {
                    b.iter_mut().filter(|x| **x == 0.0).for_each(|x| *x = by);
                }
                let all =
                    symmetric_eigenpairs(&Matrix::from_vec(n, n, b.clone()).unwrap()).unwrap();
                let label = format!("{by:e} {coupled} {first}");
                for (i, v) in all.vectors.iter_rows().enumerate() {
                    for (row, x) in b.chunks(n).zip(v) {
                        assert!((dot(row, v) - all.values[i] * x).abs() < 1e-13, "{label}");
                    }
                    for (j, w) in all.vectors.iter_rows().enumerate() {
                        assert!((dot(v, w) - f64::from(i == j)).abs() < 1e-14, "{label}");
                    }
                }
                if !coupled && by > 1e-250 {
                    let mut small: Vec<f64> = all.values;
                    small.retain(|value| value.abs() < 1.0);
                    for (value, plain) in small.iter().zip(&plain) {
                        assert!((value / by - plain).abs() < 1e-13, "{label}: {value:e}");
                    }
                }
            }
        }
    }
}

/// (samples, features, pairs): more samples than features so that most eigenvalues are zero, fewer,
/// all of them, one sample, one pair.
#[test]
fn leading_pairs_are_the_first_of_all_pairs() {
    let mut random = Random::new(62);
    for (samples, cols, count) in
        [(1, 5, 1), (2, 5, 2), (40, 300, 5), (40, 300, 40), (90, 6, 12), (200, 64, 10)]
    {
        let features = features(&mut random, samples, cols, 0.3);
        assert_leading(&features, count, &format!("{samples}×{cols}"));
    }
}

/// Compares the leading pairs with all pairs and with their definition.
fn assert_leading(features: &Features, count: usize, label: &str) {
    let samples = features.len();
    let gram = Gram::new(features).alpha(1.5).unwrap();
    let dense = gram.centred().unwrap();
    let dense: Vec<f64> = dense.into_vec().into_iter().map(f64::from).collect();
    let all = symmetric_eigenvalues(&Matrix::from_vec(samples, samples, dense).unwrap()).unwrap();
    let leading = gram.leading_eigenpairs(count).unwrap();
    assert_eq!((leading.values.len(), leading.vectors.rows()), (count, count));
    for (k, vector) in leading.vectors.iter_rows().enumerate() {
        // The dense matrix is rounded to f32.
        let (found, expected) = (leading.values[k], all[k]);
        assert!((found - expected).abs() < 1e-5 * all[0].max(1.0), "{label}: {found} {expected}");
        let product = gram.centred_matvec(vector).unwrap();
        for (product, x) in product.iter().zip(vector) {
            assert!(
                (product - leading.values[k] * x).abs() < 1e-8 * all[0].max(1.0),
                "{label} {k}"
            );
        }
        let largest = vector.iter().fold(0.0_f64, |a, b| if b.abs() > a.abs() { *b } else { a });
        assert!(largest > 0.0, "{label} {k}");
        for (j, other) in leading.vectors.iter_rows().enumerate() {
            assert!((dot(vector, other) - f64::from(j == k)).abs() < 1e-9, "{label} {k} {j}");
        }
    }
}

/// No eigenvalue stands out, so the basis must be renewed before the pairs are found.
#[test]
fn leading_pairs_of_a_bulk_are_found() {
    let mut random = Random::new(63);
    for (samples, cols, count) in [(600, 2000, 1), (600, 600, 3), (700, 150, 9)] {
        let features = features(&mut random, samples, cols, 0.3);
        assert_leading(&features, count, &format!("{samples}×{cols}"));
    }
}

/// Forty groups of samples, each with features of its own, and noise: 39 eigenvalues near each other
/// above a bulk, of which few are asked for.
#[test]
fn leading_pairs_of_a_cluster_are_found() {
    let (groups, each, own) = (40, 14, 12);
    let cols = groups * own + 150;
    let mut trits = Random::new(64).trits(groups * each * cols, 0.8);
    for (i, row) in trits.chunks_mut(cols).enumerate() {
        for (k, trit) in row[..groups * own].iter_mut().enumerate() {
            *trit = (k / own == i % groups) as i8;
        }
    }
    let (sign, mask) = data::pack(&trits, cols);
    let features = Features::new(TritMatrix::new(groups * each, cols, sign, mask).unwrap());
    for count in [1, 5, 20] {
        assert_leading(&features, count, &format!("{count} of a cluster"));
    }
}

/// Each sample shares one feature with the next, with signs ±: the eigenvalues 2 + 2·cos(πk/(n + 1)) of
/// the chain lie so near each other that the basis is renewed again and again and has to grow. The vectors
/// of odd k have no mean for even n, so that centring leaves them and their values.
#[test]
fn leading_pairs_of_a_chain_are_found() {
    let n = 1200;
    let cols = n + 1;
    let mut trits = vec![0; n * cols];
    for i in 0..n {
        trits[i * cols + i] = 1;
        trits[i * cols + i + 1] = -1;
    }
    let (sign, mask) = data::pack(&trits, cols);
    let features = Features::new(TritMatrix::new(n, cols, sign, mask).unwrap());
    let alpha = (cols as f64).sqrt();
    let leading = Gram::new(&features).alpha(alpha).unwrap().leading_eigenpairs(3).unwrap();
    for k in [1, 3] {
        let angle = std::f64::consts::PI * k as f64 / cols as f64;
        let (found, expected) = (leading.values[k - 1], 2.0 + 2.0 * angle.cos());
        assert!((found - expected).abs() < 1e-10, "{k}: {found} {expected}");
        // The vector (−1)ʲ·sin(jkπ/(n + 1)), with either sign.
        let wave: Vec<f64> =
            (1..cols).map(|j| (1.0 - 2.0 * (j % 2) as f64) * (j as f64 * angle).sin()).collect();
        let along = dot(leading.vectors.row(k - 1).unwrap(), &wave) / dot(&wave, &wave).sqrt();
        assert!(along.abs() > 1.0 - 1e-6, "{k}: {along}");
    }
}

/// Three groups of equal samples: two eigenvalues, each sample's group in the vectors.
#[test]
fn repeated_eigenvalues_and_equal_samples_are_found() {
    let (groups, each, cols) = (3, 20, 90);
    // Group g is +1 in its own third of the features: three equal blocks, so a double eigenvalue.
    let trits: Vec<i8> = (0..groups * each)
        .flat_map(|i| (0..cols).map(move |k| (k / 30 == i % groups) as i8))
        .collect();
    let (sign, mask) = data::pack(&trits, cols);
    let features = Features::new(TritMatrix::new(groups * each, cols, sign, mask).unwrap());
    let leading = Gram::new(&features).leading_eigenpairs(4).unwrap();
    let expected = each as f64 / 3.0;
    for (value, expected) in leading.values.iter().zip([expected, expected, 0.0, 0.0]) {
        assert!((value - expected).abs() < 1e-9, "{:?}", leading.values);
    }
    for vector in leading.vectors.iter_rows().take(2) {
        for (i, x) in vector.iter().enumerate() {
            assert!((x - vector[i % groups]).abs() < 1e-9);
        }
    }
}

#[test]
fn features_that_are_all_equal_have_no_variance() {
    let (sign, mask) = data::pack(&[1; 30 * 10], 10);
    let features = Features::new(TritMatrix::new(30, 10, sign, mask).unwrap());
    let leading = Gram::new(&features).leading_eigenpairs(3).unwrap();
    assert!(leading.values.iter().all(|value| value.abs() < 1e-12), "{:?}", leading.values);
}
