//! The periodic σ: its kernel by quadrature, by features, and beside Fourier features and bands.

use std::f64::consts::{FRAC_PI_3, PI, TAU};
use ternion::theory::{Bands, solve};
use ternion::{Form, Gram, Policy, Samples, Target, TernaryFeatures};
use ternion_tests::data::Random;

/// E σ(s + b)·σ(s′ + b) over all phases b, for angles that differ by `angle`: how far the arcs of +1, which are a third
/// of the circle, overlap when turned, less how far they overlap those of −1.
fn of_angle(angle: f64) -> f64 {
    let overlap = |turn: f64| {
        let off = (turn / TAU - (turn / TAU).round()).abs() * TAU;
        (2.0 * FRAC_PI_3 - off).max(0.0)
    };
    2.0 * (overlap(angle) - overlap(angle + PI)) / TAU
}

/// The expected kernel of periodic features at a squared distance, for normal weights, by the trapezoidal rule.
fn kernel(period: f64, squared_distance: f64) -> f64 {
    let (steps, reach) = (40_000, 9.0);
    let at = |step: i32| f64::from(step) / f64::from(steps) * reach;
    let density = |z: f64| (-0.5 * z * z).exp() / TAU.sqrt();
    let f = TAU / period * squared_distance.sqrt();
    let sum: f64 = (-steps..=steps).map(|k| density(at(k)) * of_angle(f * at(k))).sum();
    sum * reach / f64::from(steps)
}

#[test]
fn the_kernel_is_the_gaussian_and_a_part_of_the_diagonal() {
    for gamma in [0.05, 0.5, 1.0, 4.0] {
        let report = solve(&Target::gaussian(gamma), 1.0, Policy::Periodic).unwrap();
        let Bands::Periodic { period } = report.bands else { panic!("{report}") };
        let size = report.alpha.powi(2);
        assert!((size - PI * PI / 6.0).abs() < 1e-14);
        assert!((report.p_plus - 1.0 / 3.0).abs() < 1e-15);
        // On the diagonal there is π²/9 where 1 is asked for; the more so, the wider the rest is spread.
        assert!((size * kernel(period, 0.0) - PI * PI / 9.0).abs() < 1e-9);
        for squared_distance in [0.3, 1.0, 2.0, 3.0] {
            let asked = (-gamma * squared_distance).exp();
            let rest = (-25.0 * gamma * squared_distance).exp() / 25.0;
            let found = size * kernel(period, squared_distance);
            assert!((found - asked).abs() < 1.8 * rest + 1e-6, "{gamma}: {found} for {asked}");
        }
    }
    // λ of a kernel that is narrow enough for the harmonics to be on the diagonal only.
    let report = solve(&Target::gaussian(4.0), 1.0, Policy::Periodic).unwrap();
    assert!((report.lambda - (1.0 - PI * PI / 9.0)).abs() < 1e-6, "{report}");
}

/// d0, d1 and d2 of the report are those of the kernel by quadrature, by its values and differences at 2τ.
#[test]
fn the_moments_are_those_of_the_kernel() {
    for (gamma, tau) in [(0.02, 1.0), (0.1, 1.0), (0.1, 3.0), (1.0, 0.5), (1.0, 2.0)] {
        let report = solve(&Target::gaussian(gamma), tau, Policy::Periodic).unwrap();
        let Bands::Periodic { period } = report.bands else { panic!("{report}") };
        let step = 0.02 * tau;
        let [before, at, after] =
            [-step, 0.0, step].map(|r| report.alpha.powi(2) * kernel(period, 2.0 * tau + r));
        let (first, second) =
            ((after - before) / (2.0 * step), (after - 2.0 * at + before) / step.powi(2));
        let zero = report.alpha.powi(2) * kernel(period, 0.0);
        let found = [zero - at + 2.0 * tau * first, -2.0 * first, second];
        let moments = report.achieved;
        for (found, expected) in found.into_iter().zip([moments.d0, moments.d1, moments.d2]) {
            assert!(
                (found - expected).abs() < 2e-3 * expected + 1e-5,
                "{gamma} {tau}: {found} {moments:?}"
            );
        }
        let (plain, size) = (report.bands.moments(tau), report.alpha.powi(2));
        for (plain, scaled) in
            [(plain.d0, moments.d0), (plain.d1, moments.d1), (plain.d2, moments.d2)]
        {
            assert!((size * plain - scaled).abs() < 1e-14, "{plain} {scaled}");
        }
    }
}

/// A mixture of two classes around the origin, of squared norms about 1.
fn mixture(random: &mut Random, samples: usize, inputs: usize) -> Vec<f32> {
    let means: Vec<f64> =
        (0..inputs).map(|_| random.normal() * 0.3 / (inputs as f64).sqrt()).collect();
    let mut x = Vec::new();
    for sample in 0..samples {
        let side = if sample % 2 == 0 { 1.0 } else { -1.0 };
        x.extend(
            means.iter().map(|m| (side * m + random.normal() / (inputs as f64).sqrt()) as f32),
        );
    }
    x
}

/// The largest singular value of the centred difference of two kernels, over that of the first.
fn spectral_error(exact: &[f64], found: &[f64], n: usize) -> f64 {
    let centre = |kernel: &[f64]| {
        let mean = |row: usize| kernel[row * n..][..n].iter().sum::<f64>() / n as f64;
        let means: Vec<f64> = (0..n).map(mean).collect();
        let all = means.iter().sum::<f64>() / n as f64;
        let entry = |k: usize| kernel[k] - means[k / n] - means[k % n] + all;
        (0..n * n).map(entry).collect::<Vec<f64>>()
    };
    let norm = |kernel: &[f64]| {
        let mut v: Vec<f64> = (0..n).map(|k| 1.0 + (k % 7) as f64).collect();
        let mut norm = 0.0;
        for _ in 0..300 {
            let next = |row: &[f64]| row.iter().zip(&v).map(|(a, b)| a * b).sum::<f64>();
            let image: Vec<f64> = kernel.chunks(n).map(next).collect();
            norm = image.iter().map(|x| x * x).sum::<f64>().sqrt();
            v = image.iter().map(|x| x / norm).collect();
        }
        norm
    };
    let difference: Vec<f64> = exact.iter().zip(found).map(|(a, b)| a - b).collect();
    norm(&centre(&difference)) / norm(&centre(exact))
}

/// The promise: the error of full-precision Fourier features at the same m, in two bits, and less than that of bands.
#[test]
fn the_gram_is_as_near_to_the_gaussian_as_that_of_fourier_features() {
    let (n, inputs, features) = (240, 100, 4096);
    let mut random = Random::new(5);
    let x = mixture(&mut random, n, inputs);
    let samples = Samples::new(&x, inputs).unwrap();
    let scaling = TernaryFeatures::params(features);
    let tau = scaling.clone().fit(&samples).unwrap().preprocess().magnification().powi(2);
    let mean: Vec<f64> = (0..inputs)
        .map(|k| (0..n).map(|i| f64::from(x[i * inputs + k])).sum::<f64>() / n as f64)
        .collect();
    let centred: Vec<f64> =
        x.iter().enumerate().map(|(k, &x)| f64::from(x) - mean[k % inputs]).collect();
    let row = |i: usize| &centred[i * inputs..][..inputs];
    let exact = |k: usize| {
        let distance: f64 = row(k / n).iter().zip(row(k % n)).map(|(a, b)| (a - b).powi(2)).sum();
        (-distance / tau).exp()
    };
    let exact: Vec<f64> = (0..n * n).map(exact).collect();
    let fourier = {
        let f = (2.0 / tau).sqrt();
        let mut cosines = vec![0.0; n * features];
        for feature in 0..features {
            let w: Vec<f64> = (0..inputs).map(|_| random.normal() * f).collect();
            let phase = random.unit() * TAU;
            for sample in 0..n {
                let sum: f64 = row(sample).iter().zip(&w).map(|(a, b)| a * b).sum();
                cosines[sample * features + feature] = (sum + phase).cos();
            }
        }
        let of = |i: usize| &cosines[i * features..][..features];
        let dot = |k: usize| of(k / n).iter().zip(of(k % n)).map(|(a, b)| a * b).sum::<f64>();
        let gram: Vec<f64> = (0..n * n).map(|k| 2.0 * dot(k) / features as f64).collect();
        spectral_error(&exact, &gram, n)
    };
    for form in [Form::Stored, Form::Structured] {
        let error = |policy: Policy| {
            let errors = (0..3).map(|seed| {
                let params = TernaryFeatures::params(features).form(form).policy(policy).seed(seed);
                let fitted = params.fit(&samples).unwrap();
                let gram = fitted.transform(&samples).unwrap();
                let gram = Gram::new(&gram).alpha(fitted.report().alpha).unwrap().matrix().unwrap();
                let lambda = fitted.report().lambda;
                let gram: Vec<f64> = gram.iter_rows().flatten().map(|&g| f64::from(g)).collect();
                let corrected =
                    |(k, g): (usize, &f64)| if k / n == k % n { g + lambda } else { *g };
                let gram: Vec<f64> = gram.iter().enumerate().map(corrected).collect();
                spectral_error(&exact, &gram, n)
            });
            errors.sum::<f64>() / 3.0
        };
        let (periodic, two, four) =
            (error(Policy::Periodic), error(Policy::MinVariance), error(Policy::FourBand));
        println!(
            "{form:?}: Fourier {fourier:.4}, periodic {periodic:.4}, two {two:.4}, four {four:.4}"
        );
        assert!(periodic < 1.25 * fourier, "{form:?}: {periodic} against {fourier}");
        assert!(periodic < two && periodic < four, "{form:?}: {periodic}, {two}, {four}");
    }
}

/// Phases are uniform, and those of any two features of a word are independent but for their parity.
#[test]
fn phases_are_uniform_in_pairs() {
    // A sample of zeros has the angle 0, so that its features show the phases.
    let zeros = vec![0.0; 4];
    let some: Vec<f32> = (0..40).map(|k| (k * k % 17) as f32).collect();
    let mut counts = [[[0_u32; 9]; 64]; 2];
    for seed in 0..400 {
        let params =
            TernaryFeatures::params(64 * 8).policy(Policy::Periodic).centre(false).seed(seed);
        let fitted = params.fit(&Samples::new(&some, 4).unwrap()).unwrap();
        let trits = fitted.transform(&Samples::new(&zeros, 4).unwrap()).unwrap();
        let trits: Vec<i8> = trits.trits().iter_rows().flatten().collect();
        for word in trits.chunks(64) {
            for (place, other) in [(0, 1), (1, 40)] {
                for (feature, &trit) in word.iter().enumerate() {
                    let pair = (trit + 1) * 3 + word[(feature + other) % 64] + 1;
                    counts[place][feature][pair as usize] += 1;
                }
            }
        }
    }
    // 3,200 pairs, a ninth of them each: 356 with a standard deviation of 18.
    for counts in counts.as_flattened().as_flattened() {
        assert!((250..=460).contains(counts), "{counts}");
    }
}

/// Periods that no solver gives have no use, but must not keep anyone waiting.
#[test]
fn the_moments_of_any_period_end() {
    for period in [0.0, f64::MIN_POSITIVE, 1e300, f64::INFINITY, f64::NAN, -1.0] {
        for tau in [0.0, 1e-300, 1.0, f64::INFINITY] {
            let (minus, plus) = Bands::Periodic { period }.probabilities(tau);
            assert_eq!((minus, plus), (1.0 / 3.0, 1.0 / 3.0));
        }
    }
    assert_eq!(
        [0.0, 0.25, 0.5, 1.0].map(|t| Bands::Periodic { period: 1.0 }.value(t)),
        [1, 0, -1, 1]
    );
}
