//! How features are kept in memory: as `f32`, in half precision, or rounded to few bits and packed.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rayon::prelude::*;

/// A format of features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// `f32`.
    Float,
    /// IEEE half precision, rounded to nearest.
    Half,
    /// So many bits, 1, 2, 4 or 8: levels at equal distances, rounded at random such that the mean is right
    /// (Zhang, May, Dao and Ré 2019). The scale is that of the map: one number for all features.
    Bits(u32),
}

/// Features in memory.
pub struct Packed {
    store: Store,
    range: (f32, f32),
    bytes: Vec<u8>,
}

/// Features that are rounded with one random stream, a multiple of 8.
const CHUNK: usize = 1 << 14;

impl Store {
    /// Bits per feature.
    pub fn bits(self) -> usize {
        match self {
            Self::Float => 32,
            Self::Half => 16,
            Self::Bits(bits) => bits as usize,
        }
    }

    /// Packs features between the two ends of `range`. The seed decides how they are rounded.
    pub fn pack(self, features: &[f32], range: (f32, f32), seed: u64) -> Packed {
        let mut bytes = vec![0; (features.len() * self.bits()).div_ceil(8)];
        let chunks = bytes.par_chunks_mut(CHUNK * self.bits() / 8).zip(features.par_chunks(CHUNK));
        chunks.enumerate().for_each(|(chunk, (bytes, features))| match self {
            Self::Float => {
                let all = bytes.as_chunks_mut::<4>().0.iter_mut().zip(features);
                all.for_each(|(bytes, x)| *bytes = x.to_le_bytes());
            }
            Self::Half => {
                let all = bytes.as_chunks_mut::<2>().0.iter_mut().zip(features);
                all.for_each(|(bytes, x)| *bytes = to_half(*x).to_le_bytes());
            }
            Self::Bits(bits) => {
                let stream = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (chunk as u64) << 40;
                let mut random = Xoshiro256PlusPlus::seed_from_u64(stream);
                let most = ((1u32 << bits) - 1) as f32;
                let scale = most / (range.1 - range.0);
                let per_byte = 8 / bits as usize;
                for (byte, features) in bytes.iter_mut().zip(features.chunks(per_byte)) {
                    // 16 random bits for each of at most four features, twice for eight.
                    let (mut left, mut drawn) = (0, 0u64);
                    for (k, x) in features.iter().enumerate() {
                        if left == 0 {
                            (drawn, left) = (random.next_u64(), 4);
                        }
                        let uniform = (drawn & 0xffff) as f32 / 65536.0;
                        (drawn, left) = (drawn >> 16, left - 1);
                        let level = ((x - range.0) * scale + uniform).floor().clamp(0.0, most);
                        *byte |= (level as u8) << (k as u32 * bits);
                    }
                }
            }
        });
        Packed { store: self, range, bytes }
    }
}

impl Packed {
    /// Bytes in memory.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The features that are stored.
    pub fn unpack(&self, out: &mut [f32]) {
        let chunk = CHUNK * self.store.bits() / 8;
        let chunks = out.par_chunks_mut(CHUNK).zip(self.bytes.par_chunks(chunk));
        chunks.for_each(|(out, bytes)| match self.store {
            Store::Float => {
                let all = out.iter_mut().zip(bytes.as_chunks::<4>().0);
                all.for_each(|(x, bytes)| *x = f32::from_le_bytes(*bytes));
            }
            Store::Half => {
                let all = out.iter_mut().zip(bytes.as_chunks::<2>().0);
                all.for_each(|(x, bytes)| *x = from_half(u16::from_le_bytes(*bytes)));
            }
            Store::Bits(bits) => {
                let most = (1u32 << bits) - 1;
                let step = (self.range.1 - self.range.0) / most as f32;
                for (out, byte) in out.chunks_mut(8 / bits as usize).zip(bytes) {
                    for (k, x) in out.iter_mut().enumerate() {
                        let level = u32::from(*byte) >> (k as u32 * bits) & most;
                        *x = self.range.0 + level as f32 * step;
                    }
                }
            }
        });
    }
}

/// The nearest number in half precision; of two equally near ones the even one.
fn to_half(x: f32) -> u16 {
    let (sign, size) = ((x.to_bits() >> 16) as u16 & 0x8000, x.to_bits() & 0x7fff_ffff);
    let half = match size {
        0x7f80_0001.. => 0x7e00,
        0x4780_0000.. => 0x7c00,
        // Below 2⁻¹⁴: a multiple of 2⁻²⁴.
        0..0x3880_0000 => (x.abs() * 16_777_216.0).round_ties_even() as u16,
        _ => (((size + 0xfff + (size >> 13 & 1)) >> 13) - (112 << 10)) as u16,
    };
    sign | half
}

fn from_half(half: u16) -> f32 {
    let (exponent, fraction) = (u32::from(half) >> 10 & 0x1f, u32::from(half) & 0x3ff);
    let size = match exponent {
        0 => fraction as f32 / 16_777_216.0,
        31 => f32::from_bits(0x7f80_0000 | fraction << 13),
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    if half & 0x8000 == 0 { size } else { -size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_the_nearest() {
        for half in 0..=0x7bffu16 {
            let x = from_half(half);
            assert_eq!((to_half(x), to_half(-x)), (half, half | 0x8000));
            // Midpoints go to the even one, all else to the nearest.
            let middle = (x + if half < 0x7bff { from_half(half + 1) } else { 65536.0 }) / 2.0;
            assert_eq!(to_half(middle), half + (half & 1), "{middle}");
            assert_eq!((to_half(middle.next_down()), to_half(middle.next_up())), (half, half + 1));
        }
        assert_eq!(from_half(0x3c00), 1.0);
        assert_eq!(from_half(to_half(1e9)), f32::INFINITY);
        assert!(from_half(to_half(f32::NAN)).is_nan());
    }

    #[test]
    fn packed_features_take_their_bits_and_are_right_on_average() {
        let features: Vec<f32> = (0..CHUNK + 37).map(|i| (i as f32 * 0.01).sin() * 0.5).collect();
        for (store, bytes) in [
            (Store::Float, 4 * features.len()),
            (Store::Half, 2 * features.len()),
            (Store::Bits(8), features.len()),
            (Store::Bits(4), features.len().div_ceil(2)),
            (Store::Bits(1), features.len().div_ceil(8)),
        ] {
            let (mut mean, seeds) = (vec![0.0; features.len()], 400);
            let mut out = features.clone();
            for seed in 0..seeds {
                let packed = store.pack(&features, (-0.5, 0.5), seed);
                assert_eq!(packed.bytes(), bytes);
                packed.unpack(&mut out);
                mean.iter_mut().zip(&out).for_each(|(mean, x)| *mean += x / seeds as f32);
                let step = match store {
                    Store::Bits(bits) => 1.0 / ((1 << bits) - 1) as f32,
                    _ => 5e-4,
                };
                assert!(out.iter().zip(&features).all(|(a, b)| (a - b).abs() <= step));
            }
            let bias = |at: usize| mean[at] - features[at];
            let square: f32 = (0..features.len()).map(|at| bias(at).powi(2)).sum();
            let typical = (square / features.len() as f32).sqrt();
            // A deviation of at most half a step, of 400 draws.
            assert!(typical < 0.5 / 20.0, "{store:?}: {typical}");
            assert!((0..features.len()).all(|at| bias(at).abs() < 0.13), "{store:?}");
        }
    }

    #[test]
    fn levels_at_the_ends_are_exact() {
        for bits in [1, 2, 4, 8] {
            let packed = Store::Bits(bits).pack(&[-0.25, 0.25, 0.25], (-0.25, 0.25), 1);
            let mut out = [0.0; 3];
            packed.unpack(&mut out);
            assert_eq!(out, [-0.25, 0.25, 0.25], "{bits}");
        }
    }
}
