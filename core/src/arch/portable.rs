//! What the build guarantees, through `wide`: SSE2, NEON, simd128, or AVX with `target-cpu` set.

use super::{Kernel, Lanes16, Lanes32, Simd, sealed::Sealed};
use wide::{i16x16, i16x32, i32x16};

/// The token of the instructions this build may use anywhere: always present.
#[derive(Clone, Copy, Debug, Default)]
pub struct Native;

impl Sealed for Native {}

impl Simd for Native {
    const NAME: &'static str = if cfg!(all(target_feature = "avx512f", target_feature = "avx512bw"))
    {
        "avx512"
    } else if cfg!(target_feature = "avx2") {
        "avx2"
    } else if cfg!(target_feature = "sse2") {
        "sse2"
    } else if cfg!(all(target_feature = "neon", target_arch = "aarch64")) {
        "neon"
    } else if cfg!(target_feature = "simd128") {
        "simd128"
    } else {
        "native"
    };

    type I16 = i16x32;

    #[inline(always)]
    fn run<K: Kernel>(self, kernel: K) -> K::Output {
        kernel.run(self)
    }

    #[inline(always)]
    fn zero(self) -> i16x32 {
        i16x32::ZERO
    }

    #[inline(always)]
    fn load(self, lanes: &Lanes16) -> i16x32 {
        i16x32::new(lanes.0)
    }

    #[inline(always)]
    fn add(self, a: i16x32, b: i16x32) -> i16x32 {
        a + b
    }

    #[inline(always)]
    fn sub(self, a: i16x32, b: i16x32) -> i16x32 {
        a - b
    }

    #[inline(always)]
    fn widen_add(self, sums: &mut Lanes32, addend: i16x32) {
        let halves: [i16x16; 2] = bytemuck::cast(addend);
        let sums: &mut [i32x16; 2] = bytemuck::cast_mut(sums);
        for (sum, half) in sums.iter_mut().zip(halves) {
            *sum += i32x16::from_i16x16(half);
        }
    }
}
