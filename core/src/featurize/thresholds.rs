//! σ: the thresholds that turn a sum into a trit.

use super::activate::LaneCuts;
use super::periodic::{self, Phases};
use crate::error::Error;

/// The thresholds of σ in the unit of the sums Σ±xₖ: two, four, or periodic ones.
///
/// Two: σ(t) = −1 if t < lower, +1 if t > upper, else 0. Four, s₀ ≤ s₁ ≤ s₂ ≤ s₃: σ(t) = +1 if
/// t < s₀ or t > s₃, −1 if s₁ < t < s₂, else 0. All inequalities are strict. Periodic: a cosine as a trit, see
/// [`periodic`](crate::periodic).
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
    kind: Kind,
    per_norm: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// s₀ … s₃. Two thresholds are four whose first two are −∞.
    Bands([f32; 4]),
    Periodic {
        period: f32,
        phases: Phases,
    },
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
        Ok(Self { kind: Kind::Bands(values), per_norm: false })
    }

    /// A periodic σ: the cosine of 2πt / `period` plus a phase of each feature, as a trit: +1 above ½, −1 below −½.
    /// [`periodic`](crate::periodic) specifies it bit by bit.
    ///
    /// The seed is that of the phases; they differ from W also if W has the same.
    ///
    /// ```
    /// use ternion_core::Thresholds;
    ///
    /// let thresholds = Thresholds::periodic(4.0, 7)?;
    /// assert_eq!(thresholds.period(), Some(4.0));
    /// assert!(Thresholds::periodic(0.0, 7).is_err());
    /// # Ok::<(), ternion_core::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::PeriodOutOfRange`] unless the period is positive and finite.
    pub const fn periodic(period: f32, seed: u64) -> Result<Self, Error> {
        if !(period > 0.0 && period.is_finite()) {
            return Err(Error::PeriodOutOfRange { found: period });
        }
        Ok(Self { kind: Kind::Periodic { period, phases: Phases::new(seed) }, per_norm: false })
    }

    /// The same thresholds in units of each sample's own Euclidean norm: the features of the normalised sample, without
    /// dividing it. A sample of zeros, which has no direction, gets features of zeros; from a periodic σ, those of the
    /// angle 0.
    pub const fn per_norm(self) -> Self {
        Self { per_norm: true, ..self }
    }

    /// Whether the thresholds are in units of each sample's norm.
    pub const fn is_per_norm(&self) -> bool {
        self.per_norm
    }

    /// The four thresholds s₀ … s₃; the first two are −∞ where there are only two. `None` for a periodic σ.
    pub const fn values(&self) -> Option<[f32; 4]> {
        match self.kind {
            Kind::Bands(values) => Some(values),
            Kind::Periodic { .. } => None,
        }
    }

    /// The period of a periodic σ.
    pub const fn period(&self) -> Option<f32> {
        match self.kind {
            Kind::Bands(_) => None,
            Kind::Periodic { period, .. } => Some(period),
        }
    }

    /// The seed of the phases of a periodic σ.
    pub const fn phase_seed(&self) -> Option<u64> {
        match self.kind {
            Kind::Bands(_) => None,
            Kind::Periodic { phases, .. } => Some(phases.seed()),
        }
    }

    /// The phases of a periodic σ.
    pub(super) const fn phases(&self) -> Option<Phases> {
        match self.kind {
            Kind::Bands(_) => None,
            Kind::Periodic { phases, .. } => Some(phases),
        }
    }

    /// Whether there are four thresholds.
    pub(super) fn are_four(&self) -> bool {
        self.values().is_some_and(|values| values[1] != f32::NEG_INFINITY)
    }

    /// σ(t), as defined; for a periodic σ, that of a feature whose phase makes it +1 at 0: half a turn.
    ///
    /// ```
    /// use ternion_core::Thresholds;
    ///
    /// let cosine = Thresholds::periodic(1.0, 0)?;
    /// assert_eq!([0.0, 0.25, 0.5, 1.0].map(|t| cosine.trit(t)), [1, 0, -1, 1]);
    /// # Ok::<(), ternion_core::Error>(())
    /// ```
    pub fn trit(&self, t: f32) -> i8 {
        match self.kind {
            Kind::Bands([s0, s1, s2, s3]) => {
                if t < s0 || t > s3 {
                    1
                } else if t > s1 && t < s2 {
                    -1
                } else {
                    0
                }
            }
            Kind::Periodic { period, .. } => {
                let turns = t as f64 / period as f64;
                let from_whole = (turns - libm::rint(turns)).abs();
                (from_whole < 1.0 / 6.0) as i8 - (from_whole > 1.0 / 3.0) as i8
            }
        }
    }

    /// The cuts for the integer sums of one sample, in 16 bits if its numbers were shifted; or the factor F of a
    /// periodic σ.
    #[inline]
    pub(super) fn sigma_for(&self, row: &[i16], unit: f32, shift: Option<i32>) -> SampleSigma {
        let unit = if self.per_norm {
            let mut squares = 0_u64;
            for &number in row {
                squares += (number as i32 * number as i32) as u64;
            }
            libm::sqrt(squares as f64)
        } else {
            unit as f64
        };
        self.sigma(unit, shift)
    }

    /// The same for one sample of packed bits.
    #[inline]
    pub(super) fn sigma_for_bits(&self, bits: &[u64]) -> SampleSigma {
        let unit = if self.per_norm {
            let ones: u32 = bits.iter().map(|word| word.count_ones()).sum();
            libm::sqrt(ones as f64)
        } else {
            1.0
        };
        self.sigma(unit, None)
    }

    /// σ for integers that are `unit` times the numbers in which the thresholds are given: the one place where real
    /// thresholds become integers.
    #[doc(hidden)]
    pub fn sigma(&self, unit: f64, shift: Option<i32>) -> SampleSigma {
        match self.kind {
            Kind::Bands(values) => SampleSigma::Bands(match shift {
                _ if self.per_norm && unit == 0.0 => Cuts::NEVER,
                Some(shift) => Cuts::narrow(values, libm::ldexp(unit, -shift)),
                None => Cuts::new(values, unit),
            }),
            Kind::Periodic { period, phases } => {
                let factor = periodic::factor(period as f64 * unit);
                let factor = shift.map_or(factor, |s| periodic::rotated_factor(factor, s));
                SampleSigma::Periodic { phases, factor }
            }
        }
    }
}

/// σ for the sums of one sample.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum SampleSigma {
    /// Cuts of the sums.
    Bands(Cuts),
    /// Phases to add, and the factor F, or G.
    Periodic { phases: Phases, factor: u32 },
}

/// σ for the sums of a block of samples.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum BlockSigma<'a> {
    /// Cuts of the sums of every sample, and whether there are four.
    Bands { cuts: &'a LaneCuts, four: bool },
    /// Phases to add to the sums.
    Periodic(Phases),
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

    /// The cuts for sums that are `factor` times the thresholds' unit. The casts saturate, and no sum reaches the ends
    /// of the range.
    fn new(values: [f32; 4], factor: f64) -> Self {
        let mut scaled = [0.0; 4];
        for (scaled, value) in scaled.iter_mut().zip(values) {
            let value = value as f64;
            *scaled = if value.is_finite() { value * factor } else { value };
        }
        Self {
            below_outer: libm::ceil(scaled[0]) as i32,
            above_inner: libm::floor(scaled[1]) as i32,
            below_inner: libm::ceil(scaled[2]) as i32,
            above_outer: libm::floor(scaled[3]) as i32,
            four: values[1] != f32::NEG_INFINITY,
        }
    }

    /// The cuts for 16-bit sums, saturated to ±32,767; a threshold that no sum is beyond because it is infinite stays
    /// so.
    fn narrow(values: [f32; 4], factor: f64) -> Self {
        let [s0, s1, s2, s3] = values;
        let narrow = |cut: f64| cut.clamp(-32_767.0, 32_767.0) as i32;
        let below = |s: f32| match s {
            f32::NEG_INFINITY => i32::MIN,
            _ => narrow(libm::ceil(s as f64 * factor)),
        };
        let above = |s: f32| match s {
            f32::INFINITY => i32::MAX,
            _ => narrow(libm::floor(s as f64 * factor)),
        };
        Self {
            below_outer: below(s0),
            above_inner: above(s1),
            below_inner: below(s2),
            above_outer: above(s3),
            four: s1 != f32::NEG_INFINITY,
        }
    }
}
