//! Every case, in less than ten minutes: `cargo bench -p ternion-criterion`.
#![allow(missing_docs, reason = "criterion's macros make public items")]

use ternion_criterion::criterion::{criterion_group, criterion_main};
use ternion_criterion::{all, short};

criterion_group! {
    name = benches;
    config = short();
    targets = all
}
criterion_main!(benches);
