"""What the classifier and the regressor share: ridge on the features, and models for devices."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ternion._ternion import Export, FittedFeatures
from ternion.estimators._base import Samples, Ternary, warn
from ternion.estimators._features import TernaryFeatures


class Predictor(Ternary):
    """An estimator of targets."""

    def __init__(
        self,
        n_components: int = 1024,
        *,
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
        self.regularisation = regularisation

    def _map(self, X: Samples, features: TernaryFeatures | None) -> FittedFeatures:
        """The map of a first batch: the one given, or else fitted to the batch."""
        self._start()
        if features is None:
            fitted = self._params().fit(X, threads=self._threads())
            warn(fitted)
            return fitted
        theirs = features.get_params()
        for name in theirs.keys() - {"n_jobs"}:
            if theirs[name] != getattr(self, name):
                raise ValueError(
                    f"features has {name}={theirs[name]!r}, this estimator {name}={getattr(self, name)!r}: "
                    "give both the same parameters"
                )
        return features.fitted_

    def _solve(self) -> Any:
        return self._sums.solve(regularisation=self.regularisation, threads=self._threads())

    def export(self, path: str | PathLike[str], X: Samples, *, bits: int | None = None) -> Export:
        """Writes the model for a microcontroller, in integers, for `ternion-core` or as a predictor in C.

        Parameters
        ----------
        path : path
            Ends in ``.rs`` for the bytes as Rust, and in ``.c`` for a predictor in C99, which has a header beside it
            and needs no library; anything else gets the bytes.
        X : array of shape (n_samples, n_features)
            Training samples, by which the weights are quantised: whole numbers, as the device has them.
            Samples in C are int8 or uint8 if these are, and int16 otherwise.
        bits : {1, 2, 3, 4, 8} or None, default=None
            Bits per weight. ``None`` is 2 for classes and 8 for numbers.

        Returns
        -------
        Export
            The model: its ``predict`` tells classes as the device will, its ``predict_numbers`` computes numbers.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> import numpy as np
        >>> from sklearn.datasets import load_digits
        >>> from ternion import TernaryClassifier, TernaryRegressor
        >>> X, y = load_digits(return_X_y=True)
        >>> model = TernaryClassifier(512).fit(X[:1000], y[:1000])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     device = model.export(Path(folder) / "digits.trnm", X[:1000])
        >>> len(device)
        1548
        >>> bool((device.predict(X[1000:]) == y[1000:]).mean() > 0.9)
        True
        >>> model = TernaryRegressor(512).fit(X[:1000], y[:1000])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     device = model.export(Path(folder) / "digits.trnm", X[:1000])
        >>> bool(np.abs(device.predict_numbers(X)[:, 0] - model.predict(X)).mean() < 0.1)
        True
        """
        fitted, path = self._solved(), Path(path)
        X = self._validated(X, fit=False, first=False)
        by_ridge = getattr(self, "learner", "ridge") == "ridge"
        settings: dict[str, Any] = {} if bits is None else {"bits": bits}
        model: Export = fitted.export(
            X, regularisation=self.regularisation if by_ridge else None, threads=self._threads(), **settings
        )
        name = re.sub(r"\W", "_", path.stem, flags=re.ASCII)
        if path.suffix == ".rs":
            path.write_text(model.to_rust(name.upper()))
        elif path.suffix == ".c":
            numbers = X.dtype.name if X.dtype.name in ("int8", "uint8") else "int16"
            header, source = model.to_c(name, X[:4], numbers=numbers)
            path.with_name(f"{name}.h").write_text(header)
            path.write_text(source)
        else:
            path.write_bytes(model.to_bytes())
        return model
