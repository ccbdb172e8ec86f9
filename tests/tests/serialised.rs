//! Parameters, reports and saved objects through serde.

use serde_json::{from_str, from_value, json, to_string, to_value};
use ternion::fit::{Params, Statistics};
use ternion::learn::{
    Classifier, KernelModel, KernelRidge, LinearModel, Moments, Ridge, TernaryClassifier,
    TernaryRegressor,
};
use ternion::theory::{Report, Setting, Warning, solve};
use ternion::{Form, Grid, Matrix, Policy, Samples, Scaling, Target, TernaryFeatures};
use ternion_tests::data::Random;

const INPUTS: usize = 12;

fn data() -> Vec<f32> {
    let mut random = Random::new(121);
    (0..40 * INPUTS).map(|_| random.normal() as f32).collect()
}

#[test]
fn parameters_fit_the_same_after_a_trip_through_json() {
    let x = data();
    let samples = Samples::new(&x, INPUTS).unwrap();
    let boxes = Form::Boxes(Grid::image(3, 4));
    for (form, target, policy, scaling) in [
        (Form::Stored, Target::gelu(), Policy::MatchD0, Scaling::Row),
        (Form::Structured, Target::raw(1.0, 0.3, 0.05), Policy::Unit, Scaling::Unit),
        (boxes, Target::gaussian(0.25), Policy::Periodic, Scaling::Keep),
        (
            Form::SUBSETS,
            Target::ternary(-0.125, 0.75).scaled(1.5),
            Policy::Fixed { lower: -0.5, upper: 1.0 },
            Scaling::Unit,
        ),
    ] {
        let params = TernaryFeatures::params(100)
            .form(form)
            .target(target)
            .policy(policy)
            .scaling(scaling)
            .sparsity(0.5)
            .seed(u64::MAX)
            .standardise(true)
            .centre(false);
        let text = to_string(&params).unwrap();
        let again: Params = from_str(&text).unwrap();
        assert_eq!(to_string(&again).unwrap(), text);
        let fitted = params.fit(&samples).unwrap();
        assert_eq!(again.fit(&samples).unwrap().fingerprint(), fitted.fingerprint(), "{text}");
    }
    let expected = json!({ "boxes": { "width": 3, "height": 4, "channels": 1 } });
    assert_eq!(to_value(boxes).unwrap(), expected);
    assert_eq!(to_value(Policy::FourBand).unwrap(), json!("four-band"));
    assert_eq!(to_value(Target::raw(1.0, 0.5, 0.25)).unwrap(), json!("moments(1, 0.5, 0.25)"));

    let closure = TernaryFeatures::params(100).target(Target::function(|t| t.tanh()));
    let refused = to_string(&closure).unwrap_err().to_string();
    assert!(refused.contains("the target \"function\" is a closure"), "{refused}");
    let mut unknown = to_value(TernaryFeatures::params(100)).unwrap();
    unknown["sead"] = json!(1);
    let refused = from_value::<Params>(unknown).unwrap_err().to_string();
    assert!(refused.contains("sead"), "{refused}");
    assert!(from_value::<Target>(json!("ternary(1)")).is_err());
    assert!(from_value::<Policy>(json!("best")).is_err());
}

#[test]
fn learners_and_reports_are_their_fields() {
    for ridge in [Ridge::default(), Ridge::new(2.0).unwrap(), Ridge::absolute(0.125).unwrap()] {
        assert_eq!(from_str::<Ridge>(&to_string(&ridge).unwrap()).unwrap(), ridge);
    }
    let absolute = json!({ "penalty": { "absolute": 0.5 } });
    let ridge: KernelRidge = from_value(absolute.clone()).unwrap();
    assert_eq!(ridge, KernelRidge::absolute(0.5).unwrap());
    assert_eq!(to_value(ridge).unwrap(), absolute);
    for bad in [json!(0.0), json!(-1.0)] {
        let refused = from_value::<Ridge>(json!({ "penalty": { "relative": bad } })).unwrap_err();
        let message = "the regularisation must be positive and finite";
        assert!(refused.to_string().contains(message), "{refused}");
    }

    let report = solve(&Target::relu(), 1.0, Policy::FourBand).unwrap();
    let text = to_string(&report).unwrap();
    assert_eq!(from_str::<Report>(&text).unwrap(), report);
    let (sparsity, norm_variation, gamma) = (0.5, 0.9, Some(0.1));
    let setting = Setting { inputs: 12, features: 100, sparsity, norm_variation, gamma };
    assert_eq!(from_value::<Setting>(to_value(setting).unwrap()).unwrap(), setting);
    let warnings = report.warnings(&setting);
    assert!(!warnings.is_empty());
    let again: Vec<Warning> = from_value(to_value(&warnings).unwrap()).unwrap();
    assert_eq!(again, warnings);
}

#[test]
fn objects_are_their_bytes() {
    let x = data();
    let samples = Samples::new(&x, INPUTS).unwrap();
    let labels: Vec<&str> = x.chunks(INPUTS).map(|x| ["a", "b"][(x[0] > 0.0) as usize]).collect();
    let params = || TernaryFeatures::params(40);
    let model = TernaryClassifier::fit(params(), Ridge::default(), &samples, &labels).unwrap();
    let y = Matrix::from_vec(40, 1, x[..40].to_vec()).unwrap();
    let regressor = TernaryRegressor::fit(params(), Ridge::default(), &samples, &y).unwrap();
    let mut statistics = Statistics::new(INPUTS).unwrap();
    statistics.add(&samples).unwrap();
    let mut moments = Moments::new(model.ternary(), 2).unwrap();
    let classes: Vec<usize> = labels.iter().map(|&label| (label == "b") as usize).collect();
    moments.add(&model.ternary().transform(&samples).unwrap(), &classes).unwrap();
    let kernel = KernelModel::new(&Matrix::from_vec(1, 1, vec![2.0]).unwrap(), vec![1.0]).unwrap();

    macro_rules! check {
        ($($object:expr => $type:ty),*) => { $({
            let (object, bytes) = (&$object, $object.to_bytes());
            assert_eq!(to_value(object).unwrap(), json!(bytes));
            let again: $type = from_str(&to_string(object).unwrap()).unwrap();
            assert_eq!(again.to_bytes(), bytes);
            let refused = from_value::<$type>(json!(&bytes[1..])).unwrap_err().to_string();
            assert!(refused.contains("saved objects start with the bytes TRNS"), "{refused}");
            let mut changed = bytes.clone();
            changed[30] ^= 1;
            let refused = from_value::<$type>(json!(changed)).unwrap_err().to_string();
            assert!(refused.contains("CRC-32"), "{refused}");
            let refused = from_value::<$type>(json!("text")).unwrap_err().to_string();
            assert!(refused.contains("the bytes of a saved object"), "{refused}");
        })* };
    }
    check! {
        statistics => Statistics, moments => Moments, *model.ternary() => TernaryFeatures,
        *regressor.model() => LinearModel, *model.classifier() => Classifier, kernel => KernelModel,
        model => TernaryClassifier<String>, regressor => TernaryRegressor
    }
}
