//! Dot products by lookups in registers, a byte lane for each row of `b`.
//!
//! ```text
//! for a panel of blocks of 64 rows of b, for a pass over some words:
//!     encode the panel
//!     for every block of 64 rows of a:
//!         encode the block
//!         for a few rows of it and a few blocks of the panel (the tile):
//!             for every group of columns:
//!                 sum[row][block] += table of the row's code [codes of the block]
//! ```
//!
//! 1. One lookup and one add serve 64 rows times the columns of a group: two trits where a register holds
//!    16 entries (`pshufb`), four where two registers hold 128 (`vpermi2b`), four of a single plane. There
//!    is no sum across lanes at the end.
//! 2. Entries are never negative, so a byte holds the sums of a run of groups; runs are added up in 16
//!    bits, passes in 32.
//! 3. A tile of 4 × 4 loads four codes, four tables and four lines for 16 lookups. The tables of all codes
//!    stay in L1 (10 KB for the 81 codes of four trits), the panel in L2.
//!
//! What bounds it: the lookup. At one of 512 bits per cycle on a machine that splits them in two halves,
//! that is 256 pairs of trits per cycle, against 171 by two popcounts. Adds compete for the same pipes, so
//! the innermost loop takes 1.25 cycles per lookup, 205 pairs per cycle. Adding up the bytes, encoding and
//! writing the results leave 110 to 125 overall.

use super::encode::Encoding;
use super::{Content, Pairs};
use crate::arch::{HALF, LANES, Lanes16, Line, Simd, Table};
use crate::lookup::{BLOCK_ROWS, WideSums, ZERO_SUMS, add_bytes, byte_of_row};
use crate::trits::{TritMatrix, words_per_row};

/// Blocks in a panel.
const PANEL_BLOCKS: usize = 8;

/// Rows of `b` in a panel.
const PANEL_ROWS: usize = PANEL_BLOCKS * BLOCK_ROWS;

/// Rows of `a` whose results with a panel stay in the last-level cache from pass to pass.
const BAND_ROWS: usize = 1024;

/// Most groups in a pass: 16 KB for a block of rows.
const PASS_GROUPS: usize = 256;

/// The codes of a block in a pass.
type BlockCodes = [Line; PASS_GROUPS];

/// All pairs. Only the encoding and the tiles run inside the ISA, separately, so that the constants of the
/// former stay out of the registers of the latter.
pub(super) fn multiply<S: Simd>(simd: S, mut pairs: Pairs<'_>, content: Content) {
    let encoding = Encoding::new(content, S::BYTE_LOOKUP_CODES);
    let (rows, cols) = (pairs.a.rows(), pairs.b.rows());
    let all_words = words_per_row(pairs.b.cols());
    let pass_words = PASS_GROUPS / encoding.codes_per_word;
    let mut panel = [[Line::ZERO; PASS_GROUPS]; PANEL_BLOCKS];
    let mut block = [Line::ZERO; PASS_GROUPS];
    for col in (0..cols).step_by(PANEL_ROWS) {
        let end = cols.min(col + PANEL_ROWS);
        for top in (0..rows).step_by(BAND_ROWS) {
            if pairs.first(top) >= end {
                break;
            }
            for word in (0..all_words).step_by(pass_words) {
                let words = word..all_words.min(word + pass_words);
                let encode = |rows: TritMatrix<&[u64]>, first, out: &mut BlockCodes| {
                    simd.vectorize(
                        #[inline(always)]
                        || encoding.encode(simd, &rows, first, words.clone(), out),
                    );
                };
                for (first, codes) in (col..end).step_by(BLOCK_ROWS).zip(&mut panel) {
                    encode(pairs.b, first, codes);
                }
                for row in (top..rows.min(top + BAND_ROWS)).step_by(BLOCK_ROWS) {
                    if pairs.first(row) >= end {
                        break;
                    }
                    // On the diagonal the block is one of the panel's, if they are aligned.
                    let from = pairs.diagonal.map(|diagonal| diagonal + row);
                    let own = from.filter(|from| *from >= col && from % BLOCK_ROWS == 0);
                    let codes = match own {
                        Some(from) => &panel[(from - col) / BLOCK_ROWS],
                        None => {
                            encode(pairs.a, row, &mut block);
                            &block
                        }
                    };
                    let groups = words.len() * encoding.codes_per_word;
                    let pass = Pass {
                        encoding: &encoding,
                        codes: &codes[..groups],
                        panel: &panel,
                        first_pass: word == 0,
                        row,
                        col,
                        end,
                    };
                    match S::REGISTER_LINES >= 32 {
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
    encoding: &'a Encoding,
    codes: &'a [Line],
    panel: &'a [BlockCodes; PANEL_BLOCKS],
    /// Whether these are the first words.
    first_pass: bool,
    /// The first row of `a`.
    row: usize,
    /// The rows `col .. end` of `b`.
    col: usize,
    end: usize,
}

impl Pass<'_> {
    /// Every tile of `R` rows and up to `C` blocks.
    fn tiles<S: Simd, const R: usize, const C: usize>(&self, simd: S, pairs: &mut Pairs<'_>) {
        let count = (self.end - self.col).div_ceil(BLOCK_ROWS);
        for lane in (0..BLOCK_ROWS.min(pairs.a.rows() - self.row)).step_by(R) {
            // Blocks wholly left of the diagonal are not wanted.
            let mut block = pairs.first(self.row + lane).saturating_sub(self.col) / BLOCK_ROWS;
            while block < count {
                // The fewest tiles, and none of a single block where that can be avoided.
                block += match count - block {
                    1 => self.tile::<S, R, 1>(simd, pairs, lane, block),
                    3 | 5 if C > 2 => self.tile::<S, R, 3>(simd, pairs, lane, block),
                    2 | 3 => self.tile::<S, R, 2>(simd, pairs, lane, block),
                    _ => self.tile::<S, R, C>(simd, pairs, lane, block),
                };
            }
        }
    }

    /// `R` rows from `lane` with `C` blocks from `block`. Returns `C`.
    fn tile<S: Simd, const R: usize, const C: usize>(
        &self,
        simd: S,
        pairs: &mut Pairs<'_>,
        lane: usize,
        block: usize,
    ) -> usize {
        let (first, cols) = (self.row + lane, pairs.b.rows());
        let from = self.col + block * BLOCK_ROWS;
        let mut lines: [&[[u8; BLOCK_ROWS]]; C] = [&[]; C];
        for (lines, codes) in lines.iter_mut().zip(&self.panel[block..]) {
            *lines = bytemuck::cast_slice(&codes[..self.codes.len()]);
        }
        let tile = Tile::<R, C> {
            encoding: self.encoding,
            codes: self.codes,
            lane,
            lines,
            before: Before {
                constant: if self.first_pass { self.encoding.constant(pairs.b.cols()) } else { 0 },
                add: pairs.add || !self.first_pass,
            },
            rows: R.min(pairs.a.rows() - first),
            width: (C * BLOCK_ROWS).min(cols - from),
            stride: cols,
            out: &mut pairs.out[first * cols + from..],
        };
        simd.vectorize(
            #[inline(always)]
            || tile.multiply(simd),
        );
        C
    }
}

/// What results are added to.
#[derive(Clone, Copy)]
struct Before {
    constant: i32,
    /// Whether to what is in the output as well.
    add: bool,
}

/// The innermost loops: `R` rows of codes, from `lane`, with `C` blocks of lines.
struct Tile<'a, const R: usize, const C: usize> {
    encoding: &'a Encoding,
    codes: &'a [Line],
    lane: usize,
    lines: [&'a [[u8; BLOCK_ROWS]]; C],
    before: Before,
    /// Rows and columns that are wanted.
    rows: usize,
    width: usize,
    /// From the first result on, rows at a distance of `stride`.
    out: &'a mut [i32],
    stride: usize,
}

impl<const R: usize, const C: usize> Tile<'_, R, C> {
    #[inline(always)]
    fn multiply<S: Simd>(self, simd: S) {
        for r in 0..self.rows {
            // The output is larger than the caches; by the end of the tile it will have arrived.
            let start = r * self.stride;
            let row = self.out.get(start..start + self.width);
            simd.prefetch32(present!(row, else return));
        }
        let mut sums = [[ZERO_SUMS; C]; R];
        let tables = self.encoding.tables;
        if S::BYTE_LOOKUP_CODES == 128 {
            let tables = present!(tables.first_chunk::<128>(), else return);
            self.sum(simd, tables, &mut sums);
        } else {
            let tables = present!(tables.first_chunk::<16>(), else return);
            self.sum(simd, tables, &mut sums);
        }
        self.write(simd, &sums);
    }

    /// Looks everything up and adds it to `wide`.
    #[inline(always)]
    fn sum<S: Simd, const N: usize>(
        &self,
        simd: S,
        tables: &[Table; N],
        wide: &mut [[WideSums; C]; R],
    ) {
        let run_groups = self.encoding.run_groups.max(1);
        // The codes of a tile's rows are every other byte of a word.
        let byte = byte_of_row(self.lane);
        let (word, shift) = (byte / 8 % 8, byte % 8 * 8);
        for (run, codes) in self.codes.chunks(run_groups).enumerate() {
            let span = run * run_groups..run * run_groups + codes.len();
            let mut lines: [&[[u8; BLOCK_ROWS]]; C] = [&[]; C];
            for (lines, all) in lines.iter_mut().zip(self.lines) {
                *lines = present!(all.get(span.clone()), else return);
            }
            let mut sums = [[simd.zero8(); C]; R];
            for (group, codes) in codes.iter().enumerate() {
                let codes = codes.0[word] >> shift;
                let mut own = [simd.table8(&tables[codes as usize % N]); R];
                for r in 1..R {
                    own[r] = simd.table8(&tables[(codes >> (16 * r)) as usize % N]);
                }
                for c in 0..C {
                    let line = simd.load8(present!(lines[c].get(group), else return));
                    for r in 0..R {
                        sums[r][c] = simd.add8(sums[r][c], simd.lookup8(own[r], line));
                    }
                }
            }
            for r in 0..R {
                for c in 0..C {
                    add_bytes(simd, sums[r][c], &mut wide[r][c]);
                }
            }
        }
    }

    /// Adds the sums to the output, or starts it.
    #[inline(always)]
    fn write<S: Simd>(self, simd: S, sums: &[[WideSums; C]; R]) {
        let Self { encoding, before, rows, width, out, stride, .. } = self;
        for (r, sums) in sums.iter().enumerate().take(rows) {
            let row = present!(out.get_mut(r * stride..r * stride + width), else return);
            for (sums, out) in sums.as_flattened().iter().zip(row.chunks_mut(LANES)) {
                if let Some(out) = out.first_chunk_mut() {
                    add_sums(simd, encoding, before, sums, out);
                } else {
                    let mut padded = [0; LANES];
                    for (padded, out) in padded.iter_mut().zip(out.iter()) {
                        *padded = *out;
                    }
                    add_sums(simd, encoding, before, sums, &mut padded);
                    for (out, padded) in out.iter_mut().zip(padded) {
                        *out = padded;
                    }
                }
            }
        }
    }
}

/// The dot products of 32 pairs from their sums.
#[inline(always)]
fn add_sums<S: Simd>(
    simd: S,
    encoding: &Encoding,
    before: Before,
    sums: &Lanes16,
    out: &mut [i32; LANES],
) {
    let halves = out.as_chunks_mut::<HALF>().0.iter_mut();
    for (mut sums, out) in simd.widen(simd.load16(sums)).into_iter().zip(halves) {
        if encoding.doubled {
            sums = simd.add32(sums, sums);
        }
        sums = simd.flip32(sums, -(encoding.negated as i32));
        sums = simd.add32(sums, simd.splat32(before.constant));
        if before.add {
            sums = simd.add32(sums, simd.load32(out));
        }
        simd.store32(out, sums);
    }
}
