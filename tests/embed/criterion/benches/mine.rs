//! The user's own benches, and Ternion's beside them.

use std::hint::black_box;
use ternion_criterion::criterion::{Criterion, criterion_group, criterion_main};

fn own(criterion: &mut Criterion) {
    let x = [0.5; 1000];
    criterion.bench_function("own/squares", |bencher| {
        bencher.iter(|| ternion_embed_criterion::squares(black_box(&x)));
    });
}

criterion_group!(benches, own, ternion_criterion::quick);
criterion_main!(benches);
