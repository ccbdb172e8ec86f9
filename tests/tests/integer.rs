//! What a fit becomes in integers for a device: factors and cuts to the nearest, and numbers that have no room.

use ternion::export::{Bits, Export, ExportError, IntegerFeatures, Readout};
use ternion::learn::{Ridge, accuracy};
use ternion::{Error, Form, Grid, Matrix, Policy, Samples, TernaryFeatures};
use ternion_core::model::ModelSigma;
use ternion_core::{Buffer, Error as CoreError};
use ternion_tests::data::Random;

const INPUTS: usize = 24;
const SAMPLES: usize = 120;

/// Samples whose inputs have different means and deviations.
fn samples(random: &mut Random) -> Vec<i16> {
    let shape: Vec<[f64; 2]> =
        (0..INPUTS).map(|_| [random.normal() * 50.0, 20.0 + 60.0 * random.unit()]).collect();
    let number = |random: &mut Random, k: usize| {
        let [mean, deviation] = shape[k % INPUTS];
        (mean + deviation * random.normal()) as i16
    };
    (0..SAMPLES * INPUTS).map(|k| number(random, k)).collect()
}

fn floats(x: &[i16]) -> Vec<f32> {
    x.iter().map(|&x| x.into()).collect()
}

/// The model of a fit, with any readout.
fn export(fitted: &TernaryFeatures, x: &[i16]) -> Export {
    let integer = IntegerFeatures::new(fitted, x).unwrap();
    let features = integer.transform(x).unwrap();
    let labels: Vec<usize> = (0..SAMPLES).map(|sample| sample % 2).collect();
    let classifier = Ridge::default().fit_classes(&features, &labels).unwrap();
    let readout = Readout::fit(&classifier, &features, Ridge::default(), Bits::One).unwrap();
    Export::new(&integer, &readout).unwrap()
}

/// There is a number of which all factors are the nearest whole multiples by the scales of the fit.
#[test]
fn factors_of_inputs_are_rounded_to_the_nearest() {
    let mut random = Random::new(311);
    for _ in 0..4 {
        let x = samples(&mut random);
        let floats = floats(&x);
        let params = TernaryFeatures::params(64).form(Form::SUBSETS).standardise(true);
        let fitted = params.fit(&Samples::new(&floats, INPUTS).unwrap()).unwrap();
        let export = export(&fitted, &x);
        let model = export.model().unwrap();
        let (mut least, mut most) = (0.0_f64, f64::INFINITY);
        for (input, &scale) in fitted.preprocess().scale().unwrap().iter().enumerate() {
            let factor = f64::from(model.factor(input).unwrap());
            least = least.max((factor - 0.5) / f64::from(scale));
            most = most.min((factor + 0.5) / f64::from(scale));
        }
        assert!(least <= most * (1.0 + 1e-9), "{least} {most}");
    }
}

/// The sums of transforms are no whole numbers, so their thresholds become the nearest ones.
#[test]
fn cuts_of_transforms_are_thresholds_rounded_to_the_nearest() {
    let mut random = Random::new(312);
    let forms = [Form::Structured, Form::SUBSETS, Form::Boxes(Grid::image(6, 4))];
    for form in forms {
        for policy in [Policy::MinVariance, Policy::FourBand] {
            let x = samples(&mut random);
            let floats = floats(&x);
            let params = TernaryFeatures::params(64).form(form).policy(policy).standardise(false);
            let fitted = params.fit(&Samples::new(&floats, INPUTS).unwrap()).unwrap();
            let export = export(&fitted, &x);
            let model = export.model().unwrap();
            let ModelSigma::Bands(cuts) = model.sigma() else { panic!("{:?}", model.sigma()) };
            let power = f64::from(1_u32 << model.shift());
            let values = fitted.thresholds().values().unwrap();
            for (cut, value) in cuts.into_iter().zip(values).filter(|(_, value)| value.is_finite())
            {
                let off = f64::from(cut) - f64::from(value) * power;
                assert!(off.abs() <= 0.5, "{form:?} {policy}: {cut} for {}", off);
            }
        }
    }
}

/// Neither classes nor numbers are predicted for a part of a sample.
#[test]
fn samples_that_are_not_whole_are_refused_by_exports() {
    let x = samples(&mut Random::new(313));
    let floats = floats(&x);
    let params = TernaryFeatures::params(64).form(Form::SUBSETS);
    let fitted = params.fit(&Samples::new(&floats, INPUTS).unwrap()).unwrap();
    let integer = IntegerFeatures::new(&fitted, &x).unwrap();
    let features = integer.transform(&x).unwrap();
    let targets = Matrix::from_vec(SAMPLES, 1, (0..SAMPLES).map(|k| k as f32).collect()).unwrap();
    let model = Ridge::default().fit(&features, &targets).unwrap();
    let numbers = Readout::fit_numbers(&model, &features, Ridge::default(), Bits::One).unwrap();
    let numbers = Export::new(&integer, &numbers).unwrap();
    let classes = export(&fitted, &x);
    for found in [1, INPUTS - 1] {
        let part = &x[..2 * INPUTS + found];
        let (buffer, expected) = (Buffer::Samples, INPUTS);
        let refused = Error::from(CoreError::LengthMismatch { buffer, expected, found });
        assert_eq!(classes.predict(part).unwrap_err(), refused);
        assert_eq!(numbers.predict_numbers(part).unwrap_err(), refused);
    }
}

/// Labels of noise, which one bit a weight fits worse than floats do.
#[test]
fn costs_are_the_accuracies_of_both_readouts() {
    let mut random = Random::new(314);
    let x = samples(&mut random);
    let floats = floats(&x);
    let params = TernaryFeatures::params(64).form(Form::SUBSETS);
    let fitted = params.fit(&Samples::new(&floats, INPUTS).unwrap()).unwrap();
    let features = IntegerFeatures::new(&fitted, &x).unwrap().transform(&x).unwrap();
    let labels: Vec<usize> = (0..SAMPLES).map(|_| random.below(3)).collect();
    let classifier = Ridge::default().fit_classes(&features, &labels).unwrap();
    let readout = Readout::fit(&classifier, &features, Ridge::default(), Bits::One).unwrap();
    let cost = readout.cost(&classifier, &features, &labels).unwrap();
    let float = accuracy(&classifier.predict(&features).unwrap(), &labels);
    let integer = accuracy(&readout.predict(&features).unwrap(), &labels);
    assert!(float != integer, "{float}");
    assert_eq!((cost.float, cost.integer), (float, integer));
}

/// Numbers of the whole range of 16 bits about a mean near either end of it.
#[test]
fn numbers_without_room_are_refused_at_either_end() {
    for (often, found) in [(i16::MAX, i16::MIN), (i16::MIN, i16::MAX)] {
        let x: Vec<i16> = (0..900).map(|k| [found, often, often][k % 3]).collect();
        let floats = floats(&x);
        let fitted = TernaryFeatures::params(64).fit(&Samples::new(&floats, 1).unwrap()).unwrap();
        let refused = IntegerFeatures::new(&fitted, &x).unwrap_err();
        let Error::Export(ExportError::Range { input: 0, found: number, .. }) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(number, found);
    }
}
