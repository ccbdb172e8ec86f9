//! Test data: a small generator of its own, and shapes that hit every edge.

use ternion_core::Line;

/// A xorshift64* generator: not the one the crates use.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator; equal seeds give equal data.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) | 1)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number in `0 .. bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() >> 16) as usize % bound
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A standard normal number.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    /// Trits, zero with the given probability.
    pub fn trits(&mut self, count: usize, sparsity: f64) -> Vec<i8> {
        (0..count)
            .map(|_| match self.unit() < sparsity {
                true => 0,
                false => 1 - 2 * (self.bits() >> 63) as i8,
            })
            .collect()
    }
}

/// Lengths around every width that a kernel may have.
pub const LENGTHS: [usize; 21] =
    [1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 54, 63, 64, 65, 127, 128, 129, 200, 257, 784];

/// Batch sizes around the blocks of 32 lanes.
pub const BATCHES: [usize; 9] = [1, 2, 3, 4, 31, 32, 33, 70, 300];

/// So many parts, as even as can be: some are empty if there are fewer elements.
pub fn even_parts<T>(all: &[T], count: usize) -> impl Iterator<Item = &[T]> {
    (0..count).map(move |k| &all[k * all.len() / count..(k + 1) * all.len() / count])
}

/// Packs trits into `(sign, mask)` planes, each row on a new word.
pub fn pack(trits: &[i8], cols: usize) -> (Vec<u64>, Vec<u64>) {
    let words = cols.div_ceil(64);
    let rows = trits.len() / cols;
    let (mut sign, mut mask) = (vec![0; rows * words], vec![0; rows * words]);
    for (index, &trit) in trits.iter().enumerate() {
        let (word, bit) = (index / cols * words + index % cols / 64, index % cols % 64);
        mask[word] |= ((trit != 0) as u64) << bit;
        sign[word] |= ((trit < 0) as u64) << bit;
    }
    (sign, mask)
}

/// Scratch that is not zero: a kernel must not read what it has not written.
pub fn dirty_scratch(lines: usize) -> Vec<Line> {
    vec![bytemuck::cast([0x5A5A_C3C3_A5A5_3C3C_u64; 8]); lines]
}
