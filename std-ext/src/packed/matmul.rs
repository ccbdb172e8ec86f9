//! Products of packed features with matrices of a few columns, which learners of several outputs spend their time in.
//!
//! ```text
//! rows (Σᵀ·W)                                       columns (Σ·R)
//! for every task of samples:                        for every 64 samples:
//!     for every word of 64 features:                    tabulate the subset sums of their rows of R
//!         tabulate the subset sums of its rows of W     for every word of 64 features:
//!         for every sample: out += lookups                  transpose the 64 × 64 bits
//!                                                           for every feature: out += lookups
//! ```
//!
//! A single column is the business of `matvec`, in `f64`. More of them are `f32`, eight or sixteen at a time, in an order
//! that depends only on the sizes; sums over samples continue in `f64` after every [`FLUSH_SAMPLES`].

use super::line_sums::LineTables;
use super::rows::Rows;
use crate::{dispatch, parallel};
use ternion_core::{Simd, words_per_row};

/// Samples per task: their sums (16 KB) stay in L1 beside the tables.
const TASK_SAMPLES: usize = 256;

/// Samples whose sums are `f32`: few enough that rounding errors stay in the last bits.
const FLUSH_SAMPLES: usize = 2048;

impl Rows<'_> {
    /// Σᵀ·W: for each sample, the sums of ± the rows of W over its features. W has a row per feature, `columns` wide, and
    /// the result a row per sample.
    pub(crate) fn times(&self, w: &[f64], columns: usize) -> Vec<f64> {
        if columns == 1 {
            return self.matvec(w);
        }
        let mut out = vec![0.0; self.len() * columns];
        let fair = self.len().div_ceil(parallel::threads()).next_multiple_of(64);
        let task = fair.min(TASK_SAMPLES);
        parallel::for_each_chunk(&mut out, task * columns, |index, out| {
            for_each_group(columns, |first, wide| match wide {
                true => self.add_task::<16>(index * task, w, columns, first, out),
                false => self.add_task::<8>(index * task, w, columns, first, out),
            });
        });
        out
    }

    /// Σ·R: for each feature, the sums of ± the rows of R over the samples. R has a row per sample, `columns` wide, and
    /// the result a row per feature.
    pub(crate) fn transposed_times(&self, r: &[f64], columns: usize) -> Vec<f64> {
        if columns == 1 {
            return self.transposed_matvec(r);
        }
        let features = self.features().features();
        let mut out = vec![0.0; features * columns];
        let words = words_per_row(features).div_ceil(parallel::threads());
        parallel::for_each_chunk(&mut out, 64 * words * columns, |index, out| {
            for_each_group(columns, |first, wide| match wide {
                true => self.add_words::<16>(index * words, r, columns, first, out),
                false => self.add_words::<8>(index * words, r, columns, first, out),
            });
        });
        out
    }

    /// The sums of the samples from `from` on, as many as `out` has room for, for the `N` columns from `first` on.
    fn add_task<const N: usize>(
        &self,
        from: usize,
        w: &[f64],
        columns: usize,
        first: usize,
        out: &mut [f64],
    ) {
        let mut sums = vec![[0.0; N]; out.len() / columns];
        dispatch!(self.features().isa(), simd => self.sum_rows(simd, from, w, columns, first, &mut sums));
        for (out, sum) in out.chunks_exact_mut(columns).zip(&sums) {
            out[first..].iter_mut().zip(sum).for_each(|(out, sum)| *out = f64::from(*sum));
        }
    }

    fn sum_rows<S: Simd, const N: usize>(
        &self,
        simd: S,
        from: usize,
        w: &[f64],
        columns: usize,
        first: usize,
        sums: &mut [[f32; N]],
    ) {
        let (sign, mask) = (self.features().trits().sign(), self.features().trits().mask());
        let mut tables = LineTables::<N>::ZERO;
        simd.vectorize(
            #[inline(always)]
            || {
                for (word, w) in w.chunks(64 * columns).enumerate() {
                    tables.fill(|row| line(w, columns, first, row));
                    for (row, sum) in sums.iter_mut().enumerate() {
                        let at = self.start(from + row) + word;
                        if let (Some(&sign), Some(&mask)) = (sign.get(at), mask.get(at)) {
                            tables.add_sum(mask & !sign, sign, sum);
                        }
                    }
                }
            },
        );
    }

    /// The sums of the features from word `from` on, as many as `out` has room for, for the `N` columns from `first` on.
    fn add_words<const N: usize>(
        &self,
        from: usize,
        r: &[f64],
        columns: usize,
        first: usize,
        out: &mut [f64],
    ) {
        let mut sums = vec![[0.0; N]; out.len() / columns];
        for (part, r) in r.chunks(FLUSH_SAMPLES * columns).enumerate() {
            sums.fill([0.0; N]);
            let sample = part * FLUSH_SAMPLES;
            dispatch!(self.features().isa(), simd => self.sum_columns(simd, sample, from, r, columns, first, &mut sums));
            for (out, sum) in out.chunks_exact_mut(columns).zip(&sums) {
                out[first..].iter_mut().zip(sum).for_each(|(out, sum)| *out += f64::from(*sum));
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the ranges of both sides and of the columns")]
    fn sum_columns<S: Simd, const N: usize>(
        &self,
        simd: S,
        sample: usize,
        from: usize,
        r: &[f64],
        columns: usize,
        first: usize,
        sums: &mut [[f32; N]],
    ) {
        let mut tables = LineTables::<N>::ZERO;
        simd.vectorize(
            #[inline(always)]
            || {
                for (block, r) in r.chunks(64 * columns).enumerate() {
                    tables.fill(|row| line(r, columns, first, row));
                    for (word, sums) in (from..).zip(sums.chunks_mut(64)) {
                        let [plus, minus] = self.column_words(sample + 64 * block, word);
                        for (sum, (plus, minus)) in sums.iter_mut().zip(plus.iter().zip(&minus)) {
                            tables.add_sum(*plus, *minus, sum);
                        }
                    }
                }
            },
        );
    }
}

/// Calls `work` with the first column of each group of columns, and whether the group has 16 or 8.
fn for_each_group(columns: usize, mut work: impl FnMut(usize, bool)) {
    let mut first = 0;
    while first < columns {
        let wide = columns - first > 8;
        work(first, wide);
        first += if wide { 16 } else { 8 };
    }
}

/// Up to `N` numbers of a row from column `first` on, and zeros for what is missing.
#[inline(always)]
fn line<const N: usize>(matrix: &[f64], columns: usize, first: usize, row: usize) -> [f32; N] {
    let mut line = [0.0; N];
    let from = (row * columns + first).min(matrix.len());
    let to = (from + (columns - first).min(N)).min(matrix.len());
    for (line, number) in line.iter_mut().zip(&matrix[from..to]) {
        *line = *number as f32;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Features, Isa};
    use ternion_core::{Seeded, Sparsity, TritMatrix};

    /// Features that end within a word, samples that end within 64, within a task and after a flush, one and more groups
    /// of columns, in order and not.
    #[test]
    fn products_are_sums_and_the_same_on_every_isa() {
        for (samples, features, columns) in [(1, 1, 2), (65, 70, 3), (300, 130, 10), (2200, 66, 25)]
        {
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
                (rows.times(&w, columns), rows.transposed_times(&r, columns))
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
