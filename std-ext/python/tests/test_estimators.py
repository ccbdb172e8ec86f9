"""What users of scikit-learn do with the estimators."""

import copy
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler

from ternion import TernaryClassifier, TernaryFeatures, TernaryRegressor


def batches(x, *others, size=70):
    """Parts of some arrays."""
    for first in range(0, len(x), size):
        yield tuple(array[first : first + size] for array in (x, *others))


def test_a_grid_search_over_a_pipeline_recognises_digits(digits):
    x, y = digits
    pipeline = Pipeline([("scale", MinMaxScaler()), ("model", TernaryClassifier(512))])
    grid = {"model__gamma": [0.3, 1.0], "model__regularisation": [0.1, 1.0], "model__form": ["structured", "boxes:8x8"]}
    search = GridSearchCV(pipeline, grid, cv=3, n_jobs=2).fit(x[:1297], y[:1297])
    assert len(search.cv_results_["params"]) == 8
    assert search.score(x[1297:], y[1297:]) > 0.92


def test_features_take_the_place_of_a_sampler(digits):
    x, y = digits
    model = make_pipeline(TernaryFeatures(2048, form="stored"), RidgeClassifier(alpha=200))
    assert model.fit(x[:1297], y[:1297]).score(x[1297:], y[1297:]) > 0.93
    names = model[0].get_feature_names_out()
    assert (names[0], names[-1], len(names)) == ("ternaryfeatures0", "ternaryfeatures2047", 2048)


def test_features_are_trits_and_their_products_the_kernel(digits):
    x, _ = digits
    features = TernaryFeatures(300).fit(x)
    dense = features.transform(x)
    assert dense.dtype == np.float32 and set(np.unique(dense)) == {-1, 0, 1}
    assert (dense == np.asarray(features.transform_packed(x))).all()
    expected = dense.astype(np.float64) @ dense.T * (features.fitted_.alpha**2 / 300)
    np.testing.assert_allclose(features.gram(x), expected, rtol=1e-6)
    assert (features.gram(x[:5], x) == features.gram(x)[:5]).all()


def test_the_gram_matrix_imitates_the_kernel(table):
    from sklearn.metrics.pairwise import rbf_kernel

    x, _ = table
    centre = np.eye(len(x)) - 1 / len(x)
    exact = centre @ rbf_kernel(x, gamma=0.05) @ centre
    gram = TernaryFeatures(1 << 16, gamma=0.05, scaling="keep", standardise=False).fit(x).gram(x)
    # The diagonal has a multiple of the identity besides.
    off = ~np.eye(len(x), dtype=bool)
    assert np.abs((centre @ gram @ centre - exact)[off]).max() < 0.03 < 0.1 < np.abs(exact[off]).max()


@pytest.mark.parametrize(
    "names", [[0, 1, 2], np.int8([-7, 0, 9]), [1.0, 2.0, 4.0], ["a", "bb", "ccc"], np.array(["x", "y", "z"], dtype="O")]
)
def test_labels_of_any_type_come_back(table, names):
    (x, y), names = table, np.asarray(names)
    model = TernaryClassifier(256).fit(x, names[y])
    assert model.classes_.dtype == names.dtype and (model.classes_ == names).all()
    numbers = TernaryClassifier(256).fit(x, y).predict(x)
    assert (model.predict(x) == names[numbers]).all()


def test_two_classes_have_one_score(table):
    x, y = table
    model = TernaryClassifier(128).fit(x, y > 0)
    scores = model.decision_function(x)
    assert scores.shape == (300,) and scores.dtype == np.float64
    assert ((scores > 0) == model.predict(x)).all()
    assert model.classes_.dtype == bool


def test_every_learner_recognises_digits(digits):
    x, y = digits
    for learner in ("ridge", "logistic", "svm"):
        model = TernaryClassifier(1024, learner=learner).fit(x[:1297], y[:1297])
        assert model.score(x[1297:], y[1297:]) > 0.93
        assert hasattr(model, "partial_fit") == (learner == "ridge")
        assert hasattr(model, "predict_proba") == (learner == "logistic")


def test_probabilities_are_the_softmax_of_the_scores(table):
    x, y = table
    model = TernaryClassifier(256, learner="logistic").fit(x, y)
    powers = np.exp(model.decision_function(x))
    probabilities = model.predict_proba(x)
    np.testing.assert_allclose(probabilities, powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
    assert (model.classes_[probabilities.argmax(axis=1)] == model.predict(x)).all()


def test_regression_has_the_shape_of_its_targets(table):
    x, _ = table
    flat, wide = x[:, 0] * x[:, 1], np.stack([x[:, 0], x[:, 1] ** 2], axis=1)
    assert TernaryRegressor(512).fit(x, flat).predict(x).shape == (300,)
    column = TernaryRegressor(512).fit(x, flat[:, None])
    assert column.predict(x).shape == (300, 1)
    assert column.score(x, flat[:, None]) > 0.5
    model = TernaryRegressor(512).fit(x, wide)
    assert model.predict(x).shape == (300, 2)
    assert (model.predict(x)[:, 0] == TernaryRegressor(512).fit(x, wide[:, 0]).predict(x)).all()


def test_names_of_columns_are_kept(table):
    x, y = table
    frame = pd.DataFrame(x, columns=[f"column {k}" for k in range(12)])
    features = TernaryFeatures(64).fit(frame)
    assert list(features.feature_names_in_) == list(frame.columns) and features.n_features_in_ == 12
    transformed = features.set_output(transform="pandas").transform(frame)
    assert list(transformed.columns)[:2] == ["ternaryfeatures0", "ternaryfeatures1"]
    with pytest.raises(ValueError, match="feature names"):
        features.transform(frame.rename(columns={"column 0": "other"}))


def test_a_map_fitted_in_batches_is_the_same_for_every_split(table):
    x, _ = table
    whole = TernaryFeatures(256).partial_fit(x)
    split = TernaryFeatures(256)
    for (batch,) in batches(x[::-1]):
        split.partial_fit(batch)
    merged = TernaryFeatures(256).partial_fit(x[:100]).merge(TernaryFeatures(256).partial_fit(x[100:]))
    for other in (split, merged):
        assert other.fitted_.to_bytes() == whole.fitted_.to_bytes()
    assert whole.transform(x).shape == (300, 256)


def test_a_classifier_fitted_in_batches_is_the_same_for_every_split(table):
    x, y = table
    features = TernaryFeatures(128).fit(x)
    whole = TernaryClassifier(128).fit(x, y)  # more samples than features
    split, shards = TernaryClassifier(128), []
    for rows, labels in batches(x, y):
        split.partial_fit(rows, labels, classes=[2, 1, 0], features=features)
        assert split.predict(x).shape == (300,)  # solved now and again later
        shard = TernaryClassifier(128).partial_fit(rows, labels, classes=range(3), features=features)
        shards.append(pickle.loads(pickle.dumps(shard)))
    merged = shards[0]
    for shard in shards[1:]:
        merged.merge(shard)
    for other in (split, merged):
        assert other.fitted_.to_bytes() == whole.fitted_.to_bytes()
        assert (other.predict(x) == whole.predict(x)).all()


def test_a_regressor_fitted_in_batches_is_the_same_for_every_split(table):
    x, _ = table
    y = x[:, :2] * x[:, 2:4]
    features = TernaryFeatures(128).fit(x)
    whole = TernaryRegressor(128).fit(x, y)
    split, merged = TernaryRegressor(128), TernaryRegressor(128).partial_fit(x[:50], y[:50], features=features)
    for rows, targets in batches(x, y):
        split.partial_fit(rows, targets, features=features)
    merged.merge(pickle.loads(pickle.dumps(TernaryRegressor(128).partial_fit(x[50:], y[50:], features=features))))
    for other in (split, merged):
        assert other.fitted_.to_bytes() == whole.fitted_.to_bytes()


def test_without_features_the_first_batch_makes_the_map(table):
    x, y = table
    model = TernaryClassifier(64).partial_fit(x[:100], y[:100], classes=range(3)).partial_fit(x[100:], y[100:])
    expected = TernaryFeatures(64).fit(x[:100]).fitted_.fingerprint
    assert model.fitted_.ternary.fingerprint == expected
    # A class that no sample has is never predicted.
    model = TernaryClassifier(64).partial_fit(x, y, classes=range(5))
    assert set(model.predict(x)) == {0, 1, 2} and model.decision_function(x).shape == (300, 5)


def test_partial_fit_after_fit_starts_anew_and_says_so(table):
    x, y = table
    for model, targets in [(TernaryFeatures(64), ()), (TernaryClassifier(64), (y,)), (TernaryRegressor(64), (y,))]:
        model.fit(x, *targets)
        with pytest.warns(UserWarning, match="starts anew"):
            model.partial_fit(x[:90], *(t[:90] for t in targets))
        fresh = clone(model)
        if isinstance(model, TernaryClassifier):
            fresh.partial_fit(x[:90], y[:90], classes=range(3))
        else:
            fresh.partial_fit(x[:90], *(t[:90] for t in targets))
        assert model.fitted_.to_bytes() == fresh.fitted_.to_bytes()


@pytest.mark.filterwarnings("ignore:a feature sees")
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_give_the_same_predictions(table, protocol):
    x, y = table
    for model in (TernaryFeatures(100), TernaryClassifier(100), TernaryRegressor(100, form="stored")):
        model.fit(x, y)
        for other in (pickle.loads(pickle.dumps(model, protocol)), copy.deepcopy(model)):
            assert other.fitted_.to_bytes() == model.fitted_.to_bytes()
            assert other.get_params() == model.get_params()
            method = "transform" if isinstance(model, TernaryFeatures) else "predict"
            assert (getattr(other, method)(x) == getattr(model, method)(x)).all()


@pytest.mark.filterwarnings("ignore:a feature sees")
def test_a_pickle_is_the_seed_and_not_w(table):
    x, _ = table
    assert len(pickle.dumps(TernaryFeatures(1 << 16, form="stored").fit(x))) < 2000


def test_any_number_of_threads_gives_the_same(digits):
    x, y = digits
    one = TernaryClassifier(700, n_jobs=1).fit(x, y)
    for n_jobs in (None, 2, -1, 1000):
        other = TernaryClassifier(700, n_jobs=n_jobs).fit(x, y)
        assert other.fitted_.to_bytes() == one.fitted_.to_bytes()
        assert (other.decision_function(x) == one.decision_function(x)).all()


def test_random_states_are_those_of_scikit_learn(table):
    x, _ = table

    def fingerprint(state):
        return TernaryFeatures(64, random_state=state).fit(x).fitted_.fingerprint

    assert fingerprint(3) == fingerprint(np.int32(3)) != fingerprint(4)
    assert fingerprint(np.random.RandomState(1)) == fingerprint(np.random.RandomState(1))
    assert fingerprint(None) != fingerprint(None)
    # Drawn once for a fit in batches, however often it is solved.
    features = TernaryFeatures(64, random_state=None).partial_fit(x)
    first = features.transform(x[:1])
    assert (features.partial_fit(x).transform(x[:1]) == first).all()


def test_fits_warn_of_what_they_expect_to_be_poor(table):
    x, y = table
    for model in (TernaryFeatures(512, form="stored"), TernaryClassifier(512, form="stored")):
        with pytest.warns(UserWarning, match='use form="structured"'):
            model.fit(x, y)


def test_an_exported_model_predicts_as_the_classifier(digits, tmp_path):
    x, y = digits
    model = TernaryClassifier(512).fit(x[:1297], y[:1297])
    device = model.export(tmp_path / "digits.trnm", x[:1297])
    agree = (device.predict(x[1297:]) == model.predict(x[1297:])).mean()
    right = (device.predict(x[1297:].astype(np.uint8)) == y[1297:]).mean()
    assert agree > 0.97 and right > 0.9
    assert (tmp_path / "digits.trnm").read_bytes() == device.to_bytes() and len(device) == 1548
    assert pickle.loads(pickle.dumps(device)).to_bytes() == device.to_bytes()

    wider = model.export(tmp_path / "my-digits.rs", x[:1297], bits=4)
    source = (tmp_path / "my-digits.rs").read_text()
    assert f"pub static MY_DIGITS: [u8; {len(wider)}]" in source and len(wider) > len(device)


def test_an_exported_regression_predicts_as_the_regressor(digits, tmp_path):
    x, y = digits
    for targets in (y.astype(float), np.stack([y, 100.0 * x[:, 20]], axis=1)):
        model = TernaryRegressor(512).fit(x[:1297], targets[:1297])
        device = model.export(tmp_path / "digits.trnm", x[:1297])
        found = device.predict_numbers(x[1297:])
        expected = model.predict(x[1297:]).reshape(500, -1)
        assert found.dtype == np.float32 and found.shape == expected.shape
        # Sums in 16 bits take some features of a sample to the other side of a threshold.
        assert (np.abs(found - expected).mean(axis=0) < 0.02 * expected.std(axis=0)).all()
        assert (tmp_path / "digits.trnm").read_bytes() == device.to_bytes()
    rougher = model.export(tmp_path / "digits.c", x[:1297], bits=2)
    assert len(rougher) < len(device) and "digits_scores" in (tmp_path / "digits.h").read_text()


@pytest.mark.parametrize("parameters", [{}, {"form": "boxes:8x8", "bits": 3}, {"form": "subsets", "standardise": True}])
def test_an_exported_model_in_c_predicts_as_the_one_in_bytes(digits, tmp_path, parameters):
    x, y = digits
    bits = parameters.pop("bits", 2)
    model = TernaryClassifier(256, **parameters).fit(x[:1297], y[:1297])
    device = model.export(tmp_path / "digits.c", x[:1297].astype(np.uint8), bits=bits)
    assert "uint8_t digits_number" in (tmp_path / "digits.h").read_text()
    main = tmp_path / "main.c"
    main.write_text("""
        #include "digits.h"
        #include <stdio.h>
        int main(void) {
            static digits_scratch scratch;
            uint8_t sample[DIGITS_INPUTS];
            if (digits_self_test(&scratch) != 0) return 1;
            while (fread(sample, sizeof sample, 1, stdin)) printf("%d ", (int)digits_predict(sample, &scratch));
            return 0;
        }
    """)
    program = tmp_path / "main"
    warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-DDIGITS_SELF_TEST"]
    subprocess.run(["cc", *warnings, "-o", program, main, tmp_path / "digits.c"], check=True)
    test = x[1297:].astype(np.uint8)
    found = subprocess.run([program], input=test.tobytes(), stdout=subprocess.PIPE, check=True).stdout
    assert np.array_equal(np.array(found.split(), dtype=np.int64), device.predict(test))
