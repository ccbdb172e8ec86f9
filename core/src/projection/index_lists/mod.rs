//! W as index lists: for a W of mostly zeros.
//!
//! # Layout
//!
//! 32-bit words: an index of starts, then a stream. Columns are divided into panels of 256, rows into
//! sets of 64, and entry `panel × sets + set` of the index is where in the storage the lists of that
//! panel and set start. Each row's lists are
//!
//! ```text
//! head     byte 0 (lowest)  groups of its +1
//!          byte 1           groups of its −1
//!          byte 2           padding of the +1 minus padding of the −1, plus 3
//! groups of the +1, then of the −1: four columns of the panel per word, the first lowest, ascending,
//!                                   the last group padded with column 0
//! ```

mod kernel;

use core::ops::Range;

use super::{Projection, ScratchSizes, sealed::Sealed};
use crate::arch::{Lanes16, Lanes32, Line, Simd};
use crate::error::{Buffer, Error, reach};
use crate::input::check_inputs;
use crate::trits::{TritMatrix, TritRow};
use kernel::{EXTRA_LINES, GROUP_INDICES, Head, PANEL_INPUTS};

/// Rows per entry of the index.
const SET_ROWS: usize = 64;

/// Rows in a tile: enough to keep a panel of samples in L1 for a while, few enough that lists and
/// sums stay in L2.
const TILE_ROWS: usize = 256;

/// A stored W as lists of the inputs with weight +1 and with weight −1, over any storage.
///
/// The fastest form for batches if most weights are zero: a row costs what its non-zero weights cost. For one
/// sample at a time [`RowLanes`](crate::RowLanes) is faster. Memory is one byte per non-zero weight and some 7 bytes
/// per row and 256 inputs: 1 bit per weight at 90 % zeros, 3 at two thirds. The planes are no longer needed.
///
/// ```
/// use ternion_core::{IndexLists, Projection, TritMatrix};
///
/// let planes = TritMatrix::new(2, 3, [0b010, 0b000], [0b011, 0b100])?;
/// let w = IndexLists::new(&planes, vec![0; IndexLists::words(&planes)])?;
/// assert_eq!((w.features(), w.inputs()), (2, 3));
/// # Ok::<(), ternion_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexLists<S> {
    rows: usize,
    cols: usize,
    words: S,
}

/// The two lists of a row in a panel, as plane words.
fn planes_of(row: TritRow<'_>, panel: usize) -> [impl Iterator<Item = u64> + Clone; 2] {
    let words = row.words().skip(panel * PANEL_INPUTS / 64).take(PANEL_INPUTS / 64);
    [false, true].map(|minus| {
        words.clone().map(move |word| if minus { word.sign } else { word.mask & !word.sign })
    })
}

/// The set bits of plane words.
fn ones(plane: impl Iterator<Item = u64>) -> usize {
    plane.map(|word| word.count_ones() as usize).sum()
}

impl IndexLists<&[u32]> {
    /// Words of storage that the lists of a matrix take.
    pub fn words<O: AsRef<[u64]>>(planes: &TritMatrix<O>) -> usize {
        let panels = planes.cols().div_ceil(PANEL_INPUTS);
        let mut words = panels * planes.rows().div_ceil(SET_ROWS);
        for row in planes.iter_rows() {
            for panel in 0..panels {
                let [plus, minus] = planes_of(row, panel).map(ones);
                words += 1 + plus.div_ceil(GROUP_INDICES) + minus.div_ceil(GROUP_INDICES);
            }
        }
        words
    }
}

impl<S: AsRef<[u32]> + AsMut<[u32]>> IndexLists<S> {
    /// Writes the lists of a matrix into storage of [`words`](IndexLists::words) words or more.
    ///
    /// # Errors
    ///
    /// [`Error::SizeTooLarge`] for more than [`MAX_INPUTS`](crate::MAX_INPUTS) columns,
    /// [`Error::SizeOverflow`] for lists of more than 2³² words, [`Error::TooShort`] for the
    /// storage.
    pub fn new<O: AsRef<[u64]>>(planes: &TritMatrix<O>, mut storage: S) -> Result<Self, Error> {
        let (rows, cols) = (planes.rows(), planes.cols());
        check_inputs(cols)?;
        let needed = IndexLists::words(planes);
        if u32::try_from(needed).is_err() {
            return Err(Error::SizeOverflow { rows, cols });
        }
        let words = storage.as_mut();
        reach(Buffer::Lists, needed, words.len())?;
        let mut starts = 0..cols.div_ceil(PANEL_INPUTS) * rows.div_ceil(SET_ROWS);
        let mut end = starts.end;
        for panel in 0..cols.div_ceil(PANEL_INPUTS) {
            for (index, row) in planes.iter_rows().enumerate() {
                if index % SET_ROWS == 0
                    && let Some(start) = starts.next()
                {
                    words[start] = end as u32;
                }
                let [plus, minus] = planes_of(row, panel);
                words[end] = Head::new(ones(plus.clone()), ones(minus.clone())).word();
                end += 1;
                end += write_groups(plus, &mut words[end..]);
                end += write_groups(minus, &mut words[end..]);
            }
        }
        Ok(Self { rows, cols, words: storage })
    }
}

/// Writes the indices of the set bits in groups, and returns the number of groups.
fn write_groups(plane: impl Iterator<Item = u64>, groups: &mut [u32]) -> usize {
    let mut count = 0;
    for (word, mut bits) in plane.enumerate() {
        while bits != 0 {
            let input = word as u32 * 64 + bits.trailing_zeros();
            let (group, place) = (count / GROUP_INDICES, count % GROUP_INDICES);
            let so_far = if place == 0 { 0 } else { groups[group] };
            groups[group] = so_far | input << (8 * place);
            count += 1;
            bits &= bits - 1;
        }
    }
    count.div_ceil(GROUP_INDICES)
}

impl<S: AsRef<[u32]>> IndexLists<S> {
    /// Bytes of storage.
    pub fn bytes(&self) -> usize {
        size_of_val(self.words.as_ref())
    }

    fn panels(&self) -> usize {
        self.cols.div_ceil(PANEL_INPUTS)
    }

    /// The stream from a row on, which is the first of a set.
    #[inline(always)]
    fn stream(&self, panel: usize, row: usize) -> &[u32] {
        let words = self.words.as_ref();
        let start = words.get(panel * self.rows.div_ceil(SET_ROWS) + row / SET_ROWS);
        let start = *present!(start, else return &[]);
        present!(words.get(start as usize..), else &[])
    }
}

impl<S> Sealed for IndexLists<S> {}

impl<S: AsRef<[u32]>> Projection for IndexLists<S> {
    fn inputs(&self) -> usize {
        self.cols
    }

    fn features(&self) -> usize {
        self.rows
    }

    fn scratch_sizes(&self) -> ScratchSizes {
        ScratchSizes {
            block_lines: kernel::block_lines(self.cols),
            tile_features: self.rows.next_multiple_of(SET_ROWS).min(TILE_ROWS),
            ..ScratchSizes::minimal(self.cols)
        }
    }

    const PROJECTS_BITS: bool = false;

    fn project_sample<I: Simd>(
        &self,
        simd: I,
        sample: &[i16],
        features: Range<usize>,
        _: &mut [Line],
        sums: &mut [i32],
    ) {
        let sums = &mut sums[..features.len()];
        simd.vectorize(
            #[inline(always)]
            || {
                for (panel, numbers) in sample.chunks(PANEL_INPUTS).enumerate() {
                    let mut wide = [0; PANEL_INPUTS];
                    for (wide, &number) in wide.iter_mut().zip(numbers) {
                        *wide = number as i32;
                    }
                    let stream = self.stream(panel, features.start);
                    kernel::add_sample_panel(stream, &wide, panel == 0, sums);
                }
            },
        );
    }

    fn begin_block<I: Simd>(
        &self,
        simd: I,
        block: &mut [Lanes16],
        factors: Option<&Lanes32>,
        _: &mut [Line],
    ) {
        simd.vectorize(
            #[inline(always)]
            || kernel::write_extras(simd, block, factors.is_some()),
        );
    }

    fn project_block<I: Simd>(
        &self,
        simd: I,
        block: &[Lanes16],
        features: Range<usize>,
        _: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        let sums = &mut sums[..features.len()];
        let (panels, extras) = block.split_at(self.panels() * PANEL_INPUTS);
        let panels =
            panels.as_chunks::<PANEL_INPUTS>().0.iter().zip(extras.as_chunks::<EXTRA_LINES>().0);
        simd.vectorize(
            #[inline(always)]
            || {
                for (index, (panel, extras)) in panels.enumerate() {
                    let stream = self.stream(index, features.start);
                    kernel::add_panel(simd, stream, panel, extras, index == 0, sums);
                }
            },
        );
    }
}
