//! Ternary random features.
pub use ternion_core as core;

pub mod moments;
pub mod solve;
