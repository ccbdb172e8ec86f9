//! The CPU at hand: its name beside every figure, and which floors it is held to.

use std::fmt;
use std::fs;

/// CPUs of which different speeds are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// AVX-512 made by Intel since Ice Lake: two 512-bit ports, 32 `f32` multiply-adds per cycle of a dense product.
    IntelAvx512,
    /// AVX-512 made by AMD since Zen 4: 16 multiply-adds per cycle, and permutations twice as fast as Intel's.
    AmdAvx512,
    /// AVX2 and no AVX-512: 16 multiply-adds per cycle.
    Avx2,
}

impl Class {
    /// The best ISA of the class, as `TERNION_ISA` spells it.
    pub const fn isa(self) -> &'static str {
        match self {
            Self::IntelAvx512 | Self::AmdAvx512 => "avx512popcnt",
            Self::Avx2 => "avx2",
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::IntelAvx512 => "Intel with AVX-512",
            Self::AmdAvx512 => "AMD with AVX-512",
            Self::Avx2 => "AVX2",
        })
    }
}

/// What the operating system says about the CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// The name, or "unknown CPU" where the operating system does not say.
    pub name: String,
    /// None for other CPUs: no floors are asked of them.
    pub class: Option<Class>,
}

impl Cpu {
    /// The CPU that this process runs on.
    pub fn present() -> Self {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let isas = ternion::Isa::present();
        Self::new(&info, |name| isas.iter().any(|isa| isa.name() == name))
    }

    fn new(info: &str, has: impl Fn(&str) -> bool) -> Self {
        let field = |name: &str| {
            let line = info.lines().find(|line| line.starts_with(name));
            line.and_then(|line| Some(line.split_once(": ")?.1.to_owned()))
        };
        let class = match (field("vendor_id").as_deref(), has("avx512popcnt"), has("avx512")) {
            (Some("GenuineIntel"), true, _) => Some(Class::IntelAvx512),
            (Some("AuthenticAMD"), true, _) => Some(Class::AmdAvx512),
            (_, false, false) if has("avx2") => Some(Class::Avx2),
            _ => None,
        };
        // A family and a model tell apart generations that a virtual machine calls by one name.
        let (family, model) = (field("cpu family"), field("model\t"));
        let numbers = family.zip(model).map(|(f, m)| format!(", family {f}, model {m}"));
        let name = field("model name").unwrap_or_else(|| "unknown CPU".into());
        Self { name: name + &numbers.unwrap_or_default(), class }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFO: &str = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 143\n\
                        model name\t: Some Xeon\n";

    #[test]
    fn vendor_and_isa_choose_the_class() {
        let cpu = |info: &str, isa: &'static str| Cpu::new(info, |name| name == isa);
        assert_eq!(cpu(INFO, "avx512").class, None);
        assert_eq!(cpu("", "avx512popcnt").class, None);
        let xeon = cpu(INFO, "avx512popcnt");
        assert_eq!(xeon.name, "Some Xeon, family 6, model 143");
        assert_eq!(xeon.class, Some(Class::IntelAvx512));
        let other = INFO.replace("GenuineIntel", "AuthenticAMD");
        assert_eq!(cpu(&other, "avx512popcnt").class, Some(Class::AmdAvx512));
        assert_eq!(cpu(INFO, "avx2").class, Some(Class::Avx2));
        let nothing = Cpu { name: "unknown CPU".into(), class: None };
        assert_eq!(cpu("", "sse2"), nothing);
    }
}
