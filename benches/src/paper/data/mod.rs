//! The data sets of the figures, checked, split and prepared the same way for every method.

mod mixture;
mod own;
mod sha256;
mod table;

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use rayon::prelude::*;

#[path = "../../../../std-ext/examples/data/mod.rs"]
mod readers;

use super::args::Command;

pub use mixture::mixture;
pub use own::file;
pub use readers::Random;
pub use table::Task;

/// The digests of the files that `.ci/data` fetches, in the format of sha256sum.
const SUMS: &str = include_str!("../../../../.ci/data.sha256");

/// Rows of Cov-Type for training and for the test, as in the paper.
pub const COVTYPE: (usize, usize) = (418_000, 116_000);

/// What a sample is mapped to.
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    /// A class, from 0.
    Classes(Vec<usize>),
    /// A number.
    Numbers(Vec<f32>),
}

/// Samples and their targets, training samples first, in random order.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// Its name in tables.
    pub name: String,
    /// Numbers in a sample.
    pub inputs: usize,
    /// The samples, one after another.
    pub x: Vec<f32>,
    /// The target of each.
    pub targets: Targets,
    /// Training samples; the rest are for the test.
    pub train: usize,
    /// Height and width of an image.
    pub picture: Option<(usize, usize)>,
}

impl Set {
    /// Samples of one set.
    pub fn len(&self) -> usize {
        self.x.len() / self.inputs
    }

    /// The numbers of some samples.
    pub fn rows(&self, range: core::ops::Range<usize>) -> &[f32] {
        &self.x[range.start * self.inputs..range.end * self.inputs]
    }

    /// Outputs of a model: classes, or 1 for numbers.
    pub fn outputs(&self) -> usize {
        match &self.targets {
            Targets::Classes(labels) => labels.iter().max().map_or(0, |most| most + 1),
            Targets::Numbers(_) => 1,
        }
    }

    /// The class of each sample.
    ///
    /// # Errors
    ///
    /// [`ternion::Error::TooFewClasses`] if targets are numbers.
    pub fn labels(&self) -> Result<&[usize], ternion::Error> {
        match &self.targets {
            Targets::Classes(labels) => Ok(labels),
            Targets::Numbers(_) => Err(ternion::Error::TooFewClasses { found: 0 }),
        }
    }

    /// What a linear model is fitted to: ±1 for each class, or the number.
    pub fn regression_targets(&self, range: core::ops::Range<usize>) -> Vec<f32> {
        let outputs = self.outputs();
        match &self.targets {
            Targets::Classes(labels) => labels[range]
                .iter()
                .flat_map(|&label| {
                    (0..outputs).map(move |class| if class == label { 1.0 } else { -1.0 })
                })
                .collect(),
            Targets::Numbers(numbers) => numbers[range].to_vec(),
        }
    }

    /// These samples in this order, so many of them for training.
    pub fn select(&self, samples: &[usize], train: usize) -> Self {
        let inputs = self.inputs;
        let x = samples.iter().flat_map(|&i| &self.x[i * inputs..][..inputs]).copied().collect();
        let targets = match &self.targets {
            Targets::Classes(labels) => {
                Targets::Classes(samples.iter().map(|&i| labels[i]).collect())
            }
            Targets::Numbers(numbers) => {
                Targets::Numbers(samples.iter().map(|&i| numbers[i]).collect())
            }
        };
        Self { name: self.name.clone(), x, targets, train, ..*self }
    }

    /// The first training samples and the first test samples, at most so many.
    pub fn truncate(&self, train: usize, test: usize) -> Self {
        let train = train.min(self.train);
        let test = test.min(self.len() - self.train);
        let kept: Vec<usize> = (0..train).chain(self.train..self.train + test).collect();
        self.select(&kept, train)
    }

    /// Training samples alone: the first ones to train on, and others that were held out instead of the test.
    pub fn validation(&self, train: usize, held: usize) -> Self {
        let held = held.min(self.train / 5);
        let train = train.min(self.train - held);
        let samples: Vec<usize> = (0..train).chain(self.train - held..self.train).collect();
        self.select(&samples, train)
    }

    /// Divides each sample by its norm. The set has a name of its own then.
    pub fn normalised(mut self) -> Self {
        self.name.push_str(" of norm 1");
        self.x.par_chunks_mut(self.inputs).for_each(|row| {
            let square: f64 = row.iter().map(|&x| f64::from(x).powi(2)).sum();
            // A blank picture stays one.
            let factor = if square > 0.0 { square.sqrt().recip() as f32 } else { 0.0 };
            row.iter_mut().for_each(|x| *x *= factor);
        });
        self
    }

    /// Prepares samples as all methods see them: the mean of the training samples is subtracted, each input divided by its
    /// deviation if asked, and all numbers by one factor, such that the mean of ‖x‖² is 1. Numbers that are predicted get
    /// the mean 0 and the variance 1: an MSE is the unexplained share.
    pub fn prepared(mut self, standardise: bool) -> Self {
        let (p, n) = (self.inputs, self.train as f64);
        let (mut sums, mut squares) = (vec![0.0; p], vec![0.0; p]);
        for row in self.rows(0..self.train).chunks(p) {
            for ((sum, square), &x) in sums.iter_mut().zip(&mut squares).zip(row) {
                *sum += f64::from(x);
                *square += f64::from(x) * f64::from(x);
            }
        }
        let means: Vec<f64> = sums.iter().map(|sum| sum / n).collect();
        let variances: Vec<f64> = squares
            .iter()
            .zip(&means)
            .map(|(square, mean)| (square / n - mean * mean).max(0.0))
            .collect();
        let total: f64 = variances.iter().sum();
        let constant = |variance: f64| variance <= 1e-12 * total;
        let varying = variances.iter().filter(|variance| !constant(**variance)).count() as f64;
        let factors: Vec<f64> = variances
            .iter()
            .map(|&variance| match standardise {
                _ if constant(variance) => 0.0,
                true => (variance * varying).sqrt().recip(),
                false => total.sqrt().recip(),
            })
            .collect();
        self.x.par_chunks_mut(p).for_each(|row| {
            for ((x, mean), factor) in row.iter_mut().zip(&means).zip(&factors) {
                *x = ((f64::from(*x) - mean) * factor) as f32;
            }
        });
        if let Targets::Numbers(numbers) = &mut self.targets {
            let known = &numbers[..self.train];
            let mean = known.iter().map(|&y| f64::from(y)).sum::<f64>() / n;
            let square = known.iter().map(|&y| (f64::from(y) - mean).powi(2)).sum::<f64>() / n;
            let factor = square.sqrt().recip();
            numbers.iter_mut().for_each(|y| *y = ((f64::from(*y) - mean) * factor) as f32);
        }
        self
    }

    fn from_split(name: &str, split: readers::Split, picture: Option<(usize, usize)>) -> Self {
        let readers::Split { inputs, x, labels, train } = split;
        let targets = Targets::Classes(labels);
        Self { name: name.to_owned(), inputs, x, targets, train, picture }
    }
}

/// The bundled digits in a random order of this seed, not yet prepared.
pub fn digits(seed: u64) -> Set {
    Set::from_split("digits", readers::split_digits(seed), Some((8, 8)))
}

/// Which pictures.
#[derive(Clone, Copy, Debug)]
pub enum Pictures {
    /// Handwritten digits.
    Mnist,
    /// Clothes.
    Fashion,
}

/// All pictures of a set, not yet prepared.
pub fn pictures(folder: &Path, which: Pictures) -> Result<Set, Box<dyn Error>> {
    let (name, title) = match which {
        Pictures::Mnist => ("mnist", "MNIST"),
        Pictures::Fashion => ("fashion", "Fashion-MNIST"),
    };
    check(folder, name)?;
    let split = readers::idx::Pictures::read(&folder.join(name))?.into_split();
    Ok(Set::from_split(title, split, Some((28, 28))))
}

/// Cov-Type as the two classes of the paper, class 2 against the rest, standardised.
pub fn covtype(folder: &Path, train: usize, test: usize) -> Result<Set, Box<dyn Error>> {
    check(folder, "covtype")?;
    let mut split = readers::covtype::read(&folder.join("covtype"), train, test)?;
    split.labels.iter_mut().for_each(|label| *label = usize::from(*label == 1));
    Ok(Set::from_split("Cov-Type", split, None).prepared(true))
}

/// A regression set instead of Census, which is not to be had: the elevation of places of Cov-Type from the other columns.
pub fn elevation(folder: &Path, train: usize, test: usize) -> Result<Set, Box<dyn Error>> {
    check(folder, "covtype")?;
    let split = readers::covtype::read(&folder.join("covtype"), train, test)?;
    let (rows, inputs) = (split.x.chunks(split.inputs), split.inputs - 1);
    let targets = Targets::Numbers(rows.clone().map(|row| row[0]).collect());
    let x = rows.flat_map(|row| &row[1..]).copied().collect();
    let set = Set { name: "elevation".into(), inputs, x, targets, train, picture: None };
    Ok(set.prepared(true))
}

/// Adult as the 123 binary columns of a9a.
pub fn a9a(folder: &Path) -> Result<Set, Box<dyn Error>> {
    check(folder, "adult")?;
    let split = readers::adult::read(&folder.join("adult"))?;
    Ok(Set::from_split("a9a", split, None).prepared(false))
}

/// Refuses to begin without the sets that some commands need, and says how to fetch them.
pub fn check_all(folder: &Path, commands: &[Command]) -> Result<(), String> {
    let set = |command: &Command| match command {
        Command::Mnist | Command::Mnist79 => Some("mnist"),
        Command::Fashion => Some("fashion"),
        Command::A9a => Some("adult"),
        Command::Covtype | Command::CensusLike => Some("covtype"),
        Command::All | Command::Spectrum | Command::Gmm | Command::Digits | Command::File(..) => {
            None
        }
    };
    let mut missing: Vec<&str> = commands.iter().filter_map(set).collect();
    missing.sort_unstable();
    missing.dedup();
    missing.retain(|set| !files(set).all(|(_, file)| folder.join(file).is_file()));
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "missing data sets; to fetch them: .ci/data {} {}",
            folder.display(),
            missing.join(" ")
        )),
    }
}

/// The digests of a set and its files.
fn files(set: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let prefix = format!("{set}/");
    let files = SUMS.lines().filter_map(|line| line.split_once("  "));
    files.filter(move |(_, file)| file.starts_with(&prefix))
}

/// Refuses a set whose files are missing or changed, and says how to fetch it.
fn check(folder: &Path, set: &str) -> Result<(), String> {
    let mut wrong = String::new();
    for (sum, file) in files(set) {
        let path = folder.join(file);
        match fs::read(&path) {
            Ok(bytes) if sha256::digest(&bytes) == sum => {}
            // Writing to a `String` cannot fail.
            Ok(_) => _ = writeln!(wrong, "{} has another SHA-256 than {sum}", path.display()),
            Err(error) => _ = writeln!(wrong, "{}: {error}", path.display()),
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("{wrong}To fetch it: .ci/data {} {set}", folder.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_that_is_missing_or_changed_names_the_command_that_fetches_it() {
        let folder = std::env::temp_dir().join(format!("paper-{}", std::process::id()));
        let refused = covtype(&folder, 10, 10).unwrap_err().to_string();
        assert!(refused.contains("covtype.csv") && refused.contains(".ci/data"), "{refused}");
        fs::create_dir_all(folder.join("covtype")).unwrap();
        fs::write(folder.join("covtype/covtype.csv"), "1,2\n").unwrap();
        let refused = covtype(&folder, 10, 10).unwrap_err().to_string();
        assert!(refused.contains("SHA-256") && refused.ends_with("covtype"), "{refused}");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn prepared_samples_have_no_mean_and_unit_norms() {
        for standardise in [false, true] {
            let x = vec![1., 7., 5., 3., 7., 9., 2., 7., 1., 0., 7., 0., 9., 9., 9.];
            let targets = Targets::Classes(vec![1, 0, 1, 0, 1]);
            let set = Set { name: String::new(), inputs: 3, x, targets, train: 4, picture: None };
            let set = set.prepared(standardise);
            let column = |j: usize| set.x[..12].iter().skip(j).step_by(3);
            (0..3).for_each(|j| assert!(column(j).sum::<f32>().abs() < 1e-6));
            assert!((set.x[..12].iter().map(|x| x * x).sum::<f32>() / 4.0 - 1.0).abs() < 1e-6);
            assert!(column(1).all(|&x| x == 0.0), "a constant column says nothing");
            let square = |j| column(j).map(|x| x * x).sum::<f32>();
            assert_eq!((square(0) - square(2)).abs() < 1e-5, standardise);
        }
    }

    #[test]
    fn normalised_samples_have_norm_one() {
        let targets = Targets::Classes(vec![0, 1]);
        let x = vec![3.0, 4.0, 0.0, 0.0];
        let set = Set { name: String::new(), inputs: 2, x, targets, train: 2, picture: None };
        assert_eq!(set.normalised().x, [0.6, 0.8, 0.0, 0.0]);
    }

    #[test]
    fn validation_never_sees_the_test() {
        let x = (0..100u8).map(f32::from).collect();
        let targets = Targets::Numbers(vec![0.0; 100]);
        let set = Set { name: String::new(), inputs: 1, x, targets, train: 80, picture: None };
        let held = set.validation(1000, 1000);
        assert_eq!((held.train, held.len()), (64, 80));
        assert!(held.x.iter().all(|&x| x < 80.0));
        let few = set.truncate(3, 2);
        assert_eq!(few.x, [0.0, 1.0, 2.0, 80.0, 81.0]);
    }
}
