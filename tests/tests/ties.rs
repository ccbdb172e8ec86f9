//! Scores that are equal: the first of the largest is the class, in every readout and in models.

use ternion::export::{Bits, Export, IntegerFeatures, Readout};
use ternion::learn::{Classifier, KernelModel, LinearModel, Predictor, Ridge, TernaryClassifier};
use ternion::{Form, Matrix, Samples, TernaryFeatures};
use ternion_core::model::Model;
use ternion_tests::data::Random;
use ternion_tests::model::PlainModel;

const INPUTS: usize = 8;
const FEATURES: usize = 70;
const SAMPLES: usize = 40;

/// A classifier whose second and third class always score the same, above the first.
fn tied(random: &mut Random) -> Classifier {
    let row = |random: &mut Random| {
        let weight = random.normal() as f32;
        [weight, weight, weight]
    };
    let weights = (0..FEATURES).flat_map(|_| row(random)).collect();
    let weights = Matrix::from_vec(FEATURES, 3, weights).unwrap();
    Classifier::new(LinearModel::new(weights, vec![-1.0, 0.5, 0.5]).unwrap()).unwrap()
}

#[test]
fn equal_scores_of_readouts_go_to_the_first_class() {
    let mut random = Random::new(71);
    let x: Vec<i8> = (0..SAMPLES * INPUTS).map(|_| random.bits() as i8).collect();
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    let samples = Samples::new(&floats, INPUTS).unwrap();
    let fit = || TernaryFeatures::params(FEATURES).form(Form::Seeded).fit(&samples).unwrap();
    let features = fit().transform(&samples).unwrap();
    let classifier = tied(&mut random);
    assert_eq!(classifier.predict(&features).unwrap(), [1; SAMPLES]);
    let mut predictor = Predictor::new(fit(), classifier.model()).unwrap();
    floats.chunks(INPUTS).for_each(|x| assert_eq!(predictor.class(x).unwrap(), 1));
    let named = TernaryClassifier::new(fit(), classifier.clone(), vec!["a", "b", "c"]).unwrap();
    assert_eq!(named.predict(&samples).unwrap(), ["b"; SAMPLES]);

    let integer = IntegerFeatures::new(&fit(), &x).unwrap();
    let features = integer.transform(&x).unwrap();
    for bits in [Bits::One, Bits::Four] {
        let readout = Readout::fit(&classifier, &features, Ridge::default(), bits).unwrap();
        assert_eq!(readout.predict(&features).unwrap(), [1; SAMPLES]);
        assert_eq!(Export::new(&integer, &readout).unwrap().predict(&x).unwrap(), [1; SAMPLES]);
    }

    let coefficients = Matrix::from_vec(3, 2, vec![0.0, 0.0, 1.0, 2.0, 1.0, 2.0]).unwrap();
    let kernel = KernelModel::new(&coefficients, vec![0.0; 3]).unwrap();
    let cross = Matrix::from_vec(2, 2, vec![1.0, 0.5, -1.0, -0.5]).unwrap();
    assert_eq!(kernel.predict_classes(&cross).unwrap(), [1, 0]);
}

/// Two classes become one score, their difference, which is zero here.
#[test]
fn two_classes_with_equal_scores_give_the_first_in_every_readout() {
    let mut random = Random::new(72);
    let x: Vec<i8> = (0..SAMPLES * INPUTS).map(|_| random.bits() as i8).collect();
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    let samples = Samples::new(&floats, INPUTS).unwrap();
    let fit = TernaryFeatures::params(FEATURES).form(Form::Seeded).fit(&samples).unwrap();
    let weights = (0..FEATURES).flat_map(|_| [random.normal() as f32; 2]).collect();
    let weights = Matrix::from_vec(FEATURES, 2, weights).unwrap();
    let model = LinearModel::new(weights, vec![0.5; 2]).unwrap();
    let classifier = Classifier::new(model).unwrap();
    let integer = IntegerFeatures::new(&fit, &x).unwrap();
    let features = integer.transform(&x).unwrap();
    assert_eq!(classifier.predict(&features).unwrap(), [0; SAMPLES]);
    for bits in [Bits::One, Bits::Four] {
        let readout = Readout::fit(&classifier, &features, Ridge::default(), bits).unwrap();
        assert_eq!(readout.predict(&features).unwrap(), [0; SAMPLES]);
        assert_eq!(Export::new(&integer, &readout).unwrap().predict(&x).unwrap(), [0; SAMPLES]);
    }
}

#[test]
fn equal_scores_of_models_go_to_the_first_class_and_zero_is_not_positive() {
    // Features of (10, 10), (0, 0) and (−10, −10) are all +1, 0 or −1.
    let plain = PlainModel::of_two_inputs;
    let classes = |plain: &PlainModel| {
        let bytes = plain.to_bytes();
        let model = Model::from_bytes(&bytes).unwrap();
        let mut scratch = vec![0; model.scratch_words()];
        [10_i8, 0, -10].map(|x| {
            plain.check(&model, &[x, x]);
            model.predict(&[x, x], &mut scratch).unwrap()
        })
    };
    assert_eq!(classes(&plain(&[[-1, -1], [3, 1], [3, 1]], &[0; 3])), [1, 0, 0]);
    assert_eq!(classes(&plain(&[[1, -1], [1, -1], [1, -1]], &[0, 7, 7])), [1; 3]);
    assert_eq!(classes(&plain(&[[1, 1]], &[0])), [1, 0, 0]);
    assert_eq!(classes(&plain(&[[1, 1]], &[2])), [1, 1, 0]);
}
