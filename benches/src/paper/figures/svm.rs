//! Support vector machines on features: accuracy and time against m/p (figures 10 to 12), and ReLU features against ternary
//! ones that imitate them (figure 14).

use core::convert::Infallible;
use std::error::Error;
use std::io;
use std::time::Instant;

use ternion::Policy;

use super::super::args::Args;
use super::super::baselines::Method;
use super::super::chart::{Panel, Series};
use super::super::contender::{Contender, Learner, Setting, Ternary};
use super::super::data::Set;
use super::super::journal::Journal;
use super::super::kernel;
use super::super::progress::Progress;
use super::super::report::{mean_and_deviation, seconds, spread, table, verdict};
use super::choice::Trials;
use super::width::Scale;
use super::write;

/// Training samples by which widths are chosen, and held-out ones.
const HELD_OUT: (usize, usize) = (8000, 2000);

/// Most training samples of the exact machine, which keeps their kernel matrix.
const EXACT: usize = 2000;

/// What to compare.
struct Machines<'a> {
    figure: &'a str,
    contenders: &'a [Contender],
    /// Features of each model.
    sizes: &'a [usize],
    /// What the picture has to the right, and how many features are 1 of it.
    right: (&'static str, usize),
    /// The contender whose width all share in one of two tables; if none, no contender has a width.
    shared: Option<usize>,
}

/// Figures 10 to 12: features for each input from 2 to 8 and beyond.
pub fn against_inputs(
    args: &Args,
    figure: &str,
    set: &Set,
    journal: &mut Journal,
) -> Result<(), Box<dyn Error>> {
    let ratios: &[usize] = if args.quick { &[2, 4] } else { &[2, 4, 6, 8, 16] };
    let sizes: Vec<usize> = ratios.iter().map(|ratio| ratio * set.inputs).collect();
    let contenders = [
        Contender::Baseline(Method::RFF_32),
        Contender::Baseline(Method::SSF),
        Contender::Baseline(Method::ORF),
        Contender::Ternary(Ternary::TRF),
        Contender::Ternary(Ternary::PERIODIC),
        Contender::Ternary(Ternary::SUBSETS),
    ];
    println!("\n## {}: support vector machines against m/p ({figure})\n", set.name);
    let right = ("features per input, m/p", set.inputs);
    let machines =
        Machines { figure, contenders: &contenders, sizes: &sizes, right, shared: Some(0) };
    machines.compare(args, set, journal)?;
    exact_machine(args, set)
}

/// Figure 14: 1,024 pictures of clothes, 70 to 630 features.
pub fn arc_cosine(args: &Args, set: &Set, journal: &mut Journal) -> Result<(), Box<dyn Error>> {
    let set = set.truncate(1024, 1024);
    let sizes: &[usize] =
        if args.quick { &[70, 140] } else { &[70, 140, 210, 280, 350, 420, 490, 560, 630] };
    let relu =
        |name, policy| Contender::Ternary(Ternary { name, policy, relu: true, ..Ternary::TRF });
    let contenders = [
        Contender::Baseline(Method::RAMP),
        Contender::Baseline(Method::STEP),
        relu("TRF (ReLU), two bands", Policy::MinVariance),
        relu("Ternion (ReLU), four bands", Policy::FourBand),
    ];
    println!("\n## {}: ReLU features and ternary ones that imitate them (figure-14)\n", set.name);
    let (figure, right) = ("figure-14", ("features", 1));
    Machines { figure, contenders: &contenders, sizes, right, shared: None }
        .compare(args, &set, journal)
}

/// A contender with a width.
struct Line {
    contender: Contender,
    gamma: Option<f64>,
    points: Vec<Point>,
}

/// So many features.
struct Point {
    features: usize,
    /// Of all seeds.
    scores: Vec<f64>,
    /// For the features, and for the fit.
    seconds: [f64; 2],
}

impl Machines<'_> {
    fn compare(&self, args: &Args, set: &Set, journal: &mut Journal) -> Result<(), Box<dyn Error>> {
        println!(
            "{} training and {} test samples of {} inputs.\n",
            set.train,
            set.len() - set.train,
            set.inputs
        );
        let widths = self.widths(args, set, journal)?;
        let tables = if self.shared.is_some() { 2 } else { 1 };
        let steps = tables * self.contenders.len() * self.sizes.len() * args.seeds as usize;
        let mut progress = Progress::new(steps);
        let own = self.lines(args, set, journal, &widths, &mut progress)?;
        if let Some(shared) = self.shared.and_then(|at| widths[at]) {
            let same = vec![Some(shared); widths.len()];
            let same = self.lines(args, set, journal, &same, &mut progress)?;
            println!("\nThe same kernel for all:\n");
            self.print(args, &same);
            println!("Each with the width that suits it:\n");
        }
        self.print(args, &own);
        drop(progress);
        let (x, unit) = self.right;
        let series = |y: fn(&Point) -> f64| {
            own.iter()
                .map(|Line { contender, points, .. }| Series {
                    name: contender.name().to_owned(),
                    points: points
                        .iter()
                        .map(|point| (point.features as f64 / unit as f64, y(point)))
                        .collect(),
                })
                .collect()
        };
        let panel = |y, series| Panel { x, y, log: false, series };
        let title = format!("{}. {}, linear support vector machine", self.figure, set.name);
        let accuracy = panel("accuracy", series(|point| mean_and_deviation(&point.scores).0));
        let time = panel("seconds", series(|point| point.seconds.iter().sum()));
        write(args, self.figure, &title, &[accuracy, time])
    }

    /// The width that suits each contender with the middle number of features, on samples held out.
    fn widths(
        &self,
        args: &Args,
        set: &Set,
        journal: &mut Journal,
    ) -> Result<Vec<Option<f64>>, Box<dyn Error>> {
        let trials = Trials::new(args, set, Learner::Svm, HELD_OUT);
        let features = self.sizes[self.sizes.len() / 2];
        let mut progress = Progress::new(self.contenders.len());
        let width = |contender: &Contender| {
            if !contender.has_width() {
                return Ok(None);
            }
            let best = trials.best(&[*contender], features, journal, |contender| {
                progress.step(&format!("{}: width of {}", self.figure, contender.name()));
            })?;
            let refused = || format!("{} refuses every width", contender.name());
            Ok(Some(best.ok_or_else(refused)?.gamma))
        };
        self.contenders.iter().map(width).collect()
    }

    /// Every contender that does not refuse its width.
    fn lines(
        &self,
        args: &Args,
        set: &Set,
        journal: &mut Journal,
        widths: &[Option<f64>],
        progress: &mut Progress,
    ) -> io::Result<Vec<Line>> {
        let seeds = args.seeds;
        let mut lines = Vec::new();
        'contenders: for (&contender, &gamma) in self.contenders.iter().zip(widths) {
            let name = contender.name();
            let mut points = Vec::new();
            for &features in self.sizes {
                let (mut scores, mut spent) = (Vec::new(), [0.0; 2]);
                for seed in 0..seeds {
                    progress.step(&format!("{}: {name}, {features} features", self.figure));
                    let setting = Setting { features, gamma: gamma.unwrap_or(1.0), seed };
                    let outcome = journal.run(&contender, set, Learner::Svm, setting)?;
                    let Some(outcome) = outcome else {
                        println!("{name} refuses γ = {}.", setting.gamma);
                        continue 'contenders;
                    };
                    scores.push(outcome.score);
                    spent[0] += outcome.features / seeds as f64;
                    spent[1] += outcome.fit / seeds as f64;
                }
                points.push(Point { features, scores, seconds: spent });
            }
            lines.push(Line { contender, gamma, points });
        }
        Ok(lines)
    }

    /// A table, and where Ternion wins and loses at equal numbers of features.
    fn print(&self, args: &Args, lines: &[Line]) {
        let rows = lines.iter().flat_map(|Line { contender, gamma, points }| {
            points.iter().map(move |Point { features, scores, seconds: [map, fit] }| {
                vec![
                    contender.name().to_owned(),
                    gamma.map_or_else(|| "-".to_owned(), |gamma| gamma.to_string()),
                    features.to_string(),
                    (features * contender.bits()).to_string(),
                    spread(scores, args.seeds),
                    seconds(*map),
                    seconds(*fit),
                ]
            })
        });
        let header =
            ["method", "γ", "features", "bits per sample", "accuracy", "features, s", "fit, s"];
        println!("{}", table(&header, &rows.collect::<Vec<_>>()));
        for (at, features) in self.sizes.iter().enumerate() {
            let mean = |line: &Line| mean_and_deviation(&line.points[at].scores).0;
            let is_ours = |line: &&Line| matches!(line.contender, Contender::Ternary(_));
            let others = lines.iter().filter(|line| !is_ours(line));
            let others = others.map(|line| (line.contender.name(), mean(line)));
            for line in lines.iter().filter(is_ours) {
                let (name, score) = (line.contender.name(), mean(line));
                let words = verdict(score, others.clone(), |ours, theirs| ours > theirs);
                println!("- At {features} features {name} has {score:.4}. {words}");
            }
        }
        println!();
    }
}

/// The exact kernel machine of two classes on some training samples, its width and cost chosen on a fifth of them.
fn exact_machine(args: &Args, set: &Set) -> Result<(), Box<dyn Error>> {
    let set = set.truncate(if args.quick { 800 } else { EXACT }, usize::MAX);
    let labels = set.labels()?;
    let start = Instant::now();
    let is_positive: Vec<bool> = labels.iter().map(|&label| label == 1).collect();
    let accuracy = |train: usize, test: core::ops::Range<usize>, gamma: f64, cost: f32| {
        let (x, p) = (set.rows(0..train), set.inputs);
        let gram = kernel::gaussian(gamma, x, x, p);
        let coefficients = kernel::support_vectors(&gram, &is_positive[..train], cost);
        let cross = kernel::gaussian(gamma, set.rows(test.clone()), x, p);
        let scores = kernel::scores(&cross, &coefficients);
        let right = scores.iter().zip(&is_positive[test.clone()]);
        right.filter(|(score, positive)| (**score > 0.0) == **positive).count() as f64
            / test.len() as f64
    };
    let kept = set.train - set.train / 5;
    let mut best: Option<(f64, f64, f32)> = None;
    for cost in [1.0, 10.0] {
        let found = Scale::new(1, args.quick)
            .best(|gamma| Ok::<_, Infallible>(Some(accuracy(kept, kept..set.train, gamma, cost))));
        let Ok(Some((gamma, found))) = found else { continue };
        if best.is_none_or(|(most, ..)| found > most) {
            best = Some((found, gamma, cost));
        }
    }
    let (_, gamma, cost) = best.ok_or("no width of the exact machine has a score")?;
    let found = accuracy(set.train, set.train..set.len(), gamma, cost);
    println!(
        "\nThe exact Gaussian kernel machine on {} training samples (γ = {gamma}, C = {cost}, both chosen on a fifth of \
         them): accuracy {found:.4}, {} s.",
        set.train,
        seconds(start.elapsed().as_secs_f64())
    );
    Ok(())
}
