//! What goes in: batches of samples, and the rule by which floats become integers.

mod element;
mod number;
pub mod quantize;
mod samples;

pub use element::{Element, Quantised};
pub use number::Number;
pub(crate) use samples::check_inputs;
pub use samples::{MAX_INPUTS, Samples};
