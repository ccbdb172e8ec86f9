//! Thresholds from a target. One solve should stay below 50 µs.

use crate::Set;
use criterion::Criterion;
use std::hint::black_box;
use ternion::theory::{SolveError, solve};
use ternion::{Policy, Target};

/// The pairs without a solution: the Gaussian kernel has more of a linear part than outputs of ±1.
const INFEASIBLE: [(Policy, &str); 1] = [(Policy::Unit, "gaussian")];

pub(crate) fn add(criterion: &mut Criterion, set: Set) {
    // Closed forms, quadrature, and a closure with a kink away from 0.
    let targets = [
        ("gaussian", Target::gaussian_scale()),
        ("relu", Target::relu()),
        ("laplacian", Target::laplacian(1.0)),
        ("tanh", Target::tanh()),
        ("closure", Target::function(|t| (t - 0.3).max(0.0))),
    ];
    for policy in [Policy::MinVariance, Policy::MatchD0, Policy::Unit, Policy::FourBand] {
        for (name, target) in set.of(&targets) {
            let tau = 0.5;
            let solved = solve(target, tau, policy);
            if INFEASIBLE.contains(&(policy, name)) {
                assert!(matches!(solved, Err(SolveError::UnitInfeasible { .. })), "{solved:?}");
                continue;
            }
            let report = solved.unwrap_or_else(|error| panic!("{policy} {name}: {error}"));
            let (asked, achieved) = (report.asked.d1, report.achieved.d1);
            assert!((achieved / asked - 1.0).abs() < 1e-10, "{policy} {name}");
            criterion.bench_function(&format!("solve/{policy}/{name}"), |bencher| {
                bencher.iter(|| solve(black_box(target), black_box(tau), policy));
            });
        }
    }
}
