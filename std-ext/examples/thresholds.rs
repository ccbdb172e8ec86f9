//! Thresholds for a target, as `name value` lines, and a picture of them.
//!
//! ```text
//! cargo run --release --example thresholds -- <target> <tau> [--policy <policy>] [--plot out.svg]
//! cargo run --release --example thresholds -- relu 1
//! cargo run --release --example thresholds -- abs 0.5 --policy four-band --plot abs.svg
//! ```

use std::fmt::Write as _;
use std::process::ExitCode;
use ternion::theory::{Bands, Report, solve};
use ternion::{Policy, Target};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
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

fn run(arguments: &[String]) -> Result<String, Box<dyn std::error::Error>> {
    let Request { target, tau, policy, plot } = Request::parse(arguments)?;
    let report = solve(&target, tau, policy)?;
    if let Some(path) = plot {
        std::fs::write(&path, picture(&target, &report))
            .map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(lines(&report))
}

struct Request {
    target: Target,
    tau: f64,
    policy: Policy,
    plot: Option<String>,
}

impl Request {
    fn parse(arguments: &[String]) -> Result<Self, Box<dyn std::error::Error>> {
        let mut plain = Vec::new();
        let (mut policy, mut plot) = (Policy::default(), None);
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = || rest.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--policy" => policy = value()?.parse()?,
                "--plot" => plot = Some(value()?.clone()),
                option if option.starts_with("--") => {
                    return Err(format!("unknown option {option}; {}", usage()).into());
                }
                _ => plain.push(argument),
            }
        }
        let [target, tau] = plain[..] else { return Err(usage().into()) };
        let tau = tau.parse().map_err(|_| format!("tau is {tau:?}; it must be a number"))?;
        let target = target.parse().map_err(|error| format!("{error}\n{}", usage()))?;
        Ok(Self { target, tau, policy, plot })
    }
}

fn usage() -> String {
    let names: Vec<&str> = Target::named().map(|(name, _)| name).collect();
    format!(
        "usage: thresholds <target> <tau> [--policy min-variance|match-d0|unit|four-band|fixed:lower,upper] \
         [--plot out.svg]\ntargets: {}, leaky_relu_0.1, gaussian_gamma0.5, laplace_l2_gamma1, quad_0.5t^2+t, …",
        names.join(", ")
    )
}

/// The report, one `name value` pair a line.
fn lines(report: &Report) -> String {
    let mut pairs = match report.bands {
        Bands::Two { lower, upper } => vec![("lower", lower), ("upper", upper)],
        Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper } => vec![
            ("outer_lower", outer_lower),
            ("inner_lower", inner_lower),
            ("inner_upper", inner_upper),
            ("outer_upper", outer_upper),
        ],
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
    // Fixed point where that is no longer.
    match scientific.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok()) {
        Some(exponent) if (-5..15).contains(&exponent) => {
            format!("{value:.*}", (14 - exponent) as usize)
        }
        _ => scientific,
    }
}

/// A rectangle of the picture and the numbers it shows.
struct Panel {
    left: f64,
    x: (f64, f64),
    y: (f64, f64),
}

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 300.0;
const TOP: f64 = 50.0;

impl Panel {
    fn point(&self, x: f64, y: f64) -> (f64, f64) {
        let across = (x - self.x.0) / (self.x.1 - self.x.0);
        let up = (y - self.y.0) / (self.y.1 - self.y.0);
        (self.left + WIDTH * across, TOP + HEIGHT * (1.0 - up))
    }

    fn path(&self, points: impl Iterator<Item = (f64, f64)>) -> String {
        let mut path = String::new();
        for (x, y) in points {
            let (x, y) = self.point(x, y);
            let _ = write!(path, "{}{x:.2},{y:.2} ", if path.is_empty() { 'M' } else { 'L' });
        }
        path
    }

    fn frame(&self, title: &str) -> String {
        let Self { left, x, y } = self;
        let mut svg = format!(
            "<rect x='{left}' y='{TOP}' width='{WIDTH}' height='{HEIGHT}' fill='none' stroke='#888'/>\n\
             <text x='{left}' y='{}' font-weight='bold'>{title}</text>\n",
            TOP - 12.0
        );
        let bottom = TOP + HEIGHT;
        for (value, anchor, at) in [(x.0, "start", *left), (x.1, "end", left + WIDTH)] {
            let _ = writeln!(
                svg,
                "<text x='{at}' y='{}' text-anchor='{anchor}'>{value:.2}</text>",
                bottom + 16.0
            );
        }
        for (value, at) in [(y.0, bottom), (y.1, TOP + 12.0)] {
            let _ = writeln!(
                svg,
                "<text x='{}' y='{at}' text-anchor='end'>{value:.2}</text>",
                left - 6.0
            );
        }
        svg
    }
}

/// An SVG of the target with its ternary function, and of where unit outputs are feasible.
fn picture(target: &Target, report: &Report) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='960' height='410' font-family='sans-serif' font-size='12'>\n\
         <rect width='960' height='410' fill='white'/>\n{}{}</svg>\n",
        functions(target, report),
        region(report)
    )
}

fn functions(target: &Target, report: &Report) -> String {
    let scale = report.tau.sqrt();
    let (b1, b2) = (report.asked.b1(report.tau), report.asked.b2(report.tau));
    let is_activation = target.value(0.0).is_some();
    // A kernel has no function of its own: its linear and quadratic part stand for it.
    let wanted = |z: f64| target.value(scale * z).unwrap_or(b1 * z + 0.5 * b2 * (z * z - 1.0));
    let grid: Vec<f64> = (-400..=400).map(|k| 0.01 * f64::from(k)).collect();
    let mean = |f: &dyn Fn(f64) -> f64| {
        let weights = grid.iter().map(|z| (-0.5 * z * z).exp());
        grid.iter().zip(weights.clone()).map(|(z, weight)| weight * f(*z)).sum::<f64>()
            / weights.sum::<f64>()
    };
    let ternary = |z: f64| report.alpha * f64::from(report.bands.value(scale * z));
    // The kernel does not see mirrored inputs, mirrored outputs or constants; show the one most
    // like the target.
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
    let panel =
        Panel { left: 60.0, x: (-4.0 * scale, 4.0 * scale), y: (low - margin, high + margin) };
    let title = if is_activation { "target" } else { "d1 and d2 of" };
    let names = format!(
        "<tspan fill='#1f77b4'>{title} {}</tspan> and <tspan fill='#d62728'>ternary function</tspan>",
        target.to_string().replace('&', "&amp;").replace('<', "&lt;")
    );
    let mut svg = panel.frame(&names);
    for (color, path) in [
        ("#1f77b4", panel.path(grid.iter().map(|&z| (scale * z, wanted(z))))),
        ("#d62728", panel.path(grid.iter().map(|&z| (scale * z, shown(z))))),
    ] {
        let _ = writeln!(svg, "<path d='{path}' fill='none' stroke='{color}' stroke-width='1.5'/>");
    }
    svg
}

fn region(report: &Report) -> String {
    let b1 = report.asked.b1(report.tau);
    let bound = |rho: f64| 2.0 * (-0.5 * rho * rho).exp() / std::f64::consts::TAU.sqrt();
    let right = if report.rho.is_finite() { (1.2 * report.rho).max(2.5) } else { 2.5 };
    let panel = Panel { left: 530.0, x: (0.0, right), y: (0.0, (1.2 * b1).max(1.0)) };
    let mut svg = panel.frame("unit outputs are feasible below 2φ(ρ): ρ across, b1 up");
    let edge = (0..=200).map(|k| right * f64::from(k) / 200.0).map(|rho| (rho, bound(rho)));
    let area = panel.path([(0.0, 0.0)].into_iter().chain(edge).chain([(right, 0.0)]));
    let _ = writeln!(svg, "<path d='{area}Z' fill='#cfe8cf' stroke='#2ca02c'/>");
    if report.rho.is_finite() {
        let (x, y) = panel.point(report.rho, b1);
        let _ = writeln!(svg, "<circle cx='{x:.2}' cy='{y:.2}' r='4' fill='#1f77b4'/>");
    } else {
        let (x, y) = panel.point(0.1 * right, 0.9 * panel.y.1);
        let _ =
            writeln!(svg, "<text x='{x:.2}' y='{y:.2}'>b1 = 0, ρ infinite: four bands only</text>");
    }
    svg
}
