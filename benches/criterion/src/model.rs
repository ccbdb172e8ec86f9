//! A class by a model for microcontrollers, which has one back end. Ids: `model/FORM/i8/FEATURESxINPUTSxOUTPUTS`; elements are weights
//! of W.

use crate::{Set, whole};
use criterion::{BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use ternion_core::Sparsity;
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

pub(crate) fn add(criterion: &mut Criterion, _: Set) {
    let sparsity = Sparsity::new(2.0 / 3.0).expect("a probability");
    let trits = Random::new(9).trits(FEATURES * INPUTS, 2.0 / 3.0);
    let projections = [
        ("stored", PlainProjection::Stored(trits)),
        ("seeded", PlainProjection::Seeded(sparsity.bits(), 1)),
        ("structured", PlainProjection::Structured(1)),
        ("boxes", PlainProjection::Boxes([8, 8, 1], 1)),
        ("subsets", PlainProjection::Subsets([2, 8], 1)),
    ];
    let sample = i8::from_whole(&whole(INPUTS, 10), INPUTS);
    let numbers: Vec<i64> = sample.iter().map(|&x| x.into()).collect();
    let mut group = criterion.benchmark_group("model");
    group.throughput(Throughput::Elements((FEATURES * INPUTS) as u64));
    for (name, projection) in projections {
        let plain = plain(projection);
        let bytes = plain.to_bytes();
        let model = Model::from_bytes(&bytes).expect("the bytes of a model");
        let mut scratch = vec![0; model.scratch_words()];
        let class = model.predict(&sample, &mut scratch).expect("numbers in range");
        assert_eq!(Some(class), plain.predict(&numbers), "{name}: not the oracle's class");
        let shape = format!("{FEATURES}x{INPUTS}x{OUTPUTS}");
        group.bench_function(BenchmarkId::new(format!("{name}/i8"), shape), |bencher| {
            bencher.iter(|| model.predict(black_box(&sample), &mut scratch));
        });
    }
    group.finish();
}
