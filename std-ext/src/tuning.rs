//! What the CPU does well: the one rule by which kernels of equal results are chosen, and how to force the choice.
//!
//! Only x86-64 detects instruction sets. `cpuid` here is any function from a leaf and a subleaf to the four registers,
//! so that tests can be any CPU.

use ternion_core::arch::Tuning;

/// The environment variable that forces how packed features are multiplied: `popcount` or `lookup`.
const PRODUCTS: &str = "TERNION_PRODUCTS";

/// The environment variable that forces the size of the L1 data cache, in KB.
const L1: &str = "TERNION_L1";

/// The tuning of a CPU.
///
/// **Popcounts or lookups.** Without a vector popcount (AVX2, early AVX-512) counting bits consists of byte lookups, so
/// lookups of whole sums win. With it, 512 pairs of trits take two popcounts and four more operations, or two `vpermi2b`
/// and two adds. On both of an Intel core's 512-bit ports those six operations take 3 cycles, 171 pairs per cycle, while a
/// `vpermi2b` occupies one port for 2 cycles: at most 128 pairs (Ice Lake to Sapphire Rapids). AMD's Zen 4 starts a
/// `vpermi2b` every cycle and reaches 205 pairs with the adds, against the same 171; but lookups have more to do around
/// their innermost loop, and popcounts must be summed across lanes at the end of a row. Seen there, of one in times of
/// the other: with 512, 1024, 2048 features lookups are 1.9, 1.5, 1.13 times as fast, with 4096 equal, with 16,384
/// popcounts are 1.07 times as fast. Other vendors get AMD's rule.
///
/// **Caches** are what the CPU says; if it says nothing, the default's, which are small.
pub(crate) fn of_cpu(vector_popcount: bool, cpuid: impl Fn(u32, u32) -> [u32; 4]) -> Tuning {
    let [max_leaf, b, c, d] = cpuid(0, 0);
    let vendor: Vec<u8> = [b, d, c].into_iter().flat_map(u32::to_le_bytes).collect();
    let popcount_features = match vector_popcount {
        true if vendor == b"GenuineIntel" => 0,
        true => 8192,
        false => u32::MAX,
    };
    // Both vendors list their caches in the same form, each in a leaf of its own.
    let leaves = [(max_leaf, 4), (cpuid(0x8000_0000, 0)[0], 0x8000_001D)];
    let present = leaves.into_iter().filter(|(max, leaf)| leaf <= max);
    let caches: Vec<_> = present
        .flat_map(|(_, leaf)| (0..8).map(move |index| (leaf, index)))
        .map(|(leaf, index)| cpuid(leaf, index))
        .collect();
    let size = |level| caches.iter().find_map(|cache| data_kb(*cache, level));
    let default = Tuning::default();
    Tuning {
        popcount_features,
        l1_kb: size(1).unwrap_or(default.l1_kb),
        l2_kb: size(2).unwrap_or(default.l2_kb),
    }
}

/// The KB of a cache, if it holds data and is of a level. Its bytes are the product of its ways, partitions, line bytes
/// and sets.
fn data_kb([a, b, c, _]: [u32; 4], level: u32) -> Option<u16> {
    let (kind, found) = (a & 31, a >> 5 & 7);
    let factors = [b >> 22, b >> 12 & 0x3FF, b & 0xFFF, c];
    let bytes = factors
        .into_iter()
        .fold(1_u64, |bytes, factor| bytes.saturating_mul(u64::from(factor) + 1));
    let holds_data = kind == 1 || kind == 3;
    (holds_data && found == level).then(|| u16::try_from(bytes >> 10).unwrap_or(u16::MAX))
}

/// What the environment variables force.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Forced {
    popcount_features: Option<u32>,
    l1_kb: Option<u16>,
}

impl Forced {
    /// Reads the variables. A line on standard error says which of them cannot be understood; those are ignored.
    pub(crate) fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let popcount_features = match variable(PRODUCTS).as_deref() {
            None => None,
            Some("popcount") => Some(0),
            Some("lookup") => Some(u32::MAX),
            Some(other) => {
                eprintln!("{PRODUCTS}: {other:?} is not popcount or lookup; ignored");
                None
            }
        };
        let l1_kb = variable(L1).and_then(|kilobytes| {
            let parsed = kilobytes.parse();
            parsed
                .inspect_err(|_| eprintln!("{L1}: {kilobytes:?} is not a number of KB; ignored"))
                .ok()
        });
        Self { popcount_features, l1_kb }
    }

    /// A tuning with what is forced.
    pub(crate) fn apply(self, tuning: Tuning) -> Tuning {
        Tuning {
            popcount_features: self.popcount_features.unwrap_or(tuning.popcount_features),
            l1_kb: self.l1_kb.unwrap_or(tuning.l1_kb),
            ..tuning
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A CPU by its answers, whose leaves end with the last of them.
    fn cpu(vendor: &[u8; 12], caches: &[(u32, [u32; 4])]) -> impl Fn(u32, u32) -> [u32; 4] {
        let word = |at: usize| u32::from_le_bytes([0, 1, 2, 3].map(|k| vendor[at + k]));
        let (b, d, c) = (word(0), word(4), word(8));
        let caches = caches.to_vec();
        move |leaf, index| {
            let own = caches.iter().filter(|(of, _)| *of == leaf).nth(index as usize);
            match leaf {
                0 => [caches.iter().map(|(of, _)| of & 0xFFFF).max().unwrap_or(1), b, c, d],
                0x8000_0000 => [caches.iter().map(|(of, _)| *of).max().unwrap_or(0), 0, 0, 0],
                _ => own.map_or([0; 4], |(_, registers)| *registers),
            }
        }
    }

    /// Sapphire Rapids: 48 KB of data, 32 KB of code, 2 MB.
    const INTEL: [(u32, [u32; 4]); 3] = [
        (4, [0x121, 0x2C0_003F, 63, 0]),
        (4, [0x122, 0x1C0_003F, 63, 0]),
        (4, [0x143, 0x3C0_003F, 2047, 0]),
    ];

    /// Zen 3: 32 KB of data, 32 KB of code, 512 KB.
    const AMD: [(u32, [u32; 4]); 3] = [
        (0x8000_001D, [0x121, 0x1C0_003F, 63, 0]),
        (0x8000_001D, [0x122, 0x1C0_003F, 63, 0]),
        (0x8000_001D, [0x143, 0x1C0_003F, 1023, 2]),
    ];

    #[test]
    fn vendor_and_popcount_choose_the_kernel_and_caches_are_read() {
        let intel = cpu(b"GenuineIntel", &INTEL);
        let tuning = of_cpu(true, &intel);
        let expected = Tuning { popcount_features: 0, l1_kb: 48, l2_kb: 2048 };
        assert_eq!(tuning, expected);
        assert_eq!(of_cpu(false, &intel).popcount_features, u32::MAX);
        let expected = Tuning { popcount_features: 8192, l1_kb: 32, l2_kb: 512 };
        assert_eq!(of_cpu(true, cpu(b"AuthenticAMD", &AMD)), expected);
        assert_eq!(of_cpu(false, cpu(b"AuthenticAMD", &[])), Tuning::default());
    }

    #[test]
    fn variables_force_what_they_name() {
        let forced = |products: &'static str, l1: &'static str| {
            let value = move |name: &str| if name == PRODUCTS { products } else { l1 };
            Forced::read(|name| Some(value(name).to_owned())).apply(Tuning::default())
        };
        let tuning = forced("popcount", "48");
        assert_eq!((tuning.popcount_features, tuning.l1_kb), (0, 48));
        assert_eq!(forced("lookup", "32"), Tuning::default());
        assert_eq!(forced("both", "large"), Tuning::default());
        assert_eq!(Forced::read(|_| None).apply(tuning), tuning);
    }
}
