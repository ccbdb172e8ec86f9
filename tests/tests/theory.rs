//! The asymptotic kernel against exact kernels and simulated ternary features on a Gaussian
//! mixture.

use ternion::theory::{
    Bands, Class, Covariance, Mixture, MixtureError, Moments, excess_kurtosis, solve,
};
use ternion::{Policy, Target};
use ternion_tests::data::Random;

const INPUTS: usize = 512;
const SAMPLES: usize = 1024;

/// Samples of a mixture.
struct Data {
    mixture: Mixture,
    /// Samples × inputs.
    x: Vec<f64>,
    labels: Vec<usize>,
    /// ±1 by class.
    y: Vec<f64>,
}

/// Variances 0.28 ± `contrast`, the larger ones on the class's own half of the inputs.
fn halves(contrast: f64) -> impl Fn(usize, usize) -> f64 {
    move |class, k| if (k < INPUTS / 2) == (class == 0) { 0.28 + contrast } else { 0.28 - contrast }
}

/// Two classes of opposite means of squared norm `mean_square`/p and variances `variance(class,
/// k)`/p, with τ = 0.28.
fn data(seed: u64, mean_square: f64, variance: impl Fn(usize, usize) -> f64) -> Data {
    let mut random = Random::new(seed);
    let inputs = INPUTS as f64;
    let variance = |class, k| variance(class, k) / inputs;
    let side = |class: usize| 2.0 * class as f64 - 1.0;
    let size = (mean_square / inputs).sqrt();
    let mean = |class: usize, k: usize| if k == 0 { side(class) * size } else { 0.0 };
    let classes = (0..2).map(|class| Class {
        share: 0.5,
        mean: (0..INPUTS).map(|k| mean(class, k)).collect(),
        covariance: Covariance::Diagonal((0..INPUTS).map(|k| variance(class, k)).collect()),
    });
    let mixture = Mixture::new(classes.collect()).expect("a mixture");
    assert!((mixture.tau() - 0.28).abs() < 1e-12);
    let labels: Vec<usize> = (0..SAMPLES).map(|i| i % 2).collect();
    let x = labels
        .iter()
        .flat_map(|&class| (0..INPUTS).map(move |k| (class, k)))
        .map(|(class, k)| mean(class, k) + variance(class, k).sqrt() * random.normal())
        .collect();
    let y = labels.iter().map(|&class| side(class)).collect();
    Data { mixture, x, labels, y }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A symmetric n×n matrix from its lower half.
fn symmetric_eigenpairs(count: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut matrix = vec![0.0; count * count];
    for i in 0..count {
        for j in 0..=i {
            matrix[i * count + j] = entry(i, j);
            matrix[j * count + i] = matrix[i * count + j];
        }
    }
    matrix
}

/// x minus its mean: P·x.
fn centred(mut x: Vec<f64>) -> Vec<f64> {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    x.iter_mut().for_each(|x| *x -= mean);
    x
}

/// P·K·x for x orthogonal to 1.
fn apply(matrix: &[f64], x: &[f64]) -> Vec<f64> {
    centred(matrix.chunks_exact(x.len()).map(|row| dot(row, x)).collect())
}

/// The eigenvalue of PKP + shift·P of largest magnitude, by power iteration.
fn leading_eigenvalue(matrix: &[f64], count: usize, shift: f64) -> f64 {
    let mut random = Random::new(99);
    let mut x = centred((0..count).map(|_| random.normal()).collect());
    let mut value = 0.0;
    for _ in 0..150 {
        let mut image = apply(matrix, &x);
        image.iter_mut().zip(&x).for_each(|(image, x)| *image += shift * x);
        value = dot(&image, &x) / dot(&x, &x);
        let norm = dot(&image, &image).sqrt();
        x = image.into_iter().map(|image| image / norm).collect();
    }
    value
}

/// ‖PKP‖.
fn spectral_norm(matrix: &[f64], count: usize) -> f64 {
    leading_eigenvalue(matrix, count, 0.0).abs()
}

/// min over λ of ‖PKP − λP‖: half the distance between the extreme eigenvalues on the complement of
/// 1.
fn norm_up_to_identity(matrix: &[f64], count: usize) -> f64 {
    let one = leading_eigenvalue(matrix, count, 0.0);
    // Shifted by −one, the opposite end leads.
    let other = leading_eigenvalue(matrix, count, -one) + one;
    0.5 * (one - other).abs()
}

/// Norms and correlations of the samples, computed once for all kernels.
struct Geometry {
    norms: Vec<f64>,
    correlations: Vec<f64>,
}

fn geometry(x: &[f64]) -> Geometry {
    let x: Vec<&[f64]> = x.chunks_exact(INPUTS).collect();
    let norms: Vec<f64> = x.iter().map(|x| dot(x, x).sqrt()).collect();
    let correlations =
        symmetric_eigenpairs(x.len(), |i, j| dot(x[i], x[j]) / (norms[i] * norms[j]));
    Geometry { norms, correlations }
}

/// E_w relu(wᵀx)relu(wᵀy) for normal w, by its closed form.
fn exact_relu(Geometry { norms, correlations }: &Geometry) -> Vec<f64> {
    let count = norms.len();
    symmetric_eigenpairs(count, |i, j| {
        let cosine = correlations[i * count + j].clamp(-1.0, 1.0);
        let angle = cosine.acos();
        let shape = angle.sin() + (std::f64::consts::PI - angle) * cosine;
        norms[i] * norms[j] * shape / std::f64::consts::TAU
    })
}

/// E_w σ(wᵀx)σ(wᵀy) for normal w and the ternary σ of two bands, by its series in the correlation.
fn exact_ternary(Geometry { norms, correlations }: &Geometry, lower: f64, upper: f64) -> Vec<f64> {
    const TERMS: usize = 16;
    let count = norms.len();
    // E He_k(z)σ(‖x‖z)/√k!; for k ≥ 1 it is (φ(u₊)He_{k−1}(u₊) + φ(u₋)He_{k−1}(u₋))/√k!.
    let coefficients: Vec<[f64; TERMS]> = norms
        .iter()
        .map(|norm| {
            let (below, above) = Bands::Two { lower, upper }.probabilities(norm * norm);
            let mut series = [0.0; TERMS];
            series[0] = above - below;
            for u in [lower / norm, upper / norm] {
                // φ(u)·He_{k−1}(u)/√k!, by the recurrence of the normalised polynomials.
                let mut last = 0.0;
                let mut this = (-0.5 * u * u).exp() / std::f64::consts::TAU.sqrt();
                for (k, term) in series.iter_mut().enumerate().skip(1) {
                    *term += this / (k as f64).sqrt();
                    let next = (u * this - (k as f64 - 1.0).sqrt() * last) / (k as f64).sqrt();
                    (last, this) = (this, next);
                }
            }
            series
        })
        .collect();
    symmetric_eigenpairs(count, |i, j| {
        if i == j {
            let (below, above) = Bands::Two { lower, upper }.probabilities(norms[i] * norms[i]);
            return below + above;
        }
        let correlation = correlations[i * count + j];
        assert!(correlation.abs() < 0.5, "{TERMS} terms are enough");
        coefficients[i]
            .iter()
            .zip(&coefficients[j])
            .rev()
            .fold(0.0, |sum, (a, b)| sum * correlation + a * b)
    })
}

/// Thresholds by the equations for (d1, d2) as once printed, with e^{−s²/τ}/π in place of
/// e^{−s²/(2τ)}/√(2πτ), and by least squares, as was proposed: the system has no solution.
fn printed_thresholds(Moments { d1, d2, .. }: Moments, tau: f64) -> (f64, f64) {
    let cost = |s: [f64; 2]| {
        let weights = s.map(|s| (-s * s / tau).exp() / std::f64::consts::PI);
        let first = weights[0] + weights[1] - d1.sqrt();
        let second = (s[0] * weights[0] + s[1] * weights[1]) / (2.0 * tau) - d2.sqrt();
        first * first + second * second
    };
    let mut best = [-0.5, 0.5];
    let mut step = 0.25;
    while step > 1e-10 {
        let moves = [
            [step, 0.0],
            [-step, 0.0],
            [0.0, step],
            [0.0, -step],
            [step, step],
            [-step, -step],
            [step, -step],
        ];
        let next = moves
            .into_iter()
            .map(|[a, b]| [best[0] + a, best[1] + b])
            .filter(|s| s[0] <= s[1])
            .min_by(|a, b| cost(*a).total_cmp(&cost(*b)))
            .expect("moves");
        if cost(next) < cost(best) { best = next } else { step *= 0.5 }
    }
    (best[0], best[1])
}

fn two_bands(bands: Bands) -> (f64, f64) {
    let Bands::Two { lower, upper } = bands else { panic!("two bands") };
    (lower, upper)
}

/// scale·a − b.
fn difference(scale: f64, a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| scale * a - b).collect()
}

#[test]
fn our_thresholds_give_the_kernel_of_relu_and_the_printed_ones_do_not() {
    let Data { mixture, x, .. } = data(1, 1.0, halves(0.18));
    let tau = mixture.tau();
    let geometry = geometry(&x);
    let relu = exact_relu(&geometry);
    let norm = spectral_norm(&relu, SAMPLES);
    assert!(norm > 0.5, "{norm}");

    let report = solve(&Target::relu(), tau, Policy::MinVariance).expect("feasible");
    // Unit outputs put a threshold further out, where p = 512 is not yet large.
    for (policy, share) in [(Policy::MinVariance, 0.02), (Policy::Unit, 0.05)] {
        let report = solve(&Target::relu(), tau, policy).expect("feasible");
        let (lower, upper) = two_bands(report.bands);
        let ternary = exact_ternary(&geometry, lower, upper);
        let distance =
            norm_up_to_identity(&difference(report.alpha.powi(2), &ternary, &relu), SAMPLES);
        assert!(distance < share * norm, "{policy}: {distance} of {norm}");
    }

    let (lower, upper) = printed_thresholds(report.asked, tau);
    let ternary = exact_ternary(&geometry, lower, upper);
    let distance = norm_up_to_identity(&difference(1.0, &ternary, &relu), SAMPLES);
    assert!(distance > norm, "{distance} of {norm}");
}

#[test]
fn the_asymptotic_kernel_is_near_the_exact_one_for_normal_weights() {
    // Where the halves differ, traces of products tell the classes apart; where the traces do,
    // norms.
    let by_norm = |class: usize, _| if class == 0 { 0.24 } else { 0.32 };
    for data in [data(2, 1.0, halves(0.18)), data(3, 1.0, by_norm)] {
        let Data { mixture, x, labels, .. } = data;
        let relu = exact_relu(&geometry(&x));
        let moments = Target::relu().moments(mixture.tau()).expect("moments");
        let off = |moments: &Moments| {
            let theory = mixture.centred_kernel(&x, &labels, moments, 0.0).expect("a kernel");
            spectral_norm(&difference(1.0, theory.as_slice(), &relu), SAMPLES)
        };
        let norm = spectral_norm(&relu, SAMPLES);
        let (whole, linear) = (off(&moments), off(&Moments { d2: 0.0, ..moments }));
        assert!(whole < 0.03 * norm, "{whole} of {norm}");
        assert!(linear > 0.04 * norm, "the quadratic part is not idle: {linear} of {norm}");
    }
}

/// y′PKPy/n of ternary features by simulation: naive projections by ternary weights, one feature at
/// a time.
///
/// The linear part of the estimate has the known mean |X′y|²/n whatever the weights; its deviation
/// is regressed out.
fn simulated_alignment(
    data: &Data,
    bands: Bands,
    sparsity: f64,
    features: usize,
    seed: u64,
) -> f64 {
    let y = centred(data.y.clone());
    let columns: Vec<Vec<f32>> = (0..INPUTS)
        .map(|k| data.x.iter().skip(k).step_by(INPUTS).map(|&x| x as f32).collect())
        .collect();
    let weight = (1.0 - sparsity).sqrt().recip();
    let workers = 2;
    let draw = |worker: u64| -> Vec<[f64; 2]> {
        let mut random = Random::new(seed + worker);
        let mut sums = vec![0.0_f32; SAMPLES];
        (0..features / workers)
            .map(|_| {
                sums.fill(0.0);
                for (column, trit) in columns.iter().zip(random.trits(INPUTS, sparsity)) {
                    match trit {
                        1 => sums.iter_mut().zip(column).for_each(|(sum, x)| *sum += x),
                        -1 => sums.iter_mut().zip(column).for_each(|(sum, x)| *sum -= x),
                        _ => {}
                    }
                }
                // w and −w are equally likely: both are taken from the same sums.
                let (mut feature, mut mirrored, mut linear) = (0.0, 0.0, 0.0);
                for (sum, y) in sums.iter().zip(&y) {
                    let projection = weight * f64::from(*sum);
                    feature += y * f64::from(bands.value(projection));
                    mirrored += y * f64::from(bands.value(-projection));
                    linear += y * projection;
                }
                [0.5 * (feature * feature + mirrored * mirrored), linear * linear]
                    .map(|v| v / SAMPLES as f64)
            })
            .collect()
    };
    let draws: Vec<[f64; 2]> = std::thread::scope(|scope| {
        let handles: Vec<_> =
            (0..workers as u64).map(|worker| scope.spawn(move || draw(worker))).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("a worker")).collect()
    });
    let mean = |k: usize| draws.iter().map(|draw| draw[k]).sum::<f64>() / draws.len() as f64;
    let (quadratic, linear) = (mean(0), mean(1));
    let covariance: f64 = draws.iter().map(|d| (d[0] - quadratic) * (d[1] - linear)).sum();
    let variance: f64 = draws.iter().map(|d| (d[1] - linear).powi(2)).sum();
    let known: f64 = (0..INPUTS)
        .map(|k| {
            data.x.iter().skip(k).step_by(INPUTS).zip(&y).map(|(x, y)| x * y).sum::<f64>().powi(2)
        })
        .sum::<f64>()
        / SAMPLES as f64;
    let slope = covariance / variance;
    quadratic - slope * (linear - known)
}

#[test]
fn the_kurtosis_term_predicts_ternary_features_at_every_sparsity() {
    let data = data(3, 0.3, halves(0.24));
    let report = solve(&Target::relu(), data.mixture.tau(), Policy::MinVariance).expect("feasible");
    let predicted = |kurtosis| {
        let Data { mixture, x, labels, y } = &data;
        let kernel =
            mixture.centred_kernel(x, labels, &report.achieved, kurtosis).expect("a kernel");
        dot(y, &apply(kernel.as_slice(), &centred(y.clone()))) / SAMPLES as f64
    };
    // Two kernels tell all, since the prediction is affine in the kurtosis.
    let (universal, at_one) = (predicted(0.0), predicted(1.0));
    // As many features as make the standard error half a percent.
    for (sparsity, features) in [(0.0, 4000), (0.5, 5000), (2.0 / 3.0, 6000), (0.9, 10_000)] {
        let alignment = simulated_alignment(&data, report.bands, sparsity, features, 7);
        let measured = report.alpha.powi(2) * alignment;
        let theory = universal + excess_kurtosis(sparsity) * (at_one - universal);
        assert!(
            (measured / theory - 1.0).abs() < 0.02,
            "{sparsity}: measured {measured}, predicted {theory}"
        );
        if sparsity != 2.0 / 3.0 {
            assert!(
                (measured / universal - 1.0).abs() > 0.03,
                "{sparsity}: measured {measured}, predicted {universal} without the kurtosis"
            );
        }
    }
}

/// Three small classes; the last covariance is full.
fn small() -> (Vec<Class>, Vec<f64>, Vec<usize>) {
    let class = |share, covariance| Class { share, mean: vec![0.1, -0.2, 0.3], covariance };
    let full = vec![0.5, 0.1, 0.0, 0.1, 0.4, -0.1, 0.0, -0.1, 0.3];
    let classes = vec![
        class(1.0, Covariance::Diagonal(vec![0.1, 0.2, 0.3])),
        class(2.0, Covariance::Full(vec![0.2, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0, 0.2])),
        class(1.0, Covariance::Full(full)),
    ];
    let x = vec![0.3, 0.1, -0.4, 0.2, 0.2, 0.6, -0.7, 0.5, 0.0, 0.4, 0.9, 0.1];
    (classes, x, vec![0, 1, 2, 2])
}

#[test]
fn every_entry_is_the_formula() {
    let (classes, x, labels) = small();
    let moments = Moments { d0: 0.7, d1: 0.5, d2: 0.3 };
    let kurtosis = -1.3;
    let dense = |class: &Class| -> [f64; 9] {
        match &class.covariance {
            Covariance::Diagonal(d) => [d[0], 0.0, 0.0, 0.0, d[1], 0.0, 0.0, 0.0, d[2]],
            Covariance::Full(entries) => entries.clone().try_into().expect("nine entries"),
            other => panic!("no oracle for {other:?}"),
        }
    };
    let trace = |m: &[f64; 9]| m[0] + m[4] + m[8];
    let tau = 0.25
        * (trace(&dense(&classes[0]))
            + 2.0 * trace(&dense(&classes[1]))
            + trace(&dense(&classes[2])));
    let entry = |i: usize, j: usize| {
        let sample = |i: usize| &x[3 * i..3 * i + 3];
        let deviation = |i: usize| {
            let mean = &classes[labels[i]].mean;
            (0..3).map(|k| (sample(i)[k] - mean[k]).powi(2)).sum::<f64>() - tau
        };
        let (a, b) = (dense(&classes[labels[i]]), dense(&classes[labels[j]]));
        let product: f64 = (0..3)
            .flat_map(|r| (0..3).map(move |c| (r, c)))
            .map(|(r, c)| a[3 * r + c] * b[3 * c + r])
            .sum();
        let diagonals: f64 = (0..3).map(|k| a[4 * k] * b[4 * k]).sum();
        moments.d1 * dot(sample(i), sample(j))
            + moments.d2 * (deviation(i) * deviation(j) + 2.0 * product + kurtosis * diagonals)
            + if i == j { moments.d0 } else { 0.0 }
    };
    let plain = symmetric_eigenpairs(4, entry);
    let mixture = Mixture::new(classes.clone()).expect("a mixture");
    assert!((mixture.tau() - tau).abs() < 1e-15);
    let kernel = mixture.centred_kernel(&x, &labels, &moments, kurtosis).expect("a kernel");
    for i in 0..4 {
        let mut unit = vec![0.0; 4];
        unit[i] = 1.0;
        for (found, expected) in
            kernel.as_slice()[4 * i..].iter().zip(apply(&plain, &centred(unit)))
        {
            assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        }
    }
}

#[test]
fn mixtures_and_samples_are_checked() {
    let (classes, x, labels) = small();
    let changed = |change: &dyn Fn(&mut Vec<Class>)| {
        let mut classes = classes.clone();
        change(&mut classes);
        Mixture::new(classes).expect_err("an error")
    };
    assert_eq!(changed(&|classes| classes.clear()), MixtureError::Empty);
    assert_eq!(changed(&|classes| classes[0].mean.clear()), MixtureError::Empty);
    let size = |class, expected, found| MixtureError::WrongSize { class, expected, found };
    assert_eq!(changed(&|classes| classes[1].mean.push(0.0)), size(1, 3, 4));
    assert_eq!(
        changed(&|classes| classes[2].covariance = Covariance::Full(vec![0.0; 8])),
        size(2, 9, 8)
    );
    let negative = Covariance::Diagonal(vec![0.1, -0.1, 0.1]);
    let error = changed(&|classes| classes[0].covariance = negative.clone());
    assert_eq!(error, MixtureError::BadNumber { class: 0, value: -0.1 });
    let error = changed(&|classes| classes.iter_mut().for_each(|class| class.share = 0.0));
    assert_eq!(error, MixtureError::BadNumber { class: 0, value: 0.0 });
    let error = changed(&|classes| classes.iter_mut().for_each(|class| class.share = -1.0));
    assert_eq!(error, MixtureError::BadNumber { class: 0, value: -1.0 });
    let infinite = f64::INFINITY;
    let error = changed(&|classes| classes[1].mean[2] = infinite);
    assert_eq!(error, MixtureError::BadNumber { class: 1, value: infinite });
    let error = changed(&|classes| classes[2].share = infinite);
    assert_eq!(error, MixtureError::BadNumber { class: 2, value: infinite });
    let error = changed(&|classes| classes.iter_mut().for_each(|class| class.share = f64::MAX));
    assert_eq!(error, MixtureError::BadNumber { class: 0, value: f64::MAX });
    let large = Covariance::Diagonal(vec![f64::MAX; 3]);
    let error = changed(&|classes| classes[1].covariance = large.clone());
    assert_eq!(error, MixtureError::BadNumber { class: 1, value: infinite });
    let mut full = vec![0.1; 9];
    full[1] = f64::NAN;
    let error = changed(&|classes| classes[0].covariance = Covariance::Full(full.clone()));
    assert!(matches!(error, MixtureError::BadNumber { class: 0, value } if value.is_nan()));

    let mixture = Mixture::new(classes.clone()).expect("a mixture");
    let moments = Moments { d0: 1.0, d1: 1.0, d2: 1.0 };
    let kernel = |x: &[f64], labels: &[usize]| mixture.centred_kernel(x, labels, &moments, 0.0);
    assert_eq!(
        kernel(&x, &labels[..3]),
        Err(MixtureError::WrongSamples { expected: 9, found: 12 })
    );
    assert_eq!(kernel(&x, &[0, 1, 2, 3]), Err(MixtureError::UnknownLabel { label: 3, classes: 3 }));
    assert_eq!(kernel(&[], &[]), Err(MixtureError::Empty));
    let many = 1 << 20;
    assert_eq!(
        kernel(&vec![0.0; 3 * many], &vec![0; many]),
        Err(MixtureError::TooManySamples { samples: many })
    );
    let mut infinite = x.clone();
    infinite[3 * 2 + 1] = f64::INFINITY;
    let error = kernel(&infinite, &labels).expect_err("an infinite sample");
    assert!(matches!(error, MixtureError::NotFinite { row: 2, col: 0, .. }), "{error}");
    for moments in [f64::NAN, f64::INFINITY].map(|d2| Moments { d2, ..moments }) {
        assert!(mixture.centred_kernel(&x, &labels, &moments, 0.0).is_err());
    }
    assert!(mixture.centred_kernel(&x, &labels, &moments, f64::NAN).is_err());
}
