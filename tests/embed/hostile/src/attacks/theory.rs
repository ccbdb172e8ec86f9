//! Thresholds, targets and mixtures.

use super::{BAD, EXTREME};
use ternion::theory::{
    Bands, Class, Covariance, Mixture, Moments, Report, Setting, SolveError, excess_kurtosis,
    solve, unit_solutions,
};
use ternion::{Policy, Target};

pub fn theory() {
    for number in BAD.into_iter().chain(EXTREME) {
        for policy in [Policy::MinVariance, Policy::FourBand, Policy::Periodic] {
            for tau in BAD.into_iter().chain(EXTREME) {
                if let Ok(report) = solve(&Target::gaussian(number), tau, policy) {
                    assert!(report.alpha.is_finite());
                    assert!(BAD.iter().all(|&gamma| report.ridge(gamma).is_err()));
                }
            }
        }
        let covariance = Covariance::Diagonal(vec![number]);
        let class = Class { share: 1.0, mean: vec![number], covariance };
        if let Ok(mixture) = Mixture::new(vec![class]) {
            assert!(mixture.tau().is_finite());
        }
    }
}

/// Targets of every shape with a parameter, whose thresholds are those of a report, or which are refused.
pub fn targets() {
    let targets: [fn(f64) -> Target; 12] = [
        Target::leaky_relu,
        |x| Target::quadratic(x, x, x),
        |x| Target::quadratic(0.0, x, 0.0),
        |x| Target::ternary(x, x),
        |x| Target::ternary(-x, x),
        Target::l1_laplacian,
        Target::matern_three_halves,
        Target::matern_five_halves,
        |x| Target::radial(move |_| x, move |_| x, move |_| x),
        |x| Target::function(move |t| t * x),
        |x| Target::raw(x, x, x),
        |x| Target::arc_cosine(x as u8),
    ];
    for number in BAD.into_iter().chain(EXTREME) {
        for target in targets {
            let target = target(number);
            for tau in [1.0, 1e-300, 1e300] {
                let found: Result<Moments, SolveError> = target.moments(tau);
                if let Ok(found) = found {
                    assert!([found.d0, found.d1, found.d2].iter().all(|d| d.is_finite()));
                }
                let _ = target.value(tau);
                for policy in [Policy::Automatic, Policy::MinVariance, Policy::MatchD0] {
                    if let Ok(report) = solve(&target, tau, policy) {
                        assert!(report.alpha.is_finite(), "{report:?}");
                    }
                }
            }
            let _: Result<Vec<Report>, SolveError> = unit_solutions(&target, number);
        }
        let _ = excess_kurtosis(number);
        for bands in [
            Bands::Two { lower: number, upper: number },
            Bands::Two { lower: 1.0, upper: -1.0 },
            Bands::Periodic { period: number },
        ] {
            let _ = (bands.value(number), bands.moments(number), bands.probabilities(number));
        }
        let report = solve(&Target::relu(), 1.0, Policy::MinVariance).unwrap();
        for size in [0, 1, usize::MAX] {
            let _ = report.warnings(&Setting {
                inputs: size,
                features: size,
                sparsity: number,
                norm_variation: number,
                gamma: Some(number),
            });
        }
    }
}

/// Mixtures with more classes than there is memory for pairs of, and with numbers whose sums are not finite.
pub fn mixtures() {
    let class = |share: f64, variance: f64| Class {
        share,
        mean: vec![0.0; 2],
        covariance: Covariance::Diagonal(vec![variance; 2]),
    };
    let moments = Moments { d0: 1.0, d1: 1.0, d2: 1.0 };
    for share in BAD.into_iter().chain(EXTREME) {
        for variance in BAD.into_iter().chain(EXTREME) {
            let classes = vec![class(share, variance), class(share, variance)];
            let Ok(mixture) = Mixture::new(classes) else { continue };
            assert!(mixture.tau().is_finite(), "{mixture:?}");
            for number in BAD.into_iter().chain(EXTREME) {
                let kernel = mixture.centred_kernel(&[number; 4], &[0, 1], &moments, number);
                if let Ok(kernel) = kernel {
                    assert!(kernel.as_slice().iter().all(|x| x.is_finite()));
                }
            }
        }
    }
    let many = Mixture::new(vec![class(1.0, 1.0); 60_000]).unwrap();
    let kernel = many.centred_kernel(&[0.5; 4], &[0, 59_999], &moments, 0.0);
    assert_eq!(kernel.unwrap().rows(), 2);
    let labels = vec![0; 60_000];
    let kernel = many.centred_kernel(&vec![0.5; 120_000], &labels, &moments, 0.0);
    assert!(kernel.is_err());
    assert!(many.centred_kernel(&[0.5; 4], &[0, usize::MAX], &moments, 0.0).is_err());
}
