//! One runner for every back end that this machine can execute.

use ternion_core::{Native, Scalar, Simd};

/// A check that is to hold on every ISA.
pub trait Check {
    /// Runs the check with one token; panics where it fails.
    fn check<S: Simd>(&self, simd: S);
}

/// Runs a check on every back end present.
pub fn on_every_isa(check: &impl Check) {
    check.check(Scalar);
    check.check(Native);
}
