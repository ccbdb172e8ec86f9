//! What a CPU could get wrong: kernels, models, and what they are made of. Emulated machines run this program whole.
//!
//! ```text
//! cargo test                                all tests
//! cargo test -p ternion-tests featurize::   those of one file
//! ```

mod dots;
#[cfg(unix)]
mod export_c;
mod featurize;
mod gram;
mod limits;
mod model;
mod packed;
mod refusals;
mod sampling;
mod sizes;
mod structured;
mod ternary;
