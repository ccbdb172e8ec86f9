//! [`Lloyd`]: the first centres by k-means++ and Lloyd's iteration, for [`Points`] of any kind.

use super::super::convergence::Convergence;
use super::super::training::{Training, Watch};
use crate::Error;
use crate::random::Random;

/// What is clustered.
pub(in crate::learn) trait Points {
    fn samples(&self) -> usize;

    /// Numbers of a centre.
    fn numbers(&self) -> usize;

    /// The numbers of a sample.
    fn point(&self, sample: usize) -> Vec<f64>;

    /// The squared distances of every sample to some of them: a row per sample.
    fn distances(&self, to: &[usize]) -> Result<Vec<f64>, Error>;

    /// For each sample the nearest of some centres, the first of equals, and its squared distance.
    fn nearest(&self, centres: &[f64], clusters: usize) -> Vec<(usize, f64)>;

    /// The sums of the samples of each cluster. `sums` are those of `before`, where each sample had a cluster or none.
    fn update_sums(&self, sums: &mut [f64], before: &[Option<usize>], labels: &[usize]);
}

/// An iteration for some points.
pub(super) struct Lloyd<'a, P> {
    pub(super) points: &'a P,
    pub(super) clusters: usize,
    pub(super) limit: usize,
    pub(super) tolerance: f64,
    pub(super) training: Training<'a>,
}

impl<P: Points> Lloyd<'_, P> {
    /// The best centres of several starts, and how they were reached.
    pub(super) fn best_of(
        &self,
        seed: u64,
        starts: usize,
    ) -> Result<(Vec<f64>, Convergence), Error> {
        let mut best: Option<(Vec<f64>, Convergence)> = None;
        for start in 0..starts as u64 {
            let next = self.run(self.first_centres(&mut Random::stream(seed, start))?)?;
            if best.as_ref().is_none_or(|best| next.1.objective < best.1.objective) {
                best = Some(next);
            }
        }
        best.ok_or(Error::NothingToTry { what: "starts" })
    }

    /// Lloyd's iteration from given centres.
    pub(super) fn run(&self, mut centres: Vec<f64>) -> Result<(Vec<f64>, Convergence), Error> {
        let (points, n) = (self.points, self.points.samples());
        let mut sums = vec![0.0; centres.len()];
        let mut before = vec![None; n];
        let mut nearest = points.nearest(&centres, self.clusters);
        let mut now = Convergence::start(self.tolerance, self.limit);
        let mut watch = Watch::new(self.training);
        loop {
            let labels = self.without_empty(&nearest)?;
            points.update_sums(&mut sums, &before, &labels);
            let counts = self.counts(&labels);
            let means = sums.chunks_exact(points.numbers()).zip(&counts);
            centres = means.flat_map(|(s, &n)| s.iter().map(move |x| x / n as f64)).collect();
            nearest = points.nearest(&centres, self.clusters);
            let moved = nearest.iter().zip(&labels).filter(|((to, _), from)| to != *from).count();
            let objective = nearest.iter().map(|(_, distance)| distance).sum::<f64>() / n as f64;
            // Where centres are rounded, a sample between two of them might change sides for ever.
            let is_lower = objective < now.objective;
            now.residual = if is_lower { moved as f64 / n as f64 } else { 0.0 };
            (now.objective, now.iterations) = (objective, now.iterations + 1);
            if watch.is_last(&mut now, &()) {
                return Ok((centres, now));
            }
            before = labels.into_iter().map(Some).collect();
        }
    }

    /// Samples of each cluster.
    fn counts(&self, labels: &[usize]) -> Vec<usize> {
        let mut counts = vec![0; self.clusters];
        labels.iter().for_each(|&label| counts[label] += 1);
        counts
    }

    /// The clusters of the samples, where one that is empty takes the sample farthest from its centre, the first of
    /// equals, of a cluster with others.
    fn without_empty(&self, nearest: &[(usize, f64)]) -> Result<Vec<usize>, Error> {
        let mut labels: Vec<usize> = nearest.iter().map(|(label, _)| *label).collect();
        let mut counts = self.counts(&labels);
        let mut order: Vec<usize> = Vec::new();
        for empty in (0..self.clusters).filter(|&cluster| counts[cluster] == 0).collect::<Vec<_>>()
        {
            if order.is_empty() {
                order = (0..labels.len()).collect();
                order.sort_by(|&a, &b| nearest[a].1.total_cmp(&nearest[b].1).then(b.cmp(&a)));
            }
            while let Some(sample) = order.pop() {
                if counts[labels[sample]] > 1 {
                    counts[labels[sample]] -= 1;
                    (labels[sample], counts[empty]) = (empty, 1);
                    break;
                }
            }
        }
        let found = counts.iter().filter(|&&count| count > 0).count();
        let least = self.clusters;
        if found < least { Err(Error::TooFewSamples { least, found }) } else { Ok(labels) }
    }

    /// Samples as first centres (Arthur and Vassilvitskii's k-means++): each next one is drawn with a probability
    /// proportional to its squared distance from the nearest centre so far; the best of 2 + ln k draws is kept.
    fn first_centres(&self, random: &mut Random) -> Result<Vec<f64>, Error> {
        let n = self.points.samples();
        let trials = 2 + (self.clusters as f64).ln() as usize;
        let mut chosen = vec![random.below(n)];
        let mut nearest = self.points.distances(&chosen)?;
        while chosen.len() < self.clusters {
            let total: f64 = nearest.iter().sum();
            if total <= 0.0 {
                let (least, found) = (self.clusters, chosen.len());
                return Err(Error::TooFewSamples { least, found });
            }
            let drawn: Vec<usize> =
                (0..trials).map(|_| drawn(&nearest, total * random.unit())).collect();
            let distances = self.points.distances(&drawn)?;
            let column = |k: usize| {
                let distances = distances.iter().skip(k).step_by(trials);
                nearest.iter().zip(distances).map(|(old, new)| old.min(*new)).collect::<Vec<f64>>()
            };
            let mut best: Option<(f64, usize, Vec<f64>)> = None;
            for (k, &sample) in drawn.iter().enumerate() {
                let column = column(k);
                let total = column.iter().sum();
                if best.as_ref().is_none_or(|(least, ..)| total < *least) {
                    best = Some((total, sample, column));
                }
            }
            if let Some((_, sample, column)) = best {
                chosen.push(sample);
                nearest = column;
            }
        }
        Ok(chosen.into_iter().flat_map(|sample| self.points.point(sample)).collect())
    }
}

/// The sample at which the sum of the weights up to it exceeds a number; the last with a weight if none does.
fn drawn(weights: &[f64], number: f64) -> usize {
    let mut sum = 0.0;
    let mut last = 0;
    for (sample, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0) {
        sum += weight;
        last = sample;
        if sum > number {
            break;
        }
    }
    last
}
