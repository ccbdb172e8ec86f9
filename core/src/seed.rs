//! What a seed means, bit by bit.
//!
//! W is an endless matrix: row `r` depends only on the seed, the sparsity and `r`; a matrix with
//! more rows, or with longer rows, starts with the same trits. Any row can be generated alone. The
//! arithmetic is integer only, so the same seed gives the same trits on every target. This page is
//! all you need to implement it again.
//!
//! # The stream of a row
//!
//! All arithmetic wraps. SplitMix64 is a counter and a mixing function:
//!
//! ```text
//! mix(z):  z ← (z ⊕ z≫30) · 0xBF58476D1CE4E5B9
//!          z ← (z ⊕ z≫27) · 0x94D049BB133111EB
//!          return z ⊕ z≫31                                  (64 bits)
//! ```
//!
//! Row `r` takes the outputs numbered 2r and 2r+1 of the SplitMix64 sequence of the seed:
//!
//! ```text
//! a = mix(seed + (2r+1) · 0x9E3779B97F4A7C15)
//! b = mix(seed + (2r+2) · 0x9E3779B97F4A7C15)
//! ```
//!
//! and starts xoshiro128++ from the four 32-bit words s₀ = low(a), s₁ = high(a), s₂ = low(b),
//! s₃ = high(b). (They are never all zero: `mix` is a bijection and a, b come from different
//! counters.) Each draw is
//!
//! ```text
//! next():  out ← rotl(s₀ + s₃, 7) + s₀
//!          t ← s₁ ≪ 9
//!          s₂ ⊕= s₀;  s₃ ⊕= s₁;  s₁ ⊕= s₂;  s₀ ⊕= s₃;  s₂ ⊕= t;  s₃ ← rotl(s₃, 11)
//!          return out                                       (32 bits)
//! ```
//!
//! # Thirty-two trits at a time
//!
//! The sparsity is an integer T, `round(ε · 2³²)`; a trit is zero with probability T / 2³² exactly.
//! Columns are drawn in groups of 32, bit `i` of a draw belonging to column `32·k + i` of group k.
//! Each column compares T with a 32-bit number whose bits are drawn from the top, all 32 columns at
//! once, until every column is decided or the rest of T is zero:
//!
//! ```text
//! zero ← 0;  open ← 0xFFFFFFFF;  t ← T
//! while t ≠ 0 and open ≠ 0:
//!     w ← next()
//!     if the top bit of t is set:  zero ← zero | (open & ¬w);  open ← open & w
//!     otherwise:                   open ← open & ¬w
//!     t ← t ≪ 1
//! mask ← ¬zero
//! sign ← next() & mask
//! ```
//!
//! The last group of a row is drawn whole and its surplus columns are dropped. At ε = 2/3 a group
//! takes 7.3 draws on average, at ε = 1/2 two, and at ε = 0 one.
//!
//! # Known answers
//!
//! Seed 42, ε = 2/3 (T = 0xAAAAAAAB), the first 64 columns of rows 0 and 1. The planes of 10,000
//! rows of 784 columns, as little-endian bytes, `sign` before `mask`, have the FNV-1a hash (64 bits)
//! 0x55EEAC53E5933FAA.
//!
//! ```
//! use ternion_core::{Seeded, Sparsity, TritMatrix};
//!
//! let (mut sign, mut mask) = ([0; 2], [0; 2]);
//! let mut w = TritMatrix::zeroed(2, 64, &mut sign[..], &mut mask[..])?;
//! Seeded::new(42, Sparsity::TWO_THIRDS, 64, 2)?.fill(&mut w)?;
//! assert_eq!(w.sign(), [0x8000_2422_0900_1200, 0x2046_8004_8100_0002]);
//! assert_eq!(w.mask(), [0xAB02_26A3_0900_5241, 0x2046_800C_8150_4002]);
//! # Ok::<(), ternion_core::Error>(())
//! ```

use crate::error::Error;
use crate::trits::Word;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::{SplitMix64, Xoshiro128PlusPlus};

/// The counter step of SplitMix64.
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// ε, the probability of a zero weight, in units of 2⁻³².
///
/// ```
/// use ternion_core::Sparsity;
///
/// assert_eq!(Sparsity::new(0.5)?, Sparsity::from_bits(1 << 31));
/// assert!((Sparsity::TWO_THIRDS.probability() - 2.0 / 3.0).abs() < 2.4e-10);
/// assert!(Sparsity::new(1.0).is_err());
/// # Ok::<(), ternion_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sparsity(u32);

impl Sparsity {
    /// No zeros: weights are −1 and +1.
    pub const DENSE: Self = Self(0);

    /// Two zeros in three: matches the fourth moment of a Gaussian weight, and is the default.
    pub const TWO_THIRDS: Self = Self(0xAAAA_AAAB);

    /// The closest representable probability of a zero, within 2⁻³² of `probability`.
    ///
    /// # Errors
    ///
    /// [`Error::SparsityOutOfRange`] outside `[0, 1)` or for NaN.
    pub const fn new(probability: f64) -> Result<Self, Error> {
        if !(probability >= 0.0 && probability < 1.0) {
            return Err(Error::SparsityOutOfRange { found: probability });
        }
        // The cast truncates, and saturates where 1 − 2⁻³³ would round to one.
        Ok(Self((probability * 4_294_967_296.0 + 0.5) as u32))
    }

    /// The probability `bits / 2³²`, for code without floats.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// T = 2³² times the probability of a zero.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The probability of a zero.
    pub const fn probability(self) -> f64 {
        self.0 as f64 / 4_294_967_296.0
    }
}

/// a and b of row `row`.
#[inline]
pub(crate) fn state(seed: u64, row: u64) -> [u64; 2] {
    let counter = seed.wrapping_add(row.wrapping_mul(2).wrapping_mul(GAMMA));
    let mut outputs = SplitMix64::from_seed(counter.to_le_bytes());
    [outputs.next_u64(), outputs.next_u64()]
}

/// The random stream of one row of W: its words in order.
#[derive(Clone, Debug)]
pub(crate) struct RowStream {
    stream: Xoshiro128PlusPlus,
    sparsity: Sparsity,
}

impl RowStream {
    /// Starts row `row` of the matrix that `seed` means.
    #[inline]
    pub(crate) fn new(seed: u64, sparsity: Sparsity, row: u64) -> Self {
        let [a, b] = state(seed, row);
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&a.to_le_bytes());
        bytes[8..].copy_from_slice(&b.to_le_bytes());
        Self { stream: Xoshiro128PlusPlus::from_seed(bytes), sparsity }
    }

    /// The next 32 bits of the stream.
    pub(crate) fn next_draw(&mut self) -> u32 {
        self.stream.next_u32()
    }

    /// The next 32 columns: `(sign, mask)`.
    #[inline]
    pub(crate) fn next_half_word(&mut self) -> (u32, u32) {
        let mut zero = 0;
        let mut open = u32::MAX;
        let mut threshold = self.sparsity.0;
        while threshold != 0 && open != 0 {
            let draw = self.stream.next_u32();
            if threshold >> 31 == 1 {
                zero |= open & !draw;
                open &= draw;
            } else {
                open &= !draw;
            }
            threshold <<= 1;
        }
        (self.stream.next_u32() & !zero, !zero)
    }

    /// The next 64 columns. Not an `Iterator`: a row has no end.
    #[inline]
    pub(crate) fn next_word(&mut self) -> Word {
        let (low, high) = (self.next_half_word(), self.next_half_word());
        Word {
            sign: low.0 as u64 | (high.0 as u64) << 32,
            mask: low.1 as u64 | (high.1 as u64) << 32,
        }
    }
}
