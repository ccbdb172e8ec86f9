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
//! or stands for the trits of a group themselves, so that the planes need no sum each: the signs of six inputs without
//! zeros, or four trits as a number in base 3.
//!
//! ```text
//! table[group][code] = Σ trit·x[i] over the inputs of the group
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
//! | six signs | 10 × 64 + 16 | 41 KB | 11 loads, sums once | |
//! | four trits | 8 × 81, twice | 41 KB | | 16 loads, sums twice |
//!
//! 1. Five bits leave room in an L1 of 32 KB. An L1 of 48 KB has room for 41 KB: six signs, if no weight of a tile is
//!    zero, and four trits otherwise. Forced on a Zen 3, whose L1 has 32 KB, six signs take 2 % longer than five bits
//!    and four trits 8 % less; what AVX-512 makes of so small an L1 is not known, so L1 decides.
//! 2. The words of a tile are brought into the order of these loops once for all blocks of samples, and there
//!    become codes, a byte each: a lookup is then a load of a byte, a shift and an add from memory.
//! 3. The last span may be short: fewer groups are then enough.
//! 4. Five trits per lookup, 243 entries, would live in L2 and take eight times as long to build.

use super::tile::Pair;
use crate::arch::{Lanes16, Lanes32, Line, Simd};

/// Lines of scratch: the tables, and a part of the sum of every row of a tile.
pub(super) const fn lines(features: usize) -> usize {
    TABLE_LINES + tile_features(features)
}

/// Lines of the tables: the largest layout, with room for any byte as the code of its last group, so that no lookup is
/// checked.
const TABLE_LINES: usize = (SIX_SIGN_GROUPS - 1) * SIX_SIGNS + 256;

/// Entries of a table of six signs.
const SIX_SIGNS: usize = 64;

/// Groups of six signs in a span.
const SIX_SIGN_GROUPS: usize = 11;

/// Entries of a table of four trits.
const FOUR_TRITS: usize = 81;

/// The L1 from which on large tables fit.
const LARGE_L1_KB: u16 = 48;

/// What a code is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Five bits of a plane.
    FiveBits,
    /// Six signs, where no trit is zero.
    SixSigns,
    /// Four trits, in base 3.
    FourTrits,
}

impl Layout {
    /// The layout for a tile with or without zeros on this CPU.
    #[inline(always)]
    pub(super) fn new<S: Simd>(simd: S, zeros: bool) -> Self {
        match (simd.tuning().l1_kb >= LARGE_L1_KB, zeros) {
            (false, _) => Self::FiveBits,
            (true, false) => Self::SixSigns,
            (true, true) => Self::FourTrits,
        }
    }
}

/// Rows whose running sums are kept while a span's tables stand: up to 256 KB, a part of L2.
pub(super) const fn tile_features(features: usize) -> usize {
    let all = features.next_multiple_of(64);
    if all < 2048 { all } else { 2048 }
}

/// Sums of the rows of a tile for a block of samples. `pairs` has a word of every row, then the next; `work` has
/// [`lines`].
pub(super) fn project<S: Simd>(
    simd: S,
    (zeros, pairs): (bool, &[Pair]),
    block: &[Lanes16],
    work: &mut [Line],
    sums: &mut [Lanes32],
) {
    let work: &mut [Lanes16] = bytemuck::cast_slice_mut(work);
    let (tables, parts) = present!(work.split_first_chunk_mut::<TABLE_LINES>(), else return);
    simd.vectorize(
        #[inline(always)]
        || {
            let words = pairs.chunks_exact(sums.len().max(1));
            for (index, (lanes, pairs)) in block.chunks(64).zip(words).enumerate() {
                let mut span = Span { simd, lanes, pairs, fresh: index == 0, tables, parts, sums };
                match Layout::new(simd, zeros) {
                    Layout::FiveBits => span.add_bits(),
                    Layout::SixSigns => span.add_signs(),
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
    tables: &'a mut [Lanes16; TABLE_LINES],
    /// The first half of every row's part.
    parts: &'a mut [Lanes16],
    sums: &'a mut [Lanes32],
}

impl<S: Simd> Span<'_, S> {
    /// Adds the span's part to every row's running sum by tables of five bits, as many as there are inputs for.
    #[inline(always)]
    fn add_bits(&mut self) {
        let total = self.build_bits();
        match self.lanes.len().div_ceil(5) {
            0..=4 => self.look_up_bits::<4>(total),
            5..=7 => self.look_up_bits::<7>(total),
            _ => self.look_up_bits::<13>(total),
        }
    }

    /// Fills the tables of five bits and returns the total of the inputs. Groups without inputs only get the entry for
    /// no bits, the only one that is looked up there.
    #[inline(always)]
    fn build_bits(&mut self) -> S::I16 {
        let simd = self.simd;
        let mut total = simd.splat16(0);
        for (group, table) in self.tables.chunks_exact_mut(32).take(13).enumerate() {
            simd.store16(&mut table[0], simd.splat16(0));
            for bit in 0..5 {
                // Where the inputs end, so do the bits that can be set.
                let Some(lanes) = self.lanes.get(group * 5 + bit) else { break };
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
    fn look_up_bits<const N: usize>(&mut self, total: S::I16) {
        let simd = self.simd;
        let full = u64::MAX >> (64 - self.lanes.len());
        for (sum, [sign, mask]) in self.sums.iter_mut().zip(self.pairs) {
            let minus = sum_of_bits::<S, N>(simd, *sign, self.tables);
            let nonzero = match *mask == full {
                true => total,
                false => sum_of_bits::<S, N>(simd, *mask, self.tables),
            };
            let part = simd.sub16(nonzero, simd.add16(minus, minus));
            add_to(simd, sum, part, self.fresh);
        }
    }

    /// Adds the span's part to every row's running sum by tables of six signs, as many as there are inputs for.
    #[inline(always)]
    fn add_signs(&mut self) {
        self.build_signs();
        match self.lanes.len().div_ceil(6) {
            0..=4 => self.look_up_signs::<4>(),
            5..=7 => self.look_up_signs::<7>(),
            _ => self.look_up_signs::<SIX_SIGN_GROUPS>(),
        }
    }

    /// Looks up the first `N` groups of every row.
    #[inline(always)]
    fn look_up_signs<const N: usize>(&mut self) {
        let simd = self.simd;
        for (sum, codes) in self.sums.iter_mut().zip(self.pairs) {
            let codes: &[u8; 16] = bytemuck::cast_ref(codes);
            let part = simd.splat16(0);
            let part = add_codes::<S, SIX_SIGNS, N, _>(simd, part, codes, self.tables);
            add_to(simd, sum, part, self.fresh);
        }
    }

    /// Fills the tables of six signs: from the sum of all inputs of a group, twice each negative one is subtracted.
    #[inline(always)]
    fn build_signs(&mut self) {
        let simd = self.simd;
        let tables = self.tables.chunks_exact_mut(SIX_SIGNS).take(SIX_SIGN_GROUPS);
        for (group, table) in tables.enumerate() {
            let mut all = simd.splat16(0);
            for input in 0..6 {
                let Some(lanes) = self.lanes.get(6 * group + input) else { break };
                all = simd.add16(all, simd.load16(lanes));
            }
            simd.store16(&mut table[0], all);
            for bit in 0..6 {
                // Where the inputs end, so do the bits that can be set.
                let Some(lanes) = self.lanes.get(6 * group + bit) else { break };
                let input = simd.load16(lanes);
                let twice = simd.add16(input, input);
                let (done, next) = present!(table.split_at_mut_checked(1 << bit), else break);
                for (done, next) in done.iter().zip(next) {
                    simd.store16(next, simd.sub16(simd.load16(done), twice));
                }
            }
        }
    }

    /// Adds the span's part to every row's running sum by tables of four trits: those of the first four of every eight
    /// inputs, then those of the others. In between the part waits in 16 bits, a quarter of what the running sums would
    /// read and write.
    #[inline(always)]
    fn add_trits(&mut self) {
        self.build_trits(0);
        match self.lanes.len().div_ceil(8) {
            0..=3 => self.look_up_first::<3>(),
            _ => self.look_up_first::<8>(),
        }
        self.build_trits(4);
        match self.lanes.len().div_ceil(8) {
            0..=3 => self.look_up_others::<3>(),
            _ => self.look_up_others::<8>(),
        }
    }

    /// Looks up the first `N` groups of every row, of the first half.
    #[inline(always)]
    fn look_up_first<const N: usize>(&mut self) {
        let simd = self.simd;
        for (part, [codes, _]) in self.parts.iter_mut().zip(self.pairs) {
            let codes: &[u8; 8] = bytemuck::cast_ref(codes);
            let sum = simd.splat16(0);
            simd.store16(part, add_codes::<S, FOUR_TRITS, N, _>(simd, sum, codes, self.tables));
        }
    }

    /// Looks up the first `N` groups of every row, of the other half.
    #[inline(always)]
    fn look_up_others<const N: usize>(&mut self) {
        let simd = self.simd;
        let rows = self.sums.iter_mut().zip(self.parts.iter());
        for ((sum, part), [_, codes]) in rows.zip(self.pairs) {
            let codes: &[u8; 8] = bytemuck::cast_ref(codes);
            let part = simd.load16(part);
            let part = add_codes::<S, FOUR_TRITS, N, _>(simd, part, codes, self.tables);
            add_to(simd, sum, part, self.fresh);
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
}

/// Adds the entries of the first `N` codes in tables of so many entries.
#[inline(always)]
fn add_codes<S: Simd, const ENTRIES: usize, const N: usize, const CODES: usize>(
    simd: S,
    mut sum: S::I16,
    codes: &[u8; CODES],
    tables: &[Lanes16; TABLE_LINES],
) -> S::I16 {
    for group in 0..N {
        let code = usize::from(codes[group]);
        sum = simd.add16(sum, simd.load16(&tables[ENTRIES * group + code]));
    }
    sum
}

/// Σ of the inputs at the set bits, by the first `N` groups of five.
#[inline(always)]
fn sum_of_bits<S: Simd, const N: usize>(
    simd: S,
    word: u64,
    tables: &[Lanes16; TABLE_LINES],
) -> S::I16 {
    let mut sum = simd.splat16(0);
    for group in 0..N {
        let code = (word >> (5 * group)) as usize % 32;
        sum = simd.add16(sum, simd.load16(&tables[32 * group + code]));
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
