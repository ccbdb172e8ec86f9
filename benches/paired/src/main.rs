//! Compares the kernels of two commits, built as shared libraries: `paired OLD NEW`.
//!
//! Both are loaded into one process and take turns on the same samples and the same output, so that they meet the same states of
//! the machine; the shortest time of each counts, because other programs only ever add time. Before each turn the kernels run
//! once untimed, and nobody has two turns in a row. Where libraries and what they allocate lie in memory moves results by some
//! per cent: seven fresh processes load copies of their own, and load and prepare them in every order. A second copy of the old library takes turns as well: how far it is
//! from the first is the noise. Cases that look slower are measured again, and only those that look slower again fail. So are
//! those whose noise would hide a slowdown of 5 %: they fail, too, if it still would. What the two compute must be equal.
#![deny(unsafe_code)]

mod judge;
mod library;
mod sensitivity;
mod turns;

use judge::{Change, Verdict};
use library::Kernels;
use std::process::ExitCode;
use ternion_core::Line;
use turns::{Measured, Race};

/// Numbers of the samples and lines of output that every case finds enough.
const NUMBERS: usize = 128 * 256;
const LINES: usize = 1 << 14;

const USAGE: &str = "usage: paired OLD NEW
       paired sensitivity PAIRS LIBRARY [CASE...]
       paired count LIBRARY";

fn main() -> ExitCode {
    // A set that is not there must not be replaced by another one, as the libraries would.
    if let Err(absent) = ternion::Isa::from_env() {
        eprintln!("{absent}");
        return ExitCode::FAILURE;
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["measure", process, shares, ref rest @ ..] => {
            measure(process, shares, rest).map(|()| true)
        }
        ["sensitivity", pairs, library, ref only @ ..] => match pairs.parse() {
            Ok(pairs) => sensitivity::measure(library, pairs, only).map(|()| true),
            Err(error) => Err(format!("{pairs}: {error}")),
        },
        ["count", library] => count(library).map(|()| true),
        [old, new] => compare([old, new]),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// What one of the processes does that [`Race::processes`] starts: its number, the shares, the libraries, and cases.
fn measure(process: &str, shares: &str, rest: &[&str]) -> Result<(), String> {
    let process: usize = process.parse().map_err(|error| format!("{process}: {error}"))?;
    let shares: Result<Vec<f64>, _> = shares.split(',').map(str::parse).collect();
    let shares = shares.map_err(|error| error.to_string())?;
    let (libraries, only) =
        rest.split_at_checked(2 + shares.len()).ok_or("a library for each share is missing")?;
    turns::measure(process, &shares, libraries, only)
}

/// Numbers with a bell-shaped distribution, from a generator of its own: the same for every commit.
fn samples() -> Vec<f32> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut uniform = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 24) as f32
    };
    (0..NUMBERS).map(|_| (0..12).map(|_| uniform()).sum::<f32>() - 6.0).collect()
}

/// Calls each case twice and prints its name: the first call prepares it, and the second is what `.ci/budgets` counts.
fn count(path: &str) -> Result<(), String> {
    let kernels = Kernels::open(path)?;
    let (x, mut out) = (samples(), vec![Line::ZERO; LINES]);
    for (case, name) in kernels.names.iter().enumerate() {
        kernels.run(case, &x, &mut out, 1);
        kernels.run(case, &x, &mut out, 1);
        println!("{name}");
    }
    Ok(())
}

/// Prints a line for each case and returns those that became slower, or may have.
fn report(results: &[Measured]) -> Vec<(&str, Change)> {
    println!("{:42} {:>12} {:>7}  interval       noise", "case", "old", "new/old");
    let mut doubtful = Vec::new();
    for Measured { name, ratios, own, equal, ns } in results {
        let verdict = Verdict::new(ratios[0].clone(), own);
        let Verdict { ratio, interval: (low, high), noise } = verdict;
        let word = match verdict.change() {
            _ if !equal => "  VALUES DIFFER",
            Change::None => "",
            Change::Slower => "  slower",
            Change::Unjudged => "  not judged",
            Change::Faster => "  faster",
        };
        if matches!(verdict.change(), Change::Slower | Change::Unjudged) {
            doubtful.push((name.as_str(), verdict.change()));
        }
        println!(
            "{name:42} {ns:9.0} ns {ratio:7.3}  {low:.3}..{high:.3} {:6.2} %{word}",
            100.0 * noise
        );
    }
    doubtful
}

/// Returns whether the new kernels are as fast as the old ones, and compute the same.
fn compare(paths: [&str; 2]) -> Result<bool, String> {
    let (old, new) = (Kernels::open(paths[0])?, Kernels::open(paths[1])?);
    for name in new.names.iter().filter(|name| !old.names.contains(name)) {
        println!("{name}: not compared, the old kernels lack it");
    }
    let race = Race { paths, shares: &[0.0], only: &[] };
    let results = race.processes()?;
    if results.is_empty() {
        return Err("the two commits have no case in common".to_owned());
    }
    let mut doubtful = report(&results);
    let again;
    if !doubtful.is_empty() {
        println!("measured again:");
        let only: Vec<&str> = doubtful.iter().map(|(name, _)| *name).collect();
        again = Race { only: &only, ..race }.processes()?;
        doubtful = report(&again);
    }
    for result in results.iter().filter(|result| !result.equal) {
        println!("{}: values differ; list them under Value stability in CHANGELOG.md", result.name);
    }
    for (name, change) in &doubtful {
        let what = match change {
            Change::Unjudged => "not judged, the machine is too noisy to see a slowdown of 5 %",
            _ => "slower, and no pass says otherwise",
        };
        println!("{name}: {what}");
    }
    Ok(doubtful.is_empty() && results.iter().all(|result| result.equal))
}
