//! The model in model.trnm, checked by the compiler, and its memory.
#![no_std]

use ternion_core::model::{Model, Predictor};

/// The model: bytes that `ternion::export` wrote. This one tells whether two numbers have different signs.
pub const MODEL: Model<'static> = match Model::from_bytes(include_bytes!("../model.trnm")) {
    Ok(model) => model,
    Err(_) => panic!("model.trnm is not a model of this version"),
};

/// A sample.
pub type Sample = [i8; MODEL.inputs()];

/// The model with the memory that a prediction takes.
pub type Classifier = Predictor<'static, { MODEL.scratch_words() }>;

/// Stands for a sensor: what the model in this folder was made for, with the right classes.
pub const SAMPLES: [(Sample, usize); 4] =
    [([10, 10], 0), ([10, -10], 1), ([-10, 10], 1), ([-10, -10], 0)];
