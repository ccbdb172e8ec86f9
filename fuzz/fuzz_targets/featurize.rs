//! project and featurize: any samples of any kind, any W and thresholds, against the oracle on
//! every ISA; and the refusals, which must leave the outputs alone.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use std::fmt::Debug;
use ternion_core::{
    Element, Error, Projection, Samples, Seeded, Simd, Sparsity, Structured, Thresholds,
    TritMatrix, featurize, plane_words, project, scratch_lines,
};
use ternion_tests::data;
use ternion_tests::isa::{Check, on_every_isa};
use ternion_tests::oracle;

#[derive(Arbitrary, Debug)]
struct Input {
    inputs: u16,
    features: u8,
    samples: u8,
    gap: u8,
    piece: u8,
    seed: u64,
    /// The sparsity of an i.i.d. W; without one, W is structured.
    threshold: Option<u32>,
    numbers: Numbers,
    cuts: [Cut; 4],
    four: bool,
    per_norm: bool,
}

#[derive(Arbitrary, Debug)]
enum Numbers {
    Floats { numbers: Vec<f32>, mean: Option<Vec<f32>>, scale: Option<Vec<f32>> },
    Halves(Vec<i16>),
    Bytes(Vec<i8>),
    Bits(Vec<u64>),
}

/// A threshold: any number, or right on a sum, where "strict" matters.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Cut {
    Number(f32),
    Sum(u16),
}

/// As many numbers as are wanted, over and over.
fn cycle<T: Copy + Default>(numbers: &[T], count: usize) -> Vec<T> {
    let zero = [T::default()];
    let numbers = if numbers.is_empty() { &zero } else { numbers };
    numbers.iter().copied().cycle().take(count).collect()
}

/// W, in each kind of form.
enum Weights {
    Independent { seeded: Seeded, planes: TritMatrix<Vec<u64>> },
    Structured(Structured),
}

/// A batch, the same as the oracle sees it, and what must come out.
struct Case<'a, T: Element> {
    samples: Samples<'a, T>,
    weights: Weights,
    thresholds: Thresholds,
    piece: usize,
    /// Nothing, if the samples must be refused.
    expected: Option<(Vec<T::Value>, Vec<i8>)>,
}

impl<T: Element<Value: PartialEq>> Case<'_, T> {
    fn check_form<S: Simd, P: Projection>(&self, simd: S, projection: &P) {
        let features = projection.features();
        let (mut sums, mut trits) = (Vec::new(), Vec::new());
        for start in (0..self.samples.len()).step_by(self.piece) {
            let end = self.samples.len().min(start + self.piece);
            let samples = self.samples.slice(start..end).unwrap();
            let mut scratch = data::dirty_scratch(scratch_lines(projection, samples.len()));
            let mut values = vec![T::Value::default(); samples.len() * features];
            let done = project(simd, projection, &samples, &mut scratch, &mut values);
            let words = plane_words(samples.len(), features).unwrap();
            let mut out =
                TritMatrix::zeroed(samples.len(), features, vec![0; words], vec![0; words])
                    .unwrap();
            let packed =
                featurize(simd, projection, &self.thresholds, &samples, &mut scratch, &mut out);
            assert_eq!(done, packed);
            if let Err(refused) = done {
                assert!(matches!(refused, Error::NotFinite { .. } | Error::DirtyTail { .. }));
                assert!(self.expected.is_none(), "{refused}");
                assert!(values.iter().all(|value| *value == T::Value::default()));
                assert!(out.mask().iter().all(|&word| word == 0));
                return;
            }
            let planes = (out.sign().to_vec(), out.mask().to_vec());
            TritMatrix::new(samples.len(), features, planes.0, planes.1).unwrap();
            sums.extend(values);
            trits.extend(out.iter_rows().flatten());
        }
        let expected = self.expected.as_ref().expect("samples that must be refused");
        assert!(sums == expected.0, "project on {}", S::NAME);
        assert!(trits == expected.1, "featurize on {}", S::NAME);
    }
}

impl<T: Element<Value: PartialEq>> Check for Case<'_, T> {
    fn check<S: Simd>(&self, simd: S) {
        match &self.weights {
            Weights::Independent { seeded, planes } => {
                self.check_form(simd, planes);
                self.check_form(simd, planes);
                self.check_form(simd, seeded);
            }
            Weights::Structured(structured) => self.check_form(simd, structured),
        }
    }
}

/// Works out what is expected and sends it through every ISA. `loaded` has the integers of each
/// sample and their unit, or nothing for samples that must be refused.
fn run<T: Element<Value: PartialEq + Debug>>(
    input: &Input,
    samples: Samples<'_, T>,
    loaded: Option<Vec<(Vec<i64>, f32)>>,
    value: fn(i64, f32) -> T::Value,
) {
    let (inputs, features) = (samples.inputs(), 1 + input.features as usize % 80);
    let w = input.threshold.map(|t| oracle::w(input.seed, t, features, inputs));
    let sums: Vec<(Vec<i64>, f32, f64)> = loaded
        .iter()
        .flatten()
        .map(|(integers, unit)| {
            let factor = if input.per_norm { oracle::norm(integers) } else { *unit as f64 };
            let sums = match &w {
                Some(w) => oracle::project(w, integers),
                None => oracle::structured(input.seed, features, integers),
            };
            (sums, *unit, factor)
        })
        .collect();
    let mut cuts = input.cuts.map(|cut| match cut {
        Cut::Number(number) => number,
        Cut::Sum(place) => {
            sums.get(place as usize % samples.len()).map_or(0.0, |(sums, _, factor)| {
                let cut = (sums[place as usize % features] as f64 / factor) as f32;
                if cut.is_nan() { 0.0 } else { cut }
            })
        }
    });
    cuts.sort_by(f32::total_cmp);
    if !input.four {
        cuts[0] = f32::NEG_INFINITY;
        cuts[1] = f32::NEG_INFINITY;
    }
    let made = Thresholds::four(cuts);
    if cuts.iter().any(|cut| cut.is_nan()) {
        assert!(matches!(made, Err(Error::ThresholdOrder { .. })));
        return;
    }
    let mut thresholds = made.unwrap();
    if input.per_norm {
        thresholds = thresholds.per_norm();
    }
    let expected = loaded.is_some().then(|| {
        let values =
            sums.iter().flat_map(|(sums, unit, _)| sums.iter().map(|&sum| value(sum, *unit)));
        let trits = sums.iter().flat_map(|(sums, _, factor)| {
            sums.iter().map(|&sum| oracle::activate(sum, cuts, *factor))
        });
        (values.collect(), trits.collect())
    });
    let weights = match (&w, input.threshold) {
        (Some(w), Some(threshold)) => {
            let (sign, mask) = data::pack(w, inputs);
            let sparsity = Sparsity::from_bits(threshold);
            Weights::Independent {
                seeded: Seeded::new(input.seed, sparsity, inputs, features).unwrap(),
                planes: TritMatrix::new(features, inputs, sign, mask).unwrap(),
            }
        }
        _ => Weights::Structured(Structured::new(input.seed, inputs, features).unwrap()),
    };
    on_every_isa(&Case {
        samples,
        weights,
        thresholds,
        piece: 1 + input.piece as usize % samples.len(),
        expected,
    });
}

/// Integers taken as they are.
fn integers<T: Element<Value = i32> + Default + Into<i64>>(input: &Input, numbers: &[T]) {
    let (samples, inputs, stride) = shape(input);
    let numbers = cycle(numbers, samples * stride);
    let batch = Samples::with_stride(&numbers, samples, inputs, stride).unwrap();
    let rows = numbers.chunks(stride).map(|row| row[..inputs].iter().map(|&x| x.into()).collect());
    run(input, batch, Some(rows.map(|row| (row, 1.0)).collect()), |sum, _| sum as i32);
}

/// Samples, inputs, stride: enough to cross a word of inputs and a block of samples. A structured W
/// gets fewer, since the oracle multiplies by its transforms in full.
fn shape(input: &Input) -> (usize, usize, usize) {
    let (samples, inputs) = if input.threshold.is_some() { (36, 100) } else { (8, 40) };
    let inputs = 1 + input.inputs as usize % inputs;
    (1 + input.samples as usize % samples, inputs, inputs + input.gap as usize % 4)
}

fuzz_target!(|input: Input| {
    let (samples, inputs, stride) = shape(&input);
    match &input.numbers {
        Numbers::Floats { numbers, mean, scale } => {
            let numbers = cycle(numbers, samples * stride);
            let mean = mean.as_ref().map(|mean| cycle(mean, inputs));
            let scale = scale.as_ref().map(|scale| cycle(scale, inputs));
            let mut batch = Samples::with_stride(&numbers, samples, inputs, stride).unwrap();
            if let Some(mean) = &mean {
                batch = batch.centred(mean).unwrap();
            }
            if let Some(scale) = &scale {
                batch = batch.scaled(scale).unwrap();
            }
            let load = |row: &[f32]| {
                let y = (0..inputs).map(|k| {
                    let y = mean.as_ref().map_or(row[k], |mean| row[k] - mean[k]);
                    scale.as_ref().map_or(y, |scale| y * scale[k])
                });
                let finite = y.into_iter().all(f32::is_finite);
                let loaded = oracle::quantize(&row[..inputs], mean.as_deref(), scale.as_deref());
                // A block sum that overflows leaves no unit.
                (finite && loaded.1 > 0.0).then_some(loaded)
            };
            let loaded = numbers.chunks(stride).map(load).collect();
            run(&input, batch, loaded, |sum, unit| sum as f32 / unit);
        }
        Numbers::Halves(numbers) => integers(&input, numbers),
        Numbers::Bytes(numbers) => integers(&input, numbers),
        Numbers::Bits(numbers) => {
            let words = inputs.div_ceil(64);
            let stride = words + input.gap as usize % 4;
            let numbers = cycle(numbers, samples * stride);
            let batch = Samples::with_stride(&numbers, samples, inputs, stride).unwrap();
            let load = |row: &[u64]| {
                let bits: Vec<i64> =
                    (0..words * 64).map(|k| (row[k / 64] >> (k % 64) & 1) as i64).collect();
                let clean = bits[inputs..].iter().all(|&bit| bit == 0);
                clean.then(|| (bits[..inputs].to_vec(), 1.0))
            };
            run(&input, batch, numbers.chunks(stride).map(load).collect(), |sum, _| sum as i32);
        }
    }
});
