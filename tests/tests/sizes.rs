//! The sizes that callers reserve before they call: they must be enough, and known in advance.

use ternion_core::{
    Seeded, Sparsity, Structured, TritMatrix, plane_words, scratch_lines, scratch_lines_for_one,
    words_per_row,
};
use ternion_tests::data;
use ternion_tests::forms::Forms;

#[test]
fn scratch_for_one_sample_is_the_same_for_planes_and_seeds() {
    for inputs in data::LENGTHS {
        let seeded = Seeded::new(1, Sparsity::DENSE, inputs, 300).unwrap();
        let words = plane_words(300, inputs).unwrap();
        assert_eq!(words, 300 * words_per_row(inputs));
        let planes = TritMatrix::zeroed(300, inputs, vec![0; words], vec![0; words]).unwrap();
        let lines = scratch_lines_for_one(inputs);
        // A line of 64 bytes holds 32 numbers of 16 bits.
        assert!(64 * lines >= 2 * inputs);
        assert_eq!(scratch_lines(&seeded, 1), lines);
        assert_eq!(scratch_lines(&planes, 1), lines);
    }
}

#[test]
fn scratch_never_shrinks_and_stops_growing() {
    for inputs in data::LENGTHS {
        let iid = Forms::iid(1, Sparsity::TWO_THIRDS, inputs, 300);
        let transforms = Forms::transforms(1, inputs, 300);
        for form in iid.iter().chain(transforms.iter().flatten()) {
            let lines: Vec<usize> = (1..600).map(|samples| form.scratch_lines(samples)).collect();
            assert!(lines.is_sorted(), "{}", form.name());
            assert_eq!(lines[598], form.scratch_lines(usize::MAX), "{}", form.name());
        }
    }
}

/// The mean square of a structured row's sums is the gain's square times that of a dense row's,
/// which for a single number x is x².
#[test]
fn the_gain_is_what_a_structured_projection_adds() {
    for (inputs, gain) in [(1, 1.0), (4, 1.0), (100, 0.5_f64.sqrt()), (200, 1.0)] {
        let w = Structured::new(3, inputs, 4096).unwrap();
        assert!((w.gain() - gain).abs() < 1e-12, "{inputs}: {}", w.gain());
        let mut sample = vec![0; inputs];
        sample[0] = 1000;
        let sums = ternion_tests::oracle::structured(3, 4096, &sample, None);
        let energy = (0..4096).map(|k| sums.real(k).powi(2)).sum::<f64>() / 4096.0;
        assert!((energy.sqrt() / 1000.0 / w.gain() - 1.0).abs() < 0.01, "{inputs}: {energy}");
    }
}
