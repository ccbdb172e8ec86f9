//! The numbers of a model as constants and arrays in C.

use std::fmt::{Display, Write};
use ternion_core::model::{Model, ModelForm, ModelSigma};
use ternion_core::{Grid, View};

/// Sizes, seeds and thresholds, then the arrays, then what turns an input into a number for W.
pub(super) fn constants(model: &Model<'_>) -> String {
    let features = model.features();
    let last = u32::MAX >> (features.wrapping_neg() % 32);
    let mut text = String::from(
        "\n/* What C leaves to compilers, and those for these cores agree on: checked here. */\n\
         typedef char model_shifts_keep_signs[(-1 >> 1) == -1 ? 1 : -1];\n\
         typedef char model_casts_wrap[(int16_t)0x8001 == -32767 ? 1 : -1];\n\n",
    );
    let mut define = |name: &str, value: String| text += &format!("#define {name} {value}\n");
    define("INPUTS", unsigned(model.inputs()));
    define("FEATURES", unsigned(features));
    define("GROUPS", unsigned(features.div_ceil(32)));
    define("LAST_FEATURES", format!("0x{last:08X}u"));
    define("OUTPUTS", unsigned(model.outputs()));
    define("BITS", unsigned(model.bits()));
    match model.sigma() {
        ModelSigma::Bands(cuts) => {
            for (index, cut) in cuts.into_iter().enumerate() {
                define(&format!("CUT_{index}"), signed(cut));
            }
        }
        ModelSigma::Periodic { factor, seed } => {
            define("PERIOD_FACTOR", format!("((uint32_t)0x{factor:08X}u)"));
            // Phases are rows from 2⁶² on, whose counters differ from those of rows from 0 on in the highest bit.
            define("PHASE_SEED", long(seed ^ 1 << 63));
        }
    }
    match model.form() {
        ModelForm::Stored(_) => {}
        ModelForm::Seeded(w) => {
            define("SEED", long(w.seed()));
            define("SPARSITY", format!("0x{:08X}u", w.sparsity().bits()));
        }
        ModelForm::Structured(w) => {
            define("SEED", long(w.seed()));
            define("PADDED", unsigned(w.padded()));
            define("ROTATION_SHIFT", w.rotation_shift().to_string());
        }
        ModelForm::Local(w) => {
            define("SEED", long(w.seed()));
            let word = if model.has_words() { "words[index]" } else { "(index)" };
            define("WORD(index)", word.into());
            match w.view() {
                View::Boxes(Grid { width, height, channels }) => {
                    define("GRID_WIDTH", unsigned(width));
                    define("GRID_HEIGHT", unsigned(height));
                    define("GRID_CHANNELS", unsigned(channels));
                }
                View::Subsets { least, most } => {
                    define("SUBSET_LEAST", unsigned(least));
                    define("SUBSET_MOST", unsigned(most));
                }
                // The format has no other.
                _ => {}
            }
        }
    }
    if !matches!(model.form(), ModelForm::Structured(_) | ModelForm::Local(_)) {
        define("TABLE_INPUTS", unsigned(model.inputs().next_multiple_of(32)));
    }
    arrays(model, &mut text);
    centred(model, &mut text);
    text
}

fn arrays(model: &Model<'_>, text: &mut String) {
    let inputs = 0..model.inputs();
    if model.has_mean() {
        array(text, "int16_t means[INPUTS]", inputs.clone().map(|input| model.mean(input)));
    }
    let factors: Option<Vec<u16>> = inputs.map(|input| model.factor(input)).collect();
    if let Some(factors) = factors {
        array(text, "uint16_t factors[INPUTS]", factors.into_iter());
    }
    if model.has_words() {
        let words = (0..model.features().div_ceil(64)).map(|index| model.word(index));
        array(text, "uint16_t words[(GROUPS + 1u) / 2u]", words);
    }
    let hexadecimal = |bytes: &[u8; 4]| format!("0x{:08X}u", u32::from_le_bytes(*bytes));
    if let ModelForm::Stored(planes) = model.form() {
        let planes = planes.as_chunks().0.iter().map(hexadecimal);
        array(text, "uint32_t planes[FEATURES * (TABLE_INPUTS / 16u)]", planes);
    }
    let weights = model.weight_planes().as_chunks().0.iter().map(hexadecimal);
    array(text, "uint32_t weights[GROUPS * OUTPUTS * BITS]", weights);
    let heads = (0..model.outputs()).filter_map(|output| model.head(output));
    array(text, "int32_t scales[OUTPUTS]", heads.clone().map(|(scale, _)| scale));
    array(text, "int32_t biases[OUTPUTS]", heads.map(|(_, bias)| signed(bias)));
}

/// The function that scales and centres the number of an input.
fn centred(model: &Model<'_>, text: &mut String) {
    let scaled = match (model.factor(0), model.shift()) {
        (Some(_), shift) => {
            format!("(((int32_t)sample[input] * (int32_t)factors[input]) >> {shift})")
        }
        (None, 0) => "(int32_t)sample[input]".into(),
        (None, shift) => format!("(int32_t)sample[input] * {}", 1 << shift),
    };
    let mean = if model.has_mean() { " - means[input]" } else { "" };
    let _ = write!(
        text,
        "\n/* The number that W takes for an input: scaled and centred. */\n\
         static int32_t centred(const model_number *sample, uint32_t input)\n\
         {{\n    return {scaled}{mean};\n}}\n"
    );
}

/// The samples and the scores of the self-test, and its code; nothing if there are none.
pub(super) fn self_test(model: &Model<'_>, numbers: &[i16], scores: &[i32]) -> String {
    let tests = numbers.len() / model.inputs();
    if tests == 0 {
        return String::new();
    }
    let mut text = format!("#ifdef MODEL_SELF_TEST\n#define TESTS {tests}\n");
    let samples = numbers.chunks(model.inputs()).map(row);
    array(&mut text, "model_number test_samples[TESTS][INPUTS]", samples);
    let scores = scores.chunks(model.outputs()).map(row);
    array(&mut text, "int32_t test_scores[TESTS][OUTPUTS]", scores);
    text + "\n" + include_str!("parts/self_test.c") + "#endif\n"
}

/// A row of a table.
fn row<T: Copy + Into<i32>>(numbers: &[T]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|&number| signed(number.into())).collect();
    format!("{{{}}}", numbers.join(", "))
}

/// A constant array, twelve numbers on a line.
fn array(text: &mut String, declaration: &str, numbers: impl Iterator<Item = impl Display>) {
    // Writing to a String cannot fail.
    let _ = write!(text, "\nstatic const {declaration} = {{");
    for (index, number) in numbers.enumerate() {
        let space = if index % 12 == 0 { "\n    " } else { " " };
        let _ = write!(text, "{space}{number},");
    }
    text.push_str("\n};\n");
}

fn unsigned(number: impl Display) -> String {
    format!("{number}u")
}

/// The least number has no literal of its own.
fn signed(number: i32) -> String {
    if number == i32::MIN { "INT32_MIN".into() } else { number.to_string() }
}

fn long(number: u64) -> String {
    format!("UINT64_C(0x{number:016X})")
}
