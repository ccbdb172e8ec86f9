//! The one rule by which `f32` samples become integers.
//!
//! Features come from exact integer sums, so that every kernel on every target gives the same bits.
//! For that a sample of floats is first turned into 16-bit integers, by a rule that no kernel may
//! change. All operations are IEEE single precision, rounded to nearest, in the order given:
//!
//! 1. yₖ = (xₖ − meanₖ) · scaleₖ, the mean or the scale left out where there is none.
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
//! makes lookup tables of 16-bit sums safe. The rounding noise of a whole projection is some
//! 4·10⁻⁴ of its spread whatever the number of inputs: about one trit in 4,000 differs from exact
//! real arithmetic, far below the noise of random features.

/// Inputs whose absolute values are bounded together.
pub const BLOCK: usize = 64;

/// What the largest block sum becomes: 32767 less the rounding of 64 numbers, with some to spare.
const TARGET: f32 = 32_700.0;

/// The largest unit, for samples too small to have a finite one: 2¹²⁶.
const MAX_UNIT: f32 = f32::from_bits(0x7E80_0000);

/// 1.5 · 2²³: a float at this size has its last bit at one, so that adding it rounds to an integer.
const ROUNDER: f32 = 12_582_912.0;

/// Partial sums of a block: as wide as the widest vector register.
const PARTS: usize = 16;

/// One sample as the caller has it, with what is to be done to it first.
#[derive(Clone, Copy)]
pub(crate) struct Raw<'a> {
    pub(crate) numbers: &'a [f32],
    pub(crate) mean: Option<&'a [f32]>,
    pub(crate) scale: Option<&'a [f32]>,
}

impl Raw<'_> {
    /// y over the block that starts at `start`, padded with zeros.
    #[inline(always)]
    fn block(&self, start: usize) -> [f32; BLOCK] {
        let mut y = [0.0; BLOCK];
        let end = self.numbers.len().min(start + BLOCK);
        y[..end - start].copy_from_slice(&self.numbers[start..end]);
        if let Some(mean) = self.mean {
            for (y, mean) in y.iter_mut().zip(&mean[start..end]) {
                *y -= mean;
            }
        }
        if let Some(scale) = self.scale {
            for (y, scale) in y.iter_mut().zip(&scale[start..end]) {
                *y *= scale;
            }
        }
        y
    }

    /// L, the largest block sum; NaN or infinite if a number is.
    #[inline(always)]
    fn largest_block(&self) -> f32 {
        let mut largest = 0;
        for start in (0..self.numbers.len()).step_by(BLOCK) {
            let y = self.block(start);
            let mut parts = [0.0; PARTS];
            for j in 0..PARTS {
                parts[j] = y[j].abs() + y[j + 16].abs() + y[j + 32].abs() + y[j + 48].abs();
            }
            for half in [8, 4, 2, 1] {
                for j in 0..half {
                    parts[j] += parts[j + half];
                }
            }
            // Bit patterns of non-negative floats are ordered like the floats, infinity and NaN
            // last: an integer maximum keeps what a float maximum would drop.
            largest = largest.max(parts[0].abs().to_bits());
        }
        f32::from_bits(largest)
    }

    /// Whether the sample can be quantised.
    pub(crate) fn is_finite(&self) -> bool {
        self.largest_block().is_finite()
    }

    /// The first number to blame when [`is_finite`](Self::is_finite) says no: the first that is not
    /// finite after centring and scaling, or the largest when only their sum overflows.
    #[cold]
    pub(crate) fn first_not_finite(&self) -> usize {
        let mut largest = (0, 0.0);
        for start in (0..self.numbers.len()).step_by(BLOCK) {
            for (k, y) in self.block(start).into_iter().enumerate() {
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
        for start in (0..self.numbers.len()).step_by(BLOCK) {
            let y = self.block(start);
            let mut q = [0; BLOCK];
            for (q, y) in q.iter_mut().zip(y) {
                *q = (y * unit + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits()) as i16;
            }
            let end = self.numbers.len().min(start + BLOCK);
            row[start..end].copy_from_slice(&q[..end - start]);
        }
        unit
    }
}
