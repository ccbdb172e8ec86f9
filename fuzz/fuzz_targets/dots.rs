//! Trit matrices of any planes, and their inner products, against the oracle on every ISA.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use ternion::dispatch;
use ternion_core::{Error, TritMatrix, dots};
use ternion_tests::isa::tuned_isas;
use ternion_tests::{data, oracle};

#[derive(Arbitrary, Debug)]
struct Input {
    cols: u16,
    left: Vec<u8>,
    right: Vec<u8>,
    sign: Vec<u64>,
    mask: Vec<u64>,
}

/// Whole rows of trits; at least one.
fn rows(bytes: &[u8], cols: usize) -> Vec<i8> {
    let count = (bytes.len().div_ceil(cols)).clamp(1, 70);
    bytes
        .iter()
        .map(|byte| (byte % 3) as i8 - 1)
        .chain(std::iter::repeat(0))
        .take(count * cols)
        .collect()
}

fn matrix(trits: &[i8], cols: usize) -> TritMatrix<Vec<u64>> {
    let (sign, mask) = data::pack(trits, cols);
    TritMatrix::new(trits.len() / cols, cols, sign, mask).unwrap()
}

/// All pairs of rows, on every ISA.
fn check(cols: usize, left: &[i8], right: &[i8]) {
    let (a, b) = (matrix(left, cols), matrix(right, cols));
    let needed = a.rows() * b.rows();
    let expected = oracle::dots(left, right, cols);
    for isa in tuned_isas() {
        // One number more than needed, which must stay.
        let mut out = vec![i32::MIN; needed + 1];
        dispatch!(isa, simd => dots(simd, &a, &b, &mut out)).unwrap();
        let found = out[..needed].iter().map(|&dot| i64::from(dot));
        assert!(found.eq(expected.iter().copied()), "{isa}");
        assert_eq!(out[needed], i32::MIN);
    }
}

/// Accepted exactly if the planes are trits, and read back as what their bits say.
fn any_planes(cols: usize, sign: &[u64], mask: &[u64]) {
    let words = cols.div_ceil(64);
    let rows = sign.len().div_ceil(words);
    let made = TritMatrix::new(rows, cols, sign, mask);
    let bit =
        |plane: &[u64], row: usize, col: usize| plane[row * words + col / 64] >> (col % 64) & 1;
    let places = || (0..rows).flat_map(|row| (0..words * 64).map(move |col| (row, col)));
    if sign.is_empty() || sign.len() != rows * words || mask.len() != sign.len() {
        assert!(matches!(made, Err(Error::ZeroSize { .. } | Error::LengthMismatch { .. })));
    } else if places().any(|(row, col)| bit(sign, row, col) > bit(mask, row, col)) {
        assert!(matches!(made, Err(Error::SignOutsideMask { .. } | Error::DirtyTail { .. })));
    } else if places().any(|(row, col)| col >= cols && bit(mask, row, col) == 1) {
        assert!(matches!(made, Err(Error::DirtyTail { .. })));
    } else {
        let made = made.unwrap();
        for (row, col) in places().filter(|(_, col)| *col < cols) {
            let trit = bit(mask, row, col) as i8 - 2 * bit(sign, row, col) as i8;
            assert_eq!(made.row(row).unwrap().get(col), Some(trit));
        }
    }
}

fuzz_target!(|input: Input| {
    let cols = 1 + input.cols as usize % 400;
    any_planes(cols, &input.sign, &input.mask);
    // Most planes are not trits; these are, whenever the tail is clean.
    let within: Vec<u64> = input.sign.iter().zip(&input.mask).map(|(s, m)| s & m).collect();
    any_planes(cols, &within, &input.mask[..within.len()]);
    check(cols, &rows(&input.left, cols), &rows(&input.right, cols));
});
