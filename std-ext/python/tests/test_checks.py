"""scikit-learn's own checks of estimators: the outside examiner. None is expected to fail."""

import pytest
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from ternion import TernaryClassifier, TernaryFeatures, TernaryRegressor

ESTIMATORS = [
    TernaryFeatures(64),
    TernaryFeatures(64, form="stored", policy="four-band"),
    TernaryClassifier(),
    TernaryClassifier(form="seeded", n_jobs=2),
    TernaryClassifier(learner="logistic"),
    TernaryClassifier(learner="svm"),
    TernaryRegressor(),
    TernaryRegressor(form="subsets", target="relu"),
]

# Those that scikit-learn runs on its own estimators only.
FURTHER = [
    "check_dataframe_column_names_consistency",
    "check_global_output_transform_pandas",
    "check_inplace_ensure_writeable",
    "check_set_output_transform",
    "check_set_output_transform_pandas",
    "check_transformer_get_feature_names_out",
    "check_transformer_get_feature_names_out_pandas",
]


@parametrize_with_checks(ESTIMATORS)
def test_an_estimator_passes_a_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("name", FURTHER)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_an_estimator_passes_a_further_check(estimator, name):
    if "transform" in name and not hasattr(estimator, "transform"):
        return
    getattr(estimator_checks, name)(type(estimator).__name__, estimator)
