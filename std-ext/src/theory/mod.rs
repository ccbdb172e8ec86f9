//! The theory: moments of a target, thresholds that match them, and the kernel that features converge to.

mod mixture;
pub(crate) mod moments;
pub(crate) mod solve;

pub use mixture::{Class, Covariance, Mixture, MixtureError, excess_kurtosis};
pub use moments::Moments;
pub use solve::{
    Bands, FEWEST_FIRINGS, FEWEST_TERMS, LARGEST_VARIATION, Report, Setting, SolveError, Warning,
    solve, unit_solutions,
};
