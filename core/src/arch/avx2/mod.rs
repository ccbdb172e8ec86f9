//! AVX2, for run-time dispatch: two registers for 16-bit lanes, two for a half of 32-bit ones.

mod functions;

use crate::arch::lanes::LANE_BIT;
use crate::arch::operations::holds_tile;
use crate::arch::{Bounds, Comparisons, HALF, LANES, Lanes16, Operations, Simd, Table, Tuning};
pub(super) use functions::words_of_bytes;

use core::arch::x86_64::*;
use functions::{MINUS, ONES, add_dots, butterfly16, count_nibbles, transpose32, trits};

/// Proof that AVX2, BMI1, BMI2, LZCNT and POPCNT are present.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(Tuning);

impl Avx2 {
    /// Creates the token without checking the CPU.
    ///
    /// # Safety
    ///
    /// The machine must have AVX2, BMI1, BMI2, LZCNT and POPCNT, enabled by the operating system.
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

/// Wraps intrinsics of the token's ISA. No closures inside: a closure is a function of its own, compiled without
/// the ISA.
macro_rules! with_avx2 {
    ($operation:expr) => {
        // SAFETY: the token proves that AVX2 is present; loads and stores go through references to
        // arrays of exactly the registers' size, or stay within slices whose length was compared with what they reach.
        unsafe { $operation }
    };
}

impl Simd for Avx2 {
    const NAME: &'static str = "avx2";

    #[inline(always)]
    fn tuning(self) -> Tuning {
        self.0
    }

    #[inline(always)]
    fn vectorize<R>(self, work: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
        fn enabled<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: the token proves that the instructions are present.
        unsafe { enabled(work) }
    }
}

impl Operations for Avx2 {
    type I16 = [__m256i; 2];
    type I32 = [__m256i; 2];
    type U64 = [__m256i; 2];
    type Part16 = __m256i;
    type U8 = [__m256i; 2];
    type Table = __m256i;
    /// The low and the high bytes of the sums of four numbers, for each four of them.
    type Subsets = [[__m256i; 2]; 4];

    const BYTE_LOOKUP_CODES: usize = 16;
    const REGISTER_LINES: usize = 8;
    const LINE_PARTS: usize = 2;
    const FAST_ADD_TRITS: bool = true;
    const FAST_LOOKUP64: bool = false;

    #[inline(always)]
    fn splat16(self, number: i16) -> Self::I16 {
        with_avx2!([_mm256_set1_epi16(number); 2])
    }

    #[inline(always)]
    fn load16(self, from: &Lanes16) -> Self::I16 {
        let from: *const __m256i = from.0.as_ptr().cast();
        with_avx2!([_mm256_load_si256(from), _mm256_load_si256(from.add(1))])
    }

    #[inline(always)]
    fn store16(self, to: &mut Lanes16, value: Self::I16) {
        let to: *mut __m256i = to.0.as_mut_ptr().cast();
        with_avx2!({
            _mm256_store_si256(to, value[0]);
            _mm256_store_si256(to.add(1), value[1]);
        });
    }

    #[inline(always)]
    fn add16(self, a: Self::I16, b: Self::I16) -> Self::I16 {
        with_avx2!([_mm256_add_epi16(a[0], b[0]), _mm256_add_epi16(a[1], b[1])])
    }

    #[inline(always)]
    fn sub16(self, a: Self::I16, b: Self::I16) -> Self::I16 {
        with_avx2!([_mm256_sub_epi16(a[0], b[0]), _mm256_sub_epi16(a[1], b[1])])
    }

    #[inline(always)]
    fn widen(self, value: Self::I16) -> [Self::I32; 2] {
        with_avx2!([
            [
                _mm256_cvtepi16_epi32(_mm256_castsi256_si128(value[0])),
                _mm256_cvtepi16_epi32(_mm256_extracti128_si256::<1>(value[0])),
            ],
            [
                _mm256_cvtepi16_epi32(_mm256_castsi256_si128(value[1])),
                _mm256_cvtepi16_epi32(_mm256_extracti128_si256::<1>(value[1])),
            ],
        ])
    }

    #[inline(always)]
    fn splat_part16(self, number: i16) -> __m256i {
        with_avx2!(_mm256_set1_epi16(number))
    }

    #[inline(always)]
    fn load_part16(self, from: &Lanes16, part: usize) -> __m256i {
        let from: *const __m256i = from.0.as_ptr().cast();
        with_avx2!(_mm256_load_si256(from.add(part % 2)))
    }

    #[inline(always)]
    fn store_part16(self, to: &mut Lanes16, part: usize, value: __m256i) {
        let to: *mut __m256i = to.0.as_mut_ptr().cast();
        with_avx2!(_mm256_store_si256(to.add(part % 2), value));
    }

    #[inline(always)]
    fn add_part16(self, a: __m256i, b: __m256i) -> __m256i {
        with_avx2!(_mm256_add_epi16(a, b))
    }

    #[inline(always)]
    fn sub_part16(self, a: __m256i, b: __m256i) -> __m256i {
        with_avx2!(_mm256_sub_epi16(a, b))
    }

    #[inline(always)]
    fn xor_part16(self, a: __m256i, b: __m256i) -> __m256i {
        with_avx2!(_mm256_xor_si256(a, b))
    }

    #[inline(always)]
    fn shift_part16(self, value: __m256i, by: u32) -> __m256i {
        with_avx2!(_mm256_sra_epi16(value, _mm_cvtsi32_si128(by as i32)))
    }

    #[inline(always)]
    fn not_part16_where(self, value: __m256i, bits: u32) -> __m256i {
        let lane_bit: *const __m256i = LANE_BIT.as_ptr().cast();
        with_avx2!({
            let lane_bit = _mm256_loadu_si256(lane_bit);
            let set = _mm256_and_si256(_mm256_set1_epi16(bits as i16), lane_bit);
            _mm256_xor_si256(value, _mm256_cmpeq_epi16(set, lane_bit))
        })
    }

    #[inline(always)]
    fn hadamard_part16(self, value: __m256i) -> __m256i {
        with_avx2!({
            let other = _mm256_permute4x64_epi64::<0b01_00_11_10>(value);
            let value = butterfly16(value, other, _mm256_setr_epi64x(ONES, ONES, MINUS, MINUS));
            let other = _mm256_shuffle_epi32::<0b01_00_11_10>(value);
            let value = butterfly16(value, other, _mm256_setr_epi64x(ONES, MINUS, ONES, MINUS));
            let other = _mm256_shuffle_epi32::<0b10_11_00_01>(value);
            let value = butterfly16(value, other, _mm256_set1_epi64x(ONES >> 32 | MINUS << 32));
            let other =
                _mm256_or_si256(_mm256_slli_epi32::<16>(value), _mm256_srli_epi32::<16>(value));
            butterfly16(value, other, _mm256_set1_epi32(0xFFFF_0001_u32 as i32))
        })
    }

    #[inline(always)]
    fn greater_part16(self, a: __m256i, b: __m256i) -> u32 {
        with_avx2!({
            let greater = _mm256_cmpgt_epi16(a, b);
            let (low, high) =
                (_mm256_castsi256_si128(greater), _mm256_extracti128_si256::<1>(greater));
            _mm_movemask_epi8(_mm_packs_epi16(low, high)) as u32
        })
    }

    /// Shifts one comparison per feature into the low byte of every lane: a comparison, an addition and a
    /// subtraction. Sixteen bytes per octet and part: the samples 0 to 7 and 8 to 15 of the part.
    #[inline(always)]
    fn compare_part16(
        self,
        bits: &mut [Comparisons; 2],
        octet: usize,
        part: usize,
        sums: [[__m256i; 8]; 2],
        bounds: &Bounds,
        choice: u8,
    ) {
        let mut bytes = [self.splat_part16(0); 2];
        // From the last feature down, which makes the first one the lowest bit.
        for k in 0..8 {
            let k = 7 - k;
            let [upper, lower] = &bounds[(choice >> k & 1) as usize];
            let (upper, lower) = (self.load_part16(upper, part), self.load_part16(lower, part));
            with_avx2!({
                let above = _mm256_cmpgt_epi16(sums[0][k], upper);
                let below = _mm256_cmpgt_epi16(lower, sums[1][k]);
                bytes[0] = _mm256_sub_epi16(_mm256_add_epi16(bytes[0], bytes[0]), above);
                bytes[1] = _mm256_sub_epi16(_mm256_add_epi16(bytes[1], bytes[1]), below);
            });
        }
        for (bits, byte) in bits.iter_mut().zip(bytes) {
            let to: *mut __m128i = bits.0.as_mut_ptr().cast();
            with_avx2!({
                let (low, high) =
                    (_mm256_castsi256_si128(byte), _mm256_extracti128_si256::<1>(byte));
                _mm_store_si128(to.add(octet % 8 * 2 + part % 2), _mm_packus_epi16(low, high));
            });
        }
    }

    #[inline(always)]
    fn words(self, bits: &Comparisons) -> [u64; LANES] {
        with_avx2!(words_of_bytes(bits))
    }

    /// `pmaddwd` by (times, 0) and (0, times): no shuffle.
    #[inline(always)]
    fn add_widened(self, sums: [Self::I32; 2], value: Self::I16, times: i16) -> [Self::I32; 2] {
        with_avx2!({
            let even = _mm256_set1_epi32(times as u16 as i32);
            let odd = _mm256_slli_epi32::<16>(even);
            [
                [add_dots(sums[0][0], value[0], even), add_dots(sums[0][1], value[1], even)],
                [add_dots(sums[1][0], value[0], odd), add_dots(sums[1][1], value[1], odd)],
            ]
        })
    }

    #[inline(always)]
    fn load32(self, from: &[i32; HALF]) -> Self::I32 {
        let from: *const __m256i = from.as_ptr().cast();
        with_avx2!([_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))])
    }

    #[inline(always)]
    fn store32(self, to: &mut [i32; HALF], value: Self::I32) {
        let to: *mut __m256i = to.as_mut_ptr().cast();
        with_avx2!({
            _mm256_storeu_si256(to, value[0]);
            _mm256_storeu_si256(to.add(1), value[1]);
        });
    }

    #[inline(always)]
    fn add32(self, a: Self::I32, b: Self::I32) -> Self::I32 {
        with_avx2!([_mm256_add_epi32(a[0], b[0]), _mm256_add_epi32(a[1], b[1])])
    }

    #[inline(always)]
    fn sub32(self, a: Self::I32, b: Self::I32) -> Self::I32 {
        with_avx2!([_mm256_sub_epi32(a[0], b[0]), _mm256_sub_epi32(a[1], b[1])])
    }

    #[inline(always)]
    fn mul32(self, a: Self::I32, b: Self::I32) -> Self::I32 {
        with_avx2!([_mm256_mullo_epi32(a[0], b[0]), _mm256_mullo_epi32(a[1], b[1])])
    }

    #[inline(always)]
    fn flip32(self, value: Self::I32, flip: i32) -> Self::I32 {
        with_avx2!({
            let flip = _mm256_set1_epi32(flip);
            [
                _mm256_sub_epi32(_mm256_xor_si256(value[0], flip), flip),
                _mm256_sub_epi32(_mm256_xor_si256(value[1], flip), flip),
            ]
        })
    }

    #[inline(always)]
    fn add_trits(self, sums: Self::I32, sign: u32, mask: u32, numbers: &[i16; LANES]) -> Self::I32 {
        let from: *const __m256i = numbers.as_ptr().cast();
        with_avx2!({
            let (low, high) = (trits(sign, mask), trits(sign >> 16, mask >> 16));
            [
                add_dots(sums[0], _mm256_loadu_si256(from), low),
                add_dots(sums[1], _mm256_loadu_si256(from.add(1)), high),
            ]
        })
    }

    #[inline(always)]
    fn splat32(self, number: i32) -> Self::I32 {
        with_avx2!([_mm256_set1_epi32(number); 2])
    }

    #[inline(always)]
    fn greater32(self, a: Self::I32, b: Self::I32) -> u32 {
        with_avx2!({
            let low = _mm256_castsi256_ps(_mm256_cmpgt_epi32(a[0], b[0]));
            let high = _mm256_castsi256_ps(_mm256_cmpgt_epi32(a[1], b[1]));
            (_mm256_movemask_ps(low) | _mm256_movemask_ps(high) << 8) as u32
        })
    }

    #[inline(always)]
    fn transpose32(self, from: &[i32], to: &mut [i32], stride: usize) {
        if holds_tile(from.len().min(to.len()), stride) {
            // Both slices reach the last number of 16 rows at this distance: nothing outside is touched.
            with_avx2!(transpose32(from.as_ptr(), to.as_mut_ptr(), stride));
        }
    }

    #[inline(always)]
    fn subsets(self, numbers: &[i16; 16]) -> Self::Subsets {
        with_avx2!({
            let entries = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let mut subsets = [[_mm256_setzero_si256(); 2]; 4];
            for (group, subsets) in subsets.iter_mut().enumerate() {
                let mut sums = _mm256_setzero_si256();
                for bit in 0..4 {
                    let set = _mm256_set1_epi16(1 << bit);
                    let with = _mm256_cmpeq_epi16(_mm256_and_si256(entries, set), set);
                    let number = _mm256_set1_epi16(numbers[4 * group + bit]);
                    sums = _mm256_add_epi16(sums, _mm256_and_si256(with, number));
                }
                let low = _mm256_and_si256(sums, _mm256_set1_epi16(0xFF));
                let high = _mm256_srli_epi16::<8>(sums);
                // Sixteen bytes, twice.
                for (subsets, bytes) in subsets.iter_mut().zip([low, high]) {
                    let packed = _mm256_packus_epi16(bytes, bytes);
                    *subsets = _mm256_permute4x64_epi64::<0b10_00_10_00>(packed);
                }
            }
            subsets
        })
    }

    /// `pshufb` looks up bytes: codes are packed to bytes, looked up by nibbles in the low and the
    /// high bytes of the sums, and unpacked to 16 bits again, in the order they had.
    #[inline(always)]
    fn subset_sums(self, subsets: &Self::Subsets, codes: &Lanes16) -> Self::I16 {
        let [a, b] = self.load16(codes);
        with_avx2!({
            let byte = _mm256_set1_epi16(0xFF);
            let low = _mm256_packus_epi16(_mm256_and_si256(a, byte), _mm256_and_si256(b, byte));
            let high = _mm256_packus_epi16(_mm256_srli_epi16::<8>(a), _mm256_srli_epi16::<8>(b));
            let nibble = _mm256_set1_epi8(15);
            let nibbles = [
                _mm256_and_si256(low, nibble),
                _mm256_and_si256(_mm256_srli_epi16::<4>(low), nibble),
                _mm256_and_si256(high, nibble),
                _mm256_and_si256(_mm256_srli_epi16::<4>(high), nibble),
            ];
            let mut sums = [_mm256_setzero_si256(); 2];
            for (subsets, nibbles) in subsets.iter().zip(nibbles) {
                let low = _mm256_shuffle_epi8(subsets[0], nibbles);
                let high = _mm256_shuffle_epi8(subsets[1], nibbles);
                sums[0] = _mm256_add_epi16(sums[0], _mm256_unpacklo_epi8(low, high));
                sums[1] = _mm256_add_epi16(sums[1], _mm256_unpackhi_epi8(low, high));
            }
            sums
        })
    }

    #[inline(always)]
    fn load64(self, from: &[u64; 8]) -> Self::U64 {
        let from: *const __m256i = from.as_ptr().cast();
        with_avx2!([_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))])
    }

    #[inline(always)]
    fn store64(self, to: &mut [u64; 8], value: Self::U64) {
        let to: *mut __m256i = to.as_mut_ptr().cast();
        with_avx2!({
            _mm256_storeu_si256(to, value[0]);
            _mm256_storeu_si256(to.add(1), value[1]);
        });
    }

    #[inline(always)]
    fn splat64(self, word: u64) -> Self::U64 {
        with_avx2!([_mm256_set1_epi64x(word as i64); 2])
    }

    #[inline(always)]
    fn and64(self, a: Self::U64, b: Self::U64) -> Self::U64 {
        with_avx2!([_mm256_and_si256(a[0], b[0]), _mm256_and_si256(a[1], b[1])])
    }

    #[inline(always)]
    fn xor64(self, a: Self::U64, b: Self::U64) -> Self::U64 {
        with_avx2!([_mm256_xor_si256(a[0], b[0]), _mm256_xor_si256(a[1], b[1])])
    }

    #[inline(always)]
    fn add64(self, a: Self::U64, b: Self::U64) -> Self::U64 {
        with_avx2!([_mm256_add_epi64(a[0], b[0]), _mm256_add_epi64(a[1], b[1])])
    }

    #[inline(always)]
    fn sub64(self, a: Self::U64, b: Self::U64) -> Self::U64 {
        with_avx2!([_mm256_sub_epi64(a[0], b[0]), _mm256_sub_epi64(a[1], b[1])])
    }

    #[inline(always)]
    fn shl64(self, words: Self::U64, by: u32) -> Self::U64 {
        with_avx2!({
            let by = _mm_cvtsi32_si128(by as i32);
            [_mm256_sll_epi64(words[0], by), _mm256_sll_epi64(words[1], by)]
        })
    }

    #[inline(always)]
    fn shr64(self, words: Self::U64, by: u32) -> Self::U64 {
        with_avx2!({
            let by = _mm_cvtsi32_si128(by as i32);
            [_mm256_srl_epi64(words[0], by), _mm256_srl_epi64(words[1], by)]
        })
    }

    #[inline(always)]
    fn count64(self, count: Self::U64, words: Self::U64) -> Self::U64 {
        with_avx2!([count_nibbles(count[0], words[0]), count_nibbles(count[1], words[1])])
    }

    /// The bytes of each word added by `psadbw`.
    #[inline(always)]
    fn counted64(self, count: Self::U64) -> Self::U64 {
        with_avx2!({
            let zero = _mm256_setzero_si256();
            [_mm256_sad_epu8(count[0], zero), _mm256_sad_epu8(count[1], zero)]
        })
    }

    #[inline(always)]
    fn store64_as32(self, to: &mut [i32; 8], value: Self::U64) {
        with_avx2!({
            let (low, high) = (_mm256_castsi256_ps(value[0]), _mm256_castsi256_ps(value[1]));
            let even = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(low, high));
            let order = _mm256_permute4x64_epi64::<0b11_01_10_00>(even);
            _mm256_storeu_si256(to.as_mut_ptr().cast(), order);
        });
    }

    #[inline(always)]
    fn zero8(self) -> Self::U8 {
        with_avx2!([_mm256_setzero_si256(); 2])
    }

    #[inline(always)]
    fn load8(self, from: &[u8; 64]) -> Self::U8 {
        let from: *const __m256i = from.as_ptr().cast();
        with_avx2!([_mm256_loadu_si256(from), _mm256_loadu_si256(from.add(1))])
    }

    #[inline(always)]
    fn add8(self, a: Self::U8, b: Self::U8) -> Self::U8 {
        with_avx2!([_mm256_add_epi8(a[0], b[0]), _mm256_add_epi8(a[1], b[1])])
    }

    #[inline(always)]
    fn split8(self, bytes: Self::U8) -> [Self::I16; 2] {
        with_avx2!({
            let low = _mm256_set1_epi16(255);
            [
                [_mm256_and_si256(bytes[0], low), _mm256_and_si256(bytes[1], low)],
                [_mm256_srli_epi16::<8>(bytes[0]), _mm256_srli_epi16::<8>(bytes[1])],
            ]
        })
    }

    #[inline(always)]
    fn table8(self, from: &Table) -> __m256i {
        with_avx2!(_mm256_load_si256(from.0.as_ptr().cast()))
    }

    #[inline(always)]
    fn lookup8(self, table: __m256i, codes: Self::U8) -> Self::U8 {
        with_avx2!([_mm256_shuffle_epi8(table, codes[0]), _mm256_shuffle_epi8(table, codes[1])])
    }

    #[inline(always)]
    fn prefetch32(self, from: &[i32]) {
        for line in from.chunks(16) {
            with_avx2!(_mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()));
        }
    }
}
