//! [`IntegerMatrix`]: products of packed features with a few columns of 16-bit integers, exact, by lookups.
//!
//! ```text
//! for every task of samples:
//!     for every 32 words of 64 features: copy the words of the samples side by side
//!         for every word: tabulate the sums over all 64 subsets of each six of its rows
//!             for every sample: sum += Σ (table[+1 among the six] − table[−1 among the six])
//! ```
//!
//! 1. A lookup is a line of 32 or 16 sums, twice as many as of `f32` in as many bytes.
//! 2. Tables of six trits take 22 KB for lines of 16 and 45 KB for lines of 32, more than is left of some L1s, but a third
//!    fewer lookups than tables of four are worth more: 10.0 ms instead of 11.1, and 14.7 instead of 16.7.
//! 3. The sums of a word are 16 bits wide, and added to others in 32 bits once per word: [`IntegerMatrix::new`] takes only
//!    matrices for which neither can overflow.
//! 4. Rows are often a power of two apart, where a cache holds few of them: their words are copied next to those of other
//!    samples, at a distance that is no power of two.
//!
//! Bound by the instructions that cut the words into pieces of six bits: 22 lines are looked up for a word of trits, and
//! Zen 4 loads 64 bytes in a cycle.

use crate::{Features, dispatch, parallel};
use ternion_core::{Simd, words_per_row};

/// Samples per task: enough for tables to pay for themselves.
const TASK_SAMPLES: usize = 512;

/// Words that are copied side by side: those of a task stay in L2.
const STRIP_WORDS: usize = 32;

/// From a word of a sample to the next: no power of two, and room for a task.
const STRIDE: usize = TASK_SAMPLES + 4;

/// Trits of a table, and the tables of a word.
const TABLE_TRITS: usize = 6;
const TABLES: usize = 64_usize.div_ceil(TABLE_TRITS);

/// The largest sum of the absolute values of a column within a word of 64 features.
pub(crate) const MAX_WORD_SUM: i32 = i16::MAX as i32;

/// The largest sum of the absolute values of a whole column: scores in units of twice it still fit.
pub(crate) const MAX_SUM: i64 = 1 << 29;

/// A matrix of 16-bit integers, with a row per feature.
#[derive(Clone, Debug)]
pub(crate) struct IntegerMatrix {
    /// Row by row.
    numbers: Vec<i16>,
    columns: usize,
}

impl IntegerMatrix {
    /// A matrix with so many columns, from its rows. The absolute values of a column must sum to at most [`MAX_SUM`], and
    /// within each 64 rows from the first on to at most [`MAX_WORD_SUM`].
    pub(crate) fn new(numbers: Vec<i16>, columns: usize) -> Self {
        debug_assert!(numbers.chunks(64 * columns).all(|rows| {
            let of_column = |k: usize| rows.iter().skip(k).step_by(columns);
            let sum = |k| of_column(k).map(|&x| i32::from(x).abs()).sum::<i32>();
            (0..columns).all(|k| sum(k) <= MAX_WORD_SUM)
        }));
        Self { numbers, columns }
    }

    /// The numbers, row by row.
    pub(crate) fn numbers(&self) -> &[i16] {
        &self.numbers
    }

    /// Calls `work` for each sample, with its products with every column and a slot of `out`.
    pub(crate) fn for_each_product<T: Send>(
        &self,
        features: &Features,
        out: &mut [T],
        work: impl Fn(&[i32], &mut T) + Sync,
    ) {
        parallel::for_each_chunk(out, TASK_SAMPLES, |task, out| {
            let mut products = vec![0; out.len() * self.columns];
            let first = task * TASK_SAMPLES;
            for column in (0..self.columns).step_by(32) {
                match self.columns - column {
                    ..=16 => self.multiply::<16>(features, first, column, &mut products),
                    _ => self.multiply::<32>(features, first, column, &mut products),
                }
            }
            for (products, out) in products.chunks_exact(self.columns).zip(out) {
                work(products, out);
            }
        });
    }

    /// The products of the samples from `first` on with up to `N` columns from `column` on, as many samples as there is
    /// room for.
    fn multiply<const N: usize>(
        &self,
        features: &Features,
        first: usize,
        column: usize,
        products: &mut [i32],
    ) {
        let words = words_per_row(features.features());
        let samples = products.len() / self.columns;
        let planes = [features.trits().sign(), features.trits().mask()]
            .map(|plane| &plane[first * words..(first + samples) * words]);
        let mut sums = vec![Sums([0; N]); samples];
        dispatch!(features.isa(), simd => self.add_samples(simd, planes, words, column, &mut sums));
        for (products, sums) in products.chunks_exact_mut(self.columns).zip(&sums) {
            products[column..].iter_mut().zip(sums.0).for_each(|(product, sum)| *product = sum);
        }
    }

    fn add_samples<S: Simd, const N: usize>(
        &self,
        simd: S,
        [sign, mask]: [&[u64]; 2],
        words: usize,
        column: usize,
        sums: &mut [Sums<N>],
    ) {
        let mut tables = Tables::<N>::ZERO;
        let mut strip = vec![[0; 2]; STRIP_WORDS * STRIDE];
        let word_numbers = 64 * self.columns;
        for (part, numbers) in self.numbers.chunks(STRIP_WORDS * word_numbers).enumerate() {
            copy_words(sign, mask, words, part * STRIP_WORDS, &mut strip);
            simd.vectorize(
                #[inline(always)]
                || {
                    let of_words = numbers.chunks(word_numbers.max(1));
                    for (numbers, trits) in of_words.zip(strip.chunks_exact(STRIDE)) {
                        tables.fill(numbers, self.columns, column);
                        for (sum, [plus, minus]) in sums.iter_mut().zip(trits) {
                            tables.add_word(*plus, *minus, &mut sum.0);
                        }
                    }
                },
            );
        }
    }
}

/// Copies up to 32 words of each sample from `first` on: which features are +1, and which are −1.
fn copy_words(sign: &[u64], mask: &[u64], words: usize, first: usize, strip: &mut [[u64; 2]]) {
    let rows = sign.chunks_exact(words).zip(mask.chunks_exact(words));
    for (sample, (sign, mask)) in rows.enumerate() {
        let row = sign.iter().zip(mask).skip(first);
        for (to, (sign, mask)) in strip.iter_mut().skip(sample).step_by(STRIDE).zip(row) {
            *to = [mask & !sign, *sign];
        }
    }
}

/// The sums of a sample, with the alignment of their loads.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Sums<const N: usize>([i32; N]);

/// The sums over all subsets of each six of 64 lines of `N` integers.
#[repr(C, align(64))]
struct Tables<const N: usize>([[[i16; N]; 1 << TABLE_TRITS]; TABLES]);

impl<const N: usize> Tables<N> {
    const ZERO: Self = Self([[[0; N]; 1 << TABLE_TRITS]; TABLES]);

    /// Tabulates up to 64 rows of a matrix with so many columns, from `column` on. What is missing counts as zero.
    #[inline(always)]
    fn fill(&mut self, numbers: &[i16], columns: usize, column: usize) {
        let mut lines = [[0; N]; TABLES * TABLE_TRITS];
        for (line, row) in lines.iter_mut().zip(numbers.chunks(columns.max(1))) {
            for (line, number) in line.iter_mut().zip(row.iter().skip(column)) {
                *line = *number;
            }
        }
        for (table, lines) in self.0.iter_mut().zip(lines.as_chunks::<TABLE_TRITS>().0) {
            for bit in 0..TABLE_TRITS {
                for subset in 0..1 << bit {
                    table[subset + (1 << bit)] = added(&table[subset], &lines[bit]);
                }
            }
        }
    }

    /// Adds the lines at the bits of `plus`, and subtracts those at the bits of `minus`.
    #[inline(always)]
    fn add_word(&self, mut plus: u64, mut minus: u64, to: &mut [i32; N]) {
        // Two sums, so that an addition need not wait for the one before.
        let [mut even, mut odd] = [[0; N]; 2];
        let (pairs, last) = self.0.as_chunks::<2>();
        for [first, second] in pairs {
            add_six(first, plus, minus, &mut even);
            add_six(second, plus >> TABLE_TRITS, minus >> TABLE_TRITS, &mut odd);
            (plus, minus) = (plus >> (2 * TABLE_TRITS), minus >> (2 * TABLE_TRITS));
        }
        for table in last {
            add_six(table, plus, minus, &mut even);
        }
        let sum = added(&even, &odd);
        for k in 0..N {
            to[k] = to[k].wrapping_add(sum[k].into());
        }
    }
}

/// Adds what a table has for the low six bits of `plus`, and subtracts what it has for those of `minus`. Wrapping only
/// tells the compiler that nothing can fail.
#[inline(always)]
fn add_six<const N: usize>(table: &[[i16; N]; 64], plus: u64, minus: u64, sum: &mut [i16; N]) {
    let (plus, minus) = (&table[(plus % 64) as usize], &table[(minus % 64) as usize]);
    for k in 0..N {
        sum[k] = sum[k].wrapping_add(plus[k]).wrapping_sub(minus[k]);
    }
}

#[inline(always)]
fn added<const N: usize>(a: &[i16; N], b: &[i16; N]) -> [i16; N] {
    let mut sum = [0; N];
    for k in 0..N {
        sum[k] = a[k].wrapping_add(b[k]);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;
    use ternion_core::{Seeded, Sparsity, TritMatrix};

    /// Features that end within a word and within eight, samples that end within a task, one group of columns and more,
    /// numbers as large as they may be.
    #[test]
    fn products_are_exact_on_every_isa() {
        let sizes = [(1, 1, 1), (3, 66, 2), (300, 70, 16), (257, 600, 33), (513, 130, 49)];
        for (samples, features, columns) in sizes {
            let seeded = Seeded::new(5, Sparsity::TWO_THIRDS, features, samples).unwrap();
            let words = samples * words_per_row(features);
            let planes = (vec![0; words], vec![0; words]);
            let mut trits = TritMatrix::zeroed(samples, features, planes.0, planes.1).unwrap();
            seeded.fill(&mut trits).unwrap();
            let largest = MAX_WORD_SUM as usize / features.min(64);
            let number = |k: usize| (k * k % (2 * largest + 1)) as i16 - largest as i16;
            let matrix = IntegerMatrix::new((0..features * columns).map(number).collect(), columns);
            for isa in Isa::present() {
                let mut found = vec![Vec::new(); samples];
                let features = Features::with_isa(trits.clone(), isa);
                matrix.for_each_product(&features, &mut found, |products, out| {
                    *out = products.to_vec();
                });
                for (row, found) in trits.iter_rows().zip(&found) {
                    let expected = |k: usize| -> i32 {
                        let column = matrix.numbers().iter().skip(k).step_by(columns);
                        row.iter().zip(column).map(|(t, &x)| i32::from(t) * i32::from(x)).sum()
                    };
                    assert!((0..columns).map(expected).eq(found.iter().copied()), "{isa}");
                }
            }
        }
    }
}
