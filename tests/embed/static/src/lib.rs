//! A library for firmware in C that calls Ternion: a model in flash, a class for each sample, no std and no allocator.
#![no_std]

use ternion_core::model::{Model, Predictor};

/// The exclusive or of the signs of two numbers, from the documentation of models; checked when this is compiled.
const MODEL: Model<'_> = match Model::from_bytes(include_bytes!("../xor.trnm")) {
    Ok(model) => model,
    Err(_) => panic!("not a model"),
};

#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// The class of two numbers, or −1 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn xor_class(sample: &[i8; 2]) -> i32 {
    let Ok(mut predictor) = Predictor::<{ MODEL.scratch_words() }>::new(MODEL) else { return -1 };
    predictor.predict(sample).map_or(-1, |class| class as i32)
}
