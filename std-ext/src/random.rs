//! [`Random`]: the one generator behind random orders and choices, for learners that are deterministic by seed.

/// The counter step of SplitMix64, as in [`ternion_core::seed`].
const GAMMA: u64 = 0x9E37_79B9_7F4A_7C15;

/// SplitMix64 (Steele, Lea and Flood): a counter and a hash.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// The generator of a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// One of many generators that a seed means.
    pub(crate) fn stream(seed: u64, stream: u64) -> Self {
        Self { state: mix(seed ^ mix(stream)) }
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        mix(self.state)
    }

    /// A number below a bound, by the high half of a product: its bias is at most the bound over 2⁶⁴.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 to below 1: a multiple of 2⁻⁵³.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Another order of the same items (Fisher and Yates).
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// The numbers below a count in a random order.
    pub(crate) fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        self.shuffle(&mut order);
        order
    }
}

/// Random bits of an index.
pub(crate) fn hash(index: u64) -> u64 {
    mix(index.wrapping_mul(GAMMA))
}

/// The mixing function of SplitMix64.
fn mix(z: u64) -> u64 {
    let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of the reference program for this seed.
    #[test]
    fn bits_are_those_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        let expected = [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973];
        assert_eq!([random.bits(), random.bits()], expected);
    }

    #[test]
    fn orders_are_permutations_and_numbers_stay_below_their_bounds() {
        let mut random = Random::new(3);
        for count in [0, 1, 2, 100] {
            let mut order = random.order(count);
            order.sort_unstable();
            assert!(order.into_iter().eq(0..count));
        }
        assert!((0..1000).all(|_| random.below(7) < 7 && (0.0..1.0).contains(&random.unit())));
    }
}
