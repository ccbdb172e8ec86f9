//! Handwritten digits: ternary features compared with the exact kernel and random Fourier features.
//!
//! `cargo run --release --example digits`
//!
//! All methods see the same centred and scaled samples, imitate the same Gaussian kernel (gamma "scale") and choose the
//! ridge parameter in the same way, on a fifth of the training set. Accuracies are means over three random splits into
//! 1,297 training and 500 test samples.

use data::{Random, Split};
use std::time::{Duration, Instant};
use ternion::learn::{KernelRidge, accuracy};
use ternion::{Error, Matrix, TernaryFeatures};

mod data;
mod ridge;

const INPUTS: usize = data::PIXELS;
const SPLITS: u64 = 3;

fn main() -> Result<(), Error> {
    let splits: Vec<Split> = (0..SPLITS).map(data::split_digits).collect();
    let (train, test) = (splits[0].train, splits[0].test().len());
    println!(
        "{train} training and {test} test samples of {INPUTS} inputs, Gaussian kernel, on {}\n",
        ternion::Isa::detect()
    );
    println!(
        "{:<26} {:>8} {:>14} {:>12} {:>14}",
        "method", "accuracy", "bytes/sample", "bytes of W", "features in"
    );

    let exact = mean(&splits, |_, split| kernel_machine(split, exact))?;
    print_row("exact kernel", exact, 4 * train, 4 * train * INPUTS);
    for features in [256, 1024, 4096] {
        let fourier = mean(&splits, |seed, split| {
            kernel_machine(split, |split| fourier(split, features, seed))
        })?;
        print_row(
            &format!("Fourier, m = {features}"),
            fourier,
            4 * features,
            2 * features * INPUTS,
        );
    }
    for features in [256, 1024, 4096, 16_384] {
        let ternary = mean(&splits, |seed, split| {
            ridge::ternary(split, TernaryFeatures::params(features).seed(seed))
        })?;
        let weights = features * INPUTS / 4;
        print_row(&format!("Ternion, m = {features}"), ternary, features / 4, weights);
    }
    println!("\n\"features in\": time to turn all samples into features or kernel values, once.");
    println!("Ternion can also generate W from its seed whenever it is needed: 0 bytes.");
    Ok(())
}

/// Accuracy and time, averaged over the splits.
fn mean(
    splits: &[Split],
    run: impl Fn(u64, &Split) -> Result<(f64, Duration), Error>,
) -> Result<(f64, Duration), Error> {
    let mut sum = (0.0, Duration::ZERO);
    for (seed, split) in (0..).zip(splits) {
        let (accuracy, time) = run(seed, split)?;
        sum = (sum.0 + accuracy, sum.1 + time);
    }
    Ok((sum.0 / SPLITS as f64, sum.1 / SPLITS as u32))
}

fn print_row(method: &str, (accuracy, time): (f64, Duration), sample: usize, weights: usize) {
    let time = format!("{:.1} ms", time.as_secs_f64() * 1e3);
    println!("{method:<26} {accuracy:>8.4} {sample:>14} {weights:>12} {time:>14}");
}

/// A baseline: kernel ridge on parts of a kernel matrix over all samples.
fn kernel_machine(
    split: &Split,
    kernel: impl Fn(&Split) -> (Vec<f32>, Duration),
) -> Result<(f64, Duration), Error> {
    let n = split.labels.len();
    let (kernel, time) = kernel(split);
    let part = |rows: std::ops::Range<usize>, cols: usize| {
        let numbers = rows.clone().flat_map(|i| &kernel[i * n..i * n + cols]).copied().collect();
        Matrix::from_vec(rows.len(), cols, numbers)
    };
    let held = split.held();
    let (gram, cross) = (part(0..held.start, held.start)?, part(held.clone(), held.start)?);
    let gamma = ridge::choose(|gamma| {
        let model =
            KernelRidge::absolute(gamma)?.fit_classes(&gram, &split.labels[..held.start])?;
        Ok(accuracy(&model.predict_classes(&cross)?, &split.labels[held.clone()]))
    })?;
    let (gram, cross) = (part(0..split.train, split.train)?, part(split.train..n, split.train)?);
    let model = KernelRidge::absolute(gamma)?.fit_classes(&gram, &split.labels[..split.train])?;
    Ok((accuracy(&model.predict_classes(&cross)?, &split.labels[split.train..]), time))
}

/// The samples, centred with the training mean and scaled so that the mean of ‖x‖² is 1.
fn scaled(split: &Split) -> Vec<f32> {
    let train = &split.x[..split.train * INPUTS];
    let mut mean = [0.0; INPUTS];
    for sample in train.chunks(INPUTS) {
        mean.iter_mut().zip(sample).for_each(|(mean, x)| *mean += x / split.train as f32);
    }
    let mut x = split.x.clone();
    for sample in x.chunks_mut(INPUTS) {
        sample.iter_mut().zip(mean).for_each(|(x, mean)| *x -= mean);
    }
    let mean_square_norm = x[..train.len()].iter().map(|x| x * x).sum::<f32>() / split.train as f32;
    x.iter_mut().for_each(|x| *x /= mean_square_norm.sqrt());
    x
}

/// The Gaussian kernel exp(−‖x−y‖²) of all pairs.
fn exact(split: &Split) -> (Vec<f32>, Duration) {
    let x = scaled(split);
    let start = Instant::now();
    let kernel = products(&x, INPUTS, |dot, a, b| (2.0 * dot - a - b).exp());
    (kernel, start.elapsed())
}

/// Random Fourier features: cos and sin of half as many random frequencies, N(0, 2).
fn fourier(split: &Split, features: usize, seed: u64) -> (Vec<f32>, Duration) {
    let x = scaled(split);
    let mut random = Random::new(seed);
    let w: Vec<f32> =
        (0..features / 2 * INPUTS).map(|_| random.normal() * 2.0_f32.sqrt()).collect();
    let start = Instant::now();
    let mut z = Vec::with_capacity(split.labels.len() * features);
    for sample in x.chunks(INPUTS) {
        for row in w.chunks(INPUTS) {
            let (sin, cos) = dot(row, sample).sin_cos();
            z.extend([cos, sin]);
        }
    }
    let time = start.elapsed();
    let share = 2.0 / features as f32;
    (products(&z, features, |dot, _, _| dot * share), time)
}

/// `kernel(x·y, x·x, y·y)` for all pairs of rows.
fn products(x: &[f32], cols: usize, kernel: impl Fn(f32, f32, f32) -> f32) -> Vec<f32> {
    let rows: Vec<&[f32]> = x.chunks(cols).collect();
    let norms: Vec<f32> = rows.iter().map(|row| dot(row, row)).collect();
    let mut out = vec![0.0; rows.len() * rows.len()];
    for i in 0..rows.len() {
        for j in 0..=i {
            let value = kernel(dot(rows[i], rows[j]), norms[i], norms[j]);
            out[i * rows.len() + j] = value;
            out[j * rows.len() + i] = value;
        }
    }
    out
}

/// An inner product in sixteen partial sums, so that the baselines run at vector speed too.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut parts = [0.0; 16];
    for (a, b) in a.chunks_exact(16).zip(b.chunks_exact(16)) {
        for k in 0..16 {
            parts[k] += a[k] * b[k];
        }
    }
    parts.iter().sum()
}
