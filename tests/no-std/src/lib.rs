//! ternion-core in a program without std and without an allocator.
//!
//! If core, or anything it depends on, came to use std, there would be two panic handlers; if it
//! came to allocate, there would be no allocator. Either way this does not build.
#![no_std]

use ternion_core::{
    Error, Line, Native, Samples, Seeded, Sparsity, Thresholds, TritMatrix, dots, featurize,
    project, scratch_lines_for_one,
};

const INPUTS: usize = 20;
const FEATURES: usize = 64;
const LINES: usize = scratch_lines_for_one(INPUTS);

#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// Every kernel once, so that all of them are compiled and linked.
fn work(numbers: &[f32; INPUTS], bytes: &[i8; INPUTS]) -> Result<i32, Error> {
    let w = Seeded::new(1, Sparsity::TWO_THIRDS, INPUTS, FEATURES)?;
    let thresholds = Thresholds::two(-0.5, 0.5)?;
    let (mut sign, mut mask, mut scratch) = ([0; 1], [0; 1], [Line::ZERO; LINES]);
    let mut features = TritMatrix::zeroed(1, FEATURES, &mut sign[..], &mut mask[..])?;
    featurize(
        Native,
        &w,
        &thresholds,
        &Samples::new(numbers, INPUTS)?,
        &mut scratch,
        &mut features,
    )?;
    let mut products = [0; 1];
    dots(Native, &features, &features, &mut products)?;
    let mut sums = [0; FEATURES];
    project(Native, &w, &Samples::new(bytes, INPUTS)?, &mut scratch, &mut sums)?;
    Ok(products[0].wrapping_add(sums[0]))
}

/// The entry that keeps [`work`] from being dropped.
#[unsafe(no_mangle)]
pub extern "C" fn ternion_no_std(numbers: &[f32; INPUTS], bytes: &[i8; INPUTS]) -> i32 {
    work(numbers, bytes).unwrap_or(-1)
}
