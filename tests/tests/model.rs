//! Models against the oracle: the bytes, the features, the scores; and bytes that are not models.

use ternion_core::model::{Field, Model, ModelError, ModelTask, Predictor, crc32};
use ternion_core::{Buffer, Error, Size};
use ternion_tests::data::Random;
use ternion_tests::model::{self, PlainModel, PlainProjection, random_model};
use ternion_tests::oracle;

/// The example of the documentation: sums and differences of two numbers.
fn xor() -> PlainModel {
    PlainModel {
        inputs: 2,
        shift: 0,
        mean: None,
        factors: None,
        words: None,
        projection: PlainProjection::Stored(vec![1, 1, 1, -1]),
        features: 2,
        cuts: [-10, -10, 10, 10],
        periodic: false,
        fractions: None,
        bits: 2,
        weights: vec![vec![3, -3], vec![-3, 3]],
        heads: vec![(1, 0), (1, 0)],
    }
}

#[test]
fn the_example_has_the_bytes_of_the_page() {
    assert_eq!(xor().to_bytes(), include_bytes!("../../core/src/model/xor.trnm"));
    assert_eq!(crc32(b"123456789"), model::crc32(b"123456789"));
}

#[test]
fn every_model_matches_the_oracle() {
    let mut random = Random::new(6);
    let inputs = [1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 129, 200, 480];
    for inputs in inputs.into_iter().flat_map(|inputs| [inputs; 2]) {
        for features in [1, 2, 31, 32, 33, 64, 65, 150] {
            let model = random_model(&mut random, inputs, features);
            let bytes = model.to_bytes();
            let read = Model::from_bytes(&bytes).unwrap();
            assert_eq!(PlainModel::read(&read), model);
            let bytes: Vec<i8> = (0..inputs).map(|_| random.bits() as i8).collect();
            model.check(&read, &bytes);
            let bytes: Vec<u8> = (0..inputs).map(|_| random.bits() as u8).collect();
            model.check(&read, &bytes);
            let numbers: Vec<i16> = (0..inputs).map(|_| random.bits() as i16 >> 4).collect();
            model.check(&read, &numbers);
        }
    }
}

/// The largest numbers that exist, at cuts on both ends of the range.
#[test]
fn extremes_do_not_overflow() {
    let mut random = Random::new(7);
    for form in 0..5 {
        for cuts in [
            [i32::MIN; 4],
            [i32::MAX; 4],
            [i32::MIN, i32::MIN, i32::MAX, i32::MAX],
            [i32::MIN, i32::MIN, i32::MIN, i32::MAX],
            [1, 0, 0, 0],
            [0, 0, 1, 0],
        ] {
            let inputs = [1, 32, 200, 300][random.below(4)];
            let features = 40;
            let trits = random.trits(features * inputs, 0.0);
            let projection = match form {
                0 => PlainProjection::Stored(trits.clone()),
                1 => PlainProjection::Seeded(0, 5),
                2 => PlainProjection::Structured(5),
                3 => PlainProjection::Boxes([inputs as u16, 1, 1], 5),
                _ => PlainProjection::Subsets([1, 64], 5),
            };
            let model = PlainModel { inputs, projection, features, cuts, bits: 8, ..xor() };
            let model = PlainModel {
                weights: vec![vec![255; features], vec![-255; features]],
                heads: vec![(i32::MAX / (255 * features as i32), 0), (0, i32::MAX)],
                ..model
            };
            let bytes = model.to_bytes();
            let read = Model::from_bytes(&bytes).unwrap();
            // Every input at the end of the range that its first weight turns positive.
            let signs = match form {
                0 => trits[..inputs].to_vec(),
                1 => oracle::row_of_w(5, 0, 0, inputs),
                _ => vec![1; inputs],
            };
            let sample: Vec<i16> =
                signs.iter().map(|&sign| if sign > 0 { i16::MAX } else { i16::MIN }).collect();
            model.check(&read, &sample);
            model.check(&read, &vec![i16::MIN; inputs]);
        }
    }
}

#[test]
fn bad_samples_and_scratch_are_refused() {
    let bytes = PlainModel { shift: 1, mean: Some(vec![5, -5]), ..xor() }.to_bytes();
    let model = Model::from_bytes(&bytes).unwrap();
    assert!(model.bytes_fit(), "255 · 2 + 5 fits in 16 bits");
    assert_eq!(model.weight_planes(), &bytes[76..92], "two planes of two classes");
    // Twice some of these is 0.
    for beyond in [2, 1 << (usize::BITS - 1), usize::MAX] {
        assert_eq!(model.mean(beyond), 0);
    }
    let mut scratch = vec![0; model.scratch_words()];
    let (buffer, expected) = (Buffer::Samples, 2);
    for found in [0, 1, 3] {
        let refused = Err(Error::LengthMismatch { buffer, expected, found });
        assert_eq!(model.predict(&vec![0_i8; found], &mut scratch), refused);
    }
    let (buffer, needed) = (Buffer::ModelScratch, model.scratch_words());
    for found in [0, 1, 2, needed - 1] {
        let refused = Err(Error::TooShort { buffer, needed, found });
        assert_eq!(model.predict(&[0_i8; 2], &mut scratch[..found]), refused);
    }
    // 2·x − 5 and 2·x + 5 fit in 16 bits up to here.
    assert!(model.predict(&[-16_381_i16, 16_381], &mut scratch).is_ok());
    let refused = model.predict(&[-16_382_i16, 16_381], &mut scratch);
    assert_eq!(refused, Err(Error::OutOfRange { input: 0, found: -16_382 }));
    let refused = model.predict(&[0_i16, 16_382], &mut scratch);
    assert_eq!(refused, Err(Error::OutOfRange { input: 1, found: 16_382 }));

    let short = Error::TooShort { buffer, needed, found: 9 };
    assert_eq!(Predictor::<9>::new(model).map(|_| ()), Err(short));
    let mut predictor = Predictor::<200>::new(model).unwrap();
    assert_eq!(predictor.model().bytes(), bytes);
    assert_eq!(predictor.predict(&[20_i8, -20]), Ok(1));
}

#[test]
fn every_rule_has_its_error() {
    let good = xor().to_bytes();
    let length = good.len();
    let broken = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        Model::from_bytes(&bytes).map(|_| ()).unwrap_err()
    };
    // Repairs the length and the checksum after the change.
    let field = |change: &dyn Fn(&mut Vec<u8>)| {
        broken(&|bytes| {
            change(bytes);
            model::fix(bytes);
        })
    };
    let needed = length as u64;
    assert_eq!(Model::from_bytes(&[]), Err(ModelError::Truncated { needed: 60, found: 0 }));
    for found in 5..56 {
        let refused = Err(ModelError::Truncated { needed: 60, found });
        assert_eq!(Model::from_bytes(&good[..found]), refused);
    }
    for found in 56..length {
        assert_eq!(Model::from_bytes(&good[..found]), Err(ModelError::Truncated { needed, found }));
    }
    assert_eq!(broken(&|b| b[3] = b'X'), ModelError::Magic { found: *b"TRNX" });
    assert_eq!(broken(&|b| b[4] = 1), ModelError::Version { expected: 2, found: 1 });
    assert_eq!(broken(&|b| b.push(0)), ModelError::Length { expected: needed, found: needed + 1 });
    assert!(matches!(broken(&|b| b[60] ^= 1), ModelError::Checksum { .. }));
    let wrong = |field, found| ModelError::Field { field, found };
    // An unknown projection has no stored planes.
    let structured = PlainModel { projection: PlainProjection::Structured(0), ..xor() };
    let mut unknown = structured.to_bytes();
    unknown[5] = 5;
    model::fix(&mut unknown);
    assert_eq!(Model::from_bytes(&unknown), Err(wrong(Field::Form, 5)));
    assert_eq!(field(&|b| b[6] = 2), wrong(Field::Sigma, 2));
    assert_eq!(field(&|b| b[7] = 0), wrong(Field::Bits, 0));
    assert_eq!(field(&|b| b[7] = 9), wrong(Field::Bits, 9));
    assert_eq!(field(&|b| b[14] = 0), wrong(Field::Outputs, 0));
    assert_eq!(field(&|b| b[20] = 16), wrong(Field::Shift, 16));
    assert_eq!(field(&|b| b[21] = 8), wrong(Field::Sections, 8));
    assert_eq!(field(&|b| b[21] = 4), wrong(Field::Sections, 4));
    assert_eq!(field(&|b| b[22] = 2), wrong(Field::Task, 2));
    assert_eq!(field(&|b| b[23] = 255), ModelError::Padding { offset: 23 });
    assert_eq!(field(&|b| b[31] = 1), wrong(Field::Seed, 1 << 56));
    assert!(matches!(field(&|b| b[16] = 33), ModelError::Length { .. }));
    assert!(matches!(field(&|b| b[19] = 255), ModelError::Length { .. }));
    assert!(matches!(field(&|b| b[21] = 1), ModelError::Length { .. }));
    assert_eq!(field(&|b| b[32] = 1), ModelError::Padding { offset: 32 });
    let no_inputs = PlainModel { inputs: 0, ..structured.clone() };
    assert_eq!(
        Model::from_bytes(&no_inputs.to_bytes()),
        Err(ModelError::Sizes(Error::ZeroSize { size: Size::Inputs }))
    );
    let no_features = PlainModel { features: 0, weights: vec![vec![]; 2], ..xor() };
    let no_features = PlainModel { projection: PlainProjection::Seeded(0, 0), ..no_features };
    assert_eq!(
        Model::from_bytes(&no_features.to_bytes()),
        Err(ModelError::Sizes(Error::ZeroSize { size: Size::Features }))
    );
    for found in [[5, 3, 9, 9], [0, 0, -1, 9], [0, 5, 9, 4], [0, 0, 9, 7]] {
        let bytes = PlainModel { cuts: found, ..xor() }.to_bytes();
        assert_eq!(Model::from_bytes(&bytes), Err(ModelError::Thresholds { found }));
    }
    let padded = PlainModel { cuts: [1, 2, 3, 4], periodic: true, ..xor() }.to_bytes();
    assert_eq!(Model::from_bytes(&padded), Err(ModelError::Padding { offset: 52 }));
    // One input, so that means, factors and word numbers end in two zero bytes: at 58, 62 and 66.
    let odd = PlainModel { inputs: 1, mean: Some(vec![7]), factors: Some(vec![7]), ..xor() };
    let projection = PlainProjection::Subsets([1, 1], 5);
    let odd = PlainModel { words: Some(vec![7]), projection, ..odd }.to_bytes();
    assert!(Model::from_bytes(&odd).is_ok());
    for offset in [58, 62, 66] {
        let mut bytes = odd.clone();
        bytes[offset + 1] = 1;
        model::fix(&mut bytes);
        assert_eq!(Model::from_bytes(&bytes), Err(ModelError::Padding { offset }));
    }
    // The planes start at 56, the weights at 72, the heads at 88.
    let planes = ModelError::Planes;
    assert_eq!(field(&|b| b[68] = 1), planes(Error::SignOutsideMask { row: 1, col: 1 }));
    assert_eq!(field(&|b| b[68] = 7), planes(Error::DirtyTail { row: 1 }));
    assert_eq!(field(&|b| b[76] = 4), ModelError::Padding { offset: 76 });
    for (scale, bias, fits) in [
        (-1, 0, false),
        (i32::MAX / 6, 1, true),
        (i32::MAX / 6, 2, false),
        (i32::MAX, 0, false),
        (0, i32::MIN, false),
        (0, i32::MAX, true),
    ] {
        let bytes = PlainModel { heads: vec![(1, 0), (scale, bias)], ..xor() }.to_bytes();
        let refused = Model::from_bytes(&bytes).err();
        assert_eq!(refused, (!fits).then_some(ModelError::Scores { output: 1 }), "{scale} {bias}");
    }
}

/// Behind the magic, the version and the length, which have errors of their own.
#[test]
fn every_bit_counts_for_the_checksum() {
    let good = xor().to_bytes();
    for at in (5..8).chain(12..good.len()) {
        for bit in 0..8 {
            let mut bytes = good.clone();
            bytes[at] ^= 1 << bit;
            let refused = Model::from_bytes(&bytes).map(|_| ()).unwrap_err();
            let (checked, stored) = bytes.split_at(good.len() - 4);
            let expected = model::crc32(checked);
            let found = u32::from_le_bytes(stored.try_into().unwrap());
            assert_eq!(refused, ModelError::Checksum { expected, found }, "byte {at}, bit {bit}");
        }
    }
}

/// Numbers are shifted by 7 bits; the mean leaves room for the last number of a byte, or not.
#[test]
fn bytes_fit_if_both_ends_of_their_range_do() {
    for (mean, end, fits) in
        [(-127, 255, true), (-128, 255, false), (16_384, -128, true), (16_385, -128, false)]
    {
        let bytes = PlainModel { shift: 7, mean: Some(vec![0, mean]), ..xor() }.to_bytes();
        let model = Model::from_bytes(&bytes).unwrap();
        assert_eq!(model.bytes_fit(), fits, "{mean}");
        let mut scratch = vec![0; model.scratch_words()];
        let found = match end {
            255 => model.predict(&[0_u8, 255], &mut scratch),
            _ => model.predict(&[0_i8, -128], &mut scratch),
        };
        let refused = Error::OutOfRange { input: 1, found: end };
        assert_eq!(found.err(), (!fits).then_some(refused), "{mean}");
    }
}

/// Two features, so that bits from the third on are zero in every plane of every output.
#[test]
fn no_plane_of_the_weights_has_bits_beyond_the_last_feature() {
    let good = xor().to_bytes();
    // Two outputs of two planes, behind the header and two rows of W.
    for offset in [72, 76, 80, 84] {
        for bit in 2..32 {
            let mut bytes = good.clone();
            bytes[offset + bit / 8] |= 1 << (bit % 8);
            model::fix(&mut bytes);
            let refused = Model::from_bytes(&bytes).map(|_| ()).unwrap_err();
            assert_eq!(refused, ModelError::Padding { offset }, "bit {bit}");
        }
    }
}

/// Grids and subsets that do not fit the inputs, and words out of order, with the numbers that are wrong.
#[test]
fn hostile_geometry_is_refused() {
    let of = |projection: PlainProjection, inputs: usize| {
        let model = PlainModel { inputs, projection, ..xor() };
        Model::from_bytes(&model.to_bytes()).map(|_| ())
    };
    let boxes = |grid: [u16; 3]| of(PlainProjection::Boxes(grid, 1), 784);
    assert_eq!(boxes([28, 28, 1]), Ok(()));
    assert_eq!(boxes([7, 28, 4]), Ok(()));
    let sizes = |size, expected, found| {
        Err(ModelError::Sizes(Error::SizeMismatch { size, expected, found }))
    };
    for (grid, expected) in [
        ([28, 29, 1], 812),
        ([27, 29, 1], 783),
        ([28, 28, 0], 0),
        ([0, 28, 1], 0),
        ([u16::MAX, u16::MAX, 1], 4_294_836_225),
    ] {
        assert_eq!(boxes(grid), sizes(Size::Inputs, expected, 784), "{grid:?}");
    }
    let refused = boxes([28, 29, 1]).unwrap_err().to_string();
    assert_eq!(refused, "the number of inputs must be 812, found 784");
    assert!(boxes([u16::MAX; 3]).is_err());
    let subsets = |counts: [u16; 2]| of(PlainProjection::Subsets(counts, 1), 20);
    let size = Size::SubsetInputs;
    assert_eq!(subsets([1, 64]), Ok(()));
    assert_eq!(subsets([0, 4]), Err(ModelError::Sizes(Error::ZeroSize { size })));
    let large = |max, found| Err(ModelError::Sizes(Error::SizeTooLarge { size, max, found }));
    assert_eq!(subsets([1, 65]), large(64, 65));
    assert_eq!(subsets([5, 4]), large(4, 5));

    let projection = PlainProjection::Subsets([1, 4], 1);
    let weights = vec![vec![3; 200]; 2];
    let model = PlainModel { features: 200, weights, projection, ..xor() };
    let words = |words: [u16; 4]| {
        let model = PlainModel { words: Some(words.to_vec()), ..model.clone() };
        Model::from_bytes(&model.to_bytes()).map(|_| ())
    };
    assert_eq!(words([0, 1, 2, 65_535]), Ok(()));
    assert_eq!(words([0, 0, 2, 3]), Err(ModelError::Words { index: 1 }));
    assert_eq!(words([0, 1, 5, 4]), Err(ModelError::Words { index: 3 }));
    // What the geometry of a form does not use.
    for (form, at) in [(0, 32), (1, 36), (2, 32), (3, 38), (4, 36)] {
        let projection = match form {
            0 => PlainProjection::Stored(vec![1; 4]),
            1 => PlainProjection::Seeded(7, 7),
            2 => PlainProjection::Structured(7),
            3 => PlainProjection::Boxes([1, 2, 1], 7),
            _ => PlainProjection::Subsets([1, 2], 7),
        };
        let mut bytes = PlainModel { projection, ..xor() }.to_bytes();
        bytes[39] = 1;
        model::fix(&mut bytes);
        let refused = Model::from_bytes(&bytes).map(|_| ());
        assert_eq!(refused, Err(ModelError::Padding { offset: at }));
    }
}

/// One output tells two classes apart; numbers are no classes.
#[test]
fn a_single_score_and_numbers() {
    let single = PlainModel { weights: vec![vec![-3, 3]], heads: vec![(1, 0)], ..xor() };
    let bytes = single.to_bytes();
    let model = Model::from_bytes(&bytes).unwrap();
    assert_eq!((model.outputs(), model.classes()), (1, 2));
    let mut scratch = vec![0; model.scratch_words()];
    assert_eq!(model.predict(&[10_i8, -10], &mut scratch), Ok(1));
    assert_eq!(model.predict(&[10_i8, 10], &mut scratch), Ok(0));
    assert_eq!(model.predict(&[0_i8, 0], &mut scratch), Ok(0), "not positive");
    let numbers = PlainModel { fractions: Some(vec![-3]), ..single };
    let mut bytes = numbers.to_bytes();
    let model = Model::from_bytes(&bytes).unwrap();
    assert_eq!((model.task(), model.classes()), (ModelTask::Numbers, 0));
    assert_eq!((model.fraction(0), model.fraction(1)), (Some(-3), None));
    let refused = model.predict(&[0_i8, 0], &mut scratch).unwrap_err();
    assert_eq!(refused, Error::NoClasses { outputs: 1 });
    assert!(refused.to_string().contains("(1), not classes: ask for its scores"));
    assert_eq!(model.scores(&[10_i8, -10], &mut scratch), Ok(&mut [6][..]));
    let offset = bytes.len() - 5;
    bytes[offset] = 1;
    model::fix(&mut bytes);
    assert_eq!(Model::from_bytes(&bytes), Err(ModelError::Padding { offset }));
}

/// Truncated, bit-flipped, spliced and overwritten models: none panics, and what is accepted is a
/// model by every rule, reads back to the same bytes and gives the oracle's scores.
#[test]
fn mutated_models_are_refused_or_right() {
    let count = std::env::var("TERNION_MUTATIONS").ok().and_then(|count| count.parse().ok());
    let count = count.unwrap_or(20_000_usize);
    let mut random = Random::new(8);
    let models: Vec<Vec<u8>> = (0..40)
        .map(|_| {
            let (inputs, features) = (1 + random.below(40), 1 + random.below(70));
            random_model(&mut random, inputs, features).to_bytes()
        })
        .collect();
    let (mut accepted, mut unfixed) = (0, 0);
    for round in 0..count {
        let original = &models[random.below(models.len())];
        let mut bytes = original.clone();
        for _ in 0..1 + random.below(3) {
            let end = if random.below(3) == 0 { bytes.len() } else { bytes.len().min(60) };
            let at = random.below(end);
            match random.below(8) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes.push(random.bits() as u8),
                2 => bytes[at] = [0, 1, 127, 128, 255][random.below(5)],
                3 => bytes[at] = random.bits() as u8,
                4 => {
                    bytes.remove(at);
                    bytes.push(0);
                }
                _ => bytes[at] ^= 1 << random.below(8),
            }
        }
        let fixed = round % 8 != 0;
        if fixed {
            model::fix(&mut bytes);
        }
        let Ok(read) = Model::from_bytes(&bytes) else { continue };
        accepted += 1;
        unfixed += (!fixed && bytes != *original) as usize;
        let again = PlainModel::read(&read);
        assert_eq!(again.to_bytes(), bytes, "accepted, but not as it reads");
        let sample: Vec<i16> = (0..read.inputs()).map(|_| random.bits() as i16 >> 5).collect();
        again.check(&read, &sample);
    }
    // Unless some mutations are valid models, the test proves little.
    assert!(accepted > count / 50, "{accepted} of {count}");
    assert_eq!(unfixed, 0, "a checksum let a change pass");
}
