//! project and featurize against the oracle: every back end, type of input, form of W and shape.

use ternion::{Isa, dispatch};
use ternion_core::{
    Grid, Native, Samples, Simd, Sparsity, Thresholds, TritMatrix, View, plane_words,
};
use ternion_tests::data::{self, Random};
use ternion_tests::forms::{Form, Forms};
use ternion_tests::inputs::{Batch, Input, Reading};
use ternion_tests::isa::tuned_isas;
use ternion_tests::oracle::Sums;
use ternion_tests::{oracle, test_every_input};

/// What the thresholds of a sample are multiplied with.
fn unit((integers, unit): &Reading, per_norm: bool) -> f64 {
    if per_norm { oracle::norm(integers) } else { f64::from(*unit) }
}

/// One shape: a W in every form, a batch, thresholds; and what the oracle says.
struct Case<T: Input> {
    label: String,
    forms: Forms,
    batch: Batch<T>,
    thresholds: Thresholds,
    sums: Vec<T::Value>,
    trits: Vec<i8>,
}

impl<T: Input> Case<T> {
    /// Independent weights.
    fn iid(random: &mut Random, samples: usize, inputs: usize, features: usize) -> Self {
        let sparsity = [0.0, 0.5, 2.0 / 3.0, 0.9, 0.999][random.below(5)];
        let sparsity = Sparsity::new(sparsity).unwrap();
        let forms = Forms::iid(random.bits(), sparsity, inputs, features);
        let batch = T::batch(random, samples, inputs);
        Self::new(random, forms, batch)
    }

    /// Structured weights.
    fn structured(random: &mut Random, samples: usize, inputs: usize, features: usize) -> Self {
        let forms = Forms::structured(random.bits(), inputs, features);
        let batch = T::batch(random, samples, inputs);
        Self::new(random, forms, batch)
    }

    /// Local weights: a grid with these sides, or subsets of as many inputs.
    fn local(random: &mut Random, samples: usize, view: View, features: usize) -> Self {
        let inputs = match view {
            View::Boxes(grid) => grid.inputs().unwrap(),
            _ => 1 + random.below(60),
        };
        let forms = Forms::local(random.bits(), view, inputs, features);
        let batch = T::batch(random, samples, inputs);
        Self::new(random, forms, batch)
    }

    fn new(random: &mut Random, forms: Forms, batch: Batch<T>) -> Self {
        let readings = batch.read_all().expect("samples that are accepted");
        let sums: Vec<Sums> = readings.iter().map(|(x, _)| forms.oracle_sums(x)).collect();
        let (samples, features) = (sums.len(), forms.features());
        // Thresholds inside the range of the sums; sometimes right on one, where "strict" matters.
        let per_norm = random.below(3) == 0;
        let mut cuts = [0.0; 4].map(|_: f32| {
            let i = random.below(samples);
            let cut = sums[i].real(random.below(features)) / unit(&readings[i], per_norm);
            if cut.is_finite() { cut as f32 } else { 0.0 }
        });
        cuts.sort_by(f32::total_cmp);
        let mut thresholds = match random.below(6) {
            // Sums from a fraction of a period to some periods; or whatever comes.
            0 => {
                let largest = cuts.iter().fold(f32::MIN_POSITIVE, |l, cut| l.max(cut.abs()));
                let period = largest * [0.001, 0.1, 0.7, 4.0, 1000.0][random.below(5)];
                Thresholds::periodic(period.clamp(1e-37, f32::MAX), random.bits())
            }
            1 => Thresholds::periodic(0.3, random.bits()),
            2 => Thresholds::four(cuts),
            3 => Thresholds::two(f32::NEG_INFINITY, cuts[3]),
            _ => Thresholds::two(cuts[1], cuts[2]),
        }
        .unwrap();
        if per_norm {
            thresholds = thresholds.per_norm();
        }
        Self::judged(forms, batch, thresholds, &readings, &sums)
    }

    fn with_thresholds(forms: Forms, batch: Batch<T>, thresholds: Thresholds) -> Self {
        let readings = batch.read_all().expect("samples that are accepted");
        let sums: Vec<Sums> = readings.iter().map(|(x, _)| forms.oracle_sums(x)).collect();
        Self::judged(forms, batch, thresholds, &readings, &sums)
    }

    /// What must come out, from the oracle's sums.
    fn judged(
        forms: Forms,
        batch: Batch<T>,
        thresholds: Thresholds,
        readings: &[Reading],
        sums: &[Sums],
    ) -> Self {
        let (mut values, mut trits) = (Vec::new(), Vec::new());
        for (sums, reading) in sums.iter().zip(readings) {
            let shift = sums.shift.unwrap_or(0);
            values.extend(sums.sums.iter().map(|&sum| T::expected(sum, reading.1, shift)));
            trits.extend(forms.oracle_trits(reading, Some(sums), &thresholds));
        }
        let (samples, inputs, features) = (readings.len(), batch.inputs, forms.features());
        let label = format!("{} {samples} × {inputs} → {features} {thresholds:?}", T::NAME);
        Self { label, forms, batch, thresholds, sums: values, trits }
    }

    /// Every form on every back end.
    fn check(&self) {
        for isa in tuned_isas() {
            for form in &self.forms {
                self.check_form(isa, form);
            }
        }
    }

    fn check_form(&self, isa: Isa, form: &Form) {
        let label = format!("{isa:?} {} {}", form.name(), self.label);
        let all = self.batch.samples();
        let features = form.features();
        // The whole batch at once, one by one, and in pieces that straddle the blocks.
        for piece in [all.len(), 1, 5] {
            let mut sums = Vec::new();
            let mut trits = Vec::new();
            for start in (0..all.len()).step_by(piece) {
                let samples = all.slice(start..all.len().min(start + piece)).unwrap();
                let mut scratch = data::dirty_scratch(form.scratch_lines(samples.len()));
                let mut out = vec![T::Value::default(); samples.len() * features];
                T::project(isa, form, &samples, &mut scratch, &mut out).unwrap();
                sums.extend(out);
                let words = plane_words(samples.len(), features).unwrap();
                let (sign, mask) = (vec![u64::MAX; words], vec![u64::MAX; words]);
                let mut out = TritMatrix::zeroed(samples.len(), features, sign, mask).unwrap();
                T::featurize(isa, form, &self.thresholds, &samples, &mut scratch, &mut out)
                    .unwrap();
                trits.extend(out.iter_rows().flatten());
                let (sign, mask) = (out.sign().to_vec(), out.mask().to_vec());
                TritMatrix::new(samples.len(), features, sign, mask).expect(&label);
            }
            assert!(sums == self.sums, "project {label} in pieces of {piece}");
            assert!(trits == self.trits, "featurize {label} in pieces of {piece}");
        }
    }
}

fn every_shape_of<T: Input>() {
    let mut random = Random::new(2022);
    for inputs in data::LENGTHS {
        let (samples, features) = (data::BATCHES[random.below(9)], data::LENGTHS[random.below(20)]);
        Case::<T>::iid(&mut random, samples, inputs, features).check();
        Case::<T>::structured(&mut random, samples.min(40), inputs, features).check();
    }
    for samples in data::BATCHES {
        Case::<T>::iid(&mut random, samples, 65, 129).check();
        Case::<T>::structured(&mut random, samples, 33, 129).check();
    }
    // More features than a tile, and transforms of every remainder of log₂P by three.
    Case::<T>::iid(&mut random, 5, 40, 2100).check();
    Case::<T>::iid(&mut random, 2, 20, 4200).check();
    // More inputs than bytes can count the bits of, and than some panels.
    Case::<T>::iid(&mut random, 6, 2100, 70).check();
    for inputs in [1500, 3000] {
        Case::<T>::structured(&mut random, 5, inputs, 2100).check();
    }
}

fn every_view_of<T: Input>() {
    let mut random = Random::new(7);
    let boxes = |width, height, channels| View::Boxes(Grid { width, height, channels });
    let views = [
        boxes(28, 28, 1),
        // Sides shorter than a box, a series, colours, and more channels than a word has numbers.
        boxes(3, 4, 1),
        boxes(1, 1, 1),
        boxes(100, 1, 1),
        boxes(6, 9, 3),
        boxes(2, 2, 70),
        View::SUBSETS,
        View::Subsets { least: 1, most: 1 },
        View::Subsets { least: 1, most: 64 },
        View::Subsets { least: 33, most: 40 },
    ];
    for view in views {
        for (samples, features) in [(1, 1), (3, 64), (4, 65), (32, 200), (33, 600), (70, 1100)] {
            Case::<T>::local(&mut random, samples, view, features).check();
        }
    }
}

test_every_input!(every_view_matches_the_oracle_for, every_view_of);

test_every_input!(every_isa_matches_the_oracle_for, every_shape_of);

/// The largest sums that exist: as many inputs as are allowed, all at the end of the range.
#[test]
fn extremes_do_not_overflow() {
    let inputs = ternion_core::MAX_INPUTS;
    let forms = Forms::iid(0, Sparsity::DENSE, inputs, 1);
    let trits = oracle::w(0, Sparsity::DENSE.bits(), 1, inputs);
    for end in [i16::MIN, i16::MAX] {
        // Every input at the end of the range that its weight turns positive.
        let sample: Vec<i16> = trits.iter().map(|&t| if t > 0 { i16::MAX } else { end }).collect();
        let batch = sample.repeat(5);
        let samples = Samples::new(&batch, inputs).unwrap();
        let expected = oracle::dot(&trits, &sample);
        for isa in tuned_isas() {
            for form in &forms {
                let mut scratch = data::dirty_scratch(form.scratch_lines(samples.len()));
                let mut sums = [0; 5];
                i16::project(isa, form, &samples, &mut scratch, &mut sums).unwrap();
                assert_eq!(sums.map(i64::from), [expected; 5], "{isa:?} {}", form.name());
            }
        }
    }
}

/// The largest counts that exist: all bits set, and weights all alike, with and without zeros.
#[test]
fn counts_of_bits_do_not_overflow() {
    /// More inputs than 16 bits hold the counts of.
    const TWO_PASSES: usize = 12_289;
    for inputs in [64, 129, 192, 1985, TWO_PASSES, ternion_core::MAX_INPUTS] {
        let mut bits = vec![u64::MAX; inputs.div_ceil(64)];
        *bits.last_mut().unwrap() >>= (64 - inputs % 64) % 64;
        let batch = bits.repeat(5);
        let samples = Samples::new(&batch, inputs).unwrap();
        for trits in [[1, -1, 1], [-1, 0, 1]] {
            // For two passes, as many rows as make a step of two blocks and one of one.
            let trits: Vec<i8> = trits.repeat(if inputs == TWO_PASSES { 60 } else { 1 });
            let plane = |of: fn(i8) -> bool| {
                let row = |&trit: &i8| match of(trit) {
                    true => bits.clone(),
                    false => vec![0; bits.len()],
                };
                trits.iter().flat_map(row).collect::<Vec<u64>>()
            };
            let (sign, mask) = (plane(|trit| trit < 0), plane(|trit| trit != 0));
            let w = Form::Planes(TritMatrix::new(trits.len(), inputs, sign, mask).unwrap());
            let expected = trits.iter().map(|&trit| i32::from(trit) * inputs as i32);
            let expected: Vec<i32> = expected.cycle().take(5 * trits.len()).collect();
            for isa in tuned_isas() {
                let mut scratch = data::dirty_scratch(w.scratch_lines(5));
                let mut sums = vec![0; expected.len()];
                u64::project(isa, &w, &samples, &mut scratch, &mut sums).unwrap();
                assert!(sums == expected, "{isa:?} {inputs}");
            }
        }
    }
}

/// Sums on either side of what 16 bits hold, and samples that are summed in 16 and in 32 bits side by side in a batch.
#[test]
fn samples_at_the_limit_of_sixteen_bits_mix_in_a_batch() {
    // So few numbers that some rows of W add all of them.
    const NUMBERS: [&[i16]; 12] = [
        &[8191, 8191, 8191, 8191],
        &[8191, 8192, 8192, 8192],
        &[8192, 8192, 8192, 8192],
        &[-8192, -8192, -8192, -8192],
        &[8192, 8192, 8192, 8193],
        &[8191, 8191, 8191, 8191, 8191, 8191],
        &[i16::MAX],
        &[i16::MIN],
        &[i16::MAX, 1],
        &[i16::MIN, 1],
        &[16_383, -16_384],
        &[1, -2, 3],
    ];
    let (samples, inputs) = (70, 70);
    let mut random = Random::new(19);
    for sparsity in [0.0, 0.0, 0.2, 0.2] {
        let mut data = vec![0; samples * inputs];
        for sample in data.chunks_mut(inputs) {
            let numbers = NUMBERS[random.below(NUMBERS.len())];
            // Some lie across the border of a span.
            let at = random.below(inputs - numbers.len() + 1);
            sample[at..][..numbers.len()].copy_from_slice(numbers);
        }
        let sparsity = Sparsity::new(sparsity).unwrap();
        let forms = Forms::iid(random.bits(), sparsity, inputs, 300);
        Case::<i16>::new(&mut random, forms, Batch::new(data, inputs)).check();
    }
}

/// The promise that 16-bit sums rest on, for samples built to break it.
#[test]
fn quantised_blocks_fit_in_sixteen_bits() {
    let mut random = Random::new(4);
    for _ in 0..2000 {
        let inputs = 1 + random.below(200);
        let sample: Vec<f32> = (0..inputs)
            .map(|_| match random.below(3) {
                0 => 0.5 + random.below(1000) as f32,
                1 => random.normal() as f32 * 1e-3,
                _ => (random.normal() * 20.0).exp() as f32,
            })
            .collect();
        let (integers, _) = oracle::quantize(&sample, None, None);
        for block in integers.chunks(64) {
            let sum: i64 = block.iter().map(|q| q.abs()).sum();
            assert!(sum <= 32_767, "{sum}");
        }
    }
}

/// σ of single numbers, on and between the thresholds.
#[test]
fn the_trit_of_a_number_is_the_oracles() {
    for thresholds in [
        Thresholds::two(-0.5, 1.25),
        Thresholds::two(f32::NEG_INFINITY, 0.0),
        Thresholds::four([-2.0, -1.0, 0.25, 2.0]),
    ] {
        let thresholds = thresholds.unwrap();
        for quarters in -12..=12 {
            let expected = oracle::activate(quarters, thresholds.values().unwrap(), 4.0);
            assert_eq!(thresholds.trit(quarters as f32 / 4.0), expected, "{quarters} quarters");
        }
    }
}

/// Every number, with its sign or not at all, in one of the sums.
fn check_add_trits<S: Simd>(simd: S, trits: &[i8], numbers: &[i16; 32]) {
    let (sign, mask) = data::pack(trits, 32);
    let mut lanes = [0; 16];
    simd.vectorize(
        #[inline(always)]
        || {
            let sums = simd.splat32(-7);
            let sums = simd.add_trits(sums, sign[0] as u32, mask[0] as u32, numbers);
            simd.store32(&mut lanes, sums);
        },
    );
    let expected = oracle::dot(trits, numbers) - 7 * 16;
    assert_eq!(lanes.iter().map(|&x| i64::from(x)).sum::<i64>(), expected, "{}", S::NAME);
}

#[test]
fn trits_in_lanes_add_every_number_once() {
    let mut random = Random::new(31);
    for sparsity in [0.0, 0.5, 0.9] {
        let trits = random.trits(32, sparsity);
        for numbers in [[i16::MIN; 32], std::array::from_fn(|_| random.bits() as i16)] {
            for isa in tuned_isas() {
                dispatch!(isa, simd => check_add_trits(simd, &trits, &numbers));
            }
        }
    }
}

/// Every byte, one more than its trit, times its number in one of the sums, and words shifted to both sides.
fn check_bytes_and_shifts<S: Simd>(simd: S, trits: &[i8], numbers: &[i8; 64]) {
    let (sign, mask) = data::pack(trits, 64);
    let words: [u64; 8] = std::array::from_fn(|k| sign[0].rotate_left(7 * k as u32) ^ mask[0]);
    let (mut bytes, mut lanes, mut shifted) = ([0; 64], [0; 16], [[0; 8]; 2]);
    simd.vectorize(
        #[inline(always)]
        || {
            simd.unpack_trits(sign[0], mask[0], &mut bytes);
            let sums = simd.add_byte_dots(simd.splat32(-7), &bytes, numbers);
            simd.store32(&mut lanes, sums);
            simd.store64(&mut shifted[0], simd.shl64(simd.load64(&words), 13));
            simd.store64(&mut shifted[1], simd.shr64(simd.load64(&words), 13));
        },
    );
    assert!(bytes.iter().zip(trits).all(|(&byte, &trit)| byte as i8 == trit + 1), "{}", S::NAME);
    let wide: Vec<i16> = numbers.iter().map(|&number| number.into()).collect();
    let total: i64 = wide.iter().map(|&number| i64::from(number)).sum();
    let expected = oracle::dot(trits, &wide) + total - 7 * 16;
    assert_eq!(lanes.iter().map(|&x| i64::from(x)).sum::<i64>(), expected, "{}", S::NAME);
    let expected = [words.map(|word| word << 13), words.map(|word| word >> 13)];
    assert_eq!(shifted, expected, "{}", S::NAME);
}

#[test]
fn bytes_and_words_are_those_of_every_isa() {
    let mut random = Random::new(32);
    for sparsity in [0.0, 0.5, 0.9] {
        let trits = random.trits(64, sparsity);
        let any = std::array::from_fn(|_| (random.bits() as i8).max(-127));
        for numbers in [[-127; 64], [127; 64], any] {
            for isa in tuned_isas() {
                dispatch!(isa, simd => check_bytes_and_shifts(simd, &trits, &numbers));
            }
            check_bytes_and_shifts(Native, &trits, &numbers);
        }
    }
}

/// Thresholds that saturate, and that nothing is beyond.
fn extreme_thresholds() -> Vec<Thresholds> {
    const INF: f32 = f32::INFINITY;
    let two = [
        (-INF, INF),
        (-INF, -INF),
        (INF, INF),
        (-INF, 1e30),
        (-1e30, INF),
        (-1e30, 1e30),
        (1e30, 1e30),
        (-1e30, -1e30),
        (-32767.5, 32767.5),
        (-32766.5, 32766.5),
        (-0.6, 0.6),
    ];
    let four = [
        [-1e30, -1e30, 0.0, 1e9],
        [-INF, -1e30, 1e30, INF],
        [-32767.5, -32766.5, 32766.5, 32767.5],
        [-INF, 0.0, INF, INF],
    ];
    let two = two.map(|(lower, upper)| Thresholds::two(lower, upper).unwrap());
    let four = four.map(|values| Thresholds::four(values).unwrap());
    let periods = [f32::MIN_POSITIVE, 1e-9, 0.6, 1.0, 65536.0, f32::MAX];
    let periodic = periods.map(|period| Thresholds::periodic(period, 11).unwrap());
    let all: Vec<Thresholds> = two.into_iter().chain(four).chain(periodic).collect();
    all.iter().map(|thresholds| thresholds.per_norm()).chain(all.iter().copied()).collect()
}

/// Samples that reach the ends of 16 bits, and wrap: random ones never do.
#[test]
fn sums_wrap_and_cuts_saturate() {
    const INPUTS: usize = 64;
    let forms = Forms::local(1, View::Subsets { least: 64, most: 64 }, INPUTS, 64);
    // The weights of all features, from samples with one large number.
    let weights: Vec<Vec<i64>> = (0..INPUTS)
        .map(|input| {
            let mut sample = [0; INPUTS];
            sample[input] = 4000;
            forms.oracle_sums(&sample).sums.iter().map(|sum| sum.signum()).collect()
        })
        .collect();
    let mut numbers: Vec<i16> = Vec::new();
    let mut ends = Vec::new();
    for (feature, sign) in (0..64).flat_map(|feature| [(feature, 1), (feature, -1)]) {
        // Numbers n + ½ of size 511.5, or 512.5 for `larger` of the positive ones, add up.
        let positive = |input: usize| weights[input][feature] == sign;
        if (0..INPUTS).filter(|&input| positive(input)).count() < 36 {
            continue;
        }
        for larger in 28..36 {
            let mut count = 0;
            numbers.extend((0..INPUTS).map(|input| {
                count += positive(input) as i16;
                match positive(input) {
                    true => 511 + (count <= larger) as i16,
                    false => -512,
                }
            }));
            let sample = &numbers[numbers.len() - INPUTS..];
            let sample: Vec<i64> = sample.iter().map(|&number| number.into()).collect();
            let sums = forms.oracle_sums(&sample);
            assert_eq!(sums.shift, Some(0));
            ends.push(sums.sums[feature]);
        }
    }
    for end in [-32768, -32767, -32766, 32766, 32767, 32768] {
        assert!(ends.contains(&end), "{end}");
    }
    for thresholds in extreme_thresholds() {
        let batch = Batch::new(numbers.clone(), INPUTS);
        Case::with_thresholds(forms.clone(), batch, thresholds).check();
    }
}

/// Samples of zeros, of one and of a few small numbers, whose sums are less than the thresholds' unit.
#[test]
fn small_samples_keep_their_precision() {
    const INPUTS: usize = 64;
    let mut numbers = vec![0_i16; 8 * INPUTS];
    for (sample, numbers) in numbers.chunks_mut(INPUTS).enumerate() {
        numbers.iter_mut().take(sample).for_each(|number| *number = 1 - 2 * (sample % 2) as i16);
    }
    let [structured, boxes, subsets] = Forms::transforms(5, INPUTS, 129);
    for forms in [structured, boxes, subsets, Forms::iid(5, Sparsity::DENSE, INPUTS, 129)] {
        for thresholds in extreme_thresholds() {
            let batch = Batch::new(numbers.clone(), INPUTS);
            Case::with_thresholds(forms.clone(), batch, thresholds).check();
        }
    }
    // A rotated unit vector has sums that spread like a normal distribution: 45 % are within 0.6 of zero.
    let mut unit = vec![0; INPUTS];
    unit[0] = 1;
    let sums = oracle::structured(1, 1024, &unit, None);
    let trits = sums.trits([f32::NEG_INFINITY, f32::NEG_INFINITY, -0.6, 0.6], 1.0);
    let zeros = trits.iter().filter(|&&trit| trit == 0).count();
    assert!((400..560).contains(&zeros), "{zeros}");
}
