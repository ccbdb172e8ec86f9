//! The run-time choice of instruction set: detected once or forced, then dispatched on.
//!
//! The only file of this crate with `unsafe`: here detection becomes a token, the proof that core's kernels ask for.

#[cfg(target_arch = "x86_64")]
use crate::tuning::{self, Forced};
use std::fmt;
use std::mem::discriminant;
use std::str::FromStr;
use std::sync::OnceLock;
use ternion_core::arch::Tuning;
#[cfg(target_arch = "x86_64")]
use ternion_core::arch::{Avx2, Avx512, Avx512Popcnt};
use ternion_core::{Native, Scalar, Simd};

/// The environment variable that forces a choice, for tests and benches.
pub const VARIABLE: &str = "TERNION_ISA";

/// Evaluates an expression with the token of an [`Isa`]: the way from the run-time choice to a kernel of
/// [`ternion_core`].
///
/// The expression is compiled once per instruction set and so may be generic over the type of the token. Dispatch once
/// per call of a kernel, never per row.
///
/// ```
/// use ternion::{Isa, TritMatrix, dispatch};
/// use ternion_core::gram;
///
/// let a = TritMatrix::new(2, 3, [0b010, 0b110], [0b011, 0b111])?; // (+1 −1 0), (+1 −1 −1)
/// let mut out = [0; 4];
/// dispatch!(Isa::detect(), simd => gram(simd, &a, &mut out))?;
/// assert_eq!(out, [2, 2, 2, 3]);
/// # Ok::<(), ternion::Error>(())
/// ```
#[macro_export]
macro_rules! dispatch {
    ($isa:expr, $simd:ident => $work:expr) => {
        match $crate::Isa::token($isa) {
            $crate::Token::Scalar($simd) => $work,
            $crate::Token::Native($simd) => $work,
            #[cfg(target_arch = "x86_64")]
            $crate::Token::Avx2($simd) => $work,
            #[cfg(target_arch = "x86_64")]
            $crate::Token::Avx512($simd) => $work,
            #[cfg(target_arch = "x86_64")]
            $crate::Token::Avx512Popcnt($simd) => $work,
        }
    };
}

/// An instruction set that this machine was found to have.
///
/// All choices give the same bits; they differ only in speed.
///
/// ```
/// use ternion::Isa;
///
/// println!("running on {}", Isa::detect());
/// assert!(Isa::present().contains(&Isa::SCALAR));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Isa(Token);

/// The token of each instruction set: what [`dispatch!`] matches on. A variant exists only where its instructions do.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Token {
    Scalar(Scalar),
    Native(Native),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
    #[cfg(target_arch = "x86_64")]
    Avx512Popcnt(Avx512Popcnt),
}

/// Whether the CPU has every named feature and the operating system enables it.
#[cfg(target_arch = "x86_64")]
macro_rules! has {
    ($($feature:tt),*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
}

impl Isa {
    /// Plain Rust.
    pub const SCALAR: Self = Self(Token::Scalar(Scalar));

    /// What the build guarantees.
    pub const NATIVE: Self = Self(Token::Native(Native));

    /// Every instruction set of this machine, slowest first.
    #[allow(unsafe_code, reason = "the one place where detection becomes a token")]
    pub fn present() -> Vec<Self> {
        #[allow(unused_mut, reason = "only some architectures add to it")]
        let mut present = vec![Self::SCALAR, Self::NATIVE];
        #[cfg(target_arch = "x86_64")]
        if has!("avx2", "bmi1", "bmi2", "popcnt", "lzcnt") {
            let [without, with] = tunings();
            // SAFETY: the features that the token stands for were detected in the line above.
            let token = unsafe { Avx2::new_unchecked() };
            present.push(Self(Token::Avx2(token.with_tuning(without))));
            if has!("avx512f", "avx512bw", "avx512dq", "avx512vl") {
                // SAFETY: as above, with those of AVX2.
                let token = unsafe { Avx512::new_unchecked() };
                present.push(Self(Token::Avx512(token.with_tuning(without))));
                if has!("avx512vpopcntdq", "avx512vbmi", "avx512vnni", "gfni") {
                    // SAFETY: as above, with those of AVX-512.
                    let token = unsafe { Avx512Popcnt::new_unchecked() };
                    present.push(Self(Token::Avx512Popcnt(token.with_tuning(with))));
                }
            }
        }
        present
    }

    /// The choice that `TERNION_ISA` names, if it is set.
    ///
    /// # Errors
    ///
    /// [`UnknownIsa`] if this machine does not have it. Tests and benches ask here first, so that they never run on
    /// another instruction set than the requested one.
    pub fn from_env() -> Result<Option<Self>, UnknownIsa> {
        std::env::var(VARIABLE).ok().map(|name| name.parse()).transpose()
    }

    /// The fastest choice on this machine, or the one that `TERNION_ISA` names. If that one is absent, a line on
    /// standard error says so and the fastest is used. Detected once per process.
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

    /// The name of this choice in bench ids and in `TERNION_ISA`.
    pub fn name(self) -> &'static str {
        fn name<S: Simd>(_: S) -> &'static str {
            S::NAME
        }
        dispatch!(self, simd => name(simd))
    }

    /// What the CPU does well, by which kernels choose between ways of equal results. Detected with the instruction
    /// set, unless `TERNION_PRODUCTS` (`popcount` or `lookup`) or `TERNION_L1` (the size of that cache in KB) force a
    /// choice.
    ///
    /// [`NATIVE`](Self::NATIVE) and [`SCALAR`](Self::SCALAR), which are not detected, have the default.
    pub fn tuning(self) -> Tuning {
        dispatch!(self, simd => simd.tuning())
    }

    /// The same instruction set with other choices, for tests and benches; those that are not detected stay as they
    /// are.
    ///
    /// ```
    /// use ternion::Isa;
    /// use ternion::ternion_core::arch::Tuning;
    ///
    /// let isa = Isa::detect();
    /// let counting = isa.with_tuning(Tuning { popcount_features: 0, ..isa.tuning() });
    /// assert_eq!(counting, isa); // and so are all results
    /// ```
    #[must_use]
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(unused_variables, reason = "elsewhere nothing is detected")
    )]
    pub fn with_tuning(self, tuning: Tuning) -> Self {
        Self(match self.0 {
            Token::Scalar(_) | Token::Native(_) => self.0,
            #[cfg(target_arch = "x86_64")]
            Token::Avx2(token) => Token::Avx2(token.with_tuning(tuning)),
            #[cfg(target_arch = "x86_64")]
            Token::Avx512(token) => Token::Avx512(token.with_tuning(tuning)),
            #[cfg(target_arch = "x86_64")]
            Token::Avx512Popcnt(token) => Token::Avx512Popcnt(token.with_tuning(tuning)),
        })
    }

    /// The token, for [`dispatch!`].
    #[doc(hidden)]
    #[inline]
    pub fn token(self) -> Token {
        self.0
    }
}

/// The tuning of this machine without and with a vector popcount. Detected once per process.
#[cfg(target_arch = "x86_64")]
fn tunings() -> [Tuning; 2] {
    static DETECTED: OnceLock<[Tuning; 2]> = OnceLock::new();
    *DETECTED.get_or_init(|| {
        let forced = Forced::read(|name| std::env::var(name).ok());
        [false, true].map(|vector_popcount| forced.apply(tuning::of_cpu(vector_popcount, cpuid)))
    })
}

/// The four registers that the CPU describes itself in.
#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    unused_unsafe,
    reason = "the instruction is safe to call in later versions of Rust"
)]
fn cpuid(leaf: u32, subleaf: u32) -> [u32; 4] {
    // SAFETY: every x86-64 CPU has the instruction.
    let registers = unsafe { std::arch::x86_64::__cpuid_count(leaf, subleaf) };
    [registers.eax, registers.ebx, registers.ecx, registers.edx]
}

/// Equal instruction sets, whatever is known about the CPU.
impl PartialEq for Isa {
    fn eq(&self, other: &Self) -> bool {
        discriminant(&self.0) == discriminant(&other.0)
    }
}

impl Eq for Isa {}

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

/// The named instruction set does not exist or this machine does not have it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this machine has no instruction set {name:?}; it has: {}", present_names())]
pub struct UnknownIsa {
    /// The name.
    pub name: String,
}

/// The names of the instruction sets of this machine.
fn present_names() -> String {
    Isa::present().into_iter().map(Isa::name).collect::<Vec<_>>().join(", ")
}

impl FromStr for Isa {
    type Err = UnknownIsa;

    fn from_str(name: &str) -> Result<Self, UnknownIsa> {
        let found = Self::present().into_iter().find(|isa| isa.name() == name);
        found.ok_or_else(|| UnknownIsa { name: name.into() })
    }
}
