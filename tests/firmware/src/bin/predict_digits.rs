//! Only predicts digits: the firmware whose bytes are counted.
#![no_std]
#![no_main]

use core::hint::black_box;

ternion_firmware::predictor!("digits.trnm");

#[cfg_attr(target_arch = "arm", cortex_m_rt::entry)]
#[cfg_attr(target_arch = "riscv32", riscv_rt::entry)]
fn main() -> ! {
    let mut sample = [0; MODEL.inputs()];
    loop {
        // Stands for a sensor that fills the sample and an actuator that takes the class.
        black_box(&mut sample);
        black_box(infer(&sample));
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
