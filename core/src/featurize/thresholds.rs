//! σ: the thresholds that turn a sum into a trit.

use crate::error::Error;

/// The thresholds of σ in the unit of the sums Σ±xₖ: two, or four.
///
/// Two: σ(t) = −1 if t < lower, +1 if t > upper, else 0. Four, s₀ ≤ s₁ ≤ s₂ ≤ s₃: σ(t) = +1 if
/// t < s₀ or t > s₃, −1 if s₁ < t < s₂, else 0. All inequalities are strict.
///
/// For a sample whose integers are u times its numbers the thresholds become integers, the *cuts*: t < s is
/// sum < ⌈s·u⌉, and t > s is sum > ⌊s·u⌋. Forms whose sums have 16 bits have cuts of 16 bits: see
/// [`structured`](crate::projection::structured).
///
/// Weights are trits here: for weights of unit variance, ±(1−ε)^(−1/2), multiply the thresholds by
/// √(1−ε). For samples scaled by c, divide them by c.
///
/// ```
/// use ternion_core::Thresholds;
///
/// let thresholds = Thresholds::two(-0.6, 0.6)?;
/// assert_eq!([-2.0, 0.0, 0.7].map(|t| thresholds.trit(t)), [-1, 0, 1]);
/// assert!(Thresholds::two(0.5, -0.5).is_err());
/// # Ok::<(), ternion_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// s₀ … s₃. Two thresholds are four whose first two are −∞.
    values: [f32; 4],
    per_norm: bool,
}

impl Thresholds {
    /// σ with two thresholds; infinite ones make it one-sided.
    ///
    /// # Errors
    ///
    /// [`Error::ThresholdOrder`] if they do not ascend or are NaN.
    pub const fn two(lower: f32, upper: f32) -> Result<Self, Error> {
        if lower.is_nan() || upper.is_nan() || lower > upper {
            return Err(Error::ThresholdOrder { lower, upper });
        }
        Self::four([f32::NEG_INFINITY, f32::NEG_INFINITY, lower, upper])
    }

    /// σ with four thresholds, ascending.
    ///
    /// # Errors
    ///
    /// [`Error::ThresholdOrder`] if they do not ascend or one is NaN.
    pub const fn four(values: [f32; 4]) -> Result<Self, Error> {
        let mut k = 0;
        while k < 3 {
            let (lower, upper) = (values[k], values[k + 1]);
            if lower.is_nan() || upper.is_nan() || lower > upper {
                return Err(Error::ThresholdOrder { lower, upper });
            }
            k += 1;
        }
        Ok(Self { values, per_norm: false })
    }

    /// The same thresholds in units of each sample's own Euclidean norm: the features of the
    /// normalised sample, without dividing it. A sample of zeros, which has no direction, gets
    /// features of zeros.
    pub const fn per_norm(self) -> Self {
        Self { per_norm: true, ..self }
    }

    /// Whether the thresholds are in units of each sample's norm.
    pub const fn is_per_norm(&self) -> bool {
        self.per_norm
    }

    /// The four thresholds s₀ … s₃; the first two are −∞ where there are only two.
    pub const fn values(&self) -> [f32; 4] {
        self.values
    }

    /// Whether the first two thresholds matter.
    pub(super) fn are_four(&self) -> bool {
        self.values[1] != f32::NEG_INFINITY
    }

    /// σ(t), as defined.
    pub fn trit(&self, t: f32) -> i8 {
        let [s0, s1, s2, s3] = self.values;
        if t < s0 || t > s3 {
            1
        } else if t > s1 && t < s2 {
            -1
        } else {
            0
        }
    }

    /// The cuts for the integer sums of one sample, in 16 bits if its numbers were shifted.
    #[inline]
    pub(super) fn cuts_for(&self, row: &[i16], unit: f32, shift: Option<i32>) -> Cuts {
        let factor = if self.per_norm {
            let mut squares = 0_u64;
            for &number in row {
                squares += (number as i32 * number as i32) as u64;
            }
            libm::sqrt(squares as f64)
        } else {
            unit as f64
        };
        if self.per_norm && factor == 0.0 {
            return Cuts::NEVER;
        }
        match shift {
            Some(shift) => self.narrow_cuts(libm::ldexp(factor, -shift)),
            None => self.cuts(factor),
        }
    }

    /// The cuts for one sample of packed bits.
    #[inline]
    pub(super) fn cuts_for_bits(&self, bits: &[u64]) -> Cuts {
        let factor = if self.per_norm {
            let ones: u32 = bits.iter().map(|word| word.count_ones()).sum();
            if ones == 0 {
                return Cuts::NEVER;
            }
            libm::sqrt(ones as f64)
        } else {
            1.0
        };
        self.cuts(factor)
    }

    /// The cuts for sums that are `factor` times the thresholds' unit: the one place where real thresholds become
    /// integers. The casts saturate, and no sum reaches the ends of the range.
    #[doc(hidden)]
    pub fn cuts(&self, factor: f64) -> Cuts {
        let mut scaled = [0.0; 4];
        for (scaled, value) in scaled.iter_mut().zip(self.values) {
            let value = value as f64;
            *scaled = if value.is_finite() { value * factor } else { value };
        }
        Cuts {
            below_outer: libm::ceil(scaled[0]) as i32,
            above_inner: libm::floor(scaled[1]) as i32,
            below_inner: libm::ceil(scaled[2]) as i32,
            above_outer: libm::floor(scaled[3]) as i32,
            four: self.are_four(),
        }
    }

    /// The cuts for 16-bit sums, saturated to ±32,767; a threshold that no sum is beyond because it is infinite stays so.
    fn narrow_cuts(&self, factor: f64) -> Cuts {
        let [s0, s1, s2, s3] = self.values;
        let narrow = |cut: f64| cut.clamp(-32_767.0, 32_767.0) as i32;
        let below = |s: f32| match s {
            f32::NEG_INFINITY => i32::MIN,
            _ => narrow(libm::ceil(s as f64 * factor)),
        };
        let above = |s: f32| match s {
            f32::INFINITY => i32::MAX,
            _ => narrow(libm::floor(s as f64 * factor)),
        };
        Cuts {
            below_outer: below(s0),
            above_inner: above(s1),
            below_inner: below(s2),
            above_outer: above(s3),
            four: self.are_four(),
        }
    }
}

/// The thresholds as integers: the trit is +1 if `sum < below_outer` or `sum > above_outer`, −1 if
/// `above_inner < sum < below_inner`.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Cuts {
    /// Sums below it are +1.
    pub below_outer: i32,
    /// Sums above it …
    pub above_inner: i32,
    /// … and below it are −1.
    pub below_inner: i32,
    /// Sums above it are +1.
    pub above_outer: i32,
    /// Whether the first two matter.
    pub(crate) four: bool,
}

impl Cuts {
    /// No sum is beyond any of them.
    const NEVER: Self = Self {
        below_outer: i32::MIN,
        above_inner: i32::MAX,
        below_inner: i32::MIN,
        above_outer: i32::MAX,
        four: true,
    };
}
