//! Exported models: the desktop's features and classes, bit for bit, and what cannot be exported.

use ternion::export::{
    Bits, Budget, Core, DeviceCost, Export, ExportError, IntegerFeatures, Margin, Readout,
};
use ternion::learn::{Classifier, Ridge, accuracy};
use ternion::{Error, Features, Form, Grid, Matrix, Policy, Samples, Scaling, TernaryFeatures};
use ternion_core::Error as CoreError;
use ternion_tests::data::Random;
use ternion_tests::forms::of_fits;
use ternion_tests::model::{PlainModel, PlainProjection};

const INPUTS: usize = 64;

/// The digits that the examples use, in a fixed order: 1,297 to train and 500 to test.
fn digits() -> (Vec<u8>, Vec<usize>) {
    let mut rows: Vec<Vec<u8>> = include_str!("../../std-ext/examples/data/digits.csv")
        .lines()
        .map(|line| line.split(',').map(|number| number.parse().unwrap()).collect())
        .collect();
    let mut random = Random::new(3);
    for i in (1..rows.len()).rev() {
        rows.swap(i, random.below(i + 1));
    }
    let labels = rows.iter().map(|row| row[INPUTS] as usize).collect();
    (rows.into_iter().flat_map(|row| row[..INPUTS].to_vec()).collect(), labels)
}

fn fit(x: &[u8], form: Form, features: usize, policy: Policy) -> TernaryFeatures {
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    let samples = Samples::new(&floats, INPUTS).unwrap();
    let params = TernaryFeatures::params(features).form(form).policy(policy);
    params.fit(&samples).unwrap()
}

/// The model's own features, as rows of trits.
fn rows(export: &Export, x: &[u8]) -> Vec<Vec<i8>> {
    let model = export.model().unwrap();
    let mut scratch = vec![0; model.scratch_words()];
    let row = |sample: &[u8]| {
        let mut trits = Vec::new();
        let visit = |sign: u32, mask: u32| {
            trits.extend((0..32).map(|bit| (mask >> bit & 1) as i8 - 2 * (sign >> bit & 1) as i8));
        };
        model.featurize(sample, &mut scratch, visit).unwrap();
        trits.truncate(model.features());
        trits
    };
    x.chunks(INPUTS).map(row).collect()
}

fn same_features(features: &Features, rows: &[Vec<i8>]) -> bool {
    features.trits().iter_rows().zip(rows).all(|(a, b)| a.iter().eq(b.iter().copied()))
}

#[test]
fn the_model_gives_the_features_and_classes_of_the_desktop() {
    let (x, labels) = digits();
    let (x, labels) = (&x[..300 * INPUTS], &labels[..300]);
    for form in of_fits(INPUTS) {
        for (features, policy) in
            [(100, Policy::MinVariance), (65, Policy::FourBand), (140, Policy::Periodic)]
        {
            let fitted = fit(x, form, features, policy);
            for bits in [Bits::One, Bits::Two, Bits::Four] {
                let mut integer = IntegerFeatures::new(&fitted, x).unwrap();
                if policy == Policy::Periodic && bits == Bits::Two {
                    integer = integer.without_mean().unwrap();
                }
                if fitted.local().is_some() && bits == Bits::One {
                    integer = integer.with_words(&[(features / 64) as u16]).unwrap();
                }
                let features = integer.transform(x).unwrap();
                let classifier =
                    Ridge::absolute(0.1).unwrap().fit_classes(&features, labels).unwrap();
                let readout =
                    Readout::fit(&classifier, &features, Ridge::absolute(0.1).unwrap(), bits)
                        .unwrap();
                let export = Export::new(&integer, &readout).unwrap();
                assert!(same_features(&features, &rows(&export, x)), "{form:?} {policy} {bits:?}");
                assert_eq!(export.predict(x).unwrap(), readout.predict(&features).unwrap());
                let model = export.model().unwrap();
                assert_eq!(model.bits(), bits.count());
                assert_eq!(Export::from_bytes(export.bytes().to_vec()).unwrap(), export);
            }
        }
    }
}

/// The integer path rounds the mean, the float path rounds the sample: nearly all features agree.
#[test]
fn integer_features_are_those_of_the_fit() {
    let (x, _) = digits();
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    let samples = Samples::new(&floats, INPUTS).unwrap();
    let boxes = Form::Boxes(Grid::image(8, 8));
    for (form, policy, standardise, most) in [
        (Form::Stored, Policy::MinVariance, false, 0.002),
        (Form::Structured, Policy::MinVariance, false, 0.002),
        (boxes, Policy::Periodic, false, 0.002),
        (Form::Stored, Policy::Periodic, true, 0.01),
        (Form::SUBSETS, Policy::FourBand, true, 0.01),
    ] {
        let params = TernaryFeatures::params(256).form(form).policy(policy);
        let fitted = params.standardise(standardise).fit(&samples).unwrap();
        let exact = fitted.transform(&samples).unwrap();
        let integer = IntegerFeatures::new(&fitted, &x).unwrap().transform(&x).unwrap();
        let pairs = exact.trits().iter_rows().zip(integer.trits().iter_rows());
        let differ: usize =
            pairs.map(|(a, b)| a.iter().zip(b).filter(|(a, b)| a != b).count()).sum();
        let share = differ as f64 / (integer.len() * 256) as f64;
        assert!(share < most, "{form:?} {policy}: {share}");
    }
}

/// A table in mixed units: a flag, a small and a large number, and one that is far from zero.
#[test]
fn standardised_tables_keep_their_accuracy() {
    let mut random = Random::new(9);
    let x: Vec<i16> = (0..1500)
        .flat_map(|_| {
            let flag = random.below(2) as i16;
            let [small, large, far] = [20.0, 9000.0, 5.0].map(|d| (random.normal() * d) as i16);
            [flag, small, large, 2000 + far]
        })
        .collect();
    let label = |x: &[i16]| (x[0] == 1) ^ (x[1] as i32 * 400 + x[2] as i32 > 0) ^ (x[3] > 2003);
    let labels: Vec<usize> = x.chunks(4).map(|x| label(x) as usize).collect();
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    for form in [Form::Stored, Form::SUBSETS] {
        let params = TernaryFeatures::params(512).form(form);
        let fitted = params.fit(&Samples::new(&floats[..4000], 4).unwrap()).unwrap();
        assert!(fitted.preprocess().scale().is_some());
        let ridge = Ridge::new(0.03).unwrap();
        let held = Samples::new(&floats[4000..], 4).unwrap();
        let float = fitted.transform(&Samples::new(&floats[..4000], 4).unwrap()).unwrap();
        let float = ridge.fit_classes(&float, &labels[..1000]).unwrap();
        let float = float.predict(&fitted.transform(&held).unwrap()).unwrap();
        let integer = IntegerFeatures::new(&fitted, &x[..4000]).unwrap();
        let features = integer.transform(&x[..4000]).unwrap();
        let classifier = ridge.fit_classes(&features, &labels[..1000]).unwrap();
        let readout = Readout::fit(&classifier, &features, ridge, Bits::Four).unwrap();
        let export = Export::new(&integer, &readout).unwrap();
        let model = export.model().unwrap();
        assert_eq!((model.outputs(), model.classes()), (1, 2), "one score for two classes");
        assert!((0..4).all(|input| model.factor(input).is_some_and(|factor| factor > 0)));
        let (float, right) = [float, export.predict(&x[4000..]).unwrap()]
            .map(|found| accuracy(&found, &labels[1000..]))
            .into();
        assert!(right > float - 0.02 && right > 0.8, "{form:?}: {right}, {float} in floats");
    }
}

/// The numbers of a regression in fixed point: those of its own integers, and near those in floats.
#[test]
fn a_regression_predicts_numbers() {
    let (x, labels) = digits();
    let y: Vec<f32> = x.chunks(INPUTS).map(|x| 1e-3 * x[20] as f32 - 0.5 * x[43] as f32).collect();
    let y = [y.clone(), labels.iter().map(|&label| 1e4 * label as f32).collect()];
    let y: Vec<f32> = (0..labels.len()).flat_map(|sample| [y[0][sample], y[1][sample]]).collect();
    let y = Matrix::from_vec(labels.len(), 2, y).unwrap();
    let fitted = fit(&x, Form::Boxes(Grid::image(8, 8)), 256, Policy::Periodic);
    let integer = IntegerFeatures::new(&fitted, &x).unwrap();
    let (features, ridge) = (integer.transform(&x).unwrap(), Ridge::default());
    let model = ridge.fit(&features, &y).unwrap();
    let float = model.predict(&features).unwrap();
    for (bits, most) in [(Bits::Two, 0.2), (Bits::Four, 0.03), (Bits::Eight, 0.004)] {
        let readout = Readout::fit_numbers(&model, &features, ridge, bits).unwrap();
        let export = Export::new(&integer, &readout).unwrap();
        let numbers = export.predict_numbers(&x).unwrap();
        for output in 0..2 {
            let square = |matrix: &Matrix<f32>, other: Option<&Matrix<f32>>| -> f64 {
                let other =
                    |sample| other.map_or(0.0, |other| other.as_slice()[2 * sample + output]);
                let rows = matrix.iter_rows().enumerate();
                rows.map(|(sample, row)| f64::from(row[output] - other(sample)).powi(2)).sum()
            };
            let off = square(&numbers, Some(&float)) / square(&float, None);
            assert!(off < most * most, "{bits:?}, output {output}: {}", off.sqrt());
        }
        let refused = export.predict(&x).unwrap_err();
        assert_eq!(refused, CoreError::NoClasses { outputs: 2 }.into());
    }
}

/// The bar of the smallest device: 0.96 on held-out digits from less than 2 KB of model.
#[test]
fn two_bits_a_weight_classify_digits() {
    let (x, labels) = digits();
    let (train, test) = x.split_at(1297 * INPUTS);
    let (labels, test_labels) = labels.split_at(1297);
    let integer =
        IntegerFeatures::new(&fit(train, Form::Structured, 512, Policy::FourBand), train).unwrap();
    let (features, held) = (integer.transform(train).unwrap(), integer.transform(test).unwrap());
    let classifier = Ridge::absolute(0.1).unwrap().fit_classes(&features, labels).unwrap();
    for (bits, most) in [(Bits::Two, 0.015), (Bits::Four, 0.008), (Bits::Eight, 0.004)] {
        let readout =
            Readout::fit(&classifier, &features, Ridge::absolute(0.1).unwrap(), bits).unwrap();
        let cost = readout.cost(&classifier, &held, test_labels).unwrap();
        assert!(cost.integer > cost.float - most, "{bits:?} {cost:?}");
        let export = Export::new(&integer, &readout).unwrap();
        let right = accuracy(&export.predict(test).unwrap(), test_labels);
        assert_eq!(right, cost.integer);
        assert!(right >= 0.96, "{bits:?} {right}");
        if bits == Bits::Two {
            assert!(export.bytes().len() < 2048);
        }
    }
}

/// Weights that make up for each other's errors do better than each rounded on its own: with few
/// inputs and many features, rounding errors add up along the directions that the features share.
#[test]
fn a_fitted_readout_beats_rounding() {
    let mut random = Random::new(5);
    let x: Vec<i8> = (0..2000 * 3).map(|_| random.bits() as i8).collect();
    let labels: Vec<usize> =
        x.chunks(3).map(|x| (x[0] as i32 * x[1] as i32 > 0) as usize).collect();
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    let params = TernaryFeatures::params(512).policy(Policy::FourBand);
    let fitted = params.fit(&Samples::new(&floats, 3).unwrap()).unwrap();
    let features = IntegerFeatures::new(&fitted, &x).unwrap().transform(&x).unwrap();
    let classifier = Ridge::absolute(0.01).unwrap().fit_classes(&features, &labels).unwrap();
    // An enormous ridge parameter leaves nothing of the second moments: plain rounding.
    let rounded =
        Readout::fit(&classifier, &features, Ridge::absolute(1e9).unwrap(), Bits::Two).unwrap();
    let fitted =
        Readout::fit(&classifier, &features, Ridge::absolute(0.01).unwrap(), Bits::Two).unwrap();
    let rounded = rounded.cost(&classifier, &features, &labels).unwrap();
    let fitted = fitted.cost(&classifier, &features, &labels).unwrap();
    assert!(fitted.integer > rounded.integer + 0.01, "{fitted:?} {rounded:?}");
}

#[test]
fn sources_hold_the_bytes() {
    let (x, labels) = digits();
    let integer =
        IntegerFeatures::new(&fit(&x, Form::Structured, 40, Policy::MinVariance), &x).unwrap();
    let features = integer.transform(&x).unwrap();
    let classifier = Ridge::absolute(0.1).unwrap().fit_classes(&features, &labels).unwrap();
    let readout =
        Readout::fit(&classifier, &features, Ridge::absolute(0.1).unwrap(), Bits::Two).unwrap();
    let export = Export::new(&integer, &readout).unwrap();
    let length = export.bytes().len();
    let (rust, c) = (export.to_rust("DIGITS").unwrap(), export.to_c_bytes("digits").unwrap());
    assert!(rust.contains(&format!("pub static DIGITS: [u8; {length}] = [")));
    assert!(c.contains(&format!("static const uint8_t digits[{length}] = {{")));
    for source in [rust, c] {
        let bytes =
            source.split("0x").skip(1).map(|rest| u8::from_str_radix(&rest[..2], 16).unwrap());
        assert!(bytes.eq(export.bytes().iter().copied()));
    }
    for name in ["a", "_9", "__", "Model_2"] {
        assert!(export.to_rust(name).unwrap().contains(&format!("static {name}:")));
        assert!(export.to_c_bytes(name).unwrap().contains(&format!("uint8_t {name}[")));
    }
    for name in ["", "_", "9a", "a b", "a-b", "größe", "x: u8 = 0; static Y", "a\n"] {
        let refused = Error::from(ExportError::Name { name: name.into() });
        assert_eq!(export.to_rust(name).unwrap_err(), refused);
        assert_eq!(export.to_c_bytes(name).unwrap_err(), refused);
        assert!(refused.to_string().contains(&format!("{name:?}")));
    }
}

#[test]
fn what_a_device_cannot_do_is_refused() {
    let (x, labels) = digits();
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    let samples = Samples::new(&floats, INPUTS).unwrap();
    let params = || TernaryFeatures::params(64);
    let per_norm = params().scaling(Scaling::Row).fit(&samples).unwrap();
    let refused = IntegerFeatures::new(&per_norm, &x).unwrap_err();
    assert_eq!(refused, ExportError::PerNorm.into());
    let bands = params().policy(Policy::MinVariance).fit(&samples).unwrap();
    let refused = IntegerFeatures::new(&bands, &x).unwrap().without_mean().unwrap_err();
    assert_eq!(refused, ExportError::MeanNeeded.into());
    for found in [INPUTS + 1, 0] {
        let partial = IntegerFeatures::new(&bands, &x[..found]).unwrap_err();
        assert_eq!(partial, CoreError::PartialSample { elements: INPUTS, found }.into());
    }
    // Numbers of the whole range of 16 bits about a mean that is not zero.
    let wide: Vec<i16> = (0..900).map(|k| [i16::MIN, i16::MAX, i16::MAX][k % 3]).collect();
    let floats: Vec<f32> = wide.iter().map(|&x| x.into()).collect();
    let fitted = params().fit(&Samples::new(&floats, 1).unwrap()).unwrap();
    let refused = IntegerFeatures::new(&fitted, &wide).unwrap_err();
    let expected = |error: &Error| {
        matches!(error, Error::Export(ExportError::Range { input: 0, found: i16::MIN, .. }))
    };
    assert!(expected(&refused), "{refused:?}");
    assert!(refused.to_string().contains("input 0 is -32768"), "{refused}");
    let local = TernaryFeatures::params(300).form(Form::SUBSETS).fit(&samples).unwrap();
    let local = IntegerFeatures::new(&local, &x).unwrap();
    assert_eq!(local.clone().with_words(&[0, 4]).unwrap().features(), 64 + 44);
    let chosen = local.clone().with_words(&[1, 3]).unwrap();
    let not_local = IntegerFeatures::new(&bands, &x).unwrap();
    for (integer, found, words) in [
        (&local, &[][..], 5),
        (&local, &[5], 5),
        (&local, &[1, 1], 5),
        (&local, &[2, 1], 5),
        (&chosen, &[1], 2),
        (&not_local, &[0], 1),
    ] {
        let refused = integer.clone().with_words(found).unwrap_err();
        assert_eq!(refused, ExportError::Words { found: found.to_vec(), words }.into());
    }

    let fitted = params().fit(&samples).unwrap();
    let integer = IntegerFeatures::new(&fitted, &x).unwrap();
    let out = integer.transform(&[16_i16 * 64; INPUTS]).map(|_| ());
    assert!(matches!(out, Err(Error::Core(CoreError::OutOfRange { .. }))), "{out:?}");
    let uneven = integer.transform(&[1_i16; INPUTS + 1]).map(|_| ());
    assert!(matches!(uneven, Err(Error::Core(CoreError::PartialSample { .. }))), "{uneven:?}");

    let features = integer.transform(&x).unwrap();
    let classifier = Ridge::absolute(0.1).unwrap().fit_classes(&features, &labels).unwrap();
    let readout =
        Readout::fit(&classifier, &features, Ridge::absolute(0.1).unwrap(), Bits::Two).unwrap();
    let other =
        IntegerFeatures::new(&TernaryFeatures::params(63).fit(&samples).unwrap(), &x).unwrap();
    let mismatch = Error::from(ExportError::Features { features: 63, fitted: 64 });
    assert_eq!(Export::new(&other, &readout).unwrap_err(), mismatch);
    let other = other.transform(&x).unwrap();
    assert_eq!(readout.predict(&other).unwrap_err(), mismatch);
    assert_eq!(
        Readout::fit(&classifier, &other, Ridge::absolute(0.1).unwrap(), Bits::Two).unwrap_err(),
        mismatch
    );
    // A class for every label up to the last.
    let two = integer.transform(&x[..2 * INPUTS]).unwrap();
    let many = Ridge::absolute(0.1).unwrap().fit_classes(&two, &[0, 65_535]).unwrap();
    let many = Readout::fit(&many, &two, Ridge::absolute(0.1).unwrap(), Bits::Two).unwrap();
    let refused = Error::from(ExportError::Outputs { found: 65_536 });
    assert_eq!(Export::new(&integer, &many).unwrap_err(), refused);
    let few = readout.cost(&classifier, &features, &labels[1..]).unwrap_err();
    let samples = labels.len();
    assert_eq!(few, Error::LabelCount { samples, labels: samples - 1 });
    let no_numbers = Export::new(&integer, &readout).unwrap().predict_numbers(&x).unwrap_err();
    assert_eq!(no_numbers, ExportError::NoNumbers { classes: 10 }.into());
    assert!(matches!(Export::from_bytes(vec![0; 99]), Err(Error::Model(_))));
    for error in [mismatch.to_string(), Export::from_bytes(vec![]).unwrap_err().to_string()] {
        assert!(error.contains(char::is_numeric), "{error}");
    }
}

/// With few features a margin is worth more than squares, and few bits cost little. Means of three fits.
#[test]
fn a_margin_beats_squares() {
    let (x, labels) = digits();
    let (train, test) = x.split_at(1297 * INPUTS);
    let (labels, test_labels) = labels.split_at(1297);
    let floats: Vec<f32> = train.iter().map(|&x| x.into()).collect();
    let margin = Margin::new(0.01).unwrap();
    assert_eq!(margin, Margin::default());
    let levels = [(Bits::One, 0.03), (Bits::Two, 0.012), (Bits::Four, 0.006)];
    let (mut squares, mut float, mut integer) = (0.0, 0.0, [0.0; 3]);
    for seed in 1..=3 {
        let params = TernaryFeatures::params(128).form(Form::Boxes(Grid::image(8, 8))).seed(seed);
        let params = params.policy(Policy::Periodic);
        let fitted = params.fit(&Samples::new(&floats, INPUTS).unwrap()).unwrap();
        let features = IntegerFeatures::new(&fitted, train).unwrap().without_mean().unwrap();
        let held = features.transform(test).unwrap();
        let (integers, features) = (features.clone(), features.transform(train).unwrap());
        let right = |found: Vec<usize>| accuracy(&found, test_labels) / 3.0;
        let ridge = Ridge::default().fit_classes(&features, labels).unwrap();
        squares += right(ridge.predict(&held).unwrap());
        let model = Classifier::new(margin.fit_floats(&features, labels).unwrap()).unwrap();
        float += right(model.predict(&held).unwrap());
        for (integer, (bits, _)) in integer.iter_mut().zip(levels) {
            let readout = margin.fit(&features, labels, bits).unwrap();
            *integer += right(Export::new(&integers, &readout).unwrap().predict(test).unwrap());
        }
    }
    assert!(float > squares + 0.003, "{float}, {squares} by squares");
    for ((bits, most), integer) in levels.into_iter().zip(integer) {
        assert!(integer > float - most, "{bits:?}: {integer}, {float} in floats");
    }

    let fitted = fit(train, Form::Structured, 200, Policy::Periodic);
    let features = IntegerFeatures::new(&fitted, train).unwrap().transform(train).unwrap();
    // The same on any number of threads.
    if cfg!(feature = "rayon") {
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let again = one.install(|| margin.fit(&features, labels, Bits::Two).unwrap());
        assert_eq!(again, margin.fit(&features, labels, Bits::Two).unwrap());
    }

    for share in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Margin::new(share), Err(Error::Regularisation { .. })));
    }
    let few = margin.fit(&features, &labels[1..], Bits::Two).unwrap_err();
    assert_eq!(few, Error::LabelCount { samples: 1297, labels: 1296 });
    let same = margin.fit(&features, &[3; 1297], Bits::Two).unwrap_err();
    assert!(matches!(same, Error::TooFewClasses { .. }), "{same:?}");
}

/// The smallest model that is good enough, the best one within a budget, and none if nothing fits.
#[test]
fn a_budget_is_kept() {
    let (x, labels) = digits();
    let boxes = |features| Ok(fit(&x, Form::Boxes(Grid::image(8, 8)), features, Policy::Periodic));
    let search = |budget: Budget| budget.search(boxes, &x, &labels, |_| ());
    let enough = search(Budget::new(Core::M0).accuracy(0.93)).unwrap();
    assert!(enough.chosen.accuracy >= 0.93);
    let smaller = enough.tried.iter().filter(|tried| tried.cost.flash < enough.chosen.cost.flash);
    assert!(smaller.clone().count() > 0);
    assert!(smaller.clone().all(|tried| tried.accuracy < 0.93));
    assert_eq!(enough.export.cost(Core::M0).unwrap(), enough.chosen.cost);
    assert_eq!(enough.export.model().unwrap().bits(), enough.chosen.bits.count());
    assert!(accuracy(&enough.export.predict(&x).unwrap(), &labels) > 0.93);
    let row = enough.chosen.to_string();
    assert!(row.contains(&format!("{} bytes of flash", enough.chosen.cost.flash)), "{row}");

    let DeviceCost { flash, ram, instructions } = enough.chosen.cost;
    let within = Budget::new(Core::M0).flash(flash).ram(ram).instructions(instructions);
    let best = search(within.margin(Margin::new(0.03).unwrap())).unwrap();
    for tried in &best.tried {
        assert!(tried.cost.flash <= flash && tried.cost.ram <= ram, "{tried}");
        assert!(tried.cost.instructions <= instructions, "{tried}");
        assert!(tried.accuracy <= best.chosen.accuracy, "{tried}");
    }
    // A model that takes all of the budget is within it.
    assert!(best.tried.iter().any(|tried| tried.cost == enough.chosen.cost));
    let frontier = best.frontier();
    assert_eq!(frontier.last(), Some(&best.chosen));
    assert!(frontier.is_sorted_by(|a, b| a.cost.flash < b.cost.flash && a.accuracy < b.accuracy));

    let refused = search(Budget::new(Core::M4).flash(999)).unwrap_err();
    let Error::Export(ExportError::Budget { flash, .. }) = refused else { panic!("{refused}") };
    assert!((1000..2000).contains(&flash), "{flash}");
}

/// The means of a model are the nearest integers to those of the fit, in the unit of the scaled inputs.
#[test]
fn means_are_rounded_to_the_nearest() {
    let (x, _) = digits();
    let x = &x[..300 * INPUTS];
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    for standardise in [false, true] {
        let params = TernaryFeatures::params(64).form(Form::Structured).standardise(standardise);
        let fitted = params.fit(&Samples::new(&floats, INPUTS).unwrap()).unwrap();
        let integer = IntegerFeatures::new(&fitted, x).unwrap();
        let features = integer.transform(x).unwrap();
        let labels: Vec<usize> = (0..300).map(|sample| sample % 2).collect();
        let classifier = Ridge::default().fit_classes(&features, &labels).unwrap();
        let readout = Readout::fit(&classifier, &features, Ridge::default(), Bits::Two).unwrap();
        let export = Export::new(&integer, &readout).unwrap();
        let model = export.model().unwrap();
        let power = f64::from(1_u32 << model.shift());
        assert_eq!((0..INPUTS).all(|input| model.factor(input).is_some()), standardise);
        for (input, &mean) in fitted.preprocess().mean().unwrap().iter().enumerate() {
            let times = model.factor(input).map_or(power, |factor| f64::from(factor) / power);
            let off = f64::from(model.mean(input)) - f64::from(mean) * times;
            assert!(off.abs() <= 0.5, "input {input}: {off}");
        }
    }
}

/// Every bit of the weights of every class costs the same: some tens of instructions for 32 features.
#[test]
fn costs_grow_with_bits_and_classes() {
    const FEATURES: usize = 320;
    let instructions = |bits: u32, classes: usize| {
        let model = PlainModel {
            inputs: 8,
            shift: 0,
            mean: None,
            factors: None,
            words: None,
            projection: PlainProjection::Seeded(0, 1),
            features: FEATURES,
            cuts: [i32::MIN, i32::MIN, -5, 5],
            periodic: false,
            fractions: None,
            bits,
            weights: vec![vec![1; FEATURES]; classes],
            heads: vec![(1, 0); classes],
        };
        Export::from_bytes(model.to_bytes()).unwrap().cost(Core::M0).unwrap().instructions
    };
    let least = instructions(1, 2);
    for (bits, classes) in [(2, 2), (1, 4), (8, 2), (4, 10)] {
        let words = FEATURES / 32 * (bits as usize * classes - 2);
        let more = instructions(bits, classes) - least;
        assert!((20 * words..50 * words).contains(&more), "{bits} bits, {classes} classes: {more}");
    }
}
