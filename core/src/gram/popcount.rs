//! Dot products by AND, XOR and popcount of whole vectors of eight words.
//!
//! ```text
//! for a panel of rows of b that stays in L2:
//!     for a few rows of a, for a few rows of the panel (the tile):
//!         for every eight words: one step for each pair of the tile, sums in registers
//! ```
//!
//! With a vector popcount a step of [`Kind::Signs`] is XOR, popcount and add. Four 256-bit pipes take a
//! 512-bit step of these three in 1.5 cycles, 341 pairs of trits a cycle; the loop reaches nine tenths
//! of it. The tile is there for the loads: 4 × 4 pairs need 8 of them in the time of 48 operations.

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
            (Kind::Trits, true) => panels::<S, Trits, 2, 4>(simd, pairs, |[c, d]| c - 2 * d),
            (Kind::Trits, false) => panels::<S, Trits, 1, 1>(simd, pairs, |[c, d]| c - 2 * d),
            (Kind::Signs, wide) => {
                let cols = pairs.b.cols() as i32;
                let finish = |[opposed, _]: [i32; 2]| cols - 2 * opposed;
                match wide {
                    true => panels::<S, Signs, 4, 4>(simd, pairs, finish),
                    false => panels::<S, Signs, 1, 1>(simd, pairs, finish),
                }
            }
            (Kind::Masks { negative }, wide) => {
                let finish = |[common, _]: [i32; 2]| if negative { -common } else { common };
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
    finish: impl Fn([i32; 2]) -> i32,
) {
    let (rows, cols) = (pairs.a.rows(), pairs.b.rows());
    let bytes = 16 * pairs.b.row(0).map_or(1, |row| row.mask().len());
    let panel = (PANEL / bytes).max(1).next_multiple_of(C);
    let (a, b) = (&pairs.a, &pairs.b);
    for start in (0..cols).step_by(panel) {
        let end = cols.min(start + panel);
        for i in (0..rows).step_by(R) {
            let left: [TritRow<'_>; R] = from_fn(|r| a.at((i + r).min(rows - 1)));
            // Whole tiles only: of those on the diagonal some pairs are not wanted.
            let first = start + pairs.first(i).saturating_sub(start) / C * C;
            for j in (first..end).step_by(C) {
                let right: [TritRow<'_>; C] = from_fn(|c| b.at((j + c).min(cols - 1)));
                let sums = tile::<S, P, R, C>(simd, left, right);
                for (r, sums) in sums.into_iter().enumerate().take(rows - i) {
                    let out = &mut pairs.out[(i + r) * cols + j..(i + r + 1) * cols];
                    for (out, sums) in out.iter_mut().zip(sums) {
                        *out = finish(sums);
                    }
                }
            }
        }
    }
}

/// The sums of every pair of the tile.
#[inline(always)]
fn tile<S: Simd, P: Planes, const R: usize, const C: usize>(
    simd: S,
    left: [TritRow<'_>; R],
    right: [TritRow<'_>; C],
) -> [[[i32; 2]; C]; R] {
    let words = left[0].mask().len();
    let (whole, rest) = (words / 8, words % 8);
    let mut sums = [[[simd.splat64(0); 2]; C]; R];
    let a: [_; R] = from_fn(|r| eights(left[r], whole));
    let b: [_; C] = from_fn(|c| eights(right[c], whole));
    for k in 0..whole {
        let a: [P::Loaded<S>; R] = from_fn(|r| P::load(simd, &a[r].0[k], &a[r].1[k]));
        for c in 0..C {
            let b = P::load(simd, &b[c].0[k], &b[c].1[k]);
            for r in 0..R {
                sums[r][c] = P::step(simd, sums[r][c], a[r], b);
            }
        }
    }
    if rest > 0 {
        let load = |row: TritRow<'_>| {
            let (mut sign, mut mask) = ([0; 8], [0; 8]);
            sign[..rest].copy_from_slice(&row.sign()[words - rest..]);
            mask[..rest].copy_from_slice(&row.mask()[words - rest..]);
            P::load(simd, &sign, &mask)
        };
        let a: [P::Loaded<S>; R] = from_fn(|r| load(left[r]));
        for c in 0..C {
            let b = load(right[c]);
            for r in 0..R {
                sums[r][c] = P::step(simd, sums[r][c], a[r], b);
            }
        }
    }
    let mut totals = [[[0; 2]; C]; R];
    for (eight, sums) in sums.as_flattened().as_flattened().chunks(8).enumerate() {
        let all = simd.totals64(from_fn(|k| sums.get(k).copied().unwrap_or(simd.splat64(0))));
        let totals = &mut totals.as_flattened_mut().as_flattened_mut()[8 * eight..];
        for (total, sum) in totals.iter_mut().zip(all) {
            *total = sum as i32;
        }
    }
    totals
}

/// The planes of a row, eight words at a time.
#[inline(always)]
fn eights(row: TritRow<'_>, count: usize) -> (&[[u64; 8]], &[[u64; 8]]) {
    (&row.sign().as_chunks().0[..count], &row.mask().as_chunks().0[..count])
}

/// Which planes a kind of rows needs, and what is counted.
trait Planes {
    /// Eight words of a row.
    type Loaded<S: Simd>: Copy;

    fn load<S: Simd>(simd: S, sign: &[u64; 8], mask: &[u64; 8]) -> Self::Loaded<S>;

    /// Adds to the two counts of a pair.
    fn step<S: Simd>(
        simd: S,
        sums: [S::U64; 2],
        a: Self::Loaded<S>,
        b: Self::Loaded<S>,
    ) -> [S::U64; 2];
}

/// Counts the common non-zeros, and those of opposed signs.
struct Trits;

impl Planes for Trits {
    type Loaded<S: Simd> = [S::U64; 2];

    #[inline(always)]
    fn load<S: Simd>(simd: S, sign: &[u64; 8], mask: &[u64; 8]) -> [S::U64; 2] {
        [simd.load64(sign), simd.load64(mask)]
    }

    #[inline(always)]
    fn step<S: Simd>(
        simd: S,
        sums: [S::U64; 2],
        [sign_a, mask_a]: [S::U64; 2],
        [sign_b, mask_b]: [S::U64; 2],
    ) -> [S::U64; 2] {
        let common = simd.and64(mask_a, mask_b);
        let opposed = simd.and64(simd.xor64(sign_a, sign_b), common);
        [
            simd.add64(sums[0], simd.popcount64(common)),
            simd.add64(sums[1], simd.popcount64(opposed)),
        ]
    }
}

/// Counts opposed signs, where nothing is zero.
struct Signs;

impl Planes for Signs {
    type Loaded<S: Simd> = S::U64;

    #[inline(always)]
    fn load<S: Simd>(simd: S, sign: &[u64; 8], _: &[u64; 8]) -> S::U64 {
        simd.load64(sign)
    }

    #[inline(always)]
    fn step<S: Simd>(simd: S, sums: [S::U64; 2], a: S::U64, b: S::U64) -> [S::U64; 2] {
        [simd.add64(sums[0], simd.popcount64(simd.xor64(a, b))), sums[1]]
    }
}

/// Counts common non-zeros, where all have the same sign.
struct Masks;

impl Planes for Masks {
    type Loaded<S: Simd> = S::U64;

    #[inline(always)]
    fn load<S: Simd>(simd: S, _: &[u64; 8], mask: &[u64; 8]) -> S::U64 {
        simd.load64(mask)
    }

    #[inline(always)]
    fn step<S: Simd>(simd: S, sums: [S::U64; 2], a: S::U64, b: S::U64) -> [S::U64; 2] {
        [simd.add64(sums[0], simd.popcount64(simd.and64(a, b))), sums[1]]
    }
}
