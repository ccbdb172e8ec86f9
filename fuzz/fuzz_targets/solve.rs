//! Thresholds of any target, τ and policy: refused with a reason, or sound and with the moments that were asked for.
#![no_main]

use core::f64::consts::TAU;
use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use ternion::theory::{Bands, solve};
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
            assert!(!refused.to_string().is_empty());
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
