"""The compiled module by itself: packed features, threads, imports, and predictions without scikit-learn."""

import multiprocessing
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import ternion
from ternion import Features, FittedClassifier, Params


@pytest.fixture
def packed():
    """Random trits, and the same packed."""
    trits = np.random.default_rng(3).integers(-1, 2, size=(70, 130)).astype(np.int8)
    planes = []
    for bits in (trits < 0, trits != 0):
        padded = np.zeros((70, 192), dtype=bool)
        padded[:, :130] = bits
        planes.append(np.packbits(padded, axis=1, bitorder="little").view("<u8"))
    return trits, Features.from_planes(*planes, 130)


def test_planes_are_views_of_the_features(packed):
    trits, features = packed
    for plane in (features.sign, features.mask):
        assert plane.shape == (70, 3) and plane.dtype == np.uint64 and plane.flags.c_contiguous
        assert not plane.flags.writeable and not plane.flags.owndata
        with pytest.raises(ValueError):
            plane[0, 0] = 1
    # The same memory each time, which outlives the object.
    address = features.sign.ctypes.data
    assert features.sign.ctypes.data == address != features.mask.ctypes.data
    sign, copy = features.sign, features.sign.copy()
    del features, packed
    assert sign.ctypes.data == address and (sign == copy).all()


def test_features_unpack_multiply_and_pickle(packed):
    trits, features = packed
    assert features.shape == (70, 130) and len(features) == 70 and features.nbytes == 2 * 70 * 3 * 8
    for dtype in ("int8", "float32", "float64"):
        unpacked = features.unpack(dtype, threads=2)
        assert unpacked.dtype == dtype and (unpacked == trits).all()
    assert (np.asarray(features) == trits).all() and np.asarray(features, dtype=np.int32).dtype == np.int32
    exact = trits.astype(np.int32) @ trits.T
    assert (features.counts() == exact).all() and features.counts().dtype == np.int32
    assert (features.gram(alpha=2.0) == (exact * (4 / 130)).astype(np.float32)).all()
    centre = np.eye(70) - 1 / 70
    np.testing.assert_allclose(features.gram(centred=True), centre @ exact @ centre / 130, atol=1e-6)
    part = Features.from_planes(features.sign[5:9], features.mask[5:9], 130)
    assert (part.counts(features) == exact[5:9]).all()
    assert (part.gram(features) == features.gram()[5:9]).all()
    loaded = pickle.loads(pickle.dumps(features))
    assert (loaded.sign == features.sign).all() and (loaded.mask == features.mask).all()
    assert repr(loaded) == "Features(samples=70, features=130)"


def test_importing_the_package_imports_nothing_large():
    program = "import sys, ternion; print([name for name in ('numpy', 'scipy', 'sklearn') if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", program], text=True).strip() == "[]"


def test_fitting_and_predicting_need_no_scikit_learn(table, tmp_path):
    x, y = table
    np.savez(tmp_path / "table.npz", x=x, y=y)
    program = """
import sys
sys.modules["sklearn"] = None
import numpy as np
import ternion
data = np.load(sys.argv[1])
fitted = ternion.Params(256).fit_classes(data["x"], data["y"].astype(np.int64), regularisation=0.3)
sys.stdout.buffer.write(fitted.to_bytes())
try:
    ternion.TernaryClassifier
except ImportError as error:
    sys.stderr.write(str(error))
"""
    done = subprocess.run([sys.executable, "-c", program, tmp_path / "table.npz"], capture_output=True, check=True)
    assert done.stderr.decode() == "TernaryClassifier needs scikit-learn 1.6 or later: pip install 'ternion[sklearn]'"
    expected = ternion.TernaryClassifier(256).fit(x, y)
    assert done.stdout == expected.fitted_.to_bytes()
    assert (FittedClassifier.from_bytes(done.stdout).predict(x) == expected.predict(x)).all()


def test_other_threads_of_python_run_during_a_long_call():
    x = np.random.default_rng(0).normal(size=(20_000, 64)).astype(np.float32)
    fitted = Params(8192, form="stored").fit(x[:1000])
    thread = threading.Thread(target=fitted.transform, args=(x,), kwargs={"threads": 1})
    thread.start()
    turns = 0
    while thread.is_alive():
        turns += 1
    assert turns > 1000


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not fork safely")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_forked_process_can_transform(table):
    x = np.repeat(table[0], 5, axis=0)
    fitted = Params(256).fit(x)
    expected = fitted.transform(x, threads=2)
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        for features in pool.starmap_async(transform, [(fitted, x)] * 4).get(timeout=60):
            assert (features.sign == expected.sign).all()


def transform(fitted, x):
    return fitted.transform(x, threads=2)


def test_the_package_has_the_names_it_declares():
    assert sorted(ternion.__all__) == sorted(dir(ternion))
    assert all(hasattr(ternion, name) for name in ternion.__all__)
    assert not hasattr(ternion, "Other")
    assert {"gaussian_scale", "relu"} <= set(ternion.targets())
