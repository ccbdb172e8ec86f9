//! Eigenvalues of kernel matrices next to those of their limits (figure 2): ReLU features with normal and with Student-t
//! weights, and the ternary features that imitate them.

use std::error::Error;

use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use ternion::theory::{Bands, Class, Covariance, Mixture, Report};
use ternion::{Gram, Matrix, Policy, Samples, Scaling, Target, TernaryFeatures, dense};

use super::super::args::Args;
use super::super::chart::{Panel, Series};
use super::super::dense::{product, product_of_rows};
use super::super::kernel;
use super::super::progress::Progress;
use super::super::report::table;
use super::write;
use crate::job::data::Normal;

/// The mean of each class on the first two axes, and the trace of its covariance, for samples with τ near 1.
const MEANS: [[f64; 2]; 3] = [[-0.2, -0.08], [0.0, 0.16], [0.2, -0.08]];
const TRACES: [f64; 3] = [1.02, 0.96, 1.02];

/// Degrees of freedom of Student's t, as in the paper, and the excess kurtosis 6/(ν − 4).
const FREEDOM: usize = 7;
const EXCESS: f64 = 2.0;

const BINS: usize = 50;

/// Figure 2.
pub fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let (n, p, m) = if args.quick { (192, 96, 1 << 12) } else { (1024, 512, 1 << 15) };
    let mut progress = Progress::new(5);
    progress.step("figure 2: samples and limits");
    let (mixture, x, labels) = samples(n, p)?;
    let wide: Vec<f64> = x.iter().map(|&x| f64::from(x)).collect();
    let relu = Target::relu().moments(mixture.tau())?;
    let limit = |excess: f64| mixture.centred_kernel(&wide, &labels, &relu, excess);
    let (normal_limit, student_limit) = (limit(0.0)?, limit(EXCESS)?);

    progress.step("figure 2: the exact kernel of ReLU");
    let exact = kernel::arc_cosine(1, &x, &x, p).into_iter().map(|k| 0.5 * f64::from(k));
    let exact = centred(n, exact.collect())?;
    progress.step("figure 2: Student-t weights");
    let student = centred(n, student_kernel(&x, p, m))?;

    progress.step("figure 2: ternary features");
    let samples = Samples::new(&x, p)?;
    // Samples keep their scale: the theory is about these samples, not about rescaled ones.
    let fitted = TernaryFeatures::params(4 * m)
        .target(Target::relu())
        .policy(Policy::MinVariance)
        .centre(false)
        .scaling(Scaling::Keep)
        .fit(&samples)?;
    let features = fitted.transform(&samples)?;
    let gram = Gram::new(&features).alpha(fitted.report().alpha)?.centred()?;
    let gram: Vec<f64> = gram.into_vec().into_iter().map(f64::from).collect();
    let found = Matrix::from_vec(n, n, gram)?;
    let expected = centred(n, expected_ternary(&x, p, fitted.report()))?;

    progress.step("figure 2: eigenvalues");
    let norm = spectral_norm(&exact)?;
    let distance = |a: &Matrix<f64>, b: &Matrix<f64>, up_to_identity: bool| {
        let pairs = a.as_slice().iter().zip(b.as_slice());
        let difference = Matrix::from_vec(n, n, pairs.map(|(a, b)| a - b).collect())?;
        let mut values = dense::symmetric_eigenvalues(&difference)?;
        // Centring makes one eigenvalue zero: it belongs to the mean, not to the samples.
        let zero = (0..n).min_by(|i, j| values[*i].abs().total_cmp(&values[*j].abs()));
        values.remove(zero.unwrap_or(0));
        let (top, bottom) = (values[0], values[n - 2]);
        let found = if up_to_identity { 0.5 * (top - bottom) } else { top.abs().max(bottom.abs()) };
        Ok::<f64, Box<dyn Error>>(found / norm)
    };
    let row = |name: &str, distance: f64| vec![name.to_owned(), format!("{distance:.4}")];
    let rows = [
        row(
            "ReLU, normal W: expected kernel K and its limit K̃",
            distance(&exact, &normal_limit, false)?,
        ),
        row("the same up to a multiple of the identity", distance(&exact, &normal_limit, true)?),
        row(
            "ReLU, Student-t W (7), m features: K and its limit K̃",
            distance(&student, &student_limit, false)?,
        ),
        row(
            "expected kernels of ReLU and of the ternary function, up to a multiple of P",
            distance(&exact, &expected, true)?,
        ),
        row(
            "ternary features, 4m of them, and their expected kernel",
            distance(&found, &expected, false)?,
        ),
    ];
    drop(progress);
    println!("\n## Eigenvalues of kernels and of their limits (figure-2)\n");
    println!("{n} samples of {p} inputs, three classes, m = {m}, ‖K‖ = {norm:.4}.\n");
    println!("{}", table(&["distance in the spectral norm", "share of ‖K‖"], &rows));
    let mut leading = Vec::new();
    let mut lines = Vec::new();
    for (name, kernel) in [
        ("ReLU, normal W", &exact),
        ("its limit", &normal_limit),
        ("ReLU, Student-t W", &student),
        ("its limit (t)", &student_limit),
        ("ternary features", &found),
    ] {
        let values = dense::symmetric_eigenvalues(kernel)?;
        let cells = values[..4].iter().map(|value| format!("{value:.4}"));
        leading.push([name.to_owned()].into_iter().chain(cells).collect());
        lines.push((name, values));
    }
    println!("{}", table(&["leading eigenvalues", "1", "2", "3", "4"], &leading));
    let most = lines.iter().map(|(_, values)| values[0]).fold(0.0, f64::max) * 1.02;
    let panel = |of: &[usize]| Panel {
        x: "eigenvalue",
        y: "square root of how many",
        log: false,
        series: of.iter().map(|&k| histogram(lines[k].0, &lines[k].1, most)).collect(),
    };
    let title = format!("Figure 2. Eigenvalues of centred kernels, n = {n}, p = {p}");
    write(args, "figure-2", &title, &[panel(&[0, 1, 4]), panel(&[2, 3])])
}

/// A mixture, samples of it row by row, and their classes.
type Data = (Mixture, Vec<f32>, Vec<usize>);

/// Draws samples.
fn samples(n: usize, p: usize) -> Result<Data, Box<dyn Error>> {
    let mean = |class: usize, k: usize| MEANS[class].get(k).copied().unwrap_or(0.0);
    let variance = |class: usize| TRACES[class] / p as f64;
    let classes = (0..MEANS.len()).map(|class| Class {
        share: 1.0,
        mean: (0..p).map(|k| mean(class, k)).collect(),
        covariance: Covariance::Diagonal(vec![variance(class); p]),
    });
    let mixture = Mixture::new(classes.collect())?;
    let labels: Vec<usize> = (0..n).map(|i| i % MEANS.len()).collect();
    let mut random = Normal(Xoshiro256PlusPlus::seed_from_u64(7));
    let mut x = Vec::with_capacity(n * p);
    for &class in &labels {
        let noise = random.numbers(p, variance(class).sqrt() as f32);
        x.extend(noise.into_iter().enumerate().map(|(k, noise)| mean(class, k) as f32 + noise));
    }
    Ok((mixture, x, labels))
}

/// P·K·P.
fn centred(n: usize, mut kernel: Vec<f64>) -> Result<Matrix<f64>, ternion::Error> {
    let means: Vec<f64> = kernel.chunks(n).map(|row| row.iter().sum::<f64>() / n as f64).collect();
    let mean = means.iter().sum::<f64>() / n as f64;
    for (row, own) in kernel.chunks_mut(n).zip(&means) {
        row.iter_mut().zip(&means).for_each(|(k, other)| *k += mean - own - other);
    }
    Matrix::from_vec(n, n, kernel)
}

fn spectral_norm(kernel: &Matrix<f64>) -> Result<f64, ternion::Error> {
    Ok(dense::symmetric_eigenvalues(kernel)?.iter().fold(0.0, |norm, value| norm.max(value.abs())))
}

/// The mean of max(0, w·x)·max(0, w·y) over w of Student's t with variance 1.
fn student_kernel(x: &[f32], p: usize, m: usize) -> Vec<f64> {
    let mut random = Normal(Xoshiro256PlusPlus::seed_from_u64(8));
    let scale = ((FREEDOM - 2) as f32).sqrt();
    let weights: Vec<f32> = (0..p * m)
        .map(|_| {
            let normal = random.numbers(FREEDOM + 1, 1.0);
            let square: f32 = normal[1..].iter().map(|x| x * x).sum();
            scale * normal[0] / square.sqrt()
        })
        .collect();
    let mut features = vec![0.0; x.len() / p * m];
    product(x, &weights, p, m, &mut features);
    features.iter_mut().for_each(|x| *x = x.max(0.0));
    let gram = product_of_rows(&features, &features, m);
    gram.into_iter().map(|k| f64::from(k) / m as f64).collect()
}

/// α²·E[σ(w·x)·σ(w·y)] for normal w. With u = s/‖x‖ and ρ the cosine of the angle, σ has the coefficients
/// c₀ = P(+1) − P(−1) and c_k = (Heₖ₋₁(u₊)·φ(u₊) + Heₖ₋₁(u₋)·φ(u₋))/√k!, and the mean is Σ c_k(x)·c_k(y)·ρᵏ. The diagonal
/// is P(±1) itself.
fn expected_ternary(x: &[f32], p: usize, report: &Report) -> Vec<f64> {
    const TERMS: usize = 12;
    let Bands::Two { lower, upper } = report.bands else { return Vec::new() };
    let rows: Vec<(f64, [f64; TERMS], f64)> = x
        .chunks(p)
        .map(|row| {
            let norm = row.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>().sqrt();
            let ends = [lower / norm, upper / norm];
            let (minus, plus) = (below(ends[0]), below(-ends[1]));
            let mut coefficients = [plus - minus; TERMS];
            let (mut factorial, mut polynomials) = (1.0f64, ends.map(|u| [1.0, u]));
            for (k, coefficient) in coefficients.iter_mut().enumerate().skip(1) {
                factorial *= k as f64;
                let mut sum = 0.0;
                for (u, he) in ends.iter().zip(&mut polynomials) {
                    sum += he[0] * density(*u);
                    *he = [he[1], u * he[1] - k as f64 * he[0]];
                }
                *coefficient = sum / factorial.sqrt();
            }
            (norm, coefficients, plus + minus)
        })
        .collect();
    let alpha = report.alpha * report.alpha;
    let dots = product_of_rows(x, x, p);
    let n = rows.len();
    let entry = |at: usize| {
        let ((xx, a, both), (yy, b, _)) = (&rows[at / n], &rows[at % n]);
        if at / n == at % n {
            return alpha * both;
        }
        let cos = f64::from(dots[at]) / (xx * yy);
        alpha * (0..TERMS).rev().fold(0.0, |sum, k| sum * cos + a[k] * b[k])
    };
    (0..n * n).map(entry).collect()
}

fn density(u: f64) -> f64 {
    (-0.5 * u * u).exp() / core::f64::consts::TAU.sqrt()
}

/// P(z < u) of a normal z, by Simpson's rule from 0.
fn below(u: f64) -> f64 {
    const STEPS: usize = 400;
    let h = u / STEPS as f64;
    let inner: f64 = (1..STEPS).map(|k| (2 + 2 * (k % 2)) as f64 * density(h * k as f64)).sum();
    0.5 + h / 3.0 * (density(0.0) + inner + density(u))
}

fn histogram(name: &str, values: &[f64], most: f64) -> Series {
    let mut counts = [0.0; BINS];
    for value in values {
        counts[((value / most).max(0.0) * BINS as f64).min(BINS as f64 - 1.0) as usize] += 1.0f64;
    }
    let at = |k: usize| (k as f64 + 0.5) * most / BINS as f64;
    let points = counts.iter().enumerate().map(|(k, count)| (at(k), count.sqrt()));
    Series { name: name.to_owned(), points: points.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_normal_distribution_has_its_known_values() {
        for (u, expected) in
            [(0.0, 0.5), (1.0, 0.841_344_746_068_543), (-2.5, 0.006_209_665_325_776)]
        {
            assert!((below(u) - expected).abs() < 1e-10);
        }
    }

    /// The series against the mean over many weights.
    #[test]
    fn the_expected_ternary_kernel_is_the_mean_of_features() {
        let (_, x, _) = samples(30, 64).unwrap();
        let all = Samples::new(&x, 64).unwrap();
        let fitted = TernaryFeatures::params(1 << 17)
            .target(Target::relu())
            .policy(Policy::MinVariance)
            .centre(false)
            .scaling(Scaling::Keep)
            .fit(&all)
            .unwrap();
        let features = fitted.transform(&all).unwrap();
        let gram = Gram::new(&features).alpha(fitted.report().alpha).unwrap().matrix().unwrap();
        let expected = expected_ternary(&x, 64, fitted.report());
        for (found, expected) in gram.as_slice().iter().zip(&expected) {
            assert!((f64::from(*found) - expected).abs() < 0.01, "{found} {expected}");
        }
    }

    #[test]
    fn centring_makes_rows_sum_to_zero() {
        let kernel = centred(3, vec![4.0, 1.0, 0.0, 1.0, 5.0, 2.0, 0.0, 2.0, 6.0]).unwrap();
        kernel.iter_rows().for_each(|row| assert!(row.iter().sum::<f64>().abs() < 1e-12));
    }
}
