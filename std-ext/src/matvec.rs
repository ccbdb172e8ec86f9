//! Packed features times a vector: sums over subsets of a few numbers are tabled, then looked up by the bits
//! of the planes.
//!
//! ```text
//! rows (Σᵀ·u)                                       columns (Σ·v)
//! for every part of the columns:                    for every 64 rows:
//!     table the subset sums of each word                table their subset sums
//!     for every block of rows:                          for every word of 64 columns:
//!         copy the words of the rows side by side           turn the 64 × 64 bits on their side
//!         for every word, for every row:                    for every column:
//!             out += lookups                                    out += lookups
//!
//! lookups = Σ sum of (byte of mask ∧ ¬sign) − Σ sum of (byte of sign)
//! sum of (byte) = table[its low four bits] + table[its high four bits]
//! ```
//!
//! No multiplication. All sums are `f64` in an order that depends on nothing but the sizes: the same bits on
//! every instruction set, by one of two ways.
//!
//! 1. AVX-512 holds a table of 16 sums in two registers and looks eight rows up at once: 12 operations for
//!    a byte of each, 6 cycles for 64 trits of a row. The tables of a part, 256 words, take 512 KB. Seen are
//!    19 cycles: a third of the time is the copying, bound by memory, and the tables come from L2 for every
//!    32 rows.
//! 2. Elsewhere the sums of all 256 bytes are tabled, and a load is a lookup: two loads and two additions for
//!    a byte of a row. The tables of a word take 16 KB, and only one word's are looked up at a time, so that
//!    they stay in L1 for 128 rows; those of a part, 8 words, wait in L2 for their turn.

use crate::error::check_finite;
use crate::transpose::column_words;
use crate::{Error, Features, parallel};
use core::array::from_fn;
use ternion_core::arch::{Kernel, Simd};
use ternion_core::{Buffer, Error as CoreError, words_per_row};

/// A word of each of eight rows: where their trits are +1, and where they are −1.
type Octet = [[u64; 8]; 2];

impl Features {
    /// Σᵀ·u: for each sample the sum of ±uₖ over its features.
    ///
    /// ```
    /// # use ternion::{Features, TritMatrix};
    /// let features = Features::new(TritMatrix::new(2, 3, vec![0b010, 0b110], vec![0b011, 0b111])?);
    /// // (+1 −1 0) and (+1 −1 −1)
    /// assert_eq!(features.matvec(&[10.0, 1.0, 0.5])?, [9.0, 8.5]);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CoreError::LengthMismatch`] unless there is one number for each feature,
    /// [`Error::NotFinite`] for NaN or infinity.
    pub fn matvec(&self, u: &[f64]) -> Result<Vec<f64>, Error> {
        check(u, self.features())?;
        let mut out = vec![0.0; self.len()];
        // No fewer rows than pay for their tables.
        let piece = self.len().div_ceil(parallel::threads()).next_multiple_of(128);
        parallel::pieces(&mut out, piece, |number, out| {
            self.isa().dispatch(RowsTimes { features: self, first: number * piece, u, out });
        });
        Ok(out)
    }

    /// Σ·v: for each feature the sum of ±vᵢ over the samples.
    ///
    /// ```
    /// # use ternion::{Features, TritMatrix};
    /// let features = Features::new(TritMatrix::new(2, 3, vec![0b010, 0b110], vec![0b011, 0b111])?);
    /// // (+1 −1 0) and (+1 −1 −1)
    /// assert_eq!(features.transposed_matvec(&[10.0, 1.0])?, [11.0, -11.0, -1.0]);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CoreError::LengthMismatch`] unless there is one number for each sample,
    /// [`Error::NotFinite`] for NaN or infinity.
    pub fn transposed_matvec(&self, v: &[f64]) -> Result<Vec<f64>, Error> {
        check(v, self.len())?;
        let mut out = vec![0.0; self.features()];
        let piece = self.features().div_ceil(parallel::threads()).next_multiple_of(64);
        parallel::pieces(&mut out, piece, |number, out| {
            let first = number * piece / 64;
            self.isa().dispatch(ColumnsTimes { features: self, first, v, out });
        });
        Ok(out)
    }

    /// The sum of each feature over the samples, exact.
    pub fn sums(&self) -> Vec<i64> {
        let mut out = vec![0.0; self.features()];
        // Whole numbers below 2⁵³ in any order, so nothing is rounded.
        let v = &vec![1.0; self.len()];
        self.isa().dispatch(ColumnsTimes { features: self, first: 0, v, out: &mut out });
        out.into_iter().map(|sum| sum as i64).collect()
    }

    /// The mean of each feature over the samples.
    pub fn means(&self) -> Vec<f64> {
        let share = 1.0 / self.len() as f64;
        self.sums().into_iter().map(|sum| sum as f64 * share).collect()
    }
}

/// Samples from `first` on, as many as `out` has room for.
struct RowsTimes<'a> {
    features: &'a Features,
    first: usize,
    u: &'a [f64],
    out: &'a mut [f64],
}

impl Kernel for RowsTimes<'_> {
    type Output = ();

    fn run<S: Simd>(self, simd: S) {
        let Self { features, first, u, out } = self;
        let stride = words_per_row(features.features());
        let (sign, mask) = (features.trits().sign(), features.trits().mask());
        // Words whose tables wait in L2 together, and rows that a table serves when it is its turn.
        let (words, rows) = if S::LOOKUP64 { (256, 32) } else { (8, 128) };
        let words = words.min(stride);
        let mut tables = Tables::new::<S>(words);
        // Rows are often a power of two apart, where a cache holds few of them: their words are copied
        // side by side first, each line read once.
        let mut octets = vec![[[0; 8]; 2]; words * rows / 8];
        for (part, u) in u.chunks(64 * words).enumerate() {
            let count = u.len().div_ceil(64);
            tables.fill(u);
            for (block, out) in out.chunks_mut(rows).enumerate() {
                for row in 0..out.len() {
                    let from = (first + block * rows + row) * stride + part * words;
                    let planes = sign[from..from + count].iter().zip(&mask[from..from + count]);
                    let octets = octets[row / 8..].iter_mut().step_by(rows / 8);
                    for (octet, (sign, mask)) in octets.zip(planes) {
                        (octet[0][row % 8], octet[1][row % 8]) = (mask & !sign, *sign);
                    }
                }
                for (word, octets) in octets.chunks_exact(rows / 8).take(count).enumerate() {
                    tables.add(simd, word, octets, out);
                }
            }
        }
    }
}

/// Features from word `first` on, as many as `out` has room for.
struct ColumnsTimes<'a> {
    features: &'a Features,
    first: usize,
    v: &'a [f64],
    out: &'a mut [f64],
}

impl Kernel for ColumnsTimes<'_> {
    type Output = ();

    fn run<S: Simd>(self, simd: S) {
        let Self { features, first, v, out } = self;
        let stride = words_per_row(features.features());
        let mut tables = Tables::new::<S>(1);
        for (block, v) in v.chunks(64).enumerate() {
            tables.fill(v);
            for (word, out) in (first..).zip(out.chunks_mut(64)) {
                let sign = column_words(features.trits().sign(), stride, block * 64, word);
                let mask = column_words(features.trits().mask(), stride, block * 64, word);
                let octets: [Octet; 8] = from_fn(|octet| {
                    let minus = from_fn(|row| sign[8 * octet + row]);
                    [from_fn(|row| mask[8 * octet + row] & !minus[row]), minus]
                });
                tables.add(simd, 0, &octets, out);
            }
        }
    }
}

/// A vector of the right length, finite.
pub(crate) fn check(vector: &[f64], expected: usize) -> Result<(), Error> {
    let (buffer, found) = (Buffer::Vector, vector.len());
    if found != expected {
        return Err(CoreError::LengthMismatch { buffer, expected, found }.into());
    }
    check_finite(vector)
}

/// The sums of all subsets of each four of 64 numbers: their bits.
type Fours = [[u64; 16]; 16];

/// The sums of all subsets of each eight of 64 numbers.
type Eights = [[f64; 256]; 8];

/// The subset sums of some words of 64 numbers.
struct Tables {
    fours: Vec<Fours>,
    /// Empty where nothing is looked up by loads.
    eights: Vec<Eights>,
}

impl Tables {
    fn new<S: Simd>(words: usize) -> Self {
        let eights = if S::LOOKUP64 { 0 } else { words };
        Self { fours: vec![[[0; 16]; 16]; words], eights: vec![[[0.0; 256]; 8]; eights] }
    }

    /// Takes up to 64 numbers for each word, and zeros for the rest.
    fn fill(&mut self, numbers: &[f64]) {
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

    /// Adds Σ ± of a word's numbers to each row's sum, by its trits.
    fn add<S: Simd>(&self, simd: S, word: usize, octets: &[Octet], out: &mut [f64]) {
        let (fours, eights) = (&self.fours[word], self.eights.get(word));
        simd.vectorize(
            #[inline(always)]
            || {
                for ([plus, minus], out) in octets.iter().zip(out.chunks_mut(8)) {
                    let (plus, minus) = match eights {
                        None => (look_up(simd, fours, plus), look_up(simd, fours, minus)),
                        Some(eights) => (load(eights, plus), load(eights, minus)),
                    };
                    // Eight known to be eight are one register.
                    match <&mut [f64; 8]>::try_from(&mut *out) {
                        Ok(out) => (0..8).for_each(|row| out[row] += plus[row] - minus[row]),
                        Err(_) => {
                            for (out, (plus, minus)) in
                                out.iter_mut().zip(plus.into_iter().zip(minus))
                            {
                                *out += plus - minus;
                            }
                        }
                    }
                }
            },
        );
    }
}

/// Σ of the numbers at the set bits, by loads.
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
    use crate::Isa;
    use ternion_core::{Seeded, Sparsity, TritMatrix};

    /// Samples that end within eight rows, within a block of them and behind a second block; features within a
    /// word, and more words than are tabled together.
    #[test]
    fn every_isa_gives_the_same_bits() {
        for (samples, features) in [(3, 70), (41, 1000), (700, 70), (133, 16_500)] {
            let seeded = Seeded::new(5, Sparsity::TWO_THIRDS, features, samples).unwrap();
            let words = samples * words_per_row(features);
            let planes = (vec![0; words], vec![0; words]);
            let mut trits = TritMatrix::zeroed(samples, features, planes.0, planes.1).unwrap();
            seeded.fill(&mut trits).unwrap();
            let tenths = |n: usize| (0..n).map(|k| 0.1 + (k * k % 97) as f64).collect::<Vec<_>>();
            let products = |isa| {
                let features = Features::with_isa(trits.clone(), isa);
                let rows = features.matvec(&tenths(features.features())).unwrap();
                let columns = features.transposed_matvec(&tenths(samples)).unwrap();
                let bits =
                    |product: Vec<f64>| product.into_iter().map(f64::to_bits).collect::<Vec<_>>();
                (bits(rows), bits(columns), features.sums())
            };
            let expected = products(Isa::NATIVE);
            for isa in Isa::present() {
                assert!(products(isa) == expected, "{isa} {samples} {features}");
            }
            for (sum, row) in expected.0.into_iter().map(f64::from_bits).zip(trits.iter_rows()) {
                let naive: f64 =
                    row.iter().zip(tenths(features)).map(|(trit, u)| f64::from(trit) * u).sum();
                assert!((sum - naive).abs() < 1e-9 * features as f64, "{sum} {naive}");
            }
        }
    }
    /// Both ways to a sum, on every ISA: also those that take only one of them.
    #[test]
    fn lookups_and_loads_give_the_same_bits() {
        struct Both(Tables);
        impl Kernel for &Both {
            type Output = ();

            fn run<S: Simd>(self, simd: S) {
                for seed in 0..100_u64 {
                    let words =
                        from_fn(|k| (8 * seed + k as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
                    let found = look_up(simd, &self.0.fours[0], &words).map(f64::to_bits);
                    assert_eq!(
                        found,
                        load(&self.0.eights[0], &words).map(f64::to_bits),
                        "{}",
                        S::NAME
                    );
                    let naive = |word: u64| {
                        (0..64).filter(|k| word >> k & 1 == 1).map(|k| 0.1 - k as f64).sum::<f64>()
                    };
                    for (found, word) in found.into_iter().zip(words) {
                        assert!((f64::from_bits(found) - naive(word)).abs() < 1e-9, "{}", S::NAME);
                    }
                }
            }
        }
        let numbers: Vec<f64> = (0..64).map(|k| 0.1 - f64::from(k)).collect();
        let mut tables = Tables { fours: vec![[[0; 16]; 16]], eights: vec![[[0.0; 256]; 8]] };
        tables.fill(&numbers);
        let both = Both(tables);
        for isa in Isa::present() {
            isa.dispatch(&both);
        }
    }
}
