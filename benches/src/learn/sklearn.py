"""Fits the learners of `compare learn` by scikit-learn: sklearn.py FOLDER FEATURES PENALTY LEARNER TOLERANCE ...

Reads `trits` (i8) and `labels` (u8) from the folder, writes weights and constants of each learner there (f32, a row per
feature, then one of constants), and prints the seconds that each fit took. One thread is the caller's business.
"""
import sys
import time

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC

folder, features, penalty = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
trits = np.fromfile(f"{folder}/trits", dtype=np.int8).reshape(-1, features)
labels = np.fromfile(f"{folder}/labels", dtype=np.uint8)


def fit(learner, tolerance):
    # LIBLINEAR computes in f64, everything else in the type of x: none has to convert it within its time.
    x = trits.astype(np.float64 if learner == "svm-dual" else np.float32)
    limits = dict(tol=tolerance, max_iter=10_000)
    if learner == "logistic-lbfgs":
        model, y = LogisticRegression(C=1 / penalty, **limits), labels
    elif learner == "svm-dual":
        model, y = LinearSVC(C=1 / penalty, loss="squared_hinge", dual=True, **limits), labels >= 5
    elif learner == "ridge-cg":
        model = Ridge(alpha=penalty, solver="sparse_cg", **limits)
        y = np.where(labels[:, None] == np.arange(10), 1, -1).astype(np.float32)
    start = time.perf_counter()
    model.fit(x, y)
    seconds = time.perf_counter() - start
    np.vstack([model.coef_.T, model.intercept_]).astype("<f4").tofile(f"{folder}/{learner}")
    return seconds


for learner, tolerance in zip(sys.argv[4::2], sys.argv[5::2]):
    print(fit(learner, float(tolerance)))
