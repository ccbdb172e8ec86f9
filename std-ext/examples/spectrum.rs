//! Eigenvalues of the ternary kernel beside those that theory foretells, on a Gaussian mixture.
//!
//! `cargo run --release --example spectrum [FILE.svg]`
//!
//! Three classes whose means form a triangle, in far more dimensions. The centred Gram matrix α²·P·G·P of
//! ternary features that imitate ReLU features, and the kernel that theory says they converge to, have the
//! same bulk of eigenvalues and the same two that stand out: those know the classes. The histograms are
//! written to `spectrum.svg`, the numbers printed.

use std::error::Error;
use std::fmt::Write;
use ternion::theory::{Class, Covariance, Mixture, excess_kurtosis};
use ternion::{Gram, Matrix, Samples, Scaling, Target, TernaryFeatures, dense};

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
    let Data { mixture, x, labels } = data()?;
    let floats: Vec<f32> = x.iter().map(|&x| x as f32).collect();
    let samples = Samples::new(&floats, INPUTS)?;
    // The samples as they are: the theory speaks of them, not of rescaled ones.
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
    let [found, foretold] = [&ternary, &theory].map(dense::symmetric_eigenvalues);
    let (found, foretold) = (found?, foretold?);

    println!(
        "{SAMPLES} samples of {INPUTS} inputs, {FEATURES} features in {} MB, on {}",
        (features.trits().mask().len() * 16) >> 20,
        ternion::Isa::detect()
    );
    println!("\n  eigenvalue    ternary     theory   share in classes");
    let leading = gram.leading_eigenpairs(LEADING)?;
    for (k, vector) in leading.vectors.iter_rows().enumerate() {
        let (value, foretold) = (leading.values[k], foretold[k]);
        let share = share_in_classes(vector, &labels);
        println!("  {:>10} {value:>10.5} {foretold:>10.5} {share:>18.4}", k + 1);
    }
    let bulk = |values: &[f64]| {
        let bulk = &values[LEADING..SAMPLES - 1];
        let mean = bulk.iter().sum::<f64>() / bulk.len() as f64;
        (mean, bulk[0], bulk[bulk.len() - 1])
    };
    for (name, (mean, top, bottom)) in [("ternary", bulk(&found)), ("theory", bulk(&foretold))] {
        println!("  bulk of {name:<8} mean {mean:.5}, from {bottom:.5} to {top:.5}");
    }
    let difference = |k: &usize| ternary.as_slice()[*k] - theory.as_slice()[*k];
    let square: f64 = (0..SAMPLES * SAMPLES).map(|k| difference(&k).powi(2)).sum();
    println!("  root mean square difference of entries {:.2e}", square.sqrt() / SAMPLES as f64);

    let file = std::env::args().nth(1).unwrap_or_else(|| "spectrum.svg".into());
    std::fs::write(&file, picture(&found, &foretold))?;
    println!("\nwritten to {file}");
    Ok(())
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
fn picture(found: &[f64], foretold: &[f64]) -> String {
    const LEFT: f64 = 60.0;
    const BOTTOM: f64 = 320.0;
    const WIDTH: f64 = 700.0;
    const HEIGHT: f64 = 270.0;
    // The last eigenvalue is the mean's, zero by centring.
    let (found, foretold) = (&found[..SAMPLES - 1], &foretold[..SAMPLES - 1]);
    let largest = found[0].max(foretold[0]) * 1.05;
    let smallest = found[SAMPLES - 2].min(foretold[SAMPLES - 2]).min(0.0);
    let at = |value: f64| LEFT + WIDTH * (value - smallest) / (largest - smallest);
    let bin = |value: f64| ((at(value) - LEFT) / WIDTH * BINS as f64) as usize;
    let [counts, theory] = [found, foretold].map(|values| {
        let mut counts = [0_usize; BINS];
        values.iter().for_each(|&value| counts[bin(value).min(BINS - 1)] += 1);
        counts
    });
    let most = counts.iter().chain(&theory).copied().max().unwrap_or(1);
    // By the square root, so that a single eigenvalue is still seen.
    let up = |count: usize| BOTTOM - HEIGHT * (count as f64 / most as f64).sqrt();
    let edge = |k: usize| LEFT + WIDTH * k as f64 / BINS as f64;

    let mut svg = String::new();
    let mut put = |text: String| writeln!(svg, "{text}").expect("a String takes everything");
    put("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 800 380\" \
         font-family=\"sans-serif\" font-size=\"13\">"
        .into());
    put("<rect width=\"800\" height=\"380\" fill=\"white\"/>".into());
    for count in [1, 10, 100, most] {
        let y = up(count);
        put(format!(
            "<path d=\"M{LEFT} {y:.1}H{:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{count}</text>",
            LEFT + WIDTH,
            LEFT - 6.0,
            y + 4.0
        ));
    }
    for (k, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (x, y) = (edge(k), up(count));
        put(format!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"#8fb8de\"/>",
            WIDTH / BINS as f64,
            BOTTOM - y
        ));
    }
    let mut line = format!("M{LEFT} {BOTTOM}");
    for (k, &count) in theory.iter().enumerate() {
        write!(line, "V{:.2}H{:.2}", up(count), edge(k + 1)).expect("a String takes everything");
    }
    put(format!(
        "<path d=\"{line}V{BOTTOM}\" fill=\"none\" stroke=\"#c0392b\" stroke-width=\"1.6\"/>"
    ));
    put(format!("<path d=\"M{LEFT} {BOTTOM}H{:.1}\" stroke=\"black\"/>", LEFT + WIDTH));
    for value in (0..).map(|k| 0.5 * f64::from(k)).take_while(|value| *value <= largest) {
        put(format!(
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{value}</text>",
            at(value),
            BOTTOM + 18.0
        ));
    }
    put(format!(
        "<text x=\"{}\" y=\"365\" text-anchor=\"middle\">eigenvalues of the centred kernel \
         (n = {SAMPLES}, p = {INPUTS}, m = {FEATURES})</text>",
        LEFT + WIDTH / 2.0
    ));
    put("<rect x=\"560\" y=\"60\" width=\"14\" height=\"14\" fill=\"#8fb8de\"/>\
         <text x=\"582\" y=\"72\">ternary features</text>\
         <path d=\"M560 92h14\" stroke=\"#c0392b\" stroke-width=\"2\"/>\
         <text x=\"582\" y=\"97\">theory</text>"
        .into());
    put("</svg>".into());
    svg
}
