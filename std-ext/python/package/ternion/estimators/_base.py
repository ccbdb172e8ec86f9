"""What the estimators share: the parameters of the map, validation, and what a fit leaves."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, Self, TypeAlias

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ternion._ternion import FittedClassifier, FittedFeatures, FittedRegressor, Params

# An array, a frame or a sparse matrix, with a row per sample.
Samples: TypeAlias = Any
# An array or a series.
Targets: TypeAlias = Any

# Types that are read in place; everything else becomes the first.
READ_IN_PLACE = [np.float32, np.float64, np.int16, np.int8, np.uint8, np.bool_]


class Ternary(BaseEstimator):
    """An estimator of ternary features."""

    # What the fit found, or None if it is still to be solved from the sums of partial_fit.
    _fitted: Any
    # The sums of partial_fit, or None after fit.
    _sums: Any
    # The seed that random_state gave when the fit began.
    _seed: int

    def __init__(
        self,
        n_components: int = 1024,
        *,
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
        self.n_components = n_components
        self.target = target
        self.gamma = gamma
        self.policy = policy
        self.form = form
        self.sparsity = sparsity
        self.centre = centre
        self.standardise = standardise
        self.scaling = scaling
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")

    def _params(self) -> Params:
        """The parameters in the words of the crate."""
        target = self.target
        if target == "gaussian":
            target = "gaussian_scale" if self.gamma == "scale" else f"gaussian_gamma{float(self.gamma)!r}"
        elif self.gamma != "scale":
            raise ValueError(f'gamma is for target="gaussian", found target={target!r}: leave gamma="scale"')
        return Params(
            self.n_components,
            target=target,
            policy=self.policy,
            form=self.form,
            sparsity=self.sparsity,
            seed=self._seed,
            centre=self.centre,
            standardise=self.standardise,
            scaling=self.scaling,
        )

    def _start(self) -> None:
        """Fixes the seed of a fit: once, so that solving again gives the same features."""
        if isinstance(self.random_state, Integral):
            self._seed = int(self.random_state)
        else:
            self._seed = int(check_random_state(self.random_state).randint(2**63 - 1, dtype=np.int64))

    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def _validated(self, X: Samples, y: Targets = "no_validation", *, fit: bool, first: bool, **options: Any) -> Any:
        """The samples, and the targets if there are any, as arrays. NaN is looked for where the numbers are read."""
        least = 2 if fit and self.centre else 1
        return validate_data(
            self,
            X,
            y,
            reset=first,
            accept_sparse="csr",
            dtype=READ_IN_PLACE,
            ensure_all_finite=False,
            ensure_min_samples=least,
            **options,
        )

    def _starts_sums(self) -> bool:
        """Whether a batch of partial_fit is the first."""
        if not self.__sklearn_is_fitted__():
            return True
        if self._sums is None:
            message = "partial_fit starts anew: fit keeps no sums of its samples to add to"
            warnings.warn(message, UserWarning, stacklevel=3)
        return self._sums is None

    def _solve(self) -> Any:
        raise NotImplementedError

    def _solved(self) -> Any:
        check_is_fitted(self)
        if self._fitted is None:
            self._fitted = self._solve()
        return self._fitted

    def merge(self, other: Self) -> Self:
        """Adds the samples of another estimator that was fitted by ``partial_fit``, on another machine for example.

        The result is that of one ``partial_fit`` with all samples, bit for bit.

        Parameters
        ----------
        other : estimator of the same class
            Its features must be those of this one.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        if type(other) is not type(self):
            raise TypeError(f"a {type(self).__name__} cannot take the samples of a {type(other).__name__}")
        check_is_fitted(other)
        if self._sums is None or other._sums is None:
            raise ValueError("only what was fitted by partial_fit can be merged")
        self._sums.merge(other._sums)
        self._fitted = None
        return self


def warn(fitted: FittedFeatures | FittedClassifier | FittedRegressor) -> None:
    """Says what a fit warns of."""
    for message in fitted.warnings():
        warnings.warn(message, UserWarning, stacklevel=3)
