//! Exact kernels and linear algebra in the plainest code: what the approximations are held against.

/// Solves A·x = b by Gaussian elimination with row exchanges. `a` is row-major.
pub fn solve(a: &[f64], b: &[f64]) -> Vec<f64> {
    let n = b.len();
    let mut rows: Vec<Vec<f64>> =
        (0..n).map(|i| a[i * n..(i + 1) * n].iter().copied().chain([b[i]]).collect()).collect();
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs()));
        rows.swap(k, best.expect("k is below n"));
        let pivot = rows[k].clone();
        assert!(pivot[k] != 0.0, "singular at column {k}");
        for row in &mut rows[k + 1..] {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| rows[i][j] * x[j]).sum();
        x[i] = (rows[i][n] - known) / rows[i][i];
    }
    x
}

/// The pivots of elimination without exchanges: a symmetric matrix is positive definite exactly if
/// all are positive.
pub fn pivots(a: &[f64], n: usize) -> Vec<f64> {
    let mut rows: Vec<Vec<f64>> = a.chunks(n).map(<[f64]>::to_vec).collect();
    for k in 0..n {
        let pivot = rows[k].clone();
        for row in &mut rows[k + 1..] {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
    }
    (0..n).map(|k| rows[k][k]).collect()
}

/// Ridge with an intercept by its normal equations, one output: the θ and b that minimise
/// Σ (f·θ + b − y)² + mγ‖θ‖², with `features` as rows of m numbers.
pub fn ridge(features: &[Vec<f64>], y: &[f64], gamma: f64) -> (Vec<f64>, f64) {
    let m = features[0].len();
    // The intercept is one more feature, which is not regularised.
    let rows: Vec<Vec<f64>> =
        features.iter().map(|row| row.iter().copied().chain([1.0]).collect()).collect();
    let mut a = vec![0.0; (m + 1) * (m + 1)];
    let mut b = vec![0.0; m + 1];
    for (row, y) in rows.iter().zip(y) {
        for i in 0..=m {
            b[i] += row[i] * y;
            for j in 0..=m {
                a[i * (m + 1) + j] += row[i] * row[j];
            }
        }
    }
    for i in 0..m {
        a[i * (m + 1) + i] += gamma * m as f64;
    }
    let mut solution = solve(&a, &b);
    let intercept = solution.pop().expect("one more than the features");
    (solution, intercept)
}

/// exp(−‖x−y‖²) of unit vectors with inner product `c`.
pub fn gaussian_kernel(c: f64) -> f64 {
    (-(2.0 - 2.0 * c)).exp()
}

/// E max(0, w·x) max(0, w·y) over Gaussian w, for unit vectors with inner product `c`: half the
/// arc-cosine kernel of order one.
pub fn relu_kernel(c: f64) -> f64 {
    let angle = c.clamp(-1.0, 1.0).acos();
    (angle.sin() + (std::f64::consts::PI - angle) * c) / std::f64::consts::TAU
}
