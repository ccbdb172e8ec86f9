"""`TernaryRegressor`: samples to numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from ternion._ternion import FittedRegressor, TargetMoments
from ternion.estimators._base import Samples, Targets, warn
from ternion.estimators._features import TernaryFeatures
from ternion.estimators._predictor import Predictor


class TernaryRegressor(RegressorMixin, Predictor):
    """Samples to numbers: ternary features and ridge regression on them, without an unpacked copy of the features.

    Parameters
    ----------
    n_components : int, default=1024
        Features of each sample.
    regularisation : float or None, default=None
        In units of the mean variance of a feature, so that one value suits all sizes of data. ``None`` is 0.3; 0.03 and
        3 are worth a try.
    target, gamma, policy, form, sparsity, centre, standardise, scaling, random_state, n_jobs
        Of the features: see `TernaryFeatures`.

    Attributes
    ----------
    fitted_ : FittedRegressor
        What the fit found: it predicts without scikit-learn, and is saved as bytes that Rust reads, too.
    n_features_in_ : int
        Inputs of each sample.
    feature_names_in_ : ndarray of str
        Their names, if the samples had any.

    Examples
    --------
    >>> import numpy as np
    >>> from ternion import TernaryRegressor
    >>> X = np.random.default_rng(0).normal(size=(1000, 8))
    >>> y = X[:, 0] * X[:, 1] + X[:, 2]
    >>> bool(TernaryRegressor(2048).fit(X[:800], y[:800]).score(X[800:], y[800:]) > 0.5)
    True
    """

    # Whether y had one dimension.
    _flat: bool

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Samples, y: Targets) -> Self:
        """Fits the features to the samples, and the regression to their targets.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Of float64, float32, int16, int8, uint8 or bool, in any order; other numbers are converted.
        y : array of shape (n_samples,) or (n_samples, n_outputs)
            The targets, which are rounded to float32.

        Returns
        -------
        self
        """
        X, y = self._validated(X, y, fit=True, first=True, multi_output=True, y_numeric=True)
        self._start()
        fitted = self._params().fit_targets(X, _columns(y), regularisation=self.regularisation, threads=self._threads())
        self._fitted, self._sums, self._flat = fitted, None, y.ndim == 1
        warn(fitted)
        return self

    def partial_fit(self, X: Samples, y: Targets, features: TernaryFeatures | None = None) -> Self:
        """Adds a batch of samples. Nothing is solved before the first prediction.

        With the same ``features`` any split and order of the samples, on any number of machines (see `merge`), gives
        the same regressor, bit for bit. It is that of `fit` if there are more samples than features.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_outputs)
        features : TernaryFeatures, default=None
            The fitted map to take in the first call, with the parameters of this estimator: by its own ``partial_fit``
            it sees all batches. Without one the map is fitted to the first batch.

        Returns
        -------
        self
        """
        first = self._starts_sums()
        X, y = self._validated(X, y, fit=False, first=first, multi_output=True, y_numeric=True)
        flat, y = y.ndim == 1, _columns(y)
        if not first and flat != self._flat:
            raise ValueError(f"y must have {2 - self._flat} dimensions as in the first call, found {2 - flat}")
        sums = TargetMoments(self._map(X, features), y.shape[1]) if first else self._sums
        sums.add(X, y, threads=self._threads())
        self._fitted, self._sums, self._flat = None, sums, flat
        return self

    @property
    def fitted_(self) -> FittedRegressor:
        """What the fit found."""
        fitted: FittedRegressor = self._solved()
        return fitted

    def predict(self, X: Samples) -> NDArray[np.float64]:
        """The targets of each sample.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
        """
        fitted = self.fitted_
        X = self._validated(X, fit=False, first=False)
        predicted = fitted.predict(X, threads=self._threads()).astype(np.float64)
        return predicted[:, 0] if self._flat else predicted


def _columns(y: Any) -> Any:
    """Targets with a column per output."""
    return y if y.ndim == 2 else y.reshape(-1, 1)
