//! Gives the linker the memory of the machine: change it to that of your board.

use std::{env, fs, path::PathBuf};

fn main() {
    let target = env::var("TARGET").unwrap_or_default();
    let machine = match target.as_str() {
        "thumbv6m-none-eabi" => "microbit",
        "thumbv7em-none-eabihf" => "mps2-an386",
        "riscv32imc-unknown-none-elf" => "virt",
        other => panic!("add the memory of a machine for {other} to build.rs"),
    };
    let map = format!("memory/{machine}.x");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::copy(&map, out.join("memory.x")).expect("the memory map is copied");
    println!("cargo:rustc-link-search={}", out.display());
    if machine == "virt" {
        println!("cargo:rustc-link-arg=-Tmemory.x");
    }
    println!("cargo:rustc-link-arg=-Tlink.x");
    println!("cargo:rerun-if-changed={map}");
}
