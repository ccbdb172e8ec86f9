//! Samples to packed features. Ids: `kernel/type/isa/features×inputs`; elements are weights times
//! samples, so that every kernel shows additions a second as a dense product would need them.
//!
//! Kernels: `featurize` a batch with W stored, `featurize-regrown` the same with W grown from its
//! seed, `featurize-one` a single sample.

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use std::hint::black_box;
use std::time::Duration;
use ternion::{Isa, dispatch};
use ternion_core::{
    Element, Line, Projection, Samples, Seeded, Sparsity, Thresholds, TritMatrix, featurize,
    plane_words, scratch_lines,
};
use ternion_tests::data::{self, Random};
use ternion_tests::isa::isas;
use ternion_tests::oracle;

const BATCH: usize = 256;
const SHAPES: [(usize, usize); 2] = [(4096, 64), (1024, 784)];

/// A batch as the kernels see it and as the oracle sees it.
struct Batch<T> {
    name: &'static str,
    data: Vec<T>,
    integers: Vec<(Vec<i64>, f32)>,
}

fn floats(inputs: usize) -> Batch<f32> {
    let mut random = Random::new(2);
    let data: Vec<f32> = (0..BATCH * inputs).map(|_| random.normal() as f32).collect();
    let integers = data.chunks(inputs).map(|x| oracle::quantize(x, None, None)).collect();
    Batch { name: "f32", data, integers }
}

fn integers<T: Copy + Into<i64>>(name: &'static str, data: Vec<T>, inputs: usize) -> Batch<T> {
    let rows = data.chunks(inputs).map(|x| (x.iter().map(|&x| x.into()).collect(), 1.0));
    Batch { name, integers: rows.collect(), data }
}

fn bits(inputs: usize) -> Batch<u64> {
    let mut random = Random::new(5);
    let mut data = Vec::new();
    let mut integers = Vec::new();
    for _ in 0..BATCH {
        let row: Vec<i8> = (0..inputs).map(|_| random.below(2) as i8).collect();
        data.extend(data::pack(&row, inputs).1);
        integers.push((row.into_iter().map(i64::from).collect(), 1.0));
    }
    Batch { name: "bits", data, integers }
}

/// Checks and times one form of W on the first `count` samples.
fn bench<P: Projection, T: Element>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    projection: &P,
    trits: &[i8],
    batch: &Batch<T>,
    count: usize,
) {
    let (inputs, features) = (projection.inputs(), projection.features());
    let data = &batch.data[..count * T::elements(inputs)];
    let samples = Samples::new(data, inputs).expect("whole samples");
    let sums: Vec<Vec<i64>> =
        batch.integers[..count].iter().map(|(x, _)| oracle::project(trits, x)).collect();
    // Thresholds at two places inside the range of the first sample's sums.
    let unit = batch.integers[0].1;
    let spread = sums[0].iter().map(|sum| sum.abs()).max().unwrap_or(0) as f32 / unit / 4.0;
    let thresholds = Thresholds::two(-spread, spread).expect("ascending");
    let expected = sums.iter().zip(&batch.integers).flat_map(|(sums, (_, unit))| {
        sums.iter().map(|&sum| oracle::activate(sum, thresholds.values(), f64::from(*unit)))
    });
    let expected: Vec<i8> = expected.collect();

    let words = plane_words(count, features).expect("sizes in range");
    let mut out = TritMatrix::zeroed(count, features, vec![0; words], vec![0; words])
        .expect("planes of the right length");
    let mut scratch = vec![Line::ZERO; scratch_lines(projection, count)];
    group.throughput(Throughput::Elements((features * inputs * count) as u64));
    let mut call = |isa: Isa, out: &mut TritMatrix<Vec<u64>>| {
        let (thresholds, samples) = (&thresholds, black_box(samples));
        let scratch = &mut scratch[..];
        let done =
            dispatch!(isa, simd => featurize(simd, projection, thresholds, &samples, scratch, out));
        done.expect("sizes that agree");
    };
    for isa in isas() {
        call(isa, &mut out);
        assert!(out.iter_rows().flatten().eq(expected.iter().copied()), "{isa}: not the oracle's");
        let id = format!("{}/{isa}", batch.name);
        group.bench_function(BenchmarkId::new(id, format!("{features}×{inputs}")), |bencher| {
            bencher.iter(|| call(isa, &mut out));
        });
    }
}

fn every_kernel(criterion: &mut Criterion) {
    for (features, inputs) in SHAPES {
        let seeded =
            Seeded::new(1, Sparsity::TWO_THIRDS, inputs, features).expect("sizes in range");
        let trits = oracle::w(1, Sparsity::TWO_THIRDS.bits(), features, inputs);
        let (sign, mask) = data::pack(&trits, inputs);
        let planes = TritMatrix::new(features, inputs, sign, mask).expect("packed trits");
        let mut random = Random::new(3);
        let floats = floats(inputs);
        let halves = integers(
            "i16",
            (0..BATCH * inputs).map(|_| random.bits() as i16 >> 7).collect(),
            inputs,
        );
        let bytes =
            integers("i8", (0..BATCH * inputs).map(|_| random.bits() as i8).collect(), inputs);
        let bits = bits(inputs);

        let mut group = criterion.benchmark_group("featurize");
        bench(&mut group, &planes, &trits, &floats, BATCH);
        bench(&mut group, &planes, &trits, &halves, BATCH);
        bench(&mut group, &planes, &trits, &bytes, BATCH);
        bench(&mut group, &planes, &trits, &bits, BATCH);
        group.finish();
        let mut group = criterion.benchmark_group("featurize-regrown");
        bench(&mut group, &seeded, &trits, &floats, BATCH);
        group.finish();
        let mut group = criterion.benchmark_group("featurize-one");
        bench(&mut group, &planes, &trits, &floats, 1);
        bench(&mut group, &planes, &trits, &bits, 1);
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600));
    targets = every_kernel
}
criterion_main!(benches);
