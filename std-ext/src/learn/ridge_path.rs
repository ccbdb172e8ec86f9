//! [`solve_each`]: ridge for several penalties by one factorisation.
//!
//! With T = (S + γ₀I)⁻¹, which the factor for one γ₀ applies to a vector in 2m² operations, the solution for γ is
//!
//! ```text
//! (S + γI)⁻¹ b = T·u  with  (I + (γ − γ₀)·T)·u = b
//! ```
//!
//! and u is sought in the block Krylov space of T and all right sides (a shift-and-invert Lanczos method), the same one
//! for every γ:
//!
//! ```text
//! V ← an orthonormal basis of the right sides
//! repeat: W ← T·V, for the vectors that are new in V
//!         H ← Vᵀ·W, a small symmetric matrix
//!         for every γ: z ← (I + (γ − γ₀)·H)⁻¹ Vᵀ·b,  θ = W·z
//!         V ← V and what W has outside of V, orthonormal
//! until every θ is exact enough
//! ```
//!
//! 1. The residual b − (S + γI)·θ is known without S: (γ₀ − γ) times the part of W·z outside of V.
//! 2. γ₀ is the geometric mean of the least and the largest γ: the ratio of eigenvalues, on which the number of steps
//!    depends, is then at most the square root of the ratio of these two.
//! 3. Vectors are made orthogonal twice, to all others: the basis stays orthonormal to rounding.
//!
//! A penalty that does not converge gets a factorisation of its own.

use super::LinearModel;
use super::normal_equations::NormalEquations;
use super::penalty::Penalty;
use crate::dense::cholesky::Cholesky;
use crate::dense::vector::{axpy, dot};
use crate::{Error, Isa, dispatch};
use ternion_core::Simd;

/// The error of θ, as a share of its norm, at which it is exact enough: a fourth of the rounding of `f32` weights.
const TOLERANCE: f64 = 1.0 / (1 << 26) as f64;

/// What is left of a vector, as a share of it, below which it is taken to be in the space already.
const DEPENDENT: f64 = 1e-11;

/// The most vectors in V, and the most steps: more would cost as much as a factorisation.
const MAX_VECTORS: usize = 768;
const MAX_STEPS: usize = 48;

/// The model of each penalty, in their order.
pub(super) fn solve_each(
    equations: &NormalEquations<'_>,
    penalties: &[Penalty],
) -> Result<Vec<LinearModel>, Error> {
    let variance = equations.variance();
    let gammas: Vec<f64> = penalties.iter().map(|penalty| penalty.gamma(variance)).collect();
    let (least, most) =
        gammas.iter().fold((f64::MAX, 0.0_f64), |(a, b), &gamma| (a.min(gamma), b.max(gamma)));
    if least == most || gammas.len() < 3 {
        return penalties.iter().map(|&penalty| equations.solve(penalty)).collect();
    }
    let centre = least.sqrt() * most.sqrt();
    let mut space = Space::new(equations.right());
    let mut solved: Vec<Option<LinearModel>> = gammas.iter().map(|_| None).collect();
    let factor = equations.factor(centre)?;
    for _ in 0..MAX_STEPS {
        space.step(&factor);
        for (solved, gamma) in solved.iter_mut().zip(&gammas).filter(|(solved, _)| solved.is_none())
        {
            let thetas = space.solution(gamma - centre, *gamma);
            *solved = thetas.map(|thetas| equations.model(&thetas)).transpose()?;
        }
        if solved.iter().all(Option::is_some) || !space.grow() {
            break;
        }
    }
    drop((factor, space));
    let models = solved.into_iter().zip(penalties);
    models.map(|(model, &penalty)| model.map_or_else(|| equations.solve(penalty), Ok)).collect()
}

/// The Krylov space.
struct Space {
    features: usize,
    /// V: orthonormal vectors.
    basis: Vec<Vec<f64>>,
    /// W = T·V, of all but the vectors that are new.
    images: Vec<Vec<f64>>,
    /// H: row i has the products of image i with the basis up to its own step.
    products: Vec<Vec<f64>>,
    /// Of each image its part outside of V; kept for the last step only.
    outside: Vec<Vec<f64>>,
    /// The norms of those parts.
    outside_norms: Vec<f64>,
    /// Vᵀ·b for each right side; zero beyond the vectors of the first step.
    right: Vec<Vec<f64>>,
}

impl Space {
    fn new(right: &[Vec<f64>]) -> Self {
        let (features, mut basis) = (right.first().map_or(0, Vec::len), Vec::new());
        for b in right {
            add_orthonormal(&mut basis, b.clone());
        }
        let right = right.iter().map(|b| basis.iter().map(|v| dot(v, b)).collect()).collect();
        let (images, products, outside) = (Vec::new(), Vec::new(), Vec::new());
        Self { features, basis, images, products, outside, outside_norms: Vec::new(), right }
    }

    /// Applies T to the new vectors.
    fn step(&mut self, factor: &Cholesky) {
        let mut new = self.basis[self.images.len()..].to_vec();
        factor.solve(&mut new);
        self.outside.clear();
        self.outside_norms.clear();
        for image in new {
            let products: Vec<f64> = self.basis.iter().map(|v| dot(v, &image)).collect();
            let mut outside = image.clone();
            dispatch!(Isa::detect(), simd => remove(simd, &self.basis, &mut outside));
            self.outside_norms.push(dot(&outside, &outside).sqrt());
            self.outside.push(outside);
            self.products.push(products);
            self.images.push(image);
        }
    }

    /// Adds what the last images have outside of the space; false if that is nothing, or too much.
    fn grow(&mut self) -> bool {
        let known = self.basis.len();
        for (outside, image) in
            self.outside.drain(..).zip(&self.images[known - self.outside_norms.len()..])
        {
            let size = dot(image, image).sqrt();
            if dot(&outside, &outside).sqrt() > DEPENDENT * size {
                add_orthonormal(&mut self.basis, outside);
            }
        }
        self.basis.len() > known && self.basis.len() <= MAX_VECTORS
    }

    /// θ of each right side, if all of them are exact enough.
    fn solution(&self, shift: f64, gamma: f64) -> Option<Vec<Vec<f64>>> {
        let size = self.images.len();
        let mut small = vec![0.0; size * size];
        for (i, products) in self.products.iter().enumerate() {
            for (j, product) in products.iter().enumerate().take(i + 1) {
                small[i * size + j] = shift * product;
            }
            small[i * size + i] += 1.0;
        }
        let mut right = self.right.clone();
        right.iter_mut().for_each(|b| b.resize(size, 0.0));
        let mut coefficients = right.clone();
        // Its eigenvalues are at least γ/γ₀; if that is lost in rounding, the penalty needs a factor of its own.
        Cholesky::new(size, small).ok()?.solve(&mut coefficients);
        let is_exact = |(z, b): (&Vec<f64>, &Vec<f64>)| {
            let last = z[size - self.outside_norms.len()..].iter().zip(&self.outside_norms);
            let outside: f64 = last.map(|(z, norm)| (z * norm).abs()).sum();
            // The error is at most the residual over γ, and the part of θ in the space is H·z = (Vᵀ·b − z)/(γ − γ₀).
            let distance = b.iter().zip(z).map(|(b, z)| (b - z).powi(2)).sum::<f64>().sqrt();
            outside * shift * shift / gamma <= TOLERANCE * distance
        };
        if !coefficients.iter().zip(&right).all(is_exact) {
            return None;
        }
        let theta = |z: &Vec<f64>| {
            let mut theta = vec![0.0; self.features];
            dispatch!(Isa::detect(), simd => add_multiples(simd, &self.images, z, &mut theta));
            theta
        };
        Some(coefficients.iter().map(theta).collect())
    }
}

/// Adds multiples of vectors.
fn add_multiples<S: Simd>(simd: S, vectors: &[Vec<f64>], factors: &[f64], to: &mut [f64]) {
    for (vector, &factor) in vectors.iter().zip(factors) {
        simd.vectorize(
            #[inline(always)]
            || axpy(factor, vector, to),
        );
    }
}

/// Removes from a vector its part in the space of some orthonormal ones, twice.
fn remove<S: Simd>(simd: S, basis: &[Vec<f64>], vector: &mut [f64]) {
    for v in basis.iter().chain(basis) {
        simd.vectorize(
            #[inline(always)]
            || axpy(-dot(v, vector), v, vector),
        );
    }
}

/// Adds a vector to an orthonormal basis, unless it depends on the others.
fn add_orthonormal(basis: &mut Vec<Vec<f64>>, mut vector: Vec<f64>) {
    let before = dot(&vector, &vector).sqrt();
    dispatch!(Isa::detect(), simd => remove(simd, basis, &mut vector));
    let after = dot(&vector, &vector).sqrt();
    if after > DEPENDENT * before {
        vector.iter_mut().for_each(|x| *x /= after);
        basis.push(vector);
    }
}
