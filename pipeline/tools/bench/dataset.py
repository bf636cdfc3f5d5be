"""How long a whole refresh and build take, and what a row costs as rows grow, as a table.

All are timed by the processor's time alone: what else the machine does is no cost of a row. Times are of one run on one
machine; the ratios between the lines are what to read.
"""

from __future__ import annotations

import csv
import io
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from types import ModuleType, SimpleNamespace
from typing import cast

from pipeline.core import files
from pipeline.core.paths import DataPaths
from pipeline.core.schema import Row as SourceRow
from pipeline.core.schema import Rows
from pipeline.intake import refresh
from pipeline.intake.snapshots import Mirror
from pipeline.intake.sources import MODULES
from pipeline.intake.sources.base import Snapshots
from pipeline.record import build, validate
from pipeline.tools.bench.verdicts import BenchFigure

GROWTH = (1, 10, 100)
CLAIMS_AT_ONE = 1000  # of the real claims, so that the largest step stays in memory
# The budgets of the plan, in seconds of the processor.
BUDGETS_S = {"refresh": 3.0, "build": 3.0, "check": 3.0}
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
            store, names = Mirror.open(mirror), build.load_names(copy)
            fetched = _timed(
                "refresh",
                _rows(copy),
                lambda: refresh.refresh(MODULES, store, names, copy, lambda _: None),
                process_time,
            )
            built = _timed("build", _rows(copy), lambda: build.build(copy), process_time)
            yield from (
                fetched,
                built,
                Timing("refresh and build together", built.rows, fetched.seconds + built.seconds),
            )
        else:
            yield _timed("build", _rows(copy), lambda: build.build(copy), process_time)
        yield _timed("check", _rows(copy), lambda: build.survey(copy), process_time)
        if mirror:
            yield from with_added(_reading(copy, mirror))
        yield from with_added(_deciding(copy))


def judged(timings: Iterable[Timing], floor_s: float) -> Iterator[BenchFigure]:
    """The timings that have a budget, beside the time that only reading and writing the same rows takes."""
    for timing in timings:
        if timing.what in BUDGETS_S:
            yield BenchFigure(timing.what, timing.seconds, "s", BUDGETS_S[timing.what], floor_s)


def floor_s(data: DataPaths) -> float:
    """What it takes to read every row of the sources' tables and to write it again."""
    start = process_time()
    for folder in (data.claims, data.results, data.prices):
        for path in sorted(folder.glob("*.csv")):
            with path.open(encoding="utf-8", newline="") as file:
                csv.writer(io.StringIO(newline="")).writerows(csv.reader(file))
    return process_time() - start


def with_added(timings: Iterable[Timing]) -> Iterator[Timing]:
    """Each timing, then what the rows cost that it has more than the one before: the same where costs are linear."""
    before: Timing | None = None
    for timing in timings:
        yield timing
        if before:
            yield Timing("    each added row", timing.rows - before.rows, timing.seconds - before.seconds)
        before = timing


def _reading(data: DataPaths, mirror: Path) -> Iterator[Timing]:
    """Identify and sort the rows of the largest source, once, ten and a hundred times over."""
    module = next(m for m in MODULES if m.SOURCE.id == LARGEST_SOURCE)
    store, names = Mirror.open(mirror), build.load_names(data)
    snapshots = {file.name: store.get(module.SOURCE, file) for file in module.SOURCE.files}
    rows: list[SourceRow] = list(module.parse(snapshots))
    for times in GROWTH:
        many = cast(ModuleType, SimpleNamespace(SOURCE=module.SOURCE, parse=_repeated(rows, times)))
        yield _timed(
            f"read a source, {times}×",
            len(rows) * times,
            partial(refresh.read_source, many, store, names),
            process_time,
        )


def _repeated(rows: list[SourceRow], times: int) -> Callable[[Snapshots], Rows]:
    return lambda _: (row for _ in range(times) for row in rows)


def _deciding(data: DataPaths) -> Iterator[Timing]:
    """Reconcile and check claims on ever more GPUs."""
    evidence = build.compile_dataset(data).evidence
    for times in GROWTH:
        # The same claims on `times` as many GPUs
        claims = list(evidence.claims)[:CLAIMS_AT_ONE]
        many = replace(
            evidence,
            gpus={f"{gpu}-{n}": about for n in range(times) for gpu, about in evidence.gpus.items()},
            claims=[replace(claim, gpu=f"{claim.gpu}-{n}") for n in range(times) for claim in claims],
            results=(),
            prices=(),
            siblings={},
        )
        yield _timed(
            f"reconcile and check, {times}×",
            len(many.claims),
            partial(validate.problems, many),
            process_time,
        )


def _timed(what: str, rows: int, work: Callable[[], object], clock: Callable[[], float] = perf_counter) -> Timing:
    start = clock()
    work()
    return Timing(what, rows, clock() - start)


def _rows(data: DataPaths) -> int:
    folders = (data.claims, data.results, data.prices)
    return sum(1 for folder in folders for path in folder.glob("*.csv") for _ in files.read_rows(path))
