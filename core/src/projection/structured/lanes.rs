//! The structured W for a block of 32 samples, one in each 16-bit lane: transforms fused with what follows them.
//!
//! ```text
//! first passes   strides of 64 lines and more, up to three stages each; the first reads the samples with their signs
//! middle pass    strides 8, 16, 32 of 64 neighbours, which stay in L1
//! last pass      strides 1, 2, 4 of eight neighbours; their sums go straight from registers to the finish
//! ```
//!
//! 1. Eight lines of a part are eight registers, so every pass does three stages for one load and one store per line.
//! 2. The finish of features is a comparison: sums are never stored. D′ does not touch them either; where its sign is
//!    −1 they are compared with the mirrored thresholds, which lie beside the others in L1.
//! 3. Words of 64 lines are 65 lines apart, so that the lines of a pass do not fall into the same sets of the cache.
//!
//! What bounds it: for P = 512 a line, a feature of 32 samples, takes 9 stages, one sign and two comparisons. On AVX2
//! that is 18 additions, 2 XORs and 12 operations to compare and collect, 32 operations on three ports, 11 cycles. On
//! AVX-512 it is 12 operations on two ports (a comparison into a mask takes one of them on Intel, either on Zen 4), 6
//! cycles; the first pass reads its lines from L2 where 64 · P bytes exceed L1.

use core::ops::Range;

use crate::arch::{Lanes16, Simd};
use crate::projection::hadamard::{
    Finish, SignedWords, WORD_LINES, between_words, last_pass, middle_pass,
};

/// Distance between words in the work buffer.
const WORD_DISTANCE: usize = WORD_LINES + 1;

/// Lines of work for a transform of `size` lines.
pub(super) const fn work_lines(size: usize) -> usize {
    size / WORD_LINES * WORD_DISTANCE
}

/// The samples of a block, 64 lines at a time, and a sign per line: −1 or 0.
struct LaneWords<'a> {
    lines: &'a [[Lanes16; WORD_LINES]],
    flips: &'a [[i16; WORD_LINES]],
}

impl<'a, S: Simd> SignedWords<S> for LaneWords<'a> {
    type Word = (&'a [Lanes16; WORD_LINES], &'a [i16; WORD_LINES]);

    #[inline(always)]
    fn word(&self, index: usize) -> Option<Self::Word> {
        Some((self.lines.get(index)?, self.flips.get(index)?))
    }

    #[inline(always)]
    fn part(simd: S, (lines, flips): Self::Word, line: usize, part: usize) -> S::Part16 {
        simd.xor_part16(simd.splat_part16(flips[line]), simd.load_part16(&lines[line], part))
    }
}

/// H · (±(lines + ½)), the signs from `flips` (−1 or 0 per line). As many lines as `flips`, a power of two and at least
/// 64. The finish knows the words of sums as `words`, of which the last may be left out.
#[inline(always)]
pub(super) fn transform<S: Simd>(
    simd: S,
    lines: &[Lanes16],
    flips: &[i16],
    work: &mut [Lanes16],
    words: Range<usize>,
    finish: &mut impl Finish,
) {
    let size = flips.len();
    let from = LaneWords { lines: lines.as_chunks().0, flips: flips.as_chunks().0 };
    let (work, _) = work.as_chunks_mut::<WORD_DISTANCE>();
    let work = present!(work.get_mut(..size / WORD_LINES), else return);
    if let [work] = work {
        // A single word has no stages between words: the middle pass reads the samples itself.
        let from = present!(SignedWords::<S>::word(&from, 0), else return);
        middle_pass(
            simd,
            work,
            WORD_LINES,
            finish.before_transforms(words.start, WORD_LINES),
            #[inline(always)]
            |_, line, part| LaneWords::part(simd, from, line, part),
        );
        last_pass(simd, work, words.start, WORD_LINES, finish);
        return;
    }
    between_words(simd, &from, work, WORD_LINES);
    for (word, work) in words.zip(work) {
        middle_pass(
            simd,
            work,
            WORD_LINES,
            finish.before_transforms(word, WORD_LINES),
            #[inline(always)]
            |work, line, part| simd.load_part16(&work[line], part),
        );
        last_pass(simd, work, word, size, finish);
    }
}
