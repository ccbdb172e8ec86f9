//! What is learnt from Ternion's features, by its own learners.

use core::ops::Range;
use std::time::Instant;

use ternion::learn::{
    Classifier, LinearModel, LinearSvm, Logistic, Moments, Ridge, Sgd, TargetMoments,
};
use ternion::{Error, Features, Matrix, Samples, TernaryFeatures, TritMatrix};

use super::{
    Learner, Outcome, PENALTIES, SHARES, Setting, Ternary, WORD, errors, fewest, not_held, score,
};
use crate::paper::data::{Set, Targets};
use crate::paper::learn::sgd::BATCH;
use crate::paper::learn::svm::{PASSES, TOLERANCE};

/// Samples whose features are in memory at a time: more than of others, which take 16 times as much, because each block takes
/// a pass over the sums, a gigabyte of them for 10,000 features.
const BLOCK: usize = 1 << 16;

/// Fitted features and the samples to learn from.
pub struct Packed<'a> {
    set: &'a Set,
    seed: u64,
    pub(super) ternary: TernaryFeatures,
    /// Features of each word that are kept.
    kept_per_word: usize,
    /// Features of each sample.
    features: usize,
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
        let kept_per_word = ternary.kept_per_word;
        let ternary = ternary.params(features, gamma, seed).fit(&train)?;
        Ok(Self { set, seed, ternary, kept_per_word, features })
    }

    /// The features of some samples.
    pub fn features(&self, range: Range<usize>) -> Result<Features, Error> {
        let features =
            self.ternary.transform(&Samples::new(self.set.rows(range), self.set.inputs)?)?;
        match self.kept_per_word {
            WORD => Ok(features),
            kept => keep(&features, kept, self.features),
        }
    }

    /// A fit of as many features as are kept: sums are made for one.
    fn shape(&self) -> Result<TernaryFeatures, Error> {
        match self.kept_per_word {
            WORD => Ok(self.ternary.clone()),
            _ => TernaryFeatures::params(self.features)
                .fit(&Samples::new(self.set.rows(0..self.set.train), self.set.inputs)?),
        }
    }

    pub fn run(&self, learner: Learner) -> Result<Outcome, Error> {
        match learner {
            Learner::Ridge => self.ridge(),
            Learner::Logistic(epochs) => self.logistic(self.set.labels()?, epochs),
            Learner::Svm => self.svm(self.set.labels()?),
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
        if set.train < self.features {
            return self.ridge_of_few();
        }
        let mut sums = match &set.targets {
            Targets::Classes(_) => Sums::Classes(Moments::new(&self.shape()?, set.outputs())?),
            Targets::Numbers(_) => Sums::Numbers(TargetMoments::new(&self.shape()?, 1)?),
        };
        let mut fit = 0.0;
        let mut add = |sums: &mut Sums, block, features: &Features| {
            let start = Instant::now();
            sums.add(set, block, features)?;
            fit += start.elapsed().as_secs_f64();
            Ok(())
        };
        let mut features = self
            .for_each_block(0..not_held(set), |block, features| add(&mut sums, block, features))?;
        let models = sums.solve(&SHARES)?;
        let mut wrong = [0.0; SHARES.len()];
        features += self.for_each_block(not_held(set)..set.train, |block, features| {
            for (wrong, model) in wrong.iter_mut().zip(&models) {
                *wrong += wrong_outputs(set, block.start, model, features)?;
            }
            add(&mut sums, block, features)
        })?;
        let start = Instant::now();
        let chosen = sums.solve(&SHARES[fewest(&wrong)..][..1])?;
        fit += start.elapsed().as_secs_f64();
        let (score, seconds) = self.test(&chosen[0])?;
        Ok(Outcome { score, features: features + seconds, fit })
    }

    /// The same with fewer training samples than features.
    fn ridge_of_few(&self) -> Result<Outcome, Error> {
        let set = self.set;
        let start = Instant::now();
        let (first, held) =
            (self.features(0..not_held(set))?, self.features(not_held(set)..set.train)?);
        let features = start.elapsed().as_secs_f64();
        let targets =
            |end: usize| Matrix::from_vec(end, set.outputs(), set.regression_targets(0..end));
        let mut wrong = [0.0; SHARES.len()];
        for (wrong, share) in wrong.iter_mut().zip(SHARES) {
            let model = Ridge::new(share)?.fit(&first, &targets(not_held(set))?)?;
            *wrong = wrong_outputs(set, not_held(set), &model, &held)?;
        }
        let all = Features::concat([&first, &held])?;
        let start = Instant::now();
        let model = Ridge::new(SHARES[fewest(&wrong)])?.fit(&all, &targets(set.train)?)?;
        let fit = start.elapsed().as_secs_f64();
        let (score, seconds) = self.test(&model)?;
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
        let (first, held) =
            (self.features(0..not_held(set))?, self.features(not_held(set)..set.train)?);
        let features = start.elapsed().as_secs_f64();
        let mut wrong = [0.0; PENALTIES.len()];
        for (wrong, share) in wrong.iter_mut().zip(PENALTIES) {
            let model = svm(share, &first, &labels[..not_held(set)])?;
            *wrong = wrong_outputs(set, not_held(set), model.model(), &held)?;
        }
        let all = Features::concat([&first, &held])?;
        let start = Instant::now();
        let model = svm(PENALTIES[fewest(&wrong)], &all, &labels[..set.train])?;
        let fit = start.elapsed().as_secs_f64();
        let (score, seconds) = self.test(model.model())?;
        Ok(Outcome { score, features: features + seconds, fit })
    }
}

/// The first features of each word, and `m` of them in all.
fn keep(features: &Features, kept: usize, m: usize) -> Result<Features, Error> {
    let trits = features.trits();
    let (words, width) = (features.features().div_ceil(WORD), m.div_ceil(WORD));
    let pack = |plane: &[u64]| -> Vec<u64> {
        let mut out = vec![0; features.len() * width];
        for (out, row) in out.chunks_mut(width).zip(plane.chunks(words)) {
            for (k, word) in row.iter().take(m.div_ceil(kept)).enumerate() {
                let place = k * kept;
                out[place / WORD] |= (word & ((1 << kept) - 1)) << (place % WORD);
            }
            if !m.is_multiple_of(WORD) {
                out[width - 1] &= (1 << (m % WORD)) - 1;
            }
        }
        out
    };
    Ok(Features::new(TritMatrix::new(features.len(), m, pack(trits.sign()), pack(trits.mask()))?))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_features_of_each_word_are_kept() {
        let x: Vec<f32> = (0..70 * 5).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
        let samples = Samples::new(&x, 5).unwrap();
        let all = TernaryFeatures::params(7 * WORD).fit(&samples).unwrap();
        let all = all.transform(&samples).unwrap();
        let rows = all.unpack::<i8>().unwrap();
        for (kept, m) in [(16, 100), (16, 112), (32, 128), (8, 50)] {
            let found = keep(&all, kept, m).unwrap().unpack::<i8>().unwrap();
            for sample in 0..70 {
                let of = |k: usize| rows.row(sample).unwrap()[k / kept * WORD + k % kept];
                assert!(found.row(sample).unwrap().iter().copied().eq((0..m).map(of)));
            }
        }
    }
}
