//! One runner for every back end that this machine can execute.

use ternion::{Isa, dispatch};
use ternion_core::Simd;

/// A check that is to hold on every ISA.
pub trait Check {
    /// Runs the check with one token; panics where it fails.
    fn check<S: Simd>(&self, simd: S);
}

/// The back ends to test: all that are present, or the one that `TERNION_ISA` names. A name that
/// is not present fails, so that a forced run never tests something else.
pub fn isas() -> Vec<Isa> {
    match Isa::from_env() {
        Ok(Some(forced)) => vec![forced],
        Ok(None) => Isa::present(),
        Err(absent) => panic!("{absent}"),
    }
}

/// Runs a check on every back end of [`isas`].
pub fn on_every_isa(check: &impl Check) {
    for isa in isas() {
        dispatch!(isa, simd => check.check(simd));
    }
}
