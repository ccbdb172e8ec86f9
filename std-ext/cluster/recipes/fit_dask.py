"""Fits a classifier on Dask: the sums of every file are merged in a tree.

python fit_dask.py SCHEDULER CLASSES MODEL FILE...

SCHEDULER is the address of a scheduler, or "local" for processes of this machine. The Parquet files have the columns x
(lists of numbers) and label (class numbers from 0). The workers need the packages ternion, numpy and pyarrow.
"""

import sys
from copy import copy

import dask
import pyarrow.parquet
from dask.distributed import Client

from ternion import Moments, Params, Statistics


def batches(path):
    for batch in pyarrow.parquet.ParquetFile(path).iter_batches():
        x = batch.column("x").flatten().to_numpy(zero_copy_only=False)
        yield x.reshape(batch.num_rows, -1), batch.column("label").to_numpy()


@dask.delayed
def statistics_of(path, inputs):
    sums = Statistics(inputs)
    for x, _ in batches(path):
        sums.add(x)
    return sums


@dask.delayed
def moments_of(path, fitted, classes):
    sums = Moments(fitted, classes)
    for x, y in batches(path):
        sums.add(x, y)
    return sums


@dask.delayed
def merge(parts):
    merged = copy(parts[0])  # Dask may still need the parts.
    for part in parts[1:]:
        merged.merge(part)
    return merged


def tree(parts, width=8):
    """The sums of all parts, at most `width` of them in the memory of a worker at a time."""
    while len(parts) > 1:
        parts = [merge(parts[k : k + width]) for k in range(0, len(parts), width)]
    return parts[0].compute()


if __name__ == "__main__":
    scheduler, classes, model, *paths = sys.argv[1:]
    with Client(None if scheduler == "local" else scheduler):
        x, _ = next(batches(paths[0]))
        statistics = tree([statistics_of(path, x.shape[1]) for path in paths])
        # Not Params(4096).fit(x): only the exact sums do not depend on how rows are split.
        fitted = Params(4096).fit_statistics(statistics)
        moments = tree([moments_of(path, fitted, int(classes)) for path in paths])
    with open(model, "wb") as file:
        file.write(moments.solve().to_bytes())
