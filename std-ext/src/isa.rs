//! The run-time choice of instruction set: detected once, or forced. The one room of this crate with
//! `unsafe` in it.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;
use ternion_core::arch::Kernel;
#[cfg(target_arch = "x86_64")]
use ternion_core::arch::{Avx2, Avx512, Avx512Popcnt};
use ternion_core::{Native, Scalar, Simd};

/// The variable that forces a choice, for tests and benches.
pub const VARIABLE: &str = "TERNION_ISA";

/// An instruction set that this machine was found to have.
///
/// Every choice gives the same bits; they differ in speed only.
///
/// ```
/// use ternion::Isa;
///
/// println!("running on {}", Isa::detect());
/// assert!(Isa::present().contains(&Isa::SCALAR));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Tier);

/// Private, so that an [`Isa`] is proof that its instructions are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tier {
    Scalar,
    Native,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx512Popcnt,
}

/// Whether every named feature is there and enabled by the operating system.
#[cfg(target_arch = "x86_64")]
macro_rules! has {
    ($($feature:tt),*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
}

impl Isa {
    /// Plain Rust.
    pub const SCALAR: Self = Self(Tier::Scalar);

    /// What the build guarantees.
    pub const NATIVE: Self = Self(Tier::Native);

    /// Every choice on this machine, slowest first.
    pub fn present() -> Vec<Self> {
        #[allow(unused_mut, reason = "only some architectures add to it")]
        let mut present = vec![Self::SCALAR, Self::NATIVE];
        #[cfg(target_arch = "x86_64")]
        if has!("avx2", "bmi1", "bmi2", "popcnt", "lzcnt") {
            present.push(Self(Tier::Avx2));
            if has!("avx512f", "avx512bw", "avx512dq", "avx512vl") {
                present.push(Self(Tier::Avx512));
                if has!("avx512vpopcntdq", "avx512vbmi", "avx512vnni") {
                    present.push(Self(Tier::Avx512Popcnt));
                }
            }
        }
        present
    }

    /// The choice that `TERNION_ISA` names, if it is set.
    ///
    /// # Errors
    ///
    /// [`UnknownIsa`] if this machine does not have it: tests and benches ask here first, so that
    /// they never run on another choice than the one they were told.
    pub fn from_env() -> Result<Option<Self>, UnknownIsa> {
        std::env::var(VARIABLE).ok().map(|name| name.parse()).transpose()
    }

    /// The fastest choice on this machine, or the one that `TERNION_ISA` names if it is present; if it is
    /// not, that is said on standard error. Looked up once in the life of the process.
    pub fn detect() -> Self {
        static DETECTED: OnceLock<Isa> = OnceLock::new();
        *DETECTED.get_or_init(|| {
            let fastest = Self::present().pop().unwrap_or(Self::NATIVE);
            let forced = Self::from_env().unwrap_or_else(|error| {
                eprintln!("{VARIABLE}: {error}; using {fastest}");
                None
            });
            forced.unwrap_or(fastest)
        })
    }

    /// The word for this choice in bench ids and in `TERNION_ISA`.
    pub fn name(self) -> &'static str {
        match self.0 {
            Tier::Scalar => Scalar::NAME,
            Tier::Native => Native::NAME,
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => Avx2::NAME,
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512 => Avx512::NAME,
            #[cfg(target_arch = "x86_64")]
            Tier::Avx512Popcnt => Avx512Popcnt::NAME,
        }
    }

    /// Hands the token of this choice to a piece of work.
    #[inline]
    #[allow(unsafe_code, reason = "the one place where detection becomes a token")]
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Tier::Scalar => kernel.run(Scalar),
            Tier::Native => kernel.run(Native),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the variant is made in `present` only, after detection of these features.
            Tier::Avx2 => kernel.run(unsafe { Avx2::new_unchecked() }),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Tier::Avx512 => kernel.run(unsafe { Avx512::new_unchecked() }),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Tier::Avx512Popcnt => kernel.run(unsafe { Avx512Popcnt::new_unchecked() }),
        }
    }
}

impl Default for Isa {
    fn default() -> Self {
        Self::detect()
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An instruction set was named that this machine does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownIsa {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownIsa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let present: Vec<_> = Isa::present().into_iter().map(Isa::name).collect();
        write!(f, "no instruction set {:?} here; present: {}", self.name, present.join(", "))
    }
}

impl std::error::Error for UnknownIsa {}

impl FromStr for Isa {
    type Err = UnknownIsa;

    fn from_str(name: &str) -> Result<Self, UnknownIsa> {
        let found = Self::present().into_iter().find(|isa| isa.name() == name);
        found.ok_or_else(|| UnknownIsa { name: name.into() })
    }
}
