//! From samples to fitted features: parameters, preprocessing, W, and the transform.
//!
//! [`TernaryFeatures::params`](crate::TernaryFeatures::params) is the entry. The types that most programs name are at
//! the root of the crate: [`TernaryFeatures`](crate::TernaryFeatures), [`Form`](crate::Form),
//! [`Scaling`](crate::Scaling).
//!
//! | file | contents |
//! |---|---|
//! | `params` | [`Params`] and [`CheckedParams`]: what a fit is asked to do |
//! | `exact_sums`, `statistics`, `preprocess` | [`Statistics`] and [`Preprocess`]: the mean, the scale and τ |
//! | `weights` | [`Form`](crate::Form): W, and its way to the kernels |
//! | `fitted`, `fingerprint` | [`TernaryFeatures`](crate::TernaryFeatures): the transform, and whether two are the same |

mod exact_sums;
mod fingerprint;
pub(crate) mod fitted;
mod params;
pub(crate) mod preprocess;
mod statistics;
pub(crate) mod weights;

pub use params::{CheckedParams, Params};
pub use preprocess::{Preprocess, Steps};
pub use statistics::{MIN_EVENNESS, Statistics};
