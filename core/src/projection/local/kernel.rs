//! One word of features: 64 numbers gathered from the sample, their signs, transforms of P ≤ 64 in registers.
//!
//! ```text
//! gather       the lines of the inputs seen, with their signs, eight at a time
//! middle pass  strides 8, 16, 32 as far as they are below P
//! last pass    strides 1, 2, 4 likewise; the sums go straight to the finish
//! ```
//!
//! What bounds it: as for a transform of 64 in [`structured`](crate::projection::structured), the comparisons; for P ≤
//! 8 the middle pass adds nothing and only gathers. Lines are gathered from the samples in L2 (64 bytes per input), one
//! load each, as many as features.
#![allow(
    clippy::needless_range_loop,
    reason = "the index is that of several arrays, and of registers"
)]

use super::view::{DrawnWord, WORD_FEATURES};
use crate::arch::{Lanes16, Simd};
use crate::projection::hadamard::{Finish, last_pass, middle_pass};

/// A word of features of a block of samples. `lines` has a line of zeros behind the inputs.
#[inline(always)]
pub(super) fn transform<S: Simd>(
    simd: S,
    lines: &[Lanes16],
    drawn: &DrawnWord,
    work: &mut [Lanes16; WORD_FEATURES],
    finish: &mut impl Finish,
) {
    middle_pass(
        simd,
        work,
        drawn.size,
        finish.before_transforms(0, drawn.size),
        #[inline(always)]
        |_, index, part| {
            let (input, zero) = (drawn.inputs[index] as usize, simd.splat_part16(0));
            let line = present!(lines.get(input), else return zero);
            let sign = simd.splat_part16(-((drawn.before >> index & 1) as i16));
            simd.xor_part16(sign, simd.load_part16(line, part))
        },
    );
    last_pass(simd, work, 0, drawn.size, finish);
}

/// A word of features of one sample.
#[inline(always)]
pub(super) fn transform_sample(sample: &[i16], drawn: &DrawnWord) -> [Lanes16; 2] {
    let mut numbers = [0_i16; WORD_FEATURES];
    for index in 0..WORD_FEATURES {
        let number = sample.get(drawn.inputs[index] as usize).copied().unwrap_or(0);
        numbers[index] = number ^ -((drawn.before >> index & 1) as i16);
    }
    let mut stride = 1;
    while stride < drawn.size {
        for pair in numbers.chunks_exact_mut((2 * stride).max(1)) {
            let (low, high) = present!(pair.split_at_mut_checked(stride), else break);
            for (low, high) in low.iter_mut().zip(high) {
                (*low, *high) = (low.wrapping_add(*high), low.wrapping_sub(*high));
            }
        }
        stride *= 2;
    }
    for (index, number) in numbers.iter_mut().enumerate() {
        if index.is_multiple_of(drawn.size) {
            *number = number.wrapping_add((drawn.size / 2) as i16);
        }
    }
    bytemuck::cast(numbers)
}
