//! Ridge in its kernel form: error on test samples against the ridge parameter, and time against sparsity (figures 3 and 5
//! to 9).

use std::error::Error;
use std::time::Instant;

use ternion::Matrix;
use ternion::learn::KernelRidge;

use super::super::args::Args;
use super::super::baselines::Method;
use super::super::chart::{Panel, Series};
use super::super::contender::{Contender, Setting, Ternary};
use super::super::data::{self, Pictures, Random, Set, Targets};
use super::super::kernel;
use super::super::progress::Progress;
use super::super::report::{counted, seconds, spread, table, verdict};
use super::width::Scale;
use super::write;

/// Training and test samples, as in the paper.
const TRAIN: usize = 1024;
const TEST: usize = 512;

/// Sparsities ε of the paper's form.
const SPARSITIES: [(&str, f64); 5] = [
    ("TRF ε = 0.1", 0.1),
    ("TRF ε = 0.3", 0.3),
    ("TRF ε = 0.5", 0.5),
    ("TRF ε = 0.7", 0.7),
    ("TRF ε = 0.9", 0.9),
];

/// Ridge parameters, in units of the eigenvalues of the n × n kernel matrix.
fn gammas() -> Vec<f64> {
    (-8..=4).map(|k| 10f64.powf(f64::from(k) / 2.0)).collect()
}

/// A method of these figures.
#[derive(Clone, Copy)]
enum Kernel {
    /// The exact Gaussian kernel.
    Exact,
    /// That of features.
    Features(Contender),
}

impl Kernel {
    fn name(&self) -> &'static str {
        match self {
            Self::Exact => "KRR",
            Self::Features(contender) => contender.name(),
        }
    }

    /// The MSE on the test samples for every ridge parameter, and the seconds that the kernel took.
    fn errors(&self, set: &Set, setting: Setting) -> Result<(Vec<f64>, f64), ternion::Error> {
        let (gram, cross, seconds) = match self {
            Self::Exact => {
                let start = Instant::now();
                let (train, test) = (set.rows(0..set.train), set.rows(set.train..set.len()));
                let of = |x| kernel::gaussian(setting.gamma, x, train, set.inputs);
                let gram = Matrix::from_vec(set.train, set.train, of(train))?;
                let cross = Matrix::from_vec(set.len() - set.train, set.train, of(test))?;
                (gram, cross, start.elapsed().as_secs_f64())
            }
            Self::Features(contender) => contender.kernels(set, setting)?,
        };
        let labels = set.labels()?;
        let signs: Vec<f32> = labels.iter().map(|&label| 2.0 * label as f32 - 1.0).collect();
        let targets = Matrix::from_vec(set.train, 1, signs[..set.train].to_vec())?;
        let error = |gamma: f64| {
            let model = KernelRidge::absolute(gamma)?.fit(&gram, &targets)?;
            let found = model.predict(&cross)?;
            let pairs = found.as_slice().iter().zip(&signs[set.train..]);
            let squares: f64 = pairs.map(|(y, sign)| f64::from(y - sign).powi(2)).sum();
            Ok::<f64, ternion::Error>(squares / (set.len() - set.train) as f64)
        };
        // A kernel that is singular up to rounding has no solution for the smallest parameters.
        let errors = gammas().into_iter().map(|gamma| error(gamma).unwrap_or(f64::NAN)).collect();
        Ok((errors, seconds))
    }
}

/// Draws the samples of a seed; `true` asks for samples to choose parameters on instead of the test.
type Draw<'a> = &'a dyn Fn(u64, bool) -> Set;

/// Figures 5 to 7.
pub fn mixture(args: &Args) -> Result<(), Box<dyn Error>> {
    let draw = |seed, choose| {
        let seed = if choose { seed + 1000 } else { seed };
        data::mixture(512, TRAIN, TEST, 0.12, seed)
    };
    let figures: &[_] = if args.quick { &[(5, 512)] } else { &[(5, 512), (6, 4096), (7, 10_000)] };
    compare(args, "Gaussian mixture, p = 512", figures, &draw)
}

/// Figures 3, 8 and 9.
pub fn mnist79(args: &Args) -> Result<(), Box<dyn Error>> {
    let all = data::pictures(&args.data, Pictures::Mnist)?;
    let labels = all.labels()?;
    let wanted = |range: core::ops::Range<usize>| -> Vec<usize> {
        range.filter(|&i| matches!(labels[i], 7 | 9)).collect()
    };
    let (pool, tests) = (wanted(0..all.train), wanted(all.train..all.len()));
    let draw = |seed, choose: bool| {
        let pick = |from: &[usize], skip: usize, count: usize| -> Vec<usize> {
            let order = Random::new(seed).order(from.len());
            order.into_iter().skip(skip).take(count).map(|at| from[at]).collect()
        };
        let mut samples = pick(&pool, 0, TRAIN);
        samples.extend(if choose { pick(&pool, TRAIN, TEST) } else { pick(&tests, 0, TEST) });
        let mut set = all.select(&samples, TRAIN).prepared(false);
        if let Targets::Classes(labels) = &mut set.targets {
            labels.iter_mut().for_each(|label| *label = usize::from(*label == 9));
        }
        set
    };
    let figures: &[_] =
        if args.quick { &[(8, 512)] } else { &[(8, 512), (9, 10_000), (3, 50_000)] };
    compare(args, "MNIST, 7 against 9", figures, &draw)
}

fn compare(
    args: &Args,
    title: &str,
    figures: &[(u32, usize)],
    draw: Draw<'_>,
) -> Result<(), Box<dyn Error>> {
    println!(
        "\n## {title}: MSE of ridge against its parameter\n\n{TRAIN} training and {TEST} test samples.\n"
    );
    let (shared, suited) = choose(args, title, draw)?;
    for &(figure, features) in figures {
        let rff = Kernel::Features(Contender::Baseline(Method::RFF_32));
        let of = |kernel: Kernel, gamma| Curve { name: kernel.name().to_owned(), kernel, gamma };
        let mut curves = vec![of(Kernel::Exact, shared), of(rff, shared)];
        curves.extend(SPARSITIES.map(|(name, sparsity)| {
            of(Kernel::Features(Contender::Ternary(Ternary::two_bands(name, sparsity))), shared)
        }));
        for &(contender, gamma) in &suited {
            let name = match contender {
                Contender::Baseline(_) => format!("{}, its own γ", contender.name()),
                Contender::Ternary(_) => contender.name().to_owned(),
            };
            curves.push(Curve { name, kernel: Kernel::Features(contender), gamma });
        }
        draw_figure(args, title, (figure, features), &curves, draw)?;
    }
    Ok(())
}

/// What a line of a figure is of.
struct Curve {
    name: String,
    kernel: Kernel,
    gamma: f64,
}

impl Curve {
    fn is_ours(&self) -> bool {
        matches!(self.kernel, Kernel::Features(Contender::Ternary(_)))
    }
}

/// RFF and Ternion's best form, each with the width that suits it.
type Suited = [(Contender, f64); 2];

/// The width of the exact kernel; RFF and Ternion's best form, each with the width that suits it; by the least MSE on samples
/// held out.
fn choose(args: &Args, title: &str, draw: Draw<'_>) -> Result<(f64, Suited), Box<dyn Error>> {
    let sets: Vec<Set> = (0..if args.quick { 1 } else { 3 }).map(|seed| draw(seed, true)).collect();
    let features = if args.quick { 512 } else { 4096 };
    let mut forms = Ternary::of_any_set();
    forms.extend(sets[0].picture.into_iter().flat_map(Ternary::of_boxes));
    // A part of each word of features has no Gram matrix of its own.
    forms.retain(Ternary::is_whole);
    let mut progress = Progress::new(2 + forms.len());
    let mut least = |kernel: Kernel| -> Result<(f64, f64), Box<dyn Error>> {
        progress.step(&format!("{title}: width of {}", kernel.name()));
        let best = Scale::new(1, args.quick).best(|gamma| {
            // A W of its own for each: of many forms the one with the luckiest W would win.
            let error = |(set, seed): (&Set, u64)| {
                let setting = Setting { features, gamma, seed };
                let found = kernel.errors(set, setting).map(|(errors, _)| errors);
                Ok(found?.into_iter().fold(f64::INFINITY, f64::min))
            };
            let errors: Result<Vec<f64>, ternion::Error> =
                sets.iter().zip(1000..).map(error).collect();
            match errors {
                Ok(errors) => Ok(Some(-errors.iter().sum::<f64>() / errors.len() as f64)),
                // A policy may refuse a width that it cannot imitate.
                Err(ternion::Error::Solve(_)) => Ok(None),
                Err(error) => Err(error),
            }
        });
        best?.ok_or_else(|| format!("{} refuses every width", kernel.name()).into())
    };
    let exact = least(Kernel::Exact)?;
    let contenders = core::iter::once(Contender::Baseline(Method::RFF_32))
        .chain(forms.into_iter().map(Contender::Ternary));
    let found = contenders
        .map(|contender| Ok((contender, least(Kernel::Features(contender))?)))
        .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    drop(progress);
    let row = |name: &str, (gamma, merit): (f64, f64)| {
        vec![name.to_owned(), gamma.to_string(), format!("{:.4}", -merit)]
    };
    let mut rows = vec![row("KRR", exact)];
    rows.extend(found.iter().map(|(contender, best)| row(contender.name(), *best)));
    println!(
        "Chosen on {} of {TEST} samples that are not tested on, {features} features:\n\n{}",
        counted(sets.len(), "draw"),
        table(&["method", "γ of the kernel", "least MSE"], &rows)
    );
    let (rff, ours) = (found[0], &found[1..]);
    let best = ours.iter().max_by(|a, b| a.1.1.total_cmp(&b.1.1));
    let best = best.ok_or("no form of features could be fitted")?;
    Ok((exact.0, [(rff.0, rff.1.0), (best.0, best.1.0)]))
}

fn draw_figure(
    args: &Args,
    title: &str,
    (figure, features): (u32, usize),
    curves: &[Curve],
    draw: Draw<'_>,
) -> Result<(), Box<dyn Error>> {
    let (parameters, seeds) = (gammas(), args.seeds);
    let mut progress = Progress::new(seeds as usize * curves.len());
    // Of each method: for every parameter the errors of all seeds; and the times.
    let mut errors = vec![vec![Vec::new(); parameters.len()]; curves.len()];
    let mut times = vec![Vec::new(); curves.len()];
    let mut chosen = vec![Vec::new(); curves.len()];
    for seed in 0..seeds {
        let (set, held) = (draw(seed, false), draw(seed, true));
        for (at, Curve { name, kernel, gamma }) in curves.iter().enumerate() {
            progress.step(&format!("figure {figure}: {name}, seed {seed}"));
            let setting = Setting { features, gamma: *gamma, seed };
            let (found, time) = kernel.errors(&set, setting)?;
            let (validated, _) = kernel.errors(&held, setting)?;
            for (all, error) in errors[at].iter_mut().zip(&found) {
                all.push(*error);
            }
            let least =
                (0..parameters.len()).min_by(|a, b| validated[*a].total_cmp(&validated[*b]));
            chosen[at].push(found[least.unwrap_or(0)]);
            times[at].push(time);
        }
    }
    drop(progress);
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
    println!("### Figure {figure}: {title}, m = {features}\n");
    let rows: Vec<Vec<String>> = curves
        .iter()
        .enumerate()
        .map(|(at, Curve { name, gamma, .. })| {
            let curve: Vec<f64> = errors[at].iter().map(|all| mean(all)).collect();
            let least = curve.iter().copied().fold(f64::INFINITY, f64::min);
            let ends = [curve[0], curve[curve.len() - 1]].map(|error| format!("{error:.4}"));
            let cells = [gamma.to_string(), spread(&chosen[at], seeds), format!("{least:.4}")];
            [vec![name.clone()], cells.to_vec(), ends.to_vec(), vec![seconds(mean(&times[at]))]]
                .concat()
        })
        .collect();
    let header = [
        "method",
        "γ of the kernel",
        "MSE, parameter chosen on validation",
        "least MSE of the curve",
        "at 10⁻⁴",
        "at 10²",
        "features and kernel, s",
    ];
    println!("{}", table(&header, &rows));
    for (at, curve) in curves.iter().enumerate() {
        if curve.is_ours() {
            let others = curves.iter().zip(&chosen).filter(|(curve, _)| !curve.is_ours());
            let others = others.map(|(curve, errors)| (curve.name.as_str(), mean(errors)));
            let ours = mean(&chosen[at]);
            let words = verdict(ours, others, |ours, theirs| ours < theirs);
            println!("- {} has {ours:.4}. {words}", curve.name);
        }
    }
    println!();
    let line = |at: usize| Series {
        name: curves[at].name.clone(),
        points: parameters.iter().zip(&errors[at]).map(|(x, all)| (*x, mean(all))).collect(),
    };
    let sparse: Vec<(f64, f64)> =
        (0..SPARSITIES.len()).map(|k| (SPARSITIES[k].1, mean(&times[k + 2]))).collect();
    let level = |at: usize| SPARSITIES.map(|(_, x)| (x, mean(&times[at]))).to_vec();
    let last = curves.len() - 1;
    let others = [0, 1, last].map(|at| Series { name: curves[at].name.clone(), points: level(at) });
    let mut series = vec![Series { name: "TRF".into(), points: sparse }];
    series.extend(others);
    let panels = [
        Panel {
            x: "ridge parameter",
            y: "MSE",
            log: true,
            series: (0..curves.len()).map(line).collect(),
        },
        Panel { x: "sparsity ε", y: "features and kernel, s", log: false, series },
    ];
    let name = format!("figure-{figure}");
    write(args, &name, &format!("Figure {figure}. {title}, m = {features}"), &panels)
}
