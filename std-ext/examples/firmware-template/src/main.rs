//! Classifies samples, and exits with a status.
#![no_std]
#![no_main]

use semihosting::{println, process};
use ternion_firmware_template::{Classifier, MODEL, SAMPLES};

#[cfg_attr(target_arch = "arm", cortex_m_rt::entry)]
#[cfg_attr(target_arch = "riscv32", riscv_rt::entry)]
fn main() -> ! {
    let mut failed = 0;
    match Classifier::new(MODEL) {
        Ok(mut classifier) => {
            for (sample, class) in SAMPLES {
                let predicted = classifier.predict(&sample);
                println!("{sample:?}: class {predicted:?}");
                failed += (predicted != Ok(class)) as i32;
            }
        }
        Err(_) => failed = 1,
    }
    process::exit(failed)
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo<'_>) -> ! {
    println!("{info}");
    process::exit(101)
}
