//! One row of trits: reading, counting, dot products.

use super::Word;
use crate::error::{Buffer, Error, Size, reach, same};

/// A borrowed row of a [`TritMatrix`](crate::TritMatrix).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TritRow<'a> {
    len: usize,
    sign: &'a [u64],
    mask: &'a [u64],
}

impl<'a> TritRow<'a> {
    /// A row whose invariants the caller guarantees.
    pub(crate) fn trusted(len: usize, sign: &'a [u64], mask: &'a [u64]) -> Self {
        Self { len, sign, mask }
    }

    /// Trits in the row.
    #[allow(clippy::len_without_is_empty, reason = "a row is never empty")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// The row's words of the sign plane.
    pub fn sign(&self) -> &'a [u64] {
        self.sign
    }

    /// The row's words of the mask plane.
    pub fn mask(&self) -> &'a [u64] {
        self.mask
    }

    /// The row as words of 64 trits.
    pub fn words(&self) -> impl ExactSizeIterator<Item = Word> + Clone + use<'a> {
        self.sign.iter().zip(self.mask).map(|(&sign, &mask)| Word { sign, mask })
    }

    /// The trit at a column, or `None` beyond the last.
    pub fn get(&self, col: usize) -> Option<i8> {
        if col >= self.len {
            return None;
        }
        let bit = |plane: &[u64]| (plane[col / 64] >> (col % 64) & 1) as i8;
        Some(bit(self.mask) - 2 * bit(self.sign))
    }

    /// The trits in order, as −1, 0 and +1.
    pub fn iter(&self) -> TritIter<'a> {
        TritIter { row: *self, next: 0 }
    }

    /// How many trits are +1, and how many are −1.
    ///
    /// ```
    /// # use ternion_core::TritMatrix;
    /// let matrix = TritMatrix::new(1, 4, [0b1000], [0b1011])?;
    /// assert_eq!(matrix.row(0).unwrap().counts(), (2, 1));
    /// # Ok::<(), ternion_core::Error>(())
    /// ```
    pub fn counts(&self) -> (usize, usize) {
        let ones = |plane: &[u64]| plane.iter().map(|word| word.count_ones() as usize).sum();
        let (nonzero, minus): (usize, usize) = (ones(self.mask), ones(self.sign));
        (nonzero - minus, minus)
    }

    /// Σ aⱼ·bⱼ, by AND, XOR and popcount: with c = mask ∧ mask′ the common non-zeros,
    /// dot = |c| − 2·|c ∧ (sign ⊕ sign′)|.
    ///
    /// # Errors
    ///
    /// [`Error::SizeMismatch`] if the rows differ in length.
    ///
    /// ```
    /// # use ternion_core::TritMatrix;
    /// let matrix = TritMatrix::new(2, 3, [0b010, 0b110], [0b011, 0b111])?;
    /// let (a, b) = (matrix.row(0).unwrap(), matrix.row(1).unwrap());
    /// assert_eq!(a.dot(b), Ok(1 + 1)); // (+1, −1, 0) · (+1, −1, −1)
    /// # Ok::<(), ternion_core::Error>(())
    /// ```
    pub fn dot(&self, other: TritRow<'_>) -> Result<i32, Error> {
        same(Size::Cols, self.len, other.len)?;
        let mut sum = 0;
        for (a, b) in self.words().zip(other.words()) {
            let common = a.mask & b.mask;
            let opposed = (a.sign ^ b.sign) & common;
            sum += common.count_ones() as i32 - 2 * opposed.count_ones() as i32;
        }
        Ok(sum)
    }

    /// Writes the trits as numbers, one per element.
    ///
    /// # Errors
    ///
    /// [`Error::TooShort`] if `out` is shorter than the row.
    ///
    /// ```
    /// # use ternion_core::TritMatrix;
    /// let matrix = TritMatrix::new(1, 3, [0b010], [0b011])?;
    /// let mut floats = [9.0_f32; 3];
    /// matrix.row(0).unwrap().unpack(&mut floats)?;
    /// assert_eq!(floats, [1.0, -1.0, 0.0]);
    /// # Ok::<(), ternion_core::Error>(())
    /// ```
    pub fn unpack<T: From<i8>>(&self, out: &mut [T]) -> Result<(), Error> {
        reach(Buffer::Output, self.len, out.len())?;
        let bytes = |plane: &'a [u64]| plane.iter().flat_map(|word| word.to_le_bytes());
        let mut trits = bytes(self.sign).zip(bytes(self.mask)).map(|(s, m)| eight_trits(s, m));
        let (eights, rest) = out[..self.len].as_chunks_mut::<8>();
        for (eight, trits) in eights.iter_mut().zip(&mut trits) {
            *eight = trits.map(T::from);
        }
        rest.iter_mut().zip(trits.flatten()).for_each(|(slot, trit)| *slot = T::from(trit));
        Ok(())
    }
}

/// Eight trits as bytes, all at once: each bit of the mask becomes a byte of 0 or 1, and one with a sign 1 | 0xFE = −1.
fn eight_trits(sign: u8, mask: u8) -> [i8; 8] {
    /// The bits of a byte as the lowest bits of eight bytes: each byte gets a copy, keeps its own bit, and is carried
    /// into its highest bit unless it is zero.
    fn spread(bits: u8) -> u64 {
        let own = (u64::from(bits) * 0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
        // The byte of bit 7 is 0x80 + 0x7F at most: nothing is carried into the next one.
        ((own + 0x7F7F_7F7F_7F7F_7F7F) >> 7) & 0x0101_0101_0101_0101
    }
    (spread(mask) | (spread(sign) * 0xFE)).to_le_bytes().map(|byte| byte as i8)
}

impl<'a> IntoIterator for TritRow<'a> {
    type Item = i8;
    type IntoIter = TritIter<'a>;

    fn into_iter(self) -> TritIter<'a> {
        self.iter()
    }
}

/// The trits of a row in order.
#[derive(Clone, Debug)]
pub struct TritIter<'a> {
    row: TritRow<'a>,
    next: usize,
}

impl Iterator for TritIter<'_> {
    type Item = i8;

    fn next(&mut self) -> Option<i8> {
        let trit = self.row.get(self.next)?;
        self.next += 1;
        Some(trit)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.row.len - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for TritIter<'_> {}
