//! One runner for every back end that this machine can execute.

use ternion::Isa;
use ternion_core::Simd;
use ternion_core::arch::Kernel;

/// A check that is to hold on every ISA.
pub trait Check {
    /// Runs the check with one token; panics where it fails.
    fn check<S: Simd>(&self, simd: S);
}

/// Runs a check on every back end present.
pub fn on_every_isa(check: &impl Check) {
    struct Run<'a, C>(&'a C);
    impl<C: Check> Kernel for Run<'_, C> {
        type Output = ();
        fn run<S: Simd>(self, simd: S) {
            self.0.check(simd);
        }
    }
    for isa in Isa::present() {
        isa.dispatch(Run(check));
    }
}
