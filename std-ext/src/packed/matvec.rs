//! Products of packed features with vectors: the methods `matvec`, `transposed_matvec`, `sums` and `means` of
//! [`Features`].

use super::rows::Rows;
use crate::error::check_finite;
use crate::{Error, Features};
use ternion_core::{Buffer, Error as CoreError};

impl Features {
    /// Σᵀ·u: for each sample the sum of ±uₖ over its features.
    ///
    /// ```
    /// # use ternion::{Features, TritMatrix};
    /// let features = Features::new(TritMatrix::new(2, 3, vec![0b010, 0b110], vec![0b011, 0b111])?);
    /// // (+1 −1 0) and (+1 −1 −1)
    /// assert_eq!(features.matvec(&[10.0, 1.0, 0.5])?, [9.0, 8.5]);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CoreError::LengthMismatch`] unless there is one number for each feature,
    /// [`Error::NotFinite`] for NaN or infinity.
    pub fn matvec(&self, u: &[f64]) -> Result<Vec<f64>, Error> {
        check(u, self.features())?;
        Ok(Rows::all(self).times(u, 1))
    }

    /// Σ·v: for each feature the sum of ±vᵢ over the samples.
    ///
    /// ```
    /// # use ternion::{Features, TritMatrix};
    /// let features = Features::new(TritMatrix::new(2, 3, vec![0b010, 0b110], vec![0b011, 0b111])?);
    /// // (+1 −1 0) and (+1 −1 −1)
    /// assert_eq!(features.transposed_matvec(&[10.0, 1.0])?, [11.0, -11.0, -1.0]);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CoreError::LengthMismatch`] unless there is one number for each sample,
    /// [`Error::NotFinite`] for NaN or infinity.
    pub fn transposed_matvec(&self, v: &[f64]) -> Result<Vec<f64>, Error> {
        check(v, self.len())?;
        Ok(Rows::all(self).transposed_times(v, 1))
    }

    /// The sum of each feature over the samples, exact.
    pub fn sums(&self) -> Vec<i64> {
        // Integers below 2⁵³, so nothing is rounded in any order.
        let sums = Rows::all(self).transposed_times(&vec![1.0; self.len()], 1);
        sums.into_iter().map(|sum| sum as i64).collect()
    }

    /// The mean of each feature over the samples.
    pub fn means(&self) -> Vec<f64> {
        let share = 1.0 / self.len() as f64;
        self.sums().into_iter().map(|sum| sum as f64 * share).collect()
    }
}

/// Refuses a vector of another length, or with NaN or infinity.
pub(crate) fn check(vector: &[f64], expected: usize) -> Result<(), Error> {
    let (buffer, found) = (Buffer::Vector, vector.len());
    if found != expected {
        return Err(CoreError::LengthMismatch { buffer, expected, found }.into());
    }
    check_finite(vector)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;
    use ternion_core::{Seeded, Sparsity, TritMatrix, words_per_row};

    /// Sizes at which the samples end within eight rows, within a block of rows and after a second block, with features
    /// that end within a word and that fill more words than are tabulated together.
    #[test]
    fn every_isa_gives_the_same_bits() {
        for (samples, features) in [(3, 70), (41, 1000), (700, 70), (133, 16_500)] {
            let seeded = Seeded::new(5, Sparsity::TWO_THIRDS, features, samples).unwrap();
            let words = samples * words_per_row(features);
            let planes = (vec![0; words], vec![0; words]);
            let mut trits = TritMatrix::zeroed(samples, features, planes.0, planes.1).unwrap();
            seeded.fill(&mut trits).unwrap();
            let tenths = |n: usize| (0..n).map(|k| 0.1 + (k * k % 97) as f64).collect::<Vec<_>>();
            let products = |isa| {
                let features = Features::with_isa(trits.clone(), isa);
                let rows = features.matvec(&tenths(features.features())).unwrap();
                let columns = features.transposed_matvec(&tenths(samples)).unwrap();
                let bits =
                    |product: Vec<f64>| product.into_iter().map(f64::to_bits).collect::<Vec<_>>();
                (bits(rows), bits(columns), features.sums())
            };
            let expected = products(Isa::NATIVE);
            for isa in Isa::present() {
                assert!(products(isa) == expected, "{isa} {samples} {features}");
            }
            for (sum, row) in expected.0.into_iter().map(f64::from_bits).zip(trits.iter_rows()) {
                let naive: f64 =
                    row.iter().zip(tenths(features)).map(|(trit, u)| f64::from(trit) * u).sum();
                assert!((sum - naive).abs() < 1e-9 * features as f64, "{sum} {naive}");
            }
        }
    }
}
