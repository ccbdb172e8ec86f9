//! What goes in: batches of samples, and the rule by which floats become integers.

mod element;
pub mod quantize;
mod samples;

pub use element::{Element, Quantised};
pub(crate) use samples::check_inputs;
pub use samples::{MAX_INPUTS, Samples};
