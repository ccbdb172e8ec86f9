//! Inner products of packed features. Ids: `dots/trit/isa/features×samples`; elements are the trit
//! pairs of all pairs of samples.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use ternion_core::arch::Kernel;
use ternion_core::{Simd, TritMatrix, dots};
use ternion_tests::data::{self, Random};
use ternion_tests::isa::isas;
use ternion_tests::oracle;

/// All dot products of some rows with themselves.
struct Dots<'a> {
    rows: &'a TritMatrix<Vec<u64>>,
    out: &'a mut [i32],
}

impl Kernel for Dots<'_> {
    type Output = ();

    fn run<S: Simd>(self, simd: S) {
        dots(simd, self.rows, self.rows, self.out).expect("equal rows and room for all pairs");
    }
}

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
            isa.dispatch(Dots { rows: &rows, out: &mut out });
            assert!(out.iter().map(|&dot| i64::from(dot)).eq(expected.iter().copied()), "{isa}");
            let id = BenchmarkId::new(format!("trit/{isa}"), format!("{features}×{samples}"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| isa.dispatch(Dots { rows: black_box(&rows), out: &mut out }));
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
