//! What came out of every fit so far: kept in memory, so that comparisons of a set share their trials, and in a file, so that
//! a run that is interrupted loses one fit.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use ternion::Error;

use super::contender::{Contender, Learner, Outcome, Setting};
use super::data::Set;

/// Outcomes by what they are of.
pub struct Journal {
    file: File,
    known: HashMap<String, Option<Outcome>>,
}

impl Journal {
    /// The journal of a folder: as an earlier run of the same program on the same data left it, or empty. Then what an
    /// earlier run left is kept in `fits.old.txt`.
    ///
    /// # Errors
    ///
    /// Those of the file, and a line that this program did not write.
    pub fn open(folder: &Path, resume: bool) -> io::Result<Self> {
        let path = folder.join("fits.txt");
        let in_file =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        if !resume && path.exists() {
            fs::rename(&path, folder.join("fits.old.txt")).map_err(in_file)?;
        }
        let before = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text.map_err(in_file)?,
        };
        // What follows the last end of line was interrupted.
        let whole = before.rfind('\n').map_or(0, |end| end + 1);
        let mut known = HashMap::new();
        for line in before[..whole].lines() {
            let (key, outcome) = read(line).ok_or_else(|| {
                let what = format!("{}: not an outcome: {line}", path.display());
                io::Error::new(io::ErrorKind::InvalidData, what)
            })?;
            known.insert(key.to_owned(), outcome);
        }
        let file = File::options().create(true).append(true).open(&path).map_err(in_file)?;
        file.set_len(whole as u64).map_err(in_file)?;
        Ok(Self { file, known })
    }

    /// Trains on a set and tests, unless that is known; `None` if the method refuses the width.
    ///
    /// # Errors
    ///
    /// Those of the file, and all others of the method.
    pub fn run(
        &mut self,
        contender: &Contender,
        set: &Set,
        learner: Learner,
        setting: Setting,
    ) -> io::Result<Option<Outcome>> {
        let (name, train, tests, outputs) =
            (&set.name, set.train, set.len() - set.train, set.outputs());
        // Forms that differ in their names alone have the same outcomes.
        let who = contender.unnamed();
        let key = format!("{name} {train}+{tests} to {outputs} {learner:?} {who:?} {setting:?}");
        if let Some(outcome) = self.known.get(&key) {
            return Ok(*outcome);
        }
        let outcome = match contender.run(set, learner, setting) {
            Ok(outcome) => Some(outcome),
            // A policy may refuse a width that it cannot imitate.
            Err(Error::Solve(_)) => None,
            Err(error) => {
                let (name, Setting { features, gamma, seed }) = (contender.name(), setting);
                return Err(io::Error::other(format!(
                    "{name} with {features} features, γ = {gamma} and seed {seed} on {train} training and {tests} test \
                     samples of {}: {error}",
                    set.name
                )));
            }
        };
        let mut line = key.clone();
        // Writing to a `String` cannot fail.
        _ = match outcome {
            Some(Outcome { score, features, fit }) => writeln!(line, "\t{score} {features} {fit}"),
            None => writeln!(line, "\trefused"),
        };
        self.file.write_all(line.as_bytes())?;
        self.known.insert(key, outcome);
        Ok(outcome)
    }
}

/// A line: what it is of, and the outcome.
fn read(line: &str) -> Option<(&str, Option<Outcome>)> {
    let (key, outcome) = line.rsplit_once('\t')?;
    if outcome == "refused" {
        return Some((key, None));
    }
    let numbers: Result<Vec<f64>, _> = outcome.split(' ').map(str::parse).collect();
    match numbers.ok()?[..] {
        [score, features, fit] => Some((key, Some(Outcome { score, features, fit }))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::baselines::Method;
    use crate::paper::contender::Ternary;
    use crate::paper::data::mixture;

    #[test]
    fn a_fit_that_fails_is_named_in_words() {
        let folder = std::env::temp_dir().join(format!("paper-fails-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut set = mixture(8, 200, 100, 0.6, 5);
        set.x.fill(0.0);
        let mut journal = Journal::open(&folder, false).unwrap();
        let contender = Contender::Ternary(Ternary::TRF);
        let setting = Setting { features: 32, gamma: 0.5, seed: 7 };
        let refused = journal.run(&contender, &set, Learner::Ridge, setting).unwrap_err();
        let refused = refused.to_string();
        let expected = "TRF, two bands with 32 features, γ = 0.5 and seed 7 on 200 training and 100 test samples of ";
        assert!(refused.starts_with(expected), "{refused}");
        assert!(!refused.contains('{'), "{refused}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_interrupted_run_goes_on_where_it_was() {
        let folder = std::env::temp_dir().join(format!("paper-journal-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let set = mixture(8, 200, 100, 0.6, 5);
        let contender = Contender::Baseline(Method::RFF_32);
        let run = |resume, seed| {
            let setting = Setting { features: 32, gamma: 1.0, seed };
            let mut journal = Journal::open(&folder, resume).unwrap();
            journal.run(&contender, &set, Learner::Ridge, setting).unwrap().unwrap()
        };
        let path = folder.join("fits.txt");
        let first = run(false, 1);
        let mut text = fs::read_to_string(&path).unwrap();
        text.push_str("half a li");
        fs::write(&path, text).unwrap();
        // Times tell a fit from what is known of it.
        assert_eq!(run(true, 1), first);
        let second = run(true, 2);
        assert_eq!((run(true, 1), run(true, 2)), (first, second));
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
        run(false, 2);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
        let old = folder.join("fits.old.txt");
        assert_eq!(fs::read_to_string(&old).unwrap().lines().count(), 2, "nothing is lost");
        fs::write(&path, "nonsense\n").unwrap();
        assert!(Journal::open(&folder, true).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
