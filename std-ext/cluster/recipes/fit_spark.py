"""Fits a classifier on Apache Spark: every partition sends its sums, and the driver merges them.

spark-submit fit_spark.py FOLDER CLASSES MODEL

FOLDER holds Parquet files with the columns x (lists of numbers) and label (class numbers from 0). The executors need the
packages ternion, numpy and pyarrow.
"""

import sys

import pyarrow
from pyspark.sql import SparkSession

from ternion import Moments, Params, Statistics


def arrays(batch):
    x = batch.column("x").flatten().to_numpy(zero_copy_only=False)
    return x.reshape(batch.num_rows, -1), batch.column("label").to_numpy()


def sums(table, new, add):
    """Yields the sums of one partition after another, as bytes. `new` and `add` run on the executors."""

    def of_partition(batches):
        part = new()
        for batch in batches:
            add(part, *arrays(batch))
        yield pyarrow.record_batch({"sums": [part.to_bytes()]})

    for row in table.mapInArrow(of_partition, "sums binary").toLocalIterator():
        yield bytes(row["sums"])


def fit(table, classes, params):
    inputs = len(table.first()["x"])
    statistics = Statistics(inputs)
    for part in sums(table, lambda: Statistics(inputs), lambda part, x, _: part.add(x)):
        statistics.merge(Statistics.from_bytes(part))
    # Not params.fit(x): only the exact sums do not depend on how rows are split.
    fitted = params.fit_statistics(statistics)
    moments = Moments(fitted, classes)
    for part in sums(table, lambda: Moments(fitted, classes), lambda part, x, y: part.add(x, y)):
        moments.merge(Moments.from_bytes(fitted, part))
    return moments.solve()


if __name__ == "__main__":
    folder, classes, model = sys.argv[1:]
    table = SparkSession.builder.getOrCreate().read.parquet(folder)
    # Every partition sends its sums: no more of them than there are cores.
    cores = table.sparkSession.sparkContext.defaultParallelism
    fitted = fit(table.coalesce(cores), int(classes), Params(4096))
    with open(model, "wb") as file:
        file.write(fitted.to_bytes())
