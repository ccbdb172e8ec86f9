"""The same bits as the Rust crate, whose example `reference` computes the same from raw numbers."""

import subprocess
from itertools import product

import numpy as np
import pytest
from scipy import sparse

from ternion import TernaryClassifier, TernaryFeatures, TernaryRegressor

SAMPLES = 200

# In the words of Python; those of Rust follow.
CASES = [
    {"n_components": 1},
    {"n_components": 100, "random_state": 3},
    {"n_components": 128, "form": "stored"},
    {"n_components": 300, "form": "stored", "sparsity": 0.9, "regularisation": 0.03},
    {"n_components": 65, "form": "seeded", "sparsity": 0.0, "random_state": 2**63 + 5},
    {"n_components": 192, "form": "boxes:8x8"},
    {"n_components": 192, "form": "boxes:4x4x4", "policy": "four-band"},
    {"n_components": 150, "form": "subsets"},
    {"n_components": 130, "form": "subsets:3-16", "target": "relu"},
    {"n_components": 257, "policy": "min-variance", "target": "matern_3/2_length0.5"},
    {"n_components": 64, "policy": "fixed:-0.5,1", "target": "tanh"},
    {"n_components": 190, "gamma": 0.25, "scaling": "keep", "standardise": True},
    {"n_components": 90, "gamma": 2, "centre": False},
    {"n_components": 210, "target": "gelu", "scaling": "row"},
    {"n_components": 70, "standardise": False, "n_jobs": 2},
    {"n_components": 120, "learner": "logistic"},
    {"n_components": 120, "learner": "logistic", "regularisation": 0.5, "n_jobs": 2},
    {"n_components": 120, "learner": "svm", "regularisation": 0.1},
]


def in_rust(parameters):
    """A line of `cases` with the same parameters."""
    gamma = parameters.get("gamma")
    target = parameters.get("target", "gaussian_scale" if gamma is None else f"gaussian_gamma{gamma}")
    words = {"features": parameters["n_components"], "target": target, "form": parameters.get("form", "structured")}
    words["seed"] = parameters.get("random_state", 0)
    for name in ("policy", "sparsity", "centre", "standardise", "scaling", "learner", "regularisation"):
        if name in parameters:
            words[name] = str(parameters[name]).lower()
    return " ".join(f"{name}={value}" for name, value in words.items())


def inputs(parameters):
    """Pictures have 64 pixels."""
    return 64 if "boxes" in parameters.get("form", "") else 13


@pytest.fixture(scope="module")
def computed(reference, tmp_path_factory):
    """The samples and labels, and the folder with what the crate makes of them."""
    folder = tmp_path_factory.mktemp("reference")
    random = np.random.default_rng(5)
    # Whole numbers of 8 bits, which are the same in every type.
    numbers = random.integers(0, 100, size=SAMPLES * 64).astype("<f4")
    labels = random.integers(0, 3, size=SAMPLES).astype(np.uint8)
    (folder / "samples").write_bytes(numbers.tobytes())
    (folder / "labels").write_bytes(labels.tobytes())
    (folder / "cases").write_text("".join(f"{inputs(case)} {in_rust(case)}\n" for case in CASES))
    subprocess.run([reference, folder], check=True)
    return numbers, labels, folder


def samples_of(numbers, parameters):
    return numbers[: SAMPLES * inputs(parameters)].reshape(SAMPLES, -1)


def without(parameters, *names):
    return {name: value for name, value in parameters.items() if name not in names}


@pytest.mark.filterwarnings("ignore")  # some have few features
@pytest.mark.parametrize("case", range(len(CASES)), ids=lambda case: in_rust(CASES[case]))
def test_features_and_predictions_are_those_of_the_crate(computed, case):
    numbers, labels, folder = computed
    parameters = CASES[case]
    x = samples_of(numbers, parameters)

    def expected(name, dtype="<f4"):
        return np.frombuffer((folder / f"{case}.{name}").read_bytes(), dtype=dtype)

    def saved(name):
        return (folder / f"{case}.{name}").read_bytes()

    features = TernaryFeatures(**without(parameters, "learner", "regularisation")).fit(x)
    assert features.fitted_.to_bytes() == saved("fit")
    packed = features.transform_packed(x)
    assert packed.sign.tobytes() == saved("sign")
    assert packed.mask.tobytes() == saved("mask")
    assert (features.gram(x).ravel() == expected("gram")).all()

    classifier = TernaryClassifier(**parameters).fit(x, labels)
    assert classifier.fitted_.to_bytes() == saved("classifier")
    scores = expected("decision").reshape(SAMPLES, 3)
    assert (classifier.decision_function(x) == scores).all()
    assert (classifier.predict(x) == scores.argmax(axis=1)).all()

    regressor = TernaryRegressor(**without(parameters, "learner")).fit(x, labels)
    assert regressor.fitted_.to_bytes() == saved("regressor")
    assert (regressor.predict(x) == expected("predicted")).all()


# What a batch of samples may look like; each has the numbers of `x`.
LAYOUTS = {
    "C": np.ascontiguousarray,
    "Fortran": np.asfortranarray,
    "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "columns of more": lambda x: np.hstack([x, x])[:, : x.shape[1]],
    "reversed": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
    "unaligned": lambda x: unaligned(x),
    "read-only": lambda x: read_only(x),
    "CSR": sparse.csr_array,
    "CSC": sparse.csc_matrix,
}


def unaligned(x):
    """The same numbers, one byte off."""
    buffer = np.zeros(x.nbytes + 1, dtype=np.uint8)
    array = buffer[1:].view(x.dtype).reshape(x.shape)
    array[...] = x
    return array


def read_only(x):
    array = x.copy()
    array.flags.writeable = False
    return array


TYPES = ["float32", "float64", "int16", "int8", "uint8", "int64", "uint16"]
# Those that SciPy's matrices do not have, or that are never unaligned.
DENSE_TYPES = ["float16", ">f4", "object"]
DENSE_LAYOUTS = [layout for layout in LAYOUTS if layout not in ("CSR", "CSC", "unaligned")]


@pytest.mark.parametrize(("layout", "dtype"), [*product(LAYOUTS, TYPES), *product(DENSE_LAYOUTS, DENSE_TYPES)])
def test_every_type_and_layout_gives_the_same_bits(computed, layout, dtype):
    numbers, _, folder = computed
    x = LAYOUTS[layout](samples_of(numbers, CASES[1]).astype(dtype))
    features = TernaryFeatures(**CASES[1]).fit(x)
    assert features.fitted_.to_bytes() == (folder / "1.fit").read_bytes()
    assert features.transform_packed(x).sign.tobytes() == (folder / "1.sign").read_bytes()


def test_bits_are_numbers():
    x = np.random.default_rng(2).integers(0, 2, size=(50, 20)).astype(bool)
    expected = TernaryFeatures(100).fit(x.astype(np.float32)).transform_packed(x.astype(np.float64))
    for bits in (x, np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2], sparse.csr_array(x)):
        found = TernaryFeatures(100).fit(bits).transform_packed(bits)
        assert (found.sign == expected.sign).all() and (found.mask == expected.mask).all()
