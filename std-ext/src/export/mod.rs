//! From a fit to the bytes of a classifier for a microcontroller.
//!
//! There are three steps: features in integers ([`IntegerFeatures`]), a readout with a few bits per weight
//! ([`Readout`]), and the bytes of both ([`Export`]), which [`ternion_core::model::Model`] reads on the device. The
//! same bytes give the same classes on the desktop, so the accuracy is known before anything is flashed.
//!
//! ```
//! use ternion::export::{Bits, Export, IntegerFeatures, Readout};
//! use ternion::learn::{Ridge, accuracy};
//! use ternion::{Form, Samples, TernaryFeatures};
//!
//! // Two shells around the same centre, as an 8-bit converter would see them.
//! let shell = |k: usize| if k / 8 % 2 == 0 { 40.0 } else { 80.0 };
//! let x: Vec<i8> =
//!     (0..600 * 8).map(|k| (shell(k) * (k as f64 * k as f64 * 0.37).sin()) as i8).collect();
//! let labels: Vec<usize> = (0..600).map(|sample| sample % 2).collect();
//!
//! let floats: Vec<f32> = x.iter().map(|&x| x as f32).collect();
//! let fitted = TernaryFeatures::params(512)
//!     .form(Form::Structured)
//!     .fit(&Samples::new(&floats, 8)?)?;
//! let integer = IntegerFeatures::new(&fitted, &x)?;
//! let features = integer.transform(&x)?;
//! let ridge = Ridge::default();
//! let classifier = ridge.fit_classes(&features, &labels)?;
//! let readout = Readout::fit(&classifier, &features, ridge, Bits::Two)?;
//! println!("{:?}", readout.cost(&classifier, &features, &labels)?);
//!
//! let export = Export::new(&integer, &readout)?;
//! assert!(export.bytes().len() < 400); // all that is flashed besides 3 to 4 KB of code
//! let right = accuracy(&export.predict(&x)?, &labels);
//! assert!(right > 0.9, "{right}");
//! # Ok::<(), ternion::Error>(())
//! ```

mod budget;
mod c;
mod cost;
mod error;
mod inputs;
mod integer;
mod margin;
mod readout;
mod source;

pub use budget::{Budget, Found, Tried};
pub use c::{CNumber, CSource};
pub use cost::{Core, DeviceCost};
pub use error::ExportError;
pub use integer::IntegerFeatures;
pub use margin::Margin;
pub use readout::{Bits, Cost, Readout};

use crate::fit::weights::{Weights, planes};
use crate::{Error, Matrix};
use ternion_core::model::{Model, ModelError, ModelTask, VERSION, crc32};
use ternion_core::{Grid, Seeded, View};

/// The bytes of a model for a microcontroller.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    bytes: Vec<u8>,
}

impl Export {
    /// Encodes features and readout.
    ///
    /// # Errors
    ///
    /// [`ExportError::Features`] if the readout was fitted to other features, [`ExportError::Outputs`] and
    /// [`ExportError::Length`] for models that exceed the format.
    pub fn new(features: &IntegerFeatures, readout: &Readout) -> Result<Self, Error> {
        let (count, fitted) = (features.features(), readout.levels.cols());
        if fitted != count {
            return Err(ExportError::Features { features: count, fitted }.into());
        }
        let outputs = readout.scales.len();
        let output_count = u16::try_from(outputs);
        let output_count = output_count.map_err(|_| ExportError::Outputs { found: outputs })?;
        let (form, seed, geometry) = form(&features.weights);
        let (sigma, periodic) = features.sigma();
        let inputs = &features.inputs;
        let means: Vec<u16> = inputs.mean.iter().map(|&mean| mean as u16).collect();
        let sections = [&means, &inputs.factors, &features.words];
        let there = |section: usize| (!sections[section].is_empty() as u8) << section;

        let mut bytes = b"TRNM".to_vec();
        bytes.extend([VERSION, form, periodic as u8, readout.bits.count() as u8]);
        // Placeholder for the length.
        bytes.extend([0; 4]);
        bytes.extend((inputs.count as u16).to_le_bytes());
        bytes.extend(output_count.to_le_bytes());
        bytes.extend((count as u32).to_le_bytes());
        bytes.extend([inputs.shift as u8, there(0) | there(1) | there(2)]);
        bytes.extend([readout.fractions.is_some() as u8, 0]);
        bytes.extend(seed.to_le_bytes());
        bytes.extend(geometry.to_le_bytes());
        sigma.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        for section in sections {
            section.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        if let Weights::RowLanes(seeded, _) | Weights::IndexLists(seeded, _) = &features.weights {
            write_planes(seeded, &mut bytes)?;
        }
        write_weights(readout, &mut bytes);
        for (scale, bias) in readout.scales.iter().zip(&readout.biases) {
            bytes.extend(scale.to_le_bytes());
            bytes.extend(bias.to_le_bytes());
        }
        if let Some(fractions) = &readout.fractions {
            bytes.extend(fractions.iter().map(|&fraction| fraction as u8));
            bytes.resize(bytes.len().next_multiple_of(4), 0);
        }
        let found = bytes.len() as u64 + 4;
        let length = u32::try_from(found).map_err(|_| ExportError::Length { found })?;
        bytes[8..12].copy_from_slice(&length.to_le_bytes());
        let checksum = crc32(&bytes);
        bytes.extend(checksum.to_le_bytes());
        Self::from_bytes(bytes)
    }

    /// Wraps the bytes of an earlier export.
    ///
    /// # Errors
    ///
    /// [`Error::Model`] unless they are a model.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, Error> {
        Model::from_bytes(&bytes)?;
        Ok(Self { bytes })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The model that a device sees.
    ///
    /// # Errors
    ///
    /// None: the bytes were checked. The type is there so that nothing here can panic.
    pub fn model(&self) -> Result<Model<'_>, ModelError> {
        Model::from_bytes(&self.bytes)
    }

    /// The classes of contiguous samples by the model itself: bit for bit those of a device.
    ///
    /// # Errors
    ///
    /// [`Error::Core`] for data that is not a whole number of samples, or out of range, and for a regression.
    pub fn predict<T: Copy + Into<i16>>(&self, data: &[T]) -> Result<Vec<usize>, Error> {
        let model = self.model()?;
        let mut scratch = vec![0; model.scratch_words()];
        let samples = data.chunks(model.inputs());
        samples.map(|sample| Ok(model.predict(sample, &mut scratch)?)).collect()
    }

    /// The numbers that a regression predicts for contiguous samples, a row for each, from the scores of the model itself.
    ///
    /// # Errors
    ///
    /// [`ExportError::NoNumbers`] for a classifier, and [`Error::Core`] as [`predict`](Self::predict).
    pub fn predict_numbers<T: Copy + Into<i16>>(&self, data: &[T]) -> Result<Matrix<f32>, Error> {
        let model = self.model()?;
        if model.task() == ModelTask::Classes {
            return Err(ExportError::NoNumbers { classes: model.classes() }.into());
        }
        let mut scratch = vec![0; model.scratch_words()];
        let mut numbers = Vec::new();
        for sample in data.chunks(model.inputs()) {
            let scores = model.scores(sample, &mut scratch)?;
            numbers.extend(scores.iter().enumerate().map(|(output, &score)| {
                let fraction = model.fraction(output).unwrap_or(0);
                libm::ldexp(score.into(), -i32::from(fraction)) as f32
            }));
        }
        Matrix::from_vec(numbers.len() / model.outputs(), model.outputs(), numbers)
    }

    /// The bytes as a Rust `static` of the given name.
    ///
    /// # Errors
    ///
    /// [`ExportError::Name`] unless the name consists of `A`–`Z`, `a`–`z`, digits and `_`, does not begin with a digit,
    /// and is not `_` alone. Keywords are not checked.
    pub fn to_rust(&self, name: &str) -> Result<String, Error> {
        source::check_name(name)?;
        Ok(source::rust(&self.bytes, name))
    }

    /// The bytes as a C header that defines an array of the given name, for `ternion-core` in a program in C.
    ///
    /// # Errors
    ///
    /// As [`to_rust`](Self::to_rust).
    pub fn to_c_bytes(&self, name: &str) -> Result<String, Error> {
        source::check_name(name)?;
        Ok(source::c(&self.bytes, name))
    }
}

/// Writes W row by row: for each 32 inputs the sign word, then the mask word.
fn write_planes(seeded: &Seeded, bytes: &mut Vec<u8>) -> Result<(), Error> {
    let w = planes(seeded)?;
    for row in w.iter_rows() {
        for group in 0..w.cols().div_ceil(32) {
            for plane in [row.sign(), row.mask()] {
                let word = (plane[group / 2] >> (32 * (group % 2))) as u32;
                bytes.extend(word.to_le_bytes());
            }
        }
    }
    Ok(())
}

/// The form of W, its seed and its geometry in the model format.
fn form(weights: &Weights) -> (u8, u64, u64) {
    let geometry = |sizes: [usize; 3]| {
        sizes.iter().rev().fold(0, |geometry, &size| geometry << 16 | size as u64)
    };
    match weights {
        Weights::RowLanes(..) | Weights::IndexLists(..) => (0, 0, 0),
        Weights::Seeded(w) => (1, w.seed(), w.sparsity().bits().into()),
        Weights::Structured(w) => (2, w.seed(), 0),
        Weights::Local { local: w, .. } => match w.view() {
            View::Boxes(Grid { width, height, channels }) => {
                (3, w.seed(), geometry([width, height, channels]))
            }
            View::Subsets { least, most } => (4, w.seed(), geometry([least, most, 0])),
            // No form: refused when the bytes are checked.
            _ => (u8::MAX, w.seed(), 0),
        },
    }
}

/// Writes, for each 32 features and each output, the bit planes of the codes of its weights, the highest bits first.
fn write_weights(readout: &Readout, bytes: &mut Vec<u8>) {
    let bits = readout.bits.count();
    let largest = (1 << bits) - 1;
    for first in (0..readout.levels.cols()).step_by(32) {
        for levels in readout.levels.iter_rows() {
            let group = &levels[first..levels.len().min(first + 32)];
            for plane in (0..bits).rev() {
                let bit = |level: &i32| ((level + largest) / 2) as u32 >> plane & 1;
                let word = group.iter().rev().fold(0, |word, level| word << 1 | bit(level));
                bytes.extend(word.to_le_bytes());
            }
        }
    }
}
