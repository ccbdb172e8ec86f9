//! What the crate computes from raw numbers in files: what bindings of other languages are compared with, bit for bit.
//!
//! `reference FOLDER` reads `samples` (`f32`, one after another), `labels` (a byte each) and `cases`, a line for each
//! fit: its number of inputs, then parameters as `name=value`. For the fit in line k it writes `k.NAME`:
//!
//! | name | contents |
//! |---|---|
//! | `fit` | the fit as it is saved |
//! | `sign`, `mask` | the planes of the features |
//! | `gram` | their Gram matrix with α of the fit, `f32` |
//! | `classifier`, `decision` | the classifier as it is saved, and its scores, `f32` |
//! | `regressor`, `predicted` | the regressor of the labels as numbers, and its predictions, `f32` |
//!
//! `reference --time SAMPLES INPUTS FEATURES` transforms for each line of its input, with the parameters in it, and prints
//! the seconds that took. All numbers are little-endian.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::io::{BufRead, Write, stdin, stdout};
use std::path::Path;
use std::time::Instant;
use ternion::fit::Params;
use ternion::learn::{
    ClassLearner, LinearSvm, Logistic, Ridge, TernaryClassifier, TernaryRegressor,
};
use ternion::{Gram, Matrix, Samples, TernaryFeatures};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["--time", samples, inputs, features] => {
            time(samples.parse()?, inputs.parse()?, features.parse()?)
        }
        [folder] => compute(Path::new(folder)),
        _ => Err("give a folder, or --time SAMPLES INPUTS FEATURES".into()),
    }
}

/// Every fit of a folder.
fn compute(folder: &Path) -> Result<()> {
    let bytes = fs::read(folder.join("samples"))?;
    let (bytes, _) = bytes.as_chunks::<4>();
    let numbers: Vec<f32> = bytes.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
    let labels: Vec<usize> =
        fs::read(folder.join("labels"))?.into_iter().map(usize::from).collect();
    let targets = labels.iter().map(|&label| label as f32).collect();
    let targets = Matrix::from_vec(labels.len(), 1, targets)?;
    let cases = fs::read_to_string(folder.join("cases"))?;
    for (case, line) in cases.lines().enumerate() {
        let (inputs, parameters) = line.split_once(' ').ok_or("a line is empty")?;
        let inputs: usize = inputs.parse()?;
        let samples = Samples::new(&numbers[..labels.len() * inputs], inputs)?;
        let write =
            |name: &str, bytes: &[u8]| fs::write(folder.join(format!("{case}.{name}")), bytes);
        let (params, learner, regularisation) = parse(parameters)?;
        let ridge = regularisation.map_or(Ok(Ridge::default()), Ridge::new)?;
        let logistic = regularisation.map_or(Ok(Logistic::default()), Logistic::new)?;
        let svm = regularisation.map_or(Ok(LinearSvm::default()), LinearSvm::new)?;
        let learner: &dyn ClassLearner = match learner {
            "ridge" => &ridge,
            "logistic" => &logistic,
            "svm" => &svm,
            other => return Err(format!("no learner is called {other}").into()),
        };

        let ternary = params.clone().fit(&samples)?;
        let features = ternary.transform(&samples)?;
        write("fit", &ternary.to_bytes())?;
        write("sign", &words(features.trits().sign()))?;
        write("mask", &words(features.trits().mask()))?;
        let gram = Gram::new(&features).alpha(ternary.report().alpha)?.matrix()?;
        write("gram", &floats(&gram))?;

        let classifier = TernaryClassifier::fit(params.clone(), learner, &samples, &labels)?;
        write("classifier", &classifier.to_bytes())?;
        write("decision", &floats(&classifier.decision(&samples)?))?;
        let regressor = TernaryRegressor::fit(params, ridge, &samples, &targets)?;
        write("regressor", &regressor.to_bytes())?;
        write("predicted", &floats(&regressor.predict(&samples)?))?;
    }
    Ok(())
}

/// Times a transform of random samples for each line of the input.
fn time(samples: usize, inputs: usize, features: usize) -> Result<()> {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f32 / (1 << 24) as f32
    };
    let numbers: Vec<f32> = (0..samples * inputs).map(|_| random()).collect();
    let samples = Samples::new(&numbers, inputs)?;
    let mut fits = HashMap::new();
    for line in stdin().lock().lines() {
        let line = line?;
        if !fits.contains_key(&line) {
            let parameters = format!("features={features} {line}");
            fits.insert(line.clone(), parse(&parameters)?.0.fit(&samples)?);
        }
        let start = Instant::now();
        let done = fits[&line].transform(&samples)?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{seconds} {}", done.len());
        stdout().flush()?;
    }
    Ok(())
}

/// The parameters of a fit, and the learner with its regularisation.
fn parse(parameters: &str) -> Result<(Params, &str, Option<f64>)> {
    let mut params = TernaryFeatures::params(0);
    let (mut learner, mut regularisation) = ("ridge", None);
    for parameter in parameters.split_whitespace() {
        let (name, value) = parameter.split_once('=').ok_or("a parameter is name=value")?;
        params = match name {
            "features" => TernaryFeatures::params(value.parse()?),
            "target" => params.target(value.parse()?),
            "policy" => params.policy(value.parse()?),
            "form" => params.form(value.parse()?),
            "sparsity" => params.sparsity(value.parse()?),
            "seed" => params.seed(value.parse()?),
            "centre" => params.centre(value.parse()?),
            "standardise" => params.standardise(value.parse()?),
            "scaling" => params.scaling(value.parse()?),
            "learner" => {
                learner = value;
                params
            }
            "regularisation" => {
                regularisation = Some(value.parse()?);
                params
            }
            other => return Err(format!("no parameter is called {other}").into()),
        };
    }
    Ok((params, learner, regularisation))
}

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn floats(matrix: &Matrix<f32>) -> Vec<u8> {
    matrix.as_slice().iter().flat_map(|number| number.to_le_bytes()).collect()
}
