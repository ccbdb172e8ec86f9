//! Lookup tables of partial sums, the method of the Four Russians: one add for four to six weights.
//!
//! For each aligned span of 64 inputs, and each group of inputs in it, a table holds the sums of all codes of the
//! group, for 32 samples in lanes, built with one add per entry. A code is some bits of a plane's word:
//!
//! ```text
//! table[group][code] = Σ x[i] over the inputs i of the group whose bits are set
//! span's sum         = Σ table[group][mask bits] − 2·Σ table[group][sign bits]
//! ```
//!
//! or four trits as a number in base 3, so that the planes need no sum each:
//!
//! ```text
//! table[group][code] = Σ trit·x[i] over the four inputs of the group
//! span's sum         = Σ table[group][code]
//! ```
//!
//! All of it fits in i16: the quantiser bounds every span's absolute sum by 32,767. (Of angles, which may wrap, only the
//! low 16 bits count.) From span to span sums are kept in
//! 32 bits, those of a tile of rows in L2.
//!
//! What bounds it: the table loads, of 64 bytes each, and the loads and stores of the running sums. So a table should
//! be as large as L1 allows; one that does not fit is no gain. For 64 × 32 weights:
//!
//! | [`Layout`] | entries | tables | without zeros | with zeros |
//! |---|---|---|---|---|
//! | five bits | 13 × 32 | 26 KB | 13 loads, sums once | 26 loads, sums once |
//! | six bits | 10 × 64 + 16 | 41 KB | 11 loads, sums once | |
//! | four trits | 8 × 81, twice | 41 KB | | 16 loads, sums twice |
//!
//! 1. Five bits leave room in an L1 of 32 KB. An L1 of 48 KB has room for 41 KB: six bits, if no weight of a tile is
//!    zero, and four trits otherwise. Forced on a Zen 3, whose L1 has 32 KB, six bits take 2 % longer than five and
//!    four trits 8 % less; what AVX-512 makes of so small an L1 is not known, so L1 decides.
//! 2. The words of a tile are brought into the order of these loops once for all blocks of samples, and there
//!    become codes of four trits. Bits are extracted by shifts, which are hidden behind the loads.
//! 3. The last span may be short: fewer groups are then enough.
//! 4. Five trits per lookup, 243 entries, would live in L2 and take eight times as long to build.

use super::tile::Pair;
use crate::arch::{Lanes16, Lanes32, Line, Simd};

/// Lines of scratch for tables: the largest layout, and room for any code of seven bits in its last group.
pub(super) const LINES: usize = 7 * FOUR_TRITS + 128;

/// Entries of a table of four trits.
const FOUR_TRITS: usize = 81;

/// The L1 from which on large tables fit.
const LARGE_L1_KB: u16 = 48;

/// What a code is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Five bits of a plane.
    FiveBits,
    /// Six bits of a plane.
    SixBits,
    /// Four trits, in base 3.
    FourTrits,
}

impl Layout {
    /// The layout for a tile with or without zeros on this CPU.
    #[inline(always)]
    pub(super) fn new<S: Simd>(simd: S, zeros: bool) -> Self {
        match (simd.tuning().l1_kb >= LARGE_L1_KB, zeros) {
            (false, _) => Self::FiveBits,
            (true, false) => Self::SixBits,
            (true, true) => Self::FourTrits,
        }
    }
}

/// Rows whose running sums are kept while a span's tables stand: up to 256 KB, a part of L2.
pub(super) const fn tile_features(features: usize) -> usize {
    let all = features.next_multiple_of(64);
    if all < 2048 { all } else { 2048 }
}

/// Sums of the rows of a tile for a block of samples. `pairs` has a word of every row, then the next.
pub(super) fn project<S: Simd>(
    simd: S,
    (zeros, pairs): (bool, &[Pair]),
    block: &[Lanes16],
    tables: &mut [Line],
    sums: &mut [Lanes32],
) {
    let tables: &mut [Lanes16] = bytemuck::cast_slice_mut(tables);
    let tables = present!(tables.first_chunk_mut::<LINES>(), else return);
    simd.vectorize(
        #[inline(always)]
        || {
            let words = pairs.chunks_exact(sums.len().max(1));
            for (index, (lanes, pairs)) in block.chunks(64).zip(words).enumerate() {
                let mut span = Span { simd, lanes, pairs, fresh: index == 0, tables, sums };
                match Layout::new(simd, zeros) {
                    Layout::FiveBits => span.add_bits::<5, 4, 7, 13>(),
                    Layout::SixBits => span.add_bits::<6, 4, 7, 11>(),
                    Layout::FourTrits => span.add_trits(),
                }
            }
        },
    );
}

/// One word of every row of a tile, its inputs, and the tables of those.
struct Span<'a, S> {
    simd: S,
    lanes: &'a [Lanes16],
    pairs: &'a [Pair],
    /// Whether the running sums start here.
    fresh: bool,
    tables: &'a mut [Lanes16; LINES],
    sums: &'a mut [Lanes32],
}

impl<S: Simd> Span<'_, S> {
    /// Adds the span's part to every row's running sum by tables of `BITS` inputs: the first `FEW`, `SOME` or `ALL` of
    /// them, as many as there are inputs for.
    #[inline(always)]
    fn add_bits<const BITS: usize, const FEW: usize, const SOME: usize, const ALL: usize>(
        &mut self,
    ) {
        let total = self.build_bits::<BITS>();
        match self.lanes.len().div_ceil(BITS) {
            groups if groups <= FEW => self.look_up_bits::<BITS, FEW>(total),
            groups if groups <= SOME => self.look_up_bits::<BITS, SOME>(total),
            _ => self.look_up_bits::<BITS, ALL>(total),
        }
    }

    /// Fills the tables of bits and returns the total of the inputs. Groups without inputs only get the entry for no
    /// bits, the only one that is looked up there.
    #[inline(always)]
    fn build_bits<const BITS: usize>(&mut self) -> S::I16 {
        let simd = self.simd;
        let mut total = simd.splat16(0);
        for (group, table) in self.tables.chunks_mut(1 << BITS).enumerate() {
            if group * BITS >= 64 {
                break;
            }
            simd.store16(&mut table[0], simd.splat16(0));
            for bit in 0..BITS {
                // Where the inputs end, so do the bits that can be set.
                let Some(lanes) = self.lanes.get(group * BITS + bit) else { break };
                let input = simd.load16(lanes);
                total = simd.add16(total, input);
                let (done, next) = present!(table.split_at_mut_checked(1 << bit), else break);
                for (done, next) in done.iter().zip(next) {
                    simd.store16(next, simd.add16(simd.load16(done), input));
                }
            }
        }
        total
    }

    /// Looks up the first `N` groups of every row.
    #[inline(always)]
    fn look_up_bits<const BITS: usize, const N: usize>(&mut self, total: S::I16) {
        let simd = self.simd;
        let full = u64::MAX >> (64 - self.lanes.len());
        for (sum, [sign, mask]) in self.sums.iter_mut().zip(self.pairs) {
            let minus = sum_of_bits::<S, BITS, N>(simd, *sign, self.tables);
            let nonzero = match *mask == full {
                true => total,
                false => sum_of_bits::<S, BITS, N>(simd, *mask, self.tables),
            };
            let part = simd.sub16(nonzero, simd.add16(minus, minus));
            add_to(simd, sum, part, self.fresh);
        }
    }

    /// Adds the span's part to every row's running sum by tables of four trits: those of the first four of every eight
    /// inputs, then those of the others.
    #[inline(always)]
    fn add_trits(&mut self) {
        for half in 0..2 {
            self.build_trits(4 * half);
            match self.lanes.len().div_ceil(8) {
                0..=3 => self.look_up_trits::<3>(half),
                _ => self.look_up_trits::<8>(half),
            }
            self.fresh = false;
        }
    }

    /// Fills the tables of the four inputs from `first` on in every eight.
    #[inline(always)]
    fn build_trits(&mut self, first: usize) {
        let simd = self.simd;
        for (group, table) in self.tables.chunks_exact_mut(FOUR_TRITS).take(8).enumerate() {
            simd.store16(&mut table[0], simd.splat16(0));
            let mut entries = 1;
            for trit in 0..4 {
                // Where the inputs end, so do the trits that are not zero.
                let Some(lanes) = self.lanes.get(8 * group + first + trit) else { break };
                let input = simd.load16(lanes);
                let (done, next) = present!(table.split_at_mut_checked(entries), else break);
                let (plus, minus) = present!(next.split_at_mut_checked(entries), else break);
                for ((done, plus), minus) in done.iter().zip(plus).zip(minus) {
                    let done = simd.load16(done);
                    simd.store16(plus, simd.add16(done, input));
                    simd.store16(minus, simd.sub16(done, input));
                }
                entries *= 3;
            }
        }
    }

    /// Looks up the first `N` groups of every row.
    #[inline(always)]
    fn look_up_trits<const N: usize>(&mut self, half: usize) {
        let simd = self.simd;
        for (sum, codes) in self.sums.iter_mut().zip(self.pairs) {
            let codes = codes[half % 2];
            let mut part = simd.splat16(0);
            for group in 0..N {
                let code = (codes >> (8 * group)) as usize % 128;
                let entry = simd.load16(&self.tables[FOUR_TRITS * group + code]);
                part = simd.add16(part, entry);
            }
            add_to(simd, sum, part, self.fresh);
        }
    }
}

/// Σ of the inputs at the set bits, by the first `N` groups.
#[inline(always)]
fn sum_of_bits<S: Simd, const BITS: usize, const N: usize>(
    simd: S,
    word: u64,
    tables: &[Lanes16; LINES],
) -> S::I16 {
    let mut sum = simd.splat16(0);
    for group in 0..N {
        let code = (word >> (BITS * group)) as usize % (1 << BITS);
        sum = simd.add16(sum, simd.load16(&tables[(group << BITS) + code]));
    }
    sum
}

/// Adds a span's part to a running sum, or starts it.
#[inline(always)]
fn add_to<S: Simd>(simd: S, sum: &mut Lanes32, part: S::I16, fresh: bool) {
    for (sum, part) in sum.0.iter_mut().zip(simd.widen(part)) {
        let so_far = if fresh { part } else { simd.add32(simd.load32(sum), part) };
        simd.store32(sum, so_far);
    }
}
