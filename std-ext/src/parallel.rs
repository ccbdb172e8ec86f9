//! Loops over all threads (feature `rayon`), or over one.
//!
//! Each step of a loop has its own part of the output and depends on nothing but its index, so the result is the same
//! on any number of threads.

use crate::Error;

/// Calls `work` with the index and the contents of every chunk of `size` elements.
pub(crate) fn for_each_chunk<T: Send>(
    data: &mut [T],
    size: usize,
    work: impl Fn(usize, &mut [T]) + Send + Sync,
) {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        data.par_chunks_mut(size.max(1)).enumerate().for_each(|(chunk, data)| work(chunk, data));
    }
    #[cfg(not(feature = "rayon"))]
    data.chunks_mut(size.max(1)).enumerate().for_each(|(chunk, data)| work(chunk, data));
}

/// The sums of what `work` gives for the indices below `count`, added in their order.
pub(crate) fn sum<const N: usize>(
    count: usize,
    work: impl Fn(usize) -> [f64; N] + Send + Sync,
) -> [f64; N] {
    let mut parts = vec![[0.0; N]; count];
    for_each_chunk(&mut parts, 1, |index, part| part[0] = work(index));
    let mut sums = [0.0; N];
    for part in parts {
        for k in 0..N {
            sums[k] += part[k];
        }
    }
    sums
}

/// Calls `work` with every item and scratch that the items of a thread share.
///
/// # Errors
///
/// The first error in the order of the items.
pub(crate) fn try_for_each<I: Send, S: Default + Send>(
    items: impl Iterator<Item = I>,
    work: impl Fn(&mut S, I) -> Result<(), Error> + Send + Sync,
) -> Result<(), Error> {
    #[cfg(feature = "rayon")]
    {
        use rayon::prelude::*;
        let items: Vec<I> = items.collect();
        let results: Vec<_> = items.into_par_iter().map_init(S::default, work).collect();
        results.into_iter().collect()
    }
    #[cfg(not(feature = "rayon"))]
    {
        let mut scratch = S::default();
        items.into_iter().try_for_each(|item| work(&mut scratch, item))
    }
}

/// [`for_each_chunk`] with work that can fail.
///
/// # Errors
///
/// The first error in the order of the chunks.
pub(crate) fn try_for_each_chunk<T: Send>(
    data: &mut [T],
    size: usize,
    work: impl Fn(usize, &mut [T]) -> Result<(), Error> + Send + Sync,
) -> Result<(), Error> {
    let chunks = data.chunks_mut(size.max(1)).enumerate();
    try_for_each(chunks, |(): &mut (), (chunk, data)| work(chunk, data))
}

/// Threads that share the work.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    return 1;
}
