"""Which measured results may stand beside each other: the experiment that a result belongs to, and its best results.

Pages, comparisons and verdicts all ask here, so that "the same experiment" is the same in all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pipeline.core.schema import Result

# Sets in which whoever measured picked the best batch for each card; elsewhere the batch belongs to the experiment.
BATCH_IS_TUNED = ("lambda-", "mlperf-", "mamf", "nvidia-", "gpu-stream")


class Experiment(NamedTuple):
    """What two results must share to be compared; the software's version and the day may differ."""

    set: str  # results of two sets are never one experiment: each set has its own rules
    workload: str
    model: str
    precision: str  # the number format, in capitals
    metric: str
    unit: str
    gpus: int
    batch: str
    kind: tuple[str, ...]  # what else is the same in all of them: open division, sparsity, engine


def experiment(row: Result) -> Experiment:
    """The experiment of a result."""
    batch = "" if row.set.startswith(BATCH_IS_TUNED) else row.batch
    # The closed division of MLPerf fixes the network and leaves the program free; elsewhere the program is part of it.
    engine = "" if row.division == "closed" else row.engine
    return Experiment(
        row.set,
        row.workload,
        f"{row.model} for {row.entered_as}" if row.entered_as else row.model,
        row.format.upper(),
        row.metric,
        row.unit,
        row.gpu_count,
        batch,
        tuple(word for word in (row.division, row.sparsity, engine) if word and word != "closed"),
    )


def by_experiment(rows: Iterable[Result]) -> dict[Experiment, list[Result]]:
    """The sound results of each experiment: of each card its best, the best card first.

    A row without a value, or one that a rule flagged, is in none. Equal ones stand in the order of ids and locators.
    """
    groups: dict[Experiment, list[Result]] = defaultdict(list)
    for row in rows:
        if row.value and not row.flag:
            groups[experiment(row)].append(row)
    return {found: best_of_each(own) for found, own in groups.items()}


def best_of_each(rows: Sequence[Result]) -> list[Result]:
    """Of each card its best result of one experiment, the best card first."""
    sign = -1 if rows[0].higher_is_better else 1
    best: dict[str, Result] = {}
    for row in sorted(rows, key=lambda row: (sign * row.number, row.gpu, row.locator)):
        best.setdefault(row.gpu, row)
    return list(best.values())
