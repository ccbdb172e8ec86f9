//! [`KernelRidge`]: ridge regression on any kernel matrix, exact or approximate.

use super::classes;
use super::kernel_equations::KernelEquations;
use super::penalty::Penalty;
use crate::dense::vector::dot;
use crate::error::check_finite;
use crate::saved::{Kind, Reader, Writer};
use crate::{Error, Matrix, memory};
use ternion_core::{Buffer, Error as CoreError, Size};

/// Ridge regression with an intercept on an n × n kernel matrix K.
///
/// With P = I − 11ᵀ/n the coefficients are a = (PKP + γI)⁻¹ P y, and f(x) = Σ aᵢ k(x, xᵢ) + b. scikit-learn's
/// `KernelRidge` has no intercept; on a centred kernel and centred targets its alpha is γ.
///
/// ```
/// use ternion::learn::KernelRidge;
/// use ternion::Matrix;
///
/// let kernel = |a: f32, b: f32| (-(a - b).powi(2)).exp();
/// let x = [0.0, 1.0, 2.0, 3.0];
/// let gram = x.iter().flat_map(|&a| x.map(|b| kernel(a, b))).collect();
/// let y = Matrix::from_vec(4, 1, x.map(f32::sin).to_vec())?;
/// let model = KernelRidge::new(1e-3)?.fit(&Matrix::from_vec(4, 4, gram)?, &y)?;
///
/// let near_one = Matrix::from_vec(1, 4, x.map(|b| kernel(1.1, b)).to_vec())?;
/// let predicted = model.predict(&near_one)?.as_slice()[0];
/// assert!((predicted - 1.1_f32.sin()).abs() < 0.05);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KernelRidge {
    penalty: Penalty,
}

impl Default for KernelRidge {
    fn default() -> Self {
        Self { penalty: Penalty::DEFAULT }
    }
}

impl KernelRidge {
    /// Ridge with `share` times the mean eigenvalue of the centred kernel matrix added to every eigenvalue: one
    /// unit for all sizes of data. [`Default`] is 0.3, which suits most data; 0.03 and 3 are worth a try.
    ///
    /// # Errors
    ///
    /// [`Error::Regularisation`] unless the share is positive and finite.
    pub fn new(share: f64) -> Result<Self, Error> {
        Ok(Self { penalty: Penalty::Relative(share).check()? })
    }

    /// Ridge with γ itself added to every eigenvalue of the centred kernel matrix.
    ///
    /// # Errors
    ///
    /// [`Error::Regularisation`] unless γ is positive and finite.
    pub fn absolute(gamma: f64) -> Result<Self, Error> {
        Ok(Self { penalty: Penalty::Absolute(gamma).check()? })
    }

    /// Fits targets, a row per sample and a column per output.
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeMismatch`] if the kernel matrix is not square, [`Error::NotFinite`] or
    /// [`Error::NotSymmetric`] for its entries, [`Error::LabelCount`] or [`Error::TargetNotFinite`] for bad targets,
    /// [`Error::NotPositiveDefinite`] if it is not a kernel matrix, [`Error::TargetsTooLarge`] if a coefficient is not
    /// finite, [`CoreError::SizeOverflow`] if n² numbers do not fit in memory.
    pub fn fit(&self, gram: &Matrix<f32>, targets: &Matrix<f32>) -> Result<KernelModel, Error> {
        let (expected, found) = (gram.rows(), gram.cols());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Cols, expected, found }.into());
        }
        check_symmetric(gram)?;
        KernelEquations::of_kernel(gram, targets)?.into_model(self.penalty)
    }

    /// Fits classes by one-vs-rest targets of ±1.
    ///
    /// # Errors
    ///
    /// [`Error::TooFewClasses`], [`Error::TooManyClasses`], and as [`fit`](Self::fit).
    pub fn fit_classes(&self, gram: &Matrix<f32>, labels: &[usize]) -> Result<KernelModel, Error> {
        self.fit(gram, &classes::targets(labels)?)
    }
}

/// Refuses NaN, infinity, and entries that differ from their transposed ones by more than rounding.
fn check_symmetric(gram: &Matrix<f32>) -> Result<(), Error> {
    let (numbers, n) = (gram.as_slice(), gram.cols());
    check_finite(numbers)?;
    for (row, numbers_of) in gram.iter_rows().enumerate() {
        for (col, &k) in numbers_of.iter().enumerate().take(row) {
            let transposed = numbers[col * n + row];
            let size = numbers[row * n + row].abs().max(numbers[col * n + col].abs());
            if (k - transposed).abs() > 1e-4 * size.max(k.abs()) {
                return Err(Error::NotSymmetric { row, col });
            }
        }
    }
    Ok(())
}

/// A function in the span of the kernel at the training samples.
///
/// ```
/// use ternion::Matrix;
/// use ternion::learn::KernelModel;
///
/// // Coefficients solved elsewhere: one output, three training samples.
/// let model = KernelModel::new(&Matrix::from_vec(1, 3, vec![0.5, -1.0, 0.5])?, vec![10.0])?;
/// let kernel = Matrix::from_vec(1, 3, vec![1.0, 0.5, 0.0])?; // of a new sample with them
/// assert_eq!(model.predict(&kernel)?.as_slice(), [10.0]);
/// assert_eq!(KernelModel::from_bytes(&model.to_bytes())?, model);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct KernelModel {
    /// One vector per output, one number per training sample.
    pub(super) coefficients: Vec<Vec<f64>>,
    pub(super) bias: Vec<f64>,
}

impl KernelModel {
    /// A model from its coefficients, a row per output and a column per training sample, and the constant of each
    /// output.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`](CoreError::LengthMismatch) unless there is a constant per output, [`Error::NotFinite`] for
    /// NaN or infinity among the coefficients or the constants.
    pub fn new(coefficients: &Matrix<f64>, bias: Vec<f64>) -> Result<Self, Error> {
        let (buffer, expected, found) = (Buffer::Vector, coefficients.rows(), bias.len());
        if found != expected {
            return Err(CoreError::LengthMismatch { buffer, expected, found }.into());
        }
        check_finite(coefficients.as_slice())?;
        check_finite(&bias)?;
        Ok(Self { coefficients: coefficients.iter_rows().map(<[f64]>::to_vec).collect(), bias })
    }

    /// A model from a fit.
    ///
    /// # Errors
    ///
    /// [`Error::TargetsTooLarge`] if a number is not finite.
    pub(super) fn fitted(coefficients: Vec<Vec<f64>>, bias: Vec<f64>) -> Result<Self, Error> {
        let finite =
            coefficients.iter().chain([&bias]).try_for_each(|numbers| check_finite(numbers));
        finite.map_err(|_| Error::TargetsTooLarge)?;
        Ok(Self { coefficients, bias })
    }

    /// The coefficients of each output, one for each training sample.
    pub fn coefficients(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.coefficients.iter().map(Vec::as_slice)
    }

    /// The constant of each output.
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// The model as bytes: in the [frame](crate::saved) of everything that is saved the number of outputs, the number
    /// of training samples, and then as `f64` the constants and the coefficients of each output. The training samples
    /// and the kernel are yours to keep.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::new(Kind::KernelModel);
        writer.u64(self.bias.len() as u64);
        writer.u64(self.coefficients.first().map_or(0, |a| a.len() as u64));
        writer.f64s(&self.bias);
        self.coefficients.iter().for_each(|a| writer.f64s(a));
        writer.finish()
    }

    /// Reads a model that was saved.
    ///
    /// # Errors
    ///
    /// [`Error::Saved`] for bytes that are truncated, changed, or of another kind or version, and as
    /// [`new`](Self::new).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut reader = Reader::new(bytes, Kind::KernelModel)?;
        let (outputs, samples) = (reader.size(1, usize::MAX)?, reader.size(1, usize::MAX)?);
        let numbers = samples.checked_add(1).and_then(|numbers| numbers.checked_mul(outputs));
        reader.expect::<8>(numbers)?;
        let bias = reader.f64s(outputs);
        Self::new(&Matrix::from_vec(outputs, samples, reader.f64s(outputs * samples))?, bias)
    }

    /// The outputs of new samples, given their kernel with the training samples: a row per new
    /// sample, a column per training sample.
    ///
    /// # Errors
    ///
    /// [`CoreError::SizeMismatch`] unless there is a column per training sample, [`Error::NotFinite`] for NaN or infinity,
    /// [`CoreError::SizeOverflow`] if there is no memory for the outputs.
    pub fn predict(&self, cross: &Matrix<f32>) -> Result<Matrix<f32>, Error> {
        let (expected, found) = (self.coefficients[0].len(), cross.cols());
        if found != expected {
            return Err(CoreError::SizeMismatch { size: Size::Cols, expected, found }.into());
        }
        check_finite(cross.as_slice())?;
        let outputs = self.bias.len();
        let mut out = memory::zeros(cross.rows(), outputs)?;
        for (row, out) in cross.iter_rows().zip(out.chunks_exact_mut(outputs)) {
            let row: Vec<f64> = row.iter().map(|&k| k as f64).collect();
            for ((a, bias), out) in self.coefficients.iter().zip(&self.bias).zip(out) {
                *out = (dot(&row, a) + bias) as f32;
            }
        }
        Matrix::from_vec(cross.rows(), outputs, out)
    }

    /// The classes of new samples, for a model fitted to classes.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict).
    pub fn predict_classes(&self, cross: &Matrix<f32>) -> Result<Vec<usize>, Error> {
        Ok(classes::predicted(&self.predict(cross)?))
    }
}
