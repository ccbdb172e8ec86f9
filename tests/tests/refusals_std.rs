//! Bad input to `ternion`: each kind has its own error, and says what is wrong in numbers.

use ternion::dense::{symmetric_eigenpairs, symmetric_eigenvalues};
use ternion::fit::{Preprocess, Statistics, Steps};
use ternion::learn::{KernelRidge, MAX_CLASSES, Ridge, accuracy};
use ternion::theory::SolveError;
use ternion::{
    Error, Features, Gram, Isa, Matrix, Policy, Samples, Scaling, Target, TernaryFeatures,
    UnknownIsa,
};
use ternion_core::{Buffer, Error as CoreError, Size, TritMatrix};

const INPUTS: usize = 4;

/// Forty samples that differ.
fn numbers() -> Vec<f32> {
    (0..40 * INPUTS).map(|k| (k * k % 23) as f32).collect()
}

fn fitted(features: usize) -> TernaryFeatures {
    TernaryFeatures::params(features).fit(&Samples::new(&numbers(), INPUTS).unwrap()).unwrap()
}

fn features(samples: usize, features: usize) -> Features {
    let x = numbers();
    let all = Samples::new(&x, INPUTS).unwrap();
    fitted(features).transform(&all.slice(0..samples).unwrap()).unwrap()
}

fn column(values: &[f32]) -> Matrix<f32> {
    Matrix::from_vec(values.len(), 1, values.to_vec()).unwrap()
}

#[test]
fn parameters_that_make_no_sense_are_refused_before_any_data() {
    let zero = Error::Core(CoreError::ZeroSize { size: Size::Features });
    assert_eq!(TernaryFeatures::params(0).check().err(), Some(zero));
    let (size, max, found) = (Size::Features, i32::MAX as usize, usize::MAX);
    let many = CoreError::SizeTooLarge { size, max, found };
    assert_eq!(TernaryFeatures::params(found).check().err(), Some(many.into()));
    for found in [-0.5, 1.0, 7.0] {
        let refused = TernaryFeatures::params(8).sparsity(found).check().err();
        assert_eq!(refused, Some(Error::Core(CoreError::SparsityOutOfRange { found })));
    }
    assert!(TernaryFeatures::params(8).sparsity(f64::NAN).check().is_err());
}

#[test]
fn samples_with_a_mean_or_a_scale_of_their_own_are_refused() {
    let (x, own) = (numbers(), [1.0; INPUTS]);
    let plain = Samples::new(&x, INPUTS).unwrap();
    for prepared in [plain.centred(&own).unwrap(), plain.scaled(&own).unwrap()] {
        assert!(prepared.is_prepared() && !plain.is_prepared());
        let refused = TernaryFeatures::params(64).fit(&prepared).err();
        assert_eq!(refused, Some(Error::AlreadyPrepared));
        assert_eq!(fitted(64).transform(&prepared).err(), Some(Error::AlreadyPrepared));
        assert_eq!(
            Statistics::new(INPUTS).unwrap().add(&prepared).err(),
            Some(Error::AlreadyPrepared)
        );
    }
}

#[test]
fn data_whose_thresholds_are_not_representable_as_f32_is_refused() {
    let tiny: Vec<f32> = numbers().iter().map(|x| x * 1e-40).collect();
    let refused = TernaryFeatures::params(64).fit(&Samples::new(&tiny, INPUTS).unwrap()).err();
    assert!(matches!(refused, Some(Error::ThresholdOutOfRange { threshold }) if threshold < 1e-37));
}

#[test]
fn samples_that_cannot_be_fitted_are_refused() {
    let params = || TernaryFeatures::params(64);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut x = numbers();
        x[7 * INPUTS + 2] = bad;
        let refused = params().fit(&Samples::new(&x, INPUTS).unwrap()).err();
        let expected = CoreError::NotFinite { sample: 7, input: 2 };
        assert_eq!(refused, Some(Error::Core(expected)));
    }
    let same = [3.5_f32; 5 * INPUTS];
    let same = Samples::new(&same, INPUTS).unwrap();
    assert_eq!(params().fit(&same).err(), Some(Error::NoVariance));
    assert_eq!(params().standardise(true).fit(&same).err(), Some(Error::NoVariance));
    assert!(params().centre(false).fit(&same).is_ok());
    let zeros = [0.0; 3 * INPUTS];
    let zeros = Samples::new(&zeros, INPUTS).unwrap();
    assert_eq!(params().centre(false).fit(&zeros).err(), Some(Error::NoVariance));
    let alone = [1.0, 2.0, 3.0, 4.0];
    let alone = Samples::new(&alone, INPUTS).unwrap();
    assert_eq!(Preprocess::fit(&alone, Steps::default()).err(), Some(Error::NoVariance));
}

/// Each number is finite, but not the difference from the mean.
#[test]
fn samples_too_large_to_centre_are_refused() {
    let mut x = vec![f32::MAX; 4 * INPUTS];
    x[2 * INPUTS + 1] = f32::MIN;
    let samples = Samples::new(&x, INPUTS).unwrap();
    let refused = TernaryFeatures::params(64).fit(&samples).err();
    assert_eq!(refused, Some(Error::Core(CoreError::NotFinite { sample: 2, input: 1 })));
    // The reciprocal of the deviation of an input that hardly varies is not finite either.
    let x = [1e-45, 1.0, 0.0, 2.0, 0.0, 3.0];
    let refused =
        TernaryFeatures::params(64).standardise(true).fit(&Samples::new(&x, 2).unwrap()).err();
    assert_eq!(refused, Some(Error::Core(CoreError::NotFinite { sample: 0, input: 0 })));
}

/// Numbers of samples count from the start of the batch, not of the chunk that is converted at a time.
#[test]
fn samples_too_large_to_centre_are_named_by_their_number_in_the_batch() {
    for sample in [3, 255, 256, 599] {
        let mut x = vec![f64::from(f32::MAX); 600 * INPUTS];
        x[sample * INPUTS + 1] = f64::from(f32::MIN);
        let refused = TernaryFeatures::params(64).fit(&Samples::new(&x, INPUTS).unwrap()).err();
        assert_eq!(refused, Some(Error::Core(CoreError::NotFinite { sample, input: 1 })));
    }
}

#[test]
fn labels_and_targets_are_named_by_their_number_in_the_batch() {
    let (samples, zeros) = (600, vec![0_u64; 600]);
    let features = Features::new(TritMatrix::new(samples, 8, zeros.clone(), zeros).unwrap());
    for sample in [0, 255, 256, 599] {
        let mut labels: Vec<usize> = (0..samples).map(|sample| sample % 2).collect();
        let (label, max) = (MAX_CLASSES + 3, MAX_CLASSES);
        labels[sample] = label;
        let refused = Ridge::default().fit_classes(&features, &labels).err();
        assert_eq!(refused, Some(Error::TooManyClasses { sample, label, max }));
        let mut targets = vec![1.0; samples];
        targets[sample] = f32::NAN;
        let refused = Ridge::default().fit(&features, &column(&targets)).err();
        assert_eq!(refused, Some(Error::TargetNotFinite { sample }));
    }
}

#[test]
fn samples_of_another_size_are_refused() {
    let x = [1.0; 6];
    let other = Samples::new(&x, 3).unwrap();
    let (size, expected, found) = (Size::Inputs, INPUTS, 3);
    let mismatch = CoreError::SizeMismatch { size, expected, found };
    for centre in [true, false] {
        let x = numbers();
        let samples = Samples::new(&x, INPUTS).unwrap();
        let fitted = TernaryFeatures::params(64).centre(centre).fit(&samples).unwrap();
        assert_eq!(fitted.transform(&other).err(), Some(Error::Core(mismatch)));
    }
    assert_eq!(Statistics::new(INPUTS).unwrap().add(&other), Err(Error::Core(mismatch)));
}

#[test]
fn targets_without_thresholds_are_refused() {
    let x = numbers();
    let samples = Samples::new(&x, INPUTS).unwrap();
    let fit = |target: Target, policy| {
        TernaryFeatures::params(64).target(target).policy(policy).fit(&samples).err()
    };
    let even = fit(Target::abs(), Policy::MinVariance);
    assert!(matches!(even, Some(Error::Solve(SolveError::EvenTarget { .. }))), "{even:?}");
    let name = fit(Target::gaussian(-1.0), Policy::MinVariance);
    assert!(matches!(
        name,
        Some(Error::Solve(SolveError::BadParameter { name: "gamma", value: -1.0, .. }))
    ));
    let (lower, upper) = (1.0, -1.0);
    let crossed = Error::Solve(SolveError::BadThresholds { lower, upper });
    assert_eq!(fit(Target::relu(), Policy::Fixed { lower, upper }), Some(crossed));
    // Without rescaling, all these samples are at right angles to each other for this kernel.
    let far = TernaryFeatures::params(64).target(Target::gaussian(9.0)).scaling(Scaling::Keep);
    assert!(matches!(
        far.fit(&samples).err(),
        Some(Error::Solve(SolveError::NothingToMatch { .. }))
    ));
}

#[test]
fn learners_refuse_targets_that_do_not_fit() {
    let (packed, ridge) = (features(10, 64), Ridge::new(1.0).unwrap());
    let gram = Gram::new(&packed).matrix().unwrap();
    let kernel = KernelRidge::new(1.0).unwrap();
    let nine = column(&[1.0; 9]);
    let count = Error::LabelCount { samples: 10, labels: 9 };
    assert_eq!(ridge.fit(&packed, &nine).err(), Some(count.clone()));
    assert_eq!(kernel.fit(&gram, &nine).err(), Some(count.clone()));
    let labels = [0, 1, 0, 1, 0, 1, 0, 1, 0];
    assert_eq!(ridge.fit_classes(&packed, &labels).err(), Some(count.clone()));
    assert_eq!(kernel.fit_classes(&gram, &labels).err(), Some(count));

    for bad in [f32::NAN, f32::INFINITY] {
        let mut values = [1.0; 10];
        values[6] = bad;
        let refused = Some(Error::TargetNotFinite { sample: 6 });
        assert_eq!(ridge.fit(&packed, &column(&values)).err(), refused);
        assert_eq!(kernel.fit(&gram, &column(&values)).err(), refused);
    }

    // The slope from −MAX to MAX is twice MAX, by the samples and by the features.
    let ridge_of_slope = Ridge::absolute(1e-9).unwrap();
    for (samples, width) in [(2, 2), (4, 1)] {
        let mask = (0..samples as u64).map(|sample| sample % 2).collect();
        let trits = TritMatrix::new(samples, width, vec![0; samples], mask).unwrap();
        let slope: Vec<f32> = [f32::MIN, f32::MAX].into_iter().cycle().take(samples).collect();
        let fit = |targets| ridge_of_slope.fit(&Features::new(trits.clone()), &column(targets));
        assert_eq!(fit(&slope).err(), Some(Error::TargetsTooLarge));
        assert!(fit(&slope.iter().map(|y| y / 4.0).collect::<Vec<_>>()).is_ok());
    }

    for (labels, found) in [(vec![], 0), (vec![0; 10], 1)] {
        let refused = Some(Error::TooFewClasses { found });
        assert_eq!(ridge.fit_classes(&packed, &labels).err(), refused);
        assert_eq!(kernel.fit_classes(&gram, &labels).err(), refused);
    }

    // More features than samples and the other way round.
    for few in [features(3, 64), features(40, 8)] {
        let refused = ridge.fit(&few, &column(&[1.0; 9])).err();
        assert_eq!(refused, Some(Error::LabelCount { samples: few.len(), labels: 9 }));
    }
}

/// Each class takes a column of targets: no memory may be reserved for a label that cannot be a class number.
#[test]
fn labels_that_cannot_be_class_numbers_are_refused() {
    let packed = features(4, 64);
    let gram = Gram::new(&packed).matrix().unwrap();
    for label in [MAX_CLASSES, usize::MAX >> 8, usize::MAX] {
        let refused = Some(Error::TooManyClasses { sample: 2, label, max: MAX_CLASSES });
        let labels = [0, 1, label, 1];
        assert_eq!(Ridge::new(1.0).unwrap().fit_classes(&packed, &labels).err(), refused);
        assert_eq!(KernelRidge::new(1.0).unwrap().fit_classes(&gram, &labels).err(), refused);
    }
}

#[test]
fn regularisation_must_be_positive() {
    for found in [0.0, -1.0, f64::INFINITY] {
        let refused = Some(Error::Regularisation { found });
        assert_eq!(Ridge::new(found).err(), refused);
        assert_eq!(Ridge::absolute(found).err(), refused);
        assert_eq!(KernelRidge::new(found).err(), refused);
        assert_eq!(KernelRidge::absolute(found).err(), refused);
    }
    assert!(Ridge::new(f64::NAN).is_err());
}

#[test]
fn matrices_that_are_not_kernels_are_refused() {
    let kernel = KernelRidge::new(1e-3).unwrap();
    let indefinite = Matrix::from_vec(2, 2, vec![1.0, 9.0, 9.0, 1.0]).unwrap();
    let refused = kernel.fit(&indefinite, &column(&[1.0, 2.0])).err();
    assert_eq!(refused, Some(Error::NotPositiveDefinite { pivot: 0 }));
    let nan = Matrix::from_vec(2, 2, vec![1.0, 0.0, f32::NAN, 1.0]).unwrap();
    let refused = kernel.fit(&nan, &column(&[1.0, 2.0])).err();
    assert_eq!(refused, Some(Error::NotFinite { index: 2 }));
    let turned = Matrix::from_vec(2, 2, vec![1.0, 0.5, 0.501, 1.0]).unwrap();
    let refused = kernel.fit(&turned, &column(&[1.0, 2.0])).err();
    assert_eq!(refused, Some(Error::NotSymmetric { row: 1, col: 0 }));
    let rounded = Matrix::from_vec(2, 2, vec![1.0, 0.5, 0.500_001, 1.0]).unwrap();
    assert!(kernel.fit(&rounded, &column(&[1.0, 2.0])).is_ok());
    let wide = Matrix::from_vec(2, 3, vec![0.0; 6]).unwrap();
    let mismatch = CoreError::SizeMismatch { size: Size::Cols, expected: 2, found: 3 };
    assert_eq!(kernel.fit(&wide, &column(&[1.0, 2.0])).err(), Some(Error::Core(mismatch)));
}

#[test]
fn models_refuse_features_of_another_size() {
    let (expected, found) = (64, 65);
    let y = column(&[1.0, 2.0, 3.0]);
    let ridge = Ridge::new(1.0).unwrap();
    let mismatch = |size| Some(Error::Core(CoreError::SizeMismatch { size, expected, found }));
    let model = ridge.fit(&features(3, 64), &y).unwrap();
    assert_eq!(model.predict(&features(3, 65)).err(), mismatch(Size::Features));
    let classes = ridge.fit_classes(&features(3, 64), &[0, 1, 1]).unwrap();
    assert_eq!(classes.predict(&features(3, 65)).err(), mismatch(Size::Features));
    let (a, b) = (features(3, 64), features(3, 65));
    assert_eq!(Gram::new(&a).cross(&b).err(), mismatch(Size::Features));
    let (buffer, expected, found) = (Buffer::Output, 3 * 64, 3 * 64 - 1);
    let mut numbers = [9_i8; 3 * 64 - 1];
    let mismatch = CoreError::LengthMismatch { buffer, expected, found };
    assert_eq!(a.unpack_into(&mut numbers), Err(mismatch.into()));
    assert_eq!(numbers, [9; 3 * 64 - 1]);

    let kernel = KernelRidge::new(1.0).unwrap().fit(&Gram::new(&a).matrix().unwrap(), &y).unwrap();
    let cross = Matrix::from_vec(1, 2, vec![0.0; 2]).unwrap();
    let mismatch = CoreError::SizeMismatch { size: Size::Cols, expected: 3, found: 2 };
    assert_eq!(kernel.predict(&cross).err(), Some(Error::Core(mismatch)));
    for bad in [f32::NAN, f32::INFINITY] {
        let cross = Matrix::from_vec(2, 3, vec![0.0, 0.0, 0.0, 0.0, bad, 0.0]).unwrap();
        assert_eq!(kernel.predict(&cross).err(), Some(Error::NotFinite { index: 4 }));
        assert_eq!(kernel.predict_classes(&cross).err(), Some(Error::NotFinite { index: 4 }));
    }
}

#[test]
fn products_with_bad_vectors_are_refused() {
    let features = features(3, 64);
    let gram = Gram::new(&features);
    let length = |expected, found| {
        Some(Error::Core(CoreError::LengthMismatch { buffer: Buffer::Vector, expected, found }))
    };
    assert_eq!(features.matvec(&[1.0; 63]).err(), length(64, 63));
    assert_eq!(features.transposed_matvec(&[1.0; 4]).err(), length(3, 4));
    assert_eq!(gram.matvec(&[]).err(), length(3, 0));
    assert_eq!(gram.centred_matvec(&[1.0; 2]).err(), length(3, 2));
    for bad in [f64::NAN, f64::INFINITY] {
        let refused = Some(Error::NotFinite { index: 1 });
        assert_eq!(gram.matvec(&[1.0, bad, 2.0]).err(), refused);
        assert_eq!(gram.centred_matvec(&[1.0, bad, 2.0]).err(), refused);
        assert_eq!(features.transposed_matvec(&[1.0, bad, 2.0]).err(), refused);
        let mut u = [0.0; 64];
        u[1] = bad;
        assert_eq!(features.matvec(&u).err(), refused);
    }
    // The first sum that overflows.
    assert!(matches!(gram.matvec(&[f64::MAX; 3]).err(), Some(Error::NotFinite { .. })));
}

#[test]
fn gram_matrices_that_cannot_be_are_refused() {
    let small = features(3, 64);
    let gram = Gram::new(&small);
    let zero = |size| Some(Error::Core(CoreError::ZeroSize { size }));
    assert_eq!(gram.blocks(0).err(), zero(Size::Rows));
    assert_eq!(gram.leading_eigenpairs(0).err(), zero(Size::Pairs));
    let (size, max, found) = (Size::Pairs, 3, 4);
    let many = CoreError::SizeTooLarge { size, max, found };
    assert_eq!(gram.leading_eigenpairs(4).err(), Some(Error::Core(many)));
    // More bytes than a process can address.
    let n = 6_500_000;
    let many = Features::new(TritMatrix::new(n, 1, vec![0; n], vec![1; n]).unwrap());
    let overflow = Some(Error::Core(CoreError::SizeOverflow { rows: n, cols: n }));
    assert_eq!(Gram::new(&many).matrix().err(), overflow);
    assert_eq!(Gram::new(&many).cross_counts(&many).err(), overflow);
    assert_eq!(Gram::new(&many).centred().err(), overflow);
    assert_eq!(Gram::new(&many).counts().err(), overflow);
    assert_eq!(Gram::new(&many).blocks(n).err(), overflow);
}

#[test]
fn scales_whose_square_is_not_a_positive_number_are_refused() {
    let features = features(3, 64);
    let gram = Gram::new(&features);
    // The squares of 10²⁰ and 10⁻²³ are out of the range of f32, and that of 10²⁰⁰ even of f64.
    for found in [0.0, -0.0, 1e20, -1e20, 1e-23, 1e200, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(gram.alpha(found).err(), Some(Error::Alpha { found }));
    }
    assert!(matches!(gram.alpha(f64::NAN).err(), Some(Error::Alpha { found }) if found.is_nan()));
    for alpha in [1e-22, -1.0, 1e19] {
        let gram = gram.alpha(alpha).unwrap();
        assert!(gram.matrix().unwrap().as_slice().iter().all(|entry| entry.is_finite()));
        assert!(gram.leading_eigenpairs(1).unwrap().values[0] > 0.0);
    }
}

#[test]
fn eigenvalues_of_bad_matrices_are_refused() {
    let wide = Matrix::from_vec(2, 3, vec![0.0; 6]).unwrap();
    let mismatch = CoreError::SizeMismatch { size: Size::Cols, expected: 2, found: 3 };
    assert_eq!(symmetric_eigenpairs(&wide).err(), Some(Error::Core(mismatch)));
    let bad = Matrix::from_vec(2, 2, vec![0.0, 1.0, f64::NAN, 0.0]).unwrap();
    assert_eq!(symmetric_eigenvalues(&bad).err(), Some(Error::NotFinite { index: 2 }));
    // 4 · 10³⁰⁸ is not representable as f64.
    let largest = 1e308;
    let huge = Matrix::from_vec(4, 4, vec![largest; 16]).unwrap();
    assert_eq!(symmetric_eigenpairs(&huge).err(), Some(Error::EigenvalueOverflow { largest }));
    assert_eq!(symmetric_eigenvalues(&huge).err(), Some(Error::EigenvalueOverflow { largest }));
}

#[test]
fn matrices_of_the_wrong_length_are_refused() {
    let zero = |size| Some(Error::Core(CoreError::ZeroSize { size }));
    assert_eq!(Matrix::<f32>::from_vec(0, 2, vec![]).err(), zero(Size::Rows));
    assert_eq!(Matrix::<f32>::from_vec(2, 0, vec![]).err(), zero(Size::Cols));
    let found = Matrix::from_vec(2, 3, vec![1; 5]).err();
    assert!(matches!(
        found,
        Some(Error::Core(CoreError::LengthMismatch { expected: 6, found: 5, .. }))
    ));
    let (rows, cols) = (usize::MAX, 2);
    let overflow = Some(Error::Core(CoreError::SizeOverflow { rows, cols }));
    assert_eq!(Matrix::from_vec(rows, cols, vec![1; 5]).err(), overflow);
}

#[test]
fn instruction_sets_that_are_absent_are_refused() {
    for name in ["", "mmx", "Scalar"] {
        assert_eq!(name.parse::<Isa>(), Err(UnknownIsa { name: name.into() }));
    }
    let message = UnknownIsa { name: "mmx".into() }.to_string();
    assert!(message.contains("mmx") && message.contains("scalar"), "{message}");
    for isa in Isa::present() {
        assert_eq!(isa.name().parse(), Ok(isa));
    }
}

/// Every message names the numbers that are wrong, or what to do.
#[test]
fn messages_say_what_was_expected_and_found() {
    let says = |error: Error, words: &[&str]| {
        let message = error.to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    says(CoreError::ZeroSize { size: Size::Features }.into(), &["features", "at least 1"]);
    says(SolveError::EvenTarget { d2: 0.125 }.into(), &["0.125", "FourBand"]);
    says(Error::NoVariance, &["equal", "differ"]);
    says(Error::LabelCount { samples: 12, labels: 7 }, &["12 samples", "7 labels"]);
    says(Error::TargetNotFinite { sample: 31 }, &["31", "NaN"]);
    says(Error::TargetsTooLarge, &["too large", "divide"]);
    says(Error::TooFewClasses { found: 1 }, &["at least 2", "found 1"]);
    let many = Error::TooManyClasses { sample: 5, label: 99, max: 16 };
    says(many, &["sample 5", "label 99", "below 16"]);
    says(Error::Regularisation { found: -0.5 }, &["positive", "-0.5"]);
    says(Error::Alpha { found: 1e200 }, &["α", "positive", "found α = 1e200"]);
    says(Error::NotPositiveDefinite { pivot: 17 }, &["17", "raise the regularisation"]);
    says(Error::EigenvalueOverflow { largest: 1e308 }, &["1e308", "scale the matrix down"]);
    says(Error::NotConverged { iterations: 60 }, &["60 iterations", "report"]);
    let source = std::error::Error::source;
    assert!(source(&Error::Core(CoreError::DirtyTail { row: 1 })).is_some());
    assert!(source(&Error::Solve(SolveError::L1Laplacian)).is_some());
    assert!(source(&Error::NoVariance).is_none());
}

#[test]
#[cfg(target_pointer_width = "64")]
fn what_does_not_fit_in_memory_is_refused_not_tried() {
    use ternion::Form;
    let (rows, cols) = (i32::MAX as usize, ternion_core::MAX_INPUTS);
    let x: Vec<f32> = (0..4 * cols).map(|k| (k as f32).sin()).collect();
    let samples = Samples::new(&x, cols).unwrap();
    // Two planes of 2⁴⁴ bytes each: more than any machine has.
    let refused = TernaryFeatures::params(rows).form(Form::Stored).fit(&samples).err();
    assert_eq!(refused, Some(Error::Core(CoreError::SizeOverflow { rows, cols })));
}

#[test]
fn accuracy_counts_what_is_missing_as_wrong() {
    assert_eq!(accuracy(&[0, 1], &[0, 1, 1, 1]), 0.5);
    assert_eq!(accuracy(&[0, 1, 1, 1], &[0, 1]), 0.5);
    assert_eq!(accuracy(&[], &[]), 0.0);
}
