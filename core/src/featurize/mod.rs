//! `project` and `featurize`: the public entries, which check everything once and then run the pipeline.

mod activate;
mod interleave;
mod pipeline;
mod thresholds;

pub use pipeline::{scratch_lines, scratch_lines_for_one};
pub use thresholds::{Cuts, Thresholds};

pub(crate) use activate::{LaneCuts, pack_block, pack_sample};
pub(crate) use thresholds::shift_cuts;

use crate::arch::{LANES, Lanes32, Line, Simd};
use crate::error::{Buffer, Error, Size, reach, same};
use crate::input::{Element, Samples};
use crate::projection::Projection;
use crate::trits::TritMatrix;
use core::ops::Range;
use pipeline::{BlockPlace, CHUNK_BLOCKS, Quantity, Sink};

/// W·x of every sample: `out[i × features + j]` is feature `j` of sample `i`.
///
/// Weights are trits: no factor (1−ε)^(−1/2) is applied. Integer samples give exact `i32` sums;
/// `f32` samples give the exact sum of the quantised sample, rounded to `f32` and divided by its
/// unit (infinite if W·x is beyond `f32`). One sample is a batch of one.
///
/// # Errors
///
/// [`Error::SizeMismatch`] if the samples and W differ in inputs, [`Error::TooShort`] for the
/// scratch (see [`scratch_lines`](crate::scratch_lines)) or the output, [`Error::SizeOverflow`] if
/// no output could hold the result, [`Error::NotFinite`] and [`Error::DirtyTail`] for bad samples.
/// Nothing is written then.
///
/// ```
/// use ternion_core::{Line, Native, Samples, TritMatrix, project};
///
/// let w = TritMatrix::new(2, 3, [0b010, 0b001], [0b011, 0b101])?; // (+1 −1 0), (−1 0 +1)
/// let samples = Samples::new(&[5_i16, 3, 7], 3)?;
/// let mut sums = [0; 2];
/// project(Native, &w, &samples, &mut [Line::ZERO; 5], &mut sums)?;
/// assert_eq!(sums, [5 - 3, 7 - 5]);
/// # Ok::<(), ternion_core::Error>(())
/// ```
pub fn project<S: Simd, P: Projection, T: Element>(
    simd: S,
    projection: &P,
    samples: &Samples<'_, T>,
    scratch: &mut [Line],
    out: &mut [T::Value],
) -> Result<(), Error> {
    let features = projection.features();
    let overflow = Error::SizeOverflow { rows: samples.len(), cols: features };
    let needed = samples.len().checked_mul(features).ok_or(overflow)?;
    reach(Buffer::Output, needed, out.len())?;
    pipeline::check(simd, projection, samples, scratch)?;
    let scales = [[Scale { unit: 1.0, shift: 0 }; LANES]; CHUNK_BLOCKS];
    let mut sink = Values::<T> { out, features, first_sample: 0, scales };
    pipeline::run(simd, projection, samples, scratch, &mut sink);
    Ok(())
}

/// σ(W·x) of every sample, packed: row `i` of `out` holds the features of sample `i`.
///
/// The same sample gives the same bits alone or in a batch, on every ISA, in every form of the same W.
///
/// # Errors
///
/// As [`project`], and [`Error::SizeMismatch`] unless `out` has one row per sample and one column
/// per feature. Nothing is written then.
///
/// ```
/// use ternion_core::{Line, Native, Samples, Seeded, Sparsity, Thresholds, TritMatrix};
/// use ternion_core::{featurize, scratch_lines};
///
/// let w = Seeded::new(7, Sparsity::TWO_THIRDS, 4, 100)?;
/// let samples = Samples::new(&[0.5, -1.0, 0.25, 2.0, 1.0, 1.0, -1.0, 0.0_f32], 4)?;
/// let (mut sign, mut mask) = ([0; 4], [0; 4]);
/// let mut features = TritMatrix::zeroed(2, 100, &mut sign[..], &mut mask[..])?;
/// let mut scratch = vec![Line::ZERO; scratch_lines(&w, samples.len())];
///
/// featurize(Native, &w, &Thresholds::two(-0.5, 0.5)?, &samples, &mut scratch, &mut features)?;
/// let (plus, minus) = features.row(0).unwrap().counts();
/// assert!(plus > 0 && minus > 0 && plus + minus < 100);
/// # Ok::<(), ternion_core::Error>(())
/// ```
pub fn featurize<S: Simd, P: Projection, T: Element, O: AsRef<[u64]> + AsMut<[u64]>>(
    simd: S,
    projection: &P,
    thresholds: &Thresholds,
    samples: &Samples<'_, T>,
    scratch: &mut [Line],
    out: &mut TritMatrix<O>,
) -> Result<(), Error> {
    same(Size::Samples, samples.len(), out.rows())?;
    same(Size::Features, projection.features(), out.cols())?;
    pipeline::check(simd, projection, samples, scratch)?;
    let (cuts, scratch) = scratch.split_at_mut(pipeline::cut_lines(samples.len()));
    let cuts = match cuts.is_empty() {
        true => ChunkCuts::One(thresholds.cuts(1.0)),
        false => ChunkCuts::Blocks(bytemuck::cast_slice_mut(cuts)),
    };
    let (four, first_sample) = (thresholds.are_four(), 0);
    let mut sink = Trits { out, thresholds, four, first_sample, cuts };
    pipeline::run(simd, projection, samples, scratch, &mut sink);
    Ok(())
}

/// The sink of [`project`]: sums become values in the caller's unit.
struct Values<'a, T: Element> {
    out: &'a mut [T::Value],
    features: usize,
    /// The first sample of the current chunk.
    first_sample: usize,
    scales: [[Scale; LANES]; CHUNK_BLOCKS],
}

/// How the sums of a sample relate to its numbers.
#[derive(Clone, Copy)]
struct Scale {
    unit: f32,
    shift: i32,
}

impl<T: Element> Values<'_, T> {
    /// Writes the value of a sum.
    #[inline(always)]
    fn set(&mut self, block: usize, lane: usize, feature: usize, sum: i32) {
        let sample = self.first_sample + block * LANES + lane;
        let Scale { unit, shift } = self.scales[block][lane];
        self.out[sample * self.features + feature] = T::value(sum, unit, shift);
    }
}

impl<T: Element> Sink for Values<'_, T> {
    fn begin_sample(&mut self, block: usize, lane: usize, sample: usize, quantity: Quantity<'_>) {
        self.first_sample = sample - block * LANES - lane;
        if let Quantity::Integers { unit, shift, .. } = quantity {
            self.scales[block][lane] = Scale { unit, shift: shift.unwrap_or(0) };
        }
    }

    fn take_sums<S: Simd>(
        &mut self,
        _: S,
        block: usize,
        lane: usize,
        features: Range<usize>,
        sums: &[i32],
    ) {
        for (feature, &sum) in features.zip(sums) {
            self.set(block, lane, feature, sum);
        }
    }

    fn run_sample<S: Simd, P: Projection>(
        &mut self,
        simd: S,
        projection: &P,
        row: &[i16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [i32],
    ) {
        projection.project_sample(simd, row, features.clone(), work, sums);
        self.take_sums(simd, 0, 0, features, sums);
    }

    fn run_block<S: Simd, P: Projection>(
        &mut self,
        simd: S,
        projection: &P,
        place: BlockPlace<'_>,
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        let BlockPlace { block, lanes, samples } = place;
        projection.project_block(simd, samples, features.clone(), work, sums);
        for lane in 0..lanes {
            for (feature, sum) in features.clone().zip(&*sums) {
                self.set(block, lane, feature, sum.0.as_flattened()[lane]);
            }
        }
    }
}

/// The sink of [`featurize`]: sums become packed trits.
struct Trits<'a, O> {
    out: &'a mut TritMatrix<O>,
    thresholds: &'a Thresholds,
    four: bool,
    /// The first sample of the current chunk.
    first_sample: usize,
    cuts: ChunkCuts<'a>,
}

/// The integer thresholds of the samples of a chunk.
enum ChunkCuts<'a> {
    /// Samples are projected one by one.
    One(Cuts),
    /// One set of cuts per lane of each block.
    Blocks(&'a mut [LaneCuts]),
}

impl<O: AsRef<[u64]> + AsMut<[u64]>> Trits<'_, O> {
    /// The cuts of a sample.
    fn cuts(&self, block: usize, lane: usize) -> Cuts {
        match &self.cuts {
            ChunkCuts::One(one) => *one,
            ChunkCuts::Blocks(blocks) => activate::lane(&blocks[block], lane, self.four),
        }
    }
}

impl<O: AsRef<[u64]> + AsMut<[u64]>> Sink for Trits<'_, O> {
    fn begin_sample(&mut self, block: usize, lane: usize, sample: usize, quantity: Quantity<'_>) {
        self.first_sample = sample - block * LANES - lane;
        let cuts = match quantity {
            Quantity::Integers { row, unit, shift } => self.thresholds.cuts_for(row, unit, shift),
            Quantity::Bits(bits) => self.thresholds.cuts_for_bits(bits),
        };
        match &mut self.cuts {
            ChunkCuts::One(one) => *one = cuts,
            ChunkCuts::Blocks(blocks) => activate::set_lane(&mut blocks[block], lane, &cuts),
        }
    }

    fn take_sums<S: Simd>(
        &mut self,
        simd: S,
        block: usize,
        lane: usize,
        features: Range<usize>,
        sums: &[i32],
    ) {
        let cuts = self.cuts(block, lane);
        let mut row =
            self.out.row_writer(self.first_sample + block * LANES + lane, features.start / 64);
        pack_sample(
            simd,
            sums,
            &cuts,
            #[inline(always)]
            |word| row.push(word),
        );
    }

    fn run_sample<S: Simd, P: Projection>(
        &mut self,
        simd: S,
        projection: &P,
        row: &[i16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [i32],
    ) {
        let cuts = self.cuts(0, 0);
        let mut out = self.out.row_writer(self.first_sample, features.start / 64);
        projection.featurize_sample(
            simd,
            row,
            features,
            work,
            &cuts,
            sums,
            #[inline(always)]
            |word| out.push(word),
        );
    }

    fn run_block<S: Simd, P: Projection>(
        &mut self,
        simd: S,
        projection: &P,
        place: BlockPlace<'_>,
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    ) {
        let BlockPlace { block, lanes, samples } = place;
        let ChunkCuts::Blocks(cuts) = &self.cuts else {
            debug_assert!(false, "blocks of samples have cuts in lanes");
            return;
        };
        let first_sample = self.first_sample + block * LANES;
        let mut rows = self.out.rows_writer(first_sample, lanes, features.start / 64);
        projection.featurize_block(
            simd,
            samples,
            features,
            work,
            &cuts[block],
            self.four,
            sums,
            #[inline(always)]
            |sign, mask| rows.push(sign, mask),
        );
        rows.finish();
    }
}
