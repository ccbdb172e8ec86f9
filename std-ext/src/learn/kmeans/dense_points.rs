//! [`DensePoints`]: points of a few numbers each.

use super::lloyd::Points;
use crate::{Error, parallel};

/// Samples per task.
const TASK_SAMPLES: usize = 1024;

/// Rows of a few numbers, one after another.
pub(in crate::learn) struct DensePoints {
    pub(in crate::learn) points: Vec<f64>,
    pub(in crate::learn) numbers: usize,
}

impl DensePoints {
    fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.points.chunks_exact(self.numbers)
    }
}

impl Points for DensePoints {
    fn samples(&self) -> usize {
        self.points.len() / self.numbers
    }

    fn numbers(&self) -> usize {
        self.numbers
    }

    fn point(&self, sample: usize) -> Vec<f64> {
        self.points[sample * self.numbers..(sample + 1) * self.numbers].to_vec()
    }

    fn distances(&self, to: &[usize]) -> Result<Vec<f64>, Error> {
        let others: Vec<Vec<f64>> = to.iter().map(|&sample| self.point(sample)).collect();
        let row = |x| others.iter().map(move |other| distance(x, other));
        Ok(self.rows().flat_map(row).collect())
    }

    fn nearest(&self, centres: &[f64], _clusters: usize) -> Vec<(usize, f64)> {
        let mut nearest = vec![(0, f64::INFINITY); self.samples()];
        parallel::for_each_chunk(&mut nearest, TASK_SAMPLES, |task, nearest| {
            let rows = self.points[task * TASK_SAMPLES * self.numbers..].chunks_exact(self.numbers);
            for ((label, least), row) in nearest.iter_mut().zip(rows) {
                for (k, centre) in centres.chunks_exact(self.numbers).enumerate() {
                    let distance = distance(row, centre);
                    if distance < *least {
                        (*label, *least) = (k, distance);
                    }
                }
            }
        });
        nearest
    }

    /// Summed anew in the order of the samples, so that rounding errors do not add up over the iterations.
    fn update_sums(&self, sums: &mut [f64], _before: &[Option<usize>], labels: &[usize]) {
        sums.fill(0.0);
        for (row, label) in self.rows().zip(labels) {
            let sum = sums[label * self.numbers..].iter_mut();
            sum.zip(row).for_each(|(sum, x)| *sum += x);
        }
    }
}

/// The squared distance.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
