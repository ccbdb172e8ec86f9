//! The attacks, by name.

mod bytes;
mod clusters;
mod export;
mod features;
mod iterating;
mod kernels;
mod learners;
mod of_core;
mod theory;

use std::fmt::Debug;
use ternion::{Error, Features, Samples, TernaryFeatures, TritMatrix};

/// Numbers that are no use as a parameter.
const BAD: [f64; 5] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -1.0, f64::MIN];
/// Numbers that may or may not be, at the ends of what there is.
const EXTREME: [f64; 6] = [0.0, f64::MIN_POSITIVE, 1e-300, 1e300, f64::MAX, f64::EPSILON];
const SIZES: [usize; 6] = [0, 1, 1 << 31, 1 << 40, usize::MAX / 8, usize::MAX];

pub const ATTACKS: &[(&str, fn())] = &[
    ("samples", features::samples),
    ("statistics", features::statistics),
    ("sizes-of-features", features::sizes_of_features),
    ("parameters", features::parameters),
    ("numbers", features::numbers),
    ("preprocessing", features::preprocessing),
    ("planes", features::planes),
    ("matrices", kernels::matrices),
    ("large-gram", kernels::large_gram),
    ("eigenpairs", kernels::eigenpairs),
    ("vectors", kernels::vectors),
    ("tunings", kernels::tunings),
    ("theory", theory::theory),
    ("targets-of-theory", theory::targets),
    ("mixtures", theory::mixtures),
    ("penalties", learners::penalties),
    ("large-label", learners::large_label),
    ("large-label-of-few", learners::large_label_of_few),
    ("dual-ridge", learners::dual_ridge),
    ("kernel-ridge", learners::kernel_ridge),
    ("many-outputs", learners::many_outputs),
    ("moments", learners::moments),
    ("targets", learners::targets),
    ("parts", learners::parts),
    ("predictor", learners::predictor),
    ("tuner", learners::tuner),
    ("iterating-labels", iterating::large_label),
    ("iterating-classes", iterating::many_classes),
    ("iterating-numbers", iterating::numbers),
    ("iterating-weights", iterating::weights),
    ("k-means", clusters::k_means),
    ("distances", clusters::distances),
    ("spectral", clusters::spectral),
    ("components", clusters::components),
    ("one-class", clusters::one_class),
    ("bytes", bytes::bytes),
    ("repaired-bytes", bytes::repaired),
    ("models", bytes::models),
    ("export", export::export),
    ("readouts", export::readouts),
    ("many-readouts", export::many_outputs),
    ("budget", export::budget),
    ("sizes-of-core", of_core::sizes_of_forms),
    ("products-of-core", of_core::products),
    ("thresholds-of-core", of_core::thresholds),
];

/// An error that says something.
#[track_caller]
fn refused<T: Debug>(result: Result<T, Error>) {
    let error = result.expect_err("an error");
    assert!(!error.to_string().is_empty());
}

fn noise(count: usize) -> Vec<f32> {
    (0..count).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect()
}

/// A fit to noise of 8 inputs.
fn fitted(features: usize) -> TernaryFeatures {
    TernaryFeatures::params(features).fit(&Samples::new(&noise(80), 8).unwrap()).unwrap()
}

/// Packed features of as many samples, all equal to 1 or 0 by turns.
fn packed(samples: usize, features: usize) -> Features {
    let words = features.div_ceil(64);
    let last = u64::MAX >> (words * 64 - features);
    let word = |k: usize| if k % words == words - 1 { last } else { u64::MAX };
    let mask: Vec<u64> = (0..samples * words)
        .map(|k| word(k) & (0x5555_5555_5555_5555 << (k / words % 2)))
        .collect();
    Features::new(TritMatrix::new(samples, features, vec![0; samples * words], mask).unwrap())
}

/// Packed features that differ from sample to sample.
fn different(samples: usize, features: usize) -> Features {
    let words = features.div_ceil(64);
    let last = u64::MAX >> (words * 64 - features);
    let mut state = 1_u64;
    let mask: Vec<u64> = (0..samples * words)
        .map(|k| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state ^ state >> 29) & if k % words == words - 1 { last } else { u64::MAX }
        })
        .collect();
    Features::new(TritMatrix::new(samples, features, vec![0; samples * words], mask).unwrap())
}
