//! Plain Rust, one lane at a time.

use super::byte_arrays::byte_arrays;
use super::{HALF, LANES, Lanes16, Operations, Simd};
use core::array::from_fn;

/// The token of plain Rust: always available.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar;

impl Simd for Scalar {
    const NAME: &'static str = "scalar";

    #[inline(always)]
    fn vectorize<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }
}

impl Operations for Scalar {
    type I16 = [i16; LANES];
    type I32 = [i32; HALF];
    type U64 = [u64; 8];
    type Subsets = [[i16; 256]; 2];

    const REGISTER_LINES: usize = 4;
    const FAST_ADD_TRITS: bool = false;
    const FAST_LOOKUP64: bool = false;

    #[inline(always)]
    fn splat16(self, number: i16) -> Self::I16 {
        [number; LANES]
    }

    #[inline(always)]
    fn load16(self, from: &Lanes16) -> Self::I16 {
        from.0
    }

    #[inline(always)]
    fn store16(self, to: &mut Lanes16, value: Self::I16) {
        to.0 = value;
    }

    #[inline(always)]
    fn add16(self, a: Self::I16, b: Self::I16) -> Self::I16 {
        from_fn(|lane| a[lane].wrapping_add(b[lane]))
    }

    #[inline(always)]
    fn sub16(self, a: Self::I16, b: Self::I16) -> Self::I16 {
        from_fn(|lane| a[lane].wrapping_sub(b[lane]))
    }

    #[inline(always)]
    fn flip16(self, value: Self::I16, flip: i16) -> Self::I16 {
        value.map(|number| (number ^ flip).wrapping_sub(flip))
    }

    #[inline(always)]
    fn widen(self, value: Self::I16) -> [Self::I32; 2] {
        [from_fn(|lane| value[lane] as i32), from_fn(|lane| value[HALF + lane] as i32)]
    }

    #[inline(always)]
    fn add_widened(self, sums: [Self::I32; 2], value: Self::I16, times: i16) -> [Self::I32; 2] {
        let term = |at: usize| value[at] as i32 * times as i32;
        [
            from_fn(|lane| sums[0][lane].wrapping_add(term(2 * lane))),
            from_fn(|lane| sums[1][lane].wrapping_add(term(2 * lane + 1))),
        ]
    }

    #[inline(always)]
    fn load32(self, from: &[i32; HALF]) -> Self::I32 {
        *from
    }

    #[inline(always)]
    fn store32(self, to: &mut [i32; HALF], value: Self::I32) {
        *to = value;
    }

    #[inline(always)]
    fn add32(self, a: Self::I32, b: Self::I32) -> Self::I32 {
        from_fn(|lane| a[lane].wrapping_add(b[lane]))
    }

    #[inline(always)]
    fn sub32(self, a: Self::I32, b: Self::I32) -> Self::I32 {
        from_fn(|lane| a[lane].wrapping_sub(b[lane]))
    }

    #[inline(always)]
    fn flip32(self, value: Self::I32, flip: i32) -> Self::I32 {
        value.map(|number| (number ^ flip).wrapping_sub(flip))
    }

    #[inline(always)]
    fn negate32_where(self, value: Self::I32, bits: u32) -> Self::I32 {
        from_fn(|lane| {
            let flip = -((bits >> lane & 1) as i32);
            (value[lane] ^ flip).wrapping_sub(flip)
        })
    }

    #[inline(always)]
    fn hadamard32(self, value: Self::I32) -> Self::I32 {
        hadamard_by_lanes(value)
    }

    #[inline(always)]
    fn splat32(self, number: i32) -> Self::I32 {
        [number; HALF]
    }

    #[inline(always)]
    fn greater32(self, a: Self::I32, b: Self::I32) -> u32 {
        let mut bits = 0;
        for lane in 0..HALF {
            bits |= ((a[lane] > b[lane]) as u32) << lane;
        }
        bits
    }

    #[inline(always)]
    fn subsets(self, numbers: &[i16; 16]) -> Self::Subsets {
        subsets_by_bytes(numbers)
    }

    #[inline(always)]
    fn subset_sums(self, subsets: &Self::Subsets, codes: &Lanes16) -> Self::I16 {
        codes.0.map(|code| subset_sum_by_bytes(subsets, code))
    }

    #[inline(always)]
    fn load64(self, from: &[u64; 8]) -> Self::U64 {
        *from
    }

    #[inline(always)]
    fn store64(self, to: &mut [u64; 8], value: Self::U64) {
        *to = value;
    }

    #[inline(always)]
    fn splat64(self, word: u64) -> Self::U64 {
        [word; 8]
    }

    #[inline(always)]
    fn and64(self, a: Self::U64, b: Self::U64) -> Self::U64 {
        from_fn(|k| a[k] & b[k])
    }

    #[inline(always)]
    fn xor64(self, a: Self::U64, b: Self::U64) -> Self::U64 {
        from_fn(|k| a[k] ^ b[k])
    }

    #[inline(always)]
    fn add64(self, a: Self::U64, b: Self::U64) -> Self::U64 {
        from_fn(|k| a[k].wrapping_add(b[k]))
    }

    #[inline(always)]
    fn sub64(self, a: Self::U64, b: Self::U64) -> Self::U64 {
        from_fn(|k| a[k].wrapping_sub(b[k]))
    }

    #[inline(always)]
    fn shl64(self, words: Self::U64, by: u32) -> Self::U64 {
        from_fn(|k| words[k] << by)
    }

    #[inline(always)]
    fn shr64(self, words: Self::U64, by: u32) -> Self::U64 {
        from_fn(|k| words[k] >> by)
    }

    /// A core without the instruction gets shifts, adds and one multiplication, inline.
    #[inline(always)]
    fn popcount64(self, words: Self::U64) -> Self::U64 {
        words.map(|word| word.count_ones() as u64)
    }

    #[inline(always)]
    fn count64(self, count: Self::U64, words: Self::U64) -> Self::U64 {
        self.add64(count, self.popcount64(words))
    }

    #[inline(always)]
    fn counted64(self, count: Self::U64) -> Self::U64 {
        count
    }

    #[inline(always)]
    fn store64_as32(self, to: &mut [i32; 8], value: Self::U64) {
        *to = value.map(|word| word as i32);
    }

    byte_arrays!();

    #[inline(always)]
    fn prefetch32(self, _: &[i32]) {}
}

/// The sums of all subsets of the first and of the last eight numbers, for machines that look up by loads.
#[inline(always)]
pub(super) fn subsets_by_bytes(numbers: &[i16; 16]) -> [[i16; 256]; 2] {
    let mut sums = [[0_i16; 256]; 2];
    for (sums, numbers) in sums.iter_mut().zip(numbers.chunks_exact(8)) {
        for (bit, &number) in numbers.iter().enumerate() {
            let (done, next) = sums.split_at_mut(1 << bit);
            for (done, next) in done.iter().zip(next) {
                *next = done.wrapping_add(number);
            }
        }
    }
    sums
}

/// The sum of the numbers at the set bits of a code.
#[inline(always)]
pub(super) fn subset_sum_by_bytes(subsets: &[[i16; 256]; 2], code: i16) -> i16 {
    let [low, high] = code.to_le_bytes();
    subsets[0][low as usize].wrapping_add(subsets[1][high as usize])
}

/// The Walsh–Hadamard transform of an array: sums where bit `h` of the lane is clear, differences
/// where it is set, for h = 1, 2, 4, 8.
#[inline(always)]
pub(super) fn hadamard_by_lanes(mut value: [i32; HALF]) -> [i32; HALF] {
    for h in [1, 2, 4, 8] {
        value = from_fn(|lane| match lane & h {
            0 => value[lane].wrapping_add(value[lane | h]),
            _ => value[lane ^ h].wrapping_sub(value[lane]),
        });
    }
    value
}
