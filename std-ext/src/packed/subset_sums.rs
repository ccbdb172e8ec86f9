//! Sums of `f64` numbers with signs from packed trits: the sums of all subsets are tabulated, then looked up by the bits
//! of the planes (the method of the Four Russians).
//!
//! ```text
//! Σ ± = Σ sum of (byte of mask ∧ ¬sign) − Σ sum of (byte of sign)
//! sum of (byte) = table[its low four bits] + table[its high four bits]
//! ```
//!
//! There are two ways, which give the same bits:
//!
//! 1. AVX-512 holds a table of 16 sums in two registers and looks up eight rows at once: 12 operations for a byte of each
//!    row, 6 cycles for 64 trits of a row. The tables of a word take 2 KB.
//! 2. Elsewhere the sums of all 256 bytes are tabulated, and a lookup is a load: two loads and two additions for a byte of
//!    a row. The tables of a word take 16 KB and should stay in L1 while they are in use.

use ternion_core::Simd;

/// One word of each of eight rows: the bits of the trits that are +1, then of those that are −1.
pub(crate) type Octet = [[u64; 8]; 2];

/// How many words are tabulated together, so that their tables (512 KB or 128 KB) stay in L2, and how many rows use one
/// table before the next.
pub(crate) const fn sizes<S: Simd>() -> (usize, usize) {
    if S::FAST_LOOKUP64 { (256, 32) } else { (8, 128) }
}

/// The sums of all subsets of each four of 64 numbers, as the bits of `f64`.
type Fours = [[u64; 16]; 16];

/// The sums of all subsets of each eight of 64 numbers.
type Eights = [[f64; 256]; 8];

/// The subset sums of several words of 64 numbers.
pub(crate) struct Tables {
    fours: Vec<Fours>,
    /// Empty where lookups are done in registers.
    eights: Vec<Eights>,
}

impl Tables {
    /// Room for the tables of `words` words.
    pub(crate) fn new<S: Simd>(words: usize) -> Self {
        let eights = if S::FAST_LOOKUP64 { 0 } else { words };
        Self { fours: vec![[[0; 16]; 16]; words], eights: vec![[[0.0; 256]; 8]; eights] }
    }

    /// Tabulates up to 64 numbers per word; missing numbers count as zero.
    pub(crate) fn fill(&mut self, numbers: &[f64]) {
        for (fours, numbers) in self.fours.iter_mut().zip(numbers.chunks(64)) {
            for (four, table) in fours.iter_mut().enumerate() {
                let mut sums = [0.0; 16];
                for bit in 0..4 {
                    let number = numbers.get(4 * four + bit).copied().unwrap_or(0.0);
                    let (done, next) = sums.split_at_mut(1 << bit);
                    for (next, done) in next.iter_mut().zip(done) {
                        *next = *done + number;
                    }
                }
                *table = sums.map(f64::to_bits);
            }
        }
        for (eights, fours) in self.eights.iter_mut().zip(&self.fours) {
            for (table, [low, high]) in eights.iter_mut().zip(fours.as_chunks().0) {
                for (table, high) in table.chunks_exact_mut(16).zip(high) {
                    for (sum, low) in table.iter_mut().zip(low) {
                        *sum = f64::from_bits(*low) + f64::from_bits(*high);
                    }
                }
            }
        }
    }

    /// Adds to the sum of each row Σ ± of a word's numbers, with signs from the row's trits.
    pub(crate) fn add<S: Simd>(&self, simd: S, word: usize, octets: &[Octet], out: &mut [f64]) {
        let (fours, eights) = (&self.fours[word], self.eights.get(word));
        simd.vectorize(
            #[inline(always)]
            || {
                for ([plus, minus], out) in octets.iter().zip(out.chunks_mut(8)) {
                    let (plus, minus) = match eights {
                        None => (look_up(simd, fours, plus), look_up(simd, fours, minus)),
                        Some(eights) => (load(eights, plus), load(eights, minus)),
                    };
                    let mut sums = [0.0; 8];
                    for row in 0..8 {
                        sums[row] = plus[row] - minus[row];
                    }
                    // A length known at compile time makes this one register.
                    match out.first_chunk_mut::<8>() {
                        Some(out) => add_to(out, sums),
                        None => add_to(out, sums),
                    }
                }
            },
        );
    }
}

#[inline(always)]
fn add_to(out: &mut [f64], sums: [f64; 8]) {
    for (out, sum) in out.iter_mut().zip(sums) {
        *out += sum;
    }
}

/// The sum of the numbers at the set bits of each word, by loads.
#[inline(always)]
fn load(eights: &Eights, words: &[u64; 8]) -> [f64; 8] {
    let mut sums = [0.0; 8];
    for (sum, word) in sums.iter_mut().zip(words) {
        for (table, byte) in eights.iter().zip(word.to_le_bytes()) {
            *sum += table[byte as usize];
        }
    }
    sums
}

/// The same, by lookups in registers.
#[inline(always)]
fn look_up<S: Simd>(simd: S, fours: &Fours, words: &[u64; 8]) -> [f64; 8] {
    let (mut words, mut sums) = (simd.load64(words), simd.splat64(0));
    for [low, high] in fours.as_chunks().0 {
        let low = simd.lookup64(low, words);
        let high = simd.lookup64(high, simd.shr64(words, 4));
        sums = simd.add_f64(sums, simd.add_f64(low, high));
        words = simd.shr64(words, 8);
    }
    let mut bits = [0; 8];
    simd.store64(&mut bits, sums);
    bits.map(f64::from_bits)
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
        let mut tables = Tables { fours: vec![[[0; 16]; 16]], eights: vec![[[0.0; 256]; 8]] };
        tables.fill(&numbers);
        for isa in Isa::present() {
            dispatch!(isa, simd => check(simd, &tables));
        }
    }

    fn check<S: Simd>(simd: S, tables: &Tables) {
        for seed in 0..100_u64 {
            let words = from_fn(|k| (8 * seed + k as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let found = look_up(simd, &tables.fours[0], &words).map(f64::to_bits);
            let loaded = load(&tables.eights[0], &words).map(f64::to_bits);
            assert_eq!(found, loaded, "{}", S::NAME);
            let naive = |word: u64| {
                (0..64).filter(|k| word >> k & 1 == 1).map(|k| 0.1 - k as f64).sum::<f64>()
            };
            for (found, word) in found.into_iter().zip(words) {
                assert!((f64::from_bits(found) - naive(word)).abs() < 1e-9, "{}", S::NAME);
            }
        }
    }
}
