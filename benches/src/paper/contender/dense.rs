//! What is learnt from the features of other methods.

use core::ops::Range;
use std::time::Instant;

use ternion::Error;

use super::{Learner, Outcome, PENALTIES, SHARES, Setting, errors, fewest, not_held, score};
use crate::paper::baselines::{Map, Method, features_of};
use crate::paper::data::Set;
use crate::paper::learn::ridge::{Model, Moments, fit_few};
use crate::paper::learn::{sgd, svm};

/// Samples whose features are in memory at a time.
const BLOCK: usize = 8192;

/// A fitted map and the samples to learn from.
pub struct Dense<'a> {
    method: Method,
    set: &'a Set,
    seed: u64,
    pub(super) map: Box<dyn Map>,
}

impl<'a> Dense<'a> {
    pub fn new(method: Method, set: &'a Set, setting: Setting) -> Self {
        let Setting { features, gamma, seed } = setting;
        let map = method.fit(set.rows(0..set.train), set.inputs, features, gamma, seed);
        Self { method, set, seed, map }
    }

    /// The features of some samples, as stored.
    pub fn features(&self, range: Range<usize>) -> Vec<f32> {
        self.stored(self.set.rows(range.clone()), range)
    }

    /// The features of samples of these numbers, as stored: they are rounded in the same way whenever they are asked for.
    fn stored(&self, x: &[f32], numbers: impl Iterator<Item = usize>) -> Vec<f32> {
        let streams: Vec<u64> = numbers.map(|number| self.seed << 32 | number as u64).collect();
        features_of(self.map.as_ref(), self.method.store, x, self.set.inputs, &streams)
    }

    pub fn run(&self, learner: Learner) -> Result<Outcome, Error> {
        match learner {
            Learner::Ridge => self.ridge(),
            Learner::Logistic(epochs) => Ok(self.logistic(self.set.labels()?, epochs)),
            Learner::Svm => Ok(self.svm(self.set.labels()?)),
        }
    }

    /// Calls `each` with the features of consecutive blocks of samples; the seconds that making them took.
    fn for_each_block(
        &self,
        range: Range<usize>,
        mut each: impl FnMut(Range<usize>, &[f32]),
    ) -> f64 {
        let mut seconds = 0.0;
        for first in range.clone().step_by(BLOCK) {
            let block = first..range.end.min(first + BLOCK);
            let start = Instant::now();
            let features = self.features(block.clone());
            seconds += start.elapsed().as_secs_f64();
            each(block, &features);
        }
        seconds
    }

    fn test(&self, model: &Model) -> (f64, f64) {
        let (set, width) = (self.set, model.bias.len());
        let mut wrong = 0.0;
        let seconds = self.for_each_block(set.train..set.len(), |block, features| {
            wrong += errors(set, block.start, width, &model.outputs(features));
        });
        (score(set, wrong), seconds)
    }

    fn ridge(&self) -> Result<Outcome, Error> {
        let (set, outputs) = (self.set, self.set.outputs());
        if set.train < self.map.features() {
            return self.ridge_of_few();
        }
        let mut moments = Moments::new(self.map.features(), outputs);
        let mut fit = 0.0;
        let mut add = |moments: &mut Moments, block: Range<usize>, features: &[f32]| {
            let start = Instant::now();
            moments.add(features, &set.regression_targets(block));
            fit += start.elapsed().as_secs_f64();
        };
        let mut features = self
            .for_each_block(0..not_held(set), |block, features| add(&mut moments, block, features));
        let models = SHARES.map(|share| moments.solve(share));
        let mut wrong = [0.0; SHARES.len()];
        features += self.for_each_block(not_held(set)..set.train, |block, features| {
            for (wrong, model) in wrong.iter_mut().zip(&models) {
                *wrong += held_errors(set, block.start, model, features);
            }
            add(&mut moments, block, features);
        });
        let start = Instant::now();
        let model = moments.solve(SHARES[fewest(&wrong)])?;
        fit += start.elapsed().as_secs_f64();
        let (score, seconds) = self.test(&model);
        Ok(Outcome { score, features: features + seconds, fit })
    }

    /// The same with fewer training samples than features.
    fn ridge_of_few(&self) -> Result<Outcome, Error> {
        let (set, m) = (self.set, self.map.features());
        let (outputs, fitted) = (set.outputs(), not_held(set));
        let start = Instant::now();
        let train = self.features(0..set.train);
        let features = start.elapsed().as_secs_f64();
        let targets = set.regression_targets(0..set.train);
        let models = fit_few(&train[..fitted * m], m, &targets[..fitted * outputs], &SHARES);
        let wrong: Vec<f64> = models
            .iter()
            .map(|model| held_errors(set, fitted, model, &train[fitted * m..]))
            .collect();
        let start = Instant::now();
        let share = SHARES[fewest(&wrong)];
        let model = fit_few(&train, m, &targets, &[share]).swap_remove(0)?;
        let fit = start.elapsed().as_secs_f64();
        let (score, seconds) = self.test(&model);
        Ok(Outcome { score, features: features + seconds, fit })
    }

    fn logistic(&self, labels: &[usize], epochs: usize) -> Outcome {
        let set = self.set;
        let is_positive: Vec<bool> = labels[..set.train].iter().map(|&label| label == 1).collect();
        let start = Instant::now();
        let mut features = 0.0;
        // Features of all samples would not fit in memory: each batch computes its own, again in every epoch.
        let mut batch = |samples: &[usize]| {
            let start = Instant::now();
            let x: Vec<f32> = samples.iter().flat_map(|&i| set.rows(i..i + 1)).copied().collect();
            let out = self.stored(&x, samples.iter().copied());
            features += start.elapsed().as_secs_f64();
            out
        };
        let model = sgd::fit(&mut batch, &is_positive, epochs, self.seed);
        let fit = start.elapsed().as_secs_f64() - features;
        let (score, seconds) = self.test(&model);
        Outcome { score, features: features / epochs as f64 + seconds, fit }
    }

    fn svm(&self, labels: &[usize]) -> Outcome {
        let (set, m) = (self.set, self.map.features());
        let start = Instant::now();
        let train = self.features(0..set.train);
        let features = start.elapsed().as_secs_f64();
        let fit = |count: usize, share| {
            svm::fit(&train[..count * m], m, &labels[..count], set.outputs(), share)
        };
        let wrong = PENALTIES.map(|share| {
            let model = fit(not_held(set), share);
            let outputs = model.outputs(&train[not_held(set) * m..]);
            errors(set, not_held(set), model.bias.len(), &outputs)
        });
        let start = Instant::now();
        let model = fit(set.train, PENALTIES[fewest(&wrong)]);
        let fit = start.elapsed().as_secs_f64();
        let (score, seconds) = self.test(&model);
        Outcome { score, features: features + seconds, fit }
    }
}

/// How wrong a model is on samples that were held out: infinitely, if there is none.
fn held_errors(set: &Set, first: usize, model: &Result<Model, Error>, features: &[f32]) -> f64 {
    match model {
        Ok(model) => errors(set, first, model.bias.len(), &model.outputs(features)),
        Err(_) => f64::INFINITY,
    }
}
