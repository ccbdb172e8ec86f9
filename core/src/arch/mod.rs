//! The SIMD abstraction: tokens that prove an ISA is present, and the few operations kernels need.
//!
//! A kernel is written once, generic over [`Simd`]. A token is a zero-sized value that can be had
//! only where its instructions exist, so holding one is the proof that they may run. [`Native`] is
//! what the build guarantees and is always at hand.
//!
//! All vectors have [`LANES`] lanes on every ISA; a narrower machine works through them in several
//! registers. Plain loops inside [`Simd::run`] are compiled for the token's ISA too, so only what a
//! compiler does not find by itself is an operation of the trait.
//!
//! One file per back end, holding operations only: `scalar` is plain Rust, `portable` is built on
//! the `wide` crate and takes the width the build guarantees.

mod lanes;
mod portable;
mod scalar;

pub use lanes::{LANES, Lanes16, Lanes32, Line};
pub use portable::Native;
pub use scalar::Scalar;

/// Proof that an instruction set is present, and its operations.
///
/// Arithmetic wraps. Implemented by the tokens of this crate only.
pub trait Simd: Copy + Send + Sync + sealed::Sealed + 'static {
    /// The word for this ISA in bench ids and in the `TERNION_ISA` variable.
    const NAME: &'static str;

    /// A register's worth of [`Lanes16`].
    type I16: Copy;

    /// Runs a kernel with this ISA's instructions enabled.
    fn run<K: Kernel>(self, kernel: K) -> K::Output;

    /// Zero in every lane.
    fn zero(self) -> Self::I16;

    /// Reads every lane.
    fn load(self, lanes: &Lanes16) -> Self::I16;

    /// `a + b` in every lane.
    fn add(self, a: Self::I16, b: Self::I16) -> Self::I16;

    /// `a − b` in every lane.
    fn sub(self, a: Self::I16, b: Self::I16) -> Self::I16;

    /// Adds every lane to a 32-bit sum.
    fn widen_add(self, sums: &mut Lanes32, addend: Self::I16);
}

/// A piece of work that [`Simd::run`] compiles for an ISA. Mark its `run`, and what that calls,
/// `#[inline(always)]`, or it stays outside.
pub trait Kernel {
    /// What the work gives.
    type Output;

    /// Does the work.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

mod sealed {
    /// Keeps [`Simd`](super::Simd) to the tokens of this crate: an outsider's would prove nothing.
    pub trait Sealed {}
}
