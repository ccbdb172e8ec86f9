//! σ on the sums of one sample, 32 at a time or one by one.

use super::format::ModelSigma;
use crate::featurize::periodic::{Phases, TURNED, TURNED_BELOW, TURNED_BEYOND};
use crate::projection::local::WORD_FEATURES;

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
    /// A periodic σ on sums that contain their phases.
    Phased,
}

impl Activation {
    /// σ on sums as they are, with their phases if it is periodic.
    pub(super) fn new(sigma: ModelSigma) -> Self {
        match sigma {
            ModelSigma::Bands(cuts) => Self::Bands(Bands::new(cuts)),
            ModelSigma::Periodic { .. } => Self::Phased,
        }
    }

    /// The bits of +1 and of −1 of up to 32 sums. Those that are not angles change sign where a bit of `signs` is set.
    pub(super) fn trits<N: Copy + Into<i32>>(&self, sums: &[N], signs: u32) -> (u32, u32) {
        match self {
            Self::Bands(bands) => bands.trits(sums, signs),
            Self::Phased => trits_of_angles(sums),
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

/// The bits of +1 and of −1 of up to 32 angles, which are [`TURNED`].
fn trits_of_angles<N: Copy + Into<i32>>(angles: &[N]) -> (u32, u32) {
    let (mut plus, mut minus) = (0, 0);
    // The last angle first, so that both words grow by doubling.
    for &angle in angles.iter().rev() {
        let angle = angle.into() as i16;
        plus = plus << 1 | ((angle as u32) < TURNED_BEYOND as u32) as u32;
        minus = minus << 1 | (angle < TURNED_BELOW) as u32;
    }
    (plus, minus)
}

/// The phases of all features in turn, [`TURNED`], each one made of the one before.
pub(super) struct PhaseWalk {
    phases: Phases,
    /// The feature that is next.
    next: usize,
    /// β₁ … β₆ of its word.
    steps: [i16; 6],
    /// The phase of the feature before, if they share a word.
    phase: i16,
}

impl PhaseWalk {
    pub(super) fn new(seed: u64) -> Self {
        Self { phases: Phases::new(seed), next: 0, steps: [0; 6], phase: 0 }
    }

    /// The phase of the next feature.
    pub(super) fn step(&mut self) -> i16 {
        let mut bits = self.next % WORD_FEATURES;
        if bits == 0 {
            let [first, steps @ ..] = self.phases.steps(self.next / WORD_FEATURES);
            self.steps = steps;
            self.phase =
                steps.iter().fold(first.wrapping_add(TURNED), |sum, &step| sum.wrapping_add(step));
        }
        self.next += 1;
        // Of the feature's number the lowest set bit was clear before, and those below it were set.
        for &step in &self.steps {
            if bits == 0 {
                break;
            }
            let change = step.wrapping_add(step);
            if bits & 1 == 1 {
                self.phase = self.phase.wrapping_sub(change);
                break;
            }
            self.phase = self.phase.wrapping_add(change);
            bits >>= 1;
        }
        self.phase
    }
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
