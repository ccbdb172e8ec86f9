"""Ternion beside scikit-learn's RBFSampler and RidgeClassifier, and beside its own Rust.

    python compare.py job [MNIST]    features, fit and predictions: accuracy, time, memory
    python compare.py transform      features alone, in one process, and the same by the Rust crate
    python compare.py import         the time to import the package

MNIST is the folder that `.ci/data target/data mnist` makes; without it the digits of scikit-learn are learnt.
Everything runs on one thread. Parameters are the defaults but for the number of features, the width of RBFSampler
("scale", as ours is), and alpha of RidgeClassifier on trits, whose squares are larger by the number of features.
"""

import os

# Before NumPy is imported, which reads it.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["RAYON_NUM_THREADS"] = "1"

import json
import math
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

METHODS = {
    "RBFSampler + RidgeClassifier": "sampler",
    "TernaryFeatures + RidgeClassifier": "features",
    "TernaryClassifier": "classifier",
    "TernaryClassifier, boxes": "boxes",
}


def read(folder):
    """Training and test samples with their classes."""
    import numpy as np

    if folder is None:
        from sklearn.datasets import load_digits

        x, y = load_digits(return_X_y=True)
        x = x.astype(np.float32)
        return x[:1297], y[:1297], x[1297:], y[1297:]

    def numbers(name, header):
        return np.frombuffer((Path(folder) / name).read_bytes(), dtype=np.uint8)[header:]

    def images(name):
        return numbers(name, 16).reshape(-1, 784).astype(np.float32) / 255

    return (
        images("train-images-idx3-ubyte"),
        numbers("train-labels-idx1-ubyte", 8),
        images("t10k-images-idx3-ubyte"),
        numbers("t10k-labels-idx1-ubyte", 8),
    )


def memory(field):
    """The memory of this process in MB, by its name in Linux: now, or the most since it was reset."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"{field}:\s*(\d+) kB", status)[1]) / 1024


def sampler(features):
    """scikit-learn's features of the same kernel."""
    from sklearn.kernel_approximation import RBFSampler

    return RBFSampler(gamma="scale", n_components=features, random_state=0)


def job(method, features, folder):
    """One method from samples to predictions, in a process of its own: its accuracy, seconds and MB."""
    from sklearn.linear_model import RidgeClassifier
    from sklearn.pipeline import make_pipeline

    from ternion import TernaryClassifier, TernaryFeatures

    x, y, test, labels = read(folder)
    side = math.isqrt(x.shape[1])
    model = {
        "sampler": lambda: make_pipeline(sampler(features), RidgeClassifier()),
        "features": lambda: make_pipeline(TernaryFeatures(features), RidgeClassifier(alpha=features)),
        "classifier": lambda: TernaryClassifier(features),
        "boxes": lambda: TernaryClassifier(features, form=f"boxes:{side}x{side}"),
    }[method]()
    Path("/proc/self/clear_refs").write_text("5")  # resets the most
    before, start = memory("VmRSS"), time.perf_counter()
    model.fit(x, y)
    fitted = time.perf_counter()
    accuracy = model.score(test, labels)
    return accuracy, fitted - start, time.perf_counter() - fitted, memory("VmHWM") - before


def jobs(folder):
    """The table of all methods."""
    print("| method | features | accuracy | fit | predict | memory |\n|---|---|---|---|---|---|")
    for features in (1024, 4096):
        for name, method in METHODS.items():
            command = [sys.executable, __file__, "--one", method, str(features), *([folder] if folder else [])]
            accuracy, fit, predict, memory = json.loads(subprocess.check_output(command, text=True))
            row = f"| {name} | {features} | {accuracy:.4f} | {fit:.2f} s | {predict:.2f} s | {memory:.0f} MB |"
            print(row, flush=True)


def transform(samples=60_000, inputs=784, features=4096, rounds=5):
    """The features of as many images as MNIST has: the shortest of some interleaved times of each."""
    import numpy as np

    from ternion import TernaryFeatures

    x = np.random.default_rng(0).random((samples, inputs), dtype=np.float32)
    command = ["cargo", "run", "--release", "--quiet", "--example", "reference", "--", "--time"]
    command += [str(size) for size in (samples, inputs, features)]
    rust = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def in_rust(form):
        rust.stdin.write(f"form={form}\n")
        rust.stdin.flush()
        return float(rust.stdout.readline().split()[0])

    def timed(work):
        start = time.perf_counter()
        work(x)
        return time.perf_counter() - start

    peer = sampler(features).fit(x)
    forms = {form: TernaryFeatures(features, form=form).fit(x) for form in ("structured", "stored")}
    contenders = {("RBFSampler", "float32"): lambda: timed(peer.transform)}
    for form, fitted in forms.items():
        contenders[form, "Rust, packed"] = lambda form=form: in_rust(form)
        contenders[form, "packed"] = lambda fitted=fitted: timed(fitted.transform_packed)
        contenders[form, "float32"] = lambda fitted=fitted: timed(fitted.transform)
    times = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, run in contenders.items():
            times[name] = min(times[name], run())
    rust.stdin.close()
    rust.wait()
    slowest = times["RBFSampler", "float32"]
    print(f"{samples} samples of {inputs} inputs, {features} features\n")
    print("| W | output | time | × RBFSampler | × Rust |\n|---|---|---|---|---|")
    for (form, output), seconds in times.items():
        ratio = f"{seconds / times[form, 'Rust, packed']:.2f}" if output == "packed" else ""
        print(f"| {form} | {output} | {1000 * seconds:.0f} ms | {slowest / seconds:.1f} | {ratio} |")


def imports(rounds=20):
    """The time to import the package, beside that of NumPy alone: each in processes of their own."""
    for module in ("ternion", "numpy"):
        program = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
        times = [float(subprocess.check_output([sys.executable, "-c", program])) for _ in range(rounds)]
        print(f"import {module}: {1000 * min(times):.1f} ms")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["job", *folder] if len(folder) < 2:
            jobs(*folder or [None])
        case ["transform"]:
            transform()
        case ["import"]:
            imports()
        case ["--one", method, features, *folder]:
            print(json.dumps(job(method, int(features), *folder or [None])))
        case _:
            sys.exit(__doc__)
