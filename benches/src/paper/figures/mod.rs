//! What each figure compares. Tables go to standard output, a picture per figure into a folder.

mod gamma;
mod memory;
mod spectrum;
mod svm;

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

/// Widths of the Gaussian kernel exp(−γ‖x − y‖²) to choose from, for samples with a mean ‖x‖² of 1.
const WIDTHS: [f64; 9] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

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
    fs::create_dir_all(&args.out)?;
    let mut journal = Journal::open(&args.out, args.resume)?;
    let start = Instant::now();
    for command in commands {
        run_one(args, command, &mut journal)?;
    }
    println!("\nAll of it took {:.0} s.", start.elapsed().as_secs_f64());
    Ok(())
}

/// Methods that keep more than one bit of a Gaussian kernel's features, and those that keep fewer than Ternion.
const BASELINES: [Method; 7] = [
    Method::RFF_32,
    Method::RFF_16,
    Method::NYSTROM_32,
    Method::NYSTROM_16,
    Method::LP_8,
    Method::LP_4,
    Method::LP_1,
];

fn run_one(args: &Args, command: &Command, journal: &mut Journal) -> Result<(), Box<dyn Error>> {
    let quick = args.quick;
    let small = |set: Set| if quick { set.truncate(2000, 1000) } else { set };
    let ridge = |figure, budgets: &'static [usize], equal| Comparison {
        figure,
        learner: Learner::Ridge,
        budgets: if quick { &[256, 1024] } else { budgets },
        equal: if quick { 512 } else { equal },
        baselines: &BASELINES,
    };
    match command {
        Command::All => Ok(()),
        Command::Spectrum => spectrum::run(args),
        Command::Gmm => gamma::mixture(args),
        Command::Mnist79 => gamma::mnist79(args),
        Command::Digits => {
            ridge("digits", &[2048, 8192], 4096).run(args, &data::digits(0), journal)
        }
        Command::Mnist => {
            let set = small(data::pictures(&args.data, Pictures::Mnist)?).prepared(false);
            ridge("mnist", &[2048, 8192], 4096).run(args, &set, journal)
        }
        Command::Fashion => {
            let set = small(data::pictures(&args.data, Pictures::Fashion)?).prepared(false);
            svm::arc_cosine(args, &set, journal)?;
            ridge("fashion", &[2048, 8192], 4096).run(args, &set, journal)
        }
        Command::A9a => {
            let set = small(data::a9a(&args.data)?);
            svm::against_inputs(args, "figure-10-11", &set.truncate(SVM, SVM), journal)?;
            ridge("a9a", &[1024, 4096], 2048).run(args, &set, journal)
        }
        Command::CensusLike => {
            let set = small(data::elevation(&args.data, 16_000, 2_000)?);
            ridge("figure-4", &[1000, 4000, 10_000], 5000).run(args, &set, journal)
        }
        Command::Covtype => {
            let (train, test) = if quick { (2000, 1000) } else { data::COVTYPE };
            let set = data::covtype(&args.data, train, test)?;
            let logistic = Comparison {
                figure: "figure-1",
                learner: Learner::Logistic(if quick { 2 } else { 10 }),
                budgets: if quick { &[200] } else { &[200, 2000, 10_000] },
                equal: if quick { 100 } else { 1000 },
                baselines: &[
                    Method::LP_8,
                    Method::LP_1,
                    Method::NYSTROM_32,
                    Method::NYSTROM_16,
                    Method::RFF_32,
                ],
            };
            svm::against_inputs(args, "figure-12", &set.truncate(SVM, SVM), journal)?;
            ridge("covtype", &[2000, 20_000], 1000).run(args, &set, journal)?;
            logistic.run(args, &set, journal)
        }
        Command::File(path, task) => {
            ridge("file", &[2048, 8192], 4096).run(args, &data::file(path, *task)?, journal)
        }
    }
}

/// Writes the picture of a figure and says where.
fn write(args: &Args, figure: &str, title: &str, panels: &[Panel]) -> Result<(), Box<dyn Error>> {
    let path = args.out.join(format!("{figure}.svg"));
    fs::write(&path, chart::draw(title, panels))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    println!("\nPicture: {}", path.display());
    Ok(())
}
