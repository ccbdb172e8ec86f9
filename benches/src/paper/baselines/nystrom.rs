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
        dense::cholesky(m, &mut factor).expect("a Gaussian kernel plus a ridge has a factor");
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::data::mixture;

    /// φ(x)·φ(y) = k(x, z)·k(z, z)⁻¹·k(z, y) for fewer landmarks than samples, by solving the equations.
    #[test]
    fn products_are_the_projection_on_the_landmarks() {
        let (inputs, gamma, m) = (6, 0.5, 12);
        let set = mixture(inputs, 60, 0, 0.5, 4);
        let map = Nystrom::new(&set.x, inputs, m, gamma, 7);
        assert_eq!(map.landmarks.len(), m * inputs);
        let mut features = vec![0.0; 60 * m];
        map.transform(&set.x, &mut features);
        let wide = |x: Vec<f32>| x.into_iter().map(f64::from).collect::<Vec<f64>>();
        let mut among = wide(kernel::gaussian(gamma, &map.landmarks, &map.landmarks, inputs));
        among.iter_mut().step_by(m + 1).for_each(|diagonal| *diagonal += JITTER);
        dense::cholesky(m, &mut among).unwrap();
        // A column per sample.
        let near = wide(kernel::gaussian(gamma, &map.landmarks, &set.x, inputs));
        let mut solved = near.clone();
        dense::substitute(m, &among, &mut solved);
        for i in 0..60 {
            for j in 0..60 {
                let expected: f64 = (0..m).map(|z| near[z * 60 + i] * solved[z * 60 + j]).sum();
                let products = features[i * m..][..m].iter().zip(&features[j * m..][..m]);
                let found: f32 = products.map(|(a, b)| a * b).sum();
                assert!((f64::from(found) - expected).abs() < 1e-3, "{i}, {j}: {found} {expected}");
            }
        }
    }
}
