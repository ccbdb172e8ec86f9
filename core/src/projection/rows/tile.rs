//! A tile of W in scratch, as the lookup tables read it: one word of every row, then the next word of every row.

use super::tables::{self, Layout};
use crate::arch::{Line, Simd};
use crate::trits::{Word, tail_bits, words_per_row};

/// One word of one row: sign and mask, or sixteen codes, a byte each.
pub(super) type Pair = [u64; 2];

/// Lines of a full tile, and one before them.
pub(super) const fn lines(inputs: usize, features: usize) -> usize {
    1 + (tables::tile_features(features) * words_per_row(inputs)).div_ceil(4)
}

/// Writes `count` rows, cut to the inputs.
pub(super) fn write<S: Simd, W: Iterator<Item = Word>>(
    simd: S,
    rows: impl Iterator<Item = W>,
    count: usize,
    inputs: usize,
    work: &mut [Line],
) {
    simd.vectorize(
        #[inline(always)]
        || {
            let (head, pairs) = present!(work.split_first_mut(), else return);
            let pairs: &mut [Pair] = bytemuck::cast_slice_mut(pairs);
            let words = words_per_row(inputs);
            let pairs = present!(pairs.get_mut(..words * count), else return);
            let mut zeros = 0;
            for (row, from) in rows.enumerate() {
                let to = present!(pairs.get_mut(row..), else return);
                for ((index, to), word) in to.iter_mut().step_by(count.max(1)).enumerate().zip(from)
                {
                    let kept = if index + 1 == words { tail_bits(inputs) } else { u64::MAX };
                    *to = [word.sign & kept, word.mask & kept];
                    zeros |= kept & !word.mask;
                }
            }
            *head = Line::with_first_word(zeros);
            match Layout::new(simd, zeros != 0) {
                Layout::FiveBits => {}
                Layout::SixSigns => {
                    for pair in pairs {
                        *pair = sign_codes(*pair);
                    }
                }
                Layout::FourTrits => {
                    for pair in pairs {
                        *pair = trit_codes(*pair);
                    }
                }
            }
        },
    );
}

/// The rows that were written: whether they have zeros, and their words.
pub(super) fn read(count: usize, inputs: usize, work: &[Line]) -> (bool, &[Pair]) {
    let pairs: &[Pair] = bytemuck::cast_slice(&work[1..]);
    (work[0].first_word() != 0, &pairs[..words_per_row(inputs) * count])
}

/// The planes of 64 trits as codes of four trits: byte `k` of the first word is that of trits `8k ..`, byte `k` of the
/// second that of trits `8k + 4 ..`. A code has a digit of base 3 for each trit: 0 for 0, 1 for +1, 2 for −1.
#[inline(always)]
fn trit_codes([sign, mask]: Pair) -> Pair {
    // As −1 sets a bit in both planes, digits are the sums of these bits.
    let first = base_3(sign) + base_3(mask);
    let second = base_3(sign >> 4) + base_3(mask >> 4);
    [first.to_le(), second.to_le()]
}

/// 64 signs as codes of six: byte `k` is that of the signs `6k ..`.
#[inline(always)]
fn sign_codes([sign, _]: Pair) -> Pair {
    [bytes_of_six(sign).to_le(), bytes_of_six(sign >> 48).to_le()]
}

/// The low 48 bits, six in every byte.
#[inline(always)]
fn bytes_of_six(bits: u64) -> u64 {
    let bits = (bits & 0xFF_FFFF) | (bits & 0xFFFF_FF00_0000) << 8;
    let bits = (bits & 0xFFF_0000_0FFF) | (bits & 0xFF_F000_00FF_F000) << 4;
    (bits & 0x3F_003F_003F_003F) | (bits & 0xFC0_0FC0_0FC0_0FC0) << 2
}

/// The low four bits of every byte, read as digits of base 3: 1, 3, 9 and 27 instead of 1, 2, 4 and 8.
#[inline(always)]
fn base_3(bits: u64) -> u64 {
    let ones = u64::MAX / 255;
    let bits = bits & (15 * ones);
    bits + (bits >> 1 & (7 * ones)) + 3 * (bits >> 2 & (3 * ones)) + 9 * (bits >> 3 & ones)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_numbers_in_base_3() {
        let (sign, mask) = (0x8421_0F3A_55C0_9900, 0x8D2B_0FBF_77E0_9970);
        let codes = trit_codes([sign, mask]).map(u64::from_le);
        for group in 0..16 {
            let digit = |i: usize| (sign >> (4 * group + i) & 1) + (mask >> (4 * group + i) & 1);
            let expected = digit(0) + 3 * digit(1) + 9 * digit(2) + 27 * digit(3);
            assert_eq!(codes[group % 2] >> (8 * (group / 2)) & 255, expected, "{group}");
        }
    }

    #[test]
    fn codes_are_six_signs() {
        let sign = 0x8421_0F3A_55C0_9900_u64;
        let codes: [u8; 16] = bytemuck::cast(sign_codes([sign, u64::MAX]));
        for (group, code) in codes.into_iter().enumerate().take(11) {
            assert_eq!(u64::from(code), sign >> (6 * group) & 63, "{group}");
        }
    }
}
