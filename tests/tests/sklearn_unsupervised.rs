//! Kernel PCA, k-means, spectral clustering and one-class detection against scikit-learn, in numbers that
//! tests/data/sklearn_unsupervised.py made.

use serde_json::Value;
use ternion::learn::{KMeans, KernelPca, OneClass, SpectralClustering};
use ternion::{Features, TritMatrix};
use ternion_tests::data;

/// The largest difference of objectives, relative.
const TOLERANCE: f64 = 1e-4;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn integers(value: &Value) -> Vec<usize> {
    numbers(value).into_iter().map(|x| x as usize).collect()
}

/// Calls `check` with the training samples, others, and what scikit-learn found.
fn for_each(check: impl Fn(&Features, &Features, &Value)) {
    let vectors = include_str!("../data/sklearn_unsupervised.json");
    let vectors: Value = serde_json::from_str(vectors).unwrap();
    let problems = vectors["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 3);
    for problem in problems {
        let m = problem["features"].as_u64().unwrap() as usize;
        let features = |value: &Value| {
            let trits: Vec<i8> = numbers(value).into_iter().map(|x| x as i8).collect();
            let (sign, mask) = data::pack(&trits, m);
            Features::new(TritMatrix::new(trits.len() / m, m, sign, mask).unwrap())
        };
        check(&features(&problem["x"]), &features(&problem["new"]), problem);
    }
}

/// Whether two clusterings are the same but for the numbers of the clusters.
#[track_caller]
fn assert_same_clusters(found: &[usize], expected: &[usize], clusters: usize) {
    let mut pairs: Vec<_> = found.iter().zip(expected).collect();
    pairs.sort_unstable();
    pairs.dedup();
    assert_eq!(pairs.len(), clusters, "{found:?} {expected:?}");
}

#[test]
fn principal_components_agree_with_scikit_learn() {
    for_each(|features, new, expected| {
        let components = KernelPca::new(4).unwrap().fit(features).unwrap();
        for (found, expected) in components.values().iter().zip(numbers(&expected["eigenvalues"])) {
            assert!((found - expected).abs() < 1e-8 * expected, "{found} {expected}");
        }
        let coordinates = components.transform(new).unwrap();
        let expected = numbers(&expected["coordinates"]);
        for k in 0..4 {
            let expected: Vec<f64> = expected.iter().skip(k).step_by(4).copied().collect();
            let found: Vec<f64> = coordinates.iter_rows().map(|row| row[k].into()).collect();
            // The sign of a direction is a convention.
            let sign = expected.iter().zip(&found).map(|(a, b)| a * b).sum::<f64>().signum();
            for (found, expected) in found.iter().zip(&expected) {
                assert!((sign * found - expected).abs() < 1e-5, "{found} {expected}");
            }
        }
        // The squared coordinates of the training samples sum to the eigenvalues.
        let own = components.transform(features).unwrap();
        for (k, value) in components.values().iter().enumerate() {
            let sum: f64 = own.iter_rows().map(|row| f64::from(row[k]).powi(2)).sum();
            assert!((sum - value).abs() < 1e-5 * value, "{sum} {value}");
        }
    });
}

#[test]
fn clusters_of_kmeans_agree_with_scikit_learn() {
    for_each(|features, new, expected| {
        let k = expected["clusters"].as_u64().unwrap() as usize;
        let clusters = KMeans::new(k).unwrap().starts(20).unwrap().fit(features).unwrap();
        assert!(clusters.warnings().is_empty());
        assert_same_clusters(clusters.labels(), &integers(&expected["kmeans"]), k);
        let count = (features.len() * features.features()) as f64;
        let found = clusters.convergence().objective * count;
        let inertia = expected["inertia"].as_f64().unwrap();
        assert!((found - inertia).abs() < TOLERANCE * inertia, "{found} {inertia}");
        // Other samples, in the numbering of the training samples.
        let theirs = integers(&expected["kmeans"]);
        let ours = |label| clusters.labels()[theirs.iter().position(|&l| l == label).unwrap()];
        let expected = integers(&expected["kmeans_new"]).into_iter().map(ours);
        assert!(clusters.predict(new).unwrap().into_iter().eq(expected));
    });
}

#[test]
fn spectral_clusters_agree_with_scikit_learn() {
    for_each(|features, _, expected| {
        let k = expected["clusters"].as_u64().unwrap() as usize;
        let clusters = SpectralClustering::new(k).unwrap().fit(features).unwrap();
        assert!(clusters.warnings().is_empty());
        assert_same_clusters(clusters.labels(), &integers(&expected["spectral"]), k);
        let found = clusters.convergence().objective * features.len() as f64;
        let inertia = expected["spectral_inertia"].as_f64().unwrap();
        assert!((found - inertia).abs() < TOLERANCE * inertia, "{found} {inertia}");
        assert!((clusters.values()[0] - 1.0).abs() < 1e-9);
    });
}

#[test]
fn distances_of_one_class_agree_with_scikit_learn() {
    for_each(|features, new, expected| {
        for (components, expected) in
            [(0, &expected["distances"][0]), (3, &expected["distances"][1])]
        {
            let one_class = OneClass::new(0.1).unwrap().components(components);
            let found = one_class.fit(features).unwrap().distances(new).unwrap();
            for (found, expected) in found.iter().zip(numbers(expected)) {
                assert!((found - expected).abs() < 1e-5, "{found} {expected}");
            }
        }
    });
}
