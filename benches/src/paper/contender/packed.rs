//! What is learnt from Ternion's features, by its own learners.

use core::ops::Range;
use std::time::Instant;

use ternion::learn::{
    Classifier, LinearModel, LinearSvm, Logistic, Moments, Ridge, Sgd, TargetMoments,
};
use ternion::{Error, Features, Matrix, Samples, TernaryFeatures};

use super::{
    BLOCK, Learner, Outcome, PENALTIES, SHARES, Setting, Ternary, errors, fewest, kept, score,
};
use crate::paper::data::{Set, Targets};
use crate::paper::learn::sgd::BATCH;
use crate::paper::learn::svm::{PASSES, TOLERANCE};

/// Fitted features and the samples to learn from.
pub struct Packed<'a> {
    set: &'a Set,
    seed: u64,
    pub(super) ternary: TernaryFeatures,
}

/// The sums that ridge is solved from.
enum Sums {
    Classes(Moments),
    Numbers(TargetMoments),
}

impl<'a> Packed<'a> {
    pub fn new(ternary: Ternary, set: &'a Set, setting: Setting) -> Result<Self, Error> {
        let Setting { features, gamma, seed } = setting;
        let train = Samples::new(set.rows(0..set.train), set.inputs)?;
        Ok(Self { set, seed, ternary: ternary.params(features, gamma, seed).fit(&train)? })
    }

    /// The features of some samples.
    pub fn features(&self, range: Range<usize>) -> Result<Features, Error> {
        self.ternary.transform(&Samples::new(self.set.rows(range), self.set.inputs)?)
    }

    pub fn run(&self, learner: Learner) -> Result<Outcome, Error> {
        match (learner, &self.set.targets) {
            (Learner::Ridge, _) => self.ridge(),
            (Learner::Logistic(epochs), Targets::Classes(labels)) => self.logistic(labels, epochs),
            (Learner::Svm, Targets::Classes(labels)) => self.svm(labels),
            (_, Targets::Numbers(_)) => Ok(Outcome::NONE),
        }
    }

    /// Calls `each` with the features of consecutive blocks of samples; the seconds that making them took.
    fn for_each_block(
        &self,
        range: Range<usize>,
        mut each: impl FnMut(Range<usize>, &Features) -> Result<(), Error>,
    ) -> Result<f64, Error> {
        let mut seconds = 0.0;
        for first in range.clone().step_by(BLOCK) {
            let block = first..range.end.min(first + BLOCK);
            let start = Instant::now();
            let features = self.features(block.clone())?;
            seconds += start.elapsed().as_secs_f64();
            each(block, &features)?;
        }
        Ok(seconds)
    }

    fn test(&self, model: &LinearModel) -> Result<(f64, f64), Error> {
        let set = self.set;
        let mut wrong = 0.0;
        let seconds = self.for_each_block(set.train..set.len(), |block, features| {
            wrong += wrong_outputs(set, block.start, model, features)?;
            Ok(())
        })?;
        Ok((score(set, wrong), seconds))
    }

    fn ridge(&self) -> Result<Outcome, Error> {
        let set = self.set;
        let mut sums = match &set.targets {
            Targets::Classes(_) => Sums::Classes(Moments::new(&self.ternary, set.outputs())?),
            Targets::Numbers(_) => Sums::Numbers(TargetMoments::new(&self.ternary, 1)?),
        };
        let start = Instant::now();
        let mut features =
            self.for_each_block(0..kept(set), |block, features| sums.add(set, block, features))?;
        let models = sums.solve(&SHARES)?;
        let mut wrong = [0.0; SHARES.len()];
        features += self.for_each_block(kept(set)..set.train, |block, features| {
            for (wrong, model) in wrong.iter_mut().zip(&models) {
                *wrong += wrong_outputs(set, block.start, model, features)?;
            }
            sums.add(set, block, features)
        })?;
        let chosen = sums.solve(&SHARES[fewest(&wrong)..][..1])?;
        let fit = start.elapsed().as_secs_f64() - features;
        let (score, seconds) = self.test(&chosen[0])?;
        Ok(Outcome { score, features: features + seconds, fit })
    }

    fn logistic(&self, labels: &[usize], epochs: usize) -> Result<Outcome, Error> {
        let start = Instant::now();
        let train = self.features(0..self.set.train)?;
        let features = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let sgd = Sgd { batch: BATCH, seed: self.seed, ..Sgd::default() };
        // As good as no penalty, like that of the others.
        let learner = Logistic::new(1e-6)?.sgd(sgd)?.limit(epochs)?;
        let model = learner.fit_classes(&train, &labels[..self.set.train])?;
        let fit = start.elapsed().as_secs_f64();
        let (score, seconds) = self.test(model.model())?;
        Ok(Outcome { score, features: features + seconds, fit })
    }

    fn svm(&self, labels: &[usize]) -> Result<Outcome, Error> {
        let set = self.set;
        let start = Instant::now();
        let (first, held) = (self.features(0..kept(set))?, self.features(kept(set)..set.train)?);
        let features = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let mut wrong = [0.0; PENALTIES.len()];
        for (wrong, share) in wrong.iter_mut().zip(PENALTIES) {
            let model = svm(share, &first, &labels[..kept(set)])?;
            *wrong = wrong_outputs(set, kept(set), model.model(), &held)?;
        }
        let all = Features::concat([&first, &held])?;
        let model = svm(PENALTIES[fewest(&wrong)], &all, &labels[..set.train])?;
        let fit = start.elapsed().as_secs_f64();
        let (score, seconds) = self.test(model.model())?;
        Ok(Outcome { score, features: features + seconds, fit })
    }
}

fn svm(share: f64, features: &Features, labels: &[usize]) -> Result<Classifier, Error> {
    let machine = LinearSvm::new(share)?.limit(PASSES)?.tolerance(TOLERANCE.into())?;
    machine.fit_classes(features, labels)
}

impl Sums {
    fn add(&mut self, set: &Set, block: Range<usize>, features: &Features) -> Result<(), Error> {
        match (self, &set.targets) {
            (Self::Classes(moments), Targets::Classes(labels)) => {
                moments.add(features, &labels[block])
            }
            (Self::Numbers(moments), _) => {
                let targets = set.regression_targets(block);
                moments.add(features, &Matrix::from_vec(features.len(), 1, targets)?)
            }
            (Self::Classes(_), Targets::Numbers(_)) => Ok(()), // never made
        }
    }

    fn solve(&self, shares: &[f64]) -> Result<Vec<LinearModel>, Error> {
        let ridges: Vec<Ridge> =
            shares.iter().map(|&share| Ridge::new(share)).collect::<Result<_, _>>()?;
        match self {
            Self::Classes(moments) => {
                let models = Ridge::fit_moments_each(&ridges, moments)?;
                Ok(models.iter().map(|model| model.model().clone()).collect())
            }
            Self::Numbers(moments) => Ridge::fit_target_moments_each(&ridges, moments),
        }
    }
}

fn wrong_outputs(
    set: &Set,
    first: usize,
    model: &LinearModel,
    features: &Features,
) -> Result<f64, Error> {
    let outputs = model.predict(features)?;
    Ok(errors(set, first, outputs.cols(), outputs.as_slice()))
}
