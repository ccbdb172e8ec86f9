//! Every learner of classes on the same packed features: accuracy on test samples, time and iterations of the fit.
//!
//! `cargo run --release --example learners -- [--features M] [FOLDER]`
//!
//! Trains on the bundled digits, and on MNIST if the folder (target/data/mnist unless given) has it; `.ci/data target/data
//! mnist` downloads it. Learners have their default parameters.

use data::Split;
use data::idx::Pictures;
use lexopt::prelude::*;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;
use ternion::TernaryFeatures;
use ternion::learn::{ClassLearner, Hinge, LinearSvm, Logistic, Ridge, Sgd};

mod data;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut features, mut folder) = (4096, PathBuf::from("target/data/mnist"));
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("features") => features = parser.value()?.parse()?,
            Value(value) => folder = value.into(),
            unexpected => return Err(unexpected.unexpected().into()),
        }
    }
    println!("| data | learner | accuracy | seconds | iterations |");
    println!("|---|---|---|---|---|");
    compare("digits", &data::split_digits(0), features)?;
    if folder.is_dir() {
        compare("MNIST", &Pictures::read(&folder)?.into_split(), features)?;
    } else {
        println!("\nMNIST is missing: .ci/data {} mnist", folder.display());
    }
    Ok(())
}

/// Prints a row for every learner.
fn compare(name: &str, split: &Split, features: usize) -> Result<(), ternion::Error> {
    let samples = split.samples(0..split.train)?;
    let ternary = TernaryFeatures::params(features).fit(&samples)?;
    let (train, test) =
        (ternary.transform(&samples)?, ternary.transform(&split.samples(split.test())?)?);
    let (labels, expected) = split.labels.split_at(split.train);
    // Batches that suit few samples.
    let sgd = Sgd { batch: if labels.len() < 10_000 { 50 } else { 250 }, ..Sgd::default() };
    let learners: [(&str, &dyn ClassLearner); 6] = [
        ("`Ridge`", &Ridge::default()),
        ("`Ridge::iterative`", &Ridge::default().iterative()),
        ("`Logistic`", &Logistic::default()),
        ("`Logistic::sgd`", &Logistic::default().sgd(sgd)?),
        ("`LinearSvm`", &LinearSvm::default()),
        ("`LinearSvm`, plain hinge", &LinearSvm::default().hinge(Hinge::Plain)),
    ];
    for (learner_name, learner) in learners {
        let start = Instant::now();
        let model = learner.fit_classes(&train, labels)?;
        let seconds = start.elapsed().as_secs_f64();
        let accuracy = model.score(&test, expected)?;
        let iterations = model.convergence().map_or("-".to_owned(), |at| at.iterations.to_string());
        println!("| {name} | {learner_name} | {accuracy:.4} | {seconds:.2} | {iterations} |");
        model.warnings().iter().for_each(|warning| eprintln!("{name}, {learner_name}: {warning}"));
    }
    Ok(())
}
