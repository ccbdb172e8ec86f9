//! Plain Rust, one lane at a time.

use super::byte_arrays::byte_arrays;
use super::{Bounds, Comparisons, HALF, LANES, Lanes16, Operations, Simd};
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
    type Part16 = [i16; 8];
    type Subsets = [[i16; 256]; 2];

    const REGISTER_LINES: usize = 4;
    const LINE_PARTS: usize = 4;
    const FAST_ADD_TRITS: bool = false;
    const FAST_LOOKUP64: bool = false;

    #[inline(always)]
    fn splat_part16(self, number: i16) -> [i16; 8] {
        [number; 8]
    }

    #[inline(always)]
    fn load_part16(self, from: &Lanes16, part: usize) -> [i16; 8] {
        bytemuck::cast_ref::<_, [[i16; 8]; 4]>(&from.0)[part % 4]
    }

    #[inline(always)]
    fn store_part16(self, to: &mut Lanes16, part: usize, value: [i16; 8]) {
        bytemuck::cast_mut::<_, [[i16; 8]; 4]>(&mut to.0)[part % 4] = value;
    }

    #[inline(always)]
    fn add_part16(self, a: [i16; 8], b: [i16; 8]) -> [i16; 8] {
        from_fn(|lane| a[lane].wrapping_add(b[lane]))
    }

    #[inline(always)]
    fn sub_part16(self, a: [i16; 8], b: [i16; 8]) -> [i16; 8] {
        from_fn(|lane| a[lane].wrapping_sub(b[lane]))
    }

    #[inline(always)]
    fn xor_part16(self, a: [i16; 8], b: [i16; 8]) -> [i16; 8] {
        from_fn(|lane| a[lane] ^ b[lane])
    }

    #[inline(always)]
    fn shift_part16(self, value: [i16; 8], by: u32) -> [i16; 8] {
        value.map(|lane| lane >> (by & 15))
    }

    #[inline(always)]
    fn not_part16_where(self, value: [i16; 8], bits: u32) -> [i16; 8] {
        from_fn(|lane| value[lane] ^ -((bits >> lane & 1) as i16))
    }

    #[inline(always)]
    fn hadamard_part16(self, value: [i16; 8]) -> [i16; 8] {
        hadamard_eight(value)
    }

    #[inline(always)]
    fn greater_part16(self, a: [i16; 8], b: [i16; 8]) -> u32 {
        let mut bits = 0;
        for lane in 0..8 {
            bits |= ((a[lane] > b[lane]) as u32) << lane;
        }
        bits
    }

    #[inline(always)]
    fn compare_part16(
        self,
        bits: &mut [Comparisons; 2],
        octet: usize,
        part: usize,
        sums: [[[i16; 8]; 8]; 2],
        bounds: &Bounds,
        choice: u8,
    ) {
        let mut bytes = [[0_u8; 8]; 2];
        for k in 0..8 {
            let [upper, lower] = &bounds[(choice >> k & 1) as usize];
            let (upper, lower) = (self.load_part16(upper, part), self.load_part16(lower, part));
            for lane in 0..8 {
                bytes[0][lane] |= ((sums[0][k][lane] > upper[lane]) as u8) << k;
                bytes[1][lane] |= ((sums[1][k][lane] < lower[lane]) as u8) << k;
            }
        }
        store_octet(&mut bits[0], octet, part, bytes[0]);
        store_octet(&mut bits[1], octet, part, bytes[1]);
    }

    #[inline(always)]
    fn words(self, bits: &Comparisons) -> [u64; LANES] {
        words_of_octets(bits)
    }

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
    fn mul32(self, a: Self::I32, b: Self::I32) -> Self::I32 {
        from_fn(|lane| a[lane].wrapping_mul(b[lane]))
    }

    #[inline(always)]
    fn flip32(self, value: Self::I32, flip: i32) -> Self::I32 {
        value.map(|number| (number ^ flip).wrapping_sub(flip))
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

/// The Walsh–Hadamard transform of eight numbers.
#[inline(always)]
pub(super) fn hadamard_eight(mut value: [i16; 8]) -> [i16; 8] {
    for stride in [4, 2, 1] {
        for low in 0..8 {
            if low & stride == 0 {
                let (a, b) = (value[low], value[low + stride]);
                (value[low], value[low + stride]) = (a.wrapping_add(b), a.wrapping_sub(b));
            }
        }
    }
    value
}

/// Stores the comparisons of an octet and eight samples: the eight octets of a sample lie side by side.
#[inline(always)]
pub(super) fn store_octet(bits: &mut Comparisons, octet: usize, part: usize, bytes: [u8; 8]) {
    for (lane, byte) in bytes.into_iter().enumerate() {
        bits.0[64 * (part % 4) + 8 * lane + octet % 8] = byte;
    }
}

/// The words of what [`store_octet`] stored.
#[inline(always)]
pub(super) fn words_of_octets(bits: &Comparisons) -> [u64; LANES] {
    let octets: [[u8; 8]; LANES] = bytemuck::cast(bits.0);
    octets.map(u64::from_le_bytes)
}
