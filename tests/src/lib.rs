//! The oracle, and the runner that sends every kernel through every back end.
//!
//! Nothing here shares code with the kernels: plain loops, one trit at a time, sums in `i64`,
//! comparisons in `f64`. What the crates promise is written down a second time and compared.
#![forbid(unsafe_code)]

pub mod data;
pub mod dense;
pub mod isa;
pub mod model;
pub mod oracle;
