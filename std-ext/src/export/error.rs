//! [`ExportError`]: why a fit cannot become a model for a microcontroller.

/// Why a fit was not exported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The fit divides each input by its standard deviation, which a model cannot do. It does so unasked if the inputs
    /// are in different units.
    #[error(
        "a model subtracts a mean but does not divide by deviations: bring the inputs to one scale before the fit \
         and on the device, or fit with .standardise(false)"
    )]
    Standardised,
    /// The fit divides each sample by its norm, which a model cannot do.
    #[error("a model has fixed thresholds: fit with Scaling::Unit or Scaling::Keep")]
    PerNorm,
    /// The features see boxes or subsets, which the format of models does not have yet.
    #[error(
        "a model has no boxes or subsets: fit with Form::Structured, Form::Seeded or Form::Stored"
    )]
    LocalForm,
    /// The shift of the inputs is too large.
    #[error("the shift must be at most 15, found {found}")]
    Shift {
        /// The shift asked for; at most 15 bits.
        found: u32,
    },
    /// The shifted mean of an input does not fit in 16 bits.
    #[error(
        "the mean {mean} of input {input} shifted by {shift} bits does not fit in 16: use a smaller shift"
    )]
    Mean {
        /// The input.
        input: usize,
        /// Its mean.
        mean: f32,
        /// The shift asked for.
        shift: u32,
    },
    /// The numbers of features of the readout and of the samples differ.
    #[error(
        "samples have {features} features, but the readout was fitted to {fitted}: use the same fit for both"
    )]
    Features {
        /// Features of each sample.
        features: usize,
        /// Features that the classifier or readout was fitted to.
        fitted: usize,
    },
    /// There are more classes than a model can hold.
    #[error("a model has at most 65535 classes, found {found}")]
    Classes {
        /// The classes found; at most 65,535.
        found: usize,
    },
    /// A readout weight is NaN or infinite.
    #[error("a weight of class {class} is NaN or infinite")]
    NotFinite {
        /// The class of the weight.
        class: usize,
    },
    /// A name for source text is not an identifier in both Rust and C.
    #[error(
        "the name {name:?} must consist of A–Z, a–z, digits and _, must not begin with a digit, and must not be _ alone"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// The length of the model does not fit in 32 bits.
    #[error("the model would have {found} bytes, more than 32 bits can count")]
    Length {
        /// Its length in bytes.
        found: u64,
    },
}
