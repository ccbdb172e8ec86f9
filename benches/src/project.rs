//! The contenders of `compare project`: W·x by dense libraries, alone and as random Fourier features,
//! and by Ternion.

use std::cell::RefCell;
use std::rc::Rc;

use crate::data::{self, GRID};
use crate::harness::{Contender, Id, Mismatch};
use crate::ours::Ours;
use crate::peers::{Dense, Peers, add_and_cos};
use crate::report::Shape;

/// (inputs, features, samples) that are compared when none is asked for.
pub const SHAPES: [(usize, usize, usize); 5] =
    [(512, 10_000, 512), (784, 1024, 1024), (784, 4096, 1024), (54, 10_000, 4096), (512, 4096, 1)];

/// Samples per block of random Fourier features: as many as keep a GEMM at full speed while the cosine
/// still finds most of the block in the last-level cache.
const RFF_BLOCK: usize = 512;

/// Entries of the output that the check of random Fourier features looks at.
const SPOTS: usize = 1000;

/// One shape's data and what the oracle says about it.
pub struct Project {
    shape: Shape,
    inputs: usize,
    whole: Vec<i16>,
    x: Vec<f32>,
    trits: Vec<i8>,
    /// W as the dense call wants it: m×p rows for one sample, p×m for a batch.
    weights: Vec<f32>,
    phase: Vec<f32>,
    /// Per sample Σⱼ factor(j)·(W·x)ⱼ, in units of the grid.
    checksums: Vec<i64>,
    ours: Ours,
}

/// An output that all dense contenders share: each is checked before the next one overwrites it.
type Output = Rc<RefCell<Vec<f32>>>;

impl Project {
    /// Draws the data of a shape.
    ///
    /// # Panics
    ///
    /// When a dot product of so many inputs could leave the range where f32 sums are exact.
    pub fn new(inputs: usize, features: usize, samples: usize) -> Self {
        assert!(inputs * data::LARGEST < 1 << 24, "{inputs} inputs: sums would not be exact");
        let whole = data::whole(samples * inputs, 1);
        let trits = data::trits(features * inputs, 2.0 / 3.0, 2);
        let rows = data::floats(&trits);
        let weights = if samples == 1 { rows } else { data::transposed(&rows, features, inputs) };
        let phase = data::whole(features, 3).iter().map(|&k| f32::from(k) / 160.0).collect();
        let mut column = vec![0i64; inputs];
        for (j, row) in trits.chunks(inputs).enumerate() {
            for (sum, &t) in column.iter_mut().zip(row) {
                *sum += data::factor(j) * i64::from(t);
            }
        }
        let checksums = whole
            .chunks(inputs)
            .map(|x| x.iter().zip(&column).map(|(&k, &s)| i64::from(k) * s).sum())
            .collect();
        let shape = Shape { inputs: Some(inputs), features, samples };
        let x = data::on_grid(&whole);
        let ours = Ours::new(&whole, inputs, features);
        Self { shape, inputs, whole, x, trits, weights, phase, checksums, ours }
    }

    /// Every peer, as plain projection and as random Fourier features; then every form of Ternion.
    pub fn contenders<'a>(&'a self, peers: &'a Peers) -> Vec<Contender<'a>> {
        let output: Output =
            Rc::new(RefCell::new(vec![0.0; self.shape.samples * self.shape.features]));
        let dense = peers.dense.iter().map(|peer| self.dense(&**peer, output.clone()));
        let rff = peers.dense.iter().map(|peer| self.rff(&**peer, output.clone()));
        dense.chain(rff).chain(self.ours.contenders()).collect()
    }

    fn id(&self, kernel: &'static str, peer: &dyn Dense) -> Id {
        let Shape { features, samples, .. } = self.shape;
        Id {
            kernel,
            name: peer.name().to_owned(),
            call: if samples == 1 { "sgemv" } else { "sgemm" },
            input: "f32",
            isa: peer.isa().to_owned(),
            sparsity: None,
            macs: self.inputs as f64 * features as f64 * samples as f64,
        }
    }

    /// W·x for the samples in `x`.
    fn multiply(&self, peer: &dyn Dense, x: &[f32], out: &mut [f32]) {
        let (p, m) = (self.inputs, self.shape.features);
        if self.shape.samples == 1 {
            peer.gemv(m, p, &self.weights, x, out);
        } else {
            peer.gemm(x.len() / p, m, p, x, &self.weights, out);
        }
    }

    fn dense<'a>(&'a self, peer: &'a dyn Dense, output: Output) -> Contender<'a> {
        let run = |out: &mut Output| self.multiply(peer, &self.x, &mut out.borrow_mut());
        let check = |out: &Output| self.check_projection(&out.borrow());
        Contender::new(self.id("dense", peer), output, run, check)
    }

    fn rff<'a>(&'a self, peer: &'a dyn Dense, output: Output) -> Contender<'a> {
        let run = |out: &mut Output| {
            let blocks = self.x.chunks(RFF_BLOCK * self.inputs);
            for (x, out) in blocks.zip(out.borrow_mut().chunks_mut(RFF_BLOCK * self.phase.len())) {
                self.multiply(peer, x, out);
                add_and_cos(out, &self.phase);
            }
        };
        let check = |out: &Output| self.check_rff(&out.borrow());
        Contender::new(self.id("rff", peer), output, run, check)
    }

    /// Compares the checksum of every sample, exactly.
    fn check_projection(&self, out: &[f32]) -> Result<(), Mismatch> {
        let rows = out.chunks(self.shape.features).zip(&self.checksums);
        for (i, (row, &expected)) in rows.enumerate() {
            let expected = expected as f64;
            let terms = row.iter().enumerate();
            let found: f64 =
                terms.map(|(j, &s)| f64::from(s / GRID) * data::factor(j) as f64).sum();
            if found != expected {
                return Err(Mismatch { place: format!("checksum of sample {i}"), expected, found });
            }
        }
        Ok(())
    }

    /// Compares entries spread over the output with the cosine of the standard library.
    fn check_rff(&self, out: &[f32]) -> Result<(), Mismatch> {
        let (p, m) = (self.inputs, self.shape.features);
        for spot in 0..SPOTS {
            // A step coprime to most sizes, so that the spots are in all columns.
            let at = (spot * ((out.len() / SPOTS) | 1)) % out.len();
            let (i, j) = (at / m, at % m);
            let (x, w) = (&self.whole[i * p..][..p], &self.trits[j * p..][..p]);
            let dot: i64 = x.iter().zip(w).map(|(&x, &w)| i64::from(x) * i64::from(w)).sum();
            let angle = dot as f32 * GRID + self.phase[j];
            let (expected, found) = (f64::from(angle).cos(), f64::from(out[at]));
            let close = (expected - found).abs() < 1e-6; // false for a NaN
            if !close {
                let place = format!("sample {i}, feature {j}");
                return Err(Mismatch { place, expected, found });
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
        for (inputs, features, samples) in [(1, 1, 1), (33, 70, 5), (20, 9, 600), (65, 129, 1)] {
            let project = Project::new(inputs, features, samples);
            let mut contenders = project.contenders(&peers);
            let timings = race(&mut contenders, Budget::quick()).expect("every check passes");
            assert!(timings.len() > 2 * peers.dense.len());
        }
    }

    #[test]
    fn a_single_wrong_entry_and_two_swapped_ones_are_caught() {
        let peers = present().expect("the libraries named in the environment open");
        let project = Project::new(33, 70, 5);
        let mut out = vec![0.0; 70 * 5];
        project.multiply(&*peers.dense[0], &project.x, &mut out);
        assert_eq!(project.check_projection(&out), Ok(()));
        let mut wrong = out.clone();
        wrong[71] += GRID;
        assert_eq!(project.check_projection(&wrong).unwrap_err().place, "checksum of sample 1");
        let other = (1..60).find(|&j| out[j] != out[0]).expect("not all entries are equal");
        out.swap(0, other);
        assert_eq!(project.check_projection(&out).unwrap_err().place, "checksum of sample 0");
    }

    #[test]
    fn wrong_cosines_are_caught() {
        let peers = present().expect("the libraries named in the environment open");
        let project = Project::new(33, 70, 5);
        let mut out = vec![0.0; 70 * 5];
        project.multiply(&*peers.dense[0], &project.x, &mut out);
        assert!(project.check_rff(&out).is_err());
        assert!(project.check_rff(&[f32::NAN; 70 * 5]).is_err());
        add_and_cos(&mut out, &project.phase);
        assert_eq!(project.check_rff(&out), Ok(()));
    }
}
