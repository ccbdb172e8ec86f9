//! Index lists: for a W of mostly zeros, one add for each weight that is not.
//!
//! Inputs are taken in panels of 256. For each panel a row is two lists of input numbers, those of
//! its +1 and those of its −1, in groups of four. Lists are filled up with the number 0; what that
//! adds, at most ±3 times the panel's first input, is what the row's sum starts from, negated.
//!
//! ```text
//! sum = surplus · x[0]
//! for each group of the +1:  sum += x[a] + x[b] + x[c] + x[d]
//! for each group of the −1:  sum −= x[a] + x[b] + x[c] + x[d]
//! ```
//!
//! with x[k] the number k of 32 samples in lanes.
//!
//! 1. A panel of samples is 16 KB, half of L1, and stays there for a tile of rows. Its input numbers
//!    are bytes: no bound to check, four in a word, no count to test within a group.
//! 2. Four numbers of at most 8,191 sum within 16 bits, so a group is added in 16-bit lanes and only
//!    its sum is widened. Quantised samples are so unless a few inputs outweigh all others; a panel
//!    that holds larger numbers is widened number by number.
//! 3. The number of groups differs from row to row, which no branch predictor learns. Nothing feeds
//!    a branch but the counts, so a miss is found while the loads before it still wait.
//!
//! What bounds it: the loads, 64 bytes for each non-zero weight and three fill-ups a row and panel,
//! and with them the adds: 9 a group, of which 5 widen. A core that loads a line and does two adds a
//! cycle takes 4.5 cycles a group, and is seen to take 5.7 with everything around it.

use crate::arch::{LANES, Lanes16, Lanes32, Simd};

/// Inputs of a panel: as many as a byte can number.
pub(crate) const PANEL: usize = 256;

/// Input numbers in a group.
pub(crate) const GROUP: usize = 4;

/// Lines behind the panels, for each of them: the multiples 3 … −3 of its first input, and whether
/// four of its numbers sum within 16 bits.
pub(crate) const EXTRAS: usize = 8;

/// Lines of a block of samples.
pub(crate) const fn lines(inputs: usize) -> usize {
    inputs.div_ceil(PANEL) * (PANEL + EXTRAS)
}

/// What precedes a row's groups.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    pub(crate) plus: usize,
    pub(crate) minus: usize,
    /// Fill-ups of the +1 less those of the −1, plus 3.
    pub(crate) surplus: usize,
}

impl Head {
    /// The head of lists of so many input numbers.
    pub(crate) const fn new(plus: usize, minus: usize) -> Self {
        let (plus_groups, minus_groups) = (plus.div_ceil(GROUP), minus.div_ceil(GROUP));
        let surplus = 3 + (plus_groups * GROUP - plus) - (minus_groups * GROUP - minus);
        Self { plus: plus_groups, minus: minus_groups, surplus }
    }

    /// As a word of a stream.
    pub(crate) const fn word(self) -> u32 {
        u32::from_le_bytes([self.plus as u8, self.minus as u8, self.surplus as u8, 0])
    }

    #[inline(always)]
    const fn of(word: u32) -> Self {
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
            let Head { plus, minus, surplus } = Head::of(head);
            let (plus, rest) = rest.split_at_checked(plus)?;
            let (minus, rest) = rest.split_at_checked(minus)?;
            stream = rest;
            Some(Row { plus, minus, surplus })
        },
    )
}

/// Writes the extras of every panel of a block.
#[inline(always)]
pub(crate) fn prepare<S: Simd>(simd: S, block: &mut [Lanes16]) {
    let panels = block.len() / (PANEL + EXTRAS);
    let Some((panels, extras)) = block.split_at_mut_checked(panels * PANEL) else { return };
    let (panels, extras) = (panels.as_chunks::<PANEL>().0, extras.as_chunks_mut::<EXTRAS>().0);
    for (panel, extras) in panels.iter().zip(extras) {
        let first = simd.load16(&panel[0]);
        let mut multiple = simd.add16(simd.add16(first, first), first);
        for extra in &mut *extras {
            simd.store16(extra, multiple);
            multiple = simd.sub16(multiple, first);
        }
        extras[EXTRAS - 1].0[0] = fits(panel) as i16;
    }
}

/// Whether any four numbers of a panel sum within 16 bits.
#[inline(always)]
fn fits(panel: &[Lanes16]) -> bool {
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
    all as usize <= i16::MAX as usize / GROUP
}

/// Adds a panel's part to the sums of some rows, or starts them if it is the `first`.
#[inline(always)]
pub(crate) fn project<S: Simd>(
    simd: S,
    stream: &[u32],
    panel: &[Lanes16; PANEL],
    extras: &[Lanes16; EXTRAS],
    first: bool,
    sums: &mut [Lanes32],
) {
    if extras[EXTRAS - 1].0[0] != 0 {
        for (row, sum) in rows(stream).zip(sums) {
            let start = simd.widen(simd.load16(&extras[row.surplus % EXTRAS]));
            add_row::<S, true>(simd, row, start, panel, first, sum);
        }
    } else {
        for (row, sum) in rows(stream).zip(sums) {
            let [mut low, mut high] = simd.widen(simd.zero16());
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
    panel: &[Lanes16; PANEL],
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
    panel: &[Lanes16; PANEL],
) -> [S::I32; 2] {
    let [a, b, c, d] = group.to_le_bytes().map(
        #[inline(always)]
        |input| simd.load16(&panel[input as usize]),
    );
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

/// [`project`] for one sample.
#[inline(always)]
pub(crate) fn project_one(stream: &[u32], panel: &[i32; PANEL], first: bool, sums: &mut [i32]) {
    for (row, sum) in rows(stream).zip(sums) {
        let start = if first { 0 } else { *sum };
        let surplus = (3 - row.surplus as i32).wrapping_mul(panel[0]);
        let (plus, minus) = (sum_list(row.plus, panel), sum_list(row.minus, panel));
        *sum = start.wrapping_add(surplus).wrapping_add(plus).wrapping_sub(minus);
    }
}

/// Σ of the listed inputs of one sample.
#[inline(always)]
fn sum_list(groups: &[u32], panel: &[i32; PANEL]) -> i32 {
    let mut sum = 0_i32;
    for group in groups {
        for input in group.to_le_bytes() {
            sum = sum.wrapping_add(panel[input as usize]);
        }
    }
    sum
}
