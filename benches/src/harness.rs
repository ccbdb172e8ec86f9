//! The measuring harness: contenders run interleaved, ratios of their undisturbed times.
//!
//! Written by hand because criterion times one function after the other: on a machine whose speed drifts, only turns
//! that alternate within one process give ratios to rely on.
//!
//! One machine, one process, one thread: A B C … A B C …, so that every contender meets every state of the machine.
//! Other programs only ever add time, in bursts that slow a long turn a little and a short one either fully or not at
//! all; so ratios are those of the shortest times. On a busy machine they stay within a few per cent, where medians,
//! and medians of the ratios of each round, are off by a fifth.

use std::fmt;
use std::hint::black_box;
use std::time::Instant;

use ternion::Isa;

/// What a contender is; the fields of its line in the report.
#[derive(Clone, Debug, PartialEq)]
pub struct Id {
    /// The form of W (planes, seeded, row-lanes, index-lists, structured), gram, gram-sign, matvec, or a learner; of peers:
    /// dense, rff, int8.
    pub kernel: &'static str,
    /// The library: `ternion` or the name of the peer.
    pub name: String,
    /// The operation timed: sgemm, sgemv, ssyrk, gemm_s8; featurize, gram, matvec, epoch, fit.
    pub call: &'static str,
    /// f32, i16, i8, bits, trits.
    pub input: &'static str,
    /// scalar, sse2, avx2, avx512, …; `auto` where a library chooses by itself.
    pub isa: String,
    /// Probability of a zero weight, where it matters.
    pub sparsity: Option<f64>,
    /// Multiply–adds of one run, counted as the dense definition does.
    pub macs: f64,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, name, input, isa, .. } = self;
        write!(f, "{name} {kernel}/{input}/{isa}")
    }
}

/// A result that is not what the oracle says.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Where.
    pub place: String,
    /// What the oracle says.
    pub expected: f64,
    /// What the contender gave.
    pub found: f64,
}

/// A contender failed its check.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Which contender: its name and kernel/input/isa.
    pub contender: String,
    /// What was wrong.
    pub mismatch: Mismatch,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { place, expected, found } = &self.mismatch;
        write!(f, "{}, {place}: expected {expected}, found {found}", self.contender)
    }
}

impl core::error::Error for Failure {}

/// One thing to be timed: an identity, the work, and a check of its result.
pub struct Contender<'a> {
    /// What it is.
    pub id: Id,
    work: Box<dyn Work + 'a>,
}

trait Work {
    fn run(&mut self);
    fn check(&self) -> Result<(), Mismatch>;
}

struct Closures<S, R, C> {
    state: S,
    run: R,
    check: C,
}

impl<S, R: FnMut(&mut S), C: Fn(&S) -> Result<(), Mismatch>> Work for Closures<S, R, C> {
    fn run(&mut self) {
        (self.run)(&mut self.state);
        black_box(&mut self.state);
    }

    fn check(&self) -> Result<(), Mismatch> {
        (self.check)(&self.state)
    }
}

impl<'a> Contender<'a> {
    /// `run` does the whole timed work into `state` (its output and scratch); `check`, called right
    /// after a run and never timed, compares `state` with the oracle.
    ///
    /// ```
    /// use ternion_benches::harness::{Contender, Id, Mismatch};
    ///
    /// let id = Id {
    ///     kernel: "dense",
    ///     name: "sum".into(),
    ///     call: "sum",
    ///     input: "f32",
    ///     isa: "auto".into(),
    ///     sparsity: None,
    ///     macs: 2.0,
    /// };
    /// let x = [1.0, 2.0];
    /// Contender::new(
    ///     id,
    ///     0.0,
    ///     |sum| *sum = x.iter().sum(),
    ///     |&found| match found {
    ///         3.0 => Ok(()),
    ///         found => Err(Mismatch { place: "sum".into(), expected: 3.0, found }),
    ///     },
    /// );
    /// ```
    pub fn new<S: 'a>(
        id: Id,
        state: S,
        run: impl FnMut(&mut S) + 'a,
        check: impl Fn(&S) -> Result<(), Mismatch> + 'a,
    ) -> Self {
        Self { id, work: Box::new(Closures { state, run, check }) }
    }
}

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// No new round starts after this many seconds (but see `min_rounds`).
    pub seconds: f64,
    /// Rounds that are always done.
    pub min_rounds: usize,
    /// Rounds that are never exceeded.
    pub max_rounds: usize,
    /// A contender faster than this is repeated inside its turn until the turn lasts so long.
    pub turn: f64,
    /// Rounds end early once every median is known to this relative standard error.
    pub precision: f64,
}

impl Budget {
    /// For figures to quote: at most `seconds` seconds.
    pub const fn full(seconds: f64) -> Self {
        Self { seconds, min_rounds: 7, max_rounds: 201, turn: 2e-3, precision: 2e-3 }
    }

    /// For a first look: three rounds, however long they take.
    pub const fn quick() -> Self {
        Self { seconds: 0.0, min_rounds: 3, max_rounds: 3, turn: 1e-3, precision: 0.0 }
    }
}

/// Seconds per run of one contender, one entry per round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timing {
    /// Seconds per run.
    pub seconds: Vec<f64>,
}

impl Timing {
    /// The typical time.
    pub fn median(&self) -> f64 {
        median(self.seconds.clone())
    }

    /// The undisturbed time.
    pub fn min(&self) -> f64 {
        self.seconds.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Median absolute deviation over the median.
    pub fn spread(&self) -> f64 {
        let middle = self.median();
        median(self.seconds.iter().map(|s| (s - middle).abs()).collect()) / middle
    }

    /// How many times faster than `reference`, both undisturbed.
    pub fn ratio(&self, reference: &Self) -> f64 {
        reference.min() / self.min()
    }

    /// Relative standard error of the median, from the spread (1.4826·MAD ≈ σ, σ√(π/2)/√n).
    fn error(&self) -> f64 {
        1.2533 * 1.4826 * self.spread() / (self.seconds.len() as f64).sqrt()
    }
}

/// The middle value, or the mean of the two middle ones.
///
/// # Panics
///
/// When `values` is empty.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { (values[half - 1] + values[half]) / 2.0 }
}

/// The ISAs that are raced, slowest first: all but the scalar one, which would take most of the time; or the one that
/// `TERNION_ISA` names.
///
/// # Panics
///
/// If the variable names an ISA that is not present.
pub fn isas() -> Vec<Isa> {
    let mut isas = ternion_tests::isa::isas();
    if isas.len() > 1 {
        isas.retain(|&isa| isa != Isa::SCALAR);
    }
    isas
}

/// Checks every contender, then times them in turns.
///
/// # Errors
///
/// [`Failure`] when a contender's result is wrong; nothing is timed then.
pub fn race(contenders: &mut [Contender], budget: Budget) -> Result<Vec<Timing>, Failure> {
    let start = Instant::now();
    race_by(contenders, budget, || start.elapsed().as_secs_f64())
}

/// [`race`] by any clock.
fn race_by(
    contenders: &mut [Contender],
    budget: Budget,
    mut clock: impl FnMut() -> f64,
) -> Result<Vec<Timing>, Failure> {
    // The first run touches the memory, the second tells how often to repeat. The check comes after the second, so
    // that work which adds to its old output is caught.
    let mut repeats = Vec::with_capacity(contenders.len());
    for Contender { id, work } in contenders.iter_mut() {
        work.run();
        let before = clock();
        work.run();
        let once = clock() - before;
        repeats.push((budget.turn / once.max(1e-9)).ceil().max(1.0) as usize);
        work.check().map_err(|mismatch| Failure { contender: id.to_string(), mismatch })?;
    }
    let mut timings = vec![Timing::default(); contenders.len()];
    let start = clock();
    for round in 0..budget.max_rounds {
        let settled = || timings.iter().all(|t| t.error() <= budget.precision);
        if round >= budget.min_rounds && (clock() - start >= budget.seconds || settled()) {
            break;
        }
        for ((contender, timing), &repeats) in contenders.iter_mut().zip(&mut timings).zip(&repeats)
        {
            if repeats > 1 {
                // The turns before have filled the caches: one run brings back the data of what is short enough to repeat.
                contender.work.run();
            }
            let before = clock();
            for _ in 0..repeats {
                contender.work.run();
            }
            timing.seconds.push((clock() - before) / repeats as f64);
        }
    }
    Ok(timings)
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::*;

    fn id(name: &str) -> Id {
        Id {
            kernel: "dense",
            name: name.into(),
            call: "sgemm",
            input: "f32",
            isa: "auto".into(),
            sparsity: None,
            macs: 1.0,
        }
    }

    #[test]
    fn medians_of_odd_and_even_lengths() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn a_disturbed_round_does_not_move_the_ratio() {
        let fast = Timing { seconds: vec![1.0, 1.0, 9.0, 1.0, 1.0] };
        let slow = Timing { seconds: vec![3.0, 3.0, 3.0, 90.0, 3.0] };
        assert_eq!(fast.ratio(&slow), 3.0);
        assert_eq!(slow.ratio(&fast), 1.0 / 3.0);
        assert_eq!((fast.median(), fast.min(), fast.spread()), (1.0, 1.0, 0.0));
    }

    #[test]
    fn slow_spells_do_not_move_the_ratio() {
        // The machine halves its speed in three of five rounds, and in bursts that only one of them sees.
        let a = Timing { seconds: vec![1.0, 1.9, 2.0, 3.0, 2.5] };
        let b = Timing { seconds: vec![4.5, 4.0, 8.0, 8.0, 8.0] };
        assert_eq!(a.ratio(&b), 4.0);
    }

    /// Two contenders of 1 s and 0.25 s by a clock that only work moves.
    fn by_hand(budget: Budget) -> (Vec<Timing>, String) {
        let (now, log) = (Cell::new(0.0), RefCell::new(String::new()));
        let work = |name: &'static str, seconds: f64| {
            let (now, log) = (&now, &log);
            let run = move |_: &mut ()| {
                now.set(now.get() + seconds);
                log.borrow_mut().push_str(name);
            };
            Contender::new(id(name), (), run, |()| Ok(()))
        };
        let mut contenders = [work("a", 1.0), work("b", 0.25)];
        let timings = race_by(&mut contenders, budget, || now.get()).expect("checks pass");
        drop(contenders);
        (timings, log.into_inner())
    }

    #[test]
    fn turns_interleave_and_short_work_repeats() {
        let budget =
            Budget { seconds: 0.0, min_rounds: 3, max_rounds: 9, turn: 0.5, precision: 0.0 };
        let (timings, log) = by_hand(budget);
        assert_eq!(log, "aabbabbbabbbabbb"); // two runs each to warm up, then three rounds
        assert_eq!(timings[0].seconds, [1.0; 3]);
        assert_eq!(timings[1].seconds, [0.25; 3]);
    }

    #[test]
    fn rounds_end_by_budget_by_precision_and_by_count() {
        let rounds = |seconds, precision| {
            let budget = Budget { seconds, min_rounds: 2, max_rounds: 8, turn: 0.0, precision };
            by_hand(budget).0[0].seconds.len()
        };
        assert_eq!(rounds(4.0, -1.0), 4); // 1.25 s a round
        assert_eq!(rounds(1e9, -1.0), 8);
        assert_eq!(rounds(1e9, 0.0), 2); // no spread at all
    }

    #[test]
    fn a_wrong_result_names_the_contender() {
        let check = |&found: &f64| {
            if found == 1.0 {
                Ok(())
            } else {
                Err(Mismatch { place: "sum".into(), expected: 1.0, found })
            }
        };
        // Right the first time; then it adds to what is there.
        let mut contenders = [Contender::new(id("adder"), 0.0, |sum| *sum += 1.0, check)];
        let failure = race(&mut contenders, Budget::quick()).expect_err("2 is not 1");
        assert_eq!(failure.to_string(), "adder dense/f32/auto, sum: expected 1, found 2");
    }
}
