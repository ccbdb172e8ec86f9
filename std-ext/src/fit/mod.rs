//! From samples to fitted features: parameters, preprocessing, W, and the transform.
//!
//! [`TernaryFeatures::params`](crate::TernaryFeatures::params) is the entry. The types that most programs name are at
//! the root of the crate: [`TernaryFeatures`](crate::TernaryFeatures), [`Form`](crate::Form),
//! [`Scaling`](crate::Scaling).
//!
//! | item | purpose |
//! |---|---|
//! | [`Params`], [`CheckedParams`] | what a fit is asked to do |
//! | [`Statistics`] | the mean and the variance of each input, of samples that may come in chunks |
//! | [`Preprocess`], [`Steps`] | what is done to samples before the projection |
//! | [`Form`](crate::Form) | what W is; FORMS.md beside this file has the accuracy of each |
//! | [`TernaryFeatures`](crate::TernaryFeatures) | the transform, whether two are the same, and how one is saved |

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
