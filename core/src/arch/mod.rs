//! The SIMD abstraction: tokens that prove an ISA is present, and the few operations kernels need.
//!
//! A kernel is written once, generic over [`Simd`]. A token is a zero-sized value that can be had
//! only where its instructions exist, so holding one is the proof that they may run. [`Native`] is
//! what the build guarantees and is always at hand; the tokens of other tiers come from whoever
//! detected them (the `ternion` crate does it once).
//!
//! All vectors have [`LANES`] lanes on every ISA; a narrower machine works through them in several
//! registers. Plain loops inside [`Simd::run`] are compiled for the token's ISA too, so only what a
//! compiler does not find by itself is an operation of the trait.
//!
//! One file per back end, holding operations only: `scalar` is plain Rust, `portable` is built on
//! the `wide` crate and takes the width the build guarantees (SSE2, NEON, simd128), `avx2` and
//! `avx512` are for run-time dispatch; `bytes` is what the first two have in common.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod bytes;
mod lanes;
mod portable;
mod scalar;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub use avx512::{Avx512, Avx512Popcnt};
pub use lanes::{HALF, LANES, Lanes16, Lanes32, Line, Table};
pub use portable::Native;
pub use scalar::Scalar;

/// How often a count may be added to before it is read: as often as bytes hold eight more.
pub const COUNTS: usize = 31;

/// Proof that an instruction set is present, and its operations.
///
/// Arithmetic wraps. Implemented by the tokens of this crate only.
pub trait Simd: Copy + Send + Sync + sealed::Sealed + 'static {
    /// The word for this ISA in bench ids and in the `TERNION_ISA` variable.
    const NAME: &'static str;

    /// A 16-bit number in every lane.
    type I16: Copy;

    /// A 32-bit number in every lane of a half.
    type I32: Copy;

    /// Eight 64-bit words.
    type U64: Copy;

    /// Sixty-four bytes.
    type U8: Copy;

    /// What [`lookup8`](Self::lookup8) looks up in.
    type Table: Copy;

    /// The sums of all subsets of 16 numbers, in the form that is looked up fastest.
    type Subsets: Copy;

    /// Values that a code of [`lookup8`](Self::lookup8) may have, from 0: 16 or 128. 0 where counting
    /// bits is faster than looking bytes up.
    const CODES: usize;

    /// Lines of 64 bytes that the registers hold together: the room for the sums of a tile.
    const REGISTERS: usize;

    /// Whether [`add_trits`](Self::add_trits) is faster than a visit to every set bit.
    const TRITS: bool;

    /// Whether [`lookup64`](Self::lookup64) is faster than a load for every word.
    const LOOKUP64: bool;

    /// Runs a kernel with this ISA's instructions enabled.
    fn run<K: Kernel>(self, kernel: K) -> K::Output;

    /// Runs a closure with this ISA's instructions enabled. Mark the closure, and what it calls,
    /// `#[inline(always)]`, or they stay outside.
    #[inline(always)]
    fn vectorize<R>(self, work: impl FnOnce() -> R) -> R {
        struct Work<F>(F);
        impl<R, F: FnOnce() -> R> Kernel for Work<F> {
            type Output = R;

            #[inline(always)]
            fn run<S: Simd>(self, _: S) -> R {
                (self.0)()
            }
        }
        self.run(Work(work))
    }

    /// Zero in every lane.
    fn zero16(self) -> Self::I16;

    /// The same number in every lane.
    fn splat16(self, number: i16) -> Self::I16;

    /// Reads every lane.
    fn load16(self, from: &Lanes16) -> Self::I16;

    /// Writes every lane.
    fn store16(self, to: &mut Lanes16, value: Self::I16);

    /// `a + b` in every lane.
    fn add16(self, a: Self::I16, b: Self::I16) -> Self::I16;

    /// `a − b` in every lane.
    fn sub16(self, a: Self::I16, b: Self::I16) -> Self::I16;

    /// `−value` in every lane if `flip` is −1, `value` if it is 0.
    fn flip16(self, value: Self::I16, flip: i16) -> Self::I16;

    /// The same numbers in 32 bits.
    fn widen(self, value: Self::I16) -> [Self::I32; 2];

    /// `sums + times · value` in 32 bits, the even lanes in the first half and the odd ones in the
    /// second. Cheaper than [`widen`](Self::widen), for kernels that may choose the order of lanes.
    fn add_widened(self, sums: [Self::I32; 2], value: Self::I16, times: i16) -> [Self::I32; 2];

    /// Reads every lane of a half, at any alignment.
    fn load32(self, from: &[i32; HALF]) -> Self::I32;

    /// Writes every lane of a half, at any alignment.
    fn store32(self, to: &mut [i32; HALF], value: Self::I32);

    /// `a + b` in every lane.
    fn add32(self, a: Self::I32, b: Self::I32) -> Self::I32;

    /// `a − b` in every lane.
    fn sub32(self, a: Self::I32, b: Self::I32) -> Self::I32;

    /// `−value` in every lane if `flip` is −1, `value` if it is 0.
    fn flip32(self, value: Self::I32, flip: i32) -> Self::I32;

    /// Adds every number, with its sign from the bits of two planes or not at all, to one of the sums;
    /// to which of them is the ISA's affair.
    #[inline(always)]
    fn add_trits(self, sums: Self::I32, sign: u32, mask: u32, numbers: &[i16; LANES]) -> Self::I32 {
        let mut lanes = [0; HALF];
        self.store32(&mut lanes, sums);
        for (lane, &number) in numbers.iter().enumerate() {
            let trit = (mask >> lane & 1) as i32 - 2 * (sign >> lane & 1) as i32;
            let sum = &mut lanes[lane % HALF];
            *sum = sum.wrapping_add(trit * number as i32);
        }
        self.load32(&lanes)
    }

    /// `−value` in the lanes whose bit is set.
    fn negate32_where(self, value: Self::I32, bits: u32) -> Self::I32;

    /// The Walsh–Hadamard transform of the lanes: the sums Σⱼ (−1)^popcount(i ∧ j) · valueⱼ.
    fn hadamard32(self, value: Self::I32) -> Self::I32;

    /// The same number in every lane.
    fn splat32(self, number: i32) -> Self::I32;

    /// Bit `lane` is set where `a > b`.
    fn greater32(self, a: Self::I32, b: Self::I32) -> u32;

    /// Prepares the sums of all subsets of 16 numbers. Sums wrap.
    fn subsets(self, numbers: &[i16; 16]) -> Self::Subsets;

    /// In every lane, the sum of the numbers at the set bits of its code.
    fn subset_sums(self, subsets: &Self::Subsets, codes: &Lanes16) -> Self::I16;

    /// Reads eight words.
    fn load64(self, from: &[u64; 8]) -> Self::U64;

    /// Writes eight words.
    fn store64(self, to: &mut [u64; 8], value: Self::U64);

    /// The same word eight times.
    fn splat64(self, word: u64) -> Self::U64;

    /// `a & b`.
    fn and64(self, a: Self::U64, b: Self::U64) -> Self::U64;

    /// `a ^ b`.
    fn xor64(self, a: Self::U64, b: Self::U64) -> Self::U64;

    /// `a + b` in every word.
    fn add64(self, a: Self::U64, b: Self::U64) -> Self::U64;

    /// `a − b` in every word.
    fn sub64(self, a: Self::U64, b: Self::U64) -> Self::U64;

    /// `words << by` in every word, for `by` below 64.
    fn shl64(self, words: Self::U64, by: u32) -> Self::U64;

    /// `words >> by` in every word, for `by` below 64.
    fn shr64(self, words: Self::U64, by: u32) -> Self::U64;

    /// The number of set bits of every word.
    fn popcount64(self, words: Self::U64) -> Self::U64;

    /// Adds the number of set bits of every word to a count that starts from zero, up to
    /// [`COUNTS`] times. The count is in the form that is cheapest to add to.
    fn count64(self, count: Self::U64, words: Self::U64) -> Self::U64;

    /// What [`count64`](Self::count64) has counted in every word.
    fn counted64(self, count: Self::U64) -> Self::U64;

    /// Writes the low half of every word.
    fn store64_as32(self, to: &mut [i32; 8], value: Self::U64);

    /// The sum of the words of each of eight vectors.
    #[inline(always)]
    fn totals64(self, vectors: [Self::U64; 8]) -> [u64; 8] {
        let mut totals = [0; 8];
        for k in 0..8 {
            let mut words = [0; 8];
            self.store64(&mut words, vectors[k]);
            for word in words {
                totals[k] += word;
            }
        }
        totals
    }

    /// The entry of the table for the low four bits of every word.
    #[inline(always)]
    fn lookup64(self, table: &[u64; 16], codes: Self::U64) -> Self::U64 {
        let mut words = [0; 8];
        self.store64(&mut words, codes);
        self.load64(&words.map(|word| table[(word % 16) as usize]))
    }

    /// `a + b` in every word, all of them the bits of `f64` numbers.
    #[inline(always)]
    fn add_f64(self, a: Self::U64, b: Self::U64) -> Self::U64 {
        let (mut sums, mut others) = ([0; 8], [0; 8]);
        self.store64(&mut sums, a);
        self.store64(&mut others, b);
        for (sum, other) in sums.iter_mut().zip(others) {
            *sum = (f64::from_bits(*sum) + f64::from_bits(other)).to_bits();
        }
        self.load64(&sums)
    }

    /// Zero in every byte.
    fn zero8(self) -> Self::U8;

    /// Reads every byte.
    fn load8(self, from: &[u8; 64]) -> Self::U8;

    /// `a + b` in every byte.
    fn add8(self, a: Self::U8, b: Self::U8) -> Self::U8;

    /// The even bytes and the odd bytes, in 16 bits each.
    fn split8(self, bytes: Self::U8) -> [Self::I16; 2];

    /// Reads a table.
    fn table8(self, from: &Table) -> Self::Table;

    /// Asks for numbers that will be needed soon. May do nothing.
    fn prefetch32(self, from: &[i32]);

    /// The entry of the table for every byte of `codes`, all of which are below
    /// [`CODES`](Self::CODES).
    fn lookup8(self, table: Self::Table, codes: Self::U8) -> Self::U8;
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
