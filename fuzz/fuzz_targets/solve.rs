//! Thresholds of any target, τ and policy: refused for a documented reason that holds, or sound and with the moments that
//! were asked for.
#![no_main]

use core::f64::consts::TAU;
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use ternion::theory::{Bands, Moments, SolveError, solve};
use ternion::{Policy, Target};

#[derive(Arbitrary, Debug)]
struct Input {
    target: Kind,
    tau: f64,
    policy: u8,
    thresholds: [f64; 2],
}

#[derive(Arbitrary, Debug)]
enum Kind {
    /// One of those that have a name.
    Named(u8),
    /// Any text, which is a name of a target or refused.
    Text(String),
    Gaussian(f64),
    Laplacian(f64),
    /// A slope below and above a kink.
    Kink(f32, f32, f32),
}

/// The normal density.
fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() / TAU.sqrt()
}

/// Whether a refusal is one that the docs of `solve` name for this target, τ and policy.
fn is_documented(refused: &SolveError, target: &Target, tau: f64, policy: Policy) -> bool {
    let moments = match target.moments(tau) {
        Ok(moments) => moments,
        // As text, because a NaN is not equal to itself.
        Err(why) => {
            let bad = matches!(refused, SolveError::BadTau { .. });
            return why.to_string() == refused.to_string() && (tau > 0.0 && tau.is_finite()) != bad;
        }
    };
    let Moments { d0, d1, d2 } = moments;
    let (b1, rho) = (moments.b1(tau), moments.rho(tau));
    // What vanishes in f64, or its square does.
    let vanishes = |moment: f64, part: f64| moment.min(part * part) < f64::MIN_POSITIVE;
    let even = vanishes(d1, b1);
    let nothing = even && vanishes(d2, moments.b2(tau));
    let two = matches!(policy, Policy::MinVariance | Policy::MatchD0 | Policy::Unit);
    let periodic = matches!(policy, Policy::Periodic);
    match (refused, policy) {
        (SolveError::NothingToMatch { .. }, _) => nothing && !periodic,
        (SolveError::EvenTarget { .. }, _) => two && even,
        (SolveError::RatioTooLarge { .. }, _) => two && rho > 36.0,
        // b1 ≤ 2φ(ρ) is what unit outputs reach, but for rounding.
        (SolveError::UnitInfeasible { .. }, Policy::Unit) => b1 > 2.0 * density(rho) * (1.0 - 1e-9),
        (SolveError::NotGaussian { .. }, _) => {
            periodic && !target.to_string().starts_with("gaussian")
        }
        (SolveError::WidthOutOfRange { gamma, .. }, _) => {
            periodic && !(1.0 / 8192.0..=256.0).contains(&(gamma * tau))
        }
        (SolveError::BadThresholds { .. }, Policy::Fixed { lower, upper }) => {
            lower.is_nan() || upper.is_nan() || lower > upper
        }
        (SolveError::NeverFires { .. }, Policy::Fixed { lower, upper }) => {
            let scale = tau.sqrt();
            [lower, upper].iter().all(|cut| density(cut / scale) < 1e-300)
        }
        (SolveError::NoCommonPart { .. }, Policy::Fixed { .. }) => even,
        // Where an output scale of 1/φ leaves f64, or the moments nearly do.
        (SolveError::Overflow { .. }, _) => {
            let ordinary = |size: f64| (1e-90..1e90).contains(&size);
            let fixed = matches!(policy, Policy::Fixed { .. });
            fixed || rho > 20.0 || ![d0, d1, tau].into_iter().all(ordinary)
        }
        _ => false,
    }
}

fuzz_target!(|input: Input| {
    let target = match &input.target {
        Kind::Named(number) => {
            let all: Vec<Target> = Target::named().map(|(_, target)| target).collect();
            all[*number as usize % all.len()].clone()
        }
        Kind::Text(text) => match text.parse() {
            Ok(target) => target,
            Err(_) => return,
        },
        Kind::Gaussian(gamma) => Target::gaussian(*gamma),
        Kind::Laplacian(gamma) => Target::laplacian(*gamma),
        &Kind::Kink(kink, below, above) => {
            let [kink, below, above] = [kink, below, above].map(f64::from);
            Target::function(move |t| (t - kink) * if t < kink { below } else { above })
        }
    };
    let [lower, upper] = input.thresholds;
    let policies = [
        Policy::Automatic,
        Policy::MinVariance,
        Policy::MatchD0,
        Policy::Unit,
        Policy::FourBand,
        Policy::Periodic,
        Policy::Fixed { lower, upper },
    ];
    let policy = policies[input.policy as usize % policies.len()];
    let report = match solve(&target, input.tau, policy) {
        Ok(report) => report,
        Err(refused) => {
            assert!(
                is_documented(&refused, &target, input.tau, policy),
                "{policy} for {target} at {}: {refused:?}",
                input.tau
            );
            return;
        }
    };
    let fixed = matches!(policy, Policy::Fixed { .. });
    assert!(input.tau > 0.0 && input.tau.is_finite(), "{report:?}");
    assert!(report.alpha > 0.0 && report.alpha.is_finite(), "{report:?}");
    assert!((0.0..=1.0).contains(&report.p_plus) && (0.0..=1.0).contains(&report.p_minus));
    match report.bands {
        Bands::Two { lower, upper } => assert!(lower <= upper, "{report:?}"),
        Bands::Four { outer_lower, inner_lower, inner_upper, outer_upper } => {
            assert!(outer_lower <= inner_lower && inner_lower <= inner_upper);
            assert!(inner_upper <= outer_upper, "{report:?}");
        }
        Bands::Periodic { period } => assert!(period > 0.0 && period.is_finite(), "{report:?}"),
        _ => panic!("nothing is known of {report:?}"),
    }
    let expected = match report.bands {
        // A cosine as a trit has its harmonics 6k ± 1 too. They fade where a period is short beside the sums, as in every fit
        // with a width of its own; beside a long one they are what the report says they are.
        Bands::Periodic { period } => {
            let width = (TAU / period).powi(2) * input.tau;
            if width < 1e-4 {
                return;
            }
            let harmonics = (1..2000).filter(|k| [1, 5].contains(&(k % 6)));
            harmonics.map(|k| (-f64::from(k * k - 1) * width).exp()).sum()
        }
        _ => 1.0,
    };
    // Fixed thresholds have the moments that they have.
    if !fixed && report.asked.d1 > 1e-200 {
        let off = report.achieved.d1 / report.asked.d1 / expected - 1.0;
        assert!(off.abs() < 1e-6, "{expected} {report:?}");
    }
});
