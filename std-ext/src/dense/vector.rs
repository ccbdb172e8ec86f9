//! The two operations on vectors that the solvers spend their time in.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

/// Σ a·b with sixteen partial sums, so that it runs at vector speed in a fixed order.
#[inline(always)]
pub(crate) fn dot<T>(a: &[T], b: &[T]) -> T
where
    T: Copy + Default + Add<Output = T> + AddAssign + Mul<Output = T> + Sum,
{
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<16>(), b.as_chunks::<16>());
    let mut parts = [T::default(); 16];
    for (a, b) in a.iter().zip(b) {
        for k in 0..16 {
            parts[k] += a[k] * b[k];
        }
    }
    let rest: T = a_rest.iter().zip(b_rest).map(|(&a, &b)| a * b).sum();
    parts.into_iter().sum::<T>() + rest
}

/// y ← y + a·x.
#[inline(always)]
pub(crate) fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}
