//! Runs every kernel for every form of W and type of input on every instruction set of this machine, and prints a
//! checksum of each result.
//!
//! For tools that inspect the machine code: the compiler can leave no kernel out.
//!
//! ```text
//! cargo run --release -p ternion-tests --example kernels
//! ```

use ternion::learn::{KMeans, Ridge};
use ternion::{Features, Isa, TernaryFeatures, dispatch};
use ternion_core::{Error, Line, Samples, Sparsity, Thresholds, TritMatrix, gram, plane_words};
use ternion_tests::forms::{Form, Forms};
use ternion_tests::inputs::{Batch, Input, InputType};
use ternion_tests::isa::isas;
use ternion_tests::match_input;

const INPUTS: usize = 200;
const FEATURES: usize = 300;

/// The features of a batch and of its first sample, and their inner products.
fn run<T: Input>(isa: Isa, form: &Form, whole: &[i16]) -> Result<(), Error> {
    let batch = Batch::new(T::from_whole(whole, INPUTS), INPUTS);
    let thresholds = Thresholds::two(-3.0, 2.0)?;
    for count in [1, batch.samples().len()] {
        let samples = batch.samples().slice(0..count).unwrap_or(batch.samples());
        let words = plane_words(count, FEATURES)?;
        let mut out = TritMatrix::zeroed(count, FEATURES, vec![0; words], vec![0; words])?;
        let mut scratch = vec![Line::ZERO; form.scratch_lines(count)];
        T::featurize(isa, form, &thresholds, &samples, &mut scratch, &mut out)?;
        let mut dots = vec![0; count * count];
        dispatch!(isa, simd => gram(simd, &out, &mut dots))?;
        let sum: i64 = dots.iter().map(|&dot| i64::from(dot)).sum();
        println!("{:<14}{:<12}{:<5}{count:>4} samples: {sum}", isa.name(), form.name(), T::NAME);
    }
    Ok(())
}

fn main() -> Result<(), ternion::Error> {
    let whole: Vec<i16> = (0..40 * INPUTS).map(|k| (k * k % 101) as i16 - 50).collect();
    let iid = |sparsity| Forms::iid(1, sparsity, INPUTS, FEATURES);
    let mut all = vec![iid(Sparsity::DENSE), iid(Sparsity::TWO_THIRDS)];
    all.extend(Forms::transforms(1, INPUTS, FEATURES));
    for isa in isas() {
        for form in all.iter().flatten() {
            for input in InputType::ALL {
                match_input!(input, T => run::<T>(isa, form, &whole))?;
            }
        }
    }
    // Products with vectors and the solver of the learners, on the best instruction set only.
    let numbers = f32::from_whole(&whole, INPUTS);
    let samples = Samples::new(&numbers, INPUTS)?;
    let features: Features =
        TernaryFeatures::params(FEATURES).fit(&samples)?.transform(&samples)?;
    let product = features.transposed_matvec(&features.matvec(&[1.0; FEATURES])?)?;
    println!("products with vectors: {}", product.iter().sum::<f64>());
    let labels: Vec<usize> = (0..features.len()).map(|sample| sample % 2).collect();
    let model = Ridge::default().fit_classes(&features, &labels)?;
    println!("ridge: {:?}", model.predict(&features)?);
    println!("clusters: {:?}", KMeans::new(3)?.fit(&features)?.labels());
    Ok(())
}
