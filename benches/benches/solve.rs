//! Thresholds from a target. Ids: `solve/POLICY/TARGET`. One solve should stay below 50 µs.
#![allow(missing_docs)]

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use ternion::theory::solve;
use ternion::{Policy, Target};

fn solving(criterion: &mut Criterion) {
    // Closed forms, quadrature, and a closure with a kink away from 0.
    let targets = [
        ("relu", Target::relu()),
        ("gaussian", Target::gaussian_scale()),
        ("laplacian", Target::laplacian(1.0)),
        ("tanh", Target::tanh()),
        ("closure", Target::function(|t| (t - 0.3).max(0.0))),
    ];
    for policy in [Policy::MinVariance, Policy::MatchD0, Policy::Unit, Policy::FourBand] {
        for (name, target) in &targets {
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

criterion_group!(benches, solving);
criterion_main!(benches);
