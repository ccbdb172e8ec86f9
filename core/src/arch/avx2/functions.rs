//! What AVX2 does in several instructions.

use crate::arch::lanes::LANE_BIT;
use crate::arch::{Comparisons, LANES};
use core::arch::x86_64::*;

/// The products of pairs of 16-bit numbers, added to 32-bit sums.
///
/// # Safety
///
/// The machine must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn add_dots(sums: __m256i, a: __m256i, b: __m256i) -> __m256i {
    _mm256_add_epi32(sums, _mm256_madd_epi16(a, b))
}

/// Sixteen trits as 16-bit numbers, from the low bits of both planes. Comparing each lane's bit with itself turns
/// set bits into −1.
///
/// # Safety
///
/// The machine must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn trits(sign: u32, mask: u32) -> __m256i {
    // SAFETY: a load of exactly the array's size.
    let lane_bit = unsafe { _mm256_loadu_si256(LANE_BIT.as_ptr().cast()) };
    let sign = _mm256_and_si256(_mm256_set1_epi16(sign as i16), lane_bit);
    let mask = _mm256_and_si256(_mm256_set1_epi16(mask as i16), lane_bit);
    let sign = _mm256_cmpeq_epi16(sign, lane_bit);
    let mask = _mm256_cmpeq_epi16(mask, lane_bit);
    _mm256_sub_epi16(sign, _mm256_sub_epi16(mask, sign))
}

/// Popcount by a nibble table in a register (`pshufb`), with counts in bytes.
///
/// # Safety
///
/// The machine must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn count_nibbles(count: __m256i, words: __m256i) -> __m256i {
    let counts =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    let nibble = _mm256_set1_epi8(15);
    let low = _mm256_and_si256(words, nibble);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(words), nibble);
    let low = _mm256_add_epi8(count, _mm256_shuffle_epi8(counts, low));
    _mm256_add_epi8(low, _mm256_shuffle_epi8(counts, high))
}

/// Copies 16 × 16 numbers, transposed, between rows at a distance of `stride`: in squares of 8 × 8, which fit the
/// registers, eight lines to their ends before the next, and written in whole lines. So each line is in use once, even
/// if all sixteen compete for eight places in the cache.
///
/// # Safety
///
/// The machine must have AVX2; both matrices have 16 rows of 16 numbers.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn transpose32(from: *const i32, to: *mut i32, stride: usize) {
    let mut tile = [_mm256_setzero_si256(); 32];
    for square in 0..4 {
        let (top, left) = (square / 2 * 8, square % 2 * 8);
        let mut rows = [_mm256_setzero_si256(); 8];
        for (k, row) in rows.iter_mut().enumerate() {
            // SAFETY: half of a row.
            *row = unsafe { _mm256_loadu_si256(from.add((top + k) * stride + left).cast()) };
        }
        // Pairs, then fours of a column in each 128 bits.
        let [a, b, c, d, e, f, g, h] = rows;
        let (ab, cd) = (_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d));
        let (ef, gh) = (_mm256_unpacklo_epi32(e, f), _mm256_unpacklo_epi32(g, h));
        let (ab_high, cd_high) = (_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d));
        let (ef_high, gh_high) = (_mm256_unpackhi_epi32(e, f), _mm256_unpackhi_epi32(g, h));
        let fours = [
            [_mm256_unpacklo_epi64(ab, cd), _mm256_unpacklo_epi64(ef, gh)],
            [_mm256_unpackhi_epi64(ab, cd), _mm256_unpackhi_epi64(ef, gh)],
            [_mm256_unpacklo_epi64(ab_high, cd_high), _mm256_unpacklo_epi64(ef_high, gh_high)],
            [_mm256_unpackhi_epi64(ab_high, cd_high), _mm256_unpackhi_epi64(ef_high, gh_high)],
        ];
        for (k, [upper, lower]) in fours.into_iter().enumerate() {
            let column = 2 * (left + k) + top / 8;
            tile[column] = _mm256_permute2x128_si256::<0x20>(upper, lower);
            tile[column + 8] = _mm256_permute2x128_si256::<0x31>(upper, lower);
        }
    }
    for (k, [low, high]) in tile.as_chunks().0.iter().enumerate() {
        // SAFETY: both halves of a row.
        unsafe {
            _mm256_storeu_si256(to.add(k * stride).cast(), *low);
            _mm256_storeu_si256(to.add(k * stride + 8).cast(), *high);
        }
    }
}

/// Transposes bytes: eight octets of a sample become a word. An octet of all samples is 32 bytes of `bits`.
///
/// # Safety
///
/// The machine must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::arch) unsafe fn words_of_bytes(bits: &Comparisons) -> [u64; LANES] {
    let from: *const __m256i = bits.0.as_ptr().cast();
    let mut words = [0; LANES];
    let to: *mut __m256i = words.as_mut_ptr().cast();
    // Each half of a register holds sixteen samples of an octet; both halves go through the same steps.
    let mut octets = [_mm256_setzero_si256(); 8];
    for (octet, slot) in octets.iter_mut().enumerate() {
        // SAFETY: eight aligned registers are the 256 bytes of `bits`.
        *slot = unsafe { _mm256_load_si256(from.add(octet)) };
    }
    let [a, b, c, d, e, f, g, h] = octets;
    let first_eight = [
        _mm256_unpacklo_epi8(a, b),
        _mm256_unpacklo_epi8(c, d),
        _mm256_unpacklo_epi8(e, f),
        _mm256_unpacklo_epi8(g, h),
    ];
    let last_eight = [
        _mm256_unpackhi_epi8(a, b),
        _mm256_unpackhi_epi8(c, d),
        _mm256_unpackhi_epi8(e, f),
        _mm256_unpackhi_epi8(g, h),
    ];
    for (eight, [ab, cd, ef, gh]) in [first_eight, last_eight].into_iter().enumerate() {
        let abcd = [_mm256_unpacklo_epi16(ab, cd), _mm256_unpackhi_epi16(ab, cd)];
        let efgh = [_mm256_unpacklo_epi16(ef, gh), _mm256_unpackhi_epi16(ef, gh)];
        for four in 0..2 {
            let pair = _mm256_unpacklo_epi32(abcd[four], efgh[four]);
            let next_pair = _mm256_unpackhi_epi32(abcd[four], efgh[four]);
            let low = _mm256_permute2x128_si256::<0x20>(pair, next_pair);
            let high = _mm256_permute2x128_si256::<0x31>(pair, next_pair);
            // SAFETY: eight registers are the 32 words, and both indices are below eight.
            unsafe {
                _mm256_storeu_si256(to.add(2 * eight + four), low);
                _mm256_storeu_si256(to.add(4 + 2 * eight + four), high);
            }
        }
    }
    words
}

/// Four lanes of 1, and of −1.
pub(super) const ONES: i64 = 0x0001_0001_0001_0001;
pub(super) const MINUS: i64 = -1;

/// One stage of a transform: `other ± value`, with the signs as lanes of 1 and −1.
///
/// # Safety
///
/// The machine must have AVX2.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn butterfly16(value: __m256i, other: __m256i, signs: __m256i) -> __m256i {
    _mm256_add_epi16(other, _mm256_sign_epi16(value, signs))
}
