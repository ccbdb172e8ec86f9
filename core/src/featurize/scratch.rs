//! The scratch of a batch: its parts, and how much of it the caller must bring.

use super::activate::LaneCuts;
use super::interleave;
use crate::arch::{HALF, LANES, Line};
use crate::projection::{BITS_SAMPLES, Projection, ScratchSizes};

/// Fewest samples that make a block; fewer are projected one by one.
pub(super) const MIN_BLOCK_SAMPLES: usize = 4;

/// Blocks that share a tile.
pub(super) const CHUNK_BLOCKS: usize = 8;

/// Samples of a chunk.
pub(super) const CHUNK_SAMPLES: usize = CHUNK_BLOCKS * LANES;

/// Numbers from one row of a block to the next, which is also the lines of a block of rows.
pub(super) fn row_stride(inputs: usize) -> usize {
    inputs.next_multiple_of(interleave::SIDE)
}

/// The parts of the scratch, in lines.
pub(super) struct Layout {
    /// Samples as integers, in rows: one, or a block of them.
    pub(super) rows: usize,
    /// The samples of a chunk in lanes, or the planes of a tile for samples of packed bits.
    pub(super) chunk: usize,
    /// The projection's own.
    pub(super) work: usize,
    /// The sums of a tile.
    pub(super) sums: usize,
}

impl Layout {
    pub(super) fn new<P: Projection>(projection: &P, samples: usize) -> Self {
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
