//! [`ExportError`]: why a fit cannot become a model for a microcontroller.

/// Why a fit was not exported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The fit divides each sample by its norm, which a model cannot do.
    #[error("a model has fixed thresholds: fit with Scaling::Unit or Scaling::Keep")]
    PerNorm,
    /// A number of the training samples does not fit in 16 bits once it is centred.
    #[error(
        "input {input} is {found} in a training sample, its mean is {mean}: the difference does not fit in 16 bits; \
         halve the numbers of this input, here and on the device"
    )]
    Range {
        /// The input.
        input: usize,
        /// Its mean.
        mean: f32,
        /// The number.
        found: i16,
    },
    /// The mean cannot be left out.
    #[error("thresholds need centred samples: fit with Policy::Periodic, or keep the mean")]
    MeanNeeded,
    /// The words cannot be chosen.
    #[error(
        "words must ascend and be below {words}, and W must be boxes or subsets of which none was chosen before; \
         found {found:?}"
    )]
    Words {
        /// The numbers of the words.
        found: Vec<u16>,
        /// Words of the features.
        words: usize,
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
    /// There are more outputs than a model can hold.
    #[error("a model has at most 65535 outputs, found {found}")]
    Outputs {
        /// The outputs found; at most 65,535.
        found: usize,
    },
    /// A classifier was asked for numbers.
    #[error("the model tells {classes} classes apart, and predicts no numbers: ask for classes")]
    NoNumbers {
        /// Its classes.
        classes: usize,
    },
    /// Not even the smallest model fits a budget.
    #[error(
        "the smallest model takes {flash} bytes of flash, {ram} of RAM and {instructions} instructions: allow as much, or \
         choose another form of W"
    )]
    Budget {
        /// The flash that it takes, in bytes.
        flash: usize,
        /// The RAM, in bytes.
        ram: usize,
        /// The instructions per prediction.
        instructions: usize,
    },
    /// A readout weight is NaN or infinite.
    #[error("a weight of output {output} is NaN or infinite")]
    NotFinite {
        /// The output of the weight.
        output: usize,
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
