//! The model format and what a model computes, a second time: from the documentation of the format, in plain code.

use crate::oracle::{self, Sums};
use ternion_core::Error;
use ternion_core::model::{Model, ModelForm, ModelSigma};

/// W of a plain model.
#[derive(Clone, Debug, PartialEq)]
pub enum PlainProjection {
    /// Trits, row by row.
    Stored(Vec<i8>),
    /// T of the sparsity, and the seed.
    Seeded(u32, u64),
    /// The seed.
    Structured(u64),
}

/// Everything in a model, as plain numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainModel {
    /// Bits by which inputs are shifted.
    pub shift: u8,
    /// One number per input.
    pub mean: Vec<i16>,
    /// W.
    pub projection: PlainProjection,
    /// Features.
    pub features: usize,
    /// The cuts of σ; those of a periodic σ are its F, the halves of the seed of its phases, and 0.
    pub cuts: [i32; 4],
    /// Whether σ is periodic.
    pub periodic: bool,
    /// Bits per weight.
    pub bits: u32,
    /// Odd weights, a row per class.
    pub weights: Vec<Vec<i32>>,
    /// Scale and bias of each class.
    pub heads: Vec<(i32, i32)>,
}

/// The CRC-32 of bytes, bit by bit.
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut rest = !0_u32;
    for byte in bytes {
        for bit in 0..8 {
            let carry = (rest ^ (*byte as u32 >> bit)) & 1;
            rest = (rest >> 1) ^ (carry * 0xEDB8_8320);
        }
    }
    !rest
}

/// Writes the length and the checksum that the bytes should have, if there is room for them.
pub fn fix(bytes: &mut [u8]) {
    let length = bytes.len();
    if length >= 16 {
        bytes[8..12].copy_from_slice(&(length as u32).to_le_bytes());
        let checksum = crc32(&bytes[..length - 4]);
        bytes[length - 4..].copy_from_slice(&checksum.to_le_bytes());
    }
}

impl PlainModel {
    /// A model's numbers, through its accessors.
    pub fn read(model: &Model<'_>) -> Self {
        let (inputs, features) = (model.inputs(), model.features());
        let projection = match model.form() {
            ModelForm::Structured(w) => PlainProjection::Structured(w.seed()),
            ModelForm::Seeded(w) => PlainProjection::Seeded(w.sparsity().bits(), w.seed()),
            ModelForm::Stored(bytes) => {
                let groups = inputs.div_ceil(32);
                let bit = |row: usize, input: usize, mask: usize| {
                    let word = 8 * (row * groups + input / 32) + 4 * mask;
                    (bytes[word + input % 32 / 8] >> (input % 8) & 1) as i8
                };
                let trit = |k: usize| {
                    let (row, input) = (k / inputs, k % inputs);
                    bit(row, input, 1) - 2 * bit(row, input, 0)
                };
                PlainProjection::Stored((0..inputs * features).map(trit).collect())
            }
        };
        let (periodic, cuts) = match model.sigma() {
            ModelSigma::Bands(cuts) => (false, cuts),
            ModelSigma::Periodic { factor, seed } => {
                (true, [factor as i32, seed as i32, (seed >> 32) as i32, 0])
            }
        };
        let weights =
            |class| (0..features).map(|feature| model.weight(class, feature).unwrap()).collect();
        Self {
            shift: model.shift() as u8,
            mean: (0..inputs).map(|input| model.mean(input)).collect(),
            projection,
            features,
            cuts,
            periodic,
            bits: model.bits(),
            weights: (0..model.classes()).map(weights).collect(),
            heads: (0..model.classes()).map(|class| model.head(class).unwrap()).collect(),
        }
    }

    /// The bytes, by the table of the format.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (kind, sparsity, seed) = match self.projection {
            PlainProjection::Stored(_) => (0, 0, 0),
            PlainProjection::Seeded(sparsity, seed) => (1, sparsity, seed),
            PlainProjection::Structured(seed) => (2, 0, seed),
        };
        let inputs = self.mean.len();
        let mut bytes = b"TRNM".to_vec();
        bytes.extend([
            1,
            kind + 128 * self.periodic as u8,
            self.bits as u8,
            self.shift,
            0,
            0,
            0,
            0,
        ]);
        bytes.extend((inputs as u16).to_le_bytes());
        bytes.extend((self.heads.len() as u16).to_le_bytes());
        bytes.extend((self.features as u32).to_le_bytes());
        bytes.extend(sparsity.to_le_bytes());
        bytes.extend(seed.to_le_bytes());
        self.cuts.iter().for_each(|cut| bytes.extend(cut.to_le_bytes()));
        self.mean.iter().for_each(|mean| bytes.extend(mean.to_le_bytes()));
        if inputs % 2 == 1 {
            bytes.extend([0, 0]);
        }
        let word = |bits: &mut dyn Iterator<Item = bool>| -> [u8; 4] {
            let bits = bits.enumerate().map(|(place, bit)| (bit as u32) << place);
            bits.fold(0, |word, bit| word | bit).to_le_bytes()
        };
        if let PlainProjection::Stored(trits) = &self.projection {
            for row in trits.chunks(inputs) {
                for group in row.chunks(32) {
                    bytes.extend(word(&mut group.iter().map(|&trit| trit < 0)));
                    bytes.extend(word(&mut group.iter().map(|&trit| trit != 0)));
                }
            }
        }
        for first in (0..self.features).step_by(32) {
            for weights in &self.weights {
                for plane in (0..self.bits).rev() {
                    let group = weights.iter().skip(first).take(32);
                    let code = |weight: &i32| (weight + (1 << self.bits) - 1) / 2;
                    bytes.extend(word(&mut group.map(|weight| code(weight) >> plane & 1 == 1)));
                }
            }
        }
        for (scale, bias) in &self.heads {
            bytes.extend(scale.to_le_bytes());
            bytes.extend(bias.to_le_bytes());
        }
        bytes.extend([0; 4]);
        fix(&mut bytes);
        bytes
    }

    /// The features of a sample; `None` if one of its numbers is out of range.
    pub fn features(&self, sample: &[i64]) -> Option<Vec<i8>> {
        let centred: Vec<i64> = sample
            .iter()
            .zip(&self.mean)
            .map(|(x, &mean)| x * (1 << self.shift) - mean as i64)
            .collect();
        if centred.iter().any(|x| !(-32_768..=32_767).contains(x)) {
            return None;
        }
        let [factor, low, high, _] = self.cuts.map(|cut| cut as u32);
        let factor = self.periodic.then_some(i64::from(factor));
        let numbers = factor.map_or(centred.clone(), |factor| oracle::in_turns(&centred, factor));
        let sums = match &self.projection {
            PlainProjection::Stored(trits) => Sums::exact(oracle::project(trits, &numbers)),
            PlainProjection::Seeded(sparsity, seed) => {
                let w = oracle::w(*seed, *sparsity, self.features, sample.len());
                Sums::exact(oracle::project(&w, &numbers))
            }
            PlainProjection::Structured(seed) => {
                oracle::structured(*seed, self.features, &centred, factor)
            }
        };
        Some(match self.periodic {
            true => oracle::periodic_trits(&sums.sums, u64::from(low) | u64::from(high) << 32),
            false => sums.trits_by_cuts(self.cuts.map(i64::from)),
        })
    }

    /// The scores of a sample; `None` if one of its numbers is out of range.
    pub fn scores(&self, sample: &[i64]) -> Option<Vec<i64>> {
        let features = self.features(sample)?;
        let score = |(weights, &(scale, bias)): (&Vec<i32>, &(i32, i32))| {
            scale as i64 * oracle::dot(weights, &features) + bias as i64
        };
        Some(self.weights.iter().zip(&self.heads).map(score).collect())
    }

    /// The class of a sample, the first of the largest scores.
    pub fn predict(&self, sample: &[i64]) -> Option<usize> {
        let scores = self.scores(sample)?;
        let best = scores.iter().max()?;
        scores.iter().position(|score| score == best)
    }

    /// Panics unless a model's classes, scores and features of a sample are these.
    pub fn check<T: Copy + Into<i16> + Into<i64>>(&self, model: &Model<'_>, sample: &[T]) {
        let numbers: Vec<i64> = sample.iter().map(|&x| x.into()).collect();
        // Dirty, and longer than needed.
        let mut scratch = vec![0x5A5A_5A5A; model.scratch_words() + 3];
        let Some(features) = self.features(&numbers) else {
            let refused = model.predict(sample, &mut scratch);
            assert!(matches!(refused, Err(Error::OutOfRange { .. })), "{refused:?}");
            return;
        };
        let (mut sign, mut mask) = (Vec::new(), Vec::new());
        let visit = |s: u32, m: u32| {
            sign.push(s);
            mask.push(m);
        };
        model.featurize(sample, &mut scratch, visit).unwrap();
        assert_eq!(sign.len(), features.len().div_ceil(32));
        for feature in 0..32 * sign.len() {
            let bit = |plane: &[u32]| (plane[feature / 32] >> (feature % 32) & 1) as i8;
            let expected = features.get(feature).copied().unwrap_or(0);
            assert_eq!(bit(&mask) - 2 * bit(&sign), expected, "feature {feature}");
        }
        let scores = model.scores(sample, &mut scratch).unwrap();
        let scores: Vec<i64> = scores.iter().map(|&score| score.into()).collect();
        assert_eq!(Some(scores), self.scores(&numbers));
        assert_eq!(model.predict(sample, &mut scratch).ok(), self.predict(&numbers));
    }
}
