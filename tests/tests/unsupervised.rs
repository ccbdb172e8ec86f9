//! Learners without answers: their definitions in plain code, edges, threads and refusals. Their agreement with
//! scikit-learn is in `sklearn_unsupervised`.

use std::ops::ControlFlow;
use std::sync::Mutex;
use ternion::learn::{Convergence, End, KMeans, KernelPca, OneClass, SpectralClustering, Warning};
use ternion::packed::Progress;
use ternion::{Error, Features, Matrix, TritMatrix};
use ternion_core::{Error as CoreError, Size};
use ternion_tests::data::{self, Random};

fn packed(trits: &[i8], m: usize) -> Features {
    let (sign, mask) = data::pack(trits, m);
    Features::new(TritMatrix::new(trits.len() / m, m, sign, mask).unwrap())
}

/// Samples in groups: most trits are those of the group, most of them +1, and the rest random.
fn groups(seed: u64, samples: usize, m: usize, groups: usize) -> (Vec<i8>, Features) {
    let mut random = Random::new(seed);
    let levels: Vec<i8> = random.trits(groups * m, 0.5).iter().map(|t| t.abs()).collect();
    let own = random.trits(samples * m, 0.7);
    let trits: Vec<i8> = own
        .iter()
        .enumerate()
        .map(|(k, &t)| if t == 0 { levels[k / m % groups * m + k % m] } else { t })
        .collect();
    let features = packed(&trits, m);
    (trits, features)
}

fn distance(row: &[i8], centre: &[f32]) -> f64 {
    let square = |(&t, &c): (&i8, &f32)| (f64::from(t) - f64::from(c)).powi(2);
    row.iter().zip(centre).map(square).sum::<f64>() / row.len() as f64
}

#[test]
fn every_sample_is_in_the_cluster_of_the_nearest_centre_which_is_its_mean() {
    for (samples, m, k) in
        [(2, 1, 2), (30, 63, 2), (65, 64, 3), (200, 65, 17), (600, 300, 33), (50, 1100, 5)]
    {
        let (trits, features) = match m {
            1 => (vec![1, -1], packed(&[1, -1], 1)),
            _ => groups(7, samples, m, k),
        };
        let clusters = KMeans::new(k).unwrap().seed(5).fit(&features).unwrap();
        assert_eq!(clusters.convergence().end, Some(End::Converged));
        let rows = || trits.chunks(m);
        let decision = clusters.decision(&features).unwrap();
        let mut total = 0.0;
        for ((row, &label), decision) in rows().zip(clusters.labels()).zip(decision.iter_rows()) {
            let distances: Vec<f64> =
                clusters.centres().iter_rows().map(|centre| distance(row, centre)).collect();
            let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
            assert!(distances[label] < least + 1e-3, "{} {least}", distances[label]);
            for (distance, decision) in distances.iter().zip(decision) {
                assert!((distance + f64::from(*decision)).abs() < 2e-3, "{distance} {decision}");
            }
            total += distances[label];
        }
        let objective = clusters.convergence().objective;
        let mean = total / samples as f64;
        assert!((objective - mean).abs() < 1e-3, "{objective} {mean}");
        for (cluster, centre) in clusters.centres().iter_rows().enumerate() {
            let of = |label: &usize| *label == cluster;
            let count = clusters.labels().iter().filter(|label| of(label)).count();
            assert!(count > 0);
            for (j, &c) in centre.iter().enumerate() {
                let members = rows().zip(clusters.labels()).filter(|(_, label)| of(label));
                let sum: i32 = members.map(|(row, _)| i32::from(row[j])).sum();
                assert_eq!(c, (f64::from(sum) / count as f64) as f32);
            }
        }
        assert_eq!(clusters.predict(&features).unwrap(), clusters.labels());
        // The same clusters as classes: exact integers.
        let classifier = clusters.classifier().unwrap();
        assert_eq!(classifier.predict(&features).unwrap(), clusters.labels());
        let mean = |j: usize| rows().map(|row| f64::from(row[j])).sum::<f64>() / samples as f64;
        let means: Vec<f32> = (0..m).map(|j| mean(j) as f32).collect();
        let all: f64 = rows().map(|row| distance(row, &means)).sum();
        let score = clusters.score(&features).unwrap();
        assert!((score - (1.0 - total / all)).abs() < 1e-3, "{score}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (_, features) = groups(11, 700, 200, 4);
    let fit = || {
        let kmeans = KMeans::new(4).unwrap().starts(3).unwrap().fit(&features).unwrap();
        let spectral = SpectralClustering::new(4).unwrap().seed(1).starts(2).unwrap();
        let components = KernelPca::new(3).unwrap().fit(&features).unwrap();
        let one_class = OneClass::new(0.1).unwrap().components(2).fit(&features).unwrap();
        let distances = one_class.distances(&features).unwrap();
        (kmeans, spectral.fit(&features).unwrap(), components, one_class, distances)
    };
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(fit)
    };
    let one = on(1);
    for threads in [2, 3, 7] {
        assert!(on(threads) == one, "{threads} threads");
    }
}

#[test]
fn kmeans_starts_where_it_is_told_and_stops_when_it_is_told() {
    let (_, features) = groups(3, 300, 100, 6);
    let whole = KMeans::new(6).unwrap().seed(9).fit(&features).unwrap();
    let short = KMeans::new(6).unwrap().seed(9).limit(1).unwrap().fit(&features).unwrap();
    let at = short.convergence();
    assert_eq!((at.iterations, at.end), (1, Some(End::Limit)));
    assert_eq!(short.warnings(), [Warning::NotConverged(at)]);
    // Going on from where it stopped leads to the same end.
    let rest = KMeans::new(6).unwrap().centres(short.centres()).fit(&features).unwrap();
    assert!(rest == whole && rest.warnings().is_empty());
    // From the end there is nothing left to do.
    let again = KMeans::new(6).unwrap().centres(whole.centres()).fit(&features).unwrap();
    assert!(again == whole && again.convergence().iterations == 1);
    let loose = KMeans::new(6).unwrap().seed(9).tolerance(0.5).unwrap().fit(&features).unwrap();
    assert!(loose.convergence().iterations <= whole.convergence().iterations);

    let seen = Mutex::new(Vec::new());
    let show = |now: &Convergence| {
        seen.lock().unwrap().push(now.objective);
        if now.iterations < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let asked = KMeans::new(6).unwrap().seed(9).progress(&show);
    let asked = asked.fit(&features).unwrap();
    let seen = seen.into_inner().unwrap();
    assert!(seen.len() == 2 && seen[1] <= seen[0]);
    assert!(format!("{:?}", KMeans::new(6).unwrap()).contains("clusters: 6"));
    assert!(matches!(asked.convergence().end, Some(End::Asked | End::Converged)));
}

#[test]
fn more_starts_are_no_worse_and_empty_clusters_are_filled() {
    let (_, features) = groups(21, 200, 40, 12);
    let one = KMeans::new(12).unwrap().fit(&features).unwrap();
    let ten = KMeans::new(12).unwrap().starts(10).unwrap().fit(&features).unwrap();
    assert!(ten.convergence().objective <= one.convergence().objective);
    // Equal first centres: all but one are empty at first.
    let same = Matrix::from_vec(3, 40, vec![0.5; 120]).unwrap();
    let clusters = KMeans::new(3).unwrap().centres(&same).fit(&features).unwrap();
    assert!((0..3).all(|k| clusters.labels().contains(&k)));
}

#[test]
fn of_equal_starts_the_first_is_kept() {
    // Two different samples, each ten times: every start finds them, in either order.
    let trits: Vec<i8> = (0..20 * 8).map(|k| if k / 8 % 2 == 0 { 1 } else { -1 }).collect();
    let features = packed(&trits, 8);
    for seed in 0..8 {
        let kmeans = || KMeans::new(2).unwrap().seed(seed);
        let one = kmeans().fit(&features).unwrap();
        assert_eq!(kmeans().starts(6).unwrap().fit(&features).unwrap(), one, "seed {seed}");
    }
}

#[test]
fn an_empty_cluster_takes_the_first_of_the_farthest_samples() {
    let features = packed(&[0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1], 4);
    let mut centres = vec![0.0; 4];
    centres.extend([8.0; 4]);
    let centres = Matrix::from_vec(2, 4, centres).unwrap();
    let clusters = KMeans::new(2).unwrap().centres(&centres).fit(&features).unwrap();
    assert_eq!(clusters.labels(), [0, 1, 0]);
}

#[test]
fn kmeans_refuses_what_has_no_clusters() {
    let (_, features) = groups(1, 20, 30, 2);
    for found in [0, 1, 1 << 20] {
        let error = KMeans::new(found).unwrap_err();
        assert_eq!(error, Error::ClassCount { found, max: 1 << 16 });
    }
    let kmeans = KMeans::new(3).unwrap();
    let parameter = |name, found, expected| Error::Parameter { name, found, expected };
    assert_eq!(kmeans.starts(0).unwrap_err(), parameter("number of starts", 0.0, "at least 1"));
    assert_eq!(kmeans.limit(0).unwrap_err(), parameter("limit of iterations", 0.0, "at least 1"));
    assert!(matches!(kmeans.tolerance(1.0).unwrap_err(), Error::Parameter { found: 1.0, .. }));
    assert!(kmeans.tolerance(f64::NAN).is_err());
    let same = packed(&[1, 0, 1, 0, 1, 0, -1, 0], 2);
    let error = kmeans.fit(&same).unwrap_err();
    assert_eq!(error, Error::TooFewSamples { least: 3, found: 2 });
    let centres = |rows, cols, x| Matrix::from_vec(rows, cols, vec![x; rows * cols]).unwrap();
    for (given, expected) in
        [(centres(2, 30, 0.0), (Size::Rows, 3, 2)), (centres(3, 29, 0.0), (Size::Features, 30, 29))]
    {
        let (size, expected, found) = expected;
        let error = kmeans.centres(&given).fit(&features).unwrap_err();
        assert_eq!(error, CoreError::SizeMismatch { size, expected, found }.into());
    }
    let error = kmeans.centres(&centres(3, 30, f32::NAN)).fit(&features).unwrap_err();
    assert_eq!(error, Error::NotFinite { index: 0 });
    let clusters = kmeans.fit(&features).unwrap();
    let other = packed(&[1; 29], 29);
    let mismatch = CoreError::SizeMismatch { size: Size::Features, expected: 30, found: 29 };
    assert_eq!(clusters.predict(&other).unwrap_err(), mismatch.into());
    assert_eq!(clusters.decision(&other).unwrap_err(), mismatch.into());
    assert_eq!(clusters.score(&other).unwrap_err(), mismatch.into());
}

#[test]
fn components_beyond_the_rank_are_zero_and_all_of_them_explain_everything() {
    // Two different samples have one direction.
    let features = packed(&[1, 1, 0, -1, 1, 1, 0, -1, 0, -1, 1, 0], 4);
    let done = Mutex::new(0);
    let progress = |progress: Progress| *done.lock().unwrap() = progress.done;
    let pca = KernelPca::new(3).unwrap().progress(&progress);
    let components = pca.fit(&features).unwrap();
    assert_eq!(*done.lock().unwrap(), 3);
    assert!(format!("{pca:?}").contains("components: 3"));
    let explained = components.explained();
    assert!((explained[0] - 1.0).abs() < 1e-9 && explained[1].abs() < 1e-9, "{explained:?}");
    let coordinates = components.transform(&features).unwrap();
    assert!(coordinates.iter_rows().all(|row| row[1] == 0.0 && row[2] == 0.0));
    assert_eq!(components.model().weights().cols(), 3);
    // Samples that are all the same have no direction at all.
    let same = KernelPca::new(2).unwrap().fit(&packed(&[1, 0, 1, 0], 2)).unwrap();
    assert!(same.explained().iter().all(|share| *share == 0.0));
    assert!(matches!(KernelPca::new(0).unwrap_err(), Error::Parameter { .. }));
    let error = pca.fit(&packed(&[1, 0, 0, 1], 2)).unwrap_err();
    let large = CoreError::SizeTooLarge { size: Size::Pairs, max: 2, found: 3 };
    assert_eq!(error, large.into());
}

#[test]
fn spectral_clusters_hold_for_other_samples() {
    let (_, features) = groups(31, 300, 400, 3);
    let (_, others) = groups(31, 300, 400, 3);
    let seen = Mutex::new(0);
    let progress = |progress: Progress| *seen.lock().unwrap() = progress.done;
    let spectral = SpectralClustering::new(3).unwrap().progress(&progress);
    assert!(format!("{spectral:?}").contains("clusters: 3"));
    let clusters = spectral.fit(&features).unwrap();
    assert_eq!(*seen.lock().unwrap(), 3);
    assert!(clusters.labels().iter().enumerate().all(|(k, &l)| l == clusters.labels()[k % 3]));
    assert_eq!(clusters.predict(&others).unwrap(), clusters.labels());
    assert_eq!(clusters.classifier().predict(&others).unwrap(), clusters.labels());
    assert_eq!(clusters.decision(&others).unwrap().cols(), 3);
    assert!(clusters.warnings().is_empty());
}

#[test]
fn spectral_clustering_refuses_graphs_without_clusters() {
    // The last sample is the opposite of all others.
    let error = SpectralClustering::new(2).unwrap().fit(&packed(&[1, 1, 1, 0, -1, -1], 2));
    assert_eq!(error.unwrap_err(), Error::Affinity { sample: 0, found: -0.5 });
    // Three copies of one sample are one cluster: A has one positive eigenvalue.
    let error = SpectralClustering::new(2).unwrap().fit(&packed(&[1, 1, 1, 1, 1, 1], 2));
    assert_eq!(error.unwrap_err(), Error::Connected { clusters: 2, found: 1 });
    assert!(matches!(SpectralClustering::new(1).unwrap_err(), Error::ClassCount { .. }));
    assert!(SpectralClustering::new(2).unwrap().starts(0).is_err());
}

#[test]
fn one_class_refuses_the_share_that_was_asked_for() {
    let (_, features) = groups(41, 200, 150, 1);
    for (share, refused) in [(0.0, 0), (0.004, 0), (0.05, 10), (0.5, 100)] {
        for components in [0, 5] {
            let one_class = OneClass::new(share).unwrap().components(components);
            let model = one_class.fit(&features).unwrap();
            let belongs = model.predict(&features).unwrap();
            // Equal distances are on the same side.
            let found = belongs.iter().filter(|belongs| !**belongs).count();
            assert!(found <= refused && found + 5 > refused, "{found} of {refused}");
            let decision = model.decision(&features).unwrap();
            assert!(decision.iter().zip(&belongs).all(|(d, belongs)| (*d >= 0.0) == *belongs));
            let distances = model.distances(&features).unwrap();
            assert!(distances.iter().any(|distance| *distance == model.threshold()));
            assert_eq!(model.score(&features, &belongs).unwrap(), 1.0);
        }
    }
    // The opposite of the class is far from it.
    let (trits, _) = groups(41, 200, 150, 1);
    let opposite = packed(&trits.iter().map(|t| -t).collect::<Vec<_>>(), 150);
    let model = OneClass::new(0.01).unwrap().fit(&features).unwrap();
    assert_eq!(model.score(&opposite, &[false; 200]).unwrap(), 1.0);

    for share in [-0.1, 1.0, f64::NAN] {
        let error = OneClass::new(share).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "share of refused samples", .. }));
    }
    for found in [201, 1 << 40, usize::MAX] {
        let error = OneClass::new(0.0).unwrap().components(found).fit(&features).unwrap_err();
        assert_eq!(error, CoreError::SizeTooLarge { size: Size::Pairs, max: 200, found }.into());
    }
    let error = model.score(&features, &[true]).unwrap_err();
    assert_eq!(error, Error::LabelCount { samples: 200, labels: 1 });
    let mismatch = CoreError::SizeMismatch { size: Size::Features, expected: 150, found: 1 };
    assert_eq!(model.distances(&packed(&[1], 1)).unwrap_err(), mismatch.into());
}

/// Nothing is left to explain in samples that are all the same, in numbers whose inverse is exact and in others.
#[test]
fn scores_of_equal_samples_say_whether_a_centre_is_right() {
    let two = packed(&[1, -1, 0, 0, 1, 1], 3);
    let clusters = KMeans::new(2).unwrap().fit(&two).unwrap();
    for samples in [2, 4, 49, 98] {
        let same = |trits: [i8; 3]| packed(&trits.repeat(samples), 3);
        assert_eq!(clusters.score(&same([1, -1, 0])).unwrap(), 1.0);
        for other in [[1, 1, 0], [0, 0, 0], [-1, 1, -1]] {
            assert_eq!(clusters.score(&same(other)).unwrap(), 0.0, "{samples} {other:?}");
        }
    }
}

/// Two samples that are farthest from one centre, and two clusters without samples: only one of the two may leave.
#[test]
fn no_cluster_gives_its_last_sample_away() {
    const M: usize = 64;
    let sample = |trit: i8, present: usize| (0..M).map(move |j| if j < present { trit } else { 0 });
    let samples = [(-1, M), (-1, M - 3), (1, 32), (1, 31), (1, 30)];
    let trits: Vec<i8> = samples.iter().flat_map(|&(trit, count)| sample(trit, count)).collect();
    // The first of equal centres takes all samples that are near them.
    let zeros = || sample(0, 0);
    let centres = zeros().chain(sample(1, 32)).chain(zeros()).chain(zeros());
    let centres = Matrix::from_vec(4, M, centres.map(f32::from).collect()).unwrap();
    let features = packed(&trits, M);
    let clusters = KMeans::new(4).unwrap().centres(&centres).limit(1).unwrap();
    let clusters = clusters.fit(&features).unwrap();
    assert_eq!(clusters.labels(), [2, 0, 1, 1, 3]);
}
