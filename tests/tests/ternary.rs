//! `TernaryFeatures` from end to end: the bits by the oracle, the thresholds by real arithmetic.

use ternion::fit::{Params, Preprocess, Statistics, Steps};
use ternion::theory::Bands;
use ternion::{Form, Grid, Isa, Policy, Samples, Scaling, Target, TernaryFeatures, TritMatrix};
use ternion_core::{
    Error as CoreError, Line, MAX_INPUTS, Native, Size, featurize, scratch_lines, words_per_row,
};
use ternion_tests::data::Random;
use ternion_tests::forms::Forms;
use ternion_tests::isa::isas;
use ternion_tests::oracle;

/// Samples with a mean far from zero and inputs of different spread.
fn cloud(random: &mut Random, samples: usize, inputs: usize) -> Vec<f32> {
    let size = (random.normal() * 3.0).exp();
    let shape: Vec<(f64, f64)> =
        (0..inputs).map(|_| (random.normal() * size, size * (0.2 + random.unit()))).collect();
    let row = |random: &mut Random| -> Vec<f32> {
        shape.iter().map(|(mean, spread)| (mean + spread * random.normal()) as f32).collect()
    };
    (0..samples).flat_map(|_| row(random)).collect()
}

/// Parameters of any kind.
fn any_params(random: &mut Random, features: usize) -> Params {
    let targets = [
        Target::gaussian_scale(),
        Target::gaussian(0.3),
        Target::relu(),
        Target::gelu(),
        Target::sign(),
    ];
    let scaling = [Scaling::Unit, Scaling::Row][random.below(2)];
    let (target, policy) = match random.below(4) {
        // The first two are the Gaussian kernels.
        0 => (random.below(2), Policy::Periodic),
        1 => (random.below(targets.len()), Policy::MinVariance),
        2 => (random.below(targets.len()), Policy::Automatic),
        _ => (random.below(targets.len()), Policy::MatchD0),
    };
    TernaryFeatures::params(features)
        .target(targets[target].clone())
        .policy(policy)
        .sparsity([0.0, 0.3, 2.0 / 3.0, 0.95][random.below(4)])
        .seed(random.bits())
        .centre(random.below(4) != 0)
        .standardise(random.below(2) == 0)
        .scaling(scaling)
}

fn trits(fitted: &TernaryFeatures, samples: &Samples<'_, f32>) -> Vec<i8> {
    fitted.transform(samples).unwrap().trits().iter_rows().flatten().collect()
}

/// What the oracle makes of a fit: its own W, its own quantisation, its own comparisons.
fn expected(fitted: &TernaryFeatures, samples: &Samples<'_, f32>, features: usize) -> Vec<i8> {
    let seeded = fitted.seeded().unwrap();
    let forms = Forms::iid(seeded.seed(), seeded.sparsity(), samples.inputs(), features);
    let (mean, scale) = (fitted.preprocess().mean(), fitted.preprocess().scale());
    let thresholds = fitted.thresholds();
    let mut trits = Vec::new();
    for sample in (0..samples.len()).map(|i| samples.get(i).unwrap()) {
        let reading = oracle::quantize(sample, mean, scale);
        trits.extend(forms.oracle_trits(&reading, None, thresholds));
    }
    trits
}

/// The promise of the crate, over random shapes, parameters and seeds.
#[test]
fn stored_or_seeded_alone_or_in_batches_the_bits_are_the_oracles() {
    let mut random = Random::new(77);
    for case in 0..60 {
        let (samples, inputs) = (2 + random.below(80), 1 + random.below(150));
        let features = 1 + random.below(300);
        let x = cloud(&mut random, samples, inputs);
        let all = Samples::new(&x, inputs).unwrap();
        let params = any_params(&mut random, features);
        let piece = 1 + random.below(samples);
        for isa in isas() {
            let label = format!("case {case}: {samples} × {inputs} → {features} on {isa}");
            let params = params.clone().isa(isa);
            let stored = params.clone().fit(&all).unwrap();
            let seeded = params.form(Form::Seeded).fit(&all).unwrap();
            let bits = trits(&stored, &all);
            assert!(bits == expected(&stored, &all, features), "the oracle, {label}");
            assert!(bits == trits(&seeded, &all), "seeded, {label}");
            for piece in [1, piece] {
                let pieces = (0..samples).step_by(piece).flat_map(|start| {
                    trits(&seeded, &all.slice(start..samples.min(start + piece)).unwrap())
                });
                assert!(pieces.eq(bits.iter().copied()), "in pieces of {piece}, {label}");
            }
            // At most two bits per weight, rows padded to 32 and columns to 64; nothing if seeded.
            let padded = features.next_multiple_of(32) * inputs.next_multiple_of(64);
            assert!(stored.weight_bytes() <= padded / 4, "{label}");
            assert_eq!(seeded.weight_bytes(), 0);
        }
    }
}

/// Features of boxes and of subsets, with the gain that the data of the fit have.
#[test]
fn local_features_are_the_oracles() {
    let mut random = Random::new(32);
    for (form, inputs) in [(Form::Boxes(Grid::image(9, 12)), 108), (Form::SUBSETS, 20)] {
        let (samples, features) = (40, 1 + random.below(300));
        let x = cloud(&mut random, samples, inputs);
        let all = Samples::new(&x, inputs).unwrap();
        let params = any_params(&mut random, features).form(form);
        for isa in isas() {
            let fitted = params.clone().isa(isa).fit(&all).unwrap();
            let local = *fitted.local().unwrap();
            let forms = Forms::local(local.seed(), local.view(), inputs, features);
            assert!(fitted.structured().is_none() && fitted.weight_bytes() == 0);
            let (mean, scale) = (fitted.preprocess().mean(), fitted.preprocess().scale());
            let found = trits(&fitted, &all);
            for (i, found) in found.chunks(features).enumerate() {
                let reading = oracle::quantize(all.get(i).unwrap(), mean, scale);
                let expected = forms.oracle_trits(&reading, None, fitted.thresholds());
                assert!(found == expected, "{form:?} on {isa}");
            }
        }
    }
    // A grid that is not the samples'.
    let x = cloud(&mut random, 10, 7);
    let refused = TernaryFeatures::params(64).form(Form::Boxes(Grid::image(2, 4)));
    assert!(refused.fit(&Samples::new(&x, 7).unwrap()).is_err());
}

/// The thresholds of a structured W have its gain in them.
#[test]
fn structured_features_are_the_oracles() {
    let mut random = Random::new(31);
    for inputs in [1, 7, 54, 64, 100, 600] {
        let (samples, features) = (40, 1 + random.below(300));
        let x = cloud(&mut random, samples, inputs.max(2));
        let all = Samples::new(&x, inputs.max(2)).unwrap();
        let params = any_params(&mut random, features).form(Form::Structured);
        for isa in isas() {
            let fitted = params.clone().isa(isa).fit(&all).unwrap();
            let structured = fitted.structured().unwrap();
            let forms = Forms::structured(structured.seed(), all.inputs(), features);
            assert!(fitted.seeded().is_none() && fitted.weight_bytes() == 0);
            let (mean, scale) = (fitted.preprocess().mean(), fitted.preprocess().scale());
            let found = trits(&fitted, &all);
            for (i, found) in found.chunks(features).enumerate() {
                let reading = oracle::quantize(all.get(i).unwrap(), mean, scale);
                let expected = forms.oracle_trits(&reading, None, fitted.thresholds());
                assert!(found == expected, "{inputs} → {features} on {isa}");
            }
        }
    }
    // Both forms have the same share of non-zero features: their thresholds are in the right unit.
    let x: Vec<f32> = cloud(&mut random, 200, 512);
    let all = Samples::new(&x, 512).unwrap();
    let share = |form| {
        let fitted = TernaryFeatures::params(4096).form(form).fit(&all).unwrap();
        let features = fitted.transform(&all).unwrap();
        let nonzero: usize =
            (0..200).map(|i| features.row(i).unwrap().counts()).map(|c| c.0 + c.1).sum();
        nonzero as f64 / (200.0 * 4096.0)
    };
    let (trits, structured) = (share(Form::Stored), share(Form::Structured));
    assert!((trits - structured).abs() < 0.02, "{trits} {structured}");
}

/// Equality compares the trits, not the instruction sets that computed them.
#[test]
fn features_of_different_instruction_sets_are_equal() {
    let x = cloud(&mut Random::new(9), 40, 30);
    let all = Samples::new(&x, 30).unwrap();
    let on =
        |isa| TernaryFeatures::params(100).isa(isa).fit(&all).unwrap().transform(&all).unwrap();
    for isa in isas() {
        assert!(on(isa) == on(Isa::SCALAR), "{isa}");
    }
    assert!(
        on(Isa::SCALAR)
            != TernaryFeatures::params(100).seed(1).fit(&all).unwrap().transform(&all).unwrap()
    );
}

/// Preprocessing, W and thresholds applied by hand give the transform; the factor between the samples and
/// what the target sees is the square root of their mean energy.
#[test]
fn a_transform_is_core_on_the_preprocessed_samples() {
    let x = cloud(&mut Random::new(10), 40, 70);
    let all = Samples::new(&x, 70).unwrap();
    let fitted = TernaryFeatures::params(130).standardise(true).fit(&all).unwrap();
    let ready = fitted.preprocess().apply(all).unwrap();
    let words = 40 * words_per_row(130);
    let mut out = TritMatrix::zeroed(40, 130, vec![0; words], vec![0; words]).unwrap();
    let mut scratch = vec![Line::ZERO; scratch_lines(fitted.seeded().unwrap(), 40)];
    featurize(
        Native,
        fitted.seeded().unwrap(),
        fitted.thresholds(),
        &ready,
        &mut scratch,
        &mut out,
    )
    .unwrap();
    assert_eq!(&out, fitted.transform(&all).unwrap().trits());
    // 70 standardised inputs have a mean energy of 70.
    assert!((fitted.preprocess().magnification() - 70.0_f64.sqrt()).abs() < 1e-4);
    assert!(Isa::present().contains(&Isa::detect()));
}

/// σ of the definition in `f64`: weights of unit variance, samples centred, standardised and
/// scaled one by one, thresholds of the report.
fn by_definition(
    fitted: &TernaryFeatures,
    x: &[f32],
    inputs: usize,
    features: usize,
    (centre, standardise, scaling): (bool, bool, Scaling),
) -> Vec<i8> {
    let rows: Vec<Vec<f64>> =
        x.chunks(inputs).map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect();
    let mean_of = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let mean: Vec<f64> =
        (0..inputs).map(|k| mean_of(rows.iter().map(|row| row[k]).collect())).collect();
    let deviation: Vec<f64> = (0..inputs)
        .map(|k| mean_of(rows.iter().map(|row| (row[k] - mean[k]).powi(2)).collect()).sqrt())
        .collect();
    let ready = |row: &Vec<f64>| -> Vec<f64> {
        let shift = |k: usize| if centre { row[k] - mean[k] } else { row[k] };
        (0..inputs).map(|k| shift(k) / if standardise { deviation[k] } else { 1.0 }).collect()
    };
    let rows: Vec<Vec<f64>> = rows.iter().map(ready).collect();
    let energy = |row: &Vec<f64>| row.iter().map(|x| x * x).sum::<f64>();
    let tau = mean_of(rows.iter().map(energy).collect());
    if scaling == Scaling::Keep {
        assert!((fitted.preprocess().tau() / tau - 1.0).abs() < 1e-5);
    }
    let spread = mean_of(rows.iter().map(|row| (energy(row) - tau).powi(2)).collect()).sqrt();
    let variation = if scaling == Scaling::Row { 0.0 } else { spread / tau };
    assert!((fitted.preprocess().variation().unwrap() - variation).abs() < 1e-4);

    let seeded = fitted.seeded().unwrap();
    let w = oracle::w(seeded.seed(), seeded.sparsity().bits(), features, inputs);
    let weight = (1.0 - seeded.sparsity().probability()).sqrt().recip();
    let Bands::Two { lower, upper } = fitted.report().bands else { panic!("two thresholds") };
    let mut trits = Vec::new();
    for row in &rows {
        let size = match scaling {
            Scaling::Unit => tau.sqrt(),
            Scaling::Row => energy(row).sqrt(),
            Scaling::Keep => 1.0,
            other => panic!("no oracle for {other:?}"),
        };
        for w in w.chunks(inputs) {
            let sum: f64 = w.iter().zip(row).map(|(&w, x)| f64::from(w) * weight * x / size).sum();
            trits.push((sum > upper) as i8 - (sum < lower) as i8);
        }
    }
    trits
}

/// Preprocessing folds into the samples' integers and the thresholds; real arithmetic that folds
/// nothing must give the same trits but for the rounding to 16 bits. A threshold wrong by 1 % moves
/// about 0.4 % of the trits.
#[test]
fn every_preprocessing_gives_the_trits_of_its_definition() {
    let mut random = Random::new(31);
    let (samples, inputs, features) = (60, 90, 500);
    let x = cloud(&mut random, samples, inputs);
    let all = Samples::new(&x, inputs).unwrap();
    for scaling in [Scaling::Unit, Scaling::Row, Scaling::Keep] {
        for (centre, standardise) in [(true, false), (true, true), (false, false), (false, true)] {
            let fitted = TernaryFeatures::params(features)
                .target(Target::relu())
                .policy(Policy::MinVariance)
                .centre(centre)
                .standardise(standardise)
                .scaling(scaling)
                .sparsity(0.6)
                .fit(&all)
                .unwrap();
            let steps = (centre, standardise, scaling);
            let expected = by_definition(&fitted, &x, inputs, features, steps);
            let found = trits(&fitted, &all);
            let wrong = found.iter().zip(&expected).filter(|(a, b)| a != b).count();
            let share = wrong as f64 / found.len() as f64;
            assert!(share < 1e-3, "{steps:?}: {share} of the trits differ");
            let nonzero = found.iter().filter(|&&trit| trit != 0).count() as f64;
            assert!(
                nonzero > 0.1 * found.len() as f64,
                "{steps:?}: hardly any feature is non-zero"
            );
        }
    }
}

#[test]
fn statistics_in_chunks_are_those_of_the_whole() {
    let mut random = Random::new(5);
    for _ in 0..20 {
        let (samples, inputs) = (1 + random.below(60), 1 + random.below(20));
        let x = cloud(&mut random, samples, inputs);
        let all = Samples::new(&x, inputs).unwrap();
        let (mut whole, mut chunks) =
            (Statistics::new(inputs).unwrap(), Statistics::new(inputs).unwrap());
        whole.add(&all).unwrap();
        let mut start = 0;
        while start < samples {
            let end = start + 1 + random.below(samples - start);
            chunks.add(&all.slice(start..end).unwrap()).unwrap();
            start = end;
        }
        assert_eq!((chunks.samples(), chunks.inputs()), (samples as u64, inputs));
        assert_eq!(whole, chunks);
        for k in 0..inputs {
            let column: Vec<f64> = x.chunks(inputs).map(|row| f64::from(row[k])).collect();
            let mean = column.iter().sum::<f64>() / samples as f64;
            let variance = column.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / samples as f64;
            let size = column.iter().map(|x| x.abs()).fold(0.0, f64::max);
            assert!((whole.mean()[k] - mean).abs() < 1e-12 * size);
            assert!((whole.variance()[k] - variance).abs() < 1e-12 * size * size);
        }
    }
}

/// Chunks that are refused leave no trace.
#[test]
fn refused_chunks_do_not_count() {
    let mut statistics = Statistics::new(2).unwrap();
    statistics.add(&Samples::new(&[1.0, 2.0], 2).unwrap()).unwrap();
    assert!(statistics.add(&Samples::new(&[1.0, 5.0, f32::NAN, 0.0], 2).unwrap()).is_err());
    assert!(statistics.add(&Samples::new(&[1.0, 5.0, 2.0], 3).unwrap()).is_err());
    assert_eq!((statistics.samples(), statistics.mean()), (1, vec![1.0, 2.0]));
}

/// An input that was constant in the fit never contributes.
#[test]
fn a_constant_column_does_not_contribute_when_standardised() {
    let mut random = Random::new(12);
    let mut x = cloud(&mut random, 50, 10);
    x.chunks_mut(10).for_each(|row| row[3] = 1e6);
    let fitted =
        TernaryFeatures::params(300).standardise(true).fit(&Samples::new(&x, 10).unwrap()).unwrap();
    assert_eq!(fitted.preprocess().scale().unwrap()[3], 0.0);
    let with = trits(&fitted, &Samples::new(&x, 10).unwrap());
    assert!(with.iter().any(|&trit| trit != with[0]));
    x.chunks_mut(10).for_each(|row| row[3] = -7.0);
    assert_eq!(with, trits(&fitted, &Samples::new(&x, 10).unwrap()));
    x.chunks_mut(10).for_each(|row| row[4] += 1e6);
    assert_ne!(with, trits(&fitted, &Samples::new(&x, 10).unwrap()));
}

/// Samples seen once, in chunks, fit like samples in memory.
#[test]
fn a_fit_to_statistics_is_the_fit_to_the_samples() {
    let mut random = Random::new(16);
    for _ in 0..12 {
        let (inputs, samples, features) = (1 + random.below(40), 2 + random.below(300), 256);
        let x = cloud(&mut random, samples, inputs);
        let all = Samples::new(&x, inputs).unwrap();
        let mut statistics = Statistics::new(inputs).unwrap();
        for chunk in x.chunks(inputs * (1 + random.below(100))) {
            statistics.add(&Samples::new(chunk, inputs).unwrap()).unwrap();
        }
        let params = any_params(&mut random, features);
        let whole = params.clone().fit(&all).unwrap();
        let streamed = params.fit_statistics(&statistics).unwrap();
        let alone = Preprocess::from_statistics(&statistics, Steps::default()).unwrap();
        assert_eq!(alone.variation(), None);
        assert_eq!(whole.preprocess().mean(), streamed.preprocess().mean());
        assert_eq!(whole.preprocess().scale(), streamed.preprocess().scale());
        let values = |fitted: &TernaryFeatures| {
            let thresholds = fitted.thresholds();
            thresholds.values().unwrap_or_else(|| [thresholds.period().unwrap(); 4])
        };
        for (a, b) in values(&whole).into_iter().zip(values(&streamed)) {
            assert!(a == b || (a - b).abs() < 1e-5 * a.abs(), "{a} {b}");
        }
        let (whole, streamed) = (trits(&whole, &all), trits(&streamed, &all));
        let other = whole.iter().zip(&streamed).filter(|(a, b)| a != b).count();
        assert!(other * 1000 <= whole.len(), "{other} of {}", whole.len());
    }
    let unknown = |statistics: &Statistics| TernaryFeatures::params(8).fit_statistics(statistics);
    let zero = |size| Some(ternion::Error::Core(CoreError::ZeroSize { size }));
    assert_eq!(unknown(&Statistics::new(3).unwrap()).err(), zero(Size::Samples));
    assert_eq!(Statistics::new(0).err(), zero(Size::Inputs));
    let (size, max, found) = (Size::Inputs, MAX_INPUTS, usize::MAX);
    let many = CoreError::SizeTooLarge { size, max, found };
    assert_eq!(Statistics::new(found).err(), Some(many.into()));
    let mut equal = Statistics::new(2).unwrap();
    equal.add(&Samples::new(&[1.0, 2.0, 1.0, 2.0], 2).unwrap()).unwrap();
    assert_eq!(unknown(&equal).err(), Some(ternion::Error::NoVariance));
    let mut tiny = Statistics::new(1).unwrap();
    tiny.add(&Samples::new(&[1e-45, 0.0], 1).unwrap()).unwrap();
    let refused = TernaryFeatures::params(8).standardise(true).fit_statistics(&tiny).err();
    assert_eq!(refused, Some(ternion::Error::NotFinite { index: 0 }));
}
