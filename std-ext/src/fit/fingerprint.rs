//! [`TernaryFeatures::fingerprint`]: whether two fits give the same features.

use super::weights::Weights;
use crate::TernaryFeatures;
use ternion_core::{Grid, View};

impl TernaryFeatures {
    /// A hash (FNV-1a) of all that decides the features: the sizes, the mean and the factors, the thresholds, and W.
    /// Fits with the same fingerprint give the same features; a stored W and the same one generated from its seed have
    /// the same.
    ///
    /// ```
    /// use ternion::{Samples, TernaryFeatures};
    ///
    /// # let x: Vec<f32> = (0..60).map(|k| (k * k % 17) as f32).collect();
    /// let samples = Samples::new(&x, 6)?;
    /// let fit = |seed| TernaryFeatures::params(512).seed(seed).fit(&samples);
    /// assert_eq!(fit(1)?.fingerprint(), fit(1)?.fingerprint());
    /// assert_ne!(fit(1)?.fingerprint(), fit(2)?.fingerprint());
    /// # Ok::<(), ternion::Error>(())
    /// ```
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fnv(0xCBF2_9CE4_8422_2325);
        hash.add(&[self.inputs() as u64, self.features() as u64]);
        for factors in [self.preprocess().mean(), self.preprocess().scale()] {
            hash.add(&[factors.is_some() as u64]);
            factors.unwrap_or_default().iter().for_each(|x| hash.add(&[x.to_bits().into()]));
        }
        let thresholds = self.thresholds();
        match thresholds.values() {
            Some(values) => {
                hash.add(&[0]);
                hash.add(&values.map(|threshold| threshold.to_bits().into()));
            }
            None => {
                let period = thresholds.period().unwrap_or_default();
                hash.add(&[
                    1,
                    period.to_bits().into(),
                    thresholds.phase_seed().unwrap_or_default(),
                ]);
            }
        }
        hash.add(&[thresholds.is_per_norm() as u64]);
        match self.weights() {
            Weights::RowLanes(w, _) | Weights::IndexLists(w, _) | Weights::Seeded(w) => {
                hash.add(&[0, w.seed(), w.sparsity().bits().into()]);
            }
            Weights::Structured(w) => hash.add(&[1, w.seed()]),
            Weights::Local { local, .. } => match local.view() {
                View::Boxes(Grid { width, height, channels }) => {
                    let sizes = [width, height, channels].map(|size| size as u64);
                    hash.add(&[2, local.seed(), sizes[0], sizes[1], sizes[2]]);
                }
                View::Subsets { least, most } => {
                    hash.add(&[3, local.seed(), least as u64, most as u64]);
                }
                // No `Form` makes another view.
                _ => hash.add(&[4, local.seed()]),
            },
        }
        hash.0
    }
}

/// The 64-bit FNV-1a hash, by Fowler, Noll and Vo.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, words: &[u64]) {
        for byte in words.iter().flat_map(|word| word.to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}
