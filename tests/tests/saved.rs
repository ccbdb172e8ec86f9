//! Fits, readouts and estimators as bytes: what is loaded is what was saved, and everything else is refused.

use allocation_counter::measure;
use std::fmt;
use std::str::FromStr;
use ternion::fit::{Params, Statistics};
use ternion::learn::{
    Classifier, KernelModel, KernelRidge, LinearModel, Ridge, TernaryClassifier, TernaryRegressor,
};
use ternion::saved::{Kind, SavedError};
use ternion::{Error, Form, Grid, Matrix, Policy, Samples, Scaling, Target, TernaryFeatures};
use ternion_core::Error as CoreError;
use ternion_core::model::crc32;
use ternion_tests::data::Random;

const INPUTS: usize = 12;

/// Bytes of a fit before its numbers per input, and those of a frame after everything.
const HEADER: usize = 16 + 21 * 8;

fn data(seed: u64) -> Vec<f32> {
    let mut random = Random::new(seed);
    (0..50 * INPUTS).map(|k| (random.normal() * (1 + k % 5) as f64) as f32 + 0.5).collect()
}

fn forms() -> [Form; 6] {
    let [boxes, series] = [Grid::image(3, 4), Grid::series(INPUTS)].map(Form::Boxes);
    [Form::Stored, Form::Seeded, Form::Structured, boxes, series, Form::SUBSETS]
}

fn small() -> Params {
    TernaryFeatures::params(70).seed(0x0123_4567_89AB_CDEF)
}

#[test]
fn a_loaded_fit_is_the_fit() {
    let x = data(101);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let mut statistics = Statistics::new(INPUTS).unwrap();
    statistics.add(&samples).unwrap();
    let fixed = Policy::Fixed { lower: f64::NEG_INFINITY, upper: 0.3 };
    let policies = [
        Policy::MinVariance,
        Policy::MatchD0,
        Policy::Unit,
        Policy::FourBand,
        Policy::Periodic,
        fixed,
    ];
    for form in forms() {
        for (k, policy) in policies.into_iter().enumerate() {
            let target = match policy {
                Policy::FourBand => Target::function(|t| t.cos()),
                Policy::Periodic => Target::gaussian_scale(),
                Policy::Unit => Target::ternary(-0.5, 1.0),
                _ => Target::relu(),
            };
            let scaling = [Scaling::Unit, Scaling::Row, Scaling::Keep][k % 3];
            let sparsity = [0.0, 0.5, 0.9][k % 3];
            let params = || {
                small()
                    .form(form)
                    .target(target.clone())
                    .policy(policy)
                    .sparsity(sparsity)
                    .scaling(scaling)
                    .standardise(k % 2 == 0)
                    .centre(k < 4)
            };
            for fitted in [params().fit(&samples), params().fit_statistics(&statistics)] {
                let fitted = fitted.unwrap();
                let bytes = fitted.to_bytes();
                let per_input = 8 + 4 * usize::from(k % 2 == 0) + 4 * usize::from(k < 4);
                assert_eq!(bytes.len(), HEADER + per_input * INPUTS + 4);
                let loaded = TernaryFeatures::from_bytes(&bytes).unwrap();
                assert_eq!(loaded.fingerprint(), fitted.fingerprint());
                assert_eq!(
                    loaded.transform(&samples).unwrap(),
                    fitted.transform(&samples).unwrap()
                );
                assert_eq!(loaded.report(), fitted.report(), "{form:?} {policy}");
                assert_eq!(loaded.preprocess(), fitted.preprocess());
                assert_eq!(loaded.thresholds(), fitted.thresholds());
                assert_eq!(loaded.warnings(), fitted.warnings());
                assert_eq!(loaded.weight_bytes(), fitted.weight_bytes());
                assert_eq!(loaded.to_bytes(), bytes);
            }
        }
    }
}

/// A label of the caller, as text in both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Left,
    Right,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Self::Left { "left" } else { "right" })
    }
}

impl FromStr for Side {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "left" => Ok(Self::Left),
            "right" => Ok(Self::Right),
            _ => Err(()),
        }
    }
}

fn classifier<L: Ord + Clone>(x: &[f32], labels: [L; 2]) -> TernaryClassifier<L> {
    let samples = Samples::new(x, INPUTS).unwrap();
    let label = |x: &[f32]| labels[usize::from(x[0] > x[1])].clone();
    let labels: Vec<L> = x.chunks(INPUTS).map(label).collect();
    TernaryClassifier::fit(small(), Ridge::default(), &samples, &labels).unwrap()
}

#[test]
fn loaded_estimators_predict_the_same() {
    fn check<L: Ord + Clone + fmt::Display + fmt::Debug, M>(x: &[f32], labels: [L; 2])
    where
        M: Ord + Clone + FromStr + fmt::Display + fmt::Debug,
    {
        let samples = Samples::new(x, INPUTS).unwrap();
        let model = classifier(x, labels);
        let bytes = model.to_bytes();
        let loaded = TernaryClassifier::<M>::from_bytes(&bytes).unwrap();
        assert_eq!(loaded.decision(&samples).unwrap(), model.decision(&samples).unwrap());
        let text = |label: String| label;
        let (of_loaded, of_model) =
            (loaded.predict(&samples).unwrap(), model.predict(&samples).unwrap());
        let of_loaded: Vec<String> =
            of_loaded.iter().map(|label| text(label.to_string())).collect();
        let of_model: Vec<String> = of_model.iter().map(|label| text(label.to_string())).collect();
        assert_eq!(of_loaded, of_model);
        assert_eq!(loaded.to_bytes(), bytes);
    }
    let x = data(102);
    check::<_, i64>(&x, [i64::MIN, 7]);
    check::<_, u8>(&x, [0_u8, 255]);
    check::<_, String>(&x, ["", "größer"]);
    check::<_, String>(&x, ["a".to_string(), "b\n".to_string()]);
    check::<_, char>(&x, ['a', '京']);
    check::<_, bool>(&x, [false, true]);
    check::<_, Side>(&x, [Side::Left, Side::Right]);

    let bytes = classifier(&x, [9, 10]).to_bytes();
    let label = |class, text: &str| Error::Saved(SavedError::Label { class, label: text.into() });
    assert_eq!(TernaryClassifier::<Side>::from_bytes(&bytes).unwrap_err(), label(0, "9"));
    // As text 10 is before 9.
    let refused = TernaryClassifier::<String>::from_bytes(&bytes).unwrap_err();
    assert_eq!(refused, label(1, "10"));
    let message =
        "the label of class 1, \"10\", is not one of this type: load the type that was saved";
    assert_eq!(refused.to_string(), message);
    assert_eq!(TernaryClassifier::<i8>::from_bytes(&bytes).unwrap().labels(), [9, 10]);

    let samples = Samples::new(&x, INPUTS).unwrap();
    let y = Matrix::from_vec(50, 2, x[..100].to_vec()).unwrap();
    let model = TernaryRegressor::fit(small(), Ridge::default(), &samples, &y).unwrap();
    let bytes = model.to_bytes();
    let loaded = TernaryRegressor::from_bytes(&bytes).unwrap();
    assert_eq!(loaded.predict(&samples).unwrap(), model.predict(&samples).unwrap());
    assert_eq!((loaded.model(), loaded.to_bytes()), (model.model(), bytes));
}

#[test]
fn loaded_readouts_are_the_readouts() {
    let x = data(103);
    let model = classifier(&x, [1, 2]);
    let pieces = model.classifier();
    assert_eq!(&Classifier::from_bytes(&pieces.to_bytes()).unwrap(), pieces);
    // The same numbers, but of another kind.
    let error = Classifier::from_bytes(&pieces.model().to_bytes()).unwrap_err();
    assert_eq!(error, SavedError::Kind { expected: Kind::Classifier, found: 3 }.into());
    let one = LinearModel::new(Matrix::from_vec(2, 1, vec![0.5, 1.0]).unwrap(), vec![1.0]).unwrap();
    let mut bytes = one.to_bytes();
    bytes[5] = Kind::Classifier as u8;
    let refused = Classifier::from_bytes(&repaired(&bytes)).unwrap_err();
    assert!(matches!(refused, Error::ClassCount { found: 1, .. }));

    let gram = Matrix::from_vec(3, 3, vec![2.0, 0.5, 0.1, 0.5, 2.0, 0.3, 0.1, 0.3, 2.0]).unwrap();
    let y = Matrix::from_vec(3, 2, vec![1.0, 0.0, 2.0, -1.0, 0.5, 4.0]).unwrap();
    let model = KernelRidge::default().fit(&gram, &y).unwrap();
    let loaded = KernelModel::from_bytes(&model.to_bytes()).unwrap();
    assert_eq!(loaded, model);
    let numbers: Vec<f64> = model.coefficients().flatten().copied().collect();
    let numbers = Matrix::from_vec(2, 3, numbers).unwrap();
    assert_eq!(KernelModel::new(&numbers, model.bias().to_vec()).unwrap(), model);
}

/// Bytes with their checksum set right.
fn repaired(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes[..bytes.len() - 4].to_vec();
    let checksum = crc32(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// Bytes with eight of them replaced and the checksum set right.
fn with_number(bytes: &[u8], at: usize, number: impl Into<f64>) -> Vec<u8> {
    with_bits(bytes, at, number.into().to_bits())
}

fn with_bits(bytes: &[u8], at: usize, number: u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
    repaired(&bytes)
}

/// One small object of each kind that this file is about, and how it is read and written again.
type Again = fn(&[u8]) -> Result<Vec<u8>, Error>;

fn objects() -> Vec<(Kind, Vec<u8>, Again)> {
    let x = data(104);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let y = Matrix::from_vec(50, 1, x[..50].to_vec()).unwrap();
    let params = TernaryFeatures::params(3).standardise(true);
    let fits = forms().map(|form| params.clone().form(form).fit(&samples).unwrap().to_bytes());
    let labels: Vec<&str> = x.chunks(INPUTS).map(|x| ["a", "bc"][(x[0] > 0.0) as usize]).collect();
    let ridge = Ridge::default();
    let classifier = TernaryClassifier::fit(params.clone(), ridge, &samples, &labels).unwrap();
    let regressor = TernaryRegressor::fit(params, ridge, &samples, &y).unwrap();
    let gram = Matrix::from_vec(2, 2, vec![2.0, 0.5, 0.5, 2.0]).unwrap();
    let y = Matrix::from_vec(2, 1, vec![1.0, 0.0]).unwrap();
    let kernel = KernelRidge::default().fit(&gram, &y).unwrap();
    let mut objects: Vec<(Kind, Vec<u8>, Again)> = vec![
        (Kind::LinearModel, regressor.model().to_bytes(), |bytes| {
            LinearModel::from_bytes(bytes).map(|model| model.to_bytes())
        }),
        (Kind::Classifier, classifier.classifier().to_bytes(), |bytes| {
            Classifier::from_bytes(bytes).map(|model| model.to_bytes())
        }),
        (Kind::KernelModel, kernel.to_bytes(), |bytes| {
            KernelModel::from_bytes(bytes).map(|model| model.to_bytes())
        }),
        (Kind::TernaryClassifier, classifier.to_bytes(), |bytes| {
            TernaryClassifier::<String>::from_bytes(bytes).map(|model| model.to_bytes())
        }),
        (Kind::TernaryRegressor, regressor.to_bytes(), |bytes| {
            TernaryRegressor::from_bytes(bytes).map(|model| model.to_bytes())
        }),
    ];
    objects.extend(fits.into_iter().map(|bytes| -> (Kind, Vec<u8>, Again) {
        (Kind::TernaryFeatures, bytes, |bytes| {
            TernaryFeatures::from_bytes(bytes).map(|fitted| fitted.to_bytes())
        })
    }));
    objects
}

#[test]
fn truncated_changed_and_foreign_bytes_are_refused() {
    let objects = objects();
    for (kind, bytes, again) in &objects {
        assert_eq!(&again(bytes).unwrap(), bytes);
        assert_eq!(bytes[5], *kind as u8);
        for length in 0..bytes.len() {
            let needed = if length < 20 { 20 } else { bytes.len() as u64 };
            let expected = SavedError::Truncated { needed, found: length as u64 };
            assert_eq!(again(&bytes[..length]).unwrap_err(), expected.into());
        }
        let longer = [bytes, &[0][..]].concat();
        assert!(matches!(again(&longer), Err(Error::Saved(SavedError::Length { .. }))));
        for at in 0..bytes.len() {
            for change in [0x01, 0x40, 0xFF] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                let error = again(&changed).unwrap_err();
                assert!(matches!(error, Error::Saved(_)), "{kind:?} {at} {error}");
                assert!(!error.to_string().is_empty());
            }
        }
        for at in [6, 7] {
            let mut changed = bytes.clone();
            changed[at] = 1;
            let impossible = SavedError::Impossible { offset: 6 };
            assert_eq!(again(&repaired(&changed)).unwrap_err(), impossible.into());
        }
        for (other, bytes, _) in objects.iter().filter(|(other, ..)| other != kind) {
            let (expected, found) = (*kind, *other as u8);
            let error = again(bytes).unwrap_err();
            assert_eq!(error, SavedError::Kind { expected, found }.into());
        }
    }
}

/// A part that claims to be longer than everything: the refusal says what there would have to be, and what there is.
#[test]
fn parts_that_reach_beyond_the_end_are_refused() {
    let of_two = |kind: &Kind| matches!(kind, Kind::TernaryClassifier | Kind::TernaryRegressor);
    for (_, bytes, again) in objects().iter().filter(|(kind, ..)| of_two(kind)) {
        // Its length is the first number after the frame. The checksum does not belong to it.
        let found = bytes.len() as u64;
        let left = found - 16 - 8 - 4;
        for length in [left + 1, left + 1000, u64::MAX - 27, u64::MAX] {
            let expected = length.saturating_add(16 + 8 + 4);
            let error = again(&with_bits(bytes, 16, length)).unwrap_err();
            assert_eq!(error, SavedError::Length { expected, found }.into());
        }
    }
}

/// Reads bytes that somebody changed and gave the right checksum, and after a complaint about it the right fingerprint.
/// They are refused, or mean exactly what they say.
fn refused_or_meant(bytes: &[u8], again: Again) -> bool {
    let bytes = repaired(bytes);
    // What such a large fit computes is right as well, but takes long.
    let large = u64::from_le_bytes(bytes[24..32].try_into().unwrap()) > 1 << 12;
    match again(&bytes) {
        Ok(meant) => {
            assert_eq!(meant, bytes);
            true
        }
        Err(Error::Saved(SavedError::Fingerprint { found, .. })) if bytes[5] == 4 && !large => {
            let bytes = with_bits(&bytes, 176, found);
            assert_eq!(again(&bytes).unwrap(), bytes);
            let fitted = TernaryFeatures::from_bytes(&bytes).unwrap();
            let x = vec![0.5_f32; 2 * fitted.inputs()];
            let features = fitted.transform(&Samples::new(&x, fitted.inputs()).unwrap());
            assert!(features.is_ok_and(|features| features.row(0) == features.row(1)));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

#[test]
fn every_change_with_a_right_checksum_is_refused_or_means_what_it_says() {
    let (mut meant, mut refused) = (0, 0);
    let mut random = Random::new(105);
    for (_, bytes, again) in objects() {
        let mut count = |changed: &[u8]| match refused_or_meant(changed, again) {
            true => meant += 1,
            false => refused += 1,
        };
        for at in 16..bytes.len() - 4 {
            for change in [0x01, 0x80, 0xFF] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                count(&changed);
            }
        }
        // Whole numbers of other sizes, and several changes at a time.
        for at in (16..(bytes.len() - 12).min(200)).step_by(8) {
            for number in [0, 1, 2, 5, 1 << 26, 1 << 32, 1 << 40, u64::MAX, 0x7FF0 << 48, 1 << 63] {
                let mut changed = bytes.clone();
                changed[at..at + 8].copy_from_slice(&number.to_le_bytes());
                count(&changed);
            }
        }
        for _ in 0..200 {
            let mut changed = bytes.clone();
            for _ in 0..3 {
                let at = 16 + (random.normal().abs() * 1e6) as usize % (bytes.len() - 20);
                changed[at] = (random.normal() * 1e6) as i64 as u8;
            }
            count(&changed);
        }
    }
    assert!(meant > 1000 && refused > 1000, "{meant} {refused}");
}

#[test]
fn impossible_fits_are_refused_before_memory_is_asked_for() {
    let x = data(106);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let bytes = TernaryFeatures::params(5).standardise(true).fit(&samples).unwrap().to_bytes();
    let refused = |bytes: &[u8]| {
        let mut error = None;
        let allocated = measure(|| error = TernaryFeatures::from_bytes(bytes).err());
        assert!(allocated.bytes_max < 1 << 16, "{}", allocated.bytes_max);
        error.expect("a refusal")
    };
    let impossible = |offset| Error::Saved(SavedError::Impossible { offset });
    for inputs in [0, 65_536, u64::MAX] {
        assert_eq!(refused(&with_bits(&bytes, 16, inputs)), impossible(16));
    }
    for inputs in [1, INPUTS as u64 + 1, 65_535] {
        let error = refused(&with_bits(&bytes, 16, inputs));
        assert!(matches!(error, Error::Saved(SavedError::Length { .. })), "{error}");
    }
    for features in [0, (1 << 26) + 1, u64::MAX] {
        assert_eq!(refused(&with_bits(&bytes, 24, features)), impossible(24));
    }
    // The form; a sparsity beyond 32 bits; numbers that this form does not have; the policy.
    for (at, number) in [(32, 5), (48, 1 << 32), (56, 1), (64, 1), (72, 6), (144, 3), (152, 8)] {
        assert_eq!(refused(&with_bits(&bytes, at, number)), impossible(at));
    }
    let f64s = |at, numbers: &[f64]| {
        for &number in numbers {
            assert_eq!(refused(&with_number(&bytes, at, number)), impossible(at), "{at} {number}");
        }
    };
    f64s(80, &[f64::NAN]); // thresholds
    f64s(88, &[f64::NAN, -1e9]);
    f64s(96, &[-0.0, 1.0]);
    f64s(112, &[0.0, -1.0, f64::INFINITY, f64::NAN]); // α
    for at in [120, 128, 136] {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(refused(&with_number(&bytes, at, bad)), impossible(136)); // moments
        }
    }
    f64s(160, &[0.0, -1.0, f64::INFINITY, f64::NAN]); // the mean of ‖x‖²
    f64s(168, &[-1.0, f64::INFINITY, f64::NAN]); // its variation
    let bad_mean = with_bits(&bytes, 184, u64::MAX);
    assert_eq!(refused(&bad_mean), impossible(184 + 4 * INPUTS - 4));
    let bad_square = with_number(&bytes, bytes.len() - 12, -1.0);
    assert_eq!(refused(&bad_square), impossible(bytes.len() - 12));

    let changed = with_bits(&bytes, 40, 99); // the seed
    let expected = TernaryFeatures::from_bytes(&bytes).unwrap().fingerprint();
    let found = TernaryFeatures::params(5).seed(99).standardise(true).fit(&samples).unwrap();
    let found = found.fingerprint();
    let error = refused(&changed);
    assert_eq!(error, SavedError::Fingerprint { expected, found }.into());
    assert!(error.to_string().contains(&format!("the fit {expected:016x} but make")));

    let boxes = small().form(Form::Boxes(Grid::image(3, 4))).fit(&samples).unwrap().to_bytes();
    assert!(matches!(refused(&with_bits(&boxes, 48, 0)), Error::Core(_)));
    assert!(matches!(refused(&with_bits(&boxes, 48, 4)), Error::Core(_)));
}

#[test]
fn a_huge_stored_matrix_is_loaded_as_its_seed() {
    let x: Vec<f32> = (0..5 * 65).map(|k| (k as f32).sin()).collect();
    let samples = Samples::new(&x, 65).unwrap();
    let bytes = TernaryFeatures::params(64).fit(&samples).unwrap().to_bytes();
    let bytes = with_bits(&bytes, 24, 1 << 26); // features
    let Err(Error::Saved(SavedError::Fingerprint { found, .. })) =
        TernaryFeatures::from_bytes(&bytes)
    else {
        panic!("the number of features is part of the fingerprint")
    };
    let bytes = with_bits(&bytes, 176, found);
    let mut loaded = None;
    let allocated = measure(|| loaded = TernaryFeatures::from_bytes(&bytes).ok());
    let loaded = loaded.expect("a fit");
    assert_eq!((loaded.features(), loaded.weight_bytes()), (1 << 26, 0));
    assert!(allocated.bytes_max < 1 << 16, "{}", allocated.bytes_max);
}

#[test]
fn estimators_of_parts_that_do_not_fit_are_refused() {
    let objects = objects();
    let of = |wanted: Kind| objects.iter().find(|(kind, ..)| *kind == wanted).unwrap();
    let (_, classifier, load) = of(Kind::TernaryClassifier);
    let fit_length = u64::from_le_bytes(classifier[16..24].try_into().unwrap()) as usize;
    let fit = &classifier[24..24 + fit_length];
    let readout = &of(Kind::Classifier).1;
    // The same frame around other parts.
    let joined = |blocks: &[&[u8]]| {
        let mut bytes = classifier[..16].to_vec();
        for block in blocks {
            bytes.extend((block.len() as u64).to_le_bytes());
            bytes.extend(*block);
        }
        let length = bytes.len() as u64 + 4;
        bytes[8..16].copy_from_slice(&length.to_le_bytes());
        repaired(&[&bytes[..], &[0; 4]].concat())
    };
    assert_eq!(load(&joined(&[fit, readout, b"a", b"bc"])).unwrap(), *classifier);
    let label = |text: &str| Error::Saved(SavedError::Label { class: 1, label: text.into() });
    assert_eq!(load(&joined(&[fit, readout, b"a", b"a"])).unwrap_err(), label("a"));
    assert_eq!(load(&joined(&[fit, readout, b"a", &[0xFF]])).unwrap_err(), label("\u{FFFD}"));
    for blocks in [&[fit, readout, b"a", b"b", b"c"][..], &[fit, readout], &[fit], &[]] {
        let error = load(&joined(blocks)).unwrap_err();
        assert!(matches!(error, Error::Saved(_)), "{error}");
    }
    let wide = Matrix::from_vec(4, 2, vec![1.0; 8]).unwrap();
    let wide = Classifier::new(LinearModel::new(wide, vec![0.0; 2]).unwrap()).unwrap();
    let error = load(&joined(&[fit, &wide.to_bytes(), b"a", b"b"])).unwrap_err();
    assert!(matches!(error, Error::Core(CoreError::SizeMismatch { expected: 3, found: 4, .. })));
    let mut huge = classifier.clone();
    huge[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    let error = load(&repaired(&huge)).unwrap_err();
    assert!(
        matches!(error, Error::Saved(SavedError::Length { expected: u64::MAX, .. })),
        "{error}"
    );
}

/// A few hundred bytes would ask for gigabytes, because two inputs take a whole word for each feature.
#[test]
fn a_stored_fit_that_is_too_large_to_store_is_read_as_its_seed() {
    let x: Vec<f32> = (0..8).map(|k| (k * k % 17) as f32).collect();
    let samples = Samples::new(&x, 2).unwrap();
    let seeded = TernaryFeatures::params(1 << 26).form(Form::Seeded).fit(&samples).unwrap();
    let stored = TernaryFeatures::from_bytes(&with_bits(&seeded.to_bytes(), 32, 0)).unwrap();
    assert_eq!((stored.weight_bytes(), stored.fingerprint()), (0, seeded.fingerprint()));
}
