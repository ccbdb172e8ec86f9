//! [`NormalEquations`]: ridge as a linear system of the features, (S + γI)·θ = (1/m) Σ P y with S = (1/m) Σ P Σᵀ.

use super::penalty::Penalty;
use super::products::Products;
use super::{LinearModel, Moments, TargetMoments};
use crate::dense::cholesky::Cholesky;
use crate::dense::vector::dot;
use crate::{Error, Matrix, memory};

/// The system of some moments, for any γ.
pub(super) struct NormalEquations<'a> {
    products: &'a Products,
    samples: f64,
    /// The sum of each feature.
    totals: Vec<f64>,
    /// For each output the right side.
    right: Vec<Vec<f64>>,
    /// The mean of each output.
    means: Vec<f64>,
}

impl<'a> NormalEquations<'a> {
    /// Of classes, by targets that are +1 for the class and −1 for the rest. Σ P y is then twice what the class has
    /// beyond its share of the totals.
    pub(super) fn of_classes(moments: &'a Moments) -> Result<Self, Error> {
        let (samples, share) = (moments.samples() as f64, 1.0 / moments.features() as f64);
        let totals = floats(&moments.totals());
        let beyond = |(sums, &count): (&[i64], &i64)| {
            let part = count as f64 / samples;
            let sums = sums.iter().zip(&totals);
            let beyond = sums.map(|(&sum, total)| 2.0 * (sum as f64 - total * part) * share);
            memory::collect(beyond, moments.features(), 1)
        };
        let right: Result<_, _> = moments.class_sums().zip(moments.counts()).map(beyond).collect();
        let mean = |&count: &i64| 2.0 * count as f64 / samples - 1.0;
        let means = moments.counts().iter().map(mean).collect();
        Ok(Self { products: moments.products(), samples, totals, right: right?, means })
    }

    /// Of targets.
    pub(super) fn of_targets(moments: &'a TargetMoments) -> Result<Self, Error> {
        let (samples, share) = (moments.samples() as f64, 1.0 / moments.features() as f64);
        let mut right = moments.centred().collect::<Result<Vec<_>, _>>()?;
        right.iter_mut().flatten().for_each(|entry| *entry *= share);
        let (totals, means) = (floats(moments.totals()), moments.means());
        Ok(Self { products: moments.products(), samples, totals, right, means })
    }

    /// The model for one penalty.
    pub(super) fn solve(&self, penalty: Penalty) -> Result<LinearModel, Error> {
        let gamma = penalty.gamma(|| self.variance());
        let copy = |right: &Vec<f64>| memory::collect(right.iter().copied(), right.len(), 1);
        let mut thetas = self.right.iter().map(copy).collect::<Result<Vec<_>, _>>()?;
        self.factor(gamma)?.solve(&mut thetas);
        self.model(&thetas)
    }

    /// The factor of S + γI.
    pub(super) fn factor(&self, gamma: f64) -> Result<Cholesky, Error> {
        let m = self.products.features;
        let share = 1.0 / m as f64;
        // Only the lower triangle is needed.
        let mut matrix = memory::zeros(m, m)?;
        for (i, (row, products)) in matrix.chunks_exact_mut(m).zip(self.products.rows()).enumerate()
        {
            let mean = self.totals[i] / self.samples;
            let entries = row.iter_mut().zip(products.iter().zip(&self.totals));
            entries.for_each(|(entry, (&product, total))| {
                *entry = (product as f64 - mean * total) * share;
            });
            row[i] += gamma;
        }
        Cholesky::new(m, matrix)
    }

    /// The mean variance of a feature.
    pub(super) fn variance(&self) -> f64 {
        let square = |(products, total): (&[i64], &f64)| {
            products.last().map_or(0.0, |&square| square as f64 - total * total / self.samples)
        };
        let squares: f64 = self.products.rows().zip(&self.totals).map(square).sum();
        squares / self.products.features as f64 / self.samples
    }

    /// For each output the right side.
    pub(super) fn right(&self) -> &[Vec<f64>] {
        &self.right
    }

    /// The model with the given weights of each output.
    pub(super) fn model(&self, thetas: &[Vec<f64>]) -> Result<LinearModel, Error> {
        let outputs = thetas.len();
        let mut weights = memory::zeros(self.products.features, outputs)?;
        for (k, theta) in thetas.iter().enumerate() {
            set_output(&mut weights, outputs, k, theta.iter().copied());
        }
        let bias = |(theta, mean): (&Vec<f64>, &f64)| {
            (mean - dot(theta, &self.totals) / self.samples) as f32
        };
        let bias = thetas.iter().zip(&self.means).map(bias).collect();
        let weights = Matrix::from_vec(self.products.features, outputs, weights)?;
        LinearModel::fitted(weights, bias)
    }
}

fn floats(sums: &[i64]) -> Vec<f64> {
    sums.iter().map(|&sum| sum as f64).collect()
}

/// Writes the weights of one output.
pub(super) fn set_output(
    weights: &mut [f32],
    outputs: usize,
    output: usize,
    theta: impl IntoIterator<Item = f64>,
) {
    for (weights, theta) in weights.chunks_exact_mut(outputs).zip(theta) {
        weights[output] = theta as f32;
    }
}
