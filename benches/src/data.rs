//! Deterministic data on a grid where every order of f32 summation is exact.
//!
//! Samples are whole multiples of 1/128 and weights are trits, so a dot product is a whole multiple of
//! 1/128 and stays below 2²⁴ of them: each dense library, whatever its blocking, must give the
//! same bits, and a check is an equality, not a tolerance.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use ternion_core::TritMatrix;
use ternion_tests::data::pack;
use ternion_tests::inputs::Input;

/// The grid of the samples.
pub use ternion_tests::inputs::GRID;

/// Largest |whole number| of [`whole`].
pub const LARGEST: usize = 510;

/// Bell-shaped whole numbers in −510..=510, standard deviation 148.
pub fn whole(len: usize, seed: u64) -> Vec<i16> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    (0..len)
        .map(|_| {
            let bytes = rng.next_u32().to_le_bytes();
            bytes.iter().map(|&b| i16::from(b)).sum::<i16>() - 510
        })
        .collect()
}

/// Whole numbers as multiples of [`GRID`].
pub fn on_grid(whole: &[i16]) -> Vec<f32> {
    f32::from_whole(whole, whole.len())
}

/// Trits, zero with probability `sparsity`, both signs equally likely.
pub fn trits(len: usize, sparsity: f64, seed: u64) -> Vec<i8> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let zero_below = (sparsity * f64::from(1u32 << 31)) as u32;
    (0..len)
        .map(|_| {
            let bits = rng.next_u32();
            if bits >> 1 < zero_below { 0 } else { 1 - 2 * (bits & 1) as i8 }
        })
        .collect()
}

/// Trits in two planes, rows of `cols`.
pub fn packed(trits: &[i8], cols: usize) -> TritMatrix<Vec<u64>> {
    let (sign, mask) = pack(trits, cols);
    TritMatrix::new(trits.len() / cols, cols, sign, mask).expect("packed trits")
}

/// Trits as floats.
pub fn floats(trits: &[i8]) -> Vec<f32> {
    trits.iter().map(|&t| f32::from(t)).collect()
}

/// The transpose of a `rows`×`columns` row-major matrix.
pub fn transposed(matrix: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let mut out = vec![0.0; rows * columns];
    for (i, row) in matrix.chunks(columns).enumerate() {
        for (j, &value) in row.iter().enumerate() {
            out[j * rows + i] = value;
        }
    }
    out
}

/// The factor of column `j` in checksums, which reveals columns that changed places.
pub fn factor(j: usize) -> i64 {
    (j % 61) as i64 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trits_have_the_asked_sparsity_and_even_signs() {
        for sparsity in [0.0, 0.5, 2.0 / 3.0, 0.9] {
            let trits = trits(100_000, sparsity, 7);
            let share = |t: i8| trits.iter().filter(|&&x| x == t).count() as f64 / 1e5;
            assert!((share(0) - sparsity).abs() < 0.01, "{sparsity}: {}", share(0));
            assert!((share(1) - share(-1)).abs() < 0.015);
        }
    }

    #[test]
    fn whole_numbers_are_centred_and_stay_in_range() {
        let numbers = whole(100_000, 3);
        assert!(numbers.iter().all(|k| usize::from(k.unsigned_abs()) <= LARGEST));
        let mean = numbers.iter().map(|&k| f64::from(k)).sum::<f64>() / 1e5;
        let var = numbers.iter().map(|&k| f64::from(k).powi(2)).sum::<f64>() / 1e5;
        assert!(mean.abs() < 2.0, "{mean}");
        assert!((var.sqrt() - 148.0).abs() < 2.0, "{}", var.sqrt());
    }

    #[test]
    fn transposing_turns_rows_into_columns() {
        assert_eq!(
            transposed(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3),
            [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]
        );
    }
}
