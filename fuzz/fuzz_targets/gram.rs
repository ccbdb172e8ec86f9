//! Gram and cross-Gram matrices, second moments, transposes and products with vectors of any trits, against the oracle.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use ternion::{Features, Gram, TritMatrix, dispatch};
use ternion_core::gram;
use ternion_tests::isa::tuned_isas;
use ternion_tests::{data, oracle};

#[derive(Arbitrary, Debug)]
struct Input {
    cols: u16,
    rows: u8,
    others: u8,
    /// The trits are made of these, over and over.
    trits: Vec<u8>,
    vector: Vec<i8>,
}

/// As many trits as are wanted.
fn trits(bytes: &[u8], from: usize, count: usize) -> Vec<i8> {
    let bytes = if bytes.is_empty() { &[1][..] } else { bytes };
    let all = bytes.iter().cycle().skip(from % bytes.len());
    all.take(count).map(|byte| (byte % 3) as i8 - 1).collect()
}

fn packed(trits: &[i8], cols: usize) -> TritMatrix<Vec<u64>> {
    let (sign, mask) = data::pack(trits, cols);
    TritMatrix::new(trits.len() / cols, cols, sign, mask).unwrap()
}

fn equal(found: &[i32], expected: &[i64]) -> bool {
    found.iter().map(|&dot| i64::from(dot)).eq(expected.iter().copied())
}

fuzz_target!(|input: Input| {
    let cols = 1 + input.cols as usize % 700;
    let rows = 1 + input.rows as usize % 70;
    let others = 1 + input.others as usize % 9;
    let a = trits(&input.trits, 0, rows * cols);
    let b = trits(&input.trits, 7, others * cols);
    let expected = oracle::dots(&a, &a, cols);
    let matrix = packed(&a, cols);
    for isa in tuned_isas() {
        // One number more than needed, which must stay.
        let mut out = vec![i32::MIN; rows * rows + 1];
        dispatch!(isa, simd => gram(simd, &matrix, &mut out)).unwrap();
        assert!(equal(&out[..rows * rows], &expected) && out[rows * rows] == i32::MIN, "{isa}");
    }

    let (left, right) = (Features::new(matrix), Features::new(packed(&b, cols)));
    assert!(equal(Gram::new(&left).counts().unwrap().as_slice(), &expected));
    let cross = Gram::new(&left).cross_counts(&right).unwrap();
    assert!(equal(cross.as_slice(), &oracle::dots(&a, &b, cols)));

    let columns: Vec<i8> =
        (0..cols).flat_map(|col| a.iter().skip(col).step_by(cols).copied()).collect();
    let transposed = left.transposed().unwrap();
    assert!(transposed.trits().iter_rows().flatten().eq(columns.iter().copied()));
    // Small enough for the oracle.
    if cols <= 200 {
        let moments = left.second_moments().unwrap();
        assert!(equal(moments.as_slice(), &oracle::dots(&columns, &columns, rows)));
    }

    // Whole numbers, whose sums are exact in any order.
    let number =
        |k: usize| f64::from(input.vector.get(k % input.vector.len().max(1)).map_or(1, |&x| x));
    let vector: Vec<f64> = (0..cols).map(number).collect();
    let product = |row: &[i8]| row.iter().zip(&vector).map(|(&trit, x)| f64::from(trit) * x).sum();
    let expected: Vec<f64> = a.chunks(cols).map(product).collect();
    assert_eq!(left.matvec(&vector).unwrap(), expected);
});
