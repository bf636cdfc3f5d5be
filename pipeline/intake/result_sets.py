"""Benchmark sets that people contribute as `data/benchmarks/<set>.csv` and `.yml`, read as results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from pipeline.core import documents
from pipeline.core.documents import UNREAD_URL, ReadDay, SetLicence, Text, Url
from pipeline.core.measured.cells import number_or_none, whole, yes_no
from pipeline.core.measured.metrics import COLUMNS
from pipeline.core.measured.plausible import CardLimits, flags, problems
from pipeline.core.schema import Result
from pipeline.intake.hand_sets import Form
from pipeline.intake.results import METRICS

Read = TypeVar("Read")


class ResultSetError(ValueError):
    """A result set that cannot be read; the message names file, row, column, value and the next step."""


class ResultSet(BaseModel):
    """What a set's YAML must say; hardware, software and method are free."""

    model_config = ConfigDict(extra="allow", frozen=True)

    set: Text
    title: Text
    source: Text
    kind: Literal["vendor", "first-party", "reference", "community"]
    url: Url
    licence: SetLicence
    date: date
    read: ReadDay | None = None  # the day of the document and the day on which it was read may lie years apart


def judged(paths: Iterable[Path], limits: Mapping[str, CardLimits]) -> Iterator[str]:
    """Say what cannot be right in the rows of sets, held against our words and what theory allows each GPU."""
    for path in paths:
        found = _rows(path)
        told = problems([row for _, row in found], limits, METRICS, [line for line, _ in found])
        yield from (f"data/benchmarks/{path.name} {problem}" for problem in told)


def questions(folder: Path) -> Iterator[str]:
    """Ask about results that are far below what other sets measured with the same GPU."""
    held = {path: [row for _, row in _rows(path)] for path in sets(folder)}
    for path, rows in held.items():
        peers = [row for other, theirs in held.items() if other != path for row in theirs]
        yield from (f"data/benchmarks/{path.name} {question}" for question in flags(rows, peers))


def sets(folder: Path) -> list[Path]:
    """The files of the sets of a folder, without those that hold every repetition."""
    return [path for path in sorted(folder.glob("*.csv")) if not path.name.endswith(".raw.csv")]


def sound(path: Path) -> tuple[list[Result], list[str]]:
    """The results of one set, and what is wrong with the form of its two files; rows without a GPU enter no table.

    A cell that cannot be read is empty here, so that the rules still look at the others: `judged` tells it.
    """
    origin, rows, found = FORM.read(path, UNREAD)
    # What was measured on a processor is judged like the others, but there is no page for it.
    return [_result(row, origin, path, line) for line, row in rows if row["gpu"]], found


def _rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """The rows of a set with their lines; none where the file cannot be read, which `sound` tells."""
    try:
        return documents.table(path, f"data/benchmarks/{path.name}", COLUMNS, ResultSetError)[0]
    except ResultSetError:
        return []


def about(path: Path) -> ResultSet:
    """Read what was measured and by whom; ResultSetError names the field and the value that are wrong."""
    return FORM.origin(path)


FORM = Form("benchmarks", ResultSet, "set", COLUMNS, "see data/benchmarks/README.md", ResultSetError)
UNREAD = ResultSet(set="unread", title="?", source="?", kind="community", url=UNREAD_URL, licence="?", date=date.min)


def _result(row: Mapping[str, str], about: ResultSet, path: Path, line: int) -> Result:
    return Result(
        row["gpu"],
        _read(whole, row["gpu_count"]) or 1,
        path.stem,
        row["workload"],
        row["model"],
        row["precision"],
        row["batch"],
        row["metric"],
        _read(number_or_none, row["value"]),
        row["unit"],
        _read(yes_no, row["higher_is_better"]) or False,
        row["software"],
        row["date"],
        path.stem,
        row["flag"],
        about.url,
        f"{path.name}, row {line}",
        row["date"] if about is UNREAD else about.date.isoformat(),
        about.licence,
    )


def _read(reader: Callable[[str], Read], cell: str) -> Read | None:
    """What a cell holds, None where it cannot be read."""
    try:
        return reader(cell)
    except ValueError:
        return None
