"""Estimators for scikit-learn: parameters, validation and shapes are here, all numbers in the compiled module."""

from ternion.estimators._classifier import TernaryClassifier
from ternion.estimators._features import TernaryFeatures
from ternion.estimators._regressor import TernaryRegressor

__all__ = ["TernaryClassifier", "TernaryFeatures", "TernaryRegressor"]
