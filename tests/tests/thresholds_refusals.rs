//! Bad input to moments and thresholds: each kind has its own error, and the error says what to do.

use ternion::theory::{Bands, Setting, SolveError, Warning, solve, unit_solutions};
use ternion::{Policy, Target};

const POLICIES: [Policy; 6] = [
    Policy::Automatic,
    Policy::MinVariance,
    Policy::MatchD0,
    Policy::Unit,
    Policy::FourBand,
    Policy::Fixed { lower: -0.5, upper: 0.5 },
];

/// Every policy refuses the target with an error that satisfies `expected` and whose text contains `words`.
#[track_caller]
fn refused(target: &Target, tau: f64, expected: impl Fn(&SolveError) -> bool, words: &str) {
    for policy in POLICIES {
        let error = solve(target, tau, policy).expect_err("an error");
        assert!(expected(&error), "{policy}: {error:?}");
        assert!(error.to_string().contains(words), "{error}");
    }
    assert!(expected(&unit_solutions(target, tau).expect_err("an error")));
}

#[test]
fn tau_must_be_positive_and_finite() {
    for tau in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (_, target) in Target::named() {
            let expected = |error: &SolveError| matches!(*error, SolveError::BadTau { tau: found } if found.to_bits() == tau.to_bits());
            refused(&target, tau, expected, "positive and finite");
        }
    }
}

#[test]
fn moments_that_no_function_has_are_refused() {
    let bad = |name| move |error: &SolveError| matches!(*error, SolveError::BadMoment { name: n, .. } if n == name);
    refused(&Target::raw(-1e-9, 1.0, 0.0), 1.0, bad("d0"), "d0 is -0.000000001");
    refused(&Target::raw(1.0, -1.0, 0.0), 1.0, bad("d1"), "never negative");
    refused(&Target::raw(1.0, 1.0, -1.0), 1.0, bad("d2"), "never negative");
    refused(&Target::raw(1.0, f64::NAN, 0.0), 1.0, bad("d1"), "NaN");
    let impossible = SolveError::ImpossibleMoments { d0: 1.9, bound: 2.0 };
    refused(
        &Target::raw(1.9, 1.0, 0.25),
        2.0,
        |error| *error == impossible,
        "raise d0 or lower d2",
    );
    assert!(solve(&Target::raw(2.0, 1.0, 0.25), 2.0, Policy::MinVariance).is_ok());
    let overflow = |error: &SolveError| matches!(*error, SolveError::Overflow { .. });
    refused(&Target::raw(f64::INFINITY, 1.0, 0.0), 1.0, overflow, "scale");
    refused(&Target::exp(), 400.0, overflow, "tau = 400");
    refused(&Target::function(|t| 1e200 * t), 1.0, overflow, "overflow");
}

#[test]
fn closures_must_return_numbers() {
    let nan = |error: &SolveError| matches!(*error, SolveError::NotFinite { value, .. } if value.is_nan());
    refused(&Target::function(|_| f64::NAN), 1.0, nan, "returned NaN");
    let beyond = Target::function(|t| if t > 1.5 { f64::NAN } else { t });
    let located = |error: &SolveError| matches!(*error, SolveError::NotFinite { at, value } if value.is_nan() && at > 1.5);
    refused(&beyond, 1.0, located, "returned NaN at");
    let before = Target::function(|t| if t < -1.5 { f64::NAN } else { t });
    let located = |error: &SolveError| matches!(*error, SolveError::NotFinite { at, value } if value.is_nan() && at < -1.5);
    refused(&before, 1.0, located, "returned NaN at -");
    let infinite = |error: &SolveError| matches!(*error, SolveError::NotFinite { .. });
    refused(&Target::function(|t| (t * t).exp().exp()), 1.0, infinite, "must be finite");
    let curved = Target::radial(|r| (-r).exp(), |r| -(-r).exp(), |_| f64::NAN);
    refused(&curved, 1.0, nan, "returned NaN");
}

#[test]
fn closures_without_moments_are_refused() {
    // A new sign every 1e-9: no quadrature settles on this.
    let noise = Target::function(|t: f64| (t * 1e9).sin() * (1.0 + (t * 7e8).cos()) + 1e-3 * t);
    let unsettled =
        |error: &SolveError| matches!(*error, SolveError::NotIntegrable { error } if error > 0.0);
    refused(&noise, 1.0, unsettled, "uncertain");
    // E exp(0.3z²)² is infinite.
    let diverging = Target::function(|t| (0.3 * t * t).exp());
    let refusal = |error: &SolveError| {
        matches!(
            *error,
            SolveError::NotIntegrable { .. }
                | SolveError::Overflow { .. }
                | SolveError::NotFinite { .. }
        )
    };
    refused(&diverging, 1.0, refusal, "");
    assert!(matches!(diverging.moments(0.5), Ok(moments) if moments.d0.is_finite()));
}

#[test]
fn wrong_derivatives_of_a_radial_kernel_are_refused() {
    // The derivatives of exp(-r), given for exp(-r/2).
    let wrong = Target::radial(|r| (-0.5 * r).exp(), |r| -(-r).exp(), |r| (-r).exp());
    let disagree = |error: &SolveError| matches!(*error, SolveError::DerivativesDisagree { .. });
    refused(&wrong, 1.0, disagree, "check the derivatives");
}

#[test]
fn a_periodic_function_imitates_gaussian_kernels_of_usable_widths_only() {
    for target in
        [Target::relu(), Target::cos(), Target::laplacian(1.0), Target::raw(1.0, 0.5, 0.1)]
    {
        let error = solve(&target, 1.0, Policy::Periodic).expect_err("an error");
        assert_eq!(error, SolveError::NotGaussian { target: target.to_string() });
        assert!(error.to_string().contains("four-band"), "{error}");
    }
    for (gamma, tau) in [(1e-5, 1.0), (1e-9, 1000.0), (257.0, 1.0), (0.1, 1e9)] {
        let error = solve(&Target::gaussian(gamma), tau, Policy::Periodic).expect_err("an error");
        assert!(matches!(error, SolveError::WidthOutOfRange { .. }), "{error:?}");
        assert!(error.to_string().contains("use a gamma between"), "{error}");
    }
    let bad = |gamma| solve(&Target::gaussian(gamma), 1.0, Policy::Periodic).expect_err("an error");
    for gamma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(bad(gamma), SolveError::BadParameter { .. }), "{gamma}");
    }
    for tau in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = solve(&Target::gaussian_scale(), tau, Policy::Periodic).expect_err("an error");
        assert!(matches!(error, SolveError::BadTau { .. }), "{tau}");
    }
}

#[test]
fn the_l1_laplacian_is_refused() {
    refused(
        &Target::l1_laplacian(1.0),
        1.0,
        |error| *error == SolveError::L1Laplacian,
        "Target::laplacian",
    );
    let by_name: Target = "laplace_l1_gamma1".parse().expect("a name");
    assert_eq!(by_name.moments(1.0), Err(SolveError::L1Laplacian));
}

#[test]
fn parameters_out_of_range_are_refused() {
    let bad = |name| move |error: &SolveError| matches!(*error, SolveError::BadParameter { name: n, .. } if n == name);
    refused(&Target::gaussian(0.0), 1.0, bad("gamma"), "gamma is 0; it must be positive");
    refused(&Target::gaussian(f64::INFINITY), 1.0, bad("gamma"), "finite");
    refused(&Target::laplacian(-1.0), 1.0, bad("gamma"), "positive");
    refused(&Target::matern_three_halves(f64::NAN), 1.0, bad("length"), "positive");
    refused(&Target::matern_five_halves(0.0), 1.0, bad("length"), "positive");
    refused(&Target::leaky_relu(f64::NAN), 1.0, bad("slope"), "finite");
    refused(&Target::quadratic(1.0, f64::INFINITY, 0.0), 1.0, bad("a1"), "finite");
    refused(&Target::arc_cosine(3), 1.0, bad("order"), "0, 1 or 2");
    refused(&Target::relu().scaled(0.0), 1.0, bad("scale"), "not zero");
    refused(&Target::relu().scaled(f64::NAN), 1.0, bad("scale"), "finite");
    let order = |error: &SolveError| matches!(*error, SolveError::BadThresholds { .. });
    refused(&Target::ternary(1.0, 0.0), 1.0, order, "lower ≤ upper");
}

#[test]
fn targets_without_a_linear_or_quadratic_part_are_refused() {
    let nothing = |error: &SolveError| matches!(*error, SolveError::NothingToMatch { .. });
    refused(&Target::function(|_| 3.0), 1.0, nothing, "multiple of the identity");
    refused(&Target::gaussian(1e4), 1.0, nothing, "wider kernel");
}

#[test]
fn even_targets_need_four_bands() {
    for target in
        [Target::abs(), Target::cos(), Target::bump(), Target::function(|t| t.abs().sqrt())]
    {
        for policy in [Policy::MinVariance, Policy::MatchD0, Policy::Unit] {
            let error = solve(&target, 0.7, policy).expect_err("no linear part");
            let d2 = target.moments(0.7).expect("moments").d2;
            assert_eq!(error, SolveError::EvenTarget { d2 });
            assert!(error.to_string().contains("Policy::FourBand"), "{error}");
        }
        let four = solve(&target, 0.7, Policy::FourBand).expect("what the error points to works");
        assert!(matches!(four.bands, Bands::Four { .. }));
    }
    let error =
        solve(&Target::quadratic(1.0, 0.01, 0.0), 1.0, Policy::MinVariance).expect_err("rho = 200");
    assert!(
        matches!(error, SolveError::RatioTooLarge { rho, .. } if (rho - 200.0).abs() < 1e-9),
        "{error:?}"
    );
    assert!(error.to_string().contains("Policy::FourBand"), "{error}");
    assert!(solve(&Target::quadratic(1.0, 0.01, 0.0), 1.0, Policy::FourBand).is_ok());
}

#[test]
fn output_scales_beyond_f64_are_refused() {
    // b1 = 1e140 and rho = 30: alpha would be about 1e336.
    let huge = Target::raw(1e290, 1e280, 0.25 * 900.0 * 1e280);
    assert_eq!(solve(&huge, 1.0, Policy::MinVariance), Err(SolveError::Overflow { tau: 1.0 }));
    assert!(solve(&huge, 1.0, Policy::FourBand).is_ok());
}

#[test]
fn unit_outputs_out_of_reach_name_the_bound_and_what_works() {
    let error = solve(&Target::relu(), 2.0, Policy::Unit).expect_err("tau is above 1.347");
    let SolveError::UnitInfeasible { b1, bound, rho } = error else { panic!("{error:?}") };
    assert!((b1 - 0.5_f64.sqrt()).abs() < 1e-15);
    assert!((rho - (2.0 / std::f64::consts::PI).sqrt()).abs() < 1e-15);
    let density = (-0.5 * rho * rho).exp() / std::f64::consts::TAU.sqrt();
    assert!((bound - 2.0 * density).abs() < 1e-15 && b1 > bound);
    let text = error.to_string();
    assert!(text.contains("Policy::MinVariance") && text.contains(&bound.to_string()), "{text}");
    assert!(solve(&Target::relu(), 2.0, Policy::MinVariance).is_ok());
}

#[test]
fn fixed_thresholds_are_checked() {
    let fixed = |target: &Target, lower, upper| solve(target, 1.0, Policy::Fixed { lower, upper });
    let relu = Target::relu();
    assert_eq!(fixed(&relu, 1.0, 0.5), Err(SolveError::BadThresholds { lower: 1.0, upper: 0.5 }));
    assert!(matches!(fixed(&relu, f64::NAN, 0.5), Err(SolveError::BadThresholds { .. })));
    assert!(matches!(fixed(&relu, -60.0, 60.0), Err(SolveError::NeverFires { .. })));
    let (none, all) = (f64::NEG_INFINITY, f64::INFINITY);
    assert!(matches!(fixed(&relu, none, all), Err(SolveError::NeverFires { .. })));
    assert!(matches!(fixed(&Target::abs(), -0.5, 0.5), Err(SolveError::NoCommonPart { .. })));

    let one_sided = fixed(&relu, none, 0.3).expect("a step");
    assert_eq!(one_sided.p_minus, 0.0);
    assert!((one_sided.achieved.d1 - one_sided.asked.d1).abs() < 1e-15);
    assert!(one_sided.achieved.d2.is_finite() && one_sided.lambda.is_finite());
    let even = fixed(&Target::abs(), 0.2, 0.9).expect("a quadratic part");
    assert!((even.achieved.d2 / even.asked.d2 - 1.0).abs() < 1e-14);
}

#[test]
fn a_ridge_parameter_below_lambda_is_refused() {
    let report = solve(&Target::relu(), 1.0, Policy::MinVariance).expect("feasible");
    assert!(report.lambda < -0.06);
    for gamma in [0.06, -report.lambda, -1.0, f64::NAN, f64::INFINITY] {
        let error = report.ridge(gamma).expect_err("gamma + lambda not positive and finite");
        assert!(
            matches!(error, SolveError::RidgeNotPositive { lambda, .. } if lambda == report.lambda)
        );
        assert!(error.to_string().contains("gamma above 0.0628"), "{error}");
    }
    let ridge = report.ridge(0.1).expect("positive");
    assert!((ridge * report.alpha.powi(2) - report.lambda - 0.1).abs() < 1e-15);
}

#[test]
fn warnings_carry_their_numbers() {
    let report = solve(&Target::laplacian(1.0), 1.0, Policy::MatchD0).expect("feasible");
    let good = Setting {
        inputs: 300,
        features: 10_000,
        sparsity: 0.9,
        norm_variation: 0.5,
        gamma: Some(0.1),
    };
    assert_eq!(report.warnings(&good), []);

    let sparse = Setting { inputs: 40, ..good };
    let [Warning::FewTerms { terms, least, empty_rows, inputs }] = report.warnings(&sparse)[..]
    else {
        panic!("few terms")
    };
    assert!((terms - 4.0).abs() < 1e-12 && least == 5.0 && inputs == 40);
    assert!((empty_rows / (10_000.0 * 0.9_f64.powi(40)) - 1.0).abs() < 1e-12);
    let text = report.warnings(&sparse)[0].to_string();
    assert!(text.contains("4.0 of 40 inputs") && text.contains("148 features see none"), "{text}");

    let few = Setting { features: 500, ..good };
    let [Warning::RareLevel { level: -1, firings, .. }] = report.warnings(&few)[..] else {
        panic!("rare -1")
    };
    assert!((firings - 500.0 * report.p_minus).abs() < 1e-12);

    let spread = Setting { norm_variation: 0.51, ..good };
    assert!(matches!(
        report.warnings(&spread)[..],
        [Warning::SpreadNorms { variation: 0.51, most: 0.5 }]
    ));

    let relu = solve(&Target::relu(), 1.0, Policy::MinVariance).expect("feasible");
    let [Warning::RidgeNotPositive { gamma: 0.01, lambda }] =
        relu.warnings(&Setting { gamma: Some(0.01), ..good })[..]
    else {
        panic!("no ridge")
    };
    assert_eq!(lambda, relu.lambda);

    let bad = Setting {
        inputs: 3,
        features: 7,
        sparsity: 0.9,
        norm_variation: f64::NAN,
        gamma: Some(-1.0),
    };
    let all = relu.warnings(&bad);
    assert_eq!(all.len(), 5, "{all:?}");
    for warning in all {
        assert!(warning.to_string().len() > 30);
    }

    let one_sided = Policy::Fixed { lower: f64::NEG_INFINITY, upper: 0.0 };
    let step = solve(&Target::relu(), 1.0, one_sided).expect("a step");
    assert_eq!(step.warnings(&Setting { gamma: None, ..good }), []);
}

#[test]
fn policies_print_as_they_parse() {
    for policy in POLICIES {
        assert_eq!(policy.to_string().parse(), Ok(policy));
    }
    for unknown in ["", "MinVariance", "fixed", "fixed:1", "fixed:a,b", "fixed:1,2,3"] {
        let error = unknown.parse::<Policy>().expect_err(unknown);
        assert_eq!(error, SolveError::UnknownPolicy { name: unknown.to_owned() });
        assert!(error.to_string().contains("match-d0"), "{error}");
    }
}
