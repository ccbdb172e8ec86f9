//! Index lists: for a W of mostly zeros, one add per non-zero weight.
//!
//! Inputs are divided into panels of 256. For each panel a row has two lists of input indices, those of
//! its +1 and those of its −1, in groups of four. Lists are padded with the index 0; the padding adds at most
//! ±3 times the panel's first input, and the row's sum starts with the opposite of that.
//!
//! ```text
//! sum = −surplus · x[0]
//! for each group of the +1:  sum += x[a] + x[b] + x[c] + x[d]
//! for each group of the −1:  sum −= x[a] + x[b] + x[c] + x[d]
//! ```
//!
//! with x[k] input k of 32 samples in lanes.
//!
//! 1. A panel of samples is 16 KB, half of L1, and stays there for a tile of rows. Its indices are
//!    bytes: no bound to check, four in a word, no count to test within a group.
//! 2. Four numbers of at most 8,191 sum within 16 bits, so a group is added in 16-bit lanes and only
//!    its sum is widened. Quantised samples satisfy this unless a few inputs outweigh all others; a panel
//!    that holds larger numbers is widened number by number.
//! 3. The number of groups differs from row to row, which no branch predictor learns. Branches depend only
//!    on the counts, so a misprediction is detected while earlier loads are still in flight.
//!
//! What bounds it: the loads, 64 bytes per non-zero weight and three paddings per row and panel,
//! and with them the adds: 9 per group, of which 5 widen. A core that loads a line and executes two adds per
//! cycle takes 4.5 cycles per group; 5.7 are measured with everything around it.

use crate::arch::{LANES, Lanes16, Lanes32, Simd};

/// Inputs of a panel: as many as a byte can number.
pub(super) const PANEL_INPUTS: usize = 256;

/// Indices in a group.
pub(super) const GROUP_INDICES: usize = 4;

/// Lines per panel behind all panels: the multiples 3 … −3 of its first input, and whether any four
/// of its numbers sum within 16 bits.
pub(super) const EXTRA_LINES: usize = 8;

/// Lines of a block of samples.
pub(super) const fn block_lines(inputs: usize) -> usize {
    inputs.div_ceil(PANEL_INPUTS) * (PANEL_INPUTS + EXTRA_LINES)
}

/// What precedes a row's groups.
#[derive(Clone, Copy)]
pub(super) struct Head {
    pub(super) plus: usize,
    pub(super) minus: usize,
    /// Padding of the +1 minus padding of the −1, plus 3.
    pub(super) surplus: usize,
}

impl Head {
    /// The head of lists with so many indices.
    pub(super) const fn new(plus: usize, minus: usize) -> Self {
        let (plus_groups, minus_groups) =
            (plus.div_ceil(GROUP_INDICES), minus.div_ceil(GROUP_INDICES));
        let surplus =
            3 + (plus_groups * GROUP_INDICES - plus) - (minus_groups * GROUP_INDICES - minus);
        Self { plus: plus_groups, minus: minus_groups, surplus }
    }

    /// As a word of a stream.
    pub(super) const fn word(self) -> u32 {
        u32::from_le_bytes([self.plus as u8, self.minus as u8, self.surplus as u8, 0])
    }

    #[inline(always)]
    const fn from_word(word: u32) -> Self {
        let [plus, minus, surplus, _] = word.to_le_bytes();
        Self { plus: plus as usize, minus: minus as usize, surplus: surplus as usize }
    }
}

/// The lists of one row in one panel.
#[derive(Clone, Copy)]
struct Row<'a> {
    plus: &'a [u32],
    minus: &'a [u32],
    surplus: usize,
}

/// The rows of a stream of heads and groups.
#[inline(always)]
fn rows(mut stream: &[u32]) -> impl Iterator<Item = Row<'_>> {
    core::iter::from_fn(
        #[inline(always)]
        move || {
            let (&head, rest) = stream.split_first()?;
            let Head { plus, minus, surplus } = Head::from_word(head);
            let (plus, rest) = rest.split_at_checked(plus)?;
            let (minus, rest) = rest.split_at_checked(minus)?;
            stream = rest;
            Some(Row { plus, minus, surplus })
        },
    )
}

/// Writes the extras of every panel of a block. Sums of four numbers always fit if they may wrap.
#[inline(always)]
pub(super) fn write_extras<S: Simd>(simd: S, block: &mut [Lanes16], may_wrap: bool) {
    let panels = block.len() / (PANEL_INPUTS + EXTRA_LINES);
    let split = block.split_at_mut_checked(panels * PANEL_INPUTS);
    let (panels, extras) = present!(split, else return);
    let (panels, extras) =
        (panels.as_chunks::<PANEL_INPUTS>().0, extras.as_chunks_mut::<EXTRA_LINES>().0);
    for (panel, extras) in panels.iter().zip(extras) {
        let first = simd.load16(&panel[0]);
        let mut multiple = simd.add16(simd.add16(first, first), first);
        for extra in &mut *extras {
            simd.store16(extra, multiple);
            multiple = simd.sub16(multiple, first);
        }
        extras[EXTRA_LINES - 1].0[0] = (may_wrap || any_four_fit(panel)) as i16;
    }
}

/// Whether any four numbers of a panel sum within 16 bits.
#[inline(always)]
fn any_four_fit(panel: &[Lanes16]) -> bool {
    let mut largest = [0_u16; LANES];
    for lanes in panel {
        for (largest, number) in largest.iter_mut().zip(lanes.0) {
            *largest = (*largest).max(number.unsigned_abs());
        }
    }
    let mut all = 0;
    for largest in largest {
        all = all.max(largest);
    }
    all as usize <= i16::MAX as usize / GROUP_INDICES
}

/// Adds a panel's part to the sums of some rows, or starts them if it is the `first`.
#[inline(always)]
pub(super) fn add_panel<S: Simd>(
    simd: S,
    stream: &[u32],
    panel: &[Lanes16; PANEL_INPUTS],
    extras: &[Lanes16; EXTRA_LINES],
    first: bool,
    sums: &mut [Lanes32],
) {
    if extras[EXTRA_LINES - 1].0[0] != 0 {
        for (row, sum) in rows(stream).zip(sums) {
            let start = simd.widen(simd.load16(&extras[row.surplus % EXTRA_LINES]));
            add_row::<S, true>(simd, row, start, panel, first, sum);
        }
    } else {
        for (row, sum) in rows(stream).zip(sums) {
            let [mut low, mut high] = simd.widen(simd.splat16(0));
            let x = simd.widen(simd.load16(&panel[0]));
            for _ in row.surplus..3 {
                (low, high) = (simd.add32(low, x[0]), simd.add32(high, x[1]));
            }
            for _ in 3..row.surplus {
                (low, high) = (simd.sub32(low, x[0]), simd.sub32(high, x[1]));
            }
            add_row::<S, false>(simd, row, [low, high], panel, first, sum);
        }
    }
}

/// One row, from what its sum starts with.
#[inline(always)]
fn add_row<S: Simd, const FITS: bool>(
    simd: S,
    row: Row<'_>,
    start: [S::I32; 2],
    panel: &[Lanes16; PANEL_INPUTS],
    first: bool,
    sum: &mut Lanes32,
) {
    let [mut low, mut high] = start;
    if !first {
        low = simd.add32(low, simd.load32(&sum.0[0]));
        high = simd.add32(high, simd.load32(&sum.0[1]));
    }
    for &group in row.plus {
        let part = add_group::<S, FITS>(simd, group, panel);
        (low, high) = (simd.add32(low, part[0]), simd.add32(high, part[1]));
    }
    for &group in row.minus {
        let part = add_group::<S, FITS>(simd, group, panel);
        (low, high) = (simd.sub32(low, part[0]), simd.sub32(high, part[1]));
    }
    simd.store32(&mut sum.0[0], low);
    simd.store32(&mut sum.0[1], high);
}

/// The sum of a group in every lane.
#[inline(always)]
fn add_group<S: Simd, const FITS: bool>(
    simd: S,
    group: u32,
    panel: &[Lanes16; PANEL_INPUTS],
) -> [S::I32; 2] {
    let [a, b, c, d] = group.to_le_bytes();
    let (a, b) = (simd.load16(&panel[a as usize]), simd.load16(&panel[b as usize]));
    let (c, d) = (simd.load16(&panel[c as usize]), simd.load16(&panel[d as usize]));
    if FITS {
        return simd.widen(simd.add16(simd.add16(a, b), simd.add16(c, d)));
    }
    let [mut low, mut high] = simd.widen(a);
    for number in [b, c, d] {
        let wide = simd.widen(number);
        (low, high) = (simd.add32(low, wide[0]), simd.add32(high, wide[1]));
    }
    [low, high]
}

/// [`add_panel`] for one sample.
#[inline(always)]
pub(super) fn add_sample_panel(
    stream: &[u32],
    panel: &[i32; PANEL_INPUTS],
    first: bool,
    sums: &mut [i32],
) {
    for (row, sum) in rows(stream).zip(sums) {
        let start = if first { 0 } else { *sum };
        let surplus = (3 - row.surplus as i32).wrapping_mul(panel[0]);
        let (plus, minus) = (sum_list(row.plus, panel), sum_list(row.minus, panel));
        *sum = start.wrapping_add(surplus).wrapping_add(plus).wrapping_sub(minus);
    }
}

/// Σ of the listed inputs of one sample.
#[inline(always)]
fn sum_list(groups: &[u32], panel: &[i32; PANEL_INPUTS]) -> i32 {
    let mut sum = 0_i32;
    for group in groups {
        for input in group.to_le_bytes() {
            sum = sum.wrapping_add(panel[input as usize]);
        }
    }
    sum
}
