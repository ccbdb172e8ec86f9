"""`TernaryFeatures`: samples to features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from ternion._ternion import Features, FittedFeatures, Statistics
from ternion.estimators._base import Samples, Ternary, warn


class TernaryFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Ternary):
    """Samples to ternary random features, whose inner products imitate a kernel.

    Every feature is -1, 0 or +1: the sign of a random sum of inputs, or of its cosine, with a dead zone. They take the
    place of scikit-learn's ``RBFSampler``; kept packed, they take two bits each.

    Parameters
    ----------
    n_components : int, default=1024
        Features of each sample.
    target : str, default="gaussian"
        The kernel to imitate: ``gaussian``, one of ``ternion.targets()``, or one with a number, such as
        ``matern_3/2_length0.5``.
    gamma : float or "scale", default="scale"
        The γ of a Gaussian kernel exp(-γ‖x - y‖²), in the unit of the scaled samples; 1 is the same as ``scale`` if
        ``scaling`` is ``unit``. With ``scaling="keep"`` it is that of ``RBFSampler``.
    policy : str, default="automatic"
        How a feature becomes a trit: ``periodic`` (a cosine, for Gaussian kernels), ``four-band``, ``min-variance``,
        ``match-d0``, ``unit`` or ``fixed:-0.5,1``. ``automatic`` takes ``periodic`` or ``four-band``.
    form : str, default="structured"
        What W is. ``structured``: signs and Walsh-Hadamard transforms, the fastest, without memory for W. ``stored``
        and ``seeded``: independent weights, kept in memory or generated from the seed. ``boxes:28x28``: each feature
        sees a box of an image of that width and height (``boxes:32x32x3`` with channels side by side). ``subsets``:
        each sees 2 to 8 inputs (``subsets:3-16`` for others).
    sparsity : float, default=2/3
        The probability of a zero weight, if weights are independent.
    centre : bool, default=True
        Whether to subtract the mean.
    standardise : bool or None, default=None
        Whether to divide each input by its standard deviation; ``None`` does so if the deviations differ widely, as in
        tables of mixed units.
    scaling : {"unit", "row", "keep"}, default="unit"
        ``unit`` scales all samples by one factor such that the mean of their squared norms is 1, ``row`` divides each
        by its norm, ``keep`` leaves them.
    random_state : int, RandomState or None, default=0
        The seed of W. An integer gives the same features on every machine and in every version, here and in Rust.
    n_jobs : int or None, default=None
        Threads, as everywhere in scikit-learn: ``None`` is one, -1 all. The features are the same.

    Attributes
    ----------
    fitted_ : FittedFeatures
        What the fit found; printing it shows how well the kernel is matched.
    n_features_in_ : int
        Inputs of each sample.
    feature_names_in_ : ndarray of str
        Their names, if the samples had any.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.linear_model import RidgeClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from ternion import TernaryFeatures
    >>> X, y = load_digits(return_X_y=True)
    >>> model = make_pipeline(TernaryFeatures(1024), RidgeClassifier(alpha=100)).fit(X[:1000], y[:1000])
    >>> bool(model.score(X[1000:], y[1000:]) > 0.92)
    True
    >>> packed = TernaryFeatures(1024).fit(X).transform_packed(X)
    >>> packed.nbytes == X.shape[0] * 1024 // 4
    True
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    def fit(self, X: Samples, y: Any = None) -> Self:
        """Fits the map: the mean and the scale of the samples, and the thresholds that match the target.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Of float64, float32, int16, int8, uint8 or bool, in any order; other numbers are converted.
        y : ignored

        Returns
        -------
        self
        """
        X = self._validated(X, fit=True, first=True)
        self._start()
        self._fitted, self._sums = self._params().fit(X, threads=self._threads()), None
        warn(self._fitted)
        return self

    def partial_fit(self, X: Samples, y: Any = None) -> Self:
        """Adds a batch of samples. Any split and order of the samples gives the same map, bit for bit.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        first = self._starts_sums()
        X = self._validated(X, fit=False, first=first)
        if first:
            self._start()
            self._params()  # refuses what makes no sense before the samples are read
        sums = Statistics(X.shape[1]) if first else self._sums
        sums.add(X, threads=self._threads())
        self._fitted, self._sums = None, sums
        return self

    def _solve(self) -> FittedFeatures:
        return self._params().fit_statistics(self._sums)

    @property
    def fitted_(self) -> FittedFeatures:
        """What the fit found."""
        fitted: FittedFeatures = self._solved()
        return fitted

    @property
    def _n_features_out(self) -> int:
        return self.fitted_.features

    def transform(self, X: Samples) -> NDArray[np.float32]:
        """The features as numbers, for other estimators.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            -1, 0 and +1 as float32.
        """
        return self.transform_packed(X).unpack("float32", threads=self._threads())

    def transform_packed(self, X: Samples) -> Features:
        """The features in two bits each, sixteen times smaller than float32.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        Features
            With the planes as arrays that share its memory, and Gram matrices by popcounts.
        """
        fitted = self.fitted_
        return fitted.transform(self._validated(X, fit=False, first=False), threads=self._threads())

    def gram(self, X: Samples, Y: Samples | None = None) -> NDArray[np.float32]:
        """The kernel matrix of samples, as the features imitate it: a precomputed kernel, or a function for ``SVC``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        Y : array or sparse matrix of shape (n_others, n_features), default=X

        Returns
        -------
        ndarray of shape (n_samples, n_others)

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from sklearn.svm import SVC
        >>> from ternion import TernaryFeatures
        >>> X, y = load_digits(return_X_y=True)
        >>> features = TernaryFeatures(2048).fit(X[:600])
        >>> bool(SVC(kernel=features.gram).fit(X[:600], y[:600]).score(X[600:900], y[600:900]) > 0.9)
        True
        """
        rows = self.transform_packed(X)
        others = None if Y is None or Y is X else self.transform_packed(Y)
        return rows.gram(others, alpha=self.fitted_.alpha, threads=self._threads())
