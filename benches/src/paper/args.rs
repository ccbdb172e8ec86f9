//! The arguments of `paper`.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::prelude::*;

pub use super::data::Task;

/// What `--help` prints.
pub const HELP: &str = "\
Remakes the figures of the paper of ternary random features (Tiomoko Ali, Liao, Couillet, ICLR 2022), with every method
that they compare. Tables go to standard output, a picture per figure to a folder.

Usage: paper COMMAND [options]

Commands:
  all                  everything below, but for file
  spectrum             figure 2: eigenvalues of kernels and of their limits
  mnist79              figures 3, 8, 9: ridge on 7 against 9 of MNIST, error against the ridge parameter
  gmm                  figures 5 to 7: the same on a mixture of two Gaussians
  covtype              figures 1 and 12: Cov-Type, accuracy against memory, and support vector machines
  census-like          figure 4: regression against memory; Census is not public, so the elevation of places of Cov-Type
  a9a                  figures 10 and 11: support vector machines; accuracy against memory
  fashion              figure 14: ReLU features; accuracy against memory
  mnist, digits        accuracy against memory
  file PATH            accuracy or error against memory on your own data: a table as CSV with the target last or in the
                       format of LIBSVM, or a folder with pictures in four IDX files named as those of MNIST

Tables of your own:
  CSV                  columns separated by commas, the target last. The first line is a header if none of its columns is a
                       number; otherwise all of its inputs must be numbers
  LIBSVM               the target, then index:number for each input that is not 0, indices from 1
  both                 Lines that begin with # are comments. Classes may be words.
                       Rows are shuffled; a fifth of them is the test, the same for all seeds. Inputs are standardised.
                       Errors of --task regress are in units of the target's variance: 1 is what its mean achieves.

Options:
  --task classify|regress   what the target of a file is (default classify)
  --data FOLDER        where `.ci/data FOLDER` put the data sets (default target/data)
  --out FOLDER         where pictures go (default target/paper)
  --seeds N            seeds of each method (default 5; 2 with --quick; fewer where a fit takes minutes, as tables say)
  --quick              few samples and features: a check of the program, not figures to quote
  --resume             go on with an interrupted run of the same program on the same data: take what it has fitted from
                       fits.txt in the folder of --out
  --help               this text
";

/// What to run.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// All but a file.
    All,
    /// Figure 2.
    Spectrum,
    /// Figures 3, 8, 9.
    Mnist79,
    /// Figures 5 to 7.
    Gmm,
    /// Figures 1 and 12.
    Covtype,
    /// Figure 4.
    CensusLike,
    /// Figures 10 and 11.
    A9a,
    /// Figure 14.
    Fashion,
    /// MNIST.
    Mnist,
    /// The bundled digits.
    Digits,
    /// A user's own table.
    File(PathBuf, Task),
}

/// Parsed arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct Args {
    /// What to run.
    pub command: Command,
    /// Where data sets are.
    pub data: PathBuf,
    /// Where pictures go.
    pub out: PathBuf,
    /// Seeds of each method.
    pub seeds: u64,
    /// Few samples and features.
    pub quick: bool,
    /// Go on with an interrupted run.
    pub resume: bool,
}

/// Reads the arguments after the program's name; `None` asks for [`HELP`].
///
/// ```
/// use ternion_benches::paper::args::{Command, parse};
///
/// let args = parse(["digits", "--quick"])?.unwrap();
/// assert!(args.command == Command::Digits && args.quick && args.seeds == 2);
/// # Ok::<(), lexopt::Error>(())
/// ```
///
/// # Errors
///
/// [`lexopt::Error`] names the argument that is wrong and what was expected.
pub fn parse<I>(args: I) -> Result<Option<Args>, lexopt::Error>
where
    I: IntoIterator<Item: Into<OsString>, IntoIter: 'static>,
{
    let mut parser = lexopt::Parser::from_args(args);
    let (mut words, mut task, mut seeds) = (Vec::new(), None, None);
    let (mut quick, mut resume) = (false, false);
    let (mut data, mut out) = (PathBuf::from("target/data"), PathBuf::from("target/paper"));
    while let Some(argument) = parser.next()? {
        match argument {
            Short('h') | Long("help") => return Ok(None),
            Long("task") => task = Some(parser.value()?.parse_with(task_named)?),
            Long("data") => data = parser.value()?.into(),
            Long("out") => out = parser.value()?.into(),
            Long("seeds") => seeds = Some(parser.value()?.parse_with(positive)?),
            Long("quick") => quick = true,
            Long("resume") => resume = true,
            Value(word) if words.len() < 2 => words.push(word),
            other => return Err(other.unexpected()),
        }
    }
    let command = command_of(&words, task)?;
    let seeds = seeds.unwrap_or(if quick { 2 } else { 5 });
    Ok(Some(Args { command, data, out, seeds, quick, resume }))
}

fn command_of(words: &[OsString], task: Option<Task>) -> Result<Command, String> {
    let (first, path) = match words {
        [] => return Err("expected a command".into()),
        [first] => (first, None),
        [first, path, ..] => (first, Some(path)),
    };
    let command = match first.to_str() {
        Some("file") => {
            let path = path.ok_or("expected the path of a table or a folder after file")?;
            return Ok(Command::File(path.into(), task.unwrap_or(Task::Classify)));
        }
        Some("all") => Command::All,
        Some("spectrum") => Command::Spectrum,
        Some("mnist79") => Command::Mnist79,
        Some("gmm") => Command::Gmm,
        Some("covtype") => Command::Covtype,
        Some("census-like") => Command::CensusLike,
        Some("a9a") => Command::A9a,
        Some("fashion") => Command::Fashion,
        Some("mnist") => Command::Mnist,
        Some("digits") => Command::Digits,
        _ => return Err(format!("{} is no command", first.display())),
    };
    match (path, task) {
        (Some(path), _) => Err(format!("unexpected {}: only file takes a path", path.display())),
        (_, Some(_)) => Err("--task belongs to file".into()),
        _ => Ok(command),
    }
}

fn task_named(word: &str) -> Result<Task, &'static str> {
    match word {
        "classify" => Ok(Task::Classify),
        "regress" => Ok(Task::Regress),
        _ => Err("expected classify or regress"),
    }
}

fn positive(text: &str) -> Result<u64, &'static str> {
    text.parse().ok().filter(|&seeds| seeds > 0).ok_or("expected a positive number")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &'static str) -> Result<Option<Args>, lexopt::Error> {
        parse(line.split_whitespace())
    }

    #[test]
    fn every_option_is_read() {
        let args = of("file a.csv --task regress --data d --out o --seeds 3 --quick --resume");
        let expected = Args {
            command: Command::File("a.csv".into(), Task::Regress),
            data: "d".into(),
            out: "o".into(),
            seeds: 3,
            quick: true,
            resume: true,
        };
        assert_eq!(args.unwrap(), Some(expected));
        assert_eq!(of("gmm --help").unwrap(), None);
        assert_eq!(of("gmm").unwrap().unwrap().seeds, 5);
    }

    #[test]
    fn every_command_of_the_help_is_known() {
        let commands = HELP.lines().skip_while(|line| *line != "Commands:").skip(1);
        let commands = commands.take_while(|line| !line.is_empty());
        for word in commands.flat_map(|line| line[..23].split([',', ' '])).filter(|w| !w.is_empty())
        {
            let path = if word == "file" { &["file", "x"][..] } else { &[word][..] };
            if word != "PATH" {
                let words: Vec<OsString> = path.iter().map(OsString::from).collect();
                assert!(command_of(&words, None).is_ok(), "{word}");
            }
        }
    }

    #[test]
    fn the_help_says_how_tables_are_read() {
        for words in
            ["a header if none", "Rows are shuffled", "a fifth", "variance", "may be words"]
        {
            assert!(HELP.contains(words), "{words}");
        }
    }

    #[test]
    fn mistakes_are_named() {
        for (line, words) in [
            ("", "expected a command"),
            ("mnst", "mnst is no command"),
            ("file", "path of a table"),
            ("gmm x", "only file takes a path"),
            ("gmm --task regress", "belongs to file"),
            ("file x --task guess", "expected classify or regress"),
            ("gmm --seeds 0", "expected a positive number"),
            ("gmm --fast", "'--fast'"),
            ("file x y", "unexpected argument \"y\""),
        ] {
            let refused = of(line).expect_err(line).to_string();
            assert!(refused.contains(words), "{line}: {refused}");
            assert!(!refused.contains("--help"), "the program adds that to each: {refused}");
        }
    }
}
