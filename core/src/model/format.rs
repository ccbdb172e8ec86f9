//! Bytes to a model: everything is checked here, once, and nothing is copied.

use super::error::{Field, ModelError};
use crate::error::Error;
use crate::projection::{Seeded, Structured};
use crate::seed::Sparsity;

/// The version of the format that this code reads and `ternion` writes.
pub const VERSION: u8 = 1;

const MAGIC: [u8; 4] = *b"TRNM";

/// Where the mean starts.
const HEADER: usize = 48;

/// What is added to the byte of the form of W if σ is periodic.
pub const PERIODIC: u8 = 128;

/// Bytes of the checksum at the end.
const CHECKSUM: usize = 4;

/// W, as a model holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelForm<'a> {
    /// Two planes in the model itself: for each row and each 32 inputs, a sign and a mask word.
    Stored(&'a [u8]),
    /// Generated from a seed for every sample.
    Seeded(Seeded),
    /// Signs and Walsh–Hadamard transforms.
    Structured(Structured),
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

/// A classifier over borrowed bytes; see [`model`](crate::model) for what it computes and an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model<'a> {
    pub(super) inputs: usize,
    pub(super) features: usize,
    pub(super) classes: usize,
    pub(super) bits: u32,
    pub(super) shift: u32,
    pub(super) sigma: ModelSigma,
    pub(super) form: ModelForm<'a>,
    /// Two bytes an input.
    pub(super) mean: &'a [u8],
    /// Four bytes for each plane of each class of each 32 features.
    pub(super) weights: &'a [u8],
    /// Scale and bias of each class, eight bytes in all.
    pub(super) heads: &'a [u8],
    bytes: &'a [u8],
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
        let [_, _, _, _, _, code, bits, shift, ..] = *header;
        let (byte, code, periodic) = (code, code & !PERIODIC, code & PERIODIC != 0);
        let sparsity = u32_at(header, 20);
        let seed = u32_at(header, 24) as u64 | (u32_at(header, 28) as u64) << 32;
        let inputs = (u32_at(header, 12) & 0xFFFF) as usize;
        let classes = (u32_at(header, 12) >> 16) as usize;
        let features = u32_at(header, 16) as usize;
        if !matches!(bits, 2 | 4 | 8) {
            return Err(ModelError::Field { field: Field::Bits, found: bits as u64 });
        }
        if shift > 15 {
            return Err(ModelError::Field { field: Field::Shift, found: shift as u64 });
        }
        if classes < 2 {
            return Err(ModelError::Field { field: Field::Classes, found: classes as u64 });
        }
        if sparsity != 0 && code != 1 {
            return Err(ModelError::Field { field: Field::Sparsity, found: sparsity as u64 });
        }
        if seed != 0 && code == 0 {
            return Err(ModelError::Field { field: Field::Seed, found: seed });
        }

        // The lengths of the sections, in 64 bits: no product of the fields overflows them.
        let groups = (features as u64).div_ceil(32);
        let mean = (inputs as u64).div_ceil(2) * 4;
        let planes = match code {
            0 => 8 * features as u64 * (inputs as u64).div_ceil(32),
            _ => 0,
        };
        let weights = 4 * groups * classes as u64 * bits as u64;
        let heads = 8 * classes as u64;
        let expected = match planes.checked_add(mean + weights + heads) {
            Some(expected) => expected,
            None => u64::MAX,
        };
        if expected != body.len() as u64 {
            let frame = (HEADER + CHECKSUM) as u64;
            let expected = expected.saturating_add(frame);
            return Err(ModelError::Length { expected, found: bytes.len() as u64 });
        }
        let (mean, rest) = body.split_at(mean as usize);
        let (planes, rest) = rest.split_at(planes as usize);
        let (weights, heads) = rest.split_at(weights as usize);

        // Stored planes may have the sizes that seeded ones may have.
        let seeded = match Seeded::new(seed, Sparsity::from_bits(sparsity), inputs, features) {
            Ok(seeded) => Ok(ModelForm::Seeded(seeded)),
            Err(refused) => Err(refused),
        };
        let form = match (code, seeded) {
            (0, Ok(_)) => ModelForm::Stored(planes),
            (1, Ok(seeded)) => seeded,
            (2, _) => match Structured::new(seed, inputs, features) {
                Ok(structured) => ModelForm::Structured(structured),
                Err(refused) => return Err(ModelError::Sizes(refused)),
            },
            (0 | 1, Err(refused)) => return Err(ModelError::Sizes(refused)),
            _ => return Err(ModelError::Field { field: Field::Form, found: byte as u64 }),
        };
        let words =
            [u32_at(header, 32), u32_at(header, 36), u32_at(header, 40), u32_at(header, 44)];
        let [factor, low, high, last] = words;
        let sigma = match periodic {
            true if last != 0 => return Err(ModelError::Padding { offset: 44 }),
            true => ModelSigma::Periodic { factor, seed: low as u64 | (high as u64) << 32 },
            false => ModelSigma::Bands([factor as i32, low as i32, high as i32, last as i32]),
        };
        let bits = bits as u32;
        let shift = shift as u32;
        let model = Self {
            inputs,
            features,
            classes,
            bits,
            shift,
            sigma,
            form,
            mean,
            weights,
            heads,
            bytes,
        };
        if let Err(refused) = model.check_cuts() {
            return Err(refused);
        }
        if let Err(refused) = model.check_zeros() {
            return Err(refused);
        }
        if let Err(refused) = model.check_planes() {
            return Err(refused);
        }
        if let Err(refused) = model.check_scores() {
            return Err(refused);
        }
        Ok(model)
    }

    /// The bands ascend and are apart.
    const fn check_cuts(&self) -> Result<(), ModelError> {
        let ModelSigma::Bands(found) = self.sigma else { return Ok(()) };
        let [below_outer, above_inner, below_inner, above_outer] = found;
        let ascend = above_inner <= below_inner && above_inner <= above_outer;
        let apart = below_outer.saturating_sub(1) <= above_inner
            && below_inner.saturating_sub(1) <= above_outer;
        if ascend && apart { Ok(()) } else { Err(ModelError::Thresholds { found }) }
    }

    /// What lies beyond the last input and the last feature is zero.
    const fn check_zeros(&self) -> Result<(), ModelError> {
        if self.inputs % 2 == 1 && u32_at(self.mean, self.mean.len() - 4) >> 16 != 0 {
            return Err(ModelError::Padding { offset: HEADER + self.mean.len() - 2 });
        }
        let group = 4 * self.classes * self.bits as usize;
        let mut at = self.weights.len() - group;
        while at < self.weights.len() {
            if u32_at(self.weights, at) & !tail(self.features) != 0 {
                let end = self.bytes.len() - CHECKSUM - self.heads.len();
                return Err(ModelError::Padding { offset: end - self.weights.len() + at });
            }
            at += 4;
        }
        Ok(())
    }

    /// Stored planes are trits.
    const fn check_planes(&self) -> Result<(), ModelError> {
        let ModelForm::Stored(planes) = self.form else { return Ok(()) };
        let groups = self.inputs.div_ceil(32);
        let (mut row, mut at) = (0, 0);
        while row < self.features {
            let mut group = 0;
            while group < groups {
                let (sign, mask) = (u32_at(planes, at), u32_at(planes, at + 4));
                let stray = sign & !mask;
                if stray != 0 {
                    let col = 32 * group + stray.trailing_zeros() as usize;
                    return Err(ModelError::Planes(Error::SignOutsideMask { row, col }));
                }
                group += 1;
                at += 8;
                if group == groups && mask & !tail(self.inputs) != 0 {
                    return Err(ModelError::Planes(Error::DirtyTail { row }));
                }
            }
            row += 1;
        }
        Ok(())
    }

    /// No score leaves 32 bits.
    const fn check_scores(&self) -> Result<(), ModelError> {
        let largest = self.features as u64 * ((1 << self.bits) - 1);
        let mut class = 0;
        while class < self.classes {
            let scale = u32_at(self.heads, 8 * class) as i32;
            let bias = u32_at(self.heads, 8 * class + 4) as i32;
            let fits = match largest.checked_mul(scale.unsigned_abs() as u64) {
                Some(dot) => dot.saturating_add(bias.unsigned_abs() as u64) <= i32::MAX as u64,
                None => false,
            };
            if scale < 0 || !fits {
                return Err(ModelError::Scores { class });
            }
            class += 1;
        }
        Ok(())
    }

    /// Numbers in a sample.
    pub const fn inputs(&self) -> usize {
        self.inputs
    }

    /// Features of a sample.
    pub const fn features(&self) -> usize {
        self.features
    }

    /// Classes.
    pub const fn classes(&self) -> usize {
        self.classes
    }

    /// Bits of a readout weight.
    pub const fn bits(&self) -> u32 {
        self.bits
    }

    /// Bits by which inputs are shifted before the mean is subtracted.
    pub const fn shift(&self) -> u32 {
        self.shift
    }

    /// The mean of an input, in shifted units; zero beyond the last.
    pub const fn mean(&self, input: usize) -> i16 {
        if input < self.inputs {
            (u32_at(self.mean, input / 2 * 4) >> (input % 2 * 16)) as i16
        } else {
            0
        }
    }

    /// σ.
    pub const fn sigma(&self) -> ModelSigma {
        self.sigma
    }

    /// W.
    pub const fn form(&self) -> ModelForm<'a> {
        self.form
    }

    /// The weight of a feature in the score of a class, an odd number; `None` beyond the last.
    pub const fn weight(&self, class: usize, feature: usize) -> Option<i32> {
        if class >= self.classes || feature >= self.features {
            return None;
        }
        let bits = self.bits as usize;
        let first = 4 * bits * (feature / 32 * self.classes + class);
        let (mut code, mut plane) = (0, 0);
        while plane < bits {
            code =
                2 * code + (u32_at(self.weights, first + 4 * plane) >> (feature % 32) & 1) as i32;
            plane += 1;
        }
        Some(2 * code - ((1 << bits) - 1))
    }

    /// The scale and the bias of a class; `None` beyond the last.
    pub const fn head(&self, class: usize) -> Option<(i32, i32)> {
        if class >= self.classes {
            return None;
        }
        let at = 8 * class;
        Some((u32_at(self.heads, at) as i32, u32_at(self.heads, at + 4) as i32))
    }

    /// The bytes it was read from.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Words of scratch that [`predict`](Self::predict) needs.
    ///
    /// One per class and, for a structured W, one for every two inputs of the padded sample; for another W, four per
    /// input, which hold its tables.
    pub const fn scratch_words(&self) -> usize {
        self.classes + self.work_words()
    }

    /// Words of scratch without the scores.
    pub(super) const fn work_words(&self) -> usize {
        match &self.form {
            ModelForm::Structured(structured) => structured.padded() / 2,
            _ => self.inputs.div_ceil(32) * 128,
        }
    }
}

/// The bits of the last word of a row that are columns.
const fn tail(cols: usize) -> u32 {
    u32::MAX >> ((32 - cols % 32) % 32)
}

/// The little-endian word at an offset; zero where there is none.
pub(super) const fn u32_at(bytes: &[u8], at: usize) -> u32 {
    if let Some((_, rest)) = bytes.split_at_checked(at)
        && let Some(word) = rest.first_chunk::<4>()
    {
        return u32::from_le_bytes(*word);
    }
    0
}
