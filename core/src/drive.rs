//! The loop around every projection: samples by blocks, features by tiles, sums into a sink.
//!
//! ```text
//! for every stack of up to 8 blocks of 32 samples:
//!     load the samples into lanes
//!     for every tile of features:
//!         begin the tile (grow its part of W, if W is not stored)
//!         for every block of the stack:
//!             project, then hand the sums to the sink
//! ```
//!
//! Samples of packed bits stay as they are, and go through a tile four at a time.
//!
//! A stack shares what is done per tile: growing W, and bringing it into cache. Scratch holds one
//! stack of samples and one tile of sums, whatever the size of the batch.

use crate::arch::{HALF, LANES, Lanes16, Lanes32, Line, Simd};
use crate::error::{Buffer, Error, Size, reach, same};
use crate::kernels::activate::LaneCuts;
use crate::kernels::{bits, interleave};
use crate::projection::{Needs, Projection};
use crate::samples::{Element, Loaded, Samples};
use core::ops::Range;

/// The fewest samples that are worth a block; fewer go one by one.
const LEAST_BLOCK: usize = 4;

/// Blocks that share a tile.
pub(crate) const STACK: usize = 8;

/// Numbers from one row of a block to the next, which is also the lines of a block of rows.
fn row_stride(inputs: usize) -> usize {
    inputs.next_multiple_of(interleave::SIDE)
}

/// Where everything lies in the scratch, in lines.
struct Layout {
    /// Samples as integers, in rows: one, or a block of them.
    rows: usize,
    /// The samples of a stack in lanes, or the planes of a tile for samples of bits.
    stack: usize,
    /// The projection's own.
    work: usize,
    /// The sums of a tile.
    sums: usize,
}

impl Layout {
    fn new<P: Projection>(projection: &P, samples: usize) -> Self {
        let needs = projection.needs();
        // Samples of a batch may still have to go one by one.
        let (work, sums) = (needs.one_work, needs.one_tile / HALF);
        if samples < LEAST_BLOCK {
            return Self { rows: projection.inputs().div_ceil(LANES), stack: 0, work, sums };
        }
        Self {
            rows: row_stride(projection.inputs()),
            stack: (samples.div_ceil(LANES).min(STACK) * needs.block).max(needs.bits),
            work: work.max(needs.work),
            sums: sums.max(2 * needs.tile).max(bits::SAMPLES * needs.bits_tile / HALF),
        }
    }

    fn total(&self) -> usize {
        self.rows + self.stack + self.work + self.sums
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

/// Lines for the thresholds of a stack, before all else. Fewer samples than a block keep theirs in
/// registers.
pub(crate) fn cut_lines(samples: usize) -> usize {
    let blocks = if samples < LEAST_BLOCK { 0 } else { samples.div_ceil(LANES).min(STACK) };
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
    inputs.div_ceil(LANES) + Needs::least(inputs).one_tile / HALF
}

/// A sample's numbers once loaded.
#[derive(Clone, Copy)]
pub(crate) enum Numbers<'a> {
    /// Integers that are `unit` times the caller's numbers.
    Integers { row: &'a [i16], unit: f32 },
    /// Packed bits.
    Bits(&'a [u64]),
}

/// Where sums go.
pub(crate) trait Sink {
    /// The next sample of block `block` of the stack, in `lane`, before its sums come.
    fn begin(&mut self, block: usize, lane: usize, sample: usize, numbers: Numbers<'_>);

    /// Sums of the features `first ..` of the sample that began in a lane of a block.
    fn one<S: Simd>(&mut self, simd: S, block: usize, lane: usize, first: usize, sums: &[i32]);

    /// Sums of the features `first ..` of the first `lanes` samples of a block.
    fn block<S: Simd>(
        &mut self,
        simd: S,
        block: usize,
        lanes: usize,
        first: usize,
        sums: &[Lanes32],
    );
}

/// Checks everything that all consumers share.
pub(crate) fn check<S: Simd, P: Projection, T: Element>(
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

/// A whole batch. The kernels inside enter the ISA once per tile, which is often enough to cost
/// nothing and rare enough to keep one copy of each in the program.
pub(crate) fn drive<S: Simd, P: Projection, T: Element>(
    simd: S,
    projection: &P,
    samples: &Samples<'_, T>,
    scratch: &mut [Line],
    sink: &mut impl Sink,
) {
    let layout = Layout::new(projection, samples.len());
    let (rows, scratch) = scratch.split_at_mut(layout.rows);
    let (stack, scratch) = scratch.split_at_mut(layout.stack);
    let (work, sums) = scratch.split_at_mut(layout.work);
    let mut drive = Drive {
        simd,
        projection,
        samples,
        rows: bytemuck::cast_slice_mut(rows),
        stack: bytemuck::cast_slice_mut(stack),
        work,
        sums: &mut sums[..layout.sums],
        sink,
    };
    for start in (0..samples.len()).step_by(STACK * LANES) {
        let count = (samples.len() - start).min(STACK * LANES);
        let together = count >= LEAST_BLOCK
            && match P::BITS && T::bits(samples.at(start)).is_some() {
                true => drive.stacked_bits(start, count),
                false => drive.stacked(start, count),
            };
        if !together {
            for sample in start..start + count {
                drive.one(sample);
            }
        }
    }
}

/// The tiles that features fall into.
fn tiles(features: usize, tile: usize) -> impl Iterator<Item = Range<usize>> {
    (0..features).step_by(tile).map(move |first| first..features.min(first + tile))
}

/// One sample as integers.
fn load<S: Simd, T: Element>(
    simd: S,
    samples: &Samples<'_, T>,
    sample: usize,
    row: &mut [i16],
) -> Loaded {
    simd.vectorize(
        #[inline(always)]
        || T::load(samples, sample, row),
    )
}

/// A batch on its way: what it is, the scratch in parts, and where it goes.
struct Drive<'a, S, P, T, K> {
    simd: S,
    projection: &'a P,
    samples: &'a Samples<'a, T>,
    rows: &'a mut [i16],
    stack: &'a mut [Lanes16],
    work: &'a mut [Line],
    sums: &'a mut [Line],
    sink: &'a mut K,
}

impl<S: Simd, P: Projection, T: Element, K: Sink> Drive<'_, S, P, T, K> {
    /// One sample, all features.
    fn one(&mut self, sample: usize) {
        let Self { simd, projection, samples, ref mut sink, .. } = *self;
        let row = &mut self.rows[..samples.inputs()];
        let one_tile = projection.needs().one_tile;
        let sums: &mut [i32] = bytemuck::cast_slice_mut(self.sums);
        // In a batch there is room for more: a tile is all that is wanted.
        let sums = &mut sums[..one_tile];
        let tiles = tiles(projection.features(), one_tile);
        if P::BITS
            && let Some(bits) = T::bits(samples.at(sample))
        {
            sink.begin(0, 0, sample, Numbers::Bits(bits));
            for features in tiles {
                projection.project_bits(simd, bits, features.clone(), sums);
                sink.one(simd, 0, 0, features.start, &sums[..features.len()]);
            }
        } else {
            let unit = load(simd, samples, sample, row).unit;
            sink.begin(0, 0, sample, Numbers::Integers { row, unit });
            projection.begin_one(simd, row, self.work);
            for features in tiles {
                projection.project_one(simd, row, features.clone(), self.work, sums);
                sink.one(simd, 0, 0, features.start, &sums[..features.len()]);
            }
        }
    }

    /// A stack of blocks, all features. Does nothing and says `false` if one of the samples has
    /// numbers too large for 16-bit sums.
    fn stacked(&mut self, start: usize, count: usize) -> bool {
        let Self { simd, projection, samples, ref mut sink, .. } = *self;
        let sums: &mut [Lanes32] = bytemuck::cast_slice_mut(self.sums);
        let needs = projection.needs();
        let stride = row_stride(samples.inputs());
        let blocks = count.div_ceil(LANES);
        let lanes_of = |block: usize| (count - block * LANES).min(LANES);
        for (block, lanes) in self.stack.chunks_exact_mut(needs.block).enumerate().take(blocks) {
            self.rows.fill(0);
            let rows = self.rows.chunks_exact_mut(stride).enumerate();
            for (lane, row) in rows.take(lanes_of(block)) {
                let sample = start + block * LANES + lane;
                let row = &mut row[..samples.inputs()];
                let loaded = load(simd, samples, sample, row);
                if !loaded.narrow {
                    return false;
                }
                sink.begin(block, lane, sample, Numbers::Integers { row, unit: loaded.unit });
            }
            interleave::interleave(simd, self.rows, stride, &mut lanes[..samples.inputs()]);
            lanes[samples.inputs()..].fill(Lanes16([0; LANES]));
            projection.begin_block(simd, lanes, self.work);
        }
        for features in tiles(projection.features(), needs.tile) {
            projection.begin_tile(simd, features.clone(), self.work);
            for (block, lanes) in self.stack.chunks_exact(needs.block).enumerate().take(blocks) {
                projection.project_block(simd, lanes, features.clone(), self.work, sums);
                let sums = &sums[..features.len()];
                sink.block(simd, block, lanes_of(block), features.start, sums);
            }
        }
        true
    }

    /// A stack of samples of packed bits, all features. Does nothing and says `false` if the form has
    /// no kernel for several at a time.
    fn stacked_bits(&mut self, start: usize, count: usize) -> bool {
        let Self { simd, projection, samples, ref mut sink, .. } = *self;
        let needs = projection.needs();
        if needs.bits == 0 {
            return false;
        }
        let planes = &mut bytemuck::cast_slice_mut(self.stack)[..needs.bits];
        let sums: &mut [i32] = bytemuck::cast_slice_mut(self.sums);
        let sums = &mut sums[..bits::SAMPLES * needs.bits_tile];
        // The last sample again where there are not enough.
        let bits_of =
            |index: usize| T::bits(samples.at(start + index.min(count - 1))).unwrap_or_default();
        for index in 0..count {
            let (block, lane) = (index / LANES, index % LANES);
            sink.begin(block, lane, start + index, Numbers::Bits(bits_of(index)));
        }
        for features in tiles(projection.features(), needs.bits_tile) {
            projection.begin_bits(simd, features.clone(), planes);
            for first in (0..count).step_by(bits::SAMPLES) {
                let four = [0, 1, 2, 3].map(|k| bits_of(first + k));
                simd.vectorize(
                    #[inline(always)]
                    || bits::project(simd, four, planes, sums),
                );
                for (index, sums) in (first..count).zip(sums.chunks_exact(needs.bits_tile)) {
                    let sums = &sums[..features.len()];
                    sink.one(simd, index / LANES, index % LANES, features.start, sums);
                }
            }
        }
        true
    }
}
