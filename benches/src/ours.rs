//! Ternion's own contenders of `compare project`: everything included, from samples to packed trits.

use std::rc::Rc;

use ternion::{Isa, dispatch};
use ternion_core::{
    Element, IndexLists, Line, Projection, RowLanes, Samples, Seeded, Sparsity, Structured,
    Thresholds, TritMatrix, featurize, plane_words, scratch_lines,
};
use ternion_tests::oracle;

use crate::harness::{Contender, Id, Mismatch};

/// Sparsities that are compared.
pub const SPARSITIES: [f64; 4] = [0.0, 0.5, 2.0 / 3.0, 0.9];

/// Samples that a check computes again, spread over the batch.
const SPOTS: usize = 5;

/// W of one sparsity, in planes and as the oracle wants it.
pub struct Weights {
    sparsity: f64,
    planes: TritMatrix<Vec<u64>>,
    trits: Vec<i8>,
}

impl Weights {
    /// Draws `features` rows of `inputs` trits.
    ///
    /// # Panics
    ///
    /// For sizes that no W can have.
    pub fn new(sparsity: f64, inputs: usize, features: usize) -> Self {
        let probability = Sparsity::new(sparsity).expect("a probability");
        let seeded = Seeded::new(1, probability, inputs, features).expect("sizes of a W");
        let words = plane_words(features, inputs).expect("sizes of a W");
        let mut planes = TritMatrix::zeroed(features, inputs, vec![0; words], vec![0; words])
            .expect("planes of the right length");
        seeded.fill(&mut planes).expect("planes of the right sizes");
        let trits = planes.iter_rows().flatten().collect();
        Self { sparsity, planes, trits }
    }

    fn row_lanes(&self) -> RowLanes<Vec<Line>> {
        RowLanes::new(&self.planes, vec![Line::ZERO; RowLanes::lines(&self.planes)])
            .expect("enough storage")
    }

    fn listed(&self) -> IndexLists<Vec<u32>> {
        IndexLists::new(&self.planes, vec![0; IndexLists::words(&self.planes)])
            .expect("enough storage")
    }
}

/// The samples of a shape as one kind of number, and as the oracle's integers.
pub struct Batch<T> {
    input: &'static str,
    data: Vec<T>,
    inputs: usize,
    /// Of the samples that are checked: index, integers, how many times larger they are.
    spots: Vec<(usize, Vec<i64>, f32)>,
}

impl<T: Element> Batch<T> {
    /// Takes samples, and the way the oracle reads one.
    pub fn new(
        input: &'static str,
        data: Vec<T>,
        inputs: usize,
        read: impl Fn(&[T]) -> (Vec<i64>, f32),
    ) -> Self {
        let samples = Samples::new(&data, inputs).expect("whole samples");
        let step = samples.len().div_ceil(SPOTS);
        let spots = (0..samples.len()).step_by(step).map(|i| {
            let (integers, unit) = read(samples.get(i).unwrap_or_default());
            (i, integers, unit)
        });
        Self { input, inputs, spots: spots.collect(), data }
    }

    fn samples(&self) -> Samples<'_, T> {
        Samples::new(&self.data, self.inputs).expect("whole samples")
    }
}

/// Everything that Ternion's contenders of one shape work on.
pub struct Ours {
    weights: Vec<Weights>,
    floats: Batch<f32>,
    shorts: Batch<i16>,
    bytes: Batch<i8>,
    bits: Batch<u64>,
}

impl Ours {
    /// W of every sparsity, and the same samples as every kind of number.
    pub fn new(whole: &[i16], floats: &[f32], inputs: usize, features: usize) -> Self {
        let weights = SPARSITIES.map(|sparsity| Weights::new(sparsity, inputs, features)).into();
        let as_is = |x: &[i16]| (x.iter().map(|&x| i64::from(x)).collect(), 1.0);
        let bytes = whole.iter().map(|&x| (x / 4) as i8).collect();
        let bits = whole.chunks(inputs).flat_map(|x| {
            let words = x
                .chunks(64)
                .map(|x| x.iter().rev().fold(0, |word, &x| word << 1 | u64::from(x > 0)));
            words.collect::<Vec<u64>>()
        });
        let of_bits = move |words: &[u64]| {
            ((0..inputs).map(|k| (words[k / 64] >> (k % 64) & 1) as i64).collect(), 1.0)
        };
        Self {
            weights,
            floats: Batch::new("f32", floats.to_vec(), inputs, |x| oracle::quantize(x, None, None)),
            shorts: Batch::new("i16", whole.to_vec(), inputs, as_is),
            bytes: Batch::new("i8", bytes, inputs, |x| {
                (x.iter().map(|&x| i64::from(x)).collect(), 1.0)
            }),
            bits: Batch::new("bits", bits.collect(), inputs, of_bits),
        }
    }
}

/// What differs between contenders: which kernel, on which ISA, for which sparsity.
#[derive(Clone, Copy)]
struct Task {
    kernel: &'static str,
    isa: Isa,
    sparsity: Option<f64>,
}

impl Ours {
    /// Every kernel on every ISA present, or on the one that `TERNION_ISA` names.
    ///
    /// # Panics
    ///
    /// If the variable names an ISA that is not here.
    pub fn contenders(&self) -> Vec<Contender<'_>> {
        let Self { weights, floats, shorts, bytes, bits } = self;
        let mut all = Vec::new();
        for isa in ternion_tests::isa::isas() {
            for w in weights {
                let task = |kernel| Task { kernel, isa, sparsity: Some(w.sparsity) };
                let sums = |x: &[i64]| oracle::project(&w.trits, x);
                all.push(contender(task("masked"), w.planes.view(), floats, sums));
                if floats.samples().len() > 1 {
                    all.push(contender(task("table"), w.planes.view(), floats, sums));
                } else {
                    all.push(contender(task("single"), w.row_lanes(), floats, sums));
                }
                if w.sparsity > 0.5 && floats.samples().len() > 1 {
                    all.push(contender(task("list"), w.listed(), floats, sums));
                }
                all.push(contender(task("binary"), w.planes.view(), bits, sums));
                if w.sparsity == 2.0 / 3.0 && floats.samples().len() > 1 {
                    all.push(contender(task("table"), w.planes.view(), shorts, sums));
                    all.push(contender(task("table"), w.planes.view(), bytes, sums));
                }
            }
            let Some(w) = weights.first() else { continue };
            let structured = Structured::new(1, w.planes.cols(), w.planes.rows());
            let structured = structured.expect("sizes of a W");
            let sums =
                move |x: &[i64]| oracle::structured(structured.seed(), structured.features(), x);
            let task = Task { kernel: "structured", isa, sparsity: None };
            all.push(contender(task, structured, floats, sums));
        }
        all
    }
}

/// One kernel: samples → quantised → projected → compared with thresholds → packed.
fn contender<'a, P: Projection + 'a, T: Element>(
    task: Task,
    projection: P,
    batch: &'a Batch<T>,
    sums: impl Fn(&[i64]) -> Vec<i64> + 'a,
) -> Contender<'a> {
    let samples = batch.samples();
    let features = projection.features();
    let id = Id {
        kernel: task.kernel,
        name: "ternion".to_owned(),
        call: "featurize",
        input: batch.input,
        isa: task.isa.name().to_owned(),
        sparsity: task.sparsity,
        macs: batch.inputs as f64 * features as f64 * samples.len() as f64,
    };
    // Thresholds that leave a good part of every level: half the spread of the first sample's sums.
    let expected: Vec<(usize, Vec<i64>, f32)> =
        batch.spots.iter().map(|(i, x, unit)| (*i, sums(x), *unit)).collect();
    let squares: f64 = expected[0].1.iter().map(|&sum| (sum as f64).powi(2)).sum();
    let spread = (squares / features as f64).sqrt() / f64::from(expected[0].2) / 2.0;
    let thresholds = Thresholds::two(-spread as f32, spread as f32).expect("ascending");
    let words = plane_words(samples.len(), features).expect("sizes of features");
    let state = State {
        isa: task.isa,
        scratch: vec![Line::ZERO; scratch_lines(&projection, samples.len())],
        out: TritMatrix::zeroed(samples.len(), features, vec![0; words], vec![0; words])
            .expect("planes of the right length"),
        projection: Rc::new(projection),
        samples,
        thresholds,
    };
    Contender::new(
        id,
        state,
        |state| state.run(),
        move |state| {
            for (i, sums, unit) in &expected {
                let found = state.out.row(*i).into_iter().flatten();
                for (j, (found, &sum)) in found.zip(sums).enumerate() {
                    let trit = oracle::activate(sum, thresholds.values(), f64::from(*unit));
                    if trit != found {
                        let place = format!("sample {i}, feature {j}");
                        let (expected, found) = (f64::from(trit), f64::from(found));
                        return Err(Mismatch { place, expected, found });
                    }
                }
            }
            Ok(())
        },
    )
}

/// A contender's arguments, scratch and output.
struct State<'a, P, T> {
    isa: Isa,
    projection: Rc<P>,
    samples: Samples<'a, T>,
    thresholds: Thresholds,
    scratch: Vec<Line>,
    out: TritMatrix<Vec<u64>>,
}

impl<P: Projection, T: Element> State<'_, P, T> {
    fn run(&mut self) {
        let Self { isa, projection, samples, thresholds, scratch, out } = self;
        let done = dispatch!(*isa, simd => featurize(simd, &**projection, thresholds, samples, scratch, out));
        done.expect("checked sizes");
    }
}
