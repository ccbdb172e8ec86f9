//! Saved objects and models that were changed, with a wrong checksum and with a right one.

use super::{fitted, noise, refused};
use ternion::export::{Bits, Export, IntegerFeatures, Readout};
use ternion::fit::Statistics;
use ternion::learn::{
    Classifier, KernelModel, KernelRidge, LinearModel, Moments, Ridge, TargetMoments,
    TernaryClassifier, TernaryRegressor,
};
use ternion::ternion_core::model::{Model, Predictor, crc32};
use ternion::{Error, Gram, Matrix, Samples, TernaryFeatures};

/// Everything that reads bytes, on whatever is saved with a change in any byte, and on its beginnings.
pub fn bytes() {
    let ternary = fitted(64);
    let data = noise(80);
    let samples = Samples::new(&data, 8).unwrap();
    let labels: Vec<u32> = (0..10).map(|sample| sample % 2).collect();
    let classifier =
        TernaryClassifier::fit(TernaryFeatures::params(64), Ridge::default(), &samples, &labels)
            .unwrap();
    let mut moments = Moments::new(&ternary, 2).unwrap();
    let classes: Vec<usize> = (0..10).map(|sample| sample % 2).collect();
    moments.add(&ternary.transform(&samples).unwrap(), &classes).unwrap();
    for saved in [ternary.to_bytes(), classifier.to_bytes(), moments.to_bytes()] {
        for at in 0..saved.len().min(400) {
            for change in [1, 0x80, 0xff] {
                let mut changed = saved.clone();
                changed[at] ^= change;
                read(&changed);
            }
            read(&saved[..at]);
        }
        read(&[saved.as_slice(), &[0]].concat());
    }
}

/// Every reader refuses bytes that were changed, or of another kind.
fn read(bytes: &[u8]) {
    assert!(TernaryFeatures::from_bytes(bytes).is_err());
    assert!(TernaryClassifier::<u32>::from_bytes(bytes).is_err());
    assert!(TernaryRegressor::from_bytes(bytes).is_err());
    assert!(Statistics::from_bytes(bytes).is_err());
    assert!(Moments::from_bytes(bytes).is_err());
    assert!(TargetMoments::from_bytes(bytes).is_err());
    assert!(LinearModel::from_bytes(bytes).is_err());
    assert!(Classifier::from_bytes(bytes).is_err());
    assert!(KernelModel::from_bytes(bytes).is_err());
    assert!(Export::from_bytes(bytes.to_vec()).is_err());
}

/// Numbers that are written over others: sizes above all.
const NUMBERS: [u64; 11] = [
    0,
    1,
    2,
    u64::MAX,
    1 << 20,
    1 << 30,
    1 << 31,
    1 << 40,
    1 << 61,
    1 << 63,
    // A NaN, and in halves two of f32.
    0x7FF8_0000_7FC0_0000,
];

/// Every saved object with other numbers in every place, and cut off everywhere, where length and checksum are right: the
/// checksum refuses nothing, what is behind it has to.
pub fn repaired() {
    let ternary = fitted(64);
    let data = noise(80);
    let samples = Samples::new(&data, 8).unwrap();
    let labels: Vec<u32> = (0..10).map(|sample| sample % 2).collect();
    let classes: Vec<usize> = (0..10).map(|sample| sample % 2).collect();
    let targets = Matrix::column(noise(10)).unwrap();
    let (params, ridge) = (|| TernaryFeatures::params(64), Ridge::default());
    let classifier = TernaryClassifier::fit(params(), ridge, &samples, &labels).unwrap();
    let regressor = TernaryRegressor::fit(params(), ridge, &samples, &targets).unwrap();
    let features = ternary.transform(&samples).unwrap();
    let mut moments = Moments::new(&ternary, 2).unwrap();
    moments.add(&features, &classes).unwrap();
    let mut of_targets = TargetMoments::new(&ternary, 1).unwrap();
    of_targets.add(&features, &targets).unwrap();
    let mut statistics = Statistics::new(8).unwrap();
    statistics.add(&samples).unwrap();
    let kernel = KernelRidge::new(1.0).unwrap();
    let kernel = kernel.fit(&Gram::new(&features).matrix().unwrap(), &targets).unwrap();

    each_change(&ternary.to_bytes(), |bytes| {
        let ternary = TernaryFeatures::from_bytes(bytes)?;
        let data = vec![0.5_f32; ternary.inputs()];
        let _ = ternary.transform(&Samples::new(&data, ternary.inputs())?);
        Ok(ternary.to_bytes())
    });
    each_change(&classifier.to_bytes(), |bytes| {
        let classifier = TernaryClassifier::<u32>::from_bytes(bytes)?;
        let _ = classifier.predict(&samples);
        Ok(classifier.to_bytes())
    });
    each_change(&regressor.to_bytes(), |bytes| {
        let regressor = TernaryRegressor::from_bytes(bytes)?;
        let _ = regressor.predict(&samples);
        Ok(regressor.to_bytes())
    });
    each_change(&moments.to_bytes(), |bytes| {
        let moments = Moments::from_bytes(bytes)?;
        let _ = (ridge.fit_moments(&moments), moments.clone().merge(&moments));
        let _ = moments.clone().add(&features, &classes);
        Ok(moments.to_bytes())
    });
    each_change(&of_targets.to_bytes(), |bytes| {
        let moments = TargetMoments::from_bytes(bytes)?;
        let _ = (ridge.fit_target_moments(&moments), moments.clone().merge(&moments));
        let _ = moments.clone().add(&features, &targets);
        Ok(moments.to_bytes())
    });
    each_change(&statistics.to_bytes(), |bytes| {
        let statistics = Statistics::from_bytes(bytes)?;
        let _ = (statistics.mean(), statistics.variance(), statistics.evenness());
        let _ = (params().fit_statistics(&statistics), statistics.clone().merge(&statistics));
        let _ = statistics.clone().add(&samples);
        Ok(statistics.to_bytes())
    });
    each_change(&regressor.model().to_bytes(), |bytes| {
        let model = LinearModel::from_bytes(bytes)?;
        let _ = model.predict(&features);
        Ok(model.to_bytes())
    });
    each_change(&classifier.classifier().to_bytes(), |bytes| {
        let classifier = Classifier::from_bytes(bytes)?;
        let _ = (classifier.predict(&features), classifier.probabilities(&features));
        Ok(classifier.to_bytes())
    });
    each_change(&kernel.to_bytes(), |bytes| {
        let kernel = KernelModel::from_bytes(bytes)?;
        let _ = kernel.predict(&Matrix::column(vec![1.0; 10])?);
        Ok(kernel.to_bytes())
    });
}

/// Reads every change of saved bytes. What is accepted must be what the bytes say: it is written again as the same bytes.
fn each_change(saved: &[u8], read: impl Fn(&[u8]) -> Result<Vec<u8>, Error>) {
    assert_eq!(read(saved).unwrap(), saved);
    let frames: Vec<usize> =
        (0..saved.len()).filter(|&at| saved[at..].starts_with(b"TRNS")).collect();
    let (mut accepted, mut refused) = (0, 0);
    let mut check = |mut bytes: Vec<u8>, frames: &[usize]| {
        repair(&mut bytes, saved, frames);
        match read(&bytes) {
            Ok(again) => {
                assert_eq!(again, bytes);
                accepted += 1;
            }
            Err(error) => {
                let message = error.to_string();
                assert!(!message.contains("CRC-32"), "{message}");
                refused += 1;
            }
        }
    };
    // All of the first and the last kilobyte, and some of what is between.
    let places =
        (4..saved.len() - 4).filter(|at| *at < 1024 || at + 1024 > saved.len() || at % 61 == 0);
    for at in places {
        for change in [1, 0x80, 0xff] {
            let mut changed = saved.to_vec();
            changed[at] ^= change;
            check(changed, &frames);
        }
        if at % 4 == 0 && at >= 16 && at + 12 <= saved.len() {
            for number in NUMBERS {
                let mut changed = saved.to_vec();
                changed[at..at + 8].copy_from_slice(&number.to_le_bytes());
                check(changed, &frames);
            }
        }
        if at >= 20 {
            check(saved[..at].to_vec(), &[0]);
        }
    }
    check([saved, &[0; 8]].concat(), &[0]);
    assert!(accepted > 0 && refused > 100, "{accepted} accepted, {refused} refused");
}

/// Makes the length of the whole right, and the checksum of every frame in it, the inner ones first.
fn repair(bytes: &mut [u8], saved: &[u8], frames: &[usize]) {
    for &start in frames.iter().rev() {
        let end = match start {
            0 => bytes.len(),
            _ => {
                let length = saved[start + 8..].first_chunk().unwrap();
                start + u64::from_le_bytes(*length) as usize
            }
        };
        let frame = &mut bytes[start..end];
        let length = frame.len();
        if start == 0 {
            frame[8..16].copy_from_slice(&(length as u64).to_le_bytes());
        }
        let checksum = crc32(&frame[..length - 4]);
        frame[length - 4..].copy_from_slice(&checksum.to_le_bytes());
    }
}

/// Models for microcontrollers, likewise: what is accepted predicts, whatever it predicts.
pub fn models() {
    let ternary = fitted(64);
    let data: Vec<i8> = noise(80).iter().map(|x| (100.0 * x) as i8).collect();
    let integer = IntegerFeatures::new(&ternary, &data).unwrap().without_mean().unwrap();
    let features = integer.transform(&data).unwrap();
    let labels: Vec<usize> = (0..10).map(|sample| sample % 3).collect();
    let ridge = Ridge::default();
    let classifier = ridge.fit_classes(&features, &labels).unwrap();
    let readout = Readout::fit(&classifier, &features, ridge, Bits::Two).unwrap();
    let saved = Export::new(&integer, &readout).unwrap().bytes().to_vec();
    let read = |mut bytes: Vec<u8>| {
        let length = bytes.len();
        bytes[8..12].copy_from_slice(&(length as u32).to_le_bytes());
        let checksum = crc32(&bytes[..length - 4]);
        bytes[length - 4..].copy_from_slice(&checksum.to_le_bytes());
        let Ok(model) = Model::from_bytes(&bytes) else { return };
        let mut scratch = vec![0; model.scratch_words()];
        let sample = vec![i16::MIN; model.inputs()];
        let _ = model.predict(&sample, &mut scratch);
        let _ = model.scores(&sample, &mut scratch).map(|scores| scores.len());
        let _ = model.featurize(&sample, &mut scratch, |_, _| ());
        for at in [0, 1, 7, 8, 63, 64, 1 << 31, usize::MAX / 2, 1 << 63, usize::MAX] {
            let inside = at < model.inputs();
            assert!(inside || model.mean(at) == 0 && model.factor(at).unwrap_or(0) == 0, "{at}");
            let _ = (model.word(at), model.head(at), model.fraction(at));
            assert!(at < 64 || model.weight(at, at).is_none());
        }
        let _ = Predictor::<4096>::new(model).map(|mut predictor| predictor.predict(&sample));
        let _ = Predictor::<0>::new(model).map(|_| ());
        refused(Export::from_bytes(bytes[1..].to_vec()));
        let export = Export::from_bytes(bytes.clone()).unwrap();
        let _ = (export.predict(&sample), export.predict_numbers(&sample));
    };
    for at in 4..saved.len() - 4 {
        for change in [1, 2, 0x40, 0x80, 0xff] {
            let mut changed = saved.clone();
            changed[at] ^= change;
            read(changed);
        }
        if at % 2 == 0 && at >= 12 && at + 12 <= saved.len() {
            for number in NUMBERS {
                let mut changed = saved.clone();
                changed[at..at + 8].copy_from_slice(&number.to_le_bytes());
                read(changed);
            }
        }
        if at >= 16 {
            read(saved[..at].to_vec());
        }
    }
}
