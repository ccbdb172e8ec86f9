//! [`ExactSums`] and [`ExactSum`]: Σx and Σx² of `f32` numbers without rounding, so that they do not depend on the order.
//!
//! A fixed-point number long enough for every `f32` and its square (a superaccumulator, after Kulisch), in digits of 32
//! bits. A digit is an `i64`: numbers are added to the two or three digits that they touch, and carries wait until
//! [`normalise`](ExactSums::normalise), which makes the digits unique.

/// Bits of a digit.
const DIGIT_BITS: u32 = 32;

/// Digits of Σx, in units of 2⁻¹⁴⁹, the smallest `f32`: its largest is below 2¹²⁸, and 2⁶⁴ of them fit.
const SUM_DIGITS: usize = 10;

/// Digits of Σx², in units of 2⁻²⁹⁸.
const SQUARE_DIGITS: usize = 19;

/// Digits of both, first those of Σx.
pub(super) const DIGITS: usize = SUM_DIGITS + SQUARE_DIGITS;

/// Numbers that may be added before carries must be resolved: each adds less than 2³² to a digit, which has room for
/// 2³¹ of that. A block adds twice to the digits of Σx², but is of many numbers.
pub(super) const MAX_ADDITIONS: usize = 1 << 30;

/// The sums of one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExactSums {
    sum: [i64; SUM_DIGITS],
    squares: [i64; SQUARE_DIGITS],
}

impl ExactSums {
    pub(super) const ZERO: Self = Self { sum: [0; SUM_DIGITS], squares: [0; SQUARE_DIGITS] };

    /// Adds a finite number.
    #[inline]
    pub(super) fn add(&mut self, x: f32) {
        let (mantissa, position) = parts(x);
        if mantissa == 0 {
            return;
        }
        // At most 24 + 31 bits, in two digits; the square at most 48 + 30, in three.
        let shifted = (mantissa << (position % DIGIT_BITS)) as i64;
        let shifted = if x < 0.0 { -shifted } else { shifted };
        let square = u128::from(mantissa * mantissa) << (2 * position % DIGIT_BITS);
        let (digit, square_digit) =
            ((position / DIGIT_BITS) as usize, (2 * position / DIGIT_BITS) as usize);
        self.sum[digit] += shifted & MASK;
        self.sum[digit + 1] += shifted >> DIGIT_BITS;
        self.squares[square_digit] += square as i64 & MASK;
        self.squares[square_digit + 1] += (square >> DIGIT_BITS) as i64 & MASK;
        self.squares[square_digit + 2] += (square >> (2 * DIGIT_BITS)) as i64;
    }

    /// Adds a multiple of 2^`position`, in the unit of Σx, to Σx; it counts as an addition.
    pub(super) fn add_sum(&mut self, position: u32, multiple: i64) {
        add_at(&mut self.sum, position, multiple);
    }

    /// Adds a multiple of 2^`position`, in the unit of Σx², to Σx².
    pub(super) fn add_square(&mut self, position: u32, multiple: i64) {
        add_at(&mut self.squares, position, multiple);
    }

    /// Adds other sums. Both must be normalised, and the result must be.
    pub(super) fn merge(&mut self, other: &Self) {
        let others = other.sum.iter().chain(&other.squares);
        self.sum.iter_mut().chain(&mut self.squares).zip(others).for_each(|(a, b)| *a += b);
    }

    /// Resolves carries: all digits but the last of each sum are then in 0..2³², so equal sums have equal digits.
    pub(super) fn normalise(&mut self) {
        carry(&mut self.sum);
        carry(&mut self.squares);
    }

    /// Normalised digits, to be saved.
    pub(super) fn digits(&self) -> impl Iterator<Item = i64> {
        self.sum.iter().chain(&self.squares).copied()
    }

    /// Sums from digits that were saved; `None` unless they are normalised and possible for so many numbers.
    pub(super) fn from_digits(digits: &[i64; DIGITS], numbers: u64) -> Option<Self> {
        let mut sums = Self::ZERO;
        let (sum, squares) = digits.split_at(SUM_DIGITS);
        sums.sum.copy_from_slice(sum);
        sums.squares.copy_from_slice(squares);
        let is_digit = |digit: &i64| (0..=MASK).contains(digit);
        let normalised = sum[..SUM_DIGITS - 1].iter().all(is_digit)
            && squares[..SQUARE_DIGITS - 1].iter().all(is_digit);
        // |x| < 2¹²⁸ and fewer than 2⁶⁴ of them bound the last digits; and Σx² is never less than (Σx)²/n.
        let small = sums.sum[SUM_DIGITS - 1].unsigned_abs() <= 1 << 53
            && sums.squares[SQUARE_DIGITS - 1].unsigned_abs() <= 1 << 42;
        let possible = small && normalised && sums.spread(numbers).is_some();
        (possible && (numbers > 0 || sums == Self::ZERO)).then_some(sums)
    }

    /// Σx/n for n numbers.
    pub(super) fn mean(&self, numbers: u64) -> f64 {
        let negative = self.sum[SUM_DIGITS - 1] < 0;
        let size = self.magnitude().map(i128::from);
        let mean = value(&carried(size), -149) / numbers as f64;
        if negative { -mean } else { mean }
    }

    /// Σx²/n − (Σx/n)² for n numbers: the difference is exact, only the division rounds.
    pub(super) fn variance(&self, numbers: u64) -> f64 {
        let spread = self.spread(numbers).unwrap_or_default();
        value(&spread, -298) / numbers as f64 / numbers as f64
    }

    /// |Σx| in digits of 32 bits.
    fn magnitude(&self) -> [i64; SUM_DIGITS] {
        let mut size = self.clone();
        if size.sum[SUM_DIGITS - 1] < 0 {
            size.sum.iter_mut().for_each(|digit| *digit = -*digit);
            size.normalise();
        }
        size.sum
    }

    /// n·Σx² − (Σx)² in digits of 32 bits, exact; `None` if it is negative, which it is for no numbers.
    fn spread(&self, numbers: u64) -> Option<Vec<i64>> {
        let mut columns = [0_i128; SQUARE_DIGITS + 4];
        let factor = [numbers as i64 & MASK, (numbers >> DIGIT_BITS) as i64];
        for (i, a) in factor.into_iter().enumerate() {
            for (j, &b) in self.squares.iter().enumerate() {
                columns[i + j] += i128::from(a) * i128::from(b);
            }
        }
        let size = self.magnitude();
        for (i, &a) in size.iter().enumerate() {
            for (j, &b) in size.iter().enumerate() {
                columns[i + j] -= i128::from(a) * i128::from(b);
            }
        }
        let digits = carried(columns);
        (digits.last() >= Some(&0)).then_some(digits)
    }
}

/// The low 32 bits.
const MASK: i64 = (1 << DIGIT_BITS) - 1;

/// Σx alone, of `f32` numbers each times a small integer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExactSum([i64; SUM_DIGITS]);

impl ExactSum {
    pub(crate) const ZERO: Self = Self([0; SUM_DIGITS]);

    /// Digits of a sum.
    pub(crate) const DIGITS: usize = SUM_DIGITS;

    /// A finite number as its lowest digit that is not zero, and the value of that digit and of the next one.
    pub(crate) fn split(x: f32) -> (usize, [i64; 2]) {
        let (mantissa, position) = parts(x);
        let shifted = (mantissa << (position % DIGIT_BITS)) as i64;
        let digits = [shifted & MASK, shifted >> DIGIT_BITS];
        let digits = if x < 0.0 { digits.map(|digit| -digit) } else { digits };
        ((position / DIGIT_BITS) as usize, digits)
    }

    /// Adds to a digit, at most 2⁶² in all before the sum is [normalised](Self::normalise).
    pub(crate) fn add(&mut self, digit: usize, value: i64) {
        self.0[digit] += value;
    }

    /// Adds another sum. Both must be normalised, and the result must be.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a += b);
    }

    /// Resolves carries: equal sums then have equal digits.
    pub(crate) fn normalise(&mut self) {
        carry(&mut self.0);
    }

    /// Normalised digits, to be saved.
    pub(crate) fn digits(&self) -> impl Iterator<Item = i64> {
        self.0.iter().copied()
    }

    /// A sum from digits that were saved; `None` unless they are normalised and possible for so many numbers.
    pub(crate) fn from_digits(digits: &[i64; SUM_DIGITS], numbers: u64) -> Option<Self> {
        let [lower @ .., last] = digits;
        let normalised = lower.iter().all(|digit| (0..=MASK).contains(digit));
        let possible = normalised && last.unsigned_abs() <= 1 << 53;
        let sum = Self(*digits);
        (possible && (numbers > 0 || sum == Self::ZERO)).then_some(sum)
    }

    /// The sum, rounded.
    pub(crate) fn value(&self) -> f64 {
        Self::difference([self, &Self::ZERO], [1, 0])
    }

    /// a·x − b·y: the difference is exact, only the result is rounded.
    pub(crate) fn difference([x, y]: [&Self; 2], [a, b]: [i64; 2]) -> f64 {
        let mut columns = [0_i128; SUM_DIGITS + 2];
        for (column, (x, y)) in columns.iter_mut().zip(x.0.iter().zip(&y.0)) {
            *column = i128::from(a) * i128::from(*x) - i128::from(b) * i128::from(*y);
        }
        let digits = carried(columns);
        if digits.last() < Some(&0) {
            let digits = carried(columns.map(|column| -column));
            return -value(&digits, -149);
        }
        value(&digits, -149)
    }
}

/// The mantissa m and the position p of |x| = m·2^(p − 149).
#[inline]
fn parts(x: f32) -> (u64, u32) {
    let bits = x.to_bits();
    let (exponent, fraction) = (bits >> 23 & 0xFF, u64::from(bits & 0x7F_FFFF));
    if exponent == 0 { (fraction, 0) } else { (fraction | 1 << 23, exponent - 1) }
}

/// Adds a multiple of 2^`position` that has at most 54 bits: with the shift, three digits.
fn add_at(digits: &mut [i64], position: u32, multiple: i64) {
    let (digit, shifted) =
        ((position / DIGIT_BITS) as usize, i128::from(multiple) << (position % DIGIT_BITS));
    digits[digit] += shifted as i64 & MASK;
    digits[digit + 1] += (shifted >> DIGIT_BITS) as i64 & MASK;
    digits[digit + 2] += (shifted >> (2 * DIGIT_BITS)) as i64;
}

/// Resolves carries: all digits but the last are then in 0..2³².
fn carry(digits: &mut [i64]) {
    for k in 1..digits.len() {
        let carry = digits[k - 1] >> DIGIT_BITS;
        digits[k - 1] &= MASK;
        digits[k] += carry;
    }
}

/// Columns of any size as digits of 32 bits; the last digit has the sign.
fn carried<const COLUMNS: usize>(columns: [i128; COLUMNS]) -> Vec<i64> {
    let mut digits = Vec::with_capacity(COLUMNS + 1);
    let mut carry = 0;
    for column in columns {
        let sum = column + carry;
        digits.push(sum as i64 & MASK);
        carry = sum >> DIGIT_BITS;
    }
    digits.push(carry as i64);
    digits
}

/// The number that digits of 32 bits mean in units of 2^`unit`, from the leading three: at least 65 bits.
fn value(digits: &[i64], unit: i32) -> f64 {
    let Some(top) = digits.iter().rposition(|&digit| digit != 0) else { return 0.0 };
    let low = top.saturating_sub(2);
    let leading = digits[low..=top].iter().rev();
    let leading = leading.fold(0_u128, |sum, &digit| sum << DIGIT_BITS | digit as u128);
    leading as f64 * 2.0_f64.powi(DIGIT_BITS as i32 * low as i32 + unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(numbers: &[f32]) -> ExactSums {
        let mut sums = ExactSums::ZERO;
        numbers.iter().for_each(|&x| sums.add(x));
        sums.normalise();
        sums
    }

    #[test]
    fn extremes_and_cancellation_are_exact() {
        let tiny = f32::from_bits(1);
        for x in [1.0, -3.5, f32::MAX, f32::MIN, tiny, -tiny, f32::MIN_POSITIVE, 1e-20, -7e30] {
            let sums = sums(&[x]);
            assert_eq!((sums.mean(1), sums.variance(1)), (f64::from(x), 0.0), "{x}");
        }
        let cancelled = sums(&[f32::MAX, tiny, -f32::MAX]);
        assert_eq!(cancelled.mean(1), f64::from(tiny));
        // (MAX² + MAX²)/2, to the last bit.
        let opposite = sums(&[f32::MAX, f32::MIN]);
        assert_eq!((opposite.mean(2), opposite.variance(2)), (0.0, f64::from(f32::MAX).powi(2)));
        // A variance of 1/4 beside a mean of 2²³: 50 bits are lost to the difference of squares in floats.
        let shifted = sums(&[8_388_608.0, 8_388_609.0]);
        assert_eq!((shifted.mean(2), shifted.variance(2)), (8_388_608.5, 0.25));
        assert_eq!(sums(&[]).digits().max(), Some(0));
    }

    #[test]
    fn sums_of_multiples_and_their_differences_are_exact() {
        let sum = |numbers: &[(f32, i64)]| {
            let mut sum = ExactSum::ZERO;
            for &(x, times) in numbers {
                let (digit, values) = ExactSum::split(x);
                sum.add(digit, values[0] * times);
                sum.add(digit + 1, values[1] * times);
            }
            sum.normalise();
            sum
        };
        for x in [0.0, 1.0, -3.5, f32::MAX, f32::MIN, f32::from_bits(1), -1e-40, 7e-12] {
            assert_eq!(sum(&[(x, 1)]).value(), f64::from(x), "{x}");
            assert_eq!(sum(&[(x, -3)]).value(), -3.0 * f64::from(x), "{x}");
            assert_eq!(sum(&[(x, 5), (f32::MAX, 1), (x, -5), (f32::MIN, 1)]), ExactSum::ZERO);
        }
        let (large, next) = (sum(&[(16_777_216.0, 3)]), sum(&[(16_777_216.0, 2), (1e-30, 1)]));
        assert_eq!(ExactSum::difference([&large, &next], [2, 3]), -3.0 * f64::from(1e-30_f32));
        let digits: [i64; SUM_DIGITS] = core::array::from_fn(|k| large.0[k]);
        assert_eq!(ExactSum::from_digits(&digits, 1), Some(large.clone()));
        assert_eq!(ExactSum::from_digits(&digits, 0), None);
        for (digit, value) in [(0, -1), (3, 1 << 32), (9, 1 << 54), (9, -1 << 54)] {
            let mut wrong = digits;
            wrong[digit] = value;
            assert_eq!(ExactSum::from_digits(&wrong, 1), None);
        }
    }

    #[test]
    fn constant_inputs_have_no_variance_whatever_their_number() {
        let mut doubled = sums(&[0.1]);
        for power in 1..60 {
            let half = doubled.clone();
            doubled.merge(&half);
            doubled.normalise();
            assert_eq!(doubled.variance(1 << power), 0.0);
            assert_eq!(doubled.mean(1 << power), f64::from(0.1_f32));
        }
    }
}
