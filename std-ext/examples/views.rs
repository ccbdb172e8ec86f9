//! Which field of view and which σ: the accuracy of every form of W and kind of σ at the same number of features.
//!
//! `cargo run --release --example views -- [--gamma GAMMA] [--seeds SEEDS] [--features M] [FOLDER [SET …]]`
//!
//! Trains on the bundled digits, wines and tumours, and on those of MNIST, Fashion-MNIST, Cov-Type and Adult that are in
//! the folder (target/data unless given; `.ci/data` downloads them), or only on the sets named: digits, mnist, fashion,
//! covtype, adult, wine, cancer. All of them with one seed and 2048 features take a quarter of an hour on two cores.
//!
//! All see the same samples, imitate the same Gaussian kernel, exp(−‖x − y‖²) or that of the given γ, and choose the
//! ridge parameter in the same way, on a fifth of the training set. Accuracies are means and standard deviations over
//! seeds of W and, for bundled sets, as many random splits.

use data::Split;
use data::idx::Pictures;
use lexopt::prelude::*;
use std::error::Error;
use std::path::{Path, PathBuf};
use ternion::fit::Params;
use ternion::{Form, Grid, Policy, Target, TernaryFeatures};

mod data;
mod ridge;

fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { gamma, seeds, features, folder, only } =
        Arguments::parse(lexopt::Parser::from_env())?;
    println!("| data | features | σ | independent | all inputs | boxes | subsets |");
    println!("|---|---|---|---|---|---|---|");
    let mut missing = Vec::new();
    let wanted = |set: &&Set| only.is_empty() || only.iter().any(|name| name == set.name);
    for set in SETS.iter().filter(wanted) {
        let folder = folder.join(set.name);
        if set.bundled || folder.is_dir() {
            let features = features.as_ref().map_or(set.features, |m| std::slice::from_ref(m));
            compare(set, &folder, gamma, seeds.unwrap_or(set.seeds), features)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
        } else {
            missing.push(set.name);
        }
    }
    println!("\nMean ± standard deviation of the accuracy on test samples.");
    for name in missing {
        println!("{name} is missing: .ci/data {} {name}", folder.display());
    }
    Ok(())
}

/// The width of the kernel, how many seeds and features, where the data sets are, and the names of those to run; all if
/// there are none.
struct Arguments {
    gamma: f64,
    seeds: Option<u64>,
    features: Option<usize>,
    folder: PathBuf,
    only: Vec<String>,
}

impl Arguments {
    fn parse(mut parser: lexopt::Parser) -> Result<Self, lexopt::Error> {
        let (mut gamma, mut seeds, mut features) = (1.0, None, None);
        let (mut folder, mut only) = (None, Vec::new());
        while let Some(argument) = parser.next()? {
            match argument {
                Long("gamma") => gamma = parser.value()?.parse()?,
                Long("seeds") => seeds = Some(parser.value()?.parse()?),
                Long("features") => features = Some(parser.value()?.parse()?),
                Value(value) if folder.is_none() => folder = Some(value.into()),
                Value(name) => only.push(name.string()?),
                unexpected => return Err(unexpected.unexpected()),
            }
        }
        if let Some(unknown) = only.iter().find(|name| SETS.iter().all(|set| set.name != **name)) {
            return Err(format!("no data set is called {unknown}").into());
        }
        let folder = folder.unwrap_or_else(|| "target/data".into());
        Ok(Self { gamma, seeds, features, folder, only })
    }
}

/// Reads a data set from its folder. The seed chooses the split, where the set has none of its own.
type Reader = fn(&Path, u64) -> Result<Split, Box<dyn Error>>;

/// A data set, and what to compare on it.
struct Set {
    name: &'static str,
    /// Its name in the table.
    title: &'static str,
    bundled: bool,
    read: Reader,
    /// Height and width of an image; `None` for a table.
    picture: Option<(usize, usize)>,
    features: &'static [usize],
    seeds: u64,
}

const SETS: [Set; 7] = [
    Set {
        name: "digits",
        title: "digits",
        bundled: true,
        read: |_, seed| Ok(data::split_digits(seed)),
        picture: Some((8, 8)),
        features: &[1024, 4096],
        seeds: 10,
    },
    Set {
        name: "mnist",
        title: "MNIST",
        bundled: false,
        read: pictures,
        picture: Some((28, 28)),
        features: &[2048, 4096],
        seeds: 3,
    },
    Set {
        name: "fashion",
        title: "Fashion-MNIST",
        bundled: false,
        read: pictures,
        picture: Some((28, 28)),
        features: &[4096],
        seeds: 3,
    },
    Set {
        name: "covtype",
        title: "Cov-Type",
        bundled: false,
        read: |folder, _| data::covtype::read(folder, 60_000, 20_000),
        picture: None,
        features: &[2048, 4096],
        seeds: 3,
    },
    Set {
        name: "adult",
        title: "Adult (a9a)",
        bundled: false,
        read: |folder, _| data::adult::read(folder),
        picture: None,
        features: &[2048],
        seeds: 3,
    },
    Set {
        name: "wine",
        title: "wine",
        bundled: true,
        read: |_, seed| Ok(data::split_table(data::WINE, seed)),
        picture: None,
        features: &[1024],
        seeds: 20,
    },
    Set {
        name: "cancer",
        title: "breast cancer",
        bundled: true,
        read: |_, seed| Ok(data::split_table(data::BREAST_CANCER, seed)),
        picture: None,
        features: &[1024],
        seeds: 20,
    },
];

/// Pictures of bytes as samples.
fn pictures(folder: &Path, _: u64) -> Result<Split, Box<dyn Error>> {
    Ok(Pictures::read(folder)?.into_split())
}

/// The kinds of σ, and their names in the table.
const POLICIES: [(&str, Policy); 3] = [
    ("two thresholds", Policy::MinVariance),
    ("four thresholds", Policy::FourBand),
    ("periodic", Policy::Periodic),
];

/// Prints a row for each number of features and kind of σ.
fn compare(
    set: &Set,
    folder: &Path,
    gamma: f64,
    seeds: u64,
    features: &[usize],
) -> Result<(), Box<dyn Error>> {
    let boxes = set.picture.map(|(height, width)| Form::Boxes(Grid::image(height, width)));
    let forms = [
        ("independent", Some(Form::Stored)),
        ("all inputs", Some(Form::Structured)),
        ("boxes", boxes),
        ("subsets", Some(Form::SUBSETS)),
    ];
    let mut splits = Vec::new();
    for seed in 0..if set.bundled { seeds } else { 1 } {
        splits.push((set.read)(folder, seed)?);
    }
    for (&features, (sigma, policy)) in
        features.iter().flat_map(|m| POLICIES.iter().map(move |policy| (m, policy)))
    {
        let mut row = format!("| {} | {features} | {sigma} |", set.title);
        for (name, form) in forms {
            if let Some(form) = form {
                let label = format!("{}, {features} features, {sigma}, {name}", set.title);
                let params = TernaryFeatures::params(features).target(Target::gaussian(gamma));
                let params = params.policy(*policy).form(form);
                row += &format!(" {}", accuracies(&splits, params, seeds, &label)?);
            }
            row += " |";
        }
        println!("{row}");
    }
    Ok(())
}

/// The accuracy over all seeds, mean ± standard deviation, with the splits in turn.
fn accuracies(
    splits: &[Split],
    params: Params,
    seeds: u64,
    label: &str,
) -> Result<String, ternion::Error> {
    let mut found = Vec::new();
    for (seed, split) in (0..seeds).zip(splits.iter().cycle()) {
        let (accuracy, _) = ridge::ternary(split, params.clone().seed(seed))?;
        eprintln!("{label}, seed {seed}: {accuracy:.4}");
        found.push(accuracy);
    }
    let count = found.len() as f64;
    let mean = found.iter().sum::<f64>() / count;
    let squares: f64 = found.iter().map(|accuracy| (accuracy - mean).powi(2)).sum();
    Ok(match found.len() {
        1 => format!("{mean:.4}"),
        _ => format!("{mean:.4} ± {:.4}", (squares / (count - 1.0)).sqrt()),
    })
}
