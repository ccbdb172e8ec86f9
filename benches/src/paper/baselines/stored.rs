//! How features are kept in memory: as `f32`, in half precision, or rounded to few bits and packed. The loops have no branch,
//! so that the compiler vectorises them.

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

/// Features in memory, each sample in bytes of its own.
pub struct Packed {
    store: Store,
    features: usize,
    range: (f32, f32),
    bytes: Vec<u8>,
}

impl Store {
    /// Bits per feature.
    pub fn bits(self) -> usize {
        match self {
            Self::Float => 32,
            Self::Half => 16,
            Self::Bits(bits) => bits as usize,
        }
    }

    fn row_bytes(self, features: usize) -> usize {
        (features * self.bits()).div_ceil(8)
    }

    /// Packs samples of `width` features between the two ends of `range`. A stream for each sample decides how its features
    /// are rounded: the same one rounds them in the same way again.
    pub fn pack(
        self,
        features: &[f32],
        width: usize,
        range: (f32, f32),
        streams: &[u64],
    ) -> Packed {
        let mut bytes = vec![0; self.row_bytes(width) * streams.len()];
        let rows = bytes.par_chunks_mut(self.row_bytes(width)).zip(features.par_chunks(width));
        rows.zip(streams).for_each_init(
            Vec::new,
            |levels, ((bytes, features), &stream)| match self {
                Self::Float => {
                    let all = bytes.as_chunks_mut::<4>().0.iter_mut().zip(features);
                    all.for_each(|(bytes, x)| *bytes = x.to_le_bytes());
                }
                Self::Half => {
                    let all = bytes.as_chunks_mut::<2>().0.iter_mut().zip(features);
                    all.for_each(|(bytes, x)| *bytes = to_half(*x).to_le_bytes());
                }
                Self::Bits(bits) => {
                    levels.clear();
                    levels.resize(features.len(), 0);
                    round(features, range, bits, stream, levels);
                    match bits {
                        8 => join::<1>(levels, bytes),
                        4 => join::<2>(levels, bytes),
                        2 => join::<4>(levels, bytes),
                        _ => join::<8>(levels, bytes),
                    }
                }
            },
        );
        Packed { store: self, features: width, range, bytes }
    }
}

/// The level of each feature: the one below or above, the nearer the likelier.
fn round(features: &[f32], range: (f32, f32), bits: u32, stream: u64, levels: &mut [u8]) {
    let most = ((1u32 << bits) - 1) as f32;
    let scale = most / (range.1 - range.0);
    let seed = mixed(stream as u32) ^ mixed((stream >> 32) as u32 ^ 0x5bd1_e995);
    for ((level, x), at) in levels.iter_mut().zip(features).zip(0u32..) {
        let uniform = (mixed(seed.wrapping_add(at.wrapping_mul(0x9e37_79b9))) >> 8) as f32;
        *level = ((x - range.0) * scale + uniform / 16_777_216.0).clamp(0.0, most) as u8;
    }
}

/// A number of which every bit depends on every bit of another, such that successive ones are as good as random.
fn mixed(x: u32) -> u32 {
    let x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    let x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// Packs levels of 8/N bits, the first in the lowest bits.
fn join<const N: usize>(levels: &[u8], bytes: &mut [u8]) {
    let (whole, rest) = levels.as_chunks::<N>();
    let join = |levels: &[u8]| {
        levels.iter().zip(0..).fold(0, |byte, (level, k)| byte | level << (k * (8 / N)))
    };
    bytes.iter_mut().zip(whole).for_each(|(byte, levels)| *byte = join(levels));
    if let (false, Some(last)) = (rest.is_empty(), bytes.last_mut()) {
        *last = join(rest);
    }
}

/// Numbers of levels of 8/N bits.
fn split<const N: usize>(bytes: &[u8], (first, step): (f32, f32), out: &mut [f32]) {
    let bits = 8 / N;
    let number = |byte: u8, k: usize| {
        let level = u32::from(byte) >> (k * bits) & ((1 << bits) - 1);
        first + level as f32 * step
    };
    let (whole, rest) = out.as_chunks_mut::<N>();
    for (out, &byte) in whole.iter_mut().zip(bytes) {
        out.iter_mut().enumerate().for_each(|(k, x)| *x = number(byte, k));
    }
    if let Some(&byte) = bytes.last() {
        rest.iter_mut().enumerate().for_each(|(k, x)| *x = number(byte, k));
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
        let rows = self.bytes.par_chunks(self.store.row_bytes(self.features));
        out.par_chunks_mut(self.features).zip(rows).for_each(|(out, bytes)| match self.store {
            Store::Float => {
                let all = out.iter_mut().zip(bytes.as_chunks::<4>().0);
                all.for_each(|(x, bytes)| *x = f32::from_le_bytes(*bytes));
            }
            Store::Half => {
                let all = out.iter_mut().zip(bytes.as_chunks::<2>().0);
                all.for_each(|(x, bytes)| *x = from_half(u16::from_le_bytes(*bytes)));
            }
            Store::Bits(bits) => {
                let step = (self.range.1 - self.range.0) / ((1u32 << bits) - 1) as f32;
                let line = (self.range.0, step);
                match bits {
                    8 => split::<1>(bytes, line, out),
                    4 => split::<2>(bytes, line, out),
                    2 => split::<4>(bytes, line, out),
                    _ => split::<8>(bytes, line, out),
                }
            }
        });
    }
}

/// The nearest number in half precision; of two equally near ones the even one.
fn to_half(x: f32) -> u16 {
    let (sign, size) = ((x.to_bits() >> 16) as u16 & 0x8000, x.to_bits() & 0x7fff_ffff);
    // Below 2⁻¹⁴ halves are multiples of 2⁻²⁴, as all numbers from 1/2 to 1 are in `f32`.
    let small = (f32::from_bits(size.min(0x3880_0000)) + 0.5).to_bits() - 0x3f00_0000;
    let normal =
        ((size.clamp(0x3880_0000, 0x4780_0000) + 0xfff + (size >> 13 & 1)) >> 13) - (112 << 10);
    let finite = if size < 0x3880_0000 { small } else { normal };
    let special = if size > 0x7f80_0000 { 0x7e00 } else { 0x7c00 };
    sign | (if size < 0x4780_0000 { finite } else { special }) as u16
}

fn from_half(half: u16) -> f32 {
    let (sign, size) = (u32::from(half & 0x8000) << 16, u32::from(half & 0x7fff));
    // The exponent of a half is smaller by 112: a product puts that right, for numbers below 2⁻¹⁴ too.
    let finite = f32::from_bits(size << 13) * f32::from_bits((127 + 112) << 23);
    let special = f32::from_bits(0x7f80_0000 | size << 13);
    f32::from_bits(sign | (if size < 0x7c00 { finite } else { special }).to_bits())
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
        let width = 1037usize;
        let features: Vec<f32> = (0..3 * width).map(|i| (i as f32 * 0.01).sin() * 0.5).collect();
        for (store, bytes) in [
            (Store::Float, 4 * width),
            (Store::Half, 2 * width),
            (Store::Bits(8), width),
            (Store::Bits(4), width.div_ceil(2)),
            (Store::Bits(2), width.div_ceil(4)),
            (Store::Bits(1), width.div_ceil(8)),
        ] {
            let (mut mean, seeds) = (vec![0.0; features.len()], 400);
            let mut out = features.clone();
            for seed in 0..seeds {
                let streams = [3 * seed, 3 * seed + 1, 3 * seed + 2];
                let packed = store.pack(&features, width, (-0.5, 0.5), &streams);
                assert_eq!(packed.bytes(), 3 * bytes);
                packed.unpack(&mut out);
                mean.iter_mut().zip(&out).for_each(|(mean, x)| *mean += x / seeds as f32);
                let step = step_of(store) * (1.0 + 1e-4);
                assert!(out.iter().zip(&features).all(|(a, b)| (a - b).abs() <= step));
            }
            let bias = |at: usize| mean[at] - features[at];
            let square: f32 = (0..features.len()).map(|at| bias(at).powi(2)).sum();
            let typical = (square / features.len() as f32).sqrt();
            // The mean of 400 draws, each with a deviation of at most half a step. Rounding to nearest is wrong by more.
            let step = step_of(store);
            assert!(typical < 0.5 / 20.0 * step, "{store:?}: {typical}");
            assert!((0..features.len()).all(|at| bias(at).abs() < 0.13 * step), "{store:?}");
        }
    }

    /// The distance of levels on a range of length 1; of floats, twenty times the largest error of a half.
    fn step_of(store: Store) -> f32 {
        match store {
            Store::Bits(bits) => 1.0 / ((1 << bits) - 1) as f32,
            _ => 20.0 / 4096.0,
        }
    }

    #[test]
    fn a_stream_rounds_in_the_same_way_again_and_another_does_not() {
        let features = vec![0.1; 300];
        let bytes =
            |stream: u64| Store::Bits(1).pack(&features, 100, (-1.0, 1.0), &[stream, 5, 6]).bytes;
        let (first, again, other) = (bytes(1), bytes(1), bytes(1 << 32));
        assert!(first == again && first != other);
        assert_eq!(first[13..], other[13..], "samples by themselves");
        assert_ne!(first[13..26], first[26..], "samples differ");
    }

    #[test]
    fn levels_at_the_ends_are_exact() {
        for bits in [1, 2, 4, 8] {
            let packed = Store::Bits(bits).pack(&[-0.25, 0.25, 0.25], 3, (-0.25, 0.25), &[1]);
            let mut out = [0.0; 3];
            packed.unpack(&mut out);
            assert_eq!(out, [-0.25, 0.25, 0.25], "{bits}");
        }
    }
}
