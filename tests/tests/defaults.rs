//! What a fit decides by itself, and the advice of its warnings, on the bundled digits, wines and tumours.

use sets::{BREAST_CANCER, Split, WINE, split_digits, split_table};
use ternion::fit::{MIN_EVENNESS, Params, Preprocess, Statistics, Steps};
use ternion::learn::{Ridge, accuracy};
use ternion::theory::{Warning, solve};
use ternion::{Form, Grid, Policy, Samples, Scaling, Target, TernaryFeatures};
use ternion_tests::data::Random;

/// The data sets of the examples.
#[path = "../../std-ext/examples/data/mod.rs"]
mod sets;

/// Splits of a data set, each with a seed of its own.
fn splits(of: impl Fn(u64) -> Split, count: u64) -> Vec<Split> {
    (0..count).map(of).collect()
}

fn wine(count: u64) -> Vec<Split> {
    splits(|seed| split_table(WINE, seed), count)
}

fn cancer(count: u64) -> Vec<Split> {
    splits(|seed| split_table(BREAST_CANCER, seed), count)
}

fn statistics(split: &Split) -> Statistics {
    let mut statistics = Statistics::new(split.inputs).unwrap();
    statistics.add(&split.samples(0..split.train).unwrap()).unwrap();
    statistics
}

/// The mean accuracy on test samples with the default ridge parameter, and the warnings of the last fit.
fn score(splits: &[Split], params: impl Fn() -> Params) -> (f64, Vec<Warning>) {
    let (mut sum, mut warnings) = (0.0, Vec::new());
    for (seed, split) in (0..).zip(splits) {
        let train = split.samples(0..split.train).unwrap();
        let ternary = params().seed(seed).fit(&train).unwrap();
        let features = ternary.transform(&train).unwrap();
        let model = Ridge::default().fit_classes(&features, &split.labels[..split.train]).unwrap();
        let test = ternary.transform(&split.samples(split.test()).unwrap()).unwrap();
        sum += accuracy(&model.predict(&test).unwrap(), &split.labels[split.test()]);
        warnings = ternary.warnings();
    }
    (sum / splits.len() as f64, warnings)
}

#[test]
fn tables_in_mixed_units_are_standardised_and_images_are_not() {
    for (split, standardised) in [
        (&wine(1)[0], true),
        (&cancer(1)[0], true),
        (&split_digits(0), false),
        (&like_pixels(), false),
        (&like_cov_type(), true),
    ] {
        let train = split.samples(0..split.train).unwrap();
        let fit = |params: Params| params.fit(&train).unwrap();
        let ternary = fit(TernaryFeatures::params(64));
        assert_eq!(ternary.preprocess().scale().is_some(), standardised);
        let (text, word) = (ternary.to_string(), if standardised { " " } else { " not " });
        assert!(text.contains(&format!("centred,{word}standardised")), "{text}");
        assert_eq!(statistics(split).evenness() < MIN_EVENNESS, standardised);
        // One setter overrides the rule, both ways.
        for wanted in [true, false] {
            let ternary = fit(TernaryFeatures::params(64).standardise(wanted));
            assert_eq!(ternary.preprocess().scale().is_some(), wanted);
        }
        // A target in the units of the data is left with them.
        let kept = fit(TernaryFeatures::params(64).scaling(Scaling::Keep).policy(Policy::FourBand));
        assert_eq!(kept.preprocess().scale(), None);
    }
}

/// Pixels as in MNIST: most of them near the centre, half of all dark in nearly every sample, some in all.
fn like_pixels() -> Split {
    let mut random = Random::new(5);
    let mut x = Vec::new();
    for _ in 0..500 {
        for k in 0..14 * 14 {
            let off = ((k % 14) as f64 - 6.5).hypot((k / 14) as f64 - 6.5) / 7.0;
            let lit = random.unit() < 0.6 * (1.0 - off);
            x.push(if lit { random.below(256) as f32 } else { 0.0 });
        }
    }
    Split { inputs: 14 * 14, x, labels: (0..500).map(|k| k % 2).collect(), train: 500 }
}

/// Columns as in Cov-Type: ten measurements in metres and degrees, and 44 binary columns.
fn like_cov_type() -> Split {
    let deviations = [280.0, 112.0, 7.5, 213.0, 58.0, 1559.0, 27.0, 20.0, 38.0, 1325.0];
    let mut random = Random::new(6);
    let mut x = Vec::new();
    for _ in 0..500 {
        x.extend(deviations.map(|deviation| (deviation * random.normal()) as f32));
        x.extend((0..44).map(|_| (random.unit() < 0.05) as u8 as f32));
    }
    Split { inputs: 54, x, labels: (0..500).map(|k| k % 2).collect(), train: 500 }
}

#[test]
fn evenness_is_what_it_says() {
    // Inputs of the given deviations, two samples.
    let even = |deviations: &[f32]| {
        let x: Vec<f32> = deviations.iter().copied().chain(deviations.iter().map(|d| -d)).collect();
        let mut statistics = Statistics::new(deviations.len()).unwrap();
        statistics.add(&Samples::new(&x, deviations.len()).unwrap()).unwrap();
        statistics.evenness()
    };
    assert_eq!(even(&[2.0, 2.0, 2.0, 2.0]), 1.0);
    // Variances 1 and 4: 25/17 − 1. Constants do not count, and the unit does not matter.
    for deviations in [&[1.0, 2.0][..], &[0.0, 1.0, 0.0, 2.0], &[1e-19, 2e-19], &[1e19, 2e19]] {
        let found = even(deviations);
        assert!((found - 8.0 / 17.0).abs() < 1e-6, "{deviations:?}: {found}");
    }
    for few in [&[1.0][..], &[0.0, 3.0], &[0.0, 0.0]] {
        assert_eq!(even(few), 1.0, "{few:?}");
    }
    assert!(even(&[1e-30, 1e30]) >= 0.0);
    assert_eq!(Statistics::new(3).unwrap().evenness(), 1.0);
}

#[test]
fn shards_and_streams_decide_alike() {
    for split in [&wine(1)[0], &split_digits(0)] {
        let samples = split.samples(0..split.train).unwrap();
        let whole = statistics(split);
        let fit = TernaryFeatures::params(128).fit_statistics(&whole).unwrap();
        for shards in [2, 7, 64] {
            let mut parts = Vec::new();
            for shard in 0..shards {
                let mut part = Statistics::new(split.inputs).unwrap();
                for sample in (shard..split.train).step_by(shards) {
                    part.add(&samples.slice(sample..sample + 1).unwrap()).unwrap();
                }
                parts.push(part);
            }
            // From the last to the first.
            let mut merged = Statistics::new(split.inputs).unwrap();
            parts.iter().rev().for_each(|part| merged.merge(part).unwrap());
            assert_eq!(merged.evenness().to_bits(), whole.evenness().to_bits());
            let other = TernaryFeatures::params(128).fit_statistics(&merged).unwrap();
            assert_eq!(other.fingerprint(), fit.fingerprint());
        }
        let direct = TernaryFeatures::params(128).fit(&samples).unwrap();
        assert_eq!(direct.preprocess().scale(), fit.preprocess().scale());
        assert_eq!(direct.preprocess().mean(), fit.preprocess().mean());
    }
}

#[test]
fn constant_and_nearly_constant_inputs_are_harmless() {
    let mut random = Random::new(7);
    let x: Vec<f32> = (0..200)
        .flat_map(|_| [1e6 * random.normal() as f32, random.normal() as f32, 5.0, 0.0])
        .collect();
    let samples = Samples::new(&x, 4).unwrap();
    let fitted = TernaryFeatures::params(256).fit(&samples).unwrap();
    let scale = fitted.preprocess().scale().expect("mixed units");
    assert!(scale[..2].iter().all(|s| s.is_finite() && *s > 0.0) && scale[2..] == [0.0, 0.0]);
    assert!(fitted.to_string().contains("(2 that never vary are ignored)"));
    // A constant that is another one later changes nothing.
    let mut later = x.clone();
    later.chunks_mut(4).for_each(|x| x[2] = -1e9);
    let later = fitted.transform(&Samples::new(&later, 4).unwrap()).unwrap();
    assert_eq!(later.trits(), fitted.transform(&samples).unwrap().trits());

    // The factor of the second input would be infinite: unasked, nothing is standardised.
    let tiny: Vec<f32> = (0..100).flat_map(|k| [k as f32, (k % 7) as f32 * 1e-41]).collect();
    let tiny = Samples::new(&tiny, 2).unwrap();
    assert_eq!(TernaryFeatures::params(64).fit(&tiny).unwrap().preprocess().scale(), None);
    assert!(TernaryFeatures::params(64).standardise(true).fit(&tiny).is_err());
    let steps = Steps { standardise: Some(false), ..Steps::default() };
    assert_eq!(Preprocess::fit(&tiny, steps), Preprocess::fit(&tiny, Steps::default()));
}

#[test]
fn the_default_policy_is_periodic_for_gaussian_kernels_and_four_bands_for_others() {
    let policy = |target: &Target, tau| solve(target, tau, Policy::default()).unwrap().policy;
    assert_eq!(policy(&Target::gaussian_scale(), 0.3), Policy::Periodic);
    assert_eq!(policy(&Target::gaussian(2.0), 1.0), Policy::Periodic);
    // Too narrow and too wide for a periodic σ in 16 bits; the latter is nearly linear, and its outer bands are empty.
    assert_eq!(policy(&Target::gaussian(300.0), 1.0), Policy::FourBand);
    assert_eq!(policy(&Target::gaussian(1e-5), 1.0), Policy::MinVariance);
    for target in [Target::relu(), Target::laplacian(1.0), Target::abs()] {
        assert_eq!(policy(&target, 1.0), Policy::FourBand);
    }
    assert!(solve(&Target::gaussian(-1.0), 1.0, Policy::Automatic).is_err());
    // Boxes want a wider kernel than the default one, and thresholds suffer less from that.
    let split = split_digits(0);
    let samples = split.samples(0..100).unwrap();
    let fit = |params: Params| params.fit(&samples).unwrap().report().policy;
    let boxes = || TernaryFeatures::params(128).form(Form::Boxes(Grid::image(8, 8)));
    assert_eq!(fit(boxes()), Policy::FourBand);
    assert_eq!(fit(boxes().policy(Policy::Periodic)), Policy::Periodic);
    assert_eq!(fit(TernaryFeatures::params(128).form(Form::SUBSETS)), Policy::Periodic);
}

/// Parameters that follow a warning, whose text must say so.
fn follow(params: Params, warning: &Warning, gaussian: bool) -> Params {
    let says = |words: &str| assert!(warning.to_string().contains(words), "{warning}");
    match warning {
        Warning::FewTerms { .. } => {
            says("use Form::Structured");
            params.form(Form::Structured)
        }
        Warning::RareLevel { .. } => {
            says("or Policy::Automatic");
            params.policy(Policy::Automatic)
        }
        Warning::SpreadNorms { .. } if gaussian => {
            says("Policy::Periodic if the target is a Gaussian kernel");
            params.policy(Policy::Periodic)
        }
        Warning::SpreadNorms { .. } => {
            says("Scaling::Row if not");
            params.scaling(Scaling::Row)
        }
        Warning::MixedUnits { .. } => {
            says("leave out .standardise(false)");
            params.standardise(true)
        }
        other => panic!("{other}"),
    }
}

/// Four inputs in mixed units: transforms mix them, and what a mean would tell of units is unknown without one.
#[test]
fn there_is_no_warning_where_there_is_no_reason() {
    let mut random = Random::new(77);
    let x: Vec<f32> =
        (0..400 * 4).map(|k| (random.normal() * [1.0, 1000.0, 1.0, 2.0][k % 4]) as f32).collect();
    let samples = Samples::new(&x, 4).unwrap();
    let warnings = |form, centre: bool| {
        let params = TernaryFeatures::params(256).form(form).centre(centre).standardise(false);
        params.fit(&samples).unwrap().warnings()
    };
    let few = |warnings: &[Warning]| warnings.iter().any(|w| matches!(w, Warning::FewTerms { .. }));
    let mixed =
        |warnings: &[Warning]| warnings.iter().any(|w| matches!(w, Warning::MixedUnits { .. }));
    for (form, expected) in [(Form::Stored, true), (Form::Seeded, true), (Form::Structured, false)]
    {
        assert_eq!(few(&warnings(form, true)), expected, "{form}");
        assert!(mixed(&warnings(form, true)), "{form}");
        assert!(!mixed(&warnings(form, false)), "{form}");
    }
}

/// Whoever follows every warning is not worse off, on the data that raise them.
#[test]
fn the_advice_of_warnings_helps() {
    let sets =
        [("wine", wine(20)), ("breast cancer", cancer(10)), ("digits", splits(split_digits, 1))];
    let default = || TernaryFeatures::params(1024);
    let settings: [(&str, bool, &dyn Fn() -> Params); 5] = [
        ("default", true, &default),
        ("not standardised", true, &|| default().standardise(false)),
        ("two thresholds, 256 features", true, &|| {
            TernaryFeatures::params(256).policy(Policy::MinVariance)
        }),
        ("four thresholds", true, &|| default().policy(Policy::FourBand)),
        ("ReLU", false, &|| default().target(Target::relu())),
    ];
    let mut raised = Vec::new();
    for (set, splits) in &sets {
        for (setting, gaussian, params) in settings {
            let (before, warnings) = score(splits, params);
            if warnings.is_empty() {
                continue;
            }
            let advised = || {
                let follow = |params, warning| follow(params, warning, gaussian);
                warnings.iter().fold(params(), follow)
            };
            let (after, left) = score(splits, advised);
            println!("{set}, {setting}: {before:.4}, then {after:.4}: {warnings:?}");
            assert!(after >= before, "{set}, {setting}: {before} → {after}, {warnings:?}");
            assert!(left.len() < warnings.len(), "{set}, {setting}: {left:?}");
            raised.extend(warnings.iter().map(|warning| (*set, core::mem::discriminant(warning))));
        }
    }
    // Each kind was raised somewhere, each table raised some.
    let kinds = |set: &str| {
        let mut kinds = Vec::new();
        for (_, kind) in raised.iter().filter(|(of, _)| set.is_empty() || *of == set) {
            if !kinds.contains(kind) {
                kinds.push(*kind);
            }
        }
        kinds.len()
    };
    assert_eq!(kinds(""), 4);
    assert!(kinds("wine") >= 2 && kinds("breast cancer") >= 2 && kinds("digits") >= 1);
}

#[test]
fn the_default_is_accurate_on_small_tables() {
    let default = || TernaryFeatures::params(1024);
    // The exact kernel reaches 0.990 and 0.976 on these splits.
    assert!(score(&wine(10), default).0 > 0.975);
    assert!(score(&cancer(5), default).0 > 0.955);
}
