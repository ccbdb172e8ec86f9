//! The contenders of `compare gram`: ΣᵀΣ and Σᵀ·u, packed, and on unpacked features by dense libraries and
//! int8 GEMM. Those of ΣΣᵀ are in `moments`.

use ternion::{Features, Isa, dispatch};
use ternion_core::{TritMatrix, gram_upper};

use crate::data;
use crate::harness::{self, Contender, Id, Mismatch};
use crate::peers::{Bits, Dense, Int8, Peers};
use crate::report::Shape;

/// (features, samples) of the Gram matrices compared when none is asked for; the last four show that the
/// cost is linear in features and quadratic in samples.
pub const SHAPES: [(usize, usize); 6] =
    [(16_384, 1024), (4096, 4096), (4096, 512), (8192, 512), (4096, 1024), (8192, 1024)];

/// (features, samples) of the matrix times vector compared when none is asked for.
pub const MATVEC: (usize, usize) = (16_384, 16_384);

/// Share of zeros in the features.
const ZEROS: f64 = 1.0 / 3.0;

/// Features, a sample per row, and what the oracle says about their Gram matrix.
pub(crate) struct Packed {
    /// What multiplies them: gram, or gram-sign where no feature is zero.
    kernel: &'static str,
    samples: usize,
    pub(crate) trits: TritMatrix<Vec<u64>>,
    /// Per row i: Σ factor(j)·G(i,j) over j ≥ i.
    checksums: Vec<i64>,
}

impl Packed {
    pub(crate) fn new(kernel: &'static str, trits: &[i8], features: usize) -> Self {
        let samples = trits.len() / features;
        // From the last row up: the weighted sum of this row and all rows after it, times this row.
        let mut suffix = vec![0i64; features];
        let mut checksums = vec![0; samples];
        for (i, row) in trits.chunks(features).enumerate().rev() {
            for (sum, &t) in suffix.iter_mut().zip(row) {
                *sum += data::factor(i) * i64::from(t);
                checksums[i] += *sum * i64::from(t);
            }
        }
        Self { kernel, samples, trits: data::packed(trits, features), checksums }
    }

    /// Compares every row of the upper triangle, exactly.
    pub(crate) fn check<T: Copy>(
        &self,
        gram: &[T],
        value: impl Fn(T) -> f64,
    ) -> Result<(), Mismatch> {
        let rows = gram.chunks(self.samples).zip(&self.checksums);
        for (i, (row, &expected)) in rows.enumerate() {
            let expected = expected as f64;
            let upper = row.iter().enumerate().skip(i);
            let found: f64 = upper.map(|(j, &g)| value(g) * data::factor(j) as f64).sum();
            if found != expected {
                return Err(Mismatch { place: format!("checksum of row {i}"), expected, found });
            }
        }
        Ok(())
    }
}

/// One shape's features, with zeros and without.
pub struct Gram {
    shape: Shape,
    trits: Vec<i8>,
    shifted: Vec<u8>,
    floats: Vec<f32>,
    packed: [Packed; 2],
}

impl Gram {
    /// Draws the features of a shape.
    pub fn new(features: usize, samples: usize) -> Self {
        assert!(features < 1 << 24, "{features} features: f32 counts would not be exact");
        let trits = data::trits(samples * features, ZEROS, 4);
        let shifted = trits.iter().map(|t| (t + 1) as u8).collect();
        let floats = data::floats(&trits);
        let packed = [
            Packed::new("gram", &trits, features),
            Packed::new("gram-sign", &data::trits(samples * features, 0.0, 6), features),
        ];
        let shape = Shape { inputs: None, features, samples };
        Self { shape, trits, shifted, floats, packed }
    }

    /// Every peer: ssyrk, int8 GEMM over the bands of the upper triangle, and Hamming distances where no
    /// feature is zero. Then the packed features on every ISA that is raced.
    pub fn contenders<'a>(&'a self, peers: &'a Peers) -> Vec<Contender<'a>> {
        let dense = peers.dense.iter().map(|peer| self.dense(&**peer));
        let int8 = peers.int8.iter().map(|peer| self.int8(&**peer));
        let bits = peers.bits.iter().map(|peer| self.bits(&**peer));
        let isas = harness::isas().into_iter();
        let ours = isas.flat_map(|isa| self.packed.iter().map(move |packed| (isa, packed)));
        let ours = ours.map(|(isa, packed)| self.ours(isa, packed));
        dense.chain(int8).chain(bits).chain(ours).collect()
    }

    fn id(&self, kernel: &'static str, name: &str, input: &'static str, isa: &str) -> Id {
        let Shape { features, samples, .. } = self.shape;
        Id {
            kernel,
            name: name.to_owned(),
            call: match input {
                "i8" => "gemm_s8",
                "f32" => "ssyrk",
                "bits" => "hamming",
                _ => "gram",
            },
            input,
            isa: isa.to_owned(),
            sparsity: None,
            macs: samples as f64 * (samples as f64 + 1.0) / 2.0 * features as f64,
        }
    }

    fn dense<'a>(&'a self, peer: &'a dyn Dense) -> Contender<'a> {
        let Shape { features, samples, .. } = self.shape;
        Contender::new(
            self.id("dense", peer.name(), "f32", peer.isa()),
            vec![0f32; samples * samples],
            move |out| peer.syrk(samples, features, &self.floats, out),
            |out| self.packed[0].check(out, f64::from),
        )
    }

    fn int8<'a>(&'a self, peer: &'a dyn Int8) -> Contender<'a> {
        let Shape { features, samples, .. } = self.shape;
        Contender::new(
            self.id("int8", peer.name(), "i8", "auto"),
            vec![0i32; samples * samples],
            move |out| peer.syrk(samples, features, &self.trits, &self.shifted, out),
            |out| self.packed[0].check(out, f64::from),
        )
    }

    /// ±1 are bits: their dot product is the features minus twice the distance.
    fn bits<'a>(&'a self, peer: &'a dyn Bits) -> Contender<'a> {
        let Shape { features, samples, .. } = self.shape;
        let [_, signs] = &self.packed;
        let sign = signs.trits.sign();
        Contender::new(
            self.id("bits", peer.name(), "bits", "auto"),
            vec![0; samples * samples],
            move |out| peer.hammings(samples, sign.len() / samples, sign, out),
            move |out| signs.check(out, |distance| features as f64 - 2.0 * f64::from(distance)),
        )
    }

    fn ours<'a>(&'a self, isa: Isa, packed: &'a Packed) -> Contender<'a> {
        Contender::new(
            self.id(packed.kernel, "ternion", "trits", isa.name()),
            vec![0; packed.samples * packed.samples],
            // The upper triangle, like ssyrk.
            move |out| {
                let (trits, rows) = (&packed.trits, 0..packed.samples);
                let done = dispatch!(isa, simd => gram_upper(simd, trits, rows.clone(), out));
                done.expect("the output has room");
            },
            |out| packed.check(out, f64::from),
        )
    }
}

/// One shape's features, a sample per row, and a vector to multiply them with.
pub struct Matvec {
    shape: Shape,
    packed: Features,
    floats: Vec<f32>,
    vector: Vec<f32>,
    expected: Vec<f32>,
}

impl Matvec {
    /// Draws the features and the vector of a shape.
    ///
    /// # Panics
    ///
    /// When a dot product of so many features could leave the range where f32 sums are exact.
    pub fn new(features: usize, samples: usize) -> Self {
        assert!(features * data::LARGEST < 1 << 24, "{features} features: sums would not be exact");
        let trits = data::trits(samples * features, ZEROS, 4);
        let whole = data::whole(features, 5);
        let dot = |row: &[i8]| -> i32 {
            row.iter().zip(&whole).map(|(&t, &k)| i32::from(t) * i32::from(k)).sum()
        };
        let expected = trits.chunks(features).map(|row| dot(row) as f32 * data::GRID).collect();
        let shape = Shape { inputs: None, features, samples };
        let packed = Features::new(data::packed(&trits, features));
        let (floats, vector) = (data::floats(&trits), data::on_grid(&whole));
        Self { shape, packed, floats, vector, expected }
    }

    /// Every peer: sgemv on the unpacked features. Then the product with the packed ones, in f64.
    pub fn contenders<'a>(&'a self, peers: &'a Peers) -> Vec<Contender<'a>> {
        let dense = peers.dense.iter().map(|peer| self.dense(&**peer));
        dense.chain([self.ours()]).collect()
    }

    fn ours(&self) -> Contender<'_> {
        let Shape { features, samples, .. } = self.shape;
        let id = Id {
            kernel: "matvec",
            name: "ternion".to_owned(),
            call: "matvec",
            input: "trits",
            isa: Isa::detect().name().to_owned(),
            sparsity: None,
            macs: samples as f64 * features as f64,
        };
        let vector: Vec<f64> = self.vector.iter().map(|&x| f64::from(x)).collect();
        let thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let run = move |out: &mut Vec<f32>| {
            let product = thread.install(|| self.packed.matvec(&vector));
            let product = product.expect("one number for each feature");
            out.clear();
            out.extend(product.into_iter().map(|x| x as f32));
        };
        Contender::new(id, Vec::new(), run, |out| self.check(out))
    }

    fn dense<'a>(&'a self, peer: &'a dyn Dense) -> Contender<'a> {
        let Shape { features, samples, .. } = self.shape;
        let id = Id {
            kernel: "dense",
            name: peer.name().to_owned(),
            call: "sgemv",
            input: "f32",
            isa: peer.isa().to_owned(),
            sparsity: None,
            macs: samples as f64 * features as f64,
        };
        let run = move |out: &mut Vec<f32>| {
            peer.gemv(samples, features, &self.floats, &self.vector, out);
        };
        Contender::new(id, vec![0.0; samples], run, |out| self.check(out))
    }

    fn check(&self, out: &[f32]) -> Result<(), Mismatch> {
        for (i, (&found, &expected)) in out.iter().zip(&self.expected).enumerate() {
            if found != expected {
                let (expected, found) = (f64::from(expected), f64::from(found));
                return Err(Mismatch { place: format!("sample {i}"), expected, found });
            }
        }
        Ok(())
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
        for (features, samples) in [(1, 1), (65, 7), (100, 150), (33, 1100)] {
            let gram = Gram::new(features, samples);
            race(&mut gram.contenders(&peers), Budget::quick()).expect("every check passes");
            let matvec = Matvec::new(features, samples);
            race(&mut matvec.contenders(&peers), Budget::quick()).expect("every check passes");
        }
    }

    #[test]
    fn wrong_entries_are_caught_above_the_diagonal_and_ignored_below() {
        let gram = Gram::new(40, 6);
        let mut g: Vec<f32> = vec![0.0; 36];
        for (i, a) in gram.trits.chunks(40).enumerate() {
            for (j, b) in gram.trits.chunks(40).enumerate() {
                g[i * 6 + j] = a.iter().zip(b).map(|(&a, &b)| f32::from(a * b)).sum();
            }
        }
        let check = |g: &[f32]| gram.packed[0].check(g, f64::from);
        assert_eq!(check(&g), Ok(()));
        g[2 * 6 + 1] += 1.0;
        assert_eq!(check(&g), Ok(()));
        g[2 * 6 + 3] += 1.0;
        assert_eq!(check(&g).unwrap_err().place, "checksum of row 2");
    }

    #[test]
    fn a_wrong_product_is_caught() {
        let matvec = Matvec::new(40, 6);
        assert_eq!(matvec.check(&matvec.expected), Ok(()));
        let mut wrong = matvec.expected.clone();
        wrong[4] += data::GRID;
        assert_eq!(matvec.check(&wrong).unwrap_err().place, "sample 4");
    }
}
