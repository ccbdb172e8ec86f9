//! What can be wrong with a caller's arguments, in numbers.

use core::fmt;

/// The three sizes and the two sides of a matrix, as named in an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Size {
    /// Numbers in one sample.
    Inputs,
    /// Trits in one sample's features.
    Features,
    /// Samples in a batch.
    Samples,
    /// Rows of a matrix.
    Rows,
    /// Columns of a matrix.
    Cols,
    /// Eigenpairs of a matrix.
    Pairs,
    /// Inputs that a word of features sees.
    SubsetInputs,
}

/// A buffer handed in by the caller, as named in an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Buffer {
    /// The sign plane of a trit matrix, in `u64` words.
    Sign,
    /// The mask plane of a trit matrix, in `u64` words.
    Mask,
    /// The numbers of a batch of samples.
    Samples,
    /// The mean subtracted from every sample.
    Mean,
    /// The factors applied to every centred sample.
    Scale,
    /// The mean squares of the inputs.
    MeanSquares,
    /// The storage of index lists, in `u32` words.
    Lists,
    /// The storage of a W with rows in lanes, in lines.
    RowLanes,
    /// The scratch lines of a kernel.
    Scratch,
    /// Scratch memory of a [`Model`](crate::model::Model).
    ModelScratch,
    /// Where the results go.
    Output,
    /// A vector to be multiplied.
    Vector,
    /// The numbers of a matrix.
    Numbers,
}

/// Why a call was refused. Nothing was written when one of these is returned.
///
/// ```
/// use ternion_core::{Error, Sparsity};
///
/// let refused = Sparsity::new(1.5).unwrap_err();
/// assert_eq!(refused, Error::SparsityOutOfRange { found: 1.5 });
/// assert!(refused.to_string().contains("at least 0 and below 1"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Error {
    /// A size is zero; every size must be at least one.
    ZeroSize {
        /// Which size.
        size: Size,
    },
    /// A size is above what the integer sums can hold.
    SizeTooLarge {
        /// Which size.
        size: Size,
        /// The largest accepted value.
        max: usize,
        /// The value found.
        found: usize,
    },
    /// `rows × cols` does not fit in memory.
    SizeOverflow {
        /// Rows of the matrix.
        rows: usize,
        /// Columns, or the stride, of the matrix.
        cols: usize,
    },
    /// Two sizes that must agree do not.
    SizeMismatch {
        /// Which size.
        size: Size,
        /// What the other argument has.
        expected: usize,
        /// What this argument has.
        found: usize,
    },
    /// Data ends within a sample.
    PartialSample {
        /// Elements that a sample takes.
        elements: usize,
        /// Elements found in all.
        found: usize,
    },
    /// A buffer has the wrong length.
    LengthMismatch {
        /// Which buffer.
        buffer: Buffer,
        /// The length it must have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// A buffer is too short.
    TooShort {
        /// Which buffer.
        buffer: Buffer,
        /// The least length that works.
        needed: usize,
        /// The length it has.
        found: usize,
    },
    /// Consecutive samples would overlap.
    StrideTooSmall {
        /// The least stride that works, in elements.
        needed: usize,
        /// The stride found, in elements.
        found: usize,
    },
    /// A value is NaN or infinite, or becomes so when centred and scaled.
    NotFinite {
        /// Which sample.
        sample: usize,
        /// Which of its inputs.
        input: usize,
    },
    /// The period of σ is zero, negative, infinite or NaN.
    PeriodOutOfRange {
        /// The value found.
        found: f32,
    },
    /// A number leaves 16 bits when a model scales and centres it.
    OutOfRange {
        /// Which input.
        input: usize,
        /// The number.
        found: i16,
    },
    /// A model whose scores are numbers was asked for a class.
    NoClasses {
        /// The numbers that it predicts.
        outputs: usize,
    },
    /// The probability of a zero weight is outside `[0, 1)`.
    SparsityOutOfRange {
        /// The value found.
        found: f64,
    },
    /// The sign plane has a bit where the mask plane has none.
    SignOutsideMask {
        /// The row of the first such bit.
        row: usize,
        /// Its column.
        col: usize,
    },
    /// A bit is set beyond the last column of a row.
    DirtyTail {
        /// The first such row.
        row: usize,
    },
    /// The thresholds are NaN or not in ascending order.
    ThresholdOrder {
        /// The threshold that must not be above the next.
        lower: f32,
        /// The next threshold.
        upper: f32,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ZeroSize { size } => write!(f, "{size} must be at least 1, found 0"),
            Self::SizeTooLarge { size, max, found } => {
                write!(f, "{size} must be at most {max}, found {found}")
            }
            Self::SizeOverflow { rows, cols } => {
                write!(f, "{rows} rows of {cols} columns do not fit in memory")
            }
            Self::SizeMismatch { size, expected, found } => {
                write!(f, "{size} must be {expected}, found {found}")
            }
            Self::LengthMismatch { buffer, expected, found } => {
                write!(f, "{buffer} must have length {expected}, found {found}")
            }
            Self::PartialSample { elements, found } => write!(
                f,
                "a length of {found} is not a whole number of samples of {elements} elements each"
            ),
            Self::TooShort { buffer, needed, found } => {
                write!(f, "{buffer} needs a length of at least {needed}, found {found}")
            }
            Self::StrideTooSmall { needed, found } => {
                write!(f, "the stride between samples must be at least {needed}, found {found}")
            }
            Self::NotFinite { sample, input } => write!(
                f,
                "sample {sample}, input {input} is NaN, infinite or too large to centre: \
                 remove or impute it"
            ),
            Self::OutOfRange { input, found } => write!(
                f,
                "input {input} is {found}, which leaves 16 bits when the model scales and centres \
                 it: export the model for samples of this range"
            ),
            Self::NoClasses { outputs } => {
                write!(f, "the model predicts numbers ({outputs}), not classes: ask for its scores")
            }
            Self::PeriodOutOfRange { found } => {
                write!(f, "the period of σ is {found}; it must be positive and finite")
            }
            Self::SparsityOutOfRange { found } => {
                write!(f, "sparsity must be at least 0 and below 1, found {found}")
            }
            Self::SignOutsideMask { row, col } => write!(
                f,
                "row {row}, column {col} is set in the sign plane but not in the mask plane"
            ),
            Self::DirtyTail { row } => {
                write!(f, "row {row} has bits set beyond its last column: clear them")
            }
            Self::ThresholdOrder { lower, upper } => {
                write!(f, "thresholds must ascend and not be NaN, found {lower} before {upper}")
            }
        }
    }
}

impl core::error::Error for Error {}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inputs => "the number of inputs",
            Self::Features => "the number of features",
            Self::Samples => "the number of samples",
            Self::Rows => "the number of rows",
            Self::Cols => "the number of columns",
            Self::Pairs => "the number of eigenpairs",
            Self::SubsetInputs => "the number of inputs of a subset",
        })
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sign => "the sign plane (in u64 words)",
            Self::Mask => "the mask plane (in u64 words)",
            Self::Samples => "the sample buffer",
            Self::Mean => "the mean",
            Self::Scale => "the scale",
            Self::MeanSquares => "the mean squares",
            Self::Lists => "the index lists (in u32 words)",
            Self::RowLanes => "the row lanes (in lines)",
            Self::Scratch => "the scratch (in lines)",
            Self::ModelScratch => "the scratch (in i32 words)",
            Self::Output => "the output",
            Self::Vector => "the vector",
            Self::Numbers => "the numbers",
        })
    }
}

/// A size that must not be zero.
pub(crate) const fn nonzero(size: Size, found: usize) -> Result<(), Error> {
    if found == 0 { Err(Error::ZeroSize { size }) } else { Ok(()) }
}

/// Features, of which there must be some, and not so many that an inner product of them does not fit in an `i32`.
pub(crate) const fn check_features(found: usize) -> Result<(), Error> {
    let (size, max) = (Size::Features, i32::MAX as usize);
    if found > max {
        return Err(Error::SizeTooLarge { size, max, found });
    }
    nonzero(size, found)
}

/// A size that must equal another argument's.
pub(crate) const fn same(size: Size, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::SizeMismatch { size, expected, found }) }
}

/// A buffer that must reach a length.
pub(crate) const fn reach(buffer: Buffer, needed: usize, found: usize) -> Result<(), Error> {
    if found >= needed { Ok(()) } else { Err(Error::TooShort { buffer, needed, found }) }
}
