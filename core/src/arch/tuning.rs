//! What a CPU does well beyond what its instruction set says: values that choose between kernels of equal results.

/// The properties of a CPU by which kernels choose between ways of equal results.
///
/// Whoever detects an instruction set knows the CPU as well, and gives its token this (the `ternion` crate does both).
/// Tokens that need no detection, [`Native`](crate::Native) and [`Scalar`](crate::Scalar), have the default. It fits in
/// a register: kernels pass their token on with every tile.
///
/// ```
/// use ternion_core::arch::Tuning;
/// use ternion_core::{Native, Simd};
///
/// assert_eq!(Native.tuning(), Tuning::default());
/// let never = u32::MAX;
/// assert_eq!(Tuning { l1_kb: 48, ..Tuning::default() }.popcount_features, never);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Features from which on packed trits are multiplied with each other by counting bits, and with fewer by lookups in
    /// registers, where the ISA has both: 0 for always, [`u32::MAX`] for never. With a vector popcount, features without
    /// zeros or of one sign need a single count, which no lookup beats.
    pub popcount_features: u32,
    /// KB of the L1 data cache, which lookup tables of partial sums should nearly fill.
    pub l1_kb: u16,
    /// KB of the L2 cache, a part of which rows that are used again and again should stay in.
    pub l2_kb: u16,
}

impl Tuning {
    /// Byte lookups, and the smallest caches of common CPUs with AVX2 or NEON.
    pub(crate) const DEFAULT: Self = Self { popcount_features: u32::MAX, l1_kb: 32, l2_kb: 512 };
}

impl Default for Tuning {
    fn default() -> Self {
        Self::DEFAULT
    }
}
