//! Growing W from its seed, which takes no instruction set. Elements are weights.

use crate::{Set, suffix};
use criterion::{BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use ternion_core::{Seeded, Sparsity, TritMatrix, plane_words};
use ternion_tests::oracle;

const FEATURES: usize = 1024;
const INPUTS: usize = 784;

pub(crate) fn add(criterion: &mut Criterion, set: Set) {
    let mut group = criterion.benchmark_group("sampling");
    group.throughput(Throughput::Elements((FEATURES * INPUTS) as u64));
    for &probability in set.of(&[2.0 / 3.0, 0.0, 0.5, 0.9]) {
        let sparsity = Sparsity::new(probability).expect("a probability");
        let seeded = Seeded::new(1, sparsity, INPUTS, FEATURES).expect("sizes in range");
        let words = plane_words(FEATURES, INPUTS).expect("sizes in range");
        let mut w = TritMatrix::zeroed(FEATURES, INPUTS, vec![0; words], vec![0; words])
            .expect("planes of the right length");
        seeded.fill(&mut w).expect("equal sizes");
        let expected = oracle::w(1, sparsity.bits(), FEATURES, INPUTS);
        assert!(w.iter_rows().flatten().eq(expected), "the oracle's W at {probability}");

        let shape = format!("{FEATURES}x{INPUTS}{}", suffix(probability));
        group.bench_function(BenchmarkId::new("seeded", shape), |bencher| {
            bencher.iter(|| black_box(&seeded).fill(black_box(&mut w)));
        });
    }
    group.finish();
}
