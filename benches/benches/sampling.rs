//! Growing W from its seed. Ids: `sampling/seeded/FEATURESxINPUTS-SPARSITY`; elements are weights.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use ternion_core::{Seeded, Sparsity, TritMatrix, plane_words};
use ternion_tests::oracle;

const FEATURES: usize = 1024;
const INPUTS: usize = 784;

fn sampling(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("sampling");
    group.throughput(Throughput::Elements((FEATURES * INPUTS) as u64));
    for probability in [0.0, 0.5, 2.0 / 3.0, 0.9] {
        let sparsity = Sparsity::new(probability).expect("a probability");
        let seeded = Seeded::new(1, sparsity, INPUTS, FEATURES).expect("sizes in range");
        let words = plane_words(FEATURES, INPUTS).expect("sizes in range");
        let mut w = TritMatrix::zeroed(FEATURES, INPUTS, vec![0; words], vec![0; words])
            .expect("planes of the right length");
        seeded.fill(&mut w).expect("equal sizes");
        let expected = oracle::w(1, sparsity.bits(), FEATURES, INPUTS);
        assert!(w.iter_rows().flatten().eq(expected), "the oracle's W at {probability}");

        let shape = format!("{FEATURES}x{INPUTS}-{probability:.2}");
        group.bench_function(BenchmarkId::new("seeded", shape), |bencher| {
            bencher.iter(|| black_box(&seeded).fill(black_box(&mut w)));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = sampling
}
criterion_main!(benches);
