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

use super::{Needs, Projection, grown, sealed::Sealed};
use crate::arch::{Lanes16, Lanes32, Line, Simd};
use crate::error::{Buffer, Error, reach};
use crate::kernels::bits;
use crate::kernels::rows::{self, BLOCK, CHUNKS, ROWS};
use crate::samples::check_inputs;
use crate::trits::{TritMatrix, Word, words_per_row};

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
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        size_of_val(self.lines.as_ref())
    }

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

    /// The words of a row.
    #[inline(always)]
    fn words(&self, row: usize) -> impl Iterator<Item = Word> {
        let lines: &[Lanes16] = bytemuck::cast_slice(self.lines.as_ref());
        let (each, blocks) = (self.each(), self.rows.div_ceil(ROWS));
        let lane = rows::lane(row % ROWS);
        (0..words_per_row(self.cols)).map(
            #[inline(always)]
            move |block| {
                let mut planes = [0; 2];
                let start = (block * blocks + row / ROWS) * each;
                let lines = lines.get(start..start + each).unwrap_or_default();
                for (plane, lines) in planes.iter_mut().zip(lines.chunks_exact(CHUNKS)) {
                    for (chunk, line) in lines.iter().enumerate() {
                        *plane |= (line.0[lane % ROWS] as u16 as u64) << (16 * chunk);
                    }
                }
                let [minus, plus] = planes;
                // Bits beyond the last column may be set: readers cut rows to the inputs.
                let plus = if self.zeros { plus } else { u64::MAX };
                Word { sign: minus, mask: minus | plus }
            },
        )
    }
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
        let one_tile = self.rows.next_multiple_of(64).min(TILE);
        Needs { one_tile, ..grown::needs(self.cols, self.rows) }
    }

    const BITS: bool = true;

    /// By the same lookups as integers: a word of the sample is a block of inputs 0 and 1.
    fn project_bits<I: Simd>(
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
                    let mut numbers = [0; BLOCK];
                    for (bit, number) in numbers.iter_mut().enumerate() {
                        *number = (word >> bit & 1) as i16;
                    }
                    let codes = self.codes(block, features.clone());
                    rows::project(simd, &numbers, codes, self.zeros, block == 0, sums);
                }
            },
        );
    }

    fn begin_bits<I: Simd>(&self, simd: I, features: Range<usize>, planes: &mut [Line]) {
        bits::begin(simd, features.map(|row| self.words(row)), self.cols, planes);
    }

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

    /// Puts the planes of the tile together behind the tables, once for all blocks of samples.
    fn begin_tile<I: Simd>(&self, simd: I, features: Range<usize>, work: &mut [Line]) {
        grown::write(simd, features.map(|row| self.words(row)), self.cols, self.rows, work);
    }

    fn project_block<I: Simd>(
        &self,
        simd: I,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        grown::project(simd, block, self.cols, self.rows, features.len(), work, sums);
    }
}
