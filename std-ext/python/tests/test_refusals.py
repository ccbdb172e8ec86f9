"""Bad input: the usual exceptions, with messages that say what was found and what to do in the words of Python."""

import pickle
import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from ternion import (
    Export,
    Features,
    FittedClassifier,
    FittedFeatures,
    FittedRegressor,
    Moments,
    Params,
    Statistics,
    TargetMoments,
    TernaryClassifier,
    TernaryFeatures,
    TernaryRegressor,
)

ESTIMATORS = [TernaryFeatures, TernaryClassifier, TernaryRegressor]


def refuses(kind, words, call, *arguments, **keywords):
    """A call must raise this exception, whose message has these words and no Rust."""
    with pytest.raises(kind) as raised:
        call(*arguments, **keywords)
    # A note names the argument.
    message = " ".join([str(raised.value), *getattr(raised.value, "__notes__", [])])
    assert re.search(words, message), message
    assert "::" not in message, message


@pytest.mark.parametrize(
    ("parameters", "kind", "words"),
    [
        ({"n_components": 0}, ValueError, "number of features must be at least 1, found 0"),
        ({"n_components": -3}, ValueError, "found -3"),
        ({"n_components": 10**30}, ValueError, "found 1000"),
        ({"n_components": 2**52, "form": "stored"}, ValueError, "at most 2147483647, found 4503599627370496"),
        ({"n_components": 2.5}, TypeError, "features"),
        ({"n_components": None}, TypeError, "features"),
        ({"target": "gausian"}, ValueError, r'no target is called "gausian"; ternion.targets\(\) lists'),
        ({"target": 3}, TypeError, "target"),
        ({"target": "relu", "gamma": 2.0}, ValueError, "gamma is for target"),
        ({"gamma": -1.0}, ValueError, "gamma"),
        ({"gamma": "wide"}, ValueError, "wide"),
        ({"gamma": float("nan")}, ValueError, "NaN|nan"),
        ({"policy": "best"}, ValueError, 'no policy is called "best"; use automatic'),
        ({"policy": "min-variance", "target": "abs"}, ValueError, 'use policy="four-band"'),
        ({"form": "dense"}, ValueError, 'no form is called "dense"; use stored'),
        ({"form": "boxes:5x5"}, ValueError, "25|number of inputs"),
        ({"sparsity": 1.0}, ValueError, "sparsity must be at least 0 and below 1, found 1"),
        ({"scaling": "none"}, ValueError, 'no scaling is called "none"; use unit, row or keep'),
        ({"centre": "yes"}, TypeError, "centre"),
        ({"random_state": -1}, ValueError, "found -1"),
        ({"random_state": "seed"}, ValueError, "seed"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
    ],
)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_parameters_that_make_no_sense_are_refused(table, estimator, parameters, kind, words):
    x, y = table
    refuses(kind, words, estimator(**parameters).fit, x, y)


def test_learners_are_named_and_have_their_own_methods(table):
    x, y = table
    refuses(
        ValueError,
        'no learner is called "lasso"; use ridge, logistic or svm',
        TernaryClassifier(learner="lasso").fit,
        x,
        y,
    )
    model = TernaryClassifier(learner="svm").fit(x, y)
    refuses(AttributeError, "partial_fit", lambda: model.partial_fit)
    refuses(AttributeError, "predict_proba", lambda: model.predict_proba)


def test_the_regularisation_must_be_positive(table):
    x, y = table
    for estimator in (TernaryClassifier, TernaryRegressor):
        for bad in (0.0, -1.0, float("nan"), float("inf")):
            refuses(ValueError, "regularisation must be positive", estimator(64, regularisation=bad).fit, x, y)
        refuses(TypeError, "regularisation", estimator(64, regularisation="small").fit, x, y)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_samples_that_cannot_be_fitted_are_refused(table, estimator):
    x, y = table
    model = estimator(64)
    refuses(ValueError, "2D array", model.fit, x[0], y)
    refuses(ValueError, "dim 3|3", model.fit, x[None], y)
    refuses(ValueError, "0 sample", model.fit, x[:0], y[:0])
    refuses(ValueError, r"0 feature\(s\)", model.fit, x[:, :0], y)
    refuses(ValueError, "minimum of 2 is required", model.fit, x[:1], y[:1])
    refuses(ValueError, "all samples are equal", model.fit, np.ones((300, 12)), y)
    for bad in (np.nan, np.inf, -np.inf):
        spoilt = x.copy()
        spoilt[7, 3] = bad
        for array in (spoilt, spoilt.astype(np.float64), np.asfortranarray(spoilt), sparse.csr_array(spoilt)):
            refuses(ValueError, "sample 7, input 3 is NaN, infinite", model.fit, array, y)
    refuses(ValueError, "sample 0, input 0 is NaN, infinite or too large", model.fit, x.astype(np.float64) * 1e300, y)
    refuses(ValueError, "[Cc]omplex", model.fit, x * 1j, y)
    refuses((TypeError, ValueError), "string|convert", model.fit, np.array([["a", "b"], ["c", "d"]]), y[:2])
    refuses((TypeError, ValueError), "dict|number", model.fit, np.array([[{}, {}], [{}, {}]], dtype=object), y[:2])
    refuses(ValueError, "found 65536", model.fit, sparse.csr_array((300, 65536), dtype=np.float32), y)
    assert not hasattr(model, "fitted_")


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_samples_unlike_those_of_the_fit_are_refused(table, estimator):
    x, y = table
    model = estimator(64).fit(x, y)
    call = model.transform if estimator is TernaryFeatures else model.predict
    refuses(ValueError, "X has 11 features, but .* is expecting 12", call, x[:, 1:])
    spoilt = np.tile(x, (3, 1))
    spoilt[888, 11] = np.nan
    refuses(ValueError, "sample 888, input 11 is NaN", call, spoilt)
    refuses(ValueError, "0 sample", call, x[:0])


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_what_is_not_fitted_says_so(table, estimator):
    x, _ = table
    model = estimator(64)
    for call in ("transform", "transform_packed", "gram", "predict", "decision_function"):
        if hasattr(model, call):
            refuses(NotFittedError, "not fitted yet", getattr(model, call), x)
    refuses(NotFittedError, "not fitted yet", model.merge, model)
    refuses(NotFittedError, "not fitted yet", lambda: model.fitted_)
    if estimator is TernaryClassifier:
        refuses(NotFittedError, "not fitted yet", model.export, "never", x)


def test_targets_that_cannot_be_fitted_are_refused(table):
    x, y = table
    for estimator in (TernaryClassifier, TernaryRegressor):
        refuses(ValueError, "inconsistent numbers of samples", estimator(64).fit, x, y[1:])
        refuses(ValueError, "requires y", estimator(64).fit, x, None)
        refuses(ValueError, "NaN", estimator(64).fit, x, np.where(y > 0, np.nan, 1.0))
    refuses(ValueError, "at least 2 classes, found 1", TernaryClassifier(64).fit, x, np.zeros(300))
    refuses(ValueError, "continuous", TernaryClassifier(64).fit, x, x[:, 0])
    refuses(
        ValueError,
        "target of sample 5 is NaN or infinite",
        TernaryRegressor(64).fit,
        x,
        np.where(np.arange(300) == 5, 1e300, 0),
    )
    refuses(TypeError, "numbers is needed, found one of dtype <U1", TernaryRegressor(64).fit, x, np.array(["a"] * 300))


def test_batches_that_do_not_belong_together_are_refused(table):
    x, y = table
    refuses(ValueError, "classes must be given", TernaryClassifier(64).partial_fit, x, y)
    model = TernaryClassifier(64).partial_fit(x, y, classes=range(3))
    refuses(ValueError, "not among the classes", model.partial_fit, x, y + 7)
    refuses(ValueError, "those of the first call", model.partial_fit, x, y, classes=range(4))
    refuses(ValueError, "expecting 12 features", model.partial_fit, x[:, 1:], y)
    other = TernaryClassifier(64, random_state=1).partial_fit(x, y, classes=range(3))
    refuses(ValueError, "moments of the fit", model.merge, other)
    refuses(ValueError, "4 classes|3 classes", model.merge, TernaryClassifier(64).partial_fit(x, y, classes=range(4)))
    refuses(ValueError, "fitted by partial_fit", model.merge, TernaryClassifier(64).fit(x, y))
    refuses(TypeError, "cannot take the samples of a TernaryRegressor", model.merge, TernaryRegressor(64).fit(x, y))
    regressor = TernaryRegressor(64).partial_fit(x, y)
    refuses(ValueError, "1 dimensions", regressor.partial_fit, x, y[:, None])
    features = TernaryFeatures(32).fit(x)
    refuses(ValueError, "n_components=32", TernaryClassifier(64).partial_fit, x, y, classes=range(3), features=features)
    refuses(NotFittedError, "", TernaryRegressor(64).partial_fit, x, y, features=TernaryFeatures(64))
    # What was refused does not count.
    assert model.fitted_.to_bytes() == TernaryClassifier(64).partial_fit(x, y, classes=range(3)).fitted_.to_bytes()


def test_models_that_no_device_can_have_are_refused(digits, tmp_path):
    x, y = digits
    path = tmp_path / "model"

    def fit(**parameters):
        return TernaryClassifier(64, **parameters).fit(x, y)

    model = fit()
    refuses(ValueError, "bits must be 1, 2, 3, 4 or 8, found 5", model.export, path, x, bits=5)
    refuses(
        ValueError, "whole numbers from -32768 to 32767, found 0.5 in sample 3, input 2", model.export, path, half(x)
    )
    refuses(ValueError, "found inf", model.export, path, np.full((9, 64), np.inf))
    refuses(ValueError, 'scaling="unit" or scaling="keep"', fit(scaling="row").export, path, x)
    refuses(ValueError, "does not fit in 16 bits", model.export, path, x - 32767)
    refuses(ValueError, "expecting 64 features", model.export, path, x[:, 1:])
    refuses(ValueError, "name", model.export, tmp_path / "7.rs", x)
    assert not path.exists()
    device = model.export(path, x)
    refuses(ValueError, "inputs must be 64, found 63", device.predict, x[:, 1:])
    refuses(ValueError, "whole numbers", device.predict, half(x))
    refuses(ValueError, "leaves 16 bits", device.predict, x - 32768)
    refuses(ValueError, "numbers must be int16, int8 or uint8, found int32", device.to_c, "digits", numbers="int32")
    refuses(ValueError, "the number 300, which is no uint8", device.to_c, "digits", x + 300, numbers="uint8")
    refuses(ValueError, "inputs must be 64, found 63", device.to_c, "digits", x[:, 1:])
    refuses(FileNotFoundError, "", model.export, tmp_path / "absent" / "model", x)
    refuses(ValueError, "10 classes", device.predict_numbers, x)
    numbers = TernaryRegressor(64).fit(x, y)
    refuses(ValueError, "bits must be 1, 2, 3, 4 or 8, found 5", numbers.export, path, x, bits=5)
    refuses(ValueError, "whole numbers", numbers.export, path, half(x))
    device = numbers.export(path, x)
    refuses(ValueError, "inputs must be 64, found 63", device.predict_numbers, x[:, 1:])
    refuses(ValueError, "", device.predict, x)


def half(x):
    x = x.copy()
    x[3, 2] = 0.5
    return x


def saved(table):
    """An object of every class that is saved as bytes, and those bytes."""
    x, y = table
    params, labels = Params(64), y.astype(np.int64)
    statistics = Statistics(12)
    statistics.add(x)
    classifier = params.fit_classes(x, labels, regularisation=0.3)
    whole = Params(64).fit_classes((10 * x).round(), labels, regularisation=0.3)
    objects = [statistics, params.fit(x), classifier, params.fit_targets(x, x[:, :1], regularisation=0.3)]
    return objects + [whole.export((10 * x).round(), regularisation=0.3)]


def test_bytes_that_are_not_what_was_saved_are_refused(table):
    objects = saved(table)
    assert {type(o) for o in objects} == {Statistics, FittedFeatures, FittedClassifier, FittedRegressor, Export}
    for thing in objects:
        load, data = type(thing).from_bytes, thing.to_bytes()
        assert load(data).to_bytes() == data
        for bad in (b"", b"TRNS", data[:-1], data + b"\0", bytes(1000), data[:40] + bytes([data[40] ^ 1]) + data[41:]):
            refuses(ValueError, "", load, bad)
        for other in objects:
            if type(other) is not type(thing):
                refuses(ValueError, "found", load, other.to_bytes())
        for wrong in (None, "text", 3, [1, 2], np.zeros(3)):
            refuses(TypeError, "bytes", load, wrong)


def test_moments_of_another_fit_are_refused(table):
    x, y = table
    one, other = Params(64).fit(x), Params(64, seed=1).fit(x)
    moments, targets = Moments(one, 3), TargetMoments(one, 2)
    moments.add(x, y.astype(np.int64))
    targets.add(x, x[:, :2])
    for sums in (moments, targets):
        assert type(sums).from_bytes(one, sums.to_bytes()).to_bytes() == sums.to_bytes()
        refuses(ValueError, "transform all samples with the same fit", type(sums).from_bytes, other, sums.to_bytes())
        refuses(ValueError, "bytes", type(sums).from_bytes, one, sums.to_bytes()[:-1])
    refuses(ValueError, "found 1", Moments, one, 1)
    refuses(ValueError, "sample 2 has label -1", moments.add, x, np.where(np.arange(300) == 2, -1, y))
    refuses(ValueError, "label 9", moments.add, x, y.astype(np.int64) + 9)
    refuses(ValueError, "300 samples and 7 labels", moments.add, x, y[:7].astype(np.int64))
    refuses(ValueError, "columns must be 2, found 1", targets.add, x, x[:, :1])
    assert moments.samples == targets.samples == 300


def test_foreign_pickles_are_refused(table):
    """A pickle whose bytes were changed loads as nothing else, and does not crash."""
    for thing in saved(table):
        data = pickle.dumps(thing)
        for at in range(len(data) - 200, len(data) - 20, 7):
            changed = data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :]
            with pytest.raises(Exception):  # noqa: B017, what pickle raises depends on the place
                pickle.loads(changed)


def test_the_compiled_module_refuses_by_itself(table):
    x, y = table
    fitted = Params(64).fit(x)
    for call in (fitted.transform, Params(64).fit, Statistics(12).add):
        refuses(ValueError, "2 dimensions, .* found 1", call, x[0])
        refuses(ValueError, "2 dimensions, .* found 3", call, x[None])
        refuses(ValueError, "no numbers in 0 samples of 12 inputs", call, x[:0])
        refuses(TypeError, "found one of dtype object", call, x.astype(object))
        refuses(TypeError, "found one of dtype complex64", call, x * np.complex64(1j))
        refuses(TypeError, "found one of dtype <U1", call, np.array([["a", "b"]]))
        refuses(TypeError, "found one of dtype datetime64", call, np.zeros((3, 4), dtype="datetime64[s]"))
        refuses(TypeError, "found one of dtype object", call, None)
        refuses(ValueError, "threads must be at least 1", call, x, threads=0)
    refuses(ValueError, "inputs must be 12, found 11", fitted.transform, x[:, 1:])
    refuses(ValueError, "at most 65535, found 65536", Statistics, 65536)
    refuses(ValueError, "at least 1, found 0", Params(64).fit_statistics, Statistics(12))
    refuses(TypeError, "", Params(64).fit_classes, x, y.astype(np.float64), regularisation=0.3)
    refuses(TypeError, "regularisation", Params(64).fit_classes, x, y.astype(np.int64), regularisation="small")
    refuses(ValueError, "no learner is called", Params(64).fit_classes, x, y.astype(np.int64), learner="lasso")
    packed = fitted.transform(x)
    refuses(ValueError, "dtype must be int8, float32 or float64, found int16", packed.unpack, "int16")
    refuses(ValueError, "other|features must be", packed.gram, Params(65).fit(x).transform(x))
    refuses(ValueError, "themselves", packed.gram, packed, centred=True)
    refuses(ValueError, "α²", packed.gram, alpha=0.0)
    refuses(ValueError, "a copy", packed.__array__, copy=False)
    sign, mask = packed.sign, packed.mask
    refuses(ValueError, "take 300 × 2 words", Features.from_planes, sign, mask, 65)
    refuses(ValueError, "found .299, 1.", Features.from_planes, sign, mask[1:], 64)
    refuses(ValueError, "sign plane but not in the mask", Features.from_planes, sign, np.zeros_like(mask), 64)
    refuses(ValueError, "beyond its last column", Features.from_planes, sign, mask, 63)
    refuses(TypeError, "", Features.from_planes, sign.astype(np.int64), mask, 64)


def test_arrays_that_claim_more_numbers_than_memory_holds_are_refused(table):
    x, y = table
    fitted = Params(64).fit(x)
    huge = np.broadcast_to(x[:1], (2**50, 12))
    labels = np.broadcast_to(np.int64(1), 2**50)
    refuses(MemoryError, "do not fit in memory", fitted.transform, huge)
    refuses(MemoryError, "do not fit in memory", Params(64).fit_targets, x, huge, regularisation=0.3)
    refuses(ValueError, "found 300 samples and 1125899906842624 labels", Moments(fitted, 2).add, x, labels)
    whole = Params(64).fit_classes((10 * x).round(), y.astype(np.int64), regularisation=0.3)
    refuses(MemoryError, "do not fit in memory", whole.export, huge, regularisation=0.3)


def test_sparse_matrices_with_positions_outside_are_refused(table):
    x, _ = table
    fitted = Params(64).fit(x)

    def broken(**parts):
        matrix = sparse.csr_matrix(x)
        for name, values in parts.items():
            setattr(matrix, name, values)
        matrix.has_canonical_format = True
        return matrix

    good = broken()
    assert (fitted.transform(good).sign == fitted.transform(x).sign).all()
    for parts in (
        {"indices": np.where(np.arange(good.nnz) == 5, 12, good.indices)},
        {"indices": np.where(np.arange(good.nnz) == 5, -1, good.indices)},
        {"indptr": good.indptr[::-1].copy()},
        {"indptr": good.indptr[:-1]},
        {"indptr": good.indptr + 1},
        {"data": good.data[:-1]},
    ):
        refuses(ValueError, "300 rows and 12 columns has numbers outside of it", fitted.transform, broken(**parts))
    twice = sparse.csr_matrix((np.float32([1, 2, 4]), [3, 3, 0], [0, 3]), shape=(1, 12))
    assert (fitted.transform(twice).sign == fitted.transform(twice.toarray()).sign).all()
