//! Handwritten digits: ternary features compared with the exact kernel and random Fourier features.
//!
//! `cargo run --release --example digits`
//!
//! All methods see the same centred and scaled samples, imitate the same Gaussian kernel (gamma "scale") and choose the
//! ridge parameter in the same way, on a fifth of the training set. Accuracies are means over three random splits into
//! 1,297 training and 500 test samples.

use std::f32::consts::TAU;
use std::time::{Duration, Instant};
use ternion::learn::{KernelRidge, Ridge, accuracy};
use ternion::{Error, Matrix, Samples, TernaryFeatures};

mod data;

const INPUTS: usize = data::PIXELS;
const TEST: usize = 500;
const SPLITS: u64 = 3;
const RIDGES: [f64; 4] = [1e-3, 1e-2, 1e-1, 1.0];

fn main() -> Result<(), Error> {
    let digits = Digits::load();
    let train = digits.labels.len() - TEST;
    println!(
        "{train} training and {TEST} test samples of {INPUTS} inputs, Gaussian kernel, on {}\n",
        ternion::Isa::detect()
    );
    println!(
        "{:<26} {:>8} {:>14} {:>12} {:>14}",
        "method", "accuracy", "bytes/sample", "bytes of W", "features in"
    );

    let exact = mean(|split| kernel_machine(&digits.split(split), |x| x.exact()))?;
    print_row("exact kernel", exact, 4 * train, 4 * train * INPUTS);
    for features in [256, 1024, 4096] {
        let fourier =
            mean(|split| kernel_machine(&digits.split(split), |x| x.fourier(features, split)))?;
        print_row(
            &format!("Fourier, m = {features}"),
            fourier,
            4 * features,
            2 * features * INPUTS,
        );
    }
    for features in [256, 1024, 4096, 16_384] {
        let ternary = mean(|split| ternary(&digits.split(split), features, split))?;
        let weights = features * INPUTS / 4;
        print_row(&format!("Ternion, m = {features}"), ternary, features / 4, weights);
    }
    println!("\n\"features in\": time to turn all samples into features or kernel values, once.");
    println!("Ternion can also generate W from its seed whenever it is needed: 0 bytes.");
    Ok(())
}

/// Accuracy and time, averaged over the splits.
fn mean(run: impl Fn(u64) -> Result<(f64, Duration), Error>) -> Result<(f64, Duration), Error> {
    let mut sum = (0.0, Duration::ZERO);
    for split in 0..SPLITS {
        let (accuracy, time) = run(split)?;
        sum = (sum.0 + accuracy, sum.1 + time);
    }
    Ok((sum.0 / SPLITS as f64, sum.1 / SPLITS as u32))
}

fn print_row(method: &str, (accuracy, time): (f64, Duration), sample: usize, weights: usize) {
    let time = format!("{:.1} ms", time.as_secs_f64() * 1e3);
    println!("{method:<26} {accuracy:>8.4} {sample:>14} {weights:>12} {time:>14}");
}

/// Ternion: fit, transform, ridge on packed features.
fn ternary(split: &Split, features: usize, seed: u64) -> Result<(f64, Duration), Error> {
    let all = Samples::new(&split.x, INPUTS)?;
    let [fit, train, test] = split.parts(&all);
    let start = Instant::now();
    let ternary = TernaryFeatures::params(features).seed(seed).fit(&train)?;
    let (train, test) = (ternary.transform(&train)?, ternary.transform(&test)?);
    let time = start.elapsed();

    let fit = ternary.transform(&fit)?;
    let held = ternary.transform(&all.slice(split.held()).unwrap_or(all))?;
    let gamma = choose(|gamma| {
        let model = Ridge::new(gamma)?.fit_classes(&fit, &split.labels[..split.held().start])?;
        Ok(accuracy(&model.predict(&held)?, &split.labels[split.held()]))
    })?;
    let model = Ridge::new(gamma)?.fit_classes(&train, &split.labels[..split.train])?;
    Ok((accuracy(&model.predict(&test)?, &split.labels[split.train..]), time))
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
    let gamma = choose(|gamma| {
        let model = KernelRidge::new(gamma)?.fit_classes(&gram, &split.labels[..held.start])?;
        Ok(accuracy(&model.predict_classes(&cross)?, &split.labels[held.clone()]))
    })?;
    let (gram, cross) = (part(0..split.train, split.train)?, part(split.train..n, split.train)?);
    let model = KernelRidge::new(gamma)?.fit_classes(&gram, &split.labels[..split.train])?;
    Ok((accuracy(&model.predict_classes(&cross)?, &split.labels[split.train..]), time))
}

/// The ridge parameter with the best score; the largest of equals.
fn choose(score: impl Fn(f64) -> Result<f64, Error>) -> Result<f64, Error> {
    let mut best = (f64::NEG_INFINITY, RIDGES[0]);
    for gamma in RIDGES {
        let score = score(gamma)?;
        if score >= best.0 {
            best = (score, gamma);
        }
    }
    Ok(best.1)
}

/// The data set in its original order.
struct Digits {
    x: Vec<f32>,
    labels: Vec<usize>,
}

/// The data set in a random order: training samples first.
struct Split {
    x: Vec<f32>,
    labels: Vec<usize>,
    train: usize,
}

impl Digits {
    fn load() -> Self {
        let (mut x, mut labels) = (Vec::new(), Vec::new());
        for numbers in data::digits() {
            x.extend(numbers[..INPUTS].iter().map(|&n| n as f32));
            labels.push(numbers[INPUTS] as usize);
        }
        Self { x, labels }
    }

    fn split(&self, seed: u64) -> Split {
        let mut random = Random(seed + 1);
        let mut order: Vec<usize> = (0..self.labels.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, random.next() as usize % (i + 1));
        }
        let sample = |&i: &usize| self.x[i * INPUTS..(i + 1) * INPUTS].iter().copied();
        Split {
            x: order.iter().flat_map(sample).collect(),
            labels: order.iter().map(|&i| self.labels[i]).collect(),
            train: order.len() - TEST,
        }
    }
}

impl Split {
    /// The last fifth of the training samples, on which the ridge parameter is chosen.
    fn held(&self) -> std::ops::Range<usize> {
        self.train * 4 / 5..self.train
    }

    /// The samples to fit on while choosing, all training samples, and the test samples.
    fn parts<'a>(&self, all: &Samples<'a, f32>) -> [Samples<'a, f32>; 3] {
        [0..self.held().start, 0..self.train, self.train..all.len()]
            .map(|range| all.slice(range).expect("a split has all parts"))
    }

    /// The samples, centred with the training mean and scaled so that the mean of ‖x‖² is 1.
    fn scaled(&self) -> Vec<f32> {
        let train = &self.x[..self.train * INPUTS];
        let mut mean = [0.0; INPUTS];
        for sample in train.chunks(INPUTS) {
            mean.iter_mut().zip(sample).for_each(|(mean, x)| *mean += x / self.train as f32);
        }
        let mut x = self.x.clone();
        for sample in x.chunks_mut(INPUTS) {
            sample.iter_mut().zip(mean).for_each(|(x, mean)| *x -= mean);
        }
        let mean_square_norm =
            x[..train.len()].iter().map(|x| x * x).sum::<f32>() / self.train as f32;
        x.iter_mut().for_each(|x| *x /= mean_square_norm.sqrt());
        x
    }

    /// The Gaussian kernel exp(−‖x−y‖²) of all pairs.
    fn exact(&self) -> (Vec<f32>, Duration) {
        let x = self.scaled();
        let start = Instant::now();
        let kernel = products(&x, INPUTS, |dot, a, b| (2.0 * dot - a - b).exp());
        (kernel, start.elapsed())
    }

    /// Random Fourier features: cos and sin of half as many random frequencies, N(0, 2).
    fn fourier(&self, features: usize, seed: u64) -> (Vec<f32>, Duration) {
        let x = self.scaled();
        let mut random = Random(seed + 1);
        let w: Vec<f32> =
            (0..features / 2 * INPUTS).map(|_| random.normal() * 2.0_f32.sqrt()).collect();
        let start = Instant::now();
        let mut z = Vec::with_capacity(self.labels.len() * features);
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

/// A small generator for splits and frequencies.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 ^ self.0 >> 29) >> 16
    }

    fn normal(&mut self) -> f32 {
        let mut unit = || (self.next() % (1 << 24)) as f32 / (1 << 24) as f32;
        (-2.0 * (1.0 - unit()).ln()).sqrt() * (TAU * unit()).cos()
    }
}
