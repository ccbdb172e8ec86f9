//! The entries of ternion-core, which trust nobody either.

use super::{BAD, EXTREME, SIZES};
use std::ops::Range;
use ternion::ternion_core::{
    Grid, IndexLists, Line, Local, Native, Projection, RowLanes, Samples, Seeded, Sparsity,
    Structured, Thresholds, TritMatrix, TritRow, View, add_gram_upper, copy_upper_to_lower, dots,
    featurize, gram, gram_upper, plane_words, project, scratch_lines, scratch_lines_for_one,
    words_per_row,
};

/// Sizes at which something might overflow, and small ones that work.
fn sizes() -> impl Iterator<Item = usize> + Clone {
    SIZES.into_iter().chain([2, 63, 64, 65, 65_535, 65_536, i32::MAX as usize])
}

/// Buffers that are empty, too short, or just as long as a sample or a word.
const ROOM: [usize; 4] = [0, 1, 8, 4096];

fn with_projection(projection: &impl Projection) {
    let data = [1.0_f32; 64];
    for inputs in [1, 8, 64] {
        let samples = Samples::new(&data, inputs).unwrap();
        for room in ROOM {
            let mut scratch = vec![Line::ZERO; room];
            let mut out = vec![0.0; room];
            let _ = project(Native, projection, &samples, &mut scratch, &mut out);
            let thresholds = Thresholds::two(-1.0, 1.0).unwrap();
            let (rows, cols) = (samples.len(), projection.features().min(4096));
            let words = plane_words(rows, cols).unwrap();
            let planes = (vec![0; words], vec![0; words]);
            let mut out = TritMatrix::zeroed(rows, cols, planes.0, planes.1).unwrap();
            let _ = featurize(Native, projection, &thresholds, &samples, &mut scratch, &mut out);
        }
    }
    for samples in sizes() {
        let _ = scratch_lines(projection, samples);
    }
}

pub fn sizes_of_forms() {
    for inputs in sizes() {
        let _ = (words_per_row(inputs), scratch_lines_for_one(inputs));
        for features in sizes() {
            let _ = plane_words(inputs, features);
            if let Ok(seeded) = Seeded::new(u64::MAX, Sparsity::TWO_THIRDS, inputs, features) {
                with_projection(&seeded);
                let mut planes = TritMatrix::zeroed(1, 8, vec![0_u64; 1], vec![0; 1]).unwrap();
                assert_eq!(seeded.fill(&mut planes).is_ok(), (inputs, features) == (8, 1));
            }
            if let Ok(structured) = Structured::new(u64::MAX, inputs, features) {
                with_projection(&structured);
                assert!(structured.gain().is_finite());
            }
            for view in [
                View::SUBSETS,
                View::Subsets { least: 64, most: 64 },
                View::Subsets { least: inputs, most: features },
                View::Boxes(Grid::series(inputs)),
                View::Boxes(Grid::image(inputs, features)),
                View::Boxes(Grid { width: 1, height: inputs, channels: features }),
                View::Boxes(Grid { width: 1, height: 1, channels: inputs }),
            ] {
                if let Ok(local) = Local::new(u64::MAX, view, inputs, features) {
                    with_projection(&local);
                    for word in sizes() {
                        assert!(local.seen(word).all(|input| input < inputs));
                    }
                    // It takes as long as all features do.
                    let numbers = BAD.into_iter().chain(EXTREME);
                    for number in numbers.take(if features > 65_536 { 0 } else { 11 }) {
                        let gain = local.gain(&vec![number; inputs]);
                        let possible = number >= 0.0 && number.is_finite();
                        assert_eq!(gain.is_ok_and(f64::is_finite), possible, "{number} {local:?}");
                    }
                    assert!(local.gain(&[]).is_err());
                }
            }
        }
    }
    for rows in [1, 2, 65] {
        for cols in [1, 8, 65] {
            let words = plane_words(rows, cols).unwrap();
            let planes =
                TritMatrix::zeroed(rows, cols, vec![0_u64; words], vec![0; words]).unwrap();
            for room in ROOM.into_iter().chain([1 << 16]) {
                let lanes = RowLanes::new(&planes, vec![Line::ZERO; room]);
                assert_eq!(lanes.is_ok(), room >= RowLanes::lines(&planes));
                let lists = IndexLists::new(&planes, vec![0; room]);
                assert_eq!(lists.is_ok(), room >= IndexLists::words(&planes));
            }
        }
    }
}

pub fn products() {
    let words = plane_words(5, 70).unwrap();
    let planes = TritMatrix::zeroed(5, 70, vec![0_u64; words], vec![0; words]).unwrap();
    let other = TritMatrix::zeroed(5, 71, vec![0_u64; words], vec![0; words]).unwrap();
    assert!(dots(Native, &planes, &other, &mut [0; 25]).is_err());
    for room in [0, 1, 24] {
        let mut out = vec![0; room];
        assert!(dots(Native, &planes, &planes, &mut out).is_err());
        assert!(gram(Native, &planes, &mut out).is_err());
    }
    for start in sizes() {
        for end in sizes() {
            let mut out = [7; 25];
            let rows = Range { start, end };
            assert!(gram_upper(Native, &planes, rows.clone(), &mut out).is_err() || end <= 5);
            assert!(add_gram_upper(Native, &planes, rows.clone(), &mut out).is_err() || end <= 5);
            assert!(planes.slice(rows).is_none() || start < end && end <= 5);
        }
    }
    for n in sizes() {
        assert_eq!(copy_upper_to_lower(Native, &mut [1; 4], n).is_ok(), n == 2, "{n}");
    }
    // A product of the longest rows with themselves is the largest number there is.
    let longest = i32::MAX as usize;
    let words = words_per_row(longest);
    let mut mask = vec![u64::MAX; words];
    mask[words - 1] >>= 1;
    let row = TritMatrix::new(1, longest, vec![0; words], mask).unwrap();
    let mut out = [0];
    gram(Native, &row, &mut out).unwrap();
    assert_eq!(out, [i32::MAX]);
    assert_eq!(row.row(0).map(|row| row.dot(row)), Some(Ok(i32::MAX)));
    let first: TritRow<'_> = row.row(0).unwrap();
    assert!(first.unpack(&mut [0_i8; 7]).is_err());
    assert!(first.dot(planes.row(0).unwrap()).is_err());
    for at in sizes() {
        assert!(planes.row(at).is_none() || at < 5);
        assert!(planes.row(0).unwrap().get(at).is_none() || at < 70);
    }
}

pub fn thresholds() {
    let numbers = || BAD.into_iter().chain(EXTREME).map(|number| number as f32);
    for number in BAD.into_iter().chain(EXTREME) {
        if let Ok(sparsity) = Sparsity::new(number) {
            assert!((0.0..1.0).contains(&sparsity.probability()));
        }
    }
    for bits in [0, 1, u32::MAX] {
        assert!((0.0..1.0).contains(&Sparsity::from_bits(bits).probability()));
    }
    let seeded = Seeded::new(1, Sparsity::DENSE, 8, 64).unwrap();
    let mut scratch = vec![Line::ZERO; scratch_lines(&seeded, 8)];
    for lower in numbers() {
        for upper in numbers() {
            for sigma in [
                Thresholds::two(lower, upper),
                Thresholds::four([lower, lower, upper, upper]),
                Thresholds::periodic(upper, u64::MAX),
            ] {
                let Ok(sigma) = sigma else { continue };
                for t in numbers() {
                    assert!((-1..=1).contains(&sigma.trit(t)));
                    let data = [t; 64];
                    let samples = Samples::new(&data, 8).unwrap();
                    let (mut sign, mut mask) = ([0; 8], [0; 8]);
                    for sigma in [sigma, sigma.per_norm()] {
                        let mut out =
                            TritMatrix::zeroed(8, 64, &mut sign[..], &mut mask[..]).unwrap();
                        let done =
                            featurize(Native, &seeded, &sigma, &samples, &mut scratch, &mut out);
                        assert!(done.is_err() || t.is_finite());
                    }
                }
            }
        }
    }
    let data = [1.0_f32; 64];
    for inputs in sizes() {
        for samples in sizes() {
            for stride in sizes() {
                if let Ok(batch) = Samples::with_stride(&data, samples, inputs, stride) {
                    assert!(samples <= 64 && inputs <= 64);
                    assert!(batch.get(samples).is_none() && batch.get(samples - 1).is_some());
                    assert!(batch.centred(&data[1..inputs]).is_err());
                    assert!(batch.scaled(&data[1..inputs]).is_err());
                }
            }
        }
        let _ = Samples::new(&[u64::MAX; 2], inputs).map(|bits| bits.get(0));
    }
}
