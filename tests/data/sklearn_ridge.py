"""Makes sklearn_ridge.json: predictions of scikit-learn's Ridge, RidgeClassifier and KernelRidge on small problems.

Run as `python3 sklearn_ridge.py > sklearn_ridge.json` (needs scikit-learn; 1.9.1 made the file).

Features are trits, given as they are. With m features, Ternion's gamma, which is added to the eigenvalues of the centred
Gram matrix of trits divided by m, is alpha/m of Ridge and RidgeClassifier, which add alpha to the eigenvalues of the
matrix that is not divided. Ternion's share is gamma divided by the mean of these eigenvalues, so alpha is the share times
the sum of the variances of the features. KernelRidge has no intercept: kernels and targets are centred before it, and then
alpha is gamma.
"""
import json

import numpy as np
import sklearn
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import KernelCenterer

SAMPLES_TEST = 6
random = np.random.RandomState(15)


def trits(samples, features):
    return random.choice([-1, 0, 1], size=(samples, features), p=[0.5, 0.3, 0.2])


def numbers(matrix):
    return [round(float(x), 9) for x in np.ravel(matrix)]


cases = []
for samples, features in ((40, 12), (12, 40), (30, 30)):
    train, test = trits(samples, features), trits(SAMPLES_TEST, features)
    # Numbers that f32 holds exactly.
    targets = np.round(8 * (random.randn(samples, 2) + [5, -1])) / 8
    labels = np.arange(samples) % 3
    for share in (0.03, 0.3, 3.0):
        alpha = share * train.var(axis=0).sum()
        ridge = Ridge(alpha=alpha, solver="cholesky").fit(train, targets)
        three = RidgeClassifier(alpha=alpha, solver="cholesky").fit(train, labels)
        two = RidgeClassifier(alpha=alpha, solver="cholesky").fit(train, labels > 0)
        cases.append({
            "samples": samples,
            "features": features,
            "train": train.ravel().tolist(),
            "test": test.ravel().tolist(),
            "share": share,
            "gamma": alpha / features,
            "targets": numbers(targets),
            "predicted": numbers(ridge.predict(test)),
            "labels": labels.tolist(),
            "decision_of_three": numbers(three.decision_function(test)),
            "classes_of_three": three.predict(test).tolist(),
            "decision_of_two": numbers(two.decision_function(test)),
        })

kernels = []
for samples in (5, 25):
    x, test = random.randn(samples, 3), random.randn(SAMPLES_TEST, 3)
    # As f32, the type that the other side takes kernels in.
    gram, cross = (rbf_kernel(a, x, gamma=0.5).astype(np.float32).astype(float) for a in (x, test))
    targets = np.round(8 * (random.randn(samples, 2) + [5, -1])) / 8
    centre = KernelCenterer().fit(gram)
    for gamma in (0.001, 0.1, 1.0):
        model = KernelRidge(alpha=gamma, kernel="precomputed")
        model.fit(centre.transform(gram), targets - targets.mean(axis=0))
        kernels.append({
            "samples": samples,
            "gram": numbers(gram),
            "cross": numbers(cross),
            "gamma": gamma,
            "targets": numbers(targets),
            "predicted": numbers(model.predict(centre.transform(cross)) + targets.mean(axis=0)),
        })

print(json.dumps({"sklearn": sklearn.__version__, "ridge": cases, "kernel_ridge": kernels}))
