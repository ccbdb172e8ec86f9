//! A dense row-major matrix: what results come in.

use crate::Error;
use ternion_core::{Buffer, Size};

/// A dense row-major matrix.
///
/// ```
/// use ternion::Matrix;
///
/// let matrix = Matrix::from_vec(2, 3, vec![1, 2, 3, 4, 5, 6])?;
/// assert_eq!(matrix.row(1), Some(&[4, 5, 6][..]));
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T> {
    rows: usize,
    cols: usize,
    data: Vec<T>,
}

impl<T> Matrix<T> {
    /// Takes the numbers, row after row.
    ///
    /// # Errors
    ///
    /// [`ternion_core::Error::ZeroSize`] for an empty side,
    /// [`ternion_core::Error::LengthMismatch`] unless there are `rows × cols` numbers.
    pub fn from_vec(rows: usize, cols: usize, data: Vec<T>) -> Result<Self, Error> {
        for (size, found) in [(Size::Rows, rows), (Size::Cols, cols)] {
            if found == 0 {
                return Err(ternion_core::Error::ZeroSize { size }.into());
            }
        }
        let expected =
            rows.checked_mul(cols).ok_or(ternion_core::Error::SizeOverflow { rows, cols })?;
        let (buffer, found) = (Buffer::Numbers, data.len());
        if found != expected {
            return Err(ternion_core::Error::LengthMismatch { buffer, expected, found }.into());
        }
        Ok(Self { rows, cols, data })
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// One row, or `None` beyond the last.
    pub fn row(&self, row: usize) -> Option<&[T]> {
        self.data.chunks_exact(self.cols).nth(row)
    }

    /// Every row in order.
    pub fn iter_rows(&self) -> impl ExactSizeIterator<Item = &[T]> {
        self.data.chunks_exact(self.cols)
    }

    /// All numbers, row after row.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All numbers, row after row.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }
}
