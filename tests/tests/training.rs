//! What learners that iterate have in common: weights, starts, limits, early stopping, progress, threads.

use std::ops::ControlFlow;
use std::sync::Mutex;
use ternion::learn::{
    ClassLearner, Classifier, Convergence, End, Hinge, LinearModel, LinearSvm, Logistic, Ridge,
    Sgd, TargetLearner, Training, Warning,
};
use ternion::{Error, Features, Matrix, TritMatrix};
use ternion_core::{Error as CoreError, Size};
use ternion_tests::data::{self, Random};

/// Every learner that iterates, with a tolerance to be reached and a limit.
fn learners<'a>(
    training: Training<'a>,
    tolerance: f64,
    limit: usize,
) -> Vec<(&'static str, Box<dyn ClassLearner + Send + Sync + 'a>)> {
    let ridge = Ridge::new(0.1).unwrap().iterative().training(training);
    let ridge = ridge.tolerance(tolerance).unwrap().limit(limit).unwrap();
    let logistic = Logistic::new(0.1).unwrap().training(training);
    let logistic = logistic.tolerance(tolerance).unwrap().limit(limit).unwrap();
    let svm = LinearSvm::new(0.1).unwrap().training(training).seed(3);
    let svm = svm.tolerance(tolerance).unwrap().limit(limit).unwrap();
    vec![
        ("iterative ridge", Box::new(ridge)),
        ("logistic", Box::new(logistic)),
        ("squared hinge", Box::new(svm)),
        ("hinge", Box::new(svm.hinge(Hinge::Plain))),
    ]
}

/// The same and stochastic gradient descent, whose minimum is not exact.
fn all_learners<'a>(
    training: Training<'a>,
    limit: usize,
) -> Vec<(&'static str, Box<dyn ClassLearner + Send + Sync + 'a>)> {
    let mut learners = learners(training, 1e-9, limit);
    let sgd = Logistic::new(0.1).unwrap().training(training);
    let sgd = sgd.sgd(Sgd { batch: 50, ..Sgd::default() }).unwrap();
    let sgd = sgd.tolerance(1e-9).unwrap().limit(limit).unwrap();
    learners.push(("descent", Box::new(sgd)));
    learners
}

/// Learners that go on until the tolerance that all of them can reach.
fn patient(training: Training) -> Vec<(&'static str, Box<dyn ClassLearner + Send + Sync + '_>)> {
    learners(training, 1e-5, 10_000)
}

/// Random features, and labels of `classes` classes that depend on some of them.
fn problem(seed: u64, samples: usize, features: usize, classes: usize) -> (Features, Vec<usize>) {
    let mut random = Random::new(seed);
    let trits = random.trits(samples * features, 0.4);
    let label = |row: &[i8]| {
        let score = |k: usize| f64::from(row[k]) + f64::from(row[k + classes]);
        let noisy: Vec<f64> = (0..classes).map(|k| score(k) + random.normal() * 0.7).collect();
        (0..classes).max_by(|&a, &b| noisy[a].total_cmp(&noisy[b])).unwrap()
    };
    let labels = trits.chunks(features).map(label).collect();
    (packed(&trits, features), labels)
}

fn packed(trits: &[i8], features: usize) -> Features {
    let (sign, mask) = data::pack(trits, features);
    Features::new(TritMatrix::new(trits.len() / features, features, sign, mask).unwrap())
}

/// The samples with these indices, some of them more than once.
fn picked(features: &Features, order: &[usize]) -> Features {
    let rows = order.iter().flat_map(|&sample| features.row(sample).unwrap().iter());
    packed(&rows.collect::<Vec<i8>>(), features.features())
}

#[track_caller]
fn assert_close(found: &Classifier, expected: &Classifier, what: &str) {
    let size = |model: &LinearModel| {
        model.weights().as_slice().iter().fold(0.0, |m: f32, x| m.max(x.abs()))
    };
    let size = size(expected.model());
    let both = |model: &LinearModel| [model.weights().as_slice(), model.bias()].concat();
    for (found, expected) in both(found.model()).iter().zip(&both(expected.model())) {
        assert!((found - expected).abs() < 2e-3 * size, "{what}: {found} for {expected} of {size}");
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for (samples, features, classes) in [(300, 70, 2), (300, 200, 3), (150, 130, 12)] {
        let (packed, labels) = problem(1, samples, features, classes);
        for (name, learner) in all_learners(Training::new(), 12) {
            let fits = [1, 2, 3, 7].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| learner.fit_classes(&packed, &labels).unwrap())
            });
            for fit in &fits {
                assert_eq!(fit, &fits[0], "{name}");
                assert_eq!(fit.convergence(), fits[0].convergence(), "{name}");
            }
        }
    }
}

/// Weight 2 is the same sample twice, weight 0 is no sample, and the unit of the penalty does not depend on which.
#[test]
fn weights_repeat_samples() {
    for classes in [2, 3] {
        let (features, labels) = problem(2, 220, 40, classes);
        let weights: Vec<f64> = (0..220).map(|k| (k % 3) as f64).collect();
        let order: Vec<usize> = (0..220).flat_map(|k| vec![k; k % 3]).collect();
        let repeated = picked(&features, &order);
        let repeated_labels: Vec<usize> = order.iter().map(|&k| labels[k]).collect();
        for balanced in [false, true] {
            let plain = if balanced { Training::new().balanced() } else { Training::new() };
            let weighted = patient(plain.sample_weights(&weights)).into_iter();
            for ((name, weighted), (_, plain)) in weighted.zip(patient(plain)) {
                let weighted = weighted.fit_classes(&features, &labels).unwrap();
                let plain = plain.fit_classes(&repeated, &repeated_labels).unwrap();
                assert_close(&weighted, &plain, &format!("{name}, {classes}, {balanced}"));
            }
        }
    }
}

#[test]
fn weights_of_classes_are_those_of_their_samples() {
    let (features, labels) = problem(3, 220, 40, 3);
    let counts = [0, 1, 2].map(|class| labels.iter().filter(|&&label| label == class).count());
    let balanced = counts.map(|count| 220.0 / 3.0 / count as f64);
    let samples: Vec<f64> = labels.iter().map(|&label| balanced[label]).collect();
    let ways = [
        Training::new().balanced(),
        Training::new().class_weights(&balanced),
        Training::new().sample_weights(&samples),
    ];
    let fits = ways.map(|training| -> Vec<(&str, Classifier)> {
        let fit = |(name, learner): (_, Box<dyn ClassLearner + Send + Sync>)| {
            (name, learner.fit_classes(&features, &labels).unwrap())
        };
        patient(training).into_iter().map(fit).collect()
    });
    for ((a, b), c) in fits[0].iter().zip(&fits[1]).zip(&fits[2]) {
        assert_close(&a.1, &b.1, a.0);
        assert_close(&b.1, &c.1, a.0);
    }
    // They matter: without them the largest class is predicted more often.
    for ((name, weighted), (_, plain)) in fits[0].iter().zip(patient(Training::new())) {
        let plain = plain.fit_classes(&features, &labels).unwrap();
        assert_ne!(weighted.model().bias(), plain.model().bias(), "{name}");
    }
}

/// A class number that no sample has is no class to balance with.
#[test]
fn balancing_leaves_classes_without_samples_out() {
    let (features, mut labels) = problem(31, 200, 30, 2);
    labels.iter_mut().for_each(|label| *label *= 2);
    let count = |class: usize| labels.iter().filter(|&&label| label == class).count();
    let balanced = [0, 1, 2].map(|class| match count(class) {
        0 => 0.0,
        count => 200.0 / 2.0 / count as f64,
    });
    let given = patient(Training::new().class_weights(&balanced));
    for ((name, learner), (_, given)) in patient(Training::new().balanced()).iter().zip(given) {
        let fit = learner.fit_classes(&features, &labels).unwrap();
        assert_close(&fit, &given.fit_classes(&features, &labels).unwrap(), name);
    }
}

#[test]
fn a_start_from_the_end_ends_at_once() {
    for classes in [2, 4] {
        let (features, labels) = problem(4, 200, 50, classes);
        for (at, (name, learner)) in patient(Training::new()).into_iter().enumerate() {
            let first = learner.fit_classes(&features, &labels).unwrap();
            let needed = first.convergence().unwrap();
            assert_eq!(needed.end, Some(End::Converged), "{name}: {needed}");
            assert!(first.warnings().is_empty());
            let training = Training::new().start(first.model());
            let second = patient(training).remove(at).1.fit_classes(&features, &labels).unwrap();
            let again = second.convergence().unwrap();
            assert_eq!(again.end, Some(End::Converged), "{name}: {again}");
            // The plain hinge tells the dual variables only of samples off the margin.
            let fewer = again.iterations * 3 < needed.iterations;
            assert!(fewer || name == "hinge", "{name}: {again} after {needed}");
            assert_close(&second, &first, name);
        }
    }
}

#[test]
fn limits_leave_a_model_and_a_warning_with_numbers() {
    let (features, labels) = problem(5, 300, 60, 3);
    for (name, learner) in all_learners(Training::new(), 2) {
        let model = learner.fit_classes(&features, &labels).unwrap();
        let at = *model.convergence().unwrap();
        assert_eq!((at.iterations, at.limit, at.end), (2, 2, Some(End::Limit)), "{name}");
        assert!(at.residual > 1e-9 && at.objective > 0.0, "{name}: {at}");
        assert_eq!(model.warnings(), [Warning::NotConverged(at)]);
        assert_eq!(at.warning(), Some(Warning::NotConverged(at)));
        let text = model.warnings()[0].to_string();
        assert!(text.contains("iteration 2 of at most 2") && text.contains("raise"), "{text}");
        assert!(model.score(&features, &labels).unwrap() > 0.5, "{name}");
        // Neither is saved, and models are equal without them.
        let loaded = Classifier::from_bytes(&model.to_bytes()).unwrap();
        assert!(loaded == model && loaded.convergence().is_none() && loaded.warnings().is_empty());
    }
}

#[test]
fn progress_is_told_and_can_end_a_training() {
    let (features, labels) = problem(6, 300, 60, 3);
    let seen = Mutex::new(Vec::new());
    let look = |now: &Convergence| {
        seen.lock().unwrap().push(*now);
        if now.iterations < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    for (name, learner) in all_learners(Training::new().progress(&look), 50) {
        let model = learner.fit_classes(&features, &labels).unwrap();
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        let iterations: Vec<usize> = seen.iter().map(|now| now.iterations).collect();
        assert!(iterations.ends_with(&[1, 2, 3]), "{name}: {iterations:?}");
        assert!(seen.iter().all(|now| now.end.is_none() && now.held_out.is_none()), "{name}");
        let expected = Convergence { end: Some(End::Asked), ..seen[seen.len() - 1] };
        assert_eq!(model.convergence(), Some(&expected), "{name}");
        assert!(model.warnings().is_empty(), "{name}");
        assert!(seen[0].to_string().contains("of at most 50"), "{}", seen[0]);
    }
}

/// More features than samples: the loss of held-out samples rises again.
#[test]
fn held_out_samples_end_a_training_at_its_best() {
    let (features, labels) = problem(7, 150, 300, 2);
    let losses = Mutex::new(Vec::new());
    let look = |now: &Convergence| {
        losses.lock().unwrap().push(now.held_out.unwrap());
        ControlFlow::Continue(())
    };
    let training = Training::new().progress(&look).hold_out(0.3, 2).unwrap();
    for (name, learner) in all_learners(training, 400) {
        let model = learner.fit_classes(&features, &labels).unwrap();
        let at = *model.convergence().unwrap();
        let losses = std::mem::take(&mut *losses.lock().unwrap());
        let least = losses.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(least > 0.0, "{name}: {least}");
        assert_eq!((at.held_out, at.end), (Some(least), Some(End::HeldOut)), "{name}");
        let best = losses.iter().position(|&loss| loss == least).unwrap();
        assert_eq!(losses.len(), best + 3, "{name}: {losses:?}");
        assert!(at.to_string().contains("held-out loss"), "{at}");
    }
}

/// The loss of a class that is not trained on is infinite, and would make the first model the best.
#[test]
fn classes_that_are_held_out_whole_do_not_end_a_training() {
    let (features, labels) = problem(7, 150, 300, 2);
    let logistic = Logistic::new(0.1).unwrap().training(Training::new().hold_out(0.3, 2).unwrap());
    for sample in 0..10 {
        let mut labels = labels.clone();
        labels[sample] = 2;
        for learner in [logistic, logistic.sgd(Sgd::default()).unwrap()] {
            let model = learner.fit_classes(&features, &labels).unwrap();
            let convergence = model.convergence().unwrap();
            assert!(convergence.held_out.unwrap().is_finite(), "{sample}: {convergence}");
            assert!(model.model().weights().as_slice().iter().any(|&w| w != 0.0), "{sample}");
        }
    }
}

#[test]
fn bad_weights_starts_and_parameters_are_refused() {
    let (features, labels) = problem(8, 30, 20, 2);
    let refused = |training: Training| -> Vec<Error> {
        let learners = patient(training).into_iter();
        learners.map(|(_, learner)| learner.fit_classes(&features, &labels).unwrap_err()).collect()
    };
    let all = |errors: Vec<Error>, expected: Error| {
        assert!(errors.iter().all(|error| *error == expected), "{errors:?}, not {expected:?}");
    };
    for bad in [-1.0, f64::INFINITY] {
        let mut weights = [1.0; 30];
        weights[17] = bad;
        let expected = Error::Weight { index: 17, found: bad };
        all(refused(Training::new().sample_weights(&weights)), expected);
        let expected = Error::Weight { index: 1, found: bad };
        all(refused(Training::new().class_weights(&[1.0, bad])), expected);
    }
    // Each is a number, their sum is none.
    let mut weights = [1.0; 30];
    (weights[3], weights[17]) = (f64::MAX, f64::MAX);
    let infinite = f64::INFINITY;
    let expected = Error::Weight { index: 17, found: infinite };
    all(refused(Training::new().sample_weights(&weights)), expected);
    let nan = [1.0, f64::NAN];
    for error in refused(Training::new().class_weights(&nan)) {
        assert!(matches!(error, Error::Weight { index: 1, found } if found.is_nan()));
        assert!(error.to_string().contains("weight 1 is NaN"), "{error}");
    }
    let few = refused(Training::new().sample_weights(&[1.0; 29]));
    all(few, Error::WeightCount { expected: 30, found: 29 });
    let many = refused(Training::new().class_weights(&[1.0; 3]));
    all(many, Error::WeightCount { expected: 2, found: 3 });
    all(refused(Training::new().class_weights(&[0.0, 1.0])), Error::TooFewClasses { found: 1 });
    all(refused(Training::new().sample_weights(&[0.0; 30])), Error::TooFewClasses { found: 0 });

    let start = |features, outputs| {
        let weights = Matrix::from_vec(features, outputs, vec![0.0; features * outputs]).unwrap();
        LinearModel::new(weights, vec![0.0; outputs]).unwrap()
    };
    let mismatch = |size, expected, found| CoreError::SizeMismatch { size, expected, found }.into();
    let narrow = start(19, 2);
    all(refused(Training::new().start(&narrow)), mismatch(Size::Features, 20, 19));
    let more = start(20, 3);
    all(refused(Training::new().start(&more)), mismatch(Size::Cols, 2, 3));

    for (_, learner) in patient(Training::new()) {
        let fit = |labels: &[usize]| learner.fit_classes(&features, labels).unwrap_err();
        assert_eq!(fit(&[1; 30]), Error::TooFewClasses { found: 1 });
        assert_eq!(fit(&labels[..29]), Error::LabelCount { samples: 30, labels: 29 });
        let mut wild = labels.clone();
        wild[3] = usize::MAX;
        assert!(matches!(fit(&wild), Error::TooManyClasses { sample: 3, .. }));
    }

    for share in [0.0, 1.0, -0.5, f64::NAN] {
        let error = Training::new().hold_out(share, 1).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "held-out share", .. }), "{error}");
    }
    let error = Training::new().hold_out(0.5, 0).unwrap_err();
    assert_eq!(error.to_string(), "the patience must be at least 1, found 0");
    let ridge = Ridge::default().iterative();
    for tolerance in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let error = ridge.tolerance(tolerance).unwrap_err();
        assert!(matches!(error, Error::Parameter { name: "tolerance", .. }), "{error}");
    }
    assert!(matches!(ridge.limit(0), Err(Error::Parameter { name: "limit", .. })));
    let (logistic, svm) = (Logistic::default(), LinearSvm::default());
    assert!(matches!(logistic.limit(0), Err(Error::Parameter { name: "limit", .. })));
    assert!(matches!(logistic.tolerance(0.0), Err(Error::Parameter { name: "tolerance", .. })));
    assert!(matches!(svm.limit(0), Err(Error::Parameter { name: "limit", .. })));
    assert!(matches!(svm.tolerance(0.0), Err(Error::Parameter { name: "tolerance", .. })));
    for found in [0.0, -1.0, f64::INFINITY] {
        let refused = Error::Regularisation { found };
        assert_eq!(Logistic::new(found).unwrap_err(), refused);
        assert_eq!(Logistic::absolute(found).unwrap_err(), refused);
        assert_eq!(LinearSvm::new(found).unwrap_err(), refused);
        assert_eq!(LinearSvm::absolute(found).unwrap_err(), refused);
    }
}

/// The samples that are held out may be all that have a weight.
#[test]
fn targets_have_no_classes_and_need_a_weight() {
    let (features, _) = problem(9, 30, 20, 2);
    let y = Matrix::from_vec(30, 1, vec![1.0; 30]).unwrap();
    let fit = |training| Ridge::default().iterative().training(training).fit(&features, &y);
    assert_eq!(fit(Training::new().balanced()).unwrap_err(), Error::ClassWeights);
    assert_eq!(fit(Training::new().sample_weights(&[0.0; 30])).unwrap_err(), Error::NoWeight);
    let error = fit(Training::new().sample_weights(&[1.0; 31])).unwrap_err();
    assert_eq!(error, Error::WeightCount { expected: 30, found: 31 });
    let error = fit(Training::new().hold_out(0.99, 1).unwrap()).unwrap_err();
    assert_eq!(error, Error::NoWeight);
}

#[test]
fn a_rate_that_is_too_high_is_told() {
    for classes in [2, 3] {
        let (features, labels) = problem(11, 300, 60, classes);
        let sgd = |rate| Logistic::default().sgd(Sgd { batch: 50, rate, seed: 1 });
        let error = sgd(1e9).unwrap().fit_classes(&features, &labels).unwrap_err();
        assert!(matches!(error, Error::Diverged { iterations } if iterations > 0), "{error}");
        assert!(error.to_string().contains("lower the rate"), "{error}");
        for rate in [0.0, -1.0, f64::NAN] {
            let error = sgd(rate).unwrap_err();
            assert!(matches!(error, Error::Parameter { name: "rate", .. }), "{error}");
        }
    }
    let error = Logistic::default().sgd(Sgd { batch: 0, ..Sgd::default() }).unwrap_err();
    assert!(matches!(error, Error::Parameter { name: "batch", .. }), "{error}");
}

/// Class 1 of 0, 1 and 2 has no samples, or none with a weight: it is never predicted.
#[test]
fn classes_without_samples_are_never_predicted() {
    let (features, labels) = problem(12, 200, 50, 2);
    let gap: Vec<usize> = labels.iter().map(|&label| 2 * label).collect();
    for (name, learner) in all_learners(Training::new(), 50) {
        let model = learner.fit_classes(&features, &gap).unwrap();
        assert_eq!(model.model().bias().len(), 3);
        let predicted = model.predict(&features).unwrap();
        assert!(predicted.iter().all(|&class| class != 1), "{name}");
        assert!(model.score(&features, &gap).unwrap() > 0.8, "{name}");
        // Labels that no sample had count as mistakes.
        assert_eq!(model.score(&features, &[7; 200]).unwrap(), 0.0);
    }
    let (features, labels) = problem(13, 200, 50, 3);
    let weights: Vec<f64> = labels.iter().map(|&label| f64::from(label != 1)).collect();
    for (name, learner) in all_learners(Training::new().sample_weights(&weights), 50) {
        let model =
            learner.fit_classes(&features, &labels).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(model.predict(&features).unwrap().iter().all(|&class| class != 1), "{name}");
    }
}

/// As far as a rate that is halved again and again lets it.
#[test]
fn descent_comes_near_the_minimum() {
    for classes in [2, 4] {
        let (features, labels) = problem(15, 4000, 80, classes);
        let least = Logistic::default().fit_classes(&features, &labels).unwrap();
        let descent = Logistic::default().sgd(Sgd { batch: 50, ..Sgd::default() }).unwrap();
        let descent = descent.fit_classes(&features, &labels).unwrap();
        assert!(descent.warnings().is_empty(), "{}", descent.warnings()[0]);
        let objective = |model: &Classifier| model.convergence().unwrap().objective;
        let (found, least) = (objective(&descent), objective(&least));
        assert!(found < 1.02 * least && found > 0.999 * least, "{classes}: {found} {least}");
    }
}

/// Seeds change the order of the samples, and nothing else.
#[test]
fn seeds_order_samples() {
    let (features, labels) = problem(14, 200, 50, 2);
    let sgd = |seed| Logistic::default().sgd(Sgd { batch: 20, seed, rate: 1.0 }).unwrap();
    let fit = |seed| sgd(seed).limit(3).unwrap().fit_classes(&features, &labels).unwrap();
    assert_eq!(fit(1), fit(1));
    assert_ne!(fit(1), fit(2));
    let svm = |seed| LinearSvm::absolute(0.05).unwrap().seed(seed).tolerance(1e-4).unwrap();
    let fit = |seed| svm(seed).fit_classes(&features, &labels).unwrap();
    assert_eq!(fit(1), fit(1));
    assert_ne!(fit(1), fit(2));
    assert_close(&fit(1), &fit(2), "seeds");
    let logistic = Logistic::absolute(0.05).unwrap();
    assert!(logistic.fit_classes(&features, &labels).unwrap().warnings().is_empty());
}

#[test]
fn iterative_ridge_is_ridge() {
    let mut random = Random::new(10);
    for (samples, features, outputs) in [(90, 40, 1), (40, 90, 1), (90, 40, 3), (1, 3, 2)] {
        let packed = packed(&random.trits(samples * features, 0.4), features);
        let y = (0..samples * outputs).map(|_| random.normal() as f32).collect();
        let y = Matrix::from_vec(samples, outputs, y).unwrap();
        for share in [0.03, 0.3, 3.0] {
            let ridge = Ridge::new(share).unwrap();
            let learners: [&dyn TargetLearner; 2] =
                [&ridge, &ridge.iterative().tolerance(1e-6).unwrap()];
            let fits = learners.map(|learner| learner.fit(&packed, &y).unwrap());
            let outputs = fits.each_ref().map(|fit| fit.predict(&packed).unwrap());
            for (a, b) in outputs[0].as_slice().iter().zip(outputs[1].as_slice()) {
                assert!((a - b).abs() < 1e-4, "{samples} × {features}, {share}: {a} {b}");
            }
            let scores = fits.each_ref().map(|fit| fit.score(&packed, &y).unwrap());
            assert!((scores[0] - scores[1]).abs() < 1e-3, "{scores:?}");
        }
    }
}
