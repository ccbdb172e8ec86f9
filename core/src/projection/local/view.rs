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
        let mut draws = Draws::new(seed, word);
        let before = draws.signs();
        let mut seen = [inputs as u16; WORD_FEATURES];
        let size = draws.inputs(view, inputs, |place, input| {
            *present!(seen.get_mut(place), else return) = input as u16;
        });
        Self { size, inputs: seen, before, after: draws.signs() }
    }
}

/// The random numbers of a word, in the order in which they are drawn: D, the inputs that it sees, D′.
pub(crate) struct Draws(RowStream);

impl Draws {
    /// Starts word `word`.
    pub(crate) fn new(seed: u64, word: usize) -> Self {
        Self(RowStream::new(seed, Sparsity::DENSE, word as u64))
    }

    /// D or D′, a bit each.
    pub(crate) fn signs(&mut self) -> u64 {
        self.half_signs() as u64 | (self.half_signs() as u64) << 32
    }

    /// The next half of D or D′, the lower first.
    pub(crate) fn half_signs(&mut self) -> u32 {
        self.0.next_draw()
    }

    /// Calls `see` with the place of each number in the word and its input, in ascending order of the places; numbers
    /// without an input are left out. Returns P.
    #[inline(always)]
    pub(crate) fn inputs(
        &mut self,
        view: View,
        inputs: usize,
        mut see: impl FnMut(usize, usize),
    ) -> usize {
        match view {
            View::Boxes(grid) => {
                self.draw_box(grid, see);
                WORD_FEATURES
            }
            View::Subsets { least, most } => {
                let count = (least + self.below(most - least + 1)).min(inputs);
                let size = count.next_power_of_two().max(2);
                let mut chosen = [0; WORD_FEATURES];
                for start in (0..WORD_FEATURES).step_by(size) {
                    let chosen = present!(chosen.get_mut(..count), else return size);
                    self.choose(inputs, chosen);
                    chosen.iter().zip(start..).for_each(|(&input, place)| see(place, input.into()));
                }
                size
            }
        }
    }

    /// Draws a box, and visits at most 64 of its inputs, evenly.
    #[inline(always)]
    fn draw_box(&mut self, grid: Grid, mut see: impl FnMut(usize, usize)) {
        let height = (MIN_SIDE + self.below(SIDES)).min(grid.height);
        let width = (MIN_SIDE + self.below(SIDES)).min(grid.width);
        let top = self.below(grid.height - height + 1);
        let left = self.below(grid.width - width + 1);
        // In 64ths of an input, from the start of a row of the box.
        let row = WORD_FEATURES * width * grid.channels;
        let step = (height * width * grid.channels).max(WORD_FEATURES);
        let count = (height * width * grid.channels).min(WORD_FEATURES);
        let mut start = (top * grid.width + left) * grid.channels;
        let mut offset = 0;
        for place in 0..count {
            // A step may be longer than a row.
            while offset >= row {
                offset -= row;
                start += grid.width * grid.channels;
            }
            see(place, start + offset / WORD_FEATURES);
            offset += step;
        }
    }

    /// Chooses as many of `of` numbers as there is room for, without replacement, in ascending order: R. Floyd's
    /// algorithm.
    fn choose(&mut self, of: usize, chosen: &mut [u16]) {
        let count = chosen.len();
        if count == of {
            chosen.iter_mut().zip(0..).for_each(|(chosen, number)| *chosen = number);
            return;
        }
        for done in 0..count {
            let last = of - count + done;
            let drawn = self.below(last + 1) as u16;
            let (sorted, rest) = present!(chosen.split_at_mut_checked(done), else return);
            let mut number = if sorted.contains(&drawn) { last as u16 } else { drawn };
            // Larger ones move up by a place.
            for other in sorted {
                if *other > number {
                    core::mem::swap(other, &mut number);
                }
            }
            *present!(rest.first_mut(), else return) = number;
        }
    }

    /// A number below `count`, all equally likely up to one part in 2³² / count.
    fn below(&mut self, count: usize) -> usize {
        ((self.0.next_draw() as u64 * count as u64) >> 32) as usize
    }
}
