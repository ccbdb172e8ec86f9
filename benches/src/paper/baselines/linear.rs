//! Features that are a function of w·x: random Fourier features and those of arc-cosine kernels.

use core::f32::consts::{FRAC_PI_2, TAU};

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

use super::{Frequencies, Map};
use crate::job::data::Normal;
use crate::peers::add_and_cos;
use crate::peers::strided::{gemm, rows};

/// Samples whose features are still in the cache when the function is applied.
const BLOCK: usize = 128;

/// √(2/m)·f(w·x).
pub struct Linear {
    inputs: usize,
    features: usize,
    /// A row per input.
    weights: Vec<f32>,
    function: Function,
}

enum Function {
    /// cos(w·x + b) and sin(w·x + b): each w gives a feature of the first half and one of the second. These are the phases
    /// of both as cosines, b and b − π/2.
    Pair(Vec<f32>),
    /// 1 above 0.
    Step,
    /// max(0, ·).
    Ramp,
}

impl Linear {
    /// Random Fourier features of the kernel exp(−γ‖x − y‖²), in pairs: their product is the mean of cos w·(x − y), which
    /// varies less than that of as many cosines with frequencies of their own. Of an odd number the last has no sine;
    /// its random b keeps it unbiased.
    pub fn fourier(
        frequencies: Frequencies,
        inputs: usize,
        features: usize,
        gamma: f64,
        seed: u64,
    ) -> Self {
        let mut random = Normal(Xoshiro256PlusPlus::seed_from_u64(seed));
        let pairs = features.div_ceil(2);
        let weights = frequencies.draw(inputs, pairs, gamma, &mut random);
        let mut phases: Vec<f32> = (0..pairs).map(|_| TAU * random.uniform()).collect();
        phases.extend_from_within(..features - pairs);
        phases[pairs..].iter_mut().for_each(|phase| *phase -= FRAC_PI_2);
        Self { inputs, features, weights, function: Function::Pair(phases) }
    }

    /// Features of the arc-cosine kernel of order 0.
    pub fn step(inputs: usize, features: usize, seed: u64) -> Self {
        Self::normal(inputs, features, seed, Function::Step)
    }

    /// Features of the arc-cosine kernel of order 1.
    pub fn ramp(inputs: usize, features: usize, seed: u64) -> Self {
        Self::normal(inputs, features, seed, Function::Ramp)
    }

    fn normal(inputs: usize, features: usize, seed: u64, function: Function) -> Self {
        let mut random = Normal(Xoshiro256PlusPlus::seed_from_u64(seed));
        Self { inputs, features, weights: random.numbers(inputs * features, 1.0), function }
    }

    fn scale(&self) -> f32 {
        (2.0 / self.features as f32).sqrt()
    }

    /// Columns of the weights.
    fn directions(&self) -> usize {
        self.weights.len() / self.inputs
    }
}

impl Map for Linear {
    fn features(&self) -> usize {
        self.features
    }

    fn range(&self) -> (f32, f32) {
        match self.function {
            Function::Pair(_) => (-self.scale(), self.scale()),
            Function::Step => (0.0, self.scale()),
            Function::Ramp => (0.0, f32::INFINITY),
        }
    }

    fn transform(&self, x: &[f32], out: &mut [f32]) {
        let (p, m, scale) = (self.inputs, self.features, self.scale());
        let directions = self.directions();
        out.par_chunks_mut(BLOCK * m).zip(x.par_chunks(BLOCK * p)).for_each(|(out, x)| {
            gemm(x.len() / p, directions, p, rows(x, p), rows(&self.weights, directions), out, m);
            match &self.function {
                Function::Pair(phases) => {
                    out.chunks_mut(m).for_each(|row| row.copy_within(..m - directions, directions));
                    add_and_cos(out, phases);
                    out.iter_mut().for_each(|x| *x *= scale);
                }
                Function::Step => {
                    out.iter_mut().for_each(|x| *x = if *x > 0.0 { scale } else { 0.0 })
                }
                Function::Ramp => out.iter_mut().for_each(|x| *x = scale * x.max(0.0)),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_match_their_definition() {
        let (p, odd) = (5, 9);
        let x: Vec<f32> = (0..p * 131).map(|i| (i as f32 * 0.7).sin()).collect();
        let maps = [
            Linear::fourier(Frequencies::Independent, p, odd, 0.5, 3),
            Linear::fourier(Frequencies::Orthogonal, p, odd + 1, 0.5, 3),
            Linear::step(p, odd, 3),
            Linear::ramp(p, odd, 3),
        ];
        for map in maps {
            let (m, directions) = (map.features, map.directions());
            let mut found = vec![0.0; 131 * m];
            map.transform(&x, &mut found);
            for (at, found) in found.iter().enumerate() {
                let (i, j) = (at / m, at % m);
                let w = |k: usize| map.weights[k * directions + j % directions];
                let sum: f32 = (0..p).map(|k| x[i * p + k] * w(k)).sum();
                let expected = match &map.function {
                    Function::Pair(phases) if j < directions => (sum + phases[j]).cos(),
                    Function::Pair(phases) => (sum + phases[j - directions]).sin(),
                    Function::Step => f32::from(sum > 0.0),
                    Function::Ramp => sum.max(0.0),
                };
                assert!((found - expected * (2.0 / m as f32).sqrt()).abs() < 1e-5);
            }
        }
    }
}
