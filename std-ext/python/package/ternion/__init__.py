"""Ternary random features: kernel machines whose weights and features are -1, 0 or +1.

The estimators are for scikit-learn:

====================  ================================================================
`TernaryFeatures`     samples to features, whose inner products imitate a kernel
`TernaryClassifier`   samples to classes: ternary features and ridge in one
`TernaryRegressor`    samples to numbers, likewise
====================  ================================================================

The rest needs NumPy alone. The estimators are made of it, and a program that only predicts can do without
scikit-learn: `FittedClassifier.from_bytes(data).predict(x)`.

===================================  =================================================
`Params`                             what a fit is asked to do
`FittedFeatures`                     the map that a fit found
`FittedClassifier`                   the same with a readout, for classes
`FittedRegressor`                    and for numbers
`Features`                           packed features, their planes and Gram matrices
`Statistics`, `Moments`,             exact sums over samples that come in chunks
`TargetMoments`
`Export`                             a model for a microcontroller
`targets`                            the names of kernels and activations
===================================  =================================================

Importing the package imports neither NumPy nor scikit-learn: each is imported when it is first needed.
"""

from typing import TYPE_CHECKING, Any

from ternion._ternion import (
    Export,
    Features,
    FittedClassifier,
    FittedFeatures,
    FittedRegressor,
    Moments,
    Params,
    Statistics,
    TargetMoments,
    __version__,
    targets,
)

if TYPE_CHECKING:
    from ternion.estimators import TernaryClassifier, TernaryFeatures, TernaryRegressor

__all__ = [
    "Export",
    "Features",
    "FittedClassifier",
    "FittedFeatures",
    "FittedRegressor",
    "Moments",
    "Params",
    "Statistics",
    "TargetMoments",
    "TernaryClassifier",
    "TernaryFeatures",
    "TernaryRegressor",
    "__version__",
    "targets",
]


def __getattr__(name: str) -> Any:
    if name not in ("TernaryClassifier", "TernaryFeatures", "TernaryRegressor"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from ternion import estimators
    except ImportError as error:
        raise ImportError(f"{name} needs scikit-learn 1.6 or later: pip install 'ternion[sklearn]'") from error
    return getattr(estimators, name)


def __dir__() -> list[str]:
    return __all__
