//! From a sample to features to a class, in memory the caller provides.

use super::activation::{Activation, Bands, PhaseWalk, add_phases, narrow_cuts};
use super::format::{Model, ModelForm, ModelSigma, ModelTask};
use super::hadamard::transform;
use super::scores::{ScoreSums, argmax};
use crate::error::{Buffer, Error};
use crate::featurize::periodic::{
    Phases, number_in_turns, rotated_factor, rotated_sample_in_turns,
};
use crate::projection::hadamard::{padding, shift_number, shift_of};
use crate::projection::local::{Draws, WORD_FEATURES};
use crate::projection::{Local, Structured};
use crate::seed::{RowStream, Sparsity};

impl Model<'_> {
    /// The class of a sample of `i8`, `u8` or `i16` numbers: that of the largest score, the first of equals; of a single
    /// score, 1 if it is positive and 0 if not.
    ///
    /// # Errors
    ///
    /// [`Error::NoClasses`] if the scores are numbers, [`Error::LengthMismatch`] unless there is one number per input,
    /// [`Error::TooShort`] if the scratch has fewer than [`scratch_words`](Self::scratch_words),
    /// [`Error::OutOfRange`] if a number leaves 16 bits when it is centred.
    pub fn predict<T: Copy + Into<i16>>(
        &self,
        sample: &[T],
        scratch: &mut [i32],
    ) -> Result<usize, Error> {
        if self.task == ModelTask::Numbers {
            return Err(Error::NoClasses { outputs: self.outputs });
        }
        Ok(match self.scores(sample, scratch)? {
            [score] => (*score > 0) as usize,
            scores => argmax(scores),
        })
    }

    /// The scores of all outputs, in the scratch. If they are numbers, each is 2^[fraction](Self::fraction) times the number; if not, only
    /// their order and differences are meaningful.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict), but for [`Error::NoClasses`].
    pub fn scores<'s, T: Copy + Into<i16>>(
        &self,
        sample: &[T],
        scratch: &'s mut [i32],
    ) -> Result<&'s mut [i32], Error> {
        let (dots, work) = self.split(scratch)?;
        let mut sums = ScoreSums::new(self, dots);
        self.run(sample, work, |sign, mask| sums.add(sign, mask))?;
        Ok(sums.finish(self))
    }

    /// Calls `visit` with the features of a sample, 32 at a time: a sign and a mask word, the first
    /// feature in the lowest bit, bits beyond the last feature zero.
    ///
    /// # Errors
    ///
    /// As [`scores`](Self::scores).
    pub fn featurize<T: Copy + Into<i16>>(
        &self,
        sample: &[T],
        scratch: &mut [i32],
        visit: impl FnMut(u32, u32),
    ) -> Result<(), Error> {
        let (_, work) = self.split(scratch)?;
        self.run(sample, work, visit)
    }

    /// The scratch as scores and work, both of the right length.
    fn split<'s>(&self, scratch: &'s mut [i32]) -> Result<(&'s mut [i32], &'s mut [i32]), Error> {
        let (needed, found) = (self.scratch_words(), scratch.len());
        let short = Error::TooShort { buffer: Buffer::ModelScratch, needed, found };
        let (dots, work) = scratch.split_at_mut_checked(self.outputs).ok_or(short)?;
        Ok((dots, work.get_mut(..self.work_words()).ok_or(short)?))
    }

    fn run<T: Copy + Into<i16>>(
        &self,
        sample: &[T],
        work: &mut [i32],
        visit: impl FnMut(u32, u32),
    ) -> Result<(), Error> {
        self.check_sample(sample)?;
        match &self.form {
            ModelForm::Local(local) => self.local(local, sample, work, visit),
            ModelForm::Structured(structured) => self.structured(structured, sample, work, visit),
            ModelForm::Seeded(seeded) => {
                self.rows(sample, work, visit, |row, tables| {
                    let mut words = RowStream::new(seeded.seed(), seeded.sparsity(), row);
                    lookup(tables, || words.next_half_word())
                });
            }
            ModelForm::Stored(planes) => {
                let mut words = planes.as_chunks::<4>().0.iter();
                let mut word = || u32::from_le_bytes(*present!(words.next(), else &[0; 4]));
                self.rows(sample, work, visit, |_, tables| lookup(tables, || (word(), word())));
            }
        }
        Ok(())
    }

    /// The bits by which transforms of 16 bits shift a sample.
    fn sample_shift<T: Copy + Into<i16>>(&self, sample: &[T]) -> i32 {
        // In halves, which add up in 32 bits.
        let (mut low, mut high) = (0_u32, 0_u32);
        for input in 0..self.inputs {
            let number = self.number(sample, input) as i32;
            let square = (number * number) as u32;
            low += square & 0xFFFF;
            high += square >> 16;
        }
        shift_of(((high as u64) << 16) + low as u64)
    }

    /// W of short transforms: the numbers of a word of features are gathered, transformed and forgotten.
    fn local<T: Copy + Into<i16>>(
        &self,
        local: &Local,
        sample: &[T],
        work: &mut [i32],
        visit: impl FnMut(u32, u32),
    ) {
        let numbers: &mut [i16] = bytemuck::cast_slice_mut(work);
        let numbers = present!(numbers.first_chunk_mut::<WORD_FEATURES>(), else return);
        let (shift, periodic, activation) = match self.sigma {
            ModelSigma::Bands(cuts) => {
                let shift = self.sample_shift(sample);
                (shift, None, Activation::Bands(Bands::new(narrow_cuts(cuts, shift))))
            }
            ModelSigma::Periodic { factor, seed } => {
                (0, Some((factor, Phases::new(seed))), Activation::Phased)
            }
        };
        let mut packer = Packer::new(self.features, activation, visit);
        let mut index = 0;
        while packer.left > 0 {
            let word = self.word(index);
            index += 1;
            let mut draws = Draws::new(local.seed(), word);
            // D · ½, to which the numbers are added.
            flips(numbers, || draws.half_signs());
            let size = draws.inputs(local.view(), self.inputs, |place, input| {
                let number = self.number(sample, input);
                let number = match periodic {
                    Some((factor, _)) => number_in_turns(number, factor),
                    None => shift_number(number, shift),
                };
                *present!(numbers.get_mut(place), else return) ^= number;
            });
            if let Some((_, phases)) = periodic {
                add_phases(numbers, phases, word, size);
            }
            for numbers in numbers.chunks_mut(size) {
                transform(numbers);
            }
            // Phases do what the signs after a transform are for.
            for sums in numbers.as_chunks::<32>().0 {
                packer.take(sums, if periodic.is_some() { 0 } else { draws.half_signs() });
            }
        }
    }

    /// W = D′·H·D after a rotation. The sample is loaded and rotated again for every transform, so that
    /// the memory of one transform suffices.
    fn structured<T: Copy + Into<i16>>(
        &self,
        structured: &Structured,
        sample: &[T],
        work: &mut [i32],
        visit: impl FnMut(u32, u32),
    ) {
        let sample_shift = self.sample_shift(sample);
        let (factor, activation) = match self.sigma {
            ModelSigma::Bands(cuts) => {
                (None, Activation::Bands(Bands::new(narrow_cuts(cuts, sample_shift))))
            }
            ModelSigma::Periodic { factor, .. } => {
                (Some(rotated_factor(factor, sample_shift)), Activation::Phased)
            }
        };
        let mut phases = self.phases();
        let mut packer = Packer::new(self.features, activation, visit);
        let numbers: &mut [i16] = bytemuck::cast_slice_mut(work);
        let signs = |row| RowStream::new(structured.seed(), Sparsity::DENSE, row);
        let mut row = 0;
        while packer.left > 0 {
            for (index, number) in numbers.iter_mut().enumerate() {
                *number = match index < self.inputs {
                    true => shift_number(self.number(sample, index), sample_shift),
                    false => padding(index),
                };
            }
            negate(numbers, signs(0));
            transform(numbers);
            for number in numbers.iter_mut() {
                *number >>= structured.rotation_shift();
            }
            if let Some(factor) = factor {
                rotated_sample_in_turns(numbers, factor);
            }
            negate(numbers, signs(row + 1));
            transform(numbers);
            if let Some(phases) = &mut phases {
                for number in numbers.iter_mut() {
                    *number = number.wrapping_add(phases.step());
                }
            }
            // Phases do what the signs after a transform are for.
            let mut after = signs(row + 2);
            for sums in numbers.chunks(32) {
                let signs = if factor.is_some() { 0 } else { after.next_draw() };
                packer.take(sums, signs);
            }
            row += 2;
        }
    }

    /// W row by row: `sum` makes the sum of a row from the tables of the sample.
    fn rows<T: Copy + Into<i16>>(
        &self,
        sample: &[T],
        work: &mut [i32],
        visit: impl FnMut(u32, u32),
        mut sum: impl FnMut(u64, &[i32]) -> i32,
    ) {
        self.tables(sample, work);
        let mut phases = self.phases();
        let mut packer = Packer::new(self.features, Activation::new(self.sigma), visit);
        for row in 0..self.features as u64 {
            let phase = phases.as_mut().map_or(0, PhaseWalk::step);
            packer.take(&[sum(row, work).wrapping_add(phase as i32)], 0);
        }
    }

    /// The phases of features, if σ is periodic.
    fn phases(&self) -> Option<PhaseWalk> {
        match self.sigma {
            ModelSigma::Bands(_) => None,
            ModelSigma::Periodic { seed, .. } => Some(PhaseWalk::new(seed)),
        }
    }

    /// For every four inputs the sums of their sixteen subsets: entry `i` adds the inputs at the set
    /// bits of `i`. Then 32 weights take sixteen lookups.
    fn tables<T: Copy + Into<i16>>(&self, sample: &[T], work: &mut [i32]) {
        work.fill(0);
        let tables = work.as_chunks_mut::<16>().0;
        for input in 0..self.inputs {
            let table = present!(tables.get_mut(input / 4), else return);
            let number = match self.sigma {
                ModelSigma::Bands(_) => self.number(sample, input),
                ModelSigma::Periodic { factor, .. } => {
                    number_in_turns(self.number(sample, input), factor)
                }
            };
            table[1 << (input % 4)] = number as i32;
        }
        for table in tables {
            for bit in 1..4 {
                let (without, with) = present!(table.split_at_mut_checked(1 << bit), else continue);
                let number = *present!(with.first(), else continue);
                for (with, without) in with.iter_mut().zip(without) {
                    *with = *without + number;
                }
            }
        }
    }
}

/// The inputs at the weights of +1 less those at −1, by tables; `group` returns the sign and the mask
/// of the next 32 weights.
fn lookup(tables: &[i32], mut group: impl FnMut() -> (u32, u32)) -> i32 {
    let mut sum = 0_i32;
    for tables in tables.as_chunks::<128>().0 {
        let (mut sign, mut mask) = group();
        for table in tables.as_chunks::<16>().0 {
            let minus = table[sign as usize % 16];
            sum =
                sum.wrapping_add(table[mask as usize % 16]).wrapping_sub(minus).wrapping_sub(minus);
            sign >>= 4;
            mask >>= 4;
        }
    }
    sum
}

/// The signs of a word, −1 for a set bit and 0 for another; `half` returns the next 32 bits.
fn flips(numbers: &mut [i16; WORD_FEATURES], mut half: impl FnMut() -> u32) {
    for numbers in numbers.as_chunks_mut::<32>().0 {
        let mut signs = half();
        for number in numbers {
            *number = -((signs & 1) as i16);
            signs >>= 1;
        }
    }
}

/// D · (numbers + ½): a NOT changes a sign.
fn negate(numbers: &mut [i16], mut words: RowStream) {
    for numbers in numbers.chunks_mut(32) {
        let mut signs = words.next_draw();
        for number in numbers {
            *number ^= -((signs & 1) as i16);
            signs >>= 1;
        }
    }
}

/// Packs trits: takes sums, passes words of 32 trits on.
struct Packer<V> {
    activation: Activation,
    /// Features still to come.
    left: usize,
    /// Features in the words.
    count: u32,
    plus: u32,
    minus: u32,
    visit: V,
}

impl<V: FnMut(u32, u32)> Packer<V> {
    fn new(features: usize, activation: Activation, visit: V) -> Self {
        Self { activation, left: features, count: 0, plus: 0, minus: 0, visit }
    }

    /// Takes the next sums, which change sign where a bit of `signs` is set: a power of two of them,
    /// at most 32, the same in every call. Ignores what is beyond the last feature.
    fn take<N: Copy + Into<i32>>(&mut self, sums: &[N], signs: u32) {
        let sums = sums.get(..self.left).unwrap_or(sums);
        let (plus, minus) = self.activation.trits(sums, signs);
        self.plus |= plus << (self.count & 31);
        self.minus |= minus << (self.count & 31);
        self.left -= sums.len();
        self.count += sums.len() as u32;
        if self.count == 32 || self.left == 0 && self.count > 0 {
            (self.visit)(self.minus & !self.plus, self.plus | self.minus);
            (self.count, self.plus, self.minus) = (0, 0, 0);
        }
    }
}

/// A model with its scratch: `WORDS` is what [`Model::scratch_words`] says.
///
/// ```
/// use ternion_core::model::{Model, Predictor};
///
/// const MODEL: Model = match Model::from_bytes(include_bytes!("xor.trnm")) {
///     Ok(model) => model,
///     Err(_) => panic!("not a model"),
/// };
/// let mut predictor = Predictor::<{ MODEL.scratch_words() }>::new(MODEL)?;
/// assert_eq!(predictor.predict(&[-10_i8, 10]), Ok(1));
/// # Ok::<(), ternion_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Predictor<'a, const WORDS: usize> {
    model: Model<'a>,
    scratch: [i32; WORDS],
}

impl<'a, const WORDS: usize> Predictor<'a, WORDS> {
    /// Gives a model its scratch. May go into a `static`.
    ///
    /// # Errors
    ///
    /// [`Error::TooShort`] if `WORDS` is not enough.
    pub const fn new(model: Model<'a>) -> Result<Self, Error> {
        let (buffer, needed, found) = (Buffer::ModelScratch, model.scratch_words(), WORDS);
        if found < needed {
            return Err(Error::TooShort { buffer, needed, found });
        }
        Ok(Self { model, scratch: [0; WORDS] })
    }

    /// The class of a sample.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] and [`Error::OutOfRange`] as [`Model::predict`].
    pub fn predict<T: Copy + Into<i16>>(&mut self, sample: &[T]) -> Result<usize, Error> {
        self.model.predict(sample, &mut self.scratch)
    }

    /// The model.
    pub const fn model(&self) -> &Model<'a> {
        &self.model
    }
}
