//! Ridge classifiers with a ridge parameter chosen on held-out samples, shared by the examples.

use crate::data::Split;
use std::time::{Duration, Instant};
use ternion::Error;
use ternion::fit::Params;
use ternion::learn::{Ridge, accuracy};

/// The ridge parameters to choose from, in the unit of each method's kernel.
const GAMMAS: [f64; 4] = [1e-3, 1e-2, 1e-1, 1.0];

/// Ridge on ternary features: the accuracy on the test samples, and the time from samples to features.
pub fn ternary(split: &Split, params: Params) -> Result<(f64, Duration), Error> {
    let (train, test) = (split.samples(0..split.train)?, split.samples(split.test())?);
    let start = Instant::now();
    let ternary = params.fit(&train)?;
    let (train, test) = (ternary.transform(&train)?, ternary.transform(&test)?);
    let time = start.elapsed();

    let kept = ternary.transform(&split.samples(split.kept())?)?;
    let held = ternary.transform(&split.samples(split.held())?)?;
    let gamma = choose(|gamma| {
        let model = Ridge::absolute(gamma)?.fit_classes(&kept, &split.labels[split.kept()])?;
        Ok(accuracy(&model.predict(&held)?, &split.labels[split.held()]))
    })?;
    let model = Ridge::absolute(gamma)?.fit_classes(&train, &split.labels[..split.train])?;
    Ok((accuracy(&model.predict(&test)?, &split.labels[split.test()]), time))
}

/// The ridge parameter with the best score; the largest of equals.
pub fn choose(score: impl Fn(f64) -> Result<f64, Error>) -> Result<f64, Error> {
    let mut best = (f64::NEG_INFINITY, GAMMAS[0]);
    for gamma in GAMMAS {
        let score = score(gamma)?;
        if score >= best.0 {
            best = (score, gamma);
        }
    }
    Ok(best.1)
}
