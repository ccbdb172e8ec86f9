//! Products of packed features with vectors and with matrices of a few columns, by the method of the Four Russians: sums
//! of all subsets of a few numbers are tabulated, then looked up by the bits of the planes.
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
//! Nothing is multiplied. A single column is summed in `f64` by [`SubsetSums`]; more of them are in `f32`, sixteen or eight
//! at a time, by [`LineSums`]. The order of sums depends only on the sizes, so every instruction set and number of threads
//! gives the same bits.

use super::line_sums::LineSums;
use super::rows::{Block, COLUMN_ROWS, Rows};
use super::subset_sums::SubsetSums;
use crate::{dispatch, parallel};
use ternion_core::Simd;

/// Sums of ± some numbers, by tables of the sums of their subsets.
pub(super) trait Sums {
    /// The sums that a lookup gives, one for each of [`COLUMNS`](Self::COLUMNS) columns.
    type Sum: Copy + Default + Send;

    /// Columns of a matrix that are summed together.
    const COLUMNS: usize;

    /// Rows whose sums may be added before they are read: few enough that rounding errors stay in the last bits.
    const MOST_ROWS: usize;

    /// Tables of zeros.
    fn new() -> Self;

    /// Tabulates up to 64 rows of a matrix with so many columns, from column `first` on. What is missing counts as zero.
    fn fill<S: Simd>(&mut self, simd: S, matrix: &[f64], columns: usize, first: usize);

    /// Adds to the sums of each row Σ ± of what is tabulated, with signs from the row's trits: for eight rows each, where
    /// these are +1, and where they are −1.
    fn add<S: Simd>(&self, simd: S, plus: &[[u64; 8]], minus: &[[u64; 8]], sums: &mut [Self::Sum]);

    /// Adds the first sums to as many numbers as there are.
    fn read(sum: &Self::Sum, to: &mut [f64]);
}

/// Runs `work` for each group of columns, with `T` the [`Sums`] that are best for it, and its first column.
macro_rules! by_columns {
    ($columns:expr, $first:ident, $sums:ident => $work:block) => {
        let mut $first = 0;
        while $first < $columns {
            match $columns - $first {
                1 => {
                    type $sums = SubsetSums;
                    $work
                    $first += $sums::COLUMNS;
                }
                2..=8 => {
                    type $sums = LineSums<8>;
                    $work
                    $first += $sums::COLUMNS;
                }
                _ => {
                    type $sums = LineSums<16>;
                    $work
                    $first += $sums::COLUMNS;
                }
            }
        }
    };
}

/// Samples per task: enough for tables to pay for themselves, and few enough for what is side by side to stay in L2.
const TASK_ROWS: usize = 256;

/// Words of a task that are side by side at a time.
const TASK_WORDS: usize = 64;

impl Rows<'_> {
    /// Σᵀ·W: for each sample, the sums of ± the rows of W over its features. W has a row per feature, `columns` wide, and
    /// the result a row per sample.
    pub(crate) fn times(&self, w: &[f64], columns: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.len() * columns];
        let task = fair_share(self.len(), COLUMN_ROWS).min(TASK_ROWS);
        for_each_chunk(&mut out, task * columns, |block, index, out| {
            let rows = index * task..index * task + out.len() / columns;
            by_columns!(columns, first, T => {
                let (mut tables, mut sums) = (T::new(), vec![Default::default(); rows.len()]);
                for (from, w) in row_chunks(w, columns, 64 * TASK_WORDS) {
                    let words = from / 64..self.words().min(from / 64 + TASK_WORDS);
                    block.gather(*self, rows.clone(), words);
                    block.add_rows(&mut tables, 0, w, columns, first, &mut sums);
                }
                read::<T>(&sums, out, columns, first);
            });
        });
        out
    }

    /// Σ·R: for each feature, the sums of ± the rows of R over the samples. R has a row per sample, `columns` wide, and
    /// the result a row per feature.
    pub(crate) fn transposed_times(&self, r: &[f64], columns: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.features().features() * columns];
        let share = fair_share(self.words(), 1);
        for_each_chunk(&mut out, 64 * share * columns, |block, index, out| {
            let words = index * share..self.words().min((index + 1) * share);
            by_columns!(columns, first, T => {
                let mut tables = T::new();
                let mut sums = vec![Default::default(); out.len() / columns];
                for (row, r) in row_chunks(r, columns, TASK_ROWS) {
                    if row % T::MOST_ROWS == 0 {
                        read::<T>(&sums, out, columns, first);
                        sums.fill(Default::default());
                    }
                    block.gather(*self, row..row + r.len() / columns, words.clone());
                    block.add_columns(&mut tables, (0, 0), r, columns, first, &mut sums);
                }
                read::<T>(&sums, out, columns, first);
            });
        });
        out
    }
}

/// A few rows with all their words side by side, for several products with them.
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

    /// [`Rows::times`].
    pub(crate) fn times(&self, w: &[f64], columns: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.rows * columns];
        let task = fair_share(self.rows, COLUMN_ROWS).min(TASK_ROWS);
        parallel::for_each_chunk(&mut out, task * columns, |index, out| {
            by_columns!(columns, first, T => {
                let mut sums = vec![Default::default(); out.len() / columns];
                self.block.add_rows(&mut T::new(), index * task, w, columns, first, &mut sums);
                read::<T>(&sums, out, columns, first);
            });
        });
        out
    }

    /// [`Rows::transposed_times`].
    pub(crate) fn transposed_times(&self, r: &[f64], columns: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.features * columns];
        let share = fair_share(self.features.div_ceil(64), 1);
        parallel::for_each_chunk(&mut out, 64 * share * columns, |index, out| {
            by_columns!(columns, first, T => {
                let mut tables = T::new();
                let mut sums = vec![Default::default(); out.len() / columns];
                for (row, r) in row_chunks(r, columns, T::MOST_ROWS) {
                    let at = (row, index * share);
                    self.block.add_columns(&mut tables, at, r, columns, first, &mut sums);
                    read::<T>(&sums, out, columns, first);
                    sums.fill(Default::default());
                }
            });
        });
        out
    }
}

impl Block {
    /// Adds the products of the rows from `row` on with some rows of W, from its column `first` on, as many as there are
    /// sums.
    fn add_rows<T: Sums>(
        &self,
        tables: &mut T,
        row: usize,
        w: &[f64],
        columns: usize,
        first: usize,
        sums: &mut [T::Sum],
    ) {
        let eights = row / 8..row / 8 + sums.len().div_ceil(8);
        for (word, w) in w.chunks(64 * columns).enumerate() {
            let [plus, minus] = self.word(word, eights.clone());
            dispatch!(self.isa(), simd => {
                tables.fill(simd, w, columns, first);
                tables.add(simd, plus, minus, sums);
            });
        }
    }

    /// Adds the products of the columns from a word on and the rows from `row` on with as many rows of R, from its column
    /// `first` on, as many as there are sums.
    fn add_columns<T: Sums>(
        &self,
        tables: &mut T,
        (row, word): (usize, usize),
        r: &[f64],
        columns: usize,
        first: usize,
        sums: &mut [T::Sum],
    ) {
        for (from, r) in row_chunks(r, columns, COLUMN_ROWS) {
            dispatch!(self.isa(), simd => {
                tables.fill(simd, r, columns, first);
                for (word, sums) in (word..).zip(sums.chunks_mut(64)) {
                    let eight = (row + from) / 8;
                    let [plus, minus] = self.columns(simd, eight, word);
                    tables.add(simd, plus.as_chunks().0, minus.as_chunks().0, sums);
                }
            });
        }
    }
}

/// Adds sums to the columns of a matrix from `first` on.
fn read<T: Sums>(sums: &[T::Sum], out: &mut [f64], columns: usize, first: usize) {
    for (out, sum) in out.chunks_exact_mut(columns).zip(sums) {
        T::read(sum, &mut out[first..]);
    }
}

/// Up to so many rows of a matrix at a time, after the index of their first.
fn row_chunks(
    matrix: &[f64],
    columns: usize,
    rows: usize,
) -> impl Iterator<Item = (usize, &[f64])> {
    let chunks = matrix.chunks(rows.saturating_mul(columns)).enumerate();
    chunks.map(move |(index, chunk)| (index * rows, chunk))
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

    /// Features that end within a word, samples that end within 64, within a task and after a flush, one and more groups
    /// of columns, in order and not.
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
                assert_eq!(side_by_side.times(&w, columns), times);
                assert_eq!(side_by_side.transposed_times(&r, columns), transposed);
                (times, transposed)
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
                    let found = expected.0[place * columns + k];
                    assert!((found - sum).abs() < 1e-4, "{found} {sum}");
                    for j in 0..features {
                        sums[j * columns + k] += trits[j] * r[place * columns + k];
                    }
                }
            }
            for (found, sum) in expected.1.iter().zip(&sums) {
                assert!((found - sum).abs() < 1e-3, "{found} {sum}");
            }
        }
    }
}
