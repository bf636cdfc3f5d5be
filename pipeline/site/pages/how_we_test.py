"""How the project tests itself: what the last full run of the tests tried, how often, and the worst that it found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.core.paths import DATA
from pipeline.dataset import Dataset
from pipeline.site.render import Page

RECORD = DATA.data / "how-we-test.json"  # written by "make test-full", see pipeline/tools/tested.py
AREA_OF_THE_WORST = "single-cells"


@dataclass(frozen=True, slots=True)
class Area:
    """One thing that is tried: how many cases the last full run had, what came of them, and the worst of it."""

    id: str
    name: str
    what: str
    holds: str  # what must hold in every case
    unit: str  # what a case is, in the plural
    cases: int
    failed: int
    outcome: str
    worst: tuple[str, ...]
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A full run of the tests."""

    day: str
    commit: str
    tests: int
    failed: int
    skipped: int
    areas: tuple[Area, ...]

    @property
    def cases(self) -> int:
        """All that was tried in the areas."""
        return sum(area.cases for area in self.areas)

    @property
    def worst(self) -> Area | None:
        """The area whose misses are told first."""
        return next((area for area in self.areas if area.id == AREA_OF_THE_WORST and area.cases), None)


def load(path: Path = RECORD) -> Record:
    """Read what the last full run left."""
    told = json.loads(path.read_text(encoding="utf-8"))
    areas = (Area(**area | {"worst": tuple(area["worst"]), "files": tuple(area["files"])}) for area in told["areas"])
    return Record(**told | {"areas": tuple(areas)})


def pages(dataset: Dataset) -> Iterator[Page]:  # noqa: ARG001 - what is told is of the project, not of its data
    """One page."""
    yield Page(
        "data/how-we-test",
        "how_we_test.html.j2",
        {"record": load()},
        "How we test",
        "What the last run of the tests tried, from broken servers to single wrong cells, and what got through.",
        "data/how-we-test.json",
        hide=("toc",),
    )
