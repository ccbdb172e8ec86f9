//! The arguments of `compare`.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::prelude::*;

use crate::harness::Budget;
use crate::history;
use crate::report::Shape;

/// What `--help` prints.
pub const HELP: &str = "\
Times Ternion's kernels and dense libraries side by side in one process, on one thread.

Usage: compare project|gram|learn|job|threads [options]
       compare history [FILE] [--only WORDS] [--svg FILE]

Commands:
  project         W·x and its features against sgemm, sgemv and random Fourier features
  gram            Gram matrices and second moments of packed features against ssyrk, int8 GEMM and sgemv
  learn           logistic regression, support vector machines and ridge against the same algorithms on floats
  job             from samples to predictions, against random Fourier features and ridge on them
  threads         features on one thread against more
  history         what --history recorded in FILE (default target/history.jsonl), commits beside each other

Options:
  --json          one JSON object per line instead of tables
  --shape SHAPE   only this shape, of any sizes; may be repeated
                  project, threads: INPUTSxFEATURESxSAMPLES, e.g. 512x10000x512
                  job:     the same, of the training samples
                  gram, learn: FEATURESxSAMPLES, e.g. 16384x1024
                  (one sample is compared with sgemv, and so is --matvec)
  --matvec        gram: only matrix times vector
  --moments       gram: only second moments
  --data FOLDER   job: MNIST in this folder (.ci/data fetches it) instead of generated samples
  --only WORDS    only contenders with one of these words in \"name kernel/input/isa\",
                  separated by commas, e.g. --only dense,index-lists/f32/avx512
  --seconds N     time budget of each shape (default 10)
  --quick         three rounds per shape: a look, not a figure to quote
  --history FILE  also record how many times as fast as a dense library each kernel was: a JSON line for each commit
  --svg FILE      history: draw the kernels that moved most
  --list          print the shapes and the peers, time nothing
  --help          this text

Environment:
  MKL_RT          libmkl_rt.so of Intel MKL (PyPI package mkl)
  OPENBLAS        libopenblas.so.0 (Debian package libopenblas0)
  ONEDNN          libdnnl.so of oneDNN (Debian package libdnnl2), for int8
  SKLEARN_PYTHON  a Python with scikit-learn, for learn
";

/// Which comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Projection and featurizing.
    Project,
    /// Gram matrices.
    Gram,
    /// Learners on packed features.
    Learn,
    /// From samples to predictions.
    Job,
    /// One thread and more.
    Threads,
}

/// What `gram` multiplies with the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// Samples with samples.
    Gram,
    /// Features with features.
    Moments,
    /// Samples with a vector.
    Matvec,
}

/// Parsed arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Args {
    /// Which comparison.
    pub task: Task,
    /// JSON instead of tables.
    pub json: bool,
    /// The shapes asked for; empty for all of the task's own.
    pub shapes: Vec<Shape>,
    /// Only this product of `gram`.
    pub product: Option<Product>,
    /// Words a contender must have one of; empty for all.
    pub only: Vec<String>,
    /// Where the samples of `job` are; generated if absent.
    pub data: Option<PathBuf>,
    /// How long to measure a shape.
    pub budget: Budget,
    /// Print what there is, time nothing.
    pub list: bool,
    /// The file that ratios are recorded in.
    pub history: Option<PathBuf>,
}

/// What of a history is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// The file it is in.
    pub file: PathBuf,
    /// Words a kernel must have one of; empty for all.
    pub only: Vec<String>,
    /// Where it is drawn.
    pub svg: Option<PathBuf>,
}

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Print [`HELP`].
    Help,
    /// Compare.
    Compare(Args),
    /// Show earlier comparisons.
    History(History),
}

/// Reads the arguments after the program's name.
///
/// ```
/// use ternion_benches::args::{Request, Task, parse};
///
/// let request = parse(["gram", "--json"])?;
/// assert!(matches!(request, Request::Compare(args) if args.task == Task::Gram && args.json));
/// # Ok::<(), lexopt::Error>(())
/// ```
///
/// # Errors
///
/// [`lexopt::Error`] names the argument that is wrong and what was expected.
pub fn parse<I>(args: I) -> Result<Request, lexopt::Error>
where
    I: IntoIterator<Item: Into<OsString>, IntoIter: 'static>,
{
    let mut parser = lexopt::Parser::from_args(args);
    let (mut task, mut json, mut product, mut list, mut quick) = (None, false, None, false, false);
    let (mut shapes, mut only, mut seconds, mut data) = (Vec::new(), Vec::new(), 10.0, None);
    let (mut first, mut history) = (true, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Request::Help),
            Long("json") => json = true,
            Long("matvec") => product = Some(Product::Matvec),
            Long("moments") => product = Some(Product::Moments),
            Long("data") => data = Some(PathBuf::from(parser.value()?)),
            Long("list") => list = true,
            Long("quick") => quick = true,
            Long("shape") => shapes.push(parser.value()?.string()?),
            Long("only") => only.extend(words(&mut parser)?),
            Long("history") => history = Some(PathBuf::from(parser.value()?)),
            Value(word) if first && word == "history" => return shown(parser),
            Long("seconds") => seconds = parser.value()?.parse_with(positive_seconds)?,
            Value(word) if task.is_none() => task = Some(word.parse_with(task_named)?),
            other => return Err(other.unexpected()),
        }
        first = false;
    }
    let task = task.ok_or("expected a command: project, gram, learn, job, threads or history")?;
    if product.is_some() && task != Task::Gram {
        let why = "--matvec and --moments belong to gram; for project give a shape with 1 sample";
        return Err(why.into());
    }
    if data.is_some() && task != Task::Job {
        return Err("--data belongs to job".into());
    }
    if history.is_some() && (list || task == Task::Threads) {
        return Err("--history records what is compared with a dense library".into());
    }
    let shapes = shapes.iter().map(|text| shape(task, text)).collect::<Result<_, _>>()?;
    let mut budget = if quick { Budget::quick() } else { Budget::full(seconds) };
    if matches!(task, Task::Job | Task::Learn) {
        budget.min_rounds = 3; // of many seconds each
    }
    Ok(Request::Compare(Args { task, json, shapes, product, only, data, budget, list, history }))
}

/// The words of an option, which are separated by commas.
fn words(parser: &mut lexopt::Parser) -> Result<Vec<String>, lexopt::Error> {
    Ok(parser.value()?.string()?.split(',').map(str::to_owned).collect())
}

/// The arguments after `history`.
fn shown(mut parser: lexopt::Parser) -> Result<Request, lexopt::Error> {
    let (mut file, mut only, mut svg) = (None, Vec::new(), None);
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(Request::Help),
            Long("only") => only.extend(words(&mut parser)?),
            Long("svg") => svg = Some(PathBuf::from(parser.value()?)),
            Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
            other => return Err(other.unexpected()),
        }
    }
    let file = file.unwrap_or_else(|| history::FILE.into());
    Ok(Request::History(History { file, only, svg }))
}

fn task_named(word: &str) -> Result<Task, &'static str> {
    match word {
        "project" => Ok(Task::Project),
        "gram" => Ok(Task::Gram),
        "learn" => Ok(Task::Learn),
        "job" => Ok(Task::Job),
        "threads" => Ok(Task::Threads),
        _ => Err("expected project, gram, learn, job, threads, or history first"),
    }
}

fn positive_seconds(text: &str) -> Result<f64, &'static str> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && seconds.is_finite());
    seconds.ok_or("expected a positive number of seconds")
}

fn shape(task: Task, text: &str) -> Result<Shape, String> {
    let sizes: Option<Vec<usize>> =
        text.split('x').map(|n| n.parse().ok().filter(|&n| n > 0)).collect();
    match (task, sizes.as_deref()) {
        (Task::Project | Task::Job | Task::Threads, Some(&[inputs, features, samples])) => {
            Ok(Shape { inputs: Some(inputs), features, samples })
        }
        (Task::Gram | Task::Learn, Some(&[features, samples])) => {
            Ok(Shape { inputs: None, features, samples })
        }
        _ => {
            let sizes = if matches!(task, Task::Gram | Task::Learn) { 2 } else { 3 };
            Err(format!(
                "expected a shape of {sizes} positive numbers with x between, found {text}"
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &'static str) -> Result<Request, lexopt::Error> {
        parse(line.split_whitespace())
    }

    fn args(line: &'static str) -> Args {
        match of(line) {
            Ok(Request::Compare(args)) => args,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn every_option_is_read() {
        let found = args(
            "project --json --shape 3x4x5 --shape=6x7x1 --only dense,avx2 --seconds 2.5 --list",
        );
        assert_eq!(found.task, Task::Project);
        assert!(found.json && found.list && found.product.is_none());
        assert_eq!(found.shapes[0], Shape { inputs: Some(3), features: 4, samples: 5 });
        assert_eq!(found.shapes[1], Shape { inputs: Some(6), features: 7, samples: 1 });
        assert_eq!(found.only, ["dense", "avx2"]);
        assert_eq!(found.budget, Budget::full(2.5));
    }

    #[test]
    fn gram_shapes_have_two_sizes() {
        let found = args("gram --matvec --quick --shape 16384x1024");
        assert_eq!(found.shapes, [Shape { inputs: None, features: 16384, samples: 1024 }]);
        assert_eq!(found.product, Some(Product::Matvec));
        assert_eq!(found.budget, Budget::quick());
    }

    #[test]
    fn jobs_have_data_and_few_rounds() {
        let found = args("job --data target/data/mnist --shape 784x4096x60000");
        assert_eq!(found.data, Some(PathBuf::from("target/data/mnist")));
        assert_eq!(found.shapes[0].inputs, Some(784));
        assert_eq!(found.budget, Budget { min_rounds: 3, ..Budget::full(10.0) });
    }

    #[test]
    fn histories_are_recorded_and_shown() {
        assert_eq!(args("gram --history a").history, Some(PathBuf::from("a")));
        let shown = |line| match of(line) {
            Ok(Request::History(shown)) => shown,
            other => panic!("{line}: {other:?}"),
        };
        let nothing = History { file: history::FILE.into(), only: vec![], svg: None };
        assert_eq!(shown("history"), nothing);
        let found = shown("history a --only gram,dots --svg b");
        assert_eq!((found.file, found.svg), ("a".into(), Some("b".into())));
        assert_eq!(found.only, ["gram", "dots"]);
    }

    #[test]
    fn help_needs_no_command() {
        assert!(matches!(of("--help"), Ok(Request::Help)));
        assert!(matches!(of("gram -h"), Ok(Request::Help)));
    }

    #[test]
    fn mistakes_are_named() {
        for (line, words) in [
            ("", "expected a command"),
            ("projekt", "expected project, gram, learn, job, threads, or history first"),
            ("--json history", "or history first"),
            ("history --json", "'--json'"),
            ("history a b", "unexpected argument \"b\""),
            ("threads --history x", "compared with a dense library"),
            ("gram --list --history x", "compared with a dense library"),
            ("gram threads", "unexpected argument \"threads\""),
            ("gram --fast", "'--fast'"),
            ("gram --shape", "'--shape'"),
            ("project --matvec", "belong to gram"),
            ("threads --moments", "belong to gram"),
            ("project --data x", "belongs to job"),
            ("gram --shape 1x2x3", "2 positive numbers with x between, found 1x2x3"),
            ("learn --shape 1x2x3", "2 positive numbers with x between, found 1x2x3"),
            ("project --shape 1x2", "3 positive numbers with x between, found 1x2"),
            ("project --shape 1x0x3", "found 1x0x3"),
            ("project --shape 1xAx3", "found 1xAx3"),
            ("gram --seconds 0", "expected a positive number of seconds"),
            ("gram --seconds=-1", "expected a positive number of seconds"),
            ("gram --seconds inf", "expected a positive number of seconds"),
            ("gram --seconds NaN", "expected a positive number of seconds"),
            ("gram --seconds soon", "expected a positive number of seconds"),
        ] {
            let refused = of(line).expect_err(line).to_string();
            assert!(refused.contains(words), "{line}: {refused}");
        }
    }
}
