//! Parameters chosen by validation, and how near they come to those of an exhaustive grid.
//!
//! `cargo run --release --example tune -- [--set SET] [--features M] [--seconds S] [--reach SCORE] [--grid] [--data FOLDER] [FILE.svg]`
//!
//! Tunes on the bundled digits, or on another set: wine and cancer are bundled, mnist and fashion are read from the folder
//! (target/data unless given; `.ci/data` downloads them), friedman is a made-up regression of 20 inputs. Prints what was
//! tried and the score of the result, and of the default parameters, on samples that the tuner has not seen; the picture
//! goes to tune.svg. With `--grid` every setting of a fixed grid is tried on all samples as well, for comparison: that
//! takes minutes for the digits.

use data::idx::Pictures;
use data::{Random, Split};
use lexopt::prelude::*;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use ternion::fit::Params;
use ternion::learn::{Ridge, TernaryClassifier, TernaryRegressor};
use ternion::tune::{Progress, Tuned, Tuner};
use ternion::{Grid, Matrix, TernaryFeatures};

mod data;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse(lexopt::Parser::from_env())?;
    let problem = Problem::read(&arguments)?;
    let params = TernaryFeatures::params(arguments.features);
    let progress = |progress: &Progress<'_>| {
        eprintln!("{progress}");
        ControlFlow::Continue(())
    };
    let mut tuner = Tuner::new(params.clone()).progress(&progress);
    if let Some((height, width)) = problem.picture {
        tuner = tuner.grid(Grid::image(height, width));
    }
    if let Some(seconds) = arguments.seconds {
        tuner = tuner.time_limit(Duration::from_secs_f64(seconds));
    }
    if let Some(score) = arguments.reach {
        tuner = tuner.reach(score);
    }
    let start = Instant::now();
    let tuned = problem.tune(&tuner)?;
    println!("{tuned}\n");
    std::fs::write(&arguments.file, tuned.svg())
        .map_err(|error| format!("{}: {error}", arguments.file.display()))?;
    println!("written to {}\n", arguments.file.display());

    println!("                    validation      test    seconds");
    let show = |name: &str, tuned: &Tuned, start: Instant| -> Result<(), ternion::Error> {
        let seconds = start.elapsed().as_secs_f64();
        let test = problem.score(tuned.params(), tuned.ridge())?;
        println!("{name:<20} {:>9.4} {test:>9.4} {seconds:>10.1}", tuned.score());
        Ok(())
    };
    show("tuned", &tuned, start)?;
    let test = problem.score(params, Ridge::default())?;
    println!("{:<20} {:>9} {test:>9.4}", "default parameters", "");
    if arguments.grid {
        let widths = (-5..=5).map(|step| 2_f64.powf(f64::from(step) / 2.0));
        let start = Instant::now();
        let grid = problem.tune(&tuner.widths(widths).trials(usize::MAX))?;
        show("exhaustive grid", &grid, start)?;
        println!("\n{grid}");
    }
    Ok(())
}

/// The command line.
struct Arguments {
    set: String,
    features: usize,
    seconds: Option<f64>,
    reach: Option<f64>,
    grid: bool,
    data: PathBuf,
    file: PathBuf,
}

impl Arguments {
    fn parse(mut parser: lexopt::Parser) -> Result<Self, lexopt::Error> {
        let mut arguments = Self {
            set: "digits".into(),
            features: 1024,
            seconds: None,
            reach: None,
            grid: false,
            data: "target/data".into(),
            file: "tune.svg".into(),
        };
        while let Some(argument) = parser.next()? {
            match argument {
                Long("set") => arguments.set = parser.value()?.string()?,
                Long("features") => arguments.features = parser.value()?.parse()?,
                Long("seconds") => arguments.seconds = Some(parser.value()?.parse()?),
                Long("reach") => arguments.reach = Some(parser.value()?.parse()?),
                Long("grid") => arguments.grid = true,
                Long("data") => arguments.data = parser.value()?.into(),
                Value(file) => arguments.file = file.into(),
                unexpected => return Err(unexpected.unexpected()),
            }
        }
        Ok(arguments)
    }
}

/// A data set, with classes or with targets.
struct Problem {
    split: Split,
    targets: Option<Vec<f32>>,
    /// Height and width of an image.
    picture: Option<(usize, usize)>,
}

impl Problem {
    fn read(arguments: &Arguments) -> Result<Self, Box<dyn Error>> {
        let classes = |split, picture| Ok(Self { split, targets: None, picture });
        match arguments.set.as_str() {
            "digits" => classes(data::split_digits(0), Some((8, 8))),
            "wine" => classes(data::split_table(data::WINE, 0), None),
            "cancer" => classes(data::split_table(data::BREAST_CANCER, 0), None),
            "friedman" => Ok(friedman()),
            name @ ("mnist" | "fashion") => {
                let folder = arguments.data.join(name);
                let Pictures { pixels, labels, train, .. } = Pictures::read(&folder)
                    .map_err(|error| format!("{}: {error}", folder.display()))?;
                let x = pixels.into_iter().map(f32::from).collect();
                classes(Split { inputs: 784, x, labels, train }, Some((28, 28)))
            }
            other => Err(format!("no data set is called {other}").into()),
        }
    }

    /// The targets of some samples.
    fn targets(&self, range: std::ops::Range<usize>) -> Option<Matrix<f32>> {
        let targets = self.targets.as_ref()?[range].to_vec();
        Matrix::from_vec(targets.len(), 1, targets).ok()
    }

    fn tune(&self, tuner: &Tuner<'_>) -> Result<Tuned, ternion::Error> {
        let train = self.split.samples(0..self.split.train)?;
        match self.targets(0..self.split.train) {
            None => tuner.tune_classes(&train, &self.split.labels[..self.split.train]),
            Some(targets) => tuner.tune(&train, &targets),
        }
    }

    /// The score of a fit on the test samples.
    fn score(&self, params: Params, ridge: Ridge) -> Result<f64, ternion::Error> {
        let (train, test) = (0..self.split.train, self.split.test());
        let samples = [self.split.samples(train.clone())?, self.split.samples(test.clone())?];
        match (self.targets(train.clone()), self.targets(test.clone())) {
            (Some(known), Some(asked)) => {
                TernaryRegressor::fit(params, ridge, &samples[0], &known)?
                    .score(&samples[1], &asked)
            }
            _ => TernaryClassifier::fit(params, ridge, &samples[0], &self.split.labels[train])?
                .score(&samples[1], &self.split.labels[test]),
        }
    }
}

/// Friedman's first function with ten inputs that do not matter, plus noise: a regression of 20 inputs.
fn friedman() -> Problem {
    const INPUTS: usize = 20;
    let mut random = Random::new(1);
    let x: Vec<f32> = (0..4000 * INPUTS).map(|_| random.normal()).collect();
    let target = |x: &[f32]| {
        let curve = (x[0] * x[1]).sin() + 0.5 * (x[2] - 0.5).powi(2) + 0.7 * x[3] + 0.35 * x[4];
        curve + 0.1 * random.normal()
    };
    let targets: Vec<f32> = x.chunks(INPUTS).map(target).collect();
    let split = Split { inputs: INPUTS, x, labels: vec![0; targets.len()], train: 3000 };
    Problem { split, targets: Some(targets), picture: None }
}
