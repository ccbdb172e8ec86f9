//! What `ternion.h` declares: models of `ternion-core` for programs in C.
#![no_std]
#![deny(missing_docs, clippy::undocumented_unsafe_blocks, clippy::missing_safety_doc)]

use core::slice;
use ternion_core::Error;
use ternion_core::model::Model;

const NULL: i32 = -1;
const NO_MODEL: i32 = -2;
const SAMPLE: i32 = -3;
const SCRATCH: i32 = -4;
const OUT_OF_RANGE: i32 = -5;
const NO_CLASSES: i32 = -6;

/// `ternion_model` of the header, which has room for a [`Model`] on every target.
#[repr(C)]
pub struct Opened {
    words: [u64; 40],
}

const _: () = assert!(size_of::<Model<'_>>() <= size_of::<Opened>());
const _: () = assert!(align_of::<Model<'_>>() <= align_of::<Opened>());

#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// Opens a model.
///
/// # Safety
///
/// `bytes` points to `length` bytes that live and stay as they are as long as the model is used, `opened` to a
/// `ternion_model`; each may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ternion_open(opened: *mut Opened, bytes: *const u8, length: usize) -> i32 {
    if bytes.is_null() || !is_valid(opened) {
        return NULL;
    }
    // SAFETY: the caller's word.
    let bytes: &'static [u8] = unsafe { slice::from_raw_parts(bytes, length) };
    let Ok(model) = Model::from_bytes(bytes) else { return NO_MODEL };
    // SAFETY: not null and aligned, as was checked; large enough, as is asserted above.
    unsafe { opened.cast::<Model<'_>>().write(model) };
    0
}

/// Whether a pointer is neither null nor misaligned.
fn is_valid<T>(pointer: *const T) -> bool {
    !pointer.is_null() && pointer.is_aligned()
}

/// The model in `opened`, if there is a pointer.
///
/// # Safety
///
/// [`ternion_open`] returned 0 for it, or it is null.
unsafe fn model<'a>(opened: *const Opened) -> Option<&'a Model<'static>> {
    // SAFETY: a model was written there.
    is_valid(opened).then(|| unsafe { &*opened.cast() })
}

/// A function that returns a size of a model; 0 for a null pointer.
macro_rules! sizes {
    ($($name:ident, $size:ident;)*) => {$(
        /// A size of an opened model.
        ///
        /// # Safety
        ///
        /// [`ternion_open`] returned 0 for the model, or it is null.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(opened: *const Opened) -> usize {
            // SAFETY: the caller's word.
            unsafe { model(opened) }.map_or(0, Model::$size)
        }
    )*};
}

sizes! {
    ternion_inputs, inputs;
    ternion_outputs, outputs;
    ternion_scratch_words, scratch_words;
}

/// Calls a method of a model with a sample and a scratch.
///
/// # Safety
///
/// As [`model`]; `sample` points to `inputs` numbers and `scratch` to `words` words, which nothing else uses meanwhile.
unsafe fn call<T: Copy + Into<i16>>(
    opened: *const Opened,
    (sample, inputs): (*const T, usize),
    (scratch, words): (*mut i32, usize),
    method: impl FnOnce(&Model<'_>, &[T], &mut [i32]) -> Result<i32, Error>,
) -> i32 {
    // SAFETY: the caller's word.
    let Some(model) = (unsafe { model(opened) }) else { return NULL };
    if !is_valid(sample) || !is_valid(scratch) {
        return NULL;
    }
    // SAFETY: the caller's word, and neither is null nor misaligned.
    let (sample, scratch) = unsafe {
        (slice::from_raw_parts(sample, inputs), slice::from_raw_parts_mut(scratch, words))
    };
    match method(model, sample, scratch) {
        Ok(value) => value,
        Err(Error::TooShort { .. }) => SCRATCH,
        Err(Error::OutOfRange { .. }) => OUT_OF_RANGE,
        Err(Error::NoClasses { .. }) => NO_CLASSES,
        Err(_) => SAMPLE,
    }
}

/// The class of a sample.
fn class<T: Copy + Into<i16>>(
    model: &Model<'_>,
    x: &[T],
    scratch: &mut [i32],
) -> Result<i32, Error> {
    model.predict(x, scratch).map(|class| class as i32)
}

/// 0, with the scores of a sample at the start of the scratch.
fn scores<T: Copy + Into<i16>>(
    model: &Model<'_>,
    x: &[T],
    scratch: &mut [i32],
) -> Result<i32, Error> {
    model.scores(x, scratch).map(|_| 0)
}

/// A function for samples of one type: what it returns, its name and the type.
macro_rules! predictors {
    ($($method:ident $name:ident $type:ty;)*) => {$(
        #[doc = concat!("`", stringify!($method), "` of a sample of `", stringify!($type), "`.")]
        ///
        /// # Safety
        ///
        /// [`ternion_open`] returned 0 for the model, `sample` points to `inputs` numbers and `scratch` to `words` words,
        /// which nothing else uses meanwhile; each may be null.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            opened: *const Opened,
            sample: *const $type,
            inputs: usize,
            scratch: *mut i32,
            words: usize,
        ) -> i32 {
            // SAFETY: the caller's word.
            unsafe { call(opened, (sample, inputs), (scratch, words), $method) }
        }
    )*};
}

predictors! {
    class ternion_predict_u8 u8;
    class ternion_predict_i8 i8;
    class ternion_predict_i16 i16;
    scores ternion_scores_u8 u8;
    scores ternion_scores_i8 i8;
    scores ternion_scores_i16 i16;
}
