//! Samples of every type and layout against the same numbers as `f32` in rows.

use ternion::batch::{Batch, Columns};
use ternion::fit::Statistics;
use ternion::learn::{Predictor, Ridge, TernaryClassifier, TernaryRegressor};
use ternion::{Error, Form, Matrix, Policy, Samples, Scaling, TernaryFeatures};
use ternion_core::{Buffer, Error as CoreError, MAX_INPUTS, Number, Size, plane_words};
use ternion_tests::data::Random;

/// More than a word of packed bits, and no whole number of anything.
const INPUTS: usize = 70;

/// More than one chunk is converted for.
const SAMPLES: usize = 300;

/// The same numbers, 0 and 1, in every type: `f32`, `f64`, `i16`, `i8`, `u8` and packed.
struct Everything {
    f32s: Vec<f32>,
    f64s: Vec<f64>,
    i16s: Vec<i16>,
    i8s: Vec<i8>,
    u8s: Vec<u8>,
    bits: Vec<u64>,
}

impl Everything {
    /// Bits that are more often set in later inputs, so that means and deviations differ.
    fn new(random: &mut Random) -> Self {
        let bit = |k: usize, random: &mut Random| {
            i8::from(random.normal() < (k % INPUTS) as f64 / INPUTS as f64 - 0.5)
        };
        let i8s: Vec<i8> = (0..SAMPLES * INPUTS).map(|k| bit(k, random)).collect();
        let pack = |word: &[i8]| word.iter().rev().fold(0, |bits, &bit| bits << 1 | bit as u64);
        Self {
            f32s: i8s.iter().map(|&x| x.into()).collect(),
            f64s: i8s.iter().map(|&x| x.into()).collect(),
            i16s: i8s.iter().map(|&x| x.into()).collect(),
            u8s: i8s.iter().map(|&x| x as u8).collect(),
            bits: i8s.chunks(INPUTS).flat_map(|sample| sample.chunks(64).map(pack)).collect(),
            i8s,
        }
    }
}

fn samples<T: Number>(numbers: &[T]) -> Samples<'_, T> {
    Samples::new(numbers, INPUTS).unwrap()
}

/// Samples that another crate would implement.
struct Own<'a>(&'a [f32]);

impl Batch for Own<'_> {
    fn samples(&self) -> usize {
        self.0.len() / INPUTS
    }

    fn inputs(&self) -> usize {
        INPUTS
    }

    fn read(&self, sample: usize, numbers: &mut [f32]) -> Result<(), Error> {
        numbers.copy_from_slice(&self.0[sample * INPUTS..][..INPUTS]);
        Ok(())
    }
}

#[test]
fn the_same_numbers_get_the_same_fit_features_and_predictions_in_every_type() {
    let all = Everything::new(&mut Random::new(91));
    let columns: Vec<Vec<f64>> = (0..INPUTS)
        .map(|input| all.f64s.iter().skip(input).step_by(INPUTS).copied().collect())
        .collect();
    let columns = Columns::new(columns.iter().map(Vec::as_slice)).unwrap();
    let strided: Vec<i16> = all
        .i16s
        .chunks(INPUTS)
        .flat_map(|sample| sample.iter().copied().chain([i16::MAX; 3]))
        .collect();
    let strided = Samples::with_stride(&strided, SAMPLES, INPUTS, INPUTS + 3).unwrap();
    let matrix = Matrix::from_vec(SAMPLES, INPUTS, all.f32s.clone()).unwrap();
    let wide_matrix = Matrix::from_vec(SAMPLES, INPUTS, all.f64s.clone()).unwrap();
    let batches: [(&str, &dyn Batch); 11] = [
        ("f32", &samples(&all.f32s)),
        ("f64", &samples(&all.f64s)),
        ("i16", &samples(&all.i16s)),
        ("i8", &samples(&all.i8s)),
        ("u8", &samples(&all.u8s)),
        ("bits", &samples(&all.bits)),
        ("strided", &strided),
        ("columns", &columns),
        ("matrix", &matrix),
        ("matrix of f64", &wide_matrix),
        ("own", &Own(&all.f32s)),
    ];
    assert!(matrix.as_samples().is_some() && wide_matrix.as_samples().is_none());

    let labels: Vec<usize> = all.i8s.chunks(INPUTS).map(|x| (x[40] ^ x[50]) as usize).collect();
    let targets = labels.iter().map(|&label| label as f32 - 0.25).collect();
    let targets = Matrix::from_vec(SAMPLES, 1, targets).unwrap();
    for (form, scaling, policy) in [
        (Form::Stored, Scaling::Unit, Policy::MinVariance),
        (Form::Structured, Scaling::Row, Policy::FourBand),
        (Form::SUBSETS, Scaling::Keep, Policy::Periodic),
    ] {
        let params = |standardise| {
            TernaryFeatures::params(130)
                .standardise(standardise)
                .form(form)
                .scaling(scaling)
                .policy(policy)
        };
        for (standardise, centre) in [(false, true), (true, true), (false, false)] {
            let params = || params(standardise).centre(centre);
            let expected = params().fit(batches[0].1).unwrap();
            let features = expected.transform(batches[0].1).unwrap();
            let model = Ridge::default().fit(&features, &targets).unwrap();
            let outputs = model.predict(&features).unwrap();
            for (name, batch) in &batches {
                let mut statistics = Statistics::new(INPUTS).unwrap();
                statistics.add(*batch).unwrap();
                assert_eq!(statistics.samples(), SAMPLES as u64);
                let fitted = params().fit(*batch).unwrap();
                assert_eq!(fitted.fingerprint(), expected.fingerprint(), "{name}");
                assert_eq!(fitted.transform(*batch).unwrap(), features, "{name}");
                let words = plane_words(SAMPLES, 130).unwrap();
                let (mut sign, mut mask) = (vec![0; words], vec![0; words]);
                fitted.transform_into(*batch, &mut sign, &mut mask).unwrap();
                assert!(features.trits().sign() == sign && features.trits().mask() == mask);

                let regressor =
                    TernaryRegressor::fit(params(), Ridge::default(), *batch, &targets).unwrap();
                assert_eq!(regressor.predict(*batch).unwrap(), outputs, "{name}");
                assert!(regressor.score(*batch, &targets).is_ok());
                let classifier =
                    TernaryClassifier::fit(params(), Ridge::default(), *batch, &labels).unwrap();
                let scores = classifier.decision(*batch).unwrap();
                let largest = |row: &[f32]| usize::from(row[1] > row[0]);
                let predicted: Vec<usize> = scores.iter_rows().map(largest).collect();
                assert_eq!(classifier.predict(*batch).unwrap(), predicted);
                assert!(classifier.score(*batch, &labels).unwrap() > 0.6);
            }
            let mut predictor = Predictor::new(expected, &model).unwrap();
            for (sample, expected) in outputs.iter_rows().enumerate() {
                fn one<T>(numbers: &[T], sample: usize, elements: usize) -> &[T] {
                    &numbers[sample * elements..][..elements]
                }
                let of = |elements| (sample, elements);
                let ((k, p), (_, words)) = (of(INPUTS), of(2));
                assert_eq!(predictor.scores(one(&all.f32s, k, p)).unwrap(), expected);
                assert_eq!(predictor.scores(one(&all.f64s, k, p)).unwrap(), expected);
                assert_eq!(predictor.scores(one(&all.i16s, k, p)).unwrap(), expected);
                assert_eq!(predictor.scores(one(&all.i8s, k, p)).unwrap(), expected);
                assert_eq!(predictor.scores(one(&all.u8s, k, p)).unwrap(), expected);
                assert_eq!(predictor.scores(one(&all.bits, k, words)).unwrap(), expected);
            }
        }
    }
}

#[test]
fn integers_of_any_size_are_exact() {
    let mut random = Random::new(92);
    let i16s: Vec<i16> = (0..60 * INPUTS).map(|_| (9000.0 * random.normal()) as i16).collect();
    let f32s: Vec<f32> = i16s.iter().map(|&x| x.into()).collect();
    let fitted = TernaryFeatures::params(256).fit(&samples(&i16s)).unwrap();
    let expected = TernaryFeatures::params(256).fit(&samples(&f32s)).unwrap();
    assert_eq!(fitted.fingerprint(), expected.fingerprint());
    let features = expected.transform(&samples(&f32s)).unwrap();
    assert_eq!(fitted.transform(&samples(&i16s)).unwrap(), features);
    // f64 is rounded to the nearest f32.
    let f64s: Vec<f64> = f32s.iter().map(|&x| f64::from(x) * (1.0 + 1e-9)).collect();
    assert_eq!(fitted.transform(&samples(&f64s)).unwrap(), features);
    let mut numbers = [9.0; 4];
    Number::write_f32(&[i16::MIN, i16::MAX], &mut numbers);
    assert_eq!(numbers, [-32_768.0, 32_767.0, 9.0, 9.0]);
    assert_eq!([<u64 as Number>::elements(70), <u8 as Number>::elements(70)], [2, 70]);
}

/// Refusals of everything that takes samples, none of which changes anything.
fn refused(fitted: &TernaryFeatures, batch: &dyn Batch, expected: Error) {
    match Statistics::new(batch.inputs()) {
        Ok(before) => {
            let mut statistics = before.clone();
            assert_eq!(statistics.add(batch).unwrap_err(), expected);
            assert_eq!(statistics, before);
        }
        Err(refused) => assert_eq!(refused, expected),
    }
    assert_eq!(TernaryFeatures::params(64).fit(batch).unwrap_err(), expected);
    assert_eq!(fitted.transform(batch).unwrap_err(), expected);
    let words = plane_words(batch.samples().max(1), fitted.features()).unwrap();
    let (mut sign, mut mask) = (vec![5; words], vec![7; words]);
    assert_eq!(fitted.transform_into(batch, &mut sign, &mut mask).unwrap_err(), expected);
    assert!(sign.iter().all(|&word| word == 5) && mask.iter().all(|&word| word == 7));
}

#[test]
fn what_is_no_number_or_beyond_f32_is_refused_wherever_it_is() {
    let mut all = Everything::new(&mut Random::new(93));
    let fitted = TernaryFeatures::params(64).fit(&samples(&all.f32s)).unwrap();
    for sample in [0, 255, 256, SAMPLES - 1] {
        let expected = CoreError::NotFinite { sample, input: 3 };
        for bad in [f64::NAN, f64::INFINITY, 1e300, -3.5e38] {
            let mut f64s = all.f64s.clone();
            f64s[sample * INPUTS + 3] = bad;
            refused(&fitted, &samples(&f64s), expected.into());
        }
        let mut f32s = all.f32s.clone();
        f32s[sample * INPUTS + 3] = f32::NAN;
        refused(&fitted, &samples(&f32s), expected.into());
        refused(&fitted, &Own(&f32s), expected.into());
    }
    all.bits[2 * 299 + 1] |= 1 << 63;
    refused(&fitted, &samples(&all.bits), CoreError::DirtyTail { row: 299 }.into());

    // Finite numbers whose sum is not, in the last chunk: refused before anything is written.
    let mut f32s = all.f32s.clone();
    f32s[299 * INPUTS..][..3].fill(f32::MAX);
    let words = plane_words(SAMPLES, 64).unwrap();
    let (mut sign, mut mask) = (vec![5; words], vec![7; words]);
    let error = fitted.transform_into(&samples(&f32s), &mut sign, &mut mask).unwrap_err();
    assert!(matches!(error, Error::Core(CoreError::NotFinite { sample: 299, .. })), "{error}");
    assert!(sign.iter().all(|&word| word == 5) && mask.iter().all(|&word| word == 7));
}

#[test]
fn of_several_bad_samples_the_first_is_named() {
    let all = Everything::new(&mut Random::new(95));
    let fitted = TernaryFeatures::params(64).fit(&samples(&all.f32s)).unwrap();
    for (first, second) in [(10, 299), (200, 256), (257, 258)] {
        let expected = CoreError::NotFinite { sample: first, input: 5 };
        let (mut f32s, mut f64s) = (all.f32s.clone(), all.f64s.clone());
        for (sample, input) in [(first, 5), (second, 3)] {
            f32s[sample * INPUTS + input] = f32::NAN;
            f64s[sample * INPUTS + input] = f64::NAN;
        }
        refused(&fitted, &samples(&f32s), expected.into());
        refused(&fitted, &samples(&f64s), expected.into());
    }
}

#[test]
fn batches_without_sense_are_refused() {
    let all = Everything::new(&mut Random::new(94));
    let fitted = TernaryFeatures::params(64).fit(&samples(&all.f32s)).unwrap();
    let zero = |size| Error::from(CoreError::ZeroSize { size });
    refused(&fitted, &Own(&[]), zero(Size::Samples));

    /// Sizes of its own, and samples that contradict them.
    struct Odd<'a>(usize, usize, Option<Samples<'a, f32>>);
    impl Batch for Odd<'_> {
        fn samples(&self) -> usize {
            self.0
        }
        fn inputs(&self) -> usize {
            self.1
        }
        fn read(&self, _: usize, _: &mut [f32]) -> Result<(), Error> {
            Ok(())
        }
        fn as_samples(&self) -> Option<Samples<'_, f32>> {
            self.2
        }
    }
    refused(&fitted, &Odd(2, 0, None), zero(Size::Inputs));
    let (size, max, found) = (Size::Inputs, MAX_INPUTS, MAX_INPUTS + 1);
    refused(&fitted, &Odd(2, found, None), CoreError::SizeTooLarge { size, max, found }.into());
    let (size, expected, found) = (Size::Samples, SAMPLES + 1, SAMPLES);
    let mismatch = CoreError::SizeMismatch { size, expected, found };
    refused(&fitted, &Odd(expected, INPUTS, Some(samples(&all.f32s))), mismatch.into());
    let (size, expected, found) = (Size::Inputs, INPUTS, INPUTS - 1);
    let mismatch = CoreError::SizeMismatch { size, expected, found };
    let view = samples(&all.f32s);
    let fewer = Samples::new(&all.f32s[..SAMPLES * found], found).unwrap();
    assert_eq!(view.len(), fewer.len());
    refused(&fitted, &Odd(SAMPLES, INPUTS, Some(fewer)), mismatch.into());
    let narrow = Samples::new(&all.i16s, INPUTS / 2).unwrap();
    let (size, expected, found) = (Size::Inputs, INPUTS, INPUTS / 2);
    let mismatch = CoreError::SizeMismatch { size, expected, found };
    assert_eq!(fitted.transform(&narrow).unwrap_err(), mismatch.into());
    let mut statistics = Statistics::new(INPUTS).unwrap();
    assert_eq!(statistics.add(&narrow).unwrap_err(), mismatch.into());

    let none: [&[f64]; 0] = [];
    assert_eq!(Columns::new(none).unwrap_err(), zero(Size::Inputs));
    assert_eq!(Columns::<u8>::new([&[][..], &[]]).unwrap_err(), zero(Size::Samples));
    for (last, found) in [(&[5_i8][..], 1), (&[5, 6, 7], 3)] {
        let error = Columns::new([&[1, 2][..], &[3, 4], last]).unwrap_err();
        let (buffer, expected) = (Buffer::Samples, 2);
        assert_eq!(error, CoreError::LengthMismatch { buffer, expected, found }.into());
    }
    let column: &[f32] = &[1.0];
    let error = Columns::new(std::iter::repeat(column)).unwrap_err();
    let (size, max, found) = (Size::Inputs, MAX_INPUTS, MAX_INPUTS + 1);
    assert_eq!(error, CoreError::SizeTooLarge { size, max, found }.into());
}
