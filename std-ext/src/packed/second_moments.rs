//! The second moments ΣΣᵀ of features: some samples at a time are transposed, and their features multiplied.

use super::gram::chunk_rows;
use super::transpose::transpose_plane;
use crate::{Error, Features, Isa, Matrix, dispatch, memory, parallel};
use std::ops::Range;
use ternion_core::{Line, TritMatrix, add_gram_upper, copy_upper_to_lower, words_per_row};

/// Samples that are transposed together. Rows of 2 KB per plane are long enough for the kernels of products, and those of
/// all features stay in the last-level cache: 4096 features take 16 MB, where 60,000 samples at once take 60 MB and a
/// tenth more time.
const CHUNK_SAMPLES: usize = 16_384;

/// For each pair of features the exact sum of their products over the samples. `each` sees every chunk of samples, transposed
/// to a row per feature, for what else is to be summed.
///
/// # Errors
///
/// [`ternion_core::Error::SizeOverflow`] if there is no memory for m² numbers, [`Error::TooManySamples`] beyond 2³¹ − 1
/// samples, and the errors of `each`.
pub(crate) fn second_moments(
    features: &Features,
    mut each: impl FnMut(Range<usize>, &TritMatrix<&[u64]>) -> Result<(), Error>,
) -> Result<Matrix<i32>, Error> {
    let (samples, m, isa) = (features.len(), features.features(), features.isa());
    let (found, max) = (samples as u64, i32::MAX as u64);
    if found > max {
        return Err(Error::TooManySamples { found, max });
    }
    let mut out = memory::zeros::<i32>(m, m)?;
    // In cache lines, so that no load crosses from one to the next.
    let words = m * words_per_row(samples.min(CHUNK_SAMPLES));
    let plane = || memory::storage(words.div_ceil(8), Line::ZERO, m, samples.min(CHUNK_SAMPLES));
    let (mut sign, mut mask) = (plane()?, plane()?);
    for first in (0..samples).step_by(CHUNK_SAMPLES) {
        let range = first..samples.min(first + CHUNK_SAMPLES);
        let chunk = features.trits().slice(range.clone());
        let chunk = chunk.expect("the range is one of samples, and not empty");
        let sign = transposed(isa, chunk.sign(), m, range.len(), &mut sign);
        let mask = transposed(isa, chunk.mask(), m, range.len(), &mut mask);
        let by_feature = TritMatrix::new(m, range.len(), sign, mask)?;
        each(range, &by_feature)?;
        let rows = chunk_rows(m);
        parallel::try_for_each_chunk(&mut out, rows * m, |chunk, out| {
            let range = chunk * rows..chunk * rows + out.len() / m;
            Ok(dispatch!(isa, simd => add_gram_upper(simd, &by_feature, range, out))?)
        })?;
    }
    dispatch!(isa, simd => copy_upper_to_lower(simd, &mut out, m))?;
    Matrix::from_vec(m, m, out)
}

/// The transpose of a plane of some samples, in whole words per feature.
fn transposed<'a>(
    isa: Isa,
    plane: &[u64],
    m: usize,
    samples: usize,
    lines: &'a mut [Line],
) -> &'a [u64] {
    let stride = words_per_row(samples);
    let out = &mut bytemuck::cast_slice_mut(lines)[..m * stride];
    transpose_plane(isa, plane, words_per_row(m), stride, out);
    out
}
