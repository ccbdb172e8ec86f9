//! Why bytes are not a model.

use crate::error::Error;
use core::fmt;

/// A field of the header, as named in a [`ModelError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Field {
    /// The form of W: 0 to 4.
    Form,
    /// The kind of σ: 0 or 1.
    Sigma,
    /// Bits per weight of the readout: 1 to 8.
    Bits,
    /// Outputs: at least 1.
    Outputs,
    /// Bits by which inputs are shifted: at most 15.
    Shift,
    /// Which optional sections there are: a sum of 1, 2 and 4, without 4 unless W is local.
    Sections,
    /// The task, what the scores are for: 0 or 1.
    Task,
    /// The seed: zero if W is stored.
    Seed,
}

/// Why bytes were refused as a model.
///
/// ```
/// use ternion_core::model::{Model, ModelError};
///
/// assert_eq!(Model::from_bytes(b"GIF89a"), Err(ModelError::Magic { found: *b"GIF8" }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ModelError {
    /// There are fewer bytes than the smallest model has, or than its own sizes ask for.
    Truncated {
        /// The least number of bytes.
        needed: u64,
        /// The bytes there are.
        found: usize,
    },
    /// The bytes do not start with the four of a model.
    Magic {
        /// What they start with.
        found: [u8; 4],
    },
    /// The format is newer, or older, than this code.
    Version {
        /// The version that can be read.
        expected: u8,
        /// The version found.
        found: u8,
    },
    /// The length in the header, the sizes in the header and the bytes do not agree.
    Length {
        /// What the header says.
        expected: u64,
        /// What there is.
        found: u64,
    },
    /// The bytes were changed after they were written.
    Checksum {
        /// The CRC-32 of the bytes.
        expected: u32,
        /// The CRC-32 that they end with.
        found: u32,
    },
    /// A field of the header has a value that means nothing.
    Field {
        /// Which field.
        field: Field,
        /// Its value.
        found: u64,
    },
    /// The sizes are refused by the form of W.
    Sizes(Error),
    /// The bands of the thresholds overlap or do not ascend.
    Thresholds {
        /// The four cuts, as they are stored.
        found: [i32; 4],
    },
    /// Stored planes are not trits.
    Planes(Error),
    /// The numbers of the words do not ascend.
    Words {
        /// The first that is not above the one before it.
        index: usize,
    },
    /// Bytes or bits that must be zero are not.
    Padding {
        /// Where the first of them is.
        offset: usize,
    },
    /// The scores of an output could leave 32 bits, or its scale is negative.
    Scores {
        /// Which output.
        output: usize,
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Truncated { needed, found } => {
                write!(f, "the model needs at least {needed} bytes, found {found}")
            }
            Self::Magic { found } => {
                write!(f, "a model starts with the bytes TRNM, found {found:02x?}")
            }
            Self::Version { expected, found } => write!(
                f,
                "this code reads version {expected} of the format, found {found}: \
                 use the same release on both sides"
            ),
            Self::Length { expected, found } => {
                write!(f, "the header declares {expected} bytes, found {found}")
            }
            Self::Checksum { expected, found } => write!(
                f,
                "the bytes have the CRC-32 {expected:08x} but end with {found:08x}: \
                 write the model again"
            ),
            Self::Field { field, found } => write!(f, "{field}, found {found}"),
            Self::Sizes(ref error) | Self::Planes(ref error) => error.fmt(f),
            Self::Thresholds { found } => {
                write!(f, "the bands of the thresholds must ascend and be apart, found {found:?}")
            }
            Self::Padding { offset } => {
                write!(f, "padding must be zero, but byte {offset} or its word is not")
            }
            Self::Words { index } => {
                write!(f, "the numbers of the words must ascend, but that at {index} does not")
            }
            Self::Scores { output } => write!(
                f,
                "the scale of output {output} is negative, or its scores could leave 32 bits"
            ),
        }
    }
}

impl core::error::Error for ModelError {}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Form => "the form of W must be 0 (stored), 1 (seeded), 2 (structured), 3 (boxes) or 4 (subsets)",
            Self::Sigma => "σ must be 0 (thresholds) or 1 (periodic)",
            Self::Bits => "the bits per weight must be 1 to 8",
            Self::Outputs => "there must be at least 1 output",
            Self::Shift => "the shift must be at most 15",
            Self::Sections => {
                "the sections must be a sum of 1 (mean), 2 (factors) and, for boxes and subsets, 4 (words)"
            }
            Self::Task => "the task must be 0 (classes) or 1 (numbers)",
            Self::Seed => "the seed must be 0 if W is stored",
        })
    }
}
