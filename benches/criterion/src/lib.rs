//! Criterion cases of Ternion: for our own benches, and for those of crates that embed it.
//!
//! A crate that embeds Ternion adds the cases to its own criterion run, where they are built with its compiler, flags and
//! profile and appear in its reports and baselines:
//!
//! ```no_run
//! // benches/mine.rs, a bench with `harness = false`
//! use ternion_criterion::criterion::{criterion_group, criterion_main};
//!
//! criterion_group!(benches, ternion_criterion::quick); // beside groups of your own
//! criterion_main!(benches);
//! ```
//!
//! Every result is compared with that of the oracle before it is timed. Times depend on the sizes, on the number of samples
//! and on how many zeros there are, so ids say what these are:
//!
//! | id | sizes |
//! |---|---|
//! | `featurize/FORM/INPUT/ISA/…` | `FEATURESxINPUTSxSAMPLES-SPARSITY` |
//! | `transform/FORM/f32/ISA/…` | the same, of one sample by a fit |
//! | `predictor/FORM/f32/ISA/…`, `model/FORM/i8/…` | `FEATURESxINPUTSxOUTPUTSx1-SPARSITY`, for one sample |
//! | `dots/trits/ISA/…`, `gram/trits/ISA/…`, `moments/trits/ISA/…`, `ridge/WAY/ISA/…` | `FEATURESxSAMPLES-ZEROS`, the share of trits that are zero |
//! | `sampling/seeded/…` | `FEATURESxINPUTS-SPARSITY` |
//! | `solve/POLICY/TARGET` | none |
//!
//! FORM, INPUT and ISA are every one that ships: the lists of `ternion-tests`, which a test compares with the crates. A W
//! that is made of transforms has no sparsity. `TERNION_ISA` restricts the instruction sets, and part of an id, on the command
//! line, the cases.
#![forbid(unsafe_code)]

mod featurize;
mod learn;
mod model;
mod products;
mod sampling;
mod solve;
mod transform;

pub use criterion;

use criterion::Criterion;
use std::time::Duration;
use ternion::{Isa, TritMatrix};
use ternion_tests::data::Random;
use ternion_tests::isa::isas;

/// The default, one without zeros, and one for which a stored W is lists of indices.
const SPARSITIES: [f64; 3] = [2.0 / 3.0, 0.0, 0.9];

/// The end of an id: of a sparsity, or of a share of zeros.
fn suffix(sparsity: f64) -> String {
    format!("-{sparsity:.2}")
}

/// The share of zeros among some trits.
fn zeros(trits: &TritMatrix<Vec<u64>>) -> f64 {
    let nonzero: u32 = trits.mask().iter().map(|word| word.count_ones()).sum();
    1.0 - f64::from(nonzero) / (trits.rows() * trits.cols()) as f64
}

/// How many of the cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    All,
    /// One instruction set, the fastest; `f32` alone; of each kernel the sizes and the sparsity that matter most.
    Quick,
}

impl Set {
    fn isas(self) -> Vec<Isa> {
        let isas = isas();
        match self {
            Self::All => isas,
            Self::Quick => isas.last().copied().into_iter().collect(),
        }
    }

    /// The first of some choices, or all of them.
    fn of<T>(self, choices: &[T]) -> &[T] {
        match self {
            Self::All => choices,
            Self::Quick => &choices[..1],
        }
    }

    fn add_to(self, criterion: &mut Criterion) {
        featurize::add(criterion, self);
        transform::add(criterion, self);
        products::add(criterion, self);
        learn::add(criterion, self);
        model::add(criterion, self);
        sampling::add(criterion, self);
        solve::add(criterion, self);
    }
}

/// Adds every case: every form of W, type of input and instruction set that is present.
///
/// # Panics
///
/// If a result is not that of the oracle, or `TERNION_ISA` names an instruction set that is not present.
pub fn all(criterion: &mut Criterion) {
    Set::All.add_to(criterion);
}

/// Adds the cases that a change is tried with first: every form, on the fastest instruction set that is present, with
/// samples of `f32` (models: of `i8`) and the default sparsity.
///
/// # Panics
///
/// As [`all`].
pub fn quick(criterion: &mut Criterion) {
    Set::Quick.add_to(criterion);
}

/// The configuration of our own benches: 0.2 seconds for each case. Options of the command line override it.
pub fn short() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .nresamples(10_000)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(200))
}

/// Bell-shaped whole numbers with a standard deviation of 148.
fn whole(count: usize, seed: u64) -> Vec<i16> {
    let mut random = Random::new(seed);
    (0..count).map(|_| (148.0 * random.normal()) as i16).collect()
}
