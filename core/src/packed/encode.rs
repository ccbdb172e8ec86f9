//! Rows encoded for lookups: a byte lane for each of 64 rows, a code for a few columns of each.
//!
//! A code stands for the trits of one row in a group of columns; a table holds, for one code of one row,
//! the sum of products with every code of another. Which columns form a group does not matter as long as
//! all rows agree, so groups are chosen for cheap extraction: every other column of eight for trits,
//! neighbours for a single plane.

use super::Content;
use crate::arch::{Line, Simd, Table};
use crate::lookup::{COMMON_BITS, DIFFERENT_BITS, split_nibbles, transpose_bytes};
use crate::trits::{TritMatrix, words_per_row};
use core::ops::Range;

/// How rows become codes, and what a pair of codes is worth.
#[derive(Clone, Copy)]
pub(super) struct Encoding {
    code: Code,
    /// The table of each code.
    pub(super) tables: &'static [Table],
    /// Codes per word of 64 columns.
    pub(super) codes_per_word: usize,
    /// Groups whose sums fit in a byte: entries are at most 8 for [`Code::FourTrits`] and 4 for the others.
    /// The 256 groups of a pass are nine or five runs of nearly equal length.
    pub(super) run_groups: usize,
    /// Whether sums count twice.
    pub(super) doubled: bool,
    /// Whether sums are subtracted from the constant.
    pub(super) negated: bool,
}

/// What a code consists of.
#[derive(Clone, Copy)]
enum Code {
    /// Four trits as a number in base 3.
    FourTrits,
    /// Two trits as a number in base 4.
    TwoTrits,
    /// Four bits of the sign plane.
    FourSigns,
    /// Four bits of the mask plane.
    FourMasks,
}

impl Encoding {
    /// The encoding for an ISA that looks up 16 or 128 codes.
    pub(super) fn new(content: Content, lookup_codes: usize) -> Self {
        let (code, tables, codes_per_word, run_groups): (_, &'static [Table], _, _) = match content
        {
            Content::Trits if lookup_codes == 128 => (Code::FourTrits, &FOUR_TRITS, 16, 29),
            Content::Trits => (Code::TwoTrits, &TWO_TRITS, 32, 52),
            Content::Signs => (Code::FourSigns, &DIFFERENT_BITS, 16, 52),
            Content::Masks { .. } => (Code::FourMasks, &COMMON_BITS, 16, 52),
        };
        let doubled = content == Content::Signs;
        let negated = doubled || content == Content::Masks { negative: true };
        Self { code, tables, codes_per_word, run_groups, doubled, negated }
    }

    /// What a dot product of `cols` trits is apart from the sums.
    pub(super) fn constant(&self, cols: usize) -> i32 {
        match self.code {
            // Entries are larger than the sums of products by the trits of a group.
            Code::FourTrits | Code::TwoTrits => -64 * words_per_row(cols) as i32,
            Code::FourSigns => cols as i32,
            Code::FourMasks => 0,
        }
    }

    /// Encodes some words of 64 rows from `first`: for every group a line with a byte per row, in the order
    /// of [`byte_of_row`](crate::lookup::byte_of_row). Rows beyond the last read as zeros, and so do words
    /// up to a multiple of eight, for which `out` must have room.
    ///
    /// Eight words of eight rows at a time are transposed byte by byte.
    #[inline(always)]
    pub(super) fn encode<S: Simd>(
        &self,
        simd: S,
        rows: &TritMatrix<&[u64]>,
        first: usize,
        words: Range<usize>,
        out: &mut [Line],
    ) {
        match self.code {
            Code::FourTrits => encode::<S, FourTrits, 2>(simd, rows, first, words, out),
            Code::TwoTrits => encode::<S, TwoTrits, 4>(simd, rows, first, words, out),
            Code::FourSigns => encode::<S, FourSigns, 2>(simd, rows, first, words, out),
            Code::FourMasks => encode::<S, FourMasks, 2>(simd, rows, first, words, out),
        }
    }
}

/// Makes `N` codes from a byte of each plane.
trait Codes<const N: usize> {
    fn codes<S: Simd>(simd: S, sign: S::U64, mask: S::U64) -> [S::U64; N];
}

/// See [`Code::FourTrits`].
struct FourTrits;

impl Codes<2> for FourTrits {
    #[inline(always)]
    fn codes<S: Simd>(simd: S, sign: S::U64, mask: S::U64) -> [S::U64; 2] {
        let [even, odd] = digits(simd, sign, mask);
        [base_3(simd, split_nibbles(simd, even)), base_3(simd, split_nibbles(simd, odd))]
    }
}

/// See [`Code::TwoTrits`].
struct TwoTrits;

impl Codes<4> for TwoTrits {
    #[inline(always)]
    fn codes<S: Simd>(simd: S, sign: S::U64, mask: S::U64) -> [S::U64; 4] {
        let [even, odd] = digits(simd, sign, mask);
        let ([a, b], [c, d]) = (split_nibbles(simd, even), split_nibbles(simd, odd));
        [a, b, c, d]
    }
}

/// See [`Code::FourSigns`].
struct FourSigns;

impl Codes<2> for FourSigns {
    #[inline(always)]
    fn codes<S: Simd>(simd: S, sign: S::U64, _: S::U64) -> [S::U64; 2] {
        split_nibbles(simd, sign)
    }
}

/// See [`Code::FourMasks`].
struct FourMasks;

impl Codes<2> for FourMasks {
    #[inline(always)]
    fn codes<S: Simd>(simd: S, _: S::U64, mask: S::U64) -> [S::U64; 2] {
        split_nibbles(simd, mask)
    }
}

/// [`Encoding::encode`] for one kind of code.
#[inline(always)]
fn encode<S: Simd, K: Codes<N>, const N: usize>(
    simd: S,
    rows: &TritMatrix<&[u64]>,
    first: usize,
    words: Range<usize>,
    out: &mut [Line],
) {
    let (groups, _) = out.as_chunks_mut::<N>();
    let (bytes, _) = groups.as_chunks_mut::<8>();
    for (word, out) in words.clone().step_by(8).zip(bytes.as_chunks_mut::<8>().0) {
        let words = word..words.end.min(word + 8);
        for eight in 0..8 {
            let (mut signs, mut masks) = ([simd.splat64(0); 8], [simd.splat64(0); 8]);
            for k in 0..8 {
                let row = first + 4 * eight + k / 2 + 32 * (k % 2);
                if row < rows.rows() {
                    let row = rows.at(row);
                    signs[k] = load(simd, present!(row.sign().get(words.clone()), else return));
                    masks[k] = load(simd, present!(row.mask().get(words.clone()), else return));
                }
            }
            transpose_bytes(simd, &mut signs);
            transpose_bytes(simd, &mut masks);
            for byte in 0..8 {
                let codes = K::codes(simd, signs[byte], masks[byte]);
                for n in 0..N {
                    let mut code = [0; 8];
                    simd.store64(&mut code, codes[n]);
                    for word in 0..8 {
                        out[word][byte][n].0[eight] = code[word];
                    }
                }
            }
        }
    }
}

/// Up to eight words, padded with zeros.
#[inline(always)]
fn load<S: Simd>(simd: S, words: &[u64]) -> S::U64 {
    if let Some(words) = words.first_chunk() {
        return simd.load64(words);
    }
    let mut padded = [0; 8];
    for (padded, word) in padded.iter_mut().zip(words) {
        *padded = *word;
    }
    simd.load64(&padded)
}

/// The trits of the even columns and of the odd ones as digits of 2 bits: 0, 1, 2 for 0, +1, −1.
#[inline(always)]
fn digits<S: Simd>(simd: S, sign: S::U64, mask: S::U64) -> [S::U64; 2] {
    let even = simd.splat64(0x5555_5555_5555_5555);
    let (odd_sign, odd_mask) = (simd.shr64(sign, 1), simd.shr64(mask, 1));
    [
        simd.add64(simd.and64(mask, even), simd.and64(sign, even)),
        simd.add64(simd.and64(odd_mask, even), simd.and64(odd_sign, even)),
    ]
}

/// Two digits in the lower and two in the upper half of a byte, a + 4b and c + 4d, as
/// a + 3b + 9c + 27d.
#[inline(always)]
fn base_3<S: Simd>(simd: S, nibbles: [S::U64; 2]) -> S::U64 {
    let low_digit = simd.splat64(0x0303_0303_0303_0303);
    let mut pairs = nibbles;
    for pair in &mut pairs {
        let (a, b) = (simd.and64(*pair, low_digit), simd.and64(simd.shr64(*pair, 2), low_digit));
        *pair = simd.add64(a, simd.add64(b, simd.add64(b, b)));
    }
    let [low, high] = pairs;
    // low + high + 8·high; the shift stays within bytes, since a pair is at most 8.
    simd.add64(simd.add64(low, high), simd.shl64(high, 3))
}

/// Four trits in base 3 with four others: the sum of products plus 4.
static FOUR_TRITS: [Table; 128] = trit_products::<128>(3, 4);

/// Two trits in base 4 with two others: the sum of products plus 2.
static TWO_TRITS: [Table; 16] = trit_products::<16>(4, 2);

/// Digits 0, 1, 2 are the trits 0, +1, −1. Codes with other digits do not occur.
const fn trit_products<const N: usize>(base: usize, digits: usize) -> [Table; N] {
    const VALUE: [i32; 4] = [0, 1, -1, 0];
    let mut tables = [Table([0; 128]); N];
    let mut at = 0;
    while at < N * 128 {
        let (mut a, mut b, mut sum, mut digit) = (at / 128, at % 128 % N, digits as i32, 0);
        while digit < digits {
            sum += VALUE[a % base] * VALUE[b % base];
            (a, b, digit) = (a / base, b / base, digit + 1);
        }
        tables[at / 128].0[at % 128] = sum as u8;
        at += 1;
    }
    tables
}
