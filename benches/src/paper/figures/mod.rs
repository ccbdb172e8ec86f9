//! What each figure compares. Tables go to standard output, a picture per figure into a folder.

mod choice;
mod gamma;
mod memory;
mod preparation;
mod spectrum;
mod svm;
mod width;

use std::error::Error;
use std::fs;
use std::time::Instant;

use super::args::{Args, Command};
use super::baselines::Method;
use super::chart::{self, Panel};
use super::contender::Learner;
use super::data::{self, Pictures, Set};
use super::journal::Journal;
use memory::Comparison;

/// Training and test samples of support vector machines.
const SVM: usize = 5000;

/// Runs what the arguments ask for.
///
/// # Errors
///
/// A data set that is missing, with the command that fetches it; a table that cannot be read; a picture that cannot be
/// written.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let all = [
        Command::Spectrum,
        Command::Digits,
        Command::Gmm,
        Command::Mnist79,
        Command::Fashion,
        Command::Mnist,
        Command::A9a,
        Command::CensusLike,
        Command::Covtype,
    ];
    let commands = match &args.command {
        Command::All => &all,
        other => core::slice::from_ref(other),
    };
    // A set that is missing is better said now than after an hour.
    data::check_all(&args.data, commands)?;
    fs::create_dir_all(&args.out).map_err(|error| format!("{}: {error}", args.out.display()))?;
    let mut journal = Journal::open(&args.out, args.resume)?;
    let start = Instant::now();
    for command in commands {
        run_one(args, command, &mut journal)?;
    }
    println!("\nAll of it took {:.0} s.", start.elapsed().as_secs_f64());
    Ok(())
}

/// What Ternion is compared with by accuracy against memory. The first is the float baseline.
const BASELINES: [Method; 7] = [
    Method::RFF_32,
    Method::RFF_16,
    Method::NYSTROM_32,
    Method::NYSTROM_16,
    Method::LP_8,
    Method::LP_4,
    Method::LP_1,
];

/// Those of them that are compared at equal numbers of features on pictures, where that takes minutes for each.
const FEWER: [Method; 4] = [Method::RFF_32, Method::NYSTROM_32, Method::LP_4, Method::LP_1];

/// The methods of figure 1.
const FIGURE_1: [Method; 5] =
    [Method::RFF_32, Method::NYSTROM_32, Method::NYSTROM_16, Method::LP_8, Method::LP_1];

fn run_one(args: &Args, command: &Command, journal: &mut Journal) -> Result<(), Box<dyn Error>> {
    let quick = args.quick;
    let small = |set: Set| if quick { set.truncate(2000, 1000) } else { set };
    let mut ridge = |set: Set, figure: &str, budgets: &[usize], equal: (usize, &[Method])| {
        let set = small(set);
        let equal = if quick { (512, equal.1) } else { equal };
        let set = match set.picture {
            Some(_) => preparation::choose(args, set, (equal.1[0], equal.0), journal)?,
            None => set,
        };
        let comparison = Comparison {
            figure,
            learner: Learner::Ridge,
            baselines: &BASELINES,
            budgets: if quick { &[256, 1024] } else { budgets },
            equal,
        };
        comparison.run(args, &set, journal)?;
        Ok::<Set, Box<dyn Error>>(set)
    };
    match command {
        Command::All => {}
        Command::Spectrum => spectrum::run(args)?,
        Command::Gmm => gamma::mixture(args)?,
        Command::Mnist79 => gamma::mnist79(args)?,
        Command::Digits => {
            ridge(data::digits(0), "digits", &[2048, 8192], (4096, &BASELINES))?;
        }
        Command::Mnist => {
            let set = data::pictures(&args.data, Pictures::Mnist)?;
            ridge(set, "mnist", &[2048, 8192], (4096, &FEWER))?;
        }
        Command::Fashion => {
            let set = data::pictures(&args.data, Pictures::Fashion)?;
            let set = ridge(set, "fashion", &[2048, 8192], (4096, &FEWER))?;
            svm::arc_cosine(args, &set, journal)?;
        }
        Command::A9a => {
            let set = data::a9a(&args.data)?;
            let set = ridge(set, "a9a", &[1024, 8192, 20_000], (4096, &BASELINES))?;
            svm::against_inputs(args, "figure-10-11", &set.truncate(SVM, SVM), journal)?;
        }
        Command::CensusLike => {
            let set = data::elevation(&args.data, 16_000, 2_000)?;
            ridge(set, "figure-4", &[1000, 4000, 10_000], (2000, &BASELINES))?;
        }
        Command::Covtype => {
            let (train, test) = if quick { (2000, 1000) } else { data::COVTYPE };
            let set = data::covtype(&args.data, train, test)?;
            let set = ridge(set, "covtype", &[2000, 20_000], (1000, &BASELINES))?;
            let logistic = Comparison {
                figure: "figure-1",
                learner: Learner::Logistic(if quick { 2 } else { 10 }),
                baselines: &FIGURE_1,
                budgets: if quick { &[200] } else { &[200, 2000, 10_000] },
                equal: (if quick { 100 } else { 1000 }, &FIGURE_1),
            };
            logistic.run(args, &set, journal)?;
            svm::against_inputs(args, "figure-12", &set.truncate(SVM, SVM), journal)?;
        }
        Command::File(path, task) => {
            let (set, notes) = data::file(path, *task)?;
            println!("\n{}", notes.join("\n"));
            let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
            ridge(set, &name, &[2048, 8192], (4096, &BASELINES))?;
        }
    }
    Ok(())
}

/// Writes the picture of a figure and says where.
fn write(args: &Args, figure: &str, title: &str, panels: &[Panel]) -> Result<(), Box<dyn Error>> {
    let path = args.out.join(format!("{figure}.svg"));
    fs::write(&path, chart::draw(title, panels))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    println!("\nPicture: {}", path.display());
    Ok(())
}
