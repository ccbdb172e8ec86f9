"""Random calls at the boundary to Python: whatever they are given, they return or raise an ordinary exception.

`test_fuzz.py` makes a few hundred of them. For longer: `python tests/fuzz.py SECONDS [SEED]`.
"""

import pickle
import sys
import time
import warnings

import numpy as np
from scipy import sparse

import ternion

# What a refused call may raise. A panic of Rust is none of them, nor is it an `Exception`.
REFUSALS = (ValueError, TypeError, MemoryError)

DTYPES = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 ? c8 O S3 U2 M8[s] m8[s] >f4 >i2 >f8 V5".split()

LEARNERS = ["ridge", "ridge", "logistic", "svm", "lasso"]

NUMBERS = [0, 1, 2, 3, -1, 64, 65, 1000, 2**31, 2**53, 2**63, 2**64, 10**30, 0.5, -0.0, 1e300, -1e-300]
NUMBERS += [float("nan"), float("inf"), True, None, "7", "", b"x", [], {}, np.float32(0.5), np.int8(3)]

TEXTS = (
    "gaussian gaussian_scale relu abs ternary(1,0) gaussian_gamma-1 x@ leaky_relu_ quad_t^2 periodic four-band".split()
)
TEXTS += (
    "unit fixed:1,0 fixed:nan,nan automatic min-variance row keep stored subsets:9-1 subsets:1-64 boxes:3x4".split()
)
TEXTS += ["boxes:0x0", "boxes:99999999999x99999999999", "", "\0", "ü", 3, None]


class Fuzzer:
    """A stream of random calls."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        x = self.random.normal(size=(40, 12)).astype(np.float32)
        labels = (x[:, 0] > 0).astype(np.int64)
        params = ternion.Params(70)
        self.fitted = params.fit(x)
        self.classifier = params.fit_classes(x, labels, regularisation=0.3)
        self.regressor = params.fit_targets(x, x[:, :2], regularisation=0.3)
        self.statistics = ternion.Statistics(12)
        self.statistics.add(x)
        self.moments = ternion.Moments(self.fitted, 2)
        self.target_moments = ternion.TargetMoments(self.fitted, 2)
        self.export = self.classifier.export((x * 10).round(), regularisation=0.3)
        self.packed = self.fitted.transform(x)
        self.saved = [self.fitted, self.classifier, self.regressor, self.statistics, self.export]

    def pick(self, options):
        return options[self.random.integers(len(options))]

    def size(self):
        return int(self.pick([0, 1, 2, 3, 12, 12, 12, 40, 65]))

    def array(self):
        """An array of any type, shape and layout, with any numbers; half of them are samples as they should be."""
        if self.random.random() < 0.5:
            array = 30 * self.random.normal(size=(self.pick([3, 40, 300]), 12))
            return self.relaid(array.round().astype(self.pick(["f4", "f8", "i1", "i2", "i8"])))
        shape = tuple(self.size() for _ in range(self.pick([0, 1, 2, 2, 2, 2, 2, 3])))
        array = self.random.normal(scale=self.pick([1, 1, 1e-30, 1e30, 0]), size=shape)
        if array.size and self.random.random() < 0.2:
            array.flat[self.random.integers(array.size)] = self.pick([np.nan, np.inf, 1e300])
        with np.errstate(all="ignore"):
            array = array.astype("f8").astype(self.pick(DTYPES)) if self.random.random() < 0.8 else array
        for _ in range(self.random.integers(3)):
            array = self.relaid(array)
        return array

    def relaid(self, array):
        """The same array, or a part of it, in another layout."""
        way = self.random.integers(9)
        if sparse.issparse(array):
            return array
        if way == 0:
            return np.asfortranarray(array)
        if way == 1 and array.ndim:
            return array[:: self.pick([-2, -1, 2])]
        if way == 2 and array.ndim == 2:
            return array[:, :: self.pick([-2, -1, 2])]
        if way == 3:
            return array.T
        if way == 4 and array.ndim:
            return np.broadcast_to(array[:1], array.shape)
        if way == 5:
            array = array.copy()
            array.flags.writeable = False
            return array
        if way == 6 and array.dtype.kind in "fiu":
            record = np.zeros(array.shape, dtype=[("a", "u1"), ("b", array.dtype)])
            record["b"] = array
            return record["b"]
        if way == 7 and array.ndim == 2 and array.dtype.kind in "fi" and array.dtype.itemsize > 1:
            return self.broken(sparse.csr_matrix(array.astype("f4")))
        return array

    def broken(self, matrix):
        """A sparse matrix whose parts may have been tampered with."""
        if self.random.random() < 0.5 and matrix.nnz:
            part = self.pick([matrix.indices, matrix.indptr])
            part[self.random.integers(len(part))] = self.pick([-1, 0, 5, 12, 2**31 - 1])
            matrix.has_canonical_format = True
        return matrix

    def samples(self):
        return self.array() if self.random.random() < 0.9 else self.pick(NUMBERS + TEXTS)

    def number(self):
        return self.pick([0.3, 2, 4, 12, self.pick(NUMBERS)])

    def mutated(self, data):
        """Bytes that were damaged, shortened, lengthened or replaced."""
        data = bytearray(data)
        for _ in range(self.random.integers(1, 4)):
            way = self.random.integers(4)
            if way == 0 and data:
                data[self.random.integers(len(data))] ^= 1 << self.random.integers(8)
            elif way == 1:
                del data[self.random.integers(len(data) + 1) :]
            elif way == 2:
                data += self.random.bytes(self.random.integers(20))
            elif len(data) >= 16:
                at = self.random.integers(len(data) - 7)
                data[at : at + 8] = self.pick([b"\xff" * 8, b"\0" * 8, (2**40).to_bytes(8, "little")])
        return bytes(data)

    def params(self):
        names = ["target", "policy", "form", "scaling"]
        keywords = {name: self.pick(TEXTS) for name in names if self.random.random() < 0.3}
        names = ["sparsity", "seed", "centre", "standardise"]
        keywords |= {name: self.number() for name in names if self.random.random() < 0.3}
        features = self.pick([1, 64, 100, 100, 100, self.number()])
        # Generating W takes long for many features, and their memory may be there.
        if isinstance(features, (int, float)) and 10**5 < features < 2**50:
            features = 100
        return ternion.Params(features, **keywords)

    def threads(self):
        return {"threads": self.pick([1, 2, None, 10**12, self.number()])} if self.random.random() < 0.3 else {}

    def estimator(self):
        """Fits an estimator to anything, and uses it on anything."""
        kind = self.pick([ternion.TernaryFeatures, ternion.TernaryClassifier, ternion.TernaryRegressor])
        keywords = {"n_components": 70, "form": self.pick(["structured", "stored", "subsets", self.pick(TEXTS)])}
        model = kind(**keywords)
        x = self.array()
        y = self.random.integers(3, size=(*x.shape, 1)[0])
        y = y if self.random.random() < 0.8 else self.array()
        first = self.pick([model.fit, model.partial_fit])
        if kind is ternion.TernaryClassifier and first == model.partial_fit:
            first(x, y, classes=self.pick([range(3), range(2), self.array()]))
        else:
            first(x, y)
        for _ in range(2):
            use = self.pick(
                [name for name in ("transform", "predict", "decision_function", "gram") if hasattr(model, name)]
            )
            getattr(model, use)(x if self.random.random() < 0.5 else self.array())
        pickle.loads(pickle.dumps(model))

    def call(self):
        """One random call."""
        targets = [self.samples, lambda: self.random.integers(self.pick([-1, 0]), 2, size=self.pick([3, 40, 300]))]
        actions = [
            lambda: self.fitted.transform(self.samples(), **self.threads()).unpack(self.pick(["int8", "float32", "x"])),
            lambda: self.classifier.predict(self.samples(), **self.threads()),
            lambda: self.classifier.decision(self.samples(), **self.threads()),
            lambda: self.classifier.probabilities(self.samples(), **self.threads()),
            lambda: self.classifier.export(self.samples(), regularisation=self.number(), bits=self.number()),
            lambda: self.regressor.predict(self.samples(), **self.threads()),
            lambda: self.regressor.export(self.samples(), regularisation=self.number(), bits=self.number()),
            lambda: self.export.predict(self.samples()),
            lambda: self.export.predict_numbers(self.samples()),
            lambda: self.export.to_c(self.pick(TEXTS), self.samples(), numbers=self.pick(["int8", "uint8", "x"])),
            lambda: self.export.to_rust(self.pick(TEXTS)),
            lambda: self.params().fit(self.samples(), **self.threads()).transform(self.samples()),
            lambda: self.params().fit_classes(
                self.samples(), self.pick(targets)(), learner=self.pick(LEARNERS), regularisation=self.number()
            ),
            lambda: self.params().fit_targets(self.samples(), self.samples(), regularisation=self.number()),
            lambda: self.params().fit_statistics(self.statistics),
            lambda: self.statistics.add(self.samples(), **self.threads()),
            lambda: ternion.Statistics(self.number()).merge(self.statistics),
            lambda: self.moments.add(self.samples(), self.pick(targets)()),
            lambda: self.moments.solve(regularisation=self.number()),
            lambda: self.target_moments.add(self.samples(), self.samples()),
            lambda: self.target_moments.solve(regularisation=self.number(), **self.threads()),
            lambda: self.packed.gram(alpha=self.number(), centred=self.pick([True, False])),
            lambda: self.packed.counts(self.pick([None, self.packed, self.fitted])),
            lambda: np.asarray(self.packed, dtype=self.pick(DTYPES)),
            lambda: ternion.Features.from_planes(self.samples(), self.samples(), self.number()),
            lambda: type(thing := self.pick(self.saved)).from_bytes(self.mutated(thing.to_bytes())),
            lambda: ternion.Moments.from_bytes(self.fitted, self.mutated(self.moments.to_bytes())),
            lambda: pickle.loads(pickle.dumps(self.pick([*self.saved, self.packed, self.moments]))),
            self.estimator,
        ]
        action = self.pick(actions)
        try:
            action()
            return True
        except REFUSALS:
            return False


def run(seed, calls=None, seconds=None):
    """Makes random calls, and returns how many were made and how many of them were not refused."""
    fuzzer, end, made, accepted = Fuzzer(seed), time.monotonic() + (seconds or 0), 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while made < calls if calls is not None else time.monotonic() < end:
            accepted += fuzzer.call()
            made += 1
    return made, accepted


if __name__ == "__main__":
    seconds, seed = float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    made, accepted = run(seed, seconds=seconds)
    print(f"{made} calls, of which {accepted} were not refused")
