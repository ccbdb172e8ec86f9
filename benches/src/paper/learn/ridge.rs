//! Ridge regression on features of any precision: from second moments that samples are added to, or, with fewer samples than
//! features, from their kernel matrix.

use ternion::Error;

use crate::paper::dense;
use crate::peers::strided::{columns, gemm, rows};

/// Σ φφᵀ, Σ φ, Σ φyᵀ and Σ y of samples.
pub struct Moments {
    features: usize,
    outputs: usize,
    samples: f64,
    /// The lower triangle.
    second: Vec<f64>,
    sums: Vec<f64>,
    /// A row per feature.
    products: Vec<f64>,
    targets: Vec<f64>,
}

/// Weights, a row per feature, and a constant for each output.
pub struct Model {
    /// A row per feature.
    pub weights: Vec<f32>,
    /// Of each output.
    pub bias: Vec<f32>,
}

impl Moments {
    /// No samples yet.
    pub fn new(features: usize, outputs: usize) -> Self {
        let zeros = |count| vec![0.0; count];
        Self {
            features,
            outputs,
            samples: 0.0,
            second: zeros(features * features),
            sums: zeros(features),
            products: zeros(features * outputs),
            targets: zeros(outputs),
        }
    }

    /// Adds samples: features and targets, a row each.
    pub fn add(&mut self, features: &[f32], targets: &[f32]) {
        dense::add_products_of_columns(features, self.features, &mut self.second);
        let (m, k, n) = (self.features, self.outputs, features.len() / self.features);
        let mut products = vec![0.0f32; m * k];
        gemm(m, k, n, columns(features, m), rows(targets, k), &mut products, k);
        add_each(&mut self.products, &products);
        features.chunks(m).for_each(|row| add_each(&mut self.sums, row));
        targets.chunks(k).for_each(|row| add_each(&mut self.targets, row));
        self.samples += n as f64;
    }

    /// Solves (Φᶜᵀ·Φᶜ + ridge)·θ = Φᶜᵀ·y for centred features, where the ridge is `share` times the mean eigenvalue, as in
    /// Ternion's `Ridge`.
    ///
    /// # Errors
    ///
    /// [`Error::NotPositiveDefinite`] if rounding errors exceed so small a ridge.
    pub fn solve(&self, share: f64) -> Result<Model, Error> {
        let (m, k, n) = (self.features, self.outputs, self.samples);
        let mut a = self.second.clone();
        for (i, row) in a.chunks_mut(m).enumerate() {
            let mean = self.sums[i] / n;
            row[..=i].iter_mut().zip(&self.sums).for_each(|(entry, sum)| *entry -= mean * sum);
        }
        let trace: f64 = a.iter().step_by(m + 1).sum();
        // Eigenvalues are those of the n × n kernel matrix, which has n − 1 of them.
        let ridge = share * trace / n;
        a.iter_mut().step_by(m + 1).for_each(|diagonal| *diagonal += ridge);
        let mut weights = self.products.clone();
        for (products, sum) in weights.chunks_mut(k).zip(&self.sums) {
            products.iter_mut().zip(&self.targets).for_each(|(x, y)| *x -= sum * y / n);
        }
        dense::cholesky(m, &mut a)?;
        dense::substitute(m, &a, &mut weights);
        let mut bias: Vec<f64> = self.targets.iter().map(|y| y / n).collect();
        for (weights, sum) in weights.chunks(k).zip(&self.sums) {
            bias.iter_mut().zip(weights).for_each(|(bias, w)| *bias -= w * sum / n);
        }
        let narrow = |x: Vec<f64>| x.into_iter().map(|x| x as f32).collect();
        Ok(Model { weights: narrow(weights), bias: narrow(bias) })
    }
}

/// What [`Moments::solve`] finds for each share, by the smaller system of fewer samples than features: θ = Φᶜᵀ·(Φᶜ·Φᶜᵀ +
/// ridge)⁻¹·yᶜ for centred features and targets.
pub fn fit_few(
    features: &[f32],
    m: usize,
    targets: &[f32],
    shares: &[f64],
) -> Vec<Result<Model, Error>> {
    let n = features.len() / m;
    let (features, means) = centred(features, m);
    let (targets, bias) = centred(targets, targets.len() / n);
    let k = bias.len();
    let gram: Vec<f64> =
        dense::product_of_rows(&features, &features, m).into_iter().map(f64::from).collect();
    let trace: f64 = gram.iter().step_by(n + 1).sum();
    let fit = |share: f64| {
        let mut a = gram.clone();
        a.iter_mut().step_by(n + 1).for_each(|diagonal| *diagonal += share * trace / n as f64);
        let mut dual: Vec<f64> = targets.iter().copied().map(f64::from).collect();
        dense::cholesky(n, &mut a)?;
        dense::substitute(n, &a, &mut dual);
        let dual: Vec<f32> = dual.into_iter().map(|x| x as f32).collect();
        let mut weights = vec![0.0; m * k];
        gemm(m, k, n, columns(&features, m), rows(&dual, k), &mut weights, k);
        let mut bias = bias.clone();
        for (weights, mean) in weights.chunks(k).zip(&means) {
            bias.iter_mut().zip(weights).for_each(|(bias, w)| *bias -= f64::from(*w) * mean);
        }
        Ok(Model { weights, bias: bias.into_iter().map(|x| x as f32).collect() })
    };
    shares.iter().map(|&share| fit(share)).collect()
}

/// Rows of `width` numbers without their mean, and the mean.
fn centred(rows: &[f32], width: usize) -> (Vec<f32>, Vec<f64>) {
    let mut means = vec![0.0; width];
    rows.chunks(width).for_each(|row| add_each(&mut means, row));
    means.iter_mut().for_each(|mean| *mean /= (rows.len() / width) as f64);
    let numbers = rows.iter().zip(means.iter().cycle());
    (numbers.map(|(&x, mean)| (f64::from(x) - mean) as f32).collect(), means)
}

fn add_each(sums: &mut [f64], numbers: &[f32]) {
    sums.iter_mut().zip(numbers).for_each(|(sum, &x)| *sum += f64::from(x));
}

impl Model {
    /// The outputs for some samples, a row each.
    pub fn outputs(&self, features: &[f32]) -> Vec<f32> {
        let k = self.bias.len();
        let m = self.weights.len() / k;
        let mut out = vec![0.0; features.len() / m * k];
        dense::product(features, &self.weights, m, k, &mut out);
        for row in out.chunks_mut(k) {
            row.iter_mut().zip(&self.bias).for_each(|(out, bias)| *out += bias);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ternion::Matrix;
    use ternion::learn::KernelRidge;

    /// The same problem in its dual form, solved by other code.
    #[test]
    fn ridge_is_kernel_ridge_on_the_product_kernel() {
        let (n, m, k) = (90, 7, 2);
        let features: Vec<f32> = (0..n * m).map(|i| (i as f32 * i as f32 * 0.3).sin()).collect();
        let targets: Vec<f32> = (0..n * k).map(|i| (i as f32 * 0.7).cos()).collect();
        let mut moments = Moments::new(m, k);
        moments.add(&features[..40 * m], &targets[..40 * k]);
        moments.add(&features[40 * m..], &targets[40 * k..]);
        let found = moments.solve(0.3).unwrap().outputs(&features);
        let [few] = &fit_few(&features, m, &targets, &[0.3])[..] else { panic!("one model") };
        let few = few.as_ref().unwrap().outputs(&features);

        let gram = dense::product_of_rows(&features, &features, m);
        let gram = Matrix::from_vec(n, n, gram).unwrap();
        let targets = Matrix::from_vec(n, k, targets).unwrap();
        let model = KernelRidge::new(0.3).unwrap().fit(&gram, &targets).unwrap();
        let expected = model.predict(&gram).unwrap();
        for ((found, few), expected) in found.iter().zip(&few).zip(expected.as_slice()) {
            assert!((found - expected).abs() < 1e-3, "{found} {expected}");
            assert!((few - expected).abs() < 1e-3, "{few} {expected}");
        }
    }
}
