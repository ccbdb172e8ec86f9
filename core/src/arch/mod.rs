//! The SIMD abstraction: tokens that prove an instruction set is present, and the operations that kernels need.
//!
//! A kernel is written once, generic over [`Simd`]. A token is a value that can be obtained only where its
//! instructions exist, so holding one is the proof that they may run. [`Native`] is what the build guarantees and is
//! always available; the tokens of other tiers come from whoever detected them (the `ternion` crate does so once per
//! process), and carry what else was found out about the CPU: its [`Tuning`].
//!
//! All vectors have [`LANES`] lanes on every ISA; a narrower machine uses several registers. Plain loops inside
//! [`Simd::vectorize`] are compiled for the token's ISA too, so only what a compiler does not find by itself is an
//! operation of its own.
//!
//! | file | contents |
//! |---|---|
//! | `operations` | the operations, ordered by lane width |
//! | `lanes` | the units of memory they work on |
//! | `tuning` | what tokens know about the CPU |
//! | `scalar` | plain Rust |
//! | `portable` | the `wide` crate, at the width the build guarantees: SSE2, NEON, simd128 |
//! | `avx2`, `avx512` | intrinsics, for run-time dispatch |
//! | `byte_arrays` | the byte operations that `scalar` and `portable` share |

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod byte_arrays;
mod lanes;
mod operations;
mod portable;
mod scalar;
mod transpose;
mod tuning;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::{Avx512, Avx512Popcnt};
pub use lanes::Line;
#[doc(hidden)]
pub use lanes::{Bounds, Comparisons, HALF, LANES, Lanes16, Lanes32, Table};
#[doc(hidden)]
pub use operations::{MAX_COUNTS, Operations};
pub use portable::Native;
pub use scalar::Scalar;
pub use tuning::Tuning;

/// Proof that an instruction set is present.
///
/// Implemented by the tokens of this crate only: an outsider's token would prove nothing.
///
/// ```
/// use ternion_core::{Native, Simd};
///
/// println!("this build may use {} anywhere", Native::NAME);
/// ```
pub trait Simd: Operations + Copy + Send + Sync + 'static {
    /// The name of this ISA in bench ids and in the `TERNION_ISA` variable.
    const NAME: &'static str;

    /// What the CPU does well, by which kernels choose between ways of equal results.
    #[inline(always)]
    fn tuning(self) -> Tuning {
        Tuning::DEFAULT
    }

    /// Runs a closure with this ISA's instructions enabled.
    ///
    /// Mark the closure and everything it calls `#[inline(always)]`: what the compiler does not inline is compiled
    /// without the ISA, and called for every vector.
    fn vectorize<R>(self, work: impl FnOnce() -> R) -> R;
}

mod sealed {
    /// Keeps the tokens to those of this crate.
    pub trait Sealed {}

    impl Sealed for super::Scalar {}
    impl Sealed for super::Native {}
    #[cfg(target_arch = "x86_64")]
    impl Sealed for super::Avx2 {}
    #[cfg(target_arch = "x86_64")]
    impl Sealed for super::Avx512 {}
    #[cfg(target_arch = "x86_64")]
    impl Sealed for super::Avx512Popcnt {}
}
