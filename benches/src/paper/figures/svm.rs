//! Support vector machines on features: accuracy and time against m/p (figures 10 to 12), and ReLU features against ternary
//! ones that imitate them (figure 14).

use std::error::Error;
use std::time::Instant;

use ternion::{Form, Policy};

use super::super::args::Args;
use super::super::baselines::Method;
use super::super::chart::{Panel, Series};
use super::super::contender::{Contender, Learner, Setting, Ternary};
use super::super::data::{Set, Targets};
use super::super::journal::Journal;
use super::super::kernel;
use super::super::progress::Progress;
use super::super::report::{mean_and_deviation, seconds, spread, table};
use super::{WIDTHS, write};

/// Most training samples of the exact machine, which keeps their kernel matrix.
const EXACT: usize = 2000;

/// Figures 10 to 12: features for each input from 2 to 8 and beyond.
pub fn against_inputs(
    args: &Args,
    figure: &str,
    set: &Set,
    journal: &mut Journal,
) -> Result<(), Box<dyn Error>> {
    let ratios: &[usize] = if args.quick { &[2, 4] } else { &[2, 4, 6, 8, 16] };
    let sizes: Vec<usize> = ratios.iter().map(|ratio| ratio * set.inputs).collect();
    let [local, _] = Ternary::local(set);
    let contenders = [
        Contender::Baseline(Method::SSF),
        Contender::Baseline(Method::RFF_32),
        Contender::Baseline(Method::ORF),
        Contender::Ternary(Ternary::GLOBAL[0]),
        Contender::Ternary(local),
    ];
    println!("\n## {}: support vector machines against m/p ({figure})\n", set.name);
    compare(args, figure, set, &contenders, &sizes, journal)?;
    exact_machine(args, set)
}

/// Figure 14: 1,024 pictures of clothes, 70 to 630 features.
pub fn arc_cosine(args: &Args, set: &Set, journal: &mut Journal) -> Result<(), Box<dyn Error>> {
    let set = set.truncate(1024, 1024);
    let sizes: &[usize] =
        if args.quick { &[70, 140] } else { &[70, 140, 210, 280, 350, 420, 490, 560, 630] };
    let relu = |name, policy| {
        let [plain, ..] = Ternary::GLOBAL;
        Contender::Ternary(Ternary { name, policy, form: Form::Stored, relu: true, ..plain })
    };
    let contenders = [
        Contender::Baseline(Method::RAMP),
        Contender::Baseline(Method::STEP),
        relu("TRF (ReLU), two bands", Policy::MinVariance),
        relu("TRF (ReLU), four bands", Policy::FourBand),
    ];
    println!("\n## {}: ReLU features and ternary ones that imitate them (figure-14)\n", set.name);
    compare(args, "figure-14", &set, &contenders, sizes, journal)
}

fn compare(
    args: &Args,
    figure: &str,
    set: &Set,
    contenders: &[Contender],
    sizes: &[usize],
    journal: &mut Journal,
) -> Result<(), Box<dyn Error>> {
    let widths: &[f64] = if args.quick { &WIDTHS[1..3] } else { &WIDTHS };
    let validation = set.validation(if args.quick { 800 } else { 8000 }, 2000);
    let middle = sizes[sizes.len() / 2];
    let seeds = args.seeds;
    let tunings = contenders.iter().filter(|contender| contender.has_width()).count();
    let runs = contenders.len() * sizes.len() * seeds as usize;
    let mut progress = Progress::new(tunings * widths.len() + runs);
    let (mut rows, mut accuracies, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for contender in contenders {
        let name = contender.name();
        let mut best = (f64::NEG_INFINITY, 1.0);
        if contender.has_width() {
            for &gamma in widths {
                progress.step(&format!("{figure}: width of {name}"));
                let setting = Setting { features: middle, gamma, seed: 1000 };
                if let Some(outcome) = journal.run(contender, &validation, Learner::Svm, setting)?
                    && outcome.score > best.0
                {
                    best = (outcome.score, gamma);
                }
            }
        }
        let (mut accuracy, mut time) = (Vec::new(), Vec::new());
        for &features in sizes {
            let (mut scores, mut spent) = (Vec::new(), [0.0; 2]);
            for seed in 0..seeds {
                progress.step(&format!("{figure}: {name}, {features} features"));
                let setting = Setting { features, gamma: best.1, seed };
                let outcome = journal.run(contender, set, Learner::Svm, setting)?;
                let outcome = outcome.ok_or_else(|| format!("{name} refuses {setting:?}"))?;
                scores.push(outcome.score);
                spent[0] += outcome.features / seeds as f64;
                spent[1] += outcome.fit / seeds as f64;
            }
            let width = if contender.has_width() { best.1.to_string() } else { "-".into() };
            let [features_time, fit_time] = spent;
            rows.push(vec![
                name.to_owned(),
                width,
                features.to_string(),
                (features * contender.bits()).to_string(),
                spread(&scores),
                seconds(features_time),
                seconds(fit_time),
            ]);
            accuracy.push((features as f64, mean_and_deviation(&scores).0));
            time.push((features as f64, features_time + fit_time));
        }
        accuracies.push(Series { name: name.to_owned(), points: accuracy });
        times.push(Series { name: name.to_owned(), points: time });
    }
    drop(progress);
    println!(
        "{} training and {} test samples of {} inputs.\n",
        set.train,
        set.len() - set.train,
        set.inputs
    );
    let header =
        ["method", "γ", "features", "bits per sample", "accuracy", "features, s", "fit, s"];
    println!("{}", table(&header, &rows));
    let title = format!("{figure}. {}, linear support vector machine", set.name);
    let panel = |y, series| Panel { x: "features", y, log: false, series };
    write(args, figure, &title, &[panel("accuracy", accuracies), panel("seconds", times)])
}

/// The exact kernel machine of two classes on some training samples, its width and cost chosen on a fifth of them.
fn exact_machine(args: &Args, set: &Set) -> Result<(), Box<dyn Error>> {
    let set = set.truncate(if args.quick { 800 } else { EXACT }, usize::MAX);
    let Targets::Classes(labels) = &set.targets else { return Ok(()) };
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
    let mut best = (f64::NEG_INFINITY, 1.0, 1.0);
    let widths: &[f64] = if args.quick { &WIDTHS[1..3] } else { &WIDTHS };
    for &gamma in widths {
        for cost in [1.0, 10.0] {
            let found = accuracy(kept, kept..set.train, gamma, cost);
            if found > best.0 {
                best = (found, gamma, cost);
            }
        }
    }
    let (_, gamma, cost) = best;
    let found = accuracy(set.train, set.train..set.len(), gamma, cost);
    println!(
        "\nThe exact Gaussian kernel machine on {} training samples (γ = {gamma}, C = {cost}, both chosen on a fifth of \
         them): accuracy {found:.4}, {} s.",
        set.train,
        seconds(start.elapsed().as_secs_f64())
    );
    Ok(())
}
