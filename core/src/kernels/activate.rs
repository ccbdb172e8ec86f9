//! σ and packing: sums to planes, 64 features at a time.

use crate::arch::{LANES, Lanes32};
use crate::thresholds::Cuts;
use crate::trits::Word;

/// The trits of up to 64 sums of one sample.
#[inline(always)]
pub(crate) fn pack_one(sums: &[i32], cuts: &Cuts) -> Word {
    let mut plus = 0;
    let mut minus = 0;
    for (bit, &sum) in sums.iter().enumerate() {
        plus |= ((sum > cuts.above_outer || sum < cuts.below_outer) as u64) << bit;
        minus |= ((sum < cuts.below_inner && sum > cuts.above_inner) as u64) << bit;
    }
    Word { sign: minus, mask: plus | minus }
}

/// The thresholds of a block of samples, one of each in every lane.
#[derive(Clone, Copy)]
pub(crate) struct LaneCuts {
    below_outer: Lanes32,
    above_inner: Lanes32,
    below_inner: Lanes32,
    above_outer: Lanes32,
    four: bool,
}

impl LaneCuts {
    /// Thresholds that give zeros whatever the sums.
    pub(crate) const NONE: Self = Self {
        below_outer: Lanes32([i32::MIN; LANES]),
        above_inner: Lanes32([i32::MAX; LANES]),
        below_inner: Lanes32([i32::MIN; LANES]),
        above_outer: Lanes32([i32::MAX; LANES]),
        four: false,
    };

    /// Sets one sample's.
    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, cuts: &Cuts) {
        self.below_outer.0[lane] = cuts.below_outer;
        self.above_inner.0[lane] = cuts.above_inner;
        self.below_inner.0[lane] = cuts.below_inner;
        self.above_outer.0[lane] = cuts.above_outer;
        self.four |= cuts.four;
    }
}

/// The trits of up to 64 sums of every sample of a block.
///
/// Each sample's word is built by shifting in one comparison a feature, so that no bits need to be
/// transposed: three operations a plane, vector-wide.
#[inline(always)]
pub(crate) fn pack_lanes(sums: &[Lanes32], cuts: &LaneCuts) -> [Word; LANES] {
    let mut words = [Word::default(); LANES];
    for (half, sums) in sums.chunks(32).enumerate() {
        let (plus, minus) =
            if cuts.four { pack_half::<true>(sums, cuts) } else { pack_half::<false>(sums, cuts) };
        // Fewer than 32 features leave the first of them too high.
        let down = 32 - sums.len();
        for (word, (plus, minus)) in words.iter_mut().zip(plus.into_iter().zip(minus)) {
            word.sign |= (minus as u64 >> down) << (32 * half);
            word.mask |= ((plus | minus) as u64 >> down) << (32 * half);
        }
    }
    words
}

/// Up to 32 features: the bits of +1 and of −1, the last feature at the top.
#[inline(always)]
fn pack_half<const FOUR: bool>(sums: &[Lanes32], cuts: &LaneCuts) -> ([u32; LANES], [u32; LANES]) {
    let mut plus = [0; LANES];
    let mut minus = [0; LANES];
    for sum in sums {
        for lane in 0..LANES {
            let sum = sum.0[lane];
            let mut above = sum > cuts.above_outer.0[lane];
            let mut below = sum < cuts.below_inner.0[lane];
            if FOUR {
                above |= sum < cuts.below_outer.0[lane];
                below &= sum > cuts.above_inner.0[lane];
            }
            plus[lane] = plus[lane] >> 1 | (above as u32) << 31;
            minus[lane] = minus[lane] >> 1 | (below as u32) << 31;
        }
    }
    (plus, minus)
}
