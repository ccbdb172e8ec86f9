//! What learners find in images of digits without their labels: clusters, principal components, and images unlike others.
//!
//! `cargo run --release --example unsupervised -- [--set SET] [--features M] [--data FOLDER]`
//!
//! The set is the bundled digits, or mnist or fashion, read from the folder (target/data unless given; `.ci/data` downloads
//! them). A clustering is scored by the share of training images whose label is the most frequent one of their cluster, a
//! detection by the area under its curve (AUC): the probability that an image of another digit is farther away than one of
//! the digit that the model was fitted to, in the mean over the digits.

use data::Split;
use data::idx::Pictures;
use lexopt::prelude::*;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;
use ternion::batch::Batch;
use ternion::learn::{KMeans, KernelPca, OneClass, SpectralClustering};
use ternion::{Features, Samples, TernaryFeatures};

mod data;

fn main() -> Result<(), Box<dyn Error>> {
    let (mut set, mut features) = (String::from("digits"), 4096);
    let mut folder = PathBuf::from("target/data");
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("set") => set = parser.value()?.string()?,
            Long("features") => features = parser.value()?.parse()?,
            Long("data") => folder = parser.value()?.into(),
            unexpected => return Err(unexpected.unexpected().into()),
        }
    }
    let split = match set.as_str() {
        "digits" => data::split_digits(0),
        name => {
            let folder = folder.join(name);
            let Pictures { pixels, labels, train, .. } = Pictures::read(&folder)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
            let x = pixels.into_iter().map(f32::from).collect();
            Split { inputs: 784, x, labels, train }
        }
    };
    let train = split.samples(0..split.train)?;
    let ternary = TernaryFeatures::params(features).fit(&train)?;
    let images = ternary.transform(&train)?;
    let labels = &split.labels[..split.train];
    println!("{set}, {} images, {features} features", images.len());

    let start = Instant::now();
    let clusters = KMeans::new(10)?.fit(&images)?;
    let (right, seconds) = (purity(clusters.labels(), labels), start.elapsed().as_secs_f64());
    let iterations = clusters.convergence().iterations;
    println!("k-means              {right:.4}   {seconds:.2} s, {iterations} iterations");
    let start = Instant::now();
    let clusters = SpectralClustering::new(10)?.fit(&images)?;
    let (right, seconds) = (purity(clusters.labels(), labels), start.elapsed().as_secs_f64());
    println!("spectral clustering  {right:.4}   {seconds:.2} s");
    let start = Instant::now();
    let components = KernelPca::new(10)?.fit(&images)?;
    let (share, seconds) =
        (components.explained().iter().sum::<f64>(), start.elapsed().as_secs_f64());
    println!(
        "kernel PCA           {share:.4}   {seconds:.2} s, variance that 10 components explain"
    );
    for components in [0, 5, 20] {
        let auc = one_class(&split, features, components)?;
        println!("one class            {auc:.4}   AUC, {components} components");
    }
    Ok(())
}

/// The share of samples whose label is the most frequent one of their cluster.
fn purity(clusters: &[usize], labels: &[usize]) -> f64 {
    let count = |cluster, label| {
        clusters.iter().zip(labels).filter(|pair| *pair == (&cluster, &label)).count()
    };
    let most = |cluster| (0..10).map(|label| count(cluster, label)).max().unwrap_or(0);
    (0..10).map(most).sum::<usize>() as f64 / labels.len() as f64
}

/// The mean AUC of a detector for each digit.
fn one_class(split: &Split, features: usize, components: usize) -> Result<f64, Box<dyn Error>> {
    let mut total = 0.0;
    for digit in 0..10 {
        let rows = split.x.chunks(split.inputs).zip(&split.labels).take(split.train);
        let own = rows.filter(|(_, label)| **label == digit).flat_map(|(row, _)| row);
        let own: Vec<f32> = own.copied().collect();
        let own: &dyn Batch = &Samples::new(&own, split.inputs)?;
        let ternary = TernaryFeatures::params(features).fit(own)?;
        let model = OneClass::new(0.05)?.components(components).fit(&ternary.transform(own)?)?;
        let test: Features = ternary.transform(&split.samples(split.test())?)?;
        let mut distances: Vec<(f64, bool)> = model
            .distances(&test)?
            .into_iter()
            .zip(&split.labels[split.test()])
            .map(|(distance, label)| (distance, *label == digit))
            .collect();
        distances.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut own, mut pairs) = (0, 0);
        for (_, is_own) in &distances {
            if *is_own { own += 1 } else { pairs += own }
        }
        total += pairs as f64 / (own * (distances.len() - own)) as f64;
    }
    Ok(total / 10.0)
}
