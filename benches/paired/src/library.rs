//! The kernels of one commit, loaded from a shared library: the only `unsafe` of the driver.
#![allow(unsafe_code)]

use libloading::{Library, Symbol};
use ternion_core::Line;

type Names = unsafe extern "C" fn(*mut u8, usize) -> usize;
type Run = unsafe extern "C" fn(usize, *const f32, usize, *mut Line, usize, usize);
type Value = unsafe extern "C" fn(usize, *const f32, usize, *mut Line, usize) -> u64;

/// A loaded library with its cases.
pub struct Kernels {
    /// The names of the cases, in order.
    pub names: Vec<String>,
    run: Run,
    value: Value,
    // Keeps the code mapped.
    _library: Library,
}

impl Kernels {
    /// Loads a library that `.ci/bench` has built.
    pub fn open(path: &str) -> Result<Self, String> {
        let failed = |error: libloading::Error| format!("{path}: {error}");
        // SAFETY: what runs on loading is the start-up of the standard library; the types are those of src/lib.rs.
        let (library, names, run, value) = unsafe {
            let library = Library::new(path).map_err(failed)?;
            let names: Symbol<'_, Names> = library.get(b"ternion_paired_names").map_err(failed)?;
            let run: Symbol<'_, Run> = library.get(b"ternion_paired_run").map_err(failed)?;
            let value: Symbol<'_, Value> = library.get(b"ternion_paired_value").map_err(failed)?;
            let (names, run, value) = (*names, *run, *value);
            (library, names, run, value)
        };
        let mut text = vec![0; 1 << 16];
        // SAFETY: as many bytes as it says.
        let len = unsafe { names(text.as_mut_ptr(), text.len()) };
        text.truncate(len);
        let text = String::from_utf8(text).map_err(|error| format!("{path}: {error}"))?;
        Ok(Self { names: text.lines().map(str::to_owned).collect(), run, value, _library: library })
    }

    /// Runs a case some times.
    pub fn run(&self, case: usize, x: &[f32], out: &mut [Line], times: usize) {
        assert!(case < self.names.len(), "there are {} cases", self.names.len());
        // SAFETY: pointers and lengths are those of slices, and the case is one of the library's.
        unsafe { (self.run)(case, x.as_ptr(), x.len(), out.as_mut_ptr(), out.len(), times) }
    }

    /// Runs a case once and returns everything that it computes, in one number.
    pub fn value(&self, case: usize, x: &[f32], out: &mut [Line]) -> u64 {
        assert!(case < self.names.len(), "there are {} cases", self.names.len());
        out.fill(Line::ZERO);
        // SAFETY: as above.
        let elsewhere =
            unsafe { (self.value)(case, x.as_ptr(), x.len(), out.as_mut_ptr(), out.len()) };
        let words: &[u64] = bytemuck::cast_slice(out);
        words.iter().fold(elsewhere, |hash, word| {
            (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        })
    }
}
