//! Ternary random features.
pub use ternion_core as core;
