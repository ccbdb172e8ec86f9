//! [`PackedPoints`]: packed features as points, of which every sum and distance is an integer.

use super::super::squares;
use super::lloyd::Points;
use super::rounded_centres::RoundedCentres;
use crate::packed::rows::Rows;
use crate::{Error, Features, Gram};
use ternion_core::{TritMatrix, words_per_row};

/// Packed features.
pub(super) struct PackedPoints<'a> {
    features: &'a Features,
}

impl<'a> PackedPoints<'a> {
    pub(super) fn new(features: &'a Features) -> Self {
        Self { features }
    }

    /// Some samples.
    fn picked(&self, samples: &[usize]) -> Result<Features, Error> {
        let (trits, cols) = (self.features.trits(), self.features.features());
        let words = words_per_row(cols);
        let picked = |plane: &[u64]| -> Vec<u64> {
            let row = |&sample: &usize| &plane[sample * words..(sample + 1) * words];
            samples.iter().flat_map(row).copied().collect()
        };
        let trits =
            TritMatrix::new(samples.len(), cols, picked(trits.sign()), picked(trits.mask()))?;
        Ok(Features::with_isa(trits, self.features.isa()))
    }
}

impl Points for PackedPoints<'_> {
    fn samples(&self) -> usize {
        self.features.len()
    }

    fn numbers(&self) -> usize {
        self.features.features()
    }

    fn point(&self, sample: usize) -> Vec<f64> {
        self.features.row(sample).iter().flat_map(|row| row.iter()).map(f64::from).collect()
    }

    fn distances(&self, to: &[usize]) -> Result<Vec<f64>, Error> {
        let others = self.picked(to)?;
        let counts = Gram::new(self.features).cross_counts(&others)?;
        let of_others: Vec<f64> = squares(&others).collect();
        let rows = counts.iter_rows().zip(squares(self.features));
        let distances = rows.flat_map(|(row, square)| {
            let pairs = row.iter().zip(&of_others);
            pairs.map(move |(&product, other)| square + other - 2.0 * f64::from(product))
        });
        Ok(distances.collect())
    }

    fn nearest(&self, centres: &[f64], clusters: usize) -> Vec<(usize, f64)> {
        RoundedCentres::new(centres, clusters).nearest(self.features)
    }

    /// Only samples that changed their cluster are added and subtracted: sums of integers are exact, so nothing is lost.
    fn update_sums(&self, sums: &mut [f64], before: &[Option<usize>], labels: &[usize]) {
        let moved = before.iter().zip(labels).enumerate();
        let moved: Vec<(usize, (&Option<usize>, &usize))> =
            moved.filter(|(_, (before, label))| **before != Some(**label)).collect();
        for (cluster, sums) in sums.chunks_exact_mut(self.numbers()).enumerate() {
            let of_cluster = moved.iter().filter_map(|(sample, (before, label))| {
                match (**before == Some(cluster), **label == cluster) {
                    (true, _) => Some((*sample, -1.0)),
                    (_, true) => Some((*sample, 1.0)),
                    _ => None,
                }
            });
            let (samples, signs): (Vec<usize>, Vec<f64>) = of_cluster.unzip();
            if !samples.is_empty() {
                let change = Rows::some(self.features, &samples).transposed_times(&signs, 1);
                sums.iter_mut().zip(change).for_each(|(sum, change)| *sum += change);
            }
        }
    }
}
