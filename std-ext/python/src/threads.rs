//! Work without the GIL, on as many threads as the caller wants.

use crate::arguments::Unsigned;
use crate::error::{Failure, Result};
use pyo3::Python;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use rayon::ThreadPoolBuilder;
use std::thread::available_parallelism;

/// Samples that one thread transforms at a time: more threads than there are such chunks would have nothing to do.
const CHUNK_SAMPLES: usize = 256;

/// Runs `work` while other Python threads run, on at most this many threads; on all that there are if it is `None`.
///
/// The threads are new each time, which takes some 20 µs per thread: threads that waited for the next call would be
/// missing in a child process that Python has forked, and it would wait for them forever.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    threads: Option<Unsigned>,
    work: impl FnOnce() -> std::result::Result<T, ternion::Error> + Send,
) -> Result<T> {
    run_at_most(py, threads, usize::MAX, work)
}

/// [`run`] for work on this many samples, each by itself.
pub(crate) fn run_on_samples<T: Send>(
    py: Python<'_>,
    threads: Option<Unsigned>,
    samples: usize,
    work: impl FnOnce() -> std::result::Result<T, ternion::Error> + Send,
) -> Result<T> {
    run_at_most(py, threads, samples.div_ceil(CHUNK_SAMPLES).max(1), work)
}

fn run_at_most<T: Send>(
    py: Python<'_>,
    threads: Option<Unsigned>,
    most: usize,
    work: impl FnOnce() -> std::result::Result<T, ternion::Error> + Send,
) -> Result<T> {
    let present = available_parallelism().map_or(1, usize::from);
    let wanted = match threads {
        None => present,
        Some(Unsigned(0)) => {
            return Err(PyValueError::new_err("threads must be at least 1, found 0").into());
        }
        Some(threads) => threads.size()?.min(present),
    };
    py.detach(|| {
        let pool = ThreadPoolBuilder::new().num_threads(wanted.min(most)).build();
        let pool = pool.map_err(|error| {
            let message = format!("{} threads did not start: {error}", wanted.min(most));
            Failure::Python(PyRuntimeError::new_err(message))
        })?;
        Ok(pool.install(work)?)
    })
}
