//! Inner products of packed features, many at a time.
//!
//! Every entry describes its work as [`Pairs`] of rows, which one of two kernels computes: [`popcount`]
//! counts bits and runs everywhere, [`lookup`] looks sums up and is faster for many rows where an ISA
//! can look bytes up in registers and the CPU is good at it.

mod content;
mod encode;
mod lookup;
mod popcount;
mod upper_to_lower;

pub use upper_to_lower::copy_upper_to_lower;

use crate::arch::Simd;
use crate::error::{Buffer, Error, Size, reach, same};
use crate::trits::TritMatrix;
use content::Content;
use core::ops::Range;

/// Every dot product between the rows of `a` and the rows of `b`:
/// `out[i × b.rows() + j] = a.row(i) · b.row(j)`, exact.
///
/// Rows that are all ±1, or all of one sign, take half the time; the rows themselves are checked for it.
/// Memory is the output and, on AVX2 and above, 150 KB of stack.
///
/// # Errors
///
/// [`Error::SizeMismatch`] if the rows differ in length, [`Error::SizeOverflow`] if no output could
/// hold the result, [`Error::TooShort`] if `out` does not. Nothing is written then.
///
/// ```
/// use ternion_core::{Native, TritMatrix, dots};
///
/// let a = TritMatrix::new(2, 3, [0b010, 0b110], [0b011, 0b111])?; // (+1 −1 0), (+1 −1 −1)
/// let b = TritMatrix::new(1, 3, [0b000], [0b101])?; // (+1 0 +1)
/// let mut out = [0; 2];
/// dots(Native, &a, &b, &mut out)?;
/// assert_eq!(out, [1, 0]);
/// # Ok::<(), ternion_core::Error>(())
/// ```
pub fn dots<S: Simd, A: AsRef<[u64]>, B: AsRef<[u64]>>(
    simd: S,
    a: &TritMatrix<A>,
    b: &TritMatrix<B>,
    out: &mut [i32],
) -> Result<(), Error> {
    same(Size::Cols, a.cols(), b.cols())?;
    reach(Buffer::Output, product_len(a.rows(), b.rows())?, out.len())?;
    Pairs { a: a.view(), b: b.view(), diagonal: None, add: false, out }.multiply(simd);
    Ok(())
}

/// Every dot product between the rows of `a`, each pair computed once:
/// `out[i × a.rows() + j] = out[j × a.rows() + i] = a.row(i) · a.row(j)`, exact.
///
/// The Gram matrix of the features is this divided by their number. Half the work of [`dots`].
///
/// # Errors
///
/// As [`dots`].
///
/// ```
/// use ternion_core::{Native, TritMatrix, gram};
///
/// let a = TritMatrix::new(2, 3, [0b010, 0b110], [0b011, 0b111])?; // (+1 −1 0), (+1 −1 −1)
/// let mut out = [0; 4];
/// gram(Native, &a, &mut out)?;
/// assert_eq!(out, [2, 2, 2, 3]);
/// # Ok::<(), ternion_core::Error>(())
/// ```
pub fn gram<S: Simd, A: AsRef<[u64]>>(
    simd: S,
    a: &TritMatrix<A>,
    out: &mut [i32],
) -> Result<(), Error> {
    gram_upper(simd, a, 0..a.rows(), out)?;
    copy_upper_to_lower(simd, &mut out[..a.rows() * a.rows()], a.rows())
}

/// Some rows of [`gram`], right of the diagonal only: for `i` in `rows` and `j ≥ i`,
/// `out[(i − rows.start) × a.rows() + j] = a.row(i) · a.row(j)`. What `out` holds left of the
/// diagonal is unspecified.
///
/// This is the part of a Gram matrix that one thread computes.
///
/// # Errors
///
/// [`Error::SizeTooLarge`] if `rows` ends beyond the last row, and as [`dots`]. An empty range writes
/// nothing.
///
/// ```
/// use ternion_core::{Native, TritMatrix, gram_upper};
///
/// let a = TritMatrix::new(2, 3, [0b010, 0b110], [0b011, 0b111])?; // (+1 −1 0), (+1 −1 −1)
/// let mut last_row = [0; 2];
/// gram_upper(Native, &a, 1..2, &mut last_row)?;
/// assert_eq!(last_row[1], 3);
/// # Ok::<(), ternion_core::Error>(())
/// ```
pub fn gram_upper<S: Simd, A: AsRef<[u64]>>(
    simd: S,
    a: &TritMatrix<A>,
    rows: Range<usize>,
    out: &mut [i32],
) -> Result<(), Error> {
    multiply_upper(simd, a, rows, false, out)
}

/// [`gram_upper`], added to what `out` holds. Sums wrap.
///
/// For rows that come in pieces: those of a matrix too large to transpose at once, say.
///
/// # Errors
///
/// As [`gram_upper`].
///
/// ```
/// use ternion_core::{Native, TritMatrix, add_gram_upper};
///
/// let mut out = [0; 4];
/// // (+1 −1 0 | −1), (+1 −1 −1 | −1)
/// add_gram_upper(Native, &TritMatrix::new(2, 3, [0b010, 0b110], [0b011, 0b111])?, 0..2, &mut out)?;
/// add_gram_upper(Native, &TritMatrix::new(2, 1, [1, 1], [1, 1])?, 0..2, &mut out)?;
/// assert_eq!([out[0], out[1], out[3]], [3, 3, 4]);
/// # Ok::<(), ternion_core::Error>(())
/// ```
pub fn add_gram_upper<S: Simd, A: AsRef<[u64]>>(
    simd: S,
    a: &TritMatrix<A>,
    rows: Range<usize>,
    out: &mut [i32],
) -> Result<(), Error> {
    multiply_upper(simd, a, rows, true, out)
}

fn multiply_upper<S: Simd, A: AsRef<[u64]>>(
    simd: S,
    a: &TritMatrix<A>,
    rows: Range<usize>,
    add: bool,
    out: &mut [i32],
) -> Result<(), Error> {
    let (max, found) = (a.rows(), rows.end);
    if found > max {
        return Err(Error::SizeTooLarge { size: Size::Rows, max, found });
    }
    reach(Buffer::Output, product_len(rows.len(), a.rows())?, out.len())?;
    let diagonal = Some(rows.start);
    if let Some(some) = a.slice(rows) {
        Pairs { a: some, b: a.view(), diagonal, add, out }.multiply(simd);
    }
    Ok(())
}

/// The length of a matrix of results.
fn product_len(rows: usize, cols: usize) -> Result<usize, Error> {
    rows.checked_mul(cols).ok_or(Error::SizeOverflow { rows, cols })
}

/// Rows to be multiplied with each other. Row `i` of `out` is as long as `b` has rows.
struct Pairs<'a> {
    a: TritMatrix<&'a [u64]>,
    b: TritMatrix<&'a [u64]>,
    /// If `a` is a part of `b`, the row of `b` that is the first of `a`: pairs (i, j) with
    /// j < diagonal + i are not wanted.
    diagonal: Option<usize>,
    /// Whether results are added to what `out` holds.
    add: bool,
    out: &'a mut [i32],
}

impl Pairs<'_> {
    /// The fewest rows on either side for which encoding them for lookups pays.
    const MIN_LOOKUP_ROWS: usize = 16;

    fn multiply<S: Simd>(self, simd: S) {
        let content = match self.diagonal {
            Some(_) => Content::of(&self.b, &self.b),
            None => Content::of(&self.a, &self.b),
        };
        let enough_rows = self.a.rows().min(self.b.rows()) >= Self::MIN_LOOKUP_ROWS;
        let short = self.b.cols() < simd.tuning().popcount_features as usize;
        let lookup_is_faster = match S::BYTE_LOOKUP_CODES {
            0 => false,
            // Where there is a vector popcount, one popcount per vector of a single plane beats lookups.
            128 => short && content == Content::Trits,
            _ => short,
        };
        if enough_rows && lookup_is_faster {
            lookup::multiply(simd, self, content);
        } else {
            popcount::multiply(simd, self, content);
        }
    }

    /// The first row of `b` that is wanted with row `i` of `a`.
    #[inline(always)]
    fn first(&self, i: usize) -> usize {
        match self.diagonal {
            Some(diagonal) => diagonal + i,
            None => 0,
        }
    }
}
