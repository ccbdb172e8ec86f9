//! The features that Ternion's are compared with, and how each keeps them in memory.

mod frequencies;
mod linear;
mod nystrom;
mod stored;

pub use frequencies::Frequencies;
pub use linear::Linear;
pub use nystrom::Nystrom;
pub use stored::Store;

/// A fitted feature map φ, with φ(x)·φ(y) ≈ k(x, y).
pub trait Map: Sync {
    /// The number of features.
    fn features(&self) -> usize;

    /// The features of some samples, a row each, on all threads.
    fn transform(&self, x: &[f32], out: &mut [f32]);

    /// The smallest and the largest feature there can be: the range of quantised features.
    fn range(&self) -> (f32, f32);
}

/// A kind of feature map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// √(2/m)·cos(w·x + b) and √(2/m)·sin(w·x + b) with frequencies w of the Gaussian kernel.
    Fourier(Frequencies),
    /// k(x, z)·K⁻¹ᐟ² with training samples z.
    Nystrom,
    /// √(2/m)·1{w·x > 0}, of the arc-cosine kernel of order 0.
    Step,
    /// √(2/m)·max(0, w·x), of the arc-cosine kernel of order 1.
    Ramp,
}

/// A feature map and what is stored of its features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name in tables.
    pub name: &'static str,
    kind: Kind,
    /// How features are kept.
    pub store: Store,
}

impl Method {
    const fn new(name: &'static str, kind: Kind, store: Store) -> Self {
        Self { name, kind, store }
    }

    const IID: Kind = Kind::Fourier(Frequencies::Independent);
    /// Random Fourier features in `f32`.
    pub const RFF_32: Self = Self::new("RFF-32", Self::IID, Store::Float);
    /// Random Fourier features in half precision.
    pub const RFF_16: Self = Self::new("RFF-16", Self::IID, Store::Half);
    /// Nyström features in `f32`.
    pub const NYSTROM_32: Self = Self::new("Nyström-32", Kind::Nystrom, Store::Float);
    /// Nyström features in half precision.
    pub const NYSTROM_16: Self = Self::new("Nyström-16", Kind::Nystrom, Store::Half);
    /// Low-precision random Fourier features of 8 bits.
    pub const LP_8: Self = Self::new("LP-RFF-8", Self::IID, Store::Bits(8));
    /// Low-precision random Fourier features of 4 bits.
    pub const LP_4: Self = Self::new("LP-RFF-4", Self::IID, Store::Bits(4));
    /// Low-precision random Fourier features of 1 bit.
    pub const LP_1: Self = Self::new("LP-RFF-1", Self::IID, Store::Bits(1));
    /// Orthogonal random features.
    pub const ORF: Self = Self::new("ORF-32", Kind::Fourier(Frequencies::Orthogonal), Store::Float);
    /// Structured spherical features.
    pub const SSF: Self = Self::new("SSF-32", Kind::Fourier(Frequencies::Spherical), Store::Float);
    /// Features of the arc-cosine kernel of order 0.
    pub const STEP: Self = Self::new("arc-cosine 0", Kind::Step, Store::Bits(1));
    /// Features of the arc-cosine kernel of order 1, that is, of ReLU.
    pub const RAMP: Self = Self::new("arc-cosine 1 (ReLU)", Kind::Ramp, Store::Float);

    /// Draws the map of a seed for the kernel exp(−γ‖x − y‖²), which arc-cosine features do not depend on.
    pub fn fit(
        self,
        train: &[f32],
        inputs: usize,
        features: usize,
        gamma: f64,
        seed: u64,
    ) -> Box<dyn Map> {
        match self.kind {
            Kind::Fourier(frequencies) => {
                Box::new(Linear::fourier(frequencies, inputs, features, gamma, seed))
            }
            Kind::Nystrom => Box::new(Nystrom::new(train, inputs, features, gamma, seed)),
            Kind::Step => Box::new(Linear::step(inputs, features, seed)),
            Kind::Ramp => Box::new(Linear::ramp(inputs, features, seed)),
        }
    }

    /// The most features of so many training samples: Nyström's are a landmark each.
    pub fn most_features(self, train: usize) -> usize {
        if self.kind == Kind::Nystrom { train } else { usize::MAX }
    }

    /// Whether the width of the Gaussian kernel matters.
    pub fn has_width(self) -> bool {
        !matches!(self.kind, Kind::Step | Kind::Ramp)
    }
}

/// The features of samples as they are read back from memory. The streams, one for each sample, decide how quantised ones
/// are rounded.
pub fn features_of(
    map: &dyn Map,
    store: Store,
    x: &[f32],
    inputs: usize,
    streams: &[u64],
) -> Vec<f32> {
    let mut out = vec![0.0; x.len() / inputs * map.features()];
    map.transform(x, &mut out);
    if store != Store::Float {
        store.pack(&out, map.features(), map.range(), streams).unpack(&mut out);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::data::mixture;
    use crate::paper::kernel;

    /// φ(x)·φ(y) is the kernel up to the noise of m features, for every method and on both sides of it.
    #[test]
    fn every_method_approximates_its_kernel() {
        let (inputs, gamma) = (18, 0.7);
        let set = mixture(inputs, 200, 0, 0.5, 9);
        let x = set.rows(0..20);
        for method in [
            Method::RFF_32,
            Method::RFF_16,
            Method::LP_8,
            Method::LP_4,
            Method::LP_1,
            Method::ORF,
            Method::SSF,
            Method::NYSTROM_32,
            Method::NYSTROM_16,
            Method::STEP,
            Method::RAMP,
        ] {
            let exact = match method.kind {
                Kind::Step => kernel::arc_cosine(0, x, x, inputs),
                Kind::Ramp => kernel::arc_cosine(1, x, x, inputs),
                _ => kernel::gaussian(gamma, x, x, inputs),
            };
            // Landmarks span the samples: no noise at all. Others are averaged over seeds, which also shows a bias: the
            // tolerance is about five deviations of a mean of 102,400 features.
            let (m, seeds, tolerance) = match (method.kind, method.store) {
                (Kind::Nystrom, _) => (200, 1, 0.02),
                (_, Store::Bits(1)) => (1024, 100, 0.03),
                (Kind::Ramp, _) => (1024, 100, 0.03),
                _ => (1024, 100, 0.015),
            };
            let mut mean = vec![0.0; 400];
            for seed in 0..seeds {
                let map = method.fit(set.rows(0..200), inputs, m, gamma, seed);
                let streams: Vec<u64> = (20 * seed..20 * seed + 20).collect();
                let features = features_of(map.as_ref(), method.store, x, inputs, &streams);
                for i in 0..20 {
                    for j in 0..20 {
                        let (a, b) = (&features[i * m..][..m], &features[j * m..][..m]);
                        let dot: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                        mean[i * 20 + j] += dot / seeds as f32;
                    }
                }
            }
            for (at, (found, exact)) in mean.iter().zip(&exact).enumerate() {
                // Rounding adds its variance to the diagonal, and only there.
                if at % 21 != 0 || method.store == Store::Float {
                    let error = (found - exact).abs();
                    assert!(error < tolerance, "{}: {found} for {exact} at {at}", method.name);
                }
            }
        }
    }
}
