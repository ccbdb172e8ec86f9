//! Nyström features: k(x, z)·L⁻ᵀ for training samples z, with L·Lᵀ = k(z, z), so that φ(x)·φ(y) = k(x, z)·k(z, z)⁻¹·k(z, y).

use rayon::prelude::*;

use super::Map;
use crate::paper::data::Random;
use crate::paper::{dense, kernel};
use crate::peers::strided::{gemm, rows};

/// What is added to the diagonal of k(z, z), so that its factor exists for landmarks that nearly depend on each other.
const JITTER: f64 = 1e-5;

/// Samples that a thread transforms at a time.
const BLOCK: usize = 128;

/// Fitted Nyström features.
pub struct Nystrom {
    inputs: usize,
    gamma: f64,
    landmarks: Vec<f32>,
    inverse: Vec<f32>,
}

impl Nystrom {
    /// Draws so many landmarks from the training samples; all of them if there are fewer.
    pub fn new(train: &[f32], inputs: usize, features: usize, gamma: f64, seed: u64) -> Self {
        let order = Random::new(seed).order(train.len() / inputs);
        let landmarks: Vec<f32> = order
            .iter()
            .take(features)
            .flat_map(|&i| &train[i * inputs..][..inputs])
            .copied()
            .collect();
        let m = landmarks.len() / inputs;
        let gram = kernel::gaussian(gamma, &landmarks, &landmarks, inputs);
        let mut factor: Vec<f64> = gram.into_iter().map(f64::from).collect();
        factor.iter_mut().step_by(m + 1).for_each(|diagonal| *diagonal += JITTER);
        assert!(dense::cholesky(m, &mut factor), "a Gaussian kernel plus a ridge has a factor");
        Self { inputs, gamma, landmarks, inverse: dense::inverse_transposed(m, &factor) }
    }
}

impl Map for Nystrom {
    fn features(&self) -> usize {
        self.landmarks.len() / self.inputs
    }

    fn range(&self) -> (f32, f32) {
        (-1.0, 1.0)
    }

    fn transform(&self, x: &[f32], out: &mut [f32]) {
        let (p, m) = (self.inputs, self.features());
        out.par_chunks_mut(BLOCK * m).zip(x.par_chunks(BLOCK * p)).for_each(|(out, x)| {
            let near = kernel::gaussian(self.gamma, x, &self.landmarks, p);
            // The inverse is of kernels to the left of it: its transpose is upper triangular.
            gemm(x.len() / p, m, m, rows(&near, m), rows(&self.inverse, m), out, m);
        });
    }
}
