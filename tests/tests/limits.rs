//! Where sixteen bits end: samples whose sums need more, beside samples whose sums do not.

use ternion_core::{IndexLists, Samples, Sparsity, TritMatrix};
use ternion_tests::data::{self, Random};
use ternion_tests::forms::{Form, Forms};
use ternion_tests::inputs::Input;
use ternion_tests::isa::tuned_isas;
use ternion_tests::oracle;

/// The sums of a batch in a form are these, on every back end.
fn check(form: &Form, numbers: &[i16], expected: &[i64], label: &str) {
    let samples = Samples::new(numbers, form.inputs()).unwrap();
    for isa in tuned_isas() {
        let mut scratch = data::dirty_scratch(form.scratch_lines(samples.len()));
        let mut sums = vec![0; expected.len()];
        i16::project(isa, form, &samples, &mut scratch, &mut sums).unwrap();
        let equal = sums.iter().map(|&sum| i64::from(sum)).eq(expected.iter().copied());
        assert!(equal, "{isa:?} {} {label}", form.name());
    }
}

/// A single sample decides how its whole chunk is summed, in whichever block and lane it is.
#[test]
fn one_sample_beyond_sixteen_bits_is_found_wherever_it_is_in_a_batch() {
    let (mut random, inputs) = (Random::new(29), 70);
    let forms = Forms::iid(random.bits(), Sparsity::DENSE, inputs, 40);
    for (samples, places) in [(70, &[0, 31, 32, 63, 64, 69][..]), (300, &[255, 256, 287, 299])] {
        let small: Vec<i16> =
            (0..samples * inputs).map(|_| random.below(201) as i16 - 100).collect();
        for &place in places {
            let mut numbers = small.clone();
            numbers[place * inputs..][..4].fill(i16::MAX);
            let whole = |x: &[i16]| x.iter().map(|&x| x.into()).collect::<Vec<i64>>();
            let sums = numbers.chunks(inputs).flat_map(|x| forms.oracle_sums(&whole(x)).sums);
            let expected: Vec<i64> = sums.collect();
            for form in &forms {
                check(form, &numbers, &expected, &format!("sample {place} of {samples}"));
            }
        }
    }
}

/// Four numbers of an index list are added in 16 bits if any four of their panel fit, padding included: here no span of
/// 64 inputs is beyond 16 bits, but four numbers of different spans are, of one sample in any lane.
#[test]
fn four_numbers_of_different_spans_leave_sixteen_bits_in_any_lane() {
    const INPUTS: usize = 512;
    // Some are the first or the last of a panel of 256.
    const COLUMNS: [[usize; 4]; 3] = [[62, 63, 64, 255], [0, 64, 128, 192], [318, 319, 320, 511]];
    const NUMBERS: [[i16; 4]; 6] = [
        [8191; 4],
        [8192; 4],
        [-8192; 4],
        [8192, 8192, 8192, 8193],
        [8191, 8191, 8191, 8195],
        [-8195, -8191, -8191, -8192],
    ];
    let mut trits = Vec::new();
    for columns in COLUMNS {
        // All four, and one alone: its group is filled with the first number of the panel.
        for columns in [&columns[..], &columns[1..2]] {
            for trit in [1, -1] {
                let row = (0..INPUTS).map(|input| if columns.contains(&input) { trit } else { 0 });
                trits.extend(row);
            }
        }
    }
    let (sign, mask) = data::pack(&trits, INPUTS);
    let planes = TritMatrix::new(trits.len() / INPUTS, INPUTS, sign, mask).unwrap();
    let lists = IndexLists::new(&planes, vec![0; IndexLists::words(&planes)]).unwrap();
    for form in [Form::IndexLists(lists), Form::Planes(planes)] {
        for (columns, large) in COLUMNS.iter().flat_map(|c| NUMBERS.iter().map(move |n| (c, n))) {
            for place in [0, 15, 31, 39] {
                let mut numbers = vec![1_i16; 40 * INPUTS];
                for (column, number) in columns.iter().zip(large) {
                    numbers[place * INPUTS + column] = *number;
                }
                let dots = |x: &[i16]| -> Vec<i64> {
                    trits.chunks(INPUTS).map(|row| oracle::dot(row, x)).collect()
                };
                let expected: Vec<i64> = numbers.chunks(INPUTS).flat_map(dots).collect();
                check(&form, &numbers, &expected, &format!("{large:?} at {columns:?} of {place}"));
            }
        }
    }
}
