//! [`Convergence`]: how far a learner that iterates has come, and [`Warning`]: what is wrong with where it ended.

use std::fmt;

/// How far a learner that iterates has come. [`Training::progress`](super::Training::progress) gets it after every
/// iteration, and the fitted model keeps the last one.
///
/// ```
/// use ternion::learn::{End, Ridge, Warning};
/// use ternion::{Matrix, Samples, TernaryFeatures};
///
/// let x: Vec<f32> = (0..900 * 8).map(|k| (k as f32 * k as f32 * 0.37).sin()).collect();
/// let y = Matrix::from_vec(900, 1, x.chunks(8).map(|x| x[0] * x[1]).collect())?;
/// let samples = Samples::new(&x, 8)?;
/// let features = TernaryFeatures::params(256).fit(&samples)?.transform(&samples)?;
///
/// let model = Ridge::default().iterative().limit(3)?.fit(&features, &y)?; // usable, but not what was asked for
/// let convergence = model.convergence().unwrap();
/// assert_eq!((convergence.iterations, convergence.end), (3, Some(End::Limit)));
/// assert!(matches!(model.warnings()[..], [Warning::NotConverged(at)] if at.residual > at.tolerance));
/// println!("{}", model.warnings()[0]);
/// # Ok::<(), ternion::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Convergence {
    /// Iterations done; for a learner that takes samples in turn, passes over all of them.
    pub iterations: usize,
    /// The most iterations.
    pub limit: usize,
    /// What the learner minimises, as it documents it.
    pub objective: f64,
    /// How far the conditions of a minimum are from being met, as the learner documents it.
    pub residual: f64,
    /// The residual at which the learner has converged.
    pub tolerance: f64,
    /// The mean loss of held-out samples, if there are any.
    pub held_out: Option<f64>,
    /// Why there will be no further iteration; `None` as long as there will.
    pub end: Option<End>,
}

/// Why an iteration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum End {
    /// The residual reached the tolerance.
    Converged,
    /// The iterations reached their limit.
    Limit,
    /// No step lowered the objective any more, as far as rounding shows.
    Stalled,
    /// Held-out samples were no longer predicted better.
    HeldOut,
    /// The function that is told about progress asked for it.
    Asked,
}

/// A reason to expect less from a model than from one that its learner had finished.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Warning {
    /// The iterations reached their limit, or stalled, before the residual reached the tolerance. The model is what they
    /// led to.
    NotConverged(Convergence),
}

impl Convergence {
    /// What is wrong with where the iteration ended, if anything is.
    pub fn warning(&self) -> Option<Warning> {
        let short = matches!(self.end, Some(End::Limit | End::Stalled));
        short.then_some(Warning::NotConverged(*self))
    }

    /// Before the first iteration.
    pub(super) fn start(tolerance: f64, limit: usize) -> Self {
        Self {
            iterations: 0,
            limit,
            objective: f64::INFINITY,
            residual: f64::INFINITY,
            tolerance,
            held_out: None,
            end: None,
        }
    }
}

/// The largest of some residuals from zero on; NaN if there is one, which [`f64::max`] would pass over.
pub(super) fn largest(residuals: impl Iterator<Item = f64>) -> f64 {
    residuals.fold(0.0, |most, next| if most >= next || most.is_nan() { most } else { next })
}

impl fmt::Display for Convergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { iterations, limit, objective, residual, tolerance, .. } = self;
        write!(
            f,
            "iteration {iterations} of at most {limit}: objective {objective:.6e}, \
             residual {residual:.1e} of {tolerance:.1e}"
        )?;
        match self.held_out {
            Some(loss) => write!(f, ", held-out loss {loss:.6}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConverged(at) => {
                write!(f, "not converged at {at}: raise the limit, the tolerance or the penalty")
            }
        }
    }
}
