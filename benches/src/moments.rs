//! The contenders of `compare gram --moments`: ΣΣᵀ, which ridge regression solves with, from packed features by a bit
//! transpose, and on unpacked features by dense libraries.

use ternion::{Features, Isa, Matrix};

use crate::data;
use crate::gram::Packed;
use crate::harness::{Contender, Id};
use crate::peers::{Dense, Peers};
use crate::report::Shape;

/// (features, samples) compared when none is asked for.
pub const SHAPE: (usize, usize) = (4096, 60_000);

/// Share of zeros in the features.
const ZEROS: f64 = 1.0 / 3.0;

/// One shape's features.
pub struct Moments {
    shape: Shape,
    /// A row per feature, which is what dense libraries are fastest with.
    floats: Vec<f32>,
    /// The same, packed, and what the oracle says about its products.
    packed: Packed,
    /// A row per sample, which is how features come.
    features: Features,
}

impl Moments {
    /// Draws the features of a shape.
    ///
    /// # Panics
    ///
    /// When sums over so many samples could leave the range where f32 is exact.
    pub fn new(features: usize, samples: usize) -> Self {
        assert!(samples < 1 << 24, "{samples} samples: f32 counts would not be exact");
        let trits = data::trits(features * samples, ZEROS, 7);
        let packed = Packed::new("moments", &trits, samples);
        let by_feature = Features::new(packed.trits.clone());
        let shape = Shape { inputs: None, features, samples };
        let by_sample = by_feature.transposed().expect("as large as what there is");
        Self { shape, floats: data::floats(&trits), packed, features: by_sample }
    }

    /// Every peer: ssyrk. Then the packed features, the transpose included.
    pub fn contenders<'a>(&'a self, peers: &'a Peers) -> Vec<Contender<'a>> {
        let dense = peers.dense.iter().map(|peer| self.dense(&**peer));
        dense.chain([self.ours()]).collect()
    }

    fn id(&self, kernel: &'static str, name: &str, call: &'static str, isa: &str) -> Id {
        let Shape { features, samples, .. } = self.shape;
        let pairs = features as f64 * (features as f64 + 1.0) / 2.0;
        Id {
            kernel,
            name: name.to_owned(),
            call,
            input: if kernel == "dense" { "f32" } else { "trits" },
            isa: isa.to_owned(),
            sparsity: None,
            macs: pairs * samples as f64,
        }
    }

    fn dense<'a>(&'a self, peer: &'a dyn Dense) -> Contender<'a> {
        let Shape { features, samples, .. } = self.shape;
        Contender::new(
            self.id("dense", peer.name(), "ssyrk", peer.isa()),
            vec![0f32; features * features],
            move |out| peer.syrk(features, samples, &self.floats, out),
            |out| self.packed.check(out, f64::from),
        )
    }

    fn ours(&self) -> Contender<'_> {
        let thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let run = move |out: &mut Option<Matrix<i32>>| {
            let moments = thread.install(|| self.features.second_moments());
            *out = Some(moments.expect("it fits in memory"));
        };
        let id = self.id("moments", "ternion", "moments", Isa::detect().name());
        Contender::new(id, None, run, |out| {
            let moments = out.as_ref().map_or(&[][..], Matrix::as_slice);
            self.packed.check(moments, f64::from)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{Budget, race};
    use crate::peers::present;

    #[test]
    fn every_peer_passes_the_checks_of_small_shapes() {
        let peers = present().expect("the libraries named in the environment open");
        for (features, samples) in [(1, 1), (65, 7), (100, 150)] {
            let moments = Moments::new(features, samples);
            race(&mut moments.contenders(&peers), Budget::quick()).expect("every check passes");
        }
    }
}
