"""How far the data can be trusted: coverage, agreement, age and grades, counted by the build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.core.schema import FIELDS
from pipeline.dataset import Dataset, GpuRecord
from pipeline.derive import quality, summaries
from pipeline.derive.prices import staleness
from pipeline.site.pages import addresses, table
from pipeline.site.render import Page


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many GPUs have a field, and behind how many of them two independent sources stand."""

    name: str
    label: str
    filled: int
    agreed: int
    disputed: int


@dataclass(frozen=True, slots=True)
class Graded:
    """A GPU with its grade and the core fields it lacks."""

    gpu: GpuRecord
    grade: str
    missing: tuple[str, ...]


def pages(dataset: Dataset) -> Iterator[Page]:
    """One page: the counts first, then field by field, then GPU by GPU."""
    graded = sorted((_graded(gpu) for gpu in dataset.gpus.values()), key=_least_known)
    # Every field of the schema, also one that no source states
    counted = summaries.by_field(dataset.frame("claims")).set_index("field")
    told = counted.reindex(list(FIELDS), fill_value=0)
    coverage = [
        Coverage(str(name), FIELDS[str(name)].label, *map(int, row)) for name, *row in told.itertuples(name=None)
    ]
    context = {
        "counts": list(quality.counts(dataset, table.listed_first(dataset))),
        "coverage": coverage,
        "total": len(dataset.gpus),
        "grades": [(letter, meaning, sum(g.grade == letter for g in graded)) for letter, meaning, _ in quality.GRADES],
        "graded": graded,
        "worst": next((g for g in graded if g.missing), None),
        "flags": quality.flags(dataset).most_common(),
        "ages": ages(dataset),
        "policy": [(kind, limits) for kind, limits in staleness.POLICY.items() if limits],
        "states": staleness.MEANING,
        "newest": dataset.newest_reading,
        "addresses": addresses,
    }
    yield Page(
        "data/quality",
        "quality.html.j2",
        context,
        "Data quality",
        "Coverage, agreement and age of the data, counted at every build, and a grade for each GPU.",
        "pipeline/derive/quality.py",
    )


def ages(dataset: Dataset) -> list[tuple[str, dict[str, int]]]:
    """For each kind of price how many observations are in each state."""
    found: dict[str, Counter[str]] = {}
    for row in dataset.prices:
        state = staleness.state(row.kind, row.date, dataset.newest_reading)
        found.setdefault(row.kind, Counter())[state] += 1
    return [(kind, {state: found[kind][state] for state in staleness.STATES}) for kind in sorted(found)]


def _least_known(graded: Graded) -> tuple[int, int, str]:
    return (-len(graded.missing), -ord(graded.grade), graded.gpu.name)


def _graded(gpu: GpuRecord) -> Graded:
    missing = [FIELDS[name].label.lower() for name in quality.CORE_FIELDS if gpu.value(FIELDS[name]) is None]
    if not any(key.sparsity == "dense" for key in gpu.peaks):
        missing.append("dense peak")
    return Graded(gpu, quality.grade(gpu), tuple(missing))
