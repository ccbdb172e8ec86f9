//! Dot products by AND, XOR and popcount of whole vectors of eight words.
//!
//! ```text
//! for a panel of rows of b that stays in L2, a quarter of it:
//!     for a few rows of a, for a few rows of the panel (the tile):
//!         for every eight words: one step for each pair of the tile, sums in registers
//!         for every eight pairs: the sums across lanes
//! ```
//!
//! With a vector popcount a step of [`Content::Signs`] is XOR, popcount and add. Four 256-bit pipes take a
//! 512-bit step of these three in 1.5 cycles: 341 pairs of trits per cycle. Measured are 255 for rows of
//! 16,384 trits and 185 for rows of 4,096; the rest of the time goes into the totals of each tile. Tiles
//! save loads: 4 × 4 pairs need 8 of them for 48 operations.
//!
//! A step of [`Content::Trits`] is AND, XOR-AND, two popcounts and two adds: 3 cycles, 171 pairs per cycle,
//! on two 512-bit ports or four of 256 bits. A tile of 2 × 4 pairs needs 12 loads for 48 operations, and as
//! the two counts of a pair become one before they are summed across lanes, it has one sum of eight.

use super::{Content, Pairs};
use crate::arch::Simd;
use crate::trits::TritRow;

/// All pairs.
pub(super) fn multiply<S: Simd>(simd: S, pairs: Pairs<'_>, content: Content) {
    simd.vectorize(
        #[inline(always)]
        || {
            // A tile's sums must fit the registers beside its operands; trits have two of each.
            let large_tiles = S::REGISTER_LINES >= 32;
            let cols = pairs.b.cols() as i32;
            match (content, large_tiles) {
                (Content::Trits, true) => panels::<S, Trits, 2, 4>(simd, pairs, 0, 1),
                (Content::Trits, false) => panels::<S, Trits, 1, 1>(simd, pairs, 0, 1),
                (Content::Signs, true) => panels::<S, Signs, 4, 4>(simd, pairs, cols, -2),
                (Content::Signs, false) => panels::<S, Signs, 1, 1>(simd, pairs, cols, -2),
                (Content::Masks { negative }, large_tiles) => {
                    let sign = if negative { -1 } else { 1 };
                    match large_tiles {
                        true => panels::<S, Masks, 4, 4>(simd, pairs, 0, sign),
                        false => panels::<S, Masks, 1, 1>(simd, pairs, 0, sign),
                    }
                }
            }
        },
    );
}

/// Every tile of `R × C` pairs: `constant + factor · total`. At the edges rows are repeated, and their
/// results dropped.
#[inline(always)]
fn panels<S: Simd, P: Planes, const R: usize, const C: usize>(
    simd: S,
    pairs: Pairs<'_>,
    constant: i32,
    factor: i32,
) {
    let (rows, cols) = (pairs.a.rows(), pairs.b.rows());
    let (a, b) = (&pairs.a, &pairs.b);
    let row_bytes = (16 * a.at(0).mask().len()).max(1);
    // A quarter.
    let panel_bytes = (simd.tuning().l2_kb as usize) << 8;
    let panel_rows = (panel_bytes / row_bytes).next_multiple_of(C).max(C);
    for start in (0..cols).step_by(panel_rows) {
        let end = cols.min(start + panel_rows);
        for i in (0..rows).step_by(R) {
            let mut left = [Row::EMPTY; R];
            for (r, row) in left.iter_mut().enumerate() {
                *row = Row::new::<P>(a.at((i + r).min(rows - 1)));
            }
            // Whole tiles only: some pairs of those on the diagonal are not wanted.
            let first_col = start + pairs.first(i).saturating_sub(start) / C * C;
            for j in (first_col..end).step_by(C) {
                let mut right = [Row::EMPTY; C];
                for (c, row) in right.iter_mut().enumerate() {
                    *row = Row::new::<P>(b.at((j + c).min(cols - 1)));
                }
                let totals = tile::<S, P, R, C>(simd, &left, &right);
                for (i, totals) in (i..rows).zip(totals) {
                    let out = pairs.out.get_mut(i * cols + j..(i + 1) * cols);
                    let out = present!(out, else return);
                    for (out, total) in out.iter_mut().zip(totals) {
                        *out = constant + factor * total;
                    }
                }
            }
        }
    }
}

/// The total of every pair of the tile.
#[inline(always)]
fn tile<S: Simd, P: Planes, const R: usize, const C: usize>(
    simd: S,
    a: &[Row<'_>; R],
    b: &[Row<'_>; C],
) -> [[i32; C]; R] {
    let mut counts = [[[simd.splat64(0); 2]; C]; R];
    for k in 0..a[0].eights[0].len() {
        let mut left = [[simd.splat64(0); 2]; R];
        for r in 0..R {
            left[r] = present!(a[r].load(simd, k), else break);
        }
        for c in 0..C {
            let right = present!(b[c].load(simd, k), else break);
            for r in 0..R {
                P::count(simd, &mut counts[r][c], left[r], right);
            }
        }
    }
    if !a[0].rest[0].is_empty() {
        let mut left = [[simd.splat64(0); 2]; R];
        for r in 0..R {
            left[r] = a[r].load_rest(simd);
        }
        for c in 0..C {
            let right = b[c].load_rest(simd);
            for r in 0..R {
                P::count(simd, &mut counts[r][c], left[r], right);
            }
        }
    }
    let mut totals = [[0; C]; R];
    let eights = counts.as_flattened().chunks(8).zip(totals.as_flattened_mut().chunks_mut(8));
    for (counts, totals) in eights {
        let mut eight = [simd.splat64(0); 8];
        for (sums, counts) in eight.iter_mut().zip(counts) {
            *sums = P::sums(simd, *counts);
        }
        for (total, sum) in totals.iter_mut().zip(simd.totals64(eight)) {
            *total = sum as i32;
        }
    }
    totals
}

/// The planes of a row that are needed: eight words at a time, and what is left.
#[derive(Clone, Copy)]
struct Row<'a> {
    eights: [&'a [[u64; 8]]; 2],
    rest: [&'a [u64]; 2],
}

impl<'a> Row<'a> {
    /// To be replaced by a row.
    const EMPTY: Self = Self { eights: [&[]; 2], rest: [&[]; 2] };

    #[inline(always)]
    fn new<P: Planes>(row: TritRow<'a>) -> Self {
        let [first, second] = P::planes(row);
        let ((eights, rest), (others, other)) = (first.as_chunks(), second.as_chunks());
        Self { eights: [eights, others], rest: [rest, other] }
    }

    #[inline(always)]
    fn load<S: Simd>(&self, simd: S, k: usize) -> Option<[S::U64; 2]> {
        Some([simd.load64(self.eights[0].get(k)?), simd.load64(self.eights[1].get(k)?)])
    }

    #[inline(always)]
    fn load_rest<S: Simd>(&self, simd: S) -> [S::U64; 2] {
        [padded(simd, self.rest[0]), padded(simd, self.rest[1])]
    }
}

/// Fewer than eight words, padded with zeros.
#[inline(always)]
fn padded<S: Simd>(simd: S, words: &[u64]) -> S::U64 {
    let mut padded = [0; 8];
    for (padded, word) in padded.iter_mut().zip(words) {
        *padded = *word;
    }
    simd.load64(&padded)
}

/// Which planes are needed for some content, and what is counted.
trait Planes {
    /// The planes; twice the same if there is only one.
    fn planes(row: TritRow<'_>) -> [&[u64]; 2];

    /// Adds what is counted in a pair of vectors.
    fn count<S: Simd>(simd: S, counts: &mut [S::U64; 2], a: [S::U64; 2], b: [S::U64; 2]);

    /// What the counts of a pair of rows contribute to its total, lane by lane.
    #[inline(always)]
    fn sums<S: Simd>(_: S, counts: [S::U64; 2]) -> S::U64 {
        counts[0]
    }
}

/// Counts the common non-zeros, and those of opposed signs.
struct Trits;

impl Planes for Trits {
    #[inline(always)]
    fn planes(row: TritRow<'_>) -> [&[u64]; 2] {
        [row.sign(), row.mask()]
    }

    #[inline(always)]
    fn count<S: Simd>(simd: S, counts: &mut [S::U64; 2], a: [S::U64; 2], b: [S::U64; 2]) {
        let common = simd.and64(a[1], b[1]);
        let opposed = simd.and64(simd.xor64(a[0], b[0]), common);
        counts[0] = simd.add64(counts[0], simd.popcount64(common));
        counts[1] = simd.add64(counts[1], simd.popcount64(opposed));
    }

    /// A total may be negative: lanes wrap, and so does their sum.
    #[inline(always)]
    fn sums<S: Simd>(simd: S, [common, opposed]: [S::U64; 2]) -> S::U64 {
        simd.sub64(common, simd.add64(opposed, opposed))
    }
}

/// Counts opposed signs, where nothing is zero.
struct Signs;

impl Planes for Signs {
    #[inline(always)]
    fn planes(row: TritRow<'_>) -> [&[u64]; 2] {
        [row.sign(); 2]
    }

    #[inline(always)]
    fn count<S: Simd>(simd: S, counts: &mut [S::U64; 2], a: [S::U64; 2], b: [S::U64; 2]) {
        counts[0] = simd.add64(counts[0], simd.popcount64(simd.xor64(a[0], b[0])));
    }
}

/// Counts common non-zeros, where all have the same sign.
struct Masks;

impl Planes for Masks {
    #[inline(always)]
    fn planes(row: TritRow<'_>) -> [&[u64]; 2] {
        [row.mask(); 2]
    }

    #[inline(always)]
    fn count<S: Simd>(simd: S, counts: &mut [S::U64; 2], a: [S::U64; 2], b: [S::U64; 2]) {
        counts[0] = simd.add64(counts[0], simd.popcount64(simd.and64(a[0], b[0])));
    }
}
