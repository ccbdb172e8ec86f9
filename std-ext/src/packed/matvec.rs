//! Products of packed features with vectors: the methods `matvec`, `transposed_matvec`, `sums` and `means` of
//! [`Features`].
//!
//! The method of the Four Russians: the sums of all subsets of a few numbers are tabulated, then looked up by the bits of
//! the planes.
//!
//! ```text
//! rows (Σᵀ·u)                                       columns (Σ·v)
//! for every part of the columns:                    for every 64 rows:
//!     tabulate the subset sums of each word             tabulate their subset sums
//!     for every block of rows:                          for every word of 64 columns:
//!         copy the words of the rows side by side           transpose the 64 × 64 bits
//!         for every word, for every row:                    for every column:
//!             out += lookups                                    out += lookups
//!
//! lookups = Σ ± of 64 numbers by a word of trits
//! ```
//!
//! Nothing is multiplied. All sums are `f64` in an order that depends only on the sizes, so every instruction set gives the
//! same bits. [`subset_sums`] does the lookups and decides how many rows and words are worked on together. On AVX-512 the
//! copying is bound by memory and takes a third of the time: 64 trits of a row take 19 cycles, of which the lookups would
//! take 6 if their tables were in L1.

use super::rows::Rows;
use super::subset_sums::{self, Octet, Tables};
use crate::error::check_finite;
use crate::{Error, Features, dispatch, parallel};
use core::array::from_fn;
use ternion_core::Simd;
use ternion_core::{Buffer, Error as CoreError, words_per_row};

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
        Ok(Rows::all(self).matvec(u))
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
        Ok(Rows::all(self).transposed_matvec(v))
    }

    /// The sum of each feature over the samples, exact.
    pub fn sums(&self) -> Vec<i64> {
        // Integers below 2⁵³, so nothing is rounded in any order.
        let sums = Rows::all(self).transposed_matvec(&vec![1.0; self.len()]);
        sums.into_iter().map(|sum| sum as i64).collect()
    }

    /// The mean of each feature over the samples.
    pub fn means(&self) -> Vec<f64> {
        let share = 1.0 / self.len() as f64;
        self.sums().into_iter().map(|sum| sum as f64 * share).collect()
    }
}

impl Rows<'_> {
    /// Σᵀ·u, for a vector of the right length.
    pub(crate) fn matvec(&self, u: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.len()];
        // A multiple of 128 rows, so that the tables pay for themselves.
        let chunk = self.len().div_ceil(parallel::threads()).next_multiple_of(128);
        parallel::for_each_chunk(&mut out, chunk, |index, out| {
            dispatch!(self.features().isa(), simd => self.add_rows(simd, index * chunk, u, out));
        });
        out
    }

    /// Σ·v, for a vector of the right length.
    pub(crate) fn transposed_matvec(&self, v: &[f64]) -> Vec<f64> {
        let features = self.features().features();
        let mut out = vec![0.0; features];
        let chunk = features.div_ceil(parallel::threads()).next_multiple_of(64);
        parallel::for_each_chunk(&mut out, chunk, |index, out| {
            let isa = self.features().isa();
            dispatch!(isa, simd => self.add_columns(simd, index * chunk / 64, v, out));
        });
        out
    }

    /// The products of the rows from `first` on with u, as many as `out` has room for.
    fn add_rows<S: Simd>(&self, simd: S, first: usize, u: &[f64], out: &mut [f64]) {
        let trits = self.features().trits();
        let (sign, mask) = (trits.sign(), trits.mask());
        let (words, rows) = subset_sums::sizes::<S>();
        let words = words.min(words_per_row(trits.cols()));
        let mut tables = Tables::new::<S>(words);
        // Rows are often a power of two apart, where a cache holds few of them: their words are copied side by side
        // first, so that each line is read once.
        let mut octets = vec![[[0; 8]; 2]; words * rows / 8];
        for (part, u) in u.chunks(64 * words).enumerate() {
            let count = u.len().div_ceil(64);
            tables.fill(u);
            for (block, out) in out.chunks_mut(rows).enumerate() {
                for row in 0..out.len() {
                    let from = self.start(first + block * rows + row) + part * words;
                    let planes = sign[from..from + count].iter().zip(&mask[from..from + count]);
                    let octets = octets[row / 8..].iter_mut().step_by(rows / 8);
                    for (octet, (sign, mask)) in octets.zip(planes) {
                        (octet[0][row % 8], octet[1][row % 8]) = (mask & !sign, *sign);
                    }
                }
                for (word, octets) in octets.chunks_exact(rows / 8).take(count).enumerate() {
                    tables.add(simd, word, octets, out);
                }
            }
        }
    }

    /// The products of the columns from word `first` on with v, as many as `out` has room for.
    fn add_columns<S: Simd>(&self, simd: S, first: usize, v: &[f64], out: &mut [f64]) {
        let mut tables = Tables::new::<S>(1);
        for (block, v) in v.chunks(64).enumerate() {
            tables.fill(v);
            for (word, out) in (first..).zip(out.chunks_mut(64)) {
                let [plus, minus] = simd.vectorize(
                    #[inline(always)]
                    || self.column_words(block * 64, word),
                );
                let octets: [Octet; 8] = from_fn(|octet| {
                    let of = |words: &[u64; 64]| from_fn(|row| words[8 * octet + row]);
                    [of(&plus), of(&minus)]
                });
                tables.add(simd, 0, &octets, out);
            }
        }
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
    use ternion_core::{Seeded, Sparsity, TritMatrix};

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
