//! What a word of features sees: drawn from the seed, bit by bit.

use crate::error::{Error, Size, nonzero};
use crate::seed::{RowStream, Sparsity};

/// Features of a word, and the most inputs that it sees at a time.
pub(crate) const WORD_FEATURES: usize = 64;

/// The sides of a box: from 5 to 14 places.
const MIN_SIDE: usize = 5;
const SIDES: usize = 10;

/// The shape of an image or a series: input `(row × width + column) × channels + channel`.
///
/// ```
/// use ternion_core::Grid;
///
/// assert_eq!(Grid::image(28, 28).inputs(), Some(784));
/// assert_eq!(Grid::series(1000).inputs(), Some(1000));
/// assert_eq!(Grid { channels: 3, ..Grid::image(32, 32) }.inputs(), Some(3072));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Columns, or the length of a series.
    pub width: usize,
    /// Rows; 1 for a series.
    pub height: usize,
    /// Numbers at each place.
    pub channels: usize,
}

impl Grid {
    /// An image with one channel.
    pub const fn image(width: usize, height: usize) -> Self {
        Self { width, height, channels: 1 }
    }

    /// A series with one channel.
    pub const fn series(length: usize) -> Self {
        Self { width: length, height: 1, channels: 1 }
    }

    /// Inputs of a sample; `None` if their number overflows.
    pub const fn inputs(&self) -> Option<usize> {
        match self.width.checked_mul(self.height) {
            Some(places) => places.checked_mul(self.channels),
            None => None,
        }
    }
}

/// Which inputs the words of a [`Local`](super::Local) W see.
///
/// ```
/// use ternion_core::{Grid, View};
///
/// let images = View::Boxes(Grid::image(28, 28));
/// let tables = View::SUBSETS;
/// assert_ne!(images, tables);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum View {
    /// A box of a grid: for images and series.
    Boxes(Grid),
    /// Some inputs drawn at random, as many as each word draws between two numbers: for tables.
    Subsets {
        /// The fewest inputs, at least 1.
        least: usize,
        /// The most inputs, at most 64.
        most: usize,
    },
}

impl View {
    /// Subsets of 2 to 8 inputs.
    pub const SUBSETS: Self = Self::Subsets { least: 2, most: 8 };

    /// Refuses views that do not fit a number of inputs.
    pub(super) const fn check(&self, inputs: usize) -> Result<(), Error> {
        match *self {
            Self::Boxes(grid) => match grid.inputs() {
                Some(expected) if expected == inputs => Ok(()),
                Some(expected) => {
                    Err(Error::SizeMismatch { size: Size::Inputs, expected, found: inputs })
                }
                None => {
                    let cols = grid.width.saturating_mul(grid.channels);
                    Err(Error::SizeOverflow { rows: grid.height, cols })
                }
            },
            Self::Subsets { least, most } => {
                if let Err(refused) = nonzero(Size::SubsetInputs, least) {
                    return Err(refused);
                }
                if most < least || most > WORD_FEATURES {
                    let max = if most < least { most } else { WORD_FEATURES };
                    let found = if most < least { least } else { most };
                    return Err(Error::SizeTooLarge { size: Size::SubsetInputs, max, found });
                }
                Ok(())
            }
        }
    }
}

/// What is drawn for a word of 64 features: the inputs that it sees, and its signs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DrawnWord {
    /// P: the word consists of 64/P transforms of P numbers.
    pub(crate) size: usize,
    /// The inputs of each number, in order; the number of inputs where there is none.
    pub(crate) inputs: [u16; WORD_FEATURES],
    /// D, a bit per number.
    pub(crate) before: u64,
    /// D′, a bit per feature.
    pub(crate) after: u64,
}

impl DrawnWord {
    /// Draws what word `word` sees.
    pub(crate) fn new(seed: u64, view: View, inputs: usize, word: usize) -> Self {
        let mut draws = RowStream::new(seed, Sparsity::DENSE, word as u64);
        let mut seen = [inputs as u16; WORD_FEATURES];
        let size = match view {
            View::Boxes(grid) => {
                draw_box(&mut draws, grid, &mut seen);
                WORD_FEATURES
            }
            View::Subsets { least, most } => {
                let count = (least + below(&mut draws, most - least + 1)).min(inputs);
                let size = count.next_power_of_two().max(2);
                for transform in seen.chunks_mut(size) {
                    choose(&mut draws, inputs, present!(transform.get_mut(..count), else continue));
                }
                size
            }
        };
        let mut bits = || draws.next_draw() as u64 | (draws.next_draw() as u64) << 32;
        let (before, after) = (bits(), bits());
        Self { size, inputs: seen, before, after }
    }
}

/// Draws a box, and the inputs in it.
fn draw_box(draws: &mut RowStream, grid: Grid, seen: &mut [u16; WORD_FEATURES]) {
    let mut side = |length: usize| (MIN_SIDE + below(draws, SIDES)).min(length);
    let (height, width) = (side(grid.height), side(grid.width));
    let top = below(draws, grid.height - height + 1);
    let left = below(draws, grid.width - width + 1);
    let row = width * grid.channels;
    let count = (height * row).min(WORD_FEATURES);
    let seen = present!(seen.get_mut(..count), else return);
    choose(draws, height * row, seen);
    for input in seen {
        let (i, j) = (*input as usize / row, *input as usize % row);
        *input = (((top + i) * grid.width + left) * grid.channels + j) as u16;
    }
}

/// Chooses as many of `of` numbers as there is room for, without replacement, in ascending order: R. Floyd's algorithm.
fn choose(draws: &mut RowStream, of: usize, chosen: &mut [u16]) {
    let count = chosen.len();
    if count == of {
        chosen.iter_mut().zip(0..).for_each(|(chosen, number)| *chosen = number);
        return;
    }
    for done in 0..count {
        let last = of - count + done;
        let drawn = below(draws, last + 1) as u16;
        let (before, _) = present!(chosen.split_at_mut_checked(done + 1), else return);
        let (sorted, slot) = present!(before.split_at_mut_checked(done), else return);
        match sorted.binary_search(&drawn) {
            // All numbers before are less than the last.
            Ok(_) => slot[0] = last as u16,
            Err(place) => {
                slot[0] = drawn;
                before[place..].rotate_right(1);
            }
        }
    }
}

/// A number below `count`, all equally likely up to one part in 2³² / count.
fn below(draws: &mut RowStream, count: usize) -> usize {
    ((draws.next_draw() as u64 * count as u64) >> 32) as usize
}
