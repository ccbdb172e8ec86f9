//! Tells the crate which machine it is for: the memory map, where the runtime's linker script looks
//! for it, and how fast the machine's clock ticks.

use std::{env, fs, path::PathBuf};

fn main() {
    let target = env::var("TARGET").unwrap_or_default();
    // Ticks of the clock per 1,000 instructions. Under QEMU with `-icount shift=6` an instruction
    // takes 64 ns; SysTick runs at 16, 25 and 20 MHz. RISC-V counts instructions itself.
    let (machine, ticks) = match target.as_str() {
        "thumbv6m-none-eabi" => ("microbit", 1024),
        "thumbv7em-none-eabihf" => ("mps2-an386", 1600),
        "thumbv8m.main-none-eabi" => ("mps2-an505", 1280),
        "riscv32imc-unknown-none-elf" => ("virt", 1000),
        other => panic!("no machine is known for {other}"),
    };
    let map = format!("memory/{machine}.x");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::copy(&map, out.join("memory.x")).expect("the memory map is copied");
    println!("cargo:rustc-link-search={}", out.display());
    if machine == "virt" {
        println!("cargo:rustc-link-arg=-Tmemory.x");
    }
    println!("cargo:rustc-link-arg=-Tlink.x");
    println!("cargo:rustc-env=TICKS={ticks}");
    println!("cargo:rustc-env=MACHINE={machine}");
    println!("cargo:rerun-if-changed={map}");
    println!("cargo:rerun-if-env-changed=TERNION_MODELS");
}
