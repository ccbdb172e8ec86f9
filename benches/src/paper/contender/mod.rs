//! Everything that is compared, behind one interface: features of any method, and what is learnt from them.

mod dense;
mod packed;

use std::time::Instant;

use ternion::fit::Params;
use ternion::{Error, Form, Gram, Grid, Matrix, Policy, Target, TernaryFeatures};

use super::baselines::Method;
use super::data::{Set, Targets};
use super::dense::product_of_rows;
use dense::Dense;
use packed::Packed;

/// The ridge parameters to choose from on held-out samples, in units of the mean eigenvalue.
const SHARES: [f64; 8] = [0.0003, 0.003, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0];

/// The penalties of support vector machines to choose from.
const PENALTIES: [f64; 4] = [0.01, 0.1, 1.0, 10.0];

/// A form of Ternion's features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ternary {
    /// Its name in tables.
    pub name: &'static str,
    /// What W is.
    pub form: Form,
    /// What σ is.
    pub policy: Policy,
    /// ε, for forms that have it.
    pub sparsity: f64,
    /// The kernel that is imitated, if not the Gaussian one.
    pub relu: bool,
    /// The features that are kept of each word of 64.
    pub kept_per_word: usize,
}

/// The features of a word, which see the same box.
const WORD: usize = 64;

impl Ternary {
    const fn new(name: &'static str, form: Form, policy: Policy) -> Self {
        Self { name, form, policy, sparsity: 2.0 / 3.0, relu: false, kept_per_word: WORD }
    }

    /// The paper's: independent weights, two thresholds.
    pub const TRF: Self = Self::two_bands("TRF, two bands", 2.0 / 3.0);

    /// Independent weights, a periodic σ.
    pub const PERIODIC: Self = Self::new("Ternion, periodic", Form::Stored, Policy::Periodic);

    /// The paper's at any sparsity, by a name of its own.
    pub const fn two_bands(name: &'static str, sparsity: f64) -> Self {
        Self { sparsity, ..Self::new(name, Form::Stored, Policy::MinVariance) }
    }

    /// Every feature sees a few inputs.
    pub const SUBSETS: Self =
        Self::new("Ternion, subsets, periodic", Form::SUBSETS, Policy::Periodic);

    /// Every feature sees one box of an image.
    pub const fn boxes(shape: (usize, usize)) -> Self {
        Self::new("Ternion, boxes, periodic", boxes(shape), Policy::Periodic)
    }

    /// Forms for every set: features see all inputs, in turn by independent weights and by transforms, or a few of them.
    pub fn of_any_set() -> Vec<Self> {
        let more = Form::Subsets { least: 8, most: 16 };
        vec![
            Self::PERIODIC,
            Self::new("Ternion, four bands", Form::Stored, Policy::FourBand),
            Self::two_bands("Ternion, two bands", 2.0 / 3.0),
            Self::new("Ternion, structured, periodic", Form::Structured, Policy::Periodic),
            Self::SUBSETS,
            Self::new("Ternion, subsets, four bands", Form::SUBSETS, Policy::FourBand),
            Self::new("Ternion, large subsets, periodic", more, Policy::Periodic),
            Self::new("Ternion, large subsets, four bands", more, Policy::FourBand),
        ]
    }

    /// Forms for images whose features see boxes. In one of them there are four times as many boxes, for a quarter of the
    /// features each: otherwise 4,096 features see 64 boxes, and much depends on which they are.
    pub fn of_boxes(shape: (usize, usize)) -> Vec<Self> {
        let periodic = Self::boxes(shape);
        vec![
            periodic,
            Self::new("Ternion, boxes, four bands", boxes(shape), Policy::FourBand),
            Self { name: "Ternion, more boxes, periodic", kept_per_word: WORD / 4, ..periodic },
        ]
    }

    /// Whether all features of a word are kept.
    pub fn is_whole(&self) -> bool {
        self.kept_per_word == WORD
    }

    fn params(self, features: usize, gamma: f64, seed: u64) -> Params {
        let target = if self.relu { Target::relu() } else { Target::gaussian(gamma) };
        let drawn = match self.kept_per_word {
            WORD => features,
            kept => features.div_ceil(kept) * WORD,
        };
        TernaryFeatures::params(drawn)
            .target(target)
            .policy(self.policy)
            .form(self.form)
            .sparsity(self.sparsity)
            .standardise(false)
            .seed(seed)
    }
}

const fn boxes((height, width): (usize, usize)) -> Form {
    Form::Boxes(Grid::image(height, width))
}

/// A method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contender {
    /// One of the others.
    Baseline(Method),
    /// Ternion.
    Ternary(Ternary),
}

/// A number of features, the width of the kernel exp(−γ‖x − y‖²), and a seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// m.
    pub features: usize,
    /// γ, for samples with a mean ‖x‖² of 1.
    pub gamma: f64,
    /// Of W and of everything else that is random.
    pub seed: u64,
}

/// How good a model was on the test samples, and what it took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The accuracy, or the mean squared error.
    pub score: f64,
    /// Seconds from samples to features, training and test, with the fit of the map.
    pub features: f64,
    /// Seconds from the features of all training samples to a model with the parameter that was chosen.
    pub fit: f64,
}

/// Which learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learner {
    /// Ridge, on numbers or on ±1 for each class.
    Ridge,
    /// Logistic regression by mini-batches in so many epochs; two classes.
    Logistic(usize),
    /// The linear support vector machine.
    Svm,
}

impl Contender {
    /// Its name in tables.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Baseline(method) => method.name,
            Self::Ternary(ternary) => ternary.name,
        }
    }

    /// The same without a name: what decides about outcomes.
    pub fn unnamed(self) -> Self {
        match self {
            Self::Ternary(ternary) => Self::Ternary(Ternary { name: "", ..ternary }),
            Self::Baseline(_) => self,
        }
    }

    /// Bits per feature as stored: two for trits.
    pub fn bits(&self) -> usize {
        match self {
            Self::Baseline(method) => method.store.bits(),
            Self::Ternary(_) => 2,
        }
    }

    /// The most features that it can have on a set.
    pub fn most_features(&self, set: &Set) -> usize {
        match self {
            Self::Baseline(method) => method.most_features(set.train),
            Self::Ternary(_) => usize::MAX,
        }
    }

    /// Whether the width of the Gaussian kernel matters.
    pub fn has_width(&self) -> bool {
        match self {
            Self::Baseline(method) => method.has_width(),
            Self::Ternary(ternary) => !ternary.relu,
        }
    }

    /// Trains on a set and tests.
    pub fn run(&self, set: &Set, learner: Learner, setting: Setting) -> Result<Outcome, Error> {
        let start = Instant::now();
        let (outcome, map) = match self {
            Self::Baseline(method) => {
                let dense = Dense::new(*method, set, setting);
                let map = start.elapsed();
                (dense.run(learner)?, map)
            }
            Self::Ternary(ternary) => {
                let packed = Packed::new(*ternary, set, setting)?;
                let map = start.elapsed();
                (packed.run(learner)?, map)
            }
        };
        Ok(Outcome { features: outcome.features + map.as_secs_f64(), ..outcome })
    }

    /// The kernel of features among training samples, and that of test samples with them; and the time of it.
    pub fn kernels(
        &self,
        set: &Set,
        setting: Setting,
    ) -> Result<(Matrix<f32>, Matrix<f32>, f64), Error> {
        let (n, tests) = (set.train, set.len() - set.train);
        let start = Instant::now();
        let (gram, cross) = match self {
            Self::Baseline(method) => {
                let dense = Dense::new(*method, set, setting);
                let (train, test) = (dense.features(0..n), dense.features(n..set.len()));
                let m = dense.map.features();
                let gram = product_of_rows(&train, &train, m);
                (
                    Matrix::from_vec(n, n, gram)?,
                    Matrix::from_vec(tests, n, product_of_rows(&test, &train, m))?,
                )
            }
            Self::Ternary(ternary) => {
                let packed = Packed::new(*ternary, set, setting)?;
                let (train, test) = (packed.features(0..n)?, packed.features(n..set.len())?);
                let alpha = packed.ternary.report().alpha;
                let gram = Gram::new(&train).alpha(alpha)?.matrix()?;
                (gram, Gram::new(&test).alpha(alpha)?.cross(&train)?)
            }
        };
        Ok((gram, cross, start.elapsed().as_secs_f64()))
    }
}

/// Training samples that are not held out: parameters of learners are chosen on the last fifth.
fn not_held(set: &Set) -> usize {
    set.train - set.train / 5
}

/// How wrong some samples' outputs are, `width` of them each: wrong classes, or the sum of squared errors.
fn errors(set: &Set, first: usize, width: usize, outputs: &[f32]) -> f64 {
    match &set.targets {
        Targets::Numbers(numbers) => {
            let pairs = outputs.iter().zip(&numbers[first..]);
            pairs.map(|(y, known)| f64::from(y - known).powi(2)).sum()
        }
        Targets::Classes(labels) => {
            let rows = outputs.chunks(width).zip(&labels[first..]);
            rows.filter(|(row, label)| predicted(row) != **label).count() as f64
        }
    }
}

/// The class of the largest output, or of the sign of a single one.
fn predicted(outputs: &[f32]) -> usize {
    match outputs {
        [score] => usize::from(*score > 0.0),
        _ => {
            (0..outputs.len()).fold(0, |best, k| if outputs[k] > outputs[best] { k } else { best })
        }
    }
}

/// The score of so many errors on the test samples.
fn score(set: &Set, errors: f64) -> f64 {
    let share = errors / (set.len() - set.train) as f64;
    match set.targets {
        Targets::Classes(_) => 1.0 - share,
        Targets::Numbers(_) => share,
    }
}

/// The position of the fewest errors; of equals the last, which is the strongest penalty.
fn fewest(errors: &[f64]) -> usize {
    (0..errors.len()).fold(0, |best, at| if errors[at] <= errors[best] { at } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::data::{digits, mixture};

    const SETTING: Setting = Setting { features: 512, gamma: 1.0, seed: 3 };

    #[test]
    fn every_learner_learns_from_every_kind_of_features() {
        let set = mixture(32, 800, 400, 0.6, 5);
        for contender in [
            Contender::Baseline(Method::RFF_32),
            Contender::Baseline(Method::LP_1),
            Contender::Ternary(Ternary::PERIODIC),
            Contender::Ternary(Ternary::SUBSETS),
        ] {
            for learner in [Learner::Ridge, Learner::Logistic(30), Learner::Svm] {
                let Outcome { score, .. } = contender.run(&set, learner, SETTING).unwrap();
                assert!(score > 0.85, "{}, {learner:?}: {score}", contender.name());
            }
        }
    }

    #[test]
    fn numbers_are_learnt_too() {
        let set = mixture(16, 1000, 300, 0.5, 5);
        let targets = set.x.chunks(16).map(|x| x[0] + x[1] * x[2]).collect();
        let set = Set { targets: Targets::Numbers(targets), ..set }.prepared(false);
        for contender in
            [Contender::Baseline(Method::NYSTROM_16), Contender::Ternary(Ternary::PERIODIC)]
        {
            let Outcome { score, .. } = contender.run(&set, Learner::Ridge, SETTING).unwrap();
            assert!(score < 0.5, "{}: {score}", contender.name());
        }
    }

    /// The kernel of features is the exact one up to noise, whoever made them.
    #[test]
    fn kernels_of_all_are_on_the_same_scale() {
        let set = digits(1).truncate(60, 30).prepared(false);
        let exact = crate::paper::kernel::gaussian(1.0, &set.x, &set.x, 64);
        let periodic = Ternary::PERIODIC;
        for contender in [Contender::Baseline(Method::RFF_32), Contender::Ternary(periodic)] {
            let setting = Setting { features: 1 << 15, ..SETTING };
            let (gram, cross, _) = contender.kernels(&set, setting).unwrap();
            for i in 0..60 {
                for j in (0..60).filter(|&j| j != i) {
                    let (found, exact) = (gram.as_slice()[i * 60 + j], exact[i * 90 + j]);
                    assert!((found - exact).abs() < 0.05, "{}: {found} {exact}", contender.name());
                }
            }
            for i in 0..30 {
                let (found, exact) = (cross.as_slice()[i * 60], exact[(60 + i) * 90]);
                assert!((found - exact).abs() < 0.05, "{}: {found} {exact}", contender.name());
            }
        }
    }
}
