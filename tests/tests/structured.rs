//! What structured and local seeds mean: known answers from a program written from their documentation alone.

use ternion_core::{
    Error, Grid, Local, Native, Projection, Samples, Seeded, Size, Sparsity, Structured,
    Thresholds, TritMatrix, View, featurize, plane_words, project, scratch_lines,
};
use ternion_tests::data;

/// Two samples of whole numbers, a small and a large one.
fn samples(inputs: usize) -> [Vec<i16>; 2] {
    let numbers = 0..inputs as i64;
    let small = numbers.clone().map(|k| (k * 37 % 101 - 50) as i16).collect();
    let large = numbers.map(|k| (k * 7919 % 65536 - 32768) as i16).collect();
    [small, large]
}

/// The trits of a sample, as bytes.
fn trits(w: &impl Projection, sample: &[i16], thresholds: &Thresholds) -> Vec<u8> {
    let samples = Samples::new(sample, w.inputs()).unwrap();
    let mut scratch = data::dirty_scratch(scratch_lines(w, 1));
    let words = plane_words(1, w.features()).unwrap();
    let (sign, mask) = (vec![0; words], vec![0; words]);
    let mut trits = TritMatrix::zeroed(1, w.features(), sign, mask).unwrap();
    featurize(Native, w, thresholds, &samples, &mut scratch, &mut trits).unwrap();
    trits.row(0).unwrap().into_iter().map(|trit| trit as u8).collect()
}

/// The FNV-1a hash of bytes.
fn fnv(bytes: Vec<u8>) -> u64 {
    bytes.into_iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// The hash of the sums of two samples, as little-endian bytes, and of their trits.
fn hash(w: &impl Projection) -> u64 {
    let mut bytes = Vec::new();
    let thresholds = [(-100.5, 250.25), (-30000.5, 100_000.25)];
    for (sample, (lower, upper)) in samples(w.inputs()).iter().zip(thresholds) {
        let samples = Samples::new(sample, w.inputs()).unwrap();
        let mut scratch = data::dirty_scratch(scratch_lines(w, 1));
        let mut sums = vec![0; w.features()];
        project(Native, w, &samples, &mut scratch, &mut sums).unwrap();
        bytes.extend(sums.iter().flat_map(|sum| sum.to_le_bytes()));
        bytes.extend(trits(w, sample, &Thresholds::two(lower, upper).unwrap()));
    }
    fnv(bytes)
}

/// The hash of the trits of two samples by a periodic σ.
fn periodic_hash(w: &impl Projection, seed: u64) -> u64 {
    let of_period = |(sample, period): (&Vec<i16>, f32)| {
        trits(w, sample, &Thresholds::periodic(period, seed + 1).unwrap())
    };
    let periods = [250.25, 100_000.5];
    fnv(samples(w.inputs()).iter().zip(periods).flat_map(of_period).collect())
}

/// The hashes are those that tests/data/structured.py prints.
#[test]
fn golden_hashes_hold() {
    for (seed, inputs, features, expected) in [
        (42, 100, 300, [0x08EA_DD48_9D7A_5157, 0xAE18_92D7_1F9F_8080]),
        (7, 10, 70, [0x122F_CB51_81D3_D43D, 0xFA7A_DD04_BEAF_1F48]),
        (1, 5000, 9000, [0xD1FD_648A_09F7_B458, 0x1052_0E69_2DE2_89AB]),
        (3, 784, 1100, [0xA022_3BE2_5CF5_2163, 0xD456_F3F8_3556_E6D0]),
    ] {
        let w = Structured::new(seed, inputs, features).unwrap();
        let found = [hash(&w), periodic_hash(&w, seed)];
        assert_eq!(found, expected, "seed {seed}, {inputs} → {features}: {found:#018X?}");
    }
    let boxes = |width, height, channels| View::Boxes(Grid { width, height, channels });
    for (seed, view, inputs, features, expected) in [
        (42, boxes(28, 28, 1), 784, 700, [0xAC78_ED63_DF13_B6E0, 0xD2D0_F283_B020_1F38]),
        (7, boxes(6, 9, 3), 162, 300, [0xB836_0B66_2D12_D84F, 0x04FA_E21A_A913_4B1E]),
        (1, boxes(100, 1, 1), 100, 200, [0xDC60_28D2_3FC8_B3EE, 0x632C_7F92_318D_810A]),
        (42, View::SUBSETS, 20, 700, [0x9851_93C3_A4DD_84C3, 0x1167_91B9_F2FA_0073]),
        (
            7,
            View::Subsets { least: 1, most: 64 },
            54,
            1000,
            [0x894A_02F6_009F_AD01, 0xB78A_FD9B_4EC5_C8D3],
        ),
    ] {
        let w = Local::new(seed, view, inputs, features).unwrap();
        assert_eq!((w.seed(), w.view()), (seed, view));
        let found = [hash(&w), periodic_hash(&w, seed)];
        assert_eq!(found, expected, "seed {seed}, {view:?} → {features}: {found:#018X?}");
    }
    let w = Seeded::new(5, Sparsity::DENSE, 70, 300).unwrap();
    assert_eq!(periodic_hash(&w, 5), 0x43D3_4EDE_D710_AFF6, "independent weights");
}

/// √P / 2^⌈k/2⌉, by hand.
#[test]
fn padding_shift_and_gain_are_as_documented() {
    for (inputs, padded, shift, gain) in [
        (1, 64, 3, 1.0),
        (64, 64, 3, 1.0),
        (65, 128, 4, std::f64::consts::FRAC_1_SQRT_2),
        (300, 512, 5, std::f64::consts::FRAC_1_SQRT_2),
        (784, 1024, 5, 1.0),
        (32_768, 32_768, 8, std::f64::consts::FRAC_1_SQRT_2),
    ] {
        let w = Structured::new(0, inputs, 1).unwrap();
        assert_eq!((w.padded(), w.rotation_shift()), (padded, shift), "{inputs}");
        assert!((w.gain() - gain).abs() < 1e-12, "{inputs}: {}", w.gain());
    }
    assert!(Structured::new(0, 32_769, 1).is_err());
}

/// The share of the sample's energy that a feature sees, for equal inputs and for a single one.
#[test]
fn the_gain_of_a_view_follows_the_data() {
    let w = Local::new(5, View::Subsets { least: 3, most: 3 }, 12, 64 * 500).unwrap();
    assert!((w.gain(&[1.0; 12]).unwrap() - 0.5).abs() < 1e-12);
    let mut one = [0.0; 12];
    one[4] = 7.0;
    // An input is seen by a quarter of the blocks.
    assert!((w.gain(&one).unwrap() - 0.5).abs() < 0.02);
    assert_eq!(w.gain(&[0.0; 12]), Ok(1.0));
    for wrong in [f64::NAN, f64::INFINITY, -1.0] {
        one[7] = wrong;
        assert_eq!(w.gain(&one), Err(Error::NotFinite { sample: 0, input: 7 }));
    }
    assert!(matches!(
        w.gain(&[1.0; 11]),
        Err(Error::LengthMismatch { expected: 12, found: 11, .. })
    ));
    let boxes = Local::new(5, View::Boxes(Grid::image(9, 9)), 81, 640).unwrap();
    assert!(boxes.gain(&[1.0; 81]).unwrap() < 1.0);
}

#[test]
fn a_word_sees_the_inputs_that_its_sums_depend_on() {
    let views = [
        (View::Boxes(Grid { channels: 3, ..Grid::image(9, 7) }), 189),
        (View::Boxes(Grid::image(28, 28)), 784),
        (View::Subsets { least: 3, most: 9 }, 40),
        (View::SUBSETS, 5),
    ];
    for (view, inputs) in views {
        let w = Local::new(3, view, inputs, 5 * 64).unwrap();
        let mut seen: Vec<_> = (0..5).map(|word| w.seen(word).collect::<Vec<_>>()).collect();
        seen.iter_mut().for_each(|seen| {
            seen.sort();
            seen.dedup();
        });
        let mut found = vec![Vec::new(); 5];
        for input in 0..inputs {
            let mut sample = vec![0_i16; inputs];
            sample[input] = 2048;
            let samples = Samples::new(&sample, inputs).unwrap();
            let mut scratch = data::dirty_scratch(scratch_lines(&w, 1));
            let mut sums = vec![0; 5 * 64];
            project(Native, &w, &samples, &mut scratch, &mut sums).unwrap();
            for (found, sums) in found.iter_mut().zip(sums.chunks(64)) {
                // All other numbers are halves.
                if sums.iter().any(|sum| sum.abs() > 1024) {
                    found.push(input);
                }
            }
        }
        assert_eq!(seen, found, "{view:?}");
    }
}

#[test]
fn views_that_do_not_fit_are_refused() {
    let mismatch = Error::SizeMismatch { size: Size::Inputs, expected: 784, found: 783 };
    assert_eq!(Local::new(0, View::Boxes(Grid::image(28, 28)), 783, 64), Err(mismatch));
    let overflow = Grid { width: usize::MAX, height: 2, channels: 1 };
    assert_eq!(overflow.inputs(), None);
    assert!(matches!(
        Local::new(0, View::Boxes(overflow), 784, 64),
        Err(Error::SizeOverflow { rows: 2, .. })
    ));
    assert_eq!(Grid::series(1000).inputs(), Some(1000));
    let size = Size::SubsetInputs;
    for (least, most, refused) in [
        (0, 4, Error::ZeroSize { size }),
        (5, 4, Error::SizeTooLarge { size, max: 4, found: 5 }),
        (2, 65, Error::SizeTooLarge { size, max: 64, found: 65 }),
    ] {
        assert_eq!(Local::new(0, View::Subsets { least, most }, 20, 64), Err(refused));
    }
    assert_eq!(Local::new(0, View::SUBSETS, 20, 0), Err(Error::ZeroSize { size: Size::Features }));
}
