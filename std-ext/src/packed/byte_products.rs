//! [`ByteMatrix`]: products of packed features with columns of 8-bit integers, by dot products of bytes.
//!
//! ```text
//! for every four samples, for every panel of words:
//!     unpack the trits of the panel, t + 1 in a byte
//!     for every four columns:
//!         for every word: sums += Σ (t + 1)·q over its 64 numbers q
//! products = sums − Σ q
//! ```
//!
//! 1. Instructions that multiply bytes take those of one side without a sign: a trit is unpacked as one more than it is, and
//!    the sum of the column subtracted at the end.
//! 2. Sixteen sums, of four samples by four columns, stay in registers: eight loads for sixteen products, and enough of them to
//!    hide that a sum can be added to again after five cycles only. Loads are of whole cache lines.
//! 3. Samples are read in order, straight from the planes; a panel of them stays in L1 for all columns, and those in L2.
//!
//! Bound by the products, two of 64 a cycle with AVX-512 on Intel and one on Zen 4. In L1, 0.64 cycles each were seen on
//! Sapphire Rapids, where lookups of 16-bit numbers take 1.5 for 64; with 16 columns of 4096 numbers k-means took 0.47 of the
//! time. With AVX2 both take as long.

use super::integer_products::SPAN;
use crate::{Features, dispatch, parallel};
use std::array::from_fn;
use ternion_core::arch::HALF;
use ternion_core::{Line, Simd};

/// Words of a panel: four samples of 64 bytes a word are 16 KB.
const PANEL_WORDS: usize = 64;

/// Samples, and columns, whose sums are in registers together: a square. Columns are filled up with zeros to whole squares.
const SIDE: usize = 4;

/// Samples per task.
const TASK_SAMPLES: usize = 256;

/// A matrix of integers from −127 to 127.
pub(super) struct ByteMatrix {
    /// For every [`SIDE`] columns, for every span of 64 numbers, those of each column.
    numbers: Vec<Line>,
    /// Of a column.
    spans: usize,
    /// Σ q of each column.
    totals: Vec<i32>,
}

/// What a thread needs.
#[derive(Default)]
struct Scratch {
    /// For each word of a panel, the bytes of as many samples as a square has.
    bytes: Vec<Line>,
    /// For each sample of a square, the sums of all columns.
    sums: Vec<i32>,
}

impl ByteMatrix {
    /// The numbers of columns of whole spans, if all of them fit.
    pub(super) fn new<'a>(columns: impl ExactSizeIterator<Item = &'a [i16]>) -> Option<Self> {
        let stride = columns.len().next_multiple_of(SIDE);
        let mut matrix = Self { numbers: Vec::new(), spans: 0, totals: Vec::new() };
        for (k, column) in columns.enumerate() {
            matrix.spans = column.len() / SPAN;
            matrix.numbers.resize(stride * matrix.spans, Line::ZERO);
            let numbers: &mut [[i8; SPAN]] = bytemuck::cast_slice_mut(&mut matrix.numbers);
            let group = numbers.chunks_exact_mut(SIDE * matrix.spans).nth(k / SIDE)?;
            let spans = group.iter_mut().skip(k % SIDE).step_by(SIDE);
            for (to, span) in spans.zip(column.as_chunks::<SPAN>().0) {
                for (to, &number) in to.iter_mut().zip(span) {
                    *to = i8::try_from(number).ok().filter(|&number| number != i8::MIN)?;
                }
            }
            matrix.totals.push(column.iter().map(|&number| i32::from(number)).sum());
        }
        Some(matrix)
    }

    /// Calls `work` for each sample, with its index, its products with every column and a slot of `out`.
    pub(super) fn for_each_product<T: Send>(
        &self,
        features: &Features,
        out: &mut [T],
        work: impl Fn(usize, &[i32], &mut T) + Sync,
    ) {
        let chunks = out.chunks_mut(TASK_SAMPLES).enumerate();
        let done = parallel::try_for_each(chunks, |scratch: &mut Scratch, (task, out)| {
            let first = task * TASK_SAMPLES;
            for (square, out) in out.chunks_mut(SIDE).enumerate() {
                let first = first + square * SIDE;
                dispatch!(features.isa(), simd => self.multiply(simd, features, first, scratch));
                let sums = scratch.sums.chunks_exact(self.stride());
                for ((k, out), sums) in out.iter_mut().enumerate().zip(sums) {
                    work(first + k, &sums[..self.totals.len()], out);
                }
            }
            Ok(())
        });
        debug_assert_eq!(done, Ok(()));
    }

    /// The products of four samples, from one on; beyond the last one those of the last one again.
    fn multiply<S: Simd>(
        &self,
        simd: S,
        features: &Features,
        first: usize,
        Scratch { bytes, sums }: &mut Scratch,
    ) {
        let numbers: &[[[i8; SPAN]; SIDE]] = bytemuck::cast_slice(&self.numbers);
        bytes.resize(SIDE * PANEL_WORDS, Line::ZERO);
        let bytes: &mut [[[u8; 64]; SIDE]] = bytemuck::cast_slice_mut(bytes);
        sums.clear();
        sums.resize(SIDE * self.stride(), 0);
        for panel in (0..self.spans).step_by(PANEL_WORDS) {
            let words = panel..self.spans.min(panel + PANEL_WORDS);
            let bytes = &mut bytes[..words.len()];
            let planes: [_; SIDE] = from_fn(|k| {
                let planes = features.planes((first + k).min(features.len() - 1));
                planes.map(|plane| &plane[words.clone()])
            });
            unpack(simd, planes, bytes);
            for (square, numbers) in numbers.chunks_exact(self.spans).enumerate() {
                let added = square_sums(simd, bytes, &numbers[words.clone()]);
                for (sums, added) in sums.chunks_exact_mut(self.stride()).zip(added) {
                    let sums = sums[square * SIDE..].iter_mut();
                    sums.zip(added).for_each(|(sum, added)| *sum += added);
                }
            }
        }
        for sums in sums.chunks_exact_mut(self.stride()) {
            sums.iter_mut().zip(&self.totals).for_each(|(sum, total)| *sum -= total);
        }
    }

    /// Columns, filled up.
    fn stride(&self) -> usize {
        self.totals.len().next_multiple_of(SIDE)
    }
}

/// Unpacks words of the samples of a square.
fn unpack<S: Simd>(simd: S, planes: [[&[u64]; 2]; SIDE], bytes: &mut [[[u8; 64]; SIDE]]) {
    simd.vectorize(
        #[inline(always)]
        || {
            for (k, [sign, mask]) in planes.into_iter().enumerate() {
                for ((bytes, &sign), &mask) in bytes.iter_mut().zip(sign).zip(mask) {
                    simd.unpack_trits(sign, mask, &mut bytes[k]);
                }
            }
        },
    );
}

/// The sums of a square.
fn square_sums<S: Simd>(
    simd: S,
    bytes: &[[[u8; 64]; SIDE]],
    numbers: &[[[i8; SPAN]; SIDE]],
) -> [[i32; SIDE]; SIDE] {
    simd.vectorize(
        #[inline(always)]
        || {
            let mut lanes = [[simd.splat32(0); SIDE]; SIDE];
            for (bytes, numbers) in bytes.iter().zip(numbers) {
                for (lanes, bytes) in lanes.iter_mut().zip(bytes) {
                    for (lanes, numbers) in lanes.iter_mut().zip(numbers) {
                        *lanes = simd.add_byte_dots(*lanes, bytes, numbers);
                    }
                }
            }
            let mut sums = [[0; SIDE]; SIDE];
            for (sums, lanes) in sums.iter_mut().zip(lanes) {
                for (sum, lanes) in sums.iter_mut().zip(lanes) {
                    let mut all = [0; HALF];
                    simd.store32(&mut all, lanes);
                    for lane in all {
                        *sum += lane;
                    }
                }
            }
            sums
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Isa;
    use ternion_core::{Seeded, Sparsity, TritMatrix, words_per_row};

    /// Samples that end within a square and within a task, features that end within a word, in a second panel and full of
    /// ones, columns that end within a group, numbers as large as they may be.
    #[test]
    fn products_are_exact_on_every_isa() {
        let sizes = [(1, 1, 1), (5, 66, 2), (262, 130, 5), (3, 4200, 4), (258, 64, 17)];
        for (samples, features, columns) in sizes {
            for sparsity in [Sparsity::TWO_THIRDS, Sparsity::DENSE] {
                let words = samples * words_per_row(features);
                let planes = (vec![0; words], vec![0; words]);
                let mut trits = TritMatrix::zeroed(samples, features, planes.0, planes.1).unwrap();
                let seeded = Seeded::new(5, sparsity, features, samples).unwrap();
                seeded.fill(&mut trits).unwrap();
                let number = |k: usize| if k < features { (k * k % 255) as i16 - 127 } else { 0 };
                let length = features.next_multiple_of(SPAN);
                let column =
                    |c: usize| -> Vec<i16> { (0..length).map(|k| number(k + c)).collect() };
                let q: Vec<Vec<i16>> = (0..columns).map(column).collect();
                let matrix = ByteMatrix::new(q.iter().map(Vec::as_slice)).unwrap();
                for isa in Isa::present() {
                    let packed = Features::with_isa(trits.clone(), isa);
                    let mut found = vec![Vec::new(); samples];
                    matrix.for_each_product(&packed, &mut found, |sample, products, out| {
                        *out = products.to_vec();
                        out.push(sample as i32);
                    });
                    for (sample, (row, found)) in trits.iter_rows().zip(&found).enumerate() {
                        let product = |q: &Vec<i16>| -> i32 {
                            row.iter().zip(q).map(|(t, &q)| i32::from(t) * i32::from(q)).sum()
                        };
                        let expected = q.iter().map(product).chain([sample as i32]);
                        assert!(expected.eq(found.iter().copied()), "{isa} {samples} {features}");
                    }
                }
            }
        }
    }

    #[test]
    fn larger_numbers_are_left_to_others() {
        for (number, fits) in [(127, true), (-127, true), (128, false), (-128, false)] {
            let mut column = [0; SPAN];
            column[7] = number;
            assert_eq!(ByteMatrix::new([column.as_slice()].into_iter()).is_some(), fits);
        }
    }
}
