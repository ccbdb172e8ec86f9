"""What the classifier and the regressor share: ridge on the features."""

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

    def _export(self, path: str | PathLike[str], X: Samples, regularisation: float | None, bits: int) -> Export:
        """Writes the model for a microcontroller in the language that the path asks for."""
        fitted, path = self._solved(), Path(path)
        X = self._validated(X, fit=False, first=False)
        model: Export = fitted.export(X, regularisation=regularisation, bits=bits, threads=self._threads())
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
