//! Allocation that reports an error instead of aborting.

use crate::Error;
use ternion_core::Error as CoreError;

/// A matrix of zeros.
///
/// # Errors
///
/// [`CoreError::SizeOverflow`] if there is no memory for it.
pub(crate) fn zeros<T: Copy + Default>(rows: usize, cols: usize) -> Result<Vec<T>, Error> {
    let overflow = CoreError::SizeOverflow { rows, cols };
    storage(rows.checked_mul(cols).ok_or(overflow)?, T::default(), rows, cols)
}

/// A matrix of given numbers, row by row.
///
/// # Errors
///
/// [`CoreError::SizeOverflow`] if there is no memory for it.
pub(crate) fn collect<T>(
    numbers: impl IntoIterator<Item = T>,
    rows: usize,
    cols: usize,
) -> Result<Vec<T>, Error> {
    let overflow = CoreError::SizeOverflow { rows, cols };
    let mut out = Vec::new();
    let elements = rows.checked_mul(cols).ok_or(overflow)?;
    out.try_reserve_exact(elements).map_err(|_| overflow)?;
    out.extend(numbers.into_iter().take(elements));
    Ok(out)
}

/// As many copies of an element, for a matrix of `rows` × `cols`.
///
/// # Errors
///
/// [`CoreError::SizeOverflow`] if there is no memory for them.
pub(crate) fn storage<T: Clone>(
    elements: usize,
    element: T,
    rows: usize,
    cols: usize,
) -> Result<Vec<T>, Error> {
    // The reserved memory is not used: `vec!` gets zeroed pages from the system, which costs nothing until they are
    // written.
    if !has_room::<T>(elements) {
        return Err(CoreError::SizeOverflow { rows, cols }.into());
    }
    Ok(vec![element; elements])
}

/// Refuses matrices of `rows` × `cols`, as many of each size as its last number, that do not fit in memory together. For
/// algorithms with many of them: where the sum fits, `vec!` may allocate each.
///
/// # Errors
///
/// [`CoreError::SizeOverflow`] with the sizes of the largest.
pub(crate) fn check_room<T>(
    matrices: impl IntoIterator<Item = (usize, usize, usize)>,
) -> Result<(), Error> {
    let (mut total, mut largest) = (0_usize, (0, 0, 0));
    for (rows, cols, count) in matrices {
        let elements = rows.saturating_mul(cols).saturating_mul(count);
        total = total.saturating_add(elements);
        largest = largest.max((elements, rows, cols));
    }
    let (_, rows, cols) = largest;
    if has_room::<T>(total) { Ok(()) } else { Err(CoreError::SizeOverflow { rows, cols }.into()) }
}

/// Whether there is memory for as many elements. `vec!` and `collect` abort where there is not, so ask first.
pub(crate) fn has_room<T>(elements: usize) -> bool {
    Vec::<T>::new().try_reserve_exact(elements).is_ok()
}
