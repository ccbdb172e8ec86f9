//! Samples to packed features, for every form of W, type of input and ISA.
//!
//! Elements are weights times samples, so that every kernel shows the additions per second that a dense product would
//! need.

use crate::{SPARSITIES, Set, suffix, whole};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use ternion::Isa;
use ternion_core::{Line, Sparsity, Thresholds, TritMatrix, plane_words};
use ternion_tests::forms::{Form, Forms};
use ternion_tests::inputs::{Batch, Input, InputType};
use ternion_tests::match_input;
use ternion_tests::oracle::Sums;

const FEATURES: usize = 1024;
const INPUTS: usize = 256;
/// A batch, and one sample.
const SAMPLES: [usize; 2] = [128, 1];

/// A batch, the thresholds, and what must come out for one W.
struct Case<T> {
    batch: Batch<T>,
    thresholds: Thresholds,
    expected: Vec<i8>,
}

impl<T: Input> Case<T> {
    fn new(forms: &Forms, samples: usize) -> Self {
        let batch = Batch::new(T::from_whole(&whole(samples * INPUTS, 2), INPUTS), INPUTS);
        let readings = batch.read_all().expect("numbers that are accepted");
        let sums: Vec<Sums> = readings.iter().map(|(x, _)| forms.oracle_sums(x)).collect();
        // All trits occur, and the thresholds are not symmetric: neither are those of a fit.
        let largest = (0..forms.features()).map(|j| sums[0].real(j).abs()).fold(0.0, f64::max);
        let largest = largest as f32 / readings[0].1;
        let thresholds = Thresholds::two(-0.2 * largest, 0.3 * largest).expect("ascending");
        let trits = |(sums, reading)| forms.oracle_trits(reading, Some(sums), &thresholds);
        let expected = sums.iter().zip(&readings).flat_map(trits).collect();
        Self { batch, thresholds, expected }
    }

    /// Checks and times one form on one ISA.
    fn bench(
        &self,
        group: &mut BenchmarkGroup<'_, WallTime>,
        isa: Isa,
        form: &Form,
        sparsity: &str,
    ) {
        let samples = self.batch.samples();
        let words = plane_words(samples.len(), FEATURES).expect("sizes in range");
        let mut out = TritMatrix::zeroed(samples.len(), FEATURES, vec![0; words], vec![0; words])
            .expect("planes of the right length");
        let mut scratch = vec![Line::ZERO; form.scratch_lines(samples.len())];
        let mut call = |out: &mut TritMatrix<Vec<u64>>| {
            let samples = black_box(samples);
            T::featurize(isa, form, &self.thresholds, &samples, &mut scratch, out)
                .expect("sizes that agree");
        };
        call(&mut out);
        let function = format!("{}/{}/{isa}", form.name(), T::NAME);
        let right = out.iter_rows().flatten().eq(self.expected.iter().copied());
        assert!(right, "{function}: not the oracle's features");
        let shape = format!("{FEATURES}x{INPUTS}x{}{sparsity}", samples.len());
        group.throughput(Throughput::Elements((FEATURES * INPUTS * samples.len()) as u64));
        group.bench_function(BenchmarkId::new(function, shape), |bencher| {
            bencher.iter(|| call(&mut out));
        });
    }
}

pub(crate) fn add(criterion: &mut Criterion, set: Set) {
    let mut group = criterion.benchmark_group("featurize");
    let iid = |&sparsity: &f64| {
        let probability = Sparsity::new(sparsity).expect("a probability");
        (suffix(sparsity), Forms::iid(1, probability, INPUTS, FEATURES))
    };
    let mut all: Vec<(String, Forms)> = set.of(&SPARSITIES).iter().map(iid).collect();
    all.extend(Forms::transforms(1, INPUTS, FEATURES).map(|forms| (String::new(), forms)));
    for samples in SAMPLES {
        for (sparsity, forms) in &all {
            for input in set.of(&InputType::ALL) {
                match_input!(input, T => {
                    let case = Case::<T>::new(forms, samples);
                    for form in forms {
                        for isa in set.isas() {
                            case.bench(&mut group, isa, form, sparsity);
                        }
                    }
                });
            }
        }
    }
    group.finish();
}
