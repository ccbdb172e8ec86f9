//! Moments of every target against their definition: 60-digit vectors, closures and Monte-Carlo.

use serde_json::Value;
use std::collections::BTreeSet;
use ternion::Target;
use ternion::theory::{Bands, Moments, SolveError};
use ternion_tests::data::Random;

#[test]
fn moments_are_accurate_to_twelve_digits_from_tiny_to_huge_tau() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/moments_extreme.json");
    let text = std::fs::read_to_string(path).expect("the test vectors are readable");
    let vectors: Value = serde_json::from_str(&text).expect("valid JSON");
    let rows = vectors["rows"].as_array().expect("rows");
    assert!(rows.len() > 150);
    let mut tested = BTreeSet::new();
    for row in rows {
        let name = row["target"].as_str().expect("a name");
        let tau = row["tau"].as_f64().expect("a number");
        let target: Target = name.parse().expect("a known name");
        tested.insert(target.to_string());
        let Moments { d0, d1, d2 } = target.moments(tau).expect("moments");
        for (key, got) in [("d0", d0), ("d1", d1), ("d2", d2)] {
            let expected = row[key].as_f64().expect("a number");
            let error = (got - expected).abs();
            assert!(
                error <= 1e-12 * expected,
                "{name} at {tau}: {key} = {got}, expected {expected}"
            );
        }
    }
    for (name, target) in Target::named().filter(|(_, target)| target.value(0.0).is_some()) {
        assert!(tested.contains(&target.to_string()), "moments_extreme.json has no {name}");
    }
}

#[test]
fn the_moments_of_a_multiple_are_those_of_the_scaled_function() {
    let tau = 0.7;
    let scaled = Target::function(|t: f64| -3.0 * t.max(0.0)).moments(tau).expect("moments");
    let times = Target::relu().moments(tau).expect("moments").times(-3.0);
    for (found, expected) in [(times.d0, scaled.d0), (times.d1, scaled.d1), (times.d2, scaled.d2)] {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
    }
}

/// Monte-Carlo estimates of Var σ, E zσ and E(z²−1)σ, each with its standard error. Antithetic
/// pairs.
fn monte_carlo(function: &dyn Fn(f64) -> f64, tau: f64, random: &mut Random) -> [(f64, f64); 3] {
    const PAIRS: usize = 100_000;
    let values: Vec<[f64; 4]> = (0..PAIRS)
        .map(|_| {
            let z = random.normal();
            let (above, below) = (function(tau.sqrt() * z), function(-tau.sqrt() * z));
            let (odd, even) = (0.5 * (above - below), 0.5 * (above + below));
            [even, 0.5 * (above * above + below * below), z * odd, (z * z - 1.0) * even]
        })
        .collect();
    let mean = |g: &dyn Fn(&[f64; 4]) -> f64| values.iter().map(g).sum::<f64>() / PAIRS as f64;
    let with_error = |g: &dyn Fn(&[f64; 4]) -> f64| {
        let centre = mean(g);
        let spread = mean(&|value| (g(value) - centre).powi(2));
        (centre, (spread / PAIRS as f64).sqrt())
    };
    let centre = mean(&|value| value[0]);
    [
        with_error(&|value| value[1] - 2.0 * centre * value[0] + centre * centre),
        with_error(&|value| value[2]),
        with_error(&|value| value[3]),
    ]
}

#[track_caller]
fn assert_agrees(what: &str, moments: Moments, tau: f64, estimates: [(f64, f64); 3]) {
    let found = [moments.variance(tau), moments.b1(tau), moments.b2(tau)];
    for (name, (found, (estimate, error))) in
        ["V", "b1", "b2"].into_iter().zip(found.into_iter().zip(estimates))
    {
        // b1 and b2 are magnitudes.
        let off = (found - estimate).abs().min((found + estimate).abs());
        let allowed = 5.0 * error + 1e-13 * found;
        assert!(off <= allowed, "{what}: {name} is {found}, Monte-Carlo says {estimate} ± {error}");
    }
}

#[test]
fn random_closures_agree_with_monte_carlo() {
    let mut random = Random::new(1);
    for round in 0..40 {
        // Pieces of every kind, jumps and kinks at random places included.
        let a: Vec<f64> = (0..8).map(|_| 3.0 * random.unit() - 1.5).collect();
        let function = move |t: f64| {
            let jump = if t > a[0] { a[1] } else { 0.0 };
            let kink = a[2] * (t - a[3]).abs();
            jump + kink + a[4] * t * t + a[5] * (3.0 * t + a[6]).sin() + a[7] * (t + a[0]).tanh()
        };
        let tau = 10_f64.powf(2.0 * random.unit() - 1.0);
        let estimates = monte_carlo(&function, tau, &mut random);
        let moments = Target::function(function).moments(tau).expect("moments");
        assert_agrees(&format!("closure {round} at {tau}"), moments, tau, estimates);
    }
}

#[test]
fn named_activations_agree_with_monte_carlo() {
    let mut random = Random::new(2);
    let parametric = ["leaky_relu_-0.3", "quad_-0.5t^2+2t-1", "tanh@3", "softplus@-0.5"];
    let parametric = parametric.map(|name| (name, name.parse::<Target>().expect("a name")));
    let ternary = ("ternary", Target::ternary(-0.2, 0.9));
    let mut activations = 0;
    for (name, target) in Target::named().chain(parametric).chain([ternary]) {
        let tau = 0.2 + random.unit();
        let Some(_) = target.value(0.0) else { continue };
        let function = |t: f64| target.value(t).expect("an activation");
        let moments = target.moments(tau).expect("moments");
        assert_agrees(name, moments, tau, monte_carlo(&function, tau, &mut random));
        activations += 1;
    }
    assert!(activations >= 23);
}

#[track_caller]
fn assert_same(what: &str, got: Moments, expected: Moments, tolerance: f64) {
    for (got, expected) in [(got.d0, expected.d0), (got.d1, expected.d1), (got.d2, expected.d2)] {
        assert!(
            (got - expected).abs() <= tolerance * expected,
            "{what}: {got}, expected {expected}"
        );
    }
}

#[test]
fn closures_have_the_moments_of_the_closed_forms() {
    for tau in [1e-3, 0.03, 1.0, 30.0, 1e3] {
        for name in [
            "relu",
            "leaky_relu_0.1",
            "relu_squared",
            "quad_0.5t^2+t",
            "gelu",
            "silu",
            "softplus",
            "tanh",
            "erf",
            "step",
        ] {
            let named: Target = name.parse().expect("a name");
            let inner = named.clone();
            let closure = Target::function(move |t| inner.value(t).expect("an activation"));
            let (got, expected) =
                (closure.moments(tau).expect("moments"), named.moments(tau).expect("moments"));
            assert_same(&format!("{name} at {tau}"), got, expected, 1e-11);
        }
    }
}

#[test]
fn closures_may_grow_exponentially() {
    for tau in [1.0, 50.0, 230.0] {
        let (got, expected) = (Target::function(f64::exp).moments(tau), Target::exp().moments(tau));
        assert_same("exp", got.expect("moments"), expected.expect("moments"), 1e-11);
    }
    // The naive formula is infinite from t = 710 on, where no sample falls.
    let naive = Target::function(|t| t.exp().ln_1p()).moments(1e3).expect("moments");
    assert_same("softplus", naive, Target::softplus().moments(1e3).expect("moments"), 1e-11);
}

#[test]
fn kinks_and_jumps_away_from_zero_cost_no_accuracy() {
    for tau in [0.01, 0.1, 0.4, 1.0, 7.0, 300.0_f64] {
        for (lower, upper) in [(-0.3, 0.8), (0.2, 1.1), (0.0, 0.0), (-2.0, -1.0)] {
            // The variance of a closure that is 1 except for one sample in 1e23 has no correct digits.
            if upper < -5.0 * tau.sqrt() {
                continue;
            }
            let bands = Bands::Two { lower, upper };
            let closure = Target::function(move |t| f64::from(bands.value(t)));
            let (got, expected) = (closure.moments(tau).expect("moments"), bands.moments(tau));
            for (got, expected) in
                [(got.d0, expected.d0), (got.d1, expected.d1), (got.d2, expected.d2)]
            {
                let size = expected.max(1e-3 * bands.moments(tau).d0.min(1.0));
                assert!(
                    (got - expected).abs() <= 1e-11 * size,
                    "{bands:?} at {tau}: {got}, expected {expected}"
                );
            }
        }
    }
}

#[test]
fn radial_closures_have_the_moments_of_the_closed_forms() {
    let laplacian = Target::radial(
        |r| (-r.sqrt()).exp(),
        |r| -0.5 / r.sqrt() * (-r.sqrt()).exp(),
        |r| 0.25 * (1.0 / r + r.powf(-1.5)) * (-r.sqrt()).exp(),
    );
    let gaussian = Target::radial(|r| (-r).exp(), |r| -(-r).exp(), |r| (-r).exp());
    for tau in [1e-3, 0.1, 1.0, 20.0, 300.0] {
        let expected = Target::laplacian(1.0).moments(tau).expect("moments");
        assert_same("laplacian", laplacian.moments(tau).expect("moments"), expected, 1e-12);
        let expected = Target::gaussian(1.0).moments(tau).expect("moments");
        assert_same("gaussian", gaussian.moments(tau).expect("moments"), expected, 1e-12);
    }
}

#[test]
fn scaling_the_input_is_scaling_the_samples() {
    for (name, target) in Target::named() {
        for (c, tau) in [(2.0, 0.3), (-0.5, 1.7)] {
            let (scaled, plain) =
                (target.clone().scaled(c), target.moments(c * c * tau).expect("moments"));
            let square = c * c;
            let expected =
                Moments { d0: plain.d0, d1: square * plain.d1, d2: square * square * plain.d2 };
            assert_same(name, scaled.moments(tau).expect("moments"), expected, 1e-15);
        }
    }
    let (one, other) = (Target::gaussian(2.0), Target::gaussian(0.5).scaled(2.0));
    assert_same(
        "gaussian",
        other.moments(0.7).expect("moments"),
        one.moments(0.7).expect("moments"),
        1e-14,
    );
    let scale = Target::gaussian_scale().moments(5.0).expect("moments");
    assert_same(
        "gamma = scale",
        scale,
        Target::gaussian(0.2).moments(5.0).expect("moments"),
        1e-14,
    );
}

#[test]
fn arc_cosine_kernels_are_twice_those_of_their_activations() {
    for (order, activation) in
        [(0, Target::step()), (1, Target::relu()), (2, Target::relu_squared())]
    {
        let (kernel, half) = (Target::arc_cosine(order), activation.moments(0.6).expect("moments"));
        let expected = Moments { d0: 2.0 * half.d0, d1: 2.0 * half.d1, d2: 2.0 * half.d2 };
        assert_same("arc-cosine", kernel.moments(0.6).expect("moments"), expected, 1e-15);
    }
}

#[test]
fn names_print_as_they_parse() {
    let parametric = [
        "leaky_relu_0.1",
        "quad_0.5t^2+t",
        "quad_-1e-3t^2-t+2.5",
        "laplace_l2_gamma1",
        "laplace_l1_gamma1",
        "gelu@0.5",
    ];
    let parametric = parametric.map(|name| (name, name.parse::<Target>().expect("a name")));
    for (name, target) in Target::named().chain(parametric) {
        let printed = target.to_string();
        let again: Target = printed.parse().expect("what is printed parses");
        assert_eq!(again.to_string(), printed, "{name}");
        assert_eq!(again.moments(0.8), target.moments(0.8), "{name}");
    }
    for unknown in
        ["", "reluu", "leaky_relu_", "quad_", "quad_t^3", "quad_t^2+", "relu@", "relu@x", "@2"]
    {
        let error = unknown.parse::<Target>().expect_err(unknown);
        assert_eq!(error, SolveError::UnknownTarget { name: unknown.to_owned() });
    }
}
