//! Packed features, two bits each, and what is computed from them.

mod eigenpairs;
pub(crate) mod features;
pub(crate) mod gram;
mod matvec;
mod subset_sums;
mod transpose;

pub use gram::{Blocks, Progress};
