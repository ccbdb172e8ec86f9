//! One sample by a fit: its features, and its scores. Samples are of `f32`: other types become `f32` on their way, and the
//! kernels that take them as they are have their cases in `featurize`. Elements are weights.

use crate::{SPARSITIES, Set, suffix, whole};
use criterion::{BenchmarkId, Criterion, Throughput};
use std::hint::black_box;
use ternion::learn::{LinearModel, Predictor};
use ternion::ternion_core::plane_words;
use ternion::{Form, Matrix, Samples, TernaryFeatures};
use ternion_tests::forms::{Forms, name_in_fits, of_fits};
use ternion_tests::inputs::Input;

const FEATURES: usize = 1024;
const INPUTS: usize = 256;
const OUTPUTS: usize = 10;

/// W of a fit, as the oracle knows it.
fn forms(fitted: &TernaryFeatures) -> Forms {
    let (inputs, features) = (fitted.inputs(), fitted.features());
    match (fitted.seeded(), fitted.structured(), fitted.local()) {
        (Some(w), _, _) => Forms::iid(w.seed(), w.sparsity(), inputs, features),
        (_, Some(w), _) => Forms::structured(w.seed(), inputs, features),
        (_, _, Some(w)) => Forms::local(w.seed(), w.view(), inputs, features),
        _ => unreachable!("a fit without W"),
    }
}

/// Every form of a fit, those that have zeros with each sparsity.
fn cases(set: Set) -> Vec<(Form, f64, String)> {
    let mut cases = Vec::new();
    for form in of_fits(INPUTS) {
        if matches!(form, Form::Stored | Form::Seeded) {
            cases.extend(
                set.of(&SPARSITIES).iter().map(|&sparsity| (form, sparsity, suffix(sparsity))),
            );
        } else {
            cases.push((form, SPARSITIES[0], String::new()));
        }
    }
    cases
}

pub(crate) fn add(criterion: &mut Criterion, set: Set) {
    let x = f32::from_whole(&whole(64 * INPUTS, 3), INPUTS);
    let samples = Samples::new(&x, INPUTS).expect("whole samples");
    let first = Samples::new(&x[..INPUTS], INPUTS).expect("a sample");
    let weights = whole(FEATURES * OUTPUTS, 4).into_iter().map(f32::from).collect();
    let weights = Matrix::from_vec(FEATURES, OUTPUTS, weights).expect("equal sizes");
    let model = LinearModel::new(weights, vec![0.5; OUTPUTS]).expect("finite weights");
    let words = plane_words(1, FEATURES).expect("sizes in range");
    for (form, sparsity, suffix) in cases(set) {
        let name = name_in_fits(form);
        for isa in set.isas() {
            let params = TernaryFeatures::params(FEATURES).form(form).sparsity(sparsity).isa(isa);
            let fitted = params.fit(&samples).expect("samples that differ");
            let preprocess = fitted.preprocess();
            let reading = f32::read(&x[..INPUTS], INPUTS, preprocess.mean(), preprocess.scale());
            let reading = reading.expect("finite numbers");
            let trits = forms(&fitted).oracle_trits(&reading, None, fitted.thresholds());
            let found = fitted.transform(&first).expect("a sample of the fit");
            assert!(found.trits().iter_rows().flatten().eq(trits.iter().copied()), "{name}, {isa}");

            let function = format!("{name}/f32/{isa}");
            let (mut sign, mut mask) = (vec![0; words], vec![0; words]);
            let mut group = criterion.benchmark_group("transform");
            group.throughput(Throughput::Elements((FEATURES * INPUTS) as u64));
            let id = BenchmarkId::new(&function, format!("{FEATURES}x{INPUTS}x1{suffix}"));
            group.bench_function(id, |bencher| {
                bencher.iter(|| fitted.transform_into(black_box(&first), &mut sign, &mut mask));
            });
            group.finish();

            let mut predictor = Predictor::new(fitted, &model).expect("equal sizes");
            let scores = predictor.scores(&x[..INPUTS]).expect("a sample of the fit");
            for (output, &score) in scores.iter().enumerate() {
                // Whole numbers below 2^24 and a half: exact in any order.
                let weights = model.weights().iter_rows().map(|row| row[output]);
                let sum: f32 = weights.zip(&trits).map(|(w, &trit)| w * f32::from(trit)).sum();
                assert!(score == sum + 0.5, "{name}, {isa}: {score} for {}", sum + 0.5);
            }
            let mut group = criterion.benchmark_group("predictor");
            group.throughput(Throughput::Elements((FEATURES * (INPUTS + OUTPUTS)) as u64));
            let shape = format!("{FEATURES}x{INPUTS}x{OUTPUTS}x1{suffix}");
            let id = BenchmarkId::new(&function, shape);
            group.bench_function(id, |bencher| {
                bencher.iter(|| predictor.class(black_box(&x[..INPUTS])));
            });
            group.finish();
        }
    }
}
