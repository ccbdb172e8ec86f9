//! Bad input: each kind has its own error, and nothing is written.

use ternion_core::{
    Buffer, Error, IndexLists, Line, MAX_INPUTS, Native, RowLanes, Samples, Seeded, Size, Sparsity,
    Thresholds, TritMatrix, add_gram_upper, copy_upper_to_lower, dots, featurize, gram, gram_upper,
    plane_words, project, scratch_lines,
};

const INPUTS: usize = 70;
const FEATURES: usize = 65;

fn w() -> Seeded {
    Seeded::new(1, Sparsity::DENSE, INPUTS, FEATURES).unwrap()
}

/// Features of zeros with room for some samples.
fn room(samples: usize, features: usize) -> TritMatrix<Vec<u64>> {
    let words = plane_words(samples, features).unwrap();
    TritMatrix::zeroed(samples, features, vec![0; words], vec![0; words]).unwrap()
}

/// `project` and `featurize` refuse the samples with the same error and write nothing.
fn refused<T: ternion_core::Element>(samples: Samples<'_, T>, lines: usize, expected: Error)
where
    T::Value: PartialEq,
{
    let mut scratch = vec![Line::ZERO; lines];
    let mut values = vec![T::Value::default(); samples.len() * FEATURES];
    let sums = project(Native, &w(), &samples, &mut scratch, &mut values);
    assert_eq!(sums, Err(expected));
    assert!(values.iter().all(|value| *value == T::Value::default()));
    let always_minus = Thresholds::two(f32::INFINITY, f32::INFINITY).unwrap();
    let mut out = room(samples.len(), FEATURES);
    let trits = featurize(Native, &w(), &always_minus, &samples, &mut scratch, &mut out);
    assert_eq!(trits, Err(expected));
    assert!(out.mask().iter().all(|&word| word == 0));
}

#[test]
fn zero_sizes_are_refused() {
    let zero = |size| Err(Error::ZeroSize { size });
    assert_eq!(plane_words(0, 5).map(|_| ()), zero(Size::Rows));
    assert_eq!(plane_words(5, 0).map(|_| ()), zero(Size::Cols));
    assert_eq!(TritMatrix::new(0, 5, [], []).map(|_| ()), zero(Size::Rows));
    assert_eq!(Seeded::new(1, Sparsity::DENSE, 0, 5).map(|_| ()), zero(Size::Inputs));
    assert_eq!(Seeded::new(1, Sparsity::DENSE, 5, 0).map(|_| ()), zero(Size::Features));
    assert_eq!(Samples::new(&[1.0_f32], 0).map(|_| ()), zero(Size::Inputs));
    assert_eq!(Samples::<f32>::new(&[], 3).map(|_| ()), zero(Size::Samples));
    assert_eq!(Samples::with_stride(&[1_i8; 9], 0, 3, 3).map(|_| ()), zero(Size::Samples));
}

#[test]
fn sizes_that_overflow_are_refused() {
    let huge = usize::MAX / 2;
    assert_eq!(plane_words(huge, 1000), Err(Error::SizeOverflow { rows: huge, cols: 1000 }));
    assert_eq!(
        Samples::with_stride(&[0_i8; 4], huge, 2, 4).map(|_| ()),
        Err(Error::SizeOverflow { rows: huge, cols: 4 })
    );
    let (max, found) = (65_535, 65_536);
    assert_eq!(
        Samples::new(&[0_i8; 65_536], found).map(|_| ()),
        Err(Error::SizeTooLarge { size: Size::Inputs, max, found })
    );
    #[cfg(target_pointer_width = "64")]
    {
        let (max, found) = (i32::MAX as usize, 1 << 31);
        let size = Size::Cols;
        assert_eq!(plane_words(1, found), Err(Error::SizeTooLarge { size, max, found }));
    }
}

#[test]
fn planes_that_are_not_trits_are_refused() {
    let planes = |sign: [u64; 4], mask: [u64; 4]| TritMatrix::new(2, 66, sign, mask).map(|_| ());
    assert_eq!(planes([0; 4], [0; 4]), Ok(()));
    assert_eq!(
        planes([0, 0, 0, 2], [0, 0, u64::MAX, 1]),
        Err(Error::SignOutsideMask { row: 1, col: 65 })
    );
    assert_eq!(planes([0; 4], [0, 4, 0, 0]), Err(Error::DirtyTail { row: 0 }));
    let long = TritMatrix::new(2, 64, vec![0; 2], vec![0; 3]).map(|_| ());
    assert_eq!(long, Err(Error::LengthMismatch { buffer: Buffer::Mask, expected: 2, found: 3 }));
}

#[test]
fn planes_that_are_not_trits_are_refused_in_every_row_and_word() {
    const WORDS: usize = 3;
    let planes = |sign: [u64; 9], mask: [u64; 9]| TritMatrix::new(3, 130, sign, mask).map(|_| ());
    for row in 0..3 {
        for word in 0..WORDS {
            let mut sign = [0; 9];
            sign[WORDS * row + word] = 2;
            let col = 64 * word + 1;
            assert_eq!(planes(sign, sign), Ok(()));
            assert_eq!(planes(sign, [0; 9]), Err(Error::SignOutsideMask { row, col }));
        }
        let mut mask = [0; 9];
        mask[WORDS * row + 2] = 4;
        assert_eq!(planes([0; 9], mask), Err(Error::DirtyTail { row }));
    }
}

#[test]
fn lengths_and_strides_that_do_not_fit_are_refused() {
    let (buffer, found) = (Buffer::Samples, 8);
    assert_eq!(
        Samples::new(&[0_i8; 8], 3).map(|_| ()),
        Err(Error::PartialSample { elements: 3, found })
    );
    assert!(matches!(Samples::new(&[0_i8; 8], usize::MAX), Err(Error::SizeTooLarge { .. })));
    // What lies behind a part of a batch is none of its samples.
    let part = Samples::new(&[0_i8; 8], 4).unwrap().slice(0..1).unwrap();
    assert!(part.get(0).is_some() && part.get(1).is_none());
    let samples = Samples::new(&[0_i8; 8], 4).expect("two samples");
    for beyond in [2, usize::MAX / 4, usize::MAX] {
        assert_eq!(samples.get(beyond), None);
    }
    assert_eq!(
        Samples::with_stride(&[0_i8; 8], 2, 4, 3).map(|_| ()),
        Err(Error::StrideTooSmall { needed: 4, found: 3 })
    );
    assert_eq!(
        Samples::with_stride(&[0_i8; 8], 2, 4, 5).map(|_| ()),
        Err(Error::TooShort { buffer, needed: 9, found })
    );
    let samples = Samples::new(&[0.0_f32; 8], 4).unwrap();
    assert_eq!(
        samples.centred(&[0.0; 3]).map(|_| ()),
        Err(Error::LengthMismatch { buffer: Buffer::Mean, expected: 4, found: 3 })
    );
    assert_eq!(
        samples.scaled(&[0.0; 5]).map(|_| ()),
        Err(Error::LengthMismatch { buffer: Buffer::Scale, expected: 4, found: 5 })
    );
    let mismatch = Error::SizeMismatch { size: Size::Inputs, expected: INPUTS, found: 4 };
    refused(Samples::new(&[1_i16; 8], 4).unwrap(), 1000, mismatch);
}

#[test]
fn small_scratch_and_outputs_are_refused() {
    for samples in [1, 40] {
        let data = vec![1_i8; samples * INPUTS];
        let batch = Samples::new(&data, INPUTS).unwrap();
        let needed = scratch_lines(&w(), samples);
        let found = needed - 1;
        refused(batch, found, Error::TooShort { buffer: Buffer::Scratch, needed, found });
        let mut scratch = vec![Line::ZERO; needed];
        let needed = samples * FEATURES;
        let mut values = vec![7; needed - 1];
        let short = Error::TooShort { buffer: Buffer::Output, needed, found: needed - 1 };
        assert_eq!(project(Native, &w(), &batch, &mut scratch, &mut values), Err(short));
        assert!(values.iter().all(|&value| value == 7));
        let thresholds = Thresholds::two(0.0, 0.0).unwrap();
        for (rows, cols, size, expected, found) in [
            (samples + 1, FEATURES, Size::Samples, samples, samples + 1),
            (samples, FEATURES - 1, Size::Features, FEATURES, FEATURES - 1),
        ] {
            let mut out = room(rows, cols);
            let trits = featurize(Native, &w(), &thresholds, &batch, &mut scratch, &mut out);
            assert_eq!(trits, Err(Error::SizeMismatch { size, expected, found }));
        }
    }
    let mut out = room(1, 9);
    let other = Error::SizeMismatch { size: Size::Rows, expected: FEATURES, found: 1 };
    assert_eq!(w().fill(&mut out), Err(other));
}

#[test]
fn values_that_are_not_finite_are_refused() {
    let lines = scratch_lines(&w(), 9);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for (sample, input) in [(0, 0), (3, 69), (8, 64)] {
            let mut data = vec![1.0; 9 * INPUTS];
            data[sample * INPUTS + input] = bad;
            let samples = Samples::new(&data, INPUTS).unwrap();
            refused(samples, lines, Error::NotFinite { sample, input });
        }
    }
    // Finite until it is centred, and finite until it is summed.
    let mut data = vec![1.0; 9 * INPUTS];
    data[5 * INPUTS + 7] = f32::MAX;
    let mut mean = [0.0; INPUTS];
    mean[7] = f32::MIN;
    let samples = Samples::new(&data, INPUTS).unwrap().centred(&mean).unwrap();
    refused(samples, lines, Error::NotFinite { sample: 5, input: 7 });
    data[5 * INPUTS + 9] = f32::MAX;
    let samples = Samples::new(&data, INPUTS).unwrap();
    refused(samples, lines, Error::NotFinite { sample: 5, input: 7 });
}

/// Sixteen numbers whose sum is finite in one order of summation, but not in the one that the rule prescribes.
#[test]
fn sums_that_overflow_in_one_order_only_are_refused() {
    let mut data = vec![0.4 * 2.0_f32.powi(104); INPUTS];
    data[16..].fill(0.0);
    data[0] = f32::MAX;
    let samples = Samples::new(&data, INPUTS).unwrap();
    refused(samples, scratch_lines(&w(), 1), Error::NotFinite { sample: 0, input: 0 });
}

#[test]
fn bits_beyond_the_last_input_are_refused() {
    for row in [0, 3, 8] {
        let mut data = [u64::MAX >> 58; 9 * 2];
        data[2 * row + 1] = 1 << 6;
        let samples = Samples::new(&data, INPUTS).unwrap();
        refused(samples, scratch_lines(&w(), 9), Error::DirtyTail { row });
    }
}

#[test]
fn sparsity_outside_zero_to_one_is_refused() {
    for found in [-0.1, 1.0, 2.0, f64::INFINITY] {
        assert_eq!(Sparsity::new(found), Err(Error::SparsityOutOfRange { found }));
    }
    assert!(Sparsity::new(f64::NAN).is_err());
}

#[test]
fn periods_that_are_none_are_refused() {
    for found in [0.0, -1.0, f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(Thresholds::periodic(found, 1), Err(Error::PeriodOutOfRange { found }));
    }
    let refused = Thresholds::periodic(f32::NAN, 1).unwrap_err();
    assert!(refused.to_string().contains("positive and finite"), "{refused}");
    let thresholds = Thresholds::periodic(2.0, 7).unwrap().per_norm();
    assert_eq!((thresholds.period(), thresholds.phase_seed()), (Some(2.0), Some(7)));
    assert_eq!((thresholds.values(), thresholds.is_per_norm()), (None, true));
    let two = Thresholds::two(-1.0, 1.0).unwrap();
    assert_eq!((two.period(), two.phase_seed()), (None, None));
}

#[test]
fn thresholds_out_of_order_are_refused() {
    let (lower, upper) = (1.0, -1.0);
    assert_eq!(Thresholds::two(lower, upper), Err(Error::ThresholdOrder { lower, upper }));
    assert!(Thresholds::two(f32::NAN, 0.0).is_err());
    assert!(Thresholds::two(0.0, f32::NAN).is_err());
    assert!(Thresholds::four([0.0, 1.0, 0.5, 2.0]).is_err());
}

#[test]
fn storage_too_small_for_a_form_of_w_is_refused() {
    let mut planes = room(FEATURES, INPUTS);
    w().fill(&mut planes).unwrap();
    let needed = IndexLists::words(&planes);
    let short = Error::TooShort { buffer: Buffer::Lists, needed, found: needed - 1 };
    let mut storage = vec![7; needed - 1];
    assert_eq!(IndexLists::new(&planes, &mut storage[..]).map(|_| ()), Err(short));
    assert!(storage.iter().all(|word| *word == 7));
    // One bit per weight without zeros, two with them: three blocks of 32 rows, two of 64 columns.
    let needed = RowLanes::lines(&planes);
    assert_eq!((needed, RowLanes::lines(&room(FEATURES, INPUTS))), (3 * 2 * 4, 3 * 2 * 8));
    let short = Error::TooShort { buffer: Buffer::RowLanes, needed, found: needed - 1 };
    assert_eq!(RowLanes::new(&planes, vec![Line::ZERO; needed - 1]).map(|_| ()), Err(short));

    let (size, max) = (Size::Inputs, MAX_INPUTS);
    let wide = room(1, max + 1);
    let large = Error::SizeTooLarge { size, max, found: max + 1 };
    assert_eq!(IndexLists::new(&wide, vec![0; 10_000]).map(|_| ()), Err(large));
    assert_eq!(RowLanes::new(&wide, vec![Line::ZERO; 10_000]).map(|_| ()), Err(large));
}

#[test]
fn dots_of_different_lengths_are_refused() {
    let (a, b) = (room(3, 64), room(3, 65));
    let mut out = [5; 9];
    let mismatch = Error::SizeMismatch { size: Size::Cols, expected: 64, found: 65 };
    assert_eq!(dots(Native, &a, &b, &mut out), Err(mismatch));
    assert_eq!(a.row(0).unwrap().dot(b.row(0).unwrap()), Err(mismatch));
    let short = Error::TooShort { buffer: Buffer::Output, needed: 9, found: 8 };
    assert_eq!(dots(Native, &a, &a, &mut out[..8]), Err(short));
    assert_eq!(out, [5; 9]);
    assert_eq!(
        a.row(0).unwrap().unpack(&mut [0_i8; 63]),
        Err(Error::TooShort { buffer: Buffer::Output, needed: 64, found: 63 })
    );
}

#[test]
fn gram_matrices_that_do_not_fit_are_refused() {
    let a = room(3, 64);
    let mut out = [5; 9];
    let short = |needed, found| Err(Error::TooShort { buffer: Buffer::Output, needed, found });
    assert_eq!(gram(Native, &a, &mut out[..8]), short(9, 8));
    assert_eq!(gram_upper(Native, &a, 1..3, &mut out[..5]), short(6, 5));
    let beyond = Error::SizeTooLarge { size: Size::Rows, max: 3, found: 4 };
    assert_eq!(gram_upper(Native, &a, 1..4, &mut out), Err(beyond));
    assert_eq!(add_gram_upper(Native, &a, 1..4, &mut out), Err(beyond));
    assert_eq!(add_gram_upper(Native, &a, 1..3, &mut out[..5]), short(6, 5));
    let (buffer, expected, found) = (Buffer::Output, 16, 9);
    assert_eq!(
        copy_upper_to_lower(Native, &mut out, 4),
        Err(Error::LengthMismatch { buffer, expected, found })
    );
    let rows = usize::MAX / 2;
    assert_eq!(
        copy_upper_to_lower(Native, &mut out, rows),
        Err(Error::SizeOverflow { rows, cols: rows })
    );
    assert_eq!(out, [5; 9]);
}

/// Every message names the numbers that are wrong.
#[test]
fn messages_say_what_was_expected_and_found() {
    let message = Error::TooShort { buffer: Buffer::Scratch, needed: 41, found: 7 }.to_string();
    assert!(message.contains("41") && message.contains('7') && message.contains("scratch"));
    let message = Error::NotFinite { sample: 12, input: 3 }.to_string();
    assert!(message.contains("12") && message.contains('3') && message.contains("NaN"));
}
