//! Classifies the bundled samples and compares every class and every feature hash with the
//! desktop's; exits with a status.
#![no_std]
#![no_main]

use core::hint::black_box;
use semihosting::{println, process};
use ternion_core::model::Model;
use ternion_firmware::{Hash, Vectors, clock, model_file};

#[cfg_attr(target_arch = "arm", cortex_m_rt::entry)]
#[cfg_attr(target_arch = "riscv32", riscv_rt::entry)]
fn main() -> ! {
    clock::start();
    let mut failed = 0;
    failed += check("digits", model_file!("digits.trnm"), model_file!("digits.vectors"));
    failed += check("seeded", model_file!("seeded.trnm"), model_file!("seeded.vectors"));
    failed += check("stored", model_file!("stored.trnm"), model_file!("stored.vectors"));
    failed +=
        check("structured", model_file!("structured.trnm"), model_file!("structured.vectors"));
    failed += check("subsets", model_file!("subsets.trnm"), model_file!("subsets.vectors"));
    failed += check("mnist", model_file!("mnist.trnm"), model_file!("mnist.vectors"));
    #[cfg(feature = "fashion")]
    {
        failed += check("fashion", model_file!("fashion.trnm"), model_file!("fashion.vectors"));
    }
    process::exit(failed.min(1))
}

/// Room for the largest model here.
const SCRATCH: usize = 1100;

/// Checks one model and returns the number of samples that differ.
#[inline(never)]
fn check(name: &str, bytes: &'static [u8], vectors: &'static [u8]) -> i32 {
    let (model, reading) = clock::instructions(|| Model::from_bytes(black_box(bytes)));
    let (Ok(model), Some(vectors)) = (model, Vectors::new(vectors)) else {
        println!("{} {name}: not a model", env!("MACHINE"));
        return 1;
    };
    let mut scratch = [0; SCRATCH];
    let (mut count, mut failed) = (0, 0);
    let (mut least, mut most) = (u32::MAX, 0);
    for (sample, class, hash) in vectors {
        let (predicted, instructions) =
            clock::instructions(|| model.predict(black_box(sample), &mut scratch));
        let mut found = Hash::EMPTY;
        let features = model.featurize(sample, &mut scratch, |sign, mask| found.add(sign, mask));
        count += 1;
        failed += (features.is_err() || predicted != Ok(class) || found.0 != hash) as i32;
        (least, most) = (least.min(instructions), most.max(instructions));
    }
    println!(
        "{} {name}: {count} samples, {failed} failed, {least} to {most} instructions each, \
         {reading} to read {} bytes",
        env!("MACHINE"),
        bytes.len()
    );
    failed + (count == 0) as i32
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    println!("{} {info}", env!("MACHINE"));
    process::exit(101)
}
