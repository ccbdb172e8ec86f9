//! Training on packed features: second moments, and ridge fits with one output, solved by the features or by the
//! samples, whichever are fewer. Elements are the pairs of trits of the products.

use crate::{Set, suffix, whole, zeros};
use criterion::{BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use ternion::learn::Ridge;
use ternion::{Features, Isa, Matrix, Samples, TernaryFeatures};
use ternion_tests::inputs::Input;
use ternion_tests::{dense, oracle};

const INPUTS: usize = 16;
const GAMMA: f64 = 0.1;

/// Features that compute on one instruction set.
fn features(isa: Isa, features: usize, samples: usize) -> Features {
    let x = f32::from_whole(&whole(samples * INPUTS, 5), INPUTS);
    let x = Samples::new(&x, INPUTS).expect("whole samples");
    let fitted = TernaryFeatures::params(features).isa(isa).fit(&x).expect("samples that differ");
    fitted.transform(&x).expect("samples of the fit")
}

/// Trits, a row per sample.
fn rows(features: &Features) -> Vec<Vec<f64>> {
    let row = |row: ternion::TritRow<'_>| row.into_iter().map(f64::from).collect();
    features.trits().iter_rows().map(row).collect()
}

fn add_moments(criterion: &mut Criterion, set: Set) {
    let mut group = criterion.benchmark_group("moments");
    for &(m, n) in set.of(&[(1024, 2048), (256, 512)]) {
        group.throughput(Throughput::Elements((m * (m + 1) / 2 * n) as u64));
        let mut expected: Option<Vec<i64>> = None;
        for isa in set.isas() {
            let features = features(isa, m, n);
            let expected = expected.get_or_insert_with(|| {
                let rows: Vec<Vec<i8>> =
                    features.trits().iter_rows().map(|row| row.into_iter().collect()).collect();
                let by_feature: Vec<i8> =
                    (0..m).flat_map(|feature| rows.iter().map(move |row| row[feature])).collect();
                oracle::dots(&by_feature, &by_feature, n)
            });
            let found = features.second_moments().expect("it fits in memory");
            let found = found.as_slice().iter().map(|&sum| i64::from(sum));
            assert!(found.eq(expected.iter().copied()), "moments on {isa}: not the oracle's");
            let shape = format!("{m}x{n}{}", suffix(zeros(features.trits())));
            let id = BenchmarkId::new(format!("trits/{isa}"), shape);
            group.bench_function(id, |bencher| {
                bencher.iter(|| black_box(&features).second_moments());
            });
        }
    }
    group.finish();
}

fn add_ridge(criterion: &mut Criterion, set: Set) {
    let ridge = Ridge::absolute(GAMMA).expect("positive");
    let mut group = criterion.benchmark_group("ridge");
    for (way, m, n) in [("by-features", 512, 1024), ("by-samples", 512, 256)] {
        let y: Vec<f32> = whole(n, 6).into_iter().map(f32::from).collect();
        let targets = Matrix::from_vec(n, 1, y.clone()).expect("equal sizes");
        let y: Vec<f64> = y.into_iter().map(f64::from).collect();
        let pairs = if m < n { m * (m + 1) / 2 * n } else { n * (n + 1) / 2 * m };
        group.throughput(Throughput::Elements(pairs as u64));
        let mut expected: Option<Vec<f64>> = None;
        for isa in set.isas() {
            let features = features(isa, m, n);
            let expected =
                expected.get_or_insert_with(|| dense::ridge(&rows(&features), &y, GAMMA).0);
            let model = ridge.fit(&features, &targets).expect("sizes that agree");
            let largest = expected.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
            for (&found, expected) in model.weights().as_slice().iter().zip(expected) {
                let off = (f64::from(found) - *expected).abs();
                assert!(off < 1e-4 * largest, "ridge on {isa}: {found} for {expected}");
            }
            let shape = format!("{m}x{n}{}", suffix(zeros(features.trits())));
            let id = BenchmarkId::new(format!("{way}/{isa}"), shape);
            group.bench_function(id, |bencher| {
                bencher.iter(|| ridge.fit(black_box(&features), &targets));
            });
        }
    }
    group.finish();
}

pub(crate) fn add(criterion: &mut Criterion, set: Set) {
    add_moments(criterion, set);
    add_ridge(criterion, set);
}
