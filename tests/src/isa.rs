//! The one list of back ends: those that this machine can execute.

use ternion::Isa;
use ternion_core::arch::Tuning;

/// The back ends to run on, slowest first: all that are present, or the one that `TERNION_ISA` names.
///
/// # Panics
///
/// If the variable names a back end that is not present, so that a forced run never tests something else.
pub fn isas() -> Vec<Isa> {
    match Isa::from_env() {
        Ok(Some(forced)) => vec![forced],
        Ok(None) => Isa::present(),
        Err(absent) => panic!("{absent}"),
    }
}

/// What [`Isa::tuning`] may say: between them both ways of every choice that kernels make by it, and caches so small
/// that a few short rows fill them.
const TUNINGS: [Tuning; 2] = [
    Tuning { popcount_features: 0, l1_kb: 2, l2_kb: 16 },
    Tuning { popcount_features: u32::MAX, l1_kb: 48, l2_kb: 2048 },
];

/// The back ends of [`isas`], those that are detected with either tuning. Their `Debug` output names it.
pub fn tuned_isas() -> Vec<Isa> {
    let tuned = |isa: Isa| TUNINGS.map(|tuning| isa.with_tuning(tuning));
    let mut all: Vec<Isa> = isas().into_iter().flat_map(tuned).collect();
    // One of those that cannot be tuned is enough.
    all.dedup_by_key(|isa| (isa.name(), isa.tuning()));
    all
}
