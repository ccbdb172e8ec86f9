//! W with 32 rows side by side: for one sample at a time.
//!
//! # Layout
//!
//! Lines of 32 codes of 16 bits. For columns `64·b ..` and rows `32·r ..` there are four lines for
//! the weights −1, and four more for the weights +1 unless no weight of W is zero; they start at
//! line `(b × blocks of rows + r) × 4` or `× 8`. Bit `i` of a code of the `k`-th line of four is
//! column `64·b + 16·k + i`. The codes of the rows `32·r ..` are numbered 0, 2, 4, …, 30, 1, 3, 5, …, 31. Rows
//! and columns beyond the last are zero.

mod kernel;

use core::ops::Range;

use super::rows::Rows;
use crate::arch::{Lanes16, Line, Simd};
use crate::error::{Buffer, Error, reach};
use crate::input::check_inputs;
use crate::trits::{TritMatrix, Word, words_per_row};
#[doc(hidden)]
pub use kernel::add_coded;
use kernel::{CODE_LINES, LANE_ROWS, SPAN_INPUTS, lane_of_row};

/// Rows whose sums are kept while a block of inputs is in registers: 16 KB of them.
const TILE_ROWS: usize = 4096;

/// A stored W with 32 rows side by side, over any storage: the fastest form for few samples.
///
/// One sample needs a lookup in registers for five or six weights of 32 rows. Batches use lookup tables as a
/// [`TritMatrix`] does, after the planes of a tile have been restored. Memory is 2 bits per weight, or 1 if no
/// weight is zero; the planes are no longer needed.
///
/// ```
/// use ternion_core::{Line, Projection, RowLanes, TritMatrix};
///
/// let planes = TritMatrix::new(1, 3, [0b010], [0b111])?;
/// let w = RowLanes::new(&planes, vec![Line::ZERO; RowLanes::lines(&planes)])?;
/// assert_eq!((w.features(), w.inputs()), (1, 3));
/// # Ok::<(), ternion_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RowLanes<S> {
    rows: usize,
    cols: usize,
    zeros: bool,
    lines: S,
}

/// Whether some weight is zero.
fn has_zeros<O: AsRef<[u64]>>(planes: &TritMatrix<O>) -> bool {
    let set: usize = planes.mask().iter().map(|word| word.count_ones() as usize).sum();
    set < planes.rows() * planes.cols()
}

impl RowLanes<&[Line]> {
    /// Lines of storage that a matrix takes.
    pub fn lines<O: AsRef<[u64]>>(planes: &TritMatrix<O>) -> usize {
        let blocks = words_per_row(planes.cols()) * planes.rows().div_ceil(LANE_ROWS);
        blocks * CODE_LINES * (1 + has_zeros(planes) as usize)
    }
}

impl<S: AsRef<[Line]> + AsMut<[Line]>> RowLanes<S> {
    /// Writes a matrix into storage of [`lines`](RowLanes::lines) lines or more.
    ///
    /// # Errors
    ///
    /// [`Error::SizeTooLarge`] for more than [`MAX_INPUTS`](crate::MAX_INPUTS) columns,
    /// [`Error::TooShort`] for the storage.
    pub fn new<O: AsRef<[u64]>>(planes: &TritMatrix<O>, mut storage: S) -> Result<Self, Error> {
        let (rows, cols) = (planes.rows(), planes.cols());
        check_inputs(cols)?;
        let needed = RowLanes::lines(planes);
        reach(Buffer::RowLanes, needed, storage.as_mut().len())?;
        let lines = &mut storage.as_mut()[..needed];
        lines.fill(Line::ZERO);
        let zeros = has_zeros(planes);
        let lanes: &mut [Lanes16] = bytemuck::cast_slice_mut(lines);
        let blocks = rows.div_ceil(LANE_ROWS);
        let block_lines = CODE_LINES * (1 + zeros as usize);
        for (index, row) in planes.iter_rows().enumerate() {
            for (word, Word { sign, mask }) in row.words().enumerate() {
                let start = (word * blocks + index / LANE_ROWS) * block_lines;
                let lines = lanes[start..][..block_lines].chunks_mut(CODE_LINES);
                // The codes of −1, then of +1; without zeros there is no room for the latter.
                for (plane, lines) in [sign, mask & !sign].into_iter().zip(lines) {
                    for (chunk, line) in lines.iter_mut().enumerate() {
                        line.0[lane_of_row(index % LANE_ROWS)] = (plane >> (16 * chunk)) as i16;
                    }
                }
            }
        }
        Ok(Self { rows, cols, zeros, lines: storage })
    }
}

impl<S: AsRef<[Line]>> RowLanes<S> {
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        size_of_val(self.lines.as_ref())
    }

    /// Lines of a block of 64 columns and 32 rows.
    #[inline(always)]
    fn block_lines(&self) -> usize {
        CODE_LINES * (1 + self.zeros as usize)
    }

    /// Sums of some rows for one sample, all of them or only their low 16 bits.
    fn add_blocks<I: Simd>(
        &self,
        simd: I,
        sample: &[i16],
        low_bits: bool,
        features: Range<usize>,
        sums: &mut [i32],
    ) {
        let (blocks, rest) = sample.as_chunks::<SPAN_INPUTS>();
        let mut last = [0; SPAN_INPUTS];
        last[..rest.len()].copy_from_slice(rest);
        let blocks = blocks.iter().chain((!rest.is_empty()).then_some(&last));
        simd.vectorize(
            #[inline(always)]
            || {
                for (block, numbers) in blocks.enumerate() {
                    let (codes, first) = (self.codes(block, features.clone()), block == 0);
                    kernel::add_block(simd, numbers, low_bits, codes, self.zeros, first, sums);
                }
            },
        );
    }

    /// The codes of a block of columns and some rows, the first of them a multiple of 32.
    #[inline(always)]
    fn codes(&self, block: usize, rows: Range<usize>) -> &[Lanes16] {
        let first = block * self.rows.div_ceil(LANE_ROWS);
        let span = first + rows.start / LANE_ROWS..first + rows.end.div_ceil(LANE_ROWS);
        let span = span.start * self.block_lines()..span.end * self.block_lines();
        bytemuck::cast_slice(present!(self.lines.as_ref().get(span), else &[]))
    }
}

impl<S: AsRef<[Line]>> Rows for RowLanes<S> {
    fn inputs(&self) -> usize {
        self.cols
    }

    fn features(&self) -> usize {
        self.rows
    }

    #[inline(always)]
    fn row_words(&self, row: usize) -> impl Iterator<Item = Word> {
        let lines: &[Lanes16] = bytemuck::cast_slice(self.lines.as_ref());
        let (block_lines, blocks) = (self.block_lines(), self.rows.div_ceil(LANE_ROWS));
        let lane = lane_of_row(row % LANE_ROWS);
        (0..words_per_row(self.cols)).map(
            #[inline(always)]
            move |block| {
                let mut planes = [0; 2];
                let start = (block * blocks + row / LANE_ROWS) * block_lines;
                let lines = present!(lines.get(start..start + block_lines), else &[]);
                for (plane, lines) in planes.iter_mut().zip(lines.chunks_exact(CODE_LINES)) {
                    for (chunk, line) in lines.iter().enumerate() {
                        *plane |= (line.0[lane % LANE_ROWS] as u16 as u64) << (16 * chunk);
                    }
                }
                let [minus, plus] = planes;
                // Without zeros this sets bits beyond the last column, which readers ignore.
                let plus = if self.zeros { plus } else { u64::MAX };
                Word { sign: minus, mask: minus | plus }
            },
        )
    }

    fn sample_tile_features(&self) -> usize {
        self.rows.next_multiple_of(64).min(TILE_ROWS)
    }

    fn project_sample<I: Simd>(
        &self,
        simd: I,
        sample: &[i16],
        features: Range<usize>,
        sums: &mut [i32],
    ) {
        self.add_blocks(simd, sample, false, features, sums);
    }

    fn project_sample_angles<I: Simd>(
        &self,
        simd: I,
        sample: &[i16],
        features: Range<usize>,
        sums: &mut [i32],
    ) {
        self.add_blocks(simd, sample, true, features, sums);
    }

    /// By the same lookups as integers: a word of the sample is a block of inputs 0 and 1.
    fn project_sample_bits<I: Simd>(
        &self,
        simd: I,
        sample: &[u64],
        features: Range<usize>,
        sums: &mut [i32],
    ) {
        simd.vectorize(
            #[inline(always)]
            || {
                for (block, word) in sample.iter().enumerate() {
                    let mut numbers = [0; SPAN_INPUTS];
                    for (bit, number) in numbers.iter_mut().enumerate() {
                        *number = (word >> bit & 1) as i16;
                    }
                    let codes = self.codes(block, features.clone());
                    kernel::add_block(simd, &numbers, false, codes, self.zeros, block == 0, sums);
                }
            },
        );
    }
}
