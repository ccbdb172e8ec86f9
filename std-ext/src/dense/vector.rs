//! Operations on vectors of `f64`: inner product and scaled addition.

/// Σ a·b with sixteen partial sums, so that it runs at vector speed in a fixed order.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (a.chunks_exact(16), b.chunks_exact(16));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    let mut parts = [0.0; 16];
    for (a, b) in a.zip(b) {
        for k in 0..16 {
            parts[k] += a[k] * b[k];
        }
    }
    parts.iter().sum::<f64>() + rest
}

/// y ← y + a·x.
#[inline]
pub(crate) fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}
