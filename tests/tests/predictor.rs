//! Predictions of one sample at a time against those of batches, and what they allocate.

use allocation_counter::measure;
use ternion::fit::Preprocess;
use ternion::learn::{LinearModel, Predictor, Ridge};
use ternion::{Error, Form, Grid, Matrix, Samples, Scaling, TernaryFeatures};
use ternion_core::{Buffer, Error as CoreError, Size, plane_words};
use ternion_tests::data::Random;

const INPUTS: usize = 20;

fn samples_of(random: &mut Random, samples: usize) -> Vec<f32> {
    (0..samples * INPUTS).map(|_| random.normal() as f32).collect()
}

#[test]
fn one_sample_gets_the_scores_of_a_batch_without_allocation() {
    let mut random = Random::new(61);
    let x = samples_of(&mut random, 90);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let grid = Form::Boxes(Grid::image(4, 5));
    for form in [Form::Stored, Form::Seeded, Form::Structured, grid, Form::SUBSETS] {
        for (sparsity, scaling) in [(2.0 / 3.0, Scaling::Unit), (0.9, Scaling::Row)] {
            let params = TernaryFeatures::params(300).form(form).sparsity(sparsity);
            let ternary = params.standardise(true).scaling(scaling).fit(&samples).unwrap();
            let targets = (0..90 * 17).map(|_| random.normal() as f32).collect();
            let targets = Matrix::from_vec(90, 17, targets).unwrap();
            let features = ternary.transform(&samples).unwrap();
            let model = Ridge::default().fit(&features, &targets).unwrap();
            let expected = model.predict(&features).unwrap();
            let mut predictor = Predictor::new(ternary, &model).unwrap();
            for (sample, expected) in x.chunks(INPUTS).zip(expected.iter_rows()) {
                assert_eq!(predictor.scores(sample).unwrap(), expected, "{form:?}");
                let class = predictor.class(sample).unwrap();
                assert!(expected.iter().all(|score| *score <= expected[class]));
            }
            let doubles: Vec<f64> = x.iter().map(|&x| x.into()).collect();
            let shorts: Vec<i16> = x.iter().map(|&x| (1000.0 * x) as i16).collect();
            let bytes: Vec<i8> = x.iter().map(|&x| (10.0 * x) as i8).collect();
            let allocations = measure(|| {
                for sample in x.chunks(INPUTS) {
                    predictor.class(sample).unwrap();
                }
                doubles.chunks(INPUTS).for_each(|x| assert!(predictor.class(x).is_ok()));
                shorts.chunks(INPUTS).for_each(|x| assert!(predictor.class(x).is_ok()));
                bytes.chunks(INPUTS).for_each(|x| assert!(predictor.class(x).is_ok()));
                (0..90_u64).for_each(|bits| assert!(predictor.class(&[bits << 13]).is_ok()));
            });
            assert_eq!(allocations.count_total, 0, "{form:?}");
            assert_eq!(predictor.ternary().features(), 300);
        }
    }
}

#[test]
fn a_predictor_refuses_what_does_not_fit() {
    let x = samples_of(&mut Random::new(62), 30);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let fit = |features| TernaryFeatures::params(features).fit(&samples).unwrap();
    let labels: Vec<usize> = (0..30).map(|sample| sample % 3).collect();
    let features = fit(64).transform(&samples).unwrap();
    let classifier = Ridge::default().fit_classes(&features, &labels).unwrap();
    let mismatch =
        |size, expected, found| Error::from(CoreError::SizeMismatch { size, expected, found });

    let refused = Predictor::new(fit(65), classifier.model()).unwrap_err();
    assert_eq!(refused, mismatch(Size::Features, 65, 64));
    let mut predictor = Predictor::new(fit(64), classifier.model()).unwrap();
    for length in [0, INPUTS - 1, INPUTS + 1, 2 * INPUTS] {
        let wrong = |expected, found| {
            Error::from(CoreError::LengthMismatch { buffer: Buffer::Samples, expected, found })
        };
        let refused = predictor.scores(&vec![0.5_f32; length]).unwrap_err();
        assert_eq!(refused, wrong(INPUTS, length));
        assert_eq!(predictor.scores(&vec![1_i16; length]).unwrap_err(), wrong(INPUTS, length));
        if length > 0 {
            assert_eq!(predictor.class(&vec![1_u64; length]).unwrap_err(), wrong(1, length));
        }
    }
    let refused = predictor.class(&[1_u64 << INPUTS]).unwrap_err();
    assert_eq!(refused, CoreError::DirtyTail { row: 0 }.into());
    let refused = predictor.class(&[1e39; INPUTS]).unwrap_err();
    assert_eq!(refused, CoreError::NotFinite { sample: 0, input: 0 }.into());
    let mut bad = x[..INPUTS].to_vec();
    bad[7] = f32::NAN;
    let refused = predictor.class(&bad).unwrap_err();
    assert_eq!(refused, CoreError::NotFinite { sample: 0, input: 7 }.into());
    let before = classifier.predict(&features).unwrap()[0];
    assert_eq!(predictor.class(&x[..INPUTS]).unwrap(), before);
}

/// Zeros are no sample there: minus the mean, times the factor, they are infinite.
#[test]
fn samples_far_from_zero_have_a_predictor() {
    let (mean, scale) = (vec![1e30; INPUTS], vec![1e20; INPUTS]);
    let preprocess =
        Preprocess::new(Some(mean), Some(scale), vec![1.0; INPUTS], Scaling::Unit).unwrap();
    let ternary = TernaryFeatures::params(64).fit_preprocess(preprocess).unwrap();
    let weights = Matrix::from_vec(64, 2, vec![1.0; 128]).unwrap();
    let model = LinearModel::new(weights, vec![0.0, 1.0]).unwrap();
    let mut predictor = Predictor::new(ternary, &model).unwrap();
    assert_eq!(predictor.class(&[1e30; INPUTS]).unwrap(), 1);
}

#[test]
fn planes_of_the_caller_get_the_same_features_or_stay_as_they_are() {
    let x = samples_of(&mut Random::new(63), 300);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let ternary = TernaryFeatures::params(130).standardise(true).fit(&samples).unwrap();
    let words = plane_words(300, 130).unwrap();
    let (mut sign, mut mask) = (vec![u64::MAX; words], vec![7; words]);
    ternary.transform_into(&samples, &mut sign, &mut mask).unwrap();
    let features = ternary.transform(&samples).unwrap();
    assert!(features.trits().sign() == sign && features.trits().mask() == mask);

    let (mut sign, mut mask) = (vec![5; words], vec![7; words]);
    let refused = ternary.transform_into(&samples, &mut sign, &mut mask[1..]).unwrap_err();
    let (buffer, expected, found) = (Buffer::Mask, words, words - 1);
    assert_eq!(refused, CoreError::LengthMismatch { buffer, expected, found }.into());
    let mut bad = x.clone();
    bad[299 * INPUTS + 3] = f32::INFINITY;
    let bad = Samples::new(&bad, INPUTS).unwrap();
    let refused = ternary.transform_into(&bad, &mut sign, &mut mask).unwrap_err();
    assert_eq!(refused, CoreError::NotFinite { sample: 299, input: 3 }.into());
    assert!(sign.iter().all(|&word| word == 5) && mask.iter().all(|&word| word == 7));
}
