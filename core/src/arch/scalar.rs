//! Plain Rust, one lane at a time: the back end to compare the others with.

use super::{Kernel, LANES, Lanes16, Lanes32, Simd, sealed::Sealed};

/// The token of plain Rust: present everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar;

impl Sealed for Scalar {}

impl Simd for Scalar {
    const NAME: &'static str = "scalar";

    type I16 = [i16; LANES];

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    #[inline(always)]
    fn zero(self) -> Self::I16 {
        [0; LANES]
    }

    #[inline(always)]
    fn load(self, lanes: &Lanes16) -> Self::I16 {
        lanes.0
    }

    #[inline(always)]
    fn add(self, a: Self::I16, b: Self::I16) -> Self::I16 {
        core::array::from_fn(|lane| a[lane].wrapping_add(b[lane]))
    }

    #[inline(always)]
    fn sub(self, a: Self::I16, b: Self::I16) -> Self::I16 {
        core::array::from_fn(|lane| a[lane].wrapping_sub(b[lane]))
    }

    #[inline(always)]
    fn widen_add(self, sums: &mut Lanes32, addend: Self::I16) {
        for (sum, value) in sums.0.iter_mut().zip(addend) {
            *sum = sum.wrapping_add(value as i32);
        }
    }
}
