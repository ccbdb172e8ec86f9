//! Packed features, two bits each, and what is computed from them.
//!
//! Two types at the root of the crate share the work:
//!
//! - [`Features`](crate::Features) holds the trits: access to them, their sums and moments, and their products with
//!   vectors.
//! - [`Gram`](crate::Gram) multiplies samples with samples: the Gram matrix as a whole, between two sets, centred, in
//!   blocks of rows, as an operator that is never stored, and its leading eigenpairs.

mod byte_products;
mod digits;
pub(crate) mod eigenpairs;
pub(crate) mod features;
pub(crate) mod gram;
pub(crate) mod integer_products;
pub(crate) mod line_sums;
pub(crate) mod matmul;
mod matvec;
pub(crate) mod row_sums;
pub(crate) mod rows;
mod second_moments;
mod subset_sums;
mod transpose;

pub use gram::{Blocks, Progress};
pub(crate) use second_moments::second_moments;
