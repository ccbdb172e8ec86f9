"""Every example of the documentation runs, everything is documented, and the types are those of the module."""

import doctest
import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import ternion

FOLDER = Path(__file__).resolve().parents[1]
MODULES = ["ternion"] + [f"ternion.estimators._{name}" for name in ("features", "classifier", "regressor", "predictor")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert failed == 0 and tried > 0


def test_the_examples_of_the_readme_run():
    failed, tried = doctest.testfile(str(FOLDER / "README.md"), module_relative=False)
    assert failed == 0 and tried > 0


@pytest.mark.parametrize("name", [name for name in ternion.__all__ if name != "__version__"])
def test_everything_public_is_documented(name):
    thing = getattr(ternion, name)
    assert inspect.getdoc(thing)
    if not inspect.isclass(thing):
        return
    assert ">>>" in thing.__doc__, f"{name} has no example"
    for member, value in vars(thing).items():
        if not member.startswith("_"):
            assert inspect.getdoc(value), f"{name}.{member}"


@pytest.mark.parametrize("command", ["mypy --config-file", "mypy.stubtest ternion._ternion --mypy-config-file"])
def test_the_types_are_those_of_the_module(command):
    command = [sys.executable, "-m", *command.split(), str(FOLDER / "pyproject.toml")]
    # From elsewhere, so that the installed package is checked and not its sources.
    done = subprocess.run(command, cwd=FOLDER / "tests", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
