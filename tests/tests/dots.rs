//! Inner products of packed trits against the oracle.

use ternion::dispatch;
use ternion_core::{Simd, TritMatrix, add_gram_upper, copy_upper_to_lower, dots, gram, gram_upper};
use ternion_tests::data::{self, Random};
use ternion_tests::isa::{isas, tuned_isas};
use ternion_tests::oracle;

fn matrix(trits: &[i8], cols: usize) -> TritMatrix<Vec<u64>> {
    let (sign, mask) = data::pack(trits, cols);
    TritMatrix::new(trits.len() / cols, cols, sign, mask).unwrap()
}

/// Two matrices, on every back end.
fn check_dots(cols: usize, left: &[i8], right: &[i8]) {
    let (a, b) = (matrix(left, cols), matrix(right, cols));
    let expected = oracle::dots(left, right, cols);
    let single = a.row(0).unwrap().dot(b.row(b.rows() - 1).unwrap()).unwrap();
    assert_eq!(single as i64, expected[b.rows() - 1]);
    for isa in tuned_isas() {
        let mut out = vec![i32::MIN; a.rows() * b.rows()];
        dispatch!(isa, simd => dots(simd, &a, &b, &mut out)).unwrap();
        let label = format!("{isa:?} {} · {} of {cols}", a.rows(), b.rows());
        assert!(out.iter().map(|&x| x as i64).eq(expected.iter().copied()), "{label}");
    }
}

#[test]
fn every_isa_matches_the_oracle() {
    let mut random = Random::new(8);
    for cols in data::LENGTHS {
        for sparsity in [0.0, 0.5, 0.9] {
            let rows = [1 + random.below(9), 1 + random.below(40)];
            let [a, b] = rows.map(|rows| random.trits(rows * cols, sparsity));
            check_dots(cols, &a, &b);
        }
    }
}

/// What the rows hold, which decides how they are multiplied.
const CONTENTS: [(&str, [i8; 3]); 5] = [
    ("trits", [-1, 0, 1]),
    ("signs", [-1, 1, 1]),
    ("one-sided", [0, 1, 1]),
    ("one-sided below", [0, -1, 0]),
    ("zeros", [0, 0, 0]),
];

fn random_rows(random: &mut Random, count: usize, values: [i8; 3]) -> Vec<i8> {
    (0..count).map(|_| values[random.below(3)]).collect()
}

/// Enough rows for every kernel, lengths around its words, passes and runs.
#[test]
fn rows_of_every_content_match_the_oracle() {
    let mut random = Random::new(81);
    for cols in [1, 63, 64, 65, 200, 511, 512, 513, 1023, 1024, 1025, 2113] {
        for (name, left) in CONTENTS {
            for (other, right) in CONTENTS {
                let [a, b] = [(20, left), (17 + cols % 90, right)]
                    .map(|(rows, values)| random_rows(&mut random, rows * cols, values));
                println!("{name} · {other}, {cols}");
                check_dots(cols, &a, &b);
            }
        }
    }
}

/// A matrix with itself on every back end: whole, and some rows of the upper half.
fn check_gram(cols: usize, trits: &[i8]) {
    let a = matrix(trits, cols);
    let n = a.rows();
    let expected: Vec<i32> = oracle::dots(trits, trits, cols).iter().map(|&x| x as i32).collect();
    for isa in tuned_isas() {
        let mut out = vec![i32::MIN; n * n + 1];
        dispatch!(isa, simd => gram(simd, &a, &mut out)).unwrap();
        assert_eq!(out.pop(), Some(i32::MIN), "{isa:?} {n} of {cols}");
        assert_eq!(out, expected, "{isa:?} {n} of {cols}");
        for rows in [0..n, 0..n / 2, n / 3..n, n / 2..n / 2 + 1, n - 1..n, n / 2..n / 2] {
            let mut part = vec![i32::MIN; rows.len() * n];
            dispatch!(isa, simd => gram_upper(simd, &a, rows.clone(), &mut part)).unwrap();
            for (i, part) in rows.clone().zip(part.chunks(n)) {
                let label = format!("{isa:?} row {i} of {rows:?}, {n} of {cols}");
                assert_eq!(part[i..], expected[i * n + i..(i + 1) * n], "{label}");
            }
            // Added to what is there, twice.
            dispatch!(isa, simd => add_gram_upper(simd, &a, rows.clone(), &mut part)).unwrap();
            dispatch!(isa, simd => add_gram_upper(simd, &a, rows.clone(), &mut part)).unwrap();
            for (i, part) in rows.clone().zip(part.chunks(n)) {
                let label = format!("{isa:?} row {i} of {rows:?}, {n} of {cols}, added");
                let thrice = expected[i * n + i..(i + 1) * n].iter().map(|x| 3 * x);
                assert!(part[i..].iter().copied().eq(thrice), "{label}");
            }
        }
    }
}

#[test]
fn every_pair_of_a_matrix_with_itself_is_the_oracles() {
    let mut random = Random::new(82);
    for (rows, cols) in
        [(1, 1), (1, 700), (2, 65), (15, 64), (16, 64), (64, 33), (65, 129), (130, 1100), (600, 70)]
    {
        for (_, values) in CONTENTS {
            let trits = random_rows(&mut random, rows * cols, values);
            check_gram(cols, &trits);
        }
    }
}

/// More rows, and longer ones, than any kernel takes in one slab or panel.
#[test]
fn every_slab_and_panel_is_the_oracles() {
    let mut random = Random::new(83);
    for (_, values) in CONTENTS.into_iter().take(2) {
        let [many, few] = [1100, 30].map(|rows| random_rows(&mut random, rows * 70, values));
        check_dots(70, &many, &few);
        check_dots(70, &few, &many);
        let trits = random_rows(&mut random, 1100 * 10, values);
        check_gram(10, &trits);
        let cols = 20_000;
        let [long, longer] = [5, 60].map(|rows| random_rows(&mut random, rows * cols, values));
        check_dots(cols, &long, &longer);
        check_gram(cols, &longer);
    }
}

/// Counts at their bounds: every run of every kernel is as full as it can be.
#[test]
fn equal_and_opposite_rows_of_any_length_do_not_overflow() {
    let cols = 5000;
    let ones = vec![1; 20 * cols];
    let mut mixed = ones.clone();
    mixed[cols..].fill(-1);
    mixed[7 * cols + 4999] = 0; // not all ±1: the general kernel
    check_dots(cols, &ones, &ones);
    check_dots(cols, &ones, &mixed);
    check_gram(cols, &mixed);
}

#[test]
fn copying_the_upper_half_downwards_writes_the_lower_half_and_nothing_else() {
    for n in [1, 2, 15, 16, 17, 63, 64, 65, 100, 130] {
        let upper = |i: usize, j: usize| (i * n + j) as i32;
        for isa in isas() {
            let mut matrix: Vec<i32> =
                (0..n * n).map(|at| if at % n < at / n { -1 } else { at as i32 }).collect();
            dispatch!(isa, simd => copy_upper_to_lower(simd, &mut matrix, n)).unwrap();
            for (at, &found) in matrix.iter().enumerate() {
                let (i, j) = (at / n, at % n);
                assert_eq!(found, upper(i.min(j), i.max(j)), "{isa} {n}: {i} {j}");
            }
        }
    }
}

#[test]
fn rows_read_back_as_they_were_packed() {
    let mut random = Random::new(9);
    for cols in data::LENGTHS {
        let trits = random.trits(3 * cols, 0.4);
        let packed = matrix(&trits, cols);
        assert!(packed.view().iter_rows().eq(packed.iter_rows()));
        for (row, expected) in packed.iter_rows().zip(trits.chunks(cols)) {
            let words = row.words().map(|word| (word.sign, word.mask));
            assert!(words.eq(row.sign().iter().copied().zip(row.mask().iter().copied())));
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

fn transpose<S: Simd>(simd: S, from: &[i32], to: &mut [i32], stride: usize) {
    simd.transpose32(from, to, stride);
}

/// Tiles are transposed where they fit, at whatever distance of rows, and otherwise left alone.
#[test]
fn tiles_that_do_not_fit_are_not_copied() {
    let from: Vec<i32> = (0..400).collect();
    for isa in isas() {
        for (stride, fits) in [(16, true), (25, true), (26, false), (usize::MAX / 15 + 2, false)] {
            let mut to = vec![-1; 391];
            dispatch!(isa, simd => transpose(simd, &from, &mut to, stride));
            let copied =
                (0..16 * 16).filter(|k| fits && to[k / 16 * stride + k % 16] != -1).count();
            assert_eq!(copied, if fits { 256 } else { 0 }, "{isa} {stride}");
            assert_eq!(to.iter().filter(|&&x| x != -1).count(), copied, "{isa} {stride}");
            if fits {
                assert_eq!(to[3 * stride + 5], from[5 * stride + 3], "{isa} {stride}");
            }
        }
    }
}
