//! What AVX-512 does in several instructions.

use crate::arch::{Comparisons, LANES, Lanes16};
use core::arch::x86_64::*;

/// The bytes of two registers by 7-bit codes.
///
/// # Safety
///
/// The machine must have AVX-512 VBMI.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi")]
pub(super) unsafe fn lookup_in_two(table: [__m512i; 2], codes: __m512i) -> __m512i {
    _mm512_permutex2var_epi8(table[0], codes, table[1])
}

/// Popcount by a nibble table in a register (`pshufb`), with counts in bytes.
///
/// # Safety
///
/// The machine must have AVX-512 F and BW.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn count_nibbles(count: __m512i, words: __m512i) -> __m512i {
    let counts =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    let nibble = _mm512_set1_epi8(15);
    let low = _mm512_and_si512(words, nibble);
    let high = _mm512_and_si512(_mm512_srli_epi16::<4>(words), nibble);
    let low = _mm512_add_epi8(count, _mm512_shuffle_epi8(counts, low));
    _mm512_add_epi8(low, _mm512_shuffle_epi8(counts, high))
}

/// The bytes of each word added by `psadbw`.
///
/// # Safety
///
/// The machine must have AVX-512 F and BW.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn add_bytes(count: __m512i) -> __m512i {
    _mm512_sad_epu8(count, _mm512_setzero_si512())
}

/// Counts in words.
///
/// # Safety
///
/// The machine must have AVX-512 F and VPOPCNTDQ.
#[inline]
#[target_feature(enable = "avx512f,avx512vpopcntdq")]
pub(super) unsafe fn count_words(count: __m512i, words: __m512i) -> __m512i {
    _mm512_add_epi64(count, _mm512_popcnt_epi64(words))
}

/// Counts in words need no further step.
///
/// # Safety
///
/// The machine must have AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn counted_words(count: __m512i) -> __m512i {
    count
}

/// The products of pairs of 16-bit numbers, added to 32-bit sums.
///
/// # Safety
///
/// The machine must have AVX-512 F and BW.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn add_dots(sums: __m512i, a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi32(sums, _mm512_madd_epi16(a, b))
}

/// The products of bytes of at most 2 with numbers of at least −127, four of them added to each 32-bit sum: those of two
/// fit in 16 bits.
///
/// # Safety
///
/// The machine must have AVX-512 F and BW.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn add_byte_dots(sums: __m512i, bytes: __m512i, numbers: __m512i) -> __m512i {
    let pairs = _mm512_maddubs_epi16(bytes, numbers);
    _mm512_add_epi32(sums, _mm512_madd_epi16(pairs, _mm512_set1_epi16(1)))
}

/// The sums of all subsets of the first six numbers, in two registers, of the next five and of the last five.
///
/// # Safety
///
/// The machine must have AVX-512 F and BW.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn subsets(numbers: &[i16; 16]) -> [__m512i; 4] {
    // Entries whose bit 0, 1, … is set.
    const WITH: [u32; 5] = [0xAAAA_AAAA, 0xCCCC_CCCC, 0xF0F0_F0F0, 0xFF00_FF00, 0xFFFF_0000];
    let mut sums = [_mm512_setzero_si512(); 3];
    for (bit, with) in WITH.into_iter().enumerate() {
        for (sums, first) in sums.iter_mut().zip([0, 6, 11]) {
            let number = _mm512_set1_epi16(numbers[first + bit]);
            *sums = _mm512_mask_add_epi16(*sums, with, *sums, number);
        }
    }
    let sixth = _mm512_set1_epi16(numbers[5]);
    [sums[0], _mm512_add_epi16(sums[0], sixth), sums[1], sums[2]]
}

/// Sixty-four trits as bytes, one more than each.
///
/// # Safety
///
/// The machine must have AVX-512 F and BW.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn unpack_trits(sign: u64, mask: u64, to: &mut [u8; 64]) {
    let one = _mm512_set1_epi8(1);
    let bytes = _mm512_mask_add_epi8(one, mask, one, one);
    // SAFETY: a store of exactly the array's size.
    unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), _mm512_maskz_mov_epi8(!sign, bytes)) };
}

/// Neighbouring words of `a`, then of `b`, added in each 128 bits.
///
/// # Safety
///
/// The machine must have AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn add_pairs(a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b))
}

/// Neighbouring 128 bits of `a`, then of `b`, added.
///
/// # Safety
///
/// The machine must have AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn add_halves(a: __m512i, b: __m512i) -> __m512i {
    let even = _mm512_shuffle_i64x2::<0b10_00_10_00>(a, b);
    _mm512_add_epi64(even, _mm512_shuffle_i64x2::<0b11_01_11_01>(a, b))
}

/// Copies 16 × 16 numbers, transposed, between rows at a distance of `stride`: pairs, fours of a column in each 128
/// bits, then those of all rows.
///
/// # Safety
///
/// The machine must have AVX-512 F; both matrices have 16 rows of 16 numbers.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn transpose32(from: *const i32, to: *mut i32, stride: usize) {
    let mut fours = [[_mm512_setzero_si512(); 4]; 4];
    for (k, fours) in fours.iter_mut().enumerate() {
        let mut rows = [_mm512_setzero_si512(); 4];
        for (row, index) in rows.iter_mut().zip(4 * k..) {
            // SAFETY: a row.
            *row = unsafe { _mm512_loadu_si512(from.add(index * stride).cast()) };
        }
        let [a, b, c, d] = rows;
        let (ab, cd) = (_mm512_unpacklo_epi32(a, b), _mm512_unpacklo_epi32(c, d));
        let (ab_high, cd_high) = (_mm512_unpackhi_epi32(a, b), _mm512_unpackhi_epi32(c, d));
        *fours = [
            _mm512_unpacklo_epi64(ab, cd),
            _mm512_unpackhi_epi64(ab, cd),
            _mm512_unpacklo_epi64(ab_high, cd_high),
            _mm512_unpackhi_epi64(ab_high, cd_high),
        ];
    }
    let [a, b, c, d] = fours;
    for (k, (((a, b), c), d)) in a.into_iter().zip(b).zip(c).zip(d).enumerate() {
        // Quarter q of each holds column 4 · q + k of four rows.
        let (ab01, ab23) = (_mm512_shuffle_i64x2::<0x44>(a, b), _mm512_shuffle_i64x2::<0xEE>(a, b));
        let (cd01, cd23) = (_mm512_shuffle_i64x2::<0x44>(c, d), _mm512_shuffle_i64x2::<0xEE>(c, d));
        let columns = [
            _mm512_shuffle_i64x2::<0x88>(ab01, cd01),
            _mm512_shuffle_i64x2::<0xDD>(ab01, cd01),
            _mm512_shuffle_i64x2::<0x88>(ab23, cd23),
            _mm512_shuffle_i64x2::<0xDD>(ab23, cd23),
        ];
        for (quarter, column) in columns.into_iter().enumerate() {
            // SAFETY: a row.
            unsafe { _mm512_storeu_si512(to.add((4 * quarter + k) * stride).cast(), column) };
        }
    }
}

/// One stage of a transform: `other + value`, and `other − value` in the lanes of `high`.
///
/// # Safety
///
/// The machine must have AVX-512 F and BW.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn butterfly16(value: __m512i, other: __m512i, high: u32) -> __m512i {
    _mm512_mask_sub_epi16(_mm512_add_epi16(other, value), high, other, value)
}

/// All stages of the transform of 32 lanes, the largest stride first.
///
/// # Safety
///
/// The machine must have AVX-512 F and BW.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn hadamard16(value: __m512i) -> __m512i {
    // SAFETY: the caller has made sure of AVX-512 F and BW.
    unsafe {
        let other = _mm512_shuffle_i64x2::<0b01_00_11_10>(value, value);
        let value = butterfly16(value, other, 0xFFFF_0000);
        let other = _mm512_permutex_epi64::<0b01_00_11_10>(value);
        let value = butterfly16(value, other, 0xFF00_FF00);
        let other = _mm512_shuffle_epi32::<0b01_00_11_10>(value);
        let value = butterfly16(value, other, 0xF0F0_F0F0);
        let other = _mm512_shuffle_epi32::<0b10_11_00_01>(value);
        let value = butterfly16(value, other, 0xCCCC_CCCC);
        butterfly16(value, _mm512_rol_epi32::<16>(value), 0xAAAA_AAAA)
    }
}

/// Stores the comparisons of an octet as a byte per sample.
///
/// # Safety
///
/// The machine must have AVX-512 F, BW and VL.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn store_bytes(bits: &mut Comparisons, octet: usize, masks: [u32; 8]) {
    let mut bytes = _mm256_setzero_si256();
    for (k, mask) in masks.into_iter().enumerate() {
        let bit = _mm256_set1_epi8(1 << k);
        bytes = _mm256_mask_add_epi8(bytes, mask, bytes, bit);
    }
    let to: *mut __m256i = bits.0.as_mut_ptr().cast();
    // SAFETY: eight aligned registers are the 256 bytes of `bits`.
    unsafe { _mm256_store_si256(to.add(octet % 8), bytes) };
}

/// Stores the comparisons of an octet as they are: a bit per sample, a word per feature.
///
/// # Safety
///
/// The machine must have AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn store_masks(bits: &mut Comparisons, octet: usize, masks: [u32; 8]) {
    let words: &mut [[u32; 8]; 8] = bytemuck::cast_mut(&mut bits.0);
    words[octet % 8] = masks;
}

/// Transposes 64 words of 32 bits to 32 words of 64: bytes are sorted by `vpermb`, then each 8 × 8 bits are
/// transposed by `vgf2p8affineqb`, which multiplies a bit matrix with the unit matrix.
///
/// # Safety
///
/// The machine must have AVX-512 F, BW, VBMI and GFNI.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,gfni")]
pub(super) unsafe fn words_of_masks(bits: &Comparisons) -> [u64; LANES] {
    let mut words = [0; LANES];
    let from: *const __m512i = bits.0.as_ptr().cast();
    let to: *mut __m512i = words.as_mut_ptr().cast();
    // SAFETY: loads of exactly the arrays' sizes.
    let (by_byte, by_sample, unit) = unsafe {
        (
            _mm512_loadu_si512(BY_BYTE.as_ptr().cast()),
            _mm512_loadu_si512(BY_SAMPLE.as_ptr().cast()),
            _mm512_loadu_si512(UNIT.as_ptr().cast()),
        )
    };
    let mut sixteens = [unit; 4];
    for (k, slot) in sixteens.iter_mut().enumerate() {
        // SAFETY: four aligned registers are the 256 bytes of `bits`.
        *slot = _mm512_permutexvar_epi8(by_byte, unsafe { _mm512_load_si512(from.add(k)) });
    }
    // Quarter b of each register holds byte b of sixteen features; collect the quarters.
    let [a, b, c, d] = sixteens;
    let (ab01, ab23) = (_mm512_shuffle_i64x2::<0x44>(a, b), _mm512_shuffle_i64x2::<0xEE>(a, b));
    let (cd01, cd23) = (_mm512_shuffle_i64x2::<0x44>(c, d), _mm512_shuffle_i64x2::<0xEE>(c, d));
    let bytes = [
        _mm512_shuffle_i64x2::<0x88>(ab01, cd01),
        _mm512_shuffle_i64x2::<0xDD>(ab01, cd01),
        _mm512_shuffle_i64x2::<0x88>(ab23, cd23),
        _mm512_shuffle_i64x2::<0xDD>(ab23, cd23),
    ];
    for (k, bytes) in bytes.into_iter().enumerate() {
        let transposed = _mm512_gf2p8affine_epi64_epi8::<0>(unit, bytes);
        // SAFETY: four registers are the 32 words.
        unsafe { _mm512_storeu_si512(to.add(k), _mm512_permutexvar_epi8(by_sample, transposed)) };
    }
    words
}

/// Transposes 8 × 8 words: halves, quarters, and then single words change places.
///
/// # Safety
///
/// The machine must have AVX-512 F.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) unsafe fn transpose64(v: [__m512i; 8]) -> [__m512i; 8] {
    let low_pairs = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    let high_pairs = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    let mut halves = v;
    for k in 0..4 {
        halves[k] = _mm512_shuffle_i64x2::<0x44>(v[k], v[k + 4]);
        halves[k + 4] = _mm512_shuffle_i64x2::<0xEE>(v[k], v[k + 4]);
    }
    let mut quarters = halves;
    for k in [0, 1, 4, 5] {
        quarters[k] = _mm512_permutex2var_epi64(halves[k], low_pairs, halves[k + 2]);
        quarters[k + 2] = _mm512_permutex2var_epi64(halves[k], high_pairs, halves[k + 2]);
    }
    let mut words = quarters;
    for k in [0, 2, 4, 6] {
        words[k] = _mm512_unpacklo_epi64(quarters[k], quarters[k + 1]);
        words[k + 1] = _mm512_unpackhi_epi64(quarters[k], quarters[k + 1]);
    }
    words
}

/// Transposes 64 × 64 bits: 8 × 8 bytes of each eight words by `vpermb`, 8 × 8 bits of each byte by `vgf2p8affineqb`, then
/// the bytes of all words as words of eight.
///
/// # Safety
///
/// The machine must have AVX-512 F, VBMI and GFNI.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi,gfni")]
pub(super) unsafe fn transpose_bits(bits: &mut [u64; 64]) {
    let at: *mut __m512i = bits.as_mut_ptr().cast();
    // SAFETY: loads of exactly the arrays' sizes.
    let (from_last, by_sample, unit) = unsafe {
        (
            _mm512_loadu_si512(FROM_LAST.as_ptr().cast()),
            _mm512_loadu_si512(BY_SAMPLE.as_ptr().cast()),
            _mm512_loadu_si512(UNIT.as_ptr().cast()),
        )
    };
    let mut eights = [unit; 8];
    for (k, eight) in eights.iter_mut().enumerate() {
        // SAFETY: eight registers are the 64 words.
        let words = unsafe { _mm512_loadu_si512(at.add(k)) };
        let bytes = _mm512_permutexvar_epi8(from_last, words);
        *eight = _mm512_gf2p8affine_epi64_epi8::<0>(unit, bytes);
    }
    // SAFETY: the caller has AVX-512 F.
    let columns = unsafe { transpose64(eights) };
    for (k, column) in columns.into_iter().enumerate() {
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(at.add(k), _mm512_permutexvar_epi8(by_sample, column)) };
    }
}

/// Byte c of eight 64-bit words into word c, from the last to the first.
const FROM_LAST: [u8; 64] = {
    let mut order = [0; 64];
    let mut at = 0;
    while at < 64 {
        order[at] = (8 * (7 - at % 8) + at / 8) as u8;
        at += 1;
    }
    order
};

/// Byte b of sixteen 32-bit words into quarter b, each eight of them from the last to the first.
const BY_BYTE: [u8; 64] = {
    let mut order = [0; 64];
    let mut at = 0;
    while at < 64 {
        let (byte, word) = (at / 16, at % 16);
        order[16 * byte + word / 8 * 8 + 7 - word % 8] = (4 * word + byte) as u8;
        at += 1;
    }
    order
};

/// Byte s of eight 64-bit words into word s.
const BY_SAMPLE: [u8; 64] = {
    let mut order = [0; 64];
    let mut at = 0;
    while at < 64 {
        order[at] = (8 * (at % 8) + at / 8) as u8;
        at += 1;
    }
    order
};

/// The unit matrix of 8 × 8 bits, eight times.
const UNIT: [u8; 64] = {
    let mut unit = [0; 64];
    let mut at = 0;
    while at < 64 {
        unit[at] = 1 << (at % 8);
        at += 1;
    }
    unit
};

/// Where [`codes`] finds the first and second, or the third and fourth, 16 bits of sixteen words in two registers: even
/// lanes from the first register, odd ones from the second.
const HALF_CODES: [[i16; 32]; 2] = {
    let mut from = [[0; 32]; 2];
    let mut lane = 0;
    while lane < 32 {
        let word = lane % 16 / 2 * 4 + lane / 16;
        let register = lane % 2 * 32;
        from[0][lane] = (register + word) as i16;
        from[1][lane] = (register + word + 2) as i16;
        lane += 1;
    }
    from
};

/// [`Operations::codes64`](crate::arch::Operations::codes64): two permutations for every sixteen words, then halves of
/// registers.
///
/// # Safety
///
/// The machine must have AVX-512 F and BW.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn codes(words: &[[u64; 8]; 4], lines: &mut [Lanes16; 4]) {
    let mut registers = [_mm512_setzero_si512(); 4];
    for (register, words) in registers.iter_mut().zip(words) {
        // SAFETY: a load of exactly the array's size.
        *register = unsafe { _mm512_loadu_si512(words.as_ptr().cast()) };
    }
    for (pair, from) in HALF_CODES.iter().enumerate() {
        // SAFETY: as above.
        let from = unsafe { _mm512_loadu_si512(from.as_ptr().cast()) };
        let first = _mm512_permutex2var_epi16(registers[0], from, registers[2]);
        let last = _mm512_permutex2var_epi16(registers[1], from, registers[3]);
        let codes = [
            _mm512_shuffle_i64x2::<0b01_00_01_00>(first, last),
            _mm512_shuffle_i64x2::<0b11_10_11_10>(first, last),
        ];
        for (k, codes) in codes.into_iter().enumerate() {
            // SAFETY: a line is a register, at its alignment.
            unsafe { _mm512_store_si512(lines[2 * pair + k].0.as_mut_ptr().cast(), codes) };
        }
    }
}
