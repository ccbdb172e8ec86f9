//! Inner products of packed features. Ids: `dots/trit/isa/features×samples`; elements are the trit
//! pairs of all pairs of samples.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use ternion::dispatch;
use ternion_core::{TritMatrix, dots};
use ternion_tests::data::{self, Random};
use ternion_tests::isa::isas;
use ternion_tests::oracle;

fn gram(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("dots");
    for (features, samples) in [(256, 256), (4096, 256), (16_384, 64)] {
        let trits = Random::new(1).trits(samples * features, 0.5);
        let (sign, mask) = data::pack(&trits, features);
        let rows = TritMatrix::new(samples, features, sign, mask).expect("packed trits");
        let mut out = vec![0; samples * samples];
        let expected = oracle::dots(&trits, &trits, features);
        group.throughput(Throughput::Elements((samples * samples * features) as u64));
        for isa in isas() {
            let call = |rows: &TritMatrix<Vec<u64>>, out: &mut [i32]| {
                dispatch!(isa, simd => dots(simd, rows, rows, out)).expect("room for all pairs");
            };
            call(&rows, &mut out);
            assert!(out.iter().map(|&dot| i64::from(dot)).eq(expected.iter().copied()), "{isa}");
            let id = BenchmarkId::new(format!("trit/{isa}"), format!("{features}×{samples}"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| call(black_box(&rows), &mut out));
            });
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = gram
}
criterion_main!(benches);
