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
//! of trits a cycle against the 171 of two popcounts. Adds compete for the same pipes, so the innermost
//! loop takes 1.25 cycles a lookup, 205 pairs a cycle. Emptying the bytes, encoding and writing the results
//! leave 110 to 125 of them over all.

use super::codes::Scheme;
use super::{Kind, Pairs};
use crate::arch::{HALF, Kernel, LANES, Lanes16, Line, Simd, Table};
use crate::kernels::byte_lanes::{self, BLOCK, NOTHING, Wide, byte_of};
use crate::trits::{TritMatrix, words_per_row};
use core::array::from_fn;
use core::ops::Range;

/// Blocks in a panel.
const PANEL: usize = 8;

/// Rows of `a` whose results with a panel stay in the last cache from pass to pass.
const ROWS: usize = 1024;

/// Groups in a pass, at most: 16 KB for a block of rows.
const GROUPS: usize = 256;

/// All pairs. Only [`Encode`] and [`Tile`] run inside the ISA.
pub(super) fn run<S: Simd>(simd: S, mut pairs: Pairs<'_>, kind: Kind) {
    let scheme = Scheme::new(kind, S::CODES);
    let (rows, cols) = (pairs.a.rows(), pairs.b.rows());
    let all = words_per_row(pairs.b.cols());
    let mut panel = [[Line::ZERO; GROUPS]; PANEL];
    let mut block = [Line::ZERO; GROUPS];
    for col in (0..cols).step_by(PANEL * BLOCK) {
        let end = cols.min(col + PANEL * BLOCK);
        for top in (0..rows).step_by(ROWS) {
            if pairs.first(top) >= end {
                break;
            }
            for word in (0..all).step_by(GROUPS / scheme.per_word) {
                let words = word..all.min(word + GROUPS / scheme.per_word);
                let encode = |rows, first, out: &mut [Line]| {
                    simd.run(Encode { scheme: &scheme, rows, first, words: words.clone(), out });
                };
                for (first, panel) in (col..end).step_by(BLOCK).zip(&mut panel) {
                    encode(pairs.b, first, panel);
                }
                for row in (top..rows.min(top + ROWS)).step_by(BLOCK) {
                    if pairs.first(row) >= end {
                        break;
                    }
                    // On the diagonal the block is one of the panel's, if they are aligned.
                    let from = pairs.diagonal.map(|diagonal| diagonal + row);
                    let own = from.filter(|from| *from >= col && from % BLOCK == 0);
                    let codes = match own {
                        Some(from) => &panel[(from - col) / BLOCK],
                        None => {
                            encode(pairs.a, row, &mut block);
                            &block
                        }
                    };
                    let groups = words.len() * scheme.per_word;
                    let pass = Pass {
                        scheme: &scheme,
                        codes: &codes[..groups],
                        panel: &panel,
                        begin: word == 0,
                        row,
                        col,
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

/// Some words of a block of `a` and of a panel of `b`, encoded.
struct Pass<'a> {
    scheme: &'a Scheme,
    codes: &'a [Line],
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
    fn tile<S: Simd, const R: usize, const C: usize>(
        &self,
        simd: S,
        pairs: &mut Pairs<'_>,
        lane: usize,
        block: usize,
    ) -> usize {
        let (first, cols) = (self.row + lane, pairs.b.rows());
        let from = self.col + block * BLOCK;
        simd.run(Tile::<R, C> {
            scheme: self.scheme,
            codes: self.codes,
            lane,
            lines: from_fn(|c| {
                let lines: &[[u8; BLOCK]] = bytemuck::cast_slice(&self.panel[block + c]);
                &lines[..self.codes.len()]
            }),
            begin: self.begin.then(|| self.scheme.constant(pairs.b.cols())),
            rows: R.min(pairs.a.rows() - first),
            width: (C * BLOCK).min(cols - from),
            stride: cols,
            out: &mut pairs.out[first * cols + from..],
        });
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
    scheme: &'a Scheme,
    codes: &'a [Line],
    lane: usize,
    lines: [&'a [[u8; BLOCK]]; C],
    /// What the results begin with, if they do not add to what is there.
    begin: Option<i32>,
    /// Rows and columns that are wanted.
    rows: usize,
    width: usize,
    /// From the first result on, rows at a distance of `stride`.
    out: &'a mut [i32],
    stride: usize,
}

impl<const R: usize, const C: usize> Kernel for Tile<'_, R, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        for r in 0..self.rows {
            // The output is larger than the caches; by the end of the tile it will be there.
            let row = self.out.get(r * self.stride..).unwrap_or_default();
            simd.prefetch32(row.get(..self.width).unwrap_or_default());
        }
        let mut sums = [[NOTHING; C]; R];
        if S::CODES == 128 {
            if let Some(tables) = self.scheme.tables.first_chunk::<128>() {
                self.sum(simd, tables, &mut sums);
            }
        } else if let Some(tables) = self.scheme.tables.first_chunk::<16>() {
            self.sum(simd, tables, &mut sums);
        }
        self.hand_over(simd, &sums);
    }
}

impl<const R: usize, const C: usize> Tile<'_, R, C> {
    /// Looks everything up and adds it to `wide`.
    #[inline(always)]
    fn sum<S: Simd, const N: usize>(
        &self,
        simd: S,
        tables: &[Table; N],
        wide: &mut [[Wide; C]; R],
    ) {
        let run = self.scheme.run.max(1);
        // The codes of a tile's rows are every other byte of a word.
        let (word, shift) = (byte_of(self.lane) / 8 % 8, byte_of(self.lane) % 8 * 8);
        for (start, codes) in self.codes.chunks(run).enumerate() {
            let span = start * run..start * run + codes.len();
            let mut lines: [&[[u8; BLOCK]]; C] = [&[]; C];
            for (lines, all) in lines.iter_mut().zip(self.lines) {
                let Some(part) = all.get(span.clone()) else { return };
                *lines = part;
            }
            let mut sums = [[simd.zero8(); C]; R];
            // Nothing here is ever out of range; a `break` costs less than to convince the compiler.
            'groups: for (group, codes) in codes.iter().enumerate() {
                let codes = codes.0[word] >> shift;
                let own: [S::Table; R] =
                    from_fn(|r| simd.table8(&tables[(codes >> (16 * r)) as usize % N]));
                for c in 0..C {
                    let Some(line) = lines[c].get(group) else { break 'groups };
                    let line = simd.load8(line);
                    for r in 0..R {
                        sums[r][c] = simd.add8(sums[r][c], simd.lookup8(own[r], line));
                    }
                }
            }
            for r in 0..R {
                for c in 0..C {
                    byte_lanes::empty(simd, sums[r][c], &mut wide[r][c]);
                }
            }
        }
    }

    /// Adds the sums to the output, or begins it.
    #[inline(always)]
    fn hand_over<S: Simd>(self, simd: S, sums: &[[Wide; C]; R]) {
        let Self { scheme, begin, rows, width, out, stride, .. } = self;
        for (r, sums) in sums.iter().enumerate().take(rows) {
            let Some(row) = out.get_mut(r * stride..).and_then(|rest| rest.get_mut(..width)) else {
                return;
            };
            for (sums, out) in sums.as_flattened().iter().zip(row.chunks_mut(LANES)) {
                if let Some(out) = out.first_chunk_mut() {
                    add(simd, scheme, begin, sums, out);
                } else {
                    let mut part = [0; LANES];
                    for (part, out) in part.iter_mut().zip(out.iter()) {
                        *part = *out;
                    }
                    add(simd, scheme, begin, sums, &mut part);
                    for (out, part) in out.iter_mut().zip(part) {
                        *out = part;
                    }
                }
            }
        }
    }
}

/// What the sums of 32 pairs are worth, added to the output or to what it begins with.
#[inline(always)]
fn add<S: Simd>(
    simd: S,
    scheme: &Scheme,
    begin: Option<i32>,
    sums: &Lanes16,
    out: &mut [i32; LANES],
) {
    let halves = out.as_chunks_mut::<HALF>().0.iter_mut();
    for (mut sums, out) in simd.widen(simd.load16(sums)).into_iter().zip(halves) {
        if scheme.twice {
            sums = simd.add32(sums, sums);
        }
        sums = simd.flip32(sums, -(scheme.negative as i32));
        let before = match begin {
            Some(constant) => simd.splat32(constant),
            None => simd.load32(out),
        };
        simd.store32(out, simd.add32(before, sums));
    }
}
