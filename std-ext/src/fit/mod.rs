//! From samples to fitted features: parameters, preprocessing, W, and the transform.
//!
//! [`TernaryFeatures::params`](crate::TernaryFeatures::params) is the entry. The types that most programs name are at
//! the root of the crate: [`TernaryFeatures`](crate::TernaryFeatures), [`Form`](crate::Form),
//! [`Scaling`](crate::Scaling).
//!
//! | file | contents |
//! |---|---|
//! | `params` | [`Params`] and [`CheckedParams`]: what a fit is asked to do |
//! | `exact_sums`, `block_sums`, `statistics`, `preprocess` | [`Statistics`] and [`Preprocess`]: the mean, the scale and τ |
//! | `weights` | [`Form`](crate::Form): W, and its way to the kernels |
//! | `names` | how forms and scalings parse and print |
//! | `fitted`, `fingerprint`, `bytes` | [`TernaryFeatures`](crate::TernaryFeatures): the transform, whether two are the same, and how one is saved |

mod block_sums;
mod bytes;
mod exact_sums;
mod fingerprint;
pub(crate) mod fitted;
mod names;
mod params;
pub(crate) mod preprocess;
mod statistics;
pub(crate) mod weights;

pub(crate) use exact_sums::ExactSum;
pub use params::{CheckedParams, Params};
pub use preprocess::{Preprocess, Steps};
pub use statistics::{MIN_EVENNESS, Statistics};
