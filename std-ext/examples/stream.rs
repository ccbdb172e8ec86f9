//! Training on a stream of samples that is never in memory: two passes, one for the statistics and one for the moments.
//!
//! ```text
//! cargo run --release --example stream
//! cargo run --release --example stream -- --samples 100000 --features 512
//! ```
//!
//! Samples are generated as they are needed, 54 numbers each and of 7 classes, like those of Cov-Type. The memory that the
//! process took at most is printed at the end, where the system says it.

use std::error::Error;
use std::fs;
use std::time::Instant;

use lexopt::prelude::*;
use ternion::fit::Statistics;
use ternion::learn::{Moments, Ridge, accuracy};
use ternion::{Form, Samples, TernaryFeatures};

const INPUTS: usize = 54;
const CLASSES: usize = 7;

/// Samples in memory at a time.
const CHUNK: usize = 10_000;

/// Ridge parameters to choose from, in units of the mean eigenvalue.
const SHARES: [f64; 10] = [0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.6, 1.0, 3.0, 10.0];

fn main() -> Result<(), Box<dyn Error>> {
    let (mut samples, mut features) = (1_000_000, 2048);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("samples") => samples = parser.value()?.parse()?,
            Long("features") => features = parser.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    let chunks = usize::div_ceil(samples, CHUNK).max(1);
    let count = |chunk: usize| if chunk + 1 < chunks { CHUNK } else { samples - chunk * CHUNK };

    let start = Instant::now();
    let mut statistics = Statistics::new(INPUTS)?;
    for chunk in 0..chunks {
        let (x, _) = read(chunk, count(chunk));
        statistics.add(&Samples::new(&x, INPUTS)?)?;
    }
    let params = TernaryFeatures::params(features).standardise(true).form(Form::Structured);
    let ternary = params.fit_statistics(&statistics)?;
    println!("statistics of {samples} samples: {:.1} s", start.elapsed().as_secs_f64());

    let start = Instant::now();
    let mut moments = Moments::new(&ternary, CLASSES)?;
    for chunk in 0..chunks {
        let (x, labels) = read(chunk, count(chunk));
        moments.add(&ternary.transform(&Samples::new(&x, INPUTS)?)?, &labels)?;
    }
    println!("moments of {features} features: {:.1} s", start.elapsed().as_secs_f64());

    let start = Instant::now();
    Ridge::default().fit_moments(&moments)?;
    println!("one ridge parameter: {:.2} s", start.elapsed().as_secs_f64());

    let start = Instant::now();
    let ridges = SHARES.iter().map(|&share| Ridge::new(share)).collect::<Result<Vec<_>, _>>()?;
    let models = Ridge::fit_moments_each(&ridges, &moments)?;
    println!("{} ridge parameters: {:.2} s", ridges.len(), start.elapsed().as_secs_f64());

    // Chunks beyond the training samples.
    let (x, labels) = read(chunks, CHUNK);
    let held_out = ternary.transform(&Samples::new(&x, INPUTS)?)?;
    for (share, model) in SHARES.iter().zip(&models) {
        println!("  {share:<6} {:.4}", accuracy(&model.predict(&held_out)?, &labels));
    }
    match peak_megabytes() {
        Some(peak) => println!("at most {peak} MB were resident"),
        None => println!("the system does not say how much memory was resident"),
    }
    Ok(())
}

/// A chunk of the stream: so many samples, and their classes. The same numbers every time.
fn read(chunk: usize, count: usize) -> (Vec<f32>, Vec<usize>) {
    let mut x = Vec::with_capacity(count * INPUTS);
    let mut labels = Vec::with_capacity(count);
    for sample in 0..count {
        let mut state = (chunk * CHUNK + sample) as u64;
        let mut noise = || {
            // Steele, Lea and Flood's SplitMix64.
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            (mixed >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        let first = x.len();
        x.extend((0..INPUTS).map(|_| noise()));
        // What decides the class is not linear in four sums over the columns, which have units of their own.
        let sum = |k: usize| 0.5 * x[first + k..].iter().step_by(4).sum::<f32>();
        let [a, b, c, d] = [sum(0), sum(1), sum(2), sum(3)];
        let score = a * b + 0.7 * (2.0 * c).sin() - d.abs() + 0.1 * noise();
        labels.push((((score + 1.6) * 2.6) as usize).min(CLASSES - 1));
        x[first..].iter_mut().enumerate().for_each(|(k, x)| *x *= (1 + k % 5) as f32);
    }
    (x, labels)
}

/// The most memory that the process ever had resident.
fn peak_megabytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? / 1024)
}
