//! Products of packed features with vectors and with matrices of a few columns. Nothing is multiplied: the numbers are
//! tabulated with all sums of a few of them (the method of the Four Russians), and looked up by the bits of the planes.
//!
//! ```text
//! rows (Σᵀ·W)                                       columns (Σ·R)
//! for every task of samples:                        for every 64 samples:
//!     copy the words of the samples side by side        copy their words side by side
//!     for every word of 64 features:                    tabulate the subset sums of their rows of R
//!         tabulate the subset sums of its rows of W     for every word of 64 features:
//!         for every sample: out += lookups                  transpose the 64 × 64 bits
//!                                                           for every feature: out += lookups
//!
//! lookups = Σ ± of 64 numbers by a word of trits
//! ```
//!
//! A vector is summed in `f64` by [`SubsetSums`]. More columns become integers first, two for each number ([`Digits`]), and
//! so do the vectors of a random batch, whose noise hides the rounding of one. The order of sums depends only on the sizes,
//! so every instruction set and number of threads gives the same bits.
//!
//! Nothing here asks whether there is memory: what one column takes follows from the features that are in memory, and
//! learners with several columns ask for all of theirs at once ([`check_room`](crate::memory::check_room)).

use super::digits::{Digits, Precision};
use super::rows::{Block, COLUMN_ROWS, Rows};
use super::subset_sums::SubsetSums;
use crate::{dispatch, parallel};

/// Samples per task: enough for tables to pay for themselves, and few enough for what is side by side to stay in L2.
const TASK_ROWS: usize = 512;

/// Words of a task that are side by side at a time.
const TASK_WORDS: usize = 32;

impl Rows<'_> {
    /// Σᵀ·W: for each sample, the sums of ± the rows of W over its features. W has a row per feature, `columns` wide, and
    /// the result a row per sample.
    pub(crate) fn times(&self, w: &[f64], columns: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.len() * columns];
        let task = fair_share(self.len(), COLUMN_ROWS).min(TASK_ROWS);
        let rows = |index: usize, out: &[f64]| index * task..index * task + out.len() / columns;
        if columns == 1 {
            for_each_chunk(&mut out, task, |block, index, out| {
                let mut tables = SubsetSums::new();
                for first in (0..self.words()).step_by(TASK_WORDS) {
                    let words = first..self.words().min(first + TASK_WORDS);
                    block.gather(*self, rows(index, out), words);
                    block.add_rows(&mut tables, &w[64 * first..], out);
                }
            });
            return out;
        }
        let digits = Digits::new(self.features().isa(), w, columns, Precision::Two);
        for_each_chunk(&mut out, task * columns, |block, index, out| {
            let sums = block.products(*self, rows(index, out), digits.matrix());
            digits.read(&sums, out);
        });
        out
    }

    /// Σ·R: for each feature, the sums of ± the rows of R over the samples. R has a row per sample, `columns` wide, and
    /// the result a row per feature.
    pub(crate) fn transposed_times(&self, r: &[f64], columns: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.features().features() * columns];
        let share = fair_share(self.words(), 1);
        let words = |index: usize| index * share..self.words().min((index + 1) * share);
        let tasks = || {
            let starts = (0..self.len()).step_by(TASK_ROWS);
            starts.map(|start| start..self.len().min(start + TASK_ROWS))
        };
        if columns == 1 {
            for_each_chunk(&mut out, 64 * share, |block, index, out| {
                let mut tables = SubsetSums::new();
                for rows in tasks() {
                    block.gather(*self, rows.clone(), words(index));
                    block.add_columns(&mut tables, &r[rows], out);
                }
            });
            return out;
        }
        let digits = Digits::new(self.features().isa(), r, columns, Precision::Two);
        for_each_chunk(&mut out, 64 * share * columns, |block, index, out| {
            let mut sums = digits.matrix().zeros(64 * words(index).len());
            for rows in tasks() {
                block.gather(*self, rows.clone(), words(index));
                block.add_column_products(0, rows.start / 64, digits.matrix(), &mut sums);
            }
            digits.read(&sums, out);
        });
        out
    }
}

/// A random batch: a few rows with all their words side by side, for products of one digit with them.
#[derive(Default)]
pub(crate) struct SideBySide {
    block: Block,
    rows: usize,
    features: usize,
}

impl SideBySide {
    /// Copies other rows.
    pub(crate) fn set(&mut self, rows: Rows<'_>) {
        self.block.gather(rows, 0..rows.len(), 0..rows.words());
        (self.rows, self.features) = (rows.len(), rows.features().features());
    }

    /// Roughly [`Rows::times`].
    pub(crate) fn times(&self, w: &[f64], columns: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.rows * columns];
        let words = self.features.div_ceil(64);
        let task = fair_share(self.rows, COLUMN_ROWS).min(TASK_ROWS);
        let digits = Digits::new(self.block.isa(), w, columns, Precision::One);
        parallel::for_each_chunk(&mut out, task * columns, |index, out| {
            let mut sums =
                digits.matrix().zeros((out.len() / columns).next_multiple_of(COLUMN_ROWS));
            self.block.add_row_products(index * task, 0..words, digits.matrix(), &mut sums);
            digits.read(&sums, out);
        });
        out
    }

    /// Roughly [`Rows::transposed_times`].
    pub(crate) fn transposed_times(&self, r: &[f64], columns: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.features * columns];
        let share = fair_share(self.features.div_ceil(64), 1);
        let digits = Digits::new(self.block.isa(), r, columns, Precision::One);
        parallel::for_each_chunk(&mut out, 64 * share * columns, |index, out| {
            let mut sums = digits.matrix().zeros((out.len() / columns).next_multiple_of(64));
            self.block.add_column_products(index * share, 0, digits.matrix(), &mut sums);
            digits.read(&sums, out);
        });
        out
    }
}

impl Block {
    /// Adds the products of as many rows as there are sums with the first numbers of a vector, as many as there are words
    /// for.
    fn add_rows(&self, tables: &mut SubsetSums, w: &[f64], sums: &mut [f64]) {
        for (word, w) in w.chunks(64).take(TASK_WORDS).enumerate() {
            let [plus, minus] = self.word(word, 0..sums.len().div_ceil(8));
            dispatch!(self.isa(), simd => {
                tables.fill(simd, w);
                tables.add(simd, plus, minus, sums);
            });
        }
    }

    /// Adds the products of as many columns as there are sums with a vector that has a number for every row.
    fn add_columns(&self, tables: &mut SubsetSums, r: &[f64], sums: &mut [f64]) {
        let mut columns = [[0; 64]; 2];
        for (block, r) in r.chunks(COLUMN_ROWS).enumerate() {
            dispatch!(self.isa(), simd => {
                tables.fill(simd, r);
                for (word, sums) in sums.chunks_mut(64).enumerate() {
                    self.transpose(simd, block * COLUMN_ROWS / 8, word, &mut columns);
                    let [plus, minus] = &columns;
                    tables.add(simd, plus.as_chunks().0, minus.as_chunks().0, sums);
                }
            });
        }
    }
}

/// What one of all threads should do of some work, in multiples of a unit.
fn fair_share(work: usize, unit: usize) -> usize {
    work.div_ceil(parallel::threads()).next_multiple_of(unit)
}

/// [`parallel::for_each_chunk`] with a block that the chunks of a thread share.
fn for_each_chunk(
    out: &mut [f64],
    size: usize,
    work: impl Fn(&mut Block, usize, &mut [f64]) + Send + Sync,
) {
    let chunks = out.chunks_mut(size).enumerate();
    let done = parallel::try_for_each(chunks, |block: &mut Block, (index, out)| {
        work(block, index, out);
        Ok(())
    });
    debug_assert_eq!(done, Ok(()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, Isa};
    use ternion_core::{Seeded, Sparsity, TritMatrix, words_per_row};

    /// Features that end within a word, samples that end within 64, within a task and after it, one column and more, in
    /// order and not.
    #[test]
    fn products_are_sums_and_the_same_on_every_isa() {
        for (samples, features, columns) in [
            (1, 1, 1),
            (1, 1, 2),
            (65, 70, 3),
            (300, 130, 10),
            (41, 4200, 1),
            (700, 70, 17),
            (2200, 66, 25),
        ] {
            let seeded = Seeded::new(5, Sparsity::TWO_THIRDS, features, samples).unwrap();
            let words = samples * words_per_row(features);
            let planes = (vec![0; words], vec![0; words]);
            let mut trits = TritMatrix::zeroed(samples, features, planes.0, planes.1).unwrap();
            seeded.fill(&mut trits).unwrap();
            let numbers = |count: usize| -> Vec<f64> {
                (0..count * columns).map(|k| (k * k % 97) as f64 / 97.0 - 0.5).collect()
            };
            let order: Vec<usize> = (0..samples).map(|k| k * 7 % samples).collect();
            let products = |isa| {
                let features = Features::with_isa(trits.clone(), isa);
                let rows = Rows::some(&features, &order);
                let (w, r) = (numbers(features.features()), numbers(samples));
                let (times, transposed) =
                    (rows.times(&w, columns), rows.transposed_times(&r, columns));
                let mut side_by_side = SideBySide::default();
                side_by_side.set(rows);
                let rough_times = side_by_side.times(&w, columns);
                let rough_transposed = side_by_side.transposed_times(&r, columns);
                [times, transposed, rough_times, rough_transposed]
            };
            let expected = products(Isa::SCALAR);
            for isa in Isa::present() {
                assert!(products(isa) == expected, "{isa} {samples} {features} {columns}");
            }
            let row = |sample: usize| -> Vec<f64> {
                trits.row(sample).unwrap().iter().map(f64::from).collect()
            };
            let (w, r) = (numbers(features), numbers(samples));
            let mut sums = vec![0.0; features * columns];
            for (place, &sample) in order.iter().enumerate() {
                let trits = row(sample);
                for k in 0..columns {
                    let sum: f64 = (0..features).map(|j| trits[j] * w[j * columns + k]).sum();
                    let [found, rough] = [0, 2].map(|way| expected[way][place * columns + k]);
                    assert!((found - sum).abs() < 1e-4, "{found} {sum}");
                    assert!((rough - sum).abs() < 0.05, "{rough} {sum}");
                    for j in 0..features {
                        sums[j * columns + k] += trits[j] * r[place * columns + k];
                    }
                }
            }
            for ((found, rough), sum) in expected[1].iter().zip(&expected[3]).zip(&sums) {
                assert!((found - sum).abs() < 1e-4, "{found} {sum}");
                assert!((rough - sum).abs() < 0.05, "{rough} {sum}");
            }
        }
    }
}
