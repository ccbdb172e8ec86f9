//! Rows rearranged for lookups: a byte lane for each of 64 rows, a code for a few columns of each.
//!
//! A code stands for the trits of one row in a group of columns; a table holds, for one code of one row,
//! the sum of products with every code of another. Which columns make a group does not matter as
//! long as all rows agree, so a group takes what is cheapest to take apart: every other column of eight
//! for trits, neighbours for a single plane.

use super::Kind;
use crate::arch::{Line, Simd, Table};
use crate::kernels::byte_lanes::{COMMON, OPPOSED, halves, transpose};
use crate::trits::{TritMatrix, words_per_row};
use core::ops::Range;

/// How rows become codes, and what a pair of codes is worth.
#[derive(Clone, Copy)]
pub(super) struct Scheme {
    form: Form,
    /// The table of each code.
    pub(super) tables: &'static [Table],
    /// Codes in a word of 64 columns.
    pub(super) per_word: usize,
    /// Groups whose sums fit in a byte: entries are at most 8 for [`Form::Fours`] and 4 for the others.
    /// The 256 groups of a pass are nine or five runs of nearly equal length.
    pub(super) run: usize,
    /// Whether sums count twice, and whether they are subtracted from the constant.
    pub(super) twice: bool,
    pub(super) negative: bool,
}

#[derive(Clone, Copy)]
enum Form {
    /// Four trits as a number in base 3.
    Fours,
    /// Two trits as a number in base 4.
    Twos,
    /// Four bits of the sign plane.
    Signs,
    /// Four bits of the mask plane.
    Masks,
}

impl Scheme {
    /// The scheme for codes below 16 or, for trits only, below 128.
    pub(super) fn new(kind: Kind, codes: usize) -> Self {
        let (form, tables, per_word, run): (_, &'static [Table], _, _) = match kind {
            Kind::Trits if codes == 128 => (Form::Fours, &FOURS, 16, 29),
            Kind::Trits => (Form::Twos, &TWOS, 32, 52),
            Kind::Signs => (Form::Signs, &OPPOSED, 16, 52),
            Kind::Masks { .. } => (Form::Masks, &COMMON, 16, 52),
        };
        let twice = kind == Kind::Signs;
        let negative = twice || kind == Kind::Masks { negative: true };
        Self { form, tables, per_word, run, twice, negative }
    }

    /// What a dot product of `cols` trits is apart from the sums.
    pub(super) fn constant(&self, cols: usize) -> i32 {
        match self.form {
            // Entries are larger than the sums of products by the trits of a group.
            Form::Fours | Form::Twos => -64 * words_per_row(cols) as i32,
            Form::Signs => cols as i32,
            Form::Masks => 0,
        }
    }

    /// The codes of 64 rows from `first` in some words of each: for every group a line with a byte for
    /// each row, in the order of [`byte_of`](crate::kernels::byte_lanes::byte_of). Rows beyond the last read as zeros, and so do words up to a
    /// multiple of eight, for which `out` must have room.
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
        match self.form {
            Form::Fours => encode(simd, rows, first, words, out, |[sign, mask]| {
                // No `map`: the compiler may leave it outside the ISA's region.
                let [even, odd] = digits(simd, sign, mask);
                [base_3(simd, halves(simd, even)), base_3(simd, halves(simd, odd))]
            }),
            Form::Twos => encode(simd, rows, first, words, out, |[sign, mask]| {
                let [even, odd] = digits(simd, sign, mask);
                let ([a, b], [c, d]) = (halves(simd, even), halves(simd, odd));
                [a, b, c, d]
            }),
            Form::Signs => encode(simd, rows, first, words, out, |[sign, _]| halves(simd, sign)),
            Form::Masks => encode(simd, rows, first, words, out, |[_, mask]| halves(simd, mask)),
        }
    }
}

/// [`Scheme::encode`] by what makes `N` codes of a byte of each plane.
#[inline(always)]
fn encode<S: Simd, const N: usize>(
    simd: S,
    rows: &TritMatrix<&[u64]>,
    first: usize,
    words: Range<usize>,
    out: &mut [Line],
    codes: impl Fn([S::U64; 2]) -> [S::U64; N],
) {
    let (groups, _) = out.as_chunks_mut::<N>();
    let (bytes, _) = groups.as_chunks_mut::<8>();
    for (word, out) in words.clone().step_by(8).zip(bytes.as_chunks_mut::<8>().0) {
        let words = word..words.end.min(word + 8);
        for eight in 0..8 {
            let mut planes = [[simd.splat64(0); 8]; 2];
            #[allow(clippy::needless_range_loop, reason = "the index is the row's as well")]
            for k in 0..8 {
                let row = first + 4 * eight + k / 2 + 32 * (k % 2);
                let row = rows.at(row);
                planes[0][k] = read(simd, row.sign().get(words.clone()).unwrap_or_default());
                planes[1][k] = read(simd, row.mask().get(words.clone()).unwrap_or_default());
            }
            let [signs, masks] = planes.each_mut();
            transpose(simd, signs);
            transpose(simd, masks);
            for byte in 0..8 {
                let codes = codes([signs[byte], masks[byte]]);
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

/// Up to eight words.
#[inline(always)]
fn read<S: Simd>(simd: S, words: &[u64]) -> S::U64 {
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
    let odd = |plane| simd.and64(simd.shr64(plane, 1), even);
    [simd.add64(simd.and64(mask, even), simd.and64(sign, even)), simd.add64(odd(mask), odd(sign))]
}

/// Two digits in the lower and two in the upper half of a byte, a + 4b and c + 4d, as
/// a + 3b + 9c + 27d.
#[inline(always)]
fn base_3<S: Simd>(simd: S, halves: [S::U64; 2]) -> S::U64 {
    let twice = |x| simd.add64(x, x);
    let first = simd.splat64(0x0303_0303_0303_0303);
    let mut pairs = halves;
    for pair in &mut pairs {
        let second = simd.and64(simd.shr64(*pair, 2), first);
        *pair = simd.add64(simd.and64(*pair, first), simd.add64(second, twice(second)));
    }
    let [low, high] = pairs;
    simd.add64(simd.add64(low, high), twice(twice(twice(high))))
}

/// Four trits in base 3 with four others: the sum of products plus 4.
static FOURS: [Table; 128] = trits::<128>(3, 4);

/// Two trits in base 4 with two others: the sum of products plus 2.
static TWOS: [Table; 16] = trits::<16>(4, 2);

/// Digits 0, 1, 2 are the trits 0, +1, −1. Codes with other digits do not occur.
const fn trits<const N: usize>(base: usize, digits: usize) -> [Table; N] {
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
