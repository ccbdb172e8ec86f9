//! What is learnt from the features of other methods.

use core::ops::Range;
use std::time::Instant;

use super::{Learner, Outcome, PENALTIES, SHARES, Setting, errors, fewest, kept, score};
use crate::paper::baselines::{Map, Method, features_of};
use crate::paper::data::{Set, Targets};
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
        let first = range.start;
        self.stored(self.set.rows(range), first)
    }

    /// The features of samples, the first of which is that of this number, as stored.
    fn stored(&self, x: &[f32], first: usize) -> Vec<f32> {
        let stream = self.seed << 32 | first as u64;
        features_of(self.map.as_ref(), self.method.store, x, self.set.inputs, stream)
    }

    pub fn run(&self, learner: Learner) -> Outcome {
        match learner {
            Learner::Ridge => self.ridge(),
            Learner::Logistic(epochs) => self.logistic(epochs),
            Learner::Svm => self.svm(),
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

    fn ridge(&self) -> Outcome {
        let (set, outputs) = (self.set, self.set.outputs());
        if set.train < self.map.features() {
            return self.ridge_of_few();
        }
        let mut moments = Moments::new(self.map.features(), outputs);
        let start = Instant::now();
        let mut features = self.for_each_block(0..kept(set), |block, features| {
            moments.add(features, &set.regression_targets(block));
        });
        let models = SHARES.map(|share| moments.solve(share));
        let mut wrong = [0.0; SHARES.len()];
        features += self.for_each_block(kept(set)..set.train, |block, features| {
            for (wrong, model) in wrong.iter_mut().zip(&models) {
                *wrong += errors(set, block.start, outputs, &model.outputs(features));
            }
            moments.add(features, &set.regression_targets(block));
        });
        let model = moments.solve(SHARES[fewest(&wrong)]);
        let fit = start.elapsed().as_secs_f64() - features;
        let (score, seconds) = self.test(&model);
        Outcome { score, features: features + seconds, fit }
    }

    /// The same with fewer training samples than features.
    fn ridge_of_few(&self) -> Outcome {
        let (set, m) = (self.set, self.map.features());
        let (outputs, kept) = (set.outputs(), kept(set));
        let start = Instant::now();
        let train = self.features(0..set.train);
        let features = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let targets = set.regression_targets(0..set.train);
        let models = fit_few(&train[..kept * m], m, &targets[..kept * outputs], &SHARES);
        let wrong: Vec<f64> = models
            .iter()
            .map(|model| errors(set, kept, outputs, &model.outputs(&train[kept * m..])))
            .collect();
        let models = fit_few(&train, m, &targets, &SHARES[fewest(&wrong)..][..1]);
        let fit = start.elapsed().as_secs_f64();
        let (score, seconds) = self.test(&models[0]);
        Outcome { score, features: features + seconds, fit }
    }

    fn logistic(&self, epochs: usize) -> Outcome {
        let set = self.set;
        let Targets::Classes(labels) = &set.targets else { return Outcome::NONE };
        let is_positive: Vec<bool> = labels[..set.train].iter().map(|&label| label == 1).collect();
        let start = Instant::now();
        let mut features = 0.0;
        // Features of all samples would not fit in memory: each batch computes its own, again in every epoch.
        let mut batch = |samples: &[usize]| {
            let start = Instant::now();
            let x: Vec<f32> = samples.iter().flat_map(|&i| set.rows(i..i + 1)).copied().collect();
            let out = self.stored(&x, samples[0]);
            features += start.elapsed().as_secs_f64();
            out
        };
        let model = sgd::fit(&mut batch, &is_positive, epochs, self.seed);
        let fit = start.elapsed().as_secs_f64() - features;
        let (score, seconds) = self.test(&model);
        Outcome { score, features: features / epochs as f64 + seconds, fit }
    }

    fn svm(&self) -> Outcome {
        let (set, m) = (self.set, self.map.features());
        let Targets::Classes(labels) = &set.targets else { return Outcome::NONE };
        let start = Instant::now();
        let train = self.features(0..set.train);
        let features = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let fit = |count: usize, share| {
            svm::fit(&train[..count * m], m, &labels[..count], set.outputs(), share)
        };
        let wrong = PENALTIES.map(|share| {
            let model = fit(kept(set), share);
            let outputs = model.outputs(&train[kept(set) * m..]);
            errors(set, kept(set), model.bias.len(), &outputs)
        });
        let model = fit(set.train, PENALTIES[fewest(&wrong)]);
        let fit = start.elapsed().as_secs_f64();
        let (score, seconds) = self.test(&model);
        Outcome { score, features: features + seconds, fit }
    }
}
