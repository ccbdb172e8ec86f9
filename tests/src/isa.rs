//! The one list of back ends: those that this machine can execute.

use ternion::Isa;

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
