//! Arrays and views of `ndarray` as samples, and matrices from and to them (feature `ndarray`).

use super::Batch;
use crate::{Error, Matrix};
use ndarray::{Array2, ArrayBase, ArrayView2, Data, Ix2};
use ternion_core::{Number, Samples};

/// A row per sample, with any strides. Arrays of `f32` in row-major order without gaps are not copied.
///
/// ```
/// use ndarray::{Array2, s};
/// use ternion::learn::{Ridge, TernaryClassifier};
/// use ternion::TernaryFeatures;
///
/// let x = Array2::from_shape_fn((300, 9), |(i, k)| ((9 * i + k) as f64 * 0.77).sin());
/// let labels: Vec<bool> = x.outer_iter().map(|x| x[1] > x[2]).collect();
/// let inputs = x.slice(s![.., 1..]); // a view without the first column
/// let model = TernaryClassifier::fit(TernaryFeatures::params(1024), Ridge::default(), &inputs, &labels)?;
/// assert!(model.score(&inputs, &labels)? > 0.9);
/// let scores = Array2::from(model.decision(&inputs)?);
/// assert_eq!(scores.dim(), (300, 2));
/// # Ok::<(), ternion::Error>(())
/// ```
impl<T: Number + Into<f64>, S: Data<Elem = T> + Sync> Batch for ArrayBase<S, Ix2> {
    fn samples(&self) -> usize {
        self.nrows()
    }

    fn inputs(&self) -> usize {
        self.ncols()
    }

    fn read(&self, sample: usize, numbers: &mut [f32]) -> Result<(), Error> {
        let row = self.row(sample);
        match row.as_slice() {
            Some(row) => T::write_f32(row, numbers),
            None => {
                numbers.iter_mut().zip(row).for_each(|(to, &number)| *to = number.into() as f32)
            }
        }
        Ok(())
    }

    fn as_samples(&self) -> Option<Samples<'_, f32>> {
        Samples::new(T::as_f32(self.as_slice()?)?, self.ncols()).ok()
    }
}

/// A copy of the numbers, for targets.
///
/// ```
/// use ndarray::array;
/// use ternion::Matrix;
///
/// let matrix = Matrix::try_from(array![[1, 2], [3, 4]].t())?;
/// assert_eq!(matrix.as_slice(), [1, 3, 2, 4]);
/// # Ok::<(), ternion::Error>(())
/// ```
impl<T: Clone> TryFrom<ArrayView2<'_, T>> for Matrix<T> {
    type Error = Error;

    /// # Errors
    ///
    /// [`ZeroSize`](ternion_core::Error::ZeroSize) for no rows or no columns.
    fn try_from(array: ArrayView2<'_, T>) -> Result<Self, Error> {
        Self::from_vec(array.nrows(), array.ncols(), array.iter().cloned().collect())
    }
}

/// The same numbers.
impl<T: Clone> From<Matrix<T>> for Array2<T> {
    fn from(matrix: Matrix<T>) -> Self {
        let (cols, numbers) = (matrix.cols(), matrix.into_vec());
        Self::from_shape_fn((numbers.len() / cols, cols), |(i, k)| numbers[i * cols + k].clone())
    }
}
