//! Lookup tables of partial sums, the method of the Four Russians: one add for five weights, straight from the
//! planes.
//!
//! For each aligned span of 64 inputs, and each group of 5 inputs in it, a table holds the sums of
//! all 32 subsets of the group, for 32 samples in lanes:
//!
//! ```text
//! table[group][code] = Σ x[5·group + i] over the set bits i of code
//! ```
//!
//! built with one add per entry. Five bits of a row's sign word are the code of its negative weights
//! in the group, five bits of its mask word that of its non-zero ones, so a row's block sum is
//!
//! ```text
//! Σ table[group][mask bits] − 2·Σ table[group][sign bits]
//! ```
//!
//! over 13 groups. A row without zeros needs only the second sum: the first is the block's total.
//! All of it fits in i16: the quantiser bounds every block's absolute sum by 32,767. From block to block
//! sums are kept in 32 bits.
//!
//! What bounds it: the table loads. A block takes 13 loads of 64 bytes per row without zeros and 26
//! otherwise, plus two loads and two stores of the running sum, for 64 × 32 weights. The tables are
//! 26 KB and stay in L1; the running sums of a tile of rows stay in L2.
//!
//! 1. Five bits per group, not six: 13 tables of 32 entries leave room in an L1 of 32 KB, and a whole
//!    block of 64 inputs shares one update of the running sums.
//! 2. The codes are extracted from the plane words by shifts, which are hidden behind the loads, so
//!    there is no second copy of W.
//! 3. The last block of a row may be short: 4 or 7 groups are then enough.
//! 4. Base 2, not base 3. Five trits per lookup would need half the lookups, but 243 entries per group: the
//!    tables live in L2 and take eight times as long to build. With the codes kept as a second copy of
//!    W, 1.6 bits per weight, that is 11 % faster on AVX-512 with tiles of 2048 rows, 4 % with 1024 and
//!    equal with 512. Four trits per lookup, straight from the planes, is slower in all cases.

use crate::arch::{Lanes16, Lanes32, Line, Simd};
use crate::trits::TritMatrix;
use core::ops::Range;

/// Inputs in a group.
const GROUP_INPUTS: usize = 5;

/// Entries of a group's table.
const ENTRIES: usize = 1 << GROUP_INPUTS;

/// Groups in a block of 64 inputs; the last has 4 inputs.
const GROUPS: usize = 64_usize.div_ceil(GROUP_INPUTS);

/// Lines of scratch for the tables of a block.
pub(super) const LINES: usize = GROUPS * ENTRIES;

/// Rows whose running sums are kept while a block's tables stand: up to 256 KB, a part of L2.
pub(super) const fn tile_features(features: usize) -> usize {
    let all = features.next_multiple_of(64);
    if all < 2048 { all } else { 2048 }
}

/// Sums of some rows of `w` for a block of samples.
pub(super) fn project<S: Simd>(
    simd: S,
    w: TritMatrix<&[u64]>,
    rows: Range<usize>,
    block: &[Lanes16],
    tables: &mut [Line],
    sums: &mut [Lanes32],
) {
    let tables: &mut [Lanes16] = bytemuck::cast_slice_mut(tables);
    let (tables, _) = present!(tables.split_first_chunk_mut::<LINES>(), else return);
    let stride = w.sign().len() / w.rows();
    let sums = &mut sums[..rows.len()];
    let span = rows.start * stride..rows.end * stride;
    let (sign, mask) = (&w.sign()[span.clone()], &w.mask()[span]);
    simd.vectorize(
        #[inline(always)]
        || {
            for (word, lanes) in block.chunks(64).enumerate() {
                let total = build_tables(simd, lanes, tables);
                let columns = Columns { sign, mask, stride, word, fresh: word == 0 };
                match lanes.len() {
                    0..=20 => columns.add::<S, 4>(simd, total, lanes.len(), tables, sums),
                    21..=35 => columns.add::<S, 7>(simd, total, lanes.len(), tables, sums),
                    _ => columns.add::<S, GROUPS>(simd, total, lanes.len(), tables, sums),
                }
            }
        },
    );
}

/// Fills the tables of up to 64 inputs and returns their total. Groups without inputs only get the entry for the
/// empty subset, the only one that is looked up there.
#[inline(always)]
fn build_tables<S: Simd>(simd: S, lanes: &[Lanes16], tables: &mut [Lanes16; LINES]) -> S::I16 {
    let mut total = simd.splat16(0);
    for (group, table) in tables.chunks_exact_mut(ENTRIES).enumerate() {
        simd.store16(&mut table[0], simd.splat16(0));
        if group * GROUP_INPUTS >= lanes.len() {
            continue;
        }
        for bit in 0..GROUP_INPUTS {
            let input = match lanes.get(group * GROUP_INPUTS + bit) {
                Some(lanes) => simd.load16(lanes),
                None => simd.splat16(0),
            };
            total = simd.add16(total, input);
            let (done, next) = table.split_at_mut(1 << bit);
            for (done, next) in done.iter().zip(next) {
                simd.store16(next, simd.add16(simd.load16(done), input));
            }
        }
    }
    total
}

/// One word of every row of a tile.
struct Columns<'a> {
    sign: &'a [u64],
    mask: &'a [u64],
    stride: usize,
    word: usize,
    /// Whether the running sums start here.
    fresh: bool,
}

impl Columns<'_> {
    /// Adds the block's part to every row's running sum, by the first `N` groups.
    #[inline(always)]
    fn add<S: Simd, const N: usize>(
        &self,
        simd: S,
        total: S::I16,
        columns: usize,
        tables: &[Lanes16; LINES],
        sums: &mut [Lanes32],
    ) {
        let full = u64::MAX >> (64 - columns);
        // `max` shows the compiler that `chunks_exact` cannot panic.
        let stride = self.stride.max(1);
        let rows = self.sign.chunks_exact(stride).zip(self.mask.chunks_exact(stride));
        for (sum, (sign, mask)) in sums.iter_mut().zip(rows) {
            let sign = *present!(sign.get(self.word), else return);
            let mask = *present!(mask.get(self.word), else return);
            let minus = lookup::<S, N>(simd, sign, tables);
            let nonzero = if mask == full { total } else { lookup::<S, N>(simd, mask, tables) };
            let part = simd.widen(simd.sub16(nonzero, simd.add16(minus, minus)));
            for (sum, part) in sum.0.iter_mut().zip(part) {
                let so_far = if self.fresh { part } else { simd.add32(simd.load32(sum), part) };
                simd.store32(sum, so_far);
            }
        }
    }
}

/// Σ of the inputs at the set bits, by the first `N` groups.
#[inline(always)]
fn lookup<S: Simd, const N: usize>(simd: S, word: u64, tables: &[Lanes16; LINES]) -> S::I16 {
    let mut sum = simd.splat16(0);
    for group in 0..N {
        let code = (word >> (GROUP_INPUTS * group)) as usize % ENTRIES;
        sum = simd.add16(sum, simd.load16(&tables[group * ENTRIES + code]));
    }
    sum
}
