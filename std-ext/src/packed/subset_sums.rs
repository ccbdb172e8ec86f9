//! [`SubsetSums`]: sums of `f64` numbers with signs from packed trits, by lookups.
//!
//! ```text
//! Σ ± = Σ sum of (byte of mask ∧ ¬sign) − Σ sum of (byte of sign)
//! sum of (byte) = table[its low four bits] + table[its high four bits]
//! ```
//!
//! There are two ways, which give the same bits:
//!
//! 1. AVX-512 holds a table of 16 sums in two registers and looks up eight rows at once. A table is loaded once for 32
//!    rows; a lookup is a shift, a permutation and an addition, of which Zen 4 does the first two in 1.33 cycles: 5.3
//!    cycles for 64 trits of a row.
//! 2. Elsewhere the sums of all 256 bytes are tabulated, and a lookup is a load: two loads and two additions for a byte of
//!    a row. The tables of a word take 16 KB and stay in L1 while they are in use.

use ternion_core::Simd;

/// The sums of all subsets of each four of 64 numbers, as the bits of `f64`.
type Fours = [[u64; 16]; 16];

/// The sums of all subsets of each eight of 64 numbers.
type Eights = [[f64; 256]; 8];

/// The subset sums of a word of 64 numbers.
pub(super) struct SubsetSums {
    fours: Fours,
    /// `None` where lookups are done in registers.
    eights: Option<Box<Eights>>,
}

/// Eights of rows that share the loads of a table.
const GROUP: usize = 4;

/// The sign bit of `f64`.
const SIGN: u64 = 1 << 63;

impl SubsetSums {
    /// The sums of zeros.
    pub(super) fn new() -> Self {
        Self { fours: [[0; 16]; 16], eights: None }
    }

    /// Tabulates up to 64 numbers. What is missing counts as zero.
    pub(super) fn fill<S: Simd>(&mut self, _: S, from: &[f64]) {
        let mut numbers = [0.0; 64];
        numbers.iter_mut().zip(from).for_each(|(number, from)| *number = *from);
        for (table, numbers) in self.fours.iter_mut().zip(numbers.as_chunks::<4>().0) {
            let mut sums = [0.0; 16];
            for bit in 0..4 {
                for subset in 0..1 << bit {
                    sums[subset + (1 << bit)] = sums[subset] + numbers[bit];
                }
            }
            *table = sums.map(f64::to_bits);
        }
        if !S::FAST_LOOKUP64 {
            let eights = self.eights.get_or_insert_with(|| Box::new([[0.0; 256]; 8]));
            for (table, [low, high]) in eights.iter_mut().zip(self.fours.as_chunks().0) {
                for (table, high) in table.chunks_exact_mut(16).zip(high) {
                    for (sum, low) in table.iter_mut().zip(low) {
                        *sum = f64::from_bits(*low) + f64::from_bits(*high);
                    }
                }
            }
        }
    }

    /// Adds to the sum of each row Σ ± of what is tabulated, with signs from the row's trits: for eight rows each, where
    /// these are +1, and where they are −1.
    pub(super) fn add<S: Simd>(
        &self,
        simd: S,
        plus: &[[u64; 8]],
        minus: &[[u64; 8]],
        sums: &mut [f64],
    ) {
        let (fours, eights) = (&self.fours, self.eights.as_deref());
        simd.vectorize(
            #[inline(always)]
            || {
                let groups = plus.chunks(GROUP).zip(minus.chunks(GROUP));
                for ((plus, minus), sums) in groups.zip(sums.chunks_mut(8 * GROUP)) {
                    let whole = plus.first_chunk::<GROUP>().zip(minus.first_chunk::<GROUP>());
                    if let (None, Some((plus, minus)), true) =
                        (eights, whole, sums.len() == 8 * GROUP)
                    {
                        look_up(simd, fours, plus, minus, sums);
                        continue;
                    }
                    for ((plus, minus), sums) in plus.iter().zip(minus).zip(sums.chunks_mut(8)) {
                        match eights {
                            Some(eights) => load(eights, plus, minus, sums),
                            None => {
                                let mut all = [0.0; 8];
                                all[..sums.len()].copy_from_slice(sums);
                                look_up(simd, fours, &[*plus], &[*minus], &mut all);
                                sums.copy_from_slice(&all[..sums.len()]);
                            }
                        }
                    }
                }
            },
        );
    }
}

/// Adds the numbers at the set bits of `plus`, and subtracts those at the bits of `minus`, by loads.
#[inline(always)]
fn load(eights: &Eights, plus: &[u64; 8], minus: &[u64; 8], sums: &mut [f64]) {
    for ((sum, plus), minus) in sums.iter_mut().zip(plus).zip(minus) {
        let [mut added, mut subtracted] = [0.0; 2];
        let bytes = plus.to_le_bytes().into_iter().zip(minus.to_le_bytes());
        for (table, (plus, minus)) in eights.iter().zip(bytes) {
            added += table[plus as usize];
            subtracted += table[minus as usize];
        }
        *sum += added - subtracted;
    }
}

/// The same for `R` eights of rows and as many sums, by lookups in registers.
#[inline(always)]
fn look_up<S: Simd, const R: usize>(
    simd: S,
    fours: &Fours,
    plus: &[[u64; 8]; R],
    minus: &[[u64; 8]; R],
    sums: &mut [f64],
) {
    let mut words = [[simd.splat64(0); R]; 2];
    for r in 0..R {
        (words[0][r], words[1][r]) = (simd.load64(&plus[r]), simd.load64(&minus[r]));
    }
    let mut found = [[simd.splat64(0); R]; 2];
    for [low, high] in fours.as_chunks().0 {
        for plane in 0..2 {
            for r in 0..R {
                let low = simd.lookup64(low, words[plane][r]);
                let high = simd.lookup64(high, simd.shr64(words[plane][r], 4));
                found[plane][r] = simd.add_f64(found[plane][r], simd.add_f64(low, high));
                words[plane][r] = simd.shr64(words[plane][r], 8);
            }
        }
    }
    let sums: &mut [u64] = bytemuck::cast_slice_mut(sums);
    for (r, sums) in sums.as_chunks_mut().0.iter_mut().enumerate().take(R) {
        let difference = simd.add_f64(found[0][r], simd.xor64(found[1][r], simd.splat64(SIGN)));
        let sum = simd.add_f64(simd.load64(sums), difference);
        simd.store64(sums, sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isa, dispatch};
    use core::array::from_fn;

    /// Both ways to a sum, on every ISA: also on those that use only one of them.
    #[test]
    fn lookups_and_loads_give_the_same_bits() {
        let numbers: Vec<f64> = (0..64).map(|k| 0.1 - f64::from(k)).collect();
        let mut tables = SubsetSums::new();
        dispatch!(Isa::SCALAR, simd => tables.fill(simd, &numbers));
        for isa in Isa::present() {
            dispatch!(isa, simd => check(simd, &tables));
        }
    }

    fn check<S: Simd>(simd: S, tables: &SubsetSums) {
        let eights = tables.eights.as_deref().unwrap();
        for seed in 0..100_u64 {
            let word = |k: u64| (64 * seed + k).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let plus: [[u64; 8]; 3] = from_fn(|r| from_fn(|k| word(8 * r as u64 + k as u64)));
            let minus = plus.map(|words| words.map(|word| !word & word.rotate_left(7)));
            let [mut found, mut loaded] = [[0.1; 24]; 2];
            look_up(simd, &tables.fours, &plus, &minus, &mut found);
            for (r, loaded) in loaded.chunks_mut(8).enumerate() {
                load(eights, &plus[r], &minus[r], loaded);
            }
            assert_eq!(found.map(f64::to_bits), loaded.map(f64::to_bits), "{}", S::NAME);
            let sum = |word: u64| {
                (0..64).filter(|k| word >> k & 1 == 1).map(|k| 0.1 - k as f64).sum::<f64>()
            };
            let words = plus.as_flattened().iter().zip(minus.as_flattened());
            for (found, (plus, minus)) in found.into_iter().zip(words) {
                let naive = 0.1 + sum(*plus) - sum(*minus);
                assert!((found - naive).abs() < 1e-9, "{}", S::NAME);
            }
        }
    }
}
