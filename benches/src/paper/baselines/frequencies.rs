//! Frequencies of the Gaussian kernel exp(−γ‖x − y‖²): independent, orthogonal or on a structured sphere. A column each, in
//! a matrix of `inputs` rows.
//!
//! Each frequency by itself is normal with variance 2γ per input, whichever way they depend on each other, so that all
//! three give an unbiased kernel.

use std::f64::consts::TAU;

use crate::job::data::Normal;

/// How frequencies depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frequencies {
    /// Not at all (Rahimi and Recht 2007).
    Independent,
    /// Orthogonal in blocks of as many as there are inputs, with norms of their own (Yu et al. 2016).
    Orthogonal,
    /// Points on a sphere from rows of a discrete Fourier matrix (Lyu 2017), rotated at random, with norms of their own.
    Spherical,
}

impl Frequencies {
    /// Draws them.
    pub fn draw(self, inputs: usize, features: usize, gamma: f64, random: &mut Normal) -> Vec<f32> {
        let deviation = (2.0 * gamma).sqrt() as f32;
        if self == Self::Independent {
            return random.numbers(inputs * features, deviation);
        }
        let mut out = vec![0.0; inputs * features];
        let mut place = |column: usize, direction: &[f32], random: &mut Normal| {
            // The norm of a normal vector.
            let norm = random.numbers(inputs, deviation).iter().map(|x| x * x).sum::<f32>().sqrt();
            for (row, x) in direction.iter().enumerate() {
                out[row * features + column] = norm * x;
            }
        };
        if self == Self::Orthogonal {
            for first in (0..features).step_by(inputs) {
                let count = inputs.min(features - first);
                for (k, row) in rotation(inputs, count, random).chunks(inputs).enumerate() {
                    place(first + k, row, random);
                }
            }
        } else {
            // The sphere has an even number of dimensions: an input that is always 0 is added to an odd number of them.
            let even = inputs.next_multiple_of(2);
            let rotation = rotation(even, even, random);
            for (column, point) in sphere(even, features).enumerate() {
                let turned: Vec<f32> = rotation
                    .chunks(even)
                    .take(inputs)
                    .map(|row| row.iter().zip(&point).map(|(r, x)| r * x).sum())
                    .collect();
                // On the sphere of one dimension less, if one was added.
                let norm = turned.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
                let unit: Vec<f32> = turned.iter().map(|x| x / norm).collect();
                place(column, &unit, random);
            }
        }
        out
    }
}

/// The first rows of a random rotation: normal vectors made orthonormal, twice, in the way of Gram and Schmidt.
fn rotation(inputs: usize, count: usize, random: &mut Normal) -> Vec<f32> {
    let mut out = random.numbers(count * inputs, 1.0);
    for k in 0..count {
        let (known, rest) = out.split_at_mut(k * inputs);
        let row = &mut rest[..inputs];
        for _ in 0..2 {
            for other in known.chunks(inputs) {
                let along: f32 = row.iter().zip(other).map(|(x, y)| x * y).sum();
                row.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
            }
            let norm = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            row.iter_mut().for_each(|x| *x /= norm);
        }
    }
    out
}

/// Points on the unit sphere in d = 2h dimensions. For a prime n with h | n − 1, and the subgroup Λ of order h of the
/// integers modulo n, columns k = 1 … n of (cos 2πλk/n, −sin 2πλk/n)/√h and of (sin 2πλk/n, cos 2πλk/n)/√h, λ ∈ Λ.
fn sphere(dimensions: usize, count: usize) -> impl Iterator<Item = Vec<f32>> {
    let half = dimensions / 2;
    let is_prime =
        |n: &usize| *n > 1 && (2..).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    let prime = (count.div_ceil(2).max(2)..)
        .find(|n| is_prime(n) && (n - 1).is_multiple_of(half))
        .unwrap_or(2);
    let subgroup = subgroup(prime, half);
    (0..count).map(move |point| {
        let (k, swapped) = (point / 2 + 1, point % 2 == 1);
        let angle = |lambda: &usize| TAU * ((lambda * k) % prime) as f64 / prime as f64;
        let scale = (half as f64).sqrt().recip();
        let real = subgroup.iter().map(|lambda| scale * angle(lambda).cos());
        let imaginary = subgroup.iter().map(|lambda| scale * angle(lambda).sin());
        match swapped {
            false => real.chain(imaginary.map(|x| -x)).map(|x| x as f32).collect(),
            true => imaginary.chain(real).map(|x| x as f32).collect(),
        }
    })
}

/// The elements of the subgroup of this order of the integers modulo a prime.
fn subgroup(prime: usize, order: usize) -> Vec<usize> {
    let power = |base: usize, exponent: usize| {
        (0..exponent).fold(1usize, |product, _| product * base % prime)
    };
    for base in 1..prime {
        let generator = power(base, (prime - 1) / order);
        let elements: Vec<usize> =
            core::iter::successors(Some(1), |&x| Some(x * generator % prime)).take(order).collect();
        let distinct: std::collections::BTreeSet<_> = elements.iter().collect();
        if distinct.len() == order {
            return elements;
        }
    }
    vec![1] // prime = 2, order = 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn random(seed: u64) -> Normal {
        Normal(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    #[test]
    fn orthogonal_frequencies_are_orthogonal_in_blocks() {
        let (p, m) = (10, 25);
        let w = Frequencies::Orthogonal.draw(p, m, 0.5, &mut random(1));
        let dot = |a: usize, b: usize| (0..p).map(|k| w[k * m + a] * w[k * m + b]).sum::<f32>();
        for a in 0..m {
            for b in (0..a).filter(|b| a / p == b / p) {
                assert!(dot(a, b).abs() < 1e-3, "{a} {b}: {}", dot(a, b));
            }
        }
        assert!(dot(0, p).abs() > 1e-2, "blocks are independent");
    }

    #[test]
    fn the_subgroup_is_closed_and_the_points_are_on_the_sphere() {
        let elements = subgroup(31, 5);
        assert_eq!(elements.len(), 5);
        for a in &elements {
            assert!(elements.iter().all(|b| elements.contains(&(a * b % 31))));
        }
        for point in sphere(10, 40) {
            let square: f32 = point.iter().map(|x| x * x).sum();
            assert!((square - 1.0).abs() < 1e-5);
        }
        // A column of the matrix of Lyu's construction, entry by entry: for d = 10 and 40 points the prime is 31, of which
        // 2 generates the subgroup of order 5.
        let subgroup: std::collections::BTreeSet<usize> = [1, 2, 4, 8, 16].into();
        assert_eq!(elements.iter().copied().collect::<std::collections::BTreeSet<_>>(), subgroup);
        for (at, point) in sphere(10, 40).enumerate() {
            let k = (at / 2 + 1) as f64;
            let mut expected: Vec<f64> = Vec::new();
            for lambda in &elements {
                let turn = TAU * *lambda as f64 * k / 31.0;
                expected.push(if at % 2 == 0 { turn.cos() } else { turn.sin() } / 5f64.sqrt());
            }
            for lambda in &elements {
                let turn = TAU * *lambda as f64 * k / 31.0;
                expected.push(if at % 2 == 0 { -turn.sin() } else { turn.cos() } / 5f64.sqrt());
            }
            for (found, expected) in point.iter().zip(expected) {
                assert!((f64::from(*found) - expected).abs() < 1e-6, "{at}");
            }
        }
        // The two points of a pair are orthogonal.
        let points: Vec<_> = sphere(10, 4).collect();
        let dot: f32 = points[0].iter().zip(&points[1]).map(|(a, b)| a * b).sum();
        assert!(dot.abs() < 1e-6);
    }

    #[test]
    fn every_frequency_is_normal_by_itself() {
        for frequencies in
            [Frequencies::Independent, Frequencies::Orthogonal, Frequencies::Spherical]
        {
            for p in [9, 16] {
                let (m, gamma) = (64, 0.8);
                let (mut square, mut fourth, mut count) = (0.0, 0.0, 0.0);
                for seed in 0..200 {
                    for w in frequencies.draw(p, m, gamma, &mut random(seed)) {
                        let w = f64::from(w);
                        square += w * w;
                        fourth += w.powi(4);
                        count += 1.0;
                    }
                }
                let variance = square / count;
                let kurtosis = fourth / count / (variance * variance);
                assert!((variance / 1.6 - 1.0).abs() < 0.02, "{frequencies:?}: {variance}");
                assert!((kurtosis - 3.0).abs() < 0.1, "{frequencies:?}: {kurtosis}");
            }
        }
    }
}
