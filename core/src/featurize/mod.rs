//! `project` and `featurize`: the public entries, which check everything once and then run the pipeline.

mod activate;
mod interleave;
mod pipeline;
mod sinks;
mod thresholds;

pub use pipeline::{scratch_lines, scratch_lines_for_one};
pub use thresholds::{Cuts, Thresholds};

pub(crate) use activate::{LaneCuts, pack_block, pack_sample};
pub(crate) use thresholds::shift_cuts;

use crate::arch::{Line, Simd};
use crate::error::{Buffer, Error, Size, reach, same};
use crate::input::{Element, Samples};
use crate::projection::Projection;
use crate::trits::TritMatrix;
use sinks::{Trits, Values};

/// W·x of every sample: `out[i × features + j]` is feature `j` of sample `i`.
///
/// Weights are trits: no factor (1−ε)^(−1/2) is applied. Integer samples give exact `i32` sums;
/// `f32` samples give the exact sum of the quantised sample, rounded to `f32` and divided by its
/// unit (infinite if W·x is beyond `f32`). [`Structured`](crate::Structured) and [`Local`](crate::Local) round, as their
/// modules specify. One sample is a batch of one.
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
    let mut sink = Values::<T>::new(out, features);
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
    let mut sink = Trits::new(out, thresholds, cuts);
    pipeline::run(simd, projection, samples, scratch, &mut sink);
    Ok(())
}
