//! [`Problem`]: samples with answers, in an order of which every beginning is a fair sample; and validation on it.

use super::setting::Validation;
use crate::batch::Batch;
use crate::learn::{
    LeaveOneOut, LinearModel, Moments, Ridge, TargetMoments, argmax, class_targets,
};
use crate::random::Random;
use crate::{Error, Features, Matrix, TernaryFeatures};

/// The most samples that are left out one by one.
const MOST_LEFT_OUT: usize = 1024;

/// Folds of larger sets.
const FOLDS: usize = 5;

/// Samples to predict: as many folds are held out as it takes.
const PREDICTED: usize = 4096;

/// What is to be predicted.
pub(super) enum Answers {
    /// Classes from 0, of which each has a sample; and how many there are.
    Classes(Vec<usize>, usize),
    /// A row per sample.
    Targets(Matrix<f32>),
}

/// Samples, their answers, and an order.
pub(super) struct Problem<'a> {
    samples: &'a dyn Batch,
    answers: Answers,
    order: Vec<usize>,
    /// The mean of each output.
    means: Vec<f64>,
    /// How many samples at the start of the order are never held out: one of each class, so that a model knows it.
    kept: usize,
}

impl<'a> Problem<'a> {
    /// The samples in an order that a seed decides. Every beginning has a sample of each class, and the classes in their
    /// shares.
    pub(super) fn new(samples: &'a dyn Batch, answers: Answers, seed: u64) -> Self {
        let count = samples.samples();
        let mut order = Random::new(seed).order(count);
        let mut kept = 0;
        if let Answers::Classes(labels, classes) = &answers {
            kept = *classes;
            let mut counts = vec![0_usize; *classes];
            labels.iter().for_each(|&label| counts[label] += 1);
            // The k-th of a class with c samples goes to place (k − ½)/c of the whole; the first to its start.
            let (mut seen, mut places) = (vec![0_usize; *classes], vec![0.0; count]);
            for &sample in &order {
                let label = labels[sample];
                if seen[label] > 0 {
                    places[sample] = (seen[label] as f64 - 0.5) / counts[label] as f64;
                }
                seen[label] += 1;
            }
            order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
        }
        let means = match &answers {
            Answers::Classes(_, classes) => vec![0.0; *classes],
            Answers::Targets(targets) => means(targets),
        };
        Self { samples, answers, order, means, kept }
    }

    /// All samples.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The least samples that have all classes, and one to predict.
    pub(super) fn least(&self) -> usize {
        self.kept + 2
    }

    /// How the ridge parameters, ascending, do on the first samples: the best of them, found by climbing from `start`, or
    /// by trying all.
    pub(super) fn validate(
        &self,
        ternary: &TernaryFeatures,
        samples: usize,
        ridges: &[f64],
        start: Option<usize>,
    ) -> Result<Validation, Error> {
        let order = &self.order[..samples];
        if samples <= MOST_LEFT_OUT {
            let features = ternary.transform(&self.picked(order))?;
            let targets = self.targets(order)?;
            let left_out = LeaveOneOut::new(&features, &targets)?;
            return climb(ridges, start, |share| {
                let mut tally = Tally::new(self.means.len());
                self.count(&mut tally, order, &left_out.predict(&Ridge::new(share)?)?);
                Ok(self.validation(&tally, share))
            });
        }
        let (parts, held) = self.folds(order);
        let features = parts.iter().map(|part| ternary.transform(&self.picked(part)));
        let features: Vec<Features> = features.collect::<Result<_, _>>()?;
        let training = |fold: usize| {
            let others = || (0..parts.len()).filter(move |&part| part != fold);
            let order: Vec<usize> = others().flat_map(|part| &parts[part]).copied().collect();
            let features = Features::concat(others().map(|part| &features[part]))?;
            self.training(ternary, features, &order)
        };
        let training: Vec<Training> = (0..held).map(training).collect::<Result<_, _>>()?;
        climb(ridges, start, |share| {
            let (ridge, mut tally) = (Ridge::new(share)?, Tally::new(self.means.len()));
            for ((training, part), features) in training.iter().zip(&parts).zip(&features) {
                self.count(&mut tally, part, &training.fit(&ridge)?.predict(features)?);
            }
            Ok(self.validation(&tally, share))
        })
    }

    /// Samples to fit to, as what takes the least to fit again.
    fn training(
        &self,
        ternary: &TernaryFeatures,
        features: Features,
        order: &[usize],
    ) -> Result<Training, Error> {
        if features.len() <= features.features() {
            return Ok(Training::Features(features, self.targets(order)?));
        }
        match &self.answers {
            Answers::Classes(labels, classes) => {
                let labels: Vec<usize> = order.iter().map(|&sample| labels[sample]).collect();
                let mut moments = Moments::new(ternary, *classes)?;
                moments.add(&features, &labels)?;
                Ok(Training::Moments(moments))
            }
            Answers::Targets(targets) => {
                let mut moments = TargetMoments::new(ternary, targets.cols())?;
                moments.add(&features, &self.targets(order)?)?;
                Ok(Training::TargetMoments(moments))
            }
        }
    }

    /// Parts of some samples, and how many of them are held out in turn; a last one never is.
    fn folds(&self, order: &[usize]) -> (Vec<Vec<usize>>, usize) {
        let (kept, free) = order.split_at(self.kept.min(order.len()));
        let held = PREDICTED.div_ceil((free.len() / FOLDS).max(1)).min(FOLDS);
        let fold = |k: usize| free.iter().copied().skip(k).step_by(FOLDS);
        let rest: Vec<usize> = kept.iter().copied().chain((held..FOLDS).flat_map(fold)).collect();
        let parts = (0..held).map(|k| fold(k).collect()).chain([rest]);
        (parts.filter(|part: &Vec<usize>| !part.is_empty()).collect(), held)
    }

    fn picked<'b>(&'b self, order: &'b [usize]) -> Picked<'b> {
        Picked { samples: self.samples, order }
    }

    /// The targets of some samples; those of classes are ±1.
    fn targets(&self, order: &[usize]) -> Result<Matrix<f32>, Error> {
        match &self.answers {
            Answers::Classes(labels, _) => {
                let labels: Vec<usize> = order.iter().map(|&sample| labels[sample]).collect();
                class_targets(&labels)
            }
            Answers::Targets(targets) => {
                let (numbers, cols) = (targets.as_slice(), targets.cols());
                let row = |&sample: &usize| &numbers[sample * cols..(sample + 1) * cols];
                Matrix::from_vec(order.len(), cols, order.iter().flat_map(row).copied().collect())
            }
        }
    }

    /// How a ridge parameter did.
    fn validation(&self, tally: &Tally, ridge: f64) -> Validation {
        let (predicted, outputs) = (tally.predicted as f64, tally.outputs.len() as f64);
        let explained = |&[error, sum, squares]: &[f64; 3]| {
            let total = squares - sum * sum / predicted;
            if total > 0.0 { 1.0 - error / total } else { 0.0 }
        };
        let (score, standard_error) = match &self.answers {
            Answers::Classes(..) => {
                let accuracy = tally.right as f64 / predicted;
                (accuracy, (accuracy * (1.0 - accuracy) / predicted).sqrt())
            }
            Answers::Targets(_) => {
                (tally.outputs.iter().map(explained).sum::<f64>() / outputs, 0.0)
            }
        };
        let errors: f64 = tally.outputs.iter().map(|sums| sums[0]).sum();
        let square_error = errors / (predicted * outputs);
        Validation { ridge, score, square_error, predicted: tally.predicted, standard_error }
    }

    /// Counts the predictions for some samples.
    fn count(&self, tally: &mut Tally, order: &[usize], predicted: &Matrix<f32>) {
        for (&sample, predicted) in order.iter().zip(predicted.iter_rows()) {
            tally.predicted += 1;
            match &self.answers {
                Answers::Classes(labels, _) => {
                    let label = labels[sample];
                    tally.right += (argmax(predicted) == label) as usize;
                    let target = |class| if class == label { 1.0 } else { -1.0 };
                    tally.add((0..predicted.len()).map(target), predicted, &self.means);
                }
                Answers::Targets(targets) => {
                    let start = sample * targets.cols();
                    let targets = &targets.as_slice()[start..start + targets.cols()];
                    tally.add(targets.iter().map(|&y| y.into()), predicted, &self.means);
                }
            }
        }
    }
}

/// Samples to fit to.
enum Training {
    /// No more than features, and their targets.
    Features(Features, Matrix<f32>),
    Moments(Moments),
    TargetMoments(TargetMoments),
}

impl Training {
    fn fit(&self, ridge: &Ridge) -> Result<LinearModel, Error> {
        match self {
            Self::Features(features, targets) => ridge.fit(features, targets),
            Self::Moments(moments) => Ok(ridge.fit_moments(moments)?.model().clone()),
            Self::TargetMoments(moments) => ridge.fit_target_moments(moments),
        }
    }
}

/// The best of some numbers, found by going on from a place to the next one for as long as it is better, in both
/// directions; without a place, by trying all.
fn climb(
    numbers: &[f64],
    start: Option<usize>,
    validate: impl Fn(f64) -> Result<Validation, Error>,
) -> Result<Validation, Error> {
    let (down, up) = numbers.split_at(start.unwrap_or(0));
    let mut best = validate(up[0])?;
    let directions: [&mut dyn Iterator<Item = &f64>; 2] =
        [&mut up[1..].iter(), &mut down.iter().rev()];
    for numbers in directions {
        for &number in numbers {
            let next = validate(number)?;
            if next.is_better(&best) {
                best = next;
            } else if start.is_some() {
                break;
            }
        }
    }
    Ok(best)
}

/// The mean of each column.
fn means(targets: &Matrix<f32>) -> Vec<f64> {
    let mut sums = vec![0.0; targets.cols()];
    for row in targets.iter_rows() {
        sums.iter_mut().zip(row).for_each(|(sum, &y)| *sum += f64::from(y));
    }
    sums.into_iter().map(|sum| sum / targets.rows() as f64).collect()
}

/// Sums over predictions.
#[derive(Clone)]
struct Tally {
    predicted: usize,
    right: usize,
    /// For each output the sum of squared errors, of targets about their mean, and of the squares of these.
    outputs: Vec<[f64; 3]>,
}

impl Tally {
    fn new(outputs: usize) -> Self {
        Self { predicted: 0, right: 0, outputs: vec![[0.0; 3]; outputs] }
    }

    fn add(&mut self, targets: impl Iterator<Item = f64>, predicted: &[f32], means: &[f64]) {
        let outputs = self.outputs.iter_mut().zip(targets.zip(means)).zip(predicted);
        for ((sums, (y, mean)), &f) in outputs {
            let centred = y - mean;
            let numbers = [(y - f64::from(f)).powi(2), centred, centred * centred];
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
    }
}

/// Some samples of a batch, in any order.
struct Picked<'a> {
    samples: &'a dyn Batch,
    order: &'a [usize],
}

impl Batch for Picked<'_> {
    fn samples(&self) -> usize {
        self.order.len()
    }

    fn inputs(&self) -> usize {
        self.samples.inputs()
    }

    fn read(&self, sample: usize, numbers: &mut [f32]) -> Result<(), Error> {
        self.samples.read(self.order[sample], numbers)
    }
}
