//! The peer of `compare job`: random Fourier features and ridge on them, by dense libraries.
//!
//! Everything is done as fast as such a library allows: all in `f32`, products in blocks that the cosine still finds in
//! the last-level cache, sums of classes while a block is there, one symmetric product for the second moments.

use std::time::Instant;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::data::{CLASSES, Data, Labelled, Normal};
use super::{Outcome, SHARE, argmax};
use crate::peers::{Solver, add_and_cos};

/// Samples per block of features.
const BLOCK: usize = 512;

/// cos(x·W + phase).
struct Map {
    inputs: usize,
    /// A row per input.
    weights: Vec<f32>,
    phase: Vec<f32>,
}

impl Map {
    /// Draws W for the kernel exp(−‖x − y‖²) of samples that are scaled to a mean ‖x − x̄‖² of 1.
    fn fit(inputs: usize, features: usize, x: &[f32]) -> Self {
        let (mut sums, mut squares) = (vec![0f64; inputs], vec![0f64; inputs]);
        for x in x.chunks_exact(inputs) {
            for ((sum, square), &x) in sums.iter_mut().zip(&mut squares).zip(x) {
                let x = f64::from(x);
                *sum += x;
                *square += x * x;
            }
        }
        let n = (x.len() / inputs) as f64;
        let variance = |(sum, square): (&f64, &f64)| square / n - (sum / n).powi(2);
        let norm: f64 = sums.iter().zip(&squares).map(variance).sum();
        let mut random = Normal(Xoshiro256PlusPlus::seed_from_u64(12));
        let weights = random.numbers(inputs * features, (2.0 / norm).sqrt() as f32);
        let phase = (0..features).map(|_| core::f32::consts::TAU * random.uniform()).collect();
        Self { inputs, weights, phase }
    }

    /// The features of some samples, a row per sample; `each` sees every block of them.
    fn transform(
        &self,
        solver: &dyn Solver,
        x: &[f32],
        out: &mut [f32],
        mut each: impl FnMut(usize, &[f32]),
    ) {
        let (p, m) = (self.inputs, self.phase.len());
        let blocks = x.chunks(BLOCK * p).zip(out.chunks_mut(BLOCK * m));
        for (block, (x, out)) in blocks.enumerate() {
            solver.gemm(x.len() / p, m, p, x, &self.weights, out);
            add_and_cos(out, &self.phase);
            each(block * BLOCK, out);
        }
    }
}

/// The memory of a run, kept so that no run has to ask for it.
#[derive(Default)]
pub struct Buffers {
    features: Vec<f32>,
    second: Vec<f32>,
}

/// The whole job.
pub fn run(solver: &dyn Solver, data: &Data, features: usize, buffers: &mut Buffers) -> Outcome {
    let m = features;
    let Labelled { x, labels } = &data.train;
    let n = labels.len();
    buffers.features.resize(n * m, 0.0);
    buffers.second.resize(m * m, 0.0);
    let mut at = [Instant::now(); 6];
    let map = Map::fit(data.inputs, m, x);
    at[1] = Instant::now();

    let mut counts = [0.0f32; CLASSES];
    let mut sums = vec![0f32; CLASSES * m];
    map.transform(solver, x, &mut buffers.features, |first, rows| {
        for (row, &label) in rows.chunks_exact(m).zip(&labels[first..]) {
            counts[label] += 1.0;
            let sums = sums[label * m..][..m].iter_mut();
            sums.zip(row).for_each(|(sum, x)| *sum += x);
        }
    });
    at[2] = Instant::now();

    let second = &mut buffers.second;
    solver.syrk_columns(m, n, &buffers.features, second);
    at[3] = Instant::now();

    let share = 1.0 / n as f32;
    let total = |j: usize| sums[j..].iter().step_by(m).sum::<f32>();
    let totals: Vec<f32> = (0..m).map(total).collect();
    for (i, row) in second.chunks_exact_mut(m).enumerate() {
        let mean = totals[i] * share;
        row[i..].iter_mut().zip(&totals[i..]).for_each(|(entry, total)| *entry -= mean * total);
    }
    let trace: f64 = second.iter().step_by(m + 1).map(|&x| f64::from(x)).sum();
    let ridge = (SHARE * trace / n as f64) as f32;
    second.iter_mut().step_by(m + 1).for_each(|diagonal| *diagonal += ridge);
    let mut thetas = sums;
    for (theta, count) in thetas.chunks_exact_mut(m).zip(counts) {
        let sums = theta.iter_mut().zip(&totals);
        sums.for_each(|(sum, total)| *sum = 2.0 * (*sum - total * count * share));
    }
    solver.solve(m, second, &mut thetas);
    let mut weights = vec![0f32; m * CLASSES];
    let mut bias = [0f32; CLASSES];
    for (k, theta) in thetas.chunks_exact(m).enumerate() {
        let shift: f32 = theta.iter().zip(&totals).map(|(w, total)| w * total).sum();
        bias[k] = 2.0 * counts[k] * share - 1.0 - shift * share;
        weights[k..].iter_mut().step_by(CLASSES).zip(theta).for_each(|(to, w)| *to = *w);
    }
    at[4] = Instant::now();

    let Labelled { x, labels } = &data.test;
    let mut right = 0;
    let mut scores = vec![0f32; BLOCK * CLASSES];
    map.transform(solver, x, &mut buffers.features[..labels.len() * m], |first, rows| {
        solver.gemm(rows.len() / m, CLASSES, m, rows, &weights, &mut scores);
        for (scores, &label) in scores.chunks_exact(CLASSES).zip(&labels[first..]) {
            right += (argmax(scores.iter().zip(bias).map(|(s, b)| s + b)) == label) as usize;
        }
    });
    at[5] = Instant::now();
    Outcome::new(at, right as f64 / labels.len() as f64)
}
