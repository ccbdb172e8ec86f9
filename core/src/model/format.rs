//! Bytes to a model: everything is checked once, and nothing is copied.

use super::error::{Field, ModelError};
use super::rules;
use crate::projection::{Grid, Local, Seeded, Structured, View};
use crate::seed::Sparsity;

/// The version of the format that this code reads and `ternion` writes.
pub const VERSION: u8 = 2;

const MAGIC: [u8; 4] = *b"TRNM";

/// Bytes before the first section.
pub(super) const HEADER: usize = 56;

/// Bytes of the checksum at the end.
pub(super) const CHECKSUM: usize = 4;

/// The section of means, in the byte of the sections.
const MEAN: u8 = 1;
/// The section of factors.
const FACTORS: u8 = 2;
/// The section of word numbers.
const WORDS: u8 = 4;

/// W, as a model holds it. All forms there are, as for the other enums of a model: a reader that passes over one is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelForm<'a> {
    /// Two planes in the model itself: for each row and each 32 inputs, a sign and a mask word.
    Stored(&'a [u8]),
    /// Generated from a seed for every sample.
    Seeded(Seeded),
    /// Signs and Walsh–Hadamard transforms.
    Structured(Structured),
    /// The same on boxes of a grid or on a few inputs. Its features are those of all words up to the last of the model,
    /// which may leave some out: see [`Model::word`].
    Local(Local),
}

/// σ, as a model holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelSigma {
    /// The cuts: +1 below the first or above the last, −1 between the second and the third.
    Bands([i32; 4]),
    /// A cosine as a trit; see [`periodic`](crate::periodic).
    Periodic {
        /// F: 2³² over the period.
        factor: u32,
        /// The seed of the phases.
        seed: u64,
    },
}

/// What the scores of a model are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelTask {
    /// They tell classes apart: the largest wins. A single score tells two apart, by its sign.
    Classes,
    /// They are numbers in fixed point: see [`Model::fraction`].
    Numbers,
}

/// A linear model of ternary features over borrowed bytes; see [`model`](crate::model) for what it computes and an
/// example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model<'a> {
    pub(super) inputs: usize,
    pub(super) features: usize,
    pub(super) outputs: usize,
    pub(super) bits: u32,
    pub(super) shift: u32,
    pub(super) task: ModelTask,
    pub(super) sigma: ModelSigma,
    pub(super) form: ModelForm<'a>,
    /// Two bytes an input, or none.
    pub(super) mean: &'a [u8],
    /// Two bytes an input, or none.
    pub(super) factors: &'a [u8],
    /// Two bytes a word of features, or none.
    pub(super) words: &'a [u8],
    /// Four bytes for each plane of each output of each 32 features.
    pub(super) weights: &'a [u8],
    /// Scale and bias of each output, eight bytes in all.
    pub(super) heads: &'a [u8],
    /// A byte an output if scores are numbers, or none.
    pub(super) fractions: &'a [u8],
    /// Whether no sample of 8-bit numbers, signed or not, leaves 16 bits when it is centred.
    pub(super) bytes_fit: bool,
    pub(super) bytes: &'a [u8],
}

impl<'a> Model<'a> {
    /// Reads a model, checking every rule of the format. No alignment is asked of the bytes.
    ///
    /// A `const fn`: a model known at compile time is checked by the compiler.
    ///
    /// # Errors
    ///
    /// A [`ModelError`] for the first rule that is broken, whatever the bytes.
    pub const fn from_bytes(bytes: &'a [u8]) -> Result<Self, ModelError> {
        if let Some(&found) = bytes.first_chunk::<4>()
            && u32::from_le_bytes(found) != u32::from_le_bytes(MAGIC)
        {
            return Err(ModelError::Magic { found });
        }
        if let Some(&[.., found]) = bytes.first_chunk::<5>()
            && found != VERSION
        {
            return Err(ModelError::Version { expected: VERSION, found });
        }
        let Some((header, body)) = bytes.split_first_chunk::<HEADER>() else {
            let needed = (HEADER + CHECKSUM) as u64;
            return Err(ModelError::Truncated { needed, found: bytes.len() });
        };
        let length = u32_at(header, 8);
        if (bytes.len() as u64) < length as u64 {
            return Err(ModelError::Truncated { needed: length as u64, found: bytes.len() });
        }
        if length as u64 != bytes.len() as u64 {
            let found = bytes.len() as u64;
            return Err(ModelError::Length { expected: length as u64, found });
        }
        let Some((body, stored)) = body.split_last_chunk::<CHECKSUM>() else {
            let needed = (HEADER + CHECKSUM) as u64;
            return Err(ModelError::Truncated { needed, found: bytes.len() });
        };
        let (checked, _) = bytes.split_at(bytes.len() - CHECKSUM);
        let (found, expected) = (u32::from_le_bytes(*stored), super::crc32(checked));
        if found != expected {
            return Err(ModelError::Checksum { expected, found });
        }
        Self::from_parts(bytes, header, body)
    }

    /// The rules of what lies between the frame of magic, version, length and checksum.
    const fn from_parts(
        bytes: &'a [u8],
        header: &[u8; HEADER],
        body: &'a [u8],
    ) -> Result<Self, ModelError> {
        let [_, _, _, _, _, form, sigma, bits, ..] = *header;
        let [shift, sections, task, zero] = u32_at(header, 20).to_le_bytes();
        let (inputs, outputs) = (u16_at(header, 12) as usize, u16_at(header, 14) as usize);
        let features = u32_at(header, 16) as usize;
        let seed = u64_at(header, 24);
        let local = matches!(form, 3 | 4);
        if sigma > 1 {
            return Err(wrong(Field::Sigma, sigma as u64));
        }
        if !matches!(bits, 1..=8) {
            return Err(wrong(Field::Bits, bits as u64));
        }
        if outputs == 0 {
            return Err(wrong(Field::Outputs, 0));
        }
        if shift > 15 {
            return Err(wrong(Field::Shift, shift as u64));
        }
        if sections > MEAN + FACTORS + WORDS || sections & WORDS != 0 && !local {
            return Err(wrong(Field::Sections, sections as u64));
        }
        let task = match task {
            0 => ModelTask::Classes,
            1 => ModelTask::Numbers,
            _ => return Err(wrong(Field::Task, task as u64)),
        };
        if zero != 0 {
            return Err(ModelError::Padding { offset: 23 });
        }
        if seed != 0 && form == 0 {
            return Err(wrong(Field::Seed, seed));
        }

        // The lengths of the sections, in 64 bits: no product of the fields overflows them.
        let per_input = (inputs as u64).div_ceil(2) * 4;
        let mean = if sections & MEAN != 0 { per_input } else { 0 };
        let factors = if sections & FACTORS != 0 { per_input } else { 0 };
        let words = if sections & WORDS != 0 { (features as u64).div_ceil(128) * 4 } else { 0 };
        let planes = match form {
            0 => 8 * features as u64 * (inputs as u64).div_ceil(32),
            _ => 0,
        };
        let weights = 4 * (features as u64).div_ceil(32) * outputs as u64 * bits as u64;
        let heads = 8 * outputs as u64;
        let fractions = match task {
            ModelTask::Classes => 0,
            ModelTask::Numbers => (outputs as u64).div_ceil(4) * 4,
        };
        let sections = mean + factors + words + weights + heads + fractions;
        let expected = planes.saturating_add(sections);
        if expected != body.len() as u64 {
            let expected = expected.saturating_add((HEADER + CHECKSUM) as u64);
            return Err(ModelError::Length { expected, found: bytes.len() as u64 });
        }
        let (mean, rest) = body.split_at(mean as usize);
        let (factors, rest) = rest.split_at(factors as usize);
        let (words, rest) = rest.split_at(words as usize);
        let (planes, rest) = rest.split_at(planes as usize);
        let (weights, rest) = rest.split_at(weights as usize);
        let (heads, fractions) = rest.split_at(heads as usize);

        let form = match read_form(header, form, planes, words) {
            Ok(form) => form,
            Err(refused) => return Err(refused),
        };
        let cuts = [u32_at(header, 40), u32_at(header, 44), u32_at(header, 48), u32_at(header, 52)];
        let sigma = match (sigma, cuts) {
            (0, [a, b, c, d]) => ModelSigma::Bands([a as i32, b as i32, c as i32, d as i32]),
            (_, [factor, _, _, 0]) => ModelSigma::Periodic { factor, seed: u64_at(header, 44) },
            _ => return Err(ModelError::Padding { offset: 52 }),
        };
        let (bits, shift) = (bits as u32, shift as u32);
        let model = Self {
            inputs,
            features,
            outputs,
            bits,
            shift,
            task,
            sigma,
            form,
            mean,
            factors,
            words,
            weights,
            heads,
            fractions,
            bytes_fit: false,
            bytes,
        };
        if let Err(refused) = rules::check(&model) {
            return Err(refused);
        }
        Ok(Self { bytes_fit: rules::bytes_fit(&model), ..model })
    }

    /// Numbers in a sample.
    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// Features of a sample.
    pub const fn features(&self) -> usize {
        self.features
    }

    /// Scores of a sample.
    pub const fn outputs(&self) -> usize {
        self.outputs
    }

    /// Classes that [`predict`](Self::predict) tells apart: one per output, two for a single output; none if the scores
    /// are numbers.
    pub const fn classes(&self) -> usize {
        match self.task {
            ModelTask::Classes if self.outputs == 1 => 2,
            ModelTask::Classes => self.outputs,
            ModelTask::Numbers => 0,
        }
    }

    /// What the scores are for.
    pub const fn task(&self) -> ModelTask {
        self.task
    }

    /// Bits of a readout weight.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// Bits by which inputs are shifted before the mean is subtracted: to the left, or to the right if they have
    /// factors.
    pub const fn shift(&self) -> u32 {
        self.shift
    }

    /// The mean of an input, in the unit of the shifted input; zero if the model has no means.
    pub const fn mean(&self, input: usize) -> i16 {
        u16_at(self.mean, input.saturating_mul(2)) as i16
    }

    /// The factor of an input; `None` if the model has no factors.
    pub const fn factor(&self, input: usize) -> Option<u16> {
        if self.factors.is_empty() {
            None
        } else {
            Some(u16_at(self.factors, input.saturating_mul(2)))
        }
    }

    /// The number of a word of features among those that the seed of a local W means: `index` itself unless the model
    /// has word numbers.
    pub const fn word(&self, index: usize) -> usize {
        if self.words.is_empty() {
            index
        } else {
            u16_at(self.words, index.saturating_mul(2)) as usize
        }
    }

    /// Whether every sample of 8-bit numbers, signed or not, fits in 16 bits when it is scaled and centred: none is refused.
    pub const fn bytes_fit(&self) -> bool {
        self.bytes_fit
    }

    /// Whether the model has means.
    pub const fn has_mean(&self) -> bool {
        !self.mean.is_empty()
    }

    /// Whether the model has word numbers.
    pub const fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// σ.
    pub const fn sigma(&self) -> ModelSigma {
        self.sigma
    }

    /// W.
    pub const fn form(&self) -> ModelForm<'a> {
        self.form
    }

    /// The weight of a feature in the score of an output, an odd number; `None` beyond the last.
    pub const fn weight(&self, output: usize, feature: usize) -> Option<i32> {
        if output >= self.outputs || feature >= self.features {
            return None;
        }
        let bits = self.bits as usize;
        let first = 4 * bits * (feature / 32 * self.outputs + output);
        let (mut code, mut plane) = (0, 0);
        while plane < bits {
            code =
                2 * code + (u32_at(self.weights, first + 4 * plane) >> (feature % 32) & 1) as i32;
            plane += 1;
        }
        Some(2 * code - ((1 << bits) - 1))
    }

    /// The bit planes of the codes of all weights, in the order of the [format](crate::model).
    pub const fn weight_planes(&self) -> &'a [u8] {
        self.weights
    }

    /// The scale and the bias of an output; `None` beyond the last.
    pub const fn head(&self, output: usize) -> Option<(i32, i32)> {
        if output >= self.outputs {
            return None;
        }
        let at = 8 * output;
        Some((u32_at(self.heads, at) as i32, u32_at(self.heads, at + 4) as i32))
    }

    /// The bits of the fraction of an output: the number that it predicts is its score over 2^fraction. `None` beyond the
    /// last output, and for classes.
    pub const fn fraction(&self, output: usize) -> Option<i8> {
        match self.fractions.split_at_checked(output) {
            Some((_, [fraction, ..])) if output < self.outputs => Some(*fraction as i8),
            _ => None,
        }
    }

    /// The bytes it was read from.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Words of scratch that [`predict`](Self::predict) needs.
    ///
    /// One per output and, for boxes and subsets, 32; for a structured W, one for every two inputs of the padded sample;
    /// for another W, four per input, which hold its tables.
    pub const fn scratch_words(&self) -> usize {
        self.outputs + self.work_words()
    }

    /// Words of scratch without the scores.
    pub(super) const fn work_words(&self) -> usize {
        match &self.form {
            ModelForm::Local(_) => 32,
            ModelForm::Structured(structured) => structured.padded() / 2,
            _ => self.inputs.div_ceil(32) * 128,
        }
    }
}

/// Its sizes.
#[cfg(feature = "defmt")]
impl defmt::Format for Model<'_> {
    fn format(&self, f: defmt::Formatter<'_>) {
        let (inputs, features, outputs) = (self.inputs, self.features, self.outputs);
        let bytes = self.bytes.len();
        defmt::write!(
            f,
            "model of {} inputs, {} features, {} outputs, {} bytes",
            inputs,
            features,
            outputs,
            bytes
        );
    }
}

const fn wrong(field: Field, found: u64) -> ModelError {
    ModelError::Field { field, found }
}

/// W, by its geometry in the header. `words` are the numbers of its words of features.
const fn read_form<'a>(
    header: &[u8; HEADER],
    form: u8,
    planes: &'a [u8],
    words: &[u8],
) -> Result<ModelForm<'a>, ModelError> {
    let (inputs, features) = (u16_at(header, 12) as usize, u32_at(header, 16) as usize);
    let (seed, geometry) = (u64_at(header, 24), u64_at(header, 32));
    let [first, second, third] =
        [u16_at(header, 32) as usize, u16_at(header, 34) as usize, u16_at(header, 36) as usize];
    // What the geometry of the form does not use must be zero.
    let used = match form {
        0 | 2 => 0,
        1 | 4 => 4,
        3 => 6,
        _ => return Err(wrong(Field::Form, form as u64)),
    };
    if geometry >> (8 * used) != 0 {
        return Err(ModelError::Padding { offset: 32 + used });
    }
    let read = match form {
        // Stored planes may have the sizes that seeded ones may have.
        0 | 1 => match Seeded::new(seed, Sparsity::from_bits(geometry as u32), inputs, features) {
            Ok(_) if form == 0 => Ok(ModelForm::Stored(planes)),
            Ok(seeded) => Ok(ModelForm::Seeded(seeded)),
            Err(refused) => Err(refused),
        },
        2 => match Structured::new(seed, inputs, features) {
            Ok(structured) => Ok(ModelForm::Structured(structured)),
            Err(refused) => Err(refused),
        },
        _ => {
            let view = match form {
                3 => View::Boxes(Grid { width: first, height: second, channels: third }),
                _ => View::Subsets { least: first, most: second },
            };
            let last = features.div_ceil(64).saturating_sub(1);
            let features = match words {
                [] => features,
                // Up to the last word, whose features are as many as those of the last word of the model.
                _ => features
                    .saturating_add(64 * (u16_at(words, 2 * last) as usize).saturating_sub(last)),
            };
            match Local::new(seed, view, inputs, features) {
                Ok(local) => Ok(ModelForm::Local(local)),
                Err(refused) => Err(refused),
            }
        }
    };
    match read {
        Ok(form) => Ok(form),
        Err(refused) => Err(ModelError::Sizes(refused)),
    }
}

/// The little-endian number at an offset; zero where there is none.
pub(super) const fn u16_at(bytes: &[u8], at: usize) -> u16 {
    if let Some((_, rest)) = bytes.split_at_checked(at)
        && let Some(number) = rest.first_chunk::<2>()
    {
        return u16::from_le_bytes(*number);
    }
    0
}

/// The little-endian word at an offset; zero where there is none.
pub(super) const fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u16_at(bytes, at) as u32 | (u16_at(bytes, at + 2) as u32) << 16
}

const fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u32_at(bytes, at) as u64 | (u32_at(bytes, at + 4) as u64) << 32
}
