//! What a structured seed means: known answers from a program written from its documentation alone.

use ternion_core::{Native, Projection, Samples, Structured, project, scratch_lines};
use ternion_tests::data;

/// The hashes (FNV-1a of the sums as little-endian bytes) were computed by a Python program.
#[test]
fn golden_hashes_hold() {
    let cases = [
        (42, 100, 300, 0xA489_B11E_7BCE_D241),
        (7, 10, 70, 0xC272_CE4E_E4EB_B78E),
        (1, 5000, 9000, 0xA5C4_62BE_D3A9_FDBA),
    ];
    for (seed, inputs, features, hash) in cases {
        let sample: Vec<i16> = (0..inputs as i64).map(|k| (k * 37 % 101 - 50) as i16).collect();
        let w = Structured::new(seed, inputs, features).unwrap();
        let samples = Samples::new(&sample, inputs).unwrap();
        let mut sums = vec![0; w.features()];
        let mut scratch = data::dirty_scratch(scratch_lines(&w, 1));
        project(Native, &w, &samples, &mut scratch, &mut sums).unwrap();
        let bytes = sums.iter().flat_map(|sum| sum.to_le_bytes());
        let found = bytes.fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
        });
        assert_eq!(found, hash, "seed {seed}, {inputs} → {features}: {found:#018X}");
    }
}

/// √P / 2^s, by hand: 2³ = 8, 2⁹ = 512 and 2¹⁵ = 32,768 rows.
#[test]
fn padding_shift_and_gain_are_as_documented() {
    for (inputs, padded, shift, gain) in [
        (1, 1, 0, 1.0),
        (5, 8, 1, std::f64::consts::SQRT_2),
        (64, 64, 3, 1.0),
        (300, 512, 4, std::f64::consts::SQRT_2),
        (784, 1024, 5, 1.0),
        (32_768, 32_768, 9, std::f64::consts::FRAC_1_SQRT_2 / 2.0),
    ] {
        let w = Structured::new(0, inputs, 1).unwrap();
        assert_eq!((w.padded(), w.shift()), (padded, shift), "{inputs}");
        assert!((w.gain() - gain).abs() < 1e-12, "{inputs}: {}", w.gain());
    }
    assert!(Structured::new(0, 32_769, 1).is_err());
}
