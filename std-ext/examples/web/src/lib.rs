//! A model of handwritten digits for a page, by ternion-core alone: what a page calls, and memory that both can see.
//!
//! The page writes the pixels of a digit to [`sample`], calls [`score`] or [`featurize`] and reads [`scores`] or
//! [`trits`]. The model is the one that the environment variable `TERNION_MODEL` names when this is compiled, which
//! also checks it.
#![no_std]

use core::array::from_fn;
use core::sync::atomic::{AtomicI32, AtomicU8, AtomicU32, Ordering::Relaxed};
use ternion_core::model::{Model, ModelForm};

const MODEL: Model<'_> = match Model::from_bytes(include_bytes!(env!("TERNION_MODEL"))) {
    Ok(model) => model,
    Err(_) => panic!("TERNION_MODEL is no model of this version: remove it to train it again"),
};
const PIXELS: usize = MODEL.inputs();
const CLASSES: usize = MODEL.classes();
const WORDS: usize = MODEL.features().div_ceil(32);

// Atomics, because safe Rust has no other memory that JavaScript can write; they cost nothing where there are no
// threads.
static SAMPLE: [AtomicU8; PIXELS] = [const { AtomicU8::new(0) }; PIXELS];
static SCORES: [AtomicI32; CLASSES] = [const { AtomicI32::new(0) }; CLASSES];
static TRITS: [[AtomicU32; 2]; WORDS] = [const { [const { AtomicU32::new(0) }; 2] }; WORDS];
static SEEN: [AtomicU8; PIXELS] = [const { AtomicU8::new(0) }; PIXELS];

#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// The pixels of a digit, row by row, a byte each, for the page to write.
#[unsafe(no_mangle)]
pub extern "C" fn sample() -> *const AtomicU8 {
    SAMPLE.as_ptr()
}

/// The scores of the classes that [`score`] found. Only their order and differences are meaningful.
#[unsafe(no_mangle)]
pub extern "C" fn scores() -> *const AtomicI32 {
    SCORES.as_ptr()
}

/// The features that [`featurize`] found: for each 32 of them a word of signs and a word of masks.
#[unsafe(no_mangle)]
pub extern "C" fn trits() -> *const [AtomicU32; 2] {
    TRITS.as_ptr()
}

/// The pixels that [`see`] found, a byte each that is 1 if they are seen.
#[unsafe(no_mangle)]
pub extern "C" fn seen() -> *const AtomicU8 {
    SEEN.as_ptr()
}

/// The number of pixels.
#[unsafe(no_mangle)]
pub extern "C" fn pixels() -> usize {
    PIXELS
}

/// The number of classes.
#[unsafe(no_mangle)]
pub extern "C" fn classes() -> usize {
    CLASSES
}

/// The number of features.
#[unsafe(no_mangle)]
pub extern "C" fn features() -> usize {
    MODEL.features()
}

/// Bits per weight.
#[unsafe(no_mangle)]
pub extern "C" fn bits() -> u32 {
    MODEL.bits()
}

/// Bytes of the model.
#[unsafe(no_mangle)]
pub extern "C" fn model_bytes() -> usize {
    MODEL.bytes().len()
}

/// Computes the scores of the sample; false if the model refuses it.
#[unsafe(no_mangle)]
pub extern "C" fn score() -> bool {
    let mut scratch = [0; MODEL.scratch_words()];
    let Ok(found) = MODEL.scores(&read_sample(), &mut scratch) else {
        return false;
    };
    for (score, &found) in SCORES.iter().zip(&*found) {
        score.store(found, Relaxed);
    }
    true
}

/// Computes the features of the sample; false if the model refuses it.
#[unsafe(no_mangle)]
pub extern "C" fn featurize() -> bool {
    let mut scratch = [0; MODEL.scratch_words()];
    let mut words = TRITS.iter();
    let store = |sign, mask| {
        if let Some(word) = words.next() {
            word[0].store(sign, Relaxed);
            word[1].store(mask, Relaxed);
        }
    };
    MODEL.featurize(&read_sample(), &mut scratch, store).is_ok()
}

/// Finds the pixels that a word of 64 features sees; false if they are all.
#[unsafe(no_mangle)]
pub extern "C" fn see(word: usize) -> bool {
    let ModelForm::Local(w) = MODEL.form() else {
        return false;
    };
    SEEN.iter().for_each(|pixel| pixel.store(0, Relaxed));
    w.seen(MODEL.word(word)).for_each(|pixel| SEEN[pixel].store(1, Relaxed));
    true
}

fn read_sample() -> [u8; PIXELS] {
    from_fn(|pixel| SAMPLE[pixel].load(Relaxed))
}
