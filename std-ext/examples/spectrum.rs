//! Eigenvalues of the ternary kernel next to those that the theory predicts, on a Gaussian mixture.
//!
//! `cargo run --release --example spectrum -- [FILE.svg]`
//!
//! Three classes whose means form a triangle, in far more dimensions. The centred Gram matrix α²·P·G·P of ternary features
//! that imitate ReLU features, and the kernel that they converge to in theory, have the same bulk of eigenvalues and the
//! same two outliers, whose eigenvectors separate the classes. The histograms go to `spectrum.svg`, the numbers to standard
//! output.

use std::error::Error;
use std::path::PathBuf;
use svg::{Axes, Svg};
use ternion::theory::{Class, Covariance, Mixture, excess_kurtosis};
use ternion::{Gram, Matrix, Samples, Scaling, Target, TernaryFeatures, dense};

#[path = "../src/svg.rs"]
mod svg;

const SAMPLES: usize = 1024;
const INPUTS: usize = 512;
const FEATURES: usize = 1 << 17;
const SPARSITY: f64 = 2.0 / 3.0;
/// The mean of each class on the first two axes, and the trace of its covariance.
const MEANS: [[f64; 2]; 3] = [[-0.2, -0.08], [0.0, 0.16], [0.2, -0.08]];
const TRACES: [f64; 3] = [1.02, 0.96, 1.02];
/// Eigenvalues that are printed.
const LEADING: usize = 6;
const BINS: usize = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let file = file()?;
    let Data { mixture, x, labels } = data()?;
    let floats: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let samples = Samples::new(&floats, INPUTS)?;
    // Samples keep their scale: the theory is about these samples, not about rescaled ones.
    let fitted = TernaryFeatures::params(FEATURES)
        .target(Target::relu())
        .sparsity(SPARSITY)
        .centre(false)
        .scaling(Scaling::Keep)
        .fit(&samples)?;
    let report = fitted.report();
    let features = fitted.transform(&samples)?;
    let gram = Gram::new(&features).alpha(report.alpha)?;

    let kurtosis = excess_kurtosis(SPARSITY);
    let theory = mixture.centred_kernel(&x, &labels, &report.achieved, kurtosis)?;
    let ternary = gram.centred()?.into_vec().into_iter().map(f64::from).collect();
    let ternary = Matrix::from_vec(SAMPLES, SAMPLES, ternary)?;
    let [found, predicted] = [&ternary, &theory].map(dense::symmetric_eigenvalues);
    let (found, predicted) = (found?, predicted?);

    println!(
        "{SAMPLES} samples of {INPUTS} inputs, {FEATURES} features in {} MB, on {}",
        (features.trits().mask().len() * 16) >> 20,
        ternion::Isa::detect()
    );
    println!("\n  eigenvalue    ternary     theory   share in classes");
    let leading = gram.leading_eigenpairs(LEADING)?;
    for (k, vector) in leading.vectors.iter_rows().enumerate() {
        let (value, predicted) = (leading.values[k], predicted[k]);
        let share = share_in_classes(vector, &labels);
        println!("  {:>10} {value:>10.5} {predicted:>10.5} {share:>18.4}", k + 1);
    }
    let bulk = |values: &[f64]| {
        let bulk = &values[LEADING..SAMPLES - 1];
        let mean = bulk.iter().sum::<f64>() / bulk.len() as f64;
        (mean, bulk[0], bulk[bulk.len() - 1])
    };
    for (name, (mean, top, bottom)) in [("ternary", bulk(&found)), ("theory", bulk(&predicted))] {
        println!("  bulk of {name:<8} mean {mean:.5}, from {bottom:.5} to {top:.5}");
    }
    let difference = |k: &usize| ternary.as_slice()[*k] - theory.as_slice()[*k];
    let square: f64 = (0..SAMPLES * SAMPLES).map(|k| difference(&k).powi(2)).sum();
    println!("  root mean square difference of entries {:.2e}", square.sqrt() / SAMPLES as f64);

    std::fs::write(&file, picture(&found, &predicted))
        .map_err(|error| format!("{}: {error}", file.display()))?;
    println!("\nwritten to {}", file.display());
    Ok(())
}

/// The file to write, from the command line.
fn file() -> Result<PathBuf, lexopt::Error> {
    let mut parser = lexopt::Parser::from_env();
    let mut file = None;
    while let Some(argument) = parser.next()? {
        match argument {
            lexopt::Arg::Value(value) if file.is_none() => file = Some(PathBuf::from(value)),
            unexpected => return Err(unexpected.unexpected()),
        }
    }
    Ok(file.unwrap_or_else(|| "spectrum.svg".into()))
}

/// The share of a unit vector that is the same for all samples of a class.
fn share_in_classes(vector: &[f64], labels: &[usize]) -> f64 {
    let share = |class: usize| {
        let own = vector.iter().zip(labels).filter(|(_, label)| **label == class);
        let (sum, count) = own.fold((0.0, 0), |(sum, count), (v, _)| (sum + v, count + 1));
        sum * sum / f64::from(count)
    };
    (0..MEANS.len()).map(share).sum()
}

/// A mixture, samples of it row by row, and their classes.
struct Data {
    mixture: Mixture,
    x: Vec<f64>,
    labels: Vec<usize>,
}

fn data() -> Result<Data, Box<dyn Error>> {
    let inputs = INPUTS as f64;
    let mean = |class: usize, k: usize| MEANS[class].get(k).copied().unwrap_or(0.0);
    let variance = |class: usize| TRACES[class] / inputs;
    let classes = (0..MEANS.len()).map(|class| Class {
        share: 1.0,
        mean: (0..INPUTS).map(|k| mean(class, k)).collect(),
        covariance: Covariance::Diagonal(vec![variance(class); INPUTS]),
    });
    let mixture = Mixture::new(classes.collect())?;
    let labels: Vec<usize> = (0..SAMPLES).map(|i| i % MEANS.len()).collect();
    let mut noise = Noise(7);
    let mut x = Vec::with_capacity(SAMPLES * INPUTS);
    for &class in &labels {
        x.extend((0..INPUTS).map(|k| mean(class, k) + variance(class).sqrt() * noise.normal()));
    }
    Ok(Data { mixture, x, labels })
}

/// A small generator of normal numbers.
struct Noise(u64);

impl Noise {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ z >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Two histograms over each other: filled for the ternary kernel, a line for the theory.
fn picture(found: &[f64], predicted: &[f64]) -> String {
    // The last eigenvalue belongs to the mean and is zero by centring.
    let (found, predicted) = (&found[..SAMPLES - 1], &predicted[..SAMPLES - 1]);
    let largest = found[0].max(predicted[0]) * 1.05;
    let smallest = found[SAMPLES - 2].min(predicted[SAMPLES - 2]).min(0.0);
    let bin_width = (largest - smallest) / BINS as f64;
    let [counts, theory] = [found, predicted].map(|values| {
        let mut counts = [0_usize; BINS];
        let bin = |value: f64| ((value - smallest) / bin_width) as usize;
        values.iter().for_each(|&value| counts[bin(value).min(BINS - 1)] += 1);
        counts
    });
    let most = counts.iter().chain(&theory).copied().max().unwrap_or(1);
    // Heights are square roots of counts, so that a single eigenvalue is still visible.
    let height = |count: usize| (count as f64).sqrt();
    let axes = Axes {
        left: 60.0,
        top: 50.0,
        width: 700.0,
        height: 270.0,
        x: (smallest, largest),
        y: (0.0, height(most)),
    };
    let edge = |k: usize| smallest + bin_width * k as f64;

    let mut svg = Svg::new(800, 380);
    for count in [1, 10, 100, most] {
        let y = height(count);
        svg.path(&axes.path([(smallest, y), (largest, y)]), "stroke='#ddd'");
        let (x, y) = axes.at(smallest, y);
        svg.text((x - 6.0, y + 4.0), "end", &count.to_string());
    }
    for (k, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let ((left, top), (right, bottom)) =
            (axes.at(edge(k), height(count)), axes.at(edge(k + 1), 0.0));
        svg.rect((left, top), (right - left, bottom - top), "fill='#8fb8de'");
    }
    let steps = theory
        .iter()
        .enumerate()
        .flat_map(|(k, &count)| [(edge(k), height(count)), (edge(k + 1), height(count))]);
    let outline = [(smallest, 0.0)].into_iter().chain(steps).chain([(largest, 0.0)]);
    svg.path(&axes.path(outline), "fill='none' stroke='#c0392b' stroke-width='1.6'");
    svg.path(&axes.path([(smallest, 0.0), (largest, 0.0)]), "stroke='black'");
    for value in (0..).map(|k| 0.5 * f64::from(k)).take_while(|value| *value <= largest) {
        let (x, y) = axes.at(value, 0.0);
        svg.text((x, y + 18.0), "middle", &value.to_string());
    }
    let title =
        format!("eigenvalues of the centred kernel (n = {SAMPLES}, p = {INPUTS}, m = {FEATURES})");
    svg.text((axes.left + axes.width / 2.0, 365.0), "middle", &title);
    svg.rect((560.0, 60.0), (14.0, 14.0), "fill='#8fb8de'");
    svg.text((582.0, 72.0), "start", "ternary features");
    svg.path("M560 92h14", "stroke='#c0392b' stroke-width='2'");
    svg.text((582.0, 97.0), "start", "theory");
    svg.finish()
}
