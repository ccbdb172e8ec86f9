//! σ: the thresholds that turn a sum into a trit.

use crate::error::Error;

/// The two thresholds of σ, or the four of its even cousin, in the unit of the sums Σ±xₖ.
///
/// Two: σ(t) = −1 if t < lower, +1 if t > upper, else 0. Four, c₀ ≤ c₁ ≤ c₂ ≤ c₃: σ(t) = +1 if
/// t < c₀ or t > c₃, −1 if c₁ < t < c₂, else 0. All inequalities are strict.
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
    /// c₀ … c₃. Two thresholds are four whose first two are −∞.
    cuts: [f32; 4],
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
    pub const fn four(cuts: [f32; 4]) -> Result<Self, Error> {
        let mut k = 0;
        while k < 3 {
            let (lower, upper) = (cuts[k], cuts[k + 1]);
            if lower.is_nan() || upper.is_nan() || lower > upper {
                return Err(Error::ThresholdOrder { lower, upper });
            }
            k += 1;
        }
        Ok(Self { cuts, per_norm: false })
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

    /// The four thresholds c₀ … c₃; the first two are −∞ where there are only two.
    pub const fn cuts(&self) -> [f32; 4] {
        self.cuts
    }

    /// Whether the first two thresholds matter.
    pub(crate) fn are_four(&self) -> bool {
        self.cuts[1] != f32::NEG_INFINITY
    }

    /// σ(t), as defined.
    pub fn trit(&self, t: f32) -> i8 {
        let [c0, c1, c2, c3] = self.cuts;
        if t < c0 || t > c3 {
            1
        } else if t > c1 && t < c2 {
            -1
        } else {
            0
        }
    }

    /// The thresholds for one sample's integer sums.
    #[inline]
    pub(crate) fn cuts_for(&self, row: &[i16], unit: f32) -> Cuts {
        let factor = if self.per_norm {
            let mut squares = 0_u64;
            for &number in row {
                squares += (number as i32 * number as i32) as u64;
            }
            libm::sqrt(squares as f64)
        } else {
            unit as f64
        };
        self.cuts_at(factor)
    }

    /// The thresholds for one sample of packed bits.
    #[inline]
    pub(crate) fn cuts_for_bits(&self, bits: &[u64]) -> Cuts {
        let factor = if self.per_norm {
            let ones: u32 = bits.iter().map(|word| word.count_ones()).sum();
            libm::sqrt(ones as f64)
        } else {
            1.0
        };
        self.cuts_at(factor)
    }

    /// `t < c` means `sum < ⌈c · factor⌉` and `t > c` means `sum > ⌊c · factor⌋` for integer sums.
    /// The casts saturate, and no sum reaches the ends of the range.
    fn cuts_at(&self, factor: f64) -> Cuts {
        let scaled = self.cuts.map(|cut| {
            let cut = cut as f64;
            if cut.is_finite() { cut * factor } else { cut }
        });
        Cuts {
            below_outer: libm::ceil(scaled[0]) as i32,
            above_inner: libm::floor(scaled[1]) as i32,
            below_inner: libm::ceil(scaled[2]) as i32,
            above_outer: libm::floor(scaled[3]) as i32,
            four: self.are_four(),
        }
    }
}

/// The thresholds of one sample, for integer sums: the trit is +1 if `sum < below_outer` or
/// `sum > above_outer`, −1 if `above_inner < sum < below_inner`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cuts {
    pub(crate) below_outer: i32,
    pub(crate) above_inner: i32,
    pub(crate) below_inner: i32,
    pub(crate) above_outer: i32,
    /// Whether the first two matter.
    pub(crate) four: bool,
}
