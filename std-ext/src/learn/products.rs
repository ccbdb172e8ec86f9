//! [`Products`]: the sums of products of features, which moments of every kind are made of.

use crate::{Error, Matrix, memory};
use ternion_core::Error as CoreError;

/// For each pair of features the sum of their products over samples of one map: integers, so exact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Products {
    /// The [fingerprint](crate::TernaryFeatures::fingerprint) of the map; 0 if it is not known.
    pub(super) map: u64,
    pub(super) features: usize,
    /// The rows of the lower triangle, one after another.
    pub(super) sums: Vec<i64>,
}

impl Products {
    /// No samples yet.
    pub(super) fn zeros(map: u64, features: usize) -> Result<Self, Error> {
        let overflow = CoreError::SizeOverflow { rows: features, cols: features };
        let pairs = pairs(features).ok_or(overflow)?;
        Ok(Self { map, features, sums: memory::storage(pairs, 0, features, features)? })
    }

    /// Adds the second moments of a batch.
    pub(super) fn add(&mut self, second_moments: &Matrix<i32>) {
        let mut all = self.sums.iter_mut();
        for (row, products) in second_moments.iter_rows().enumerate() {
            all.by_ref().zip(&products[..=row]).for_each(|(all, sum)| *all += i64::from(*sum));
        }
    }

    /// Refuses another map, where both are known.
    pub(super) fn check_map(&self, map: Option<u64>) -> Result<(), Error> {
        match (self.map, map) {
            (expected, Some(found)) if expected != 0 && found != expected => {
                Err(Error::OtherMap { expected, found })
            }
            _ => Ok(()),
        }
    }

    /// Whether some samples whose features have these sums can have these products: a feature's product with itself is
    /// how many samples have it, at least as large as its sum; and products of two are at most those of each.
    pub(super) fn are_possible(&self, samples: i64, totals: &[i64]) -> bool {
        let squares: Vec<i64> = self.rows().filter_map(|row| row.last().copied()).collect();
        let mut squares_and_totals = squares.iter().zip(totals);
        squares_and_totals
            .all(|(&square, total)| square <= samples && total.unsigned_abs() as i64 <= square)
            && self.rows().zip(&squares).all(|(row, &square)| {
                let mut products = row.iter().zip(&squares);
                products.all(|(product, &other)| are_within(&[*product], square.min(other)))
            })
    }

    /// The rows of the lower triangle.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[i64]> {
        let start = |row: usize| row * (row + 1) / 2;
        (0..self.features).map(move |row| &self.sums[start(row)..start(row + 1)])
    }
}

/// m·(m + 1)/2, if that many numbers can be counted.
pub(super) fn pairs(features: usize) -> Option<usize> {
    Some(features.checked_mul(features.checked_add(1)?)? / 2)
}

/// Whether sums of trits over some samples can have these values.
pub(super) fn are_within(sums: &[i64], samples: i64) -> bool {
    samples >= 0 && sums.iter().all(|sum| sum.unsigned_abs() <= samples as u64)
}

/// Adds numbers one by one.
pub(super) fn add_each(all: &mut [i64], others: &[i64]) {
    all.iter_mut().zip(others).for_each(|(all, other)| *all += other);
}
