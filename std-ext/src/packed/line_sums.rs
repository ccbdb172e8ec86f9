//! Sums of lines of `f32` numbers with signs from packed trits, by lookups, four trits at a time.
//!
//! ```text
//! for every four lines: tabulate their sums over all 16 subsets
//! Σ ± = Σ (table[+1 among the four] − table[−1 among the four])
//! ```
//!
//! 1. A lookup is a line of `N` numbers, 16 or 8, so the bits are read once for that many sums.
//! 2. Tables of four trits, not eight, because those of a word of 64 trits (16 KB for lines of 16) stay in L1 while many
//!    words are looked up.
//!
//! Bound by loads: 32 lines for a word of trits. Zen 4 loads a line of 64 bytes in a cycle, and AVX2 two of 32 bytes.

/// The sums over all subsets of each four of 64 lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct LineTables<const N: usize>([[[f32; N]; 16]; 16]);

impl<const N: usize> LineTables<N> {
    /// The sums of lines that are zero.
    pub(crate) const ZERO: Self = Self([[[0.0; N]; 16]; 16]);

    /// Tabulates the lines that `line` gives for 0 to 63.
    #[inline(always)]
    pub(crate) fn fill(&mut self, line: impl Fn(usize) -> [f32; N]) {
        for (four, table) in self.0.iter_mut().enumerate() {
            for bit in 0..4 {
                let line = line(4 * four + bit);
                let (done, next) = table.split_at_mut(1 << bit);
                for (next, done) in next.iter_mut().zip(done) {
                    for k in 0..N {
                        next[k] = done[k] + line[k];
                    }
                }
            }
        }
    }

    /// The sum of the lines at the bits of `plus`, minus those at the bits of `minus`.
    #[inline(always)]
    pub(crate) fn sum(&self, mut plus: u64, mut minus: u64) -> [f32; N] {
        let mut sum = [0.0; N];
        for table in &self.0 {
            let (added, subtracted) = (&table[(plus % 16) as usize], &table[(minus % 16) as usize]);
            for k in 0..N {
                sum[k] += added[k] - subtracted[k];
            }
            (plus, minus) = (plus >> 4, minus >> 4);
        }
        sum
    }

    /// Adds the sum to another.
    #[inline(always)]
    pub(crate) fn add_sum(&self, plus: u64, minus: u64, to: &mut [f32; N]) {
        let sum = self.sum(plus, minus);
        for k in 0..N {
            to[k] += sum[k];
        }
    }
}
