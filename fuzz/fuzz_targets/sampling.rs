//! What a seed means: any seed, sparsity and size against the oracle.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use ternion_core::{Error, Seeded, Sparsity, TritMatrix, plane_words};
use ternion_tests::oracle;

#[derive(Arbitrary, Debug)]
struct Input {
    seed: u64,
    sparsity: f64,
    threshold: u32,
    rows: u8,
    cols: u16,
    fewer_rows: u8,
    fewer_cols: u16,
}

fn grow(seed: u64, sparsity: Sparsity, rows: usize, cols: usize) -> Vec<i8> {
    let words = plane_words(rows, cols).unwrap();
    // Dirty storage: the fill must leave nothing of it.
    let (sign, mask) = (vec![u64::MAX; words], vec![u64::MAX; words]);
    let mut w = TritMatrix::zeroed(rows, cols, sign, mask).unwrap();
    Seeded::new(seed, sparsity, cols, rows).unwrap().fill(&mut w).unwrap();
    let planes = (w.sign().to_vec(), w.mask().to_vec());
    TritMatrix::new(rows, cols, planes.0, planes.1).expect("sign within mask, clean tails");
    w.iter_rows().flatten().collect()
}

fuzz_target!(|input: Input| {
    match Sparsity::new(input.sparsity) {
        Ok(sparsity) => {
            assert!(input.sparsity >= 0.0 && input.sparsity < 1.0);
            let error = sparsity.probability() - input.sparsity;
            assert!(error.abs() <= 2.0_f64.powi(-32), "{error}");
        }
        Err(refused) => {
            assert!(!(0.0..1.0).contains(&input.sparsity));
            assert!(matches!(refused, Error::SparsityOutOfRange { .. }));
        }
    }

    let (rows, cols) = (1 + input.rows as usize % 6, 1 + input.cols as usize % 140);
    let sparsity = Sparsity::from_bits(input.threshold);
    let w = grow(input.seed, sparsity, rows, cols);
    assert_eq!(w, oracle::w(input.seed, input.threshold, rows, cols));

    let (less, narrow) =
        (1 + input.fewer_rows as usize % rows, 1 + input.fewer_cols as usize % cols);
    let corner = w.chunks(cols).take(less).flat_map(|row| &row[..narrow]);
    assert!(grow(input.seed, sparsity, less, narrow).iter().eq(corner), "W is one endless matrix");
});
