//! The smallest model that is good enough for a microcontroller, or the best one that fits it.
//!
//! `cargo run --release --example budget -- [FOLDER] [--core m4] [--flash BYTES] [--ram BYTES] [--instructions COUNT]
//! [--accuracy SHARE] [--svg FILE]`
//!
//! Tries models of boxes on the bundled digits or, given a folder with the four raw files of MNIST or Fashion-MNIST, on
//! those; prints every model that was tried and the frontier of accuracy and flash, and draws it.

use data::Split;
use data::idx::Pictures;
use lexopt::prelude::*;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use svg::{Axes, Svg};
use ternion::export::{Budget, Core, Found};
use ternion::learn::accuracy;
use ternion::{Form, Grid, Policy, Samples, TernaryFeatures};

mod data;
#[path = "../src/svg.rs"]
mod svg;

fn main() -> Result<(), Box<dyn Error>> {
    let Options { folder, budget, svg } = Options::parse(lexopt::Parser::from_env())?;
    let Pictures { pixels, labels, train, .. } = match folder {
        Some(folder) => Pictures::read(&folder)?,
        None => digits(),
    };
    let inputs = pixels.len() / labels.len();
    let side = inputs.isqrt();
    let (x, test) = pixels.split_at(train * inputs);
    let (labels, test_labels) = labels.split_at(train);
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    let samples = Samples::new(&floats, inputs)?;
    let fit = |features| {
        let params = TernaryFeatures::params(features).policy(Policy::Periodic);
        params.form(Form::Boxes(Grid::image(side, side))).fit(&samples)
    };
    let found = budget.search(fit, x, labels, |tried| println!("{tried}"))?;
    println!("frontier:");
    for tried in found.frontier() {
        println!("{tried}{}", if tried == found.chosen { "  <- chosen" } else { "" });
    }
    let right = accuracy(&found.export.predict(test)?, test_labels);
    println!("accuracy of the chosen one on {} test samples: {right:.4}", test_labels.len());
    if let Some(file) = svg {
        fs::write(&file, draw(&found)).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}

/// What the command line asks for.
struct Options {
    folder: Option<PathBuf>,
    budget: Budget,
    svg: Option<PathBuf>,
}

impl Options {
    fn parse(mut parser: lexopt::Parser) -> Result<Self, lexopt::Error> {
        let (mut folder, mut svg, mut core) = (None, None, Core::default());
        let (mut flash, mut ram, mut instructions) = (usize::MAX, usize::MAX, usize::MAX);
        let mut accuracy = f64::INFINITY;
        while let Some(argument) = parser.next()? {
            match argument {
                Long("core") => {
                    core = match parser.value()?.string()?.as_str() {
                        "m0" => Core::M0,
                        "m4" => Core::M4,
                        "m33" => Core::M33,
                        "rv32imc" => Core::Rv32imc,
                        other => {
                            return Err(format!("{other}: no core (m0, m4, m33, rv32imc)").into());
                        }
                    }
                }
                Long("flash") => flash = parser.value()?.parse()?,
                Long("ram") => ram = parser.value()?.parse()?,
                Long("instructions") => instructions = parser.value()?.parse()?,
                Long("accuracy") => accuracy = parser.value()?.parse()?,
                Long("svg") => svg = Some(parser.value()?.into()),
                Value(value) if folder.is_none() => folder = Some(value.into()),
                unexpected => return Err(unexpected.unexpected()),
            }
        }
        let budget = Budget::new(core).flash(flash).ram(ram);
        Ok(Self { folder, budget: budget.instructions(instructions).accuracy(accuracy), svg })
    }
}

/// The bundled digits.
fn digits() -> Pictures {
    let Split { x, labels, train, .. } = data::split_digits(1);
    let pixels = x.iter().map(|&pixel| pixel as u8).collect();
    Pictures { pixels, height: 8, width: 8, labels, train }
}

/// Accuracy over flash: all models, and the line of the frontier.
fn draw(found: &Found) -> String {
    let flash = |tried: &ternion::export::Tried| (tried.cost.flash as f64).log2();
    let range = |numbers: &mut dyn Iterator<Item = f64>, pad: f64| {
        let (least, most) = numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| {
            (least.min(x), most.max(x))
        });
        (least - pad, most + pad)
    };
    let axes = Axes {
        left: 70.0,
        top: 30.0,
        width: 520.0,
        height: 300.0,
        x: range(&mut found.tried.iter().map(flash), 0.2),
        y: range(&mut found.tried.iter().map(|tried| tried.accuracy), 0.005),
    };
    let mut svg = Svg::new(620, 390);
    svg.rect((axes.left, axes.top), (axes.width, axes.height), "fill='none' stroke='#999'");
    for power in axes.x.0.ceil() as i32..=axes.x.1 as i32 {
        let (x, y) = axes.at(power.into(), axes.y.0);
        svg.text((x, y + 18.0), "middle", &format!("{} B", 1_u64 << power));
    }
    for step in 0..=4 {
        let accuracy = axes.y.0 + (axes.y.1 - axes.y.0) * f64::from(step) / 4.0;
        let (x, y) = axes.at(axes.x.0, accuracy);
        svg.text((x - 6.0, y + 4.0), "end", &format!("{accuracy:.3}"));
    }
    let points: Vec<String> = found
        .frontier()
        .iter()
        .map(|tried| axes.at(flash(tried), tried.accuracy))
        .map(|(x, y)| format!("{x:.1} {y:.1}"))
        .collect();
    svg.path(&format!("M{}", points.join(" L")), "fill='none' stroke='#06c' stroke-width='1.5'");
    for tried in &found.tried {
        let chosen = *tried == found.chosen;
        let fill = if chosen { "#c00" } else { "#06c" };
        let at = axes.at(flash(tried), tried.accuracy);
        svg.circle(at, if chosen { 5.0 } else { 3.0 }, fill);
    }
    svg.text(
        (330.0, 20.0),
        "middle",
        "accuracy on held-out samples over flash; red: the model chosen",
    );
    svg.finish()
}
