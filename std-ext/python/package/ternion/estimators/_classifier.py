"""`TernaryClassifier`: samples to classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from ternion._ternion import FittedClassifier, Moments
from ternion.estimators._base import Samples, Targets, warn
from ternion.estimators._features import TernaryFeatures
from ternion.estimators._predictor import Predictor


def _learns_by(learner: str) -> Callable[[Any], bool]:
    """A condition of scikit-learn for methods that other learners do not have."""

    def check(classifier: TernaryClassifier) -> bool:
        if classifier.learner != learner:
            raise AttributeError(f"this needs learner={learner!r}, found learner={classifier.learner!r}")
        return True

    return check


class TernaryClassifier(ClassifierMixin, Predictor):
    """Samples to classes: ternary features and a linear classifier on them, without an unpacked copy of the features.

    Parameters
    ----------
    n_components : int, default=1024
        Features of each sample.
    learner : {"ridge", "logistic", "svm"}, default="ridge"
        What learns from the features. ``ridge`` is the fastest and can be fitted in batches, ``logistic`` knows
        probabilities, ``svm`` is a support vector machine with a squared hinge.
    regularisation : float or None, default=None
        In units of the mean variance of a feature, so that one value suits all sizes of data. ``None`` is 0.3, and 0.01
        for ``logistic``; a tenth and ten times as much are worth a try.
    target, gamma, policy, form, sparsity, centre, standardise, scaling, random_state, n_jobs
        Of the features: see `TernaryFeatures`.

    Attributes
    ----------
    classes_ : ndarray
        The labels, ascending.
    fitted_ : FittedClassifier
        What the fit found: it predicts without scikit-learn, and is saved as bytes that Rust reads, too.
    n_features_in_ : int
        Inputs of each sample.
    feature_names_in_ : ndarray of str
        Their names, if the samples had any.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from ternion import TernaryClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = TernaryClassifier(4096).fit(X[:1000], y[:1000])
    >>> bool(model.score(X[1000:], y[1000:]) > 0.95)
    True
    """

    classes_: NDArray[Any]

    def __init__(
        self,
        n_components: int = 1024,
        *,
        learner: str = "ridge",
        regularisation: float | None = None,
        target: str = "gaussian",
        gamma: float | str = "scale",
        policy: str = "automatic",
        form: str = "structured",
        sparsity: float = 2 / 3,
        centre: bool = True,
        standardise: bool | None = None,
        scaling: str = "unit",
        random_state: int | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_components,
            regularisation=regularisation,
            target=target,
            gamma=gamma,
            policy=policy,
            form=form,
            sparsity=sparsity,
            centre=centre,
            standardise=standardise,
            scaling=scaling,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.learner = learner

    def fit(self, X: Samples, y: Targets) -> Self:
        """Fits the features to the samples, and the classifier to their labels.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Of float64, float32, int16, int8, uint8 or bool, in any order; other numbers are converted.
        y : array of shape (n_samples,)
            The labels.

        Returns
        -------
        self
        """
        X, y = self._validated(X, y, fit=True, first=True)
        check_classification_targets(y)
        self._start()
        self.classes_, labels = np.unique(y, return_inverse=True)
        labels = labels.astype(np.int64)
        fitted = self._params().fit_classes(
            X, labels, learner=self.learner, regularisation=self.regularisation, threads=self._threads()
        )
        self._fitted, self._sums = fitted, None
        warn(fitted)
        return self

    @available_if(_learns_by("ridge"))
    def partial_fit(
        self,
        X: Samples,
        y: Targets,
        classes: ArrayLike | None = None,
        features: TernaryFeatures | None = None,
    ) -> Self:
        """Adds a batch of samples. Nothing is solved before the first prediction.

        With the same ``features`` any split and order of the samples, on any number of machines (see `merge`), gives
        the same classifier, bit for bit. It is that of `fit` if there are more samples than features.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
            The labels.
        classes : array of shape (n_classes,)
            All labels that any batch has. Needed in the first call, unless `fit` was called before.
        features : TernaryFeatures, default=None
            The fitted map to take in the first call, with the parameters of this estimator: by its own ``partial_fit``
            it sees all batches. Without one the map is fitted to the first batch.

        Returns
        -------
        self

        Examples
        --------
        >>> from sklearn.datasets import load_digits
        >>> from ternion import TernaryClassifier, TernaryFeatures
        >>> X, y = load_digits(return_X_y=True)
        >>> features = TernaryFeatures(512)
        >>> for batch in range(0, 1500, 500):
        ...     features = features.partial_fit(X[batch : batch + 500])
        >>> model = TernaryClassifier(512)
        >>> for batch in range(0, 1500, 500):
        ...     rows = slice(batch, batch + 500)
        ...     model = model.partial_fit(X[rows], y[rows], classes=range(10), features=features)
        >>> bool(model.score(X[1500:], y[1500:]) > 0.9)
        True
        """
        first = self._starts_sums()
        X, y = self._validated(X, y, fit=False, first=first)
        check_classification_targets(y)
        given = None if classes is None else np.unique(np.asarray(classes))
        if first:
            given = getattr(self, "classes_", None) if given is None else given
            if given is None:
                raise ValueError("classes must be given in the first call of partial_fit: its batch may lack some")
            self.classes_, sums = given, Moments(self._map(X, features), len(given))
        else:
            if given is not None and not np.array_equal(given, self.classes_):
                raise ValueError(f"classes must be those of the first call, {self.classes_}, found {given}")
            sums = self._sums
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown) > 0:
            raise ValueError(f"y has labels that are not among the classes {self.classes_}: {unknown}")
        labels = np.asarray(np.searchsorted(self.classes_, y), dtype=np.int64)
        sums.add(X, labels, threads=self._threads())
        self._fitted, self._sums = None, sums
        return self

    @property
    def fitted_(self) -> FittedClassifier:
        """What the fit found."""
        fitted: FittedClassifier = self._solved()
        return fitted

    def predict(self, X: Samples) -> NDArray[Any]:
        """The label of each sample.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        fitted = self.fitted_
        X = self._validated(X, fit=False, first=False)
        predicted: NDArray[Any] = self.classes_[fitted.predict(X, threads=self._threads())]
        return predicted

    def decision_function(self, X: Samples) -> NDArray[np.float64]:
        """The scores of each sample, of which the largest decides.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Of two classes there is one score, of shape (n_samples,), positive for the second.
        """
        fitted = self.fitted_
        X = self._validated(X, fit=False, first=False)
        scores = fitted.decision(X, threads=self._threads()).astype(np.float64)
        return (scores[:, 1] - scores[:, 0]) / 2 if len(self.classes_) == 2 else scores

    @available_if(_learns_by("logistic"))
    def predict_proba(self, X: Samples) -> NDArray[np.float64]:
        """The probabilities of the classes of each sample, if ``learner`` is ``logistic``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        fitted = self.fitted_
        X = self._validated(X, fit=False, first=False)
        return fitted.probabilities(X, threads=self._threads()).astype(np.float64)
