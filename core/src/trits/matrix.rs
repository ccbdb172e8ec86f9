//! The trit matrix: two validated bitplanes over any storage.

use super::{TritRow, Word};
use crate::arch::LANES;
use crate::error::{Buffer, Error, Size, nonzero};

/// Words that one row of `cols` trits takes in each plane.
pub const fn words_per_row(cols: usize) -> usize {
    cols.div_ceil(64)
}

/// Words that each plane of a `rows × cols` matrix takes.
///
/// # Errors
///
/// [`Error::ZeroSize`] if either side is zero, [`Error::SizeTooLarge`] if a row is longer than
/// `i32::MAX` trits (a dot product would not fit), [`Error::SizeOverflow`] if the plane would not
/// fit in memory.
///
/// ```
/// assert_eq!(ternion_core::plane_words(10, 65), Ok(20));
/// assert!(ternion_core::plane_words(usize::MAX, 65).is_err());
/// ```
pub const fn plane_words(rows: usize, cols: usize) -> Result<usize, Error> {
    if let Err(zero) = nonzero(Size::Rows, rows) {
        return Err(zero);
    }
    if let Err(zero) = nonzero(Size::Cols, cols) {
        return Err(zero);
    }
    const LONGEST: usize = i32::MAX as usize;
    if cols > LONGEST {
        return Err(Error::SizeTooLarge { size: Size::Cols, max: LONGEST, found: cols });
    }
    match rows.checked_mul(words_per_row(cols)) {
        // No allocation exceeds isize::MAX bytes, and a word is eight.
        Some(words) if words <= isize::MAX as usize / 8 => Ok(words),
        _ => Err(Error::SizeOverflow { rows, cols }),
    }
}

/// A `rows × cols` matrix of trits in two bitplanes, over any storage: slices in flash, arrays,
/// vectors.
///
/// ```
/// use ternion_core::TritMatrix;
///
/// // Two rows of three trits: (+1, −1, 0) and (0, 0, +1).
/// let matrix = TritMatrix::new(2, 3, [0b010, 0b000], [0b011, 0b100])?;
/// assert!(matrix.row(0).unwrap().iter().eq([1, -1, 0]));
/// assert!(matrix.row(1).unwrap().iter().eq([0, 0, 1]));
/// # Ok::<(), ternion_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TritMatrix<S> {
    rows: usize,
    cols: usize,
    sign: S,
    mask: S,
}

impl<S: AsRef<[u64]>> TritMatrix<S> {
    /// Takes two planes as they are, after checking every invariant.
    ///
    /// # Errors
    ///
    /// What [`plane_words`] refuses; [`Error::LengthMismatch`] for a plane of the wrong length;
    /// [`Error::SignOutsideMask`] and [`Error::DirtyTail`] for planes that are not trits.
    pub fn new(rows: usize, cols: usize, sign: S, mask: S) -> Result<Self, Error> {
        check_planes(rows, cols, sign.as_ref(), mask.as_ref())?;
        let words = words_per_row(cols);
        let tail = tail_bits(cols);
        for row in 0..rows {
            let span = row * words..(row + 1) * words;
            let (signs, masks) = (&sign.as_ref()[span.clone()], &mask.as_ref()[span]);
            for (word, (s, m)) in signs.iter().zip(masks).enumerate() {
                let stray = s & !m;
                if stray != 0 {
                    let col = word * 64 + stray.trailing_zeros() as usize;
                    return Err(Error::SignOutsideMask { row, col });
                }
            }
            if masks[words - 1] & !tail != 0 {
                return Err(Error::DirtyTail { row });
            }
        }
        Ok(Self { rows, cols, sign, mask })
    }

    /// Rows of the matrix.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns of the matrix.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The sign plane, row after row.
    pub fn sign(&self) -> &[u64] {
        self.sign.as_ref()
    }

    /// The mask plane, row after row.
    pub fn mask(&self) -> &[u64] {
        self.mask.as_ref()
    }

    /// The same matrix, borrowed.
    pub fn view(&self) -> TritMatrix<&[u64]> {
        TritMatrix { rows: self.rows, cols: self.cols, sign: self.sign(), mask: self.mask() }
    }

    /// One row, or `None` beyond the last.
    pub fn row(&self, row: usize) -> Option<TritRow<'_>> {
        (row < self.rows).then(|| self.at(row))
    }

    /// A row that exists.
    #[inline(always)]
    pub(crate) fn at(&self, row: usize) -> TritRow<'_> {
        let words = words_per_row(self.cols);
        let span = row * words..(row + 1) * words;
        let sign = present!(self.sign().get(span.clone()), else &[]);
        TritRow::trusted(self.cols, sign, present!(self.mask().get(span), else &[]))
    }

    /// The rows `range.start .. range.end`, borrowed, or `None` if that is empty or beyond the last.
    ///
    /// ```
    /// # use ternion_core::TritMatrix;
    /// let matrix = TritMatrix::new(3, 2, [0b00, 0b10, 0b01], [0b01, 0b11, 0b11])?;
    /// let last = matrix.slice(1..3).unwrap();
    /// assert_eq!((last.rows(), last.row(0)), (2, matrix.row(1)));
    /// assert!(matrix.slice(2..4).is_none() && matrix.slice(2..2).is_none());
    /// # Ok::<(), ternion_core::Error>(())
    /// ```
    pub fn slice(&self, range: core::ops::Range<usize>) -> Option<TritMatrix<&[u64]>> {
        if range.start >= range.end || range.end > self.rows {
            return None;
        }
        let words = words_per_row(self.cols);
        let span = range.start * words..range.end * words;
        let (sign, mask) = (&self.sign()[span.clone()], &self.mask()[span]);
        Some(TritMatrix { rows: range.len(), cols: self.cols, sign, mask })
    }

    /// Every row in order.
    pub fn iter_rows(&self) -> impl ExactSizeIterator<Item = TritRow<'_>> + Clone {
        let words = words_per_row(self.cols);
        let (signs, masks) = (self.sign().chunks_exact(words), self.mask().chunks_exact(words));
        signs.zip(masks).map(|(sign, mask)| TritRow::trusted(self.cols, sign, mask))
    }
}

impl<S: AsRef<[u64]> + AsMut<[u64]>> TritMatrix<S> {
    /// Takes two planes as storage for a matrix of zeros: the way to make room for an output.
    ///
    /// # Errors
    ///
    /// What [`plane_words`] refuses, and [`Error::LengthMismatch`] for a plane of the wrong length.
    ///
    /// ```
    /// use ternion_core::TritMatrix;
    ///
    /// let (mut sign, mut mask) = ([u64::MAX; 4], [7; 4]);
    /// let matrix = TritMatrix::zeroed(2, 100, &mut sign[..], &mut mask[..])?;
    /// assert!(matrix.row(1).unwrap().iter().all(|trit| trit == 0));
    /// # Ok::<(), ternion_core::Error>(())
    /// ```
    pub fn zeroed(rows: usize, cols: usize, mut sign: S, mut mask: S) -> Result<Self, Error> {
        check_planes(rows, cols, sign.as_ref(), mask.as_ref())?;
        sign.as_mut().fill(0);
        mask.as_mut().fill(0);
        Ok(Self { rows, cols, sign, mask })
    }

    /// Replaces 64 trits of a row. Drops what lies beyond the last column, and signs without a mask: the
    /// invariants survive any caller.
    pub(crate) fn set_word(&mut self, row: usize, word: usize, value: Word) {
        let words = words_per_row(self.cols);
        let keep = if word + 1 == words { tail_bits(self.cols) } else { u64::MAX };
        let mask = value.mask & keep;
        self.mask.as_mut()[row * words + word] = mask;
        self.sign.as_mut()[row * words + word] = value.sign & mask;
    }
}

/// For kernels: several words, with the same care as [`set_word`](TritMatrix::set_word).
impl<S: AsRef<[u64]> + AsMut<[u64]>> TritMatrix<S> {
    /// Writes a row from word `first` on.
    pub(crate) fn row_writer(&mut self, row: usize, first: usize) -> RowWriter<'_> {
        let (words, tail) = (words_per_row(self.cols), tail_bits(self.cols));
        let span = row * words + first..(row + 1) * words;
        let sign = present!(self.sign.as_mut().get_mut(span.clone()), else &mut []);
        let mask = present!(self.mask.as_mut().get_mut(span), else &mut []);
        RowWriter { sign, mask, tail }
    }

    /// Writes the rows `row ..` from word `first` on.
    pub(crate) fn rows_writer(&mut self, row: usize, rows: usize, first: usize) -> RowsWriter<'_> {
        let (words, tail) = (words_per_row(self.cols), tail_bits(self.cols));
        let span = row * words..(row + rows) * words;
        let sign = present!(self.sign.as_mut().get_mut(span.clone()), else &mut []);
        let mask = present!(self.mask.as_mut().get_mut(span), else &mut []);
        let waiting = [[[0; LANES]; LINE_WORDS]; 2];
        RowsWriter { sign, mask, words, tail, first, count: 0, waiting }
    }
}

/// The rest of a row to be written, a word at a time.
pub(crate) struct RowWriter<'a> {
    sign: &'a mut [u64],
    mask: &'a mut [u64],
    tail: u64,
}

impl RowWriter<'_> {
    /// Writes the next word. Drops what lies beyond the last column, and signs without a mask.
    #[inline(always)]
    pub(crate) fn push(&mut self, word: Word) {
        let (sign, mask) = (core::mem::take(&mut self.sign), core::mem::take(&mut self.mask));
        let (to_sign, sign) = present!(sign.split_first_mut(), else return);
        let (to_mask, mask) = present!(mask.split_first_mut(), else return);
        *to_mask = if mask.is_empty() { word.mask & self.tail } else { word.mask };
        *to_sign = word.sign & *to_mask;
        (self.sign, self.mask) = (sign, mask);
    }
}

/// Words of a cache line.
const LINE_WORDS: usize = 8;

/// Up to 32 rows to be written, a word of each at a time. Words wait until there is a line of each row: scattered
/// stores of single words would take longer than the kernels.
pub(crate) struct RowsWriter<'a> {
    sign: &'a mut [u64],
    mask: &'a mut [u64],
    /// Words per row.
    words: usize,
    tail: u64,
    /// The first word that waits, and how many do.
    first: usize,
    count: usize,
    waiting: [[[u64; LANES]; LINE_WORDS]; 2],
}

impl RowsWriter<'_> {
    /// Takes the next word of every row. Drops what lies beyond the last column, and signs without a mask.
    #[inline(always)]
    pub(crate) fn push(&mut self, sign: &[u64; LANES], mask: &[u64; LANES]) {
        let keep = if self.first + self.count + 1 == self.words { self.tail } else { u64::MAX };
        let [signs, masks] = &mut self.waiting;
        let (signs, masks) =
            (&mut signs[self.count % LINE_WORDS], &mut masks[self.count % LINE_WORDS]);
        for lane in 0..LANES {
            masks[lane] = mask[lane] & keep;
            signs[lane] = sign[lane] & masks[lane];
        }
        self.count += 1;
        if self.count == LINE_WORDS {
            self.write();
        }
    }

    /// Writes what still waits.
    pub(crate) fn finish(mut self) {
        self.write();
    }

    #[inline(always)]
    fn write(&mut self) {
        let (first, count) = (self.first, self.count.min(LINE_WORDS));
        let [signs, masks] = &self.waiting;
        for (plane, waiting) in [(&mut *self.sign, signs), (&mut *self.mask, masks)] {
            for (lane, row) in plane.chunks_exact_mut(self.words.max(1)).enumerate().take(LANES) {
                let to = present!(row.get_mut(first..first + count), else return);
                for (to, words) in to.iter_mut().zip(waiting) {
                    *to = words[lane];
                }
            }
        }
        self.first += count;
        self.count = 0;
    }
}

/// The bits of a row's last word that are columns.
pub(crate) const fn tail_bits(cols: usize) -> u64 {
    u64::MAX >> ((64 - cols % 64) % 64)
}

fn check_planes(rows: usize, cols: usize, sign: &[u64], mask: &[u64]) -> Result<(), Error> {
    let expected = plane_words(rows, cols)?;
    for (buffer, found) in [(Buffer::Sign, sign.len()), (Buffer::Mask, mask.len())] {
        if found != expected {
            return Err(Error::LengthMismatch { buffer, expected, found });
        }
    }
    Ok(())
}
