//! Which width suits a method, and which form of Ternion suits a set: chosen on training samples that are held out.

use std::io;

use super::super::args::Args;
use super::super::contender::{Contender, Learner, Outcome, Setting};
use super::super::data::{Set, Targets};
use super::super::journal::Journal;
use super::super::progress::Progress;
use super::super::report::table;
use super::width::Scale;

/// Methods among which one is chosen, for so many features.
pub struct Place {
    /// A method, or several forms of one.
    pub group: Vec<Contender>,
    /// The features of a model.
    pub features: usize,
}

/// A method with so many features and the width that suits them.
pub struct Chosen {
    pub contender: Contender,
    pub features: usize,
    pub gamma: f64,
    /// How good it was on held-out samples: larger is better.
    pub merit: f64,
}

/// Most features with which is chosen; more take too long. A quarter as many would not do: with 1024 features four bands beat
/// a periodic σ on MNIST, with 4096 they lose.
const MOST_TUNED: usize = 4096;

/// Seeds of the settings to choose from: one for all, then the others too for those that were best. A seed decides more than
/// a width that is nearly right, and of many settings the one with the luckiest seed would win.
const SEEDS: [u64; 3] = [1000, 1001, 1002];

/// Settings that are compared again with other seeds.
const FINALISTS: usize = 4;

/// Training samples of ridge, and held-out ones.
pub const SAMPLES: (usize, usize) = (20_000, 10_000);

/// Scores of which larger ones are better: accuracies as they are, errors negated, and back again.
pub fn merit(set: &Set, score: f64) -> f64 {
    match set.targets {
        Targets::Classes(_) => score,
        Targets::Numbers(_) => -score,
    }
}

/// Trials on training samples that are held out.
pub struct Trials {
    /// The samples, training samples first.
    pub samples: Set,
    learner: Learner,
    scale: Scale,
    seeds: &'static [u64],
}

impl Trials {
    /// Trials of a learner with at most so many training samples and held-out ones.
    pub fn new(args: &Args, set: &Set, learner: Learner, (train, held): (usize, usize)) -> Self {
        let (train, held) = if args.quick { (800, 200) } else { (train, held) };
        Self {
            samples: set.validation(train, held),
            learner,
            // What classes of pictures differ in is large; those of tables may be finely interleaved.
            scale: Scale::new(if set.picture.is_some() { 2 } else { 1 }, args.quick),
            seeds: if args.quick { &SEEDS[..1] } else { &SEEDS },
        }
    }

    /// The best of some methods with all widths. If every method refuses every width there is none. Calls `step` before the
    /// widths of each method.
    pub fn best(
        &self,
        group: &[Contender],
        features: usize,
        journal: &mut Journal,
        mut step: impl FnMut(&Contender),
    ) -> io::Result<Option<Chosen>> {
        let set = &self.samples;
        let mut trial = |contender: &Contender, gamma: f64, seed: u64| {
            let setting = Setting { features: features.min(MOST_TUNED), gamma, seed };
            let outcome = journal.run(contender, set, self.learner, setting)?;
            Ok::<_, io::Error>(outcome.map(|Outcome { score, .. }| merit(set, score)))
        };
        let mut settings = Vec::new();
        for &contender in group {
            step(&contender);
            let tried = self.scale.search(|gamma| trial(&contender, gamma, self.seeds[0]))?;
            let setting = |(gamma, merit)| Chosen { contender, features, gamma, merit };
            settings.extend(tried.into_iter().map(setting));
        }
        best_of(settings, &self.seeds[1..], trial)
    }
}

/// The best of each place, by ridge. A place of which every method refuses every width has none.
pub fn choose(
    args: &Args,
    set: &Set,
    places: &[Place],
    journal: &mut Journal,
) -> io::Result<Vec<Chosen>> {
    let trials = Trials::new(args, set, Learner::Ridge, SAMPLES);
    let mut progress = Progress::new(places.iter().map(|place| place.group.len()).sum());
    let (mut rows, mut chosen) = (Vec::new(), Vec::new());
    for Place { group, features } in places {
        let best = trials.best(group, *features, journal, |contender| {
            let (set, name) = (&set.name, contender.name());
            progress.step(&format!("{set}: width of {name}, {features} features"));
        })?;
        let Some(best) = best else { continue };
        let (name, gamma) = (best.contender.name(), best.gamma);
        let score = format!("{:.4}", merit(set, best.merit));
        progress.found(&format!("{name}, {features} features: γ = {gamma}, {score}"));
        rows.push(vec![name.to_owned(), features.to_string(), gamma.to_string(), score]);
        chosen.push(best);
    }
    drop(progress);
    let held_out = &trials.samples;
    println!(
        "Chosen on {} held-out training samples, by ridge on {} others with these features, at most {MOST_TUNED}{}:\n\n{}",
        held_out.len() - held_out.train,
        held_out.train,
        again(trials.seeds.len()),
        table(&["method", "features", "γ", "score"], &rows)
    );
    Ok(chosen)
}

/// What is done with so many seeds, if there is more than one.
fn again(seeds: usize) -> String {
    match seeds {
        1 => String::new(),
        _ => {
            format!(". The {FINALISTS} best with one seed are compared by the mean of {seeds}")
        }
    }
}

/// The best of some settings by their mean merits: of all with the first seed, then of those that were best with the others
/// too.
fn best_of(
    mut settings: Vec<Chosen>,
    more_seeds: &[u64],
    mut trial: impl FnMut(&Contender, f64, u64) -> io::Result<Option<f64>>,
) -> io::Result<Option<Chosen>> {
    let best_first = |a: &Chosen, b: &Chosen| b.merit.total_cmp(&a.merit);
    settings.sort_by(best_first);
    settings.truncate(FINALISTS);
    for Chosen { contender, gamma, merit, .. } in &mut settings {
        for (&seed, before) in more_seeds.iter().zip(1u32..) {
            // W decides nothing about it.
            let refused = || io::Error::other("a width that one seed did not refuse is refused");
            let found = trial(contender, *gamma, seed)?.ok_or_else(refused)?;
            *merit += (found - *merit) / f64::from(before + 1);
        }
    }
    settings.sort_by(best_first);
    Ok(settings.into_iter().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::baselines::Method;

    #[test]
    fn one_seed_is_not_called_a_mean() {
        assert_eq!(again(1), "");
        assert_eq!(again(3), ". The 4 best with one seed are compared by the mean of 3");
    }

    #[test]
    fn the_luckiest_seed_does_not_win() {
        let contender = Contender::Baseline(Method::RFF_32);
        let merit = |gamma: f64| if gamma == 3.0 { 0.9 } else { 0.1 * gamma };
        let settings = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let settings =
            settings.map(|gamma| Chosen { contender, features: 4, gamma, merit: merit(gamma) });
        let mut trials = Vec::new();
        let best = best_of(settings.into(), &[8, 9], |_, gamma, seed| {
            trials.push((gamma, seed));
            Ok(Some(if gamma == 4.0 { 0.8 } else { 0.1 * gamma }))
        });
        let best = best.unwrap().unwrap();
        assert_eq!(best.gamma, 4.0);
        assert!((best.merit - 2.0 / 3.0).abs() < 1e-12);
        assert!(trials.iter().all(|(gamma, _)| (3.0..=6.0).contains(gamma)), "{trials:?}");
        assert_eq!(trials.len(), 2 * FINALISTS);
    }
}
