//! The loop around every projection: samples by blocks, features by tiles, sums into a sink.

use crate::arch::{Kernel, LANES, Lanes16, Lanes32, Line, Simd};
use crate::error::{Buffer, Error, Size, reach, same};
use crate::projection::Projection;
use crate::samples::{Element, Samples};

/// Features whose sums are made before the sink takes them: one word of each plane.
pub(crate) const TILE: usize = 64;

/// The fewest samples that are worth a block; fewer go one by one.
const LEAST_BLOCK: usize = 4;

/// Lines of scratch that [`project`](crate::project) and [`featurize`](crate::featurize) need for a
/// batch of `samples`, whatever the number of features. It stops growing at 4 samples.
///
/// ```
/// use ternion_core::{Line, scratch_lines};
///
/// const LINES: usize = scratch_lines(784, 1000);
/// static mut SCRATCH: [Line; LINES] = [Line::ZERO; LINES];
/// assert_eq!(LINES, scratch_lines(784, usize::MAX));
/// assert_eq!(scratch_lines(784, 1), 25); // 1.6 KB
/// ```
pub const fn scratch_lines(inputs: usize, samples: usize) -> usize {
    let row = inputs.div_ceil(LANES);
    if samples < LEAST_BLOCK { row } else { row + inputs + 2 * TILE }
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
    /// The sample that will be in `lane`, before its sums come.
    fn begin(&mut self, lane: usize, sample: usize, numbers: Numbers<'_>);

    /// Sums of the features `first ..` of the sample in lane 0.
    fn one(&mut self, first: usize, sums: &[i32]);

    /// Sums of the features `first ..` of the samples in the first `lanes` lanes.
    fn block(&mut self, lanes: usize, first: usize, sums: &[Lanes32]);
}

/// Checks everything that all consumers share.
pub(crate) fn check<P: Projection, T: Element>(
    projection: &P,
    samples: &Samples<'_, T>,
    scratch: &[Line],
) -> Result<(), Error> {
    same(Size::Inputs, projection.inputs(), samples.inputs())?;
    reach(Buffer::Scratch, scratch_lines(samples.inputs(), samples.len()), scratch.len())?;
    T::check(samples)
}

/// A whole batch, as one piece of work for [`Simd::run`]: dispatched once.
pub(crate) struct Drive<'a, P, T, K> {
    pub(crate) projection: &'a P,
    pub(crate) samples: &'a Samples<'a, T>,
    pub(crate) scratch: &'a mut [Line],
    pub(crate) sink: K,
}

impl<P: Projection, T: Element, K: Sink> Kernel for Drive<'_, P, T, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Drive { projection, samples, scratch, mut sink } = self;
        let (row, rest) = scratch.split_at_mut(samples.inputs().div_ceil(LANES));
        let row: &mut [i16] = &mut bytemuck::cast_slice_mut(row)[..samples.inputs()];
        let mut sample = 0;
        while sample < samples.len() {
            let lanes = (samples.len() - sample).min(LANES);
            let in_lanes = lanes >= LEAST_BLOCK
                && T::bits(samples.at(sample)).is_none()
                && block(simd, projection, samples, sample, lanes, row, rest, &mut sink);
            if !in_lanes {
                for sample in sample..sample + lanes {
                    one(simd, projection, samples, sample, row, &mut sink);
                }
            }
            sample += lanes;
        }
    }
}

/// One sample, all features.
#[inline(always)]
fn one<S: Simd, P: Projection, T: Element>(
    simd: S,
    projection: &P,
    samples: &Samples<'_, T>,
    sample: usize,
    row: &mut [i16],
    sink: &mut impl Sink,
) {
    let bits = T::bits(samples.at(sample));
    if let Some(bits) = bits {
        sink.begin(0, sample, Numbers::Bits(bits));
    } else {
        let unit = T::load(samples, sample, row).unit;
        sink.begin(0, sample, Numbers::Integers { row, unit });
    }
    let mut sums = [0; TILE];
    for first in (0..projection.features()).step_by(TILE) {
        let sums = &mut sums[..TILE.min(projection.features() - first)];
        match bits {
            Some(bits) => projection.project_bits(simd, bits, first, sums),
            None => projection.project_one(simd, row, first, sums),
        }
        sink.one(first, sums);
    }
}

/// Up to [`LANES`] samples at once, all features. Does nothing and says `false` if one of them has
/// numbers too large for 16-bit sums.
#[inline(always)]
#[allow(clippy::too_many_arguments, reason = "the loop state of one caller")]
fn block<S: Simd, P: Projection, T: Element>(
    simd: S,
    projection: &P,
    samples: &Samples<'_, T>,
    start: usize,
    lanes: usize,
    row: &mut [i16],
    scratch: &mut [Line],
    sink: &mut impl Sink,
) -> bool {
    let (block, sums) = scratch.split_at_mut(samples.inputs());
    let block: &mut [Lanes16] = bytemuck::cast_slice_mut(block);
    let sums: &mut [Lanes32] = bytemuck::cast_slice_mut(&mut sums[..2 * TILE]);
    block.fill(Lanes16([0; LANES]));
    for lane in 0..lanes {
        let loaded = T::load(samples, start + lane, row);
        if !loaded.narrow {
            return false;
        }
        sink.begin(lane, start + lane, Numbers::Integers { row, unit: loaded.unit });
        for (to, &from) in block.iter_mut().zip(row.iter()) {
            to.0[lane] = from;
        }
    }
    for first in (0..projection.features()).step_by(TILE) {
        let sums = &mut sums[..TILE.min(projection.features() - first)];
        projection.project_block(simd, block, first, sums);
        sink.block(lanes, first, sums);
    }
    true
}
