//! [`IntegerMatrix`]: products of packed features with columns of 16-bit integers, exact, by lookups in registers.
//!
//! ```text
//! rows (Σᵀ·W)                                       columns (Σ·R)
//! for every word of 64 features:                    for every 64 samples:
//!     cut the samples' words into codes                 transpose 64 × 64 bits of each word, cut them into codes
//!     for every column of W:                            for every column of R:
//!         tabulate the subset sums of 64 numbers            tabulate the subset sums of 64 numbers
//!         for every 32 samples: sums += lookups             for every 32 features: sums += lookups
//! ```
//!
//! 1. Numbers are taken in spans of 64, and 32 sums lie in the lanes of a line: the kernel of W with 32 rows side by side,
//!    [`add_coded`]. A tile is what 32 lanes have in a span, eight lines of codes of 16 bits.
//! 2. Codes are cut once for all columns, and stay in L1 meanwhile.
//! 3. Rows are read from memory in pieces of 512 bytes, one after another. Sums lie in whole cache lines.
//! 4. The sums of a span are 16 bits wide, and added to others in 32 bits: [`IntegerMatrix::new`] takes only matrices for
//!    which neither can overflow.
//!
//! Bound by the lookups: 40 cycles for 32 × 64 trits and a column with AVX-512 on Zen 4, 140 for the tables of a span.

use super::byte_products::ByteMatrix;
use super::rows::{Block, COLUMN_ROWS, Rows};
use crate::{Features, dispatch, parallel};
use std::ops::Range;
use ternion_core::arch::{HALF, LANES, Lanes16};
use ternion_core::projection::add_coded;
use ternion_core::{Line, Simd};

/// Numbers of a span.
pub(crate) const SPAN: usize = 64;

/// Lines of codes of a tile: four of −1 and four of +1.
const TILE_LINES: usize = 8;

/// Words whose codes are cut at a time: two tiles each, which stay in L1.
const CUT_WORDS: usize = 16;

/// Words of rows that are side by side at a time: for 1024 rows 1 MB, which is then read in order. With fewer, rows of 4096
/// features would be read in pieces that compete for a part of the cache, and k-means took 1.4 times as long.
const PRODUCT_WORDS: usize = 64;

/// Samples per task: enough for tables to pay for themselves.
const TASK_SAMPLES: usize = 1024;

/// The largest sum of the absolute values of a column within a span.
pub(crate) const MAX_SPAN_SUM: i32 = i16::MAX as i32;

/// The largest sum of the absolute values of a whole column: scores in units of twice it still fit.
pub(crate) const MAX_SUM: i64 = 1 << 29;

/// A matrix of 16-bit integers.
#[derive(Clone, Debug)]
pub(crate) struct IntegerMatrix {
    /// Column after column, with zeros up to whole spans.
    numbers: Vec<i16>,
    columns: usize,
}

impl IntegerMatrix {
    /// A matrix with so many columns of whole spans, one after another. The absolute values of a column must sum to at
    /// most [`MAX_SUM`], and within each span to at most [`MAX_SPAN_SUM`].
    pub(crate) fn new(numbers: Vec<i16>, columns: usize) -> Self {
        debug_assert!(numbers.len().is_multiple_of(SPAN * columns));
        debug_assert!(numbers.chunks(SPAN).all(|numbers| {
            numbers.iter().map(|&number| i32::from(number).abs()).sum::<i32>() <= MAX_SPAN_SUM
        }));
        Self { numbers, columns }
    }

    /// The columns, with zeros up to whole spans.
    pub(crate) fn columns(&self) -> impl ExactSizeIterator<Item = &[i16]> {
        self.numbers.chunks_exact(self.numbers.len() / self.columns)
    }

    /// Calls `work` for each sample, with its index, its products with every column and a slot of `out`.
    ///
    /// Numbers from −127 to 127 are multiplied as bytes where that is faster.
    pub(crate) fn for_each_product<T: Send>(
        &self,
        features: &Features,
        out: &mut [T],
        work: impl Fn(usize, &[i32], &mut T) + Sync,
    ) {
        if dispatch!(features.isa(), simd => has_fast_bytes(simd))
            && let Some(bytes) = ByteMatrix::new(self.columns())
        {
            return bytes.for_each_product(features, out, work);
        }
        let chunks = out.chunks_mut(TASK_SAMPLES).enumerate();
        let done = parallel::try_for_each(chunks, |block: &mut Block, (task, out)| {
            let first = task * TASK_SAMPLES;
            let sums = block.products(Rows::all(features), first..first + out.len(), self);
            let mut products = vec![0; self.columns];
            for (sample, out) in out.iter_mut().enumerate() {
                let of_sample = sums.columns().map(|sums| sums[sample]);
                products.iter_mut().zip(of_sample).for_each(|(product, sum)| *product = sum);
                work(first + sample, &products, out);
            }
            Ok(())
        });
        debug_assert_eq!(done, Ok(()));
    }

    /// Zeros for every column, to which products of so many lanes are added.
    pub(super) fn zeros(&self, lanes: usize) -> Sums {
        debug_assert!(lanes.is_multiple_of(LANES));
        let stride = (lanes / HALF) | 1;
        Sums { lines: vec![Line::ZERO; stride * self.columns], stride, lanes }
    }

    /// Adds the numbers of a span to the sums of as many lanes as there are tiles for, from `first` on.
    fn add_span<S: Simd>(
        &self,
        simd: S,
        span: usize,
        codes: &[Lanes16],
        sums: &mut Sums,
        first: usize,
    ) {
        let lanes = first..first + LANES * (codes.len() / TILE_LINES);
        let length = (self.numbers.len() / self.columns.max(1)).max(1);
        let stride = (sums.stride * HALF).max(1);
        let sums: &mut [i32] = bytemuck::cast_slice_mut(&mut sums.lines);
        let columns = self.numbers.chunks_exact(length);
        for (numbers, sums) in columns.zip(sums.chunks_exact_mut(stride)) {
            let (numbers, sums) = (&numbers.as_chunks::<SPAN>().0[span], &mut sums[lanes.clone()]);
            simd.vectorize(
                #[inline(always)]
                || add_coded(simd, numbers, codes, sums),
            );
        }
    }
}

fn has_fast_bytes<S: Simd>(_: S) -> bool {
    S::FAST_BYTE_DOTS
}

/// Sums of some lanes for every column of a matrix.
///
/// They lie in whole cache lines, an odd number of them for each column: those of a lane would otherwise compete for the
/// same places of a cache.
pub(super) struct Sums {
    lines: Vec<Line>,
    /// Lines of a column.
    stride: usize,
    lanes: usize,
}

impl Sums {
    /// The sums of each column.
    pub(super) fn columns(&self) -> impl ExactSizeIterator<Item = &[i32]> {
        let columns = self.lines.chunks_exact(self.stride);
        columns.map(|lines| &bytemuck::cast_slice(lines)[..self.lanes])
    }

    /// The same, to be changed.
    #[cfg(test)]
    pub(super) fn columns_mut(&mut self) -> impl ExactSizeIterator<Item = &mut [i32]> {
        let columns = self.lines.chunks_exact_mut(self.stride);
        columns.map(|lines| &mut bytemuck::cast_slice_mut(lines)[..self.lanes])
    }
}

impl Block {
    /// The products of some rows with the columns of a matrix, with zeros up to a multiple of [`COLUMN_ROWS`].
    pub(super) fn products(
        &mut self,
        from: Rows<'_>,
        rows: Range<usize>,
        matrix: &IntegerMatrix,
    ) -> Sums {
        let mut sums = matrix.zeros(rows.len().next_multiple_of(COLUMN_ROWS));
        for first in (0..from.words()).step_by(PRODUCT_WORDS) {
            let words = first..from.words().min(first + PRODUCT_WORDS);
            self.gather(from, rows.clone(), words.clone());
            self.add_row_products(0, words, matrix, &mut sums);
        }
        sums
    }

    /// Adds the products of the rows from `row` on, a multiple of [`COLUMN_ROWS`], over words that are numbered as the
    /// spans of the matrix, as many rows as the sums have lanes.
    pub(super) fn add_row_products(
        &self,
        row: usize,
        spans: Range<usize>,
        matrix: &IntegerMatrix,
        sums: &mut Sums,
    ) {
        let eights = row / 8..(row + sums.lanes) / 8;
        let mut codes = vec![Lanes16([0; LANES]); sums.lanes / LANES * TILE_LINES];
        for (word, span) in spans.enumerate() {
            let [plus, minus] = self.word(word, eights.clone());
            dispatch!(self.isa(), simd => {
                cut(simd, plus, minus, &mut codes);
                matrix.add_span(simd, span, &codes, sums, 0);
            });
        }
    }

    /// Adds the products of the columns from a word on, over rows that begin with a span of the matrix and end where the
    /// block or the matrix does, as many columns as the sums have lanes.
    pub(super) fn add_column_products(
        &self,
        word: usize,
        first_span: usize,
        matrix: &IntegerMatrix,
        sums: &mut Sums,
    ) {
        let lanes = sums.lanes;
        let spans = matrix.numbers.len() / matrix.columns / SPAN;
        let mut codes = vec![Lanes16([0; LANES]); CUT_WORDS * 2 * TILE_LINES];
        let mut columns = [[0; 64]; 2];
        for (eight, span) in (0..self.eights()).step_by(COLUMN_ROWS / 8).zip(first_span..spans) {
            for first in (0..lanes / SPAN).step_by(CUT_WORDS) {
                let words = (lanes / SPAN - first).min(CUT_WORDS);
                let codes = &mut codes[..words * 2 * TILE_LINES];
                dispatch!(self.isa(), simd => {
                    for (k, codes) in codes.chunks_exact_mut(2 * TILE_LINES).enumerate() {
                        self.transpose(simd, eight, word + first + k, &mut columns);
                        let [plus, minus] = &columns;
                        cut(simd, plus.as_chunks().0, minus.as_chunks().0, codes);
                    }
                    matrix.add_span(simd, span, codes, sums, first * SPAN);
                });
            }
        }
    }
}

/// Cuts words into codes, a tile for every 32 of them.
fn cut<S: Simd>(simd: S, plus: &[[u64; 8]], minus: &[[u64; 8]], codes: &mut [Lanes16]) {
    simd.vectorize(
        #[inline(always)]
        || {
            let words = minus.as_chunks::<4>().0.iter().zip(plus.as_chunks::<4>().0);
            let tiles = codes.as_chunks_mut::<TILE_LINES>().0.iter_mut();
            for (tile, planes) in tiles.zip(words) {
                let (codes, _) = tile.as_chunks_mut();
                for (codes, words) in codes.iter_mut().zip([planes.0, planes.1]) {
                    simd.codes64(words, codes);
                }
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;
    use ternion_core::{Seeded, Sparsity, TritMatrix, words_per_row};

    /// Features that end within a word and within eight, samples that end within a task, one group of columns and more,
    /// numbers as large as they may be.
    #[test]
    fn products_are_exact_on_every_isa() {
        let sizes = [(1, 1, 1), (3, 66, 2), (300, 70, 16), (257, 600, 33), (1100, 4200, 3)];
        for (samples, features, columns) in sizes {
            let seeded = Seeded::new(5, Sparsity::TWO_THIRDS, features, samples).unwrap();
            let words = samples * words_per_row(features);
            let planes = (vec![0; words], vec![0; words]);
            let mut trits = TritMatrix::zeroed(samples, features, planes.0, planes.1).unwrap();
            seeded.fill(&mut trits).unwrap();
            let matrix = |length: usize| {
                let largest = MAX_SPAN_SUM as usize / length.min(SPAN);
                let number = |k: usize| (k * k % (2 * largest + 1)) as i16 - largest as i16;
                let column = |c: usize| -> Vec<i16> {
                    let mut numbers: Vec<i16> = (0..length).map(|k| number(k + 7 * c)).collect();
                    numbers.resize(length.next_multiple_of(SPAN), 0);
                    numbers
                };
                IntegerMatrix::new((0..columns).flat_map(column).collect(), columns)
            };
            let (w, r) = (matrix(features), matrix(samples));
            for isa in Isa::present() {
                let mut found = vec![Vec::new(); samples];
                let features = Features::with_isa(trits.clone(), isa);
                w.for_each_product(&features, &mut found, |_, products, out| {
                    *out = products.to_vec();
                });
                for (row, found) in trits.iter_rows().zip(&found) {
                    let expected = |column: &[i16]| -> i32 {
                        row.iter().zip(column).map(|(t, &x)| i32::from(t) * i32::from(x)).sum()
                    };
                    assert!(w.columns().map(expected).eq(found.iter().copied()), "{isa}");
                }
                let mut block = Block::default();
                let words = words_per_row(features.features());
                block.gather(Rows::all(&features), 0..samples, 0..words);
                let mut sums = r.zeros(words * SPAN);
                block.add_column_products(0, 0, &r, &mut sums);
                let mut expected = vec![0; columns * words * SPAN];
                for (column, expected) in r.columns().zip(expected.chunks_mut(words * SPAN)) {
                    for (row, &x) in trits.iter_rows().zip(column) {
                        for (sum, trit) in expected.iter_mut().zip(row.iter()) {
                            *sum += i32::from(trit) * i32::from(x);
                        }
                    }
                }
                let found = sums.columns().flatten();
                assert!(found.eq(&expected), "{isa} {samples} {columns}");
            }
        }
    }
}
