//! Packed features times a vector: sums over subsets of 8 numbers are tabled, then looked up by the bytes
//! of the planes.
//!
//! ```text
//! rows (Σᵀ·u)                                       columns (Σ·v)
//! for every line of 8 words of 64 columns:          for every 64 rows:
//!     table the 8 × 256 subset sums of each word        table their 8 × 256 subset sums
//!     for every block of 128 rows:                      for every word of 64 columns:
//!         copy the lines of the rows, word by word          turn the 64 × 64 bits on their side
//!         for every word, for every row:                    for every column:
//!             out += lookups                                    out += lookups
//!
//! lookups = Σ table[byte of mask ∧ ¬sign] − Σ table[byte of sign]
//! ```
//!
//! Two lookups and two additions for eight trits, no multiplication. The tables of a word take 16 KB, and
//! only one word's are looked up at a time, so that they stay in L1; those of all 8 words of a line,
//! 128 KB, and the copied words, 16 KB, wait in L2 for their turn. All sums are `f64` in an order that
//! depends on nothing but the sizes.

use crate::linalg::check_finite;
use crate::transpose::column_words;
use crate::{Error, Features, parallel};
use ternion_core::{Buffer, Error as CoreError, words_per_row};

/// Words of a row that are worked on before the next rows: a cache line.
const LINE: usize = 8;

/// Rows whose lines stay in cache while the tables of their words take turns.
const ROWS: usize = 128;

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
        let piece = self.len().div_ceil(parallel::threads()).next_multiple_of(ROWS);
        parallel::pieces(&mut out, piece, |number, out| self.rows_times(number * piece, u, out));
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
            self.columns_times(number * piece / 64, v, out);
        });
        Ok(out)
    }

    /// The sum of each feature over the samples, exact.
    pub fn sums(&self) -> Vec<i64> {
        let mut out = vec![0.0; self.features()];
        // Whole numbers below 2⁵³ in any order, so nothing is rounded.
        self.columns_times(0, &vec![1.0; self.len()], &mut out);
        out.into_iter().map(|sum| sum as i64).collect()
    }

    /// The mean of each feature over the samples.
    pub fn means(&self) -> Vec<f64> {
        let share = 1.0 / self.len() as f64;
        self.sums().into_iter().map(|sum| sum as f64 * share).collect()
    }

    /// Samples from `first` on, as many as `out` has room for.
    fn rows_times(&self, first: usize, u: &[f64], out: &mut [f64]) {
        let stride = words_per_row(self.features());
        let planes = [self.trits().sign(), self.trits().mask()];
        let mut tables = vec![Tables::ZERO; LINE];
        // Rows are often a power of two apart, where a cache holds few of them: their words are copied
        // side by side first, each line read once.
        let mut words = vec![[[0; 2]; ROWS]; LINE];
        for (line, u) in u.chunks(64 * LINE).enumerate() {
            let count = u.len().div_ceil(64);
            for (tables, u) in tables.iter_mut().zip(u.chunks(64)) {
                tables.fill(u);
            }
            for (block, out) in out.chunks_mut(ROWS).enumerate() {
                for row in 0..out.len() {
                    let from = (first + block * ROWS + row) * stride + line * LINE;
                    for (plane, words_of) in planes.iter().enumerate() {
                        for (words, word) in words.iter_mut().zip(&words_of[from..from + count]) {
                            words[row][plane] = *word;
                        }
                    }
                }
                for (tables, words) in tables.iter().zip(&words).take(count) {
                    for (out, [sign, mask]) in out.iter_mut().zip(words) {
                        *out += tables.sum(*sign, *mask);
                    }
                }
            }
        }
    }

    /// Features from word `first` on, as many as `out` has room for.
    fn columns_times(&self, first: usize, v: &[f64], out: &mut [f64]) {
        let (mut tables, stride) = (Tables::ZERO, words_per_row(self.features()));
        for (block, v) in v.chunks(64).enumerate() {
            tables.fill(v);
            for (word, out) in (first..).zip(out.chunks_mut(64)) {
                let sign = column_words(self.trits().sign(), stride, block * 64, word);
                let mask = column_words(self.trits().mask(), stride, block * 64, word);
                for (out, (sign, mask)) in out.iter_mut().zip(sign.into_iter().zip(mask)) {
                    *out += tables.sum(sign, mask);
                }
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

/// The sums of all subsets of each eight of 64 numbers.
#[derive(Clone)]
struct Tables([[f64; 256]; 8]);

impl Tables {
    const ZERO: Self = Self([[0.0; 256]; 8]);

    /// Takes up to 64 numbers, and zeros for the rest.
    fn fill(&mut self, numbers: &[f64]) {
        for (byte, table) in self.0.iter_mut().enumerate() {
            table[0] = 0.0;
            for bit in 0..8 {
                let number = numbers.get(8 * byte + bit).copied().unwrap_or(0.0);
                let (done, next) = table.split_at_mut(1 << bit);
                for (next, done) in next.iter_mut().zip(done) {
                    *next = *done + number;
                }
            }
        }
    }

    /// Σ ± of the numbers, by 64 trits.
    #[inline(always)]
    fn sum(&self, sign: u64, mask: u64) -> f64 {
        let (plus, minus) = ((mask & !sign).to_le_bytes(), sign.to_le_bytes());
        let (mut up, mut down) = (0.0, 0.0);
        for (byte, table) in self.0.iter().enumerate() {
            up += table[plus[byte] as usize];
            down += table[minus[byte] as usize];
        }
        up - down
    }
}
