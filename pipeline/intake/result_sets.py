"""Benchmark sets that people contribute as `data/benchmarks/<set>.csv` and `.yml`, read as results."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from pipeline.core import documents
from pipeline.core.documents import Text, Url
from pipeline.core.measured.metrics import COLUMNS
from pipeline.core.measured.plausible import CardLimits, flags, problems
from pipeline.core.rows import number_or_none, yes_no
from pipeline.core.schema import Result


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
    licence: Text
    date: date


def load(folder: Path) -> Iterator[Result]:
    """Read every set of a folder; ResultSetError for a broken one."""
    for path in sets(folder):
        yield from read(path)


def judged(folder: Path, limits: Mapping[str, CardLimits]) -> Iterator[str]:
    """Say what cannot be right in the sets of a folder that can be read, held against what theory allows each GPU."""
    for path in filter(_readable, sets(folder)):
        yield from (f"data/benchmarks/{path.name}: {problem}" for problem in problems(_rows(path), limits))


def questions(folder: Path) -> Iterator[str]:
    """Ask about results that are far below what other sets measured with the same GPU."""
    held = {path: _rows(path) for path in sets(folder)}
    for path, rows in held.items():
        peers = [row for other, theirs in held.items() if other != path for row in theirs]
        yield from (f"data/benchmarks/{path.name}: {question}" for question in flags(rows, peers))


def sets(folder: Path) -> list[Path]:
    """The files of the sets of a folder, without those that hold every repetition."""
    return [path for path in sorted(folder.glob("*.csv")) if not path.name.endswith(".raw.csv")]


def _readable(path: Path) -> bool:
    try:
        list(read(path))
    except ResultSetError:
        return False
    return True


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def read(path: Path) -> Iterator[Result]:
    """Read one set; rows without a GPU enter no table."""
    about = _about(path.with_suffix(".yml"))
    where = f"data/benchmarks/{path.name}"
    documents.text_of(path, where, ResultSetError)
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        documents.check_heads(where, reader.fieldnames, COLUMNS, ResultSetError)
        try:
            for number, row in enumerate(reader, start=2):
                if not row["gpu"]:
                    continue  # measured on a processor: judged like the others, but there is no page for it
                yield _result(row, about, f"{where} row {number}", f"{path.name}, row {number}")
        except csv.Error as error:
            raise ResultSetError(f"{where}: {error}; a cell with a comma or a quote stands in quotes") from None


def _about(path: Path) -> ResultSet:
    where = f"data/benchmarks/{path.name}"
    if not path.exists():
        raise ResultSetError(f"{where} is not there; each set needs its YAML, see data/benchmarks/README.md")
    text = documents.text_of(path, where, ResultSetError)
    try:
        about = ResultSet.model_validate(documents.load(text, where, ResultSetError))
    except ValidationError as error:
        raise ResultSetError("\n".join(documents.told(where, text, error, ResultSet))) from None
    if about.set != path.stem:
        raise ResultSetError(f"{where}: set = {about.set!r} must be the file's name, {path.stem!r}")
    return about


def _result(row: dict[str, str], about: ResultSet, where: str, locator: str) -> Result:
    try:
        return Result(
            row["gpu"],
            int(row["gpu_count"]),
            about.set,
            row["workload"],
            row["model"],
            row["precision"],
            row["batch"],
            row["metric"],
            number_or_none(row["value"]),
            row["unit"],
            yes_no(row["higher_is_better"]),
            row["software"],
            row["date"],
            about.set,
            row["flag"],
            about.url,
            locator,
            about.date.isoformat(),
            about.licence,
        )
    except (ValueError, TypeError) as error:
        raise ResultSetError(f"{where}: {error}; correct the cell") from None
