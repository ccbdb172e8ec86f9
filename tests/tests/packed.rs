//! The algebra of packed features: Gram matrices in every form, products with vectors, on any number of
//! threads.

use std::sync::Mutex;
use ternion::packed::Progress;
use ternion::{Features, Gram, Matrix, TritMatrix};
use ternion_tests::data::{self, Random};
use ternion_tests::{dense, oracle};

/// (samples, features) around words, pieces and panels.
const SHAPES: [(usize, usize); 9] =
    [(1, 1), (1, 70), (3, 1), (17, 64), (64, 65), (70, 200), (130, 513), (300, 40), (600, 130)];

struct Case {
    trits: Vec<i8>,
    samples: usize,
    cols: usize,
    features: Features,
}

fn case(random: &mut Random, samples: usize, cols: usize) -> Case {
    let trits = random.trits(samples * cols, 0.4);
    let (sign, mask) = data::pack(&trits, cols);
    let features = Features::new(TritMatrix::new(samples, cols, sign, mask).unwrap());
    Case { trits, samples, cols, features }
}

fn cases(seed: u64) -> impl Iterator<Item = Case> {
    let mut random = Random::new(seed);
    SHAPES.into_iter().map(move |(samples, cols)| case(&mut random, samples, cols))
}

#[test]
fn counts_and_scaled_matrices_are_the_oracles() {
    for Case { trits, cols, features, .. } in cases(31) {
        let expected = oracle::dots(&trits, &trits, cols);
        let counts = Gram::new(&features).counts().unwrap();
        assert!(counts.as_slice().iter().map(|&x| i64::from(x)).eq(expected.iter().copied()));
        let scaled = Gram::new(&features).alpha(1.7).unwrap().matrix().unwrap();
        for (found, dot) in scaled.as_slice().iter().zip(&expected) {
            let expected = *dot as f64 * 1.7 * 1.7 / cols as f64;
            assert!((f64::from(*found) - expected).abs() <= 1e-7 * expected.abs());
        }
        let part = Features::new(owned(features.trits().slice(0..1).unwrap()));
        let cross = Gram::new(&part).alpha(1.7).unwrap().cross(&features).unwrap();
        assert_eq!(cross.as_slice(), scaled.row(0).unwrap());
    }
}

#[test]
fn unpacked_features_are_the_trits() {
    for Case { trits, samples, cols, features } in cases(37) {
        let bytes = features.unpack::<i8>().unwrap();
        assert_eq!((bytes.rows(), bytes.cols()), (samples, cols));
        assert_eq!(bytes.as_slice(), trits);
        let floats = features.unpack::<f32>().unwrap();
        assert!(floats.as_slice().iter().copied().eq(trits.iter().map(|&trit| f32::from(trit))));
        let mut wide = vec![9_i64; samples * cols];
        features.unpack_into(&mut wide).unwrap();
        assert!(wide.iter().copied().eq(trits.iter().map(|&trit| i64::from(trit))));
    }
}

fn owned(trits: TritMatrix<&[u64]>) -> TritMatrix<Vec<u64>> {
    let (sign, mask) = (trits.sign().to_vec(), trits.mask().to_vec());
    TritMatrix::new(trits.rows(), trits.cols(), sign, mask).unwrap()
}

/// P·G·P from the whole matrix, one entry at a time.
fn centred(dots: &[i64], n: usize, scale: f64) -> Vec<f64> {
    let mean = |row: usize| dots[row * n..][..n].iter().sum::<i64>() as f64 / n as f64;
    let all = dots.iter().sum::<i64>() as f64 / (n * n) as f64;
    let entry = |at: usize| (dots[at] as f64 - mean(at / n) - mean(at % n) + all) * scale;
    (0..n * n).map(entry).collect()
}

#[test]
fn the_centred_matrix_is_symmetric_has_no_mean_and_no_negative_pivot() {
    for Case { trits, samples: n, cols, features } in cases(32).filter(|case| case.samples < 200) {
        let found = Gram::new(&features).alpha(0.5).unwrap().centred().unwrap();
        let expected = centred(&oracle::dots(&trits, &trits, cols), n, 0.25 / cols as f64);
        let mut raised = Vec::new();
        for (at, (found, expected)) in found.as_slice().iter().zip(&expected).enumerate() {
            assert!((f64::from(*found) - expected).abs() < 1e-7, "{n}×{cols} at {at}");
            raised.push(f64::from(*found) + if at % n == at / n { 1e-4 } else { 0.0 });
        }
        for (i, row) in found.iter_rows().enumerate() {
            assert!(row.iter().map(|&x| f64::from(x)).sum::<f64>().abs() < 1e-5);
            assert!(row.iter().enumerate().all(|(j, x)| *x == found.row(j).unwrap()[i]));
        }
        assert!(dense::pivots(&raised, n).iter().all(|&pivot| pivot > 0.0), "{n}×{cols}");
    }
}

#[test]
fn blocks_of_rows_are_the_rows_of_the_matrix() {
    for Case { samples, features, .. } in cases(33) {
        let gram = Gram::new(&features).alpha(2.0).unwrap();
        assert_eq!(gram.features(), &features);
        let whole = gram.matrix().unwrap();
        for rows in [1, 7, 64, 100, samples, samples + 5] {
            let blocks = gram.blocks(rows).unwrap();
            assert_eq!(blocks.len(), samples.div_ceil(rows));
            let found: Vec<f32> = blocks.flat_map(Matrix::into_vec).collect();
            assert_eq!(found, whole.as_slice(), "{rows} of {samples}");
        }
    }
}

fn vector(random: &mut Random, n: usize) -> Vec<f64> {
    (0..n).map(|_| random.normal()).collect()
}

/// Σ ±v over a column or row of trits.
fn signed_sum<'a>(trits: impl Iterator<Item = &'a i8>, v: &[f64]) -> f64 {
    trits.zip(v).map(|(&trit, v)| f64::from(trit) * v).sum()
}

fn close(found: &[f64], expected: impl Iterator<Item = f64>, scale: f64) {
    let mut count = 0;
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-13 * scale, "{found} {expected}");
        count += 1;
    }
    assert_eq!(count, found.len());
}

#[test]
fn products_with_vectors_are_sums_over_rows_and_columns() {
    let mut random = Random::new(34);
    for Case { trits, samples, cols, features } in cases(34) {
        let (u, v) = (vector(&mut random, cols), vector(&mut random, samples));
        let scale = (samples + cols) as f64;
        let rows = features.matvec(&u).unwrap();
        close(&rows, trits.chunks(cols).map(|row| signed_sum(row.iter(), &u)), scale);
        let columns = features.transposed_matvec(&v).unwrap();
        let column = |k: usize| trits.iter().skip(k).step_by(cols);
        close(&columns, (0..cols).map(|k| signed_sum(column(k), &v)), scale);
        let sums = (0..cols).map(|k| column(k).map(|&trit| i64::from(trit)).sum::<i64>());
        assert!(features.sums().into_iter().eq(sums));

        let dots = oracle::dots(&trits, &trits, cols);
        let gram = Gram::new(&features).alpha(3.0).unwrap();
        let product = |matrix: &[f64]| -> Vec<f64> {
            matrix.chunks(samples).map(|row| row.iter().zip(&v).map(|(g, v)| g * v).sum()).collect()
        };
        let plain: Vec<f64> = dots.iter().map(|&dot| dot as f64 * 9.0 / cols as f64).collect();
        close(&gram.matvec(&v).unwrap(), product(&plain).into_iter(), 9.0 * scale);
        let centred = centred(&dots, samples, 9.0 / cols as f64);
        close(&gram.centred_matvec(&v).unwrap(), product(&centred).into_iter(), 9.0 * scale);
    }
}

#[test]
fn second_moments_are_the_counts_of_the_transposed_trits() {
    for Case { trits, samples, cols, features } in cases(35).filter(|case| case.cols < 300) {
        let moments = features.second_moments().unwrap();
        assert_eq!((moments.rows(), moments.cols()), (cols, cols));
        let turned: Vec<i8> =
            (0..cols).flat_map(|k| trits.iter().skip(k).step_by(cols).copied()).collect();
        let expected = oracle::dots(&turned, &turned, samples);
        assert!(moments.as_slice().iter().map(|&x| i64::from(x)).eq(expected));
    }
}

/// More samples than are transposed at a time.
#[test]
fn second_moments_of_many_samples_are_the_oracles() {
    let Case { trits, samples, cols, features } = case(&mut Random::new(37), 40_000, 5);
    let moments = features.second_moments().unwrap();
    let turned: Vec<i8> =
        (0..cols).flat_map(|k| trits.iter().skip(k).step_by(cols).copied()).collect();
    let expected = oracle::dots(&turned, &turned, samples);
    assert!(moments.as_slice().iter().map(|&x| i64::from(x)).eq(expected));
}

#[cfg(feature = "rayon")]
#[test]
fn any_number_of_threads_gives_the_same_results() {
    let mut random = Random::new(36);
    let Case { features, samples, cols, .. } = case(&mut random, 900, 300);
    let (u, v) = (vector(&mut random, cols), vector(&mut random, samples));
    let all = || {
        let gram = Gram::new(&features);
        (
            [gram.matrix().unwrap(), gram.centred().unwrap(), gram.cross(&features).unwrap()],
            gram.blocks(333).unwrap().collect::<Vec<_>>(),
            [gram.matvec(&v).unwrap(), features.matvec(&u).unwrap()],
            features.transposed().unwrap(),
            gram.leading_eigenpairs(3).unwrap(),
        )
    };
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(all)
    };
    let one = on(1);
    for threads in [2, 3, 7] {
        assert!(on(threads) == one, "{threads} threads");
    }
}

#[test]
fn progress_ends_with_every_pair() {
    let mut random = Random::new(37);
    let Case { features, samples, .. } = case(&mut random, 700, 64);
    let seen = Mutex::new(Vec::new());
    let tell = |progress: Progress| seen.lock().unwrap().push(progress);
    let gram = Gram::new(&features).progress(&tell);
    let n = samples as u64;
    for (total, run) in [
        (
            n * (n + 1) / 2,
            &(|| gram.matrix().map(|_| ())) as &dyn Fn() -> Result<(), ternion::Error>,
        ),
        (n * n, &|| gram.cross(&features).map(|_| ())),
        (n * n, &|| gram.blocks(150).map(|blocks| assert_eq!(blocks.count(), 5))),
    ] {
        run().unwrap();
        let mut seen = std::mem::take(&mut *seen.lock().unwrap());
        assert!(seen.len() > 1 && seen.iter().all(|progress| progress.total == total));
        seen.sort_by_key(|progress| progress.done);
        assert!(seen.is_sorted_by(|a, b| a.done < b.done));
        assert_eq!(seen.last().unwrap().done, total);
    }
}

#[test]
fn progress_of_eigenpairs_ends_with_all_of_them() {
    let mut random = Random::new(38);
    let Case { features, .. } = case(&mut random, 300, 200);
    let seen = Mutex::new(Vec::new());
    let tell = |progress: Progress| seen.lock().unwrap().push(progress);
    let gram = Gram::new(&features).progress(&tell);
    gram.leading_eigenpairs(6).unwrap();
    let found = std::mem::take(&mut *seen.lock().unwrap());
    assert!(found.len() > 1 && found.iter().all(|progress| progress.total == 6));
    // The search ends as soon as all are found.
    let all = found.iter().position(|progress| progress.done == 6);
    assert_eq!(all, Some(found.len() - 1));
    // A single product reports no progress.
    gram.centred_matvec(&[1.0; 300]).unwrap();
    assert!(seen.lock().unwrap().is_empty());
}
