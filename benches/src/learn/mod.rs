//! The contenders of `compare learn`: learners on packed features, and the same algorithms on unpacked ones by dense
//! libraries.
//!
//! | learner | what is timed | unpacked |
//! |---|---|---|
//! | `logistic-two` | an epoch in batches of 250, two classes | sgemv, and saxpy a sample |
//! | `logistic-sgd` | the same, ten classes | two sgemm a batch |
//! | `svm-dual` | an epoch of dual coordinate descent, two classes | sdot and saxpy a sample |
//! | `logistic-lbfgs` | three iterations, ten classes | two sgemm an iteration |
//! | `ridge-cg` | three iterations, ten classes | two sgemm an iteration |
//! | `kmeans-assign` | the nearest of 16 centres | sgemm |
//!
//! Dense descent takes its batches as the samples come, which spares it the copies of a random order; it is also given
//! the norms of the samples, which Ternion counts within its time. Every model must reach the objective that the first
//! contender reached. [`sklearn`] is the comparison until convergence.

mod dense;
pub mod sklearn;

use std::cell::Cell;
use std::rc::Rc;

use ternion::learn::{ClassLearner, Clusters, KMeans, LinearSvm, Logistic, Ridge, Sgd};
use ternion::{Error, Features, Isa, Matrix};

use crate::harness::{Contender, Id, Mismatch};
use crate::peers::{Dense, Peers};
use crate::report::Shape;
use crate::{data, memory};
use dense::{Model, Problem};

/// (features, samples) compared when none is asked for.
pub const SHAPE: (usize, usize) = (4096, 50_000);

/// Share of zeros in the features.
const ZEROS: f64 = 1.0 / 3.0;

/// The penalty in units of the variance of a feature, which is the share of non-zeros.
const SHARE: f64 = 0.1;

/// Classes of all learners but the machine of two.
const CLASSES: usize = 10;

/// Features that a class depends on.
const CAUSES: usize = 20;

/// Centres that samples are assigned to.
const CLUSTERS: usize = 16;

/// Iterations of the learners that see all samples at once.
const ITERATIONS: usize = 3;

/// The largest relative difference of objectives: samples come in different orders.
const CLOSE: f64 = 0.05;

/// What memory is asked of packed features: at most this share of the unpacked ones'.
const LEAST_MEMORY_RATIO: f64 = 12.0;

type Built = Box<dyn ClassLearner + Send + Sync>;

/// A learner that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learner {
    /// Logistic regression of two classes by stochastic gradient descent.
    LogisticTwo,
    /// The same of ten classes.
    LogisticSgd,
    /// A support vector machine by dual coordinate descent.
    SvmDual,
    /// Logistic regression by L-BFGS.
    LogisticLbfgs,
    /// Ridge by conjugate gradients.
    RidgeCg,
    /// The step of k-means that assigns samples to centres.
    KMeansAssign,
}

impl Learner {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::LogisticTwo,
        Self::LogisticSgd,
        Self::SvmDual,
        Self::LogisticLbfgs,
        Self::RidgeCg,
        Self::KMeansAssign,
    ];

    /// Its name in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::LogisticTwo => "logistic-two",
            Self::LogisticSgd => "logistic-sgd",
            Self::SvmDual => "svm-dual",
            Self::LogisticLbfgs => "logistic-lbfgs",
            Self::RidgeCg => "ridge-cg",
            Self::KMeansAssign => "kmeans-assign",
        }
    }

    fn call(self) -> &'static str {
        match self {
            Self::LogisticTwo | Self::LogisticSgd | Self::SvmDual => "epoch",
            Self::LogisticLbfgs | Self::RidgeCg => "fit",
            Self::KMeansAssign => "predict",
        }
    }

    /// Products of all features with weights or residuals.
    fn products(self) -> f64 {
        match self {
            Self::LogisticSgd => 2.0 * CLASSES as f64,
            Self::LogisticTwo | Self::SvmDual => 2.0,
            // One for the start, and two an iteration.
            Self::LogisticLbfgs | Self::RidgeCg => ((1 + 2 * ITERATIONS) * CLASSES) as f64,
            Self::KMeansAssign => CLUSTERS as f64,
        }
    }

    fn is_of_two(self) -> bool {
        matches!(self, Self::LogisticTwo | Self::SvmDual)
    }

    /// Scores of a sample.
    fn outputs(self) -> usize {
        match self {
            Self::LogisticTwo | Self::SvmDual => 1,
            Self::LogisticSgd | Self::LogisticLbfgs | Self::RidgeCg => CLASSES,
            Self::KMeansAssign => CLUSTERS,
        }
    }

    /// Whether an epoch or a step is timed, for which less memory is asked for: what a fit holds between its iterations
    /// depends on the samples and outputs alone.
    fn is_one_pass(self) -> bool {
        !matches!(self, Self::LogisticLbfgs | Self::RidgeCg)
    }

    /// Iterations that are timed.
    fn iterations(self) -> usize {
        match self {
            Self::LogisticLbfgs | Self::RidgeCg => ITERATIONS,
            _ => 1,
        }
    }

    /// The learner of classes, with its default tolerance or another.
    fn build(self, gamma: f64, limit: usize, tolerance: Option<f64>) -> Result<Built, Error> {
        macro_rules! built {
            ($learner:expr) => {{
                let learner = $learner.limit(limit)?;
                match tolerance {
                    Some(tolerance) => Box::new(learner.tolerance(tolerance)?),
                    None => Box::new(learner),
                }
            }};
        }
        Ok(match self {
            Self::LogisticTwo | Self::LogisticSgd => {
                built!(Logistic::absolute(gamma)?.sgd(Sgd::default())?)
            }
            Self::SvmDual => built!(LinearSvm::absolute(gamma)?),
            Self::LogisticLbfgs => built!(Logistic::absolute(gamma)?),
            Self::RidgeCg => built!(Ridge::absolute(gamma)?.iterative()),
            Self::KMeansAssign => unreachable!("its centres are given"),
        })
    }
}

/// The features of one shape, packed and not, and their labels.
pub struct Learn {
    shape: Shape,
    packed: Features,
    floats: Vec<f32>,
    /// ‖x‖² of every sample.
    squares: Vec<f32>,
    labels: Vec<usize>,
    /// Zero in the lower half of the classes and one in the upper.
    halves: Vec<usize>,
    clusters: Clusters,
    /// The same centres as linear scores, of which the largest is that of the nearest.
    centres: Model,
}

impl Learn {
    /// Draws the features of a shape, and labels that depend on a few of them.
    pub fn new(features: usize, samples: usize) -> Self {
        let trits = data::trits(features * samples, ZEROS, 9);
        let label = |row: &[i8]| {
            let score = |class: usize| -> i32 {
                (0..CAUSES).map(|k| i32::from(row[(class * CAUSES + k) % features])).sum()
            };
            (0..CLASSES).max_by_key(|&class| score(class)).unwrap_or(0)
        };
        let labels: Vec<usize> = trits.chunks(features).map(label).collect();
        let square = |row: &[i8]| row.iter().map(|&t| f32::from(t.abs())).sum();
        let (packed, floats) =
            (Features::new(data::packed(&trits, features)), data::floats(&trits));
        let clusters = clusters(&packed, &floats[..CLUSTERS * features]);
        Self {
            shape: Shape { inputs: None, features, samples },
            packed,
            floats,
            centres: linear_scores(clusters.centres()),
            clusters,
            squares: trits.chunks(features).map(square).collect(),
            halves: labels.iter().map(|label| usize::from(2 * label >= CLASSES)).collect(),
            labels,
        }
    }

    /// Every peer, then Ternion.
    pub fn contenders<'a>(&'a self, learner: Learner, peers: &'a Peers) -> Vec<Contender<'a>> {
        let first = Rc::new(Cell::new(None));
        let mut contenders = Vec::new();
        for peer in &peers.dense {
            let id = self.id(learner, "dense", peer.name(), "f32", peer.isa());
            let run = move |model: &mut Model| *model = self.problem(learner, &**peer).fit(learner);
            contenders.push(self.contender(id, learner, peers, first.clone(), run));
        }
        let id = self.id(learner, learner.name(), "ternion", "trits", Isa::detect().name());
        let thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let run = move |model: &mut Model| *model = thread.install(|| self.ours(learner));
        contenders.push(self.contender(id, learner, peers, first, run));
        contenders
    }

    fn id(
        &self,
        learner: Learner,
        kernel: &'static str,
        name: &str,
        input: &'static str,
        isa: &str,
    ) -> Id {
        let Shape { features, samples, .. } = self.shape;
        Id {
            kernel,
            name: name.to_owned(),
            call: learner.call(),
            input,
            isa: isa.to_owned(),
            sparsity: None,
            macs: learner.products() * samples as f64 * features as f64,
        }
    }

    fn contender<'a>(
        &'a self,
        id: Id,
        learner: Learner,
        peers: &'a Peers,
        first: Rc<Cell<Option<f64>>>,
        run: impl FnMut(&mut Model) + 'a,
    ) -> Contender<'a> {
        let check = move |model: &Model| {
            let problem = self.problem(learner, &*peers.dense[0]);
            let (found, right) = problem.objective(learner, model);
            let expected = first.get().unwrap_or(found);
            first.set(Some(expected));
            if right > 1.2 * problem.largest_class() && (found - expected).abs() <= CLOSE * expected
            {
                return Ok(());
            }
            Err(Mismatch { place: "objective".to_owned(), expected, found })
        };
        Contender::new(id, Model::default(), run, check)
    }

    fn labels_of(&self, learner: Learner) -> &[usize] {
        if learner.is_of_two() { &self.halves } else { &self.labels }
    }

    fn gamma(&self) -> f64 {
        SHARE * (1.0 - ZEROS)
    }

    /// m·γ.
    fn penalty(&self) -> f64 {
        self.gamma() * self.shape.features as f64
    }

    fn problem<'a>(&'a self, learner: Learner, peer: &'a dyn Dense) -> Problem<'a> {
        Problem {
            peer,
            x: &self.floats,
            features: self.shape.features,
            outputs: learner.outputs(),
            labels: self.labels_of(learner),
            squares: &self.squares,
            penalty: self.penalty() as f32,
            centres: &self.centres,
        }
    }

    fn ours(&self, learner: Learner) -> Model {
        if learner == Learner::KMeansAssign {
            let labels = self.clusters.predict(&self.packed).expect("features of the fit");
            return Model::of_labels(labels);
        }
        let built = learner.build(self.gamma(), learner.iterations(), None);
        self.fit(learner, &*built.expect("positive parameters"))
    }

    fn fit(&self, learner: Learner, built: &(dyn ClassLearner + Send + Sync)) -> Model {
        let fitted = built.fit_classes(&self.packed, self.labels_of(learner));
        let fitted = fitted.expect("ten classes with labels");
        let (weights, bias) = (fitted.model().weights(), fitted.model().bias());
        if learner.is_of_two() {
            // The second of two classes: logistic regression halves their difference, a machine mirrors it.
            let factor = if learner == Learner::SvmDual { 1.0 } else { 2.0 };
            let weights = weights.iter_rows().map(|row| factor * row[1]).collect();
            return Model { weights, bias: vec![factor * bias[1]] };
        }
        Model { weights: weights.as_slice().to_vec(), bias: bias.to_vec() }
    }

    /// A line for every learner: the most memory that its features and its fit take together, on unpacked features and
    /// on packed ones, counted in one run each.
    pub fn memory(&self, peers: &Peers) -> String {
        let mut out =
            format!("{:<22}{:>12}{:>12}{:>8}\n", "memory", "dense MB", "packed MB", "ratio");
        let planes = [self.packed.trits().sign(), self.packed.trits().mask()];
        let packed_bytes: usize = planes.iter().map(|plane| size_of_val(*plane)).sum();
        let thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        for learner in Learner::ALL {
            let problem = self.problem(learner, &*peers.dense[0]);
            let dense = size_of_val(&self.floats[..]) + memory::peak(|| drop(problem.fit(learner)));
            let fit = || thread.install(|| drop(self.ours(learner)));
            let packed = packed_bytes + memory::peak(fit);
            let ratio = dense as f64 / packed as f64;
            let short = learner.is_one_pass() && ratio < LEAST_MEMORY_RATIO;
            let short = if short { "  SHORT" } else { "" };
            let [dense, packed] = [dense, packed].map(|bytes| bytes as f64 / 1e6);
            let name = learner.name();
            out += &format!("{name:<22}{dense:>12.1}{packed:>12.1}{ratio:>8.1}{short}\n");
        }
        out
    }
}

/// What k-means makes of the first samples as centres in an iteration.
fn clusters(features: &Features, first: &[f32]) -> Clusters {
    let first = Matrix::from_vec(CLUSTERS, features.features(), first.to_vec());
    let first = first.expect("as many samples as clusters");
    let kmeans = KMeans::new(CLUSTERS).and_then(|kmeans| kmeans.centres(&first).limit(1));
    kmeans.and_then(|kmeans| kmeans.fit(features)).expect("different samples")
}

/// x·c − ½‖c‖² of each centre c.
fn linear_scores(centres: &Matrix<f32>) -> Model {
    let feature = |feature: usize| centres.iter_rows().map(move |centre| centre[feature]);
    let bias = |centre: &[f32]| -0.5 * centre.iter().map(|c| c * c).sum::<f32>();
    Model {
        weights: (0..centres.cols()).flat_map(feature).collect(),
        bias: centres.iter_rows().map(bias).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Budget, race};
    use crate::peers::present;

    /// Batches that are not full, and features that end within a word.
    #[test]
    fn every_peer_reaches_the_same_objective() {
        let peers = present().expect("the libraries named in the environment open");
        let learn = Learn::new(300, 2100);
        for learner in Learner::ALL {
            let raced = race(&mut learn.contenders(learner, &peers), Budget::quick());
            assert!(raced.is_ok(), "{raced:?}");
        }
        assert_eq!(learn.memory(&peers).lines().count(), 1 + Learner::ALL.len());
    }

    #[test]
    fn a_model_that_learnt_nothing_is_caught() {
        let peers = present().expect("the libraries named in the environment open");
        let learn = Learn::new(100, 500);
        for learner in Learner::ALL {
            let problem = learn.problem(learner, &*peers.dense[0]);
            let id = learn.id(learner, "dense", "lazy", "f32", "auto");
            let run = |model: &mut Model| *model = problem.nothing(learner);
            let mut lazy = [learn.contender(id, learner, &peers, Rc::default(), run)];
            let failure = race(&mut lazy, Budget::quick()).expect_err("zeros are no minimum");
            assert_eq!(failure.mismatch.place, "objective");
        }
    }
}
