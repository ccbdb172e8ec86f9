//! Models of any numbers, intact and edited, and any bytes: refused, or what the oracle reads in them.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use ternion_core::model::{Model, ModelError};
use ternion_tests::model::{PlainModel, PlainProjection, fix};

#[derive(Arbitrary, Debug)]
struct Input {
    projection: Form,
    bits: Bits,
    shift: u8,
    inputs: u8,
    features: u8,
    classes: u8,
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
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum Bits {
    Two = 2,
    Four = 4,
    Eight = 8,
}

impl Input {
    /// The sizes, small enough for the oracle: inputs, features, classes.
    fn sizes(&self) -> (usize, usize, usize) {
        let size = |number: u8, least: usize, count: usize| least + number as usize % count;
        (size(self.inputs, 1, 100), size(self.features, 1, 100), size(self.classes, 2, 10))
    }

    /// `count` of the numbers, starting at any of them.
    fn numbers(&self, from: usize, count: usize) -> impl Iterator<Item = i16> {
        let numbers = if self.numbers.is_empty() { &[0][..] } else { &self.numbers };
        numbers.iter().copied().cycle().skip(from % numbers.len()).take(count)
    }

    /// A model that keeps every rule.
    fn model(&self) -> PlainModel {
        let (inputs, features, classes) = self.sizes();
        let bits = self.bits as u32;
        let largest = (1 << bits) - 1;
        let weights: Vec<i32> = self
            .numbers(2, classes * features)
            .map(|x| 2 * (x as i32).rem_euclid(largest + 1) - largest)
            .collect();
        let most = (1 << 30) / (largest * features as i32);
        let mut cuts = self.cuts;
        match self.periodic {
            true => cuts[3] = 0,
            false => cuts.sort(),
        }
        PlainModel {
            shift: self.shift % 16,
            mean: self.numbers(1, inputs).collect(),
            projection: match self.projection {
                Form::Stored => PlainProjection::Stored(
                    self.numbers(3, features * inputs).map(|x| x.rem_euclid(3) as i8 - 1).collect(),
                ),
                Form::Seeded(sparsity, seed) => PlainProjection::Seeded(sparsity, seed),
                Form::Structured(seed) => PlainProjection::Structured(seed),
            },
            features,
            cuts,
            periodic: self.periodic,
            bits,
            weights: weights.chunks(features).map(<[i32]>::to_vec).collect(),
            heads: self
                .numbers(4, classes)
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
        framed[..5].copy_from_slice(b"TRNM\x01");
    }
    fix(&mut framed);
    let _ = any_bytes(&framed);
});
