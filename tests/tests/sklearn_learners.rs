//! Logistic regression, support vector machines and iterative ridge against scikit-learn and LIBLINEAR, in minima that
//! tests/data/sklearn_learners.py made.

use serde_json::Value;
use ternion::learn::{
    ClassLearner, Classifier, Hinge, LinearModel, LinearSvm, Logistic, Ridge, Training,
};
use ternion::{Features, Matrix, TritMatrix};
use ternion_tests::data;

/// The largest difference of objectives, relative.
const TOLERANCE: f64 = 1e-4;

/// A problem with samples, labels, weights and a penalty, as plain numbers.
struct Problem {
    features: Features,
    rows: Vec<Vec<f64>>,
    labels: Vec<usize>,
    weights: Vec<f64>,
    share: f64,
}

impl Problem {
    fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// m·γ: the share of the sum of the weighted variances.
    fn alpha(&self) -> f64 {
        let m = self.rows[0].len();
        let mean = |value: &dyn Fn(&[f64]) -> f64| {
            let sum: f64 = self.rows.iter().zip(&self.weights).map(|(x, w)| w * value(x)).sum();
            sum / self.total()
        };
        let variance = |k: usize| mean(&|x| x[k] * x[k]) - mean(&|x| x[k]).powi(2);
        self.share * (0..m).map(variance).sum::<f64>()
    }

    /// The outputs of a model for every sample.
    fn outputs(&self, model: &LinearModel) -> Vec<Vec<f64>> {
        let output = |x: &[f64], k: usize| {
            let sum = x.iter().zip(model.weights().iter_rows()).map(|(x, w)| x * f64::from(w[k]));
            sum.sum::<f64>() + f64::from(model.bias()[k])
        };
        let outputs = |x: &Vec<f64>| (0..model.bias().len()).map(|k| output(x, k)).collect();
        self.rows.iter().map(outputs).collect()
    }

    /// (Σ w·loss + factor·‖W‖²)/Σw.
    fn objective(&self, loss: impl Fn(usize) -> f64, square: f64, factor: f64) -> f64 {
        let losses: f64 = self.weights.iter().enumerate().map(|(i, w)| w * loss(i)).sum();
        (losses + factor * square) / self.total()
    }

    fn of_logistic(&self, model: &Classifier) -> f64 {
        let outputs = self.outputs(model.model());
        let loss = |i: usize| {
            let sum: f64 = outputs[i].iter().map(|x| x.exp()).sum();
            sum.ln() - outputs[i][self.labels[i]]
        };
        // Two classes have half of one vector of weights each.
        let factor = if model.model().bias().len() == 2 { 2.0 } else { 1.0 };
        self.objective(loss, factor * square(model.model().weights()), self.alpha() / 2.0)
    }

    fn of_svm(&self, model: &Classifier, hinge: Hinge) -> f64 {
        let (outputs, classes) = (self.outputs(model.model()), model.model().bias().len());
        let of = |margin: f64| match hinge {
            Hinge::Squared => (1.0 - margin).max(0.0).powi(2),
            Hinge::Plain => (1.0 - margin).max(0.0),
        };
        let sign = |i: usize, k: usize| if self.labels[i] == k { 1.0 } else { -1.0 };
        let loss = |i: usize| (0..classes).map(|k| of(sign(i, k) * outputs[i][k])).sum::<f64>();
        let bias: f64 = model.model().bias().iter().map(|&b| f64::from(b) * f64::from(b)).sum();
        let square = square(model.model().weights()) + bias;
        // Two classes are the same machine twice.
        let machines = if classes == 2 { 0.5 } else { 1.0 };
        machines * self.objective(loss, square, self.alpha() / 2.0)
    }
}

fn square(weights: &Matrix<f32>) -> f64 {
    weights.as_slice().iter().map(|&w| f64::from(w) * f64::from(w)).sum()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Calls `check` with every problem and what scikit-learn found for it.
fn for_each(check: impl Fn(&Problem, &Value)) {
    let vectors: Value =
        serde_json::from_str(include_str!("../data/sklearn_learners.json")).unwrap();
    let mut fits = 0;
    for problem in vectors["problems"].as_array().unwrap() {
        let m = problem["features"].as_u64().unwrap() as usize;
        let trits: Vec<i8> = numbers(&problem["x"]).into_iter().map(|x| x as i8).collect();
        let (sign, mask) = data::pack(&trits, m);
        for fit in problem["fits"].as_array().unwrap() {
            let trits_of = TritMatrix::new(trits.len() / m, m, sign.clone(), mask.clone());
            let row = |row: &[i8]| row.iter().map(|&t| f64::from(t)).collect();
            let problem = Problem {
                features: Features::new(trits_of.unwrap()),
                rows: trits.chunks(m).map(row).collect(),
                labels: numbers(&problem["labels"]).into_iter().map(|x| x as usize).collect(),
                weights: numbers(&fit["weights"]),
                share: fit["share"].as_f64().unwrap(),
            };
            check(&problem, fit);
            fits += 1;
        }
    }
    assert_eq!(fits, 16);
}

#[track_caller]
fn assert_agrees(found: f64, reported: f64, expected: &Value, what: &str) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() < TOLERANCE * expected, "{what}: {found} for {expected}");
    assert!((reported - found).abs() < TOLERANCE * found, "{what}: {reported} is {found}");
}

fn fit(problem: &Problem, learner: impl ClassLearner) -> Classifier {
    let model = learner.fit_classes(&problem.features, &problem.labels).unwrap();
    assert!(model.warnings().is_empty(), "{}", model.warnings()[0]);
    model
}

#[test]
fn logistic_regression_agrees_with_scikit_learn() {
    for_each(|problem, expected| {
        let training = Training::new().sample_weights(&problem.weights);
        let learner = Logistic::new(problem.share).unwrap().training(training);
        let learner = learner.tolerance(1e-6).unwrap();
        let model = fit(problem, learner);
        let reported = model.convergence().unwrap().objective;
        assert_agrees(problem.of_logistic(&model), reported, &expected["logistic"], "logistic");
        let probabilities = model.probabilities(&problem.features).unwrap();
        for (found, expected) in
            probabilities.as_slice().iter().zip(numbers(&expected["probabilities"]))
        {
            assert!((f64::from(*found) - expected).abs() < 1e-3, "{found} for {expected}");
        }
    });
}

#[test]
fn support_vector_machines_agree_with_liblinear() {
    for_each(|problem, expected| {
        for (hinge, name) in [(Hinge::Squared, "squared_hinge"), (Hinge::Plain, "hinge")] {
            let training = Training::new().sample_weights(&problem.weights);
            let learner = LinearSvm::new(problem.share).unwrap().training(training).hinge(hinge);
            let model = fit(problem, learner.tolerance(1e-5).unwrap().limit(100_000).unwrap());
            let reported = model.convergence().unwrap().objective;
            assert_agrees(problem.of_svm(&model, hinge), reported, &expected[name], name);
        }
    });
}

#[test]
fn iterative_ridge_agrees_with_scikit_learn() {
    for_each(|problem, expected| {
        let training = Training::new().sample_weights(&problem.weights);
        let ridge = Ridge::new(problem.share).unwrap().iterative().training(training);
        let y: Vec<f32> = problem.labels.iter().map(|&label| label as f32).collect();
        let targets = Matrix::from_vec(y.len(), 1, y.clone()).unwrap();
        let ridge = ridge.tolerance(1e-6).unwrap();
        let model = ridge.fit(&problem.features, &targets).unwrap();
        assert!(model.warnings().is_empty());
        let outputs = problem.outputs(&model);
        let loss = |i: usize| (outputs[i][0] - f64::from(y[i])).powi(2);
        let found = problem.objective(loss, square(model.weights()), problem.alpha());
        let reported = model.convergence().unwrap().objective;
        assert_agrees(found, reported, &expected["ridge"], "ridge");
    });
}
