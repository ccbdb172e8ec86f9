//! Inner products of packed features. Ids: `dots/trits/ISA/FEATURESxSAMPLES` for two matrices and
//! `gram/trits/ISA/FEATURESxSAMPLES` for a matrix with itself; elements are the pairs of trits of all pairs of samples.

use crate::Set;
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
    for &(features, samples) in set.of(&[(4096, 256), (256, 256), (16_384, 64)]) {
        let trits = Random::new(1).trits(samples * features, 0.5);
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
                let id = BenchmarkId::new(format!("trits/{isa}"), format!("{features}x{samples}"));
                group.bench_function(id, |bencher| {
                    bencher.iter(|| call(isa, black_box(&rows), &mut out));
                });
            }
            group.finish();
        }
    }
}
