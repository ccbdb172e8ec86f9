//! The dual problem of a support vector machine, one coordinate, that is one sample, at a time.
//!
//! ```text
//! minimise ½‖Σ αᵢyᵢxᵢ‖² + ½ Σ dᵢαᵢ² − Σ αᵢ  subject to 0 ≤ αᵢ ≤ uᵢ
//! for every sample: g = yᵢ·f(xᵢ) − 1 + dᵢαᵢ;  αᵢ = clamp(αᵢ − g/(‖xᵢ‖² + dᵢ));  θ += (change of αᵢ)·yᵢxᵢ
//! ```
//!
//! With Cᵢ = wᵢ/(m·γ), the plain hinge has uᵢ = Cᵢ and dᵢ = 0, the squared one uᵢ = ∞ and dᵢ = 1/(2Cᵢ). Samples that stay
//! at a bound are left out (*shrinking*) until the others have converged, and then looked at again.

use super::Hinge;
use crate::learn::LinearModel;
use crate::learn::training::Weights;
use crate::packed::row_sums::{RowWeights, prefetch, square};
use crate::packed::rows::Rows;
use crate::random::Random;
use crate::{Features, dispatch};
use ternion_core::Simd;

/// Samples between a request for the planes of one and their use.
const AHEAD: usize = 4;

/// What the machines of all classes share.
pub(super) struct Problem<'a> {
    features: &'a Features,
    labels: &'a [usize],
    hinge: Hinge,
    /// Cᵢ of every sample: zero for those that are not trained on.
    costs: Vec<f64>,
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        features: &'a Features,
        labels: &'a [usize],
        weights: &Weights,
        hinge: Hinge,
        cost: f64,
    ) -> Self {
        let costs = weights.trained.iter().map(|weight| weight * cost).collect();
        Self { features, labels, hinge, costs }
    }

    /// uᵢ and dᵢ.
    fn bounds(&self, sample: usize) -> (f64, f64) {
        match self.hinge {
            Hinge::Squared => (f64::INFINITY, 0.5 / self.costs[sample]),
            Hinge::Plain => (self.costs[sample], 0.0),
        }
    }
}

/// One class against the rest.
#[derive(Clone)]
pub(super) struct Machine {
    class: usize,
    alpha: Vec<f64>,
    theta: RowWeights,
    intercept: f64,
    /// The samples to be trained on; those that are left out at the end.
    order: Vec<usize>,
    active: usize,
    /// Beyond these derivatives a sample at a bound is left out.
    leave_out: [f64; 2],
    random: Random,
    /// The range of the derivatives that are not at a bound, in the last pass over all samples or over the active ones.
    pub(super) residual: f64,
}

impl Machine {
    pub(super) fn new(
        problem: &Problem<'_>,
        class: usize,
        seed: u64,
        start: Option<&LinearModel>,
    ) -> Self {
        let samples = problem.labels.len();
        let order: Vec<usize> = (0..samples).filter(|&i| problem.costs[i] > 0.0).collect();
        let mut machine = Self {
            class,
            alpha: vec![0.0; samples],
            theta: RowWeights::zeros(problem.features.features()),
            intercept: 0.0,
            active: order.len(),
            order,
            leave_out: [f64::NEG_INFINITY, f64::INFINITY],
            random: Random::stream(seed, class as u64),
            residual: f64::INFINITY,
        };
        if let Some(model) = start {
            machine.start(problem, model);
        }
        machine
    }

    pub(super) fn class(&self) -> usize {
        self.class
    }

    /// Starts from the dual variables that a model would have if it were the minimum.
    fn start(&mut self, problem: &Problem<'_>, model: &LinearModel) {
        let weights = model.weights().iter_rows().map(|row| f64::from(row[self.class]));
        let outputs = Rows::all(problem.features).times(&weights.collect::<Vec<_>>(), 1);
        let intercept = f64::from(model.bias()[self.class]);
        for &sample in &self.order {
            let short = 1.0 - self.sign(problem, sample) * (outputs[sample] + intercept);
            let cost = problem.costs[sample];
            self.alpha[sample] = match problem.hinge {
                Hinge::Squared => 2.0 * cost * short.max(0.0),
                Hinge::Plain if short > 0.0 => cost,
                Hinge::Plain => 0.0,
            };
        }
        self.refresh(problem);
    }

    /// y of a sample.
    fn sign(&self, problem: &Problem<'_>, sample: usize) -> f64 {
        if problem.labels[sample] == self.class { 1.0 } else { -1.0 }
    }

    /// The weights, with zeros up to a whole word, and the intercept.
    pub(super) fn solution(&self) -> (&[f32], f64) {
        (self.theta.as_slice(), self.intercept)
    }

    /// θ = Σ αᵢyᵢxᵢ and the intercept, without the rounding errors of single changes.
    fn refresh(&mut self, problem: &Problem<'_>) {
        let signed = |(sample, alpha): (usize, &f64)| self.sign(problem, sample) * alpha;
        let signed: Vec<f64> = self.alpha.iter().enumerate().map(signed).collect();
        self.theta.set(&Rows::all(problem.features).transposed_times(&signed, 1));
        self.intercept = signed.iter().sum();
    }

    /// A pass over the active samples; if these have converged, one over all samples.
    pub(super) fn pass(&mut self, problem: &Problem<'_>, tolerance: f64) {
        self.residual = self.pass_active(problem);
        if self.residual <= tolerance && self.active < self.order.len() {
            self.active = self.order.len();
            self.leave_out = [f64::NEG_INFINITY, f64::INFINITY];
            self.refresh(problem);
            self.residual = self.pass_active(problem);
        }
    }

    fn pass_active(&mut self, problem: &Problem<'_>) -> f64 {
        self.random.shuffle(&mut self.order[..self.active]);
        let [least, most] = dispatch!(problem.features.isa(), simd => self.descend(simd, problem));
        self.leave_out = [
            if least < 0.0 { least } else { f64::NEG_INFINITY },
            if most > 0.0 { most } else { f64::INFINITY },
        ];
        (most - least).max(0.0)
    }

    /// Changes each active sample, and returns the range of the derivatives that are not at a bound.
    fn descend<S: Simd>(&mut self, simd: S, problem: &Problem<'_>) -> [f64; 2] {
        let [mut least, mut most] = [f64::INFINITY, f64::NEG_INFINITY];
        let mut place = 0;
        while place < self.active {
            let sample = self.order[place];
            if let Some(&next) = self.order[..self.active].get(place + AHEAD) {
                prefetch(simd, problem.features, next);
            }
            let (sign, (upper, diagonal)) = (self.sign(problem, sample), problem.bounds(sample));
            let alpha = self.alpha[sample];
            let output = self.theta.sum(simd, problem.features, sample) + self.intercept;
            let derivative = sign * output - 1.0 + diagonal * alpha;
            let (at_lower, at_upper) = (alpha == 0.0, alpha >= upper);
            if at_lower && derivative > self.leave_out[1]
                || at_upper && derivative < self.leave_out[0]
            {
                self.active -= 1;
                self.order.swap(place, self.active);
                continue;
            }
            // At a bound only the derivative that leads away from it counts.
            let projected = match (at_lower, at_upper) {
                (true, _) => derivative.min(0.0),
                (_, true) => derivative.max(0.0),
                _ => derivative,
            };
            (least, most) = (least.min(projected), most.max(projected));
            if projected != 0.0 {
                // With the intercept.
                let square = f64::from(square(simd, problem.features, sample) + 1);
                let changed = alpha - derivative / (square + diagonal);
                let changed = changed.clamp(0.0, upper);
                let step = sign * (changed - alpha);
                self.alpha[sample] = changed;
                self.theta.change(simd, problem.features, sample, step as f32);
                self.intercept += step;
            }
            place += 1;
        }
        [least, most]
    }

    /// Minus the dual objective.
    pub(super) fn objective(&self, problem: &Problem<'_>) -> f64 {
        let alphas = self.alpha.iter().enumerate().filter(|(_, alpha)| **alpha > 0.0);
        let gain =
            |(sample, alpha): (usize, &f64)| alpha - 0.5 * problem.bounds(sample).1 * alpha * alpha;
        let square = |&weight: &f32| f64::from(weight) * f64::from(weight);
        let norm = self.theta.as_slice().iter().map(square).sum::<f64>();
        alphas.map(gain).sum::<f64>() - 0.5 * (norm + self.intercept * self.intercept)
    }

    /// The loss of a sample.
    pub(super) fn loss(&self, problem: &Problem<'_>, sample: usize) -> f64 {
        let features = problem.features;
        let sum = dispatch!(features.isa(), simd => self.theta.sum(simd, features, sample));
        problem.hinge.loss(self.sign(problem, sample) * (sum + self.intercept))
    }
}
