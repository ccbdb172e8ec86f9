//! The one rule by which `f32` samples become integers.
//!
//! Features come from exact integer sums, so that every kernel on every target gives the same bits.
//! A sample of floats is therefore first turned into 16-bit integers, by a rule that no kernel may
//! change. All operations are IEEE single precision, rounded to nearest, in the order given:
//!
//! 1. yₖ = (xₖ − meanₖ) · scaleₖ, without the mean or the scale where there is none.
//! 2. For every aligned block of 64 inputs, its absolute sum. Inputs beyond the last count as zero.
//!    Sixteen partial sums come first, pⱼ = ((|yⱼ| + |yⱼ₊₁₆|) + |yⱼ₊₃₂|) + |yⱼ₊₄₈|; then
//!    pⱼ += pⱼ₊₈ for j < 8, pⱼ += pⱼ₊₄ for j < 4, pⱼ += pⱼ₊₂ for j < 2, and the sum is p₀ + p₁.
//! 3. L is the largest block sum; the unit is u = min(32700 / L, 2¹²⁶).
//! 4. qₖ = yₖ · u, rounded to the nearest integer, halves to even.
//!
//! A sample whose L is NaN or infinite is refused.
//!
//! Rounding moves a block sum by at most 32 and the float sum is exact to a millionth, so
//! Σ|qₖ| ≤ 32767 over every block: any partial sum ±q of a block fits in 16 bits, which is what
//! makes lookup tables of 16-bit sums safe. Where the blocks of a sample are of similar size, the
//! rounding noise of a projection is some 4·10⁻⁴ of its spread whatever the number of inputs: about
//! one trit in 4,000 differs from exact real arithmetic, far below the noise of random features. A
//! single block that holds nearly all of a sample makes it 7·10⁻⁵ · √p at most, 0.2 % for 784 inputs.

/// Inputs whose absolute values are bounded together.
pub const BLOCK_INPUTS: usize = 64;

/// What the largest block sum becomes: 32767 less the rounding of 64 numbers, with some to spare.
const TARGET: f32 = 32_700.0;

/// The largest unit, for samples too small to have a finite one: 2¹²⁶.
const MAX_UNIT: f32 = f32::from_bits(0x7E80_0000);

/// 1.5 · 2²³: a float at this size has its last bit at one, so that adding it rounds to an integer.
const ROUNDER: f32 = 12_582_912.0;

/// Numbers that go through the rule side by side: four such parts make a block. Plain arrays and loops
/// over them become the vectors of whatever ISA they are compiled for.
const PART: usize = 16;
type Part = [f32; PART];

/// One sample as the caller has it, with the mean and the scale to apply first.
#[derive(Clone, Copy)]
pub(crate) struct RawSample<'a> {
    pub(crate) numbers: &'a [f32],
    pub(crate) mean: Option<&'a [f32]>,
    pub(crate) scale: Option<&'a [f32]>,
}

impl RawSample<'_> {
    /// y from input `start` on, zero beyond the last.
    #[inline(always)]
    fn part(&self, start: usize) -> Part {
        let mut last = [0.0; PART];
        let mut y = *part_of(self.numbers, start, &mut last);
        if let Some(mean) = self.mean {
            let mean = part_of(mean, start, &mut last);
            for k in 0..PART {
                y[k] -= mean[k];
            }
        }
        if let Some(scale) = self.scale {
            let scale = part_of(scale, start, &mut last);
            for k in 0..PART {
                y[k] *= scale[k];
            }
        }
        y
    }

    /// L, the largest block sum; NaN or infinite if a number is.
    #[inline(always)]
    fn largest_block(&self) -> f32 {
        let end = self.numbers.len();
        let last = end / BLOCK_INPUTS * BLOCK_INPUTS;
        let mut largest = self.block_sum((last..end).step_by(PART));
        for start in (0..last).step_by(BLOCK_INPUTS) {
            let parts = [start, start + PART, start + 2 * PART, start + 3 * PART];
            largest = largest.max(self.block_sum(parts.into_iter()));
        }
        f32::from_bits(largest)
    }

    /// The bits of the absolute sum of some parts. Bit patterns of non-negative floats are ordered like
    /// the floats, infinity and NaN last: an integer maximum keeps what a float maximum would drop.
    #[inline(always)]
    fn block_sum(&self, parts: impl Iterator<Item = usize>) -> u32 {
        let mut p = [0.0; PART];
        for start in parts {
            add_absolute(&mut p, &self.part(start));
        }
        let eight: [f32; 8] = halve(&p);
        let four: [f32; 4] = halve(&eight);
        let [even, odd] = halve(&four);
        (even + odd).abs().to_bits()
    }

    /// Whether the sample can be quantised.
    #[inline(always)]
    pub(crate) fn is_finite(&self) -> bool {
        // If the sum of all is well below the largest float, that of every block is finite, in any
        // order of summation. It nearly always is.
        let mut all = [0.0; PART];
        for start in (0..self.numbers.len()).step_by(PART) {
            add_absolute(&mut all, &self.part(start));
        }
        all.iter().sum::<f32>() < f32::MAX / 2.0 || self.largest_block().is_finite()
    }

    /// The first number to blame when [`is_finite`](Self::is_finite) says no: the first that is not
    /// finite after centring and scaling, or the largest when only their sum overflows.
    #[cold]
    pub(crate) fn first_not_finite(&self) -> usize {
        let mut largest = (0, 0.0);
        for start in (0..self.numbers.len()).step_by(PART) {
            for (k, y) in self.part(start).into_iter().enumerate() {
                if !y.is_finite() {
                    return start + k;
                }
                if y.abs() > largest.1 {
                    largest = (start + k, y.abs());
                }
            }
        }
        largest.0
    }

    /// Writes q into the first elements of `row` and returns the unit.
    #[inline(always)]
    pub(crate) fn quantize(&self, row: &mut [i16]) -> f32 {
        let unit = (TARGET / self.largest_block()).min(MAX_UNIT);
        for (start, row) in (0..self.numbers.len()).step_by(PART).zip(row.chunks_mut(PART)) {
            let (y, mut q) = (self.part(start), [0; PART]);
            for k in 0..PART {
                // The numbers fit: nothing is cut off.
                let rounded = (y[k] * unit + ROUNDER).to_bits();
                q[k] = rounded.wrapping_sub(ROUNDER.to_bits()) as i16;
            }
            match row.first_chunk_mut::<PART>() {
                Some(whole) => *whole = q,
                None => row.iter_mut().zip(q).for_each(|(to, q)| *to = q),
            }
        }
        unit
    }
}

/// Adds absolute values.
#[inline(always)]
fn add_absolute(sums: &mut Part, part: &Part) {
    for k in 0..PART {
        sums[k] += part[k].abs();
    }
}

/// Adds the second half of some numbers to the first.
#[inline(always)]
fn halve<const N: usize>(p: &[f32]) -> [f32; N] {
    let mut sums = [0.0; N];
    for ((sum, first), second) in sums.iter_mut().zip(p).zip(&p[N..]) {
        *sum = first + second;
    }
    sums
}

/// Sixteen numbers from `start` on, where they are; the last of them in `last`, with zeros behind.
#[inline(always)]
fn part_of<'a>(numbers: &'a [f32], start: usize, last: &'a mut Part) -> &'a Part {
    let rest = numbers.get(start..).unwrap_or_default();
    match rest.first_chunk() {
        Some(whole) => whole,
        None => {
            pad(rest, last);
            last
        }
    }
}

/// Fewer than sixteen numbers into zeros. Out of the way of the loops.
#[cold]
#[inline(never)]
fn pad(rest: &[f32], to: &mut Part) {
    to.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
}
