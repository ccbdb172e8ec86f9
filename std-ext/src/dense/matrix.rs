//! [`Matrix`]: a dense row-major matrix, in which results are returned.

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
    /// Wraps numbers in row-major order.
    ///
    /// # Errors
    ///
    /// [`ternion_core::Error::ZeroSize`] if there are no rows or no columns, [`ternion_core::Error::LengthMismatch`] unless
    /// there are `rows × cols` numbers.
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

    /// A matrix with one column, such as the targets of a regression.
    ///
    /// ```
    /// # use ternion::Matrix;
    /// let y = Matrix::column(vec![0.5, 2.0, 1.5])?;
    /// assert_eq!((y.rows(), y.cols()), (3, 1));
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ZeroSize`](ternion_core::Error::ZeroSize) for no numbers.
    pub fn column(data: Vec<T>) -> Result<Self, Error> {
        Self::from_vec(data.len(), 1, data)
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
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

    /// All numbers in row-major order.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// All numbers in row-major order, without a copy.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }
}
