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
use super::super::report::{seconds, spread, table};
use super::{WIDTHS, write};

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
        let Targets::Classes(labels) = &set.targets else { return Ok((Vec::new(), 0.0)) };
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
    let Targets::Classes(labels) = &all.targets else { return Ok(()) };
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
    let (shared, best) = choose(args, title, draw)?;
    for &(figure, features) in figures {
        let mut kernels = vec![
            (Kernel::Exact, shared),
            (Kernel::Features(Contender::Baseline(Method::RFF_32)), shared),
        ];
        kernels.extend(SPARSITIES.map(|(name, sparsity)| {
            (Kernel::Features(Contender::Ternary(Ternary::two_bands(name, sparsity))), shared)
        }));
        kernels.push((Kernel::Features(Contender::Ternary(best.0)), best.1));
        draw_figure(args, title, (figure, features), &kernels, draw)?;
    }
    Ok(())
}

/// The width of the exact kernel, and Ternion's best form with its width, by the least MSE on samples held out.
fn choose(
    args: &Args,
    title: &str,
    draw: Draw<'_>,
) -> Result<(f64, (Ternary, f64)), Box<dyn Error>> {
    let sets: Vec<Set> = (0..if args.quick { 1 } else { 2 }).map(|seed| draw(seed, true)).collect();
    let widths: &[f64] = if args.quick { &WIDTHS[1..3] } else { &WIDTHS[..5] };
    let features = if args.quick { 512 } else { 4096 };
    let mut forms: Vec<Ternary> = Ternary::GLOBAL.to_vec();
    if sets[0].picture.is_some() {
        forms.extend(Ternary::local(&sets[0]));
    }
    let mut progress = Progress::new((1 + forms.len()) * widths.len());
    let mut least = |kernel: Kernel| {
        let mut best = (f64::INFINITY, 1.0);
        for &gamma in widths {
            progress.step(&format!("{title}: width of {}", kernel.name()));
            let error = |set: &Set| {
                let setting = Setting { features, gamma, seed: 1000 };
                let (errors, _) = kernel.errors(set, setting).ok()?;
                Some(errors.into_iter().fold(f64::INFINITY, f64::min))
            };
            // A policy may refuse a width that it cannot imitate.
            let errors: Option<Vec<f64>> = sets.iter().map(error).collect();
            if let Some(errors) = errors {
                let mean = errors.iter().sum::<f64>() / errors.len() as f64;
                if mean < best.0 {
                    best = (mean, gamma);
                }
            }
        }
        best
    };
    let exact = least(Kernel::Exact);
    let found: Vec<(Ternary, (f64, f64))> = forms
        .into_iter()
        .map(|form| (form, least(Kernel::Features(Contender::Ternary(form)))))
        .collect();
    drop(progress);
    let row = |name: &str, (error, gamma): (f64, f64)| {
        vec![name.to_owned(), gamma.to_string(), format!("{error:.4}")]
    };
    let mut rows = vec![row("KRR", exact)];
    rows.extend(found.iter().map(|(form, best)| row(form.name, *best)));
    println!(
        "Chosen on {TEST} samples that are not tested on, {features} features:\n\n{}",
        table(&["method", "γ of the kernel", "least MSE"], &rows)
    );
    let best = found.iter().min_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let best = best.ok_or("no form of features could be fitted")?;
    Ok((exact.1, (best.0, best.1.1)))
}

fn draw_figure(
    args: &Args,
    title: &str,
    (figure, features): (u32, usize),
    kernels: &[(Kernel, f64)],
    draw: Draw<'_>,
) -> Result<(), Box<dyn Error>> {
    let (parameters, seeds) = (gammas(), args.seeds);
    let mut progress = Progress::new(seeds as usize * kernels.len());
    // Of each method: for every parameter the errors of all seeds; and the times.
    let mut errors = vec![vec![Vec::new(); parameters.len()]; kernels.len()];
    let mut times = vec![Vec::new(); kernels.len()];
    let mut chosen = vec![Vec::new(); kernels.len()];
    for seed in 0..seeds {
        let (set, held) = (draw(seed, false), draw(seed, true));
        for (at, (kernel, gamma)) in kernels.iter().enumerate() {
            progress.step(&format!("figure {figure}: {}, seed {seed}", kernel.name()));
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
    let rows: Vec<Vec<String>> = kernels
        .iter()
        .enumerate()
        .map(|(at, (kernel, gamma))| {
            let curve: Vec<f64> = errors[at].iter().map(|all| mean(all)).collect();
            let least = curve.iter().copied().fold(f64::INFINITY, f64::min);
            let ends = [curve[0], curve[curve.len() - 1]].map(|error| format!("{error:.4}"));
            let cells = [gamma.to_string(), spread(&chosen[at]), format!("{least:.4}")];
            [
                vec![kernel.name().to_owned()],
                cells.to_vec(),
                ends.to_vec(),
                vec![seconds(mean(&times[at]))],
            ]
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
    let line = |at: usize| Series {
        name: kernels[at].0.name().to_owned(),
        points: parameters.iter().zip(&errors[at]).map(|(x, all)| (*x, mean(all))).collect(),
    };
    let sparse: Vec<(f64, f64)> =
        (0..SPARSITIES.len()).map(|k| (SPARSITIES[k].1, mean(&times[k + 2]))).collect();
    let level = |at: usize| SPARSITIES.map(|(_, x)| (x, mean(&times[at]))).to_vec();
    let series = vec![
        Series { name: "KRR".into(), points: level(0) },
        Series { name: "RFF-32".into(), points: level(1) },
        Series { name: "TRF".into(), points: sparse },
        Series {
            name: kernels[kernels.len() - 1].0.name().into(),
            points: level(kernels.len() - 1),
        },
    ];
    let panels = [
        Panel {
            x: "ridge parameter",
            y: "MSE",
            log: true,
            series: (0..kernels.len()).map(line).collect(),
        },
        Panel { x: "sparsity ε", y: "features and kernel, s", log: false, series },
    ];
    let name = format!("figure-{figure}");
    write(args, &name, &format!("Figure {figure}. {title}, m = {features}"), &panels)
}
