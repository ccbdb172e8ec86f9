//! AVX-512, for run-time dispatch: one register for 16-bit lanes, one for a half of 32-bit ones.
//!
//! Two tokens, which differ in how they count bits, look up bytes, add pairs and transpose bits. Machines that have one
//! of VPOPCNTDQ, VBMI, VNNI and GFNI nearly always have all four; the few that do not use the first token.

mod functions;
mod tokens;

use crate::arch::avx2::words_of_bytes;
use crate::arch::operations::holds_tile;
use crate::arch::{Bounds, Comparisons, HALF, LANES, Lanes16, Operations, Simd, Table, Tuning};
use core::arch::x86_64::*;
use functions::{
    add_byte_dots, add_bytes, add_dots, add_halves, add_pairs, codes, count_nibbles, count_words,
    counted_words, hadamard16, lookup_in_two, store_bytes, store_masks, subsets, transpose_bits,
    transpose32, transpose64, unpack_trits, words_of_masks,
};
pub use tokens::{Avx512, Avx512Popcnt};

/// Wraps intrinsics of the token's ISA. No closures inside: they would be compiled without the ISA.
macro_rules! with_avx512 {
    ($operation:expr) => {
        // SAFETY: the token proves that the instructions are present; references are to arrays of a register's size, or
        // pointers stay within slices whose length was compared with what they reach.
        unsafe { $operation }
    };
}

/// The operations of both tokens, which differ only in counting bits, looking up bytes and adding pairs.
macro_rules! implement {
    (
        $token:ident, $name:literal,
        features: $features:literal,
        count: $count:expr, counted: $counted:expr,
        codes: $codes:literal, table: $table:ty, lookup: $lookup:expr, dot: $dot:expr,
        byte_dot: $byte_dot:expr,
        compare: $compare:ident, words: $words:expr, $(bits: $bits:expr,)?
    ) => {
        impl Simd for $token {
            const NAME: &'static str = $name;

            #[inline(always)]
            fn tuning(self) -> Tuning {
                self.0
            }

            #[inline(always)]
            fn vectorize<R>(self, work: impl FnOnce() -> R) -> R {
                #[target_feature(enable = $features)]
                fn enabled<R>(work: impl FnOnce() -> R) -> R {
                    work()
                }
                // SAFETY: the token proves that the instructions are present.
                unsafe { enabled(work) }
            }
        }

        impl Operations for $token {
            type I16 = __m512i;
            type I32 = __m512i;
            type U64 = __m512i;
            type Part16 = __m512i;
            type U8 = __m512i;
            type Table = $table;
            /// The sums of the first six numbers, of the next five and of the last five.
            type Subsets = [__m512i; 4];

            const BYTE_LOOKUP_CODES: usize = $codes;
            const REGISTER_LINES: usize = 32;
            const LINE_PARTS: usize = 1;
            const FAST_ADD_TRITS: bool = true;
            const FAST_LOOKUP64: bool = true;
            const FAST_BYTE_DOTS: bool = true;

            #[inline(always)]
            fn splat16(self, number: i16) -> __m512i {
                with_avx512!(_mm512_set1_epi16(number))
            }

            #[inline(always)]
            fn load16(self, from: &Lanes16) -> __m512i {
                with_avx512!(_mm512_load_si512(from.0.as_ptr().cast()))
            }

            #[inline(always)]
            fn store16(self, to: &mut Lanes16, value: __m512i) {
                with_avx512!(_mm512_store_si512(to.0.as_mut_ptr().cast(), value));
            }

            #[inline(always)]
            fn add16(self, a: __m512i, b: __m512i) -> __m512i {
                with_avx512!(_mm512_add_epi16(a, b))
            }

            #[inline(always)]
            fn sub16(self, a: __m512i, b: __m512i) -> __m512i {
                with_avx512!(_mm512_sub_epi16(a, b))
            }

            #[inline(always)]
            fn widen(self, value: __m512i) -> [__m512i; 2] {
                with_avx512!([
                    _mm512_cvtepi16_epi32(_mm512_castsi512_si256(value)),
                    _mm512_cvtepi16_epi32(_mm512_extracti64x4_epi64::<1>(value)),
                ])
            }

            #[inline(always)]
            fn splat_part16(self, number: i16) -> __m512i {
                self.splat16(number)
            }

            #[inline(always)]
            fn load_part16(self, from: &Lanes16, _: usize) -> __m512i {
                self.load16(from)
            }

            #[inline(always)]
            fn store_part16(self, to: &mut Lanes16, _: usize, value: __m512i) {
                self.store16(to, value);
            }

            #[inline(always)]
            fn add_part16(self, a: __m512i, b: __m512i) -> __m512i {
                self.add16(a, b)
            }

            #[inline(always)]
            fn sub_part16(self, a: __m512i, b: __m512i) -> __m512i {
                self.sub16(a, b)
            }

            #[inline(always)]
            fn xor_part16(self, a: __m512i, b: __m512i) -> __m512i {
                self.xor64(a, b)
            }

            #[inline(always)]
            fn shift_part16(self, value: __m512i, by: u32) -> __m512i {
                with_avx512!(_mm512_sra_epi16(value, _mm_cvtsi32_si128(by as i32)))
            }

            #[inline(always)]
            fn not_part16_where(self, value: __m512i, bits: u32) -> __m512i {
                with_avx512!(_mm512_xor_si512(value, _mm512_movm_epi16(bits)))
            }

            #[inline(always)]
            fn hadamard_part16(self, value: __m512i) -> __m512i {
                with_avx512!(hadamard16(value))
            }

            #[inline(always)]
            fn greater_part16(self, a: __m512i, b: __m512i) -> u32 {
                with_avx512!(_mm512_cmpgt_epi16_mask(a, b))
            }

            #[inline(always)]
            fn compare_part16(
                self,
                bits: &mut [Comparisons; 2],
                octet: usize,
                _: usize,
                sums: [[__m512i; 8]; 2],
                bounds: &Bounds,
                choice: u8,
            ) {
                let mut masks = [[0; 8]; 2];
                for k in 0..8 {
                    let [upper, lower] = &bounds[(choice >> k & 1) as usize];
                    let (upper, lower) = (self.load16(upper), self.load16(lower));
                    with_avx512!({
                        masks[0][k] = _mm512_cmpgt_epi16_mask(sums[0][k], upper);
                        masks[1][k] = _mm512_cmplt_epi16_mask(sums[1][k], lower);
                    });
                }
                with_avx512!({
                    $compare(&mut bits[0], octet, masks[0]);
                    $compare(&mut bits[1], octet, masks[1]);
                });
            }

            #[inline(always)]
            fn words(self, bits: &Comparisons) -> [u64; LANES] {
                with_avx512!($words(bits))
            }

            /// Products of pairs by (times, 0) and (0, times): no shuffle.
            #[inline(always)]
            fn add_widened(self, sums: [__m512i; 2], value: __m512i, times: i16) -> [__m512i; 2] {
                with_avx512!({
                    let even = _mm512_set1_epi32(times as u16 as i32);
                    let odd = _mm512_slli_epi32::<16>(even);
                    [$dot(sums[0], value, even), $dot(sums[1], value, odd)]
                })
            }

            #[inline(always)]
            fn load32(self, from: &[i32; HALF]) -> __m512i {
                with_avx512!(_mm512_loadu_si512(from.as_ptr().cast()))
            }

            #[inline(always)]
            fn store32(self, to: &mut [i32; HALF], value: __m512i) {
                with_avx512!(_mm512_storeu_si512(to.as_mut_ptr().cast(), value));
            }

            #[inline(always)]
            fn add32(self, a: __m512i, b: __m512i) -> __m512i {
                with_avx512!(_mm512_add_epi32(a, b))
            }

            #[inline(always)]
            fn sub32(self, a: __m512i, b: __m512i) -> __m512i {
                with_avx512!(_mm512_sub_epi32(a, b))
            }

            #[inline(always)]
            fn add_trits_f32(
                self,
                sums: __m512i,
                numbers: __m512i,
                sign: u32,
                mask: u32,
            ) -> __m512i {
                with_avx512!({
                    let flip = _mm512_set1_epi32(i32::MIN);
                    let numbers = _mm512_mask_xor_epi32(numbers, sign as u16, numbers, flip);
                    let (sums, numbers) = (_mm512_castsi512_ps(sums), _mm512_castsi512_ps(numbers));
                    _mm512_castps_si512(_mm512_mask_add_ps(sums, mask as u16, sums, numbers))
                })
            }

            #[inline(always)]
            fn mul32(self, a: __m512i, b: __m512i) -> __m512i {
                with_avx512!(_mm512_mullo_epi32(a, b))
            }

            #[inline(always)]
            fn flip32(self, value: __m512i, flip: i32) -> __m512i {
                with_avx512!({
                    let flip = _mm512_set1_epi32(flip);
                    _mm512_sub_epi32(_mm512_xor_si512(value, flip), flip)
                })
            }

            /// The planes' bits choose 1, −1 or 0 for every lane.
            #[inline(always)]
            fn add_trits(
                self,
                sums: __m512i,
                sign: u32,
                mask: u32,
                numbers: &[i16; LANES],
            ) -> __m512i {
                with_avx512!({
                    let trits = _mm512_maskz_set1_epi16(mask, 1);
                    let trits = _mm512_mask_set1_epi16(trits, sign, -1);
                    $dot(sums, _mm512_loadu_si512(numbers.as_ptr().cast()), trits)
                })
            }

            #[inline(always)]
            fn splat32(self, number: i32) -> __m512i {
                with_avx512!(_mm512_set1_epi32(number))
            }

            #[inline(always)]
            fn greater32(self, a: __m512i, b: __m512i) -> u32 {
                with_avx512!(_mm512_cmpgt_epi32_mask(a, b) as u32)
            }

            #[inline(always)]
            fn greater32_unsigned(self, a: __m512i, b: __m512i) -> u32 {
                with_avx512!(_mm512_cmpgt_epu32_mask(a, b) as u32)
            }

            #[inline(always)]
            fn transpose32(self, from: &[i32], to: &mut [i32], stride: usize) {
                if holds_tile(from.len().min(to.len()), stride) {
                    // Both slices reach the last number of 16 rows at this distance: nothing outside is touched.
                    with_avx512!(transpose32(from.as_ptr(), to.as_mut_ptr(), stride));
                }
            }

            #[inline(always)]
            fn subsets(self, numbers: &[i16; 16]) -> [__m512i; 4] {
                with_avx512!(subsets(numbers))
            }

            /// A permutation looks up 32 entries by the low five bits of each lane, or 64 in two
            /// registers by six.
            #[inline(always)]
            fn subset_sums(self, subsets: &[__m512i; 4], codes: &Lanes16) -> __m512i {
                let codes = self.load16(codes);
                with_avx512!({
                    let six = _mm512_permutex2var_epi16(subsets[0], codes, subsets[1]);
                    let next = _mm512_srli_epi16::<6>(codes);
                    let last = _mm512_srli_epi16::<11>(codes);
                    let five = _mm512_permutexvar_epi16(next, subsets[2]);
                    let five = _mm512_add_epi16(five, _mm512_permutexvar_epi16(last, subsets[3]));
                    _mm512_add_epi16(six, five)
                })
            }

            #[inline(always)]
            fn codes64(self, words: &[[u64; 8]; 4], lines: &mut [Lanes16; 4]) {
                with_avx512!(codes(words, lines));
            }

            #[inline(always)]
            fn load64(self, from: &[u64; 8]) -> __m512i {
                with_avx512!(_mm512_loadu_si512(from.as_ptr().cast()))
            }

            #[inline(always)]
            fn store64(self, to: &mut [u64; 8], value: __m512i) {
                with_avx512!(_mm512_storeu_si512(to.as_mut_ptr().cast(), value));
            }

            #[inline(always)]
            fn splat64(self, word: u64) -> __m512i {
                with_avx512!(_mm512_set1_epi64(word as i64))
            }

            #[inline(always)]
            fn and64(self, a: __m512i, b: __m512i) -> __m512i {
                with_avx512!(_mm512_and_si512(a, b))
            }

            #[inline(always)]
            fn xor64(self, a: __m512i, b: __m512i) -> __m512i {
                with_avx512!(_mm512_xor_si512(a, b))
            }

            #[inline(always)]
            fn add64(self, a: __m512i, b: __m512i) -> __m512i {
                with_avx512!(_mm512_add_epi64(a, b))
            }

            #[inline(always)]
            fn sub64(self, a: __m512i, b: __m512i) -> __m512i {
                with_avx512!(_mm512_sub_epi64(a, b))
            }

            #[inline(always)]
            fn shl64(self, words: __m512i, by: u32) -> __m512i {
                with_avx512!(_mm512_sll_epi64(words, _mm_cvtsi32_si128(by as i32)))
            }

            #[inline(always)]
            fn shr64(self, words: __m512i, by: u32) -> __m512i {
                with_avx512!(_mm512_srl_epi64(words, _mm_cvtsi32_si128(by as i32)))
            }

            #[inline(always)]
            fn count64(self, count: __m512i, words: __m512i) -> __m512i {
                with_avx512!($count(count, words))
            }

            #[inline(always)]
            fn counted64(self, count: __m512i) -> __m512i {
                with_avx512!($counted(count))
            }

            #[inline(always)]
            fn store64_as32(self, to: &mut [i32; 8], value: __m512i) {
                with_avx512!({
                    let halves = _mm512_cvtepi64_epi32(value);
                    _mm256_storeu_si256(to.as_mut_ptr().cast(), halves);
                });
            }

            #[inline(always)]
            fn load64_padded(self, words: &[u64]) -> __m512i {
                let lanes_read = ((1_u16 << words.len().min(8)) - 1) as u8;
                with_avx512!(_mm512_maskz_loadu_epi64(lanes_read, words.as_ptr().cast()))
            }

            #[inline(always)]
            fn prefetch64(self, at: *const [u64; 8]) {
                with_avx512!(_mm_prefetch::<_MM_HINT_T0>(at.cast()));
            }

            #[inline(always)]
            fn prefetch64_to_l2(self, at: *const [u64; 8]) {
                with_avx512!(_mm_prefetch::<_MM_HINT_T1>(at.cast()));
            }

            /// Halves the lanes of all vectors three times, each time putting two vectors into one.
            #[inline(always)]
            fn totals64(self, v: [__m512i; 8]) -> [u64; 8] {
                let mut totals = [0; 8];
                with_avx512!({
                    let low = add_halves(add_pairs(v[0], v[1]), add_pairs(v[2], v[3]));
                    let high = add_halves(add_pairs(v[4], v[5]), add_pairs(v[6], v[7]));
                    _mm512_storeu_si512(totals.as_mut_ptr().cast(), add_halves(low, high));
                });
                totals
            }

            #[inline(always)]
            fn transpose64(self, vectors: [__m512i; 8]) -> [__m512i; 8] {
                with_avx512!(transpose64(vectors))
            }

            $(
                #[inline(always)]
                fn transpose_bits(self, words: &mut [u64; 64]) {
                    with_avx512!($bits(words));
                }
            )?

            #[inline(always)]
            fn lookup64(self, table: &[u64; 16], codes: __m512i) -> __m512i {
                let [low, high]: &[[u64; 8]; 2] = bytemuck::cast_ref(table);
                let (low, high) = (self.load64(low), self.load64(high));
                with_avx512!(_mm512_permutex2var_epi64(low, codes, high))
            }

            #[inline(always)]
            fn add_f64(self, a: __m512i, b: __m512i) -> __m512i {
                with_avx512!({
                    let (a, b) = (_mm512_castsi512_pd(a), _mm512_castsi512_pd(b));
                    _mm512_castpd_si512(_mm512_add_pd(a, b))
                })
            }

            #[inline(always)]
            fn unpack_trits(self, sign: u64, mask: u64, to: &mut [u8; 64]) {
                with_avx512!(unpack_trits(sign, mask, to));
            }

            #[inline(always)]
            fn add_byte_dots(self, sums: __m512i, a: &[u8; 64], b: &[i8; 64]) -> __m512i {
                with_avx512!($byte_dot(sums, self.load8(a), _mm512_loadu_si512(b.as_ptr().cast())))
            }

            #[inline(always)]
            fn zero8(self) -> __m512i {
                with_avx512!(_mm512_setzero_si512())
            }

            #[inline(always)]
            fn load8(self, from: &[u8; 64]) -> __m512i {
                with_avx512!(_mm512_loadu_si512(from.as_ptr().cast()))
            }

            #[inline(always)]
            fn add8(self, a: __m512i, b: __m512i) -> __m512i {
                with_avx512!(_mm512_add_epi8(a, b))
            }

            #[inline(always)]
            fn split8(self, bytes: __m512i) -> [__m512i; 2] {
                with_avx512!([
                    _mm512_and_si512(bytes, _mm512_set1_epi16(255)),
                    _mm512_srli_epi16::<8>(bytes),
                ])
            }

            #[inline(always)]
            fn table8(self, from: &Table) -> $table {
                let from: *const $table = from.0.as_ptr().cast();
                // SAFETY: a table is as large as two registers, and aligned like them.
                unsafe { *from }
            }

            #[inline(always)]
            fn lookup8(self, table: $table, codes: __m512i) -> __m512i {
                with_avx512!($lookup(table, codes))
            }

            #[inline(always)]
            fn prefetch32(self, from: &[i32]) {
                for line in from.chunks(16) {
                    with_avx512!(_mm_prefetch::<_MM_HINT_T0>(line.as_ptr().cast()));
                }
            }
        }
    };
}

implement! {
    Avx512, "avx512",
    features: "avx512f,avx512bw,avx512dq,avx512vl,bmi1,bmi2,popcnt,lzcnt",
    count: count_nibbles, counted: add_bytes,
    codes: 16, table: __m512i, lookup: _mm512_shuffle_epi8, dot: add_dots,
    byte_dot: add_byte_dots,
    compare: store_bytes, words: words_of_bytes,
}
implement! {
    Avx512Popcnt, "avx512popcnt",
    features: "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,avx512vbmi,avx512vnni,gfni,bmi1,bmi2,popcnt,lzcnt",
    count: count_words, counted: counted_words,
    codes: 128, table: [__m512i; 2], lookup: lookup_in_two,
    dot: _mm512_dpwssd_epi32,
    byte_dot: _mm512_dpbusd_epi32,
    compare: store_masks, words: words_of_masks, bits: transpose_bits,
}
