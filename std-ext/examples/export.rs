//! From handwritten digits to a model for a microcontroller.
//!
//! `cargo run --release --example export -- [FOLDER [MNIST [FASHION]]]`
//!
//! Trains on the bundled digits and, given folders with the four raw files of each (`.ci/data` downloads them), on
//! MNIST and on Fashion-MNIST. Prints what the models cost and, given a folder, writes for each model:
//!
//! - `NAME.trnm`, `NAME.rs`: the model, as bytes and as source;
//! - `NAME.h`, `NAME.c`: a predictor in C, with the test samples below as its self-test;
//! - `NAME.vectors`: test samples with the class and the feature hash that every device must give:
//!   their number and the inputs of each (32-bit little-endian), then for each sample its inputs
//!   (8 bits each), its class (8 bits) and the FNV-1a hash (32 bits) of its sign and mask words.

use data::PIXELS;
use data::idx::Pictures;
use lexopt::prelude::*;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use ternion::export::{Bits, Core, DeviceCost, Export, IntegerFeatures, Margin};
use ternion::learn::accuracy;
use ternion::{Form, Grid, Policy, Samples, Target, TernaryFeatures};
use ternion_core::model::Model;

mod data;

fn main() -> Result<(), Box<dyn Error>> {
    let Folders { out, mnist, fashion } = Folders::parse(lexopt::Parser::from_env())?;
    let mut tasks = vec![
        digits(),
        // Smaller ones, so that every form of W and every number of bits runs on the device.
        Task { name: "structured", form: Form::Structured, bits: Bits::Two, ..small() },
        Task { name: "seeded", features: 250, form: Form::Seeded, bits: Bits::Four, ..small() },
        Task { name: "stored", features: 120, form: Form::Stored, bits: Bits::Eight, ..small() },
        Task { name: "subsets", features: 200, form: Form::SUBSETS, bits: Bits::One, ..small() },
    ];
    if let Some(mnist) = mnist {
        tasks.push(read_mnist(&mnist)?);
    }
    if let Some(fashion) = fashion {
        tasks.push(read_fashion(&fashion)?);
    }
    for task in tasks {
        let export = train(&task)?;
        if let Some(out) = &out {
            write(out, &task, &export)?;
        }
    }
    Ok(())
}

/// Where to write the models, and where to find the pictures.
#[derive(Default)]
struct Folders {
    out: Option<PathBuf>,
    mnist: Option<PathBuf>,
    fashion: Option<PathBuf>,
}

impl Folders {
    fn parse(mut parser: lexopt::Parser) -> Result<Self, lexopt::Error> {
        let mut found = Self::default();
        while let Some(argument) = parser.next()? {
            match argument {
                Value(folder) if found.out.is_none() => found.out = Some(folder.into()),
                Value(folder) if found.mnist.is_none() => found.mnist = Some(folder.into()),
                Value(folder) if found.fashion.is_none() => found.fashion = Some(folder.into()),
                unexpected => return Err(unexpected.unexpected()),
            }
        }
        Ok(found)
    }
}

/// A data set, and the model to train on it.
struct Task {
    name: &'static str,
    features: usize,
    target: Target,
    policy: Policy,
    form: Form,
    bits: Bits,
    /// λ of the readout over the training samples.
    share: f64,
    inputs: usize,
    x: Vec<u8>,
    labels: Vec<usize>,
    /// Training samples; the rest are for the test.
    train: usize,
    /// Test samples that go to the device.
    bundled: usize,
}

/// Trains the features and the readout, encodes them, and prints what each step costs.
fn train(task: &Task) -> Result<Export, ternion::Error> {
    let (x, test) = task.x.split_at(task.train * task.inputs);
    let (labels, test_labels) = task.labels.split_at(task.train);
    let floats: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let fitted = TernaryFeatures::params(task.features)
        .target(task.target.clone())
        .policy(task.policy)
        .form(task.form)
        .seed(1)
        .fit(&Samples::new(&floats, task.inputs)?)?;
    let mut integer = IntegerFeatures::new(&fitted, x)?;
    if task.policy == Policy::Periodic {
        integer = integer.without_mean()?;
    }
    let (features, test_features) = (integer.transform(x)?, integer.transform(test)?);
    println!("{}: {} features", task.name, task.features);
    let margin = Margin::new(task.share)?;
    let scores = margin.fit_floats(&features, labels)?.predict(&test_features)?;
    let in_floats: Vec<usize> = scores.iter_rows().map(largest).collect();
    let readout = margin.fit(&features, labels, task.bits)?;
    let export = Export::new(&integer, &readout)?;
    println!(
        "  accuracy {:.4} with {} bits per weight, {:.4} in floats",
        accuracy(&readout.predict(&test_features)?, test_labels),
        task.bits.count(),
        accuracy(&in_floats, test_labels)
    );
    let accuracy = accuracy(&export.predict(test)?, test_labels);
    println!("  accuracy {accuracy:.4} by the model itself, of {} bytes", export.bytes().len());
    for core in [Core::M0, Core::M4, Core::M33, Core::Rv32imc] {
        let DeviceCost { flash, ram, instructions } = export.cost(core)?;
        println!(
            "  on {core:?} about {flash} bytes of flash, {ram} of RAM, {instructions} instructions"
        );
    }
    Ok(export)
}

/// The class of the largest score.
fn largest(scores: &[f32]) -> usize {
    let classes = scores.iter().enumerate();
    classes.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(class, _)| class)
}

/// Writes the model and its test vectors.
fn write(folder: &Path, task: &Task, export: &Export) -> Result<(), Box<dyn Error>> {
    let file = |ending: &str| folder.join(format!("{}.{ending}", task.name));
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    fs::write(file("trnm"), export.bytes())?;
    fs::write(file("rs"), export.to_rust(&task.name.to_uppercase())?)?;
    let test = &task.x[task.train * task.inputs..][..task.bundled * task.inputs];
    let c = export.to_c(task.name, test)?;
    fs::write(file("h"), c.header)?;
    fs::write(file("c"), c.source)?;
    let mut vectors = Vec::new();
    vectors.extend((task.bundled as u32).to_le_bytes());
    vectors.extend((task.inputs as u32).to_le_bytes());
    let model = export.model()?;
    for sample in test.chunks(task.inputs) {
        vectors.extend(sample);
        let (class, hash) = expected(&model, sample)?;
        vectors.push(class as u8);
        vectors.extend(hash.to_le_bytes());
    }
    fs::write(file("vectors"), vectors)?;
    Ok(())
}

/// The class and the feature hash of a sample.
fn expected(model: &Model<'_>, sample: &[u8]) -> Result<(usize, u32), ternion::Error> {
    let mut scratch = vec![0; model.scratch_words()];
    let mut hash = 0x811C_9DC5_u32;
    model.featurize(sample, &mut scratch, |sign, mask| {
        for byte in [sign, mask].into_iter().flat_map(u32::to_le_bytes) {
            hash = (hash ^ byte as u32).wrapping_mul(0x0100_0193);
        }
    })?;
    Ok((model.predict(sample, &mut scratch)?, hash))
}

/// The bundled digits, in a fixed random order.
fn digits() -> Task {
    let mut rows = data::digits();
    let mut state = 1_u64;
    for i in (1..rows.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        rows.swap(i, (state >> 33) as usize % (i + 1));
    }
    Task {
        name: "digits",
        features: 384,
        target: Target::gaussian_scale(),
        policy: Policy::Periodic,
        form: Form::Boxes(Grid::image(8, 8)),
        bits: Bits::Two,
        share: 0.03,
        inputs: PIXELS,
        x: rows.iter().flat_map(|row| &row[..PIXELS]).copied().collect(),
        labels: rows.iter().map(|row| row[PIXELS] as usize).collect(),
        train: rows.len() - 500,
        bundled: 500,
    }
}

/// Digits by thresholds, fewer of them for the device.
fn small() -> Task {
    Task {
        target: Target::relu(),
        policy: Policy::MinVariance,
        features: 512,
        bundled: 100,
        ..digits()
    }
}

/// MNIST from its four raw files.
fn read_mnist(folder: &Path) -> Result<Task, Box<dyn Error>> {
    let Pictures { pixels, labels, train, .. } = Pictures::read(folder)?;
    Ok(Task {
        name: "mnist",
        features: 3968,
        target: Target::gaussian(0.6),
        policy: Policy::Periodic,
        form: Form::Boxes(Grid::image(28, 28)),
        bits: Bits::Two,
        share: 0.01,
        inputs: 784,
        x: pixels,
        labels,
        train,
        bundled: 100,
    })
}

/// Fashion-MNIST from its four raw files: pictures that are harder to tell apart, so more and smoother features.
fn read_fashion(folder: &Path) -> Result<Task, Box<dyn Error>> {
    Ok(Task {
        name: "fashion",
        features: 8192,
        target: Target::gaussian(0.5),
        share: 0.02,
        ..read_mnist(folder)?
    })
}
