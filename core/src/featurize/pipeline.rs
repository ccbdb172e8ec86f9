//! The loop around every projection: samples in chunks, features in tiles, sums into a sink.
//!
//! ```text
//! for every chunk of up to 8 blocks of 32 samples:
//!     quantise the samples and interleave them into lanes
//!     for every tile of features:
//!         begin the tile (generate its part of W, if W is not stored)
//!         for every block of the chunk:
//!             project, then pass the sums to the sink
//! ```
//!
//! Samples of packed bits are used as they are, four at a time.
//!
//! A chunk shares what is done once per tile: generating W, and bringing it into cache. Scratch holds one chunk of
//! samples and one tile of sums, whatever the size of the batch.

use super::activate::LaneCuts;
use super::interleave;
use crate::arch::{HALF, LANES, Lanes16, Lanes32, Line, Simd};
use crate::error::{Buffer, Error, Size, reach, same};
use crate::input::{Element, Quantised, Samples};
use crate::projection::hadamard::shift_number;
use crate::projection::{BITS_SAMPLES, Projection, ScratchSizes};
use core::ops::Range;

/// Fewest samples that make a block; fewer are projected one by one.
const MIN_BLOCK_SAMPLES: usize = 4;

/// Blocks that share a tile.
pub(super) const CHUNK_BLOCKS: usize = 8;

/// Samples of a chunk.
const CHUNK_SAMPLES: usize = CHUNK_BLOCKS * LANES;

/// Numbers from one row of a block to the next, which is also the lines of a block of rows.
fn row_stride(inputs: usize) -> usize {
    inputs.next_multiple_of(interleave::SIDE)
}

/// The parts of the scratch, in lines.
struct Layout {
    /// Samples as integers, in rows: one, or a block of them.
    rows: usize,
    /// The samples of a chunk in lanes, or the planes of a tile for samples of packed bits.
    chunk: usize,
    /// The projection's own.
    work: usize,
    /// The sums of a tile.
    sums: usize,
}

impl Layout {
    fn new<P: Projection>(projection: &P, samples: usize) -> Self {
        let sizes = projection.scratch_sizes();
        // Samples of a batch may still have to be projected one by one.
        let (work, sums) = (sizes.sample_work_lines, sizes.sample_tile_features / HALF);
        if samples < MIN_BLOCK_SAMPLES {
            return Self { rows: projection.inputs().div_ceil(LANES), chunk: 0, work, sums };
        }
        let blocks = samples.div_ceil(LANES).min(CHUNK_BLOCKS);
        let bits_sums = BITS_SAMPLES * sizes.bits_tile_features / HALF;
        Self {
            rows: row_stride(projection.inputs()),
            chunk: (blocks * sizes.block_lines).max(sizes.bits_plane_lines),
            work: work.max(sizes.work_lines),
            sums: sums.max(2 * sizes.tile_features).max(bits_sums),
        }
    }

    fn total(&self) -> usize {
        self.rows + self.chunk + self.work + self.sums
    }
}

/// Lines of scratch that [`project`](crate::project) and [`featurize`](crate::featurize) need for a
/// batch of `samples`. Grows with the inputs, up to a tile with the features, and not beyond 256
/// samples.
///
/// ```
/// use ternion_core::{Seeded, Sparsity, scratch_lines};
///
/// let w = Seeded::new(1, Sparsity::TWO_THIRDS, 784, 10_000)?;
/// assert_eq!(scratch_lines(&w, 256), scratch_lines(&w, usize::MAX));
/// assert_eq!(scratch_lines(&w, 1), scratch_lines_for_one(784));
/// # use ternion_core::scratch_lines_for_one;
/// # Ok::<(), ternion_core::Error>(())
/// ```
pub fn scratch_lines<P: Projection>(projection: &P, samples: usize) -> usize {
    Layout::new(projection, samples).total() + cut_lines(samples)
}

/// Lines for the integer thresholds of a chunk, at the start of the scratch. Samples that are projected one by one
/// need none.
pub(super) fn cut_lines(samples: usize) -> usize {
    let one_by_one = samples < MIN_BLOCK_SAMPLES;
    let blocks = if one_by_one { 0 } else { samples.div_ceil(LANES).min(CHUNK_BLOCKS) };
    blocks * size_of::<LaneCuts>() / size_of::<Line>()
}

/// [`scratch_lines`] for a batch of one and a [`TritMatrix`](crate::TritMatrix) or
/// [`Seeded`](crate::Seeded), known at compile time.
///
/// ```
/// use ternion_core::{Line, scratch_lines_for_one};
///
/// let scratch = [Line::ZERO; scratch_lines_for_one(784)];
/// assert_eq!(size_of_val(&scratch), 1856);
/// ```
pub const fn scratch_lines_for_one(inputs: usize) -> usize {
    inputs.div_ceil(LANES) + ScratchSizes::minimal(inputs).sample_tile_features / HALF
}

/// A sample ready for projection.
#[derive(Clone, Copy)]
pub(super) enum Quantity<'a> {
    /// Integers that are `unit` times the caller's numbers, and will be shifted to the right by `shift` bits.
    Integers { row: &'a [i16], unit: f32, shift: Option<i32> },
    /// Packed bits.
    Bits(&'a [u64]),
}

/// Where sums go. A sample has a place in its chunk: a lane of a block.
pub(super) trait Sink {
    /// Announces a sample before its sums.
    fn begin_sample(&mut self, block: usize, lane: usize, sample: usize, quantity: Quantity<'_>);

    /// Takes the sums of some features of one sample.
    fn take_sums<S: Simd>(
        &mut self,
        simd: S,
        block: usize,
        lane: usize,
        features: Range<usize>,
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

/// Checks everything that all sinks share.
pub(super) fn check<S: Simd, P: Projection, T: Element>(
    simd: S,
    projection: &P,
    samples: &Samples<'_, T>,
    scratch: &[Line],
) -> Result<(), Error> {
    same(Size::Inputs, projection.inputs(), samples.inputs())?;
    reach(Buffer::Scratch, scratch_lines(projection, samples.len()), scratch.len())?;
    simd.vectorize(
        #[inline(always)]
        || T::check(samples),
    )
}

/// Projects a whole batch. The kernels enter the ISA once per tile: often enough that the cost is hidden, rarely
/// enough that the program holds one copy of each.
pub(super) fn run<S: Simd, P: Projection, T: Element>(
    simd: S,
    projection: &P,
    samples: &Samples<'_, T>,
    scratch: &mut [Line],
    sink: &mut impl Sink,
) {
    let layout = Layout::new(projection, samples.len());
    let (rows, scratch) = scratch.split_at_mut(layout.rows);
    let (chunk, scratch) = scratch.split_at_mut(layout.chunk);
    let (work, sums) = scratch.split_at_mut(layout.work);
    let mut pipeline = Pipeline {
        simd,
        projection,
        samples,
        rows: bytemuck::cast_slice_mut(rows),
        chunk: bytemuck::cast_slice_mut(chunk),
        work,
        sums: &mut sums[..layout.sums],
        sink,
    };
    for first in (0..samples.len()).step_by(CHUNK_SAMPLES) {
        let range = first..samples.len().min(first + CHUNK_SAMPLES);
        let done = range.len() >= MIN_BLOCK_SAMPLES
            && match P::PROJECTS_BITS && T::bits(samples.at(first)).is_some() {
                true => pipeline.bits_chunk(range.clone()),
                false => pipeline.chunk(range.clone()),
            };
        if !done {
            range.for_each(|sample| pipeline.sample(sample));
        }
    }
}

/// The tiles of all features.
fn tiles(features: usize, tile_features: usize) -> impl Iterator<Item = Range<usize>> {
    let starts = (0..features).step_by(tile_features);
    starts.map(move |first| first..features.min(first + tile_features))
}

/// A batch in progress: what it is, the parts of the scratch, and where the sums go.
struct Pipeline<'a, S, P, T, K> {
    simd: S,
    projection: &'a P,
    samples: &'a Samples<'a, T>,
    rows: &'a mut [i16],
    chunk: &'a mut [Lanes16],
    work: &'a mut [Line],
    sums: &'a mut [Line],
    sink: &'a mut K,
}

impl<S: Simd, P: Projection, T: Element, K: Sink> Pipeline<'_, S, P, T, K> {
    /// One sample, all features.
    fn sample(&mut self, sample: usize) {
        let Self { simd, projection, samples, ref mut sink, .. } = *self;
        let row = &mut self.rows[..samples.inputs()];
        let tile_features = projection.scratch_sizes().sample_tile_features;
        let sums: &mut [i32] = bytemuck::cast_slice_mut(self.sums);
        // In a batch there is room for more than a tile.
        let sums = &mut sums[..tile_features];
        let tiles = tiles(projection.features(), tile_features);
        if P::PROJECTS_BITS
            && let Some(bits) = T::bits(samples.at(sample))
        {
            sink.begin_sample(0, 0, sample, Quantity::Bits(bits));
            for features in tiles {
                projection.project_sample_bits(simd, bits, features.clone(), sums);
                sink.take_sums(simd, 0, 0, features.clone(), &sums[..features.len()]);
            }
        } else {
            let unit = quantize(simd, samples, sample, row).unit;
            let shift = projection.sample_shift(simd, row);
            sink.begin_sample(0, 0, sample, Quantity::Integers { row, unit, shift });
            shift_row(simd, row, shift);
            projection.begin_sample(simd, row, self.work);
            for features in tiles {
                sink.run_sample(simd, projection, row, features, self.work, sums);
            }
        }
    }

    /// A chunk of samples, all features. Returns `false`, with nothing projected, if the block sums of a sample do
    /// not fit in 16 bits.
    fn chunk(&mut self, range: Range<usize>) -> bool {
        let Self { simd, projection, samples, ref mut sink, .. } = *self;
        let sums: &mut [Lanes32] = bytemuck::cast_slice_mut(self.sums);
        let sizes = projection.scratch_sizes();
        let stride = row_stride(samples.inputs());
        let blocks = range.len().div_ceil(LANES);
        let lanes_of = |block: usize| (range.len() - block * LANES).min(LANES);
        let chunk = self.chunk.chunks_exact_mut(sizes.block_lines);
        for (block, lanes) in chunk.enumerate().take(blocks) {
            self.rows.fill(0);
            let rows = self.rows.chunks_exact_mut(stride).enumerate();
            for (lane, row) in rows.take(lanes_of(block)) {
                let sample = range.start + block * LANES + lane;
                let row = &mut row[..samples.inputs()];
                let Quantised { unit, block_sums_fit } = quantize(simd, samples, sample, row);
                if P::NEEDS_SMALL_BLOCK_SUMS && !block_sums_fit {
                    return false;
                }
                let shift = projection.sample_shift(simd, row);
                sink.begin_sample(block, lane, sample, Quantity::Integers { row, unit, shift });
                shift_row(simd, row, shift);
            }
            interleave::interleave(simd, self.rows, stride, &mut lanes[..samples.inputs()]);
            lanes[samples.inputs()..].fill(Lanes16([0; LANES]));
            projection.begin_block(simd, lanes, self.work);
        }
        for features in tiles(projection.features(), sizes.tile_features) {
            projection.begin_tile(simd, features.clone(), self.work);
            let chunk = self.chunk.chunks_exact(sizes.block_lines);
            for (block, lanes) in chunk.enumerate().take(blocks) {
                let place = BlockPlace { block, lanes: lanes_of(block), samples: lanes };
                sink.run_block(simd, projection, place, features.clone(), self.work, sums);
            }
        }
        true
    }

    /// A chunk of samples of packed bits, all features. Returns `false`, with nothing projected, if the form has no
    /// kernel for several samples at a time.
    fn bits_chunk(&mut self, range: Range<usize>) -> bool {
        let Self { simd, projection, samples, ref mut sink, .. } = *self;
        let sizes = projection.scratch_sizes();
        if sizes.bits_plane_lines == 0 {
            return false;
        }
        let planes = &mut bytemuck::cast_slice_mut(self.chunk)[..sizes.bits_plane_lines];
        let sums: &mut [i32] = bytemuck::cast_slice_mut(self.sums);
        let sums = &mut sums[..BITS_SAMPLES * sizes.bits_tile_features];
        // The last sample is repeated where there are not enough.
        let bits_of =
            |sample: usize| present!(T::bits(samples.at(sample.min(range.end - 1))), else &[]);
        let place = |sample: usize| {
            let index = sample - range.start;
            (index / LANES, index % LANES)
        };
        for sample in range.clone() {
            let (block, lane) = place(sample);
            sink.begin_sample(block, lane, sample, Quantity::Bits(bits_of(sample)));
        }
        for features in tiles(projection.features(), sizes.bits_tile_features) {
            projection.begin_bits_tile(simd, features.clone(), planes);
            for first in range.clone().step_by(BITS_SAMPLES) {
                let four = [0, 1, 2, 3].map(|k| bits_of(first + k));
                projection.project_bits(simd, four, planes, sums);
                let quarters = sums.chunks_exact(sizes.bits_tile_features);
                for (sample, sums) in (first..range.end).zip(quarters) {
                    let (block, lane) = place(sample);
                    let sums = &sums[..features.len()];
                    sink.take_sums(simd, block, lane, features.clone(), sums);
                }
            }
        }
        true
    }
}

/// One sample as integers.
fn quantize<S: Simd, T: Element>(
    simd: S,
    samples: &Samples<'_, T>,
    sample: usize,
    row: &mut [i16],
) -> Quantised {
    simd.vectorize(
        #[inline(always)]
        || T::quantize(samples, sample, row),
    )
}

/// Shifts the numbers of a sample to the right, rounding down, or to the left.
fn shift_row<S: Simd>(simd: S, row: &mut [i16], shift: Option<i32>) {
    let Some(shift) = shift else { return };
    simd.vectorize(
        #[inline(always)]
        || {
            for number in row {
                *number = shift_number(*number, shift);
            }
        },
    );
}
