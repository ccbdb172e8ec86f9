//! [`LineSums`]: sums of lines of `f32` numbers with signs from packed trits, by lookups of lines.
//!
//! ```text
//! for every four lines: tabulate their sums over all 16 subsets
//! Σ ± = Σ (table[+1 among the four] − table[−1 among the four])
//! ```
//!
//! 1. A lookup is a line of `N` numbers, 16 or 8, so the bits are read once for that many sums.
//! 2. Tables of four trits, not eight, because those of a word of 64 trits (16 KB for lines of 16) stay in L1 while many
//!    words are looked up.
//! 3. Four sums for every fourth table each, so that an addition need not wait for the one before.
//!
//! Bound by loads: 32 lines for a word of trits. Zen 4 loads a line of 64 bytes in a cycle, and AVX2 two of 32 bytes.

/// The sums over all subsets of each four of 64 lines.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(crate) struct LineSums<const N: usize>([[[f32; N]; 16]; 16]);

/// A line with the alignment of its loads.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Line<const N: usize>(pub(crate) [f32; N]);

impl<const N: usize> Default for Line<N> {
    fn default() -> Self {
        Self([0.0; N])
    }
}

impl<const N: usize> LineSums<N> {
    /// The sums of lines that are zero.
    pub(crate) const ZERO: Self = Self([[[0.0; N]; 16]; 16]);

    /// Tabulates up to 64 rows of a matrix with so many columns, from column `first` on. What is missing counts as zero.
    #[inline(always)]
    pub(crate) fn tabulate<T: Copy + Into<f64>>(
        &mut self,
        matrix: &[T],
        columns: usize,
        first: usize,
    ) {
        let mut lines = [[0.0; N]; 64];
        // Never without columns, as the compiler cannot know.
        for (line, row) in lines.iter_mut().zip(matrix.chunks(columns.max(1))) {
            for (line, number) in line.iter_mut().zip(row.iter().skip(first)) {
                let number: f64 = (*number).into();
                *line = number as f32;
            }
        }
        for (table, lines) in self.0.iter_mut().zip(lines.as_chunks::<4>().0) {
            let mut sums = [[0.0; N]; 16];
            for bit in 0..4 {
                for subset in 0..1 << bit {
                    sums[subset + (1 << bit)] = added(&sums[subset], &lines[bit]);
                }
            }
            *table = sums;
        }
    }

    /// Adds to a line those at the bits of `plus`, and subtracts those at the bits of `minus`.
    #[inline(always)]
    pub(crate) fn add_one(&self, mut plus: u64, mut minus: u64, sum: &mut [f32; N]) {
        let [mut a, mut b, mut c, mut d] = [[0.0; N]; 4];
        for [first, second, third, fourth] in self.0.as_chunks::<4>().0 {
            add_four(first, plus, minus, &mut a);
            add_four(second, plus >> 4, minus >> 4, &mut b);
            add_four(third, plus >> 8, minus >> 8, &mut c);
            add_four(fourth, plus >> 12, minus >> 12, &mut d);
            (plus, minus) = (plus >> 16, minus >> 16);
        }
        *sum = added(sum, &added(&added(&a, &b), &added(&c, &d)));
    }
}

#[inline(always)]
fn added<const N: usize>(a: &[f32; N], b: &[f32; N]) -> [f32; N] {
    let mut sum = [0.0; N];
    for k in 0..N {
        sum[k] = a[k] + b[k];
    }
    sum
}

/// Adds what a table has for the low four bits of `plus`, and subtracts what it has for those of `minus`.
#[inline(always)]
fn add_four<const N: usize>(table: &[[f32; N]; 16], plus: u64, minus: u64, sum: &mut [f32; N]) {
    let (plus, minus) = (&table[(plus % 16) as usize], &table[(minus % 16) as usize]);
    for k in 0..N {
        sum[k] += plus[k] - minus[k];
    }
}
