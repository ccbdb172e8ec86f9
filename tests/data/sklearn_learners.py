"""Makes sklearn_learners.json: minima that scikit-learn and LIBLINEAR find for logistic regression, support vector
machines and weighted ridge on small problems.

Run as `python3 sklearn_learners.py > sklearn_learners.json` (needs scikit-learn; 1.9.1 made the file).

Features are trits, given as they are. Ternion minimises (sum of w * loss + alpha / 2 * |W|^2) / (sum of w), for ridge
without the 1/2, where alpha is its share times the sum of the weighted variances of the features. In scikit-learn that is
C = 1/alpha, and alpha for Ridge. The objectives below are computed here from the weights that scikit-learn found.
"""
import json
import warnings

import numpy as np
import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC

warnings.simplefilter("error", ConvergenceWarning)
random = np.random.RandomState(16)


def softmax_loss(scores, labels):
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.log(np.exp(shifted).sum(axis=1)) - shifted[np.arange(len(labels)), labels]


def of_logistic(model, x, labels, weights, alpha):
    scores = x @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    loss = softmax_loss(scores, labels)
    return (weights @ loss + alpha / 2 * (model.coef_ ** 2).sum()) / weights.sum()


def of_svm(model, x, labels, weights, alpha, squared):
    scores = x @ model.coef_.T + model.intercept_
    classes = [1] if scores.shape[1] == 1 else range(scores.shape[1])
    total = 0
    for k, output in zip(classes, range(scores.shape[1])):
        short = np.maximum(0, 1 - np.where(labels == k, 1, -1) * scores[:, output])
        total += weights @ (short ** 2 if squared else short)
    norm = (model.coef_ ** 2).sum() + (model.intercept_ ** 2).sum()
    return (total + alpha / 2 * norm) / weights.sum()


def of_ridge(model, x, y, weights, alpha):
    return (weights @ (model.predict(x) - y) ** 2 + alpha * (model.coef_ ** 2).sum()) / weights.sum()


def number(x):
    return float(f"{x:.9g}")


problems = []
for samples, features, classes in ((60, 20, 2), (40, 70, 2), (90, 30, 3), (80, 100, 5)):
    x = random.choice([-1, 0, 1], size=(samples, features), p=[0.4, 0.3, 0.3])
    noise = random.randn(samples, classes)
    labels = (x[:, :classes] + x[:, classes:2 * classes] + noise).argmax(axis=1)
    assert len(set(labels)) == classes
    fits = []
    for weights in (np.ones(samples), random.choice([0, 0.5, 1, 2], size=samples)):
        means = weights @ x / weights.sum()
        spread = (weights @ (x - means) ** 2 / weights.sum()).sum()
        for share in (0.02, 0.3):
            alpha = share * spread
            fit = lambda model: model.fit(x, labels, sample_weight=weights)
            logistic = fit(LogisticRegression(C=1 / alpha, tol=1e-10, max_iter=100_000))
            svm = dict(C=1 / alpha, tol=1e-8, max_iter=10_000_000)
            squared = fit(LinearSVC(loss="squared_hinge", dual=True, **svm))
            hinge = fit(LinearSVC(loss="hinge", dual=True, **svm))
            ridge = Ridge(alpha=alpha, solver="cholesky").fit(x, 1.0 * labels, sample_weight=weights)
            fits.append({
                "weights": weights.tolist(),
                "share": share,
                "logistic": number(of_logistic(logistic, x, labels, weights, alpha)),
                "probabilities": [number(p) for p in np.ravel(logistic.predict_proba(x[:3]))],
                "squared_hinge": number(of_svm(squared, x, labels, weights, alpha, True)),
                "hinge": number(of_svm(hinge, x, labels, weights, alpha, False)),
                "ridge": number(of_ridge(ridge, x, labels, weights, alpha)),
            })
    problem = {"features": features, "x": x.ravel().tolist(), "labels": labels.tolist(), "fits": fits}
    problems.append(problem)

print(json.dumps({"sklearn": sklearn.__version__, "problems": problems}))
