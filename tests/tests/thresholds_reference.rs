//! Every value of `data/reference_values.json` (high-precision values of its formulas), against the solver.

use serde_json::Value;
use ternion::theory::{Bands, Moments, Report, solve, unit_solutions};
use ternion::{Policy, Target};

/// P(z < x) of a normal number is 0.022750 at −2, 0.158655 at −1, 0.308538 at −0.5, 0.539828 at 0.1, 0.579260 at 0.2.
#[test]
fn probabilities_and_reports_tell_minus_from_plus() {
    let two = Bands::Two { lower: -1.0, upper: 0.2 };
    let four =
        Bands::Four { outer_lower: -2.0, inner_lower: -0.5, inner_upper: 0.1, outer_upper: 1.0 };
    for (bands, expected) in [(two, (0.158_655, 0.420_740)), (four, (0.231_290, 0.181_405))] {
        for tau in [1.0, 4.0] {
            let scale = f64::sqrt(tau);
            let bands = match bands {
                Bands::Two { lower, upper } => {
                    Bands::Two { lower: lower * scale, upper: upper * scale }
                }
                Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper } => Bands::Four {
                    outer_lower: outer_lower * scale,
                    inner_lower: inner_lower * scale,
                    inner_upper: inner_upper * scale,
                    outer_upper: outer_upper * scale,
                },
                other => other,
            };
            let (minus, plus) = bands.probabilities(tau);
            assert!((minus - expected.0).abs() < 1e-6, "{bands:?}: {minus}");
            assert!((plus - expected.1).abs() < 1e-6, "{bands:?}: {plus}");
        }
    }
    let report = solve(&Target::relu(), 1.0, Policy::Fixed { lower: -1.0, upper: 0.2 }).unwrap();
    assert!((report.p_minus - 0.158_655).abs() < 1e-6 && (report.p_plus - 0.420_740).abs() < 1e-6);
    let text = report.to_string();
    assert!(text.contains("-1 below    -1.000000   P = 0.1587\n"), "{text}");
    assert!(text.contains("+1 above    0.200000   P = 0.4207\n"), "{text}");
    let report = solve(&Target::relu(), 1.0, Policy::FourBand).unwrap();
    let lines: Vec<String> = report.to_string().lines().map(str::to_owned).collect();
    for (start, p) in [("-1 between", report.p_minus), ("+1 outside", report.p_plus)] {
        let line = lines.iter().find(|line| line.starts_with(start)).unwrap();
        assert!(line.ends_with(&format!("P = {p:.4}")), "{line}");
    }
}

fn reference() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/reference_values.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the test vectors are readable"))
        .expect("valid JSON")
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} is a number in {value}"))
}

fn rows<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    let rows = value[key].as_array().expect("an array");
    assert!(!rows.is_empty());
    rows
}

/// Within 1e-10 of `size`.
#[track_caller]
fn assert_close(what: &str, got: f64, expected: f64, size: f64) {
    assert!((got - expected).abs() <= 1e-10 * size, "{what}: got {got}, expected {expected}");
}

#[track_caller]
fn assert_relative(what: &str, got: f64, expected: f64) {
    assert_close(what, got, expected, expected.abs());
}

fn two(report: &Report) -> (f64, f64) {
    match report.bands {
        Bands::Two { lower, upper } => (lower, upper),
        bands => panic!("two bands, not {bands:?}"),
    }
}

fn assert_fit(what: &str, report: &Report, expected: &Value) {
    let (lower, upper) = two(report);
    let scale = report.tau.sqrt();
    assert_close(&format!("{what} lower"), lower, number(expected, "s_minus"), scale);
    assert_close(&format!("{what} upper"), upper, number(expected, "s_plus"), scale);
    assert_close(&format!("{what} u lower"), lower / scale, number(expected, "u_minus"), 1.0);
    assert_close(&format!("{what} u upper"), upper / scale, number(expected, "u_plus"), 1.0);
    assert_relative(&format!("{what} alpha"), report.alpha, number(expected, "alpha"));
    assert_relative(&format!("{what} d0"), report.achieved.d0, number(expected, "d0_ter"));
    assert_close(
        &format!("{what} lambda"),
        report.lambda,
        number(expected, "lambda_"),
        report.achieved.d0,
    );
    assert_close(
        &format!("{what} share"),
        report.p_plus + report.p_minus,
        number(expected, "nonzero_frac"),
        1.0,
    );
}

#[test]
fn every_row_of_moments_matches() {
    let reference = reference();
    for row in rows(&reference, "rows") {
        let name = row["activation"].as_str().expect("a name");
        let tau = number(row, "tau");
        let target: Target = name.parse().expect("a known name");
        let moments = target.moments(tau).expect("moments");
        let what = format!("{name} at {tau}");
        assert_relative(&format!("{what} d0"), moments.d0, number(row, "d0"));
        assert_relative(&format!("{what} d1"), moments.d1, number(row, "d1"));
        assert_relative(&format!("{what} d2"), moments.d2, number(row, "d2"));
        assert_relative(&format!("{what} b1"), moments.b1(tau), number(row, "b1"));
        assert_relative(&format!("{what} b2"), moments.b2(tau), number(row, "b2"));
        if let Some(rho) = row["rho"].as_f64() {
            assert_relative(&format!("{what} rho"), moments.rho(tau), rho);
        }
    }
}

#[test]
fn every_row_of_thresholds_matches() {
    let reference = reference();
    let mut fits = 0;
    for row in rows(&reference, "rows").iter().filter(|row| row.get("R_min").is_some()) {
        let name = row["activation"].as_str().expect("a name");
        let tau = number(row, "tau");
        let target: Target = name.parse().expect("a known name");
        let what = format!("{name} at {tau}");

        let report =
            solve(&target, tau, Policy::MinVariance).expect("MinVariance is always feasible");
        assert_fit(&format!("{what} min-variance"), &report, &row["min_variance"]);
        assert_relative(&format!("{what} R"), report.variance_ratio, number(row, "R_min"));

        let unit = solve(&target, tau, Policy::Unit);
        assert_eq!(unit.is_ok(), row["unit_feasible"] == true, "{what}: {unit:?}");
        if let Ok(report) = unit {
            assert_fit(&format!("{what} unit"), &report, &row["unit"]);
            fits += 1;
        }

        let report =
            solve(&target, tau, Policy::MatchD0).expect("MatchD0 falls back on MinVariance");
        assert_eq!(report.policy == Policy::MatchD0, row["lambda0_feasible"] == true, "{what}");
        if report.policy == Policy::MatchD0 {
            assert_fit(&format!("{what} match-d0"), &report, &row["match_d0"]);
            fits += 1;
        }
    }
    assert_eq!(fits, 74 + 24);
}

#[test]
fn ternary_moments_match() {
    let reference = reference();
    for row in rows(&reference, "ternary_forward") {
        let tau = number(row, "tau");
        let bands = Bands::Two { lower: number(row, "s_minus"), upper: number(row, "s_plus") };
        let Moments { d0, d1, d2 } = bands.moments(tau);
        assert_relative("d0", d0, number(row, "d0"));
        assert_relative("d1", d1, number(row, "d1"));
        assert_relative("d2", d2, number(row, "d2"));
    }
}

/// A target with b1 = 1 and the given ρ, at τ = 1.
fn of_ratio(rho: f64) -> Target {
    Target::raw(1e3 + rho * rho, 1.0, 0.25 * rho * rho)
}

#[test]
fn the_table_of_least_variance_matches() {
    let reference = reference();
    for row in rows(&reference, "R_min_table") {
        let rho = number(row, "rho");
        let report = solve(&of_ratio(rho), 1.0, Policy::MinVariance).expect("feasible");
        let (lower, upper) = two(&report);
        assert_close("lower", lower, number(row, "u_minus"), 1.0);
        assert_close("upper", upper, number(row, "u_plus"), 1.0);
        assert_relative("R", report.variance_ratio, number(row, "R_min"));
        assert_relative("excess", report.excess, number(row, "excess"));
        assert_close("share", report.p_plus + report.p_minus, number(row, "nonzero_frac"), 1.0);
        let sign =
            solve(&of_ratio(rho), 1.0, Policy::Fixed { lower: rho, upper: rho }).expect("a sign");
        assert_relative("R of the sign", sign.variance_ratio, number(row, "R_end"));
    }
}

#[test]
fn all_three_unit_solutions_are_found() {
    let reference = reference();
    let example = &reference["multiplicity_example"];
    let (b1, b2) = (number(example, "b1"), number(example, "b2"));
    assert_eq!(b2, 0.0);
    let found = unit_solutions(&Target::raw(1.0, b1 * b1, 0.0), 1.0).expect("feasible");
    let mut found: Vec<_> = found.iter().map(two).collect();
    let mut expected: Vec<_> = rows(example, "solutions_u")
        .iter()
        .map(|pair| (pair[0].as_f64().expect("a number"), pair[1].as_f64().expect("a number")))
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    expected.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(found.len(), expected.len());
    for ((lower, upper), (u_minus, u_plus)) in found.into_iter().zip(expected) {
        assert_close("lower", lower, u_minus, 1.0);
        assert_close("upper", upper, u_plus, 1.0);
    }
}

#[test]
fn the_table_of_four_bands_matches() {
    let reference = reference();
    for row in rows(&reference, "four_threshold_table") {
        let rho = number(row, "rho");
        // b2 = 1.
        let target = Target::raw(10.0, rho.powi(-2), 0.25);
        let report = solve(&target, 1.0, Policy::FourBand).expect("always feasible");
        let Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper } = report.bands
        else {
            panic!("four bands, not {:?}", report.bands)
        };
        let found = [outer_lower, inner_lower, inner_upper, outer_upper];
        for (found, expected) in found.into_iter().zip(rows(row, "u")) {
            assert_close(
                &format!("u at rho = {rho}"),
                found,
                expected.as_f64().expect("a number"),
                1.0,
            );
        }
        assert_relative("alpha", report.alpha, number(row, "alpha_over_b2"));
        assert_relative("excess", report.excess, number(row, "excess"));
        assert_close("P(+1)", report.p_plus, number(row, "p_plus"), 1.0);
        assert_close("P(-1)", report.p_minus, number(row, "p_minus"), 1.0);
        if let Some(ratio) = row["V_over_b1sq"].as_f64() {
            assert_relative("R", report.variance_ratio, ratio);
        }
    }
}

#[test]
fn the_constants_match() {
    let reference = reference();
    let constant = |name| number(&reference["constants"], name);
    let two_band = |rho| solve(&of_ratio(rho), 1.0, Policy::MinVariance).expect("feasible");
    assert_close("odd optimum", two(&two_band(0.0)).1, constant("odd_opt_u"), 1.0);
    assert_relative("odd optimum R", two_band(0.0).variance_ratio, constant("odd_opt_R"));

    let even = solve(&Target::abs(), 1.0, Policy::FourBand).expect("feasible");
    let Bands::Four { inner_upper, outer_upper, .. } = even.bands else { panic!("four bands") };
    assert_close("even inner", inner_upper, constant("even_ternary_inner"), 1.0);
    assert_close("even outer", outer_upper, constant("even_ternary_outer"), 1.0);
    assert_relative("even excess", even.excess, constant("even_ternary_V_over_a2sq"));

    let unit_limit = |target: Target, tau: f64| {
        assert!(solve(&target, tau * (1.0 - 1e-10), Policy::Unit).is_ok());
        assert!(solve(&target, tau * (1.0 + 1e-10), Policy::Unit).is_err());
    };
    unit_limit(Target::rff(), constant("rff_unit_feasible_tau_max"));
    unit_limit(Target::relu(), constant("relu_unit_feasible_tau_max"));

    let limit = constant("rff_lambda0_tau_min");
    let policy = |tau| solve(&Target::rff(), tau, Policy::MatchD0).expect("feasible").policy;
    assert_eq!(policy(limit * (1.0 + 1e-10)), Policy::MatchD0);
    assert_eq!(policy(limit * (1.0 - 1e-10)), Policy::MinVariance);
}
