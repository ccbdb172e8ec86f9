//! Samples, parameters and preprocessing.

use super::{BAD, EXTREME, SIZES, different, fitted, noise, refused};
use ternion::batch::Columns;
use ternion::fit::{CheckedParams, Params, Preprocess, Statistics, Steps};
use ternion::{
    Features, Form, Grid, Matrix, Policy, Samples, Scaling, Target, TernaryFeatures, TritMatrix,
};

pub fn samples() {
    let data = noise(8);
    for inputs in SIZES {
        if let Ok(samples) = Samples::new(&data, inputs) {
            for at in SIZES {
                let _ = (
                    samples.get(at),
                    samples.slice(at..at),
                    samples.slice(0..at),
                    samples.slice(at..usize::MAX),
                );
            }
        }
    }
}

pub fn statistics() {
    for inputs in SIZES {
        if let Ok(statistics) = Statistics::new(inputs) {
            let _ = (statistics.mean(), statistics.variance(), statistics.evenness());
            refused(Preprocess::from_statistics(&statistics, Steps::default()));
        }
    }
}

pub fn sizes_of_features() {
    let data = noise(80);
    let samples = Samples::new(&data, 8).unwrap();
    let forms = [
        Form::Stored,
        Form::Seeded,
        Form::Structured,
        Form::Boxes(Grid::series(8)),
        Form::Subsets { least: 2, most: 4 },
    ];
    for features in SIZES {
        for form in forms {
            let params = TernaryFeatures::params(features).form(form);
            if let Ok(fitted) = params.fit(&samples)
                && let Ok(transformed) = fitted.transform(&samples)
            {
                assert_eq!(transformed.features(), features);
            }
        }
    }
}

pub fn parameters() {
    let data = noise(80);
    let samples = Samples::new(&data, 8).unwrap();
    for number in BAD.into_iter().chain(EXTREME) {
        let params = || TernaryFeatures::params(64);
        for policy in [Policy::Automatic, Policy::MinVariance, Policy::FourBand, Policy::Periodic] {
            for scaling in [Scaling::Unit, Scaling::Row, Scaling::Keep] {
                for target in [
                    Target::gaussian(number),
                    Target::laplacian(number),
                    Target::relu().scaled(number),
                ] {
                    let params = params().target(target).policy(policy).scaling(scaling);
                    let _ = params.fit(&samples).and_then(|fitted| fitted.transform(&samples));
                }
            }
        }
        let _ = params().sparsity(number).fit(&samples);
    }
    for inputs in SIZES {
        let _ = TernaryFeatures::params(64)
            .form(Form::Subsets { least: inputs, most: inputs })
            .fit(&samples);
        let _ = TernaryFeatures::params(64)
            .form(Form::Boxes(Grid::image(inputs, inputs)))
            .fit(&samples);
    }
}

pub fn numbers() {
    let ternary = fitted(64);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut data = noise(80);
        data[79] = bad;
        let samples = Samples::new(&data, 8).unwrap();
        refused(TernaryFeatures::params(64).fit(&samples));
        refused(ternary.transform(&samples));
        refused(Statistics::new(8).unwrap().add(&samples));
    }
    for extreme in [f32::MAX, f32::MIN_POSITIVE, 1e-45, 0.0] {
        let data: Vec<f32> =
            noise(80).iter().map(|x| if *x > 0.0 { extreme } else { -extreme }).collect();
        let samples = Samples::new(&data, 8).unwrap();
        let _ =
            TernaryFeatures::params(64).fit(&samples).and_then(|fitted| fitted.transform(&samples));
        let _ = ternary.transform(&samples);
    }
}

pub fn preprocessing() {
    let data = noise(80);
    let samples = Samples::new(&data, 8).unwrap();
    let ends = [0.0, -0.0, 1e-45, f32::MIN_POSITIVE, f32::MAX, f32::MIN, f32::NAN, f32::INFINITY];
    for mean in ends {
        for scale in ends {
            for square in BAD.into_iter().chain(EXTREME) {
                let parts = (Some(vec![mean; 8]), Some(vec![scale; 8]), vec![square; 8]);
                let Ok(made) = Preprocess::new(parts.0, parts.1, parts.2, Scaling::Unit) else {
                    continue;
                };
                assert!(mean.is_finite() && scale.is_finite() && square > 0.0);
                let _ = made.apply(samples).map(|samples| samples.len());
                let params: Params = TernaryFeatures::params(64);
                let _ = params.fit_preprocess(made).map(|fitted| fitted.transform(&samples));
            }
        }
    }
    for steps in [None, Some(false), Some(true)] {
        let steps = Steps { centre: true, standardise: steps, scaling: Scaling::Row };
        let _ = Preprocess::fit(&samples, steps).unwrap();
        for extreme in [0.0, 1e-45, f32::MAX] {
            let data = [extreme; 16];
            let _ = Preprocess::fit(&Samples::new(&data, 8).unwrap(), steps);
            let mut statistics = Statistics::new(8).unwrap();
            let _ = statistics.add(&Samples::new(&data, 8).unwrap());
            refused(statistics.merge(&Statistics::new(7).unwrap()));
            let params = TernaryFeatures::params(64).check();
            let params: CheckedParams = params.unwrap();
            let _ = params.fit_statistics(&statistics);
        }
    }
    for columns in [vec![], vec![&data[..0]], vec![&data[..1], &data[..2]], vec![&data[..]; 70_000]]
    {
        refused(Columns::new(columns).map(|_| ()));
    }
    for features in SIZES {
        let _ = TernaryFeatures::params(features).check();
    }
}

pub fn planes() {
    let ternary = fitted(64);
    let data = noise(80);
    let samples = Samples::new(&data, 8).unwrap();
    for (sign, mask) in [(0, 0), (10, 0), (0, 10), (9, 10), (11, 10)] {
        let (mut sign, mut mask) = (vec![u64::MAX; sign], vec![u64::MAX; mask]);
        refused(ternary.transform_into(&samples, &mut sign, &mut mask));
    }
    for rows in SIZES {
        for cols in SIZES {
            assert!(TritMatrix::new(rows, cols, vec![0_u64; 7], vec![0; 7]).is_err());
        }
    }
    let features = different(9, 70);
    refused(Features::concat([]));
    refused(Features::concat([&features, &different(9, 71)]));
    for room in [0, 1, 629, 631] {
        refused(features.unpack_into(&mut vec![0_i8; room]));
    }
    for at in SIZES {
        assert!(features.row(at).is_none() || at < 9);
    }
    // A Gram matrix of features is m² numbers, and so is unpacking what is packed.
    refused(different(1, 1 << 20).second_moments());
    refused(different(8, 1 << 26).unpack::<f64>().map(|numbers: Matrix<f64>| numbers.rows()));
    // 64 samples of a single sample's size each, turned round.
    let _ = different(1, 1 << 26).transposed().map(|features| features.len());
}
