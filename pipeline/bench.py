"""Timings of the pipeline in, a table out: the whole refresh and build, and the cost of a row as rows grow.

Times are of one run on one machine; the ratios between the lines of a run are what to read.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from types import SimpleNamespace

from pipeline import build, refresh, validate
from pipeline.paths import DataPaths
from pipeline.schema import Row, Rows
from pipeline.snapshots import Mirror
from pipeline.sources import MODULES
from pipeline.sources.base import Snapshots
from pipeline.validate import Evidence

GROWTH = (1, 10, 100)
CLAIMS_AT_ONE = 1000  # of the real claims, so that the largest step stays in memory
LARGEST_SOURCE = "lambda-deeplearning-benchmark"


@dataclass(frozen=True, slots=True)
class Timing:
    """One measurement: what, how many rows, seconds."""

    what: str
    rows: int
    seconds: float

    @property
    def us_per_row(self) -> float:
        """Microseconds a row."""
        return self.seconds / self.rows * 1e6 if self.rows else 0.0


def run(data: DataPaths, mirror: Path | None) -> Iterator[Timing]:
    """Time everything on a copy of `data`; without a mirror folder only what needs no source."""
    with tempfile.TemporaryDirectory() as folder:
        copy = DataPaths(Path(folder) / "data")
        shutil.copytree(data.data, copy.data)
        if mirror:
            yield from _whole(copy, mirror)
            yield from _reading(copy, mirror)
        else:
            yield _timed("build", _rows(copy), lambda: build.build(copy))
        yield from _deciding(copy)


def _whole(data: DataPaths, mirror: Path) -> Iterator[Timing]:
    store, names = Mirror.open(mirror), build.load_names(data)
    yield _timed("refresh", _rows(data), lambda: refresh.refresh(MODULES, store, names, data, lambda _: None))
    yield _timed("build", _rows(data), lambda: build.build(data))


def _reading(data: DataPaths, mirror: Path) -> Iterator[Timing]:
    """Identify and sort the rows of the largest source, once, ten and a hundred times over."""
    module = next(m for m in MODULES if m.SOURCE.id == LARGEST_SOURCE)
    store, names = Mirror.open(mirror), build.load_names(data)
    snapshots = {file.name: store.get(module.SOURCE, file) for file in module.SOURCE.files}
    rows: list[Row] = list(module.parse(snapshots))
    for times in GROWTH:
        many = SimpleNamespace(SOURCE=module.SOURCE, parse=_repeated(rows, times))
        yield _timed(
            f"read a source, {times}×", len(rows) * times,
            lambda many=many: refresh.read_source(many, store, names),  # type: ignore[misc]
        )  # fmt: skip


def _repeated(rows: list[Row], times: int) -> Callable[[Snapshots], Rows]:
    return lambda _: (row for _ in range(times) for row in rows)


def _deciding(data: DataPaths) -> Iterator[Timing]:
    """Reconcile and check claims on ever more GPUs."""
    evidence = build.compile_dataset(data).evidence
    for times in GROWTH:
        many = _multiplied(evidence, times)
        yield _timed(
            f"reconcile and check, {times}×", len(many.claims),
            lambda many=many: validate.problems(many),  # type: ignore[misc]
        )  # fmt: skip


def _multiplied(evidence: Evidence, times: int) -> Evidence:
    """The same claims on `times` as many GPUs."""
    claims = list(evidence.claims)[:CLAIMS_AT_ONE]
    return replace(
        evidence,
        gpus={f"{gpu}-{n}": about for n in range(times) for gpu, about in evidence.gpus.items()},
        claims=[replace(claim, gpu=f"{claim.gpu}-{n}") for n in range(times) for claim in claims],
        results=(), prices=(), siblings={},
    )  # fmt: skip


def _timed(what: str, rows: int, work: Callable[[], object]) -> Timing:
    start = perf_counter()
    work()
    return Timing(what, rows, perf_counter() - start)


def _rows(data: DataPaths) -> int:
    folders = (data.claims, data.results, data.prices)
    return sum(1 for folder in folders for path in folder.glob("*.csv") for _ in refresh.read_rows(path))
