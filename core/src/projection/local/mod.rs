//! W as short Walsh–Hadamard transforms, each of a few inputs: boxes of an image, or columns of a table.
//!
//! Features that see only part of a sample capture local structure: images, series and tables have more of it than of
//! anything that involves all inputs at once. Nothing is stored, and a feature takes log₂P additions with P ≤ 64.
//!
//! # What it is, bit by bit
//!
//! The sample is brought to a norm between 2048 and 4096 as for [`structured`](super::structured), a = ⌊x / 2^s⌋ + ½;
//! it is not rotated. Features come in *words* of 64. What word w sees is drawn from row w of the [seed](crate::seed),
//! ε = 0, by draws of 32 bits in the following order, with below(n) = ⌊draw · n / 2³²⌋.
//!
//! - D, 64 bits, the lower 32 first.
//! - [`View::Boxes`]: the height of the box, 5 + below(10) but at most that of the grid; its width likewise; the row of
//!   its top, below(grid height − height + 1); the column of its left side likewise. Its n inputs are numbered row by
//!   row, the channels of a place side by side. If there are more than 64, number i is input ⌊i·n / 64⌋ of them; else
//!   all are seen. P = 64.
//! - [`View::Subsets`]: k = least + below(most − least + 1), but at most the number of inputs. P is the least power of
//!   two that is at least k and 2. For each of the 64/P transforms of the word k of the inputs are chosen.
//! - D′, as D.
//!
//! To choose k of n numbers (R. Floyd's algorithm; nothing is drawn if k = n): for j from n − k to n − 1,
//! t = below(j + 1) is chosen, or j if t already is. Those chosen are taken in ascending order. Where fewer than P
//! inputs are seen, the numbers behind them are +½.
//!
//! ```text
//! z = H · D · a seen      modulo 2¹⁶             for each P numbers of the word
//! t = D′ · z · 2^s                               feature 64·w + i is tᵢ
//! ```
//!
//! with H of size P, and the numbers, cuts and sums as for [`structured`](super::structured). Sums wrap as rarely,
//! since the norm of a part is at most that of the whole.
//!
//! # Thresholds
//!
//! The variance of the sums differs between features; one set of thresholds serves all, in units of their root mean
//! square over the data: [`Local::gain`].

mod kernel;
mod view;

pub(crate) use view::{Draws, WORD_FEATURES};
pub use view::{Grid, View};

use core::ops::Range;

use super::hadamard::{
    Limits, PeriodicWords, SampleCuts, Sums, Words, activate_word, shift_of_sample, sign_lines,
    sign_sample,
};
use super::{Projection, ScratchSizes, sealed::Sealed};
use crate::arch::{Comparisons, LANES, Lanes16, Lanes32, Line, Simd};
use crate::error::{Buffer, Error, check_features};
use crate::featurize::{BlockSigma, SampleSigma, periodic};
use crate::input::check_inputs;
use crate::trits::Word;
use view::DrawnWord;

/// Words in a tile.
const TILE_WORDS: usize = 8;

/// A W of short transforms, each of a box of a grid or of a few inputs. [`local`](self) specifies it bit by bit.
///
/// ```
/// use ternion_core::{Grid, Local, Projection, View};
///
/// let w = Local::new(42, View::Boxes(Grid::image(28, 28)), 784, 4096)?;
/// assert_eq!((w.inputs(), w.features()), (784, 4096));
/// # Ok::<(), ternion_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local {
    seed: u64,
    view: View,
    inputs: usize,
    features: usize,
}

impl Local {
    /// The W that a seed and a view mean.
    ///
    /// # Errors
    ///
    /// [`Error::ZeroSize`] for no inputs, no features or subsets of no inputs, [`Error::SizeMismatch`] for a grid of
    /// another number of inputs, [`Error::SizeOverflow`] for one whose inputs cannot be counted,
    /// [`Error::SizeTooLarge`] for subsets of more than 64 inputs or of fewer at most than at least, and for more than
    /// [`MAX_INPUTS`](crate::MAX_INPUTS) inputs or `i32::MAX` features.
    pub const fn new(seed: u64, view: View, inputs: usize, features: usize) -> Result<Self, Error> {
        if let Err(refused) = check_inputs(inputs) {
            return Err(refused);
        }
        if let Err(refused) = check_features(features) {
            return Err(refused);
        }
        match view.check(inputs) {
            Ok(()) => Ok(Self { seed, view, inputs, features }),
            Err(refused) => Err(refused),
        }
    }

    /// The seed.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// What the words see.
    pub const fn view(&self) -> View {
        self.view
    }

    /// The inputs that word `word` of 64 features sees, one for each of its numbers that has one: those of a box in
    /// ascending order, or those of its subsets, one subset after the other.
    ///
    /// ```
    /// use ternion_core::{Grid, Local, View};
    ///
    /// let w = Local::new(42, View::Boxes(Grid::image(28, 28)), 784, 4096)?;
    /// let rows: Vec<usize> = w.seen(7).map(|input| input / 28).collect();
    /// assert!(rows[rows.len() - 1] - rows[0] < 14); // a box has 5 to 14 rows
    /// # Ok::<(), ternion_core::Error>(())
    /// ```
    pub fn seen(&self, word: usize) -> impl Iterator<Item = usize> + use<> {
        let all = self.inputs;
        self.draw(word).inputs.into_iter().map(usize::from).filter(move |&input| input < all)
    }

    /// How many times larger the sums are than those of a dense ±1 W, in the root mean square over all features (of
    /// whole words): for data whose inputs have the given mean squares.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] unless there is one number per input, [`Error::NotFinite`] for a number that is not
    /// finite or is negative.
    ///
    /// ```
    /// use ternion_core::{Local, View};
    ///
    /// // Four of sixteen equal inputs are seen at a time: half the norm.
    /// let w = Local::new(1, View::Subsets { least: 4, most: 4 }, 16, 640)?;
    /// assert_eq!(w.gain(&[2.0; 16])?, 0.5);
    /// # Ok::<(), ternion_core::Error>(())
    /// ```
    pub fn gain(&self, mean_squares: &[f64]) -> Result<f64, Error> {
        let (expected, found) = (self.inputs, mean_squares.len());
        if found != expected {
            return Err(Error::LengthMismatch { buffer: Buffer::MeanSquares, expected, found });
        }
        let wrong = |square: &f64| !square.is_finite() || *square < 0.0;
        if let Some(input) = mean_squares.iter().position(wrong) {
            return Err(Error::NotFinite { sample: 0, input });
        }
        // Relative to the largest, so that sums stay finite.
        let largest = mean_squares.iter().fold(0.0_f64, |largest, &square| largest.max(square));
        if largest == 0.0 {
            return Ok(1.0);
        }
        let (mut seen, mut count) = (0.0, 0.0);
        for word in 0..self.features.div_ceil(WORD_FEATURES) {
            let drawn = self.draw(word);
            for transform in drawn.inputs.chunks(drawn.size) {
                let squares =
                    transform.iter().filter_map(|&input| mean_squares.get(input as usize));
                seen += drawn.size as f64 * squares.map(|square| square / largest).sum::<f64>();
                count += drawn.size as f64;
            }
        }
        let all: f64 = mean_squares.iter().map(|square| square / largest).sum();
        Ok(libm::sqrt(seen / count / all))
    }

    /// Draws the inputs and signs of a word.
    fn draw(&self, word: usize) -> DrawnWord {
        DrawnWord::new(self.seed, self.view, self.inputs, word)
    }
}

impl Sealed for Local {}

impl Projection for Local {
    fn inputs(&self) -> usize {
        self.inputs
    }

    fn features(&self) -> usize {
        self.features
    }

    fn scratch_sizes(&self) -> ScratchSizes {
        let tile_features = (self.features.div_ceil(WORD_FEATURES)).min(TILE_WORDS) * WORD_FEATURES;
        ScratchSizes {
            // Words that see fewer numbers than they have read a line of zeros behind the inputs.
            block_lines: self.inputs + 1,
            tile_features,
            work_lines: WORD_FEATURES + TILE_WORDS * DRAWN_LINES + WORD_FEATURES,
            ..ScratchSizes::minimal(self.inputs)
        }
    }

    const PROJECTS_BITS: bool = false;

    const NEEDS_SMALL_SPAN_SUMS: bool = false;

    fn sample_shift<S: Simd>(&self, simd: S, sample: &[i16]) -> Option<i32> {
        Some(shift_of_sample(simd, sample))
    }

    fn project_sample<S: Simd>(
        &self,
        _: S,
        sample: &[i16],
        features: Range<usize>,
        _: &mut [Line],
        sums: &mut [i32],
    ) {
        let drawn = self.draw(features.start / WORD_FEATURES);
        let found: [i16; WORD_FEATURES] = bytemuck::cast(kernel::transform_sample(sample, &drawn));
        sign_sample(&found, &[drawn.after], sums);
    }

    fn featurize_sample<S: Simd>(
        &self,
        simd: S,
        sample: &[i16],
        features: Range<usize>,
        _: &mut [Line],
        sigma: &SampleSigma,
        _: &mut [i32],
        mut write: impl FnMut(Word),
    ) {
        let word = features.start / WORD_FEATURES;
        let drawn = self.draw(word);
        simd.vectorize(
            #[inline(always)]
            || {
                let sums = kernel::transform_sample(sample, &drawn);
                write(match sigma {
                    SampleSigma::Bands(cuts) => {
                        activate_word(simd, &sums, drawn.after, &SampleCuts::new(simd, cuts))
                    }
                    SampleSigma::Periodic { phases, .. } => {
                        periodic::word(simd, &sums, &phases.of_word(simd, word))
                    }
                });
            },
        );
    }

    /// Draws what the words of the tile see.
    fn begin_tile<S: Simd>(&self, _: S, features: Range<usize>, work: &mut [Line]) {
        let (_, drawn_words) = work.split_at_mut(2 * WORD_FEATURES);
        let (drawn_words, _) = drawn_words.as_chunks_mut::<DRAWN_LINES>();
        for (word, lines) in
            (features.start / WORD_FEATURES..features.end.div_ceil(WORD_FEATURES)).zip(drawn_words)
        {
            write_drawn(&self.draw(word), lines);
        }
    }

    fn project_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        let (work, drawn_words) = work.split_at_mut(2 * WORD_FEATURES);
        let (work, found) =
            bytemuck::cast_slice_mut::<_, Lanes16>(work).split_at_mut(WORD_FEATURES);
        let work = present!(work.first_chunk_mut::<WORD_FEATURES>(), else return);
        let words = sums[..features.len()].chunks_mut(WORD_FEATURES);
        for (lines, sums) in drawn_words.as_chunks::<DRAWN_LINES>().0.iter().zip(words) {
            let drawn = read_drawn(lines);
            simd.vectorize(
                #[inline(always)]
                || {
                    kernel::transform(
                        simd,
                        block,
                        &drawn,
                        work,
                        &mut Sums { lines: found, shift: 0 },
                    )
                },
            );
            sign_lines(found, &[drawn.after], sums);
        }
    }

    fn featurize_block<S: Simd>(
        &self,
        simd: S,
        block: &[Lanes16],
        features: Range<usize>,
        work: &mut [Line],
        sigma: &BlockSigma<'_>,
        _: &mut [Lanes32],
        mut write: impl FnMut(&[u64; LANES], &[u64; LANES]),
    ) {
        let (work, drawn_words) = work.split_at_mut(2 * WORD_FEATURES);
        let work: &mut [Lanes16] = bytemuck::cast_slice_mut(work);
        let work = present!(work.first_chunk_mut::<WORD_FEATURES>(), else return);
        let words = features.start / WORD_FEATURES..features.end.div_ceil(WORD_FEATURES);
        let drawn_words = words.zip(drawn_words.as_chunks::<DRAWN_LINES>().0);
        match *sigma {
            BlockSigma::Bands { cuts, four } => {
                let limits = &Limits::new(cuts, four);
                for (_, lines) in drawn_words {
                    let drawn = read_drawn(lines);
                    let (bits, write, after) =
                        ([[Comparisons::ZERO; 2]; 2], &mut write, &[drawn.after][..]);
                    simd.vectorize(
                        #[inline(always)]
                        || {
                            let mut finish = Words { limits, four, after, bits, write };
                            kernel::transform(simd, block, &drawn, work, &mut finish);
                        },
                    );
                }
            }
            BlockSigma::Periodic(phases) => {
                for (first_word, lines) in drawn_words {
                    let drawn = read_drawn(lines);
                    let (bits, write) = ([Comparisons::ZERO; 2], &mut write);
                    simd.vectorize(
                        #[inline(always)]
                        || {
                            let mut finish = PeriodicWords { phases, first_word, bits, write };
                            kernel::transform(simd, block, &drawn, work, &mut finish);
                        },
                    );
                }
            }
        }
    }
}

/// Lines that hold a [`DrawnWord`] in scratch: its inputs, then three words.
const DRAWN_LINES: usize = 3;

fn write_drawn(drawn: &DrawnWord, lines: &mut [Line; DRAWN_LINES]) {
    let [first, second, rest] = lines;
    let [a, b]: [Line; 2] = bytemuck::cast(drawn.inputs);
    (*first, *second) = (a, b);
    *rest = bytemuck::cast([drawn.before, drawn.after, drawn.size as u64, 0, 0, 0, 0, 0]);
}

fn read_drawn([first, second, rest]: &[Line; DRAWN_LINES]) -> DrawnWord {
    let [before, after, size, ..]: [u64; 8] = bytemuck::cast(*rest);
    DrawnWord { size: size as usize, inputs: bytemuck::cast([*first, *second]), before, after }
}
