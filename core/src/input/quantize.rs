//! The one rule by which `f32` samples become integers.
//!
//! Features come from exact integer sums, so that every kernel on every target gives the same bits.
//! A sample of floats is therefore first turned into 16-bit integers, by a rule that no kernel may
//! change. All operations are IEEE single precision, rounded to nearest, in the order given:
//!
//! 1. yₖ = (xₖ − meanₖ) · scaleₖ, without the mean or the scale where there is none.
//! 2. For every aligned span of 64 inputs, its absolute sum. Inputs beyond the last count as zero.
//!    Sixteen partial sums come first, pⱼ = ((|yⱼ| + |yⱼ₊₁₆|) + |yⱼ₊₃₂|) + |yⱼ₊₄₈|; then
//!    pⱼ += pⱼ₊₈ for j < 8, pⱼ += pⱼ₊₄ for j < 4, pⱼ += pⱼ₊₂ for j < 2, and the sum is p₀ + p₁.
//! 3. L is the largest of these sums; the unit is u = min(32700 / L, 2¹²⁶).
//! 4. qₖ = yₖ · u, rounded to the nearest integer, halves to even.
//!
//! A sample whose L is NaN or infinite is refused.
//!
//! Rounding moves such a sum by at most 32 and the float sum is exact to a millionth, so
//! Σ|qₖ| ≤ 32767 over every span: any partial sum ±q of a span fits in 16 bits, which is what
//! makes lookup tables of 16-bit sums safe. Where the spans of a sample are of similar size, the
//! rounding noise of a projection is some 4·10⁻⁴ of its spread whatever the number of inputs: about
//! one trit in 4,000 differs from exact real arithmetic, far below the noise of random features. A
//! single span that holds nearly all of a sample makes it 7·10⁻⁵ · √p at most, 0.2 % for 784 inputs.

/// Inputs whose absolute values are bounded together.
pub const SPAN_INPUTS: usize = 64;

/// What the largest sum of a span becomes: 32767 less the rounding of 64 numbers, with some to spare.
const TARGET: f32 = 32_700.0;

/// The largest unit, for samples too small to have a finite one: 2¹²⁶.
const MAX_UNIT: f32 = f32::from_bits(0x7E80_0000);

/// 1.5 · 2²³: a float at this size has its last bit at one, so that adding it rounds to an integer.
const ROUNDER: f32 = 12_582_912.0;

/// Numbers that go through the rule side by side: four such parts make a span. Plain arrays and loops
/// over them become the vectors of whatever ISA they are compiled for.
const PART: usize = 16;
type Part = [f32; PART];

/// Parts of a span.
const SPAN_PARTS: usize = SPAN_INPUTS / PART;

/// One sample as the caller has it, with the mean and the scale to apply first.
#[derive(Clone, Copy)]
pub(crate) struct RawSample<'a> {
    pub(crate) numbers: &'a [f32],
    pub(crate) mean: Option<&'a [f32]>,
    pub(crate) scale: Option<&'a [f32]>,
}

/// A sample in parts: the whole ones where they are, the numbers behind them as y with zeros behind. Split once, so that
/// the loops over the whole parts have no branch for the last.
struct Parts<'a> {
    numbers: &'a [Part],
    mean: Option<&'a [Part]>,
    scale: Option<&'a [Part]>,
    last: Part,
}

impl<'a> RawSample<'a> {
    #[inline(always)]
    fn parts(&self) -> Parts<'a> {
        let (numbers, rest) = self.numbers.as_chunks::<PART>();
        let mut last = [0.0; PART];
        copy_few(rest, &mut last);
        let split = |numbers: &'a [f32], few: &mut Part| {
            let (whole, rest) = numbers.as_chunks::<PART>();
            copy_few(rest, few);
            whole
        };
        let (mut mean_last, mut scale_last) = ([0.0; PART], [0.0; PART]);
        let mean = self.mean.map(
            #[inline(always)]
            |mean| split(mean, &mut mean_last),
        );
        let scale = self.scale.map(
            #[inline(always)]
            |scale| split(scale, &mut scale_last),
        );
        apply(&mut last, mean.map(|_| &mean_last), scale.map(|_| &scale_last));
        Parts { numbers, mean, scale, last }
    }

    /// Whether the sample can be quantised.
    #[inline(always)]
    pub(crate) fn is_finite(&self) -> bool {
        let parts = self.parts();
        // If the sum of all is well below the largest float, that of every span is finite, in any
        // order of summation. It nearly always is.
        let mut all = [0.0; PART];
        add_absolute(&mut all, &parts.last);
        for index in 0..parts.numbers.len() {
            add_absolute(&mut all, &parts.y(index));
        }
        all.iter().sum::<f32>() < f32::MAX / 2.0 || parts.largest_span().is_finite()
    }

    /// The first number to blame when [`is_finite`](Self::is_finite) says no: the first that is not
    /// finite after centring and scaling, or the largest when only their sum overflows.
    #[cold]
    pub(crate) fn first_not_finite(&self) -> usize {
        let parts = self.parts();
        let mut largest = (0, 0.0);
        for index in 0..=parts.numbers.len() {
            for (k, y) in parts.y(index).into_iter().enumerate() {
                let input = index * PART + k;
                if !y.is_finite() {
                    return input;
                }
                if y.abs() > largest.1 {
                    largest = (input, y.abs());
                }
            }
        }
        largest.0
    }

    /// Writes q into `row`, which has one element per input, and returns the unit.
    #[inline(always)]
    pub(crate) fn quantize(&self, row: &mut [i16]) -> f32 {
        debug_assert_eq!(row.len(), self.numbers.len());
        let parts = self.parts();
        let unit = (TARGET / parts.largest_span()).min(MAX_UNIT);
        let (whole, rest) = row.as_chunks_mut::<PART>();
        for (index, q) in whole.iter_mut().enumerate().take(parts.numbers.len()) {
            *q = integers(&parts.y(index), unit);
        }
        rest.iter_mut().zip(integers(&parts.last, unit)).for_each(|(to, q)| *to = q);
        unit
    }
}

impl Parts<'_> {
    /// y of a whole part, or of the last.
    #[inline(always)]
    fn y(&self, index: usize) -> Part {
        let Some(&(mut y)) = self.numbers.get(index) else { return self.last };
        apply(&mut y, part_of(self.mean, index), part_of(self.scale, index));
        y
    }

    /// L, the largest sum of a span; NaN or infinite if a number is.
    #[inline(always)]
    fn largest_span(&self) -> f32 {
        let last = self.numbers.len() / SPAN_PARTS * SPAN_PARTS;
        let mut p = [0.0; PART];
        for index in last..self.numbers.len() {
            add_absolute(&mut p, &self.y(index));
        }
        add_absolute(&mut p, &self.last);
        let mut largest = total(&p);
        for first in (0..last).step_by(SPAN_PARTS) {
            let mut p = [0.0; PART];
            for index in first..first + SPAN_PARTS {
                add_absolute(&mut p, &self.y(index));
            }
            largest = largest.max(total(&p));
        }
        f32::from_bits(largest)
    }
}

/// Part `index` of the mean or the scale, if there is one.
#[inline(always)]
fn part_of(parts: Option<&[Part]>, index: usize) -> Option<&Part> {
    match parts {
        Some(parts) => parts.get(index),
        None => None,
    }
}

/// x to y.
#[inline(always)]
fn apply(part: &mut Part, mean: Option<&Part>, scale: Option<&Part>) {
    if let Some(mean) = mean {
        for k in 0..PART {
            part[k] -= mean[k];
        }
    }
    if let Some(scale) = scale {
        for k in 0..PART {
            part[k] *= scale[k];
        }
    }
}

/// q of a part.
#[inline(always)]
fn integers(y: &Part, unit: f32) -> [i16; PART] {
    let mut q = [0; PART];
    for k in 0..PART {
        // The numbers fit: nothing is cut off.
        let rounded = (y[k] * unit + ROUNDER).to_bits();
        q[k] = rounded.wrapping_sub(ROUNDER.to_bits()) as i16;
    }
    q
}

/// The bits of the sum of a span from its partial sums. Bit patterns of non-negative floats are ordered like the floats, infinity
/// and NaN last: an integer maximum keeps what a float maximum would drop.
#[inline(always)]
fn total(p: &Part) -> u32 {
    let eight: [f32; 8] = halve(p);
    let four: [f32; 4] = halve(&eight);
    let [even, odd] = halve(&four);
    (even + odd).abs().to_bits()
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

/// Fewer numbers than a part into zeros.
#[inline(always)]
fn copy_few(rest: &[f32], to: &mut Part) {
    to.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
}
