//! Invariants that are loud in tests and free of panics in release builds.

/// The value of an option that is `Some` by construction.
///
/// Kernels must not contain a panic, not even an unreachable one: `present!(option, else return)` asserts in debug
/// builds, where every test would notice, and runs the alternative in release builds, where it is never reached.
macro_rules! present {
    ($option:expr, else $otherwise:expr) => {
        match $option {
            Some(value) => value,
            None => {
                debug_assert!(false, concat!("out of range: ", stringify!($option)));
                $otherwise
            }
        }
    };
}
