//! From a fit to a model and back: any samples, form, policy and bits. The exported bytes must be read by the core as what
//! the desktop computes, and as what the oracle reads in them.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use ternion::export::{Bits, Export, IntegerFeatures, Readout};
use ternion::learn::Ridge;
use ternion::{Policy, Samples, Scaling, TernaryFeatures};
use ternion_core::model::Model;
use ternion_tests::forms::of_fits;
use ternion_tests::model::PlainModel;

#[derive(Arbitrary, Debug)]
struct Input {
    inputs: u8,
    features: u8,
    samples: u8,
    form: u8,
    policy: u8,
    bits: u8,
    classes: u8,
    seed: u64,
    centre: bool,
    standardise: bool,
    keep: bool,
    without_mean: bool,
    /// The samples are made of these, over and over.
    numbers: Vec<i16>,
    /// A sample that the fit has not seen.
    unseen: Vec<i16>,
}

fn cycle(numbers: &[i16], count: usize) -> Vec<i16> {
    let numbers = if numbers.is_empty() { &[0][..] } else { numbers };
    // Another step in every round, so that samples differ.
    (0..count)
        .map(|k| numbers[k % numbers.len()].wrapping_add((k / numbers.len()) as i16))
        .collect()
}

fuzz_target!(|input: Input| {
    let inputs = 1 + input.inputs as usize % 40;
    let features = 1 + input.features as usize % 100;
    let samples = 4 + input.samples as usize % 40;
    let classes = 2 + input.classes as usize % 3;
    let forms = of_fits(inputs);
    let form = forms[input.form as usize % forms.len()];
    let policies = [Policy::Automatic, Policy::MinVariance, Policy::FourBand, Policy::Periodic];
    let policy = policies[input.policy as usize % policies.len()];
    let bits = [Bits::One, Bits::Two, Bits::Three, Bits::Four, Bits::Eight];
    let bits = bits[input.bits as usize % bits.len()];

    let x = cycle(&input.numbers, samples * inputs);
    let floats: Vec<f32> = x.iter().map(|&x| x.into()).collect();
    let labels: Vec<usize> = (0..samples).map(|sample| sample % classes).collect();
    let params = TernaryFeatures::params(features).form(form).policy(policy).seed(input.seed);
    let params = params.centre(input.centre).standardise(input.standardise);
    let params = params.scaling(if input.keep { Scaling::Keep } else { Scaling::Unit });
    let Ok(fitted) = params.fit(&Samples::new(&floats, inputs).unwrap()) else { return };
    let Ok(mut integer) = IntegerFeatures::new(&fitted, &x) else { return };
    if input.without_mean {
        integer = match integer.without_mean() {
            Ok(integer) => integer,
            Err(_) => return,
        };
    }
    let Ok(transformed) = integer.transform(&x) else { return };
    let ridge = Ridge::default();
    let Ok(classifier) = ridge.fit_classes(&transformed, &labels) else { return };
    let Ok(readout) = Readout::fit(&classifier, &transformed, ridge, bits) else { return };
    let Ok(export) = Export::new(&integer, &readout) else { return };

    let model = Model::from_bytes(export.bytes()).expect("what was exported is a model");
    assert_eq!(Export::from_bytes(export.bytes().to_vec()).unwrap(), export);
    let plain = PlainModel::read(&model);
    assert_eq!(plain.to_bytes(), export.bytes());
    let predicted = export.predict(&x).unwrap();
    assert_eq!(predicted, readout.predict(&transformed).unwrap());
    for (sample, (row, class)) in
        x.chunks(inputs).zip(transformed.trits().iter_rows().zip(&predicted))
    {
        plain.check(&model, sample);
        let numbers: Vec<i64> = sample.iter().map(|&x| x.into()).collect();
        assert!(row.into_iter().eq(plain.features(&numbers).expect("samples of the fit")));
        assert_eq!(plain.predict(&numbers), Some(*class));
    }
    plain.check(&model, &cycle(&input.unseen, inputs));
    assert!(export.to_c_bytes("model").unwrap().contains("model"));
    assert!(export.to_rust("MODEL").unwrap().contains("MODEL"));
});
