//! Runs every kernel for every kind of number on every instruction set of this machine, products with vectors on
//! the best, and prints what comes out, summed up. For tools that look at the machine code of all of them: nothing is
//! left out by the compiler.
//!
//!     cargo run --release -p ternion-tests --example kernels

use ternion::{Features, TernaryFeatures};
use ternion_core::{
    Element, IndexLists, Line, Projection, RowLanes, Samples, Seeded, Simd, Sparsity, Structured,
    Thresholds, TritMatrix, featurize, gram, plane_words, scratch_lines,
};
use ternion_tests::isa::{Check, on_every_isa};

const INPUTS: usize = 200;
const FEATURES: usize = 300;

/// Planes of zeros.
fn planes(rows: usize, cols: usize) -> TritMatrix<Vec<u64>> {
    let words = plane_words(rows, cols).expect("small sizes");
    TritMatrix::zeroed(rows, cols, vec![0; words], vec![0; words])
        .expect("planes of the right length")
}

/// The features of a batch and of its first sample, and their inner products.
fn run<S: Simd, P: Projection, T: Element>(
    simd: S,
    form: &str,
    w: &P,
    numbers: &[T],
    per_sample: usize,
) {
    for count in [1, numbers.len() / per_sample] {
        let samples = Samples::new(&numbers[..count * per_sample], INPUTS).expect("whole samples");
        let mut scratch = vec![Line::ZERO; scratch_lines(w, count)];
        let (mut out, mut dots) = (planes(count, FEATURES), vec![0; count * count]);
        let thresholds = Thresholds::two(-3.0, 3.0).expect("ascending");
        featurize(simd, w, &thresholds, &samples, &mut scratch, &mut out).expect("checked sizes");
        gram(simd, &out, &mut dots).expect("checked sizes");
        println!(
            "{:<14}{form:<12}{count:>4} samples: {}",
            S::NAME,
            dots.iter().map(|&dot| i64::from(dot)).sum::<i64>()
        );
    }
}

struct Forms;

impl Check for Forms {
    fn check<S: Simd>(&self, simd: S) {
        for sparsity in [Sparsity::new(0.0).expect("a probability"), Sparsity::TWO_THIRDS] {
            let seeded = Seeded::new(1, sparsity, INPUTS, FEATURES).expect("small sizes");
            let mut stored = planes(FEATURES, INPUTS);
            seeded.fill(&mut stored).expect("equal sizes");
            let lists = IndexLists::new(&stored, vec![0; IndexLists::words(&stored)])
                .expect("enough storage");
            let lanes = RowLanes::new(&stored, vec![Line::ZERO; RowLanes::lines(&stored)])
                .expect("enough storage");
            each_number(simd, "planes", &stored);
            each_number(simd, "index lists", &lists);
            each_number(simd, "row lanes", &lanes);
            each_number(simd, "seeded", &seeded);
        }
        each_number(
            simd,
            "structured",
            &Structured::new(1, INPUTS, FEATURES).expect("small sizes"),
        );
    }
}

/// [`run`] with every kind of number.
fn each_number<S: Simd, P: Projection>(simd: S, form: &str, w: &P) {
    let shorts: Vec<i16> = (0..40 * INPUTS).map(|k| (k * k % 101) as i16 - 50).collect();
    run(simd, form, w, &shorts.iter().map(|&x| f32::from(x) / 20.0).collect::<Vec<f32>>(), INPUTS);
    run(simd, form, w, &shorts, INPUTS);
    run(simd, form, w, &shorts.iter().map(|&x| x as i8).collect::<Vec<i8>>(), INPUTS);
    let words = INPUTS.div_ceil(64);
    let bits = (0..40 * words).map(|k| {
        let last =
            if k % words + 1 == words { u64::MAX >> (64 * words - INPUTS) } else { u64::MAX };
        (k as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) & last
    });
    run(simd, form, w, &bits.collect::<Vec<u64>>(), words);
}

fn main() -> Result<(), ternion::Error> {
    on_every_isa(&Forms);
    let numbers: Vec<f32> = (0..40 * INPUTS).map(|k| (k * k % 101) as f32 - 50.0).collect();
    let samples = Samples::new(&numbers, INPUTS)?;
    let features: Features =
        TernaryFeatures::params(FEATURES).fit(&samples)?.transform(&samples)?;
    let product = features.transposed_matvec(&features.matvec(&[1.0; FEATURES])?)?;
    println!("products with vectors: {}", product.iter().sum::<f64>());
    Ok(())
}
