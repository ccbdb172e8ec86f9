//! project and featurize: any samples of any type, any W and thresholds, against the oracle in every form on every
//! ISA; and the refusals, which must leave the outputs alone.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use ternion::Isa;
use ternion_core::{Error, Grid, Sparsity, Thresholds, TritMatrix, View, plane_words};
use ternion_tests::forms::{Form, Forms};
use ternion_tests::inputs::{Batch, Input, InputType};
use ternion_tests::isa::tuned_isas;
use ternion_tests::oracle::{self, Sums};
use ternion_tests::{data, match_input};

#[derive(Arbitrary, Debug)]
struct Seed {
    /// Which type of input.
    input: u8,
    inputs: u16,
    features: u8,
    samples: u8,
    gap: u8,
    piece: Piece,
    seed: u64,
    weights: Weights,
    /// Whether a W that is made of transforms may be large.
    large: bool,
    /// The numbers of the samples, as bytes.
    numbers: Vec<u8>,
    mean: Option<Vec<f32>>,
    scale: Option<Vec<f32>>,
    cuts: [Cut; 4],
    sigma: Sigma,
    per_norm: bool,
}

/// What W is.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Weights {
    /// Independent, with the bits of a sparsity, in all its forms.
    Independent(u32),
    /// One of those made of transforms, by its place in the list.
    Transforms(u8),
    /// Boxes of a grid whose width and height divide the inputs.
    Boxes(u8, u8),
    /// Subsets of any counts.
    Subsets(u8, u8),
}

impl Weights {
    fn forms(self, seed: u64, inputs: usize, features: usize) -> Forms {
        let divisor = |of: usize, by: u8| {
            let all: Vec<usize> = (1..=of).filter(|size| of.is_multiple_of(*size)).collect();
            all[by as usize % all.len()]
        };
        match self {
            Self::Independent(bits) => {
                Forms::iid(seed, Sparsity::from_bits(bits), inputs, features)
            }
            Self::Transforms(place) => {
                let all = Forms::transforms(seed, inputs, features);
                all[place as usize % all.len()].clone()
            }
            Self::Boxes(width, height) => {
                let width = divisor(inputs, width);
                let height = divisor(inputs / width, height);
                let grid = Grid { width, height, channels: inputs / width / height };
                Forms::local(seed, View::Boxes(grid), inputs, features)
            }
            Self::Subsets(least, most) => {
                let least = 1 + least as usize % 64;
                let most = least + most as usize % (65 - least);
                Forms::local(seed, View::Subsets { least, most }, inputs, features)
            }
        }
    }
}

/// How many samples a call gets.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Piece {
    /// All, so that many samples fill a block.
    All,
    Some(u8),
}

/// The kind of σ.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Sigma {
    Two,
    Four,
    Periodic(f32),
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

/// The samples: enough to cross a word of inputs and a block of samples. A W that is made of transforms gets fewer in
/// half of the inputs, since the oracle multiplies by its transforms in full.
fn batch<T: Input + Default>(seed: &Seed) -> Batch<T> {
    let large = seed.large || matches!(seed.weights, Weights::Independent(_));
    let (samples, inputs) = if large { (36, 100) } else { (8, 40) };
    // The most for 0, so that short inputs fill a block.
    let samples = samples - seed.samples as usize % samples;
    let inputs = 1 + seed.inputs as usize % inputs;
    let stride = T::elements(inputs) + seed.gap as usize % 4;
    let numbers = seed.numbers.chunks_exact(size_of::<T>());
    let numbers: Vec<T> = numbers.map(bytemuck::pod_read_unaligned).collect();
    Batch {
        data: cycle(&numbers, samples * stride),
        stride,
        inputs,
        mean: seed.mean.as_ref().map(|mean| cycle(mean, inputs)),
        scale: seed.scale.as_ref().map(|scale| cycle(scale, inputs)),
    }
}

/// What must come out of a batch.
struct Expected<T: Input> {
    values: Vec<T::Value>,
    trits: Vec<i8>,
}

/// One form on one ISA, in pieces. Nothing is expected if the samples must be refused.
fn check<T: Input>(
    isa: Isa,
    form: &Form,
    batch: &Batch<T>,
    piece: usize,
    thresholds: &Thresholds,
    expected: Option<&Expected<T>>,
) {
    let (all, features) = (batch.samples(), form.features());
    let label = format!("{isa} {} {}", form.name(), T::NAME);
    let (mut sums, mut trits) = (Vec::new(), Vec::new());
    for start in (0..all.len()).step_by(piece) {
        let samples = all.slice(start..all.len().min(start + piece)).unwrap();
        let mut scratch = data::dirty_scratch(form.scratch_lines(samples.len()));
        let mut values = vec![T::Value::default(); samples.len() * features];
        let projected = T::project(isa, form, &samples, &mut scratch, &mut values);
        let words = plane_words(samples.len(), features).unwrap();
        let mut out =
            TritMatrix::zeroed(samples.len(), features, vec![0; words], vec![0; words]).unwrap();
        let packed = T::featurize(isa, form, thresholds, &samples, &mut scratch, &mut out);
        assert_eq!(projected, packed, "{label}");
        if let Err(refused) = projected {
            assert!(matches!(refused, Error::NotFinite { .. } | Error::DirtyTail { .. }));
            assert!(expected.is_none(), "{label}: {refused}");
            assert!(values.iter().all(|value| *value == T::Value::default()));
            assert!(out.mask().iter().all(|&word| word == 0));
            return;
        }
        let planes = (out.sign().to_vec(), out.mask().to_vec());
        TritMatrix::new(samples.len(), features, planes.0, planes.1).unwrap();
        sums.extend(values);
        trits.extend(out.iter_rows().flatten());
    }
    let expected = expected.expect("samples that must be refused");
    assert!(sums == expected.values, "project {label}");
    assert!(trits == expected.trits, "featurize {label}");
}

/// Works out what is expected and sends it through every form and ISA.
fn run<T: Input + Default>(seed: &Seed) {
    let batch = batch::<T>(seed);
    let (samples, inputs) = (batch.samples().len(), batch.inputs);
    let features = 1 + seed.features as usize % 80;
    let forms = seed.weights.forms(seed.seed, inputs, features);
    let readings = batch.read_all();
    // Per sample: the sums, and how many times larger they are than in the unit of the thresholds.
    let sums: Vec<(Sums, f64)> = readings
        .iter()
        .flatten()
        .map(|(integers, unit)| {
            let factor = if seed.per_norm { oracle::norm(integers) } else { f64::from(*unit) };
            (forms.oracle_sums(integers), factor)
        })
        .collect();
    let mut cuts = seed.cuts.map(|cut| match cut {
        Cut::Number(number) => number,
        Cut::Sum(place) => sums.get(place as usize % samples).map_or(0.0, |(sums, factor)| {
            let cut = (sums.real(place as usize % features) / factor) as f32;
            if cut.is_nan() { 0.0 } else { cut }
        }),
    });
    cuts.sort_by(f32::total_cmp);
    let made = match seed.sigma {
        Sigma::Two => Thresholds::two(cuts[2], cuts[3]),
        Sigma::Four => Thresholds::four(cuts),
        Sigma::Periodic(period) => Thresholds::periodic(period, seed.seed.rotate_left(7)),
    };
    let mut thresholds = match (made, seed.sigma) {
        (Ok(thresholds), _) => thresholds,
        (Err(refused), Sigma::Periodic(period)) => {
            assert!(matches!(refused, Error::PeriodOutOfRange { .. }));
            assert!(!period.is_finite() || period <= 0.0);
            return;
        }
        (Err(refused), _) => {
            assert!(matches!(refused, Error::ThresholdOrder { .. }));
            assert!(cuts.iter().any(|cut| cut.is_nan()));
            return;
        }
    };
    if seed.per_norm {
        thresholds = thresholds.per_norm();
    }
    let expected = readings.map(|readings| {
        let (mut values, mut trits) = (Vec::new(), Vec::new());
        for ((sums, _), reading) in sums.iter().zip(&readings) {
            let shift = sums.shift.unwrap_or(0);
            values.extend(sums.sums.iter().map(|&sum| T::expected(sum, reading.1, shift)));
            trits.extend(forms.oracle_trits(reading, Some(sums), &thresholds));
        }
        Expected { values, trits }
    });
    let piece = match seed.piece {
        Piece::All => samples,
        Piece::Some(count) => 1 + count as usize % samples,
    };
    for isa in tuned_isas() {
        for form in &forms {
            check(isa, form, &batch, piece, &thresholds, expected.as_ref());
        }
    }
}

fuzz_target!(|seed: Seed| {
    let input = InputType::ALL[seed.input as usize % InputType::ALL.len()];
    match_input!(input, T => run::<T>(&seed));
});
