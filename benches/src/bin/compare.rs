//! Times Ternion's kernels and dense libraries side by side: `compare project`, `compare gram`; the whole way from
//! samples to predictions: `compare job`; learners: `compare learn`; and one thread beside more: `compare threads`. What
//! they record with `--history` is shown by `compare history`.
//!
//! ```text
//! cargo run --release -p ternion-benches --bin compare -- project
//! cargo run --release -p ternion-benches --bin compare -- gram --json
//! cargo run --release -p ternion-benches --bin compare -- job --data target/data/mnist
//! ```
//!
//! Crates `gemm` and `matrixmultiply` are always peers; `faer` is one with `--features faer`, which
//! lengthens the first build by about a minute, and `numkong` with `--features numkong`, which takes some
//! minutes and a C compiler. Three shared libraries join when the environment names them:
//!
//! | variable | library | where from |
//! |---|---|---|
//! | `MKL_RT` | Intel MKL, `libmkl_rt.so.*` | PyPI package `mkl`, in a virtual environment: `ENV/lib` |
//! | `OPENBLAS` | OpenBLAS, `libopenblas.so.0` | Debian package `libopenblas0` |
//! | `ONEDNN` | oneDNN, `libdnnl.so.*` (int8 only) | Debian package `libdnnl2` |
//!
//! `compare learn` runs scikit-learn, whose support vector machine is LIBLINEAR, by the Python that `SKLEARN_PYTHON` names.
//!
//! ```text
//! python3 -m venv ENV && ENV/bin/pip install mkl
//! apt-get install libopenblas0 libdnnl2
//! export MKL_RT=ENV/lib/libmkl_rt.so.3
//! export OPENBLAS=/usr/lib/x86_64-linux-gnu/libopenblas.so.0
//! export ONEDNN=/usr/lib/x86_64-linux-gnu/libdnnl.so.2
//! ```
//!
//! On a CPU not made by Intel, MKL's sgemm still uses AVX2 but its int8 GEMM does not use VNNI:
//! oneDNN is the int8 peer that counts there.
//!
//! Everything but `compare threads` runs on one thread. To hold `matrixmultiply` to SSE2, as a peer of the portable
//! tier, set `MMTEST_FEATURE=sse2` when building, with a `CARGO_TARGET_DIR` of its own.

use std::error::Error;
use std::process::ExitCode;

use ternion_benches::args::{Args, HELP, History, Product, Request, Task, parse};
use ternion_benches::cpu::Cpu;
use ternion_benches::floors;
use ternion_benches::gram::{self, Gram, Matvec};
use ternion_benches::harness::{Contender, race};
use ternion_benches::history::{self, Record};
use ternion_benches::job::{self, Data, Outcome};
use ternion_benches::learn::{self, Learn, Learner};
use ternion_benches::moments::{self, Moments};
use ternion_benches::peers::{self, Peers};
use ternion_benches::project::{self, Project};
use ternion_benches::report::{self, Line, Shape};
use ternion_benches::sigma;
use ternion_benches::threads::{self, Threads};

fn main() -> ExitCode {
    let done = match parse(std::env::args().skip(1)) {
        Ok(Request::Help) => {
            print!("{HELP}");
            Ok(())
        }
        Ok(Request::Compare(args)) => compare(&args),
        Ok(Request::History(shown)) => show(&shown),
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("compare: {error}");
            let mut cause = error.source();
            while let Some(inner) = cause {
                eprintln!("  because: {inner}");
                cause = inner.source();
            }
            ExitCode::FAILURE
        }
    }
}

fn compare(args: &Args) -> Result<(), Box<dyn Error>> {
    let peers = peers::present()?;
    for absent in peers.absent.iter().filter(|_| args.task != Task::Threads) {
        eprintln!("not compared: {absent}");
    }
    if args.list {
        list(args, &peers);
        return Ok(());
    }
    let cpu = Cpu::present();
    eprintln!("CPU: {}", cpu.name);
    let mut lines = Vec::new();
    for (job, shape) in jobs(args) {
        let Shape { inputs, features, samples } = shape;
        match job {
            Job::Project => {
                let inputs = inputs.expect("a shape of project has inputs");
                let project = Project::new(inputs, features, samples);
                lines.extend(run(args, project.contenders(&peers), shape)?);
            }
            Job::Product(Product::Gram) => {
                let gram = Gram::new(features, samples);
                lines.extend(run(args, gram.contenders(&peers), shape)?);
            }
            Job::Learn => {
                let learn = Learn::new(features, samples);
                for learner in Learner::ALL {
                    lines.extend(run(args, learn.contenders(learner, &peers), shape)?);
                }
                if !args.json {
                    println!("{}", learn.memory(&peers));
                    match std::env::var_os("SKLEARN_PYTHON") {
                        Some(python) => {
                            let (features, samples) = learn::sklearn::SHAPE;
                            let learn = Learn::new(features, samples);
                            println!("{}", learn::sklearn::table(&learn, python.as_ref(), &peers)?);
                        }
                        None => eprintln!(
                            "not compared: scikit-learn: set SKLEARN_PYTHON to a Python with it"
                        ),
                    }
                }
            }
            Job::Whole => {
                let inputs = inputs.expect("a shape of job has inputs");
                let data = match &args.data {
                    Some(folder) => Data::read(folder, inputs, samples)?,
                    None => Data::generated(inputs, samples),
                };
                let job = job::Job::new(data, features);
                lines.extend(run_job(args, &job, &peers, shape)?);
            }
            Job::Threads => {
                let inputs = inputs.expect("a shape of threads has inputs");
                let threads = Threads::new(inputs, features, samples);
                run(args, threads.contenders(), shape)?;
            }
            Job::Product(Product::Moments) => {
                let moments = Moments::new(features, samples);
                lines.extend(run(args, moments.contenders(&peers), shape)?);
            }
            Job::Product(Product::Matvec) => {
                let matvec = Matvec::new(features, samples);
                lines.extend(run(args, matvec.contenders(&peers), shape)?);
            }
        }
    }
    if !args.json {
        print!("{}{}", floors::table(&lines, &cpu), sigma::table(&lines));
    }
    if let Some(file) = &args.history {
        history::add(file, Record::of(&lines, &cpu, &peers)?)?;
    }
    Ok(())
}

/// Prints and draws what was recorded.
fn show(shown: &History) -> Result<(), Box<dyn Error>> {
    let records = history::read(&shown.file)?;
    print!("{}", history::table(&records, &shown.only));
    if let Some(svg) = &shown.svg {
        std::fs::write(svg, history::picture(&records, &shown.only))?;
    }
    Ok(())
}

/// What is timed at a shape.
#[derive(Clone, Copy, Debug)]
enum Job {
    Project,
    Product(Product),
    Learn,
    Whole,
    Threads,
}

/// The shapes asked for, or the task's own.
fn jobs(args: &Args) -> Vec<(Job, Shape)> {
    let given = |job| args.shapes.iter().map(|&shape| (job, shape)).collect();
    match (args.task, args.shapes.is_empty()) {
        (Task::Project, false) => given(Job::Project),
        (Task::Threads, false) => given(Job::Threads),
        (Task::Learn, false) => given(Job::Learn),
        (Task::Job, false) => given(Job::Whole),
        (Task::Gram, false) => given(Job::Product(args.product.unwrap_or(Product::Gram))),
        (Task::Learn, true) => {
            let (features, samples) = learn::SHAPE;
            vec![(Job::Learn, Shape { inputs: None, features, samples })]
        }
        (Task::Job, true) => {
            let (inputs, features, samples) = job::SHAPE;
            vec![(Job::Whole, Shape { inputs: Some(inputs), features, samples })]
        }
        (Task::Threads, true) => {
            let (inputs, features, samples) = threads::SHAPE;
            vec![(Job::Threads, Shape { inputs: Some(inputs), features, samples })]
        }
        (Task::Project, true) => project::SHAPES
            .iter()
            .map(|&(inputs, features, samples)| Shape { inputs: Some(inputs), features, samples })
            .map(|shape| (Job::Project, shape))
            .collect(),
        (Task::Gram, true) => {
            let grams = gram::SHAPES.into_iter().map(|shape| (Product::Gram, shape));
            let others = [(Product::Moments, moments::SHAPE), (Product::Matvec, gram::MATVEC)];
            let all = grams.chain(others);
            let asked = all.filter(|(product, _)| args.product.is_none_or(|only| only == *product));
            asked
                .map(|(product, (features, samples))| {
                    (Job::Product(product), Shape { inputs: None, features, samples })
                })
                .collect()
        }
    }
}

/// Races the contenders of a job that are asked for and prints their phases.
fn run_job(
    args: &Args,
    job: &job::Job,
    peers: &Peers,
    shape: Shape,
) -> Result<Vec<Line>, Box<dyn Error>> {
    if peers.solvers.is_empty() {
        eprintln!("nothing to compare with: set MKL_RT or OPENBLAS, or build with --features faer");
    }
    let (contenders, outcomes) = job.contenders(peers);
    let both = contenders.into_iter().zip(outcomes).filter(|(c, _)| is_asked(args, c));
    let (mut contenders, outcomes): (Vec<_>, Vec<_>) = both.unzip();
    let timings = race(&mut contenders, args.budget)?;
    let lines = report::lines(&contenders, &timings, shape);
    let outcomes: Vec<Outcome> = outcomes.iter().map(|outcome| outcome.get()).collect();
    if args.json {
        for (line, outcome) in lines.iter().zip(&outcomes) {
            println!("{}", job::json(line, outcome));
        }
    } else {
        println!("{}", job::table(&lines, &outcomes));
    }
    Ok(lines)
}

fn is_asked(args: &Args, contender: &Contender) -> bool {
    let words = contender.id.to_string();
    args.only.is_empty() || args.only.iter().any(|only| words.contains(only))
}

/// Races the contenders that are asked for and prints the lines of all.
fn run(
    args: &Args,
    mut contenders: Vec<Contender>,
    shape: Shape,
) -> Result<Vec<Line>, Box<dyn Error>> {
    contenders.retain(|contender| is_asked(args, contender));
    let timings = race(&mut contenders, args.budget)?;
    let lines = report::lines(&contenders, &timings, shape);
    if args.json {
        for line in &lines {
            println!("{}", line.json());
        }
    } else if args.task == Task::Threads {
        println!("{}", threads::table(&lines));
    } else {
        println!("{}", report::table(&lines));
    }
    Ok(lines)
}

fn list(args: &Args, peers: &Peers) {
    if args.task != Task::Threads {
        for peer in &peers.dense {
            println!("dense peer: {}", peer.name());
        }
        for peer in &peers.int8 {
            println!("int8 peer: {}", peer.name());
        }
        for peer in &peers.bits {
            println!("peer of bits: {}", peer.name());
        }
        for peer in &peers.solvers {
            println!("solver: {}", peer.name());
        }
    }
    for (job, Shape { inputs, features, samples }) in jobs(args) {
        let inputs = inputs.map_or(String::new(), |inputs| format!("{inputs}x"));
        let job = match job {
            Job::Product(product) => format!("{product:?}"),
            Job::Project | Job::Learn | Job::Whole | Job::Threads => format!("{job:?}"),
        };
        println!("{job}: {inputs}{features}x{samples}");
    }
}
