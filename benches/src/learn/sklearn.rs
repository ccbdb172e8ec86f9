//! Learners beside scikit-learn, whose support vector machine is LIBLINEAR: the same objective to the same tolerance, time
//! and objective of both.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;
use std::{env, fs, io};

use super::dense::Model;
use super::{Learn, Learner};
use crate::peers::Peers;

/// (features, samples): few enough for LIBLINEAR, which takes 16 bytes for every feature that is not zero.
pub const SHAPE: (usize, usize) = (1024, 10_000);

/// The learners, and when they have converged: the largest derivative by a weight, the range of the projected
/// derivatives, and the residual relative to the right side, in both libraries.
const TOLERANCES: [(Learner, f64); 3] =
    [(Learner::LogisticLbfgs, 1e-4), (Learner::SvmDual, 1e-3), (Learner::RidgeCg, 1e-4)];

/// More iterations than any of them takes.
const LIMIT: usize = 10_000;

/// A line for every learner.
///
/// # Errors
///
/// [`io::Error`] if the Python that `SKLEARN_PYTHON` names does not run, or has no scikit-learn.
pub fn table(learn: &Learn, python: &Path, peers: &Peers) -> Result<String, Box<dyn Error>> {
    let folder = env::temp_dir().join(format!("compare-learn-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let theirs = fit(learn, python, &folder);
    fs::remove_dir_all(&folder)?;
    let thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut out = format!(
        "features {}, samples {}, until converged\n",
        learn.shape.features, learn.shape.samples
    );
    let head = ["learner", "sklearn ms", "objective", "ternion ms", "objective", "ratio"];
    let [a, b, c, d, e, f] = head;
    writeln!(out, "  {a:<18}{b:>12}{c:>14}{d:>12}{e:>14}{f:>8}")?;
    for ((learner, tolerance), (seconds, model)) in TOLERANCES.into_iter().zip(theirs?) {
        let problem = learn.problem(learner, &*peers.dense[0]);
        let built = learner.build(learn.gamma(), LIMIT, Some(tolerance))?;
        let before = Instant::now();
        let ours = thread.install(|| learn.fit(learner, &*built));
        let own_seconds = before.elapsed().as_secs_f64();
        let [found, expected] = [&ours, &model].map(|it| problem.objective(learner, it).0);
        let (name, ratio) = (learner.name(), seconds / own_seconds);
        let [theirs, own] = [seconds, own_seconds].map(|seconds| seconds * 1e3);
        writeln!(
            out,
            "  {name:<18}{theirs:>12.1}{expected:>14.8}{own:>12.1}{found:>14.8}{ratio:>8.1}"
        )?;
    }
    Ok(out)
}

/// The seconds of each fit by scikit-learn, and its model.
fn fit(learn: &Learn, python: &Path, folder: &Path) -> io::Result<Vec<(f64, Model)>> {
    let trits = learn.packed.trits().iter_rows().flat_map(|row| row.iter().map(|t| t as u8));
    fs::write(folder.join("trits"), trits.collect::<Vec<u8>>())?;
    let labels: Vec<u8> = learn.labels.iter().map(|&label| label as u8).collect();
    fs::write(folder.join("labels"), labels)?;
    let mut command = Command::new(python);
    command.args(["-c", include_str!("sklearn.py")]).arg(folder);
    command.args([learn.shape.features.to_string(), learn.penalty().to_string()]);
    for (learner, tolerance) in TOLERANCES {
        command.args([learner.name(), &tolerance.to_string()]);
    }
    for threads in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"] {
        command.env(threads, "1");
    }
    let found = command.output()?;
    let seconds: Vec<f64> =
        String::from_utf8_lossy(&found.stdout).lines().filter_map(|s| s.parse().ok()).collect();
    if !found.status.success() || seconds.len() != TOLERANCES.len() {
        return Err(io::Error::other(String::from_utf8_lossy(&found.stderr).into_owned()));
    }
    let model = |(seconds, (learner, _)): (f64, (Learner, f64))| {
        let bytes = fs::read(folder.join(learner.name()))?;
        let mut weights: Vec<f32> =
            bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        let bias = weights.split_off(learn.shape.features * learner.outputs());
        Ok((seconds, Model { weights, bias }))
    };
    seconds.into_iter().zip(TOLERANCES).map(model).collect()
}
