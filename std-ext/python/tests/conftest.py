"""What the tests share: data, refusals, and the program of the Rust crate whose bits must be met."""

import os
import subprocess
from pathlib import Path

# Lets scikit-learn run its checks of other array libraries instead of skipping them. Read when SciPy is imported.
os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def digits():
    """1,797 digits of 64 pixels, with their classes."""
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


@pytest.fixture(scope="session")
def table():
    """Samples of 12 inputs with nothing special about them, and labels of three classes."""
    random = np.random.default_rng(7)
    x = random.normal(size=(300, 12)).astype(np.float32)
    return x, (np.abs(x[:, 0]) + x[:, 1] > np.array([[0.5], [1.5]])).sum(axis=0)


@pytest.fixture(scope="session")
def reference():
    """The example `reference` of the crate, built if need be: a program that shares nothing with the extension."""
    command = ["cargo", "build", "--release", "--locked", "--quiet", "--example", "reference"]
    subprocess.run(command, cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "examples" / "reference"
