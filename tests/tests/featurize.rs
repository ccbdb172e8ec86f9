//! project and featurize against the oracle: every back end, kind of number, form of W and shape.

use std::fmt::Debug;
use ternion_core::{
    Element, IndexLists, Projection, RowLanes, Samples, Seeded, Simd, Sparsity, Structured,
    Thresholds, TritMatrix, featurize, plane_words, project, scratch_lines,
};
use ternion_tests::data::{self, Random};
use ternion_tests::isa::{Check, on_every_isa};
use ternion_tests::oracle;

/// A batch of one kind of number, and the same as the oracle sees it.
struct Batch<T> {
    data: Vec<T>,
    stride: usize,
    inputs: usize,
    mean: Option<Vec<f32>>,
    scale: Option<Vec<f32>>,
    integers: Vec<Vec<i64>>,
    units: Vec<f32>,
}

impl<T: Element> Batch<T> {
    fn samples(&self) -> Samples<'_, T> {
        Samples::with_stride(&self.data, self.units.len(), self.inputs, self.stride).unwrap()
    }
}

/// A kind of number: how to make a batch of it and how to view it.
trait Kind: Element {
    const NAME: &'static str;
    fn batch(random: &mut Random, samples: usize, inputs: usize) -> Batch<Self>;
    fn view(batch: &Batch<Self>) -> Samples<'_, Self> {
        batch.samples()
    }
    fn expected(sum: i64, unit: f32) -> Self::Value;
}

/// A batch of integers taken as they are, in rows a little longer than needed.
fn integers<T: Element + From<i8>>(
    samples: usize,
    inputs: usize,
    mut number: impl FnMut() -> T,
) -> Batch<T>
where
    i64: From<T>,
{
    let stride = inputs + 3;
    let data: Vec<T> = (0..samples * stride).map(|_| number()).collect();
    let integers = data.chunks(stride).map(|row| row[..inputs].iter().map(|&x| x.into()).collect());
    let (integers, units) = (integers.collect(), vec![1.0; samples]);
    Batch { data, stride, inputs, mean: None, scale: None, integers, units }
}

impl Kind for f32 {
    const NAME: &'static str = "f32";

    fn batch(random: &mut Random, samples: usize, inputs: usize) -> Batch<f32> {
        let stride = inputs + 5;
        let mut data: Vec<f32> =
            (0..samples * stride).map(|_| (random.normal() * 3.0) as f32).collect();
        // Tiny, huge, zero and spiky samples are samples too.
        for (row, sample) in data.chunks_mut(stride).enumerate() {
            match row % 7 {
                1 => sample.iter_mut().for_each(|x| *x *= 1e-42),
                2 => sample.iter_mut().for_each(|x| *x *= 1e33),
                3 => sample.fill(0.0),
                4 => sample[inputs / 2] = 1e6,
                _ => {}
            }
        }
        let some = |random: &mut Random| (0..inputs).map(|_| random.normal() as f32).collect();
        let mean: Option<Vec<f32>> = (random.below(2) == 0).then(|| some(random));
        let scale: Option<Vec<f32>> = (random.below(2) == 0).then(|| some(random));
        let quantized = data
            .chunks(stride)
            .map(|sample| oracle::quantize(&sample[..inputs], mean.as_deref(), scale.as_deref()));
        let (integers, units) = quantized.unzip();
        Batch { data, stride, inputs, mean, scale, integers, units }
    }

    fn view(batch: &Batch<f32>) -> Samples<'_, f32> {
        let mut samples = batch.samples();
        if let Some(mean) = &batch.mean {
            samples = samples.centred(mean).unwrap();
        }
        if let Some(scale) = &batch.scale {
            samples = samples.scaled(scale).unwrap();
        }
        samples
    }

    fn expected(sum: i64, unit: f32) -> f32 {
        sum as f32 / unit
    }
}

impl Kind for i16 {
    const NAME: &'static str = "i16";

    /// Full-scale numbers in some batches, so that both the narrow and the wide sums run.
    fn batch(random: &mut Random, samples: usize, inputs: usize) -> Batch<i16> {
        let shift = [0, 8][random.below(2)];
        integers(samples, inputs, || match random.below(40) {
            0 => i16::MIN >> shift,
            1 => i16::MAX >> shift,
            _ => random.bits() as i16 >> shift,
        })
    }

    fn expected(sum: i64, _: f32) -> i32 {
        sum as i32
    }
}

impl Kind for i8 {
    const NAME: &'static str = "i8";

    fn batch(random: &mut Random, samples: usize, inputs: usize) -> Batch<i8> {
        integers(samples, inputs, || random.bits() as i8)
    }

    fn expected(sum: i64, _: f32) -> i32 {
        sum as i32
    }
}

impl Kind for u64 {
    const NAME: &'static str = "bits";

    fn batch(random: &mut Random, samples: usize, inputs: usize) -> Batch<u64> {
        let stride = inputs.div_ceil(64) + 1;
        let mut data = vec![u64::MAX; samples * stride];
        let mut integers = Vec::new();
        for row in data.chunks_mut(stride) {
            row[..stride - 1].fill(0);
            let bits: Vec<i64> = (0..inputs).map(|_| random.below(2) as i64).collect();
            bits.iter().enumerate().for_each(|(k, bit)| row[k / 64] |= (*bit as u64) << (k % 64));
            integers.push(bits);
        }
        let units = vec![1.0; samples];
        Batch { data, stride, inputs, mean: None, scale: None, integers, units }
    }

    fn expected(sum: i64, _: f32) -> i32 {
        sum as i32
    }
}

/// Which W.
enum Weights {
    /// I.i.d. trits, in all their forms.
    Trits(Seeded, TritMatrix<Vec<u64>>),
    Structured(Structured),
}

/// One shape: a W in every form, a batch, thresholds; and what the oracle says.
struct Case<T: Kind> {
    label: String,
    weights: Weights,
    batch: Batch<T>,
    thresholds: Thresholds,
    sums: Vec<T::Value>,
    trits: Vec<i8>,
}

impl<T: Kind> Case<T> {
    /// I.i.d. weights.
    fn trits(random: &mut Random, samples: usize, inputs: usize, features: usize) -> Self {
        let sparsity = [0.0, 0.5, 2.0 / 3.0, 0.9, 0.999][random.below(5)];
        let sparsity = Sparsity::new(sparsity).unwrap();
        let seeded = Seeded::new(random.bits(), sparsity, inputs, features).unwrap();
        let weights = oracle::w(seeded.seed(), sparsity.bits(), features, inputs);
        let (sign, mask) = data::pack(&weights, inputs);
        let planes = TritMatrix::new(features, inputs, sign, mask).unwrap();
        let batch = T::batch(random, samples, inputs);
        let sums = batch.integers.iter().map(|sample| oracle::project(&weights, sample)).collect();
        Self::new(random, Weights::Trits(seeded, planes), batch, sums)
    }

    /// Structured weights.
    fn structured(random: &mut Random, samples: usize, inputs: usize, features: usize) -> Self {
        let structured = Structured::new(random.bits(), inputs, features).unwrap();
        let batch = T::batch(random, samples, inputs);
        let sums = |sample: &Vec<i64>| oracle::structured(structured.seed(), features, sample);
        let sums = batch.integers.iter().map(sums).collect();
        Self::new(random, Weights::Structured(structured), batch, sums)
    }

    fn new(random: &mut Random, weights: Weights, batch: Batch<T>, sums: Vec<Vec<i64>>) -> Self {
        let (samples, inputs, features) = (sums.len(), batch.inputs, sums[0].len());
        // Thresholds inside the range of the sums; sometimes right on one, where "strict" matters.
        let per_norm = random.below(3) == 0;
        let unit = |i: usize| match per_norm {
            true => oracle::norm(&batch.integers[i]),
            false => batch.units[i] as f64,
        };
        let mut cuts = [0.0; 4].map(|_: f32| {
            let i = random.below(samples);
            let cut = sums[i][random.below(features)] as f64 / unit(i);
            if cut.is_finite() { cut as f32 } else { 0.0 }
        });
        cuts.sort_by(f32::total_cmp);
        let mut thresholds = match random.below(4) {
            0 => Thresholds::four(cuts),
            1 => Thresholds::two(f32::NEG_INFINITY, cuts[3]),
            _ => Thresholds::two(cuts[1], cuts[2]),
        }
        .unwrap();
        if per_norm {
            thresholds = thresholds.per_norm();
        }
        let trits = (0..samples).flat_map(|i| {
            let (cuts, unit) = (thresholds.values(), unit(i));
            sums[i].iter().map(move |&sum| oracle::activate(sum, cuts, unit)).collect::<Vec<_>>()
        });
        let trits = trits.collect();
        let sums = (0..samples)
            .flat_map(|i| {
                sums[i].iter().map(|&sum| T::expected(sum, batch.units[i])).collect::<Vec<_>>()
            })
            .collect();
        let label = format!("{} {samples} × {inputs} → {features}", T::NAME);
        Self { label, weights, batch, thresholds, sums, trits }
    }

    fn check_form<S: Simd, P: Projection>(&self, simd: S, form: &str, projection: &P)
    where
        T::Value: PartialEq + Debug,
    {
        let label = format!("{} {form} {}", S::NAME, self.label);
        let all = T::view(&self.batch);
        let features = projection.features();
        // The whole batch at once, one by one, and in pieces that straddle the blocks.
        for piece in [all.len(), 1, 5] {
            let mut sums = Vec::new();
            let mut trits = Vec::new();
            for start in (0..all.len()).step_by(piece) {
                let samples = all.slice(start..all.len().min(start + piece)).unwrap();
                let mut scratch = data::dirty_scratch(scratch_lines(projection, samples.len()));
                let mut out = vec![T::Value::default(); samples.len() * features];
                project(simd, projection, &samples, &mut scratch, &mut out).unwrap();
                sums.extend(out);
                let words = plane_words(samples.len(), features).unwrap();
                let (sign, mask) = (vec![u64::MAX; words], vec![u64::MAX; words]);
                let mut out = TritMatrix::zeroed(samples.len(), features, sign, mask).unwrap();
                featurize(simd, projection, &self.thresholds, &samples, &mut scratch, &mut out)
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

impl<T: Kind> Check for Case<T>
where
    T::Value: PartialEq + Debug,
{
    fn check<S: Simd>(&self, simd: S) {
        match &self.weights {
            Weights::Trits(seeded, planes) => {
                self.check_form(simd, "planes", planes);
                self.check_form(simd, "seeded", seeded);
                let storage = vec![u32::MAX; IndexLists::words(planes)];
                self.check_form(simd, "index lists", &IndexLists::new(planes, storage).unwrap());
                let storage = data::dirty_scratch(RowLanes::lines(planes));
                self.check_form(simd, "row lanes", &RowLanes::new(planes, storage).unwrap());
            }
            Weights::Structured(structured) => self.check_form(simd, "structured", structured),
        }
    }
}

fn every_shape_of<T: Kind>()
where
    T::Value: PartialEq + Debug,
{
    let mut random = Random::new(2022);
    for inputs in data::LENGTHS {
        let (samples, features) = (data::BATCHES[random.below(9)], data::LENGTHS[random.below(20)]);
        on_every_isa(&Case::<T>::trits(&mut random, samples, inputs, features));
        on_every_isa(&Case::<T>::structured(&mut random, samples.min(40), inputs, features));
    }
    for samples in data::BATCHES {
        on_every_isa(&Case::<T>::trits(&mut random, samples, 65, 129));
        on_every_isa(&Case::<T>::structured(&mut random, samples, 33, 129));
    }
    // More features than a tile, and transforms of every remainder of log₂P by three.
    on_every_isa(&Case::<T>::trits(&mut random, 5, 40, 2100));
    on_every_isa(&Case::<T>::trits(&mut random, 2, 20, 4200));
    // More inputs than bytes can count the bits of, and than some panels.
    on_every_isa(&Case::<T>::trits(&mut random, 6, 2100, 70));
    for inputs in [1500, 3000] {
        on_every_isa(&Case::<T>::structured(&mut random, 5, inputs, 2100));
    }
}

#[test]
fn every_isa_matches_the_oracle_for_f32() {
    every_shape_of::<f32>();
}

#[test]
fn every_isa_matches_the_oracle_for_i16() {
    every_shape_of::<i16>();
}

#[test]
fn every_isa_matches_the_oracle_for_i8() {
    every_shape_of::<i8>();
}

#[test]
fn every_isa_matches_the_oracle_for_bits() {
    every_shape_of::<u64>();
}

/// The largest sums that exist: as many inputs as are allowed, all at the end of the range.
#[test]
fn extremes_do_not_overflow() {
    struct Extremes;
    impl Check for Extremes {
        fn check<S: Simd>(&self, simd: S) {
            let inputs = ternion_core::MAX_INPUTS;
            let words = plane_words(1, inputs).unwrap();
            let seeded = Seeded::new(0, Sparsity::DENSE, inputs, 1).unwrap();
            let mut w = TritMatrix::zeroed(1, inputs, vec![0; words], vec![0; words]).unwrap();
            seeded.fill(&mut w).unwrap();
            for end in [i16::MIN, i16::MAX] {
                // Every input at the end of the range that its weight turns positive.
                let row = w.row(0).unwrap();
                let sample: Vec<i16> =
                    row.iter().map(|t| if t > 0 { i16::MAX } else { end }).collect();
                let batch: Vec<i16> = sample.repeat(5);
                let samples = Samples::new(&batch, inputs).unwrap();
                let trits: Vec<i8> = row.iter().collect();
                let expected = oracle::dot(&trits, &sample);
                check_sums(simd, &w, &samples, expected);
                check_sums(simd, &seeded, &samples, expected);
                let lists = IndexLists::new(&w, vec![0; IndexLists::words(&w)]).unwrap();
                check_sums(simd, &lists, &samples, expected);
                let lines = data::dirty_scratch(RowLanes::lines(&w));
                check_sums(simd, &RowLanes::new(&w, lines).unwrap(), &samples, expected);
            }
        }
    }
    fn check_sums<S: Simd, P: Projection>(
        simd: S,
        w: &P,
        samples: &Samples<'_, i16>,
        expected: i64,
    ) {
        let mut scratch = data::dirty_scratch(scratch_lines(w, samples.len()));
        let mut sums = [0; 5];
        project(simd, w, samples, &mut scratch, &mut sums).unwrap();
        assert_eq!(sums.map(i64::from), [expected; 5]);
    }
    on_every_isa(&Extremes);
}

/// The largest counts that exist: all bits set, and weights all alike, with and without zeros.
#[test]
fn counts_of_bits_do_not_overflow() {
    /// More inputs than 16 bits hold the counts of.
    const TWO_PASSES: usize = 12_289;
    struct Alike(usize);
    impl Check for Alike {
        fn check<S: Simd>(&self, simd: S) {
            let inputs = self.0;
            let mut bits = vec![u64::MAX; inputs.div_ceil(64)];
            *bits.last_mut().unwrap() >>= (64 - inputs % 64) % 64;
            let batch = bits.repeat(5);
            let samples = Samples::new(&batch, inputs).unwrap();
            let alike = |trits: &[i8]| {
                let planes = |of: fn(i8) -> bool| {
                    let row = |&trit: &i8| match of(trit) {
                        true => bits.clone(),
                        false => vec![0; bits.len()],
                    };
                    trits.iter().flat_map(row).collect::<Vec<u64>>()
                };
                let (sign, mask) = (planes(|trit| trit < 0), planes(|trit| trit != 0));
                TritMatrix::new(trits.len(), inputs, sign, mask).unwrap()
            };
            for trits in [[1, -1, 1], [-1, 0, 1]] {
                // For two passes, as many rows as make a step of two blocks and one of one.
                let trits = trits.repeat(if inputs == TWO_PASSES { 60 } else { 1 });
                let w = alike(&trits);
                let mut scratch = data::dirty_scratch(scratch_lines(&w, 5));
                let mut sums = vec![0; 5 * trits.len()];
                project(simd, &w, &samples, &mut scratch, &mut sums).unwrap();
                let expected = trits.iter().map(|&trit| i32::from(trit) * inputs as i32);
                assert!(
                    sums.into_iter().eq(expected.cycle().take(5 * trits.len())),
                    "{} {inputs}",
                    S::NAME
                );
            }
        }
    }
    for inputs in [64, 129, 192, 1985, TWO_PASSES, ternion_core::MAX_INPUTS] {
        on_every_isa(&Alike(inputs));
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

/// Every number, with its sign or not at all, in one of the sums.
struct AddTrits {
    trits: Vec<i8>,
    numbers: [i16; 32],
}

impl Check for AddTrits {
    fn check<S: Simd>(&self, simd: S) {
        let (sign, mask) = data::pack(&self.trits, 32);
        let sums = simd.splat32(-7);
        let sums = simd.add_trits(sums, sign[0] as u32, mask[0] as u32, &self.numbers);
        let mut lanes = [0; 16];
        simd.store32(&mut lanes, sums);
        let terms = self.trits.iter().zip(self.numbers);
        let expected: i64 = terms.map(|(&t, x)| i64::from(t) * i64::from(x)).sum();
        assert_eq!(
            lanes.iter().map(|&x| i64::from(x)).sum::<i64>(),
            expected - 7 * 16,
            "{}",
            S::NAME
        );
    }
}

#[test]
fn trits_in_lanes_add_every_number_once() {
    let mut random = Random::new(31);
    for sparsity in [0.0, 0.5, 0.9] {
        let trits = random.trits(32, sparsity);
        on_every_isa(&AddTrits { trits: trits.clone(), numbers: [i16::MIN; 32] });
        let numbers = std::array::from_fn(|_| random.bits() as i16);
        on_every_isa(&AddTrits { trits, numbers });
    }
}
