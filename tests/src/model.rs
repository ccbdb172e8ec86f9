//! The model format and what a model computes, a second time: from the documentation of the format, in plain code.

use crate::data::Random;
use crate::forms::grid;
use crate::oracle::{self, Sums};
use ternion_core::model::{Model, ModelForm, ModelSigma, ModelTask};
use ternion_core::{Error, Grid, Sparsity, View};

/// W of a plain model.
#[derive(Clone, Debug, PartialEq)]
pub enum PlainProjection {
    /// Trits, row by row.
    Stored(Vec<i8>),
    /// T of the sparsity, and the seed.
    Seeded(u32, u64),
    /// The seed.
    Structured(u64),
    /// Width, height and channels, and the seed.
    Boxes([u16; 3], u64),
    /// The least and the most inputs, and the seed.
    Subsets([u16; 2], u64),
}

impl PlainProjection {
    /// One of each, for so many inputs and features; trits are zero with a probability of `sparsity`. One that is
    /// missing here fails `tests/tests/lists.rs`.
    pub fn all(random: &mut Random, inputs: usize, features: usize, sparsity: f64) -> [Self; 5] {
        let Grid { width, height, channels } = grid(inputs);
        let seed = random.bits();
        [
            Self::Stored(random.trits(features * inputs, sparsity)),
            Self::Seeded(Sparsity::new(sparsity).expect("a probability").bits(), seed),
            Self::Structured(seed),
            Self::Boxes([width, height, channels].map(|size| size as u16), seed),
            Self::Subsets([2, 8], seed),
        ]
    }

    /// The word for this form: that of the fits it is exported from.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stored(_) => "stored",
            Self::Seeded(..) => "seeded",
            Self::Structured(_) => "structured",
            Self::Boxes(..) => "boxes",
            Self::Subsets(..) => "subsets",
        }
    }
}

/// Everything in a model, as plain numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainModel {
    /// Inputs.
    pub inputs: usize,
    /// Bits by which inputs are shifted.
    pub shift: u8,
    /// One number per input, if there are any.
    pub mean: Option<Vec<i16>>,
    /// One number per input, if there are any.
    pub factors: Option<Vec<u16>>,
    /// One number per word of features, if there are any.
    pub words: Option<Vec<u16>>,
    /// W.
    pub projection: PlainProjection,
    /// Features.
    pub features: usize,
    /// The cuts of σ; those of a periodic σ are its F, the halves of the seed of its phases, and 0.
    pub cuts: [i32; 4],
    /// Whether σ is periodic.
    pub periodic: bool,
    /// The bits of the fraction of each output, if scores are numbers.
    pub fractions: Option<Vec<i8>>,
    /// Bits per weight.
    pub bits: u32,
    /// Odd weights, a row per output.
    pub weights: Vec<Vec<i32>>,
    /// Scale and bias of each output.
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
    /// Two features, one of each input: +1 above 5, −1 below −5. `weights` has a row per output.
    pub fn of_two_inputs(weights: &[[i32; 2]], biases: &[i32]) -> Self {
        Self {
            inputs: 2,
            shift: 0,
            mean: None,
            factors: None,
            words: None,
            projection: PlainProjection::Stored(vec![1, 0, 0, 1]),
            features: 2,
            cuts: [i32::MIN, i32::MIN, -5, 5],
            periodic: false,
            fractions: None,
            bits: 2,
            weights: weights.iter().map(|row| row.to_vec()).collect(),
            heads: biases.iter().map(|&bias| (1, bias)).collect(),
        }
    }

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
            ModelForm::Local(w) => match w.view() {
                View::Boxes(Grid { width, height, channels }) => {
                    let grid = [width, height, channels].map(|size| size as u16);
                    PlainProjection::Boxes(grid, w.seed())
                }
                View::Subsets { least, most } => {
                    PlainProjection::Subsets([least as u16, most as u16], w.seed())
                }
                _ => unreachable!("a view without an oracle"),
            },
        };
        let (periodic, cuts) = match model.sigma() {
            ModelSigma::Bands(cuts) => (false, cuts),
            ModelSigma::Periodic { factor, seed } => {
                (true, [factor as i32, seed as i32, (seed >> 32) as i32, 0])
            }
        };
        let weights =
            |output| (0..features).map(|feature| model.weight(output, feature).unwrap()).collect();
        let words = 0..features.div_ceil(64);
        Self {
            inputs,
            shift: model.shift() as u8,
            mean: model.has_mean().then(|| (0..inputs).map(|input| model.mean(input)).collect()),
            factors: (0..inputs).map(|input| model.factor(input)).collect(),
            words: model.has_words().then(|| words.map(|word| model.word(word) as u16).collect()),
            projection,
            features,
            cuts,
            periodic,
            fractions: match model.task() {
                ModelTask::Classes => None,
                ModelTask::Numbers => (0..model.outputs()).map(|k| model.fraction(k)).collect(),
            },
            bits: model.bits(),
            weights: (0..model.outputs()).map(weights).collect(),
            heads: (0..model.outputs()).map(|output| model.head(output).unwrap()).collect(),
        }
    }

    /// The bytes, by the table of the format.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (form, seed, geometry) = match self.projection {
            PlainProjection::Stored(_) => (0, 0, [0; 4]),
            PlainProjection::Seeded(t, seed) => (1, seed, [t as u16, (t >> 16) as u16, 0, 0]),
            PlainProjection::Structured(seed) => (2, seed, [0; 4]),
            PlainProjection::Boxes([width, height, channels], seed) => {
                (3, seed, [width, height, channels, 0])
            }
            PlainProjection::Subsets([least, most], seed) => (4, seed, [least, most, 0, 0]),
        };
        let inputs = self.inputs;
        let mut bytes = b"TRNM".to_vec();
        bytes.extend([2, form, self.periodic as u8, self.bits as u8, 0, 0, 0, 0]);
        bytes.extend((inputs as u16).to_le_bytes());
        bytes.extend((self.weights.len() as u16).to_le_bytes());
        bytes.extend((self.features as u32).to_le_bytes());
        let sections = self.mean.is_some() as u8
            + 2 * self.factors.is_some() as u8
            + 4 * self.words.is_some() as u8;
        bytes.extend([self.shift, sections, self.fractions.is_some() as u8, 0]);
        bytes.extend(seed.to_le_bytes());
        geometry.iter().for_each(|size| bytes.extend(size.to_le_bytes()));
        self.cuts.iter().for_each(|cut| bytes.extend(cut.to_le_bytes()));
        let means = self.mean.iter().map(|mean| mean.iter().map(|&mean| mean as u16).collect());
        for section in means.chain(self.factors.clone()).chain(self.words.clone()) {
            let section: Vec<u16> = section;
            section.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
            if section.len() % 2 == 1 {
                bytes.extend([0, 0]);
            }
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
        if let Some(fractions) = &self.fractions {
            bytes.extend(fractions.iter().map(|&fraction| fraction as u8));
            while !bytes.len().is_multiple_of(4) {
                bytes.push(0);
            }
        }
        bytes.extend([0; 4]);
        fix(&mut bytes);
        bytes
    }

    /// The features of a sample; `None` if one of its numbers is out of range.
    pub fn features(&self, sample: &[i64]) -> Option<Vec<i8>> {
        let centred = |(k, x): (usize, &i64)| {
            let unit = 1_i64 << self.shift;
            let scaled = match &self.factors {
                Some(factors) => (x * i64::from(factors[k])).div_euclid(unit),
                None => x * unit,
            };
            scaled - self.mean.as_ref().map_or(0, |mean| i64::from(mean[k]))
        };
        let centred: Vec<i64> = sample.iter().enumerate().map(centred).collect();
        if centred.iter().any(|x| !(-32_768..=32_767).contains(x)) {
            return None;
        }
        let [factor, low, high, _] = self.cuts.map(|cut| cut as u32);
        let factor = self.periodic.then_some(i64::from(factor));
        let numbers = factor.map_or(centred.clone(), |factor| oracle::in_turns(&centred, factor));
        let words: Vec<u64> = match &self.words {
            Some(words) => words.iter().map(|&word| word.into()).collect(),
            None => (0..self.features.div_ceil(64) as u64).collect(),
        };
        let local =
            |seed: u64, view: View| oracle::local_words(seed, view, &words, &centred, factor);
        let mut sums = match &self.projection {
            PlainProjection::Stored(trits) => Sums::exact(oracle::project(trits, &numbers)),
            PlainProjection::Seeded(sparsity, seed) => {
                let w = oracle::w(*seed, *sparsity, self.features, sample.len());
                Sums::exact(oracle::project(&w, &numbers))
            }
            PlainProjection::Structured(seed) => {
                oracle::structured(*seed, self.features, &centred, factor)
            }
            PlainProjection::Boxes(grid, seed) => {
                let [width, height, channels] = grid.map(usize::from);
                local(*seed, View::Boxes(Grid { width, height, channels }))
            }
            PlainProjection::Subsets(counts, seed) => {
                let [least, most] = counts.map(usize::from);
                local(*seed, View::Subsets { least, most })
            }
        };
        sums.sums.truncate(self.features);
        if !self.periodic {
            return Some(sums.trits_by_cuts(self.cuts.map(i64::from)));
        }
        let seed = u64::from(low) | u64::from(high) << 32;
        let trit = |(feature, &angle): (usize, &i64)| {
            let feature = 64 * words[feature / 64] + feature as u64 % 64;
            oracle::periodic_trit(feature, angle, seed)
        };
        Some(sums.sums.iter().enumerate().map(trit).collect())
    }

    /// The scores of a sample; `None` if one of its numbers is out of range.
    pub fn scores(&self, sample: &[i64]) -> Option<Vec<i64>> {
        let features = self.features(sample)?;
        let score = |(weights, &(scale, bias)): (&Vec<i32>, &(i32, i32))| {
            scale as i64 * oracle::dot(weights, &features) + bias as i64
        };
        Some(self.weights.iter().zip(&self.heads).map(score).collect())
    }

    /// The class of a sample: the first of the largest scores, or whether a single one is positive.
    pub fn predict(&self, sample: &[i64]) -> Option<usize> {
        let mut scores = self.scores(sample)?;
        if scores.len() == 1 {
            scores.insert(0, 0);
        }
        let best = scores.iter().max()?;
        scores.iter().position(|score| score == best)
    }

    /// Panics unless a model's classes, scores and features of a sample are these.
    pub fn check<T: Copy + Into<i16> + Into<i64>>(&self, model: &Model<'_>, sample: &[T]) {
        let numbers: Vec<i64> = sample.iter().map(|&x| x.into()).collect();
        // Dirty, and longer than needed.
        let mut scratch = vec![0x5A5A_5A5A; model.scratch_words() + 3];
        let Some(features) = self.features(&numbers) else {
            let refused = model.scores(sample, &mut scratch).map(|_| ());
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
        let class = model.predict(sample, &mut scratch);
        if self.fractions.is_some() {
            assert_eq!(class, Err(Error::NoClasses { outputs: self.heads.len() }));
        } else {
            assert_eq!(class.ok(), self.predict(&numbers));
        }
    }
}

/// A grid of some inputs: of channels, of columns, and of rows as they divide.
fn random_grid(random: &mut Random, inputs: usize) -> [u16; 3] {
    let divides = |of: usize| (1..=of).filter(move |size| of.is_multiple_of(*size));
    let pick = |random: &mut Random, of: usize| {
        let sizes: Vec<usize> = divides(of).collect();
        sizes[random.below(sizes.len())]
    };
    let width = pick(random, inputs);
    let height = pick(random, inputs / width);
    [width, height, inputs / width / height].map(|size| size as u16)
}

/// A model of any form and any numbers.
pub fn random_model(random: &mut Random, inputs: usize, features: usize) -> PlainModel {
    let form = random.below(5);
    let bits = 1 + random.below(8) as u32;
    let outputs = 1 + random.below(10);
    let sparsity = [0.0, 0.5, 2.0 / 3.0, 0.9][random.below(4)];
    let seed = random.bits();
    let projection = match form {
        0 => PlainProjection::Stored(random.trits(features * inputs, sparsity)),
        1 => PlainProjection::Seeded((sparsity * 4_294_967_296.0) as u32, seed),
        2 => PlainProjection::Structured(seed),
        3 => PlainProjection::Boxes(random_grid(random, inputs), seed),
        _ => {
            let least = 1 + random.below(16);
            PlainProjection::Subsets(
                [least, least + random.below(65 - least)].map(|k| k as u16),
                seed,
            )
        }
    };
    let mut word = 0;
    let words = (0..features.div_ceil(64)).map(|_| {
        word += 1 + random.below(9) as u16;
        word
    });
    let words = Some(words.collect()).filter(|_| form > 2);
    let words = words.filter(|_| random.below(2) == 0);
    let factors: Option<Vec<u16>> = (random.below(3) == 0)
        .then(|| (0..inputs).map(|_| random.below(2048) as u16 * 32).collect());
    let shift = if factors.is_some() { 8 + random.below(8) } else { random.below(4) };
    let spread = 60.0 * (inputs as f64).sqrt() * 2.0_f64.powi(random.below(4) as i32);
    let mut cuts = [0; 4].map(|_: i32| (random.normal() * spread) as i32);
    cuts.sort();
    if random.below(2) == 0 {
        (cuts[0], cuts[1]) = (i32::MIN, i32::MIN);
    }
    let periodic = random.below(3) == 0;
    if periodic {
        let factor = (4_294_967_296.0 / spread / random.unit()) as u32;
        cuts = [factor as i32, random.bits() as i32, random.bits() as i32, 0];
    }
    let largest = (1 << bits) - 1;
    let scale = (1 << 30) / (largest as usize * features);
    let weights: Vec<i32> = (0..outputs * features)
        .map(|_| 2 * random.below(largest as usize + 1) as i32 - largest)
        .collect();
    PlainModel {
        inputs,
        shift: shift as u8,
        factors,
        words,
        projection,
        features,
        cuts,
        periodic,
        fractions: (random.below(4) == 0)
            .then(|| (0..outputs).map(|_| random.bits() as i8).collect()),
        bits,
        weights: weights.chunks(features).map(<[i32]>::to_vec).collect(),
        mean: (random.below(3) > 0)
            .then(|| (0..inputs).map(|_| random.below(400) as i16 - 200).collect()),
        heads: (0..outputs)
            .map(|_| (random.below(scale + 1) as i32, random.bits() as i32 >> 2))
            .collect(),
    }
}
