//! Moments of every target against definitions: high precision vectors, Monte-Carlo, and quadrature of closures.

use serde_json::Value;
use ternion::moments::{Moments, Target};
use ternion::solve::SolveError;

/// A splitmix64 generator and normal numbers by Box–Muller: nothing shared with the crate.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[test]
fn moments_are_accurate_to_twelve_digits_from_tiny_to_huge_tau() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/moments_extreme.json");
    let text = std::fs::read_to_string(path).expect("the test vectors are readable");
    let vectors: Value = serde_json::from_str(&text).expect("valid JSON");
    let rows = vectors["rows"].as_array().expect("rows");
    assert!(rows.len() > 150);
    for row in rows {
        let name = row["target"].as_str().expect("a name");
        let tau = row["tau"].as_f64().expect("a number");
        let target: Target = name.parse().expect("a known name");
        let Moments { d0, d1, d2 } = target.moments(tau).expect("moments");
        for (key, got) in [("d0", d0), ("d1", d1), ("d2", d2)] {
            let expected = row[key].as_f64().expect("a number");
            let error = (got - expected).abs();
            assert!(error <= 1e-12 * expected, "{name} at {tau}: {key} = {got}, expected {expected}");
        }
    }
}
