//! AVX2, for run-time dispatch: two registers for 16-bit lanes, two for a half of 32-bit ones.

use super::{HALF, Kernel, Lanes16, Simd, sealed::Sealed};
use core::arch::x86_64::*;

/// Proof that AVX2, BMI1, BMI2 and POPCNT are present.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(());

impl Avx2 {
    /// The token, on the caller's word.
    ///
    /// # Safety
    ///
    /// The machine must have AVX2, BMI1, BMI2 and POPCNT, enabled by the operating system.
    #[inline]
    pub const unsafe fn new_unchecked() -> Self {
        Self(())
    }
}

impl Sealed for Avx2 {}

/// Wraps intrinsics of the token's ISA. No closures inside: they are functions of their own and do
/// not have the ISA.
macro_rules! with_avx2 {
    ($operation:expr) => {
        // SAFETY: the token proves that AVX2 is present; loads and stores go through references to
        // arrays of exactly the registers' size.
        unsafe { $operation }
    };
}

impl Simd for Avx2 {
    const NAME: &'static str = "avx2";

    type I16 = [__m256i; 2];
    type I32 = [__m256i; 2];
    type U64 = [__m256i; 2];

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
        fn enabled<K: Kernel>(simd: Avx2, kernel: K) -> K::Output {
            kernel.run(simd)
        }
        // SAFETY: the token proves that the instructions are present.
        unsafe { enabled(self, kernel) }
    }

    #[inline(always)]
    fn zero16(self) -> Self::I16 {
        with_avx2!([_mm256_setzero_si256(); 2])
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
    fn flip16(self, value: Self::I16, flip: i16) -> Self::I16 {
        with_avx2!({
            let flip = _mm256_set1_epi16(flip);
            [
                _mm256_sub_epi16(_mm256_xor_si256(value[0], flip), flip),
                _mm256_sub_epi16(_mm256_xor_si256(value[1], flip), flip),
            ]
        })
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
    fn popcount64(self, words: Self::U64) -> Self::U64 {
        with_avx2!([popcount_by_nibbles(words[0]), popcount_by_nibbles(words[1])])
    }
}

/// A nibble table by `pshufb`, and the bytes of each word added by `psadbw`.
///
/// # Safety
///
/// The machine must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn popcount_by_nibbles(words: __m256i) -> __m256i {
    let counts =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    let nibble = _mm256_set1_epi8(15);
    let low = _mm256_and_si256(words, nibble);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(words), nibble);
    let bytes =
        _mm256_add_epi8(_mm256_shuffle_epi8(counts, low), _mm256_shuffle_epi8(counts, high));
    _mm256_sad_epu8(bytes, _mm256_setzero_si256())
}
