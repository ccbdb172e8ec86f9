//! The quick cases, in less than two minutes: `cargo bench -p ternion-criterion --bench quick`.
#![allow(missing_docs, reason = "criterion's macros make public items")]

use ternion_criterion::criterion::{criterion_group, criterion_main};
use ternion_criterion::{quick, short};

criterion_group! {
    name = benches;
    config = short();
    targets = quick
}
criterion_main!(benches);
