//! The oracle, and the lists that send every form of W and every type of input through every back end.
//!
//! The oracle shares no code with the kernels: plain loops, one trit at a time, sums in `i64`, comparisons in `f64`.
//! What the crates promise is written down a second time and compared. Tests, fuzz targets, benches and `compare` take
//! what they run over from [`forms`], [`inputs`] and [`isa`], so that none of them can fall behind.
#![forbid(unsafe_code)]

pub mod data;
pub mod dense;
pub mod forms;
pub mod inputs;
pub mod isa;
pub mod model;
pub mod oracle;
pub mod saved;
