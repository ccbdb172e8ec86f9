//! W with rows in lanes: for one sample at a time.
//!
//! # Layout
//!
//! Lines of 32 codes of 16 bits. For columns `64·b ..` and rows `32·r ..` there are four lines for
//! the weights −1, and four more for the weights +1 unless no weight of W is zero; they begin at
//! line `(b × blocks of rows + r) × 4` or `× 8`. Bit `i` of a code of the `k`-th line of four is
//! column `64·b + 16·k + i`. The rows `32·r ..` have the codes 0, 2, 4, …, 30, 1, 3, 5, …, 31. Rows
//! and columns beyond the last are zero.

use core::ops::Range;

use super::{Needs, Projection, sealed::Sealed};
use crate::arch::{LANES, Lanes16, Lanes32, Line, Simd};
use crate::error::{Buffer, Error, reach};
use crate::kernels::rows::{self, BLOCK, CHUNKS, ROWS};
use crate::kernels::tables;
use crate::samples::check_inputs;
use crate::trits::{TritMatrix, Word, tail_bits, words_per_row};

/// Rows whose sums are kept while a block of inputs is in registers: 16 KB of them.
const TILE: usize = 4096;

/// A stored W with 32 rows side by side, over any storage: the fastest form for few samples.
///
/// One sample needs a lookup in registers for five or six weights of 32 rows. Batches are projected by
/// lookup tables as a [`Tabled`](crate::Tabled) W is, the planes of a tile being put together first.
/// Memory is 2 bits a weight, or 1 if no weight is zero; the planes are not needed any more.
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
        let blocks = words_per_row(planes.cols()) * planes.rows().div_ceil(ROWS);
        blocks * CHUNKS * (1 + has_zeros(planes) as usize)
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
        let blocks = rows.div_ceil(ROWS);
        let each = CHUNKS * (1 + zeros as usize);
        for (index, row) in planes.iter_rows().enumerate() {
            for (word, Word { sign, mask }) in row.words().enumerate() {
                let lines = &mut lanes[(word * blocks + index / ROWS) * each..][..each];
                // The codes of −1, then of +1; there may be no room for the latter.
                for (plane, lines) in [sign, mask & !sign].into_iter().zip(lines.chunks_mut(CHUNKS))
                {
                    for (chunk, line) in lines.iter_mut().enumerate() {
                        line.0[rows::lane(index % ROWS)] = (plane >> (16 * chunk)) as i16;
                    }
                }
            }
        }
        Ok(Self { rows, cols, zeros, lines: storage })
    }
}

impl<S: AsRef<[Line]>> RowLanes<S> {
    /// Lines of a block of columns and 32 rows.
    #[inline(always)]
    fn each(&self) -> usize {
        CHUNKS * (1 + self.zeros as usize)
    }

    /// The codes of a block of columns and some rows, the first of them a multiple of 32. Empty, not
    /// a panic, if the storage has shrunk.
    #[inline(always)]
    fn codes(&self, block: usize, rows: Range<usize>) -> &[Lanes16] {
        let blocks = self.rows.div_ceil(ROWS);
        let span = block * blocks + rows.start / ROWS..block * blocks + rows.end.div_ceil(ROWS);
        let lines = self.lines.as_ref().get(span.start * self.each()..span.end * self.each());
        bytemuck::cast_slice(lines.unwrap_or_default())
    }

    /// One sample, given by blocks of inputs.
    fn project_blocks<'a, I: Simd>(
        &self,
        simd: I,
        blocks: impl Iterator<Item = &'a [i16; BLOCK]>,
        features: Range<usize>,
        sums: &mut [i32],
    ) {
        simd.vectorize(
            #[inline(always)]
            || {
                for (block, numbers) in blocks.enumerate() {
                    let codes = self.codes(block, features.clone());
                    rows::project(simd, numbers, codes, self.zeros, block == 0, sums);
                }
            },
        );
    }

    /// Words of each plane of a full tile.
    const fn tile_words(&self) -> usize {
        tables::tile(self.rows) * words_per_row(self.cols)
    }
}

/// The words of 32 rows from their lines in one plane.
#[inline(always)]
fn words_of(lines: &[Lanes16]) -> [u64; LANES] {
    let mut words = [0; LANES];
    for (chunk, line) in lines.iter().enumerate() {
        for (row, word) in words.iter_mut().enumerate() {
            *word |= (line.0[rows::lane(row)] as u16 as u64) << (16 * chunk);
        }
    }
    words
}

impl<S> Sealed for RowLanes<S> {}

impl<S: AsRef<[Line]>> Projection for RowLanes<S> {
    fn inputs(&self) -> usize {
        self.cols
    }

    fn features(&self) -> usize {
        self.rows
    }

    fn needs(&self) -> Needs {
        Needs {
            tile: tables::tile(self.rows),
            work: tables::LINES + (2 * self.tile_words()).div_ceil(8),
            one_tile: self.rows.next_multiple_of(64).min(TILE),
            ..Needs::least(self.cols)
        }
    }

    const BITS: bool = false;

    fn project_one<I: Simd>(
        &self,
        simd: I,
        sample: &[i16],
        features: Range<usize>,
        _: &mut [Line],
        sums: &mut [i32],
    ) {
        let (blocks, rest) = sample.as_chunks::<BLOCK>();
        let mut last = [0; BLOCK];
        last[..rest.len()].copy_from_slice(rest);
        let blocks = blocks.iter().chain((!rest.is_empty()).then_some(&last));
        self.project_blocks(simd, blocks, features, sums);
    }

    /// Puts the planes of the tile together behind the tables, once for all blocks of samples.
    fn begin_tile<I: Simd>(&self, simd: I, features: Range<usize>, work: &mut [Line]) {
        let stride = words_per_row(self.cols);
        let planes: &mut [u64] = bytemuck::cast_slice_mut(&mut work[tables::LINES..]);
        let (sign, mask) = planes.split_at_mut(self.tile_words());
        simd.vectorize(
            #[inline(always)]
            || {
                for block in 0..stride {
                    let full = if block + 1 == stride { tail_bits(self.cols) } else { u64::MAX };
                    let codes = self.codes(block, features.clone()).chunks_exact(self.each());
                    let rows = sign.chunks_mut(ROWS * stride).zip(mask.chunks_mut(ROWS * stride));
                    for (codes, (sign, mask)) in codes.zip(rows) {
                        let (minus, plus) = codes.split_at(CHUNKS);
                        let minus = words_of(minus);
                        let plus = if self.zeros { words_of(plus) } else { [full; LANES] };
                        let rows = sign.chunks_mut(stride).zip(mask.chunks_mut(stride));
                        for ((sign, mask), (minus, plus)) in rows.zip(minus.into_iter().zip(plus)) {
                            (sign[block], mask[block]) = (minus, minus | plus);
                        }
                    }
                }
            },
        );
    }

    fn project_block<I: Simd>(
        &self,
        simd: I,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        let (table, planes) = work.split_at_mut(tables::LINES);
        let (sign, mask) = bytemuck::cast_slice(planes).split_at(self.tile_words());
        let words = features.len() * words_per_row(self.cols);
        let (sign, mask) = (&sign[..words], &mask[..words]);
        let tile = TritMatrix::trusted(features.len(), self.cols, sign, mask);
        tables::project(simd, tile, 0..features.len(), block, table, sums);
    }
}
