//! Statistics and moments from any split and order of the samples give the same fit and model, bit for bit; and what
//! they refuse.

use ternion::fit::Statistics;
use ternion::learn::{MAX_CLASSES, Moments, Ridge};
use ternion::saved::{Kind, SavedError};
use ternion::{Error, Features, Form, Grid, Samples, Scaling, TernaryFeatures};
use ternion_core::{Error as CoreError, MAX_INPUTS, Size};
use ternion_tests::data::{Random, even_parts};
use ternion_tests::dense;
use ternion_tests::saved::{with_number, with_sum};

const INPUTS: usize = 12;
const CLASSES: usize = 3;

struct Problem {
    x: Vec<f32>,
    labels: Vec<usize>,
    ternary: TernaryFeatures,
}

impl Problem {
    fn new(random: &mut Random, samples: usize, features: usize) -> Self {
        let x: Vec<f32> = (0..samples * INPUTS).map(|_| random.normal() as f32).collect();
        let labels = (0..samples).map(|_| random.below(CLASSES)).collect();
        let params = TernaryFeatures::params(features);
        let ternary = params.fit(&Samples::new(&x, INPUTS).unwrap()).unwrap();
        Self { x, labels, ternary }
    }

    /// The features of the given samples, and their labels.
    fn part(&self, samples: &[usize]) -> (Features, Vec<usize>) {
        let rows = samples.iter().flat_map(|&i| &self.x[i * INPUTS..(i + 1) * INPUTS]);
        let x: Vec<f32> = rows.copied().collect();
        let features = self.ternary.transform(&Samples::new(&x, INPUTS).unwrap()).unwrap();
        (features, samples.iter().map(|&i| self.labels[i]).collect())
    }

    fn moments(&self) -> Moments {
        Moments::new(&self.ternary, CLASSES).unwrap()
    }
}

fn shuffled(random: &mut Random, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for i in (1..count).rev() {
        order.swap(i, random.below(i + 1));
    }
    order
}

#[test]
fn any_split_and_order_gives_the_same_bytes_and_the_same_model() {
    let mut random = Random::new(71);
    for (samples, features) in [(200, 70), (331, 130), (64, 65)] {
        let problem = Problem::new(&mut random, samples, features);
        let all: Vec<usize> = (0..samples).collect();
        let (batch, labels) = problem.part(&all);
        let mut whole = problem.moments();
        whole.add(&batch, &labels).unwrap();
        let model = Ridge::default().fit_moments(&whole).unwrap();
        if samples > features {
            assert_eq!(model, Ridge::default().fit_classes(&batch, &labels).unwrap());
        }
        for shards in [1, 2, 7, 64] {
            let order = shuffled(&mut random, samples);
            let mut parts: Vec<Moments> = even_parts(&order, shards)
                .map(|samples| {
                    let mut shard = problem.moments();
                    // A shard may itself come in chunks.
                    for samples in samples.chunks(1 + random.below(samples.len().max(1))) {
                        let (features, labels) = problem.part(samples);
                        shard.add(&features, &labels).unwrap();
                    }
                    Moments::from_bytes(&shard.to_bytes()).unwrap()
                })
                .collect();
            // Merged in pairs at random, as the machines of a cluster would.
            while parts.len() > 1 {
                let part = parts.swap_remove(random.below(parts.len()));
                let into = random.below(parts.len());
                parts[into].merge(&part).unwrap();
            }
            let merged = parts.pop().unwrap();
            assert_eq!(merged.to_bytes(), whole.to_bytes(), "{shards} shards");
            let again = Ridge::default().fit_moments(&merged).unwrap();
            let bits = |weights: &[f32]| weights.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
            for (found, expected) in [
                (again.model().weights().as_slice(), model.model().weights().as_slice()),
                (again.model().bias(), model.model().bias()),
            ] {
                assert_eq!(bits(found), bits(expected), "{shards} shards");
            }
        }
    }
}

/// Numbers of all sizes, so that any float sum would depend on the order.
#[test]
fn any_split_and_order_gives_the_same_statistics_and_the_same_fit() {
    let mut random = Random::new(77);
    let samples = 150;
    let x: Vec<f32> = (0..samples * INPUTS)
        .map(|_| (random.normal() * 10_f64.powi(random.below(20) as i32 - 10)) as f32)
        .collect();
    let mut whole = Statistics::new(INPUTS).unwrap();
    whole.add(&Samples::new(&x, INPUTS).unwrap()).unwrap();
    let fit = |statistics: &Statistics| {
        let params = TernaryFeatures::params(64).standardise(true);
        params.fit_statistics(statistics).unwrap()
    };
    // The same map as from the samples themselves.
    let of_samples = TernaryFeatures::params(64).standardise(true);
    let of_samples = of_samples.fit(&Samples::new(&x, INPUTS).unwrap()).unwrap();
    assert_eq!(of_samples.fingerprint(), fit(&whole).fingerprint());
    for shards in [1, 2, 7, 64] {
        let order = shuffled(&mut random, samples);
        let mut merged = Statistics::new(INPUTS).unwrap();
        for samples in even_parts(&order, shards) {
            let rows = samples.iter().flat_map(|&i| &x[i * INPUTS..(i + 1) * INPUTS]);
            let rows: Vec<f32> = rows.copied().collect();
            let mut shard = Statistics::new(INPUTS).unwrap();
            shard.add(&Samples::new(&rows, INPUTS).unwrap()).unwrap();
            merged.merge(&Statistics::from_bytes(&shard.to_bytes()).unwrap()).unwrap();
        }
        assert_eq!(merged.to_bytes(), whole.to_bytes(), "{shards} shards");
        assert_eq!(fit(&merged).fingerprint(), fit(&whole).fingerprint(), "{shards} shards");
    }
}

#[test]
fn bytes_that_are_not_statistics_are_refused() {
    let mut statistics = Statistics::new(2).unwrap();
    statistics.add(&Samples::new(&[1.5, -2.0, 3.0, 0.25], 2).unwrap()).unwrap();
    let bytes = statistics.to_bytes();
    assert_eq!(bytes.len(), 20 + 16 + 2 * 232);
    let refused = |bytes: &[u8]| match Statistics::from_bytes(bytes) {
        Err(Error::Saved(error)) => error,
        other => panic!("{other:?}"),
    };
    let found = bytes.len() as u64 - 1;
    let truncated = SavedError::Truncated { needed: bytes.len() as u64, found };
    assert_eq!(refused(&bytes[..bytes.len() - 1]), truncated);
    let moments = Problem::new(&mut Random::new(78), 9, 3).moments().to_bytes();
    assert_eq!(refused(&moments), SavedError::Kind { expected: Kind::Statistics, found: 1 });

    let impossible = |offset| SavedError::Impossible { offset };
    let wrong_length =
        |inputs| matches!(refused(&with_number(&bytes, 16, inputs)), SavedError::Length { .. });
    assert!([1, 3, MAX_INPUTS as i64].into_iter().all(wrong_length));
    for inputs in [0, MAX_INPUTS as i64 + 1, i64::MAX, -1] {
        assert_eq!(refused(&with_number(&bytes, 16, inputs)), impossible(16));
    }
    assert_eq!(refused(&with_number(&bytes, 24, 1 << 54)), impossible(24)); // samples
    assert_eq!(refused(&with_number(&bytes, 24, 0)), impossible(256));
    // A digit that is not normalised, sums that are too large, and squares too small for their sum.
    for (digit, number) in [(0, -1), (1, 1 << 32), (9, 1 << 60), (28, 1 << 60), (28, -1), (8, 1)] {
        assert_eq!(refused(&with_number(&bytes, 32 + 8 * digit, number)), impossible(256));
    }

    let mut other = Statistics::new(3).unwrap();
    let mismatch = CoreError::SizeMismatch { size: Size::Inputs, expected: 3, found: 2 };
    assert_eq!(other.merge(&statistics).unwrap_err(), mismatch.into());
    assert_eq!(other, Statistics::new(3).unwrap());
}

/// Counts that only bytes can claim.
#[test]
fn more_samples_than_can_be_counted_are_refused() {
    let max = 1 << 53;
    let refused = Error::TooManySamples { found: max + 1, max };
    let x = [0.0; INPUTS];
    let zeros = Statistics::new(INPUTS).unwrap();
    let mut most = Statistics::from_bytes(&with_number(&zeros.to_bytes(), 24, max as i64)).unwrap();
    let mut one = Statistics::new(INPUTS).unwrap();
    one.add(&Samples::new(&x, INPUTS).unwrap()).unwrap();
    assert_eq!(most.add(&Samples::new(&x, INPUTS).unwrap()).unwrap_err(), refused);
    assert_eq!(most.merge(&one).unwrap_err(), refused);
    assert_eq!(one.merge(&most).unwrap_err(), refused);
    assert_eq!(one.samples(), 1);
    let message = "at most 9007199254740992 samples can be counted, found 9007199254740993";
    assert_eq!(refused.to_string(), message);

    let problem = Problem::new(&mut Random::new(79), 9, 3);
    // Powers of two up to the most samples, whose sums are zero.
    let empty = problem.moments().to_bytes();
    let mut most = Moments::from_bytes(&with_number(&empty, 40, 1 << 30)).unwrap();
    for _ in 30..53 {
        most.merge(&most.clone()).unwrap();
    }
    let (features, labels) = problem.part(&[0]);
    assert_eq!(most.add(&features, &labels).unwrap_err(), refused);
    let mut one = problem.moments();
    one.add(&features, &labels).unwrap();
    assert_eq!(one.merge(&most).unwrap_err(), refused);
    assert_eq!((one.samples(), most.samples()), (1, max));
}

/// Sums take 32 bits up to 2³¹ − 1 samples, and 64 beyond.
#[test]
fn moments_of_any_number_of_samples_are_saved_and_loaded() {
    let problem = Problem::new(&mut Random::new(80), 9, 3);
    let empty = problem.moments().to_bytes();
    // As if 2³¹ − 1 samples had been the same: of the first class, with the features +1 −1 +1.
    let count = i32::MAX;
    let mut bytes = with_number(&empty, 40, count.into());
    for (feature, sign) in [1, -1, 1].into_iter().enumerate() {
        bytes = with_sum(&bytes, 64 + 4 * feature, sign * count);
    }
    for (product, sign) in [1, -1, 1, 1, -1, 1].into_iter().enumerate() {
        bytes = with_sum(&bytes, 100 + 4 * product, sign * count);
    }
    let most = Moments::from_bytes(&bytes).unwrap();
    assert_eq!(most.to_bytes(), bytes);

    let mut more = most.clone();
    let (features, labels) = problem.part(&[0]);
    more.add(&features, &labels).unwrap();
    more.merge(&most).unwrap();
    let bytes = more.to_bytes();
    assert_eq!(bytes.len(), 20 + 8 * (3 + 3 + 9 + 6));
    let loaded = Moments::from_bytes(&bytes).unwrap();
    assert_eq!((&loaded, loaded.samples()), (&more, 2 * count as u64 + 1));
    let trits: Vec<i64> = features.row(0).unwrap().iter().map(i64::from).collect();
    let sum = |feature: usize| {
        let at = 64 + 8 * (3 * labels[0] + feature);
        i64::from_le_bytes(*bytes[at..].first_chunk().unwrap())
    };
    for (feature, sign) in [1, -1, 1].into_iter().enumerate() {
        let of_many = if labels[0] == 0 { 2 * sign * i64::from(count) } else { 0 };
        assert_eq!(sum(feature), of_many + trits[feature]);
    }
}

#[test]
fn models_from_moments_are_the_normal_equations() {
    let mut random = Random::new(72);
    let problem = Problem::new(&mut random, 150, 40);
    let (features, labels) = problem.part(&(0..150).collect::<Vec<_>>());
    let mut moments = problem.moments();
    moments.add(&features, &labels).unwrap();
    assert_eq!((moments.samples(), moments.features(), moments.classes()), (150, 40, CLASSES));
    let rows: Vec<Vec<f64>> =
        features.trits().iter_rows().map(|row| row.iter().map(f64::from).collect()).collect();
    for gamma in [0.01, 1.0, 30.0] {
        let model = Ridge::absolute(gamma).unwrap().fit_moments(&moments).unwrap();
        for class in 0..CLASSES {
            let y: Vec<f64> =
                labels.iter().map(|&label| if label == class { 1.0 } else { -1.0 }).collect();
            let (theta, bias) = dense::ridge(&rows, &y, gamma);
            for (row, theta) in model.model().weights().iter_rows().zip(theta) {
                assert!((f64::from(row[class]) - theta).abs() < 1e-5, "γ = {gamma}");
            }
            assert!((f64::from(model.model().bias()[class]) - bias).abs() < 1e-5, "γ = {gamma}");
        }
    }
}

#[test]
fn a_class_without_samples_is_never_predicted() {
    let mut random = Random::new(73);
    let problem = Problem::new(&mut random, 90, 32);
    let seen: Vec<usize> = (0..90).filter(|&i| problem.labels[i] != 1).collect();
    let (features, labels) = problem.part(&seen);
    let mut moments = problem.moments();
    moments.add(&features, &labels).unwrap();
    let model = Ridge::default().fit_moments(&moments).unwrap();
    let (all, _) = problem.part(&(0..90).collect::<Vec<_>>());
    assert!(model.predict(&all).unwrap().iter().all(|&class| class != 1));
}

#[test]
fn fits_have_the_same_fingerprint_exactly_if_they_give_the_same_features() {
    let mut random = Random::new(74);
    let x: Vec<f32> = (0..50 * INPUTS).map(|_| random.normal() as f32).collect();
    let samples = Samples::new(&x, INPUTS).unwrap();
    let params = || TernaryFeatures::params(64);
    let of = |params: ternion::fit::Params| params.fit(&samples).unwrap().fingerprint();
    assert_eq!(of(params()), of(params().form(Form::Seeded)));
    assert_eq!(of(params().sparsity(0.9)), of(params().sparsity(0.9).form(Form::Seeded)));
    let different = [
        params(),
        params().seed(1),
        params().sparsity(0.5),
        params().centre(false),
        params().standardise(true),
        params().scaling(Scaling::Row),
        params().target(ternion::Target::relu()),
        params().form(Form::Structured),
        params().form(Form::Structured).seed(1),
        params().form(Form::SUBSETS),
        params().form(Form::Boxes(Grid::image(3, 4))),
        params().form(Form::Boxes(Grid::image(4, 3))),
        TernaryFeatures::params(65),
    ];
    let mut found: Vec<u64> = different.into_iter().map(of).collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 13);
}

#[test]
fn mismatched_samples_and_moments_are_refused_and_change_nothing() {
    let mut random = Random::new(75);
    let problem = Problem::new(&mut random, 30, 20);
    let (features, labels) = problem.part(&(0..30).collect::<Vec<_>>());
    let mut moments = problem.moments();
    moments.add(&features, &labels).unwrap();
    let before = moments.clone();

    let mut unknown = labels.clone();
    unknown[17] = CLASSES;
    let max = CLASSES;
    let refused = moments.add(&features, &unknown).unwrap_err();
    assert_eq!(refused, Error::TooManyClasses { sample: 17, label: CLASSES, max });
    let refused = moments.add(&features, &labels[1..]).unwrap_err();
    assert_eq!(refused, Error::LabelCount { samples: 30, labels: 29 });
    let other = Problem::new(&mut random, 30, 21);
    let (wider, _) = other.part(&(0..30).collect::<Vec<_>>());
    let mismatch = CoreError::SizeMismatch { size: Size::Features, expected: 20, found: 21 };
    assert_eq!(moments.add(&wider, &labels).unwrap_err(), mismatch.into());
    assert_eq!(moments.merge(&other.moments()).unwrap_err(), mismatch.into());

    let other = Moments::new(&problem.ternary, 2).unwrap();
    let refused = moments.merge(&other).unwrap_err();
    assert_eq!(refused, Error::OtherClasses { expected: 3, found: 2 });
    let message = "moments of 3 classes cannot take those of 2: declare the same classes";
    assert_eq!(refused.to_string(), message);
    let seeded = TernaryFeatures::params(20).seed(1);
    let other = seeded.fit(&Samples::new(&problem.x, INPUTS).unwrap()).unwrap();
    let refused = moments.merge(&Moments::new(&other, CLASSES).unwrap()).unwrap_err();
    let (expected, found) = (problem.ternary.fingerprint(), other.fingerprint());
    assert_eq!(refused, Error::OtherMap { expected, found });
    let strange = other.transform(&Samples::new(&problem.x, INPUTS).unwrap()).unwrap();
    assert_eq!(moments.add(&strange, &labels).unwrap_err(), Error::OtherMap { expected, found });
    // Trits from elsewhere have no fit to compare: they are taken, alone or among others.
    let foreign = Features::new(strange.trits().clone());
    problem.moments().add(&foreign, &labels).unwrap();
    let both = Features::concat([&features, &foreign]).unwrap();
    problem.moments().add(&both, &[&labels[..], &labels].concat()).unwrap();
    assert!(refused.to_string().starts_with("moments of the fit "));
    assert_eq!(moments, before);

    for found in [0, 1, MAX_CLASSES + 1] {
        let refused = Moments::new(&problem.ternary, found).unwrap_err();
        assert_eq!(refused, Error::ClassCount { found, max: MAX_CLASSES });
        let message = format!("the number of classes must be from 2 to 65536, found {found}");
        assert_eq!(refused.to_string(), message);
    }
    let mut one = problem.moments();
    let refused = |moments: &Moments| Ridge::default().fit_moments(moments).unwrap_err();
    assert_eq!(refused(&one), Error::TooFewClasses { found: 0 });
    one.add(&features, &[2; 30]).unwrap();
    assert_eq!(refused(&one), Error::TooFewClasses { found: 1 });
}

#[test]
fn bytes_that_are_not_moments_are_refused() {
    let problem = Problem::new(&mut Random::new(76), 9, 3);
    let (features, labels) = problem.part(&(0..9).collect::<Vec<_>>());
    let mut moments = problem.moments();
    moments.add(&features, &labels).unwrap();
    let bytes = moments.to_bytes();
    // Frame, three sizes, and then the counts, the sums of three classes and the products of three features.
    assert_eq!(bytes.len(), 20 + 8 * (3 + 3) + 4 * (9 + 6));
    let refused = |bytes: &[u8]| match Moments::from_bytes(bytes) {
        Err(Error::Saved(error)) => error,
        other => panic!("{other:?}"),
    };

    for length in 0..bytes.len() {
        let needed = if length < 20 { 20 } else { bytes.len() as u64 };
        let expected = SavedError::Truncated { needed, found: length as u64 };
        assert_eq!(refused(&bytes[..length]), expected);
    }
    let mut longer = bytes.clone();
    longer.push(0);
    let (expected, found) = (bytes.len() as u64, bytes.len() as u64 + 1);
    assert_eq!(refused(&longer), SavedError::Length { expected, found });
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x40;
        let error = refused(&changed);
        match at {
            0..4 => assert!(matches!(error, SavedError::Magic { .. })),
            4 => assert_eq!(error, SavedError::Version { expected: 1, found: 0x41 }),
            5 => assert_eq!(error, SavedError::Kind { expected: Kind::Moments, found: 0x41 }),
            8..16 => {
                let wrong_length =
                    matches!(error, SavedError::Truncated { .. } | SavedError::Length { .. });
                assert!(wrong_length, "{at}: {error}");
            }
            _ => assert!(matches!(error, SavedError::Checksum { .. }), "{at}: {error}"),
        }
        assert!(!error.to_string().is_empty());
    }

    let impossible = |offset| SavedError::Impossible { offset };
    assert_eq!(refused(&with_number(&bytes, 24, 0)), impossible(24)); // features
    assert_eq!(refused(&with_number(&bytes, 32, 1)), impossible(32)); // classes
    assert_eq!(refused(&with_number(&bytes, 40, -1)), impossible(40)); // counts
    assert_eq!(refused(&with_number(&bytes, 48, i64::MAX)), impossible(48));
    assert_eq!(refused(&with_number(&bytes, 48, 1 << 53)), impossible(56)); // together
    assert_eq!(refused(&with_sum(&bytes, 64, 10)), impossible(96)); // sums
    assert_eq!(refused(&with_sum(&bytes, 108, i32::MIN)), impossible(120)); // products
    // Other sizes than the bytes have, with memory asked for neither.
    for (features, classes) in [(2, 3), (4, 3), (i64::MAX, 3), (1 << 40, 3)] {
        let changed = with_number(&with_number(&bytes, 24, features), 32, classes);
        assert!(matches!(refused(&changed), SavedError::Length { .. }));
    }
    let more_classes = refused(&with_number(&problem.moments().to_bytes(), 32, 65_536));
    assert!(matches!(more_classes, SavedError::Truncated { .. }), "{more_classes}");
    // As many samples as need sums of 64 bits.
    let many_samples = refused(&with_number(&bytes, 40, 1 << 31));
    assert!(matches!(many_samples, SavedError::Length { .. }), "{many_samples}");
    assert_eq!(
        refused(b"not moments").to_string(),
        "saved objects start with the bytes TRNS, found \"not \" (TRNM is an exported model: \
         ternion_core::Model reads it)"
    );
}
