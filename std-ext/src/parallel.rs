//! The one way to work on all threads: disjoint pieces of the output, each computed from its place alone.
//!
//! What a piece becomes never depends on which thread computes it or how many there are.

use crate::Error;
use ternion_core::Error as CoreError;

/// Calls `work` with the number and the numbers of every piece of `size`, on all threads.
#[cfg(feature = "rayon")]
pub(crate) fn pieces<T: Send>(
    data: &mut [T],
    size: usize,
    work: impl Fn(usize, &mut [T]) + Send + Sync,
) {
    use rayon::prelude::*;
    data.par_chunks_mut(size.max(1)).enumerate().for_each(|(piece, data)| work(piece, data));
}

/// Calls `work` with the number and the numbers of every piece of `size`, in turn.
#[cfg(not(feature = "rayon"))]
pub(crate) fn pieces<T: Send>(
    data: &mut [T],
    size: usize,
    work: impl Fn(usize, &mut [T]) + Send + Sync,
) {
    data.chunks_mut(size.max(1)).enumerate().for_each(|(piece, data)| work(piece, data));
}

/// Threads that share the work.
pub(crate) fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    return 1;
}

/// A matrix of zeros, if there is memory for it.
pub(crate) fn zeros<T: Copy + Default>(rows: usize, cols: usize) -> Result<Vec<T>, Error> {
    let overflow = CoreError::SizeOverflow { rows, cols };
    storage(rows.checked_mul(cols).ok_or(overflow)?, T::default(), rows, cols)
}

/// Elements for a matrix of `rows` × `cols`, if there is memory for them.
pub(crate) fn storage<T: Clone>(
    elements: usize,
    element: T,
    rows: usize,
    cols: usize,
) -> Result<Vec<T>, Error> {
    // Asked for first, since running out aborts; given back, since `vec!` gets its zeros from the
    // system, page by page as they are needed.
    let mut room = Vec::<T>::new();
    room.try_reserve_exact(elements).map_err(|_| CoreError::SizeOverflow { rows, cols })?;
    drop(room);
    Ok(vec![element; elements])
}
