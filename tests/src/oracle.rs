//! What the crates promise, in the plainest code.

use ternion_core::{Grid, View};

/// The outputs a and b of a row as `ternion_core::seed` specifies them.
fn outputs(seed: u64, row: u64) -> (u64, u64) {
    let mix = |index: u64| {
        let mut z = (seed as u128 + index as u128 * 0x9E37_79B9_7F4A_7C15) as u64;
        z = ((z ^ (z >> 30)) as u128 * 0xBF58_476D_1CE4_E5B9) as u64;
        z = ((z ^ (z >> 27)) as u128 * 0x94D0_49BB_1331_11EB) as u64;
        z ^ (z >> 31)
    };
    (mix(2 * row + 1), mix(2 * row + 2))
}

/// Row `row` of W as `ternion_core::seed` specifies it: each column compares its own 32-bit number with T.
pub fn row_of_w(seed: u64, threshold: u32, row: u64, cols: usize) -> Vec<i8> {
    let (a, b) = outputs(seed, row);
    let mut s = [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32];
    let mut draw = || {
        let rotated = (s[0] as u64 + s[3] as u64) as u32;
        let rotated = rotated.rotate_left(7);
        let out = (rotated as u64 + s[0] as u64) as u32;
        let t = s[1] << 9;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(11);
        out
    };
    let mut trits = Vec::new();
    while trits.len() < cols {
        // `None` while the bits of a column's number are still those of T.
        let mut zero: [Option<bool>; 32] = [None; 32];
        for bit in (0..32).rev() {
            let rest_of_t = threshold as u64 & ((1 << (bit + 1)) - 1);
            if rest_of_t == 0 || zero.iter().all(Option::is_some) {
                break;
            }
            let (word, t) = (draw(), threshold >> bit & 1);
            for (column, zero) in zero.iter_mut().enumerate() {
                let own = word >> column & 1;
                if zero.is_none() && own != t {
                    *zero = Some(own < t);
                }
            }
        }
        let signs = draw();
        for (column, zero) in zero.into_iter().enumerate() {
            let minus = signs >> column & 1 == 1;
            trits.push(match (zero, minus) {
                (Some(true), _) => 0,
                (_, true) => -1,
                (_, false) => 1,
            });
        }
    }
    trits.truncate(cols);
    trits
}

/// Every row of W, one after the other.
pub fn w(seed: u64, threshold: u32, rows: usize, cols: usize) -> Vec<i8> {
    (0..rows as u64).flat_map(|row| row_of_w(seed, threshold, row, cols)).collect()
}

/// A sample of floats as integers, and how many times larger they are, as `ternion_core::quantize` specifies it.
pub fn quantize(sample: &[f32], mean: Option<&[f32]>, scale: Option<&[f32]>) -> (Vec<i64>, f32) {
    let mut y = sample.to_vec();
    for k in 0..y.len() {
        y[k] = mean.map_or(y[k], |mean| y[k] - mean[k]);
        y[k] = scale.map_or(y[k], |scale| y[k] * scale[k]);
    }
    let at = |k: usize| y.get(k).map_or(0.0, |y| y.abs());
    let mut largest = 0.0_f32;
    for start in (0..y.len()).step_by(64) {
        let part = |j: usize| {
            let j = start + j;
            ((at(j) + at(j + 16)) + at(j + 32)) + at(j + 48)
        };
        let eighth = |j: usize| part(j) + part(j + 8);
        let quarter = |j: usize| eighth(j) + eighth(j + 4);
        let half = |j: usize| quarter(j) + quarter(j + 2);
        largest = f32::max(largest, half(0) + half(1));
    }
    let unit = f32::min(32700.0 / largest, 2.0_f32.powi(126));
    (y.iter().map(|y| (y * unit).round_ties_even() as i64).collect(), unit)
}

/// The sums of one sample, and what they must be multiplied with.
#[derive(Clone, Debug)]
pub struct Sums {
    /// One sum per feature.
    pub sums: Vec<i64>,
    /// Forms with 16-bit sums: by how many bits the sample was shifted to the right.
    pub shift: Option<i32>,
}

impl Sums {
    /// Exact sums.
    pub fn exact(sums: Vec<i64>) -> Self {
        Self { sums, shift: None }
    }

    /// A sum in the unit of the sample's integers, as a real number.
    pub fn real(&self, feature: usize) -> f64 {
        self.sums[feature] as f64 * 2.0_f64.powi(self.shift.unwrap_or(0))
    }

    /// σ of every sum, for integers that are `unit` times the real numbers.
    pub fn trits(&self, thresholds: [f32; 4], unit: f64) -> Vec<i8> {
        if unit == 0.0 {
            return vec![0; self.sums.len()]; // a sample of zeros has no direction
        }
        let Some(shift) = self.shift else {
            return self.sums.iter().map(|&sum| activate(sum, thresholds, unit)).collect();
        };
        let scaled = thresholds.map(|s| s as f64 * unit * 2.0_f64.powi(-shift));
        self.sums.iter().map(|&sum| trit_of_16_bits(sum, scaled)).collect()
    }

    /// σ of every sum by cuts, whole numbers in the unit of the sample: +1 below the first and above the last, −1
    /// between the other two. The ends of 32 bits are infinite.
    pub fn trits_by_cuts(&self, cuts: [i64; 4]) -> Vec<i8> {
        let Some(shift) = self.shift else {
            return self.sums.iter().map(|&sum| trit(sum, cuts)).collect();
        };
        let scaled = cuts.map(|cut| match i32::try_from(cut).expect("a cut of 32 bits") {
            i32::MIN => f64::NEG_INFINITY,
            i32::MAX => f64::INFINITY,
            cut => cut as f64 * 2.0_f64.powi(-shift),
        });
        self.sums.iter().map(|&sum| trit_of_16_bits(sum, scaled)).collect()
    }
}

/// The trit of a sum of 16 bits, or of its negative, by thresholds in its unit: saturated, but nothing is below −∞ or
/// above +∞. If the second is −∞ there are two.
fn trit_of_16_bits(sum: i64, thresholds: [f64; 4]) -> i8 {
    let sum = sum as f64;
    let below = |s: f64| s != f64::NEG_INFINITY && sum < s.clamp(-32767.0, 32767.0);
    let above = |s: f64| s != f64::INFINITY && sum > s.clamp(-32767.0, 32767.0);
    let [s0, s1, s2, s3] = thresholds;
    if below(s0) || above(s3) {
        1
    } else if (s1 == f64::NEG_INFINITY || above(s1)) && below(s2) {
        -1
    } else {
        0
    }
}

/// The trit of a sum by cuts.
fn trit(sum: i64, cuts: [i64; 4]) -> i8 {
    if sum < cuts[0] || sum > cuts[3] {
        1
    } else if cuts[1] < sum && sum < cuts[2] {
        -1
    } else {
        0
    }
}

/// The remainder modulo 2¹⁶ that is in −32768 ..= 32767.
fn wrap(sum: i64) -> i64 {
    (sum + 32768).rem_euclid(65536) - 32768
}

/// ⌊x / 2^shift⌋.
fn shift_down(x: i64, shift: i32) -> i64 {
    if shift < 0 { x * (1 << -shift) } else { x.div_euclid(1 << shift) }
}

/// By how many bits a sample is shifted before 16-bit transforms: the least s with N < 2²⁴ · 4^s.
fn shift_of(sample: &[i64]) -> i32 {
    let squares = dot(sample, sample) as f64;
    if squares == 0.0 {
        return -12;
    }
    (-12..).find(|&s| squares < 2.0_f64.powi(24 + 2 * s)).expect("squares are finite")
}

/// H · x in full, for numbers that are given doubled, n + ½ as 2n + 1; the sums are not doubled, modulo 2¹⁶.
fn hadamard(doubled: &[i64]) -> Vec<i64> {
    let size = doubled.len();
    let entry = |i: usize, j: usize| 1 - 2 * ((i & j).count_ones() % 2) as i64;
    let sum = |i: usize| (0..size).map(|j| entry(i, j) * doubled[j]).sum::<i64>();
    (0..size).map(|i| wrap(sum(i) / 2)).collect()
}

/// The sums of a structured W as `ternion_core::Structured` specifies them: every transform as a full matrix product.
/// With the factor F of a periodic σ, angles as `ternion_core::periodic` specifies them.
pub fn structured(seed: u64, features: usize, sample: &[i64], factor: Option<i64>) -> Sums {
    let size = (6..).map(|k| 1_usize << k).find(|size| *size >= sample.len()).unwrap();
    let shift = shift_of(sample);
    let signed = |row: u64, x: &[i64]| -> Vec<i64> {
        let signs = row_of_w(seed, 0, row, size);
        x.iter().zip(signs).map(|(x, sign)| x * sign as i64).collect()
    };
    let number = |j: usize| match sample.get(j) {
        Some(&x) => 2 * shift_down(x, shift) + 1,
        None => 1 - 2 * (j as i64 % 2),
    };
    let padded: Vec<i64> = (0..size).map(number).collect();
    let rotated = hadamard(&signed(0, &padded));
    let back = (size.ilog2() as i32 + 1) / 2;
    let mut shrunk: Vec<i64> = rotated.iter().map(|&y| 2 * shift_down(y, back) + 1).collect();
    if let Some(factor) = factor {
        let factor = (factor as f64 * 2.0_f64.powi(shift - 1) + 0.5).floor() as i64;
        shrunk.iter_mut().for_each(|v| *v = 2 * (*v * factor).div_euclid(1 << 16) + 1);
    }
    let mut sums = Vec::new();
    for block in 0..features.div_ceil(size) as u64 {
        let z = hadamard(&signed(2 * block + 1, &shrunk));
        sums.extend(if factor.is_some() { z } else { signed(2 * block + 2, &z) });
    }
    sums.truncate(features);
    Sums { sums, shift: Some(shift) }
}

/// The 32-bit draws of a row of the seed: the signs of a row without zeros are its draws.
struct Draws(std::vec::IntoIter<i8>);

impl Draws {
    fn bits(&mut self, count: usize) -> Vec<bool> {
        (0..count).map(|_| self.0.next().expect("enough draws") < 0).collect()
    }

    fn below(&mut self, count: usize) -> usize {
        let draw = self.bits(32).iter().rev().fold(0_u128, |draw, &bit| 2 * draw + bit as u128);
        (draw * count as u128 / (1 << 32)) as usize
    }

    /// `count` of `of` numbers.
    fn choose(&mut self, count: usize, of: usize) -> Vec<usize> {
        let mut chosen = std::collections::BTreeSet::new();
        if count == of {
            return (0..of).collect();
        }
        for j in of - count..of {
            let t = self.below(j + 1);
            if !chosen.insert(t) {
                chosen.insert(j);
            }
        }
        chosen.into_iter().collect()
    }
}

/// The sums of a local W as `ternion_core::Local` specifies them. With the factor F of a periodic σ, angles as
/// `ternion_core::periodic` specifies them.
pub fn local(seed: u64, view: View, features: usize, sample: &[i64], factor: Option<i64>) -> Sums {
    let words: Vec<u64> = (0..features.div_ceil(64) as u64).collect();
    let mut sums = local_words(seed, view, &words, sample, factor);
    sums.sums.truncate(features);
    sums
}

/// The same for some words of 64 features.
pub fn local_words(
    seed: u64,
    view: View,
    words: &[u64],
    sample: &[i64],
    factor: Option<i64>,
) -> Sums {
    let shift = if factor.is_some() { 0 } else { shift_of(sample) };
    let sample = &factor.map_or(sample.to_vec(), |factor| in_turns(sample, factor));
    let mut sums = Vec::new();
    for &word in words {
        let mut draws = Draws(row_of_w(seed, 0, word, 32 * 80).into_iter());
        let before = draws.bits(64);
        let blocks: Vec<Vec<usize>> = match view {
            View::Boxes(Grid { width, height, channels }) => {
                let rows = (5 + draws.below(10)).min(height);
                let columns = (5 + draws.below(10)).min(width);
                let (top, left) =
                    (draws.below(height - rows + 1), draws.below(width - columns + 1));
                let mut inputs = Vec::new();
                for row in top..top + rows {
                    for column in left..left + columns {
                        inputs.extend((0..channels).map(|c| (row * width + column) * channels + c));
                    }
                }
                let seen = inputs.len().max(64);
                vec![(0..inputs.len().min(64)).map(|index| inputs[index * seen / 64]).collect()]
            }
            View::Subsets { least, most } => {
                let count = (least + draws.below(most - least + 1)).min(sample.len());
                let size = (1..).map(|k| 1_usize << k).find(|size| *size >= count).unwrap();
                (0..64 / size).map(|_| draws.choose(count, sample.len())).collect()
            }
            _ => unreachable!("a view without an oracle"),
        };
        let after = draws.bits(64);
        let size = 64 / blocks.len();
        for (block, inputs) in blocks.iter().enumerate() {
            let number = |k: usize| {
                let u = inputs.get(k).map_or(1, |&input| 2 * shift_down(sample[input], shift) + 1);
                if before[block * size + k] { -u } else { u }
            };
            let z = hadamard(&(0..size).map(number).collect::<Vec<_>>());
            let minus = |k: usize| factor.is_none() && after[block * size + k];
            sums.extend(z.iter().enumerate().map(|(k, z)| if minus(k) { -z } else { *z }));
        }
    }
    Sums { sums, shift: Some(shift) }
}

/// F of a periodic σ, for a period in the unit of a sample.
pub fn factor(period: f64) -> i64 {
    if period == 0.0 { 0 } else { (2.0_f64.powi(32) / period).round().min(4294967295.0) as i64 }
}

/// A sample in the unit in which 2¹⁶ is a period.
pub fn in_turns(sample: &[i64], factor: i64) -> Vec<i64> {
    sample.iter().map(|x| wrap((x * factor + (1 << 15)).div_euclid(1 << 16))).collect()
}

/// The trits of angles by a periodic σ, as `ternion_core::periodic` specifies it: a cosine above ½ or below −½.
pub fn periodic_trits(angles: &[i64], seed: u64) -> Vec<i8> {
    let trit = |(feature, angle): (usize, &i64)| periodic_trit(feature as u64, *angle, seed);
    angles.iter().enumerate().map(trit).collect()
}

/// The trit of the angle of one feature.
pub fn periodic_trit(feature: u64, angle: i64, seed: u64) -> i8 {
    let (a, b) = outputs(seed, (1 << 62) + feature / 64);
    let bits = a as u128 | (b as u128) << 64;
    let part = |k: usize| (bits >> (16 * k) & 0xFFFF) as i64;
    let signs = (0..6).map(|k| 1 - 2 * (feature as i64 >> k & 1));
    let phase = part(0) + signs.enumerate().map(|(k, sign)| sign * part(k + 1)).sum::<i64>();
    let turns = (wrap(angle + phase) as f64 + 0.5) / 65536.0;
    let cosine = (std::f64::consts::TAU * turns + std::f64::consts::PI).cos();
    (cosine > 0.5) as i8 - (cosine < -0.5) as i8
}

/// W·x in `i64`.
pub fn project(w: &[i8], sample: &[i64]) -> Vec<i64> {
    w.chunks(sample.len()).map(|row| dot(row, sample)).collect()
}

/// Σ a·b in `i64`.
pub fn dot<A: Copy + Into<i64>, B: Copy + Into<i64>>(a: &[A], b: &[B]) -> i64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(&a, &b)| a.into() * b.into()).sum()
}

/// σ of an integer sum that is `unit` times the real one; four cuts, the first two −∞ for two.
pub fn activate(sum: i64, cuts: [f32; 4], unit: f64) -> i8 {
    let cut = cuts.map(|cut| if cut.is_infinite() { cut as f64 } else { cut as f64 * unit });
    let sum = sum as f64;
    if sum < cut[0] || sum > cut[3] {
        1
    } else if sum > cut[1] && sum < cut[2] {
        -1
    } else {
        0
    }
}

/// The Euclidean norm of integers: the unit of thresholds "per norm".
pub fn norm(sample: &[i64]) -> f64 {
    (dot(sample, sample) as f64).sqrt()
}

/// All dot products between rows of trits.
pub fn dots(a: &[i8], b: &[i8], cols: usize) -> Vec<i64> {
    a.chunks(cols).flat_map(|a| b.chunks(cols).map(move |b| dot(a, b))).collect()
}
