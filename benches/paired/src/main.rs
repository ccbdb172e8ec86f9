//! Compares the kernels of two commits, built as shared libraries: `paired OLD OLD-AGAIN NEW`.
//!
//! Both are loaded into one process and take turns on the same samples and the same output, old, new, new, old, so that
//! they meet the same states of the machine; the shortest time of each counts, because other programs only ever add time.
//! Where libraries and their heaps lie in memory moves results by some per cent, so seven fresh processes load them
//! in either order. A second copy of the old library takes turns as well: how far it is from the first is the noise. Cases
//! that look slower are measured again, and only those that look slower again fail. What the two compute must be equal.
#![deny(unsafe_code)]

mod judge;
mod library;

use judge::{Change, Verdict};
use library::Kernels;
use std::hint::black_box;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use ternion_core::Line;

const PROCESSES: usize = 7;
/// Every case has its rounds several times, so that no burst of other work meets all of them.
const SWEEPS: usize = 4;
const ROUNDS: usize = 20;
/// A turn is at least this long.
const TURN: Duration = Duration::from_micros(500);

/// Numbers of the samples and lines of output that every case finds enough.
const NUMBERS: usize = 128 * 256;
const LINES: usize = 1 << 14;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["measure", order, old, again, new, ref cases @ ..] => {
            measure([old, again, new], order == "swapped", cases).map(|()| true)
        }
        [old, again, new] => compare([old, again, new]),
        _ => Err("usage: paired OLD OLD-AGAIN NEW".to_owned()),
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

/// Everything that a case computes, in one number.
fn value(kernels: &Kernels, case: usize, x: &[f32], out: &mut [Line]) -> u64 {
    out.fill(Line::ZERO);
    let given = kernels.run(case, x, out, 1);
    let words: &[u64] = bytemuck::cast_slice(out);
    words.iter().fold(given, |hash, word| (hash ^ word).wrapping_mul(0x0000_0100_0000_01B3))
}

/// The time of some runs of a case.
fn turn((kernels, case): Player<'_>, x: &[f32], out: &mut [Line], times: usize) -> Duration {
    let start = Instant::now();
    black_box(kernels.run(case, x, out, times));
    start.elapsed()
}

/// A library, and the number of a case in it.
type Player<'a> = (&'a Kernels, usize);

/// A case in one process.
struct Paired<'a> {
    name: &'a str,
    /// Old, old again, new.
    players: [Player<'a>; 3],
    /// Runs per turn.
    times: usize,
    shortest: [Duration; 3],
    /// Whether old and new compute the same.
    equal: bool,
}

/// One process: a line for each case with its name, new over old, old again over old, whether the values are equal, and
/// the time of the old kernels in ns.
fn measure(paths: [&str; 3], swapped: bool, only: &[&str]) -> Result<(), String> {
    let mut order = [0, 1, 2];
    if swapped {
        order.reverse();
    }
    let mut loaded = [const { None }; 3];
    for which in order {
        loaded[which] = Some(Kernels::open(paths[which])?);
    }
    let [Some(old), Some(again), Some(new)] = loaded else { unreachable!("all are loaded") };
    let x = samples();
    let mut out = vec![Line::ZERO; LINES];
    let mut cases = Vec::new();
    for (case, name) in old.names.iter().enumerate() {
        let Some(newer) = new.names.iter().position(|other| other == name) else { continue };
        if !only.is_empty() && !only.contains(&name.as_str()) {
            continue;
        }
        let players = [(&old, case), (&again, case), (&new, newer)];
        let values = players.map(|(kernels, case)| value(kernels, case, &x, &mut out));
        let mut times = 1;
        while turn(players[0], &x, &mut out, times) < TURN {
            times *= 2;
        }
        let equal = values[0] == values[2];
        cases.push(Paired { name, players, times, shortest: [Duration::MAX; 3], equal });
    }
    let [first, second, third] = order;
    for _ in 0..SWEEPS {
        for case in &mut cases {
            for _ in 0..ROUNDS {
                for which in [first, second, third, third, second, first] {
                    let time = turn(case.players[which], &x, &mut out, case.times);
                    case.shortest[which] = case.shortest[which].min(time);
                }
            }
        }
    }
    for Paired { name, times, shortest, equal, .. } in cases {
        let [old, again, new] = shortest.map(|time| time.as_secs_f64() / times as f64);
        println!("{name} {} {} {equal} {}", new / old, again / old, old * 1e9);
    }
    Ok(())
}

/// What all processes say about one case.
struct Measured {
    name: String,
    ratios: Vec<f64>,
    own: Vec<f64>,
    equal: bool,
    ns: f64,
}

/// Fresh processes, in turn with either order of loading.
fn processes(paths: [&str; 3], only: &[&str]) -> Result<Vec<Measured>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut all: Vec<Measured> = Vec::new();
    for process in 0..PROCESSES {
        let order = ["straight", "swapped"][process % 2];
        eprint!("\rprocess {} of {PROCESSES} ", process + 1);
        let output = Command::new(&program)
            .args(["measure", order])
            .args(paths)
            .args(only)
            .stderr(Stdio::inherit())
            .output()
            .map_err(|error| error.to_string())?;
        if !output.status.success() {
            return Err(format!("a process failed: {}", output.status));
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        for line in text.lines() {
            let fields: Vec<&str> = line.split(' ').collect();
            let [name, ratio, own, equal, ns] = fields[..] else {
                return Err(format!("a line that is not a measurement: {line}"));
            };
            let number = |text: &str| text.parse::<f64>().map_err(|error| error.to_string());
            let found = all.iter_mut().find(|result| result.name == name);
            let result = match found {
                Some(result) => result,
                None => {
                    all.push(Measured {
                        name: name.to_owned(),
                        ratios: Vec::new(),
                        own: Vec::new(),
                        equal: true,
                        ns: f64::INFINITY,
                    });
                    all.last_mut().expect("just added")
                }
            };
            result.ratios.push(number(ratio)?);
            result.own.push(number(own)?);
            result.equal &= equal == "true";
            result.ns = result.ns.min(number(ns)?);
        }
    }
    eprint!("\r");
    Ok(all)
}

/// Prints a line for each case and returns those that became slower.
fn report(results: &[Measured]) -> Vec<&str> {
    println!("{:42} {:>12} {:>7}  interval       noise", "case", "old", "new/old");
    let mut slower = Vec::new();
    for Measured { name, ratios, own, equal, ns } in results {
        let verdict = Verdict::new(ratios.clone(), own);
        let Verdict { ratio, interval: (low, high), noise } = verdict;
        let word = match verdict.change() {
            _ if !equal => "  VALUES DIFFER",
            Change::None => "",
            Change::Slower => "  slower",
            Change::Faster => "  faster",
        };
        if verdict.change() == Change::Slower {
            slower.push(name.as_str());
        }
        println!(
            "{name:42} {ns:9.0} ns {ratio:7.3}  {low:.3}..{high:.3} {:6.2} %{word}",
            100.0 * noise
        );
    }
    slower
}

/// Returns whether the new kernels are as fast as the old ones, and compute the same.
fn compare(paths: [&str; 3]) -> Result<bool, String> {
    let results = processes(paths, &[])?;
    if results.is_empty() {
        return Err("the two commits have no case in common".to_owned());
    }
    let mut slower = report(&results);
    let again;
    if !slower.is_empty() {
        println!("measured again:");
        again = processes(paths, &slower)?;
        slower = report(&again);
    }
    for result in results.iter().filter(|result| !result.equal) {
        println!("{}: values differ; list them under Value stability in CHANGELOG.md", result.name);
    }
    for name in &slower {
        println!("{name}: slower in both passes");
    }
    Ok(slower.is_empty() && results.iter().all(|result| result.equal))
}
