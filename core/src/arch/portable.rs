//! What the build guarantees, through `wide`: SSE2, NEON, simd128, or AVX with `target-cpu` set.

use super::byte_arrays::byte_arrays;
use super::lanes::LANE_BIT;
use super::scalar::{
    hadamard_eight, store_octet, subset_sum_by_bytes, subsets_by_bytes, words_of_octets,
};
use super::{Bounds, Comparisons, HALF, LANES, Lanes16, Operations, Simd};
use wide::{i16x8, i16x16, i16x32, i32x8, i32x16, u64x8};

/// The token of the instructions that this build may use anywhere: always available.
#[derive(Clone, Copy, Debug, Default)]
pub struct Native;

impl Simd for Native {
    const NAME: &'static str = if cfg!(all(target_feature = "avx512f", target_feature = "avx512bw"))
    {
        "native-avx512"
    } else if cfg!(target_feature = "avx2") {
        "native-avx2"
    } else if cfg!(target_feature = "sse2") {
        "sse2"
    } else if cfg!(all(target_feature = "neon", target_arch = "aarch64")) {
        "neon"
    } else if cfg!(target_feature = "simd128") {
        "simd128"
    } else {
        "native"
    };

    #[inline(always)]
    fn vectorize<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }
}

impl Operations for Native {
    type I16 = i16x32;
    type I32 = i32x16;
    type U64 = u64x8;
    type Part16 = i16x8;
    type Subsets = [[i16; 256]; 2];

    const REGISTER_LINES: usize = 4;
    const LINE_PARTS: usize = 4;
    const FAST_ADD_TRITS: bool = cfg!(any(
        target_feature = "sse2",
        all(target_feature = "neon", target_arch = "aarch64"),
        target_feature = "simd128"
    ));
    const FAST_LOOKUP64: bool = false;

    #[inline(always)]
    fn splat_part16(self, number: i16) -> i16x8 {
        i16x8::splat(number)
    }

    #[inline(always)]
    fn load_part16(self, from: &Lanes16, part: usize) -> i16x8 {
        bytemuck::cast_ref::<_, [i16x8; 4]>(from)[part % 4]
    }

    #[inline(always)]
    fn store_part16(self, to: &mut Lanes16, part: usize, value: i16x8) {
        bytemuck::cast_mut::<_, [i16x8; 4]>(to)[part % 4] = value;
    }

    #[inline(always)]
    fn add_part16(self, a: i16x8, b: i16x8) -> i16x8 {
        a + b
    }

    #[inline(always)]
    fn sub_part16(self, a: i16x8, b: i16x8) -> i16x8 {
        a - b
    }

    #[inline(always)]
    fn xor_part16(self, a: i16x8, b: i16x8) -> i16x8 {
        a ^ b
    }

    #[inline(always)]
    fn shift_part16(self, value: i16x8, by: u32) -> i16x8 {
        value >> by
    }

    #[inline(always)]
    fn not_part16_where(self, value: i16x8, bits: u32) -> i16x8 {
        let lane_bit = i16x8::new([1, 2, 4, 8, 16, 32, 64, 128]);
        value ^ (i16x8::splat(bits as i16) & lane_bit).simd_eq(lane_bit)
    }

    #[inline(always)]
    fn hadamard_part16(self, value: i16x8) -> i16x8 {
        i16x8::new(hadamard_eight(value.to_array()))
    }

    #[inline(always)]
    fn greater_part16(self, a: i16x8, b: i16x8) -> u32 {
        a.simd_gt(b).to_bitmask()
    }

    /// Shifts one comparison per feature into the low byte of every lane.
    #[inline(always)]
    fn compare_part16(
        self,
        bits: &mut [Comparisons; 2],
        octet: usize,
        part: usize,
        sums: [[i16x8; 8]; 2],
        bounds: &Bounds,
        choice: u8,
    ) {
        let mut bytes = [i16x8::ZERO; 2];
        for k in 0..8 {
            let k = 7 - k;
            let [upper, lower] = &bounds[(choice >> k & 1) as usize];
            let above = sums[0][k].simd_gt(self.load_part16(upper, part));
            let below = sums[1][k].simd_lt(self.load_part16(lower, part));
            bytes = [bytes[0] + bytes[0] - above, bytes[1] + bytes[1] - below];
        }
        for (bits, byte) in bits.iter_mut().zip(bytes) {
            store_octet(bits, octet, part, byte.to_array().map(|byte| byte as u8));
        }
    }

    #[inline(always)]
    fn words(self, bits: &Comparisons) -> [u64; LANES] {
        words_of_octets(bits)
    }

    #[inline(always)]
    fn splat16(self, number: i16) -> i16x32 {
        i16x32::splat(number)
    }

    #[inline(always)]
    fn load16(self, from: &Lanes16) -> i16x32 {
        bytemuck::cast(*from)
    }

    #[inline(always)]
    fn store16(self, to: &mut Lanes16, value: i16x32) {
        *to = bytemuck::cast(value);
    }

    #[inline(always)]
    fn add16(self, a: i16x32, b: i16x32) -> i16x32 {
        a + b
    }

    #[inline(always)]
    fn sub16(self, a: i16x32, b: i16x32) -> i16x32 {
        a - b
    }

    #[inline(always)]
    fn widen(self, value: i16x32) -> [i32x16; 2] {
        let halves: [i16x16; 2] = bytemuck::cast(value);
        halves.map(i32x16::from_i16x16)
    }

    #[inline(always)]
    fn add_widened(self, sums: [i32x16; 2], value: i16x32, times: i16) -> [i32x16; 2] {
        let pairs: i32x16 = bytemuck::cast(value);
        let (even, odd) = match cfg!(target_endian = "little") {
            true => ((pairs << 16) >> 16, pairs >> 16),
            false => (pairs >> 16, (pairs << 16) >> 16),
        };
        let times = i32x16::splat(times as i32);
        [sums[0] + even * times, sums[1] + odd * times]
    }

    #[inline(always)]
    fn load32(self, from: &[i32; HALF]) -> i32x16 {
        i32x16::new(*from)
    }

    #[inline(always)]
    fn store32(self, to: &mut [i32; HALF], value: i32x16) {
        *to = value.to_array();
    }

    #[inline(always)]
    fn add32(self, a: i32x16, b: i32x16) -> i32x16 {
        a + b
    }

    #[inline(always)]
    fn sub32(self, a: i32x16, b: i32x16) -> i32x16 {
        a - b
    }

    #[inline(always)]
    fn mul32(self, a: i32x16, b: i32x16) -> i32x16 {
        a * b
    }

    #[inline(always)]
    fn flip32(self, value: i32x16, flip: i32) -> i32x16 {
        let flip = i32x16::splat(flip);
        (value ^ flip) - flip
    }

    #[inline(always)]
    fn add_trits(self, sums: i32x16, sign: u32, mask: u32, numbers: &[i16; LANES]) -> i32x16 {
        let [low, high]: [i16x16; 2] = bytemuck::cast(*numbers);
        let dots = [dot_trits(sign, mask, low), dot_trits(sign >> 16, mask >> 16, high)];
        sums + bytemuck::cast::<[i32x8; 2], i32x16>(dots)
    }

    #[inline(always)]
    fn splat32(self, number: i32) -> i32x16 {
        i32x16::splat(number)
    }

    #[inline(always)]
    fn greater32(self, a: i32x16, b: i32x16) -> u32 {
        a.simd_gt(b).to_bitmask()
    }

    /// By loads: SSE2 has no lookup in registers, and what others have takes more steps.
    #[inline(always)]
    fn subsets(self, numbers: &[i16; 16]) -> Self::Subsets {
        subsets_by_bytes(numbers)
    }

    #[inline(always)]
    fn subset_sums(self, subsets: &Self::Subsets, codes: &Lanes16) -> i16x32 {
        i16x32::new(codes.0.map(|code| subset_sum_by_bytes(subsets, code)))
    }

    #[inline(always)]
    fn load64(self, from: &[u64; 8]) -> u64x8 {
        u64x8::new(*from)
    }

    #[inline(always)]
    fn store64(self, to: &mut [u64; 8], value: u64x8) {
        *to = value.to_array();
    }

    #[inline(always)]
    fn splat64(self, word: u64) -> u64x8 {
        u64x8::splat(word)
    }

    #[inline(always)]
    fn and64(self, a: u64x8, b: u64x8) -> u64x8 {
        a & b
    }

    #[inline(always)]
    fn xor64(self, a: u64x8, b: u64x8) -> u64x8 {
        a ^ b
    }

    #[inline(always)]
    fn add64(self, a: u64x8, b: u64x8) -> u64x8 {
        a + b
    }

    #[inline(always)]
    fn sub64(self, a: u64x8, b: u64x8) -> u64x8 {
        a - b
    }

    #[inline(always)]
    fn shl64(self, words: u64x8, by: u32) -> u64x8 {
        words << by
    }

    #[inline(always)]
    fn shr64(self, words: u64x8, by: u32) -> u64x8 {
        words >> by
    }

    /// Left to the compiler, which knows each target's own way (`cnt`, `popcnt`, nibble tables).
    #[inline(always)]
    fn popcount64(self, words: u64x8) -> u64x8 {
        u64x8::new(words.to_array().map(|word| word.count_ones() as u64))
    }

    /// In bytes, which every target counts without going through single words.
    #[inline(always)]
    fn count64(self, count: u64x8, words: u64x8) -> u64x8 {
        let mut count: [u8; 64] = bytemuck::cast(count);
        let words: [u8; 64] = bytemuck::cast(words);
        for (count, byte) in count.iter_mut().zip(words) {
            *count = count.wrapping_add(byte.count_ones() as u8);
        }
        bytemuck::cast(count)
    }

    #[inline(always)]
    fn counted64(self, count: u64x8) -> u64x8 {
        let pairs = u64x8::splat(0x00FF_00FF_00FF_00FF);
        let count = (count & pairs) + ((count >> 8) & pairs);
        let count = count + (count >> 16);
        (count + (count >> 32)) & u64x8::splat(0xFFFF)
    }

    #[inline(always)]
    fn store64_as32(self, to: &mut [i32; 8], value: u64x8) {
        *to = value.to_array().map(|word| word as i32);
    }

    byte_arrays!();

    #[inline(always)]
    fn prefetch32(self, _: &[i32]) {}
}

/// Numbers times trits, added in pairs. Comparing each lane's bit with itself turns set bits into −1.
#[inline(always)]
fn dot_trits(sign: u32, mask: u32, numbers: i16x16) -> i32x8 {
    let lane_bit = i16x16::new(LANE_BIT);
    let sign = (i16x16::splat(sign as i16) & lane_bit).simd_eq(lane_bit);
    let mask = (i16x16::splat(mask as i16) & lane_bit).simd_eq(lane_bit);
    numbers.dot(sign - (mask - sign))
}
