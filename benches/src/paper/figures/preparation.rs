//! Whether pictures are compared as they are or with norm 1, in which thick strokes are no brighter than thin ones: chosen for
//! all methods by the float baseline, on training samples that are held out.

use std::error::Error;

use super::super::args::Args;
use super::super::baselines::Method;
use super::super::contender::{Contender, Learner};
use super::super::data::Set;
use super::super::journal::Journal;
use super::super::progress::Progress;
use super::choice::{SAMPLES, Trials};

/// Prepares pictures in the way that suits a method with so many features better.
pub fn choose(
    args: &Args,
    set: Set,
    (method, features): (Method, usize),
    journal: &mut Journal,
) -> Result<Set, Box<dyn Error>> {
    let ways = [set.clone().prepared(false), set.normalised().prepared(false)];
    let mut progress = Progress::new(ways.len());
    let mut merits = [f64::NEG_INFINITY; 2];
    for (set, merit) in ways.iter().zip(&mut merits) {
        let trials = Trials::new(args, set, Learner::Ridge, SAMPLES);
        let best = trials.best(&[Contender::Baseline(method)], features, journal, |_| {
            progress.step(&format!("{}: {}, {features} features", set.name, method.name));
        })?;
        if let Some(best) = best {
            *merit = best.merit;
        }
    }
    drop(progress);
    let [plain, normal] = merits;
    let [as_they_are, normalised] = ways;
    println!(
        "\n## {}: preparation\n\n{} with {features} features has {plain:.4} on held-out training samples as they are, and \
         {normal:.4} on samples of norm 1.",
        as_they_are.name, method.name
    );
    Ok(if normal > plain { normalised } else { as_they_are })
}
