//! Accuracy or error against memory (figures 1 and 4, and the same for other sets): every method at the same bits per
//! sample, and at the same number of features.

use std::error::Error;
use std::io;

use super::super::args::Args;
use super::super::baselines::Method;
use super::super::chart::{Panel, Series};
use super::super::contender::{Contender, Learner, Outcome, Setting, Ternary};
use super::super::data::{Set, Targets};
use super::super::journal::Journal;
use super::super::progress::Progress;
use super::super::report::{mean_and_deviation, seconds, spread, table, verdict};
use super::choice::{Chosen, Place, choose, merit};
use super::write;

/// What to compare on a set.
pub struct Comparison<'a> {
    /// The name of the picture.
    pub figure: &'a str,
    /// How models are fitted.
    pub learner: Learner,
    /// Bits per sample.
    pub budgets: &'a [usize],
    /// Methods beside Ternion, with as many features as the budgets allow.
    pub baselines: &'a [Method],
    /// Features with which methods are compared at equal numbers, and these methods. The first is the float baseline: its
    /// width is the one that all share.
    pub equal: (usize, &'a [Method]),
}

/// Features that a fit can have here: their second moments take 8·m² bytes.
const MOST_FEATURES: usize = 10_000;

/// A row of a table.
struct Row {
    name: &'static str,
    features: usize,
    bits: usize,
    /// On held-out samples.
    merit: f64,
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

    fn cells(&self, seeds: u64) -> Vec<String> {
        let mean = |of: fn(&Outcome) -> f64| {
            seconds(self.outcomes.iter().map(of).sum::<f64>() / self.outcomes.len() as f64)
        };
        vec![
            self.name.into(),
            self.features.to_string(),
            self.bits.to_string(),
            spread(&self.scores(), seeds),
            mean(|outcome| outcome.features),
            mean(|outcome| outcome.fit),
        ]
    }
}

impl Comparison<'_> {
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
        let places = self.places(set);
        let chosen = choose(args, set, &places, journal)?;
        let (equal, methods) = self.equal;
        let float = Contender::Baseline(methods[0]);
        let is_float = |chosen: &&Chosen| chosen.contender == float && chosen.features == equal;
        let shared = chosen.iter().find(is_float).map_or(1.0, |chosen| chosen.gamma);
        let own = self.rows(args, set, &chosen, None, journal)?;
        let same = self.rows(args, set, &chosen, Some((shared, &own)), journal)?;
        let header = ["method", "features", "bits per sample", score, "features, s", "fit, s"];
        let cells = |rows: &[Row]| rows.iter().map(|row| row.cells(args.seeds)).collect::<Vec<_>>();
        println!(
            "The same kernel for all, γ = {shared}, that of {} with {equal} features:\n",
            float.name()
        );
        println!("{}", table(&header, &cells(&same)));
        self.say(set, &same);
        println!("\nEach with the width that suits it:\n");
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

    /// What is compared: at every budget each baseline, the paper's features, Ternion in the best of the forms that suit
    /// every set, and for images also in the best of those whose features see boxes; and methods with equal numbers of
    /// features.
    fn places(&self, set: &Set) -> Vec<Place> {
        let ternary = |forms: Vec<Ternary>| forms.into_iter().map(Contender::Ternary).collect();
        let baseline = |method: &Method| vec![Contender::Baseline(*method)];
        let mut groups: Vec<Vec<Contender>> = self.baselines.iter().map(baseline).collect();
        groups.push(vec![Contender::Ternary(Ternary::TRF)]);
        groups.push(ternary(Ternary::of_any_set()));
        groups.extend(set.picture.map(|shape| ternary(Ternary::of_boxes(shape))));
        let mut places = Vec::new();
        for budget in self.budgets {
            for group in &groups {
                let (name, features) = (group[0].name(), budget / group[0].bits());
                match features {
                    ..4 => println!(
                        "{name} is not compared at {budget} bits, which are too few for it."
                    ),
                    4..=MOST_FEATURES => places.push(Place { group: group.clone(), features }),
                    _ => println!(
                        "{name} is not compared at {budget} bits: {features} features exceed {MOST_FEATURES}, beyond \
                         which fits take too much memory."
                    ),
                }
            }
        }
        let (features, methods) = self.equal;
        for method in methods {
            let group = baseline(method);
            if !places.iter().any(|place| place.features == features && place.group == group) {
                places.push(Place { group, features });
            }
        }
        places
    }

    /// Every method at every budget. With a width for all, rows are taken from those of the methods' own widths where
    /// these are the same.
    fn rows(
        &self,
        args: &Args,
        set: &Set,
        chosen: &[Chosen],
        shared: Option<(f64, &[Row])>,
        journal: &mut Journal,
    ) -> io::Result<Vec<Row>> {
        let mut progress = Progress::new(chosen.len());
        let mut rows: Vec<Row> = Vec::new();
        for Chosen { contender, features, gamma, merit } in chosen {
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
                // Of fewer samples there are fewer landmarks.
                let bits = features.min(contender.most_features(set)) * contender.bits();
                rows.push(Row { name, features, bits, merit: *merit, outcomes });
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

    /// Says where Ternion wins and loses: at every budget its best row on held-out samples, not on those of the test.
    fn say(&self, set: &Set, rows: &[Row]) {
        let is_better = |a: f64, b: f64| merit(set, a) > merit(set, b);
        let say = |what: String, near: &dyn Fn(&&Row) -> bool| {
            let ours = rows.iter().filter(near).filter(|row| row.is_ternion());
            let Some(best) = ours.max_by(|a, b| a.merit.total_cmp(&b.merit)) else { return };
            let others = rows.iter().filter(near).filter(|row| !row.is_ternion());
            let others = others.map(|row| (row.name, row.mean()));
            let words = verdict(best.mean(), others, is_better);
            println!("- {what} {} has {:.4}. {words}", best.name, best.mean());
        };
        for &budget in self.budgets {
            let near = |row: &&Row| (0.9..=1.1).contains(&(row.bits as f64 / budget as f64));
            say(format!("At {budget} bits per sample"), &near);
        }
        let (equal, _) = self.equal;
        say(format!("At {equal} features"), &|row| row.features == equal);
    }
}
