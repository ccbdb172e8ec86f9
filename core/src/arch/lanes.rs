//! The units of memory that kernels work on: cache lines, and lines with one number of every sample.

use bytemuck::{Pod, Zeroable};

/// Samples that a kernel projects at once, one in each lane of its vectors. The same on every ISA, so that a kernel
/// has one source and one layout.
pub const LANES: usize = 32;

/// Lanes of 32 bits in a line.
pub const HALF: usize = LANES / 2;

/// A cache line of scratch: kernels borrow their scratch as a slice of lines.
///
/// ```
/// use ternion_core::Line;
///
/// let scratch = [Line::ZERO; 8];
/// assert_eq!(size_of_val(&scratch), 512);
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Line(pub(crate) [u64; 8]);

impl Line {
    /// A line of zeros.
    pub const ZERO: Self = Self([0; 8]);

    /// A line that starts with a word and is zero otherwise.
    #[inline(always)]
    pub(crate) const fn with_first_word(word: u64) -> Self {
        Self([word, 0, 0, 0, 0, 0, 0, 0])
    }

    /// The first word.
    #[inline(always)]
    pub(crate) const fn first_word(&self) -> u64 {
        self.0[0]
    }
}

/// One 16-bit number of every sample of a block.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Lanes16(pub [i16; LANES]);

/// One 32-bit sum of every sample of a block, in two halves of a line each.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Lanes32(pub [[i32; HALF]; 2]);

/// One bit for each of 64 features of every sample of a block, in the layout of an ISA.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Comparisons(pub [u8; 256]);

impl Comparisons {
    /// To be overwritten.
    pub const ZERO: Self = Self([0; 256]);
}

/// An upper and a lower bound of every sample of a block, and another pair of them.
pub type Bounds = [[Lanes16; 2]; 2];

/// The entries of a byte lookup, one per code. Where there are 16 codes, they are repeated eight times.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Table(pub [u8; 128]);

// SAFETY: 64 bytes of integers at an alignment of 64: no padding, no invalid bit pattern.
unsafe impl Zeroable for Line {}
// SAFETY: as above, and the type is `Copy`, `'static` and `repr(C)`.
unsafe impl Pod for Line {}
// SAFETY: 64 bytes of integers at an alignment of 64: no padding, no invalid bit pattern.
unsafe impl Zeroable for Lanes16 {}
// SAFETY: as above, and the type is `Copy`, `'static` and `repr(C)`.
unsafe impl Pod for Lanes16 {}
// SAFETY: 128 bytes of integers at an alignment of 64: no padding, no invalid bit pattern.
unsafe impl Zeroable for Lanes32 {}
// SAFETY: as above, and the type is `Copy`, `'static` and `repr(C)`.
unsafe impl Pod for Lanes32 {}

/// Bit `lane` in each of sixteen lanes.
pub(super) const LANE_BIT: [i16; 16] = {
    let mut bits = [0; 16];
    let mut lane = 0;
    while lane < 16 {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};
