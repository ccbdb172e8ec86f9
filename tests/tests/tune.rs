//! The tuner: what it finds, that it finds it again, and what it says about it.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;
use ternion::learn::{Ridge, TernaryClassifier, TernaryRegressor, accuracy};
use ternion::tune::{Progress, Setting, Trial, Tuned, Tuner, Warning};
use ternion::{Error, Form, Grid, Matrix, Policy, Samples, Target, TernaryFeatures};
use ternion_core::Error as CoreError;
use ternion_tests::data::Random;

const INPUTS: usize = 6;

fn cloud(random: &mut Random, samples: usize, inputs: usize) -> Vec<f32> {
    (0..samples * inputs).map(|_| random.normal() as f32).collect()
}

/// Classes that depend on the product of two inputs.
fn classes(x: &[f32]) -> Vec<usize> {
    x.chunks(INPUTS).map(|x| (x[0] * x[1] > 0.0) as usize).collect()
}

fn column(values: Vec<f32>) -> Matrix<f32> {
    Matrix::from_vec(values.len(), 1, values).unwrap()
}

/// A search that tries one setting.
fn one_setting<'a>(features: usize) -> Tuner<'a> {
    Tuner::new(TernaryFeatures::params(features))
        .forms([Form::Structured])
        .policies([Policy::Periodic])
        .widths([1.0])
}

fn best(trials: &[Trial]) -> f64 {
    trials
        .iter()
        .filter_map(|trial| trial.validation.as_ref().ok())
        .fold(0.0, |a, v| a.max(v.score))
}

#[test]
fn the_same_search_finds_the_same_on_any_number_of_threads() {
    let x = cloud(&mut Random::new(201), 90, INPUTS);
    let (samples, labels) = (Samples::new(&x, INPUTS).unwrap(), classes(&x));
    let tune = |tuner: Tuner<'_>| tuner.trials(12).tune_classes(&samples, &labels).unwrap();
    let tuner = || Tuner::new(TernaryFeatures::params(128).seed(3)).seed(5);
    let expected = tune(tuner());
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let found = pool.install(|| tune(tuner()));
        assert_eq!(found.trials(), expected.trials());
        assert_eq!(found.to_string(), expected.to_string());
    }
    // Another order of the samples is another search, but the accuracy of leaving one out does not depend on it.
    let other = tune(tuner().seed(6));
    assert_eq!(other.trials()[0].setting, expected.trials()[0].setting);
    let score = |tuned: &Tuned| tuned.trials()[0].validation.clone().unwrap().score;
    assert_eq!(score(&other), score(&expected));
}

/// A budget ends the sequence and changes nothing else.
#[test]
fn a_smaller_budget_is_the_beginning_of_a_larger_one() {
    let x = cloud(&mut Random::new(202), 80, INPUTS);
    let (samples, labels) = (Samples::new(&x, INPUTS).unwrap(), classes(&x));
    let tuner = || Tuner::new(TernaryFeatures::params(64));
    let tune = |trials: usize| tuner().trials(trials).tune_classes(&samples, &labels).unwrap();
    let whole = tuner().tune_classes(&samples, &labels).unwrap();
    let count = whole.trials().len();
    assert!(count > 20 && !whole.warnings().iter().any(|w| matches!(w, Warning::Ended { .. })));
    let tried: HashSet<String> = whole
        .trials()
        .iter()
        .map(|trial| format!("{:?}", (trial.setting, trial.samples)))
        .collect();
    assert_eq!(tried.len(), count, "a setting was tried twice");
    for trials in [1, 2, 17, count - 1, count, count + 1] {
        let part = tune(trials);
        assert_eq!(part.trials(), &whole.trials()[..trials.min(count)]);
        let ended = part.warnings().contains(&Warning::Ended { trials });
        assert_eq!(ended, trials < count);
        let margin = part.validation().standard_error;
        assert!(part.score() >= best(part.trials()) - margin);
    }
    // No time at all is time for one trial.
    let hurried = tuner().time_limit(Duration::ZERO).tune_classes(&samples, &labels).unwrap();
    assert_eq!(hurried.trials(), &whole.trials()[..1]);
    assert_eq!(hurried.warnings()[0], Warning::Ended { trials: 1 });
    assert!(hurried.warnings()[0].to_string().contains("after 1 trials"));
}

#[test]
fn progress_sees_every_trial_and_can_stop() {
    let x = cloud(&mut Random::new(203), 60, INPUTS);
    let (samples, labels) = (Samples::new(&x, INPUTS).unwrap(), classes(&x));
    let seen = Mutex::new(Vec::new());
    let progress = |progress: &Progress<'_>| {
        assert!(progress.to_string().contains(&format!("trial {} of at most 9", progress.done)));
        seen.lock().unwrap().push(progress.trial.clone());
        if progress.done < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let tuner = Tuner::new(TernaryFeatures::params(64)).trials(9).progress(&progress);
    let tuned = tuner.tune_classes(&samples, &labels).unwrap();
    assert_eq!(tuned.trials(), &*seen.lock().unwrap());
    assert_eq!(tuned.warnings()[0], Warning::Ended { trials: 5 });
    assert!(format!("{tuner:?}").contains("trials: 9"));
}

/// Fits without each sample in turn, with the ridge parameter as a number and the mean and scale of all samples.
#[test]
fn few_samples_are_scored_by_leaving_out_each() {
    let mut random = Random::new(204);
    let x = cloud(&mut random, 40, INPUTS);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let labels: Vec<char> = classes(&x).into_iter().map(|class| ['a', 'b'][class]).collect();
    let targets: Vec<f32> = x.chunks(INPUTS).map(|x| 100.0 + x[0] - x[1] * x[2]).collect();
    let features = |policy| {
        let params = TernaryFeatures::params(96).form(Form::Structured).policy(policy);
        params.fit(&samples).unwrap().transform(&samples).unwrap()
    };
    let features = features(Policy::Periodic);
    let predict = |y: &Matrix<f32>, share: f64| {
        Ridge::new(share).unwrap().leave_one_out(&features, y).unwrap()
    };

    let tuned = one_setting(96).ridges([0.2]).tune(&samples, &column(targets.clone())).unwrap();
    let predicted = predict(&column(targets.clone()), 0.2);
    let mean = targets.iter().sum::<f32>() / 40.0;
    let total: f32 = targets.iter().map(|y| (y - mean).powi(2)).sum();
    let error: f32 = targets.iter().zip(predicted.as_slice()).map(|(y, f)| (y - f).powi(2)).sum();
    let validation = tuned.validation();
    assert!((tuned.score() - f64::from(1.0 - error / total)).abs() < 1e-4);
    assert!((validation.square_error / f64::from(error / 40.0) - 1.0).abs() < 1e-4);
    assert_eq!((validation.predicted, validation.ridge), (40, 0.2));

    let tuned = one_setting(96).ridges([0.7]).tune_classes(&samples, &labels).unwrap();
    let signs = classes(&x).into_iter().map(|class| [-1.0, 1.0][class]).collect();
    let predicted = predict(&column(signs), 0.7);
    let predicted: Vec<usize> = predicted.as_slice().iter().map(|&f| (f > 0.0) as usize).collect();
    assert_eq!(tuned.score(), accuracy(&predicted, &classes(&x)));
}

/// All ridge parameters of an exhaustive grid are compared, and the widths that were asked for.
#[test]
fn a_grid_tries_every_combination() {
    let x = cloud(&mut Random::new(205), 50, INPUTS);
    let (samples, labels) = (Samples::new(&x, INPUTS).unwrap(), classes(&x));
    let grid = |ridges: &[f64]| {
        let tuner = Tuner::new(TernaryFeatures::params(32)).sparsities([0.5, 0.8]);
        let tuner = tuner.widths([0.5, 3.0]).ridges(ridges.iter().copied());
        tuner.tune_classes(&samples, &labels).unwrap()
    };
    let all = grid(&[1.0, 0.01, 0.1]);
    // Two sparsities, all inputs and subsets; three policies; two widths. 32 features are not halved.
    assert_eq!(all.trials().len(), 4 * 3 * 2);
    let singles = [0.01, 0.1, 1.0].map(|ridge| grid(&[ridge]));
    for (k, trial) in all.trials().iter().enumerate() {
        let found = trial.validation.as_ref().unwrap();
        let singles =
            singles.each_ref().map(|single| single.trials()[k].validation.clone().unwrap());
        let highest = singles.iter().fold(0.0, |most: f64, v| most.max(v.score));
        assert!(singles.contains(found) && found.score >= highest - found.standard_error);
    }
}

#[test]
fn a_wide_kernel_is_found_where_the_target_is_linear() {
    let mut random = Random::new(206);
    let x = cloud(&mut random, 500, 12);
    let y: Vec<f32> =
        x.chunks(12).map(|x| x.iter().sum::<f32>() + random.normal() as f32).collect();
    let [train, test] = [&x[..300 * 12], &x[300 * 12..]].map(|x| Samples::new(x, 12).unwrap());
    let [known, asked] = [&y[..300], &y[300..]].map(|y| column(y.to_vec()));
    let params = TernaryFeatures::params(512).form(Form::Structured).policy(Policy::Periodic);
    let tuner = Tuner::new(params.clone()).forms([Form::Structured]).policies([Policy::Periodic]);
    let tuned = tuner.tune(&train, &known).unwrap();
    assert!(tuned.setting().width >= 2.0, "{tuned}");
    let score = |params, ridge| {
        TernaryRegressor::fit(params, ridge, &train, &known).unwrap().score(&test, &asked).unwrap()
    };
    let (found, default) = (score(tuned.params(), tuned.ridge()), score(params, Ridge::default()));
    assert!(found > default + 0.05, "{found} {default}\n{tuned}");
}

#[test]
fn few_inputs_at_a_time_are_found_where_the_target_is_a_sum() {
    let mut random = Random::new(207);
    let x = cloud(&mut random, 700, 16);
    let target = |x: &[f32]| x.iter().map(|x| (3.0 * x).sin()).sum::<f32>();
    let y: Vec<f32> = x.chunks(16).map(target).collect();
    let [train, test] = [&x[..500 * 16], &x[500 * 16..]].map(|x| Samples::new(x, 16).unwrap());
    let [known, asked] = [&y[..500], &y[500..]].map(|y| column(y.to_vec()));
    let params = TernaryFeatures::params(512);
    let tuned = Tuner::new(params.clone()).tune(&train, &known).unwrap();
    let Setting { form, sparsity, .. } = *tuned.setting();
    assert!(sparsity == 0.9 || form == Form::SUBSETS, "{tuned}");
    let score = |params, ridge| {
        TernaryRegressor::fit(params, ridge, &train, &known).unwrap().score(&test, &asked).unwrap()
    };
    let (found, default) = (score(tuned.params(), tuned.ridge()), score(params, Ridge::default()));
    assert!(found > default + 0.2, "{found} {default}\n{tuned}");
}

#[test]
fn boxes_are_tried_if_there_is_a_grid() {
    let x = cloud(&mut Random::new(208), 40, 64);
    let labels: Vec<usize> = x.chunks(64).map(|x| (x[0] + x[1] > 0.0) as usize).collect();
    let samples = Samples::new(&x, 64).unwrap();
    let tuner = Tuner::new(TernaryFeatures::params(64)).grid(Grid::image(8, 8)).trials(18);
    let tuned = tuner.tune_classes(&samples, &labels).unwrap();
    let boxes = tuned.trials().iter().filter(|trial| matches!(trial.setting.form, Form::Boxes(_)));
    assert_eq!(boxes.count(), 3);
}

#[test]
fn the_smallest_number_of_features_that_reaches_a_score() {
    let mut random = Random::new(209);
    let x = cloud(&mut random, 200, INPUTS);
    let (samples, labels) = (Samples::new(&x, INPUTS).unwrap(), classes(&x));
    let tuner = || one_setting(2048).ridges([0.3]);
    let most = tuner().tune_classes(&samples, &labels).unwrap();
    // Without a score to reach, halves show what features are worth.
    let halves: Vec<usize> = most.trials().iter().map(|trial| trial.setting.features).collect();
    assert_eq!(halves, [2048, 1024, 512, 256]);
    assert_eq!(most.setting().features, 2048);

    let wanted = most.score() - 0.05;
    let tuned = tuner().reach(wanted).tune_classes(&samples, &labels).unwrap();
    let features = tuned.setting().features;
    assert!(features < 2048 && tuned.score() >= wanted, "{tuned}");
    assert!(tuned.trials().iter().all(|trial| trial.setting.features % 64 == 0));
    let fewer = tuned.trials().iter().filter(|trial| trial.setting.features < features);
    let mut close = false;
    for trial in fewer {
        assert!(trial.validation.as_ref().unwrap().score < wanted);
        close |= trial.setting.features as f64 >= 0.9 * features as f64
            || trial.setting.features + 64 == features;
    }
    assert!(close || features == 64, "{tuned}");
    assert_eq!(tuned.params().fit(&samples).unwrap().features(), features);

    // A score that is just reached is reached, by the fewest features there are and by half of the most.
    let fewest = || one_setting(64).ridges([0.3]);
    let wanted = fewest().tune_classes(&samples, &labels).unwrap().score();
    let tuned = fewest().reach(wanted).tune_classes(&samples, &labels).unwrap();
    assert_eq!((tuned.score(), tuned.warnings()), (wanted, &[][..]));
    let half = most.trials()[1].validation.clone().unwrap().score;
    let tuned = tuner().reach(half).tune_classes(&samples, &labels).unwrap();
    assert!(tuned.setting().features <= 1024, "{tuned}");

    let tuned = tuner().reach(1.5).tune_classes(&samples, &labels).unwrap();
    let (found, features) = (most.score(), 2048);
    assert_eq!(tuned.warnings(), [Warning::NotReached { wanted: 1.5, found, features }]);
    assert!(tuned.warnings()[0].to_string().contains("2048 features reach"));
    assert_eq!(tuned.setting().features, 2048);
}

#[test]
fn a_ridge_parameter_at_the_edge_is_pointed_out() {
    let x = cloud(&mut Random::new(210), 60, INPUTS);
    let y = column(x.chunks(INPUTS).map(|x| x[0] * 1e-3).collect());
    let samples = Samples::new(&x, INPUTS).unwrap();
    let tuned = one_setting(256).ridges([50.0, 100.0]).tune(&samples, &y).unwrap();
    assert_eq!(tuned.warnings(), [Warning::RidgeAtEdge { ridge: 50.0 }]);
    assert!(tuned.warnings()[0].to_string().contains("50"));
    // Targets of noise ask for the largest.
    let mut random = Random::new(211);
    let noise = column((0..60).map(|_| random.normal() as f32).collect());
    let tuned = one_setting(256).ridges([0.01, 0.1]).tune(&samples, &noise).unwrap();
    assert_eq!(tuned.warnings(), [Warning::RidgeAtEdge { ridge: 0.1 }]);
    let tuned = one_setting(256).ridges([50.0]).tune(&samples, &y).unwrap();
    assert_eq!(tuned.warnings(), []);
}

/// Beyond 1,024 samples there are folds. A class with a single sample is never held out.
#[test]
fn many_samples_are_scored_by_folds_that_know_every_class() {
    let mut random = Random::new(211);
    let x = cloud(&mut random, 1300, INPUTS);
    let samples = Samples::new(&x, INPUTS).unwrap();
    let mut labels = classes(&x);
    labels[77] = 2;
    for features in [64, 2048] {
        let tuned = one_setting(features).tune_classes(&samples, &labels).unwrap();
        assert_eq!(tuned.validation().predicted, 1300 - 3);
        let model =
            TernaryClassifier::fit(tuned.params(), tuned.ridge(), &samples, &labels).unwrap();
        let other = cloud(&mut random, 1000, INPUTS);
        let score = model.score(&Samples::new(&other, INPUTS).unwrap(), &classes(&other)).unwrap();
        assert!((score - tuned.score()).abs() < 0.05, "{score} {tuned}");

        let y = column(x.chunks(INPUTS).map(|x| x[0] * x[1] + 7.0).collect());
        let tuned = one_setting(features).tune(&samples, &y).unwrap();
        assert_eq!(tuned.validation().predicted, 1300);
        let model = TernaryRegressor::fit(tuned.params(), tuned.ridge(), &samples, &y).unwrap();
        let asked = column(other.chunks(INPUTS).map(|x| x[0] * x[1] + 7.0).collect());
        let score = model.score(&Samples::new(&other, INPUTS).unwrap(), &asked).unwrap();
        assert!((score - tuned.score()).abs() < 0.1, "{score} {tuned}");
    }
}

/// A setting that no fit takes is recorded with its error, and another one wins.
/// A stored W and a seeded one are the same, and so are their scores.
#[test]
fn of_equal_settings_the_first_wins() {
    let x = cloud(&mut Random::new(215), 90, INPUTS);
    let (samples, labels) = (Samples::new(&x, INPUTS).unwrap(), classes(&x));
    for forms in [[Form::Stored, Form::Seeded], [Form::Seeded, Form::Stored]] {
        let tuner = one_setting(128).forms(forms).sparsities([0.5]);
        let tuned = tuner.tune_classes(&samples, &labels).unwrap();
        let [one, other] = &tuned.trials()[..2] else { panic!("two settings") };
        assert_eq!(one.validation, other.validation);
        assert_eq!((tuned.setting().form, one.setting.form), (forms[0], forms[0]));
    }
}

/// Labels are noise, so that a trial on few samples may do better than all those on more.
#[test]
fn a_score_that_only_few_samples_reach_is_not_reached() {
    let (mut random, count) = (Random::new(233), 700);
    let x = cloud(&mut random, count, INPUTS);
    let labels: Vec<usize> = (0..count).map(|_| random.below(2)).collect();
    let samples = Samples::new(&x, INPUTS).unwrap();
    let tuner = || {
        let params = TernaryFeatures::params(64);
        Tuner::new(params).forms([Form::Structured]).policies([Policy::Periodic])
    };
    let tuned = tuner().tune_classes(&samples, &labels).unwrap();
    let best_of = |is_few: bool| {
        let trials = tuned.trials().iter().filter(|trial| (trial.samples < count) == is_few);
        best(&trials.cloned().collect::<Vec<Trial>>())
    };
    let (few, all) = (best_of(true), best_of(false));
    assert!(few > all, "another seed would do: {few} {all}");
    let tuned = tuner().reach(few).tune_classes(&samples, &labels).unwrap();
    assert!(tuned.score() <= all, "{}", tuned.score());
    let warned = |warning: &Warning| matches!(warning, Warning::NotReached { .. });
    assert!(tuned.warnings().iter().any(warned), "{:?}", tuned.warnings());
}

#[test]
fn settings_that_are_refused_lose() {
    let x = cloud(&mut Random::new(212), 50, INPUTS);
    let (samples, labels) = (Samples::new(&x, INPUTS).unwrap(), classes(&x));
    let even = TernaryFeatures::params(64).target(Target::abs());
    let tuned = Tuner::new(even.clone()).trials(10).tune_classes(&samples, &labels).unwrap();
    assert!(tuned.trials().iter().any(|trial| trial.validation.is_err()));
    assert_eq!(tuned.setting().policy, Policy::FourBand);
    assert!(format!("{tuned:#}").contains("refused: "));
    let refused = Tuner::new(even).policies([Policy::MinVariance]).tune_classes(&samples, &labels);
    assert!(matches!(refused.err(), Some(Error::Solve(_))));
}

#[test]
fn searches_that_make_no_sense_are_refused() {
    let x = cloud(&mut Random::new(213), 30, INPUTS);
    let (samples, labels) = (Samples::new(&x, INPUTS).unwrap(), classes(&x));
    let tuner = || Tuner::new(TernaryFeatures::params(64)).trials(1);
    for (what, empty) in [
        ("forms", tuner().forms([])),
        ("sparsities", tuner().sparsities([])),
        ("policies", tuner().policies([])),
        ("widths", tuner().widths([])),
        ("ridge parameters", tuner().ridges([])),
        ("trials", tuner().trials(0)),
    ] {
        let refused = empty.tune_classes(&samples, &labels).err().unwrap();
        assert_eq!(refused, Error::NothingToTry { what });
        assert!(refused.to_string().starts_with(&format!("there are no {what} to try")));
    }
    let refused = |tuner: Tuner<'_>| tuner.tune_classes(&samples, &labels).err().unwrap();
    assert_eq!(refused(tuner().ridges([0.1, -2.0])), Error::Regularisation { found: -2.0 });
    for found in [0.0, -1.0, f64::INFINITY] {
        let (name, expected) = ("width", "positive and finite");
        let parameter = Error::Parameter { name, found, expected };
        assert_eq!(refused(tuner().widths([1.0, found])), parameter);
    }
    let found = 1.25;
    assert_eq!(
        refused(tuner().sparsities([found])),
        CoreError::SparsityOutOfRange { found }.into()
    );
    let short = tuner().tune_classes(&samples, &labels[1..]).err();
    assert_eq!(short, Some(Error::LabelCount { samples: 30, labels: 29 }));
    let one = tuner().tune_classes(&samples, &[7; 30]).err();
    assert_eq!(one, Some(Error::TooFewClasses { found: 1 }));
    let distinct: Vec<usize> = (0..30).collect();
    let distinct = tuner().tune_classes(&samples, &distinct).err().unwrap();
    assert_eq!(distinct, Error::TooFewSamples { least: 32, found: 30 });
    assert!(distinct.to_string().contains("at least 32 samples"));
    let mut y = vec![0.5; 30];
    y[4] = f32::NAN;
    assert_eq!(
        tuner().tune(&samples, &column(y)).err(),
        Some(Error::TargetNotFinite { sample: 4 })
    );
    let short = tuner().tune(&samples, &column(vec![0.5; 29])).err();
    assert_eq!(short, Some(Error::LabelCount { samples: 30, labels: 29 }));
    let alone = Samples::new(&x[..INPUTS], INPUTS).unwrap();
    let alone = tuner().tune(&alone, &column(vec![0.5])).err();
    assert_eq!(alone, Some(Error::TooFewSamples { least: 2, found: 1 }));
    let mut bad = x.clone();
    bad[3 * INPUTS + 1] = f32::INFINITY;
    let bad = tuner().tune_classes(&Samples::new(&bad, INPUTS).unwrap(), &labels).err();
    assert_eq!(bad, Some(CoreError::NotFinite { sample: 3, input: 1 }.into()));
    // Nothing to explain: no score, but no failure either.
    let constant = tuner().tune(&samples, &column(vec![2.5; 30])).unwrap();
    assert_eq!(constant.score(), 0.0);
}

#[test]
fn tables_and_pictures_show_what_was_tried() {
    let x = cloud(&mut Random::new(214), 60, INPUTS);
    let (samples, labels) = (Samples::new(&x, INPUTS).unwrap(), classes(&x));
    let tuner = Tuner::new(TernaryFeatures::params(128));
    let tuned = tuner.tune_classes(&samples, &labels).unwrap();
    let table = tuned.to_string();
    assert!(table.starts_with(&format!("accuracy {:.4} ± ", tuned.score())));
    let all = format!("{tuned:#}");
    let rows = |table: &str| table.lines().filter(|line| line.contains(", periodic ")).count();
    let periodic = |trial: &&Trial| trial.setting.policy == Policy::Periodic;
    assert_eq!(rows(&all), tuned.trials().iter().filter(periodic).count());
    assert!(rows(&table) <= rows(&all));
    assert!(all.contains(&format!("{} of {0} trials", tuned.trials().len())));

    let regression = column(x.chunks(INPUTS).map(|x| x[0]).collect());
    let regression = Tuner::new(TernaryFeatures::params(64)).trials(3).tune(&samples, &regression);
    for (tuned, measure) in [(tuned, "accuracy"), (regression.unwrap(), "R²")] {
        let svg = tuned.svg();
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
        assert!(svg.contains(&format!(">{measure} on 60 samples")));
        assert!(svg.contains(">width<") && svg.contains(">features<"));
        assert!(svg.contains("periodic</text>"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
