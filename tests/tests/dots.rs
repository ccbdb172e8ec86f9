//! Inner products of packed trits against the oracle.

use ternion_core::{Simd, TritMatrix, dots};
use ternion_tests::data::{self, Random};
use ternion_tests::isa::{Check, on_every_isa};
use ternion_tests::oracle;

struct Case {
    cols: usize,
    a: Vec<i8>,
    b: Vec<i8>,
}

fn matrix(trits: &[i8], cols: usize) -> TritMatrix<Vec<u64>> {
    let (sign, mask) = data::pack(trits, cols);
    TritMatrix::new(trits.len() / cols, cols, sign, mask).unwrap()
}

impl Check for Case {
    fn check<S: Simd>(&self, simd: S) {
        let (a, b) = (matrix(&self.a, self.cols), matrix(&self.b, self.cols));
        let mut out = vec![i32::MIN; a.rows() * b.rows()];
        dots(simd, &a, &b, &mut out).unwrap();
        let expected = oracle::dots(&self.a, &self.b, self.cols);
        let label = format!("{} {} · {} of {}", S::NAME, a.rows(), b.rows(), self.cols);
        assert!(out.iter().map(|&x| x as i64).eq(expected.iter().copied()), "{label}");
        let single = a.row(0).unwrap().dot(b.row(b.rows() - 1).unwrap()).unwrap();
        assert_eq!(single as i64, expected[b.rows() - 1], "{label}");
    }
}

#[test]
fn every_isa_matches_the_oracle() {
    let mut random = Random::new(8);
    for cols in data::LENGTHS {
        for sparsity in [0.0, 0.5, 0.9] {
            let rows = [1 + random.below(9), 1 + random.below(40)];
            let [a, b] = rows.map(|rows| random.trits(rows * cols, sparsity));
            on_every_isa(&Case { cols, a, b });
        }
    }
}

#[test]
fn rows_read_back_as_they_were_packed() {
    let mut random = Random::new(9);
    for cols in data::LENGTHS {
        let trits = random.trits(3 * cols, 0.4);
        let packed = matrix(&trits, cols);
        for (row, expected) in packed.iter_rows().zip(trits.chunks(cols)) {
            assert!(row.iter().eq(expected.iter().copied()));
            let (mut bytes, mut floats) = (vec![9_i8; cols], vec![9.0_f32; cols]);
            row.unpack(&mut bytes).unwrap();
            row.unpack(&mut floats).unwrap();
            assert_eq!(bytes, expected);
            assert!(floats.iter().map(|&x| x as i8).eq(expected.iter().copied()));
            let count = |trit| expected.iter().filter(|&&t| t == trit).count();
            assert_eq!(row.counts(), (count(1), count(-1)));
            assert_eq!(row.get(cols), None);
        }
    }
}
