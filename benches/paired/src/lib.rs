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

/// Runs a case `times` times on samples of the caller, which writes its output to `out`, and returns what it gave the last
/// time, in one number. The first call prepares the case. Panics of the case abort.
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
) -> u64 {
    // SAFETY: the caller vouches for both.
    let (x, out) = unsafe {
        (std::slice::from_raw_parts(x, numbers), std::slice::from_raw_parts_mut(out, lines))
    };
    PREPARED.with_borrow_mut(|prepared| {
        let run = prepared.entry(case).or_insert_with(|| (CASES[case].prepare)(x));
        (0..times).fold(0, |_, _| run(x, out))
    })
}
