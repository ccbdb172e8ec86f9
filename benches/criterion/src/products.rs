//! Inner products of packed features: `dots` of two matrices, `gram` of one with itself. Elements are the pairs of trits of
//! all pairs of samples.

use crate::{Set, suffix};
use criterion::{BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use ternion::{Isa, dispatch};
use ternion_core::TritMatrix;
use ternion_tests::data::{self, Random};
use ternion_tests::oracle;

/// The inner products of all pairs of rows.
type Call = fn(Isa, &TritMatrix<Vec<u64>>, &mut [i32]);

fn dots(isa: Isa, rows: &TritMatrix<Vec<u64>>, out: &mut [i32]) {
    let done = dispatch!(isa, simd => ternion_core::dots(simd, rows, rows, out));
    done.expect("room for all pairs");
}

fn gram(isa: Isa, rows: &TritMatrix<Vec<u64>>, out: &mut [i32]) {
    let done = dispatch!(isa, simd => ternion_core::gram(simd, rows, out));
    done.expect("room for all pairs");
}

pub(crate) fn add(criterion: &mut Criterion, set: Set) {
    let calls: [(&str, Call); 2] = [("dots", dots), ("gram", gram)];
    // Without zeros, other kernels multiply signs.
    let shapes = [(4096, 256, 0.5), (256, 256, 0.5), (16_384, 64, 0.5), (4096, 256, 0.0)];
    for &(features, samples, zeros) in set.of(&shapes) {
        let trits = Random::new(1).trits(samples * features, zeros);
        let (sign, mask) = data::pack(&trits, features);
        let rows = TritMatrix::new(samples, features, sign, mask).expect("packed trits");
        let expected = oracle::dots(&trits, &trits, features);
        for (name, call) in calls {
            let mut group = criterion.benchmark_group(name);
            group.throughput(Throughput::Elements((samples * samples * features) as u64));
            for isa in set.isas() {
                let mut out = vec![0; samples * samples];
                call(isa, &rows, &mut out);
                let found = out.iter().map(|&dot| i64::from(dot));
                assert!(found.eq(expected.iter().copied()), "{name} on {isa}: not the oracle's");
                let shape = format!("{features}x{samples}{}", suffix(zeros));
                let id = BenchmarkId::new(format!("trits/{isa}"), shape);
                group.bench_function(id, |bencher| {
                    bencher.iter(|| call(isa, black_box(&rows), &mut out));
                });
            }
            group.finish();
        }
    }
}
