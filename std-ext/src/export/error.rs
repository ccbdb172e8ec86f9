//! Why a fit cannot become a model for a microcontroller.

use std::fmt;

/// Why a fit was not exported.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ExportError {
    /// The fit divides each input by its deviation, which a model does not.
    Standardised,
    /// The fit divides each sample by its norm, which a model does not.
    PerNorm,
    /// Inputs are shifted by more bits than a model knows.
    Shift {
        /// The bits asked for; at most 15 work.
        found: u32,
    },
    /// The mean of an input does not fit in 16 bits once it is shifted.
    Mean {
        /// Which input.
        input: usize,
        /// Its mean.
        mean: f32,
        /// The shift asked for.
        shift: u32,
    },
    /// The readout and the features differ in number.
    Features {
        /// Features of each sample.
        features: usize,
        /// Features that the classifier or readout was fitted to.
        fitted: usize,
    },
    /// More classes than a model can count.
    Classes {
        /// The classes found; at most 65,535 work.
        found: usize,
    },
    /// A readout weight is NaN or infinite.
    NotFinite {
        /// Of which class.
        class: usize,
    },
    /// A name for source text is not one that both Rust and C take.
    Name {
        /// The name.
        name: String,
    },
    /// The model would not fit in its own 32-bit length.
    Length {
        /// Its length in bytes.
        found: u64,
    },
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Standardised => f.write_str(
                "a model subtracts a mean but does not divide by deviations: bring the inputs to \
                 one scale before the fit and on the device",
            ),
            Self::PerNorm => {
                f.write_str("a model has fixed thresholds: fit with Scaling::Unit or Scaling::Keep")
            }
            Self::Shift { found } => write!(f, "the shift must be at most 15, found {found}"),
            Self::Mean { input, mean, shift } => write!(
                f,
                "the mean {mean} of input {input} shifted by {shift} bits does not fit in 16: \
                 use a smaller shift"
            ),
            Self::Features { features, fitted } => write!(
                f,
                "samples have {features} features, but the readout was fitted to {fitted}: use the same \
                 fit for both"
            ),
            Self::Classes { found } => {
                write!(f, "a model has at most 65535 classes, found {found}")
            }
            Self::NotFinite { class } => {
                write!(f, "a weight of class {class} is NaN or infinite")
            }
            Self::Name { name } => write!(
                f,
                "the name {name:?} must be letters A to Z or a to z, digits and _, without a digit \
                 first, and more than _"
            ),
            Self::Length { found } => {
                write!(f, "the model would have {found} bytes, more than 32 bits can count")
            }
        }
    }
}

impl std::error::Error for ExportError {}
