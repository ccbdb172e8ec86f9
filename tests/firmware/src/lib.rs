//! What the firmware shares: the models, the machine's clock, and a measure of the stack.
//!
//! The models and their test vectors come from `cargo run --example export`, in the folder that
//! `TERNION_MODELS` names when the firmware is built.
#![no_std]

/// A file of the folder with the models.
#[macro_export]
macro_rules! model_file {
    ($name:literal) => {
        include_bytes!(concat!(env!("TERNION_MODELS"), "/", $name))
    };
}

/// Defines `MODEL`, a model file validated by the compiler, and `infer`, one inference with all its
/// memory on the stack.
#[macro_export]
macro_rules! predictor {
    ($name:literal) => {
        /// The model.
        pub const MODEL: ternion_core::model::Model<'static> =
            match ternion_core::model::Model::from_bytes($crate::model_file!($name)) {
                Ok(model) => model,
                Err(_) => panic!("not a model"),
            };

        /// The class of a sample.
        #[inline(never)]
        pub fn infer(sample: &[u8; MODEL.inputs()]) -> usize {
            let mut scratch = [0; MODEL.scratch_words()];
            MODEL.predict(sample, &mut scratch).unwrap_or(usize::MAX)
        }
    };
}

/// A whole firmware that only predicts: the one whose bytes are counted.
#[macro_export]
macro_rules! only_predicts {
    ($name:literal) => {
        $crate::predictor!($name);

        #[cfg_attr(target_arch = "arm", cortex_m_rt::entry)]
        #[cfg_attr(target_arch = "riscv32", riscv_rt::entry)]
        fn main() -> ! {
            let mut sample = [0; MODEL.inputs()];
            loop {
                // Stands for a sensor that fills the sample and an actuator that takes the class.
                core::hint::black_box(&mut sample);
                core::hint::black_box(infer(&sample));
            }
        }

        #[panic_handler]
        fn panic(_: &core::panic::PanicInfo) -> ! {
            loop {}
        }
    };
}

/// A firmware with the same predictor that tells what an inference takes.
#[macro_export]
macro_rules! measures {
    ($name:literal) => {
        $crate::predictor!($name);

        #[cfg_attr(target_arch = "arm", cortex_m_rt::entry)]
        #[cfg_attr(target_arch = "riscv32", riscv_rt::entry)]
        fn main() -> ! {
            $crate::clock::start();
            let sample = [0; MODEL.inputs()];
            let infer = || {
                core::hint::black_box(infer(core::hint::black_box(&sample)));
            };
            let stack = $crate::stack_bytes(infer);
            let ((), instructions) = $crate::clock::instructions(infer);
            semihosting::println!("{instructions} instructions, {stack} bytes of stack");
            semihosting::process::exit(0)
        }

        #[panic_handler]
        fn panic(info: &core::panic::PanicInfo) -> ! {
            semihosting::println!("{info}");
            semihosting::process::exit(101)
        }
    };
}

/// What the bytes of a vectors file hold.
#[derive(Clone, Copy)]
pub struct Vectors {
    /// Inputs of each sample.
    pub inputs: usize,
    rest: &'static [u8],
}

impl Vectors {
    /// Reads the sizes.
    pub fn new(bytes: &'static [u8]) -> Option<Self> {
        let ([_, _, _, _, inputs @ ..], rest) = bytes.split_first_chunk::<8>()?;
        Some(Self { inputs: u32::from_le_bytes(*inputs) as usize, rest })
    }
}

impl Iterator for Vectors {
    type Item = (&'static [u8], usize, u32);

    /// The next sample, its class and its feature hash.
    fn next(&mut self) -> Option<Self::Item> {
        let (sample, rest) = self.rest.split_at_checked(self.inputs)?;
        let ([class, hash @ ..], rest) = rest.split_first_chunk::<5>()?;
        self.rest = rest;
        Some((sample, *class as usize, u32::from_le_bytes(*hash)))
    }
}

/// FNV-1a over the sign and mask words of a sample's features.
pub struct Hash(pub u32);

impl Hash {
    /// The hash of nothing.
    pub const EMPTY: Self = Self(0x811C_9DC5);

    /// Takes 32 features.
    pub fn add(&mut self, sign: u32, mask: u32) {
        for word in [sign, mask] {
            for byte in word.to_le_bytes() {
                self.0 = (self.0 ^ byte as u32).wrapping_mul(0x0100_0193);
            }
        }
    }
}

/// Executed instructions, as QEMU counts them.
pub mod clock {
    /// Ticks per 1,000 instructions.
    const TICKS: u64 = match u64::from_str_radix(env!("TICKS"), 10) {
        Ok(ticks) => ticks,
        Err(_) => panic!("build.rs writes a number"),
    };

    /// Starts the clock.
    #[cfg(target_arch = "arm")]
    pub fn start() {
        if let Some(mut peripherals) = cortex_m::Peripherals::take() {
            let systick = &mut peripherals.SYST;
            systick.set_clock_source(cortex_m::peripheral::syst::SystClkSource::Core);
            systick.set_reload(0x00FF_FFFF);
            systick.clear_current();
            systick.enable_counter();
        }
    }

    /// The clock always runs.
    #[cfg(target_arch = "riscv32")]
    pub fn start() {}

    /// Ticks, upwards, 24 bits of them.
    #[cfg(target_arch = "arm")]
    fn now() -> u32 {
        // SysTick counts down.
        0x00FF_FFFF - cortex_m::peripheral::SYST::get_current()
    }

    /// Ticks, upwards, 24 bits of them.
    #[cfg(target_arch = "riscv32")]
    fn now() -> u32 {
        let count: u32;
        // SAFETY: reads a counter that machine mode may read.
        unsafe { core::arch::asm!("csrr {}, minstret", out(reg) count) };
        count & 0x00FF_FFFF
    }

    /// Instructions that some work takes, up to ten million.
    pub fn instructions<T>(work: impl FnOnce() -> T) -> (T, u32) {
        let start = now();
        let value = work();
        let ticks = now().wrapping_sub(start) & 0x00FF_FFFF;
        (value, (ticks as u64 * 1000 / TICKS) as u32)
    }
}

/// Bytes of stack that some work takes, up to 10 KB.
#[inline(never)]
pub fn stack_bytes(work: impl FnOnce()) -> usize {
    const PAINT: u32 = 0x7E57_5AFE;
    const WORDS: usize = 10 * 256;
    // Below this frame, with room for the frames of the loops here.
    const GAP: usize = 32;
    let anchor = 0_u32;
    // An address, not a pointer into `anchor`: the words below are not part of it.
    let top = core::hint::black_box((&raw const anchor).expose_provenance());
    let at = |word: usize| core::ptr::with_exposed_provenance_mut::<u32>(top - 4 * word);
    for word in GAP..GAP + WORDS {
        // SAFETY: the machines have more than 12 KB of RAM below the stack's first frames, and
        // nothing lives there while this frame is the last.
        unsafe { at(word).write_volatile(PAINT) };
    }
    work();
    // The deepest word that was overwritten.
    // SAFETY: as above.
    let painted = |word: &usize| unsafe { at(*word).read_volatile() } == PAINT;
    4 * (GAP..GAP + WORDS).rev().find(|word| !painted(word)).unwrap_or(0)
}
