//! Thresholds from a target. Ids: `solve/POLICY/TARGET`. One solve should stay below 50 µs.

use crate::Set;
use criterion::Criterion;
use std::hint::black_box;
use ternion::theory::solve;
use ternion::{Policy, Target};

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
            let Ok(report) = solve(target, tau, policy) else { continue };
            let (asked, achieved) = (report.asked.d1, report.achieved.d1);
            assert!((achieved / asked - 1.0).abs() < 1e-10, "{policy} {name}");
            criterion.bench_function(&format!("solve/{policy}/{name}"), |bencher| {
                bencher.iter(|| solve(black_box(target), black_box(tau), policy));
            });
        }
    }
}
