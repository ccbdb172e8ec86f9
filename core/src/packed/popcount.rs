//! Dot products by AND, XOR and popcount of whole vectors of eight words.
//!
//! ```text
//! for a panel of rows of b, for a pass over some words:
//!     for a few rows of a, for a few rows of the panel (the tile):
//!         for every eight words: one step for each pair of the tile, sums in registers
//!         for every eight pairs: the sums across lanes
//! ```
//!
//! 1. The rows of a that a tile takes stay in L1 while all of the panel passes by, so they are the more numerous: 4 × 2
//!    trits. They are copied, in whole cache lines. The panel stays in L2, a quarter of it. Passes bound both, however
//!    long the rows are.
//! 2. Every slice of a tile has the same length, known to the compiler: no load is checked in the loop. Checks cost it a
//!    third of its speed, because each is a way out of the loop with sums that have to be moved.
//! 3. The rows of the next tile are prefetched: a load that misses L1 makes what depends on it start twice, on ports
//!    that are fully used. That is a tenth of the time for rows of 4,096 trits.
//! 4. The two counts of a pair of trits become one before they are summed across lanes.
//!
//! With a vector popcount a step of [`Content::Trits`] is AND, XOR-AND, two popcounts and two adds: 3 cycles, 171 pairs
//! per cycle, on two 512-bit ports or four of 256 bits. A tile of 4 × 2 pairs needs 12 loads for 48 operations. A step of
//! [`Content::Signs`] is XOR, popcount and add: 1.5 cycles, 341 pairs per cycle, and 4 × 4 pairs need 8 loads for 48
//! operations. On an Intel core of 2.95 GHz (Emerald Rapids) three quarters of both are seen for rows of 16,384 trits;
//! the totals of each tile cost the more the shorter the rows are.

use super::{Content, Pairs};
use crate::arch::Simd;
use crate::trits::{TritMatrix, words_per_row};
use core::ops::Range;

/// The largest panel: half of the 1 MB of a Zen 4, a quarter of the 2 MB of an Emerald Rapids.
const MAX_PANEL_BYTES: usize = 512 << 10;

/// All pairs.
pub(super) fn multiply<S: Simd>(simd: S, pairs: Pairs<'_>, content: Content) {
    simd.vectorize(
        #[inline(always)]
        || {
            // A tile's sums must fit the registers beside its operands; trits have two of each.
            let large_tiles = S::REGISTER_LINES >= 32;
            let cols = pairs.b.cols() as i32;
            match (content, large_tiles) {
                (Content::Trits, true) => panels::<S, Trits, 4, 2, 32>(simd, pairs, 0, 1),
                (Content::Trits, false) => panels::<S, Trits, 1, 1, 8>(simd, pairs, 0, 1),
                (Content::Signs, true) => panels::<S, Signs, 4, 4, 32>(simd, pairs, cols, -2),
                (Content::Signs, false) => panels::<S, Signs, 1, 1, 8>(simd, pairs, cols, -2),
                (Content::Masks { negative }, large_tiles) => {
                    let sign = if negative { -1 } else { 1 };
                    match large_tiles {
                        true => panels::<S, Masks, 4, 4, 32>(simd, pairs, 0, sign),
                        false => panels::<S, Masks, 1, 1, 8>(simd, pairs, 0, sign),
                    }
                }
            }
        },
    );
}

/// Every tile of `R × C` pairs: `constant + factor · total`. At the edges rows are repeated, and their results dropped. A
/// pass takes at most `MAX_STEPS` vectors of a row, of which `R` rows are copied to the stack.
#[inline(always)]
fn panels<S: Simd, P: Planes, const R: usize, const C: usize, const MAX_STEPS: usize>(
    simd: S,
    mut pairs: Pairs<'_>,
    constant: i32,
    factor: i32,
) {
    let words = words_per_row(pairs.b.cols());
    let tuning = simd.tuning();
    // The rows of a tile take half of L1, the panel half of L2, but no more than was found to help; a word has two planes.
    let pass_words = (usize::from(tuning.l1_kb) << 9) / (16 * R);
    let pass_words = (pass_words / 8 * 8).clamp(8, 8 * MAX_STEPS);
    let row_bytes = 16 * pass_words.min(words).max(1);
    let panel_bytes = (usize::from(tuning.l2_kb) << 9).min(MAX_PANEL_BYTES);
    let panel_rows = (panel_bytes / row_bytes).next_multiple_of(C).max(C);
    let cols = pairs.b.rows();
    for col in (0..cols).step_by(panel_rows) {
        let panel = col..cols.min(col + panel_rows);
        for word in (0..words).step_by(pass_words) {
            let words = word..words.min(word + pass_words);
            pass::<S, P, R, C, MAX_STEPS>(simd, &mut pairs, panel.clone(), words, constant, factor);
        }
    }
}

/// Some words of all rows of `a` and of a panel of `b`. The first words replace what is in the
/// output, unless all are to be added to it; others add to it.
#[inline(always)]
fn pass<S: Simd, P: Planes, const R: usize, const C: usize, const MAX_STEPS: usize>(
    simd: S,
    pairs: &mut Pairs<'_>,
    panel: Range<usize>,
    words: Range<usize>,
    constant: i32,
    factor: i32,
) {
    let (a, b) = (pairs.a, pairs.b);
    let (rows, cols) = (a.rows(), b.rows());
    let ahead = (C * words_per_row(b.cols())).div_ceil(8);
    let kept = if words.start == 0 && !pairs.add { 0 } else { -1 };
    let added = if words.start == 0 { constant } else { 0 };
    let mut lefts = Lefts::<R, MAX_STEPS>::EMPTY;
    for i in (0..rows).step_by(R) {
        let mut left = [Row::EMPTY; R];
        for (r, row) in left.iter_mut().enumerate() {
            *row = Row::new::<P>(&a, (i + r).min(rows - 1), words.clone());
        }
        let steps = lefts.copy(&left);
        // Whole tiles only: some pairs of those on the diagonal are not wanted.
        let first_col = panel.start + pairs.first(i).saturating_sub(panel.start) / C * C;
        for j in (first_col..panel.end).step_by(C) {
            let mut right = [Row::EMPTY; C];
            for (c, row) in right.iter_mut().enumerate() {
                *row = Row::new::<P>(&b, (j + c).min(cols - 1), words.clone());
            }
            let totals = tile::<S, P, R, C>(simd, &left, &lefts.0[..steps], &right, ahead);
            for (i, totals) in (i..rows).zip(totals) {
                let out = pairs.out.get_mut(i * cols + j..(i + 1) * cols);
                let out = present!(out, else return);
                // The loop over a whole tile's row has no branches.
                if let Some(out) = out.first_chunk_mut::<C>() {
                    for c in 0..C {
                        let total = added + factor * totals[c];
                        out[c] = (out[c] & kept).wrapping_add(total);
                    }
                } else {
                    for (out, total) in out.iter_mut().zip(totals) {
                        *out = (*out & kept).wrapping_add(added + factor * total);
                    }
                }
            }
        }
    }
}

/// The total of every pair of the tile. The next rows of `b` are `ahead` vectors behind its own.
#[inline(always)]
fn tile<S: Simd, P: Planes, const R: usize, const C: usize>(
    simd: S,
    a: &[Row<'_>; R],
    lefts: &[[[[u64; 8]; 2]; R]],
    b: &[Row<'_>; C],
    ahead: usize,
) -> [[i32; C]; R] {
    let mut counts = [[[simd.splat64(0); 2]; C]; R];
    let steps = lefts.len();
    let mut rights: [[&[[u64; 8]]; 2]; C] = [[&[]; 2]; C];
    for c in 0..C {
        rights[c] = present!(b[c].first(steps), else return [[0; C]; R]);
    }
    for k in 0..steps {
        let mut right = [[simd.splat64(0); 2]; C];
        for c in 0..C {
            right[c] = [simd.load64(&rights[c][0][k]), simd.load64(&rights[c][1][k])];
            simd.prefetch64((&raw const rights[c][0][k]).wrapping_add(ahead));
            simd.prefetch64((&raw const rights[c][1][k]).wrapping_add(ahead));
        }
        for r in 0..R {
            let left = [simd.load64(&lefts[k][r][0]), simd.load64(&lefts[k][r][1])];
            for c in 0..C {
                P::count(simd, &mut counts[r][c], left, right[c]);
            }
        }
    }
    if !a[0].rest[0].is_empty() {
        let mut right = [[simd.splat64(0); 2]; C];
        for c in 0..C {
            right[c] = b[c].load_rest(simd);
        }
        for r in 0..R {
            let left = a[r].load_rest(simd);
            for c in 0..C {
                P::count(simd, &mut counts[r][c], left, right[c]);
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

/// The planes of some words of a row that are needed: eight words at a time, and what is left.
#[derive(Clone, Copy)]
struct Row<'a> {
    eights: [&'a [[u64; 8]]; 2],
    rest: [&'a [u64]; 2],
}

impl<'a> Row<'a> {
    /// To be replaced by a row.
    const EMPTY: Self = Self { eights: [&[]; 2], rest: [&[]; 2] };

    #[inline(always)]
    fn new<P: Planes>(trits: &'a TritMatrix<&[u64]>, row: usize, words: Range<usize>) -> Self {
        let start = row * words_per_row(trits.cols());
        let words = start + words.start..start + words.end;
        let [first, second] = P::planes(trits);
        let first = present!(first.get(words.clone()), else return Self::EMPTY);
        let second = present!(second.get(words), else return Self::EMPTY);
        let ((eights, rest), (others, other)) = (first.as_chunks(), second.as_chunks());
        Self { eights: [eights, others], rest: [rest, other] }
    }

    /// So many vectors of each plane.
    #[inline(always)]
    fn first(&self, steps: usize) -> Option<[&'a [[u64; 8]]; 2]> {
        Some([self.eights[0].get(..steps)?, self.eights[1].get(..steps)?])
    }

    #[inline(always)]
    fn load_rest<S: Simd>(&self, simd: S) -> [S::U64; 2] {
        [simd.load64_padded(self.rest[0]), simd.load64_padded(self.rest[1])]
    }
}

/// The vectors of `R` rows side by side, in whole cache lines: rows themselves start anywhere, and a load that crosses
/// from one line to the next is two.
#[repr(align(64))]
struct Lefts<const R: usize, const MAX_STEPS: usize>([[[[u64; 8]; 2]; R]; MAX_STEPS]);

impl<const R: usize, const MAX_STEPS: usize> Lefts<R, MAX_STEPS> {
    const EMPTY: Self = Self([[[[0; 8]; 2]; R]; MAX_STEPS]);

    /// Copies the whole vectors of all rows, and returns how many there are of each.
    #[inline(always)]
    fn copy(&mut self, rows: &[Row<'_>; R]) -> usize {
        for (r, row) in rows.iter().enumerate() {
            for (step, (first, second)) in row.eights[0].iter().zip(row.eights[1]).enumerate() {
                if let Some(to) = self.0.get_mut(step) {
                    to[r] = [*first, *second];
                }
            }
        }
        rows[0].eights[0].len().min(MAX_STEPS)
    }
}

/// Which planes are needed for some content, and what is counted.
trait Planes {
    /// The planes; twice the same if there is only one.
    fn planes<'a>(trits: &'a TritMatrix<&[u64]>) -> [&'a [u64]; 2];

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
    fn planes<'a>(trits: &'a TritMatrix<&[u64]>) -> [&'a [u64]; 2] {
        [trits.sign(), trits.mask()]
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
    fn planes<'a>(trits: &'a TritMatrix<&[u64]>) -> [&'a [u64]; 2] {
        [trits.sign(); 2]
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
    fn planes<'a>(trits: &'a TritMatrix<&[u64]>) -> [&'a [u64]; 2] {
        [trits.mask(); 2]
    }

    #[inline(always)]
    fn count<S: Simd>(simd: S, counts: &mut [S::U64; 2], a: [S::U64; 2], b: [S::U64; 2]) {
        counts[0] = simd.add64(counts[0], simd.popcount64(simd.and64(a[0], b[0])));
    }
}
