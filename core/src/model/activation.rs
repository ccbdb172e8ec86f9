//! σ on the sums of one sample, 32 at a time or one by one.

use crate::featurize::periodic::{Phases, TURNED, TURNED_BELOW, TURNED_BEYOND};

/// The signs of up to 32 numbers, from the last to the first: two shifts each.
struct Signs(u32);

impl Signs {
    fn new(word: u32, count: usize) -> Self {
        Self(word << ((32 - count as u32) & 31))
    }

    #[inline(always)]
    fn apply(&mut self, number: i32) -> i32 {
        let flip = self.0 as i32 >> 31;
        self.0 <<= 1;
        (number ^ flip).wrapping_sub(flip)
    }
}

/// Cuts for 16-bit sums of numbers that were divided by 2^shift: divided likewise, with the same rounding, and
/// saturated to ±32,767. Infinite ones stay as they are: nothing is below −2³¹ or above 2³¹ − 1, and everything is
/// above a second cut of −2³¹, which leaves two thresholds.
pub(super) fn narrow_cuts(cuts: [i32; 4], shift: i32) -> [i32; 4] {
    const MAX: i32 = i16::MAX as i32;
    let divide = |cut: i32| match shift >= 0 {
        true => cut >> shift,
        // Saturated before as well, so that nothing overflows.
        false => cut.clamp(-MAX, MAX) << -shift,
    };
    let below = |cut: i32| match cut {
        i32::MIN => cut,
        _ => -divide(-cut).clamp(-MAX, MAX),
    };
    let above = |cut: i32| match cut {
        i32::MAX => cut,
        _ => divide(cut).clamp(-MAX, MAX),
    };
    let [below_outer, above_inner, below_inner, above_outer] = cuts;
    let above_inner = if above_inner == i32::MIN { above_inner } else { above(above_inner) };
    [below(below_outer), above_inner, below(below_inner), above(above_outer)]
}

/// σ on integer sums.
pub(super) enum Activation {
    Bands(Bands),
    /// A periodic σ on sums without their phases.
    Angles(Angles),
    /// A periodic σ on sums that contain their phases; see [`add_phases`].
    Phased,
}

impl Activation {
    /// The bits of +1 and of −1 of the next sums, up to 32. Sums that are not angles change sign where a bit of `signs`
    /// is set.
    pub(super) fn trits<N: Copy + Into<i32>>(&mut self, sums: &[N], signs: u32) -> (u32, u32) {
        match self {
            Self::Bands(bands) => bands.trits(sums, signs),
            Self::Angles(angles) => angles.trits(sums),
            Self::Phased => trits_of_angles(sums.iter().map(|&sum| sum.into() as i16)),
        }
    }
}

/// σ by thresholds: each band is one subtraction and one unsigned comparison.
///
/// No sum reaches the ends of 32 bits, so the outer band may leave out the last.
pub(super) struct Bands {
    /// From here …
    outer: i32,
    /// … this many sums are not +1 …
    outer_width: u32,
    /// … and from here …
    inner: i32,
    /// … this many are −1.
    inner_width: u32,
}

impl Bands {
    pub(super) fn new([below_outer, above_inner, below_inner, above_outer]: [i32; 4]) -> Self {
        let end = above_outer.min(i32::MAX - 1);
        Self {
            outer: below_outer,
            // Bands that overlap leave nothing between them.
            outer_width: match below_outer > end {
                true => 0,
                false => (end.wrapping_sub(below_outer) as u32).wrapping_add(1),
            },
            inner: above_inner.wrapping_add(1),
            inner_width: (below_inner.wrapping_sub(above_inner) as u32).saturating_sub(1),
        }
    }

    /// The bits of +1 and of −1 of up to 32 sums, which change sign where a bit of `signs` is set.
    fn trits<N: Copy + Into<i32>>(&self, sums: &[N], signs: u32) -> (u32, u32) {
        let (mut plus, mut minus) = (0, 0);
        // The last sum first, so that both words grow by doubling.
        let mut signs = Signs::new(signs, sums.len());
        for &sum in sums.iter().rev() {
            let sum = signs.apply(sum.into());
            plus = plus << 1 | (sum.wrapping_sub(self.outer) as u32 >= self.outer_width) as u32;
            minus = minus << 1 | ((sum.wrapping_sub(self.inner) as u32) < self.inner_width) as u32;
        }
        (plus, minus)
    }
}

/// A periodic σ: sums are angles.
pub(super) struct Angles {
    phases: Phases,
    /// The feature of the next sum.
    next: usize,
    /// The phases of the 32 features that it belongs to, [`TURNED`].
    current: [i16; 32],
}

impl Angles {
    pub(super) fn new(seed: u64) -> Self {
        Self { phases: Phases::new(seed), next: 0, current: [0; 32] }
    }

    /// The phases of 32 features, each one a difference from an earlier one.
    fn refill(&mut self) {
        let [first, low @ .., high] = self.phases.steps(self.next / 64);
        let high = if self.next.is_multiple_of(64) { high } else { high.wrapping_neg() };
        let mut phase = first.wrapping_add(high).wrapping_add(TURNED);
        for step in low {
            phase = phase.wrapping_add(step);
        }
        self.current[0] = phase;
        for (k, step) in low.into_iter().enumerate() {
            let (done, next) = present!(self.current.split_at_mut_checked(1 << k), else return);
            for (next, done) in next.iter_mut().zip(done) {
                *next = done.wrapping_sub(step).wrapping_sub(step);
            }
        }
    }

    fn trits<N: Copy + Into<i32>>(&mut self, sums: &[N]) -> (u32, u32) {
        if self.next.is_multiple_of(32) {
            self.refill();
        }
        let start = self.next % 32;
        let phases = present!(self.current.get(start..start + sums.len()), else return (0, 0));
        self.next += sums.len();
        let angle = |(&sum, phase): (&N, &i16)| phase.wrapping_add(sum.into() as i16);
        trits_of_angles(sums.iter().zip(phases).map(angle))
    }
}

/// The bits of +1 and of −1 of up to 32 angles, which are [`TURNED`].
fn trits_of_angles(angles: impl DoubleEndedIterator<Item = i16>) -> (u32, u32) {
    let (mut plus, mut minus) = (0, 0);
    // The last angle first, so that both words grow by doubling.
    for angle in angles.rev() {
        plus = plus << 1 | ((angle as u32) < TURNED_BEYOND as u32) as u32;
        minus = minus << 1 | (angle < TURNED_BELOW) as u32;
    }
    (plus, minus)
}

/// Adds to the 64 numbers of a word what brings its phases into the sums of transforms of `size` numbers.
pub(super) fn add_phases(numbers: &mut [i16; 64], phases: Phases, word: usize, size: usize) {
    let [first, steps @ ..] = phases.steps(word);
    for (index, numbers) in numbers.chunks_mut(size).enumerate() {
        let start = index * size;
        // What the strides beyond a transform add to all of its sums goes into its first number.
        let mut phase = first.wrapping_add(TURNED);
        for (k, &step) in steps.iter().enumerate() {
            let stride = 1 << k;
            if let Some(number) = numbers.get_mut(stride) {
                *number = number.wrapping_add(step);
            } else if start & stride == 0 {
                phase = phase.wrapping_add(step);
            } else {
                phase = phase.wrapping_sub(step);
            }
        }
        if let Some(number) = numbers.first_mut() {
            *number = number.wrapping_add(phase);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cuts whose outer bands overlap make every sum +1; a band between them is narrow or empty.
    #[test]
    fn bands_that_overlap_are_plus_one() {
        let sums = [-3, -2, -1, 0, 1, 2, 3_i32];
        assert_eq!(Bands::new([2, 0, 0, 0]).trits(&sums, 0).0, 0b111_1111);
        assert_eq!(Bands::new([1, 0, 0, 0]).trits(&sums, 0).0, 0b111_1111);
        assert_eq!(Bands::new([0, 0, 0, 0]).trits(&sums, 0).0, 0b111_0111);
        let (plus, minus) = Bands::new([i32::MIN, i32::MIN, -1, 1]).trits(&sums, 0);
        assert_eq!((plus, minus), (0b110_0000, 0b000_0011));
    }
}
