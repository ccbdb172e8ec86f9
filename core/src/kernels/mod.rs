//! The algorithms, each written once for every ISA. Sizes were checked by the callers.

pub(crate) mod activate;
pub(crate) mod bits;
pub(crate) mod byte_lanes;
pub(crate) mod hadamard;
pub(crate) mod interleave;
pub(crate) mod lists;
pub(crate) mod masked;
mod nibbles;
pub(crate) mod rows;
pub(crate) mod tables;
