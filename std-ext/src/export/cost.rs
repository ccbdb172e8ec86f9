//! What a model costs on a device, before it is flashed.

use super::Export;
use ternion_core::View;
use ternion_core::model::{Model, ModelError, ModelForm, ModelSigma};

/// A core of a microcontroller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Core {
    /// Cortex-M0 and M0+.
    M0,
    /// Cortex-M4; an M3 or an M7 takes as many instructions.
    #[default]
    M4,
    /// Cortex-M33.
    M33,
    /// RISC-V with 32 bits, multiplication and compressed instructions.
    Rv32imc,
}

impl Core {
    /// Instructions and bytes of code, in hundredths of those of a Cortex-M0.
    const fn hundredths(self) -> (usize, usize) {
        match self {
            Self::M0 => (100, 100),
            Self::M4 | Self::M33 => (69, 97),
            Self::Rv32imc => (78, 120),
        }
    }
}

/// What a prediction costs on a device. See [`Export::cost`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceCost {
    /// Bytes of code and of the model.
    pub flash: usize,
    /// Bytes of scratch, of stack, and of a sample with a byte per input.
    pub ram: usize,
    /// Instructions of a prediction.
    pub instructions: usize,
}

/// Instructions on a Cortex-M0 for a word of weights in a bit plane.
const PER_PLANE: usize = 34;

/// The deepest stack of a prediction.
const STACK: usize = 250;

impl Export {
    /// What the predictor of [`to_c`](Self::to_c) costs if it is compiled for size: an estimate, made of what its steps
    /// take under QEMU. For the models of `.ci/targets` flash is within 5 % and instructions are within 20 %. Firmware in
    /// Rust takes up to a quarter more instructions and 1 to 3 KB more flash, start-up code included.
    ///
    /// # Errors
    ///
    /// None: the bytes were checked. The type is there so that nothing here can panic.
    ///
    /// ```
    /// use ternion::export::{Core, Export};
    ///
    /// let bytes = include_bytes!("../../../core/src/model/xor.trnm");
    /// let cost = Export::from_bytes(bytes.to_vec())?.cost(Core::M0)?;
    /// assert!(cost.flash < 1000 && cost.ram < 1000 && cost.instructions < 10_000);
    /// # Ok::<(), ternion::Error>(())
    /// ```
    pub fn cost(&self, core: Core) -> Result<DeviceCost, ModelError> {
        let model = self.model()?;
        let (per_instruction, per_byte) = core.hundredths();
        // The header and the checksum are not in C.
        let flash = self.bytes().len() - 60 + code(&model) * per_byte / 100;
        let ram = 4 * model.scratch_words() + model.inputs() + STACK;
        let planes = model.features().div_ceil(32) * model.outputs() * model.bits() as usize;
        let instructions = (project(&model) + PER_PLANE * planes) * per_instruction / 100;
        Ok(DeviceCost { flash, ram, instructions })
    }
}

/// Bytes of code on a Cortex-M0.
fn code(model: &Model<'_>) -> usize {
    let periodic = matches!(model.sigma(), ModelSigma::Periodic { .. });
    match model.form() {
        ModelForm::Local(w) => match (w.view(), periodic) {
            (View::Boxes(_), true) => 1290,
            (View::Boxes(_), false) => 1430,
            (_, true) => 1400,
            (_, false) => 1540,
        },
        ModelForm::Structured(_) => 1330,
        ModelForm::Seeded(_) => 1070,
        ModelForm::Stored(_) => 700 + 350 * usize::from(periodic),
    }
}

/// Instructions on a Cortex-M0 for all features.
fn project(model: &Model<'_>) -> usize {
    let groups = model.inputs().div_ceil(32);
    let whole = model.features().next_multiple_of(64);
    match model.form() {
        ModelForm::Local(w) => match w.view() {
            View::Boxes(_) => 104 * whole,
            _ => 162 * whole,
        },
        ModelForm::Structured(w) => {
            let padded = w.padded();
            let stages = padded.ilog2() as usize;
            model.features().div_ceil(padded) * padded * (120 + 17 * stages / 2)
        }
        ModelForm::Seeded(_) => model.features() * (590 + 325 * groups),
        ModelForm::Stored(_) => model.features() * (60 + 175 * groups),
    }
}
