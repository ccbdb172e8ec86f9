//! Dot products by looking sums up in registers, a byte lane for each row of `b`.
//!
//! ```text
//! for a panel of blocks of 64 rows of b, for a pass of some words:
//!     encode the panel
//!     for every block of 64 rows of a:
//!         encode the block
//!         for a few rows of it and a few blocks of the panel (the tile):
//!             for every group of columns:
//!                 sum[row][block] += table of the row's code [codes of the block]
//! ```
//!
//! 1. One lookup and one add serve 64 rows times the columns of a group: two trits where a register holds
//!    16 entries (`pshufb`), four where two registers hold 128 (`vpermi2b`), four of a single plane.
//!    There is no sum across lanes at the end.
//! 2. Entries are never negative, so a byte holds the sums of a run of groups; runs are added up in 16
//!    bits, passes in 32.
//! 3. A tile of 4 × 4 loads four codes, four tables and four lines for 16 lookups. The tables of all codes
//!    stay in L1 (10 KB for the 81 codes of four trits), the panel in L2.
//!
//! The bound is the lookup: one of 512 bits a cycle on a machine that splits them in two halves, 256 pairs
//! of trits a cycle against the 171 of two popcounts. The loop reaches three quarters of it; the rest
//! goes into emptying the bytes.

use super::codes::{BLOCK, Scheme, byte_of};
use super::{Kind, Pairs};
use crate::arch::{Kernel, LANES, Lanes16, Line, Simd, Table};
use crate::trits::{TritMatrix, words_per_row};
use core::array::from_fn;
use core::ops::Range;

/// Blocks in a panel.
const PANEL: usize = 8;

/// Rows of `a` whose results with a panel stay in the last cache from pass to pass.
const ROWS: usize = 1024;

/// Groups in a pass, at most: 16 KB for a block of rows.
const GROUPS: usize = 256;

/// All pairs, as one piece of work for [`Simd::run`].
pub(super) struct Lookup<'a> {
    pub(super) pairs: Pairs<'a>,
    pub(super) kind: Kind,
}

impl Kernel for Lookup<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { mut pairs, kind } = self;
        let scheme = Scheme::new(kind, S::CODES);
        let (a, b) = (pairs.a, pairs.b);
        let (rows, cols) = (a.rows(), b.rows());
        let all = words_per_row(pairs.b.cols());
        let words = GROUPS / scheme.per_word;
        let mut panel = [[Line::ZERO; GROUPS]; PANEL];
        let mut block = [Line::ZERO; GROUPS];
        for start in (0..cols).step_by(PANEL * BLOCK) {
            let end = cols.min(start + PANEL * BLOCK);
            for top in (0..rows).step_by(ROWS) {
                if pairs.first(top) >= end {
                    break;
                }
                for word in (0..all).step_by(words) {
                    let words = word..all.min(word + words);
                    let encode = |rows, first, out: &mut [Line]| {
                        let words = words.clone();
                        simd.run(Encode { scheme: &scheme, rows, first, words, out });
                    };
                    for (first, panel) in (start..end).step_by(BLOCK).zip(&mut panel) {
                        encode(b, first, panel);
                    }
                    for row in (top..rows.min(top + ROWS)).step_by(BLOCK) {
                        if pairs.first(row) >= end {
                            break;
                        }
                        // On the diagonal the block is one of the panel's, if they are aligned.
                        let from = pairs.diagonal.map(|diagonal| diagonal + row);
                        let own = from.filter(|from| *from >= start && from % BLOCK == 0);
                        let codes = match own {
                            Some(from) => &panel[(from - start) / BLOCK],
                            None => {
                                encode(a, row, &mut block);
                                &block
                            }
                        };
                        let groups = words.len() * scheme.per_word;
                        let pass = Pass {
                            scheme: &scheme,
                            codes: &bytemuck::cast_slice(codes)[..groups],
                            panel: &panel,
                            begin: word == 0,
                            row,
                            col: start,
                            end,
                        };
                        match S::REGISTERS >= 32 {
                            true => pass.tiles::<S, 4, 4>(simd, &mut pairs),
                            false => pass.tiles::<S, 2, 2>(simd, &mut pairs),
                        }
                    }
                }
            }
        }
    }
}

/// Some words of a block of `a` and of a panel of `b`, encoded.
struct Pass<'a> {
    scheme: &'a Scheme,
    codes: &'a [[u8; BLOCK]],
    panel: &'a [[Line; GROUPS]; PANEL],
    /// Whether these are the first words.
    begin: bool,
    /// The first row of `a`.
    row: usize,
    /// The rows `col .. end` of `b`.
    col: usize,
    end: usize,
}

impl Pass<'_> {
    /// Every tile of `R` rows and up to `C` blocks.
    #[inline(always)]
    fn tiles<S: Simd, const R: usize, const C: usize>(&self, simd: S, pairs: &mut Pairs<'_>) {
        let count = (self.end - self.col).div_ceil(BLOCK);
        for lane in (0..BLOCK.min(pairs.a.rows() - self.row)).step_by(R) {
            // Blocks wholly left of the diagonal are not wanted.
            let mut block = pairs.first(self.row + lane).saturating_sub(self.col) / BLOCK;
            while block < count {
                // The fewest tiles, and none of a single block where that can be helped.
                block += match count - block {
                    1 => self.tile::<S, R, 1>(simd, pairs, lane, block),
                    3 | 5 if C > 2 => self.tile::<S, R, 3>(simd, pairs, lane, block),
                    2 | 3 => self.tile::<S, R, 2>(simd, pairs, lane, block),
                    _ => self.tile::<S, R, C>(simd, pairs, lane, block),
                };
            }
        }
    }

    /// `R` rows from `lane` with `C` blocks from `block`. Gives `C`.
    #[inline(always)]
    fn tile<S: Simd, const R: usize, const C: usize>(
        &self,
        simd: S,
        pairs: &mut Pairs<'_>,
        lane: usize,
        block: usize,
    ) -> usize {
        let mut sums = [[[Lanes16([0; LANES]); 2]; C]; R];
        let lines = from_fn(|c| &bytemuck::cast_slice(&self.panel[block + c])[..self.codes.len()]);
        let Scheme { tables, run, .. } = *self.scheme;
        let (cols, from) = (pairs.b.rows(), self.col + block * BLOCK);
        let to = cols.min(from + C * BLOCK);
        let row = |r: usize| (self.row + lane + r) * cols + from..(self.row + lane + r) * cols + to;
        let rows = R.min(pairs.a.rows() - self.row - lane);
        // The output is far larger than any cache; by the end of the tile it will be there.
        for r in 0..rows {
            simd.prefetch32(&pairs.out[row(r)]);
        }
        simd.run(Tile { tables, run, codes: self.codes, lane, lines, sums: &mut sums });
        for (r, sums) in sums.iter().enumerate().take(rows) {
            let out = &mut pairs.out[row(r)];
            for (out, sums) in out.chunks_mut(LANES).zip(sums.as_flattened()) {
                self.scheme.hand_over(simd, sums, self.begin, pairs.b.cols(), out);
            }
        }
        C
    }
}

/// The rearranging of 64 rows, a piece of work of its own so that its constants stay out of the
/// registers of [`Tile`].
struct Encode<'a> {
    scheme: &'a Scheme,
    rows: TritMatrix<&'a [u64]>,
    first: usize,
    words: Range<usize>,
    out: &'a mut [Line],
}

impl Kernel for Encode<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        self.scheme.encode(simd, &self.rows, self.first, self.words, self.out);
    }
}

/// The innermost loops: `R` rows of codes, from `lane`, with `C` blocks of lines.
struct Tile<'a, const R: usize, const C: usize> {
    tables: &'a [Table],
    run: usize,
    codes: &'a [[u8; BLOCK]],
    lane: usize,
    lines: [&'a [[u8; BLOCK]]; C],
    sums: &'a mut [[[Lanes16; 2]; C]; R],
}

impl<const R: usize, const C: usize> Kernel for Tile<'_, R, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { tables, run, codes, lane, lines, sums: wide } = self;
        let bytes: [usize; R] = from_fn(|r| byte_of(lane + r));
        let (Some(tables), all) = (tables.get(..S::CODES), codes.len()) else { return };
        for start in (0..all).step_by(run) {
            let end = all.min(start + run);
            let mut sums = [[simd.zero8(); C]; R];
            let codes = &codes[start..end];
            let lines: [_; C] = from_fn(|c| &lines[c][start..end]);
            for group in 0..codes.len() {
                let own: [S::Table; R] = from_fn(|r| {
                    let code = codes[group][bytes[r]] as usize;
                    simd.table8(&tables[code & (S::CODES - 1)])
                });
                for c in 0..C {
                    let line = simd.load8(&lines[c][group]);
                    for r in 0..R {
                        sums[r][c] = simd.add8(sums[r][c], simd.lookup8(own[r], line));
                    }
                }
            }
            for r in 0..R {
                for c in 0..C {
                    let parts = simd.split8(sums[r][c]);
                    for half in 0..2 {
                        let wide = &mut wide[r][c][half];
                        simd.store16(wide, simd.add16(simd.load16(wide), parts[half]));
                    }
                }
            }
        }
    }
}
