//! Scores from packed features and weights in bit planes: popcounts, adds, one product per output.

use super::format::Model;

/// The scores of a sample, accumulated as its features arrive, 32 at a time.
pub(super) struct ScoreSums<'a, 's> {
    planes: core::slice::Iter<'a, [u8; 4]>,
    bits: u32,
    /// Σ f · code of each output.
    dots: &'s mut [i32],
    /// Σ f.
    total: i32,
}

impl<'a, 's> ScoreSums<'a, 's> {
    /// Starts the sums of a sample.
    pub(super) fn new(model: &Model<'a>, dots: &'s mut [i32]) -> Self {
        dots.fill(0);
        Self { planes: model.weights.as_chunks().0.iter(), bits: model.bits, dots, total: 0 }
    }

    /// Adds the next 32 features.
    #[inline]
    pub(super) fn add(&mut self, sign: u32, mask: u32) {
        let plus = mask & !sign;
        self.total = self.total.wrapping_add(difference(plus, sign));
        for dot in self.dots.iter_mut() {
            let mut sum = 0_i32;
            for plane in self.planes.by_ref().take(self.bits as usize) {
                let plane = u32::from_le_bytes(*plane);
                sum = sum.wrapping_mul(2).wrapping_add(difference(plus & plane, sign & plane));
            }
            *dot = dot.wrapping_add(sum);
        }
    }

    /// Turns the sums into scores. The bounds of the format keep them in 32 bits.
    pub(super) fn finish(self, model: &Model<'_>) -> &'s mut [i32] {
        let odd = (1_i32 << self.bits) - 1;
        let constant = odd.wrapping_mul(self.total);
        for (dot, head) in self.dots.iter_mut().zip(model.heads.as_chunks::<8>().0) {
            let [s0, s1, s2, s3, b0, b1, b2, b3] = *head;
            let scale = i32::from_le_bytes([s0, s1, s2, s3]);
            let bias = i32::from_le_bytes([b0, b1, b2, b3]);
            let sum = dot.wrapping_mul(2).wrapping_sub(constant);
            *dot = scale.wrapping_mul(sum).wrapping_add(bias);
        }
        self.dots
    }
}

/// How many more bits are set in `plus` than in `minus`, which have none in common.
///
/// One popcount for two: the counts of pairs of bits of `plus`, and of the complement of `minus`,
/// share the steps after the first. Plain shifts and masks, for cores without the instruction.
#[inline(always)]
fn difference(plus: u32, minus: u32) -> i32 {
    const PAIRS: u32 = 0x5555_5555;
    const FOURS: u32 = 0x3333_3333;
    const BYTES: u32 = 0x0F0F_0F0F;
    // Each pair of bits: plus's count, at most 2, and 2 less minus's count.
    let plus = plus - (plus >> 1 & PAIRS);
    let minus = minus - (minus >> 1 & PAIRS);
    let off = 0xAAAA_AAAA - minus;
    // Each four bits: at most 4 + 4.
    let fours = (plus & FOURS) + (plus >> 2 & FOURS) + (off & FOURS) + (off >> 2 & FOURS);
    // Each byte: at most 16.
    let bytes = (fours & BYTES) + (fours >> 4 & BYTES);
    (bytes.wrapping_mul(0x0101_0101) >> 24) as i32 - 32
}

/// The class with the largest score, the first of equals.
pub(super) fn argmax(scores: &[i32]) -> usize {
    let mut best = (0, i32::MIN);
    for (class, &score) in scores.iter().enumerate() {
        if score > best.1 {
            best = (class, score);
        }
    }
    best.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_is_that_of_popcounts() {
        let mut bits = 1_u32;
        for _ in 0..10_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let other = bits.rotate_left(bits >> 27).wrapping_mul(2_654_435_761);
            for (plus, minus) in
                [(bits, !bits & other), (bits & other, !bits), (bits, 0), (0, bits)]
            {
                let expected = plus.count_ones() as i32 - minus.count_ones() as i32;
                assert_eq!(difference(plus, minus), expected, "{plus:x} {minus:x}");
            }
        }
        assert_eq!((difference(u32::MAX, 0), difference(0, u32::MAX)), (32, -32));
    }

    #[test]
    fn the_first_of_the_largest_wins() {
        assert_eq!(argmax(&[-3, 7, 7, 2]), 1);
        assert_eq!(argmax(&[i32::MIN, i32::MIN]), 0);
    }
}
