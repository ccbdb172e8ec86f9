//! From samples to fitted features: parameters, preprocessing, W, and the transform.

pub(crate) mod fitted;
mod params;
pub(crate) mod preprocess;
mod statistics;
pub(crate) mod weights;

pub use params::{CheckedParams, Params};
pub use preprocess::{Preprocess, Steps};
pub use statistics::Statistics;
