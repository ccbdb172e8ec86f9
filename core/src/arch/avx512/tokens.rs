//! The tokens of AVX-512.

use crate::arch::Tuning;

/// Proof that AVX-512 F, BW, DQ and VL, BMI1, BMI2, LZCNT and POPCNT are present.
#[derive(Clone, Copy, Debug)]
pub struct Avx512(pub(super) Tuning);

/// Proof that all of [`Avx512`], VPOPCNTDQ, VBMI, VNNI and GFNI are present.
#[derive(Clone, Copy, Debug)]
pub struct Avx512Popcnt(pub(super) Tuning);

impl Avx512 {
    /// Creates the token without checking the CPU.
    ///
    /// # Safety
    ///
    /// The machine must have AVX-512 F, BW, DQ and VL, BMI1, BMI2, LZCNT and POPCNT, enabled by the
    /// operating system.
    #[inline]
    pub const unsafe fn new_unchecked() -> Self {
        Self(Tuning::DEFAULT)
    }

    /// The same token for a CPU of other properties.
    #[inline]
    #[must_use]
    pub const fn with_tuning(self, tuning: Tuning) -> Self {
        Self(tuning)
    }
}

impl Avx512Popcnt {
    /// Creates the token without checking the CPU.
    ///
    /// # Safety
    ///
    /// The machine must have what [`Avx512::new_unchecked`] asks for, VPOPCNTDQ, VBMI, VNNI and GFNI.
    #[inline]
    pub const unsafe fn new_unchecked() -> Self {
        Self(Tuning::DEFAULT)
    }

    /// The same token for a CPU of other properties.
    #[inline]
    #[must_use]
    pub const fn with_tuning(self, tuning: Tuning) -> Self {
        Self(tuning)
    }
}
