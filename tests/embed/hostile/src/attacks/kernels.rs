//! Matrices, Gram matrices, and products with them.

use super::{BAD, SIZES, different, noise, packed, refused};
use ternion::dense::{symmetric_eigenpairs, symmetric_eigenvalues};
use ternion::ternion_core::arch::Tuning;
use ternion::{Gram, Isa, Matrix, Samples, TernaryFeatures};

pub fn matrices() {
    for rows in SIZES {
        for cols in SIZES {
            refused(Matrix::from_vec(rows, cols, vec![0.0_f64; 7]));
        }
    }
    for bad in [f64::NAN, f64::INFINITY, f64::MAX] {
        let matrix = Matrix::from_vec(2, 2, vec![bad, 1.0, 1.0, bad]).unwrap();
        let _ = (symmetric_eigenpairs(&matrix), symmetric_eigenvalues(&matrix));
    }
}

pub fn large_gram() {
    let features = packed(100_000, 64);
    let gram = Gram::new(&features);
    refused(gram.matrix().map(|_| ()));
    refused(gram.counts().map(|_| ()));
    refused(gram.cross(&features).map(|_| ()));
    refused(gram.centred().map(|_| ()));
    refused(gram.leading_eigenpairs(usize::MAX).map(|_| ()));
    refused(gram.blocks(usize::MAX).map(|_| ()));
    for alpha in BAD.into_iter().chain([0.0]) {
        if alpha >= 0.0 || !alpha.is_finite() {
            refused(Gram::new(&features).alpha(alpha).map(|_| ()));
        }
    }
}

/// More eigenpairs than there is memory for, of a matrix that is never stored.
pub fn eigenpairs() {
    let features = different(40_000, 64);
    let gram = Gram::new(&features);
    for count in [40_000, 20_000, 5_000, usize::MAX / 8] {
        refused(gram.leading_eigenpairs(count).map(|_| ()));
    }
    // One sample, and samples that are all the same, have no variance.
    for samples in [1, 2, 9] {
        let same = packed(1, 70);
        let same = ternion::Features::concat(vec![&same; samples]).unwrap();
        for count in 0..=samples + 1 {
            if let Ok(pairs) = Gram::new(&same).leading_eigenpairs(count) {
                assert!(pairs.values.iter().all(|value| value.abs() < 1e-9), "{pairs:?}");
            }
        }
    }
}

pub fn vectors() {
    let features = different(9, 70);
    let gram = Gram::new(&features);
    for length in [0, 1, 8, 10, 69, 71] {
        let vector = vec![1.0; length];
        refused(features.matvec(&vector));
        refused(features.transposed_matvec(&vector));
        refused(gram.matvec(&vector));
        refused(gram.centred_matvec(&vector));
    }
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        refused(features.matvec(&[bad; 70]));
        refused(features.transposed_matvec(&[bad; 9]));
        refused(gram.matvec(&[bad; 9]));
        refused(gram.centred_matvec(&[bad; 9]));
    }
    let _ = (features.matvec(&[f64::MAX; 70]), gram.matvec(&[f64::MAX; 9]));
    refused(gram.cross(&different(9, 71)));
    refused(gram.cross_counts(&different(9, 71)));
    refused(gram.blocks(0).map(|_| ()));
}

/// Every instruction set with caches of no size and of the largest.
pub fn tunings() {
    let _ = Isa::from_env();
    assert!("".parse::<Isa>().is_err());
    let data = noise(40 * 70);
    let samples = Samples::new(&data, 70).unwrap();
    let mut expected = None;
    for isa in Isa::present() {
        for popcount_features in [0, 1, u32::MAX] {
            for l1_kb in [0, 1, u16::MAX] {
                for l2_kb in [0, 1, u16::MAX] {
                    let isa = isa.with_tuning(Tuning { popcount_features, l1_kb, l2_kb });
                    let ternary = TernaryFeatures::params(130).isa(isa).fit(&samples).unwrap();
                    let features = ternary.transform(&samples).unwrap();
                    let counts = Gram::new(&features).counts().unwrap();
                    assert_eq!(*expected.get_or_insert_with(|| counts.clone()), counts);
                }
            }
        }
    }
}
