//! Accuracy or error against memory (figures 1 and 4, and the same for other sets): every method at the same bits per
//! sample, and at the same number of features.

use core::cmp::Ordering;
use std::error::Error;
use std::io;

use super::super::args::Args;
use super::super::baselines::Method;
use super::super::chart::{Panel, Series};
use super::super::contender::{Contender, Learner, Outcome, Setting, Ternary};
use super::super::data::{Set, Targets};
use super::super::journal::Journal;
use super::super::progress::Progress;
use super::super::report::{mean_and_deviation, seconds, spread, table};
use super::write;

/// What to compare on a set.
pub struct Comparison {
    /// The name of the picture.
    pub figure: &'static str,
    /// How models are fitted.
    pub learner: Learner,
    /// Bits per sample.
    pub budgets: &'static [usize],
    /// Features with which RFF-32 is compared at equal numbers; its width is the one that all share.
    pub equal: usize,
    /// The methods beside Ternion.
    pub baselines: &'static [Method],
}

/// A method with so many features and the width that suits them.
struct Tuned {
    contender: Contender,
    features: usize,
    gamma: f64,
    /// Its score on held-out samples.
    score: f64,
}

/// Widths to choose from on pictures.
const PICTURE_WIDTHS: [f64; 7] = [0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0];

/// Widths to choose from on tables, whose classes may be finely interleaved.
const TABLE_WIDTHS: [f64; 10] = [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// Most features with which widths are chosen: beyond, the best width hardly changes.
const MOST_TUNED: usize = 1024;

/// Most features with which forms of Ternion are chosen. Of forms, what is best for a quarter of the features is not for
/// all: with 1024 four bands beat a periodic σ on MNIST, with 4096 they lose.
const MOST_TUNED_TERNARY: usize = 4096;

/// Seeds of the settings to choose from: one for all, then the others too for those that were best. A seed decides more than a
/// width that is nearly right, and of many settings the one with the luckiest seed would win.
const SEEDS_TUNED: [u64; 3] = [1000, 1001, 1002];

/// Settings that are compared again with other seeds.
const FINALISTS: usize = 4;

/// Samples that widths and forms are chosen with, to train on and held out.
const TUNED_ON: (usize, usize) = (20_000, 10_000);

/// Features that a fit can have here: the factor of their second moments takes 8·m² bytes.
const MOST_FEATURES: usize = 10_000;

/// A row of a table.
struct Row {
    name: &'static str,
    features: usize,
    bits: usize,
    outcomes: Vec<Outcome>,
}

impl Row {
    fn scores(&self) -> Vec<f64> {
        self.outcomes.iter().map(|outcome| outcome.score).collect()
    }

    fn mean(&self) -> f64 {
        mean_and_deviation(&self.scores()).0
    }

    fn is_ternion(&self) -> bool {
        self.name.starts_with("Ternion")
    }

    fn cells(&self) -> Vec<String> {
        let mean = |of: fn(&Outcome) -> f64| {
            seconds(self.outcomes.iter().map(of).sum::<f64>() / self.outcomes.len() as f64)
        };
        vec![
            self.name.into(),
            self.features.to_string(),
            self.bits.to_string(),
            spread(&self.scores()),
            mean(|outcome| outcome.features),
            mean(|outcome| outcome.fit),
        ]
    }
}

impl Comparison {
    /// Chooses widths and forms on held-out training samples, then compares on the test samples.
    pub fn run(&self, args: &Args, set: &Set, journal: &mut Journal) -> Result<(), Box<dyn Error>> {
        let score = match set.targets {
            Targets::Classes(_) => "accuracy",
            Targets::Numbers(_) => "MSE",
        };
        println!(
            "\n## {}: {score} against memory, {}\n\n{} training and {} test samples of {} inputs.\n",
            set.name,
            match self.learner {
                Learner::Ridge => "ridge".to_owned(),
                Learner::Logistic(epochs) =>
                    format!("logistic regression in {epochs} epochs of mini-batches of 250"),
                Learner::Svm => "support vector machine".to_owned(),
            },
            set.train,
            set.len() - set.train,
            set.inputs
        );
        let tuned = self.tune(args, set, journal)?;
        // The last is the float baseline with as many features as Ternion.
        let shared = tuned.last().map_or(1.0, |tuned| tuned.gamma);
        let own = self.rows(args, set, &tuned, None, journal)?;
        let same = self.rows(args, set, &tuned, Some((shared, &own)), journal)?;
        let header = ["method", "features", "bits per sample", score, "features, s", "fit, s"];
        let cells = |rows: &[Row]| rows.iter().map(Row::cells).collect::<Vec<_>>();
        println!("The same kernel for all, γ = {shared}, that of RFF-32:\n");
        println!("{}", table(&header, &cells(&same)));
        println!("Each with the width that suits it:\n");
        println!("{}", table(&header, &cells(&own)));
        self.say(set, &own);
        let mut series: Vec<Series> = Vec::new();
        for row in &own {
            let point = (row.bits as f64, row.mean());
            match series.iter_mut().find(|series| series.name == row.name) {
                Some(series) => series.points.push(point),
                None => series.push(Series { name: row.name.into(), points: vec![point] }),
            }
        }
        series.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
        let panel = Panel { x: "bits per sample", y: score, log: true, series };
        write(args, self.figure, &format!("{}: {score} against memory", set.name), &[panel])
    }

    /// At every budget the width of each baseline, and Ternion's best form and width; for images also the best of those
    /// whose features see boxes. Last, RFF-32 with as many features as Ternion.
    fn tune(&self, args: &Args, set: &Set, journal: &mut Journal) -> io::Result<Vec<Tuned>> {
        let (train, held) = if args.quick { (800, 200) } else { TUNED_ON };
        let validation = set.validation(train, held);
        let ternary = |forms: &[Ternary]| forms.iter().copied().map(Contender::Ternary).collect();
        let baseline = |method: &Method| vec![Contender::Baseline(*method)];
        let mut groups: Vec<Vec<Contender>> = self.baselines.iter().map(baseline).collect();
        let mut all = [&[Ternary::STRUCTURED][..], &Ternary::GLOBAL, &Ternary::SUBSETS].concat();
        match set.picture {
            None => groups.push(ternary(&all)),
            Some(shape) => {
                all.push(Ternary::UNIT_NORMS);
                groups.push(ternary(&all));
                let boxes = [&Ternary::local(set)[..], &[Ternary::more_boxes(shape)]].concat();
                groups.push(ternary(&boxes));
            }
        }
        let mut places: Vec<(&[Contender], usize)> = Vec::new();
        for budget in self.budgets {
            places.extend(groups.iter().map(|group| (group.as_slice(), budget / group[0].bits())));
        }
        places.retain(|(_, features)| (4..=MOST_FEATURES).contains(features));
        let float = baseline(&Method::RFF_32);
        places.push((&float, self.equal));

        let widths = match (args.quick, set.picture) {
            (true, _) => &TABLE_WIDTHS[2..5],
            (_, Some(_)) => &PICTURE_WIDTHS[..],
            _ => &TABLE_WIDTHS[..],
        };
        let all: usize = places.iter().map(|(group, _)| group.len() * widths.len()).sum();
        let seeds = if args.quick { &SEEDS_TUNED[..1] } else { &SEEDS_TUNED };
        let again = FINALISTS * (seeds.len() - 1);
        let mut progress = Progress::new(all + again * places.len());
        let mut rows = Vec::new();
        let mut chosen = Vec::new();
        for (group, features) in places {
            let settings = group.iter().flat_map(|&contender| {
                widths.iter().map(move |&gamma| Tuned { contender, features, gamma, score: 0.0 })
            });
            let trial = |tuned: &Tuned, seed| {
                let Tuned { contender, features, gamma, .. } = *tuned;
                progress.step(&format!("{}: width of {}", set.name, contender.name()));
                let features = features.min(match contender {
                    Contender::Baseline(_) => MOST_TUNED,
                    Contender::Ternary(_) => MOST_TUNED_TERNARY,
                });
                let setting = Setting { features, gamma, seed };
                journal.run(&contender, &validation, Learner::Ridge, setting)
            };
            let best = best_of(set, settings.collect(), seeds, trial)?;
            if let Some(best) = best {
                let (name, gamma, score) = (best.contender.name(), best.gamma, best.score);
                progress.found(&format!("{name}, {features} features: γ = {gamma}, {score:.4}"));
                rows.push(vec![
                    name.to_owned(),
                    features.to_string(),
                    gamma.to_string(),
                    format!("{score:.4}"),
                ]);
                chosen.push(best);
            }
        }
        drop(progress);
        println!(
            "Chosen on {} held-out training samples, by ridge on {} others with these features, at most {MOST_TUNED} \
             ({MOST_TUNED_TERNARY} for Ternion, whose form is chosen too). The {FINALISTS} best with one seed are compared \
             by the mean of {}:\n\n{}",
            validation.len() - validation.train,
            validation.train,
            seeds.len(),
            table(&["method", "features", "γ", "score"], &rows)
        );
        Ok(chosen)
    }

    /// Every method at every budget. With a width for all, rows are taken from those of the methods' own widths where
    /// these are the same.
    fn rows(
        &self,
        args: &Args,
        set: &Set,
        tuned: &[Tuned],
        shared: Option<(f64, &[Row])>,
        journal: &mut Journal,
    ) -> io::Result<Vec<Row>> {
        let mut progress = Progress::new(tuned.len());
        let mut rows: Vec<Row> = Vec::new();
        for Tuned { contender, features, gamma, .. } in tuned {
            let (name, features) = (contender.name(), *features);
            progress.step(&format!("{}: {name}, {features} features", set.name));
            let gamma = match shared {
                Some((shared, own)) if shared == *gamma => {
                    let row = own.iter().find(|row| row.name == name && row.features == features);
                    rows.extend(row.map(|row| Row { outcomes: row.outcomes.clone(), ..*row }));
                    continue;
                }
                Some((shared, _)) => shared,
                None => *gamma,
            };
            let mut outcomes = Vec::new();
            for seed in 0..self.seeds(args, set, contender, features, shared.is_none()) {
                let setting = Setting { features, gamma, seed };
                let outcome = journal.run(contender, set, self.learner, setting)?;
                let found = outcome.map_or_else(
                    || "refused".to_owned(),
                    |Outcome { score, features, fit }| {
                        format!("{score:.4}, {} + {} s", seconds(features), seconds(fit))
                    },
                );
                progress.found(&format!(
                    "{name}, {features} features, γ = {gamma}, seed {seed}: {found}"
                ));
                let Some(outcome) = outcome else { break };
                outcomes.push(outcome);
            }
            if !outcomes.is_empty() {
                rows.push(Row { name, features, bits: features * contender.bits(), outcomes });
            }
        }
        Ok(rows)
    }

    /// Seeds, fewer for fits that take minutes, and fewer again at a width that is not the method's own.
    fn seeds(
        &self,
        args: &Args,
        set: &Set,
        contender: &Contender,
        features: usize,
        is_own: bool,
    ) -> u64 {
        let (m, samples) = (features as f64, set.train as f64);
        // In units of the fits of which there is one seed; of a third as much there are two.
        let cost = match (self.learner, contender) {
            // The features of every sample, once an epoch.
            (Learner::Logistic(epochs), Contender::Baseline(_)) => {
                epochs as f64 * samples * m / 1e10
            }
            (Learner::Logistic(epochs), Contender::Ternary(_)) => {
                epochs as f64 * samples * m / 5e10
            }
            // Second moments, and the factorisations of which the ridge parameter is chosen.
            (_, Contender::Baseline(_)) => (samples + 2.0 * m) * m.powi(2) / 3e12,
            (_, Contender::Ternary(_)) => (samples + 2.0 * m) * m.powi(2) / 2e14,
        };
        let most = match if is_own { cost } else { 5.0 * cost } {
            1.0.. => 1,
            0.3.. => 2,
            _ => args.seeds,
        };
        most.min(args.seeds)
    }

    /// Says at which budgets Ternion wins and loses.
    fn say(&self, set: &Set, rows: &[Row]) {
        for &budget in self.budgets {
            let near = |row: &&Row| {
                let bits = row.bits as f64 / budget as f64;
                (0.9..=1.1).contains(&bits)
            };
            let ours = rows.iter().filter(near).filter(|row| row.is_ternion());
            let best = ours.reduce(|a, b| if is_better(set, b.mean(), a.mean()) { b } else { a });
            let Some(best) = best else { continue };
            let others: Vec<&Row> =
                rows.iter().filter(near).filter(|row| !row.is_ternion()).collect();
            let names = |better: bool| -> String {
                let matching =
                    others.iter().filter(|row| is_better(set, best.mean(), row.mean()) == better);
                let names: Vec<String> =
                    matching.map(|row| format!("{} ({:.4})", row.name, row.mean())).collect();
                if names.is_empty() { "none".into() } else { names.join(", ") }
            };
            println!(
                "- At {budget} bits per sample {} has {:.4}. It beats {}. It loses to {}.",
                best.name,
                best.mean(),
                names(true),
                names(false)
            );
        }
        let equal = rows.iter().filter(|row| row.features == self.equal);
        let words: Vec<String> =
            equal.map(|row| format!("{} {:.4}", row.name, row.mean())).collect();
        println!("- At {} features each: {}.", self.equal, words.join(", "));
    }
}

/// The best of some settings by their mean scores: of all with the first seed, then of those that were best with all seeds.
fn best_of(
    set: &Set,
    mut settings: Vec<Tuned>,
    seeds: &[u64],
    mut trial: impl FnMut(&Tuned, u64) -> io::Result<Option<Outcome>>,
) -> io::Result<Option<Tuned>> {
    for count in 1..=seeds.len() {
        let mut compared = Vec::new();
        for mut tuned in settings {
            // A policy may refuse a width that it cannot imitate.
            if let Some(Outcome { score, .. }) = trial(&tuned, seeds[count - 1])? {
                tuned.score += (score - tuned.score) / count as f64;
                compared.push(tuned);
            }
        }
        compared.sort_by(|a, b| best_first(set, a.score, b.score));
        compared.truncate(FINALISTS);
        settings = compared;
    }
    Ok(settings.into_iter().next())
}

fn is_better(set: &Set, a: f64, b: f64) -> bool {
    best_first(set, a, b).is_lt()
}

/// The order of scores from the best to the worst: accuracies fall, errors grow.
fn best_first(set: &Set, a: f64, b: f64) -> Ordering {
    match set.targets {
        Targets::Classes(_) => b.total_cmp(&a),
        Targets::Numbers(_) => a.total_cmp(&b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::data::mixture;

    #[test]
    fn the_luckiest_seed_does_not_win() {
        let set = mixture(4, 20, 10, 0.6, 1);
        let settings = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0].map(|gamma| {
            let contender = Contender::Baseline(Method::RFF_32);
            Tuned { contender, features: 4, gamma, score: 0.0 }
        });
        let mut trials = Vec::new();
        let best = best_of(&set, settings.into(), &[7, 8, 9], |tuned, seed| {
            trials.push((tuned.gamma, seed));
            let score = match (tuned.gamma, seed) {
                (6.0, _) => return Ok(None),
                (3.0, 7) => 0.9,
                (2.0, _) => 0.8,
                (gamma, _) => 0.1 * gamma,
            };
            Ok(Some(Outcome { score, features: 0.0, fit: 0.0 }))
        });
        let best = best.unwrap().unwrap();
        assert_eq!(best.gamma, 2.0);
        assert!((best.score - 0.8).abs() < 1e-12);
        assert!(trials[6..].iter().all(|(gamma, _)| (2.0..6.0).contains(gamma)), "{trials:?}");
        assert_eq!(trials.len(), 6 + 2 * FINALISTS);
    }
}
