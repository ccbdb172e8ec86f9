//! The sinks of the pipeline: what becomes of the sums of [`project`](super::project) and
//! [`featurize`](super::featurize).

use super::activate::{self, LaneCuts, pack_sample_of_bits, write_phases};
use super::periodic::HighPhases;
use super::scratch::CHUNK_BLOCKS;
use super::thresholds::{BlockSigma, SampleSigma, Thresholds};
use crate::arch::{HALF, LANES, Lanes16, Lanes32, Line, Simd};
use crate::input::Element;
use crate::projection::Projection;
use crate::trits::TritMatrix;
use core::ops::Range;

/// A sample ready for projection.
#[derive(Clone, Copy)]
pub(super) enum PreparedSample<'a> {
    /// Integers that are `unit` times the caller's numbers, and will be shifted to the right by `shift` bits.
    Integers { row: &'a [i16], unit: f32, shift: Option<i32> },
    /// Packed bits.
    Bits(&'a [u64]),
}

/// Where sums go. A sample has a place in its chunk: a lane of a block.
pub(super) trait Sink {
    /// Whether sums are angles, so that all samples must come to one unit.
    fn is_periodic(&self) -> bool {
        false
    }

    /// The factor F of a sample that was announced, if sums are angles.
    fn factor(&self, _block: usize, _lane: usize) -> Option<u32> {
        None
    }

    /// The factors F of the samples of a block, if sums are angles.
    fn factors(&self, _block: usize) -> Option<&Lanes32> {
        None
    }

    /// Announces a sample before its sums.
    fn begin_sample(
        &mut self,
        block: usize,
        lane: usize,
        sample: usize,
        quantity: PreparedSample<'_>,
    );

    /// Announces features whose sums will be taken, with room for what they need, a word each.
    fn begin_features<S: Simd>(&self, _: S, _features: Range<usize>, _room: &mut [HighPhases]) {}

    /// Takes the sums of some features of one sample of packed bits, and the room of those features, if it was filled.
    fn take_sums<S: Simd>(
        &mut self,
        simd: S,
        block: usize,
        lane: usize,
        features: Range<usize>,
        room: &[HighPhases],
        sums: &[i32],
    );

    /// Projects some features of one sample, and keeps what it wants of them.
    fn run_sample<S: Simd, P: Projection>(
        &mut self,
        simd: S,
        projection: &P,
        row: &[i16],
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [i32],
    );

    /// Projects some features of a block of samples, and keeps what it wants of them.
    fn run_block<S: Simd, P: Projection>(
        &mut self,
        simd: S,
        projection: &P,
        place: BlockPlace<'_>,
        features: Range<usize>,
        work: &mut [Line],
        sums: &mut [Lanes32],
    );
}

/// A block of samples: its number in the chunk, the lanes in use, and the samples in lanes.
pub(super) struct BlockPlace<'a> {
    pub(super) block: usize,
    pub(super) lanes: usize,
    pub(super) samples: &'a [Lanes16],
}

/// The sink of `project`: sums become values in the caller's unit.
pub(super) struct Values<'a, T: Element> {
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

impl<'a, T: Element> Values<'a, T> {
    /// Values of `features` features per sample.
    pub(super) fn new(out: &'a mut [T::Value], features: usize) -> Self {
        let scales = [[Scale { unit: 1.0, shift: 0 }; LANES]; CHUNK_BLOCKS];
        Self { out, features, first_sample: 0, scales }
    }

    /// Writes the value of a sum.
    #[inline(always)]
    fn set(&mut self, block: usize, lane: usize, feature: usize, sum: i32) {
        let sample = self.first_sample + block * LANES + lane;
        let Scale { unit, shift } = self.scales[block][lane];
        self.out[sample * self.features + feature] = T::value(sum, unit, shift);
    }
}

impl<T: Element> Sink for Values<'_, T> {
    fn begin_sample(
        &mut self,
        block: usize,
        lane: usize,
        sample: usize,
        quantity: PreparedSample<'_>,
    ) {
        self.first_sample = sample - block * LANES - lane;
        if let PreparedSample::Integers { unit, shift, .. } = quantity {
            self.scales[block][lane] = Scale { unit, shift: shift.unwrap_or(0) };
        }
    }

    fn take_sums<S: Simd>(
        &mut self,
        _: S,
        block: usize,
        lane: usize,
        features: Range<usize>,
        _: &[HighPhases],
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
        self.take_sums(simd, 0, 0, features, &[], sums);
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

/// The sink of `featurize`: sums become packed trits.
pub(super) struct Trits<'a, O> {
    out: &'a mut TritMatrix<O>,
    thresholds: &'a Thresholds,
    four: bool,
    /// The first sample of the current chunk.
    first_sample: usize,
    sigmas: ChunkSigmas<'a>,
}

/// σ for the samples of a chunk.
enum ChunkSigmas<'a> {
    /// Samples are projected one by one.
    One(SampleSigma),
    /// One set of cuts per lane of each block, or one factor F, in place of the first.
    Blocks(&'a mut [LaneCuts]),
}

impl<'a, O: AsRef<[u64]> + AsMut<[u64]>> Trits<'a, O> {
    /// Trits, with room for the cuts of a chunk; none if samples are projected one by one.
    pub(super) fn new(
        out: &'a mut TritMatrix<O>,
        thresholds: &'a Thresholds,
        cuts: &'a mut [Line],
    ) -> Self {
        let sigmas = match cuts.is_empty() {
            true => ChunkSigmas::One(thresholds.sigma_for_bits(&[])),
            false => ChunkSigmas::Blocks(bytemuck::cast_slice_mut(cuts)),
        };
        Self { out, thresholds, four: thresholds.are_four(), first_sample: 0, sigmas }
    }

    /// σ for a sample.
    fn sigma(&self, block: usize, lane: usize) -> SampleSigma {
        match &self.sigmas {
            ChunkSigmas::One(one) => *one,
            ChunkSigmas::Blocks(blocks) => match self.thresholds.phases() {
                None => SampleSigma::Bands(activate::lane(&blocks[block], lane, self.four)),
                Some(phases) => {
                    let factor = blocks[block][0].0[lane / HALF][lane % HALF] as u32;
                    SampleSigma::Periodic { phases, factor }
                }
            },
        }
    }
}

impl<O: AsRef<[u64]> + AsMut<[u64]>> Sink for Trits<'_, O> {
    fn is_periodic(&self) -> bool {
        self.thresholds.phases().is_some()
    }

    fn factor(&self, block: usize, lane: usize) -> Option<u32> {
        match self.sigma(block, lane) {
            SampleSigma::Bands(_) => None,
            SampleSigma::Periodic { factor, .. } => Some(factor),
        }
    }

    fn factors(&self, block: usize) -> Option<&Lanes32> {
        match &self.sigmas {
            ChunkSigmas::Blocks(blocks) if self.is_periodic() => Some(&blocks.get(block)?[0]),
            _ => None,
        }
    }

    fn begin_sample(
        &mut self,
        block: usize,
        lane: usize,
        sample: usize,
        quantity: PreparedSample<'_>,
    ) {
        self.first_sample = sample - block * LANES - lane;
        let sigma = match quantity {
            PreparedSample::Integers { row, unit, shift } => {
                self.thresholds.sigma_for(row, unit, shift)
            }
            PreparedSample::Bits(bits) => self.thresholds.sigma_for_bits(bits),
        };
        match (&mut self.sigmas, sigma) {
            (ChunkSigmas::One(one), _) => *one = sigma,
            (ChunkSigmas::Blocks(blocks), SampleSigma::Bands(cuts)) => {
                activate::set_lane(&mut blocks[block], lane, &cuts);
            }
            (ChunkSigmas::Blocks(blocks), SampleSigma::Periodic { factor, .. }) => {
                blocks[block][0].0[lane / HALF][lane % HALF] = factor as i32;
            }
        }
    }

    fn begin_features<S: Simd>(&self, simd: S, features: Range<usize>, room: &mut [HighPhases]) {
        if let Some(phases) = self.thresholds.phases() {
            let room = room.get_mut(..features.len().div_ceil(64));
            write_phases(simd, features.start, phases, present!(room, else return));
        }
    }

    fn take_sums<S: Simd>(
        &mut self,
        simd: S,
        block: usize,
        lane: usize,
        features: Range<usize>,
        room: &[HighPhases],
        sums: &[i32],
    ) {
        let sigma = self.sigma(block, lane);
        let mut row =
            self.out.row_writer(self.first_sample + block * LANES + lane, features.start / 64);
        pack_sample_of_bits(
            simd,
            features.start,
            sums,
            room,
            &sigma,
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
        let sigma = self.sigma(0, 0);
        let mut out = self.out.row_writer(self.first_sample, features.start / 64);
        projection.featurize_sample(
            simd,
            row,
            features,
            work,
            &sigma,
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
        let ChunkSigmas::Blocks(blocks) = &self.sigmas else { return };
        let cuts = present!(blocks.get(block), else return);
        let sigma = match self.thresholds.phases() {
            None => BlockSigma::Bands { cuts, four: self.four },
            Some(phases) => BlockSigma::Periodic(phases),
        };
        let first_sample = self.first_sample + block * LANES;
        let mut rows = self.out.rows_writer(first_sample, lanes, features.start / 64);
        projection.featurize_block(
            simd,
            samples,
            features,
            work,
            &sigma,
            sums,
            #[inline(always)]
            |sign, mask| rows.push(sign, mask),
        );
        rows.finish();
    }
}
