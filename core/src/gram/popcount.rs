//! Dot products by AND, XOR and popcount of whole vectors of eight words.
//!
//! ```text
//! for a panel of rows of b that stays in L2:
//!     for a few rows of a, for a few rows of the panel (the tile):
//!         for every eight words: one step for each pair of the tile, sums in registers
//! ```
//!
//! With a vector popcount a step of [`Kind::Signs`] is XOR, popcount and add. Four 256-bit pipes take a
//! 512-bit step of these three in 1.5 cycles, 341 pairs of trits a cycle. Of that 255 are left for rows of
//! 16,384 trits and 185 for 4,096: the rest goes into the totals of each tile. The tile is there for the
//! loads: 4 × 4 pairs need 8 of them in the time of 48 operations.

use super::{Kind, Pairs};
use crate::arch::{Kernel, Simd};
use crate::trits::TritRow;
use core::array::from_fn;

/// Bytes of `b` that are multiplied with all of `a` before the next: a quarter of a common L2.
const PANEL: usize = 1 << 18;

/// All pairs, as one piece of work for [`Simd::run`].
pub(super) struct Popcount<'a> {
    pub(super) pairs: Pairs<'a>,
    pub(super) kind: Kind,
}

impl Kernel for Popcount<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { pairs, kind } = self;
        // A tile's sums must fit the registers beside its operands; trits have two of each.
        match (kind, S::REGISTERS >= 32) {
            (Kind::Trits, true) => panels::<S, Trits, 2, 4>(simd, pairs, |c, d| c - 2 * d),
            (Kind::Trits, false) => panels::<S, Trits, 1, 1>(simd, pairs, |c, d| c - 2 * d),
            (Kind::Signs, wide) => {
                let cols = pairs.b.cols() as i32;
                let finish = |opposed, _| cols - 2 * opposed;
                match wide {
                    true => panels::<S, Signs, 4, 4>(simd, pairs, finish),
                    false => panels::<S, Signs, 1, 1>(simd, pairs, finish),
                }
            }
            (Kind::Masks { negative }, wide) => {
                let finish = |common: i32, _| if negative { -common } else { common };
                match wide {
                    true => panels::<S, Masks, 4, 4>(simd, pairs, finish),
                    false => panels::<S, Masks, 1, 1>(simd, pairs, finish),
                }
            }
        }
    }
}

/// Every tile of `R × C` pairs. At the edges rows are repeated, and their results dropped.
#[inline(always)]
fn panels<S: Simd, P: Planes, const R: usize, const C: usize>(
    simd: S,
    pairs: Pairs<'_>,
    finish: impl Fn(i32, i32) -> i32,
) {
    let (rows, cols) = (pairs.a.rows(), pairs.b.rows());
    let (a, b) = (&pairs.a, &pairs.b);
    let panel = (PANEL / (16 * a.at(0).mask().len()).max(1)).next_multiple_of(C).max(C);
    for start in (0..cols).step_by(panel) {
        let end = cols.min(start + panel);
        for i in (0..rows).step_by(R) {
            let left: [_; R] = from_fn(|r| Row::new::<P>(a.at((i + r).min(rows - 1))));
            // Whole tiles only: of those on the diagonal some pairs are not wanted.
            let first = start + pairs.first(i).saturating_sub(start) / C * C;
            for j in (first..end).step_by(C) {
                let right: [_; C] = from_fn(|c| Row::new::<P>(b.at((j + c).min(cols - 1))));
                let [one, two] = tile::<S, P, R, C>(simd, &left, &right);
                for r in 0..R.min(rows - i) {
                    let out = pairs.out.get_mut((i + r) * cols + j..(i + r + 1) * cols);
                    for (c, out) in out.unwrap_or_default().iter_mut().enumerate().take(C) {
                        *out = finish(one[r][c], two[r][c]);
                    }
                }
            }
        }
    }
}

/// The two counts of every pair of the tile.
#[inline(always)]
fn tile<S: Simd, P: Planes, const R: usize, const C: usize>(
    simd: S,
    a: &[Row<'_>; R],
    b: &[Row<'_>; C],
) -> [[[i32; C]; R]; 2] {
    let mut sums = [[[simd.splat64(0); C]; R]; 2];
    // Nothing here is ever out of range; a `break` costs less than to convince the compiler.
    'words: for k in 0..a[0].eights[0].len() {
        let mut left = [[simd.splat64(0); 2]; R];
        for r in 0..R {
            let Some(words) = a[r].load(simd, k) else { break 'words };
            left[r] = words;
        }
        for c in 0..C {
            let Some(right) = b[c].load(simd, k) else { break 'words };
            for r in 0..R {
                P::step(simd, left[r], right, |n, ones| {
                    sums[n][r][c] = simd.add64(sums[n][r][c], ones);
                });
            }
        }
    }
    if !a[0].rest[0].is_empty() {
        // A loop, not `from_fn`, whose closure would stay outside the ISA.
        let mut left = [[simd.splat64(0); 2]; R];
        for r in 0..R {
            left[r] = [filled(simd, a[r].rest[0]), filled(simd, a[r].rest[1])];
        }
        for c in 0..C {
            let right = [filled(simd, b[c].rest[0]), filled(simd, b[c].rest[1])];
            for r in 0..R {
                P::step(simd, left[r], right, |n, ones| {
                    sums[n][r][c] = simd.add64(sums[n][r][c], ones);
                });
            }
        }
    }
    let mut totals = [[[0; C]; R]; 2];
    for (sums, totals) in sums.iter().zip(&mut totals).take(P::COUNTS) {
        let eights = sums.as_flattened().chunks(8).zip(totals.as_flattened_mut().chunks_mut(8));
        for (sums, totals) in eights {
            let mut eight = [simd.splat64(0); 8];
            for (to, from) in eight.iter_mut().zip(sums) {
                *to = *from;
            }
            for (total, sum) in totals.iter_mut().zip(simd.totals64(eight)) {
                *total = sum as i32;
            }
        }
    }
    totals
}

/// The planes of a row that are needed: eight words at a time, and what is left.
struct Row<'a> {
    eights: [&'a [[u64; 8]]; 2],
    rest: [&'a [u64]; 2],
}

impl<'a> Row<'a> {
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
}

/// Fewer than eight words, and zeros.
#[inline(always)]
fn filled<S: Simd>(simd: S, words: &[u64]) -> S::U64 {
    let mut filled = [0; 8];
    for (filled, word) in filled.iter_mut().zip(words) {
        *filled = *word;
    }
    simd.load64(&filled)
}

/// Which planes a kind of rows needs, and what is counted.
trait Planes {
    /// How many counts a pair has.
    const COUNTS: usize;

    /// The planes; twice the same if there is only one.
    fn planes(row: TritRow<'_>) -> [&[u64]; 2];

    /// Adds to the counts of a pair.
    fn step<S: Simd>(simd: S, a: [S::U64; 2], b: [S::U64; 2], add: impl FnMut(usize, S::U64));
}

/// Counts the common non-zeros, and those of opposed signs.
struct Trits;

impl Planes for Trits {
    const COUNTS: usize = 2;

    #[inline(always)]
    fn planes(row: TritRow<'_>) -> [&[u64]; 2] {
        [row.sign(), row.mask()]
    }

    #[inline(always)]
    fn step<S: Simd>(simd: S, a: [S::U64; 2], b: [S::U64; 2], mut add: impl FnMut(usize, S::U64)) {
        let common = simd.and64(a[1], b[1]);
        add(0, simd.popcount64(common));
        add(1, simd.popcount64(simd.and64(simd.xor64(a[0], b[0]), common)));
    }
}

/// Counts opposed signs, where nothing is zero.
struct Signs;

impl Planes for Signs {
    const COUNTS: usize = 1;

    #[inline(always)]
    fn planes(row: TritRow<'_>) -> [&[u64]; 2] {
        [row.sign(); 2]
    }

    #[inline(always)]
    fn step<S: Simd>(simd: S, a: [S::U64; 2], b: [S::U64; 2], mut add: impl FnMut(usize, S::U64)) {
        add(0, simd.popcount64(simd.xor64(a[0], b[0])));
    }
}

/// Counts common non-zeros, where all have the same sign.
struct Masks;

impl Planes for Masks {
    const COUNTS: usize = 1;

    #[inline(always)]
    fn planes(row: TritRow<'_>) -> [&[u64]; 2] {
        [row.mask(); 2]
    }

    #[inline(always)]
    fn step<S: Simd>(simd: S, a: [S::U64; 2], b: [S::U64; 2], mut add: impl FnMut(usize, S::U64)) {
        add(0, simd.popcount64(simd.and64(a[0], b[0])));
    }
}
