//! The C ABI of the [`cases`]: what a process that has loaded the kernels of two commits can call in both.

mod cases;

use cases::{CASES, Run};
use std::cell::RefCell;
use std::collections::HashMap;
use ternion_core::Line;

thread_local! {
    /// The cases that were called before.
    static PREPARED: RefCell<HashMap<usize, Run>> = RefCell::default();
}

/// Writes the names of the cases, one per line, as far as there is room, and returns the bytes they take.
///
/// # Safety
///
/// `names` points to `len` bytes that may be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ternion_paired_names(names: *mut u8, len: usize) -> usize {
    let all: String = CASES.iter().flat_map(|case| [case.name, "\n"]).collect();
    // SAFETY: the caller vouches for `len` bytes at `names`.
    let names = unsafe { std::slice::from_raw_parts_mut(names, len) };
    let count = all.len().min(len);
    names[..count].copy_from_slice(&all.as_bytes()[..count]);
    all.len()
}

/// Runs a case `times` times on samples of the caller, which writes its output to `out`. The first call prepares the case. Panics
/// of the case abort.
///
/// # Safety
///
/// `x` points to `numbers` floats, and `out` to `lines` lines that may be written and are aligned to 64 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ternion_paired_run(
    case: usize,
    x: *const f32,
    numbers: usize,
    out: *mut Line,
    lines: usize,
    times: usize,
) {
    // SAFETY: the caller vouches for both.
    let (x, out) = unsafe {
        (std::slice::from_raw_parts(x, numbers), std::slice::from_raw_parts_mut(out, lines))
    };
    prepared(case, x, |run| {
        for _ in 0..times {
            run(x, out, false);
        }
    });
}

/// Runs a case once, as [`ternion_paired_run`], and returns in one number what it did not write to `out`.
///
/// # Safety
///
/// As for [`ternion_paired_run`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ternion_paired_value(
    case: usize,
    x: *const f32,
    numbers: usize,
    out: *mut Line,
    lines: usize,
) -> u64 {
    // SAFETY: the caller vouches for both.
    let (x, out) = unsafe {
        (std::slice::from_raw_parts(x, numbers), std::slice::from_raw_parts_mut(out, lines))
    };
    prepared(case, x, |run| run(x, out, true))
}

/// Calls something with a case, which is prepared the first time.
fn prepared<R>(case: usize, x: &[f32], call: impl FnOnce(&mut Run) -> R) -> R {
    PREPARED.with_borrow_mut(|prepared| {
        call(prepared.entry(case).or_insert_with(|| (CASES[case].prepare)(x)))
    })
}
