//! Models of any numbers, intact and edited, and any bytes: refused, or what the oracle reads in them.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use ternion_core::model::{Model, ModelError};
use ternion_tests::model::{PlainModel, PlainProjection, fix};

#[derive(Arbitrary, Debug)]
struct Input {
    projection: Form,
    bits: u8,
    shift: u8,
    /// Whether there are means, factors and word numbers.
    sections: [bool; 3],
    numbers_predicted: bool,
    inputs: u8,
    features: u8,
    outputs: u8,
    cuts: [i32; 4],
    periodic: bool,
    /// The means, trits, weights, heads and samples are made of these, over and over.
    numbers: Vec<i16>,
    /// Bytes to put somewhere into the model.
    edits: Vec<(u16, u8)>,
    /// Bytes that are not a model.
    bytes: Vec<u8>,
}

#[derive(Arbitrary, Debug)]
enum Form {
    Stored,
    Seeded(u32, u64),
    Structured(u64),
    Boxes(Grid, u64),
    Subsets(u8, u8, u64),
}

/// What the inputs are: one side of each kind is all of them.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Grid {
    Series,
    Column,
    Channels,
    /// Two columns or rows, if the inputs are even.
    TwoColumns,
    TwoRows,
}

impl Grid {
    fn sizes(self, inputs: usize) -> [u16; 3] {
        let (all, half) = (inputs as u16, inputs as u16 / 2);
        match self {
            Self::Column => [1, all, 1],
            Self::Channels => [1, 1, all],
            Self::TwoColumns if inputs.is_multiple_of(2) => [2, half, 1],
            Self::TwoRows if inputs.is_multiple_of(2) => [half, 2, 1],
            _ => [all, 1, 1],
        }
    }
}

impl Input {
    /// The sizes, small enough for the oracle: inputs, features, outputs.
    fn sizes(&self) -> (usize, usize, usize) {
        let size = |number: u8, least: usize, count: usize| least + number as usize % count;
        (size(self.inputs, 1, 100), size(self.features, 1, 100), size(self.outputs, 1, 10))
    }

    /// `count` of the numbers, starting at any of them.
    fn numbers(&self, from: usize, count: usize) -> impl Iterator<Item = i16> {
        let numbers = if self.numbers.is_empty() { &[0][..] } else { &self.numbers };
        numbers.iter().copied().cycle().skip(from % numbers.len()).take(count)
    }

    /// A model that keeps every rule.
    fn model(&self) -> PlainModel {
        let (inputs, features, outputs) = self.sizes();
        let bits = 1 + self.bits as u32 % 8;
        let largest = (1 << bits) - 1;
        let weights: Vec<i32> = self
            .numbers(2, outputs * features)
            .map(|x| 2 * (x as i32).rem_euclid(largest + 1) - largest)
            .collect();
        let most = (1 << 30) / (largest * features as i32);
        let mut cuts = self.cuts;
        match self.periodic {
            true => cuts[3] = 0,
            false => cuts.sort(),
        }
        let [mean, factors, words] = self.sections;
        let local = matches!(self.projection, Form::Boxes(..) | Form::Subsets(..));
        let mut word = 0;
        let mut next_word = |step: i16| {
            word += 1 + step as u16 % 100;
            word
        };
        PlainModel {
            inputs,
            shift: self.shift % 16,
            mean: mean.then(|| self.numbers(1, inputs).collect()),
            factors: factors.then(|| self.numbers(5, inputs).map(|x| x as u16).collect()),
            words: (words && local)
                .then(|| self.numbers(6, features.div_ceil(64)).map(&mut next_word).collect()),
            projection: match self.projection {
                Form::Stored => PlainProjection::Stored(
                    self.numbers(3, features * inputs).map(|x| x.rem_euclid(3) as i8 - 1).collect(),
                ),
                Form::Seeded(sparsity, seed) => PlainProjection::Seeded(sparsity, seed),
                Form::Structured(seed) => PlainProjection::Structured(seed),
                Form::Boxes(grid, seed) => PlainProjection::Boxes(grid.sizes(inputs), seed),
                Form::Subsets(least, most, seed) => {
                    let least = 1 + least as u16 % 64;
                    let most = least + most as u16 % (65 - least);
                    PlainProjection::Subsets([least, most], seed)
                }
            },
            features,
            cuts,
            periodic: self.periodic,
            fractions: self
                .numbers_predicted
                .then(|| self.numbers(7, outputs).map(|x| x as i8).collect()),
            bits,
            weights: weights.chunks(features).map(<[i32]>::to_vec).collect(),
            heads: self
                .numbers(4, outputs)
                .map(|x| ((x as i32).abs() % (most + 1), (x as i32) << 15))
                .collect(),
        }
    }
}

/// The bytes are refused, or the model means what the oracle reads in them.
fn any_bytes(bytes: &[u8]) -> Result<(), ModelError> {
    let model = Model::from_bytes(bytes)?;
    let plain = PlainModel::read(&model);
    assert_eq!(plain.to_bytes(), bytes);
    // The oracle's transforms are matrix products: leave the large ones out.
    if model.inputs() <= 256 {
        let sample: Vec<i16> = (0..model.inputs()).map(|k| bytes[k % bytes.len()].into()).collect();
        plain.check(&model, &sample);
    }
    Ok(())
}

fuzz_target!(|input: Input| {
    let model = input.model();
    let mut bytes = model.to_bytes();
    let read = Model::from_bytes(&bytes).expect("keeps every rule");
    assert_eq!(PlainModel::read(&read), model);
    let sample: Vec<i16> = input.numbers(0, read.inputs()).collect();
    model.check(&read, &sample);

    // The edited model as it is, then with its length and checksum repaired.
    let count = bytes.len();
    for &(at, byte) in &input.edits {
        bytes[at as usize % count] = byte;
    }
    let _ = any_bytes(&bytes);
    fix(&mut bytes);
    let edited = any_bytes(&bytes);
    assert!(!matches!(edited, Err(ModelError::Checksum { .. } | ModelError::Truncated { .. })));

    // Hardly any bytes pass the magic and the checksum by chance.
    let _ = any_bytes(&input.bytes);
    let mut framed = input.bytes;
    if framed.len() > 5 {
        framed[..5].copy_from_slice(b"TRNM\x02");
    }
    fix(&mut framed);
    let _ = any_bytes(&framed);
});
