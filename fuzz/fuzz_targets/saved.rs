//! Everything that is saved as bytes, edited with a checksum that is right, and any bytes: refused, or what they say. What
//! is accepted is written again as the same bytes, and can be used.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use std::sync::OnceLock;
use ternion::fit::Statistics;
use ternion::learn::{
    Classifier, KernelModel, KernelRidge, LinearModel, Moments, Ridge, TargetMoments,
    TernaryClassifier, TernaryRegressor,
};
use ternion::{Error, Form, Matrix, Policy, Samples, TernaryFeatures};
use ternion_tests::forms::of_fits;
use ternion_tests::model::crc32;

#[derive(Arbitrary, Debug)]
struct Input {
    object: u8,
    /// Bytes to put somewhere into the object.
    edits: Vec<(u16, u8)>,
    /// Bytes to add or take at the end.
    longer: Vec<u8>,
    shorter: u8,
    /// Bytes that are not an object.
    bytes: Vec<u8>,
}

/// Reads an object, uses it, and writes it again.
type Again = fn(&[u8]) -> Result<Vec<u8>, Error>;

const INPUTS: usize = 6;
const SAMPLES: usize = 20;

fn data() -> Vec<f32> {
    (0..SAMPLES * INPUTS).map(|k| (k as f32 * k as f32 * 0.37).sin() + 0.2).collect()
}

/// Samples of any number of inputs.
fn use_fit(fitted: &TernaryFeatures) {
    // Sizes that somebody wrote into the bytes may be large.
    if fitted.inputs() * fitted.features() <= 1 << 16 {
        let x = vec![0.25; 2 * fitted.inputs()];
        let samples = Samples::new(&x, fitted.inputs()).unwrap();
        if let Ok(features) = fitted.transform(&samples) {
            assert_eq!((features.len(), features.features()), (2, fitted.features()));
        }
    }
}

fn objects() -> &'static [(Vec<u8>, Again)] {
    static OBJECTS: OnceLock<Vec<(Vec<u8>, Again)>> = OnceLock::new();
    OBJECTS.get_or_init(|| {
        let x = data();
        let samples = Samples::new(&x, INPUTS).unwrap();
        let y = Matrix::from_vec(SAMPLES, 1, x[..SAMPLES].to_vec()).unwrap();
        let labels: Vec<&str> =
            x.chunks(INPUTS).map(|x| ["a", "bc"][(x[0] > x[1]) as usize]).collect();
        let classes: Vec<usize> = labels.iter().map(|label| label.len() - 1).collect();
        let params = TernaryFeatures::params(70);
        let fit = |form, policy| params.clone().form(form).policy(policy).fit(&samples).unwrap();
        let ternary = fit(Form::Seeded, Policy::Automatic);
        let features = ternary.transform(&samples).unwrap();
        let classifier =
            TernaryClassifier::fit(params.clone(), Ridge::default(), &samples, &labels).unwrap();
        let regressor =
            TernaryRegressor::fit(params.clone(), Ridge::default(), &samples, &y).unwrap();
        let mut statistics = Statistics::new(INPUTS).unwrap();
        statistics.add(&samples).unwrap();
        let mut moments = Moments::new(&ternary, 2).unwrap();
        moments.add(&features, &classes).unwrap();
        let mut targets = TargetMoments::new(&ternary, 1).unwrap();
        targets.add(&features, &y).unwrap();
        let gram = Matrix::from_vec(2, 2, vec![2.0, 0.5, 0.5, 2.0]).unwrap();
        let two = Matrix::from_vec(2, 1, vec![1.0, 0.0]).unwrap();
        let kernel = KernelRidge::default().fit(&gram, &two).unwrap();

        let mut objects: Vec<(Vec<u8>, Again)> = vec![
            (regressor.model().to_bytes(), |bytes| Ok(LinearModel::from_bytes(bytes)?.to_bytes())),
            (classifier.classifier().to_bytes(), |bytes| {
                Ok(Classifier::from_bytes(bytes)?.to_bytes())
            }),
            (kernel.to_bytes(), |bytes| Ok(KernelModel::from_bytes(bytes)?.to_bytes())),
            (classifier.to_bytes(), |bytes| {
                let model = TernaryClassifier::<String>::from_bytes(bytes)?;
                use_fit(model.ternary());
                Ok(model.to_bytes())
            }),
            (regressor.to_bytes(), |bytes| {
                let model = TernaryRegressor::from_bytes(bytes)?;
                use_fit(model.ternary());
                Ok(model.to_bytes())
            }),
            (statistics.to_bytes(), |bytes| {
                let statistics = Statistics::from_bytes(bytes)?;
                let params = TernaryFeatures::params(64);
                if statistics.inputs() <= 1 << 10
                    && let Ok(fitted) = params.fit_statistics(&statistics)
                {
                    use_fit(&fitted);
                }
                Ok(statistics.to_bytes())
            }),
            (moments.to_bytes(), |bytes| {
                let moments = Moments::from_bytes(bytes)?;
                if let Ok(model) = Ridge::default().fit_moments(&moments) {
                    assert!(model.model().weights().as_slice().iter().all(|w| w.is_finite()));
                }
                Ok(moments.to_bytes())
            }),
            (targets.to_bytes(), |bytes| {
                let moments = TargetMoments::from_bytes(bytes)?;
                if let Ok(model) = Ridge::default().fit_target_moments(&moments) {
                    assert!(model.weights().as_slice().iter().all(|w| w.is_finite()));
                }
                Ok(moments.to_bytes())
            }),
        ];
        for form in of_fits(INPUTS) {
            for policy in [Policy::MinVariance, Policy::FourBand, Policy::Periodic] {
                objects.push((fit(form, policy).to_bytes(), |bytes| {
                    let fitted = TernaryFeatures::from_bytes(bytes)?;
                    use_fit(&fitted);
                    Ok(fitted.to_bytes())
                }));
            }
        }
        objects
    })
}

/// With the length and the checksum that the bytes should have, if there is room for them.
fn fix(bytes: &mut [u8]) {
    let length = bytes.len();
    if length >= 20 {
        bytes[8..16].copy_from_slice(&(length as u64).to_le_bytes());
        let checksum = crc32(&bytes[..length - 4]);
        bytes[length - 4..].copy_from_slice(&checksum.to_le_bytes());
    }
}

fn check(bytes: &[u8], again: Again) {
    match again(bytes) {
        Ok(written) => assert_eq!(written, bytes, "what was accepted is not what was written"),
        Err(refused) => assert!(!refused.to_string().is_empty()),
    }
}

fuzz_target!(|input: Input| {
    let objects = objects();
    let (bytes, again) = &objects[input.object as usize % objects.len()];
    assert_eq!(again(bytes).as_ref(), Ok(bytes));
    let mut edited = bytes.clone();
    edited.truncate(edited.len() - input.shorter as usize % edited.len());
    // What is added comes before the checksum.
    edited.extend(&input.longer);
    let count = edited.len();
    for &(at, byte) in &input.edits {
        edited[at as usize % count] = byte;
    }
    check(&edited, *again);
    fix(&mut edited);
    check(&edited, *again);

    let mut any = input.bytes;
    check(&any, *again);
    let frame = any.len().min(8);
    any[..frame].copy_from_slice(&bytes[..frame]);
    fix(&mut any);
    check(&any, *again);
});
