//! The rules for what the sections of a model hold.

use super::error::ModelError;
use super::format::{CHECKSUM, HEADER, Model, ModelForm, ModelSigma, u16_at, u32_at};
use crate::error::Error;

/// Refuses a model whose sections, which have the right lengths, break a rule.
pub(super) const fn check(model: &Model<'_>) -> Result<(), ModelError> {
    if let Err(refused) = check_cuts(model) {
        return Err(refused);
    }
    if let Err(refused) = check_padding(model) {
        return Err(refused);
    }
    if let Err(refused) = check_words(model) {
        return Err(refused);
    }
    if let Err(refused) = check_planes(model) {
        return Err(refused);
    }
    check_heads(model)
}

/// Whether no sample of 8-bit numbers, signed or not, leaves 16 bits when it is centred. The numbers that inputs become
/// grow with them, so that the ends of the range decide.
pub(super) const fn bytes_fit(model: &Model<'_>) -> bool {
    let mut input = 0;
    while input < model.inputs {
        let (least, most) = (model.centred(input, -128), model.centred(input, 255));
        if least < i16::MIN as i32 || most > i16::MAX as i32 {
            return false;
        }
        input += 1;
    }
    true
}

/// The bands ascend and are apart.
const fn check_cuts(model: &Model<'_>) -> Result<(), ModelError> {
    let ModelSigma::Bands(found) = model.sigma else { return Ok(()) };
    let [below_outer, above_inner, below_inner, above_outer] = found;
    let ascend = above_inner <= below_inner && above_inner <= above_outer;
    let apart = below_outer.saturating_sub(1) <= above_inner
        && below_inner.saturating_sub(1) <= above_outer;
    if ascend && apart { Ok(()) } else { Err(ModelError::Thresholds { found }) }
}

/// What lies beyond the last input, word, feature and output is zero.
const fn check_padding(model: &Model<'_>) -> Result<(), ModelError> {
    let mut offset = HEADER;
    let sections = [
        (model.mean, model.inputs),
        (model.factors, model.inputs),
        (model.words, model.features.div_ceil(64)),
    ];
    let mut section = 0;
    while section < sections.len() {
        let (bytes, count) = sections[section];
        if u16_at(bytes, 2 * count) != 0 {
            return Err(ModelError::Padding { offset: offset + 2 * count });
        }
        offset += bytes.len();
        section += 1;
    }
    let mut output = model.outputs;
    while output < model.fractions.len() {
        if model.fractions[output] != 0 {
            let end = model.bytes.len() - CHECKSUM - model.fractions.len();
            return Err(ModelError::Padding { offset: end + output });
        }
        output += 1;
    }
    let group = 4 * model.outputs * model.bits as usize;
    let mut at = model.weights.len() - group;
    while at < model.weights.len() {
        if u32_at(model.weights, at) & !tail(model.features) != 0 {
            let behind = model.fractions.len() + model.heads.len() + model.weights.len();
            return Err(ModelError::Padding { offset: model.bytes.len() - CHECKSUM - behind + at });
        }
        at += 4;
    }
    Ok(())
}

/// The numbers of the words ascend.
const fn check_words(model: &Model<'_>) -> Result<(), ModelError> {
    let mut index = 1;
    while model.has_words() && index < model.features.div_ceil(64) {
        if model.word(index) <= model.word(index - 1) {
            return Err(ModelError::Words { index });
        }
        index += 1;
    }
    Ok(())
}

/// Stored planes are trits.
const fn check_planes(model: &Model<'_>) -> Result<(), ModelError> {
    let ModelForm::Stored(planes) = model.form else { return Ok(()) };
    let groups = model.inputs.div_ceil(32);
    let (mut row, mut at) = (0, 0);
    while row < model.features {
        let mut group = 0;
        while group < groups {
            let (sign, mask) = (u32_at(planes, at), u32_at(planes, at + 4));
            let stray = sign & !mask;
            if stray != 0 {
                let col = 32 * group + stray.trailing_zeros() as usize;
                return Err(ModelError::Planes(Error::SignOutsideMask { row, col }));
            }
            group += 1;
            at += 8;
            if group == groups && mask & !tail(model.inputs) != 0 {
                return Err(ModelError::Planes(Error::DirtyTail { row }));
            }
        }
        row += 1;
    }
    Ok(())
}

/// No score leaves 32 bits.
const fn check_heads(model: &Model<'_>) -> Result<(), ModelError> {
    let largest = model.features as u64 * ((1 << model.bits) - 1);
    let mut output = 0;
    while output < model.outputs {
        let scale = u32_at(model.heads, 8 * output) as i32;
        let bias = u32_at(model.heads, 8 * output + 4) as i32;
        let fits = match largest.checked_mul(scale.unsigned_abs() as u64) {
            Some(dot) => dot.saturating_add(bias.unsigned_abs() as u64) <= i32::MAX as u64,
            None => false,
        };
        if scale < 0 || !fits {
            return Err(ModelError::Scores { output });
        }
        output += 1;
    }
    Ok(())
}

/// The bits of the last word of a row that are columns.
const fn tail(cols: usize) -> u32 {
    u32::MAX >> ((32 - cols % 32) % 32)
}
