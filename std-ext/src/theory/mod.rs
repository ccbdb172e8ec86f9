//! The theory behind the features: moments of a target, thresholds that match them, and the kernel that features converge
//! to.
//!
//! A [`Target`](crate::Target) says what to imitate, a [`Policy`](crate::Policy) how; both are at the root of the crate.
//! [`solve`](solve()) finds the thresholds and returns a [`Report`] of what was matched and at what price.
//!
//! ```
//! use ternion::theory::solve;
//! use ternion::{Policy, Target};
//!
//! let report = solve(&Target::relu(), 1.0, Policy::default())?;
//! assert!((report.achieved.d2 / report.asked.d2 - 1.0).abs() < 1e-12);
//! # Ok::<(), ternion::theory::SolveError>(())
//! ```
#![doc = include_str!("MATHEMATICS.md")]

mod mixture;
pub(crate) mod moments;
pub(crate) mod solve;

pub use mixture::{Class, Covariance, Mixture, MixtureError, excess_kurtosis};
pub use moments::Moments;
pub use solve::{
    Bands, MAX_VARIATION, MIN_FIRINGS, MIN_TERMS, Report, Setting, SolveError, Warning, solve,
    unit_solutions,
};
