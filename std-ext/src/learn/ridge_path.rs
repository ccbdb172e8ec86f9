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
//!         V ← V and what W has outside of V, orthonormal
//! until every θ is exact enough, looked at after every fourth step:
//!         for every γ: z ← (I + (γ − γ₀)·H)⁻¹ Vᵀ·b,  θ = W·z
//! ```
//!
//! 1. The residual b − (S + γI)·θ is known without S: (γ₀ − γ) times the part of W·z outside of V.
//! 2. γ₀ is the geometric mean of the least and the largest γ: the ratio of eigenvalues, on which the number of steps
//!    depends, is then at most the square root of the ratio of these two.
//! 3. Vectors are made orthogonal twice, to all others: the basis stays orthonormal to rounding. What is removed is H.
//! 4. A vector of the basis is read once for all that are new, which stay in L2.
//!
//! A penalty that does not converge gets a factorisation of its own.

use super::LinearModel;
use super::normal_equations::NormalEquations;
use super::penalty::Penalty;
use crate::dense::cholesky::Cholesky;
use crate::dense::vector::{axpy, dot};
use crate::{Error, Isa, dispatch};
use ternion_core::Simd;

/// The error of θ, as a share of its norm, at which it is exact enough: the rounding of `f32` weights.
const TOLERANCE: f64 = 1.0 / (1 << 24) as f64;

/// What is left of a vector, as a share of it, below which it is taken to be in the space already.
const DEPENDENT: f64 = 1e-11;

/// The most vectors in V, and the most steps: more would cost as much as a factorisation.
const MAX_VECTORS: usize = 768;
const MAX_STEPS: usize = 48;

/// Steps from one look at the errors to the next, which costs about as much as a step.
const STEPS_TO_LOOK: usize = 4;

/// What is left of a vector, as a share of it, below which it has to be made orthogonal to all others again.
const CANCELLED: f64 = 1e-3;

/// The model of each penalty, in their order.
pub(super) fn solve_each(
    equations: &NormalEquations<'_>,
    penalties: &[Penalty],
) -> Result<Vec<LinearModel>, Error> {
    let variance = equations.variance();
    let gammas: Vec<f64> = penalties.iter().map(|penalty| penalty.gamma(|| variance)).collect();
    let (least, most) =
        gammas.iter().fold((f64::MAX, 0.0_f64), |(a, b), &gamma| (a.min(gamma), b.max(gamma)));
    // With many outputs the space is full before it is good for anything.
    let too_many = equations.right().len() > MAX_VECTORS / STEPS_TO_LOOK;
    if least == most || gammas.len() < 3 || too_many {
        return penalties.iter().map(|&penalty| equations.solve(penalty)).collect();
    }
    let centre = least.sqrt() * most.sqrt();
    let mut space = Space::new(equations.right());
    let mut solved: Vec<Option<LinearModel>> = gammas.iter().map(|_| None).collect();
    let factor = equations.factor(centre)?;
    for step in 1..=MAX_STEPS {
        space.step(&factor);
        let is_last = step == MAX_STEPS || !space.can_grow();
        if step % STEPS_TO_LOOK == 0 || is_last {
            let open = solved.iter_mut().zip(&gammas).filter(|(solved, _)| solved.is_none());
            for (solved, gamma) in open {
                let thetas = space.solution(gamma - centre, *gamma);
                *solved = thetas.map(|thetas| equations.model(&thetas)).transpose()?;
            }
        }
        if is_last || solved.iter().all(Option::is_some) {
            break;
        }
        space.grow();
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
            add_orthonormal(&mut basis, 0, b.clone(), DEPENDENT * norm(b));
        }
        let right = right.iter().map(|b| basis.iter().map(|v| dot(v, b)).collect()).collect();
        let (images, products, outside) = (Vec::new(), Vec::new(), Vec::new());
        Self { features, basis, images, products, outside, outside_norms: Vec::new(), right }
    }

    /// Applies T to the new vectors.
    fn step(&mut self, factor: &Cholesky) {
        let mut outside = self.basis[self.images.len()..].to_vec();
        factor.solve(&mut outside);
        self.images.extend(outside.iter().cloned());
        self.products.extend(remove(&self.basis, &mut outside));
        self.outside_norms = outside.iter().map(|vector| norm(vector)).collect();
        self.outside = outside;
    }

    /// Whether the last images have anything outside of the space, and there is room for it.
    fn can_grow(&self) -> bool {
        let last = &self.images[self.images.len() - self.outside.len()..];
        let is_outside = |(image, outside): (&Vec<f64>, &f64)| *outside > DEPENDENT * norm(image);
        let new = last.iter().zip(&self.outside_norms).filter(|pair| is_outside(*pair)).count();
        new > 0 && self.basis.len() + new <= MAX_VECTORS
    }

    /// Adds what the last images have outside of the space.
    fn grow(&mut self) {
        let known = self.basis.len();
        let last = self.images.len() - self.outside.len();
        for (outside, image) in self.outside.drain(..).zip(&self.images[last..]) {
            let least = DEPENDENT * norm(image);
            add_orthonormal(&mut self.basis, known, outside, least);
        }
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
        let mut thetas = vec![vec![0.0; self.features]; coefficients.len()];
        dispatch!(Isa::detect(), simd => add_multiples(simd, &self.images, &coefficients, &mut thetas));
        Some(thetas)
    }
}

/// Adds to each sum the vectors times its factors.
fn add_multiples<S: Simd>(
    simd: S,
    vectors: &[Vec<f64>],
    factors: &[Vec<f64>],
    sums: &mut [Vec<f64>],
) {
    for (i, vector) in vectors.iter().enumerate() {
        for (sum, factors) in sums.iter_mut().zip(factors) {
            simd.vectorize(
                #[inline(always)]
                || axpy(factors[i], vector, sum),
            );
        }
    }
}

/// Removes from vectors their parts in the space of some orthonormal ones, twice, and returns those parts: for each
/// vector a number per member of the basis.
fn remove(basis: &[Vec<f64>], vectors: &mut [Vec<f64>]) -> Vec<Vec<f64>> {
    let mut parts = vec![vec![0.0; basis.len()]; vectors.len()];
    for _ in 0..2 {
        for (i, v) in basis.iter().enumerate() {
            for (vector, parts) in vectors.iter_mut().zip(&mut parts) {
                parts[i] += dispatch!(Isa::detect(), simd => remove_one(simd, v, vector));
            }
        }
    }
    parts
}

/// Removes from a vector its part along another of unit length, and returns it.
fn remove_one<S: Simd>(simd: S, along: &[f64], vector: &mut [f64]) -> f64 {
    simd.vectorize(
        #[inline(always)]
        || {
            let part = dot(along, vector);
            axpy(-part, along, vector);
            part
        },
    )
}

fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

/// Adds a vector to an orthonormal basis, unless less than a length of it is outside. To the first `known` members it is
/// orthogonal already.
fn add_orthonormal(basis: &mut Vec<Vec<f64>>, known: usize, vector: Vec<f64>, least: f64) {
    let (before, mut vector) = (norm(&vector), [vector]);
    remove(&basis[known..], &mut vector);
    if norm(&vector[0]) < CANCELLED * before {
        remove(basis, &mut vector);
    }
    let [mut vector] = vector;
    let after = norm(&vector);
    if after > least {
        vector.iter_mut().for_each(|x| *x /= after);
        basis.push(vector);
    }
}
