//! A predictor in C99 that needs nothing else: the numbers of a model, and the code that its W and its σ take.
//!
//! The code is put together from the files in `parts`, which are C as it is: only the prefix `model_` becomes the name of
//! the model. What they compute is specified by [`ternion_core::model`].

mod data;

use super::{Export, source::check_name};
use crate::Error;
use ternion_core::View;
use ternion_core::model::{Model, ModelForm, ModelSigma, ModelTask};

/// A C99 header and source: a predictor without a library. See [`Export::to_c`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CSource {
    /// The text of `NAME.h`: sizes, types and declarations.
    pub header: String,
    /// The text of `NAME.c`: the numbers of the model, and the code.
    pub source: String,
}

/// A type of numbers that samples consist of in C: `i8`, `u8` or `i16`.
pub trait CNumber: Copy + Into<i16> + sealed::Sealed {
    /// Its name in C.
    const NAME: &'static str;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! c_numbers {
    ($($number:ty => $name:literal),*) => {
        $(
            impl sealed::Sealed for $number {}
            impl CNumber for $number {
                const NAME: &'static str = $name;
            }
        )*
    };
}

c_numbers!(i8 => "int8_t", u8 => "uint8_t", i16 => "int16_t");

impl Export {
    /// A predictor in C99, for samples of numbers of type `T`: integers only, no allocation, and no library, not even
    /// that of C.
    ///
    /// `NAME_predict` gives the class of a sample and `NAME_scores` its scores, bit for bit those of the [`Model`]; the
    /// memory that they work in is a struct that the caller lends. `tests` are contiguous samples, a few or none:
    /// `NAME_self_test`, which is there if `NAME_SELF_TEST` is defined, compares their scores with those that they have
    /// here.
    ///
    /// ```
    /// use ternion::export::Export;
    ///
    /// let bytes = include_bytes!("../../../../core/src/model/xor.trnm");
    /// let c = Export::from_bytes(bytes.to_vec())?.to_c("xor", &[10_i8, -10, 10, 10])?;
    /// assert!(c.header.contains("int32_t xor_predict(const xor_number sample[XOR_INPUTS], xor_scratch *scratch);"));
    /// assert!(c.source.contains("#include \"xor.h\""));
    /// # Ok::<(), ternion::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ExportError::Name`](super::ExportError::Name) as [`to_rust`](Self::to_rust), and [`Error::Core`] for tests that
    /// are not a whole number of samples, or out of range.
    pub fn to_c<T: CNumber>(&self, name: &str, tests: &[T]) -> Result<CSource, Error> {
        check_name(name)?;
        let model = self.model()?;
        let mut scratch = vec![0; model.scratch_words()];
        let mut scores = Vec::new();
        for sample in tests.chunks(model.inputs()) {
            scores.extend_from_slice(model.scores(sample, &mut scratch)?);
        }
        let numbers: Vec<i16> = tests.iter().map(|&number| number.into()).collect();
        let source = [
            data::constants(&model),
            code::<T>(&model).join("\n"),
            data::self_test(&model, &numbers, &scores),
        ];
        let named = |text: String| {
            let upper = format!("{}_", name.to_uppercase());
            text.replace("model_", &format!("{name}_")).replace("MODEL_", &upper)
        };
        let header = named(header::<T>(&model, numbers.len() / model.inputs()));
        let include = format!("#include \"{name}.h\"\n");
        Ok(CSource { header, source: include + &named(source.join("\n")) })
    }
}

/// The text of the header.
fn header<T: CNumber>(model: &Model<'_>, tests: usize) -> String {
    let (inputs, features, outputs) = (model.inputs(), model.features(), model.outputs());
    let classes = match model.task() {
        ModelTask::Classes => format!("#define MODEL_CLASSES {}\n", model.classes()),
        ModelTask::Numbers => {
            let fraction = |output| model.fraction(output).unwrap_or_default().to_string();
            let fractions: Vec<String> = (0..outputs).map(fraction).collect();
            format!(
                "/* The number that an output predicts is its score / 2^fraction. */\n\
                 #define MODEL_FRACTIONS {{{}}}\n",
                fractions.join(", ")
            )
        }
    };
    let predict = match model.task() {
        ModelTask::Classes => {
            "/* The class of a sample, from 0; -1 if a number is too large for the model. */\n\
             int32_t model_predict(const model_number sample[MODEL_INPUTS], model_scratch *scratch);\n\n"
        }
        ModelTask::Numbers => "",
    };
    let work = match model.form() {
        ModelForm::Local(_) => "    uint16_t numbers[64];\n".to_string(),
        ModelForm::Structured(w) => format!("    uint16_t numbers[{}];\n", w.padded()),
        ModelForm::Seeded(_) | ModelForm::Stored(_) => {
            format!("    uint32_t tables[{}];\n", inputs.div_ceil(32) * 128)
        }
    };
    let (bands, band_fields) = match model.sigma() {
        ModelSigma::Bands(_) => (
            "typedef struct {\n    uint32_t outer, outer_width, inner, inner_width;\n} model_bands;\n\n",
            "    model_bands bands;\n    int32_t shift;\n",
        ),
        ModelSigma::Periodic { .. } => ("", ""),
    };
    let self_test = match tests {
        0 => "",
        _ => {
            "#ifdef MODEL_SELF_TEST\n\
             /* 0 if the scores of all test samples are right, or the number of the first that has a wrong one, from 1. */\n\
             int32_t model_self_test(model_scratch *scratch);\n\
             #endif\n\n"
        }
    };
    let number = T::NAME;
    format!(
        "/* A model of {inputs} inputs, {features} features and {outputs} outputs, written by ternion. Do not edit. */\n\
         #ifndef TERNION_MODEL_H\n#define TERNION_MODEL_H\n\n\
         #include <stdint.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n\
         #define MODEL_INPUTS {inputs}\n#define MODEL_OUTPUTS {outputs}\n{classes}\n\
         typedef {number} model_number;\n\n{bands}\
         /* The memory that a prediction takes. Nothing in it has to be set. */\n\
         typedef struct {{\n    int32_t scores[MODEL_OUTPUTS];\n{work}{band_fields}}} model_scratch;\n\n\
         /* Writes the scores of a sample to scratch->scores. 0, or -1 if a number is too large for the model. */\n\
         int32_t model_scores(const model_number sample[MODEL_INPUTS], model_scratch *scratch);\n\n\
         {predict}{self_test}\
         #ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )
}

/// The parts of the code, in order: each uses those before it.
fn code<T: CNumber>(model: &Model<'_>) -> Vec<&'static str> {
    macro_rules! part {
        ($name:literal) => {
            include_str!(concat!("parts/", $name, ".c"))
        };
    }
    let periodic = matches!(model.sigma(), ModelSigma::Periodic { .. });
    let local = matches!(model.form(), ModelForm::Local(_));
    let structured = matches!(model.form(), ModelForm::Structured(_));
    let stored = matches!(model.form(), ModelForm::Stored(_));
    let tables = !local && !structured;
    let shifted = structured || local && !periodic;
    let boxes = matches!(model.form(), ModelForm::Local(w) if matches!(w.view(), View::Boxes(_)));
    let fits = size_of::<T>() == 1 && model.bytes_fit();
    let single = model.outputs() == 1;
    let classes = model.task() == ModelTask::Classes;
    let parts = [
        (fits, part!("fits")),
        (!fits, part!("refuse")),
        (!stored || periodic, part!("random")),
        (!stored, part!("draw")),
        (local, part!("below")),
        (shifted, part!("norm")),
        (structured || local, part!("transform")),
        (true, part!("scores")),
        // σ.
        (tables && !periodic, part!("sums32")),
        (!tables && !periodic, part!("sums16")),
        (!periodic, part!("bands")),
        (!tables && !periodic, part!("narrow")),
        (periodic && !structured, part!("turned")),
        (periodic && local, part!("early_phases")),
        (periodic && !local, part!("phases")),
        // W.
        (local && periodic, part!("number_turned")),
        (local && !periodic, part!("number_shifted")),
        (local, part!("see")),
        (local && boxes, part!("boxes")),
        (local && !boxes, part!("subsets")),
        (local && periodic, part!("local_periodic")),
        (local && !periodic, part!("local_bands")),
        (structured, part!("rotate")),
        (structured && periodic, part!("structured_periodic")),
        (structured && !periodic, part!("structured_bands")),
        (tables, part!("weights32")),
        (stored, part!("stored")),
        (tables && !stored, part!("seeded")),
        (tables && periodic, part!("table_turned")),
        (tables && !periodic, part!("table_plain")),
        (tables, part!("tables")),
        (tables && periodic, part!("tables_periodic")),
        (tables && !periodic, part!("tables_bands")),
        (true, part!("api")),
        (classes && !single, part!("classes")),
        (classes && single, part!("two_classes")),
    ];
    parts.into_iter().filter(|(needed, _)| *needed).map(|(_, part)| part).collect()
}
