//! Predictors in C against their models: compiled by the system's compiler, they must give the same bits.
//!
//! `TERNION_C` names a folder to leave the sources in, for other compilers, and `TERNION_CFLAGS` adds options.
//! `TERNION_C_ROUNDS` is a range of rounds, of 36 random models each: `.ci/fuzz` runs as many as it has time for.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use ternion::export::{CNumber, Export};
use ternion_core::model::{Model, ModelTask};
use ternion_tests::data::Random;
use ternion_tests::model::{PlainModel, random_model};

/// Warnings that the code must not give.
const WARNINGS: [&str; 8] = [
    "-std=c99",
    "-Wall",
    "-Wextra",
    "-Wconversion",
    "-Wsign-conversion",
    "-Wshadow",
    "-pedantic",
    "-Werror",
];

/// Rounds of random models in a run that asks for no more.
const ROUNDS: u64 = 3;

/// The rounds to run, of which each has random numbers of its own: `FIRST..END` by the variable.
fn rounds() -> std::ops::Range<u64> {
    let Ok(text) = env::var("TERNION_C_ROUNDS") else { return 0..ROUNDS };
    let (first, end) = text.split_once("..").expect("FIRST..END");
    first.parse().unwrap()..end.parse().unwrap()
}

/// Test samples of each model.
const SAMPLES: usize = 4;

/// A program in C that runs the self-tests of predictors.
#[derive(Default)]
struct Program {
    includes: String,
    scratch: String,
    checks: String,
    models: usize,
}

impl Program {
    /// Writes the predictor of a model and the checks of its classes and refusals.
    fn add<T: CNumber>(&mut self, folder: &Path, bytes: Vec<u8>, sample: impl FnMut() -> T) {
        let export = Export::from_bytes(bytes).unwrap();
        let model = export.model().unwrap();
        let mut scratch = vec![0; model.scratch_words()];
        let numbers: Vec<T> = std::iter::repeat_with(sample).take(16 * model.inputs()).collect();
        let (right, refused): (Vec<_>, Vec<_>) = numbers
            .chunks(model.inputs())
            .partition(|sample| model.scores(sample, &mut scratch).is_ok());
        let tests: Vec<T> = right.iter().copied().take(SAMPLES).flatten().copied().collect();
        let name = format!("m{}", self.models);
        let c = export.to_c(&name, &tests).unwrap();
        fs::write(folder.join(format!("{name}.h")), c.header).unwrap();
        fs::write(folder.join(format!("{name}.c")), c.source).unwrap();
        self.models += 1;

        writeln!(self.includes, "#include \"{name}.h\"").unwrap();
        writeln!(self.scratch, "    {name}_scratch {name};").unwrap();
        if !tests.is_empty() {
            let call = format!("{name}_self_test(&scratch.{name})");
            writeln!(self.checks, "    failed += {call} != 0;").unwrap();
        }
        for sample in right.iter().take(1).chain(refused.iter().take(1)) {
            self.call(&name, &model, sample);
        }
    }

    /// Checks what a sample gives.
    fn call<T: CNumber>(&mut self, name: &str, model: &Model<'_>, sample: &[T]) {
        let mut scratch = vec![0; model.scratch_words()];
        let (function, expected) = match (model.task(), model.scores(sample, &mut scratch)) {
            (ModelTask::Classes, Ok(_)) => {
                ("predict", model.predict(sample, &mut scratch).unwrap() as i32)
            }
            (ModelTask::Numbers, Ok(_)) => ("scores", 0),
            (ModelTask::Classes, Err(_)) => ("predict", -1),
            (ModelTask::Numbers, Err(_)) => ("scores", -1),
        };
        let numbers: Vec<String> =
            sample.iter().map(|&number| format!("{}", number.into())).collect();
        writeln!(
            self.checks,
            "    {{\n        static const {name}_number sample[] = {{{}}};\n        \
             failed += {name}_{function}(sample, &scratch.{name}) != {expected};\n    }}",
            numbers.join(", ")
        )
        .unwrap();
    }

    /// The text of the program. Memory is dirty before the first prediction, and after every other.
    fn text(&self) -> String {
        format!(
            "{}\nint main(void);\n\nstatic union {{\n{}    unsigned char bytes[8];\n}} scratch;\n\n\
             int main(void)\n{{\n    int failed = 0;\n    \
             for (unsigned k = 0u; k < sizeof scratch; k++) {{\n        \
             (&scratch.bytes[0])[k] = 0x5A;\n    }}\n{}    return failed;\n}}\n",
            self.includes, self.scratch, self.checks
        )
    }
}

/// A folder of its own for some sources.
fn folder(name: &str) -> PathBuf {
    let parent = env::var_os("TERNION_C").unwrap_or(env!("CARGO_TARGET_TMPDIR").into());
    let folder = PathBuf::from(parent).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Compiles a folder of sources and returns the status of the program.
fn run(folder: &Path, models: usize) -> i32 {
    let flags = env::var("TERNION_CFLAGS").unwrap_or_default();
    let selves = (0..models).map(|k| format!("-DM{k}_SELF_TEST"));
    let sources = (0..models).map(|k| format!("m{k}.c")).chain(["main.c".into()]);
    let compiled = Command::new("cc")
        .current_dir(folder)
        .args(WARNINGS)
        .args(["-O1", "-o", "program"])
        .args(flags.split_whitespace())
        .args(selves)
        .args(sources)
        .output()
        .expect("a C compiler, which Rust links with as well");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    assert!(compiled.stderr.is_empty(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(folder.join("program")).output().unwrap();
    assert!(run.stderr.is_empty(), "{}", String::from_utf8_lossy(&run.stderr));
    run.status.code().unwrap_or(-1)
}

/// Every form, σ, number of bits, section and type of numbers, at odd sizes.
#[test]
fn predictors_in_c_give_the_scores_of_their_models() {
    for round in rounds() {
        let mut random = Random::new(17 + round);
        let folder = folder(&format!("round{round}"));
        let mut program = Program::default();
        for inputs in [1, 2, 5, 31, 32, 33, 64, 65, 130] {
            let sizes = [[1, 32, 65, 150], [2, 31, 64, 190], [33, 63, 128, 257]];
            let chosen = || std::array::from_fn(|_| 1 + random.below(260));
            let sizes = sizes.get(round as usize).copied().unwrap_or_else(chosen);
            for features in sizes {
                // Other inputs as well than those of the first rounds.
                let inputs = if round < ROUNDS { inputs } else { 1 + random.below(140) };
                let model = random_model(&mut random, inputs, features).to_bytes();
                let spread = 1 << random.below(16);
                match random.below(3) {
                    0 => program.add(&folder, model, || random.bits() as i8),
                    1 => program.add(&folder, model, || random.bits() as u8),
                    _ => program.add(&folder, model, || {
                        ((random.bits() as i16 as i32 * spread) >> 15) as i16
                    }),
                }
            }
        }
        fs::write(folder.join("main.c"), program.text()).unwrap();
        assert_eq!(run(&folder, program.models), 0, "predictors that differ, {}", folder.display());
        if round >= ROUNDS {
            fs::remove_dir_all(&folder).unwrap();
        }
    }
}

/// Features are +1 for samples of 10, 0 for those of 0 and −1 for those of −10: one of the three has equal scores, or all.
#[test]
fn equal_scores_in_c_go_to_the_first_class_and_zero_is_not_positive() {
    let folder = folder("ties");
    let mut program = Program::default();
    let plain = PlainModel::of_two_inputs;
    for model in [
        plain(&[[-1, -1], [3, 1], [3, 1]], &[0; 3]),
        plain(&[[1, -1], [1, -1], [1, -1]], &[0, 7, 7]),
        plain(&[[1, 1]], &[0]),
        plain(&[[1, 1]], &[2]),
    ] {
        for number in [10_i8, 0, -10] {
            program.add(&folder, model.to_bytes(), || number);
        }
    }
    fs::write(folder.join("main.c"), program.text()).unwrap();
    assert_eq!(run(&folder, program.models), 0, "classes that differ, {}", folder.display());
}

/// A self-test that finds what is wrong: another bias.
#[test]
fn a_wrong_score_is_found() {
    let folder = folder("wrong");
    let mut random = Random::new(4);
    let mut program = Program::default();
    let model = random_model(&mut random, 7, 40);
    program.add(&folder, model.to_bytes(), || random.bits() as i8 >> 3);
    let source = fs::read_to_string(folder.join("m0.c")).unwrap();
    let (start, biases) = source.split_once("biases[OUTPUTS] = {\n    ").unwrap();
    fs::write(folder.join("m0.c"), format!("{start}biases[OUTPUTS] = {{\n    1 + {biases}"))
        .unwrap();
    fs::write(folder.join("main.c"), program.text()).unwrap();
    assert!(run(&folder, 1) > 0);
}
