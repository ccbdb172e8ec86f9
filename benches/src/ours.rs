//! Ternion's own contenders of `compare project`: from samples to packed trits, everything included.

use std::cell::RefCell;
use std::rc::Rc;

use ternion::Isa;
use ternion_core::{Line, Sparsity, Thresholds, TritMatrix, plane_words};
use ternion_tests::forms::{Form, Forms};
use ternion_tests::inputs::{Batch, Input, InputType, Reading};
use ternion_tests::match_input;
use ternion_tests::oracle::Sums;

use crate::harness::{self, Contender, Id, Mismatch};

/// Sparsities that are compared with samples of `f32`.
pub const SPARSITIES: [f64; 4] = [0.0, 0.5, 2.0 / 3.0, 0.9];

/// Sparsities that are compared with samples of other types: without zeros some kernels do half the work.
const OTHER_SPARSITIES: [f64; 2] = [0.0, 2.0 / 3.0];

/// Samples that a check computes again, spread over the batch.
const SPOTS: usize = 5;

/// The lower and the upper threshold in standard deviations of the sums. All trits occur, and the thresholds are not
/// symmetric: neither are those that a fit chooses.
const THRESHOLDS: (f64, f64) = (-0.4, 0.7);

/// The period of a periodic σ in standard deviations of the sums: f = 1.4 for samples of norm 1.
const PERIOD: f64 = 4.5;

/// The kinds of σ, as the calls are named in the tables.
pub const SIGMAS: [&str; 2] = ["featurize", "periodic"];

/// Everything that Ternion's contenders of one shape work on.
pub struct Ours {
    whole: Vec<i16>,
    inputs: usize,
    weights: Vec<Weights>,
}

/// One W in all its forms.
struct Weights {
    /// The probability of a zero; none if W is structured.
    sparsity: Option<f64>,
    forms: Forms,
}

impl Ours {
    /// Takes the samples as whole numbers and draws W with every sparsity, and structured.
    ///
    /// # Panics
    ///
    /// If no W can have these sizes.
    pub fn new(whole: &[i16], inputs: usize, features: usize) -> Self {
        let iid = |sparsity| Weights {
            sparsity: Some(sparsity),
            forms: Forms::iid(1, Sparsity::new(sparsity).expect("a probability"), inputs, features),
        };
        let mut weights: Vec<Weights> = SPARSITIES.map(iid).into();
        let transforms = Forms::transforms(1, inputs, features);
        weights.extend(transforms.map(|forms| Weights { sparsity: None, forms }));
        Self { whole: whole.to_vec(), inputs, weights }
    }

    /// Every form with every type of input on every ISA.
    ///
    /// # Panics
    ///
    /// If `TERNION_ISA` names an ISA that is not present.
    pub fn contenders(&self) -> Vec<Contender<'_>> {
        let mut all = Vec::new();
        for input in InputType::ALL {
            match_input!(input, T => self.add::<T>(&mut all));
        }
        all
    }

    /// The contenders of one type of input.
    fn add<'a, T: Input>(&'a self, all: &mut Vec<Contender<'a>>) {
        let batch = Rc::new(Batch::new(T::from_whole(&self.whole, self.inputs), self.inputs));
        let features = self.weights[0].forms.features();
        let output = Rc::new(RefCell::new(room(batch.samples().len(), features)));
        let compared = |w: &&Weights| {
            let other = |sparsity| OTHER_SPARSITIES.contains(&sparsity);
            T::NAME == f32::NAME || w.sparsity.is_none_or(other)
        };
        for weights in self.weights.iter().filter(compared) {
            let tasks = Task::of_every_sigma(weights, &batch).map(Rc::new);
            for isa in harness::isas() {
                for form in &weights.forms {
                    for task in &tasks {
                        all.push(contender(isa, form, task.clone(), output.clone()));
                    }
                }
            }
        }
    }
}

/// What all forms of one W do with a batch, and what must come out.
struct Task<T> {
    call: &'static str,
    sparsity: Option<f64>,
    batch: Rc<Batch<T>>,
    thresholds: Thresholds,
    /// The samples that are checked, and their trits.
    expected: Vec<(usize, Vec<i8>)>,
}

impl<T: Input> Task<T> {
    /// A task for each of [`SIGMAS`].
    fn of_every_sigma(weights: &Weights, batch: &Rc<Batch<T>>) -> [Self; SIGMAS.len()] {
        let samples = batch.samples().len();
        let readings = (0..samples).step_by(samples.div_ceil(SPOTS)).map(|sample| {
            let reading = batch.read(sample).expect("numbers that are accepted");
            let sums = weights.forms.oracle_sums(&reading.0);
            (sample, reading, sums)
        });
        let readings: Vec<(usize, Reading, Sums)> = readings.collect();
        let (_, (_, unit), first) = &readings[0];
        let features = first.sums.len();
        let squares: f64 = (0..features).map(|feature| first.real(feature).powi(2)).sum();
        // A tiny W may have nothing but zeros.
        let deviation = match (squares / features as f64).sqrt() / f64::from(*unit) {
            0.0 => 1.0,
            deviation => deviation,
        };
        let (lower, upper) = (THRESHOLDS.0 * deviation, THRESHOLDS.1 * deviation);
        let two = Thresholds::two(lower as f32, upper as f32).expect("ascending");
        let periodic = Thresholds::periodic((PERIOD * deviation) as f32, 1).expect("positive");
        let [two_call, periodic_call] = SIGMAS;
        [(two_call, two), (periodic_call, periodic)].map(|(call, thresholds)| {
            let expected = readings.iter().map(|(sample, reading, sums)| {
                (*sample, weights.forms.oracle_trits(reading, Some(sums), &thresholds))
            });
            let expected = expected.collect();
            Self { call, sparsity: weights.sparsity, batch: batch.clone(), thresholds, expected }
        })
    }

    fn check(&self, found: &TritMatrix<Vec<u64>>) -> Result<(), Mismatch> {
        for (sample, expected) in &self.expected {
            let found = found.row(*sample).into_iter().flatten();
            for (feature, (found, &expected)) in found.zip(expected).enumerate() {
                if found != expected {
                    let place = format!("sample {sample}, feature {feature}");
                    let (expected, found) = (f64::from(expected), f64::from(found));
                    return Err(Mismatch { place, expected, found });
                }
            }
        }
        Ok(())
    }
}

/// Features of zeros.
fn room(samples: usize, features: usize) -> TritMatrix<Vec<u64>> {
    let words = plane_words(samples, features).expect("sizes of features");
    TritMatrix::zeroed(samples, features, vec![0; words], vec![0; words])
        .expect("planes of the right length")
}

/// One form on one ISA: samples → quantised → projected → compared with thresholds → packed.
///
/// The output is shared, since one for each contender would fill the memory. A check clears it, so that no contender
/// passes with the result of another.
fn contender<'a, T: Input>(
    isa: Isa,
    form: &'a Form,
    task: Rc<Task<T>>,
    output: Rc<RefCell<TritMatrix<Vec<u64>>>>,
) -> Contender<'a> {
    let (samples, features) = (task.batch.samples().len(), form.features());
    let id = Id {
        kernel: form.name(),
        name: "ternion".to_owned(),
        call: task.call,
        input: T::NAME,
        isa: isa.name().to_owned(),
        sparsity: task.sparsity,
        macs: form.inputs() as f64 * features as f64 * samples as f64,
    };
    let scratch = vec![Line::ZERO; form.scratch_lines(samples)];
    let checked = (task.clone(), output.clone());
    Contender::new(
        id,
        scratch,
        move |scratch| {
            let (samples, out) = (task.batch.samples(), &mut *output.borrow_mut());
            let done = T::featurize(isa, form, &task.thresholds, &samples, scratch, out);
            done.expect("sizes that agree");
        },
        move |_| {
            let (task, output) = &checked;
            task.check(&output.replace(room(samples, features)))
        },
    )
}
