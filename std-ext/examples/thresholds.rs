//! The thresholds for a target, as `name value` lines, and an image of them.
//!
//! ```text
//! cargo run --release --example thresholds -- <target> <tau> [--policy <policy>] [--plot out.svg]
//! cargo run --release --example thresholds -- relu 1
//! cargo run --release --example thresholds -- abs 0.5 --policy four-band --plot abs.svg
//! ```

use lexopt::prelude::*;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use svg::{Axes, Svg, escaped};
use ternion::theory::{Bands, Report, solve};
use ternion::{Policy, Target};

#[path = "../src/svg.rs"]
mod svg;

fn main() -> ExitCode {
    match run() {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<String, Box<dyn Error>> {
    let Request { target, tau, policy, plot } = Request::parse(lexopt::Parser::from_env())?;
    let report = solve(&target, tau, policy)?;
    if let Some(path) = plot {
        std::fs::write(&path, picture(&target, &report))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(lines(&report))
}

struct Request {
    target: Target,
    tau: f64,
    policy: Policy,
    plot: Option<PathBuf>,
}

impl Request {
    fn parse(mut parser: lexopt::Parser) -> Result<Self, Box<dyn Error>> {
        let (mut target, mut tau) = (None, None);
        let (mut policy, mut plot) = (Policy::default(), None);
        while let Some(argument) = parser.next()? {
            match argument {
                Long("policy") => policy = parser.value()?.parse()?,
                Long("plot") => plot = Some(parser.value()?.into()),
                Value(value) if target.is_none() => target = Some(value.parse()?),
                Value(value) if tau.is_none() => tau = Some(value.parse()?),
                unexpected => {
                    return Err(format!("{}\n{}", unexpected.unexpected(), usage()).into());
                }
            }
        }
        let (Some(target), Some(tau)) = (target, tau) else { return Err(usage().into()) };
        Ok(Self { target, tau, policy, plot })
    }
}

fn usage() -> String {
    let names: Vec<&str> = Target::named().map(|(name, _)| name).collect();
    format!(
        "usage: thresholds <target> <tau> [--policy automatic|min-variance|match-d0|unit|four-band|periodic|fixed:lower,upper] \
         [--plot out.svg]\ntargets: {}, leaky_relu_0.1, gaussian_gamma0.5, laplace_l2_gamma1, quad_0.5t^2+t, …",
        names.join(", ")
    )
}

/// The report, one `name value` pair per line.
fn lines(report: &Report) -> String {
    let mut pairs = match report.bands {
        Bands::Two { lower, upper } => vec![("lower", lower), ("upper", upper)],
        Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper } => vec![
            ("outer_lower", outer_lower),
            ("inner_lower", inner_lower),
            ("inner_upper", inner_upper),
            ("outer_upper", outer_upper),
        ],
        Bands::Periodic { period } => vec![("period", period)],
        bands => panic!("{bands:?} have no names here"),
    };
    pairs.extend([
        ("alpha", report.alpha),
        ("lambda", report.lambda),
        ("d0", report.asked.d0),
        ("d1", report.asked.d1),
        ("d2", report.asked.d2),
        ("achieved_d0", report.achieved.d0),
        ("achieved_d1", report.achieved.d1),
        ("achieved_d2", report.achieved.d2),
        ("rho", report.rho),
        ("p_plus", report.p_plus),
        ("p_minus", report.p_minus),
    ]);
    pairs.into_iter().map(|(name, value)| format!("{name} {}\n", fifteen_digits(value))).collect()
}

fn fifteen_digits(value: f64) -> String {
    let scientific = format!("{value:.14e}");
    // Fixed point where that is not longer.
    match scientific.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok()) {
        Some(exponent) if (-5..15).contains(&exponent) => {
            format!("{value:.*}", (14 - exponent) as usize)
        }
        _ => scientific,
    }
}

/// The axes of one of the two plots, with their frame and title.
fn plot(svg: &mut Svg, left: f64, x: (f64, f64), y: (f64, f64), title: &str) -> Axes {
    let axes = Axes { left, top: 50.0, width: 400.0, height: 300.0, x, y };
    svg.rect((left, axes.top), (axes.width, axes.height), "fill='none' stroke='#888'");
    svg.text((left, axes.top - 12.0), "start", title);
    let (right, bottom) = (left + axes.width, axes.top + axes.height);
    svg.text((left, bottom + 16.0), "start", &format!("{:.2}", x.0));
    svg.text((right, bottom + 16.0), "end", &format!("{:.2}", x.1));
    svg.text((left - 6.0, bottom), "end", &format!("{:.2}", y.0));
    svg.text((left - 6.0, axes.top + 12.0), "end", &format!("{:.2}", y.1));
    axes
}

/// An SVG of the target with its ternary function, and of where unit outputs are feasible.
fn picture(target: &Target, report: &Report) -> String {
    let mut svg = Svg::new(960, 410);
    draw_functions(&mut svg, target, report);
    draw_feasible_region(&mut svg, report);
    svg.finish()
}

fn draw_functions(svg: &mut Svg, target: &Target, report: &Report) {
    let scale = report.tau.sqrt();
    let (b1, b2) = (report.asked.b1(report.tau), report.asked.b2(report.tau));
    let is_activation = target.value(0.0).is_some();
    // A kernel has no function of its own: its linear and quadratic part represent it.
    let wanted = |z: f64| target.value(scale * z).unwrap_or(b1 * z + 0.5 * b2 * (z * z - 1.0));
    let grid: Vec<f64> = (-400..=400).map(|k| 0.01 * f64::from(k)).collect();
    let mean = |f: &dyn Fn(f64) -> f64| {
        let weights = grid.iter().map(|z| (-0.5 * z * z).exp());
        grid.iter().zip(weights.clone()).map(|(z, weight)| weight * f(*z)).sum::<f64>()
            / weights.sum::<f64>()
    };
    let ternary = |z: f64| report.alpha * f64::from(report.bands.value(scale * z));
    // Reflecting the input or the output, or adding a constant, does not change the kernel: show the version most like
    // the target.
    let (input, output) = [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)]
        .into_iter()
        .max_by(|&(a, b), &(c, d)| {
            let alike = |input: f64, output: f64| {
                mean(&|z| output * ternary(input * z) * wanted(z))
                    - mean(&|z| output * ternary(input * z)) * mean(&wanted)
            };
            alike(a, b).total_cmp(&alike(c, d))
        })
        .unwrap_or((1.0, 1.0));
    let shift = mean(&wanted) - mean(&|z| output * ternary(input * z));
    let shown = |z: f64| shift + output * ternary(input * z);

    let values = || grid.iter().flat_map(|&z| [wanted(z), shown(z)]);
    let (low, high) =
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let margin = 0.05 * (high - low);
    let title = format!(
        "<tspan fill='#1f77b4'>{} {}</tspan> and <tspan fill='#d62728'>ternary function</tspan>",
        if is_activation { "target" } else { "d1 and d2 of" },
        escaped(&target.to_string())
    );
    let (x, y) = ((-4.0 * scale, 4.0 * scale), (low - margin, high + margin));
    let axes = plot(svg, 60.0, x, y, &title);
    for (color, path) in [
        ("#1f77b4", axes.path(grid.iter().map(|&z| (scale * z, wanted(z))))),
        ("#d62728", axes.path(grid.iter().map(|&z| (scale * z, shown(z))))),
    ] {
        svg.path(&path, &format!("fill='none' stroke='{color}' stroke-width='1.5'"));
    }
}

fn draw_feasible_region(svg: &mut Svg, report: &Report) {
    let b1 = report.asked.b1(report.tau);
    let bound = |rho: f64| 2.0 * (-0.5 * rho * rho).exp() / std::f64::consts::TAU.sqrt();
    let right = if report.rho.is_finite() { (1.2 * report.rho).max(2.5) } else { 2.5 };
    let top = (1.2 * b1).max(1.0);
    let title = "unit outputs are feasible below 2φ(ρ): ρ across, b1 up";
    let axes = plot(svg, 530.0, (0.0, right), (0.0, top), title);
    let edge = (0..=200).map(|k| right * f64::from(k) / 200.0).map(|rho| (rho, bound(rho)));
    let area = axes.path([(0.0, 0.0)].into_iter().chain(edge).chain([(right, 0.0)]));
    svg.path(&format!("{area}Z"), "fill='#cfe8cf' stroke='#2ca02c'");
    if report.rho.is_finite() {
        svg.circle(axes.at(report.rho, b1), 4.0, "#1f77b4");
    } else {
        let at = axes.at(0.1 * right, 0.9 * top);
        svg.text(at, "start", "b1 = 0, ρ infinite: four bands only");
    }
}
