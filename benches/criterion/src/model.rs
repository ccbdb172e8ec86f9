//! A class by a model for microcontrollers, which has one back end. The samples are of `i8`, as most sensors' are: any
//! other type becomes `i16` as it is read, and so does this one. Elements are weights of W.

use crate::{SPARSITIES, Set, suffix, whole};
use criterion::{BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use ternion_core::model::Model;
use ternion_tests::data::Random;
use ternion_tests::inputs::Input;
use ternion_tests::model::{PlainModel, PlainProjection};

const FEATURES: usize = 256;
const INPUTS: usize = 64;
const OUTPUTS: usize = 10;

/// A model whose features take all values.
fn plain(projection: PlainProjection) -> PlainModel {
    let mut random = Random::new(8);
    let weight = |random: &mut Random| 2 * random.below(4) as i32 - 3;
    PlainModel {
        inputs: INPUTS,
        shift: 0,
        mean: None,
        factors: None,
        words: None,
        projection,
        features: FEATURES,
        cuts: [-150, -150, 200, 200],
        periodic: false,
        fractions: None,
        bits: 2,
        weights: (0..OUTPUTS)
            .map(|_| (0..FEATURES).map(|_| weight(&mut random)).collect())
            .collect(),
        heads: vec![(100, 0); OUTPUTS],
    }
}

/// Every form, those that have zeros with each sparsity.
fn projections(set: Set) -> Vec<(PlainProjection, String)> {
    let mut projections = Vec::new();
    for &sparsity in set.of(&SPARSITIES) {
        let first = projections.is_empty();
        for projection in PlainProjection::all(&mut Random::new(9), INPUTS, FEATURES, sparsity) {
            if matches!(projection, PlainProjection::Stored(_) | PlainProjection::Seeded(..)) {
                projections.push((projection, suffix(sparsity)));
            } else if first {
                projections.push((projection, String::new()));
            }
        }
    }
    projections
}

pub(crate) fn add(criterion: &mut Criterion, set: Set) {
    let sample = i8::from_whole(&whole(INPUTS, 10), INPUTS);
    let numbers: Vec<i64> = sample.iter().map(|&x| x.into()).collect();
    let mut group = criterion.benchmark_group("model");
    group.throughput(Throughput::Elements((FEATURES * INPUTS) as u64));
    for (projection, sparsity) in projections(set) {
        let name = projection.name();
        let plain = plain(projection);
        let bytes = plain.to_bytes();
        let model = Model::from_bytes(&bytes).expect("the bytes of a model");
        let mut scratch = vec![0; model.scratch_words()];
        let class = model.predict(&sample, &mut scratch).expect("numbers in range");
        assert_eq!(Some(class), plain.predict(&numbers), "{name}: not the oracle's class");
        let shape = format!("{FEATURES}x{INPUTS}x{OUTPUTS}x1{sparsity}");
        group.bench_function(BenchmarkId::new(format!("{name}/i8"), shape), |bencher| {
            bencher.iter(|| model.predict(black_box(&sample), &mut scratch));
        });
    }
    group.finish();
}
