//! The arguments of `compare`.

use std::fmt;

use crate::harness::Budget;
use crate::report::Shape;

/// What `--help` prints.
pub const HELP: &str = "\
Times Ternion's kernels and dense libraries side by side in one process, on one thread.

Usage: compare project|gram|threads [options]

Commands:
  project         W·x and its features against sgemm, sgemv and random Fourier features
  gram            Gram matrices of packed features against ssyrk, int8 GEMM and sgemv
  threads         features on one thread against more

Options:
  --json          one JSON object a line instead of tables
  --shape SHAPE   only this shape, any numbers; may be given again
                  project, threads: INPUTSxFEATURESxSAMPLES, e.g. 512x10000x512
                  gram:    FEATURESxSAMPLES, e.g. 16384x1024
                  (one sample is compared with sgemv, and so is --matvec)
  --matvec        gram: only matrix times vector
  --only WORDS    only contenders with one of these words in \"name kernel/input/isa\";
                  commas between words, e.g. --only dense,avx512
  --seconds N     time budget of each shape (default 10)
  --quick         three rounds per shape: a look, not a figure to quote
  --list          print the shapes and the peers, time nothing
  --help          this text

Environment:
  MKL_RT          libmkl_rt.so of Intel MKL (PyPI package mkl)
  OPENBLAS        libopenblas.so.0 (Debian package libopenblas0)
  ONEDNN          libdnnl.so of oneDNN (Debian package libdnnl2), for int8
";

/// Which comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Projection and featurizing.
    Project,
    /// Gram matrices.
    Gram,
    /// One thread and more.
    Threads,
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
    /// Only matrix times vector, no Gram matrix.
    pub matvec: bool,
    /// Words a contender must have one of; empty for all.
    pub only: Vec<String>,
    /// How long to measure a shape.
    pub budget: Budget,
    /// Print what there is, time nothing.
    pub list: bool,
}

/// What the command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Print [`HELP`].
    Help,
    /// Compare.
    Compare(Args),
}

/// Why the command line is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArgsError {
    /// No command.
    NoCommand,
    /// Neither `project` nor `gram` nor `threads`.
    Command(String),
    /// Not an option.
    Option(String),
    /// An option without its value.
    NoValue(String),
    /// A shape that is not the task's number of positive whole numbers.
    Shape {
        /// What was given.
        found: String,
        /// How many numbers the task takes.
        numbers: usize,
    },
    /// Seconds that are not a positive number.
    Seconds(String),
    /// `--matvec` with another task than `gram`.
    Matvec,
}

impl fmt::Display for ArgsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommand => write!(f, "expected a command, project, gram or threads"),
            Self::Command(found) => write!(f, "expected project, gram or threads, found {found:?}"),
            Self::Option(found) => write!(f, "there is no option {found:?}"),
            Self::NoValue(option) => write!(f, "{option} needs a value after it"),
            Self::Shape { found, numbers } => {
                write!(
                    f,
                    "expected {numbers} positive numbers with x between them, found {found:?}"
                )
            }
            Self::Seconds(found) => {
                write!(f, "expected a positive number of seconds, found {found:?}")
            }
            Self::Matvec => {
                write!(f, "--matvec belongs to gram; for project give a shape with 1 sample")
            }
        }?;
        write!(f, " (--help tells more)")
    }
}

impl core::error::Error for ArgsError {}

/// Reads the arguments after the program's name.
///
/// ```
/// use ternion_benches::args::{Request, Task, parse};
///
/// let request = parse(["gram", "--json"].map(String::from)).unwrap();
/// assert!(matches!(request, Request::Compare(args) if args.task == Task::Gram && args.json));
/// ```
///
/// # Errors
///
/// [`ArgsError`] names the argument that is wrong and what was expected.
pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Request, ArgsError> {
    let args: Vec<String> = args.into_iter().collect();
    if args.iter().any(|a| a == "--help" || a == "-h") {
        return Ok(Request::Help);
    }
    let mut args = args.into_iter();
    let task = match args.next() {
        None => return Err(ArgsError::NoCommand),
        Some(word) if word == "project" => Task::Project,
        Some(word) if word == "gram" => Task::Gram,
        Some(word) if word == "threads" => Task::Threads,
        Some(word) => return Err(ArgsError::Command(word)),
    };
    let (mut json, mut matvec, mut list, mut quick) = (false, false, false, false);
    let (mut shapes, mut only, mut seconds) = (Vec::new(), Vec::new(), 10.0);
    while let Some(option) = args.next() {
        let mut value = || args.next().ok_or(ArgsError::NoValue(option.clone()));
        match option.as_str() {
            "--json" => json = true,
            "--matvec" => matvec = true,
            "--list" => list = true,
            "--quick" => quick = true,
            "--shape" => shapes.push(shape(task, value()?)?),
            "--only" => only.extend(value()?.split(',').map(str::to_owned)),
            "--seconds" => {
                let text = value()?;
                seconds = match text.parse::<f64>() {
                    Ok(seconds) if seconds > 0.0 && seconds.is_finite() => seconds,
                    _ => return Err(ArgsError::Seconds(text)),
                };
            }
            _ => return Err(ArgsError::Option(option)),
        }
    }
    if matvec && task != Task::Gram {
        return Err(ArgsError::Matvec);
    }
    let budget = if quick { Budget::quick() } else { Budget::full(seconds) };
    Ok(Request::Compare(Args { task, json, shapes, matvec, only, budget, list }))
}

fn shape(task: Task, text: String) -> Result<Shape, ArgsError> {
    let numbers: Option<Vec<usize>> =
        text.split('x').map(|n| n.parse().ok().filter(|&n| n > 0)).collect();
    match (task, numbers.as_deref()) {
        (Task::Project | Task::Threads, Some(&[inputs, features, samples])) => {
            Ok(Shape { inputs: Some(inputs), features, samples })
        }
        (Task::Gram, Some(&[features, samples])) => Ok(Shape { inputs: None, features, samples }),
        (Task::Project | Task::Threads, _) => Err(ArgsError::Shape { found: text, numbers: 3 }),
        (Task::Gram, _) => Err(ArgsError::Shape { found: text, numbers: 2 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Request, ArgsError> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    fn args(line: &str) -> Args {
        match of(line) {
            Ok(Request::Compare(args)) => args,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn every_option_is_read() {
        let found = args(
            "project --json --shape 3x4x5 --shape 6x7x1 --only dense,avx2 --seconds 2.5 --list",
        );
        assert_eq!(found.task, Task::Project);
        assert!(found.json && found.list && !found.matvec);
        assert_eq!(found.shapes[0], Shape { inputs: Some(3), features: 4, samples: 5 });
        assert_eq!(found.shapes[1], Shape { inputs: Some(6), features: 7, samples: 1 });
        assert_eq!(found.only, ["dense", "avx2"]);
        assert_eq!(found.budget, Budget::full(2.5));
    }

    #[test]
    fn gram_shapes_have_two_numbers() {
        let found = args("gram --matvec --quick --shape 16384x1024");
        assert_eq!(found.shapes, [Shape { inputs: None, features: 16384, samples: 1024 }]);
        assert!(found.matvec);
        assert_eq!(found.budget, Budget::quick());
    }

    #[test]
    fn help_wins_over_everything() {
        assert_eq!(of("--help"), Ok(Request::Help));
        assert_eq!(of("gram --nonsense -h"), Ok(Request::Help));
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(of(""), Err(ArgsError::NoCommand));
        assert_eq!(of("projekt"), Err(ArgsError::Command("projekt".into())));
        assert_eq!(of("gram --fast"), Err(ArgsError::Option("--fast".into())));
        assert_eq!(of("gram --shape"), Err(ArgsError::NoValue("--shape".into())));
        assert_eq!(of("project --matvec"), Err(ArgsError::Matvec));
        for (line, found, numbers) in [
            ("gram --shape 1x2x3", "1x2x3", 2),
            ("project --shape 1x2", "1x2", 3),
            ("project --shape 1x0x3", "1x0x3", 3),
            ("project --shape 1xAx3", "1xAx3", 3),
        ] {
            assert_eq!(of(line), Err(ArgsError::Shape { found: found.into(), numbers }));
        }
        for bad in ["0", "-1", "inf", "NaN", "soon"] {
            assert_eq!(of(&format!("gram --seconds {bad}")), Err(ArgsError::Seconds(bad.into())));
        }
        let text = of("gram --shape 7").unwrap_err().to_string();
        assert_eq!(
            text,
            "expected 2 positive numbers with x between them, found \"7\" (--help tells more)"
        );
    }
}
