//! The contenders of `compare job`: from samples to predictions on a test set, by Ternion and by random Fourier features
//! on the best product and factorisation present.
//!
//! Both match the same Gaussian kernel, use the same ridge parameter and are timed in the same phases, on one thread:
//!
//! | phase | Ternion | random Fourier features |
//! |---|---|---|
//! | fit | statistics of the inputs, thresholds, W | scale of the inputs, W |
//! | transform | packed trits of the training samples | sgemm and cosine; sums of classes |
//! | moments | products of features, sums of classes | ssyrk |
//! | solve | centring, Cholesky in `f64`, substitution | the same in `f32` |
//! | predict | trits and lookups of the test samples | sgemm, cosine, sgemm |

pub(crate) mod data;
mod fourier;

use std::cell::{Cell, RefCell};
use std::fmt::Write;
use std::rc::Rc;
use std::time::Instant;

use serde::Serialize;
use ternion::learn::{Moments, Ridge, accuracy};
use ternion::{Form, Isa, Samples, TernaryFeatures};

pub use data::{CLASSES, Data};

use crate::harness::{Contender, Id, Mismatch};
use crate::peers::{Peers, Solver};
use crate::report::{Line, Shape};

/// (inputs, features, training samples) that are compared when none is asked for: those of MNIST.
pub const SHAPE: (usize, usize, usize) = (784, 4096, 60_000);

/// The phases of a run.
pub const PHASES: [&str; 5] = ["fit", "transform", "moments", "solve", "predict"];

/// The ridge parameter in units of the mean eigenvalue: the default of [`Ridge`].
const SHARE: f64 = 0.3;

/// What a run took, and how good its predictions were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Seconds of each phase.
    pub phases: [f64; PHASES.len()],
    /// The share of test samples whose class was predicted.
    pub accuracy: f64,
}

impl Outcome {
    fn new(at: [Instant; PHASES.len() + 1], accuracy: f64) -> Self {
        let mut phases = [0.0; PHASES.len()];
        for (phase, ends) in phases.iter_mut().zip(at.windows(2)) {
            *phase = (ends[1] - ends[0]).as_secs_f64();
        }
        Self { phases, accuracy }
    }

    /// The faster of two runs.
    fn faster(self, other: Self) -> Self {
        let total = |outcome: &Self| outcome.phases.iter().sum::<f64>();
        if other.accuracy > 0.0 && total(&other) < total(&self) { other } else { self }
    }
}

/// The fastest run of each contender, in their order.
pub type Outcomes = Vec<Rc<Cell<Outcome>>>;

/// The samples of a job and its number of features.
pub struct Job {
    data: Data,
    shape: Shape,
}

impl Job {
    /// The job of turning samples into a classifier with so many features.
    pub fn new(data: Data, features: usize) -> Self {
        let samples = data.train.labels.len();
        let shape = Shape { inputs: Some(data.inputs), features, samples };
        Self { data, shape }
    }

    /// Random Fourier features on every library that can solve; then Ternion with a structured and with a stored W.
    pub fn contenders<'a>(&'a self, peers: &'a Peers) -> (Vec<Contender<'a>>, Outcomes) {
        let first = Rc::new(Cell::new(None));
        let mut outcomes = Vec::new();
        let mut contenders = Vec::new();
        let mut add = |id: Id, run: Box<dyn FnMut() -> Outcome + 'a>| {
            let best = Rc::new(Cell::new(Outcome::default()));
            outcomes.push(best.clone());
            contenders.push(self.contender(id, best, first.clone(), run));
        };
        let buffers = Rc::new(RefCell::new(fourier::Buffers::default()));
        for solver in &peers.solvers {
            let (solver, buffers): (&dyn Solver, _) = (&**solver, buffers.clone());
            let run = move || {
                let mut buffers = buffers.borrow_mut();
                fourier::run(solver, &self.data, self.shape.features, &mut buffers)
            };
            add(self.id("rff", solver.name(), "fourier", "auto"), Box::new(run));
        }
        for (kernel, call, form) in [
            ("job-structured", "structured", Form::Structured),
            ("job-stored", "stored", Form::Stored),
        ] {
            let thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
            let run = move || thread.install(|| self.ours(form));
            add(self.id(kernel, "ternion", call, Isa::detect().name()), Box::new(run));
        }
        (contenders, outcomes)
    }

    fn id(&self, kernel: &'static str, name: &str, call: &'static str, isa: &str) -> Id {
        let (n, m) = (self.shape.samples as f64, self.shape.features as f64);
        Id {
            kernel,
            name: name.to_owned(),
            call,
            input: "f32",
            isa: isa.to_owned(),
            sparsity: None,
            // Of the transform, the second moments and the factorisation.
            macs: n * m * (self.data.inputs as f64 + m / 2.0) + m.powi(3) / 6.0,
        }
    }

    fn contender<'a>(
        &'a self,
        id: Id,
        best: Rc<Cell<Outcome>>,
        first: Rc<Cell<Option<f64>>>,
        mut run: Box<dyn FnMut() -> Outcome + 'a>,
    ) -> Contender<'a> {
        let run = move |last: &mut Outcome| {
            *last = run();
            best.set(last.faster(best.get()));
        };
        let check = move |last: &Outcome| {
            // The first contender must be better than chance, all others about as good as it.
            let expected = first.get().unwrap_or(last.accuracy);
            first.set(Some(expected));
            let noise = 3.0 * (0.25 / self.data.test.labels.len() as f64).sqrt();
            let close = (last.accuracy - expected).abs() < 0.02f64.max(noise);
            if close && last.accuracy > 2.0 / CLASSES as f64 {
                return Ok(());
            }
            Err(Mismatch { place: "accuracy".to_owned(), expected, found: last.accuracy })
        };
        Contender::new(id, Outcome::default(), run, check)
    }

    fn ours(&self, form: Form) -> Outcome {
        let Data { inputs, train, test } = &self.data;
        let samples = Samples::new(&train.x, *inputs).expect("whole samples");
        let mut at = [Instant::now(); 6];
        let ternary = TernaryFeatures::params(self.shape.features).form(form).fit(&samples);
        let ternary = ternary.expect("the samples differ");
        at[1] = Instant::now();
        let features = ternary.transform(&samples).expect("it fits in memory");
        at[2] = Instant::now();
        let mut moments = Moments::new(&ternary, CLASSES).expect("it fits in memory");
        moments.add(&features, &train.labels).expect("a label for each sample");
        at[3] = Instant::now();
        let model = Ridge::new(SHARE).and_then(|ridge| ridge.fit_moments(&moments));
        let model = model.expect("a positive ridge");
        at[4] = Instant::now();
        let samples = Samples::new(&test.x, *inputs).expect("whole samples");
        let features = ternary.transform(&samples).expect("it fits in memory");
        let predicted = model.predict(&features).expect("as many features");
        at[5] = Instant::now();
        Outcome::new(at, accuracy(&predicted, &test.labels))
    }
}

/// The index of the largest score.
fn argmax(scores: impl Iterator<Item = f32>) -> usize {
    let larger = |best: (usize, f32), next: (usize, f32)| if next.1 > best.1 { next } else { best };
    scores.enumerate().reduce(larger).map_or(0, |(class, _)| class)
}

/// A title and a line per contender: the phases of its fastest run in milliseconds.
pub fn table(lines: &[Line], outcomes: &[Outcome]) -> String {
    let mut out = String::new();
    let Some(Line { shape, rounds, .. }) = lines.first() else { return out };
    let Shape { inputs, features, samples } = shape;
    let inputs = inputs.unwrap_or_default();
    writeln!(out, "inputs {inputs}, features {features}, samples {samples} ({rounds} rounds)")
        .expect("a String");
    write!(out, "  {:<12}{:<12}{:<14}", "W", "name", "isa").expect("a String");
    PHASES.iter().for_each(|phase| write!(out, "{phase:>11}").expect("a String"));
    writeln!(out, "{:>11}{:>10}{:>8}", "all, ms", "accuracy", "×rff").expect("a String");
    for (Line { id, seconds_min, ratio_rff, .. }, outcome) in lines.iter().zip(outcomes) {
        write!(out, "  {:<12}{:<12}{:<14}", id.call, id.name, id.isa).expect("a String");
        for seconds in outcome.phases {
            write!(out, "{:>11.1}", seconds * 1e3).expect("a String");
        }
        let ratio = ratio_rff.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
        writeln!(out, "{:>11.1}{:>10.4}{ratio:>8}", seconds_min * 1e3, outcome.accuracy)
            .expect("a String");
    }
    out
}

/// The fields of a line of JSON.
#[derive(Serialize)]
struct Json<'a> {
    kernel: &'a str,
    name: &'a str,
    form: &'a str,
    isa: &'a str,
    inputs: Option<usize>,
    features: usize,
    samples: usize,
    accuracy: f64,
    fit: f64,
    transform: f64,
    moments: f64,
    solve: f64,
    predict: f64,
    seconds: f64,
    seconds_min: f64,
    rounds: usize,
    ratio_rff: Option<f64>,
}

/// One JSON object: the phases, in seconds, are those of the fastest run.
///
/// # Panics
///
/// Never: strings and numbers are always JSON.
pub fn json(line: &Line, outcome: &Outcome) -> String {
    let Shape { inputs, features, samples } = line.shape;
    let [fit, transform, moments, solve, predict] = outcome.phases;
    let json = Json {
        kernel: "job",
        name: &line.id.name,
        form: line.id.call,
        isa: &line.id.isa,
        inputs,
        features,
        samples,
        accuracy: outcome.accuracy,
        fit,
        transform,
        moments,
        solve,
        predict,
        seconds: line.seconds,
        seconds_min: line.seconds_min,
        rounds: line.rounds,
        ratio_rff: line.ratio_rff,
    };
    serde_json::to_string(&json).expect("strings and numbers")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Budget, race};
    use crate::peers::present;
    use crate::report;

    #[test]
    fn every_contender_learns_small_data_about_as_well() {
        let peers = present().expect("the libraries named in the environment open");
        let job = Job::new(Data::generated(40, 900), 256);
        let (mut contenders, outcomes) = job.contenders(&peers);
        let timings = race(&mut contenders, Budget::quick()).expect("every check passes");
        assert_eq!(timings.len(), peers.solvers.len() + 2);
        let lines = report::lines(&contenders, &timings, job.shape);
        let outcomes: Vec<Outcome> = outcomes.iter().map(|outcome| outcome.get()).collect();
        for (line, outcome) in lines.iter().zip(&outcomes) {
            assert!(outcome.accuracy > 0.8, "{} {outcome:?}", line.id);
            assert!(outcome.phases.iter().all(|&seconds| seconds > 0.0), "{outcome:?}");
        }
        let text = table(&lines, &outcomes);
        assert_eq!(text.lines().count(), 2 + lines.len());
        let last = lines.len() - 1;
        let json = json(&lines[last], &outcomes[last]);
        let start = "{\"kernel\":\"job\",\"name\":\"ternion\",\"form\":\"stored\",\"isa\":";
        assert!(json.starts_with(start), "{json}");
    }

    #[test]
    fn guesses_are_caught() {
        let job = Job::new(Data::generated(9, 60), 16);
        let first = Rc::new(Cell::new(Some(0.9)));
        let best = Rc::new(Cell::new(Outcome::default()));
        let guess = || Outcome { phases: [1.0; 5], accuracy: 0.1 };
        let id = job.id("rff", "guess", "fourier", "auto");
        let mut contenders = [job.contender(id, best, first, Box::new(guess))];
        let failure = race(&mut contenders, Budget::quick()).expect_err("0.1 is not 0.9");
        assert_eq!(failure.mismatch.place, "accuracy");
    }
}
