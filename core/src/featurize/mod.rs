//! `project` and `featurize`: the public entries, which check everything once, and the loop around every projection.
//!
//! ```text
//! for every chunk of up to 8 blocks of 32 samples:
//!     quantise the samples and interleave them into lanes
//!     for every tile of features:
//!         begin the tile (generate its part of W, if W is not stored)
//!         for every block of the chunk:
//!             the sink projects it, or projects and compares at once, and keeps the result
//! ```
//!
//! Samples of packed bits are used as they are, four at a time.
//!
//! A chunk shares what is done once per tile: generating W, and bringing it into cache. Scratch holds one chunk of
//! samples and one tile of sums, whatever the size of the batch.

mod activate;
mod interleave;
pub mod periodic;
mod scratch;
mod sinks;
mod thresholds;

pub use scratch::{scratch_lines, scratch_lines_for_one};
pub use thresholds::{BlockSigma, Cuts, SampleSigma, Thresholds};

pub(crate) use activate::{LaneCuts, pack_block, pack_sample};

use crate::arch::{HALF, LANES, Lanes16, Lanes32, Line, Simd};
use crate::error::{Buffer, Error, Size, reach, same};
use crate::input::{Element, Quantised, Samples};
use crate::projection::hadamard::shift_numbers;
use crate::projection::{BITS_SAMPLES, Projection};
use crate::trits::TritMatrix;
use core::ops::Range;
use scratch::{CHUNK_SAMPLES, Layout, MIN_BLOCK_SAMPLES, cut_lines, row_stride};
use sinks::{BlockPlace, PreparedSample, Sink, Trits, Values};

/// W·x of every sample: `out[i × features + j]` is feature `j` of sample `i`.
///
/// Weights are trits: no factor (1−ε)^(−1/2) is applied. Integer samples give exact `i32` sums; `f32` samples give the
/// exact sum of the quantised sample, rounded to `f32` and divided by its unit (infinite if W·x is beyond `f32`).
/// [`Structured`](crate::Structured) and [`Local`](crate::Local) round, as their modules specify. One sample is a batch
/// of one.
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
    check(simd, projection, samples, scratch)?;
    let mut sink = Values::<T>::new(out, features);
    run(simd, projection, samples, scratch, &mut sink);
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
    check(simd, projection, samples, scratch)?;
    let (cuts, scratch) = scratch.split_at_mut(cut_lines(samples.len()));
    let mut sink = Trits::new(out, thresholds, cuts);
    run(simd, projection, samples, scratch, &mut sink);
    Ok(())
}

/// Checks everything that all sinks share.
fn check<S: Simd, P: Projection, T: Element>(
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
fn run<S: Simd, P: Projection, T: Element>(
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
            sink.begin_sample(0, 0, sample, PreparedSample::Bits(bits));
            for features in tiles {
                projection.project_sample_bits(simd, bits, features.clone(), sums);
                sink.take_sums(simd, 0, 0, features.clone(), &[], &sums[..features.len()]);
            }
        } else {
            let unit = quantize(simd, samples, sample, row).unit;
            prepare::<S, P>(simd, projection, *sink, [0, 0], sample, row, unit);
            projection.begin_sample(simd, row, sink.factor(0, 0), self.work);
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
            if lanes_of(block) < LANES {
                self.rows.fill(0);
            }
            let rows = self.rows.chunks_exact_mut(stride).enumerate();
            for (lane, row) in rows.take(lanes_of(block)) {
                let sample = range.start + block * LANES + lane;
                let row = &mut row[..samples.inputs()];
                let Quantised { unit, span_sums_fit } = quantize(simd, samples, sample, row);
                // Angles may wrap.
                if P::NEEDS_SMALL_SPAN_SUMS && !span_sums_fit && !sink.is_periodic() {
                    return false;
                }
                prepare::<S, P>(simd, projection, *sink, [block, lane], sample, row, unit);
            }
            interleave::interleave(simd, self.rows, stride, &mut lanes[..samples.inputs()]);
            lanes[samples.inputs()..].fill(Lanes16([0; LANES]));
            projection.begin_block(simd, lanes, sink.factors(block), self.work);
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
        // Blocks of samples are not projected here, so what they work on is free.
        let room: &mut [[i32; HALF]] = bytemuck::cast_slice_mut(self.work);
        let (room, _) = room.as_chunks_mut();
        // The last sample is repeated where there are not enough.
        let bits_of =
            |sample: usize| present!(T::bits(samples.at(sample.min(range.end - 1))), else &[]);
        let place = |sample: usize| {
            let index = sample - range.start;
            (index / LANES, index % LANES)
        };
        for sample in range.clone() {
            let (block, lane) = place(sample);
            sink.begin_sample(block, lane, sample, PreparedSample::Bits(bits_of(sample)));
        }
        for features in tiles(projection.features(), sizes.bits_tile_features) {
            projection.begin_bits_tile(simd, features.clone(), planes);
            sink.begin_features(simd, features.clone(), room);
            for first in range.clone().step_by(BITS_SAMPLES) {
                let four = [0, 1, 2, 3].map(|k| bits_of(first + k));
                projection.project_bits(simd, four, planes, sums);
                let quarters = sums.chunks_exact(sizes.bits_tile_features);
                for (sample, sums) in (first..range.end).zip(quarters) {
                    let (block, lane) = place(sample);
                    let sums = &sums[..features.len()];
                    sink.take_sums(simd, block, lane, features.clone(), room, sums);
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

/// Announces the integers of a sample to the sink, and brings them to the size that the projection needs, or to the
/// unit of angles.
fn prepare<S: Simd, P: Projection>(
    simd: S,
    projection: &P,
    sink: &mut impl Sink,
    [block, lane]: [usize; 2],
    sample: usize,
    row: &mut [i16],
    unit: f32,
) {
    // A projection that rotates samples brings them to that unit itself.
    let in_turns = sink.is_periodic() && !P::ROTATES;
    let shift = if in_turns { None } else { projection.sample_shift(simd, row) };
    sink.begin_sample(block, lane, sample, PreparedSample::Integers { row, unit, shift });
    let factor = if in_turns { sink.factor(block, lane) } else { None };
    simd.vectorize(
        #[inline(always)]
        || {
            if let Some(shift) = shift {
                shift_numbers(row, shift);
            }
            if let Some(factor) = factor {
                periodic::in_turns(row, factor);
            }
        },
    );
}
