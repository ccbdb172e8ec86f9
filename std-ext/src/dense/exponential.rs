//! Exponentials of numbers up to zero and logarithms of numbers from 1 to 2, the same bits on every platform and
//! instruction set.
//!
//! The functions of a library are a call for every number, and libraries differ in the last bit. These are additions,
//! multiplications, a division and shifts, which the compiler does for several numbers at once:
//!
//! ```text
//! x = n·ln 2 + r with n whole and |r| ≤ ½·ln 2;  eˣ = 2ⁿ·(1 + r + r²/2! + … + r¹³/13!)
//! ln(1 + x) = 2·artanh z = 2·(z + z³/3 + … + z³¹/31) with z = x/(2 + x) ≤ 1/3
//! ```

/// Below it, exponentials are smaller than all normal numbers, and become zero.
const LEAST: f64 = -708.0;

/// ln 2 as the sum of two numbers, the first with so few digits that its multiples are exact.
const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];

/// Adding and subtracting it rounds to a whole number, whose lowest bits are then those of the sum.
const ROUND: f64 = (3_u64 << 51) as f64;

/// 1/k! for k from 13 to 0.
const INVERSE_FACTORIALS: [f64; 14] = {
    let (mut inverse, mut factorial, mut k) = ([1.0; 14], 1.0, 0);
    while k < 14 {
        inverse[13 - k] = 1.0 / factorial;
        k += 1;
        factorial *= k as f64;
    }
    inverse
};

/// eˣ for x ≤ 0, up to a few units in the last place.
#[inline(always)]
pub(crate) fn exp(x: f64) -> f64 {
    let bounded = if x > LEAST { x } else { LEAST };
    let rounded = bounded * std::f64::consts::LOG2_E + ROUND;
    let n = rounded - ROUND;
    let r = bounded - n * LN_2[0] - n * LN_2[1];
    let mut sum = 0.0;
    for coefficient in INVERSE_FACTORIALS {
        sum = sum * r + coefficient;
    }
    // n ≥ −1022: what is shifted is the exponent of a normal number.
    let power = f64::from_bits(rounded.to_bits().wrapping_add(1023) << 52);
    if x > LEAST { sum * power } else { 0.0 }
}

/// ln(1 + x) for 0 ≤ x ≤ 1, up to a few units in the last place.
#[inline(always)]
pub(crate) fn ln_1p(x: f64) -> f64 {
    let z = x / (2.0 + x);
    let square = z * z;
    let mut sum = 0.0;
    for k in 0..16 {
        sum = sum * square + 1.0 / (31 - 2 * k) as f64;
    }
    2.0 * z * sum
}

/// Replaces numbers up to zero by their exponentials.
#[inline(always)]
pub(crate) fn exp_each(numbers: &mut [f64]) {
    for number in numbers {
        *number = exp(*number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_right_to_the_last_digits() {
        for k in 0..200_000 {
            let x = -f64::from(k) * 0.003_53;
            let (found, expected) = (exp(x), libm::exp(x));
            assert!((found - expected).abs() <= 1e-15 * expected, "{x}: {found} {expected}");
        }
        assert_eq!((exp(0.0), exp(-0.0), exp(LEAST), exp(f64::NEG_INFINITY)), (1.0, 1.0, 0.0, 0.0));
        assert!(exp(LEAST + 0.5) > f64::MIN_POSITIVE);
    }

    #[test]
    fn logarithms_are_right_to_the_last_digits() {
        for k in 0..=100_000 {
            for x in [f64::from(k) * 1e-5, exp(-f64::from(k) * 0.007)] {
                let (found, expected) = (ln_1p(x), libm::log1p(x));
                assert!((found - expected).abs() <= 1e-15 * expected, "{x}: {found} {expected}");
            }
        }
    }
}
