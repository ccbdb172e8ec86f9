//! A user with ndarray and serde, and without threads: fits a classifier to an array, and sends it through JSON.
#![forbid(unsafe_code)]

use ndarray::Array2;
use ternion::TernaryFeatures;
use ternion::learn::{Ridge, TernaryClassifier};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let x = Array2::from_shape_fn((400, 8), |(i, k)| {
        let shell = 1.0 + (i % 2) as f32;
        shell * ((8 * i + k) as f32).powi(2).sin()
    });
    let labels: Vec<&str> = (0..400).map(|i| ["inner", "outer"][i % 2]).collect();
    let params = TernaryFeatures::params(1024).seed(7);
    let written = serde_json::to_string(&params)?;
    let model = TernaryClassifier::fit(params, Ridge::default(), &x.view(), &labels)?;
    let again = serde_json::from_str::<ternion::fit::Params>(&written)?.fit(&x.view())?;
    assert_eq!(again.fingerprint(), model.ternary().fingerprint());
    assert!(model.score(&x.view(), &labels)? > 0.9);

    let json = serde_json::to_string(&model)?;
    let loaded: TernaryClassifier<String> = serde_json::from_str(&json)?;
    assert_eq!(loaded.predict(&x.view())?, model.predict(&x.view())?);
    // By columns in memory, and yet the same samples.
    let columns = x.t().to_owned();
    assert_eq!(loaded.predict(&columns.t())?, model.predict(&x.view())?);
    Ok(())
}
